//! Arrays: taking elements and parts, and giving all leaves of a value another form.

use crate::value::{ArrayVal, Rows, SumVal, Val};
use crate::{Desugar, Made};
use ir::{Atom, Dim, Exp, Limitation, Range, Type, Var};
use scalar::Prim;
use std::rc::Rc;

/// Makes a new leaf from an old one, its element type and its new dimensions.
pub(crate) type NewLeaf<'f, 't> = &'f mut dyn FnMut(&mut Desugar<'t>, Prim, Var, &[Dim]) -> Var;

/// What is done to each leaf of an array.
pub(crate) enum Part<'a> {
    /// The element or subarray at these indices.
    At(&'a [Atom]),
    /// The part of the leading dimensions.
    Slice(&'a [Range]),
}

impl<'t> Desugar<'t> {
    /// The element or subarray at indices that are inside their bounds.
    pub(crate) fn element(&mut self, array: &ArrayVal, at: &[Atom]) -> Val<'t> {
        if at.is_empty() {
            return Val::Array(Rc::new(array.clone()));
        }
        self.part(&array.dims[at.len()..], &array.rows, Vec::new(), &Part::At(at))
    }

    /// Part of the first dimension.
    pub(crate) fn sliced(&mut self, array: &ArrayVal, range: Range) -> Val<'t> {
        let outer = vec![Dim::Size(range.count)];
        self.part(&array.dims[1..], &array.rows, outer, &Part::Slice(&[range]))
    }

    /// The same part of every leaf; `outer` are the dimensions that the leaves have already.
    fn part(&mut self, dims: &[Dim], rows: &Rows, outer: Vec<Dim>, part: &Part) -> Val<'t> {
        let start = outer.len();
        let mut outer = outer;
        let mut own = outer.clone();
        for dim in dims {
            let dim = self.part_dim(*dim, &outer, part);
            outer.push(dim);
            own.push(dim);
        }
        let _ = start;
        if own.is_empty() {
            return self.part_value(rows, part);
        }
        let rows = self.part_rows(rows, &outer, part);
        Val::array(own, rows)
    }

    fn part_dim(&mut self, dim: Dim, outer: &[Dim], part: &Part) -> Dim {
        let Dim::Jagged(desc) = dim else {
            return dim;
        };
        match part {
            Part::At(at) if outer.is_empty() => {
                Dim::Size(self.b.scalar("len", Prim::I64, Exp::DescLength(desc, at.to_vec())))
            }
            Part::At(at) => {
                let exp = Exp::DescIndex(desc, at.to_vec());
                Dim::Jagged(self.b.bind("d", Type::Desc(outer.to_vec()), exp))
            }
            Part::Slice(ranges) => {
                let exp = Exp::DescSlice(desc, ranges.to_vec());
                Dim::Jagged(self.b.bind("d", Type::Desc(outer.to_vec()), exp))
            }
        }
    }

    /// What is left when no dimension is: a scalar, a record, ...
    fn part_value(&mut self, rows: &Rows, part: &Part) -> Val<'t> {
        match rows {
            Rows::Data(prim, var) => {
                let atom = self.part_leaf(*prim, *var, &[], part);
                Val::Scalar(*prim, atom)
            }
            Rows::Record(fields) => Val::Record(fields.iter().map(|f| self.part_value(f, part)).collect()),
            Rows::Sum(cases, tag, parts) => {
                let prim = self.b.ty(*tag).prim().unwrap_or(Prim::U8);
                let tag = self.part_leaf(prim, *tag, &[], part);
                let parts =
                    parts.iter().map(|parts| Some(parts.iter().map(|p| self.part_value(p, part)).collect())).collect();
                Val::Sum(Rc::new(SumVal { tag, cases: cases.clone(), parts }))
            }
            Rows::Array(dims, rows) => self.part(dims, rows, Vec::new(), part),
        }
    }

    fn part_rows(&mut self, rows: &Rows, outer: &[Dim], part: &Part) -> Rows {
        match rows {
            Rows::Data(prim, var) => match self.part_leaf(*prim, *var, outer, part) {
                Atom::Var(var) => Rows::Data(*prim, var),
                Atom::Const(_) => Rows::Data(*prim, *var),
            },
            Rows::Record(fields) => Rows::Record(fields.iter().map(|f| self.part_rows(f, outer, part)).collect()),
            Rows::Sum(cases, tag, parts) => {
                let prim = self.b.ty(*tag).prim().unwrap_or(Prim::U8);
                let tag = match self.part_leaf(prim, *tag, outer, part) {
                    Atom::Var(var) => var,
                    Atom::Const(_) => *tag,
                };
                let parts =
                    parts.iter().map(|parts| parts.iter().map(|p| self.part_rows(p, outer, part)).collect()).collect();
                Rows::Sum(cases.clone(), tag, parts)
            }
            Rows::Array(dims, rows) => {
                let mut outer = outer.to_vec();
                let mut own = Vec::new();
                for dim in dims {
                    let dim = self.part_dim(*dim, &outer, part);
                    outer.push(dim);
                    own.push(dim);
                }
                Rows::Array(own, Box::new(self.part_rows(rows, &outer, part)))
            }
        }
    }

    fn part_leaf(&mut self, prim: Prim, var: Var, dims: &[Dim], part: &Part) -> Atom {
        let exp = match part {
            Part::At(at) => Exp::Index(var, at.to_vec()),
            Part::Slice(ranges) => Exp::Slice(var, ranges.to_vec()),
        };
        let name = self.b.program.vars[var].name;
        self.b.bind(name.as_str(), Type::array(prim, dims.to_vec()), exp).into()
    }

    /// The array with every leaf replaced: `f` gets the leaf, its element type and its new dimensions. The dimensions
    /// of the array itself become `dims`; those of arrays in fields stay as they are.
    pub(crate) fn with_leaves(&mut self, rows: &Rows, dims: &[Dim], f: NewLeaf<'_, 't>) -> Rows {
        match rows {
            Rows::Data(prim, var) => Rows::Data(*prim, f(self, *prim, *var, dims)),
            Rows::Record(fields) => Rows::Record(fields.iter().map(|r| self.with_leaves(r, dims, f)).collect()),
            Rows::Sum(cases, tag, parts) => {
                let prim = self.b.ty(*tag).prim().unwrap_or(Prim::U8);
                let tag = f(self, prim, *tag, dims);
                let parts = parts.iter().map(|ps| ps.iter().map(|p| self.with_leaves(p, dims, f)).collect()).collect();
                Rows::Sum(cases.clone(), tag, parts)
            }
            Rows::Array(own, rows) => {
                // Descriptors inside know the dimensions around them: they change as those do.
                let mut outer = dims.to_vec();
                let mut changed = Vec::new();
                for dim in own {
                    let dim = match dim {
                        Dim::Jagged(desc) if self.b.ty(*desc).dims() != outer.as_slice() => {
                            let ty = Type::Desc(outer.clone());
                            Dim::Jagged(self.b.bind("d", ty, Exp::Retype(*desc)))
                        }
                        dim => *dim,
                    };
                    outer.push(dim);
                    changed.push(dim);
                }
                Rows::Array(changed, Box::new(self.with_leaves(rows, &outer, f)))
            }
        }
    }

    /// Every leaf through one expression of the same kind.
    pub(crate) fn map_leaves(&mut self, rows: &Rows, dims: &[Dim], exp: &dyn Fn(Var) -> Exp) -> Rows {
        self.with_leaves(rows, dims, &mut |d, prim, var, dims| {
            let name = d.b.program.vars[var].name;
            d.b.bind(name.as_str(), Type::array(prim, dims.to_vec()), exp(var))
        })
    }

    /// The array with other names for its dimensions, equal by the checks.
    pub(crate) fn retyped(&mut self, array: &ArrayVal, dims: Vec<Dim>, certs: &[Var]) -> ArrayVal {
        // A negative size is one that a check has refused.
        let refused = |dim: &Dim| matches!(dim, Dim::Size(n) if n.as_size().is_some_and(|n| n < 0));
        let dims: Vec<Dim> =
            dims.into_iter().map(|dim| if refused(&dim) { Dim::Size(Atom::size(0)) } else { dim }).collect();
        if dims == array.dims {
            return array.clone();
        }
        self.under(certs, |d| d.with_names(array, dims))
    }

    /// Descriptors of later dimensions are renamed along with the dimensions before them.
    fn with_names(&mut self, array: &ArrayVal, dims: Vec<Dim>) -> ArrayVal {
        let mut new: Vec<Dim> = Vec::with_capacity(dims.len());
        for dim in dims {
            let dim = match dim {
                Dim::Jagged(desc) if self.b.ty(desc).dims() != new.as_slice() => {
                    Dim::Jagged(self.b.bind("d", Type::Desc(new.clone()), Exp::Retype(desc)))
                }
                dim => dim,
            };
            new.push(dim);
        }
        let rows = self.map_leaves(&array.rows, &new, &Exp::Retype);
        ArrayVal { dims: new, rows }
    }

    /// A vector in memory.
    pub(crate) fn vector_var(&mut self, prim: Prim, atoms: &[Atom]) -> Var {
        let ty = Type::Array(prim, vec![Dim::Size(Atom::size(atoms.len() as i64))]);
        self.b.bind("v", ty, Exp::Literal(prim, atoms.to_vec()))
    }

    /// The value as an array in memory, whatever is known about it.
    pub(crate) fn as_array(&mut self, val: &Val<'t>) -> Made<Rc<ArrayVal>> {
        match val {
            Val::Array(array) => Ok(array.clone()),
            Val::Vector(prim, atoms) => {
                let var = self.vector_var(*prim, atoms);
                let dims = vec![Dim::Size(Atom::size(atoms.len() as i64))];
                Ok(Rc::new(ArrayVal { dims, rows: Rows::Data(*prim, var) }))
            }
            Val::Lengths(desc) => {
                let (var, n) = self.lengths_of(*desc);
                Ok(Rc::new(ArrayVal { dims: vec![Dim::Size(n)], rows: Rows::Data(Prim::I64, var) }))
            }
            // An array of rank 0 is its element.
            Val::Scalar(..) | Val::Record(_) | Val::Sum(_) => self.rank_zero(val),
            Val::Fun(_) => base::bug!("the checker let an array hold functions"),
        }
    }

    /// A vector as one variable.
    pub(crate) fn as_vector(&mut self, val: &Val<'t>) -> Made<(Var, Atom)> {
        let array = self.as_array(val)?;
        match (&array.rows, array.dims.as_slice()) {
            (Rows::Data(_, var), [Dim::Size(n)]) => Ok((*var, *n)),
            _ => self.unsupported(Limitation::VectorOfUnknownRank),
        }
    }

    /// The elements of a vector of known length, one by one.
    pub(crate) fn as_atoms(&mut self, val: &Val<'t>) -> Option<Rc<[Atom]>> {
        match val {
            Val::Vector(_, atoms) => Some(atoms.clone()),
            Val::Array(array) => match (&array.rows, array.dims.as_slice()) {
                (Rows::Data(prim, var), [Dim::Size(n)]) => {
                    let count = n.as_size().filter(|n| *n <= 16)?;
                    let (prim, var) = (*prim, *var);
                    let element = |i| self.b.scalar("x", prim, Exp::Index(var, vec![Atom::size(i)]));
                    Some((0..count).map(element).collect())
                }
                _ => None,
            },
            Val::Scalar(..) | Val::Lengths(_) | Val::Record(_) | Val::Sum(_) | Val::Fun(_) => None,
        }
    }
}
