//! The tree as text: compact S-expressions, for tests and for looking at what the parser understood.

mod exprs;
mod modules;

#[cfg(test)]
pub(crate) use exprs::lit;
pub use exprs::{expr, pat, type_exp};

use crate::ast::*;

/// A whole file, one declaration per line.
pub fn file(file: &File) -> String {
    file.decs.iter().map(|d| modules::dec(d) + "\n").collect()
}
