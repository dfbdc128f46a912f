//! Reductions. Blocks of [`BLOCK`] values are folded from the left, the first one from the neutral element, the others
//! from their first value; then neighbouring results are combined pairwise until one is left. So the result depends on
//! the number of values alone.

use super::form::{Bound, Elem};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::Rep;
use crate::slot::Slot;
use ir::{Atom, Dim, Emit, Output, Region};
use kernel::{Expr, Stm, Type, Var as K};
use scalar::{Prim, Scalar};

/// How many values are folded one after the other. The interpreter has the same number.
pub(crate) const BLOCK: i64 = 1024;

/// How high a tree over blocks can be.
const LEVELS: i64 = (i64::MAX / BLOCK).ilog2() as i64 + 1;

/// What the next value of a block is to the accumulator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    /// Its first value.
    Take,
    /// Combined with it.
    Combine,
    /// The one or the other, as a variable says.
    Flag(K),
}

/// A reduction of the values of one block.
pub(crate) struct BlockReduce<'b> {
    pub elems: Vec<Elem>,
    pub op: &'b Region,
    pub neutral: &'b [Atom],
    pub accs: Vec<Slot>,
    pub first: First,
    /// The results of blocks, for each component.
    pub partial: Vec<K>,
}

/// A reduction of values as they come, one by one.
pub(crate) struct StreamReduce<'b> {
    elems: Vec<Elem>,
    op: &'b Region,
    accs: Vec<Slot>,
    /// How many values the block at hand has.
    in_block: K,
    /// How many blocks are finished.
    blocks: K,
    partial: Vec<K>,
}

impl Lower<'_> {
    /// Declares accumulators.
    pub(super) fn accumulators(&mut self, elems: &[Elem]) -> Vec<Slot> {
        let accs: Vec<Slot> =
            elems.iter().map(|e| self.slot("acc", &ir::Type::array(e.prim, e.dims.clone()), false)).collect();
        self.own_slots(&accs);
        accs
    }

    /// Puts values into accumulators that are empty.
    pub(super) fn fill_accs(&mut self, accs: &[Slot], atoms: &[Atom]) -> Low<()> {
        for (slot, atom) in accs.iter().zip(atoms) {
            let (rep, dims) = (self.homes.atom(*atom), self.dims_of(*atom));
            self.fill(slot, rep, &dims, false)?;
        }
        Ok(())
    }

    /// Replaces what is in accumulators.
    pub(super) fn set_accs(&mut self, accs: &[Slot], elems: &[Elem], reps: Vec<Rep>) -> Low<()> {
        let dims: Vec<&[Dim]> = elems.iter().map(|e| e.dims.as_slice()).collect();
        self.refill(accs, reps, &dims)
    }

    /// Combines accumulators with values.
    pub(super) fn combine(&mut self, op: &Region, accs: &[Slot], elems: &[Elem], reps: Vec<Rep>) -> Low<()> {
        let left = accs.iter().map(Slot::rep).collect();
        let results = self.open_op(op, left, reps)?;
        self.set_accs(accs, elems, results)?;
        self.code.close_inline();
        Ok(())
    }

    /// Combines accumulators with values, or takes them.
    pub(super) fn accumulate(
        &mut self,
        first: First,
        op: &Region,
        accs: &[Slot],
        elems: &[Elem],
        reps: Vec<Rep>,
    ) -> Low<()> {
        match first {
            First::Take => self.set_accs(accs, elems, reps),
            First::Combine => self.combine(op, accs, elems, reps),
            First::Flag(flag) => {
                let same = reps.clone();
                self.branch(
                    Expr::Var(flag),
                    |this| {
                        this.code.emit(Stm::Set(flag, Expr::Const(Scalar::Bool(false))));
                        this.set_accs(accs, elems, reps)
                    },
                    |this| this.combine(op, accs, elems, same),
                )
            }
        }
    }

    pub(super) fn add_to_block(&mut self, sink: &BlockReduce<'_>, emit: &Emit) -> Low<()> {
        let reps = self.open_block(&emit.value)?;
        self.accumulate(sink.first, sink.op, &sink.accs, &sink.elems, reps)?;
        self.code.close_inline();
        Ok(())
    }

    /// Writes values into slot number `at` of buffers, all at once: they may be views of these very slots.
    pub(super) fn write_all(&mut self, to: &[K], elems: &[Elem], at: Expr, reps: &[Rep]) -> Low<()> {
        let mut values = Vec::new();
        for (rep, elem) in reps.iter().zip(elems) {
            values.push(match rep {
                Rep::Array(array) if to.iter().any(|k| self.aliases.may_alias(*k, array.buffer)) => {
                    Rep::Array(self.copy(array, &elem.dims)?)
                }
                other => other.clone(),
            });
        }
        for ((buffer, elem), rep) in to.iter().zip(elems).zip(values) {
            let slot = self.code.name_int("slot", expr::mul(at.clone(), elem.row.clone()));
            self.write(*buffer, slot, &rep, &elem.dims)?;
        }
        Ok(())
    }

    /// Reads the values in slot number `at` of buffers.
    pub(super) fn read_all(&mut self, from: &[K], elems: &[Elem], at: Expr) -> Low<Vec<Rep>> {
        let mut reps = Vec::new();
        for (buffer, elem) in from.iter().zip(elems) {
            let slot = self.code.name_int("slot", expr::mul(at.clone(), elem.row.clone()));
            reps.push(self.read(*buffer, slot, &elem.dims)?);
        }
        Ok(reps)
    }

    /// Combines the results of blocks pairwise, as a tree, into slot 0.
    pub(super) fn combine_tree(&mut self, op: &Region, partial: &[K], elems: &[Elem], blocks: Expr) -> Low<()> {
        self.when(expr::lt(expr::int(1), blocks.clone()), |this| this.combine_levels(op, partial, elems, blocks))
    }

    fn combine_levels(&mut self, op: &Region, partial: &[K], elems: &[Elem], blocks: Expr) -> Low<()> {
        self.short_loop("level", expr::int(LEVELS), |this, level| {
            let width = this.code.name_int("width", expr::shl(expr::int(1), level.clone()));
            let level = this.code.name_int("level", expr::add(level, expr::int(1)));
            let reach = expr::add(blocks, expr::sub(width.clone(), expr::int(1)));
            let pairs = this.code.name_int("pairs", expr::shr(reach, level.clone()));
            this.short_loop("p", pairs, |this, p| {
                let left = this.code.name_int("left", expr::shl(p, level));
                let right = this.code.name_int("right", expr::add(left.clone(), width));
                let lefts = this.read_all(partial, elems, left.clone())?;
                let rights = this.read_all(partial, elems, right)?;
                let results = this.open_op(op, lefts, rights)?;
                this.write_all(partial, elems, left, &results)?;
                this.code.close_inline();
                Ok(())
            })
        })
    }

    pub(super) fn open_reduce<'b>(
        &mut self,
        output: &Output,
        op: &'b Region,
        neutral: &[Atom],
    ) -> Low<StreamReduce<'b>> {
        let elems = self.elems(output)?;
        let accs = self.accumulators(&elems);
        self.fill_accs(&accs, neutral)?;
        let in_block = self.code.variable("in_block", expr::int(0));
        let blocks = self.code.variable("blocks", expr::int(0));
        let mut partial = Vec::new();
        for elem in &elems {
            let buffer = self.code.fresh("partial", Type::Buffer(elem.prim));
            self.code.emit(Stm::Declare(buffer));
            self.code.own(buffer);
            partial.push(buffer);
        }
        Ok(StreamReduce { elems, op, accs, in_block, blocks, partial })
    }

    pub(super) fn reduce_value(&mut self, sink: &StreamReduce<'_>, emit: &Emit) -> Low<()> {
        let in_block = Expr::Var(sink.in_block);
        let reps = self.open_block(&emit.value)?;
        let flag = self.code.declare("fresh", Prim::Bool);
        self.code.emit(Stm::Set(flag, expr::eq(in_block.clone(), expr::int(BLOCK))));
        self.when(Expr::Var(flag), |this| {
            this.finish_block(sink)?;
            this.code.emit(Stm::Set(sink.in_block, expr::int(0)));
            Ok(())
        })?;
        self.accumulate(First::Flag(flag), sink.op, &sink.accs, &sink.elems, reps)?;
        self.code.emit(Stm::Set(sink.in_block, expr::add(in_block, expr::int(1))));
        self.code.close_inline();
        Ok(())
    }

    /// Puts the result of the block at hand to those of finished ones.
    fn finish_block(&mut self, sink: &StreamReduce<'_>) -> Low<()> {
        let blocks = Expr::Var(sink.blocks);
        self.grow_all(&sink.partial, &sink.elems, blocks.clone());
        let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
        self.write_all(&sink.partial, &sink.elems, blocks.clone(), &accs)?;
        self.code.emit(Stm::Set(sink.blocks, expr::add(blocks, expr::int(1))));
        Ok(())
    }

    /// Makes room for one more value behind `used` ones.
    pub(super) fn grow_all(&mut self, buffers: &[K], elems: &[Elem], used: Expr) {
        for (buffer, elem) in buffers.iter().zip(elems) {
            let needed = expr::capacity(expr::add(used.clone(), expr::int(1)), elem.row.clone());
            let used = expr::mul(used.clone(), elem.row.clone());
            let span = self.code.span;
            self.code.emit(Stm::Grow { buffer: *buffer, used, needed, span });
        }
    }

    pub(super) fn close_reduce(&mut self, sink: StreamReduce<'_>, bound: &Bound) -> Low<()> {
        self.when(expr::lt(expr::int(0), Expr::Var(sink.blocks)), |this| {
            this.finish_block(&sink)?;
            this.combine_tree(sink.op, &sink.partial, &sink.elems, Expr::Var(sink.blocks))?;
            let total = this.read_all(&sink.partial, &sink.elems, expr::int(0))?;
            this.set_accs(&sink.accs, &sink.elems, total)
        })?;
        for (var, acc) in bound.elems.iter().zip(&sink.accs) {
            self.homes.bind(*var, acc.rep());
        }
        Ok(())
    }
}
