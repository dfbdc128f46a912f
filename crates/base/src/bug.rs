//! Cases that cannot happen unless the compiler is wrong.
//!
//! [`bug!`](crate::bug!) stops at once instead of guessing a default that would become a wrong answer later:
//!
//! ```should_panic
//! # let widths: Vec<u32> = vec![];
//! let Some(width) = widths.first() else { base::bug!("a shape without dimensions has no width") };
//! ```
//!
//! Nothing that a user writes or passes in may reach it. What users can reach is a diagnostic.

/// Stops because of a mistake in the compiler. Takes a message in the form of `format!` that says which rule is broken.
///
/// It is a panic, so that tools which must survive it, such as the program generator, can catch it. The command line
/// then prints the message with the file and line of this call, asks the user to report it, and exits with status 101.
#[macro_export]
macro_rules! bug {
    ($($message:tt)+) => {
        ::std::panic!($($message)+)
    };
}
