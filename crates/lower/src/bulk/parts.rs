//! Combining values with elements of an array in parallel: the loop is cut into parts, each collects into a table of its own,
//! and these are combined in order. Worth it if there are many more values than elements; otherwise values are written by
//! [`super::scatter`].
//!
//! A table begins with what changes nothing, if the operator has that. Where every order gives the same, there are as many parts
//! as threads, and for few elements each part may have several tables that take values in turn ([`ir::tree::Tables`]).
//! Several arrays may take values in one loop, and new arrays may be made beside: each part writes their elements at once.
//! A form by blocks ([`super::blocks`]) collects into parts as well, where
//! it combines values with few elements beside its reductions.

use crate::arrays::{copying, dims, place, vector};
use crate::builder::blocks::Blocks;
use crate::bulk::array::{self, ArraySink, Pass};
use crate::bulk::form::{Bound, Elem};
use crate::bulk::update::UpdateSink;
use crate::bulk::walk::Loops;
use crate::bulk::{columns, form, scatter, update, walk};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::tree::{self, Tree};
use ir::{Atom, Bulk, Dim, Emit, Kind, Output, Parts, Region, Step, Tables, Var};
use kernel::{Expr, Mode, Op, Var as K};
use scalar::{Prim, Scalar};

/// The number of elements that a piece of work combines.
const CELLS: i64 = 64;

/// Where the values of one part go.
pub(crate) struct PartSink<'b> {
    op: &'b Region,
    elems: Vec<Elem>,
    dims: Vec<Dim>,
    skip: bool,
    /// For each component, elements of all parts.
    values: Vec<K>,
    /// What the elements of a part have before the first value.
    start: Start,
    /// How many elements a part has.
    cells: Expr,
    /// Where the part begins.
    base: Expr,
    /// How many tables there are.
    parts: Expr,
}

/// What is in a table that has no values.
enum Start {
    /// What changes nothing, for each component.
    Neutral(Vec<Scalar>),
    /// Nothing: bytes say whether a part has a value for an element.
    Nothing(K),
}

/// How a loop is cut.
#[derive(Clone, Copy)]
enum Cut {
    /// Into these parts: which values are combined with each other depends on it.
    Fixed(Parts),
    /// Into any number of parts, each of which may have several tables.
    Free(Tables),
}

/// What is combined with what: the arrays, and how.
struct Accum<'b> {
    output: &'b Output,
    arrays: &'b [Var],
    skip: bool,
    op: &'b Region,
    targets: Vec<Array>,
    /// Whether values may be written at once: nothing reads what is written, and it lies in order.
    plain: bool,
}

/// An output of a form.
enum Made<'b> {
    Combined(Accum<'b>),
    New(ArraySink),
}

/// How a form runs.
#[derive(Clone, Copy)]
struct How {
    /// As it comes if there is none.
    cut: Option<Cut>,
    mode: Mode,
}

/// A bulk form of this kind: in parts, or as it comes if that is not worth it.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, threads: bool) -> Low<()> {
    let Some(Step::For { var, count, body, .. }) = bulk.steps.last() else { base::bug!("only a loop has parts") };
    let how = How { cut: cut(bulk), mode: if threads { Mode::Parallel } else { Mode::Sequential } };
    cx.code.open();
    let mut made = Vec::new();
    for (output, bound) in bulk.outputs.iter().zip(bound) {
        made.push(open_output(cx, output, bound, bulk));
    }
    let results: Vec<Atom> = bound.iter().flat_map(|own| &own.elems).copied().map(Atom::Var).collect();
    scope::items(
        cx,
        &bulk.steps,
        &results,
        |m, step| m.step(step),
        |cx, step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {
                let turns = (*var, cx.homes.scalar(*count), &body[..]);
                in_parts_or_not(cx, &made, how, turns, |cx| as_it_comes(cx, &made, how.mode, (bulk, bound), step))
            }
        },
    )?;
    for ((made, output), own) in made.into_iter().zip(&bulk.outputs).zip(bound) {
        match made {
            Made::Combined(accum) => {
                let arrays = accum.targets.into_iter().map(Rep::Array);
                own.elems.iter().zip(arrays).for_each(|(var, array)| cx.homes.bind(*var, array));
            }
            Made::New(sink) => array::close(cx, sink, output, own)?,
        }
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

/// How the loop of a form is cut: in one way for all its outputs.
fn cut(bulk: &Bulk) -> Option<Cut> {
    let cuts = bulk.outputs.iter().filter_map(|output| match output.kind {
        Kind::Accum { tree: Tree::Parts(parts), .. } => Some(Cut::Fixed(parts)),
        Kind::Accum { tree: Tree::Tables(tables), .. } => Some(Cut::Free(tables)),
        _ => None,
    });
    cuts.reduce(|one, other| if matches!(one, Cut::Fixed(_)) { one } else { other })
}

fn open_output<'b>(cx: &mut Lower<'_>, output: &'b Output, bound: &Bound, bulk: &Bulk) -> Made<'b> {
    match &output.kind {
        Kind::Accum { arrays, skip, op, .. } => {
            let targets: Vec<Array> = arrays.iter().map(|array| vector::array(cx, *array)).collect();
            let plain = is_plain(cx, &targets, bulk);
            Made::Combined(Accum { output, arrays, skip: *skip, op, targets, plain })
        }
        Kind::Gen { .. } => Made::New(array::open(cx, output, bound)),
        Kind::Update { .. } | Kind::Reduce { .. } | Kind::Keep => base::bug!("such an output has no parts"),
    }
}

fn is_plain(cx: &Lower<'_>, targets: &[Array], bulk: &Bulk) -> bool {
    !update::reads_memory(cx, targets, bulk) && targets.iter().all(Array::is_row_major)
}

/// Whether a form whose loop may be cut in any way can write its values at once.
pub(crate) fn may_be_free(cx: &mut Lower<'_>, bulk: &Bulk) -> bool {
    let changed = bulk.outputs.iter().flat_map(Output::consumes);
    let targets: Vec<Array> = changed.map(|array| vector::array(cx, *array)).collect();
    matches!(cut(bulk), Some(Cut::Fixed(_))) || is_plain(cx, &targets, bulk)
}

/// Decides at run time whether parts pay off.
fn in_parts_or_not(
    cx: &mut Lower<'_>,
    made: &[Made<'_>],
    how: How,
    (var, count, body): (Var, Expr, &[Step]),
    otherwise: impl FnOnce(&mut Lower<'_>) -> Low<()>,
) -> Low<()> {
    let Some(cut) = how.cut else { return otherwise(cx) };
    let exprs = cx.code.exprs;
    let counts: Vec<Expr> = made.iter().map(|made| elements(cx, made)).collect();
    let most = counts.iter().copied().reduce(|a, b| exprs.max(a, b)).unwrap_or(expr::int(0));
    let most = if counts.len() > 1 { cx.code.name_int("most", most) } else { most };
    let parts = Counts::of(cx, cut, most);
    let pay = match cut {
        Cut::Fixed(Parts { least, turns, elements, .. }) => {
            let most = exprs.capacity(most, expr::int(turns.into()));
            let many = exprs.le(expr::int(least.into()), count);
            exprs.and(many, exprs.le(most, exprs.capacity(count, expr::int(elements.into()))))
        }
        // Emptying tables and adding them up takes less time than the loop.
        Cut::Free(Tables { least, weight, .. }) => {
            let turns = exprs.capacity(count, expr::int(weight.into()));
            let few = exprs.le(most, exprs.div(turns, exprs.mul(parts.tables, expr::int(2))));
            exprs.and(exprs.le(expr::int(least.into()), turns), few)
        }
    };
    let in_parts = |cx: &mut Lower<'_>| {
        let mut sinks = Vec::new();
        for (made, cells) in made.iter().zip(counts) {
            sinks.push(match made {
                Made::Combined(accum) => Sink::Part(open(cx, accum.output, cells, parts.tables), &accum.targets),
                Made::New(sink) => Sink::New(sink),
            });
        }
        all_parts(cx, &mut sinks, (var, count, body), (parts, how.mode))
    };
    cx.branch(pay, in_parts, otherwise)
}

/// How many elements a table of an output has.
fn elements(cx: &mut Lower<'_>, made: &Made<'_>) -> Expr {
    match made {
        Made::Combined(accum) => cells(cx, accum.arrays),
        Made::New(_) => expr::int(0),
    }
}

/// How many parts and tables there are.
#[derive(Clone, Copy)]
struct Counts {
    parts: Expr,
    /// Of all parts.
    tables: Expr,
    /// Of a part: one, or so many if they are small.
    each: Expr,
    most: i64,
}

impl Counts {
    /// Of a loop that is cut in this way.
    fn of(cx: &mut Lower<'_>, cut: Cut, cells: Expr) -> Counts {
        let exprs = cx.code.exprs;
        match cut {
            Cut::Fixed(Parts { parts, .. }) => {
                let parts = expr::int(parts.into());
                Counts { parts, tables: parts, each: expr::int(1), most: 1 }
            }
            Cut::Free(Tables { each: most, small, .. }) => {
                let most = i64::from(most);
                let parts = cx.code.name_int("parts", exprs.op(Op::Threads));
                let is_small = exprs.le(cells, expr::int(small.into()));
                let each = if most == 1 { expr::int(1) } else { exprs.select(is_small, expr::int(most), expr::int(1)) };
                let each = cx.code.name_int("each", each);
                Counts { parts, tables: cx.code.name_int("tables", exprs.mul(parts, each)), each, most }
            }
        }
    }
}

/// One walk through the loop, which combines and writes values as they come.
fn as_it_comes(
    cx: &mut Lower<'_>,
    made: &[Made<'_>],
    mode: Mode,
    (bulk, bound): (&Bulk, &[Bound]),
    step: &Step,
) -> Low<()> {
    if let ([Made::Combined(Accum { output, arrays, skip, op, plain: true, .. })], Mode::Parallel) = (made, mode) {
        let target = update::open_writes(cx, output, arrays, *skip, Some(op));
        return scatter::write_step(cx, &target, true, step);
    }
    let mut sinks = Vec::new();
    for made in made {
        sinks.push(match made {
            Made::Combined(Accum { output, arrays, skip, op, plain: true, .. }) => {
                Sink::Whole(update::open_writes(cx, output, arrays, *skip, Some(op)))
            }
            Made::Combined(Accum { output, arrays, skip, op, .. }) => {
                Sink::Whole(update::open(cx, output, arrays, *skip, Some(op), bulk))
            }
            Made::New(sink) => Sink::New(sink),
        });
    }
    let take = &mut |cx: &mut Lower<'_>, emit: &Emit| sinks[emit.output].put(cx, emit);
    walk::steps(cx, std::slice::from_ref(step), take, Loops::InOrder)?;
    for (sink, own) in sinks.into_iter().zip(bound) {
        match sink {
            Sink::Whole(sink) => update::close(cx, sink, own)?,
            Sink::Part(..) | Sink::New(_) => {}
        }
    }
    Ok(())
}

/// Where the values of an output go while the loop runs.
enum Sink<'s, 'b> {
    /// Into tables of parts, and then into arrays.
    Part(PartSink<'b>, &'s [Array]),
    /// Into arrays at once.
    Whole(UpdateSink<'b>),
    New(&'s ArraySink),
}

impl Sink<'_, '_> {
    fn put(&self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        match self {
            Sink::Part(sink, _) => put_in_part(cx, sink, emit),
            Sink::Whole(sink) => update::put(cx, sink, emit),
            Sink::New(sink) => array::put(cx, sink, emit, Pass::Both),
        }
    }
}

/// How many elements arrays have that values are combined with.
pub(crate) fn cells(cx: &mut Lower<'_>, arrays: &[Var]) -> Expr {
    let dims = cx.src.ty(arrays[0]).dims().to_vec();
    dims::count(cx, &dims)
}

/// Memory for all parts of an output, of so many elements each.
pub(crate) fn open<'b>(cx: &mut Lower<'_>, output: &'b Output, cells: Expr, parts: Expr) -> PartSink<'b> {
    let Kind::Accum { arrays, skip, op, .. } = &output.kind else { base::bug!("only combinations have parts") };
    let elems = form::elems(cx, output);
    let dims = cx.src.ty(arrays[0]).dims().to_vec();
    let room = cx.code.exprs.capacity(cells, parts);
    let room = cx.code.name_int("room", room);
    let values = elems.iter().map(|elem| cx.code.table("part", elem.prim, room)).collect();
    let start = match tree::identities(op) {
        Some(neutral) => Start::Neutral(neutral),
        None => Start::Nothing(cx.code.table("there", Prim::U8, room)),
    };
    PartSink { op, elems, dims, skip: *skip, values, start, cells, base: expr::int(0), parts }
}

impl PartSink<'_> {
    /// Part number `p` begins: it has no values.
    pub fn begin(&mut self, cx: &mut Lower<'_>, p: Expr) {
        self.begin_tables(cx, p, expr::int(1));
    }

    /// A part begins, which has so many tables from number `first` on.
    fn begin_tables(&mut self, cx: &mut Lower<'_>, first: Expr, each: Expr) {
        let exprs = cx.code.exprs;
        self.base = cx.code.name_int("base", exprs.mul(first, self.cells));
        cx.count_loop("c", exprs.mul(each, self.cells), |cx, c| {
            let slot = exprs.add(self.base, c);
            match &self.start {
                Start::Neutral(neutral) => {
                    let neutral = neutral.iter().map(|value| Expr::Const(*value));
                    self.values.iter().zip(neutral).for_each(|(buffer, value)| cx.code.store(*buffer, slot, value));
                }
                Start::Nothing(there) => cx.code.store(*there, slot, expr::byte(0)),
            }
        });
    }

    /// Combines the elements of arrays with what all parts collected for them.
    pub fn add_up(&self, cx: &mut Lower<'_>, targets: &[Array], mode: Mode) -> Low<()> {
        let exprs = cx.code.exprs;
        let packed = self.packed_copies(cx, targets);
        let blocks = cx.code.name_int("blocks", exprs.blocks_of(self.cells, CELLS));
        cx.for_loop("b", expr::int(0), blocks, mode, |cx, b| {
            let low = cx.code.name_int("low", exprs.mul(b, expr::int(CELLS)));
            let high = cx.code.name_int("high", exprs.min(exprs.add(low, expr::int(CELLS)), self.cells));
            cx.count_loop("p", self.parts, |cx, p| {
                let base = cx.code.name_int("base", exprs.mul(p, self.cells));
                cx.for_loop("c", low, high, Mode::Sequential, |cx, c| self.add_cell(cx, &packed, base, c))
            })
        })?;
        self.copy_back(cx, targets, &packed);
        Ok(())
    }

    /// The arrays in row-major order: copies of those that are not.
    fn packed_copies(&self, cx: &mut Lower<'_>, targets: &[Array]) -> Vec<Array> {
        let packed = |target: &Array| match target.is_row_major() {
            true => target.clone(),
            false => copying::copy(cx, target, &self.dims),
        };
        targets.iter().map(packed).collect()
    }

    /// Puts elements back into the arrays that were copied.
    fn copy_back(&self, cx: &mut Lower<'_>, targets: &[Array], packed: &[Array]) {
        for (target, copy) in targets.iter().zip(packed) {
            if !target.is_row_major() {
                let strides = dims::strides(cx, target, &self.dims);
                copying::copy_strided(cx, target, &strides, copy, &self.dims);
            }
        }
    }

    /// Combines an element with the value that a part collected for it, if any.
    fn add_cell(&self, cx: &mut Lower<'_>, targets: &[Array], base: Expr, c: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let slot = cx.code.name_int("slot", exprs.add(base, c));
        let is_there = match self.start {
            Start::Neutral(_) => expr::truth(true),
            Start::Nothing(there) => exprs.not_zero(exprs.load(there, slot)),
        };
        cx.when(is_there, |cx| {
            let mut old = Vec::new();
            for target in targets {
                old.push(copying::read(cx, target.buffer, exprs.add(target.offset, c), &[]));
            }
            let new = columns::read_all(cx, &self.values, &self.elems, slot);
            scope::with_op(cx, self.op, old, new, |cx, results| {
                for (target, result) in targets.iter().zip(&results) {
                    copying::write(cx, target.buffer, exprs.add(target.offset, c), result, &[]);
                }
            })
        })
    }
}

fn all_parts(
    cx: &mut Lower<'_>,
    sinks: &mut [Sink<'_, '_>],
    (var, count, body): (Var, Expr, &[Step]),
    (Counts { parts, each, most, .. }, mode): (Counts, Mode),
) -> Low<()> {
    let exprs = cx.code.exprs;
    let length = match expr::as_int(parts) {
        Some(parts) => exprs.blocks_of(count, parts),
        None => exprs.add(exprs.div(exprs.sub(count, expr::int(1)), parts), expr::int(1)),
    };
    let length = cx.code.name_int("length", length);
    cx.for_loop("p", expr::int(0), parts, mode, |cx, p| {
        for sink in tables(sinks) {
            sink.begin_tables(cx, exprs.mul(p, each), each);
        }
        let low = cx.code.name_int("low", exprs.mul(p, length));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, length), count));
        match expr::as_int(each) {
            Some(1) => one_table(cx, sinks, (var, body), low, high),
            _ => in_turn(cx, sinks, (var, body), (low, high), (each, most)),
        }
    })?;
    for sink in sinks {
        if let Sink::Part(sink, targets) = sink {
            sink.add_up(cx, targets, mode)?;
        }
    }
    Ok(())
}

/// The outputs that have tables.
fn tables<'t, 'b: 't>(sinks: &'t mut [Sink<'_, 'b>]) -> impl Iterator<Item = &'t mut PartSink<'b>> {
    sinks.iter_mut().filter_map(|sink| match sink {
        Sink::Part(sink, _) => Some(sink),
        Sink::Whole(_) | Sink::New(_) => None,
    })
}

/// Values of turns go into one table.
fn one_table(
    cx: &mut Lower<'_>,
    sinks: &[Sink<'_, '_>],
    (var, body): (Var, &[Step]),
    low: Expr,
    high: Expr,
) -> Low<()> {
    cx.for_loop("i", low, high, Mode::Sequential, |cx, i| one_turn(cx, sinks, (var, body), i))
}

fn one_turn(cx: &mut Lower<'_>, sinks: &[Sink<'_, '_>], (var, body): (Var, &[Step]), i: Expr) -> Low<()> {
    cx.bind_index(var, i);
    let take = &mut |cx: &mut Lower<'_>, emit: &Emit| sinks[emit.output].put(cx, emit);
    walk::steps(cx, body, take, Loops::Inside)
}

/// Values of turns go into the tables of a part in turn, or into one if it has no more.
fn in_turn(
    cx: &mut Lower<'_>,
    sinks: &mut [Sink<'_, '_>],
    turn: (Var, &[Step]),
    (low, high): (Expr, Expr),
    (each, most): (Expr, i64),
) -> Low<()> {
    let exprs = cx.code.exprs;
    let mut steps = Vec::new();
    for sink in tables(sinks) {
        let apart = exprs.select(exprs.eq(each, expr::int(1)), expr::int(0), sink.cells);
        steps.push((sink.base, cx.code.name_int("apart", apart)));
    }
    let rounds = cx.code.name_int("rounds", exprs.div(exprs.sub(high, low), expr::int(most)));
    cx.count_loop("r", rounds, |cx, r| {
        let round = cx.code.name_int("round", exprs.add(low, exprs.mul(r, expr::int(most))));
        cx.count_loop("k", expr::int(most), |cx, k| {
            for (sink, (first, apart)) in tables(sinks).zip(&steps) {
                sink.base = cx.code.name_int("base", exprs.add(*first, exprs.mul(k, *apart)));
            }
            let i = cx.code.name_int("i", exprs.add(round, k));
            one_turn(cx, sinks, turn, i)
        })
    })?;
    for (sink, (first, _)) in tables(sinks).zip(&steps) {
        sink.base = *first;
    }
    let rest = cx.code.name_int("rest", exprs.add(low, exprs.mul(rounds, expr::int(most))));
    one_table(cx, sinks, turn, rest, high)
}

pub(crate) fn put_in_part(cx: &mut Lower<'_>, sink: &PartSink<'_>, emit: &Emit) -> Low<()> {
    let at = cx.homes.scalars(&emit.at);
    if !sink.skip {
        return combine_in_part(cx, sink, &at, emit);
    }
    update::if_inside(cx, &sink.dims, &at, 0, &mut |cx| combine_in_part(cx, sink, &at, emit))
}

fn combine_in_part(cx: &mut Lower<'_>, sink: &PartSink<'_>, at: &[Expr], emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let place = place::place(cx, &sink.dims, at)?;
    let slot = cx.code.name_int("slot", exprs.add(sink.base, place));
    let new = scope::open_block(cx, &emit.value)?;
    let first = new.clone();
    let combine = |cx: &mut Lower<'_>| {
        let old = columns::read_all(cx, &sink.values, &sink.elems, slot);
        scope::with_op(cx, sink.op, old, new, |cx, results| {
            columns::write_all(cx, &sink.values, &sink.elems, slot, &results)
        })
    };
    match sink.start {
        Start::Neutral(_) => combine(cx)?,
        Start::Nothing(there) => cx.branch(exprs.not_zero(exprs.load(there, slot)), combine, |cx| {
            cx.code.store(there, slot, expr::byte(1));
            columns::write_all(cx, &sink.values, &sink.elems, slot, &first);
            Low::Ok(())
        })?,
    }
    cx.code.close_inline();
    Ok(())
}
