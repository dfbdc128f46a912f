//! Values whose sizes differ, appended one after the other: for each size a list of offsets, for each component its
//! elements.

use super::form::{self, Bound, Elem};
use crate::arrays::{copying, desc, dims};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep};
use analysis::emits::around_size;
use base::bug;
use ir::{Atom, Dim, Output, Var};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// The values so far.
pub(crate) struct Rows {
    pub sizes: Vec<Level>,
    pub elems: Vec<Column>,
    /// The number of values.
    pub count: K,
}

/// A size that differs from value to value.
#[derive(Clone)]
pub(crate) struct Level {
    /// Its name in one value.
    pub size: Var,
    /// The dimensions around it in one value, if it is a length. A descriptor has its own.
    pub around: Vec<Dim>,
    /// Offsets: 0, then one for each row.
    pub offsets: K,
    /// How many rows there are.
    pub rows: K,
    /// The sum of all lengths.
    pub sum: K,
}

impl Level {
    /// No rows yet.
    pub fn new(cx: &mut Builder<'_>, size: Var, around: Vec<Dim>) -> Level {
        let offsets = cx.code.growing("offsets", Prim::I64);
        cx.code.grow(offsets, expr::int(0), expr::int(1));
        cx.code.store(offsets, expr::int(0), expr::int(0));
        let rows = cx.code.variable("rows", expr::int(0));
        let sum = cx.code.variable("sum", expr::int(0));
        Level { size, around, offsets, rows, sum }
    }
}

/// A component's elements.
#[derive(Clone)]
pub(crate) struct Column {
    pub elem: Elem,
    pub buffer: K,
    pub used: K,
}

impl Column {
    /// No elements yet.
    pub fn new(cx: &mut Builder<'_>, elem: Elem) -> Column {
        let buffer = cx.code.growing("data", elem.prim);
        let used = cx.code.variable("used", expr::int(0));
        Column { elem, buffer, used }
    }
}

/// No values yet.
pub(crate) fn open(cx: &mut Builder<'_>, output: &Output) -> Rows {
    let mut sizes = Vec::new();
    for size in &output.sizes {
        let around = around_size(cx.src, *size, output);
        sizes.push(Level::new(cx, *size, around));
    }
    let elems = form::elems(cx, output).into_iter().map(|elem| Column::new(cx, elem)).collect();
    Rows { sizes, elems, count: cx.code.variable("count", expr::int(0)) }
}

/// Appends one value.
pub(crate) fn append(cx: &mut Builder<'_>, rows: &Rows, reps: Vec<Rep>, atoms: &[Atom]) {
    let exprs = cx.code.exprs;
    let mut reps = reps.into_iter();
    for (level, atom) in rows.sizes.iter().zip(atoms) {
        let Some(rep) = reps.next() else { bug!("a value without its sizes") };
        // Dimensions further in mention the sizes by the names they have in one value.
        cx.homes.bind(level.size, rep.clone());
        append_sizes(cx, level, rep, *atom);
    }
    for ((column, rep), atom) in rows.elems.iter().zip(reps).zip(&atoms[rows.sizes.len()..]) {
        // A value's own type names its own descriptors, which its data counts by.
        let dims = cx.dims_of(*atom);
        let count = dims::count(cx, dims);
        let needed = cx.code.name_int("needed", exprs.add(Expr::Var(column.used), count));
        let used = Expr::Var(column.used);
        cx.code.grow(column.buffer, used, needed);
        copying::write(cx, column.buffer, used, &rep, dims);
        cx.code.set(column.used, needed);
    }
    cx.code.increment(rows.count);
}

fn append_sizes(cx: &mut Builder<'_>, level: &Level, rep: Rep, size: Atom) {
    let exprs = cx.code.exprs;
    let around = if matches!(rep, Rep::Desc(_)) { cx.dims_of(size) } else { &level.around };
    let (first, last) = dims::span_of(cx, around);
    let rows = cx.code.name_int("more", exprs.sub(last, first));
    let used = cx.code.name_int("used", exprs.add(Expr::Var(level.rows), expr::int(1)));
    let needed = exprs.add(used, rows);
    cx.code.grow(level.offsets, used, needed);
    cx.count_loop("k", rows, |cx, k| {
        let length = match rep {
            Rep::Scalar(length) => length,
            Rep::Desc(desc) => {
                let row = cx.code.name_int("row", exprs.add(first, k));
                desc::row_length(cx, &desc, row)
            }
            Rep::Vector(..) | Rep::Array(_) | Rep::Cert | Rep::Box(_) => bug!("a size that is no size"),
        };
        push_length(cx, level, length);
    })
}

/// Appends one length, for which there is space.
pub(crate) fn push_length(cx: &mut Builder<'_>, level: &Level, length: Expr) {
    let exprs = cx.code.exprs;
    let length = cx.code.name_int("length", length);
    cx.code.set(level.sum, exprs.capacity_sum(Expr::Var(level.sum), length));
    cx.code.increment(level.rows);
    cx.code.store(level.offsets, Expr::Var(level.rows), Expr::Var(level.sum));
}

/// Binds the variables of an output to what was collected.
pub(crate) fn bind(cx: &mut Builder<'_>, sizes: Vec<Level>, elems: Vec<Column>, bound: &Bound) {
    let names: Vec<Var> = sizes.iter().map(|level| level.size).collect();
    for (var, level) in bound.sizes.iter().zip(sizes) {
        cx.homes.bind(*var, Rep::Desc(Desc::in_memory(level.offsets, expr::int(0))));
    }
    for (var, column) in bound.elems.iter().zip(elems) {
        let array = match column.elem.has_given_rows(&names) {
            // Given descriptors need not count from 0.
            true => dims::packed(cx, column.buffer, expr::int(0), cx.src.ty(*var).dims()),
            false => Array::whole(column.buffer),
        };
        let array = Array { whole: true, ..array };
        cx.homes.bind(*var, Rep::Array(array));
    }
}
