//! Making, joining, cutting and rearranging arrays.

use crate::arrays::bulk::Gen;
use crate::arrays::dims::{flat, product, rank_of, rearranged};
use crate::arrays::parts::{as_atoms, element, map_leaves, with_front, with_new_dims};
use crate::context::{Desugar, Made};
use crate::data::form::loose;
use crate::data::value::{ArrayVal, Val, behind};
use crate::faults::Why;
use base::bug;
use fault::{Message, message};
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Range, Type, Var};
use scalar::Prim;
use std::rc::Rc;
use typed::Def;

impl<'t> Desugar<'t> {
    /// A number as the extent of a dimension: checked. One that is known to fail becomes 0, since types have no negative
    /// sizes.
    pub(crate) fn extent(&mut self, n: Atom, what: &str) -> Atom {
        if n.var().is_some_and(|v| self.b.trusted(v).is_some()) {
            return n;
        }
        let cert = self.check(n.at_least(0), message::negative(what), [n]);
        if let Some(size) = n.var() {
            self.b.trust(size, cert.as_slice());
        }
        if n.as_size().is_some_and(|n| n < 0) { Atom::size(0) } else { n }
    }

    /// A computed size is one only if the computation did not wrap.
    fn countable(&mut self, size: Atom, fine: Atom) {
        let cert = self.check(fine, message::uncountable(), Vec::new());
        if let Some(size) = size.var() {
            self.b.trust(size, cert.as_slice());
        }
    }

    /// The dimensions that a vector of extents says, checked: one for each if their number is known.
    pub(crate) fn extents(&mut self, shape: &Val<'t>, what: &str) -> Made<Vec<Dim>> {
        if let Some(atoms) = as_atoms(&mut self.b, shape) {
            return Ok(atoms.iter().map(|n| Dim::Size(self.extent(*n, what))).collect());
        }
        let (shape, rank) = self.as_vector(shape)?;
        if self.b.trusted(shape).is_none() {
            let cert = self.check_not_negative("n", (shape, rank), message::negative_extent(what))?;
            self.b.trust(shape, cert.as_slice());
        }
        Ok(vec![Dim::Shape(shape)])
    }

    /// Checks that nothing in a vector is negative.
    fn check_not_negative(&mut self, name: &str, (vector, n): (Var, Atom), message: Message) -> Made<Option<Var>> {
        let fine = self.all(n, |d, k| {
            let n = d.b.number(name, vector, k);
            Ok(d.b.num(n.at_least(0)))
        })?;
        Ok(self.check(fine, message, [vector.into()]))
    }

    pub(super) fn iota(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let n = self.extent(args[0].scalar("a size"), "iota");
        self.build(n, None, |_, i| Ok(Val::size(i)))
    }

    pub(super) fn replicate(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let n = self.extent(args[0].scalar("a size"), "replicate");
        let val = args[1].clone();
        self.build(n, None, |_, _| Ok(val))
    }

    pub(super) fn concat(&mut self, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        // An index vector with a further index, as in `a[iv ++ [j]]`.
        if let (Val::Vector(prim, first), Val::Vector(_, second)) = (&args[0], &args[1]) {
            return self.literal(*prim, first.iter().chain(&**second).copied().collect());
        }
        let row = self.type_params(def).into_iter().next();
        let (a, n) = self.rows_of(&args[0])?;
        let (b, m) = self.rows_of(&args[1])?;
        let total = self.b.num(n + m);
        let fine = self.b.num(total.at_least(n));
        self.countable(total, fine);
        // Nothing says how long the rows of an array without rows are.
        match (n.as_size(), m.as_size()) {
            (Some(0), _) => return Ok(self.copied(&Val::Array(b))),
            (_, Some(0)) => return Ok(self.copied(&Val::Array(a))),
            (_, _) => {}
        }
        let mark = self.mark();
        let first = self.draft_each(n, |d, i| Ok(element(&mut d.b, &a, &[i])), |i| vec![i])?;
        let second = self.draft_loop(m, |d, i| {
            let at = d.b.num(n + i);
            Ok(vec![d.draft_emit(vec![at], i, |d| Ok(element(&mut d.b, &b, &[i])))?])
        })?;
        self.generate(Gen::exact(total, vec![first, second], mark), row.as_ref())
    }

    pub(super) fn reverse(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[0])?;
        let last = self.b.num(n - 1);
        self.gather(&array, n, |d, i| d.b.num(last - i))
    }

    pub(super) fn rotate(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[1])?;
        let by = args[0].scalar("a rotation");
        // `%` of a positive divisor is never negative; without elements nothing is divided.
        self.gather(&array, n, |d, i| d.b.num((i + by.modulo(n)).modulo(n)))
    }

    /// An argument whose first two dimensions are known one by one.
    fn matrix_arg(&mut self, val: &Val<'t>) -> Made<ArrayVal<'t>> {
        let (array, _) = self.rows_of(val)?;
        let array = self.with_leading(&array, 0, 2)?;
        if array.dims.len() < 2 {
            bug!("an operation on matrices takes two dimensions");
        }
        Ok(array)
    }

    pub(super) fn transpose(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let array = self.matrix_arg(&args[0])?;
        let array = Rc::new(self.made_regular(&array, 1, None));
        let jagged = array.dims.iter().any(|d| matches!(d, Dim::Jagged(_) | Dim::Shape(_)));
        if jagged || array.rows.any_dim(|_| true) {
            let (Dim::Size(n), Dim::Size(m)) = (array.dims[0], array.dims[1]) else {
                bug!("`transpose` takes two regular dimensions");
            };
            return self.build(m, None, |d, j| d.build(n, None, |d, i| Ok(element(&mut d.b, &array, &[i, j]))));
        }
        let order: Vec<usize> = [1, 0].into_iter().chain(2..array.dims.len()).collect();
        Ok(Val::Array(Rc::new(rearranged(&mut self.b, &array, &order))))
    }

    /// The two outer dimensions become one.
    pub(super) fn flatten(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let array = self.matrix_arg(&args[0])?;
        let total = match (array.dims[0], array.dims[1]) {
            (Dim::Size(n), Dim::Size(m)) => {
                let (total, counted) = (self.b.num(n * m), product(&mut self.b, &[n, m]));
                let fine = self.b.num(total.equals(counted));
                self.countable(total, fine);
                total
            }
            _ => self.b.total(array.dims[..2].to_vec()),
        };
        Ok(Val::Array(Rc::new(with_front(&mut self.b, &array, 2, &[Dim::Size(total)]))))
    }

    pub(super) fn unflatten(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let [n, m] = [0, 1].map(|i: usize| args[i].scalar("a size"));
        let (array, _) = self.rows_of(&args[2])?;
        self.shaped(&Val::Vector(Prim::I64, [n, m].into()), &array)
    }

    /// The elements of an array in another shape, checked.
    fn shaped(&mut self, shape: &Val<'t>, array: &ArrayVal<'t>) -> Made<Val<'t>> {
        let have = array.first_size();
        let dims = self.extents(shape, "a dimension")?;
        let total = match dims.as_slice() {
            [Dim::Shape(shape)] => self.checked_total(*shape)?,
            _ => self.checked_product(&dims),
        };
        let shape = self.describe_shape(&dims, 2);
        let args = [have, total].into_iter().chain(shape.args);
        let cert = self.check(total.equals(have), message::elements(shape.text), args);
        let dims = [&dims, &array.dims[1..]].concat();
        Ok(self.b.under(cert.as_slice(), |b| match dims.is_empty() {
            true => element(b, array, &[Atom::size(0)]),
            false => with_new_dims(b, array, &dims).into(),
        }))
    }

    /// How many elements these extents make. Too many remain too many, even if a 0 follows: what lies around it cannot be
    /// counted.
    fn checked_product(&mut self, dims: &[Dim]) -> Atom {
        let mut total = Atom::size(1);
        for (i, dim) in dims.iter().enumerate() {
            let next = self.b.total(vec![Dim::Size(total), *dim]);
            total = if i < 2 { next } else { self.if_counted(total, next) };
        }
        total
    }

    /// The total, unless the dimensions around, `outer` elements, cannot be counted.
    fn if_counted(&mut self, outer: Atom, total: Atom) -> Atom {
        let most = Atom::size(i64::MAX);
        self.b.num_as("n", outer.equals(most).select(most, total))
    }

    /// The same for a shape vector.
    fn checked_total(&mut self, shape: Var) -> Made<Atom> {
        let rank = rank_of(&self.b, shape);
        let before = self.least(rank, |d, i| {
            let n = d.b.bind("n", Type::I64, Exp::Index(shape, vec![i]));
            Ok(d.b.num_as("i", n.equals(0).select(i, rank)))
        })?;
        let range = Range { start: Atom::size(0), count: before, stride: Atom::size(1) };
        let ty = Type::Array(Prim::I64, vec![Dim::Size(before)]);
        let front = self.b.bind("front", ty, Exp::Slice(shape, vec![range]));
        let outer = self.b.scalar("room", Prim::I64, Exp::Total(vec![Dim::Shape(front)]));
        let total = self.b.total(vec![Dim::Shape(shape)]);
        Ok(self.if_counted(outer, total))
    }

    pub(super) fn zip(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (arrays, n) = self.all_rows(args)?;
        let rows = arrays.iter().map(|array| behind(array, 1)).collect();
        Ok(Val::array(vec![Dim::Size(n)], Val::Record(rows)))
    }

    pub(super) fn unzip(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, _) = self.rows_of(&args[0])?;
        match &array.rows {
            Val::Record(fields) => {
                Ok(Val::Record(fields.iter().map(|f| Val::array(array.dims.clone(), f.clone())).collect()))
            }
            _ => bug!("`unzip` takes tuples"),
        }
    }

    /// The value in memory of its own.
    pub(super) fn copied(&mut self, val: &Val<'t>) -> Val<'t> {
        match val {
            Val::Array(array) => {
                let rows = map_leaves(&mut self.b, &array.rows, &array.dims, &Exp::Copy);
                Val::array(array.dims.clone(), rows)
            }
            _ => val.map(|part| self.copied(part)),
        }
    }

    pub(super) fn trace(&mut self, def: &'t Def, val: &Val<'t>) -> Made<Val<'t>> {
        let ty = self.type_params(def).first().cloned();
        let Some((layout, form)) = ty.and_then(|ty| loose(&ty)) else {
            bug!("the checker let a function be traced");
        };
        let atoms = self.atoms_of(val, &form, Why::Checked)?;
        self.b.bind_all(Vec::new(), Exp::Trace(layout, atoms));
        Ok(val.clone())
    }

    pub(super) fn ravel(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        match &args[0] {
            Val::Scalar(prim, atom) => Ok(Val::Vector(*prim, Rc::new([*atom]))),
            Val::Vector(..) => Ok(args[0].clone()),
            Val::Record(_) | Val::Sum(_) => {
                let val = args[0].clone();
                self.build(Atom::size(1), None, |_, _| Ok(val))
            }
            Val::Lengths(_) | Val::Array(_) | Val::Fun(_) => {
                let array = self.as_array(&args[0])?;
                Ok(Val::Array(flat(&mut self.b, &array)))
            }
        }
    }

    pub(super) fn reshape(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let flat = self.ravel(&args[1..])?;
        let (array, _) = self.rows_of(&flat)?;
        self.shaped(&args[0], &array)
    }

    /// One vector behind the other.
    pub(crate) fn joined_vectors(&mut self, a: &Val<'t>, b: &Val<'t>) -> Made<Val<'t>> {
        let ((a, n), (b, m)) = (self.as_vector(a)?, self.as_vector(b)?);
        let total = self.b.num(n + m);
        self.build(total, None, |d, i| {
            let first = d.b.num(i.below(n));
            let element = |d: &mut Self, v, at| Ok(Val::size(d.b.bind("x", Type::I64, Exp::Index(v, vec![at])).into()));
            d.choose(
                first,
                |d| element(d, a, i),
                |d| {
                    let at = d.b.num(i - n);
                    element(d, b, at)
                },
            )
        })
    }

    pub(super) fn jagged_lengths(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[0])?;
        let array = self.with_leading(&array, 0, 2)?;
        match array.dims.get(1) {
            Some(Dim::Jagged(d)) => Ok(Val::Array(self.as_array(&Val::Lengths(*d))?)),
            Some(Dim::Size(m)) => {
                let m = *m;
                self.build(n, None, |_, _| Ok(Val::size(m)))
            }
            Some(Dim::Shape(_)) | None => self.unsupported(Limitation::IndexOfPartlyKnownRank),
        }
    }

    pub(super) fn jagged_unflatten(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (lengths, n) = self.as_vector(&args[0])?;
        let (array, have) = self.rows_of(&args[1])?;
        let cert = self.check_not_negative("len", (lengths, n), message::negative_length())?;
        let ty = Type::Desc(vec![Dim::Size(n)]);
        let desc = self.b.under(cert.as_slice(), |b| b.bind("d", ty, Exp::DescOf(lengths)));
        let total = self.b.under(cert.as_slice(), |b| b.total(vec![Dim::Size(n), Dim::Jagged(desc)]));
        let cert = self.check(total.equals(have), message::total_length(), [total, have]);
        Ok(Val::Array(Rc::new(
            self.b.under(cert.as_slice(), |b| with_front(b, &array, 1, &[Dim::Size(n), Dim::Jagged(desc)])),
        )))
    }
}
