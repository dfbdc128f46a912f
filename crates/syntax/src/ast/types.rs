//! Types as they are written.

use super::{Expr, Ident, QualName, SizeName};
use base::Span;

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExp {
    /// The whole type.
    pub span: Span,
    /// Which.
    pub kind: TypeExpKind,
}

/// The type expressions.
#[derive(Clone, Debug)]
pub enum TypeExpKind {
    /// `t`, `m.t`.
    Var(QualName),
    /// `t [n] a`.
    Apply(Box<TypeExp>, Vec<TypeArg>),
    /// `(a, b)`; `()` is the empty one.
    Tuple(Vec<TypeExp>),
    /// `{x: a, y: b}`.
    Record(Vec<(Ident, TypeExp)>),
    /// `#a t | #b`.
    Sum(Vec<(Ident, Vec<TypeExp>)>),
    /// `[n]t`.
    Array(DimExp, Box<TypeExp>),
    /// `*t`.
    Unique(Box<TypeExp>),
    /// `(x: a) -> b`.
    Fun {
        /// `x`, if named.
        param_name: Option<Ident>,
        /// `a`.
        param: Box<TypeExp>,
        /// `b`.
        ret: Box<TypeExp>,
    },
    /// `?[n][m].t`.
    Exists(Vec<SizeName>, Box<TypeExp>),
    /// `(t)`.
    Parens(Box<TypeExp>),
    /// Text that could not be parsed.
    Error,
}

/// An argument of a type.
#[derive(Clone, Debug)]
pub enum TypeArg {
    /// `[n]`, `[]`.
    Size(DimExp),
    /// `t`.
    Type(TypeExp),
}

/// A dimension as written, with its brackets.
#[derive(Clone, Debug)]
pub struct DimExp {
    /// The brackets and their contents.
    pub span: Span,
    /// Which.
    pub kind: DimExpKind,
}

/// The dimensions.
#[derive(Clone, Debug)]
pub enum DimExpKind {
    /// `[]`.
    Any,
    /// `[n]`, `[n+1]`.
    Size(Box<Expr>),
    /// `[~k]`, `[~]`.
    Jagged(Option<Ident>),
    /// `[..s]`, `[..]`.
    Shape(Option<Ident>),
    /// `[..(e)]`.
    ShapeOf(Box<Expr>),
}
