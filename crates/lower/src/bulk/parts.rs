//! Combining values with elements of an array in parallel: the loop is cut into a fixed number of parts, each collects
//! into an array of its own, and these are combined in order. Worth it if there are many more values than elements;
//! otherwise values are written by [`super::scatter`]. A form by blocks ([`super::blocks`]) collects into parts as well, where
//! it combines values with few elements beside its reductions.

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
    /// How many elements a part has.
    cells: Expr,
    /// Where the part begins.
    base: Expr,
    /// How many parts there are.
    parts: Expr,
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
    let cells = cells(cx, accum.arrays);
    let (least, per_element) = tree::parts_limits();
    let many = exprs.le(expr::int(least), count);
    let few = exprs.le(cells, exprs.div(count, expr::int(per_element)));
    let in_parts = |cx: &mut Lower<'_>| {
        let sink = open(cx, accum.output, cells, expr::int(accum.parts));
        all_parts(cx, sink, &accum.targets, (var, count, body), (accum.parts, accum.mode))
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
    let values = elems.iter().map(|elem| cx.code.alloc("part", elem.prim, room)).collect();
    let there = cx.code.alloc("there", Prim::U8, room);
    PartSink { op, elems, dims, skip: *skip, values, there, cells, base: expr::int(0), parts }
}

impl PartSink<'_> {
    /// Part number `p` begins: it has no values.
    pub fn begin(&mut self, cx: &mut Lower<'_>, p: Expr) {
        let exprs = cx.code.exprs;
        self.base = cx.code.name_int("base", exprs.mul(p, self.cells));
        cx.count_loop("c", self.cells, |cx, c| {
            cx.code.store(self.there, exprs.add(self.base, c), expr::byte(0));
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
        cx.when(exprs.not_zero(exprs.load(self.there, slot)), |cx| {
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
    mut sink: PartSink<'_>,
    targets: &[Array],
    (var, count, body): (Var, Expr, &[Step]),
    (parts, mode): (i64, Mode),
) -> Low<()> {
    let exprs = cx.code.exprs;
    let length = exprs.blocks_of(count, parts);
    let length = cx.code.name_int("length", length);
    cx.for_loop("p", expr::int(0), sink.parts, mode, |cx, p| {
        sink.begin(cx, p);
        let low = cx.code.name_int("low", exprs.mul(p, length));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, length), count));
        cx.for_loop("i", low, high, Mode::Sequential, |cx, i| {
            cx.bind_index(var, i);
            walk::steps(cx, body, &mut |cx: &mut Lower<'_>, emit: &Emit| put_in_part(cx, &sink, emit), Loops::Inside)
        })
    })?;
    sink.add_up(cx, targets, mode)
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
