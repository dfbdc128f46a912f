//! The clause for all elements that no other clause defines.
//!
//! ```text
//! let marks = bulk { out accum (all false) by || .. for i < p { emit [i + 1] => true } }
//! out gen [n]
//! for i < p { emit [i + 1] => .. }
//! for i < n { let m = marks[i]; let c = not m; if c { emit [i] => .. } }
//! ```
//!
//! It is what `else [i] => ..` becomes. The marks are set where the other clauses define something, and nowhere else: for each of
//! them there is one with the same loops and subscripts.

use super::Facts;
use super::places::Place;
use super::precedence::with_counters;
use super::terms::Poly;
use crate::{Atom, Bulk, Coverage, Exp, Kind, Region, Var};
use scalar::{BinOp, Prim, Scalar, UnOp};

impl<'p> Facts<'p> {
    /// Whether a clause defines exactly those elements that none of the others defines.
    pub(super) fn is_rest(&mut self, extents: &[Poly], rest: &Place<'_>, others: &[&Place<'_>]) -> bool {
        let Some(marks) = self.marks_of(rest).filter(|_| self.covers_all(extents, rest)) else { return false };
        let Some(marks) = self.places(marks) else { return false };
        let is_true =
            |mark: &Place<'_>| mark.emit.value.stms.is_empty() && mark.emit.value.result == [Atom::bool(true)];
        marks.len() == others.len()
            && marks.iter().all(is_true)
            && others.iter().all(|other| marks.iter().any(|mark| self.is_same_place(mark, other)))
            && marks.iter().all(|mark| others.iter().any(|other| self.is_same_place(mark, other)))
    }

    /// Whether the loops of a clause run through all subscripts.
    fn covers_all(&mut self, extents: &[Poly], place: &Place<'_>) -> bool {
        place.loops.len() == extents.len()
            && place.at.len() == extents.len()
            && place.loops.iter().zip(extents).zip(&place.at).all(|(((var, count), extent), at)| {
                self.terms.poly(*count) == *extent && self.terms.poly((*var).into()) == *at
            })
    }

    /// The form that sets the marks which a clause asks for.
    fn marks_of(&mut self, place: &Place<'_>) -> Option<&'p Bulk> {
        let [Atom::Var(cond)] = place.guards[..] else { return None };
        let Exp::Un(UnOp::Not, Prim::Bool, Atom::Var(mark)) = self.terms.def(cond)? else { return None };
        let Exp::Index(marks, at) = self.terms.def(*mark)? else { return None };
        let Exp::Bulk(bulk) = self.terms.def(*marks)? else { return None };
        let [output] = &bulk.outputs[..] else { return None };
        let Kind::Accum { arrays, skip: false, op, tree: _ } = &output.kind else { return None };
        let [old] = arrays[..] else { return None };
        (self.terms.all(at) == place.at && is_or(op) && self.is_all_false(old)).then_some(bulk)
    }

    fn is_all_false(&self, array: Var) -> bool {
        match self.terms.def(array) {
            Some(Exp::Reshape(whole)) => self.is_all_false(*whole),
            Some(Exp::Bulk(bulk)) => match &bulk.outputs[..] {
                [output] => {
                    let exact = matches!(output.kind, Kind::Gen { otherwise: None, coverage: Coverage::Exact, .. });
                    let mut values = Vec::new();
                    bulk.steps.iter().for_each(|step| {
                        step.walk(&mut |part| {
                            if let crate::traverse::Part::Block(block) = part {
                                values.push(block.result.clone());
                            }
                        })
                    });
                    exact && values == [vec![Atom::Const(Scalar::Bool(false))]]
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether two clauses define the same elements, turn by turn.
    fn is_same_place(&mut self, one: &Place<'_>, other: &Place<'_>) -> bool {
        if one.loops.len() != other.loops.len() || !one.guards.is_empty() || !other.guards.is_empty() {
            return false;
        }
        let counters = self.counters(one);
        let turn: Vec<Option<Poly>> =
            self.counters(other).into_iter().map(|sym| Some(Poly::symbol(vec![sym]))).collect();
        let mut same = |a: &Poly, b: &Poly| {
            let a = (!self.hides(a, &counters)).then(|| with_counters(a, &counters, &turn)).flatten();
            a.and_then(|a| a.sub(b)).is_some_and(|d| d.as_constant() == Some(0) || self.some_zero(&[d]))
        };
        let subscripts = one.at.iter().zip(&other.at).all(|(a, b)| same(a, b));
        subscripts
            && one.loops.iter().zip(&other.loops).all(|((_, a), (_, b))| {
                let (a, b) = (self.terms.poly(*a), self.terms.poly(*b));
                let fixed = !self.hides(&a, &counters) && with_counters(&a, &counters, &turn).as_ref() == Some(&a);
                fixed && a.sub(&b).is_some_and(|d| d.as_constant() == Some(0) || self.some_zero(&[d]))
            })
    }
}

/// Whether an operator is `||`.
fn is_or(op: &Region) -> bool {
    let ([a, b], [stm]) = (&op.params[..], &op.body.stms[..]) else { return false };
    let of_both =
        |x: Atom, y: Atom| [x, y] == [Atom::Var(*a), Atom::Var(*b)] || [y, x] == [Atom::Var(*a), Atom::Var(*b)];
    let is_result = stm.vars.iter().map(|var| Atom::Var(*var)).eq(op.body.result.iter().copied());
    is_result && matches!(stm.exp, Exp::Bin(BinOp::LogOr, _, x, y) if of_both(x, y))
}
