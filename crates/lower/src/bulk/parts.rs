//! Combining values with elements of an array in parallel: the loop is cut into a fixed number of parts, each collects
//! into an array of its own, and these are combined in order. Worth it if there are many more values than elements;
//! otherwise values are written by [`super::scatter`].

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, dims, place, vector};
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::{columns, form, general, scatter, update, walk};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::{Atom, Bulk, Dim, Emit, Kind, Program, Region, Step, Var};
use kernel::{Expr, Mode, Var as K};
use scalar::Prim;

/// The number of parts: a constant, so that results do not depend on the number of threads.
const PARTS: i64 = 16;

/// Parts pay off from this many values for each element, on average, and from this many values in all.
const VALUES_PER_ELEMENT: i64 = 32;

const LEAST_VALUES: i64 = 32768;

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
    /// Whether a part has a value for an element.
    there: K,
    /// Where the part begins.
    base: Expr,
}

/// The loop of a bulk form of this kind: one output of scalars, bindings and then one loop, full subscripts.
pub(crate) fn loop_of<'b>(program: &Program, bulk: &'b Bulk) -> Option<(Var, Atom, &'b [Step])> {
    let ([output], Some((Step::For { var, count, body }, before))) = (&bulk.outputs[..], bulk.steps.split_last())
    else {
        return None;
    };
    let Kind::Accum { arrays, .. } = &output.kind else {
        return None;
    };
    let full = |emit: &Emit| emit.at.iter().all(|a| a.var().is_none_or(|v| program.ty(v).dims().is_empty()));
    let fits = before.iter().all(|step| matches!(step, Step::Let(_)))
        && output.elems.iter().all(|e| program.ty(*e).dims().is_empty())
        && arrays.iter().all(|a| is_regular(program.ty(*a).dims()))
        && all_emits(body, &|emit| full(emit) && arrays.iter().all(|a| program.ty(*a).dims().len() == emit.at.len()));
    fits.then_some((*var, *count, body))
}

fn all_emits(steps: &[Step], holds: &dyn Fn(&Emit) -> bool) -> bool {
    steps.iter().all(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => all_emits(body, holds),
        Step::Let(_) => true,
        Step::Emit(emit) => holds(emit),
    })
}

/// A bulk form of this kind: in parts, or as it comes if that is not worth it.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk) -> Low<()> {
    let exprs = cx.code.exprs;
    let ([output], [own], Some((var, count, body))) = (&bulk.outputs[..], bound, loop_of(cx.src, bulk)) else {
        return general::lower(cx, bound, bulk);
    };
    let Kind::Accum { arrays, skip, op } = &output.kind else {
        return general::lower(cx, bound, bulk);
    };
    let mut targets = Vec::new();
    for array in arrays {
        targets.push(vector::array(cx, *array));
    }
    let reads = update::reads_memory(cx, &targets, bulk);
    if reads || !targets.iter().all(Array::is_row_major) {
        return scatter::lower(cx, bound, bulk);
    }
    cx.code.open();
    let results: Vec<Atom> = own.elems.iter().copied().map(Atom::Var).collect();
    scope::items(
        cx,
        &bulk.steps,
        &results,
        |m, step| m.step(step),
        |cx, step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            Step::For { .. } | Step::Guard(..) | Step::Emit(_) => {
                let count = cx.homes.scalar(count);
                let dims = cx.src.ty(arrays[0]).dims().to_vec();
                let cells = dims::count(cx, &dims);
                let many = exprs.le(expr::int(LEAST_VALUES), count);
                let few = exprs.le(cells, exprs.div(count, expr::int(VALUES_PER_ELEMENT)));
                cx.branch(
                    exprs.and(many, few),
                    |cx| {
                        let elems = form::elems(cx, output);
                        let values = Vec::new();
                        let (skip, base, there) = (*skip, expr::int(0), K(0));
                        let sink = PartSink { op, elems, dims, skip, values, there, base };
                        all_parts(cx, sink, &targets, (var, count, body), cells)
                    },
                    |cx| {
                        let target = update::open_writes(cx, output, arrays, *skip, Some(op));
                        scatter::write_step(cx, &target, true, step)
                    },
                )
            }
        },
    )?;
    for (var, target) in own.elems.iter().zip(targets) {
        cx.homes.bind(*var, Rep::Array(target));
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

fn all_parts(
    cx: &mut Lower<'_>,
    mut sink: PartSink<'_>,
    targets: &[Array],
    (var, count, body): (Var, Expr, &[Step]),
    cells: Expr,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let room = cx.code.name_int("room", exprs.capacity(cells, expr::int(PARTS)));
    for elem in &sink.elems {
        let buffer = cx.code.alloc("part", elem.prim, room);
        sink.values.push(buffer);
    }
    sink.there = cx.code.alloc("there", Prim::U8, room);
    let length = cx.code.name_int("length", exprs.blocks_of(count, PARTS));
    let (op, elems, values, there) = (sink.op, sink.elems.clone(), sink.values.clone(), sink.there);
    cx.for_loop("p", expr::int(0), expr::int(PARTS), Mode::Parallel, |cx, p| {
        let base = cx.code.name_int("base", exprs.mul(p, cells));
        cx.count_loop("c", cells, |cx, c| {
            cx.code.store(there, exprs.add(base, c), expr::byte(0));
        });
        sink.base = base;
        let low = cx.code.name_int("low", exprs.mul(p, length));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, length), count));
        cx.for_loop("i", low, high, Mode::Sequential, |cx, i| {
            cx.homes.bind(var, Rep::Scalar(i));
            walk::steps(cx, body, &mut |cx, emit| put_in_part(cx, &sink, emit), false)
        })
    })?;
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(cells, CELLS));
    cx.for_loop("b", expr::int(0), blocks, Mode::Parallel, |cx, b| {
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(CELLS)));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, expr::int(CELLS)), cells));
        cx.count_loop("p", expr::int(PARTS), |cx, p| {
            let base = cx.code.name_int("base", exprs.mul(p, cells));
            cx.for_loop("c", low, high, Mode::Sequential, |cx, c| {
                add_cell(cx, op, targets, (&values, &elems), there, base, c)
            })
        })
    })
}

/// Combines an element with the value that a part collected for it, if any.
fn add_cell(
    cx: &mut Lower<'_>,
    op: &Region,
    targets: &[Array],
    (values, elems): (&[K], &[Elem]),
    there: K,
    base: Expr,
    c: Expr,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let slot = cx.code.name_int("slot", exprs.add(base, c));
    cx.when(exprs.not_zero(exprs.load(there, slot)), |cx| {
        let mut old = Vec::new();
        for target in targets {
            old.push(copying::read(cx, target.buffer, exprs.add(target.offset, c), &[]));
        }
        let new = columns::read_all(cx, values, elems, slot);
        scope::with_op(cx, op, old, new, |cx, results| {
            for (target, result) in targets.iter().zip(&results) {
                copying::write(cx, target.buffer, exprs.add(target.offset, c), result, &[]);
            }
        })
    })
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
    cx.branch(
        exprs.not_zero(exprs.load(sink.there, slot)),
        |cx| {
            let old = columns::read_all(cx, &sink.values, &sink.elems, slot);
            scope::with_op(cx, sink.op, old, new, |cx, results| {
                columns::write_all(cx, &sink.values, &sink.elems, slot, &results)
            })
        },
        |cx| {
            cx.code.store(sink.there, slot, expr::byte(1));
            columns::write_all(cx, &sink.values, &sink.elems, slot, &first);
            Low::Ok(())
        },
    )?;
    cx.code.close_inline();
    Ok(())
}
