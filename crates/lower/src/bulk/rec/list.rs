//! The list of all instances of the clauses of recursive arrays: which clause, for which indices, which cell.

use super::data::{Clause, Instances, RecOutput};
use crate::arrays::{faults, place};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::{Low, expr};
use crate::scope;
use ir::{Bulk, Coverage, Emit, Kind, Step};
use kernel::Expr;
use scalar::Prim;

/// Lists all instances.
pub(crate) fn list(
    cx: &mut Lower<'_>,
    outputs: &[RecOutput<'_>],
    clauses: &[Clause<'_>],
    bulk: &Bulk,
    cells: Expr,
) -> Low<Instances> {
    let owner = cx.code.alloc("owner", Prim::I64, cells);
    cx.count_loop("k", cells, |cx, k| cx.code.store(owner, k, expr::int(-1)));
    let instances = Instances {
        count: cx.code.variable("instances", expr::int(0)),
        owner,
        clause: cx.code.growing("clause", Prim::I64),
        cell: cx.code.growing("cell", Prim::I64),
        env: cx.code.growing("env", Prim::I64),
        width: clauses.iter().map(|c| c.indices.len() as i64).max().unwrap_or(0).max(1),
    };
    let mut number = 0;
    list_steps(cx, &bulk.steps, outputs, &instances, &mut Vec::new(), &mut number)?;
    for (i, output) in outputs.iter().enumerate() {
        list_gaps(cx, output, clauses.len() + i, &instances);
    }
    Ok(instances)
}

fn list_steps(
    cx: &mut Lower<'_>,
    steps: &[Step],
    outputs: &[RecOutput<'_>],
    instances: &Instances,
    indices: &mut Vec<Expr>,
    number: &mut usize,
) -> Low<()> {
    cx.code.open();
    scope::items(
        cx,
        steps,
        &[],
        |m, step| m.step(step),
        |cx, step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            Step::Guard(cond, body) => {
                let cond = cx.homes.scalar(*cond);
                cx.when(cond, |cx| list_steps(cx, body, outputs, instances, indices, number))
            }
            Step::For { var, count, body, .. } => {
                let count = cx.homes.scalar(*count);
                cx.count_loop(cx.name_of(*var), count, |cx, i| {
                    cx.bind_index(*var, i);
                    indices.push(i);
                    list_steps(cx, body, outputs, instances, indices, number)?;
                    indices.pop();
                    Ok(())
                })
            }
            Step::Scan(_) => base::bug!("a running combination in a recursive form"),
            Step::Emit(emit) => {
                list_emit(cx, emit, outputs, instances, indices, *number)?;
                *number += 1;
                Ok(())
            }
        },
    )?;
    cx.code.close_inline();
    Ok(())
}

fn list_emit(
    cx: &mut Lower<'_>,
    emit: &Emit,
    outputs: &[RecOutput<'_>],
    instances: &Instances,
    indices: &[Expr],
    number: usize,
) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.code.span = emit.span;
    let output = &outputs[emit.output];
    let place = place::place_at(cx, &output.shape, &emit.at)?;
    let cell = cx.code.name_int("cell", exprs.add(output.base, place));
    if let Kind::Gen { coverage: Coverage::Checked { collision, called, .. }, .. } = output.kind {
        let taken = exprs.le(expr::int(0), exprs.load(instances.owner, cell));
        faults::collision(cx, taken, *collision, &emit.at, *called);
    }
    cx.code.store(instances.owner, cell, Expr::Var(instances.count));
    add_instance(cx, instances, number, cell, indices);
    Ok(())
}

fn add_instance(cx: &mut Builder<'_>, instances: &Instances, number: usize, cell: Expr, indices: &[Expr]) {
    let exprs = cx.code.exprs;
    let count = Expr::Var(instances.count);
    let next = exprs.add(count, expr::int(1));
    for (buffer, value) in [(instances.clause, expr::int(number as i64)), (instances.cell, cell)] {
        cx.code.grow(buffer, count, next);
        cx.code.store(buffer, count, value);
    }
    let width = expr::int(instances.width);
    let start = cx.code.snapshot("env", Prim::I64, exprs.mul(count, width));
    cx.code.grow(instances.env, start, exprs.mul(next, width));
    for (i, index) in indices.iter().enumerate() {
        let at = exprs.add(start, expr::int(i as i64));
        cx.code.store(instances.env, at, *index);
    }
    cx.code.set(instances.count, next);
}

/// Cells that no clause defines: one more instance for all of them, or an error.
fn list_gaps(cx: &mut Builder<'_>, output: &RecOutput<'_>, number: usize, instances: &Instances) {
    let exprs = cx.code.exprs;
    let Kind::Gen { otherwise, coverage, .. } = output.kind else {
        return;
    };
    let (missing, first) = (cx.code.variable("missing", expr::int(0)), cx.code.variable("first", expr::int(-1)));
    cx.count_loop("place", output.cells, |cx, place| {
        let cell = exprs.add(output.base, place);
        let gap = exprs.lt(exprs.load(instances.owner, cell), expr::int(0));
        cx.when(gap, |cx| {
            cx.when(exprs.lt(Expr::Var(first), expr::int(0)), |cx| cx.code.set(first, place));
            cx.code.increment(missing);
            if otherwise.is_some() {
                cx.code.store(instances.owner, cell, Expr::Var(instances.count));
            }
        })
    });
    let some = exprs.lt(expr::int(0), Expr::Var(missing));
    if otherwise.is_some() {
        return cx.when(some, |cx| {
            let cell = cx.code.name_int("cell", exprs.add(output.base, Expr::Var(first)));
            add_instance(cx, instances, number, cell, &[]);
        });
    }
    if let Coverage::Checked { gap, called, .. } = coverage {
        faults::gap(cx, &output.shape, (Expr::Var(missing), Expr::Var(first)), *gap, *called);
    }
}
