//! Memory for the offsets of descriptors that have none.

use crate::arrays::dims;
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use crate::data::rep::{Desc, Offsets};
use ir::Dim;
use kernel::{Expr, Var as K};
use scalar::Prim;

/// The offsets of a descriptor inside these dimensions in memory, where the window begins, and whether the memory is new.
/// Elements keep their numbers.
pub(crate) fn in_memory(cx: &mut Builder<'_>, desc: &Desc, dims: &[Dim]) -> (K, Expr, bool) {
    let length = match desc.offsets {
        Offsets::Memory(offsets) => return (offsets, desc.start, false),
        Offsets::Uniform(length) => length,
    };
    let exprs = cx.code.exprs;
    let (first, _) = dims::span_of(cx, dims);
    let rows = dims::capacity(cx, dims);
    let begin = cx.code.name_int("begin", exprs.add(desc.start, first));
    let offsets = cx.code.alloc("offsets", Prim::I64, exprs.room_and(rows, 1));
    cx.count_loop("k", exprs.room_and(rows, 1), |cx, k| {
        let number = cx.code.name_int("number", exprs.add(begin, k));
        cx.code.store(offsets, k, exprs.capacity(number, length));
    });
    let start = cx.code.name_int("start", exprs.sub(expr::int(0), first));
    (offsets, start, true)
}
