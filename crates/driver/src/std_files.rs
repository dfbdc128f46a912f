//! The standard library, carried inside the compiler.

/// Name (without `.rv`) and text of every file of `std/`, sorted by name.
pub const ALL: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/std_files.rs"));

/// The operations that the implementation provides.
pub const INTRINSICS: &str = "intrinsics";
/// What is open in every file.
pub const PRELUDE: &str = "prelude";
/// What is open in `.rv` files.
pub const LIBRARY: &str = "library";

/// The text of a library file.
pub fn text(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
