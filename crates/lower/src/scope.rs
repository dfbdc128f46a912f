//! Blocks of Core as blocks of Kernel: when buffers are released, loops and choices.
//!
//! A buffer that is made in a block belongs to that block. After every item (statement or step) of the block, those of
//! its buffers are released that no later item and no result mentions. A buffer is mentioned by mentioning any Core
//! variable that refers to it: all views of it do, since a view is the same Kernel variable with another offset. What
//! comes out of calls, branches and loops is counted, so it has a buffer variable of its own; [`crate::alias`] remembers
//! that two variables may be the same memory.

use crate::context::Lower;
use crate::rep::Rep;
use crate::{Low, expr};
use base::Map;
use ir::{Atom, Block};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

impl<'p> Lower<'p> {
    /// Lowers items in the innermost block and releases what is not needed any more after each.
    pub fn items<T>(
        &mut self,
        items: &[T],
        result: &[Atom],
        mention: impl Fn(&mut crate::mentions::Mentions<'p>, &T),
        mut each: impl FnMut(&mut Self, &T) -> Low<()>,
    ) -> Low<()> {
        let mut last_use = Map::default();
        for (i, item) in items.iter().enumerate() {
            let mut mentions = crate::mentions::Mentions::from_outside(self.src, self.outside.clone());
            mention(&mut mentions, item);
            last_use.extend(mentions.found.into_iter().map(|v| (v, i)));
        }
        last_use.extend(result.iter().filter_map(|a| a.var()).map(|v| (v, items.len())));
        let scope = self.code.innermost();
        scope.last_use = last_use;
        let earlier = scope.owned.clone();
        for (i, item) in items.iter().enumerate() {
            each(self, item)?;
            self.release_dead(i, &earlier);
        }
        Ok(())
    }

    /// Releases what the items up to number `done` needed and no later one does. What the block had before its items
    /// is not theirs.
    fn release_dead(&mut self, done: usize, earlier: &[K]) {
        let homes = &self.homes;
        let scope = self.code.innermost();
        let needed = |buffer: &K| homes.is_used(*buffer, |v| scope.last_use.get(v).is_some_and(|last| *last > done));
        let dead: Vec<K> = scope.owned.iter().filter(|b| !needed(b) && !earlier.contains(b)).copied().collect();
        dead.into_iter().for_each(|b| self.code.release(b));
    }

    /// Opens a block of its own for the statements of a Core block, which it lowers, and returns the results. It stays
    /// open, so that the results can be used before everything is released.
    pub fn open_block(&mut self, block: &Block) -> Low<Vec<Rep>> {
        self.code.open();
        self.stms_of(block)?;
        Ok(self.homes.atoms(&block.result))
    }

    /// Lowers the statements of a block into the innermost block.
    pub fn stms_of(&mut self, block: &Block) -> Low<()> {
        self.items(&block.stms, &block.result, |m, stm| m.stm(stm), |this, stm| this.stm(stm))
    }

    /// A loop whose body is lowered by a function that gets the index.
    pub fn for_loop(
        &mut self,
        name: &str,
        from: Expr,
        to: Expr,
        mode: Mode,
        body: impl FnOnce(&mut Self, Expr) -> Low<()>,
    ) -> Low<()> {
        let var = self.code.fresh(name, kernel::Type::Scalar(Prim::I64));
        let outer = self.in_parallel;
        self.in_parallel |= mode == Mode::Parallel;
        self.code.open();
        body(self, Expr::Var(var))?;
        let body = self.code.close();
        self.in_parallel = outer;
        self.code.emit(Stm::For { var, from, to, mode, body });
        Ok(())
    }

    /// A sequential loop from 0.
    pub fn count_loop(&mut self, name: &str, to: Expr, body: impl FnOnce(&mut Self, Expr) -> Low<()>) -> Low<()> {
        self.for_loop(name, expr::int(0), to, Mode::Sequential, body)
    }

    /// A loop from 0 with few turns, such as one for each dimension or for each block of a loop.
    pub fn short_loop(&mut self, name: &str, to: Expr, body: impl FnOnce(&mut Self, Expr) -> Low<()>) -> Low<()> {
        self.for_loop(name, expr::int(0), to, Mode::Short, body)
    }

    /// A choice whose branches are lowered by functions.
    pub fn branch(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self) -> Low<()>,
        otherwise: impl FnOnce(&mut Self) -> Low<()>,
    ) -> Low<()> {
        self.code.open();
        then(self)?;
        let then = self.code.close();
        self.code.open();
        otherwise(self)?;
        let otherwise = self.code.close();
        match cond {
            Expr::Const(scalar::Scalar::Bool(c)) => {
                let chosen = if c { then } else { otherwise };
                chosen.into_iter().for_each(|stm| self.code.emit(stm));
            }
            _ => self.code.emit(Stm::If(cond, then, otherwise)),
        }
        Ok(())
    }

    /// Statements that run only if a condition holds.
    pub fn when(&mut self, cond: Expr, then: impl FnOnce(&mut Self) -> Low<()>) -> Low<()> {
        self.branch(cond, then, |_| Ok(()))
    }
}
