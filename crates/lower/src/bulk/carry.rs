//! Reductions where only one thread is at work. The result of a block is combined with those before it as soon as the
//! tree has them next to each other, as a binary counter carries: of all that are finished only a few wait. So few values
//! need no memory at all.

use super::Sink;
use super::blocks::{Turns, set_first};
use super::form::Bound;
use super::reduce::{BLOCK, BlockReduce, First};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::Rep;
use crate::slot::Slot;
use ir::{Bulk, Kind};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

impl Lower<'_> {
    /// Loops over a block after the other.
    pub(super) fn carried(&mut self, bound: &[Bound], bulk: &Bulk, turns: Turns<'_>) -> Low<()> {
        let mut sinks = Vec::new();
        for output in &bulk.outputs {
            sinks.extend(self.open_carried(output)?);
        }
        let finished = self.code.variable("finished", expr::int(0));
        let depth = self.code.variable("depth", expr::int(0));
        let low = self.code.variable("low", expr::int(0));
        let from = self.code.variable("from", expr::int(0));
        if turns.heavy {
            self.flag_all(&mut sinks);
        }

        self.code.open();
        let high = expr::min(expr::add(Expr::Var(low), expr::int(BLOCK)), turns.count.clone());
        let high = self.code.name_int("high", high);
        self.turns_of(&turns, &mut sinks, Expr::Var(from), high.clone())?;
        let more = self.code.name("more", Prim::Bool, expr::lt(high.clone(), turns.count.clone()));
        self.meet(&sinks, more.clone(), finished, depth)?;
        let head = self.code.close();

        self.code.open();
        self.let_wait(&sinks, depth)?;
        self.code.emit(Stm::Set(finished, expr::add(Expr::Var(finished), expr::int(1))));
        self.code.emit(Stm::Set(low, high.clone()));
        if turns.heavy {
            self.take_next(&sinks);
            self.code.emit(Stm::Set(from, high));
        } else {
            set_first(&mut sinks, First::Take);
            self.one_turn(&turns, &mut sinks, high.clone())?;
            self.code.emit(Stm::Set(from, expr::add(high, expr::int(1))));
        }
        let body = self.code.close();
        self.code.emit(Stm::While { head, cond: more, body });

        for (sink, bound) in reductions(&sinks).zip(bound) {
            bound.elems.iter().zip(&sink.accs).for_each(|(var, acc)| self.homes.bind(*var, acc.rep()));
        }
        Ok(())
    }

    /// Accumulators with the neutral element, and room for what waits.
    fn open_carried<'b>(&mut self, output: &'b ir::Output) -> Low<Option<Sink<'b>>> {
        let Kind::Reduce { op, neutral, .. } = &output.kind else {
            return Ok(None);
        };
        let elems = self.elems(output)?;
        let accs = self.accumulators(&elems);
        self.fill_accs(&accs, neutral)?;
        let partial: Vec<K> = elems.iter().map(|elem| self.code.declare_buffer("waiting", elem.prim)).collect();
        partial.iter().for_each(|buffer| self.code.own(*buffer));
        let first = First::Combine;
        Ok(Some(Sink::BlockReduce(BlockReduce { elems, op, neutral, accs, first, partial })))
    }

    /// Combines what waits with the block at hand: as many as the number of finished blocks has ones at its end, and
    /// everything if there are no more.
    fn meet(&mut self, sinks: &[Sink<'_>], more: Expr, finished: K, depth: K) -> Low<()> {
        let all = expr::sub(expr::shl(expr::int(1), Expr::Var(depth)), expr::int(1));
        let left = self.code.variable("left", expr::select(more, Expr::Var(finished), all));
        self.code.open();
        self.code.emit(Stm::Set(depth, expr::sub(Expr::Var(depth), expr::int(1))));
        self.code.emit(Stm::Set(left, expr::shr(Expr::Var(left), expr::int(1))));
        for sink in reductions(sinks) {
            let before = self.read_all(&sink.partial, &sink.elems, Expr::Var(depth))?;
            let results = self.open_op(sink.op, before, sink.accs.iter().map(Slot::rep).collect())?;
            self.set_accs(&sink.accs, &sink.elems, results)?;
            self.code.close_inline();
        }
        let body = self.code.close();
        let cond = expr::ne(expr::bit_and(Expr::Var(left), expr::int(1)), expr::int(0));
        self.code.emit(Stm::While { head: Vec::new(), cond, body });
        Ok(())
    }

    /// Puts the block at hand to those that wait.
    fn let_wait(&mut self, sinks: &[Sink<'_>], depth: K) -> Low<()> {
        for sink in reductions(sinks) {
            self.grow_all(&sink.partial, &sink.elems, Expr::Var(depth));
            let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
            self.write_all(&sink.partial, &sink.elems, Expr::Var(depth), &accs)?;
        }
        self.code.emit(Stm::Set(depth, expr::add(Expr::Var(depth), expr::int(1))));
        Ok(())
    }

    /// The loop asks variables whether a value is the first of a block; that of block 0 comes behind the neutral element.
    fn flag_all(&mut self, sinks: &mut [Sink<'_>]) {
        for sink in sinks {
            if let Sink::BlockReduce(sink) = sink {
                sink.first = self.flag(expr::truth(false));
            }
        }
    }

    fn take_next(&mut self, sinks: &[Sink<'_>]) {
        for sink in reductions(sinks) {
            if let First::Flag(flag) = sink.first {
                self.code.emit(Stm::Set(flag, expr::truth(true)));
            }
        }
    }
}

fn reductions<'s, 'b>(sinks: &'s [Sink<'b>]) -> impl Iterator<Item = &'s BlockReduce<'b>> {
    sinks.iter().filter_map(|sink| match sink {
        Sink::BlockReduce(sink) => Some(sink),
        _ => None,
    })
}
