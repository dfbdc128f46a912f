//! Declarations, modules and their types.

use super::{Attr, Expr, Ident, Pat, QualName, TypeExp};
use base::Span;

/// A declaration with its comment, attributes and `local`.
#[derive(Clone, Debug)]
pub struct Dec {
    /// The whole declaration.
    pub span: Span,
    /// The doc comment (`-- |`) in front of it, without the dashes.
    pub doc: Option<String>,
    /// Attributes.
    pub attrs: Vec<Attr>,
    /// Whether it is marked `local`.
    pub local: bool,
    /// The declaration.
    pub kind: DecKind,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum DecKind {
    /// `def`, `entry`, `let` at top level.
    Value(ValueDec),
    /// `type t = ...`.
    Type(TypeDec),
    /// `module type t = ...`.
    ModuleType {
        /// Its name.
        name: Ident,
        /// What it stands for.
        body: ModTypeExp,
    },
    /// `module m (p: t) : s = ...`.
    Module {
        /// Its name.
        name: Ident,
        /// Parameters, if it is a parametric module.
        params: Vec<ModParam>,
        /// Ascribed module type.
        ascription: Option<ModTypeExp>,
        /// Its definition.
        body: ModExp,
    },
    /// `open m`.
    Open(ModExp),
    /// `import "path"`.
    Import {
        /// The path as written.
        path: String,
        /// The string literal.
        span: Span,
    },
    /// Text that could not be parsed.
    Error,
}

/// `def f [n] 'a (x: t): r = e`.
#[derive(Clone, Debug)]
pub struct ValueDec {
    /// Whether it is an `entry`.
    pub entry: bool,
    /// Whether `rec` follows `def`.
    pub rec: bool,
    /// The name; an operator's text for operators.
    pub name: Ident,
    /// `[n] 'a [~k] [..s]`.
    pub type_params: Vec<TypeParam>,
    /// Parameter patterns.
    pub params: Vec<Pat>,
    /// Result type.
    pub ret: Option<TypeExp>,
    /// Definition.
    pub body: Expr,
}

/// `type~ t 'a [n] = ...`; also a type specification in a module type, when `body` is missing.
#[derive(Clone, Debug)]
pub struct TypeDec {
    /// What values it may hold.
    pub lifted: Lifted,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<TypeParam>,
    /// Its definition; `None` only for an abstract `type t` in a module type.
    pub body: Option<TypeExp>,
}

/// How much freedom a type or type parameter has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Lifted {
    /// `type t`, `'a`: values of one size.
    No,
    /// `type~ t`, `'~a`: sizes may differ.
    Sizes,
    /// `type^ t`, `'^a`: functions too.
    Functions,
}

/// A parameter of a definition or type.
#[derive(Clone, Copy, Debug)]
pub struct TypeParam {
    /// Its name.
    pub name: Ident,
    /// What it stands for.
    pub kind: TypeParamKind,
    /// The whole parameter.
    pub span: Span,
}

/// The kinds of type parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParamKind {
    /// `[n]`: a size.
    Size,
    /// `'a`, `'~a`, `'^a`: a type.
    Type(Lifted),
    /// `[~k]`: a size function.
    Jagged,
    /// `[..s]`: a shape.
    Shape,
}

/// `(p: t)` of a parametric module.
#[derive(Clone, Debug)]
pub struct ModParam {
    /// Its name.
    pub name: Ident,
    /// Its module type.
    pub ty: ModTypeExp,
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModExp {
    /// The whole expression.
    pub span: Span,
    /// Which.
    pub kind: ModExpKind,
}

/// The module expressions.
#[derive(Clone, Debug)]
pub enum ModExpKind {
    /// `m`, `a.m`.
    Var(QualName),
    /// `{ decs }`.
    Decs(Vec<Dec>),
    /// `import "path"`.
    Import(String),
    /// `m : t`.
    Ascribe(Box<ModExp>, ModTypeExp),
    /// `\(p: t) : s -> m`.
    Lambda(ModParam, Option<ModTypeExp>, Box<ModExp>),
    /// `f m`.
    Apply(Box<ModExp>, Box<ModExp>),
    /// `(m)`.
    Parens(Box<ModExp>),
    /// Text that could not be parsed.
    Error,
}

/// A module type expression.
#[derive(Clone, Debug)]
pub struct ModTypeExp {
    /// The whole expression.
    pub span: Span,
    /// Which.
    pub kind: ModTypeExpKind,
}

/// The module type expressions.
#[derive(Clone, Debug)]
pub enum ModTypeExpKind {
    /// `t`.
    Var(QualName),
    /// `{ specs }`.
    Specs(Vec<Spec>),
    /// `s with t 'a = u`.
    With {
        /// `s`.
        base: Box<ModTypeExp>,
        /// `t`.
        name: QualName,
        /// `'a`.
        params: Vec<TypeParam>,
        /// `u`.
        ty: TypeExp,
    },
    /// `(p: a) -> b`.
    Arrow(Option<Ident>, Box<ModTypeExp>, Box<ModTypeExp>),
    /// `(t)`.
    Parens(Box<ModTypeExp>),
    /// Text that could not be parsed.
    Error,
}

/// One line of a module type.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The whole specification.
    pub span: Span,
    /// The doc comment in front.
    pub doc: Option<String>,
    /// Which.
    pub kind: SpecKind,
}

/// The specifications.
#[derive(Clone, Debug)]
pub enum SpecKind {
    /// `val f [n] 'a : t`.
    Value {
        /// Its name.
        name: Ident,
        /// Its type parameters.
        type_params: Vec<TypeParam>,
        /// Its type.
        ty: TypeExp,
    },
    /// `type t`, `type t = u`.
    Type(TypeDec),
    /// `module m : t`.
    Module(Ident, ModTypeExp),
    /// `include t`.
    Include(ModTypeExp),
    /// Text that could not be parsed.
    Error,
}
