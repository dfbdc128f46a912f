//! Scalar expressions.

use super::rule::Rule;
use super::scope::Verifier;
use crate::{Atom, Type, Var};
use scalar::{BinOp, MathOp, Prim, UnOp};

impl Verifier<'_> {
    /// Both operands have the type of the operator.
    pub(super) fn bin(&mut self, vars: &[Var], op: BinOp, prim: Prim, a: Atom, b: Atom) {
        self.expect_all(&[a, b], prim);
        match op.result(prim) {
            Some(result) => self.gives(vars, &Type::Scalar(result)),
            None => return self.fail(Rule::Operand, format!("`{op}` does not work at {prim}")),
        }
        if prim.is_int() {
            self.divisor(op, b);
        }
    }

    /// The operand has the type of the operator, and so has the result.
    pub(super) fn un(&mut self, vars: &[Var], op: UnOp, prim: Prim, a: Atom) {
        self.expect_all(&[a], prim);
        self.check(op.accepts(prim), Rule::Operand, || format!("`{op}` does not work at {prim}"));
        self.gives(vars, &Type::Scalar(prim));
    }

    /// A scalar of one type becomes one of another.
    pub(super) fn convert(&mut self, vars: &[Var], from: Prim, to: Prim, a: Atom) {
        self.expect_all(&[a], from);
        self.gives(vars, &Type::Scalar(to));
    }

    /// A condition and two values of one type.
    pub(super) fn select(&mut self, vars: &[Var], c: Atom, a: Atom, b: Atom) {
        self.expect(c, &Type::Scalar(Prim::Bool));
        self.use_atom(a);
        self.expect(b, &self.atom_ty(a));
        self.gives(vars, &self.atom_ty(a));
    }

    pub(super) fn math(&mut self, vars: &[Var], op: MathOp, prim: Prim, args: &[Atom]) {
        let Some(ty) = op.type_at(prim) else {
            return self.fail(Rule::Operand, format!("there is no {prim}.{op}"));
        };
        if ty.params().len() != args.len() {
            return self.fail(Rule::Count, format!("{prim}.{op} does not take {} operands", args.len()));
        }
        args.iter().zip(ty.params()).for_each(|(arg, prim)| self.expect(*arg, &Type::Scalar(*prim)));
        self.gives(vars, &Type::Scalar(ty.result));
    }
}
