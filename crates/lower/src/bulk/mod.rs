//! Bulk forms: loops over an index space whose values go to outputs.
//!
//! Each file is one way to lower a bulk form, with a function `lower`, or one way to use the values of an output, with
//! `open`, `put` and `close`:
//!
//! | Way | For which forms |
//! |---|---|
//! | [`rec`] | values read the arrays that are being made |
//! | [`blocks`] | one loop that feeds reductions, scans and filters; [`carry`] does it in one thread, [`chain`] one scan |
//! | [`parts`] | combining many values with few elements of an array |
//! | [`scatter`] | replacing or combining elements of existing arrays, in parallel |
//! | [`blocks`] with [`distinct`] | replacing elements at places that running counts say |
//! | [`rows`] | rows whose lengths are cheap to compute before the rows |
//! | [`general`] | all others: one walk in order; loops that write to disjoint places are parallel |

mod accumulate;
mod appended;
mod array;
mod arrivals;
mod block_sink;
mod blocks;
mod carry;
mod chain;
mod columns;
mod distinct;
mod filter;
mod form;
mod gaps;
mod general;
mod jagged;
mod keep;
mod kept_scan;
mod lanes;
mod middle;
mod nest;
mod parts;
mod plan;
mod prefix;
mod rec;
mod reduce;
mod rows;
mod scan;
mod scatter;
mod strips;
mod turns;
mod update;
mod values;
pub(crate) mod walk;

use crate::context::Lower;
use crate::data::Low;
use analysis::ways::{Way, is_threaded, way};
use form::Bound;
use ir::{Bulk, Kind, Output, Var};

/// Lowers a bulk form. Threads that run a loop are at work already: what is inside runs on one.
pub(crate) fn lower(cx: &mut Lower<'_>, vars: &[Var], bulk: &Bulk) -> Low<()> {
    let bound = split(vars, &bulk.outputs);
    let threads = is_threaded(&bulk.steps) && !cx.code.in_parallel;
    match way(cx.src, bulk, threads) {
        Way::Recursive => rec::lower(cx, &bound, bulk),
        // A value may read what is written, under another name.
        Way::Blocks if replaces(bulk) && update::must_wait(cx, bulk) => general::lower(cx, &bound, bulk, false),
        Way::Blocks => blocks::lower(cx, &bound, bulk, threads),
        Way::Parts if parts::may_be_free(cx, bulk) => parts::lower(cx, &bound, bulk, threads),
        Way::Parts if bulk.outputs.len() > 1 => general::lower(cx, &bound, bulk, false),
        Way::Parts => scatter::lower(cx, &bound, bulk),
        Way::Scatter => scatter::lower(cx, &bound, bulk),
        Way::Rows => rows::lower(cx, &bound, bulk),
        // What a value reads may be the memory of an array that is changed, under another name.
        Way::Places if update::must_wait(cx, bulk) => scatter::lower(cx, &bound, bulk),
        Way::Places => general::lower(cx, &bound, bulk, threads),
        Way::InOrder => general::lower(cx, &bound, bulk, false),
    }
}

fn replaces(bulk: &Bulk) -> bool {
    bulk.outputs.iter().any(|output| matches!(output.kind, Kind::Update { .. }))
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
