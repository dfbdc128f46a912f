//! What numbers of values and of turns are computed from.

use affine::Linear;
use base::Map;
use ir::{Atom, Exp, Stm, Var};
use scalar::{BinOp, Prim};

/// Sums, differences, multiples and quotients of integers.
#[derive(Default, Clone)]
pub(super) struct Forms {
    forms: Map<Var, Linear<Var>>,
    /// The form and the positive number that it is divided by, rounded down.
    quotients: Map<Var, (Linear<Var>, i64)>,
}

impl Forms {
    /// Notes what a statement computes.
    pub fn define(&mut self, stm: &Stm) {
        let Exp::Bin(op, Prim::I64, a, b) = stm.exp else { return };
        let (a, b) = (self.of(a), self.of(b));
        let form = match op {
            BinOp::Add => a.add(&b),
            BinOp::Sub => a.sub(&b),
            BinOp::Mul => a.mul(&b),
            BinOp::Div => {
                self.divide(stm.vars[0], &a, &b);
                None
            }
            _ => None,
        };
        self.forms.extend(form.map(|form| (stm.vars[0], form)));
    }

    fn divide(&mut self, var: Var, form: &Linear<Var>, by: &Linear<Var>) {
        let Some(by) = by.as_constant().filter(|by| *by > 0) else { return };
        let quotient = self.quotient(form).and_then(|(form, inner)| Some((form, inner.checked_mul(by)?)));
        self.quotients.extend(quotient.map(|quotient| (var, quotient)));
    }

    pub fn of(&self, atom: Atom) -> Linear<Var> {
        match (atom, atom.as_size()) {
            (_, Some(size)) => Linear::constant(size),
            (Atom::Var(var), None) => self.forms.get(&var).cloned().unwrap_or_else(|| Linear::symbol(var)),
            (Atom::Const(_), None) => base::bug!("an index is an integer"),
        }
    }

    /// A form as one that is divided by a positive number and rounded down: `x / 2 + 3` is `(x + 6) / 2`.
    pub fn quotient(&self, form: &Linear<Var>) -> Option<(Linear<Var>, i64)> {
        let divided = form.terms().iter().find_map(|(var, factor)| {
            let quotient = self.quotients.get(var).filter(|_| *factor == 1)?;
            Some((*var, quotient))
        });
        let Some((var, (whole, by))) = divided else { return Some((form.clone(), 1)) };
        let rest = form.sub(&Linear::symbol(var))?.scale(*by)?;
        Some((whole.add(&rest)?, *by))
    }
}
