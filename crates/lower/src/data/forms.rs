//! Places in memory that move evenly: those of loops that go through arrays step by step.

use crate::data::expr::{self, ExprBuilder};
use base::Map;
use kernel::{Expr, Op, Program, Type, Var};
use scalar::{BinOp, Prim};

/// A place: a number, and how far one step of each of some loops goes.
pub(crate) struct Form<const N: usize> {
    pub fixed: Expr,
    pub by: [Expr; N],
}

impl<const N: usize> Form<N> {
    /// Whether it is the same in all turns.
    fn is_fixed(&self) -> bool {
        self.by.iter().all(|by| expr::as_int(*by) == Some(0))
    }

    fn map(&self, change: impl Fn(Expr) -> Expr) -> Form<N> {
        Form { fixed: change(self.fixed), by: self.by.map(change) }
    }

    /// Its value where the loops are at these turns.
    pub fn at(&self, exprs: &ExprBuilder, turns: [Expr; N]) -> Expr {
        let moves = self.by.iter().zip(turns);
        moves.fold(self.fixed, |at, (by, turn)| exprs.add(at, exprs.mul(turn, *by)))
    }
}

/// What places look like in loops with these variables.
pub(crate) struct Forms<'a, const N: usize> {
    pub program: &'a Program,
    pub exprs: &'a ExprBuilder,
    pub vars: [Var; N],
    /// What the loops bind.
    pub lets: &'a Map<Var, Expr>,
}

impl<const N: usize> Forms<'_, N> {
    /// A place, if it moves evenly.
    pub fn of(&self, place: Expr) -> Option<Form<N>> {
        let (zero, one) = (expr::int(0), expr::int(1));
        if let Expr::Var(var) = place {
            if let Some(value) = self.lets.get(&var) {
                return self.of(*value);
            }
            if self.vars.contains(&var) {
                let by = self.vars.map(|own| if own == var { one } else { zero });
                return Some(Form { fixed: zero, by });
            }
        }
        if self.is_fixed(place) {
            return Some(Form { fixed: place, by: [zero; N] });
        }
        let Op::Bin(op, Prim::I64, left, right) = self.exprs.operation(place)? else { return None };
        let (left, right) = (self.of(left)?, self.of(right)?);
        match op {
            BinOp::Add => Some(both(&left, &right, |a, b| self.exprs.add(a, b))),
            BinOp::Sub => Some(both(&left, &right, |a, b| self.exprs.sub(a, b))),
            BinOp::Mul if left.is_fixed() => Some(right.map(|each| self.exprs.mul(left.fixed, each))),
            BinOp::Mul if right.is_fixed() => Some(left.map(|each| self.exprs.mul(each, right.fixed))),
            _ => None,
        }
    }

    /// Whether an expression is the same in all turns, and reads no memory.
    pub fn is_fixed(&self, expr: Expr) -> bool {
        let changes = |var: Var| self.vars.contains(&var) || self.lets.contains_key(&var);
        let is_memory = |var: Var| matches!(self.program.vars[var].ty, Type::Buffer(_));
        let mut fixed = true;
        self.exprs.for_each_var(expr, &mut |var| fixed &= !changes(var) && !is_memory(var));
        fixed
    }
}

fn both<const N: usize>(left: &Form<N>, right: &Form<N>, combine: impl Fn(Expr, Expr) -> Expr) -> Form<N> {
    let by = std::array::from_fn(|k| combine(left.by[k], right.by[k]));
    Form { fixed: combine(left.fixed, right.fixed), by }
}
