//! Integers as sums of products, so that equal sizes and indices get one name.
//!
//! ```text
//! let a: i64 = n - 1
//! let b: i64 = a + 1      // the form `n`: `b` is `n`
//! let c: i64 = m * b      // the form `m*n`
//! let d: i64 = n * m      // the same form: `d` is `c`
//! ```
//!
//! `i64` arithmetic wraps, so it is a ring: equal forms have equal values. Forms that grow too long are not unfolded, which
//! bounds the work for each statement.

use affine::Linear;
use base::Map;
use ir::{Atom, Exp, Var};
use scalar::{BinOp, Prim};

/// A sum of products of variables; a product is a sorted list.
pub(super) type Form = Linear<Vec<Var>>;

/// Longer sums are not unfolded.
const MOST_TERMS: usize = 6;
/// Products of more factors are not unfolded.
const MOST_FACTORS: usize = 4;

/// The forms of variables.
#[derive(Default)]
pub(super) struct Forms(Map<Var, Form>);

impl Forms {
    /// The form of an atom of type `i64`.
    pub fn form(&self, atom: Atom) -> Form {
        match atom {
            Atom::Var(var) => self.0.get(&var).cloned().unwrap_or_else(|| Form::symbol(vec![var])),
            Atom::Const(_) => Form::constant(atom.as_size().unwrap_or_default()),
        }
    }

    /// The form of an expression, if it is a sum, difference or product.
    pub fn of(&self, exp: &Exp) -> Option<Form> {
        let Exp::Bin(op, Prim::I64, a, b) = exp else { return None };
        let (a, b) = (self.form(*a), self.form(*b));
        let form = match op {
            BinOp::Add => a.add(&b),
            BinOp::Sub => a.sub(&b),
            BinOp::Mul => product(&a, &b),
            _ => None,
        };
        form.filter(|form| form.terms().len() <= MOST_TERMS)
    }

    /// Records the form of a variable.
    pub fn define(&mut self, var: Var, form: Form) {
        self.0.insert(var, form);
    }
}

/// The product, term by term, unless it gets too long.
pub(super) fn product(a: &Form, b: &Form) -> Option<Form> {
    if a.terms().len() * b.terms().len() > MOST_TERMS {
        return None;
    }
    let mut sum = b.scale(a.constant_part())?;
    for (p, k) in a.terms() {
        let by_constant = b.constant_part().checked_mul(*k)?;
        let terms = b.terms().iter().map(|(q, l)| Some((times(p, q)?, k.checked_mul(*l)?)));
        let terms = terms.chain([Some((p.clone(), by_constant))]).collect::<Option<Vec<_>>>()?;
        sum = sum.add(&Form::from_terms(terms, 0)?)?;
    }
    Some(sum)
}

fn times(p: &[Var], q: &[Var]) -> Option<Vec<Var>> {
    let mut all = [p, q].concat();
    all.sort_unstable();
    (all.len() <= MOST_FACTORS).then_some(all)
}

/// The atom that a form is, if it is only one.
pub(super) fn as_atom(form: &Form) -> Option<Atom> {
    if let Some(n) = form.as_constant() {
        return Some(Atom::size(n));
    }
    match form.as_symbol().map(Vec::as_slice) {
        Some([var]) => Some(Atom::Var(*var)),
        _ => None,
    }
}

/// One operation that computes a form, if one is enough and no division of labour is lost: `x + 2`, `x - y`.
pub(super) fn as_operation(form: &Form) -> Option<Exp> {
    let one = |product: &Vec<Var>| match product[..] {
        [var] => Some(Atom::Var(var)),
        _ => None,
    };
    let (op, a, b) = match (form.terms(), form.constant_part()) {
        ([(x, 1)], k) if k < 0 && k != i64::MIN => (BinOp::Sub, one(x)?, Atom::size(-k)),
        ([(x, 1)], k) => (BinOp::Add, one(x)?, Atom::size(k)),
        ([(x, -1)], k) => (BinOp::Sub, Atom::size(k), one(x)?),
        ([(x, k)], 0) => (BinOp::Mul, one(x)?, Atom::size(*k)),
        ([(x, 1), (y, 1)], 0) => (BinOp::Add, one(x)?, one(y)?),
        ([(x, 1), (y, -1)], 0) => (BinOp::Sub, one(x)?, one(y)?),
        ([(x, -1), (y, 1)], 0) => (BinOp::Sub, one(y)?, one(x)?),
        _ => return None,
    };
    Some(Exp::Bin(op, Prim::I64, a, b))
}
