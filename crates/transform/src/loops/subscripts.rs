//! Subscripts as sums, and which of them are never equal.
//!
//! ```text
//! loop (a = a0) for i < t {       i counts from 0, so `k + 1 + i` is another row in each turn, and never row `k`
//!   let r = k + 1 + i
//! ```
//!
//! Sums are those of `i64`, which wrap around: a difference of at least 1 and below 2^64 is never zero.

use base::Map;
use ir::traverse::Part;
use ir::{Atom, Block, Exp, LoopForm, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// Constants of differences are below this, so that they do not wrap around together with a counter.
const LARGE: i64 = 1 << 60;

/// How the integers of a function are computed, and how far its loops count.
#[derive(Default)]
pub(super) struct Subscripts {
    sums: Map<Var, (BinOp, Atom, Atom)>,
    counts: Map<Var, Atom>,
}

/// A constant and variables, each so many times.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sum {
    constant: i64,
    terms: Vec<(Var, i64)>,
}

impl Subscripts {
    /// Notes what a block binds.
    pub fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    /// Notes what a statement binds, and what is inside of it.
    pub fn stm(&mut self, stm: &Stm) {
        self.one(stm);
        stm.walk(&mut |part| match part {
            Part::Stm(stm) => self.one(stm),
            Part::Atom(_) | Part::Use(_) | Part::Bind(_) | Part::Block(_) => {}
        });
    }

    fn one(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub), Prim::I64, a, b) => {
                self.sums.insert(stm.vars[0], (*op, *a, *b));
            }
            Exp::Loop { form: LoopForm::For(var, count), .. } => {
                self.counts.insert(*var, *count);
            }
            Exp::Bulk(bulk) => self.steps(&bulk.steps),
            _ => {}
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::For { var, count, body, .. } => {
                    self.counts.insert(*var, *count);
                    self.steps(body);
                }
                Step::Guard(_, body) => self.steps(body),
                Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
            }
        }
    }

    /// A number as a sum of what is no sum.
    pub fn sum(&self, atom: Atom) -> Sum {
        let mut sum = Sum { constant: 0, terms: Vec::new() };
        self.add(&mut sum, atom, 1, 16);
        sum
    }

    /// Adds a number so many times. What is too deep stays under its name.
    fn add(&self, sum: &mut Sum, atom: Atom, times: i64, depth: usize) {
        match atom {
            Atom::Const(_) => sum.constant = sum.constant.wrapping_add(atom.as_size().unwrap_or(0).wrapping_mul(times)),
            Atom::Var(var) => match self.sums.get(&var).filter(|_| depth > 0) {
                Some((op, a, b)) => {
                    let sign = if *op == BinOp::Sub { -1 } else { 1 };
                    self.add(sum, *a, times, depth - 1);
                    self.add(sum, *b, times.wrapping_mul(sign), depth - 1);
                }
                None => sum.add(var, times),
            },
        }
    }

    /// Whether two numbers are never equal, whatever loops count.
    pub fn differ(&self, a: Atom, b: Atom) -> bool {
        let difference = self.sum(a).minus(&self.sum(b));
        let opposite = Sum { constant: 0, terms: Vec::new() }.minus(&difference);
        difference.constant.checked_abs().is_some_and(|constant| constant < LARGE)
            && [difference, opposite].iter().any(|sum| self.is_positive(sum))
    }

    /// Whether a sum is at least 1 and below 2^64.
    fn is_positive(&self, sum: &Sum) -> bool {
        match sum.terms[..] {
            [] => sum.constant >= 1,
            // A counter is at least 0.
            [(var, 1)] => self.counts.contains_key(&var) && sum.constant >= 1,
            // It is below its end.
            [(a, x), (b, y)] => {
                let is_room = |end: Var, counter: Var| self.counts.get(&counter) == Some(&Atom::Var(end));
                sum.constant >= 0 && (x == 1 && y == -1 && is_room(a, b) || x == -1 && y == 1 && is_room(b, a))
            }
            _ => false,
        }
    }
}

impl Sum {
    fn add(&mut self, var: Var, times: i64) {
        match self.terms.iter().position(|(other, _)| *other == var) {
            Some(at) => {
                self.terms[at].1 = self.terms[at].1.wrapping_add(times);
                self.terms.retain(|(_, times)| *times != 0);
            }
            None if times != 0 => self.terms.push((var, times)),
            None => {}
        }
    }

    fn minus(&self, other: &Sum) -> Sum {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_sub(other.constant);
        other.terms.iter().for_each(|(var, times)| sum.add(*var, times.wrapping_neg()));
        sum
    }

    /// Whether it is this variable, once, and others that do not satisfy a condition.
    pub fn moves_with(&self, index: Var, varies: &dyn Fn(Var) -> bool) -> bool {
        let own = |(var, times): &(Var, i64)| *var == index && [1, -1].contains(times);
        self.terms.iter().any(own) && self.terms.iter().all(|(var, _)| *var == index || !varies(*var))
    }

    /// Whether none of its variables satisfies a condition.
    pub fn is_fixed(&self, varies: &dyn Fn(Var) -> bool) -> bool {
        !self.terms.iter().any(|(var, _)| varies(*var))
    }

    /// Whether it is the same number.
    pub fn equals(&self, other: &Sum) -> bool {
        let difference = self.minus(other);
        difference.constant == 0 && difference.terms.is_empty()
    }
}
