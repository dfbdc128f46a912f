//! The checked program: data only.
//!
//! What holds here, after `check` accepted a program:
//! - Modules, overloading, type abbreviations and operator sections are gone. Every definition of every file used,
//!   the standard library's included, is one [`Def`] with a globally unique id; so is every local ([`LocalId`]).
//! - Every expression carries its type, sizes included. A size variable is a local of type `i64`, a size function
//!   (`[~k]`) and a shape (`[..s]`) are locals of type `[]i64`.
//! - A use of a polymorphic definition names what its type parameters are instantiated to ([`TypeArg`]).
//! - An expression that brings sizes into being (a `filter`, a slice, a branch) lists them in [`Expr::exts`]: they are
//!   bound by looking at the value. No type mentions a local before it is bound.

pub mod abstracts;
pub mod children;
pub mod expr;
pub mod intrinsic;
pub mod matching;
pub mod mentions;
pub mod print;
pub mod recursion;
pub mod size;
pub mod subst;
pub mod traverse;
pub mod types;
pub mod walk;

pub use expr::*;
pub use intrinsic::Intrinsic;
pub use types::*;

use base::{IdVec, Name, Span, define_id};

define_id!(
    /// A top-level definition.
    DefId, "def"
);
define_id!(
    /// A local variable, size, size function or shape; unique in the whole program.
    LocalId, "x"
);
define_id!(
    /// A type parameter.
    TypeVarId, "t"
);
define_id!(
    /// An abstract type: one that a module type hides.
    AbstractId, "abs"
);

/// A checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All definitions; one only uses earlier ones, itself, or others of its recursive group.
    pub defs: IdVec<DefId, Def>,
    /// Names and places of locals.
    pub locals: IdVec<LocalId, Local>,
    /// Names of type parameters.
    pub type_vars: IdVec<TypeVarId, TypeVar>,
    /// Abstract types and their representations.
    pub abstracts: IdVec<AbstractId, Abstract>,
    /// The entry points of the main file, in order.
    pub entries: Vec<DefId>,
    /// The definitions of the main file, in order (what `ravel types` shows).
    pub main_defs: Vec<DefId>,
    /// Equalities of sizes that could not be proved and are checked at run time.
    pub checks: Vec<SizeCheck>,
}

/// A local name.
#[derive(Clone, Debug)]
pub struct Local {
    /// As written, or made up (`n`, `k`) for inferred sizes.
    pub name: Name,
    /// Where it is bound.
    pub span: Span,
}

/// A type parameter's name.
#[derive(Clone, Debug)]
pub struct TypeVar {
    /// Without the quote.
    pub name: Name,
    /// Where it is bound.
    pub span: Span,
}

/// An abstract type.
#[derive(Clone, Debug)]
pub struct Abstract {
    /// Its qualified name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<TypeParam>,
    /// Its representation.
    pub repr: Type,
}

/// A top-level definition.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its name with the modules around it: `i32.max`.
    pub name: Name,
    /// The name's place.
    pub span: Span,
    /// Its doc comment.
    pub doc: Option<String>,
    /// Whether it is an entry point of the main file.
    pub entry: bool,
    /// Type parameters, written and inferred.
    pub type_params: Vec<TypeParam>,
    /// Parameters; without any it is a constant.
    pub params: Vec<Param>,
    /// What it returns.
    pub ret: Ret,
    /// Whether the result type was written.
    pub ret_written: bool,
    /// How it is computed.
    pub body: Body,
}

impl Def {
    /// Its type as a function type (or its value's type if it has no parameters).
    pub fn ty(&self) -> Type {
        Type::function(&self.params, self.ret.clone())
    }
}

/// How a definition is computed.
#[derive(Clone, Debug)]
pub enum Body {
    /// By an expression.
    Expr(Expr),
    /// By the implementation.
    Intrinsic(Intrinsic),
    /// Not here: a `val` of a module type, inside of a parametric module that takes such a module. Nothing evaluates it,
    /// since an application of the parametric module has definitions of its own.
    Specified,
}

/// A parameter of a definition, local function or lambda.
#[derive(Clone, Debug)]
pub struct Param {
    /// What it binds, with its type.
    pub pat: Pat,
    /// Which parts of the argument are consumed (`*t`).
    pub diet: Diet,
}

impl Param {
    /// The local it binds, if the pattern is a plain name; result types may mention that name.
    pub fn name(&self) -> Option<LocalId> {
        self.pat.name()
    }
}

/// Why two sizes must be equal though nothing proves it.
#[derive(Clone, Debug)]
pub struct SizeCheck {
    /// Where it is checked.
    pub span: Span,
    /// One size as shown to users.
    pub left: String,
    /// The other.
    pub right: String,
}
