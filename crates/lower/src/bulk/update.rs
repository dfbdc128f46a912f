//! Writing into existing arrays, in place: replacing elements, or combining them with values.
//!
//! Values see the old arrays. So if they may read any of the memory that is written, all of them are computed before the
//! first one is written.

use super::form::{Bound, Elem};
use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Rep, Strides};
use ir::{Atom, Bulk, Dim, Emit, Kind, Limitation, Output, Region, Type, Var};
use kernel::{Expr, Stm, Type as KType, Var as K};
use scalar::Prim;

/// Where values go.
#[derive(Clone)]
pub(crate) struct UpdateSink<'b> {
    targets: Vec<Target>,
    /// Whether subscripts outside of the arrays are skipped.
    pub skip: bool,
    /// Only elements in this range are written: their numbers, from and to.
    range: Option<(Expr, Expr)>,
    /// Combines old elements with values; otherwise values replace them.
    pub op: Option<&'b Region>,
    /// Where values wait, if they must.
    waiting: Option<Waiting>,
}

/// An array that is written into.
#[derive(Clone)]
struct Target {
    elem: Elem,
    array: Array,
    dims: Vec<Dim>,
}

/// Values that wait until all are there.
#[derive(Clone)]
struct Waiting {
    count: K,
    /// For each array, the offsets that values go to.
    offsets: Vec<K>,
    /// For each array, the values.
    values: Vec<K>,
}

impl UpdateSink<'_> {
    /// The same for elements in a range of numbers alone.
    pub fn within(&self, range: (Expr, Expr)) -> Self {
        UpdateSink { range: Some(range), ..self.clone() }
    }

    /// The arrays.
    pub fn memory(&self) -> Vec<Array> {
        self.targets.iter().map(|t| t.array.clone()).collect()
    }

    /// The components of a value.
    pub fn elems(&self) -> Vec<Elem> {
        self.targets.iter().map(|t| t.elem.clone()).collect()
    }

    /// The dimensions of the arrays, which agree as far as subscripts go.
    pub fn dims(&self) -> &[Dim] {
        self.targets.first().map_or(&[], |t| &t.dims)
    }

    /// The dimensions that subscripts select from.
    pub fn subscripted(&self) -> &[Dim] {
        self.targets.first().map_or(&[], |t| &t.dims[..t.dims.len() - t.elem.dims.len()])
    }
}

impl Lower<'_> {
    pub(super) fn open_update<'b>(
        &mut self,
        output: &Output,
        arrays: &[Var],
        skip: bool,
        op: Option<&'b Region>,
        bulk: &Bulk,
    ) -> Low<UpdateSink<'b>> {
        let sink = self.open_writes(output, arrays, skip, op)?;
        let reads = self.reads_memory(&sink.memory(), bulk);
        let waiting = if reads { Some(self.open_waiting(&sink.targets)) } else { None };
        Ok(UpdateSink { waiting, ..sink })
    }

    /// Writes values as they come.
    pub(super) fn open_writes<'b>(
        &mut self,
        output: &Output,
        arrays: &[Var],
        skip: bool,
        op: Option<&'b Region>,
    ) -> Low<UpdateSink<'b>> {
        let mut targets = Vec::new();
        for (elem, var) in self.elems(output)?.into_iter().zip(arrays) {
            let array = self.array(*var)?;
            targets.push(Target { elem, array, dims: self.src.ty(*var).dims().to_vec() });
        }
        Ok(UpdateSink { targets, skip, range: None, op, waiting: None })
    }

    fn open_waiting(&mut self, targets: &[Target]) -> Waiting {
        let count = self.code.variable("count", expr::int(0));
        let offsets = targets.iter().map(|_| self.growing("offsets", KType::Buffer(Prim::I64))).collect();
        let values = targets.iter().map(|t| self.growing("values", KType::Buffer(t.elem.prim))).collect();
        Waiting { count, offsets, values }
    }

    /// Whether a value may read what is written.
    pub(super) fn reads_memory(&self, targets: &[Array], bulk: &Bulk) -> bool {
        let mut mentions = self.mentions();
        mentions.steps(&bulk.steps);
        for output in &bulk.outputs {
            match &output.kind {
                Kind::Gen { otherwise, .. } => otherwise.iter().for_each(|b| mentions.block(b)),
                Kind::Reduce { op, neutral, .. } | Kind::Scan { op, neutral, .. } => {
                    mentions.region(op);
                    mentions.atoms(neutral);
                }
                Kind::Accum { op, .. } => mentions.region(op),
                Kind::Update { .. } | Kind::Keep => {}
            }
        }
        mentions
            .found
            .iter()
            .filter_map(|v| self.homes.buffer_of(*v))
            .any(|buffer| targets.iter().any(|t| self.aliases.may_alias(t.buffer, buffer)))
    }

    pub(super) fn put_in_update(&mut self, sink: &UpdateSink<'_>, emit: &Emit) -> Low<()> {
        if !sink.skip {
            return self.update_inside(sink, emit);
        }
        let dims = sink.dims().to_vec();
        match self.subscripts_of(&dims, &emit.at)? {
            Some(at) => self.if_inside(&dims, &at, 0, &mut |this| this.update_inside(sink, emit)),
            None => self.unsupported(Limitation::SkippedSubscripts),
        }
    }

    /// Subscripts one by one; none if there are as many as only the run knows.
    fn subscripts_of(&mut self, dims: &[Dim], at: &[Atom]) -> Low<Option<Vec<Expr>>> {
        if let [Atom::Var(vector)] = at
            && let Type::Array(..) = self.src.ty(*vector)
        {
            if matches!(dims.first(), Some(Dim::Shape(_))) {
                return Ok(None);
            }
            if let Some(elements) = self.elements(*vector)? {
                return Ok(Some(elements));
            }
            return self.unsupported(Limitation::SubscriptsOfUnknownNumber);
        }
        if matches!(dims.first(), Some(Dim::Shape(_))) {
            return self.unsupported(Limitation::SubscriptsOfUnknownRank);
        }
        Ok(Some(self.homes.scalars(at)))
    }

    /// Runs a function only if subscripts lie inside of dimensions.
    pub(super) fn if_inside(
        &mut self,
        dims: &[Dim],
        at: &[Expr],
        depth: usize,
        then: &mut dyn FnMut(&mut Self) -> Low<()>,
    ) -> Low<()> {
        let (Some(dim), Some(i)) = (dims.get(depth), at.get(depth)) else {
            return then(self);
        };
        let extent = match dim {
            Dim::Size(n) => self.homes.scalar(*n),
            Dim::Jagged(d) => {
                let row = self.place(&dims[..depth], &at[..depth])?;
                let desc = self.homes.desc(*d);
                self.row_length(&desc, row)
            }
            Dim::Shape(_) => return self.unsupported(Limitation::SkippedSubscripts),
        };
        let inside = expr::and(expr::le(expr::int(0), i.clone()), expr::lt(i.clone(), extent));
        self.when(inside, |this| this.if_inside(dims, at, depth + 1, then))
    }

    fn update_inside(&mut self, sink: &UpdateSink<'_>, emit: &Emit) -> Low<()> {
        let Some((low, high)) = sink.range.clone() else {
            return self.update_element(sink, emit);
        };
        let at = self.homes.scalars(&emit.at);
        let place = self.place(sink.subscripted(), &at)?;
        let mine = expr::and(expr::le(low, place.clone()), expr::lt(place, high));
        self.when(mine, |this| this.update_element(sink, emit))
    }

    fn update_element(&mut self, sink: &UpdateSink<'_>, emit: &Emit) -> Low<()> {
        let mut views = Vec::new();
        for target in &sink.targets {
            views.push(self.target_view(target, &emit.at)?);
        }
        match &sink.waiting {
            Some(waiting) => self.wait(sink, waiting, &views, emit),
            None => self.write_now(sink, &views, emit),
        }
    }

    /// The part of an array that subscripts name.
    fn target_view(&mut self, target: &Target, at: &[Atom]) -> Low<Array> {
        match self.subscripts_of(&target.dims, at)? {
            Some(at) => {
                // Where descriptors tell the place, the value is packed from there on.
                let rest = &target.dims[at.len().min(target.dims.len())..];
                if !is_regular(rest) {
                    let place = self.place(&target.dims[..at.len()], &at)?;
                    let (first, _) = self.span_below(rest, place)?;
                    let offset = self.code.name_int("slot", expr::add(target.array.offset.clone(), first));
                    return Ok(Array::at(target.array.buffer, offset));
                }
                let view = self.part(&target.array, &target.dims, &at)?;
                let offset = self.code.name_int("slot", view.offset.clone());
                Ok(Array { offset, ..view })
            }
            None => {
                let (Some(Dim::Shape(shape)), [Atom::Var(at)]) = (target.dims.first(), at) else {
                    return self.unsupported(Limitation::SubscriptsOfUnknownNumber);
                };
                let (place, _) = self.place_by_vector(*shape, *at)?;
                let step = expr::mul(place, target.elem.row.clone());
                let offset = self.code.name_int("slot", expr::add(target.array.offset.clone(), step));
                Ok(Array::at(target.array.buffer, offset))
            }
        }
    }

    fn write_now(&mut self, sink: &UpdateSink<'_>, views: &[Array], emit: &Emit) -> Low<()> {
        if sink.op.is_none() && views.iter().all(Array::is_row_major) {
            let places: Vec<(K, Expr, Vec<Dim>)> = (views.iter().zip(&sink.targets))
                .map(|(view, target)| (view.buffer, view.offset.clone(), target.elem.dims.clone()))
                .collect();
            return self.put_into(&places, &emit.value);
        }
        let reps = self.open_block(&emit.value)?;
        self.write_values(sink, views, reps)?;
        self.code.close_inline();
        Ok(())
    }

    /// Replaces what is at the views by values, or combines it with them.
    pub(super) fn write_values(&mut self, sink: &UpdateSink<'_>, views: &[Array], reps: Vec<Rep>) -> Low<()> {
        let Some(op) = sink.op else {
            return self.store_views(sink, views, &reps);
        };
        let mut old = Vec::new();
        for (view, target) in views.iter().zip(&sink.targets) {
            old.push(self.value_at(view, &target.elem)?);
        }
        let results = self.open_op(op, old, reps)?;
        self.store_views(sink, views, &results)?;
        self.code.close_inline();
        Ok(())
    }

    fn value_at(&mut self, view: &Array, elem: &Elem) -> Low<Rep> {
        match view.strides {
            Strides::RowMajor => self.read(view.buffer, view.offset.clone(), &elem.dims),
            Strides::Explicit(_) if elem.dims.is_empty() => self.read(view.buffer, view.offset.clone(), &[]),
            Strides::Explicit(_) => Ok(Rep::Array(view.clone())),
        }
    }

    /// Writes values to views; values may be views of the same memory.
    fn store_views(&mut self, sink: &UpdateSink<'_>, views: &[Array], reps: &[Rep]) -> Low<()> {
        let mut values = Vec::new();
        for (rep, target) in reps.iter().zip(&sink.targets) {
            values.push(match rep {
                Rep::Array(array) if views.iter().any(|v| self.aliases.may_alias(v.buffer, array.buffer)) => {
                    Rep::Array(self.copy(array, &target.elem.dims)?)
                }
                other => other.clone(),
            });
        }
        for ((view, target), value) in views.iter().zip(&sink.targets).zip(values) {
            self.store_view(view, &target.elem, value)?;
        }
        Ok(())
    }

    fn store_view(&mut self, view: &Array, elem: &Elem, value: Rep) -> Low<()> {
        match (&view.strides, &value) {
            (Strides::Explicit(strides), Rep::Array(_) | Rep::Vector(..)) => {
                let from = self.in_memory(value);
                self.copy_strided(view, strides, &from, &elem.dims)
            }
            (_, _) => self.write(view.buffer, view.offset.clone(), &value, &elem.dims),
        }
    }

    /// Keeps a value and where it goes.
    fn wait(&mut self, sink: &UpdateSink<'_>, waiting: &Waiting, views: &[Array], emit: &Emit) -> Low<()> {
        let count = Expr::Var(waiting.count);
        let elems = sink.elems();
        self.grow_all(&waiting.values, &elems, count.clone());
        for (buffer, view) in waiting.offsets.iter().zip(views) {
            let (needed, span) = (expr::add(count.clone(), expr::int(1)), self.code.span);
            self.code.emit(Stm::Grow { buffer: *buffer, used: count.clone(), needed, span });
            self.code.emit(Stm::Store { buffer: *buffer, at: count.clone(), value: view.offset.clone() });
        }
        let arrays: Vec<(Elem, Array)> =
            elems.into_iter().zip(waiting.values.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
        self.put(&arrays, count.clone(), &emit.value)?;
        self.code.emit(Stm::Set(waiting.count, expr::add(count, expr::int(1))));
        Ok(())
    }

    pub(super) fn close_update(&mut self, sink: UpdateSink<'_>, bound: &Bound) -> Low<()> {
        if let Some(waiting) = &sink.waiting {
            let elems = sink.elems();
            self.count_loop("k", Expr::Var(waiting.count), |this, k| {
                let mut views = Vec::new();
                for (target, offsets) in sink.targets.iter().zip(&waiting.offsets) {
                    let offset = this.code.name_int("slot", expr::load(*offsets, k.clone()));
                    let strides = match &target.array.strides {
                        Strides::RowMajor => Strides::RowMajor,
                        Strides::Explicit(all) => {
                            Strides::Explicit(all[all.len() - target.elem.dims.len().min(all.len())..].to_vec())
                        }
                    };
                    views.push(Array { buffer: target.array.buffer, offset, strides, whole: false });
                }
                let values = this.read_all(&waiting.values, &elems, k)?;
                this.write_values(&sink, &views, values)
            })?;
        }
        for (var, target) in bound.elems.iter().zip(sink.targets) {
            self.homes.bind(*var, Rep::Array(target.array));
        }
        Ok(())
    }
}
