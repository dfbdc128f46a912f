//! Places as sums: `low + 2 * i + 1` in a loop over `i` has step 2, constant 1 and the term `low`.

use super::dependence::Body;
use crate::{Expr, Op};
use scalar::{BinOp, Prim, Scalar};

/// A sum: `step * index + constant + terms`. The terms do not change while the loop runs; each has a factor.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Form {
    pub step: i64,
    constant: i64,
    /// In the order of their first use, without factors of 0.
    terms: Vec<(Expr, i64)>,
}

impl Form {
    /// The index of the loop itself.
    pub fn index() -> Form {
        Form { step: 1, ..Form::default() }
    }

    /// The sum that an expression stands for; none if it depends on the index in another way.
    pub fn of(expr: Expr, body: &Body<'_>) -> Option<Form> {
        if let Some(sum) = Form::of_sum(expr, body) {
            return Some(sum);
        }
        let term = Form { terms: vec![(expr, 1)], ..Form::default() };
        body.is_invariant(expr).then_some(term)
    }

    fn of_sum(expr: Expr, body: &Body<'_>) -> Option<Form> {
        match expr {
            Expr::Const(Scalar::I64(n)) => Some(Form { constant: n, ..Form::default() }),
            Expr::Const(_) => None,
            Expr::Var(var) => body.forms.get(&var).cloned(),
            Expr::Op(id) => match &body.program.exprs[id] {
                Op::Bin(BinOp::Add, Prim::I64, a, b) => Some(Form::of(*a, body)?.plus(&Form::of(*b, body)?, 1)),
                Op::Bin(BinOp::Sub, Prim::I64, a, b) => Some(Form::of(*a, body)?.plus(&Form::of(*b, body)?, -1)),
                Op::Bin(BinOp::Mul, Prim::I64, a, Expr::Const(Scalar::I64(n)))
                | Op::Bin(BinOp::Mul, Prim::I64, Expr::Const(Scalar::I64(n)), a) => {
                    Some(Form::default().plus(&Form::of(*a, body)?, *n))
                }
                _ => None,
            },
        }
    }

    /// This one and so many times another one.
    fn plus(mut self, other: &Form, factor: i64) -> Form {
        self.step = self.step.wrapping_add(other.step.wrapping_mul(factor));
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for (term, times) in &other.terms {
            let more = times.wrapping_mul(factor);
            match self.terms.iter_mut().find(|(known, _)| known == term) {
                Some((_, known)) => *known = known.wrapping_add(more),
                None => self.terms.push((*term, more)),
            }
        }
        self.terms.retain(|(_, times)| *times != 0);
        self
    }

    /// Whether two different iterations never have the same place, one by this form and one by the other: the forms
    /// differ by less than a step.
    pub fn never_meets(&self, other: &Form) -> bool {
        let difference = other.clone().plus(self, -1);
        difference.step == 0
            && difference.terms.is_empty()
            && difference.constant.unsigned_abs() < self.step.unsigned_abs()
    }
}
