//! Values as entry points pass them: elements from place 0 on in row-major order, offsets from 0.

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, dims, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep};
use ir::Dim;
use kernel::{Op, Stm};
use scalar::Prim;

/// Whether a value may stay in its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// It may.
    Same,
    /// If nothing else refers to it when the program runs.
    IfSole,
    /// It may not.
    Other,
}

/// The same value as entry points have it: elements from place 0 on in row-major order, offsets from 0.
pub(crate) fn plain(cx: &mut Builder<'_>, rep: Rep, dims: &[Dim], memory: Memory) -> Rep {
    let exprs = cx.code.exprs;
    match rep {
        Rep::Scalar(_) | Rep::Cert | Rep::Box(_) => rep,
        Rep::Vector(..) => Rep::Array(vector::in_memory(cx, rep)),
        Rep::Array(array) => Rep::Array(plain_array(cx, &array, dims, memory)),
        Rep::Desc(desc) => {
            let prim = Prim::I64;
            let (first, last) = dims::span_of(cx, dims);
            let begin = cx.code.name_int("begin", exprs.add(desc.start, first));
            let rows = cx.code.name_int("rows", exprs.sub(last, first));
            let base = dims::offset_at(cx, &desc, first);
            let offsets = cx.code.declare_buffer("offsets", prim);
            let fits = exprs.and(exprs.eq(begin, expr::int(0)), exprs.eq(base, expr::int(0)));
            let memory = Rep::Desc(desc.clone()).buffer().filter(|_| memory == Memory::Same);
            let cond = if memory.is_some() { fits } else { expr::truth(false) };
            let span = cx.code.span;
            cx.branch(
                cond,
                |cx| {
                    if let Some(from) = memory {
                        cx.code.emit(Stm::Share { to: offsets, from });
                    }
                },
                |cx| {
                    let count = exprs.add(rows, expr::int(1));
                    cx.code.emit(Stm::Alloc { buffer: offsets, count, reuse: None, span });
                    cx.count_loop("k", count, |cx, k| {
                        let value = desc.offset(exprs, exprs.add(first, k));
                        cx.code.store(offsets, k, exprs.sub(value, base));
                    })
                },
            );
            cx.code.own(offsets);
            Rep::Desc(Desc::in_memory(offsets, expr::int(0)))
        }
    }
}

fn plain_array(cx: &mut Builder<'_>, array: &Array, dims: &[Dim], memory: Memory) -> Array {
    let exprs = cx.code.exprs;
    let known = array.is_row_major() && is_regular(dims) && array.offset == expr::int(0);
    if known && memory == Memory::Same {
        return array.clone();
    }
    if !array.is_row_major() || memory == Memory::Other {
        return copying::copy(cx, array, dims);
    }
    let begin = dims::begin(cx, array, dims);
    let prim = cx.code.prim_of(array.buffer);
    let buffer = cx.code.declare_buffer("rows", prim);
    let from = array.clone();
    let from_start = exprs.eq(begin, expr::int(0));
    let is_sole = exprs.op(Op::Sole(array.buffer));
    let is_own = if memory == Memory::Same { from_start } else { exprs.and(is_sole, from_start) };
    cx.branch(
        is_own,
        |cx| {
            cx.code.emit(Stm::Share { to: buffer, from: from.buffer });
        },
        |cx| {
            let (count, span) = (dims::count(cx, dims), cx.code.span);
            cx.code.emit(Stm::Alloc { buffer, count, reuse: None, span });
            copying::copy_to(cx, buffer, expr::int(0), &from, dims)
        },
    );
    cx.code.own(buffer);
    Array { whole: array.whole, ..Array::whole(buffer) }
}
