//! The syntax tree, close to the text: spans everywhere, parentheses and comments kept, names unresolved.

mod declarations;
mod expressions;
mod patterns;
mod types;

pub use declarations::*;
pub use expressions::*;
pub use patterns::*;
pub use types::*;

use base::{Name, Span};

/// Which language a file is written in, by its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `.rv`: Ravel, all of it.
    Ravel,
    /// `.fut`: Futhark; the words and rules that Ravel adds do not apply.
    Futhark,
}

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// The language it is written in.
    pub dialect: Dialect,
    /// Its declarations in order.
    pub decs: Vec<Dec>,
    /// All comments, in order, with the leading `--` included.
    pub comments: Vec<Comment>,
}

/// One comment line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// From `--` to the end of the line.
    pub span: Span,
    /// The text after `--`.
    pub text: String,
}

/// A name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A size that `let [n]` or `?[n].` names, or a size function: `[~k]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeName {
    /// The name.
    pub name: Ident,
    /// Whether it is a size function, with a length for each row.
    pub jagged: bool,
}

/// `a.b.c`: in an expression a module path, a field path, or one followed by the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QualName {
    /// `a.b`.
    pub quals: Vec<Ident>,
    /// `c`; an operator's text for operators.
    pub name: Ident,
}

impl QualName {
    /// From the first qualifier to the name.
    pub fn span(&self) -> Span {
        self.quals.first().map_or(self.name.span, |q| q.span.to(self.name.span))
    }
}

/// `#[name]`, `#[name(args)]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attr {
    /// The whole attribute.
    pub span: Span,
    /// A name, or a number's digits.
    pub name: Name,
    /// The contents of the parentheses.
    pub args: Vec<Attr>,
}
