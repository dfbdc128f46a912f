//! Elements and parts of arrays, and arrays with other leaves or dimensions.
//!
//! An array value is a tree of variables with common dimensions: each function here writes the same operation for every
//! leaf. They take the builder and the array; indices are inside their bounds already. Example: the element of
//! `xs: [n](i64, [m]f64)` at `i` is two statements, `let a = x.0[i]` and `let b: [m]f64 = x.1[i]`.

use crate::context::{Desugar, Made};
use crate::data::draft::Cursor;
use crate::data::tree::Walk;
use crate::data::value::{ArrayVal, SumVal, Val, Values, behind, tag_of};
use base::bug;
use ir::build::Builder;
use ir::{Atom, Dim, Exp, Layout, Limitation, Range, Type, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;

/// Puts another variable in the place of every leaf: `leaf` gets the old one, its element type and its new dimensions.
/// Dimensions become what `dim` makes of them behind others.
struct Renewing<'d, F, G> {
    b: &'d mut Builder,
    leaf: F,
    dim: G,
}

impl<'t, F, G> Walk<Values<'t>, Values<'t>> for Renewing<'_, F, G>
where
    F: FnMut(&mut Builder, Prim, Var, &[Dim]) -> Var,
    G: FnMut(&mut Builder, Dim, &[Dim]) -> Dim,
{
    fn scalar(&mut self, prim: Prim, atom: &Atom, outer: &[Dim]) -> Atom {
        let Atom::Var(var) = *atom else { bug!("an array has a constant in the place of its elements") };
        (self.leaf)(self.b, prim, var, outer).into()
    }

    fn dim(&mut self, dim: &Dim, outer: &[Dim]) -> Dim {
        (self.dim)(self.b, *dim, outer)
    }

    fn other(&mut self, val: &Val<'t>, _: &[Dim]) -> Val<'t> {
        bug!("an array holds {val:?}")
    }
}

impl<'t> Desugar<'t> {
    /// The value as an array in memory, whatever is known about it.
    pub(crate) fn as_array(&mut self, val: &Val<'t>) -> Made<Rc<ArrayVal<'t>>> {
        let vector = |n: Atom, prim: Prim, var: Var| {
            Ok(Rc::new(ArrayVal { dims: vec![Dim::Size(n)], rows: Val::Scalar(prim, var.into()) }))
        };
        match val {
            Val::Array(array) => Ok(array.clone()),
            Val::Vector(prim, atoms) => {
                vector(Atom::size(atoms.len() as i64), *prim, vector_var(&mut self.b, *prim, atoms))
            }
            Val::Lengths(desc) => {
                let (var, n) = lengths_of(&mut self.b, *desc);
                vector(n, Prim::I64, var)
            }
            // An array of rank 0 is its element.
            Val::Scalar(..) | Val::Record(_) | Val::Sum(_) => self.rank_zero(val),
            Val::Fun(_) => bug!("the checker let an array hold functions"),
        }
    }

    /// A vector as one variable.
    pub(crate) fn as_vector(&mut self, val: &Val<'t>) -> Made<(Var, Atom)> {
        let array = self.as_array(val)?;
        match (array.rows.var(), array.dims.as_slice()) {
            (Some(var), [Dim::Size(n)]) => Ok((var, *n)),
            _ => self.unsupported(Limitation::VectorOfUnknownRank),
        }
    }
}

/// The element or subarray at indices that are inside their bounds.
pub(crate) fn element<'t>(b: &mut Builder, array: &ArrayVal<'t>, at: &[Atom]) -> Val<'t> {
    if at.is_empty() {
        return Val::Array(Rc::new(array.clone()));
    }
    let leaf = |b: &mut Builder, prim, var, dims: &[Dim]| bind_like(b, prim, var, dims, Exp::Index(var, at.to_vec()));
    let dim = |b: &mut Builder, dim, outer: &[Dim]| match dim {
        Dim::Jagged(desc) if outer.is_empty() => Dim::Size(b.length(desc, at.to_vec())),
        Dim::Jagged(desc) => Dim::Jagged(b.bind("d", Type::Desc(outer.to_vec()), Exp::DescIndex(desc, at.to_vec()))),
        dim => dim,
    };
    behind(array, at.len()).walk(&[], &mut Renewing { b, leaf, dim })
}

impl Cursor {
    /// The extent of the next dimension; none behind dimensions that are known one by one.
    pub fn extent(&self, b: &mut Builder, dims: &[Dim]) -> Option<Atom> {
        match dims[self.at.len()] {
            Dim::Size(n) => Some(n),
            Dim::Jagged(desc) => Some(b.under(&self.certs, |b| b.length(desc, self.at.clone()))),
            Dim::Shape(_) => None,
        }
    }

    /// The element or subarray at this place.
    pub fn element<'t>(&self, b: &mut Builder, array: &ArrayVal<'t>) -> Val<'t> {
        b.under(&self.certs, |b| element(b, array, &self.at))
    }

    /// The place number `i` of a range in the next dimension.
    pub fn in_range(&self, b: &mut Builder, range: Range, i: Atom) -> Cursor {
        let place = b.num(range.start + i * range.stride);
        Cursor { at: [&self.at[..], &[place]].concat(), certs: self.certs.clone() }
    }
}

/// Part of the first dimension.
pub(crate) fn sliced<'t>(b: &mut Builder, array: &ArrayVal<'t>, range: Range) -> Val<'t> {
    let front = vec![Dim::Size(range.count)];
    let leaf = |b: &mut Builder, prim, var, dims: &[Dim]| bind_like(b, prim, var, dims, Exp::Slice(var, vec![range]));
    let dim = |b: &mut Builder, dim, outer: &[Dim]| match dim {
        Dim::Jagged(desc) => Dim::Jagged(b.bind("d", Type::Desc(outer.to_vec()), Exp::DescSlice(desc, vec![range]))),
        dim => dim,
    };
    let part = behind(array, 1).walk(&front, &mut Renewing { b, leaf, dim });
    Val::array(front, part)
}

/// Binds an array or scalar under the name of the variable that it comes from.
pub(crate) fn bind_like(b: &mut Builder, prim: Prim, from: Var, dims: &[Dim], exp: Exp) -> Var {
    let name = b.program.vars[from].name;
    b.bind(name.as_str(), Type::array(prim, dims.to_vec()), exp)
}

/// What lies inside of an array with every leaf replaced by what `leaf` makes of it. The dimensions of the array itself
/// become `dims`; those of arrays in fields stay as they are.
pub(crate) fn with_leaves<'t>(
    b: &mut Builder,
    rows: &Val<'t>,
    dims: &[Dim],
    leaf: impl FnMut(&mut Builder, Prim, Var, &[Dim]) -> Var,
) -> Val<'t> {
    // Descriptors know the dimensions around them: they change as those do.
    rows.walk(dims, &mut Renewing { b, leaf, dim: dim_behind })
}

/// A dimension as it is behind others.
pub(crate) fn dim_behind(b: &mut Builder, dim: Dim, outer: &[Dim]) -> Dim {
    match dim {
        Dim::Jagged(desc) if b.ty(desc).dims() != outer => {
            Dim::Jagged(b.bind("d", Type::Desc(outer.to_vec()), Exp::Retype(desc)))
        }
        dim => dim,
    }
}

/// Dimensions with descriptors that know those before them.
pub(crate) fn linked(b: &mut Builder, dims: &[Dim]) -> Vec<Dim> {
    let mut linked = Vec::with_capacity(dims.len());
    for dim in dims {
        let dim = dim_behind(b, *dim, &linked);
        linked.push(dim);
    }
    linked
}

/// New variables like those of an array, and the array that they make.
pub(crate) fn renewed<'t>(b: &mut Builder, array: &ArrayVal<'t>) -> (Vec<Var>, Val<'t>) {
    let mut vars = Vec::new();
    let rows = with_leaves(b, &array.rows, &array.dims, |b, prim, var, dims| {
        let name = b.program.vars[var].name;
        vars.push(b.var(name, Type::Array(prim, dims.to_vec())));
        vars[vars.len() - 1]
    });
    (vars, Val::array(array.dims.clone(), rows))
}

/// The same elements in other dimensions; descriptors of later ones are renamed along.
pub(crate) fn with_new_dims<'t>(b: &mut Builder, array: &ArrayVal<'t>, dims: &[Dim]) -> ArrayVal<'t> {
    let dims = linked(b, dims);
    let rows = map_leaves(b, &array.rows, &dims, &Exp::Reshape);
    ArrayVal { dims, rows }
}

/// The array with other dimensions in the place of its first `count`.
pub(crate) fn with_front<'t>(b: &mut Builder, array: &ArrayVal<'t>, count: usize, front: &[Dim]) -> ArrayVal<'t> {
    with_new_dims(b, array, &[front, &array.dims[count..]].concat())
}

/// Every leaf through one expression of the same kind.
pub(crate) fn map_leaves<'t>(b: &mut Builder, rows: &Val<'t>, dims: &[Dim], exp: &dyn Fn(Var) -> Exp) -> Val<'t> {
    with_leaves(b, rows, dims, |b, prim, var, dims| bind_like(b, prim, var, dims, exp(var)))
}

/// The array with other names for its dimensions, equal by the checks.
pub(crate) fn retyped<'t>(b: &mut Builder, array: &ArrayVal<'t>, dims: Vec<Dim>, certs: &[Var]) -> ArrayVal<'t> {
    // A negative size is one that a check has refused.
    let refused = |dim: &Dim| matches!(dim, Dim::Size(n) if n.as_size().is_some_and(|n| n < 0));
    let dims: Vec<Dim> =
        dims.into_iter().map(|dim| if refused(&dim) { Dim::Size(Atom::size(0)) } else { dim }).collect();
    if dims == array.dims {
        return array.clone();
    }
    b.under(certs, |b| {
        let dims = linked(b, &dims);
        let rows = map_leaves(b, &array.rows, &dims, &Exp::Retype);
        ArrayVal { dims, rows }
    })
}

/// A vector in memory.
pub(crate) fn vector_var(b: &mut Builder, prim: Prim, atoms: &[Atom]) -> Var {
    let ty = Type::Array(prim, vec![Dim::Size(Atom::size(atoms.len() as i64))]);
    b.bind("v", ty, Exp::Literal(prim, atoms.to_vec()))
}

/// The elements of a vector of known length, one by one.
pub(crate) fn as_atoms(b: &mut Builder, val: &Val) -> Option<Rc<[Atom]>> {
    match val {
        Val::Vector(_, atoms) => Some(atoms.clone()),
        Val::Array(array) => match (&array.rows, array.dims.as_slice()) {
            (Val::Scalar(prim, Atom::Var(var)), [Dim::Size(n)]) => {
                let count = n.as_size().filter(|n| *n <= 16)?;
                let element = |i| b.scalar("x", *prim, Exp::Index(*var, vec![Atom::size(i)]));
                Some((0..count).map(element).collect())
            }
            _ => None,
        },
        Val::Scalar(..) | Val::Lengths(_) | Val::Record(_) | Val::Sum(_) | Val::Fun(_) => None,
    }
}

/// All row lengths of a descriptor in one vector, as programs see them.
pub(crate) fn lengths_of(b: &mut Builder, desc: Var) -> (Var, Atom) {
    let dims = b.ty(desc).dims().to_vec();
    let lengths = Type::Array(Prim::I64, dims.clone());
    let lengths = b.bind("lengths", lengths, Exp::DescLengths(desc));
    let total = b.total(dims.clone());
    let flat = vec![Dim::Size(total)];
    if dims == flat {
        return (lengths, total);
    }
    (b.bind("lengths", Type::Array(Prim::I64, flat), Exp::Reshape(lengths)), total)
}

/// Whether a sum has the constructor number `case`.
pub(crate) fn is_case(b: &mut Builder, sum: &SumVal, case: usize) -> Atom {
    b.bin(BinOp::Eq, Layout::tag_prim(sum.cases.len()), sum.tag, tag_of(sum.cases.len(), case))
}
