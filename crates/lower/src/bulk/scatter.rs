//! Replacing elements of arrays, or combining them with values, in parallel, with the same result as one after the
//! other.
//!
//! Each loop of the form goes one of four ways:
//!
//! - Its turns write to disjoint places, because a subscript moves with the loop: turns in any order.
//! - It is cheap: every thread runs the whole loop for a range of places, and writes only what falls into that. So
//!   writes to one place stay in order, and no result depends on the number of ranges.
//! - Its values are costly, or see the old arrays: values and places are computed first, in parallel, each in a slot of
//!   its own; then they are written, by ranges again.
//! - How many values a turn gives is unknown: one after the other.

use crate::arrays::{dims, place};
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::update::UpdateSink;
use crate::bulk::walk::{Loops, Taker};
use crate::bulk::{columns, general, update, values, walk};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use analysis::cost::{heavy_block, heavy_lets};
use analysis::counted::{computed_before, counted};
use analysis::emits;
use base::Set;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Step, Var};
use kernel::{Expr, Mode, Op, Var as K};
use scalar::{BinOp, Prim};

/// From this many writes on, several threads pay off.
const LEAST_WRITES: i64 = 32768;

/// Ranges are whole lines of the cache, which no two threads write to.
const LINE: i64 = 16;

/// Values with their places, each in a slot.
struct Batch {
    /// How many slots there are.
    count: Expr,
    /// The number of the element that a value is for; negative where the slot is empty.
    places: K,
    /// For each component, the values.
    values: Vec<K>,
}

/// Where the values of one turn go.
pub(crate) struct SlotSink {
    /// The dimensions of the arrays, and how many of them subscripts select from.
    dims: Vec<Dim>,
    skip: bool,
    values: Vec<(Elem, Array)>,
    places: K,
    /// The next slot.
    next: K,
}

/// Whether different turns of a loop write to different places: a subscript is the same for all values of a turn, and
/// is the loop's variable or differs from that by what is constant in the loop.
fn writes_disjoint(var: Var, body: &[Step]) -> bool {
    let emits = emits::all(body);
    let inside = bound_in(body);
    let constant = |a: &Atom| a.var().is_none_or(|v| v != var && !inside.contains(&v));
    let is_var = |a: &Atom| a.var() == Some(var);
    let moves = |atom: &Atom| {
        is_var(atom)
            || body.iter().any(|step| match step {
                Step::Let(stm) if stm.vars.first().copied() == atom.var() && atom.var().is_some() => match &stm.exp {
                    Exp::Bin(BinOp::Add, Prim::I64, a, b) => is_var(a) && constant(b) || constant(a) && is_var(b),
                    Exp::Bin(BinOp::Sub, Prim::I64, a, b) => is_var(a) && constant(b) || constant(a) && is_var(b),
                    Exp::Atom(a) => is_var(a),
                    _ => false,
                },
                _ => false,
            })
    };
    let Some((first, others)) = emits.split_first() else {
        return true;
    };
    (0..first.at.len()).any(|d| moves(&first.at[d]) && others.iter().all(|e| e.at[d] == first.at[d]))
}

/// What steps bind.
fn bound_in(steps: &[Step]) -> Set<Var> {
    let mut out = Set::default();
    for step in steps {
        match step {
            Step::For { var, body, .. } => {
                out.insert(*var);
                out.extend(bound_in(body));
            }
            Step::Guard(_, body) => out.extend(bound_in(body)),
            Step::Let(stm) => out.extend(stm.vars.iter().copied()),
            Step::Scan(scan) => out.extend(scan.vars.iter().copied()),
            Step::Emit(_) => {}
        }
    }
    out
}

/// Whether every thread may take all turns of a loop: that costs little, and which check fails first does not depend on
/// which thread writes which value.
fn cheap(body: &[Step]) -> bool {
    let emits = emits::all(body);
    !heavy_lets(body) && emits.iter().all(|e| !heavy_block(&e.value) && !may_fail(&e.value))
}

/// Whether combining old elements with values may fail. Which failure is reported must not depend on the threads.
fn combining_fails(target: &UpdateSink<'_>) -> bool {
    target.op.is_some_and(|op| may_fail(&op.body))
}

fn may_fail(block: &Block) -> bool {
    block.stms.iter().any(|stm| match &stm.exp {
        Exp::Assert { .. } | Exp::Ensure { .. } => true,
        Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => may_fail(then) || may_fail(otherwise),
        _ => false,
    })
}

/// Whether every turn gives as many values as there are slots.
fn gives_all(body: &[Step]) -> bool {
    body.iter().all(|step| match step {
        Step::Guard(..) => false,
        Step::For { body, .. } => gives_all(body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => true,
    })
}

/// A bulk form of this kind.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk) -> Low<()> {
    let ([output], [own]) = (&bulk.outputs[..], bound) else {
        return general::lower(cx, bound, bulk, false);
    };
    let (arrays, skip, op) = match &output.kind {
        Kind::Update { arrays, skip, .. } => (arrays, *skip, None),
        Kind::Accum { arrays, skip, op, .. } => (arrays, *skip, Some(op)),
        Kind::Gen { .. } | Kind::Reduce { .. } | Kind::Keep => {
            return general::lower(cx, bound, bulk, false);
        }
    };
    let target = update::open_writes(cx, output, arrays, skip, op);
    let memory = target.memory();
    let reads = update::reads_memory(cx, &memory, bulk);
    let packed = memory.iter().all(Array::is_row_major);
    if reads && (combining_fails(&target) || !packed || !bulk.steps.iter().all(counted)) {
        return general::lower(cx, bound, bulk, false);
    }
    cx.code.open();
    let mut batches = Vec::new();
    let results: Vec<Atom> = own.elems.iter().copied().map(Atom::Var).collect();
    scope::items(
        cx,
        &bulk.steps,
        &results,
        |m, step| m.step(step),
        |cx, step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            step if reads => {
                let batch = collect(cx, &target, step)?;
                // It lives until everything is written.
                batch.buffers().for_each(|b| {
                    cx.code.disown(b);
                });
                batches.push(batch);
                Ok(())
            }
            step => write_step(cx, &target, packed, step),
        },
    )?;
    batches.iter().flat_map(Batch::buffers).for_each(|b| cx.code.own(b));
    for batch in &batches {
        write_batch(cx, &target, batch)?;
    }
    for (var, array) in own.elems.iter().zip(memory) {
        cx.homes.bind(*var, Rep::Array(array));
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

/// Writes the values of a step, which do not read the memory that is written.
pub(crate) fn write_step(cx: &mut Lower<'_>, target: &UpdateSink<'_>, packed: bool, step: &Step) -> Low<()> {
    let take = &mut |cx: &mut Lower<'_>, emit: &Emit| update::put(cx, target, emit);
    match step {
        step if combining_fails(target) => walk::steps(cx, std::slice::from_ref(step), take, Loops::InOrder),
        Step::For { var, count, body, .. } if writes_disjoint(*var, body) => {
            let (count, name) = (cx.homes.scalar(*count), cx.name_of(*var));
            cx.parallel_loop(name, count, walk::work_of(body), |cx, i| {
                cx.bind_index(*var, i);
                walk::steps(cx, body, take, Loops::Inside)
            })
        }
        Step::For { var, count, body, .. } if cheap(body) => write_in_ranges(cx, target, (*var, *count, body)),
        Step::For { .. } if packed && counted(step) => {
            cx.code.open();
            let batch = collect(cx, target, step)?;
            write_batch(cx, target, &batch)?;
            cx.code.close_inline();
            Ok(())
        }
        step => walk::steps(cx, std::slice::from_ref(step), take, Loops::InOrder),
    }
}

/// A loop that every thread takes whole, each for a range of places.
fn write_in_ranges(cx: &mut Lower<'_>, target: &UpdateSink<'_>, (var, count, body): (Var, Atom, &[Step])) -> Low<()> {
    let exprs = cx.code.exprs;
    let turns = cx.homes.scalar(count);
    let nested = body.iter().any(|s| matches!(s, Step::For { .. }));
    let many = if nested { expr::truth(true) } else { exprs.le(expr::int(LEAST_WRITES), turns) };
    let name = cx.name_of(var);
    each_range(cx, target, many, |cx, range| {
        let mut take = match row_loop(target, body) {
            Some(var) => InRange { target: target.clone(), row: Some((var, range)) },
            None => InRange { target: target.within(range), row: None },
        };
        cx.count_loop(name, turns, |cx, i| {
            cx.bind_index(var, i);
            walk::steps(cx, body, &mut take, Loops::Inside)
        })
    })
}

/// Writes what falls into a range of places.
struct InRange<'b> {
    target: UpdateSink<'b>,
    /// A loop whose index is the place, and the range: other turns of it are left out.
    row: Option<(Var, (Expr, Expr))>,
}

impl Taker for InRange<'_> {
    fn take(&mut self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        update::put(cx, &self.target, emit)
    }

    fn part_of(&self, step: &Step) -> Option<(Expr, Expr)> {
        let Step::For { var, .. } = step else { return None };
        self.row.filter(|(row, _)| row == var).map(|(_, range)| range)
    }
}

/// The innermost loop around all values, if its index is the place that each is written to.
fn row_loop(target: &UpdateSink<'_>, body: &[Step]) -> Option<Var> {
    let (last, before) = body.split_last()?;
    let Step::For { var, body, .. } = last else { return None };
    let only_here = before.iter().all(|step| matches!(step, Step::Let(_)));
    let is_place = |emit: &Emit| emit.at == [Atom::Var(*var)];
    let plain = body.iter().all(|step| matches!(step, Step::Let(_) | Step::Emit(_)));
    let fits = only_here && plain && target.subscripted().len() == 1 && emits::all(body).into_iter().all(is_place);
    fits.then_some(*var)
}

/// Cuts the elements that subscripts select into ranges, as many as there are threads if there is much to write.
fn each_range(
    cx: &mut Lower<'_>,
    target: &UpdateSink<'_>,
    many: Expr,
    work: impl FnOnce(&mut Lower<'_>, (Expr, Expr)) -> Low<()>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let cells = dims::count(cx, target.subscripted());
    let ranges = cx.code.name_int("ranges", exprs.select(many, exprs.op(Op::Threads), expr::int(1)));
    let lines = exprs.add(exprs.div(exprs.div(cells, ranges), expr::int(LINE)), expr::int(1));
    let length = cx.code.name_int("length", exprs.mul(lines, expr::int(LINE)));
    cx.for_loop("r", expr::int(0), ranges, Mode::Parallel, |cx, r| {
        let low = cx.code.name_int("low", exprs.mul(r, length));
        let high = cx.code.name_int("high", exprs.add(low, length));
        work(cx, (low, high))
    })
}

/// The values of a step and their places.
fn collect(cx: &mut Lower<'_>, target: &UpdateSink<'_>, step: &Step) -> Low<Batch> {
    let exprs = cx.code.exprs;
    let mut unknown = Set::default();
    let (turns, body) = match step {
        Step::For { var, count, body, .. } => {
            unknown.insert(*var);
            (cx.homes.scalar(*count), &body[..])
        }
        other => (expr::int(1), std::slice::from_ref(other)),
    };
    let turns = cx.code.name_int("turns", exprs.max(turns, expr::int(0)));
    let most = most_values(cx, body, &mut unknown)?;
    let count = cx.code.name_int("count", exprs.capacity(turns, most));
    let places = cx.code.alloc("places", Prim::I64, count);
    let mut values = Vec::new();
    for elem in target.elems() {
        let buffer = cx.code.alloc("values", elem.prim, exprs.capacity(count, elem.row));
        values.push((elem, Array::at(buffer, expr::int(0))));
    }
    let batch = Batch { count, places, values: values.iter().map(|(_, array)| array.buffer).collect() };
    let (dims, skip) = (target.dims().to_vec(), target.skip);
    cx.parallel_loop("turn", turns, walk::work_of(body), |cx, i| {
        let first = cx.code.name_int("first", exprs.mul(i, most));
        let next = cx.code.variable("slot", first);
        if let Step::For { var, .. } = step {
            cx.bind_index(*var, i);
        }
        let sink = SlotSink { dims, skip, values, places, next };
        let take = &mut |cx: &mut Lower<'_>, emit: &Emit| put_in_slot(cx, &sink, emit);
        walk::steps(cx, body, take, Loops::Inside)?;
        if gives_all(body) && !skip {
            return Low::Ok(());
        }
        let end = exprs.add(first, most);
        cx.for_loop("k", Expr::Var(next), end, Mode::Sequential, |cx, k| {
            cx.code.store(places, k, expr::int(-1));
        });
        Ok(())
    })?;
    Ok(batch)
}

/// How many values steps give at most. The bindings that this depends on are computed here already.
fn most_values(cx: &mut Lower<'_>, steps: &[Step], unknown: &mut Set<Var>) -> Low<Expr> {
    let exprs = cx.code.exprs;
    let mut most = expr::int(0);
    for step in steps {
        let more = match step {
            Step::Let(stm) if computed_before(stm, unknown) => {
                (cx.lower_stm)(cx, stm)?;
                continue;
            }
            Step::Let(stm) => {
                unknown.extend(stm.vars.iter().copied());
                continue;
            }
            Step::Scan(scan) => {
                unknown.extend(&scan.vars);
                continue;
            }
            Step::Emit(_) => expr::int(1),
            Step::Guard(_, body) => most_values(cx, body, unknown)?,
            Step::For { var, count, body, .. } => {
                unknown.insert(*var);
                let turns = cx.homes.scalar(*count);
                let turns = cx.code.name_int("turns", exprs.max(turns, expr::int(0)));
                exprs.capacity(turns, most_values(cx, body, unknown)?)
            }
        };
        most = cx.code.name_int("most", exprs.capacity_sum(most, more));
    }
    Ok(most)
}

pub(crate) fn put_in_slot(cx: &mut Lower<'_>, sink: &SlotSink, emit: &Emit) -> Low<()> {
    let at = cx.homes.scalars(&emit.at);
    if !sink.skip {
        return fill_slot(cx, sink, &at, emit);
    }
    update::if_inside(cx, &sink.dims, &at, 0, &mut |cx| fill_slot(cx, sink, &at, emit))
}

fn fill_slot(cx: &mut Lower<'_>, sink: &SlotSink, at: &[Expr], emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let place = place::place(cx, &sink.dims[..at.len()], at)?;
    let next = Expr::Var(sink.next);
    cx.code.store(sink.places, next, place);
    values::put(cx, &sink.values, next, &emit.value)?;
    cx.code.set(sink.next, exprs.add(next, expr::int(1)));
    Ok(())
}

/// Writes values to their places, in order.
fn write_batch(cx: &mut Lower<'_>, target: &UpdateSink<'_>, batch: &Batch) -> Low<()> {
    let exprs = cx.code.exprs;
    let elems = target.elems();
    let many = exprs.le(expr::int(LEAST_WRITES), batch.count);
    each_range(cx, target, many, |cx, (low, high)| {
        cx.count_loop("k", batch.count, |cx, k| {
            let place = cx.code.name_int("place", exprs.load(batch.places, k));
            let mine = exprs.and(exprs.le(low, place), exprs.lt(place, high));
            cx.when(mine, |cx| {
                let values = columns::read_all(cx, &batch.values, &elems, k);
                let mut views = Vec::new();
                for (array, elem) in target.memory().iter().zip(&elems) {
                    let at = exprs.add(array.offset, exprs.mul(place, elem.row));
                    views.push(Array::at(array.buffer, cx.code.name_int("slot", at)));
                }
                update::write_values(cx, target, &views, values)
            })
        })
    })
}

impl Batch {
    fn buffers(&self) -> impl Iterator<Item = K> {
        self.values.iter().copied().chain([self.places])
    }
}
