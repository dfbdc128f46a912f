//! Writing into existing arrays, in place: replacing elements, or combining them with values.
//!
//! Values see the old arrays. So if they may read any of the memory that is written, all of them are computed before
//! the first one is written.

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, desc, dims, place, vector, views};
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::{columns, form, values};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep, Strides};
use crate::scope;
use analysis::places;
use ir::{Atom, Bulk, Dim, Emit, Kind, Limitation, Output, Region, Type, Var};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// Where values go.
#[derive(Clone)]
pub(crate) struct UpdateSink<'b> {
    targets: Vec<Target>,
    /// Whether values at subscripts outside of the arrays are skipped.
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

/// Values that wait until all are computed.
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

pub(crate) fn open<'b>(
    cx: &mut Lower<'_>,
    output: &Output,
    arrays: &[Var],
    skip: bool,
    op: Option<&'b Region>,
    bulk: &Bulk,
) -> UpdateSink<'b> {
    let sink = open_writes(cx, output, arrays, skip, op);
    let reads = reads_memory(cx, &sink.memory(), bulk);
    let waiting = if reads { Some(open_waiting(cx, &sink.targets)) } else { None };
    UpdateSink { waiting, ..sink }
}

/// Writes values as they come.
pub(crate) fn open_writes<'b>(
    cx: &mut Lower<'_>,
    output: &Output,
    arrays: &[Var],
    skip: bool,
    op: Option<&'b Region>,
) -> UpdateSink<'b> {
    let mut targets = Vec::new();
    for (elem, var) in form::elems(cx, output).into_iter().zip(arrays) {
        let array = vector::array(cx, *var);
        targets.push(Target { elem, array, dims: cx.src.ty(*var).dims().to_vec() });
    }
    UpdateSink { targets, skip, range: None, op, waiting: None }
}

fn open_waiting(cx: &mut Lower<'_>, targets: &[Target]) -> Waiting {
    let count = cx.code.variable("count", expr::int(0));
    let offsets = targets.iter().map(|_| cx.code.growing("offsets", Prim::I64)).collect();
    let values = targets.iter().map(|t| cx.code.growing("values", t.elem.prim)).collect();
    Waiting { count, offsets, values }
}

/// Whether an update has to compute all values before it writes the first one.
pub(crate) fn must_wait(cx: &mut Lower<'_>, bulk: &Bulk) -> bool {
    let changed: Vec<Var> = bulk.outputs.iter().flat_map(|output| output.consumes()).copied().collect();
    let targets: Vec<Array> = changed.into_iter().map(|var| vector::array(cx, var)).collect();
    reads_memory(cx, &targets, bulk)
}

/// Whether a value may read what is written.
pub(crate) fn reads_memory(cx: &Lower<'_>, targets: &[Array], bulk: &Bulk) -> bool {
    let mut mentions = cx.mentions();
    mentions.steps(&bulk.steps);
    for output in &bulk.outputs {
        match &output.kind {
            Kind::Gen { otherwise, .. } => otherwise.iter().for_each(|b| mentions.block(b)),
            Kind::Reduce { op, neutral, .. } => {
                mentions.region(op);
                mentions.atoms(neutral);
            }
            Kind::Accum { op, .. } => mentions.region(op),
            Kind::Update { .. } | Kind::Keep => {}
        }
    }
    // The element that a value replaces may be read before.
    let own = match &bulk.outputs[..] {
        [Output { kind: Kind::Update { arrays, .. }, .. }] if places::are_own(cx.src, bulk) => &arrays[..],
        _ => &[],
    };
    mentions
        .found
        .iter()
        .filter(|v| !own.contains(v))
        .filter_map(|v| cx.homes.buffer_of(*v))
        .any(|buffer| targets.iter().any(|t| cx.aliases.may_alias(t.buffer, buffer)))
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, emit: &Emit) -> Low<()> {
    if !sink.skip {
        return update_inside(cx, sink, emit);
    }
    let dims = sink.dims().to_vec();
    match subscripts_of(cx, &dims, &emit.at)? {
        Some(at) => if_inside(cx, &dims, &at, 0, &mut |cx| update_inside(cx, sink, emit)),
        None => cx.unsupported(Limitation::SkippedSubscripts),
    }
}

/// Subscripts one by one; `None` if their number is known only at run time.
fn subscripts_of(cx: &mut Lower<'_>, dims: &[Dim], at: &[Atom]) -> Low<Option<Vec<Expr>>> {
    if let [Atom::Var(vector)] = at
        && let Type::Array(..) = cx.src.ty(*vector)
    {
        if matches!(dims.first(), Some(Dim::Shape(_))) {
            return Ok(None);
        }
        if let Some(elements) = vector::elements(cx, *vector) {
            return Ok(Some(elements));
        }
        return cx.unsupported(Limitation::SubscriptsOfUnknownNumber);
    }
    if matches!(dims.first(), Some(Dim::Shape(_))) {
        return cx.unsupported(Limitation::SubscriptsOfUnknownRank);
    }
    Ok(Some(cx.homes.scalars(at)))
}

/// Runs a function only if subscripts are inside the dimensions.
pub(crate) fn if_inside(
    cx: &mut Lower<'_>,
    dims: &[Dim],
    at: &[Expr],
    depth: usize,
    then: &mut dyn FnMut(&mut Lower<'_>) -> Low<()>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let (Some(dim), Some(i)) = (dims.get(depth), at.get(depth)) else {
        return then(cx);
    };
    let extent = match dim {
        Dim::Size(n) => cx.homes.scalar(*n),
        Dim::Jagged(d) => {
            let row = place::place(cx, &dims[..depth], &at[..depth])?;
            let desc = cx.homes.desc(*d);
            desc::row_length(cx, &desc, row)
        }
        Dim::Shape(_) => return cx.unsupported(Limitation::SkippedSubscripts),
    };
    let inside = exprs.and(exprs.le(expr::int(0), *i), exprs.lt(*i, extent));
    cx.when(inside, |cx| if_inside(cx, dims, at, depth + 1, then))
}

fn update_inside(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let Some((low, high)) = sink.range else {
        return update_element(cx, sink, emit);
    };
    let at = cx.homes.scalars(&emit.at);
    let place = place::place(cx, sink.subscripted(), &at)?;
    let mine = exprs.and(exprs.le(low, place), exprs.lt(place, high));
    cx.when(mine, |cx| update_element(cx, sink, emit))
}

fn update_element(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, emit: &Emit) -> Low<()> {
    let mut views = Vec::new();
    for target in &sink.targets {
        views.push(target_view(cx, target, &emit.at)?);
    }
    match &sink.waiting {
        Some(waiting) => wait(cx, sink, waiting, &views, emit),
        None => write_now(cx, sink, &views, emit),
    }
}

/// The part of an array that subscripts name.
fn target_view(cx: &mut Lower<'_>, target: &Target, at: &[Atom]) -> Low<Array> {
    let exprs = cx.code.exprs;
    match subscripts_of(cx, &target.dims, at)? {
        Some(at) => {
            // Where descriptors tell the place, the value is packed from there on.
            let rest = &target.dims[at.len().min(target.dims.len())..];
            if !is_regular(rest) {
                let place = place::place(cx, &target.dims[..at.len()], &at)?;
                let (first, _) = dims::span_below(cx, rest, place);
                let offset = cx.code.name_int("slot", exprs.add(target.array.offset, first));
                return Ok(Array::at(target.array.buffer, offset));
            }
            let view = views::part(cx, &target.array, &target.dims, &at)?;
            let offset = cx.code.name_int("slot", view.offset);
            Ok(Array { offset, ..view })
        }
        None => {
            let (Some(Dim::Shape(shape)), [Atom::Var(at)]) = (target.dims.first(), at) else {
                return cx.unsupported(Limitation::SubscriptsOfUnknownNumber);
            };
            let (place, _) = place::place_by_vector(cx, *shape, *at);
            let step = exprs.mul(place, target.elem.row);
            let offset = cx.code.name_int("slot", exprs.add(target.array.offset, step));
            Ok(Array::at(target.array.buffer, offset))
        }
    }
}

fn write_now(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, views: &[Array], emit: &Emit) -> Low<()> {
    if sink.op.is_none() && views.iter().all(Array::is_row_major) {
        let places: Vec<(K, Expr, Vec<Dim>)> = (views.iter().zip(&sink.targets))
            .map(|(view, target)| (view.buffer, view.offset, target.elem.dims.clone()))
            .collect();
        return values::put_into(cx, &places, &emit.value);
    }
    scope::with_block(cx, &emit.value, |cx, reps| write_values(cx, sink, views, reps))
}

/// Replaces what is at the views by values, or combines it with them.
pub(crate) fn write_values(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, views: &[Array], reps: Vec<Rep>) -> Low<()> {
    let Some(op) = sink.op else {
        store_views(cx, sink, views, &reps);
        return Ok(());
    };
    let mut old = Vec::new();
    for (view, target) in views.iter().zip(&sink.targets) {
        old.push(value_at(cx, view, &target.elem));
    }
    scope::with_op(cx, op, old, reps, |cx, results| store_views(cx, sink, views, &results))
}

fn value_at(cx: &mut Lower<'_>, view: &Array, elem: &Elem) -> Rep {
    match view.strides {
        Strides::RowMajor => copying::read(cx, view.buffer, view.offset, &elem.dims),
        Strides::Explicit(_) if elem.dims.is_empty() => copying::read(cx, view.buffer, view.offset, &[]),
        Strides::Explicit(_) => Rep::Array(view.clone()),
    }
}

/// Writes values to views; values may be views of the same memory.
fn store_views(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, views: &[Array], reps: &[Rep]) {
    let mut values = Vec::new();
    for (rep, target) in reps.iter().zip(&sink.targets) {
        values.push(match rep {
            Rep::Array(array) if views.iter().any(|v| cx.aliases.may_alias(v.buffer, array.buffer)) => {
                Rep::Array(copying::copy(cx, array, &target.elem.dims))
            }
            other => other.clone(),
        });
    }
    for ((view, target), value) in views.iter().zip(&sink.targets).zip(values) {
        store_view(cx, view, &target.elem, value);
    }
}

fn store_view(cx: &mut Lower<'_>, view: &Array, elem: &Elem, value: Rep) {
    match (&view.strides, &value) {
        (Strides::Explicit(strides), Rep::Array(_) | Rep::Vector(..)) => {
            let from = vector::in_memory(cx, value);
            copying::copy_strided(cx, view, strides, &from, &elem.dims)
        }
        (_, _) => copying::write(cx, view.buffer, view.offset, &value, &elem.dims),
    }
}

/// Keeps a value and where it goes.
fn wait(cx: &mut Lower<'_>, sink: &UpdateSink<'_>, waiting: &Waiting, views: &[Array], emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let count = Expr::Var(waiting.count);
    let elems = sink.elems();
    columns::grow_all(cx, &waiting.values, &elems, count);
    for (buffer, view) in waiting.offsets.iter().zip(views) {
        let needed = exprs.add(count, expr::int(1));
        cx.code.grow(*buffer, count, needed);
        cx.code.store(*buffer, count, view.offset);
    }
    let arrays: Vec<(Elem, Array)> =
        elems.into_iter().zip(waiting.values.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
    values::put(cx, &arrays, count, &emit.value)?;
    cx.code.set(waiting.count, exprs.add(count, expr::int(1)));
    Ok(())
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: UpdateSink<'_>, bound: &Bound) -> Low<()> {
    let exprs = cx.code.exprs;
    if let Some(waiting) = &sink.waiting {
        let elems = sink.elems();
        cx.count_loop("k", Expr::Var(waiting.count), |cx, k| {
            let mut views = Vec::new();
            for (target, offsets) in sink.targets.iter().zip(&waiting.offsets) {
                let offset = cx.code.name_int("slot", exprs.load(*offsets, k));
                let strides = match &target.array.strides {
                    Strides::RowMajor => Strides::RowMajor,
                    Strides::Explicit(all) => {
                        Strides::Explicit(all[all.len() - target.elem.dims.len().min(all.len())..].to_vec())
                    }
                };
                views.push(Array { buffer: target.array.buffer, offset, strides, whole: false });
            }
            let values = columns::read_all(cx, &waiting.values, &elems, k);
            write_values(cx, &sink, &views, values)
        })?;
    }
    for (var, target) in bound.elems.iter().zip(sink.targets) {
        cx.homes.bind(*var, Rep::Array(target.array));
    }
    Ok(())
}
