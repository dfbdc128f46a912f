//! Places as sums: `low + 2 * i + 1` in a loop over `i` has step 2, constant 1 and the term `low`.

use crate::{Expr, Op, Program, Type, Var};
use base::{Map, Set};
use scalar::{BinOp, Prim, Scalar};

/// What is known about the variables in the body of a loop.
pub(super) struct Known<'a> {
    pub program: &'a Program,
    /// Those that are sums; the index is.
    forms: Map<Var, Form>,
    /// All of them.
    inside: Set<Var>,
}

impl<'a> Known<'a> {
    /// In the body of a loop with this index.
    pub fn new(program: &'a Program, index: Var) -> Self {
        let forms = [(index, Form { step: 1, ..Form::default() })].into_iter().collect();
        Known { program, forms, inside: [index].into_iter().collect() }
    }

    /// Adds a variable, perhaps with its value.
    pub fn declare(&mut self, var: Var, value: Option<Expr>) {
        self.inside.insert(var);
        if let Some(form) = value.and_then(|value| Form::of(value, self)) {
            self.forms.insert(var, form);
        }
    }

    /// Adds a variable from outside with its value.
    pub fn outside(&mut self, var: Var, value: Expr) {
        if let Some(form) = Form::of(value, self) {
            self.forms.insert(var, form);
        }
    }

    /// A variable gets another value; says whether it is one of the body.
    pub fn assign(&mut self, var: Var) -> bool {
        self.forms.remove(&var);
        self.inside.contains(&var)
    }

    /// The type of a variable.
    pub fn type_of(&self, var: Var) -> Option<Type> {
        self.program.vars.get(var).map(|info| info.ty)
    }

    /// Whether an expression has the same value in all iterations. Memory may change.
    fn is_invariant(&self, expr: Expr) -> bool {
        let mut invariant = true;
        expr.for_each_var(&self.program.exprs, &mut |var| {
            invariant &= !self.inside.contains(&var) && matches!(self.type_of(var), Some(Type::Scalar(_)));
        });
        invariant
    }
}

/// A sum: `step * index + constant + terms`. The terms do not change while the loop runs; each has a factor.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Form {
    pub step: i64,
    constant: i64,
    /// In the order of their first use, without factors of 0.
    terms: Vec<(Expr, i64)>,
}

impl Form {
    /// The sum that an expression stands for; none if it depends on the index in another way.
    pub fn of(expr: Expr, known: &Known<'_>) -> Option<Form> {
        if let Some(sum) = Form::of_sum(expr, known) {
            return Some(sum);
        }
        let term = Form { terms: vec![(expr, 1)], ..Form::default() };
        known.is_invariant(expr).then_some(term)
    }

    fn of_sum(expr: Expr, known: &Known<'_>) -> Option<Form> {
        match expr {
            Expr::Const(Scalar::I64(n)) => Some(Form { constant: n, ..Form::default() }),
            Expr::Const(_) => None,
            Expr::Var(var) => known.forms.get(&var).cloned(),
            Expr::Op(id) => match &known.program.exprs[id] {
                Op::Bin(BinOp::Add, Prim::I64, a, b) => Some(Form::of(*a, known)?.plus(&Form::of(*b, known)?, 1)),
                Op::Bin(BinOp::Sub, Prim::I64, a, b) => Some(Form::of(*a, known)?.plus(&Form::of(*b, known)?, -1)),
                Op::Bin(BinOp::Mul, Prim::I64, a, Expr::Const(Scalar::I64(n)))
                | Op::Bin(BinOp::Mul, Prim::I64, Expr::Const(Scalar::I64(n)), a) => {
                    Some(Form::default().plus(&Form::of(*a, known)?, *n))
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

    /// Whether two different iterations of so many never have the same place, one by this form and one by the other: the
    /// forms differ by less than a step, or by so much that no iteration gets there.
    pub fn never_meets(&self, other: &Form, count: Option<i64>) -> bool {
        let difference = other.clone().plus(self, -1);
        let (distance, step) = (difference.constant.unsigned_abs(), self.step.unsigned_abs());
        let is_far = |count: i64| distance >= step.saturating_mul(count.unsigned_abs());
        difference.step == 0 && difference.terms.is_empty() && (distance < step || count.is_some_and(is_far))
    }

    /// How many iterations after another form this one has the same place.
    pub fn turns_behind(&self, other: &Form) -> Option<i64> {
        let difference = other.clone().plus(self, -1);
        let same = difference.step == 0 && difference.terms.is_empty();
        let is_whole = difference.constant.checked_rem(self.step) == Some(0);
        (same && is_whole).then(|| difference.constant / self.step)
    }
}
