//! Combining values with elements of an array in parallel: the loop is cut into a fixed number of parts, each collects
//! into an array of its own, and these are combined in order. Worth it if there are many more values than elements;
//! otherwise values are written by [`super::scatter`].

use super::Sink;
use super::form::{Bound, Elem};
use super::form::{byte, not_zero};
use super::walk::blocks_of;
use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Rep};
use ir::{Atom, Bulk, Dim, Emit, Kind, Program, Region, Step, Var};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

/// How many parts: a constant, so that results do not depend on the number of threads.
const PARTS: i64 = 16;
/// So many values an element, on average, make it worth it; and so many in all.
const VALUES_PER_ELEMENT: i64 = 32;
const LEAST_VALUES: i64 = 32768;
/// So many elements are put together at once.
const CELLS: i64 = 64;

/// Where the values of one part go.
pub(crate) struct PartSink<'b> {
    op: &'b Region,
    elems: Vec<Elem>,
    dims: Vec<Dim>,
    skip: bool,
    /// For each component, elements of all parts.
    values: Vec<K>,
    /// Which of them there are.
    there: K,
    /// Where the part begins.
    base: Expr,
}

/// The loop of a bulk form of this kind: one output of scalars, one loop behind bindings, full subscripts.
pub(super) fn loop_of<'b>(program: &Program, bulk: &'b Bulk) -> Option<(Var, Atom, &'b [Step])> {
    let ([output], Some((Step::For { var, count, body }, before))) = (&bulk.outputs[..], bulk.steps.split_last())
    else {
        return None;
    };
    let Kind::Accum { arrays, .. } = &output.kind else {
        return None;
    };
    let full = |emit: &Emit| emit.at.iter().all(|a| a.var().is_none_or(|v| program.ty(v).dims().is_empty()));
    let fits = before.iter().all(|step| matches!(step, Step::Let(_)))
        && output.elems.iter().all(|e| program.ty(*e).dims().is_empty())
        && arrays.iter().all(|a| is_regular(program.ty(*a).dims()))
        && all_emits(body, &|emit| full(emit) && arrays.iter().all(|a| program.ty(*a).dims().len() == emit.at.len()));
    fits.then_some((*var, *count, body))
}

fn all_emits(steps: &[Step], holds: &dyn Fn(&Emit) -> bool) -> bool {
    steps.iter().all(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => all_emits(body, holds),
        Step::Let(_) => true,
        Step::Emit(emit) => holds(emit),
    })
}

impl Lower<'_> {
    /// A bulk form of this kind: in parts, or as it comes if that is not worth it.
    pub(super) fn by_parts(&mut self, bound: &[Bound], bulk: &Bulk) -> Low<()> {
        let ([output], [own], Some((var, count, body))) = (&bulk.outputs[..], bound, loop_of(self.src, bulk)) else {
            return self.by_walk(bound, bulk);
        };
        let Kind::Accum { arrays, skip, op } = &output.kind else {
            return self.by_walk(bound, bulk);
        };
        let mut targets = Vec::new();
        for array in arrays {
            targets.push(self.array(*array)?);
        }
        let reads = self.reads_memory(&targets, bulk);
        if reads || !targets.iter().all(Array::is_row_major) {
            return self.by_scatter(bound, bulk);
        }
        self.code.open();
        let results: Vec<Atom> = own.elems.iter().copied().map(Atom::Var).collect();
        self.items(
            &bulk.steps,
            &results,
            |m, step| m.step(step),
            |this, step| match step {
                Step::Let(stm) => this.stm(stm),
                Step::For { .. } | Step::Guard(..) | Step::Emit(_) => {
                    let count = this.homes.scalar(count);
                    let dims = this.src.ty(arrays[0]).dims().to_vec();
                    let cells = this.count(&dims)?;
                    let many = expr::le(expr::int(LEAST_VALUES), count.clone());
                    let few = expr::le(cells.clone(), expr::div(count.clone(), expr::int(VALUES_PER_ELEMENT)));
                    this.branch(
                        expr::and(many, few),
                        |this| {
                            let elems = this.elems(output)?;
                            let values = Vec::new();
                            let (skip, base, there) = (*skip, expr::int(0), K(0));
                            let sink = PartSink { op, elems, dims, skip, values, there, base };
                            this.all_parts(sink, &targets, (var, count.clone(), body), cells)
                        },
                        |this| {
                            let target = this.open_writes(output, arrays, *skip, Some(op))?;
                            this.write_step(&target, true, step)
                        },
                    )
                }
            },
        )?;
        for (var, target) in own.elems.iter().zip(targets) {
            self.homes.bind(*var, Rep::Array(target));
        }
        self.close_keeping(bound);
        Ok(())
    }

    fn all_parts(
        &mut self,
        mut sink: PartSink<'_>,
        targets: &[Array],
        (var, count, body): (Var, Expr, &[Step]),
        cells: Expr,
    ) -> Low<()> {
        let room = self.code.name_int("room", expr::capacity(cells.clone(), expr::int(PARTS)));
        for elem in &sink.elems {
            let buffer = self.code.alloc("part", elem.prim, room.clone());
            sink.values.push(buffer);
        }
        sink.there = self.code.alloc("there", Prim::U8, room);
        let length = self.code.name_int("length", blocks_of(count.clone(), PARTS));
        let (op, elems, values, there) = (sink.op, sink.elems.clone(), sink.values.clone(), sink.there);
        self.for_loop("p", expr::int(0), expr::int(PARTS), Mode::Parallel, |this, p| {
            let base = this.code.name_int("base", expr::mul(p.clone(), cells.clone()));
            this.count_loop("c", cells.clone(), |this, c| {
                this.code.emit(Stm::Store { buffer: there, at: expr::add(base.clone(), c), value: byte(0) });
                Ok(())
            })?;
            sink.base = base;
            let low = this.code.name_int("low", expr::mul(p, length.clone()));
            let high = this.code.name_int("high", expr::min(expr::add(low.clone(), length.clone()), count));
            let mut sinks = [Sink::Parts(sink)];
            this.for_loop("i", low, high, Mode::Sequential, |this, i| {
                this.homes.bind(var, Rep::Scalar(i));
                this.steps(body, &mut sinks, false)
            })
        })?;
        let blocks = self.code.name_int("blocks", blocks_of(cells.clone(), CELLS));
        self.for_loop("b", expr::int(0), blocks, Mode::Parallel, |this, b| {
            let low = this.code.name_int("low", expr::mul(b, expr::int(CELLS)));
            let high = this.code.name_int("high", expr::min(expr::add(low.clone(), expr::int(CELLS)), cells.clone()));
            this.count_loop("p", expr::int(PARTS), |this, p| {
                let base = this.code.name_int("base", expr::mul(p, cells));
                this.for_loop("c", low, high, Mode::Sequential, |this, c| {
                    this.add_cell(op, targets, (&values, &elems), there, base, c)
                })
            })
        })
    }

    /// Combines an element with what a part has for it, if there is something.
    fn add_cell(
        &mut self,
        op: &Region,
        targets: &[Array],
        (values, elems): (&[K], &[Elem]),
        there: K,
        base: Expr,
        c: Expr,
    ) -> Low<()> {
        let slot = self.code.name_int("slot", expr::add(base, c.clone()));
        self.when(not_zero(expr::load(there, slot.clone())), |this| {
            let mut old = Vec::new();
            for target in targets {
                old.push(this.read(target.buffer, expr::add(target.offset.clone(), c.clone()), &[])?);
            }
            let new = this.read_all(values, elems, slot)?;
            let results = this.open_op(op, old, new)?;
            for (target, result) in targets.iter().zip(&results) {
                this.write(target.buffer, expr::add(target.offset.clone(), c.clone()), result, &[])?;
            }
            this.code.close_inline();
            Ok(())
        })
    }

    pub(super) fn put_in_part(&mut self, sink: &PartSink<'_>, emit: &Emit) -> Low<()> {
        let at = self.homes.scalars(&emit.at);
        if !sink.skip {
            return self.combine_in_part(sink, &at, emit);
        }
        self.if_inside(&sink.dims, &at, 0, &mut |this| this.combine_in_part(sink, &at, emit))
    }

    fn combine_in_part(&mut self, sink: &PartSink<'_>, at: &[Expr], emit: &Emit) -> Low<()> {
        let place = self.place(&sink.dims, at)?;
        let slot = self.code.name_int("slot", expr::add(sink.base.clone(), place));
        let new = self.open_block(&emit.value)?;
        let first = new.clone();
        self.branch(
            not_zero(expr::load(sink.there, slot.clone())),
            |this| {
                let old = this.read_all(&sink.values, &sink.elems, slot.clone())?;
                let results = this.open_op(sink.op, old, new)?;
                this.write_all(&sink.values, &sink.elems, slot.clone(), &results)?;
                this.code.close_inline();
                Ok(())
            },
            |this| {
                this.code.emit(Stm::Store { buffer: sink.there, at: slot.clone(), value: byte(1) });
                this.write_all(&sink.values, &sink.elems, slot.clone(), &first)
            },
        )?;
        self.code.close_inline();
        Ok(())
    }
}
