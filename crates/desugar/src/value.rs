//! Values while they are taken apart: what is known of an expression once its statements are written.
//!
//! A value is a tree whose leaves are atoms of Core. Functions are known here, and applied here, unless they are in a box.
//! So are vectors of known length, such as shapes and index vectors, until something needs them in
//! memory.

use crate::hidden::Hidden;
use crate::mono::{Mono, Sig};
use base::{Map, Name};
use ir::{Atom, BoxId, Dim, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::{DefId, Lambda, LocalId, TypeArg, TypeParam, TypeVarId};

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Val<'t> {
    Scalar(Prim, Atom),
    /// A vector whose elements are known one by one.
    Vector(Prim, Rc<[Atom]>),
    /// The row lengths that a descriptor holds.
    Lengths(Var),
    /// Fields in order.
    Record(Rc<[Val<'t>]>),
    Sum(Rc<SumVal<'t>>),
    Array(Rc<ArrayVal>),
    Fun(Rc<FunVal<'t>>),
}

/// The constructors of a sum type, in order, with the types of their parts.
pub(crate) type Cases = Rc<[(Name, Vec<Mono>)]>;

/// A value of a sum type.
#[derive(Clone, Debug)]
pub(crate) struct SumVal<'t> {
    /// Which constructor.
    pub tag: Atom,
    pub cases: Cases,
    /// The parts of each constructor; none where this value is known to have another.
    pub parts: Vec<Option<Vec<Val<'t>>>>,
}

impl SumVal<'_> {
    /// The number of a constructor.
    pub fn case(&self, name: Name) -> usize {
        match self.cases.iter().position(|case| case.0 == name) {
            Some(case) => case,
            None => base::bug!("a sum has no constructor `{name}`"),
        }
    }
}

/// An array: dimensions over rows that are no arrays themselves.
#[derive(Clone, Debug)]
pub(crate) struct ArrayVal {
    pub dims: Vec<Dim>,
    pub rows: Rows,
}

/// What lies inside the dimensions of an array. Data variables have all dimensions around them in their types.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    Data(Prim, Var),
    Record(Vec<Rows>),
    Sum(Cases, Var, Vec<Vec<Rows>>),
    /// An array in a field.
    Array(Vec<Dim>, Box<Rows>),
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct FunVal<'t> {
    pub code: FunCode<'t>,
    /// Arguments given so far.
    pub args: Vec<Val<'t>>,
    /// The type of the code, without sizes; none while it has type parameters that nobody has given.
    pub sig: Option<Rc<Sig>>,
}

#[derive(Clone, Debug)]
pub(crate) enum FunCode<'t> {
    Lambda {
        /// What messages call it.
        name: Name,
        lambda: &'t Lambda,
        env: Rc<Env<'t>>,
        type_params: &'t [TypeParam],
        type_args: &'t [TypeArg],
        at: Option<Rc<Env<'t>>>,
    },
    /// A definition at some types, which make sense in an environment.
    Def {
        def: DefId,
        type_args: &'t [TypeArg],
        env: Rc<Env<'t>>,
    },
    Operator(BinOp),
    /// One that only the run knows: what is in the box.
    Boxed(Var, BoxId),
}

/// What names stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env<'t> {
    pub vals: Map<LocalId, Val<'t>>,
    pub types: Map<TypeVarId, Mono>,
    /// Sizes that are not among the values, but can be found.
    pub hidden: Hidden<'t>,
}

impl Env<'_> {
    /// Forgets a name, so that it can be bound anew.
    pub fn forget(&mut self, local: LocalId) {
        self.vals.remove(&local);
        self.hidden.remove(&local);
    }
}

impl<'t> Val<'t> {
    pub fn size(atom: Atom) -> Val<'t> {
        Val::Scalar(Prim::I64, atom)
    }

    pub fn array(dims: Vec<Dim>, rows: Rows) -> Val<'t> {
        match rows {
            Rows::Array(more, rows) => Val::array(dims.into_iter().chain(more).collect(), *rows),
            rows => Val::Array(Rc::new(ArrayVal { dims, rows })),
        }
    }

    /// The atom of a scalar.
    pub fn atom(&self) -> Option<Atom> {
        match self {
            Val::Scalar(_, atom) => Some(*atom),
            _ => None,
        }
    }

    /// Whether a function is part of it.
    pub fn holds_function(&self) -> bool {
        match self {
            Val::Fun(_) => true,
            Val::Record(fields) => fields.iter().any(Val::holds_function),
            Val::Sum(sum) => sum.parts.iter().flatten().flatten().any(Val::holds_function),
            Val::Scalar(..) | Val::Vector(..) | Val::Lengths(_) | Val::Array(_) => false,
        }
    }
}
