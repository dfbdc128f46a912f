//! Types of expressions.

use super::function::Verifier;
use crate::{Arg, Expr, FailArg, Op, Type};
use scalar::{MathOp, Prim};

impl Verifier<'_> {
    /// An expression of a type.
    pub fn expect(&mut self, expr: Expr, prim: Prim) {
        match self.expr(expr) {
            Some(found) if found != prim => {
                let text = crate::text::print_expr(self.program, expr);
                self.wrong(format!("{text} is {found}, not {prim}"));
            }
            Some(_) | None => {}
        }
    }

    /// A place or number of elements.
    pub fn number(&mut self, expr: Expr) {
        self.expect(expr, Prim::I64);
    }

    /// The type of an expression; none if something is wrong, which is noted.
    pub fn expr(&mut self, expr: Expr) -> Option<Prim> {
        match expr {
            Expr::Const(value) => Some(value.prim()),
            Expr::Var(var) => match self.type_of(var) {
                Some(Type::Scalar(prim)) => {
                    self.uses(var, Type::Scalar(prim));
                    Some(prim)
                }
                Some(Type::Buffer(_)) | None => {
                    self.wrong(format!("{} is no scalar", self.show(var)));
                    None
                }
            },
            Expr::Op(id) => match self.program.exprs.get(id) {
                Some(op) => self.op(op),
                None => {
                    self.wrong(format!("{id:?} does not exist"));
                    None
                }
            },
        }
    }

    /// The type of an operation's value.
    fn op(&mut self, op: &Op) -> Option<Prim> {
        match op {
            Op::Threads | Op::Attempts => Some(Prim::I64),
            Op::Sole(buffer) => {
                self.uses_buffer(*buffer);
                Some(Prim::Bool)
            }
            Op::Bin(op, prim, left, right) => {
                self.expect(*left, *prim);
                self.expect(*right, *prim);
                op.result(*prim).or_else(|| {
                    self.wrong(format!("there is no {op} at {prim}"));
                    None
                })
            }
            Op::Un(op, prim, inner) => {
                self.expect(*inner, *prim);
                if !op.accepts(*prim) {
                    self.wrong(format!("there is no {op} at {prim}"));
                }
                Some(*prim)
            }
            Op::Math(op, prim, args) => self.math(*op, *prim, args),
            Op::Convert(from, to, inner) => {
                self.expect(*inner, *from);
                Some(*to)
            }
            Op::Select(cond, yes, no) => {
                self.expect(*cond, Prim::Bool);
                let prim = self.expr(*yes)?;
                self.expect(*no, prim);
                Some(prim)
            }
            Op::Load(buffer, at) => {
                self.number(*at);
                self.uses_buffer(*buffer);
                if self.kept.contains(buffer) {
                    self.wrong(format!("{} is kept for its memory, and read", self.show(*buffer)));
                }
                match self.type_of(*buffer) {
                    Some(Type::Buffer(prim)) => Some(prim),
                    Some(Type::Scalar(_)) | None => None,
                }
            }
        }
    }

    /// The type of a numeric function's value.
    fn math(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Option<Prim> {
        let Some(ty) = op.type_at(prim) else {
            self.wrong(format!("there is no {op} at {prim}"));
            return None;
        };
        if args.len() != ty.params().len() {
            self.wrong(format!("{op} takes {} arguments", ty.params().len()));
        }
        args.iter().zip(ty.params()).for_each(|(arg, param)| self.expect(*arg, *param));
        Some(ty.result)
    }

    /// An argument of a type; buffers are lent.
    pub fn argument(&mut self, arg: &Arg, ty: Type) {
        match (arg, ty) {
            (Arg::Scalar(expr), Type::Scalar(prim)) => self.expect(*expr, prim),
            (Arg::Buffer(var), Type::Buffer(_)) => {
                self.uses(*var, ty);
                self.lends(*var);
            }
            (Arg::Scalar(_), Type::Buffer(_)) | (Arg::Buffer(_), Type::Scalar(_)) => {
                self.wrong(format!("{arg:?} stands where {ty:?} is expected"));
            }
        }
    }

    /// A value for a message.
    pub fn fail_arg(&mut self, arg: &FailArg) {
        match arg {
            FailArg::Scalar(prim, expr) => self.expect(*expr, *prim),
            FailArg::Numbers { buffer, at, count } => {
                self.uses(*buffer, Type::Buffer(Prim::I64));
                self.lends(*buffer);
                self.number(*at);
                self.number(*count);
            }
        }
    }
}
