//! New arrays whose elements go to the places that their subscripts name.

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, dims, faults, place, vector};
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::{form, gaps, values};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::{Atom, Block, Coverage, Dim, Emit, Kind, Output};
use kernel::{Expr, Var as K};

/// Where values go.
pub(crate) struct ArraySink {
    shape: Vec<Dim>,
    /// For each component, what it is and the array.
    arrays: Vec<(Elem, Array)>,
    /// One byte for each element that says whether it is defined; only where that is in question.
    defined: Option<K>,
    coverage: Coverage,
}

/// A walk may look only at places, or only at values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    /// Places are marked and values written.
    Both,
    /// Places are marked.
    Marks,
    /// Values are written.
    Values,
}

/// Makes the arrays.
pub(crate) fn open(cx: &mut Lower<'_>, output: &Output, bound: &Bound) -> ArraySink {
    let exprs = cx.code.exprs;
    let Kind::Gen { shape, otherwise, coverage, .. } = &output.kind else { base::bug!("an array has no shape") };
    let count = dims::capacity(cx, shape);
    let is_new = bound.elems.iter().all(|var| !cx.homes.hints.contains_key(var));
    let first = otherwise.as_ref().filter(|value| is_new && *coverage == Coverage::Exact && is_ready(cx, value));
    let mut arrays = Vec::new();
    for (elem, var) in form::elems(cx, output).into_iter().zip(&bound.elems) {
        let array = match cx.homes.hints.remove(var) {
            Some(place) => place,
            None => {
                let name = cx.name_of(*var);
                let dims = cx.src.ty(*var).dims();
                if dims::is_jagged(dims) {
                    dims::new_array(cx, name, elem.prim, dims)
                } else {
                    let rows = dims::memory(cx, shape);
                    let row = if is_regular(&elem.dims) { dims::memory(cx, &elem.dims) } else { elem.row };
                    Array::whole(cx.code.alloc(name, elem.prim, exprs.memory(rows, row)))
                }
            }
        };
        arrays.push((elem, array));
    }
    if let Some(value) = first {
        fill(cx, &arrays, count, value);
    }
    let check = *coverage != Coverage::Exact || otherwise.is_some() && first.is_none();
    let defined = if check { Some(gaps::marks(cx, count)) } else { None };
    ArraySink { shape: shape.clone(), arrays, defined, coverage: *coverage }
}

/// Whether a value is there without computing anything: scalars.
fn is_ready(cx: &Lower<'_>, value: &Block) -> bool {
    let is_scalar = |atom: &Atom| atom.var().is_none_or(|var| cx.src.ty(var).dims().is_empty());
    value.stms.is_empty() && value.result.iter().all(is_scalar)
}

/// Gives all elements a value that others replace.
fn fill(cx: &mut Lower<'_>, arrays: &[(Elem, Array)], count: Expr, value: &Block) {
    let values = cx.homes.scalars(&value.result);
    gaps::each_cell(cx, count, |cx, k| {
        for ((_, array), value) in arrays.iter().zip(values) {
            cx.code.store(array.buffer, k, value);
        }
    });
}

/// Takes arrays that exist already, whose elements at the places of values are replaced.
pub(crate) fn over(cx: &mut Lower<'_>, output: &Output, arrays: Vec<Array>, shape: Vec<Dim>) -> ArraySink {
    let arrays = form::elems(cx, output).into_iter().zip(arrays).collect();
    ArraySink { shape, arrays, defined: None, coverage: Coverage::Exact }
}

/// The arrays, for those who read them while they are made.
pub(crate) fn arrays(sink: &ArraySink) -> impl Iterator<Item = &Array> {
    sink.arrays.iter().map(|(_, array)| array)
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &ArraySink, emit: &Emit, pass: Pass) -> Low<()> {
    let place = place::place_at(cx, &sink.shape, &emit.at)?;
    if let Some(marks) = sink.defined
        && pass != Pass::Values
    {
        mark(cx, sink, marks, place, emit);
    }
    if pass == Pass::Marks { Ok(()) } else { values::put(cx, &sink.arrays, place, &emit.value) }
}

fn mark(cx: &mut Lower<'_>, sink: &ArraySink, marks: K, place: Expr, emit: &Emit) {
    let exprs = cx.code.exprs;
    if let Coverage::Checked { collision, called, .. } = sink.coverage {
        let taken = exprs.not_zero(exprs.load(marks, place));
        faults::collision(cx, taken, collision, &emit.at, called);
    }
    cx.code.store(marks, place, expr::byte(1));
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: ArraySink, output: &Output, bound: &Bound) -> Low<()> {
    let otherwise = match &output.kind {
        Kind::Gen { otherwise, .. } => otherwise,
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => &None,
    };
    if let Some(marks) = sink.defined {
        let count = dims::count(cx, &sink.shape);
        match (otherwise, sink.coverage) {
            (Some(value), _) => fill_gaps(cx, &sink, marks, count, value)?,
            (None, Coverage::Checked { gap, called, .. }) => {
                gaps::check_gaps(cx, &sink.shape, marks, count, gap, called);
            }
            (None, Coverage::Exact) => {}
        }
    }
    for (var, (_, array)) in bound.elems.iter().zip(sink.arrays) {
        cx.homes.bind(*var, Rep::Array(array));
    }
    Ok(())
}

/// The value of all elements that nothing defines: computed once, and only if there is such an element.
fn fill_gaps(cx: &mut Lower<'_>, sink: &ArraySink, marks: K, count: Expr, value: &Block) -> Low<()> {
    let exprs = cx.code.exprs;
    let missing = gaps::count_gaps(cx, marks, count);
    cx.when(exprs.lt(expr::int(0), missing.0), |cx| {
        let mut reps = scope::open_block(cx, value)?;
        for rep in &mut reps {
            if let Rep::Vector(prim, elements) = rep {
                *rep = Rep::Array(vector::store_vector(cx, *prim, elements));
            }
        }
        gaps::each_cell(cx, count, |cx, k| {
            let gap = exprs.not(exprs.not_zero(exprs.load(marks, k)));
            cx.when(gap, |cx| {
                for ((elem, array), rep) in sink.arrays.iter().zip(&reps) {
                    let at = exprs.add(array.offset, exprs.mul(k, elem.row));
                    let at = cx.code.name_int("slot", at);
                    copying::write(cx, array.buffer, at, rep, &elem.dims);
                }
            })
        });
        cx.code.close_inline();
        Ok(())
    })
}
