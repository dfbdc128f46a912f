//! The message about an element that depends on itself.

use super::data::{Group, RecOutput, rec_names};
use crate::arrays::{faults, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use base::{Name, Span};
use fault::message::SHOWN_CHAIN;
use fault::{Site, Text, message};
use ir::{Coverage, Dim, Kind};
use kernel::{Expr, FailArg, SiteId, Stm, Var as K};
use scalar::Prim;

/// The instances that wait, in memory.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub stack: K,
    pub top: K,
}

/// Ends the run, because an instance is needed that waits for others.
pub(crate) fn depends_on_itself(cx: &mut Builder<'_>, next: Expr, waiting: Waiting, group: &Group<'_>) {
    let exprs = cx.code.exprs;
    let names: Vec<Name> = group.outputs.iter().map(|output| array_name(cx, output.kind)).collect();
    let chain = chain(cx, next, waiting, group);
    let cell = cx.code.name_int("cell", exprs.load(group.instances.cell, next));
    let clause = cx.code.name_int("clause", exprs.load(group.instances.clause, next));
    for (number, (output, span)) in outputs_of(group).enumerate() {
        let output = &group.outputs[output];
        let is = exprs.eq(clause, expr::int(number as i64));
        cx.when(is, |cx| {
            let place = cx.code.name_int("place", exprs.sub(cell, output.base));
            let mut args = faults::subscript_args(cx, &output.shape, place);
            let site = cycle_site(cx, output.kind, args.len(), &names, span);
            args.extend(chain.iter().cloned());
            if let Kind::Gen { coverage: Coverage::Checked { called: Some(called), .. }, .. } = output.kind {
                args.push(faults::fail_arg(cx, *called));
            }
            cx.code.emit(Stm::Fail { site, args });
            // What the message needed in memory is given back by the failure.
            cx.code.innermost().owned.clear();
        });
    }
}

fn array_name(cx: &Builder<'_>, kind: &Kind) -> Name {
    rec_names(kind).last().map_or(Name::new(""), |var| cx.src.vars[*var].name)
}

/// What [`message::chain`] wants to know: the elements from this one on that wait for one another.
fn chain(cx: &mut Builder<'_>, next: Expr, Waiting { stack, top }: Waiting, group: &Group<'_>) -> Vec<FailArg> {
    let exprs = cx.code.exprs;
    let shown = expr::int(SHOWN_CHAIN as i64);
    let from = cx.code.variable("from", expr::int(0));
    let other = exprs.ne(exprs.load(stack, Expr::Var(from)), next);
    cx.while_loop(other, |cx| cx.code.increment(from));
    let count = cx.code.name_int("count", exprs.sub(Expr::Var(top), Expr::Var(from)));
    let mut width = expr::int(1);
    for output in &group.outputs {
        width = exprs.max(width, subscript_count(cx, output));
    }
    let width = cx.code.name_int("width", width);
    let subscripts = cx.code.alloc("subscripts", Prim::I64, exprs.mul(shown, width));
    let counts = cx.code.alloc("counts", Prim::I64, shown);
    let arrays = cx.code.alloc("arrays", Prim::I64, shown);
    cx.count_loop("i", shown, |cx, i| {
        cx.code.store(counts, i, expr::int(0));
        cx.code.store(arrays, i, expr::int(0));
        cx.when(exprs.lt(i, count), |cx| {
            let number = cx.code.name_int("k", exprs.load(stack, exprs.add(Expr::Var(from), i)));
            let clause = cx.code.name_int("clause", exprs.load(group.instances.clause, number));
            let cell = cx.code.name_int("cell", exprs.load(group.instances.cell, number));
            for (which, output) in group.outputs.iter().enumerate() {
                let of = outputs_of(group).enumerate().filter(|(_, (of, _))| *of == which);
                let is = |(clause_number, _): (usize, _)| exprs.eq(clause, expr::int(clause_number as i64));
                let is = of.map(is).reduce(|a, b| exprs.or(a, b)).unwrap_or(expr::truth(false));
                cx.when(is, |cx| {
                    let place = cx.code.name_int("place", exprs.sub(cell, output.base));
                    let start = cx.code.name_int("start", exprs.mul(i, width));
                    let count = subscript_count(cx, output);
                    cx.code.store(counts, i, count);
                    cx.code.store(arrays, i, expr::int(which as i64));
                    store_subscripts(cx, output, place, subscripts, start)
                });
            }
        })
    });
    let more = exprs.add(shown, expr::int(1));
    let mut args = vec![FailArg::Scalar(Prim::I64, exprs.min(count, more))];
    for i in 0..SHOWN_CHAIN as i64 {
        let at = exprs.mul(width, expr::int(i));
        args.push(FailArg::Numbers { buffer: subscripts, at, count: exprs.load(counts, expr::int(i)) });
    }
    if group.outputs.len() > 1 {
        let array = |i: usize| FailArg::Scalar(Prim::I64, exprs.load(arrays, expr::int(i as i64)));
        args.extend((0..SHOWN_CHAIN).map(array));
    }
    args
}

fn subscript_count(cx: &mut Builder<'_>, output: &RecOutput<'_>) -> Expr {
    match output.shape.first() {
        Some(Dim::Shape(shape)) => vector::length(cx, *shape),
        _ => expr::int(output.shape.len() as i64),
    }
}

fn store_subscripts(cx: &mut Builder<'_>, output: &RecOutput<'_>, place: Expr, to: K, start: Expr) {
    let exprs = cx.code.exprs;
    for (j, arg) in faults::subscript_args(cx, &output.shape, place).into_iter().enumerate() {
        match arg {
            FailArg::Scalar(_, value) => {
                let at = exprs.add(start, expr::int(j as i64));
                cx.code.store(to, at, value);
            }
            FailArg::Numbers { buffer, at, count } => {
                cx.count_loop("j", count, |cx, j| {
                    let value = exprs.load(buffer, exprs.add(at, j));
                    cx.code.store(to, exprs.add(start, j), value);
                });
            }
        }
    }
}

fn cycle_site(cx: &mut Builder<'_>, kind: &Kind, subscripts: usize, names: &[Name], clause: Option<Span>) -> SiteId {
    let note = message::chain(names, subscripts);
    if let Kind::Gen { coverage: Coverage::Checked { cycle, .. }, .. } = kind
        && let Some(whole) = cx.code.program.sites.get(SiteId(cycle.0))
    {
        let mut site = clause.map_or(whole.clone(), |clause| whole.narrowed(clause));
        site.message.notes.push(note);
        return cx.code.program.sites.push(site);
    }
    let element = Text::words(array_name(cx, kind).as_str()).followed_by(message::subscripts(subscripts, 0));
    let site = Site::new(message::cycle(element).note(note), clause.unwrap_or(cx.code.span));
    cx.code.program.sites.push(site)
}

/// For each clause, and then for the `otherwise` of each output: the output and the place in the source.
fn outputs_of<'a>(group: &'a Group<'_>) -> impl Iterator<Item = (usize, Option<Span>)> + 'a {
    let of_clauses = group.clauses.iter().map(|c| (c.emit.output, Some(c.emit.span)));
    of_clauses.chain((0..group.outputs.len()).map(|output| (output, None)))
}
