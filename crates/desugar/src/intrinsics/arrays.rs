//! Making, joining, cutting and rearranging arrays.

use crate::rows::Gen;
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made, unsupported};
use base::Span;
use ir::{Atom, Coverage, Dim, Exp, Range, Stm, Type, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::Def;

impl<'t> Desugar<'t> {
    /// An argument that is a size.
    fn size_arg(&mut self, val: &Val<'t>, what: &str, span: Span) -> Made<Atom> {
        let Some(n) = val.atom() else {
            return unsupported("this size", span);
        };
        Ok(self.extent(n, what, span))
    }

    /// A number as the extent of a dimension: checked. One that is known to fail becomes 0, since types have no negative
    /// sizes.
    pub(crate) fn extent(&mut self, n: Atom, what: &str, span: Span) -> Atom {
        if n.var().is_some_and(|v| self.b.trusted(v).is_some()) {
            return n;
        }
        let fine = self.b.bin(BinOp::Ge, Prim::I64, n, Atom::size(0), span);
        let site = self.negative_site(what, span);
        let cert = self.b.assert(fine, site, vec![n], span);
        if let Some(size) = n.var() {
            self.b.trust(size, cert.as_slice());
        }
        if fine == Atom::bool(false) { Atom::size(0) } else { n }
    }

    /// A computed size is one only if the computation did not wrap.
    fn countable(&mut self, size: Atom, fine: Atom, span: Span) {
        let site = self.uncountable_site(span);
        let cert = self.b.assert(fine, site, Vec::new(), span);
        if let Some(size) = size.var() {
            self.b.trust(size, cert.as_slice());
        }
    }

    /// A vector of extents, checked.
    pub(crate) fn shape_vector(&mut self, shape: ir::Var, rank: Atom, what: &str, span: Span) -> Made<()> {
        if self.b.trusted(shape).is_some() {
            return Ok(());
        }
        let fine = self.all(rank, span, |d, k| {
            let n = d.b.scalar("n", Prim::I64, Exp::Index(shape, vec![k]), &[], span);
            Ok(d.b.bin(BinOp::Ge, Prim::I64, n, Atom::size(0), span))
        })?;
        let site = self.negative_extent_site(what, span);
        let cert = self.b.assert(fine, site, vec![shape.into()], span);
        self.b.trust(shape, cert.as_slice());
        Ok(())
    }

    pub(super) fn iota(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let n = self.size_arg(&args[0], "iota", span)?;
        self.build(n, None, span, |_, i| Ok(Val::size(i)))
    }

    pub(super) fn replicate(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let n = self.size_arg(&args[0], "replicate", span)?;
        let val = args[1].clone();
        self.build(n, None, span, |_, _| Ok(val))
    }

    pub(super) fn concat(&mut self, def: &'t Def, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let row = self.type_params(def).into_iter().next();
        let (a, n) = self.array_arg(&args[0], span)?;
        let (b, m) = self.array_arg(&args[1], span)?;
        let total = self.b.add(n, m, span);
        let fine = self.b.bin(BinOp::Ge, Prim::I64, total, n, span);
        self.countable(total, fine, span);
        let (a, b) = self.same_rows(a, n, b, m, span)?;
        let mark = self.mark();
        let first = self.draft_for(n, span, |d, i| Ok(d.element(&a, &[i], &[], span)))?;
        let mut second = self.draft_for(m, span, |d, i| Ok(d.element(&b, &[i], &[], span)))?;
        if let crate::rows::Draft::For { var, body, .. } = &mut second {
            self.b.open();
            let at = self.b.add(n, (*var).into(), span);
            let lets = self.b.close();
            for step in body.iter_mut() {
                if let crate::rows::Draft::Emit(emit) = step {
                    emit.at = vec![at];
                }
            }
            body.splice(0..0, crate::rows::Draft::lets(lets));
        }
        let parts = Gen {
            shape: vec![Dim::Size(total)],
            steps: vec![first, second],
            otherwise: None,
            coverage: Coverage::Exact,
            mark,
        };
        self.generate(parts, row.as_ref(), span)
    }

    /// Rows of an empty array have the size of the other's.
    fn same_rows(
        &mut self,
        a: Rc<ArrayVal>,
        n: Atom,
        b: Rc<ArrayVal>,
        m: Atom,
        span: Span,
    ) -> Made<(Rc<ArrayVal>, Rc<ArrayVal>)> {
        let empty = |x: Atom| x == Atom::size(0);
        let plain = |x: &ArrayVal| matches!(x.rows, Rows::Data(..)) && x.dims.iter().all(|d| matches!(d, Dim::Size(_)));
        if a.dims.len() != b.dims.len() || a.dims[1..] == b.dims[1..] || !plain(&a) || !plain(&b) {
            return Ok((a, b));
        }
        let like = |d: &mut Self, x: &Rc<ArrayVal>, y: &ArrayVal| {
            let dims: Vec<Dim> = [x.dims[0]].into_iter().chain(y.dims[1..].iter().copied()).collect();
            let rows = d.map_leaves(&x.rows, &dims, &[], span, &Exp::Reshape);
            Rc::new(ArrayVal { dims, rows })
        };
        if empty(n) {
            return Ok((like(self, &a, &b), b));
        }
        if empty(m) {
            let b = like(self, &b, &a);
            return Ok((a, b));
        }
        Ok((a, b))
    }

    pub(super) fn reverse(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[0], span)?;
        let last = self.b.sub(n, Atom::size(1), span);
        self.gather(&array, n, span, |d, i| d.b.sub(last, i, span))
    }

    pub(super) fn rotate(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[1], span)?;
        let Some(by) = args[0].atom() else {
            return unsupported("this rotation", span);
        };
        // `%` of a positive divisor is never negative; without elements nothing is divided.
        self.gather(&array, n, span, |d, i| {
            let shift = d.b.scalar("t", Prim::I64, Exp::Bin(BinOp::Mod, Prim::I64, by, n), &[], span);
            let at = d.b.add(i, shift, span);
            d.b.scalar("t", Prim::I64, Exp::Bin(BinOp::Mod, Prim::I64, at, n), &[], span)
        })
    }

    pub(super) fn transpose(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (array, _) = self.array_arg(&args[0], span)?;
        let array = Rc::new(self.with_leading(&array, 0, 2, span)?);
        if array.dims.len() < 2 {
            return unsupported("a transposition of what has one dimension", span);
        }
        let array = Rc::new(self.made_regular(&array, 1, None, span));
        let jagged = array.dims.iter().any(|d| matches!(d, Dim::Jagged(_) | Dim::Shape(_)));
        if jagged || has_fields(&array.rows) {
            return self.transpose_copy(&array, span);
        }
        let order: Vec<usize> = [1, 0].into_iter().chain(2..array.dims.len()).collect();
        Ok(Val::Array(Rc::new(self.rearranged(&array, &order, span))))
    }

    fn transpose_copy(&mut self, array: &Rc<ArrayVal>, span: Span) -> Made<Val<'t>> {
        let (Dim::Size(n), Dim::Size(m)) = (array.dims[0], array.dims[1]) else {
            return unsupported("this transposition", span);
        };
        self.build(m, None, span, |d, j| d.build(n, None, span, |d, i| Ok(d.element(array, &[i, j], &[], span))))
    }

    /// The two outer dimensions become one.
    pub(super) fn flatten(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (array, _) = self.array_arg(&args[0], span)?;
        let array = Rc::new(self.with_leading(&array, 0, 2, span)?);
        if array.dims.len() < 2 {
            return unsupported("a flattening of what has one dimension", span);
        }
        let total = match (array.dims[0], array.dims[1]) {
            (Dim::Size(n), Dim::Size(m)) => {
                let (total, counted) = (self.b.mul(n, m, span), self.product(&[n, m], span));
                let fine = self.b.bin(BinOp::Eq, Prim::I64, total, counted, span);
                self.countable(total, fine, span);
                total
            }
            _ => self.b.scalar("n", Prim::I64, Exp::Total(array.dims[..2].to_vec()), &[], span),
        };
        let dims: Vec<Dim> = [Dim::Size(total)].into_iter().chain(array.dims[2..].iter().copied()).collect();
        Ok(Val::Array(Rc::new(self.with_new_dims(&array, &dims, &[], span))))
    }

    pub(super) fn unflatten(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (Some(n), Some(m)) = (args[0].atom(), args[1].atom()) else {
            return unsupported("these sizes", span);
        };
        let (array, have) = self.array_arg(&args[2], span)?;
        self.shaped(&[n, m], &array, have, 1, span)
    }

    /// The elements in another shape, checked; `skip` dimensions are replaced.
    fn shaped(&mut self, extents: &[Atom], array: &ArrayVal, have: Atom, skip: usize, span: Span) -> Made<Val<'t>> {
        let extents: Vec<Atom> = extents.iter().map(|n| self.extent(*n, "a dimension", span)).collect();
        let total = self.checked_product(&extents, span);
        let fine = self.b.bin(BinOp::Eq, Prim::I64, total, have, span);
        let shape: String = (0..extents.len()).map(|i| format!("[{{{}}}]", i + 2)).collect();
        let site = self.elements_site(crate::faults::text(&shape), span);
        let args = [have, total].into_iter().chain(extents.iter().copied()).collect();
        let cert = self.b.assert(fine, site, args, span);
        let dims: Vec<Dim> = extents.iter().map(|n| Dim::Size(*n)).chain(array.dims[skip..].iter().copied()).collect();
        if extents.is_empty() && dims.is_empty() {
            return Ok(self.element(array, &[Atom::size(0)], cert.as_slice(), span));
        }
        Ok(Val::Array(Rc::new(self.with_new_dims(array, &dims, cert.as_slice(), span))))
    }

    /// How many elements these extents make. Too many remain too many, even if a 0 follows: what lies around it cannot be
    /// counted.
    fn checked_product(&mut self, extents: &[Atom], span: Span) -> Atom {
        let mut total = Atom::size(1);
        for (i, extent) in extents.iter().enumerate() {
            let next = self.product(&[total, *extent], span);
            total = if i < 2 { next } else { self.if_counted(total, next, span) };
        }
        total
    }

    /// The total, unless there is no room for what lies around.
    fn if_counted(&mut self, room: Atom, total: Atom, span: Span) -> Atom {
        let most = Atom::size(i64::MAX);
        let lost = self.b.bin(BinOp::Eq, Prim::I64, room, most, span);
        self.b.scalar("n", Prim::I64, Exp::Select(lost, most, total), &[], span)
    }

    /// The same for a shape vector.
    fn checked_total(&mut self, shape: Var, rank: Atom, span: Span) -> Made<Atom> {
        let before = self.least(rank, span, |d, i| {
            let n = d.b.bind("n", Type::I64, Exp::Index(shape, vec![i]), &[], span);
            let zero = d.b.bin(BinOp::Eq, Prim::I64, n.into(), Atom::size(0), span);
            Ok(d.b.scalar("i", Prim::I64, Exp::Select(zero, i, rank), &[], span))
        })?;
        let range = Range { start: Atom::size(0), count: before, stride: Atom::size(1) };
        let ty = Type::Array(Prim::I64, vec![Dim::Size(before)]);
        let front = self.b.bind("front", ty, Exp::Slice(shape, vec![range]), &[], span);
        let room = self.b.scalar("room", Prim::I64, Exp::Total(vec![Dim::Shape(front)]), &[], span);
        let total = self.b.scalar("n", Prim::I64, Exp::Total(vec![Dim::Shape(shape)]), &[], span);
        Ok(self.if_counted(room, total, span))
    }

    pub(super) fn zip(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let mut parts = Vec::new();
        let mut first = None;
        for arg in args {
            let (array, n) = self.array_arg(arg, span)?;
            first.get_or_insert(n);
            parts.push(row_part(&array));
        }
        let n = first.unwrap_or(Atom::size(0));
        Ok(Val::array(vec![Dim::Size(n)], Rows::Record(parts)))
    }

    pub(super) fn unzip(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (array, _) = self.array_arg(&args[0], span)?;
        match &array.rows {
            Rows::Record(fields) => {
                Ok(Val::Record(fields.iter().map(|f| Val::array(array.dims.clone(), f.clone())).collect()))
            }
            Rows::Data(..) | Rows::Sum(..) | Rows::Array(..) => unsupported("unzipping what are no tuples", span),
        }
    }

    /// The value in memory of its own.
    pub(super) fn copied(&mut self, val: &Val<'t>, span: Span) -> Made<Val<'t>> {
        Ok(match val {
            Val::Array(array) => {
                let rows = self.map_leaves(&array.rows, &array.dims, &[], span, &Exp::Copy);
                Val::array(array.dims.clone(), rows)
            }
            Val::Record(fields) => Val::Record(fields.iter().map(|f| self.copied(f, span)).collect::<Made<_>>()?),
            Val::Sum(sum) => {
                let mut sum = (**sum).clone();
                for part in sum.parts.iter_mut().flatten().flatten() {
                    *part = self.copied(part, span)?;
                }
                Val::Sum(Rc::new(sum))
            }
            Val::Scalar(..) | Val::Vector(..) | Val::Lengths(_) | Val::Fun(_) => val.clone(),
        })
    }

    pub(super) fn trace(&mut self, def: &'t Def, val: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let ty = self.type_params(def).first().cloned();
        let Some((ty, layout)) = ty.and_then(|ty| ty.layout().map(|layout| (ty, layout))) else {
            return unsupported("tracing a function", span);
        };
        let form = crate::entry::loose(&ty, &layout);
        let parts = self.components(val, &form, crate::convert::Why::Checked, span)?;
        let exp = Exp::Trace(layout, parts.into_iter().map(|p| p.0).collect());
        self.b.push(Stm { vars: Vec::new(), certs: Vec::new(), exp, span });
        Ok(val.clone())
    }

    pub(super) fn ravel(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        match &args[0] {
            Val::Scalar(prim, atom) => Ok(Val::Vector(*prim, Rc::new([*atom]))),
            Val::Vector(..) => Ok(args[0].clone()),
            Val::Record(_) | Val::Sum(_) => {
                let val = args[0].clone();
                self.build(Atom::size(1), None, span, |_, _| Ok(val))
            }
            Val::Lengths(_) | Val::Array(_) | Val::Fun(_) => {
                let array = self.as_array(&args[0], span)?;
                Ok(Val::Array(self.flat(&array, span)?))
            }
        }
    }

    pub(super) fn reshape(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let flat = self.ravel(&args[1..], span)?;
        let (array, _) = self.array_arg(&flat, span)?;
        self.reshaped_to(&array, &args[0], span)
    }

    /// One vector behind the other.
    pub(crate) fn joined_vectors(&mut self, a: &Val<'t>, b: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let ((a, n), (b, m)) = (self.as_vector(a, span)?, self.as_vector(b, span)?);
        let total = self.b.add(n, m, span);
        self.build(total, None, span, |d, i| {
            let first = d.b.bin(BinOp::Lt, Prim::I64, i, n, span);
            let element = |d: &mut Self, v, at| {
                Ok(Val::size(d.b.bind("x", Type::I64, Exp::Index(v, vec![at]), &[], span).into()))
            };
            d.choose(
                first,
                span,
                |d| element(d, a, i),
                |d| {
                    let at = d.b.sub(i, n, span);
                    element(d, b, at)
                },
            )
        })
    }

    /// Elements one after the other in another shape, checked.
    pub(crate) fn reshaped_to(&mut self, array: &Rc<ArrayVal>, shape: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let Dim::Size(have) = array.dims[0] else {
            return unsupported("this reshaping", span);
        };
        if let Some(atoms) = self.as_atoms(shape, span) {
            return self.shaped(&atoms, array, have, 1, span);
        }
        let (shape, rank) = self.as_vector(shape, span)?;
        self.shape_vector(shape, rank, "a dimension", span)?;
        let total = self.checked_total(shape, rank, span)?;
        let fine = self.b.bin(BinOp::Eq, Prim::I64, total, have, span);
        let site = self.elements_site(crate::faults::text("{2*}"), span);
        let cert = self.b.assert(fine, site, vec![have, total, shape.into()], span);
        Ok(Val::Array(Rc::new(self.with_new_dims(array, &[Dim::Shape(shape)], cert.as_slice(), span))))
    }

    pub(super) fn jagged_lengths(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[0], span)?;
        let array = self.with_leading(&array, 0, 2, span)?;
        match array.dims.get(1) {
            Some(Dim::Jagged(d)) => Ok(Val::Array(self.as_array(&Val::Lengths(*d), span)?)),
            Some(Dim::Size(m)) => {
                let m = *m;
                self.build(n, None, span, |_, _| Ok(Val::size(m)))
            }
            Some(Dim::Shape(_)) | None => unsupported("row lengths of what has one dimension", span),
        }
    }

    pub(super) fn jagged_unflatten(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let (lengths, n) = self.as_vector(&args[0], span)?;
        let (array, have) = self.array_arg(&args[1], span)?;
        let positive = self.all(n, span, |d, i| {
            let len = d.b.bind("len", Type::I64, Exp::Index(lengths, vec![i]), &[], span);
            Ok(d.b.bin(BinOp::Ge, Prim::I64, len.into(), Atom::size(0), span))
        })?;
        let site = self.negative_length_site(span);
        let cert = self.b.assert(positive, site, vec![lengths.into()], span);
        let ty = Type::Desc(vec![Dim::Size(n)]);
        let desc = self.b.bind("d", ty, Exp::DescOf(lengths), cert.as_slice(), span);
        let total =
            self.b.scalar("n", Prim::I64, Exp::Total(vec![Dim::Size(n), Dim::Jagged(desc)]), cert.as_slice(), span);
        let fine = self.b.bin(BinOp::Eq, Prim::I64, total, have, span);
        let site = self.total_length_site(span);
        let cert = self.b.assert(fine, site, vec![total, have], span);
        let dims: Vec<Dim> =
            [Dim::Size(n), Dim::Jagged(desc)].into_iter().chain(array.dims[1..].iter().copied()).collect();
        Ok(Val::Array(Rc::new(self.with_new_dims(&array, &dims, cert.as_slice(), span))))
    }
}

/// An array as a part of rows that share its first dimension.
fn row_part(array: &ArrayVal) -> Rows {
    match array.dims.len() {
        1 => array.rows.clone(),
        _ => Rows::Array(array.dims[1..].to_vec(), Box::new(array.rows.clone())),
    }
}

fn has_fields(rows: &Rows) -> bool {
    match rows {
        Rows::Data(..) => false,
        Rows::Record(fields) => fields.iter().any(has_array),
        Rows::Sum(_, _, parts) => parts.iter().flatten().any(has_array),
        Rows::Array(..) => true,
    }
}

fn has_array(rows: &Rows) -> bool {
    matches!(rows, Rows::Array(..)) || has_fields(rows)
}
