//! Kernel as text: prints and parses.
//!
//! ```text
//! site 0 R001 "index {0} is out of bounds" @0:3-5
//!   at "here"
//! fun double.0(n.0: i64, xs.1: []i64) -> (i64, []i64) @0:0-9 {
//!   var ys.2: []i64
//!   alloc ys.2 n.0 @0:3-5
//!   for i.3 = 0i64 to n.0 parallel {
//!     ys.2[i.3] := (xs.1[i.3] *i64 2i64)
//!   }
//!   return (n.0, &ys.2)
//! }
//! entry "double" = double.0("xs": []i64) -> ([]i64) consumed(false, false)
//! ```
//!
//! The number after a variable's name is its id; a name keeps the letters that names may contain. The type of a buffer
//! may be followed by its memory: `ys.2: []i64 in m0`. A local array has its length in the brackets: `t.3: [8]i64`. A buffer as an
//! argument has `&` before it. A program that calls the functions of the C library begins with `math strict`. Places (`@file:start-end`) may be left out. Sites have the form of [`fault::notation`].

mod lex;
mod parse;
mod parse_expr;
mod parse_site;
mod parse_stm;
mod print;

pub use parse::parse;
pub(crate) use print::print_expr;
pub use print::print_with;

/// Why a text is no program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ParseError {}
