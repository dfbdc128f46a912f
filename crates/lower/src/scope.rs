//! Blocks of statements, who owns which buffer in them, and when it is released.
//!
//! A buffer that is made in a block belongs to that block. After every item (statement or step) of the block, those of
//! its buffers are released that no later item and no result mentions. A buffer is mentioned by mentioning any Core
//! variable that refers to it: all views of it do, since a view is the same Kernel variable with another offset. What
//! comes out of calls, branches and loops is counted, so it has a buffer variable of its own; that two variables may be
//! the same memory is remembered apart ([`Lower::may_alias`]), because in-place updates must know.

use crate::context::Lower;
use crate::rep::Rep;
use crate::{Low, expr};
use base::Map;
use ir::{Atom, Block, Var};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

/// An open block of statements.
#[derive(Default)]
pub(crate) struct Scope {
    /// The statements so far.
    pub stms: Vec<Stm>,
    /// Buffers to be released here.
    pub owned: Vec<K>,
    /// The number of the last item that mentions a variable. What is bound inside an item is of no use after it, and left
    /// out.
    pub last_use: Map<Var, usize>,
}

impl<'p> Lower<'p> {
    /// Opens a block.
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Takes the innermost block away, unfinished.
    pub fn pop(&mut self) -> Scope {
        self.scopes.pop().unwrap_or_default()
    }

    /// Closes the innermost block: what it owns is released.
    pub fn close(&mut self) -> Vec<Stm> {
        let mut scope = self.pop();
        scope.stms.extend(scope.owned.iter().map(|k| Stm::Release(*k)));
        scope.stms
    }

    /// Closes the innermost block and adds its statements to the one around it.
    pub fn close_inline(&mut self) {
        let stms = self.close();
        if let Some(scope) = self.scopes.last_mut() {
            scope.stms.extend(stms);
        }
    }

    /// Makes the innermost block the owner of a buffer.
    pub fn own(&mut self, buffer: K) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.owned.push(buffer);
        }
    }

    /// Takes a buffer out of the innermost block's hands; false if that does not own it.
    pub fn disown(&mut self, buffer: K) -> bool {
        let Some(scope) = self.scopes.last_mut() else {
            return false;
        };
        let before = scope.owned.len();
        scope.owned.retain(|k| *k != buffer);
        scope.owned.len() < before
    }

    /// Releases a buffer before its time.
    pub fn release(&mut self, buffer: K) {
        if self.disown(buffer) {
            self.emit(Stm::Release(buffer));
        }
    }

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
        let mut earlier = Vec::new();
        if let Some(scope) = self.scopes.last_mut() {
            scope.last_use = last_use;
            earlier.clone_from(&scope.owned);
        }
        for (i, item) in items.iter().enumerate() {
            each(self, item)?;
            self.release_dead(i, &earlier);
        }
        Ok(())
    }

    /// Releases what the items up to number `done` needed and no later one does. What the block had before its items
    /// is not theirs.
    fn release_dead(&mut self, done: usize, earlier: &[K]) {
        let Some(scope) = self.scopes.last() else {
            return;
        };
        let needed = |buffer: &K| {
            let users = self.users.get(buffer);
            users.is_some_and(|users| users.iter().any(|v| scope.last_use.get(v).is_some_and(|last| *last > done)))
        };
        let dead: Vec<K> = scope.owned.iter().filter(|b| !needed(b) && !earlier.contains(b)).copied().collect();
        dead.into_iter().for_each(|b| self.release(b));
    }

    /// Opens a block of its own for the statements of a Core block, which it lowers, and returns the results. It stays
    /// open, so that the results can be used before everything is released.
    pub fn open_block(&mut self, block: &Block) -> Low<Vec<Rep>> {
        self.open();
        self.stms_of(block)?;
        block.result.iter().map(|a| self.atom(*a)).collect()
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
        let var = self.fresh(name, kernel::Type::Scalar(Prim::I64));
        let outer = self.in_parallel;
        self.in_parallel |= mode == Mode::Parallel;
        self.open();
        body(self, Expr::Var(var))?;
        let body = self.close();
        self.in_parallel = outer;
        self.emit(Stm::For { var, from, to, mode, body });
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
        self.open();
        then(self)?;
        let then = self.close();
        self.open();
        otherwise(self)?;
        let otherwise = self.close();
        match cond {
            Expr::Const(scalar::Scalar::Bool(c)) => {
                let chosen = if c { then } else { otherwise };
                chosen.into_iter().for_each(|stm| self.emit(stm));
            }
            _ => self.emit(Stm::If(cond, then, otherwise)),
        }
        Ok(())
    }

    /// Statements that run only if a condition holds.
    pub fn when(&mut self, cond: Expr, then: impl FnOnce(&mut Self) -> Low<()>) -> Low<()> {
        self.branch(cond, then, |_| Ok(()))
    }

    /// The class of buffers that may be the same memory.
    fn class(&self, buffer: K) -> K {
        let mut at = buffer;
        while let Some(next) = self.alias.get(&at) {
            at = *next;
        }
        at
    }

    /// Whether two buffers may be the same memory.
    pub fn may_alias(&self, a: K, b: K) -> bool {
        self.class(a) == self.class(b)
    }

    /// Two buffers may be the same memory from now on.
    pub fn merge_alias(&mut self, a: K, b: K) {
        let (a, b) = (self.class(a), self.class(b));
        if a == b {
            return;
        }
        // The oldest buffer stands for its class, so that one can see which classes are older than a loop.
        let (old, new) = if a < b { (a, b) } else { (b, a) };
        if new.0 < self.alias_mark {
            self.alias_merges += 1;
        }
        self.alias.insert(new, old);
    }
}
