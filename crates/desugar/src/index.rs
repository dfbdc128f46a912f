//! Indexing, slicing, and replacing parts of arrays.

use crate::rows::Draft;
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made, unsupported};
use base::{Name, Span};
use ir::{Atom, Bulk, Dim, Exp, Kind, Output, Range, Step, Stm, Type as CoreType, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::{Expr, Index, Step as PathStep};

/// An index whose parts are atoms.
#[derive(Clone)]
pub(crate) enum Idx<'t> {
    At(Atom),
    Slice {
        start: Option<Atom>,
        end: Option<Atom>,
        stride: Atom,
        span: Span,
    },
    /// A vector whose length is not known.
    Vector(Val<'t>),
}

impl<'t> Desugar<'t> {
    /// What indices select; `whole` says that they lead to an element, not to a subarray.
    pub(crate) fn index(&mut self, val: &Val<'t>, indices: &'t [Index], whole: bool, span: Span) -> Made<Val<'t>> {
        let indices = self.indices(indices)?;
        if let (Val::Array(array), [Idx::Vector(_)], true) = (val, indices.as_slice(), whole) {
            let (array, ..) = self.to_shape(array, span)?;
            return self.select_unknown(&array, &indices, true, span);
        }
        self.select(val, &indices, span)
    }

    /// Indices as atoms; vectors of known length become as many indices as they are long.
    pub(crate) fn indices(&mut self, indices: &'t [Index]) -> Made<Vec<Idx<'t>>> {
        let mut out = Vec::with_capacity(indices.len());
        for index in indices {
            match index {
                Index::At(expr) => out.push(Idx::At(self.number(expr)?)),
                Index::Vector(expr) => {
                    let val = self.expr(expr)?;
                    match self.as_atoms(&val, expr.span) {
                        Some(atoms) => out.extend(atoms.iter().map(|a| Idx::At(*a))),
                        None => out.push(Idx::Vector(val)),
                    }
                }
                Index::Slice { start, end, stride, span } => {
                    let part = |d: &mut Self, e: &'t Option<Expr>| e.as_ref().map(|e| d.number(e)).transpose();
                    let (start, end) = (part(self, start)?, part(self, end)?);
                    let stride = part(self, stride)?.unwrap_or(Atom::size(1));
                    out.push(Idx::Slice { start, end, stride, span: *span });
                }
            }
        }
        Ok(out)
    }

    /// An integer of any type as `i64`.
    pub(crate) fn number(&mut self, expr: &'t Expr) -> Made<Atom> {
        match self.expr(expr)? {
            Val::Scalar(prim, atom) => {
                Ok(self.b.scalar("i", Prim::I64, Exp::Convert(prim, Prim::I64, atom), &[], expr.span))
            }
            _ => unsupported("an index that is no integer", expr.span),
        }
    }

    fn select(&mut self, val: &Val<'t>, indices: &[Idx<'t>], span: Span) -> Made<Val<'t>> {
        if indices.is_empty() {
            return Ok(val.clone());
        }
        if let (Val::Vector(prim, atoms), [Idx::At(i)]) = (val, indices)
            && let Some(i) = i.as_size()
            && let Some(atom) = usize::try_from(i).ok().and_then(|i| atoms.get(i))
        {
            return Ok(Val::Scalar(*prim, *atom));
        }
        if matches!(val, Val::Scalar(..) | Val::Record(_) | Val::Sum(_)) {
            if let [Idx::Vector(vector)] = indices {
                return self.select_scalar(val, &vector.clone(), span);
            }
            let shape = self.describe(val, 1, span);
            let site = self.too_many_site(shape.text, span);
            let args = [Atom::size(indices.len() as i64)].into_iter().chain(shape.args).collect();
            let cert = self.b.assert(Atom::bool(false), site, args, span);
            return self.relying(val, cert.as_slice(), span);
        }
        let array = self.as_array(val, span)?;
        if let [Dim::Shape(_)] = array.dims.as_slice() {
            return self.select_unknown(&array, indices, false, span);
        }
        if let [Idx::Vector(vector)] = indices {
            let (array, ..) = self.to_shape(&array, span)?;
            return self.select_unknown(&array, &[Idx::Vector(vector.clone())], false, span);
        }
        self.select_known(&array, indices, span)
    }

    /// A rank-0 array at a vector, which must be empty.
    fn select_scalar(&mut self, val: &Val<'t>, vector: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let (_, count) = self.as_vector(vector, span)?;
        let fine = self.b.bin(BinOp::Eq, Prim::I64, count, Atom::size(0), span);
        let shape = self.describe(val, 1, span);
        let site = self.too_many_site(shape.text, span);
        let args = [count].into_iter().chain(shape.args).collect();
        let cert = self.b.assert(fine, site, args, span);
        self.relying(val, cert.as_slice(), span)
    }

    /// An array of unknown rank at a vector of indices.
    fn select_unknown(&mut self, array: &ArrayVal, indices: &[Idx<'t>], element: bool, span: Span) -> Made<Val<'t>> {
        let vector = match indices {
            [Idx::Vector(vector)] => vector.clone(),
            _ => {
                let atom = |i: &Idx| if let Idx::At(a) = i { Some(*a) } else { None };
                match indices.iter().map(atom).collect::<Option<Vec<_>>>() {
                    Some(atoms) => Val::Vector(Prim::I64, atoms.into()),
                    None => return unsupported("slices of an array of unknown rank", span),
                }
            }
        };
        let Dim::Shape(shape) = array.dims[0] else {
            return unsupported("this array", span);
        };
        let (iv, count) = self.as_vector(&vector, span)?;
        let Some(Dim::Size(rank)) = self.b.ty(shape).dims().first().copied() else {
            return unsupported("this array", span);
        };
        let mut certs = Vec::new();
        let order = if element { BinOp::Eq } else { BinOp::Le };
        let fits = self.b.bin(order, Prim::I64, count, rank, span);
        let described = self.describe(&Val::Array(Rc::new(array.clone())), 1, span);
        let site = self.too_many_site(described.text, span);
        let args = [count].into_iter().chain(described.args).collect();
        certs.extend(self.b.assert(fits, site, args, span));
        let inside = self.all(count, span, |d, k| {
            let i = d.b.scalar("i", Prim::I64, Exp::Index(iv, vec![k]), &[], span);
            let n = d.b.scalar("n", Prim::I64, Exp::Index(shape, vec![k]), &certs, span);
            Ok(d.inside(i, n, span))
        })?;
        let described = self.describe(&Val::Array(Rc::new(array.clone())), 1, span);
        let site = self.index_vector_site(described.text, span);
        let args = [Atom::Var(iv)].into_iter().chain(described.args).collect();
        certs.extend(self.b.assert(inside, site, args, span));
        if element || count == rank {
            return self.vector_element(array, iv, &[], &certs, span);
        }
        let rest = self.b.sub(rank, count, span);
        let ty = CoreType::Array(Prim::I64, vec![Dim::Size(rest)]);
        let range = Range { start: count, count: rest, stride: Atom::size(1) };
        let below = self.b.bind("s", ty, Exp::Slice(shape, vec![range]), &certs, span);
        self.vector_element(array, iv, &[Dim::Shape(below)], &certs, span)
    }

    /// The one element of an array whose rank turned out to be 0.
    pub(crate) fn only_element(&mut self, array: &ArrayVal, span: Span) -> Made<Val<'t>> {
        let (array, ..) = self.to_shape(array, span)?;
        let nowhere = self.vector_var(Prim::I64, &[], span);
        self.vector_element(&array, nowhere, &[], &[], span)
    }

    fn vector_element(&mut self, array: &ArrayVal, iv: Var, dims: &[Dim], certs: &[Var], span: Span) -> Made<Val<'t>> {
        // Behind the unknown dimensions there may be known ones.
        let dims: Vec<Dim> = dims.iter().chain(&array.dims[1..]).copied().collect();
        if !dims.is_empty() {
            let rows = self.map_leaves(&array.rows, &dims, certs, span, &|var| Exp::IndexVector(var, iv));
            return Ok(Val::array(dims, rows));
        }
        self.vector_value(&array.rows, iv, certs, span)
    }

    fn vector_value(&mut self, rows: &Rows, iv: Var, certs: &[Var], span: Span) -> Made<Val<'t>> {
        Ok(match rows {
            Rows::Data(prim, var) => {
                let exp = Exp::IndexVector(*var, iv);
                Val::Scalar(*prim, self.b.bind("x", CoreType::Scalar(*prim), exp, certs, span).into())
            }
            Rows::Record(fields) => {
                let fields = fields.iter().map(|f| self.vector_value(f, iv, certs, span));
                Val::Record(fields.collect::<Made<_>>()?)
            }
            Rows::Sum(..) | Rows::Array(..) => return unsupported("such elements in an array of unknown rank", span),
        })
    }

    /// `0 <= i < n`.
    pub(crate) fn inside(&mut self, i: Atom, n: Atom, span: Span) -> Atom {
        let low = self.b.bin(BinOp::Le, Prim::I64, Atom::size(0), i, span);
        let high = self.b.bin(BinOp::Lt, Prim::I64, i, n, span);
        self.b.and(low, high, span)
    }

    fn select_known(&mut self, array: &Rc<ArrayVal>, indices: &[Idx<'t>], span: Span) -> Made<Val<'t>> {
        let whole = Val::Array(array.clone());
        if indices.len() > array.dims.len() {
            let shape = self.describe(&whole, 1, span);
            let site = self.too_many_site(shape.text, span);
            let args = [Atom::size(indices.len() as i64)].into_iter().chain(shape.args).collect();
            let cert = self.b.assert(Atom::bool(false), site, args, span);
            let zeros = vec![Atom::size(0); array.dims.len()];
            return Ok(self.element(array, &zeros, cert.as_slice(), span));
        }
        let written: Vec<Atom> =
            indices.iter().filter_map(|i| if let Idx::At(a) = i { Some(*a) } else { None }).collect();
        let leading: Vec<Atom> =
            indices.iter().map_while(|i| if let Idx::At(a) = i { Some(*a) } else { None }).collect();
        let certs = self.check_indices(&whole, array, &leading, &written, span)?;
        let row = self.element(array, &leading, &certs, span);
        let rest = &indices[leading.len()..];
        if rest.is_empty() {
            return Ok(row);
        }
        let row = self.as_array(&row, span)?;
        self.slices(&whole, &row, rest, &written, span)
    }

    /// Checks that indices of leading dimensions are inside.
    fn check_indices(
        &mut self,
        whole: &Val<'t>,
        array: &ArrayVal,
        leading: &[Atom],
        written: &[Atom],
        span: Span,
    ) -> Made<Vec<Var>> {
        let mut certs = Vec::new();
        for (at, i) in leading.iter().enumerate() {
            let extent = match array.dims[at] {
                Dim::Size(n) => n,
                Dim::Jagged(d) => {
                    let exp = Exp::DescLength(d, leading[..at].to_vec());
                    self.b.scalar("len", Prim::I64, exp, &certs, span)
                }
                Dim::Shape(_) => return unsupported("an index of an array of partly known rank", span),
            };
            let fine = self.inside(*i, extent, span);
            if fine == Atom::bool(true) {
                continue;
            }
            let last = self.b.sub(extent, Atom::size(1), span);
            let shape = self.describe(whole, written.len() + 2, span);
            let which = written.iter().position(|w| w == i).unwrap_or(0);
            let site = self.index_site(written.len(), which, &shape, span);
            let args = written.iter().copied().chain([extent, last]).chain(shape.args).collect();
            certs.extend(self.b.assert(fine, site, args, span));
        }
        Ok(certs)
    }

    /// Slices, and indices among them, of leading dimensions; the first is a slice.
    fn slices(
        &mut self,
        whole: &Val<'t>,
        array: &Rc<ArrayVal>,
        indices: &[Idx<'t>],
        written: &[Atom],
        span: Span,
    ) -> Made<Val<'t>> {
        let Idx::Slice { start, end, stride, span: at } = &indices[0] else {
            return unsupported("this combination of indices", span);
        };
        let Dim::Size(extent) = array.dims[0] else {
            return unsupported("a slice of an array of partly known rank", span);
        };
        let (range, certs) = self.run(*start, *end, *stride, extent, *at);
        let part = if array.dims[1..].iter().any(|d| matches!(d, Dim::Jagged(_))) && range.stride != Atom::size(1) {
            self.build(range.count, None, span, |d, i| {
                let offset = d.b.mul(i, range.stride, span);
                let i = d.b.add(range.start, offset, span);
                Ok(d.element(array, &[i], &certs, span))
            })?
        } else {
            self.sliced(array, range, &certs, span)
        };
        let rest = &indices[1..];
        if rest.is_empty() {
            return Ok(part);
        }
        let part = self.as_array(&part, span)?;
        if part.dims[..=rest.len()].iter().all(|d| matches!(d, Dim::Size(_))) {
            // Bring the sliced dimension behind the others, index those, and put it back in front.
            return self.slices_below(whole, &part, rest, written, span);
        }
        let Dim::Size(count) = part.dims[0] else {
            return unsupported("this slice", span);
        };
        self.build(count, None, span, |d, i| {
            let row = d.element(&part, &[i], &[], span);
            d.select(&row, rest, span)
        })
    }

    fn slices_below(
        &mut self,
        whole: &Val<'t>,
        array: &Rc<ArrayVal>,
        rest: &[Idx<'t>],
        written: &[Atom],
        span: Span,
    ) -> Made<Val<'t>> {
        let rank = array.dims.len();
        let count = rest.len();
        // Dimension 0 goes behind the next `count` ones.
        let order: Vec<usize> = (1..=count).chain([0]).chain(count + 1..rank).collect();
        let moved = Rc::new(self.rearranged(array, &order, span));
        let leading: Vec<Atom> = rest.iter().map_while(|i| if let Idx::At(a) = i { Some(*a) } else { None }).collect();
        let certs = self.check_indices(whole, &moved, &leading, written, span)?;
        let row = self.element(&moved, &leading, &certs, span);
        let row = self.as_array(&row, span)?;
        let left = &rest[leading.len()..];
        let selected = match left.is_empty() {
            true => Val::Array(row),
            false => self.slices(whole, &row, left, written, span)?,
        };
        let selected = self.as_array(&selected, span)?;
        let kept = left.iter().filter(|i| matches!(i, Idx::Slice { .. })).count();
        if kept == 0 {
            return Ok(Val::Array(selected));
        }
        let order: Vec<usize> = [kept].into_iter().chain(0..kept).chain(kept + 1..selected.dims.len()).collect();
        Ok(Val::Array(Rc::new(self.rearranged(&selected, &order, span))))
    }

    /// The array with its dimensions in another order.
    pub(crate) fn rearranged(&mut self, array: &ArrayVal, order: &[usize], span: Span) -> ArrayVal {
        let dims: Vec<Dim> = order.iter().map(|i| array.dims[*i]).collect();
        let depth = order.len();
        let rows = self.with_leaves(&array.rows, &dims, &mut |d, prim, var, dims| {
            let order = order.iter().copied().chain(depth..dims.len()).collect();
            let name = d.b.program.vars[var].name;
            d.b.bind(name.as_str(), CoreType::Array(prim, dims.to_vec()), Exp::Rearrange(var, order), &[], span)
        });
        ArrayVal { dims, rows }
    }

    /// What a slice takes of a dimension, checked.
    pub(crate) fn run(
        &mut self,
        start: Option<Atom>,
        end: Option<Atom>,
        stride: Atom,
        extent: Atom,
        span: Span,
    ) -> (Range, Vec<Var>) {
        let (zero, one) = (Atom::size(0), Atom::size(1));
        if stride == one {
            let (start, end) = (start.unwrap_or(zero), end.unwrap_or(extent));
            let empty = self.b.bin(BinOp::Eq, Prim::I64, start, end, span);
            let low = self.b.bin(BinOp::Le, Prim::I64, zero, start, span);
            let order = self.b.bin(BinOp::Le, Prim::I64, start, end, span);
            let high = self.b.bin(BinOp::Le, Prim::I64, end, extent, span);
            let fine = self.b.and(low, order, span);
            let fine = self.b.and(fine, high, span);
            let fine = self.b.bin(BinOp::LogOr, Prim::Bool, empty, fine, span);
            let cert = self.slice_cert(fine, [start, end, stride, extent], span);
            let count = self.b.sub(end, start, span);
            // An empty slice may lie anywhere.
            let start = match fine == Atom::bool(true) || start == zero {
                true => start,
                false => self.b.scalar("start", Prim::I64, Exp::Select(empty, zero, start), &cert, span),
            };
            return (Range { start, count, stride }, cert);
        }
        self.strided_run(start, end, stride, extent, span)
    }

    fn slice_cert(&mut self, fine: Atom, args: [Atom; 4], span: Span) -> Vec<Var> {
        let site = self.slice_site(span);
        self.b.assert(fine, site, args.to_vec(), span).into_iter().collect()
    }

    fn strided_run(
        &mut self,
        start: Option<Atom>,
        end: Option<Atom>,
        stride: Atom,
        extent: Atom,
        span: Span,
    ) -> (Range, Vec<Var>) {
        let (zero, one) = (Atom::size(0), Atom::size(1));
        let bin = |d: &mut Self, op, a, b| d.b.bin(op, Prim::I64, a, b, span);
        let select = |d: &mut Self, c, a, b| d.b.scalar("t", Prim::I64, Exp::Select(c, a, b), &[], span);
        let down = bin(self, BinOp::Lt, stride, zero);
        let last = bin(self, BinOp::Sub, extent, one);
        let default_start = select(self, down, last, zero);
        let default_end = select(self, down, Atom::size(-1), extent);
        let (start, end) = (start.unwrap_or(default_start), end.unwrap_or(default_end));
        let some = bin(self, BinOp::Ne, stride, zero);
        let empty = bin(self, BinOp::Eq, start, end);
        let forward = {
            let a = bin(self, BinOp::Le, zero, start);
            let b = bin(self, BinOp::Lt, start, end);
            self.b.and(a, b, span)
        };
        let backward = {
            let a = bin(self, BinOp::Le, Atom::size(-1), end);
            let b = bin(self, BinOp::Lt, end, start);
            self.b.and(a, b, span)
        };
        let order = self.b.scalar("t", Prim::Bool, Exp::Select(down, backward, forward), &[], span);
        let ahead = bin(self, BinOp::Sub, end, start);
        let behind = bin(self, BinOp::Sub, start, end);
        let distance = select(self, down, behind, ahead);
        let opposite = bin(self, BinOp::Sub, zero, stride);
        let width = select(self, down, opposite, stride);
        // Without a stride the check below fails; dividing by one does no harm then.
        let divisor = select(self, some, width, one);
        let rounded = bin(self, BinOp::Add, distance, divisor);
        let rounded = bin(self, BinOp::Sub, rounded, one);
        let count = self.b.scalar("n", Prim::I64, Exp::Bin(BinOp::Quot, Prim::I64, rounded, divisor), &[], span);
        let steps = bin(self, BinOp::Sub, count, one);
        let reach = bin(self, BinOp::Mul, steps, stride);
        let final_one = bin(self, BinOp::Add, start, reach);
        let start_in = bin(self, BinOp::Lt, start, extent);
        let last_in = self.inside(final_one, extent, span);
        let fine = self.b.and(order, start_in, span);
        let fine = self.b.and(fine, last_in, span);
        let fine = self.b.bin(BinOp::LogOr, Prim::Bool, empty, fine, span);
        let fine = self.b.and(some, fine, span);
        let cert = self.slice_cert(fine, [start, end, stride, extent], span);
        let start = self.b.scalar("start", Prim::I64, Exp::Select(empty, zero, start), &cert, span);
        (Range { start, count, stride }, cert)
    }

    pub(crate) fn with_expr(
        &mut self,
        source: &'t Expr,
        path: &'t [PathStep],
        value: &'t Expr,
        span: Span,
    ) -> Made<Val<'t>> {
        let whole = self.expr(source)?;
        let mut steps = Vec::with_capacity(path.len());
        let mut ty = &source.ty;
        for step in path {
            match step {
                PathStep::Field(name) => {
                    let place = self.field_places(ty, [*name].into_iter())[0];
                    let concrete = self.concrete(ty);
                    if let typed::Type::Record(fields) = concrete {
                        ty = &fields[place].1;
                    }
                    steps.push(PathVal::Field(place));
                }
                PathStep::Index(indices) => {
                    let count = indices.iter().filter(|i| matches!(i, Index::At(_))).count();
                    let vector = indices.iter().any(|i| matches!(i, Index::Vector(_)));
                    for _ in 0..if vector { usize::MAX } else { count } {
                        let concrete = self.concrete(ty);
                        let typed::Type::Array(_, elem) = concrete else { break };
                        ty = elem;
                    }
                    steps.push(PathVal::Index(self.indices(indices)?));
                }
            }
        }
        let value = self.expr(value)?;
        self.replace(&whole, &steps, value, span)
    }

    fn replace(&mut self, whole: &Val<'t>, path: &[PathVal<'t>], value: Val<'t>, span: Span) -> Made<Val<'t>> {
        match (path, whole) {
            ([], _) => Ok(value),
            ([PathVal::Field(place), rest @ ..], Val::Record(fields)) => {
                let mut fields = fields.to_vec();
                fields[*place] = self.replace(&fields[*place].clone(), rest, value, span)?;
                Ok(Val::Record(fields.into()))
            }
            ([PathVal::Index(indices)], _) => self.assign(whole, indices, value, span),
            ([PathVal::Index(indices), rest @ ..], _) => {
                let part = self.select(whole, indices, span)?;
                let part = self.replace(&part, rest, value, span)?;
                self.assign(whole, indices, part, span)
            }
            ([PathVal::Field(_), ..], _) => unsupported("a field of this value", span),
        }
    }

    /// The array with an element or subarray replaced.
    fn assign(&mut self, whole: &Val<'t>, indices: &[Idx<'t>], value: Val<'t>, span: Span) -> Made<Val<'t>> {
        if indices.is_empty() {
            return Ok(value);
        }
        if let [Idx::Vector(_)] = indices {
            return unsupported("replacing at an index vector of unknown length", span);
        }
        let array = self.as_array(whole, span)?;
        if let [Dim::Shape(_)] = array.dims.as_slice() {
            return unsupported("replacing parts of an array of unknown rank", span);
        }
        if indices.len() > array.dims.len() {
            return self.select_known(&array, indices, span);
        }
        let drafts = self.assign_steps(whole, &array, indices, &[], &[], value, span)?;
        self.updated(&array, drafts, false, span)
    }

    /// Loops over the slices among the indices, then one replacement.
    #[allow(clippy::too_many_arguments, reason = "a walk along the indices")]
    fn assign_steps(
        &mut self,
        whole: &Val<'t>,
        array: &Rc<ArrayVal>,
        indices: &[Idx<'t>],
        at: &[Atom],
        certs: &[Var],
        value: Val<'t>,
        span: Span,
    ) -> Made<Vec<Draft<'t>>> {
        let Some((first, rest)) = indices.split_first() else {
            self.b.open();
            let old = self.element(array, at, certs, span);
            let value = self.fitting(&old, value, span);
            let stms = self.b.close();
            let value = value?;
            let emit = crate::rows::DraftEmit {
                output: 0,
                at: at.to_vec(),
                certs: certs.to_vec(),
                stms,
                val: value,
                row: Atom::size(0),
                span,
            };
            return Ok(vec![Draft::Emit(emit)]);
        };
        self.b.open();
        let extent = match array.dims[at.len()] {
            Dim::Size(n) => n,
            Dim::Jagged(d) => self.b.scalar("len", Prim::I64, Exp::DescLength(d, at.to_vec()), certs, span),
            Dim::Shape(_) => return unsupported("replacing parts of an array of unknown rank", span),
        };
        let mut certs = certs.to_vec();
        match first {
            Idx::At(i) => {
                let fine = self.inside(*i, extent, span);
                let last = self.b.sub(extent, Atom::size(1), span);
                let written: Vec<Atom> = at.iter().copied().chain([*i]).collect();
                let shape = self.describe(whole, written.len() + 2, span);
                let site = self.index_site(written.len(), written.len() - 1, &shape, span);
                let args = written.iter().copied().chain([extent, last]).chain(shape.args).collect();
                certs.extend(self.b.assert(fine, site, args, span));
                let lets = self.b.close();
                let inner = self.assign_steps(whole, array, rest, &written, &certs, value, span)?;
                Ok(Draft::lets(lets).chain(inner).collect())
            }
            Idx::Slice { start, end, stride, span: slice } => {
                let (range, more) = self.run(*start, *end, *stride, extent, *slice);
                certs.extend(more);
                let value = self.as_array(&value, span)?;
                let Dim::Size(count) = value.dims[0] else {
                    return unsupported("this replacement", span);
                };
                let fine = self.b.bin(BinOp::Eq, Prim::I64, count, range.count, span);
                let found = self.describe(&Val::Array(value.clone()), 1, span);
                let site = self.replacement_site(crate::faults::text("[{0}]"), found.text, span);
                let args = [range.count].into_iter().chain(found.args).collect();
                certs.extend(self.b.assert(fine, site, args, span));
                let lets = self.b.close();
                let var = self.b.var(Name::new("i"), CoreType::I64);
                self.b.open();
                let offset = self.b.mul(var.into(), range.stride, span);
                let place = self.b.add(range.start, offset, span);
                let row = self.element(&value, &[var.into()], &certs, span);
                let inside = self.b.close();
                let at: Vec<Atom> = at.iter().copied().chain([place]).collect();
                let inner = self.assign_steps(whole, array, rest, &at, &certs, row, span)?;
                let body = Draft::lets(inside).chain(inner).collect();
                Ok(Draft::lets(lets).chain([Draft::For { var, count: range.count, body }]).collect())
            }
            Idx::Vector(_) => unsupported("replacing at an index vector of unknown length", span),
        }
    }

    /// A value with the dimensions of what it replaces, checked.
    pub(crate) fn fitting(&mut self, old: &Val<'t>, new: Val<'t>, span: Span) -> Made<Val<'t>> {
        match (old, &new) {
            (Val::Record(olds), Val::Record(news)) => {
                let pairs = olds.iter().zip(news.iter());
                Ok(Val::Record(pairs.map(|(o, n)| self.fitting(o, n.clone(), span)).collect::<Made<_>>()?))
            }
            (Val::Array(old), Val::Array(_) | Val::Vector(..) | Val::Lengths(_)) => {
                let mut new = (*self.as_array(&new, span)?).clone();
                for at in 0..new.dims.len().min(old.dims.len()) {
                    match (old.dims[at], new.dims[at]) {
                        (Dim::Jagged(_), Dim::Size(_)) => new = self.to_jagged(&new, at, span),
                        (Dim::Size(n), Dim::Jagged(_)) => new = self.to_regular(&new, at, Some(n), span),
                        (_, _) => {}
                    }
                }
                let equal = self.equal_dims(&old.dims, &new.dims, span)?;
                let expected = self.describe(&Val::Array(old.clone()), 0, span);
                let found = self.describe(&Val::Array(Rc::new(new.clone())), expected.args.len(), span);
                let site = self.replacement_site(expected.text, found.text, span);
                let args = expected.args.into_iter().chain(found.args).collect();
                let cert = self.b.assert(equal, site, args, span);
                Ok(Val::Array(Rc::new(self.retyped(&new, old.dims.clone(), cert.as_slice(), span))))
            }
            (_, _) => Ok(new),
        }
    }

    /// The array with elements replaced by steps.
    pub(crate) fn updated(
        &mut self,
        array: &Rc<ArrayVal>,
        drafts: Vec<Draft<'t>>,
        skip: bool,
        span: Span,
    ) -> Made<Val<'t>> {
        let mut depths = base::Set::default();
        subscript_counts(&drafts, &mut depths);
        let uneven = array.dims.iter().any(|d| matches!(d, Dim::Jagged(_))) || depths.len() > 1;
        let drafts = match uneven && !matches!(array.dims.as_slice(), [Dim::Shape(_)]) {
            true => self.by_elements(array, drafts)?,
            false => drafts,
        };
        let (outputs, vars, val) = self.update_output(array, &drafts, 0, skip, Vec::new(), span)?;
        let form = outputs.1;
        let steps: Vec<Step> = self.finish(drafts, &[form])?;
        self.b.push(Stm { vars, certs: Vec::new(), exp: Exp::Bulk(Bulk { outputs: vec![outputs.0], steps }), span });
        Ok(val)
    }

    /// Replacements of rows as replacements of their elements: rows may differ in length or rank, elements do not.
    fn by_elements(&mut self, array: &Rc<ArrayVal>, drafts: Vec<Draft<'t>>) -> Made<Vec<Draft<'t>>> {
        let mut out = Vec::new();
        for draft in drafts {
            match draft {
                Draft::For { var, count, body } => {
                    out.push(Draft::For { var, count, body: self.by_elements(array, body)? });
                }
                Draft::Guard(cond, body) => out.push(Draft::Guard(cond, self.by_elements(array, body)?)),
                Draft::Let(stm) => out.push(Draft::Let(stm)),
                Draft::Emit(emit) if emit.at.len() == array.dims.len() => out.push(Draft::Emit(emit)),
                Draft::Emit(mut emit) => {
                    out.extend(Draft::lets(std::mem::take(&mut emit.stms)));
                    out.push(self.each_of_row(array, emit)?);
                }
            }
        }
        Ok(out)
    }

    fn each_of_row(&mut self, array: &Rc<ArrayVal>, emit: crate::rows::DraftEmit<'t>) -> Made<Draft<'t>> {
        let span = emit.span;
        if emit.at.len() == array.dims.len() {
            return Ok(Draft::Emit(emit));
        }
        let row = self.as_array(&emit.val, span)?;
        let Dim::Size(count) = row.dims[0] else {
            return unsupported("this replacement", span);
        };
        let var = self.b.var(Name::new("j"), CoreType::I64);
        self.b.open();
        let val = self.element(&row, &[var.into()], &emit.certs, span);
        let lets = self.b.close();
        let at = emit.at.iter().copied().chain([var.into()]).collect();
        let inner = self.each_of_row(array, crate::rows::DraftEmit { at, val, ..emit })?;
        Ok(Draft::For { var, count, body: Draft::lets(lets).chain([inner]).collect() })
    }

    /// An output that replaces elements of an array by the drafted values for it.
    pub(crate) fn update_output(
        &mut self,
        array: &Rc<ArrayVal>,
        drafts: &[Draft<'t>],
        output: usize,
        skip: bool,
        rec: Vec<Var>,
        span: Span,
    ) -> Made<((Output, crate::form::Form), Vec<Var>, Val<'t>)> {
        let mut vals = Vec::new();
        crate::rows::values(drafts, output, &mut vals);
        // Values have the dimensions of what they replace; those that depend on the place are passed along.
        let mark = array_mark(array);
        let form = self.join_rows(&vals, mark, None, span)?;
        let (sizes, elems) = self.formals(&form);
        let mut arrays = Vec::new();
        leaves(&array.rows, &mut arrays);
        let mut vars = Vec::new();
        let rows = self.with_leaves(&array.rows.clone(), &array.dims.clone(), &mut |d, prim, var, dims| {
            let name = d.b.program.vars[var].name;
            let new = d.b.var(name, CoreType::Array(prim, dims.to_vec()));
            vars.push(new);
            new
        });
        let kind = Kind::Update { arrays, skip, rec };
        Ok(((Output { kind, sizes, elems }, form), vars, Val::array(array.dims.clone(), rows)))
    }

    /// Arguments: the index vector, then the shape's.
    fn index_vector_site(&mut self, shape: base::site::Text, span: Span) -> base::Site {
        let start = crate::faults::text("index {0@} is out of bounds for an array of shape ");
        let title = base::site::Text(start.0.into_iter().chain(shape.0).collect());
        self.site("R001", title, span, "this index")
    }
}

/// How many subscripts values have.
fn subscript_counts(drafts: &[Draft], out: &mut base::Set<usize>) {
    for draft in drafts {
        match draft {
            Draft::For { body, .. } | Draft::Guard(_, body) => subscript_counts(body, out),
            Draft::Let(_) => {}
            Draft::Emit(emit) => {
                out.insert(emit.at.len());
            }
        }
    }
}

/// Variables of the array's own dimensions and older ones are seen by all replacements.
fn array_mark(array: &ArrayVal) -> usize {
    use base::id::Id;
    let mut data = Vec::new();
    leaves(&array.rows, &mut data);
    data.iter().map(|v| v.index() + 1).max().unwrap_or(0)
}

/// The data variables, in order.
pub(crate) fn leaves(rows: &Rows, out: &mut Vec<Var>) {
    match rows {
        Rows::Data(_, var) => out.push(*var),
        Rows::Record(fields) => fields.iter().for_each(|f| leaves(f, out)),
        Rows::Sum(_, tag, parts) => {
            out.push(*tag);
            parts.iter().flatten().for_each(|p| leaves(p, out));
        }
        Rows::Array(_, rows) => leaves(rows, out),
    }
}

/// A step of a path whose indices are atoms.
enum PathVal<'t> {
    Field(usize),
    Index(Vec<Idx<'t>>),
}
