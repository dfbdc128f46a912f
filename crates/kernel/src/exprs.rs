//! Expressions: operands, and the operations that they stand for.
//!
//! An [`Expr`] is a constant, a variable, or the id of an operation that lies in the program's arena ([`Exprs`]), so it
//! is copied like a number. An operation has operands that are expressions in turn:
//!
//! ```text
//! xs[i] * 2        op0 = Load(xs, Var(i))      op1 = Bin(*, f64, Op(op0), Const(2.0))      the expression is Op(op1)
//! ```
//!
//! The arena stores equal operations once, so two expressions are equal exactly if they are written the same. That does
//! not mean the same value: an expression is evaluated by the statement that has it, with the variables and the memory of
//! that moment.

use crate::Var;
use base::{IdVec, Map, define_id};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};
use std::hash::{Hash, Hasher};
use std::ops::Index;

define_id!(
    /// An operation.
    OpId, "op"
);

/// A scalar expression without effects.
#[derive(Clone, Copy, Debug)]
pub enum Expr {
    /// A number or truth value.
    Const(Scalar),
    /// A scalar variable.
    Var(Var),
    /// The value of an operation.
    Op(OpId),
}

/// Equal are those that are written the same: constants by their bits, so NaN is equal to itself, and 0.0 is not -0.0.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        match (self, other) {
            (Expr::Const(a), Expr::Const(b)) => a.prim() == b.prim() && a.bits() == b.bits(),
            (Expr::Var(a), Expr::Var(b)) => a == b,
            (Expr::Op(a), Expr::Op(b)) => a == b,
            (Expr::Const(_) | Expr::Var(_) | Expr::Op(_), _) => false,
        }
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Expr::Const(value) => (value.prim(), value.bits()).hash(state),
            Expr::Var(var) => var.hash(state),
            Expr::Op(id) => id.hash(state),
        }
    }
}

/// An operation on scalars.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A binary operator at a type. Integers wrap. `&&` and `||` evaluate their right side only if needed.
    Bin(BinOp, Prim, Expr, Expr),
    /// A prefix operator at a type.
    Un(UnOp, Prim, Expr),
    /// A numeric function at a type.
    Math(MathOp, Prim, Vec<Expr>),
    /// A conversion (from, to).
    Convert(Prim, Prim, Expr),
    /// `condition ? a : b`; only the chosen one is evaluated.
    Select(Expr, Expr, Expr),
    /// The element of a buffer.
    Load(Var, Expr),
    /// How many threads a parallel loop can use here, at least 1. What is computed must not depend on it.
    Threads,
    /// Whether nothing else refers to the memory of a buffer.
    Sole(Var),
    /// How many attempts are under way on this thread ([`crate::Stm::Try`]), those of calling functions counted.
    Attempts,
}

impl Op {
    /// Calls `visit` for each operand.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Expr)) {
        match self {
            Op::Threads | Op::Attempts | Op::Sole(_) => {}
            Op::Bin(_, _, left, right) => [*left, *right].into_iter().for_each(visit),
            Op::Un(_, _, inner) | Op::Convert(_, _, inner) | Op::Load(_, inner) => visit(*inner),
            Op::Math(_, _, args) => args.iter().copied().for_each(visit),
            Op::Select(cond, yes, no) => [*cond, *yes, *no].into_iter().for_each(visit),
        }
    }

    /// The buffer that it reads.
    pub fn buffer(&self) -> Option<Var> {
        match self {
            Op::Load(buffer, _) | Op::Sole(buffer) => Some(*buffer),
            Op::Bin(..) | Op::Un(..) | Op::Math(..) | Op::Convert(..) | Op::Select(..) => None,
            Op::Threads | Op::Attempts => None,
        }
    }
}

/// The operations of a program, each after its operands.
#[derive(Clone, Default, Debug)]
pub struct Exprs {
    ops: IdVec<OpId, Op>,
    ids: Map<Op, OpId>,
}

impl Exprs {
    /// The expression that stands for an operation.
    pub fn op(&mut self, op: Op) -> Expr {
        if let Some(id) = self.ids.get(&op) {
            return Expr::Op(*id);
        }
        let id = self.ops.push(op.clone());
        self.ids.insert(op, id);
        Expr::Op(id)
    }

    /// The operation, if there is one with this id.
    pub fn get(&self, id: OpId) -> Option<&Op> {
        self.ops.get(id)
    }
}

impl Index<OpId> for Exprs {
    type Output = Op;
    fn index(&self, id: OpId) -> &Op {
        &self.ops[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_operations_are_stored_once() {
        let mut exprs = Exprs::default();
        let negated = |value: f64| Op::Un(UnOp::Neg, Prim::F64, Expr::Const(Scalar::F64(value)));
        let (zero, nan) = (exprs.op(negated(0.0)), exprs.op(negated(f64::NAN)));
        assert_eq!(exprs.op(negated(0.0)), zero);
        assert_eq!(exprs.op(negated(f64::NAN)), nan);
        assert_ne!(exprs.op(negated(-0.0)), zero);
        assert_ne!(exprs.op(Op::Un(UnOp::Neg, Prim::F64, zero)), zero);
    }
}
