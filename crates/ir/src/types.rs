//! Types, dimensions and atoms.

use crate::{BoxId, Var};
use scalar::{Prim, Scalar};
use std::hash::{Hash, Hasher};

/// A variable or constant. Two atoms are equal if one can stand in the place of the other: constants by their bits, so that
/// `0.0` is not `-0.0`.
#[derive(Clone, Copy, Debug)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// A number or truth value.
    Const(Scalar),
}

impl Atom {
    /// A size.
    pub const fn size(n: i64) -> Atom {
        Atom::Const(Scalar::I64(n))
    }

    /// A truth value.
    pub const fn bool(b: bool) -> Atom {
        Atom::Const(Scalar::Bool(b))
    }

    /// The variable, if it is one.
    pub fn var(self) -> Option<Var> {
        match self {
            Atom::Var(var) => Some(var),
            Atom::Const(_) => None,
        }
    }

    /// The constant size, if it is one.
    pub fn as_size(self) -> Option<i64> {
        match self {
            Atom::Const(Scalar::I64(n)) => Some(n),
            Atom::Const(_) | Atom::Var(_) => None,
        }
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        match (self, other) {
            (Atom::Var(a), Atom::Var(b)) => a == b,
            (Atom::Const(a), Atom::Const(b)) => a.prim() == b.prim() && a.bits() == b.bits(),
            (Atom::Var(_), Atom::Const(_)) | (Atom::Const(_), Atom::Var(_)) => false,
        }
    }
}

impl Eq for Atom {}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Atom::Var(var) => var.hash(state),
            Atom::Const(x) => x.bits().hash(state),
        }
    }
}

impl From<Var> for Atom {
    fn from(var: Var) -> Atom {
        Atom::Var(var)
    }
}

/// One dimension (or, for [`Dim::Shape`], any number of them).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// `[n]`: an extent, of type `i64` and never negative.
    Size(Atom),
    /// `[~d]`: row by row as the descriptor says. Its type is [`Type::Desc`] of the dimensions before this one.
    Jagged(Var),
    /// `[..v]`: as many dimensions as the vector `v: [r]i64` is long, all of them regular. Only what is indexed by a
    /// vector has them first: single indices lead no further than to the dimension before.
    Shape(Var),
}

/// The type of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A number or truth value.
    Scalar(Prim),
    /// An array of at least one dimension.
    Array(Prim, Vec<Dim>),
    /// The lengths of the rows of an array inside these dimensions, at least one.
    Desc(Vec<Dim>),
    /// Evidence that a check succeeded; nothing at run time.
    Cert,
    /// A box of a kind.
    Box(BoxId),
}

impl Type {
    /// The type of sizes.
    pub const I64: Type = Type::Scalar(Prim::I64);

    /// An array of this element type inside these dimensions; a scalar if there are none.
    pub fn array(prim: Prim, dims: Vec<Dim>) -> Type {
        if dims.is_empty() { Type::Scalar(prim) } else { Type::Array(prim, dims) }
    }

    /// The dimensions: none of a scalar, certificate or box.
    pub fn dims(&self) -> &[Dim] {
        match self {
            Type::Array(_, dims) | Type::Desc(dims) => dims,
            Type::Scalar(_) | Type::Cert | Type::Box(_) => &[],
        }
    }

    /// The type of the (innermost) elements.
    pub fn prim(&self) -> Option<Prim> {
        match self {
            Type::Scalar(prim) | Type::Array(prim, _) => Some(*prim),
            Type::Desc(_) | Type::Cert | Type::Box(_) => None,
        }
    }

    /// Whether it is the type of arrays.
    pub fn is_array(&self) -> bool {
        matches!(self, Type::Array(..))
    }

    /// Whether values of this type hold arrays, so that others may share their memory.
    pub fn holds_memory(&self) -> bool {
        matches!(self, Type::Array(..) | Type::Box(_))
    }
}
