//! Bulk forms: loops over an index space whose values go to outputs.
//!
//! Each file is one way to lower a bulk form, with a function `lower`, or one way to use the values of an output, with
//! `open`, `put` and `close`:
//!
//! | Way | For which forms |
//! |---|---|
//! | [`rec`] | values read the arrays that are being made |
//! | [`blocks`] | one loop that feeds reductions, scans and filters; [`carry`] does it in one thread |
//! | [`parts`] | combining many values with few elements of an array |
//! | [`scatter`] | replacing or combining elements of existing arrays, in parallel |
//! | [`rows`] | rows whose lengths are cheap to compute before the rows |
//! | [`general`] | all others: one walk in order; loops that write to disjoint places are parallel |

mod accumulate;
mod appended;
mod array;
mod arrivals;
mod block_sink;
mod blocks;
mod carry;
mod columns;
mod filter;
mod form;
mod gaps;
mod general;
mod jagged;
mod keep;
mod lanes;
mod parts;
mod rec;
mod reduce;
mod rows;
mod scan;
mod scatter;
mod turns;
mod update;
mod values;
mod walk;

use crate::context::Lower;
use crate::data::Low;
use form::Bound;
use ir::{Bulk, Kind, Output, Var};

/// Lowers a bulk form.
pub(crate) fn lower(cx: &mut Lower<'_>, vars: &[Var], bulk: &Bulk) -> Low<()> {
    let bound = split(vars, &bulk.outputs);
    if bulk.outputs.iter().any(|o| is_recursive(&o.kind)) {
        return rec::lower(cx, &bound, bulk);
    }
    if blocks::fits(bulk, cx.code.in_parallel) {
        return blocks::lower(cx, &bound, bulk);
    }
    if !scan::all(&bulk.steps).is_empty() {
        return general::lower(cx, &bound, bulk);
    }
    if parts::fits(cx.src, bulk, cx.code.in_parallel) {
        return parts::lower(cx, &bound, bulk);
    }
    if !cx.code.in_parallel && scatter::fits(cx.src, bulk) {
        return scatter::lower(cx, &bound, bulk);
    }
    if !cx.code.in_parallel && rows::fits(cx.src, bulk) {
        return rows::lower(cx, &bound, bulk);
    }
    general::lower(cx, &bound, bulk)
}

fn is_recursive(kind: &Kind) -> bool {
    match kind {
        Kind::Gen { rec, .. } | Kind::Update { rec, .. } => !rec.is_empty(),
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    }
}

/// Hands the variables of a statement to its outputs.
fn split(vars: &[Var], outputs: &[Output]) -> Vec<Bound> {
    let mut rest = vars.iter().copied();
    outputs
        .iter()
        .map(|output| Bound {
            count: if matches!(output.kind, Kind::Keep) { rest.next() } else { None },
            sizes: rest.by_ref().take(output.sizes.len()).collect(),
            elems: rest.by_ref().take(output.elems.len()).collect(),
        })
        .collect()
}
