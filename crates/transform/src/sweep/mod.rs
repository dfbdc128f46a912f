//! What nothing needs goes away.
//!
//! ```text
//! let s: i64 = a + b
//! let t: i64 = a * b        =>      let s: i64 = a + b
//! => s                              => s
//! ```
//!
//! A statement stays if something uses what it binds, if it shows something (`trace`), or if it is a check that no
//! statement names: such a check guards a whole computation. A check that statements name goes with the last of them,
//! unless it is the check of a size: `length (iota n)` needs no array, but `n` has to be a size; nor does `length xs[a:b]`.
//! A call stays if something like that is in the function.
//!
//! Parameters that a function does not use, results that no call uses, and functions that no entry point needs go away,
//! too ([`functions`]), and so do messages of checks that are gone ([`sites`]). What must stay is in [`roots`].

mod body;
mod functions;
mod roots;
mod sites;

use ir::Program;

/// Removes what nothing uses.
pub fn sweep(program: &mut Program) {
    functions::remove_unreachable(program);
    // Less in one function may mean that others are needed less.
    loop {
        body::sweep_all(program);
        if !functions::shorten(program) {
            break;
        }
    }
    functions::remove_unreachable(program);
    sites::remove_unused(program);
}
