//! Loops and branches around code that a closure writes.
//!
//! The closures get the context that the loop is written with, so steps that know only the [`super::Builder`] and steps
//! that lower statements use the same functions. A closure may fail: its result is passed on.
//!
//! ```text
//! cx.count_loop("i", n, |cx, i| cx.code.emit(..))          for i < n { .. }
//! ```

use super::code::Code;
use crate::data::{Low, expr};
use kernel::{Expr, Mode, Stm, Type};
use scalar::{Prim, Scalar};

/// Something that writes Kernel statements.
pub(crate) trait Blocks<'p> {
    /// The program that the statements go into.
    fn code(&mut self) -> &mut Code<'p>;

    /// A loop; the closure gets the index.
    fn for_loop<R>(
        &mut self,
        name: &str,
        from: Expr,
        to: Expr,
        mode: Mode,
        body: impl FnOnce(&mut Self, Expr) -> R,
    ) -> R {
        let code = self.code();
        let var = code.fresh(name, Type::Scalar(Prim::I64));
        let (outer, span) = (code.in_parallel, code.span);
        code.in_parallel |= mode == Mode::Parallel;
        code.open();
        let result = body(self, Expr::Var(var));
        let code = self.code();
        let (body, core) = code.close_loop();
        code.in_parallel = outer;
        code.note_origin(var, span, core);
        code.emit(Stm::For { var, from, to, mode, body });
        result
    }

    /// A sequential loop from 0.
    fn count_loop<R>(&mut self, name: &str, to: Expr, body: impl FnOnce(&mut Self, Expr) -> R) -> R {
        self.for_loop(name, expr::int(0), to, Mode::Sequential, body)
    }

    /// A loop from 0 with few turns, such as one for each dimension or for each block of a loop.
    fn short_loop<R>(&mut self, name: &str, to: Expr, body: impl FnOnce(&mut Self, Expr) -> R) -> R {
        self.for_loop(name, expr::int(0), to, Mode::Short, body)
    }

    /// A parallel loop from 0, cut into pieces of work of this many turns, a power of two.
    fn parallel_loop<R>(&mut self, name: &str, count: Expr, block: i64, turn: impl FnOnce(&mut Self, Expr) -> R) -> R {
        let exprs = self.code().exprs;
        if block == 1 {
            return self.for_loop(name, expr::int(0), count, Mode::Parallel, turn);
        }
        let blocks = self.code().name_int("blocks", exprs.blocks_of(count, block));
        self.for_loop("b", expr::int(0), blocks, Mode::Parallel, |cx, b| {
            let low = cx.code().name_int("low", exprs.mul(b, expr::int(block)));
            let high = cx.code().name_int("high", exprs.min(exprs.add(low, expr::int(block)), count));
            cx.for_loop(name, low, high, Mode::Sequential, turn)
        })
    }

    /// A loop that runs while a condition holds.
    fn while_loop<R>(&mut self, cond: Expr, body: impl FnOnce(&mut Self) -> R) -> R {
        self.code().open();
        let result = body(self);
        let body = self.code().close();
        self.code().emit(Stm::While { head: Vec::new(), cond, body });
        result
    }

    /// A choice between two blocks, both of which are written unless the condition is constant.
    fn branch<R: Outcome>(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self) -> R,
        otherwise: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.code().open();
        let first = then(self);
        let then = self.code().close();
        self.code().open();
        let second = otherwise(self);
        let otherwise = self.code().close();
        match cond {
            Expr::Const(Scalar::Bool(c)) => {
                let chosen = if c { then } else { otherwise };
                chosen.into_iter().for_each(|stm| self.code().emit(stm));
            }
            _ => self.code().emit(Stm::If(cond, then, otherwise)),
        }
        first.and(second)
    }

    /// Statements that run only if a condition holds.
    fn when<R: Outcome>(&mut self, cond: Expr, then: impl FnOnce(&mut Self) -> R) -> R {
        self.branch(cond, then, |_| R::done())
    }
}

/// The result of a closure: nothing, or whether it failed.
pub(crate) trait Outcome {
    /// The result of doing nothing.
    fn done() -> Self;
    /// The first failure of two.
    fn and(self, other: Self) -> Self;
    /// The result of a function that may fail.
    fn low(self) -> Low<()>;
}

impl Outcome for () {
    fn done() {}
    fn and(self, (): ()) {}
    fn low(self) -> Low<()> {
        Ok(())
    }
}

impl Outcome for Low<()> {
    fn done() -> Self {
        Ok(())
    }
    fn and(self, other: Self) -> Self {
        Result::and(self, other)
    }
    fn low(self) -> Low<()> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::*;

    #[test]
    fn a_constant_condition_leaves_one_branch() {
        let program = ir::Program::default();
        let exprs = expr::ExprBuilder::default();
        let mut cx = Builder::new(&program, &exprs);
        cx.code.open();
        let k = cx.code.declare("k", Prim::I64);
        cx.branch(expr::truth(false), |cx| cx.code.set(k, expr::int(1)), |cx| cx.code.set(k, expr::int(2)));
        assert!(matches!(&cx.code.close()[..], [Stm::Declare(_), Stm::Set(_, value)] if *value == expr::int(2)));
    }
}
