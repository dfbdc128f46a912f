//! Combining values with elements of an array in parallel: the loop is cut into a fixed number of parts, each collects
//! into an array of its own, and these are combined in order. Worth it if there are many more values than elements;
//! otherwise values are written by [`super::scatter`].

use crate::arrays::{copying, dims, place, vector};
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::walk::Loops;
use crate::bulk::{columns, form, scatter, update, walk};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::tree::{self, Tree};
use ir::{Atom, Bulk, Dim, Emit, Kind, Output, Region, Step, Var};
use kernel::{Expr, Mode, Var as K};
use scalar::Prim;

/// The number of parts where every number gives the same results.
const PARTS: i64 = 16;

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
    /// How many parts there are.
    parts: i64,
}

/// What is combined with what: the arrays, and how.
struct Accum<'b> {
    output: &'b Output,
    arrays: &'b [Var],
    skip: bool,
    op: &'b Region,
    parts: i64,
    targets: Vec<Array>,
    /// Whether values may be written at once: nothing reads what is written, and it lies in order.
    plain: bool,
    /// How parts run.
    mode: Mode,
}

/// A bulk form of this kind: in parts, or as it comes if that is not worth it.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, threads: bool) -> Low<()> {
    let ([output], [own], Some(Step::For { var, count, body, .. })) = (&bulk.outputs[..], bound, bulk.steps.last())
    else {
        base::bug!("only one output and one loop have parts")
    };
    let Kind::Accum { arrays, skip, op, tree } = &output.kind else { base::bug!("only combinations have parts") };
    let targets: Vec<Array> = arrays.iter().map(|array| vector::array(cx, *array)).collect();
    let plain = !update::reads_memory(cx, &targets, bulk) && targets.iter().all(Array::is_row_major);
    let parts = match tree {
        Tree::Parts(parts) => i64::from(*parts),
        Tree::Free | Tree::InOrder | Tree::Chunks(_) if !plain => return scatter::lower(cx, bound, bulk),
        Tree::Free | Tree::InOrder | Tree::Chunks(_) => PARTS,
    };
    let mode = if threads { Mode::Parallel } else { Mode::Sequential };
    let accum = Accum { output, arrays, skip: *skip, op, parts, targets, plain, mode };
    cx.code.open();
    let results: Vec<Atom> = own.elems.iter().copied().map(Atom::Var).collect();
    scope::items(
        cx,
        &bulk.steps,
        &results,
        |m, step| m.step(step),
        |cx, step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {
                let turns = (*var, cx.homes.scalar(*count), &body[..]);
                in_parts_or_not(cx, &accum, turns, |cx| as_it_comes(cx, &accum, bulk, own, step))
            }
        },
    )?;
    for (var, target) in own.elems.iter().zip(accum.targets) {
        cx.homes.bind(*var, Rep::Array(target));
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

/// Decides at run time whether parts pay off.
fn in_parts_or_not(
    cx: &mut Lower<'_>,
    accum: &Accum<'_>,
    (var, count, body): (Var, Expr, &[Step]),
    otherwise: impl FnOnce(&mut Lower<'_>) -> Low<()>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let dims = cx.src.ty(accum.arrays[0]).dims().to_vec();
    let cells = dims::count(cx, &dims);
    let (least, per_element) = tree::parts_limits();
    let many = exprs.le(expr::int(least), count);
    let few = exprs.le(cells, exprs.div(count, expr::int(per_element)));
    let in_parts = |cx: &mut Lower<'_>| {
        let elems = form::elems(cx, accum.output);
        let (values, there, base) = (Vec::new(), K(0), expr::int(0));
        let sink = PartSink { op: accum.op, elems, dims, skip: accum.skip, values, there, base, parts: accum.parts };
        let packed = packed_copies(cx, &sink, &accum.targets);
        all_parts(cx, sink, &packed, (var, count, body), (cells, accum.mode))?;
        copy_back(cx, &accum.targets, &packed, accum.arrays);
        Low::Ok(())
    };
    cx.branch(exprs.and(many, few), in_parts, otherwise)
}

fn as_it_comes(cx: &mut Lower<'_>, accum: &Accum<'_>, bulk: &Bulk, own: &Bound, step: &Step) -> Low<()> {
    let Accum { output, arrays, skip, op, plain, mode, .. } = accum;
    if *plain {
        let target = update::open_writes(cx, output, arrays, *skip, Some(op));
        if *mode == Mode::Parallel {
            return scatter::write_step(cx, &target, true, step);
        }
        let take = &mut |cx: &mut Lower<'_>, emit: &Emit| update::put(cx, &target, emit);
        return walk::steps(cx, std::slice::from_ref(step), take, Loops::InOrder);
    }
    let sink = update::open(cx, output, arrays, *skip, Some(op), bulk);
    let take = &mut |cx: &mut Lower<'_>, emit: &Emit| update::put(cx, &sink, emit);
    walk::steps(cx, std::slice::from_ref(step), take, Loops::InOrder)?;
    update::close(cx, sink, own)
}

/// The arrays in row-major order: copies of those that are not.
fn packed_copies(cx: &mut Lower<'_>, sink: &PartSink<'_>, targets: &[Array]) -> Vec<Array> {
    let packed = |target: &Array| match target.is_row_major() {
        true => target.clone(),
        false => copying::copy(cx, target, &sink.dims),
    };
    targets.iter().map(packed).collect()
}

/// Puts elements back into the arrays that were copied.
fn copy_back(cx: &mut Lower<'_>, targets: &[Array], packed: &[Array], arrays: &[Var]) {
    for ((target, copy), array) in targets.iter().zip(packed).zip(arrays) {
        if !target.is_row_major() {
            let dims = cx.src.ty(*array).dims();
            let strides = dims::strides(cx, target, dims);
            copying::copy_strided(cx, target, &strides, copy, dims);
        }
    }
}

fn all_parts(
    cx: &mut Lower<'_>,
    mut sink: PartSink<'_>,
    targets: &[Array],
    (var, count, body): (Var, Expr, &[Step]),
    (cells, mode): (Expr, Mode),
) -> Low<()> {
    let exprs = cx.code.exprs;
    let parts = sink.parts;
    let room = cx.code.name_int("room", exprs.capacity(cells, expr::int(parts)));
    for elem in &sink.elems {
        let buffer = cx.code.alloc("part", elem.prim, room);
        sink.values.push(buffer);
    }
    sink.there = cx.code.alloc("there", Prim::U8, room);
    let length = cx.code.name_int("length", exprs.blocks_of(count, parts));
    let (op, elems, values, there) = (sink.op, sink.elems.clone(), sink.values.clone(), sink.there);
    cx.for_loop("p", expr::int(0), expr::int(parts), mode, |cx, p| {
        let base = cx.code.name_int("base", exprs.mul(p, cells));
        cx.count_loop("c", cells, |cx, c| {
            cx.code.store(there, exprs.add(base, c), expr::byte(0));
        });
        sink.base = base;
        let low = cx.code.name_int("low", exprs.mul(p, length));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, length), count));
        cx.for_loop("i", low, high, Mode::Sequential, |cx, i| {
            cx.bind_index(var, i);
            walk::steps(cx, body, &mut |cx: &mut Lower<'_>, emit: &Emit| put_in_part(cx, &sink, emit), Loops::Inside)
        })
    })?;
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(cells, CELLS));
    cx.for_loop("b", expr::int(0), blocks, mode, |cx, b| {
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(CELLS)));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, expr::int(CELLS)), cells));
        cx.count_loop("p", expr::int(parts), |cx, p| {
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
