//! Values: what is known of an expression once its statements are written.
//!
//! A value is a tree whose leaves are atoms of Core. Functions are known here, and applied here, unless they are in a box.
//! So are vectors of known length, such as shapes and index vectors, until something needs them in
//! memory.

use crate::data::tree::{Array, Kind, Sum, Tree};
use crate::data::types::{Mono, Sig};
use base::{Map, Name, bug};
use ir::{Atom, BoxId, Dim, Layout, Var};
use scalar::{BinOp, Prim, Scalar};
use std::marker::PhantomData;
use std::rc::Rc;
use typed::Type;
use typed::{DefId, Lambda, LocalId, TypeArg, TypeParam, TypeVarId};

/// What values are made of.
#[derive(Clone, Debug)]
pub(crate) struct Values<'t>(PhantomData<&'t ()>);

impl<'t> Kind for Values<'t> {
    /// Inside of an array, a variable with all dimensions around.
    type Atom = Atom;
    type Vector = Rc<[Atom]>;
    type Lengths = Var;
    type Dim = Dim;
    type Fun = Rc<FunVal<'t>>;
}

/// A value.
pub(crate) type Val<'t> = Tree<Values<'t>>;
pub(crate) type SumVal<'t> = Sum<Values<'t>>;
pub(crate) type ArrayVal<'t> = Array<Values<'t>>;

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct FunVal<'t> {
    pub code: FunCode<'t>,
    /// Arguments given so far.
    pub args: Vec<Val<'t>>,
    /// The type of the code, without sizes; none while type parameters have no arguments yet.
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

/// Where a size may be found: in a value whose type mentions it, under a name.
#[derive(Clone, Debug)]
pub(crate) struct Source<'t> {
    pub local: LocalId,
    pub ty: &'t Type,
    pub val: Val<'t>,
}

impl<'t> Source<'t> {
    /// A part of it, in which the size may be found.
    pub fn part(&self, ty: &'t Type, val: &Val<'t>) -> Source<'t> {
        Source { local: self.local, ty, val: val.clone() }
    }
}

/// Sizes, row lengths and shapes that are not bound, and where they may be found, best first.
pub(crate) type Hidden<'t> = Map<LocalId, Vec<Source<'t>>>;

/// The values and types of names.
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

    pub fn bool(atom: Atom) -> Val<'t> {
        Val::Scalar(Prim::Bool, atom)
    }

    /// A function that has no arguments yet.
    pub fn function(code: FunCode<'t>, sig: Option<Rc<Sig>>) -> Val<'t> {
        Val::Fun(Rc::new(FunVal { code, args: Vec::new(), sig }))
    }

    /// The atom of a scalar.
    pub fn atom(&self) -> Option<Atom> {
        match self {
            Val::Scalar(_, atom) => Some(*atom),
            _ => None,
        }
    }

    /// The atom of a value that must be a scalar; `what` it is.
    pub fn scalar(&self, what: &str) -> Atom {
        self.atom().unwrap_or_else(|| bug!("{what} is no scalar"))
    }

    /// The variable of an array of scalars.
    pub fn var(&self) -> Option<Var> {
        self.atom().and_then(|atom| atom.var())
    }

    /// Whether a function is part of it.
    pub fn holds_function(&self) -> bool {
        self.any(&mut |val| matches!(val, Val::Fun(_)))
    }

    /// The variables of its scalars and tags, in order.
    pub fn leaves(&self) -> Vec<Var> {
        let mut leaves = Vec::new();
        self.for_each_atom(&mut |atom| leaves.extend(atom.var()));
        leaves
    }
}

impl<'t> From<ArrayVal<'t>> for Val<'t> {
    fn from(array: ArrayVal<'t>) -> Val<'t> {
        Val::array(array.dims, array.rows)
    }
}

impl<'t> SumVal<'t> {
    /// The number of the constructor as a scalar.
    pub fn tag_val(&self) -> Val<'t> {
        Val::Scalar(Layout::tag_prim(self.cases.len()), self.tag)
    }
}

impl ArrayVal<'_> {
    /// The extent of the first dimension, which must be known by itself.
    pub fn first_size(&self) -> Atom {
        match self.dims.first() {
            Some(Dim::Size(n)) => *n,
            _ => bug!("an array has no dimension to walk along"),
        }
    }
}

/// Whether a dimension is a shape, that is, any number of dimensions.
pub(crate) fn is_shape(dim: &Dim) -> bool {
    matches!(dim, Dim::Shape(_))
}

/// How many dimensions come one by one before a shape.
pub(crate) fn leading(dims: &[Dim]) -> usize {
    dims.iter().take_while(|dim| !is_shape(dim)).count()
}

/// Whether there are rows of different lengths.
pub(crate) fn has_jagged(val: &Val) -> bool {
    val.any_dim(|dim| matches!(dim, Dim::Jagged(_)))
}

/// A value that stands inside of some dimensions as an array with those, too.
pub(crate) fn inside<'t>(outer: &[Dim], val: &Val<'t>) -> ArrayVal<'t> {
    let (own, rows) = val.split();
    ArrayVal { dims: outer.iter().chain(own).copied().collect(), rows: rows.clone() }
}

/// What of an array stands inside of its first dimensions.
pub(crate) fn behind<'t>(array: &ArrayVal<'t>, outer: usize) -> Val<'t> {
    Val::array(array.dims[outer..].to_vec(), array.rows.clone())
}

/// Variables of the array's own dimensions and older ones are seen by all replacements.
pub(crate) fn array_mark(array: &ArrayVal) -> usize {
    use base::id::Id;
    array.rows.leaves().iter().map(|v| v.index() + 1).max().unwrap_or(0)
}

/// The number of a constructor as a constant: of a type with `count` constructors, that with number `case`.
pub(crate) fn tag_of(count: usize, case: usize) -> Atom {
    Atom::Const(Scalar::from_bits(Layout::tag_prim(count), case as u64))
}
