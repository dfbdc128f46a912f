//! Patterns.

use super::{Attr, Ident, Lit, TypeExp};
use base::{Name, Span};

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// The whole pattern.
    pub span: Span,
    /// Which.
    pub kind: PatKind,
}

/// The patterns.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `x`; also `(+)`, with the operator's text.
    Name(Name),
    /// `_`.
    Wildcard,
    /// `(p, q)`; `()` is the empty one.
    Tuple(Vec<Pat>),
    /// `{x = p, y}`.
    Record(Vec<(Ident, Option<Pat>)>),
    /// A literal; `negative` if there is a `-` before it.
    Literal {
        /// The literal.
        lit: Lit,
        /// Whether there is a `-` before it.
        negative: bool,
    },
    /// `#c p q`.
    Constr(Ident, Vec<Pat>),
    /// `p : t`.
    Ascribe(Box<Pat>, TypeExp),
    /// `(p)`.
    Parens(Box<Pat>),
    /// `#[attr] p`.
    Attr(Attr, Box<Pat>),
    /// Text that could not be parsed.
    Error,
}
