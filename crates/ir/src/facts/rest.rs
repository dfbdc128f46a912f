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
//! them there is one with the same loops, conditions and subscripts.
//!
//! Clauses that all run through the whole array share its elements by their guards: for each element exactly one holds.

use super::places::Place;
use super::precedence::with_counters;
use super::terms::{Poly, Sym};
use super::{Fact, Facts};
use crate::{Atom, Bulk, Coverage, Exp, Kind, Region, Type, Var};
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

    /// Whether each of these clauses runs through all elements, and for each element the guard of exactly one holds.
    pub(super) fn are_all_cases(&mut self, extents: &[Poly], places: &[&Place<'_>]) -> bool {
        let guard = |place: &&Place<'_>| match place.guards[..] {
            [cond] => Some(cond),
            _ => None,
        };
        let guards: Option<Vec<Atom>> = places.iter().map(guard).collect();
        let Some(guards) = guards.filter(|_| places.iter().all(|place| self.covers_all(extents, place))) else {
            return false;
        };
        let mark = self.mark();
        places[0].loops.iter().for_each(|(var, count)| self.counts(*var, *count));
        // They ask for the same element: their counters are those of the first one.
        let others: Vec<Var> = places[1..].iter().flat_map(|place| &place.loops).map(|(var, _)| *var).collect();
        for (var, first) in others.iter().zip(places[0].at.iter().cycle()) {
            let difference = self.terms.poly((*var).into()).sub(first);
            difference.into_iter().for_each(|difference| self.learn(Fact::Zero(difference)));
            self.terms.set(*var, first.clone());
        }
        let pairs = (0..guards.len()).flat_map(|k| (0..k).map(move |l| [k, l]));
        let one = pairs.into_iter().all(|pair| self.never(&pair.map(|k| (guards[k], true))));
        let one = one && self.never(&guards.iter().map(|cond| (*cond, false)).collect::<Vec<_>>());
        others.iter().for_each(|var| self.terms.unset(*var));
        self.forget(mark);
        one
    }

    /// Whether these conditions are never like this together.
    fn never(&mut self, conditions: &[(Atom, bool)]) -> bool {
        let mark = self.mark();
        conditions.iter().for_each(|(cond, holds)| self.suppose(*cond, *holds));
        self.sharpen();
        let never = self.impossible();
        self.forget(mark);
        never
    }

    /// What is not zero and not negative is at least 1.
    fn sharpen(&mut self) {
        let differing = |fact: &Fact| match fact {
            Fact::NotZero(poly) => Some(poly.clone()),
            _ => None,
        };
        let differing: Vec<Poly> = self.stack.iter().filter_map(differing).collect();
        for poly in differing.into_iter().flat_map(|poly| [poly.neg(), Some(poly)]).flatten() {
            if self.plainly_at_least_zero(&poly) {
                poly.add_constant(-1).into_iter().for_each(|poly| self.learn(Fact::AtLeastZero(poly)));
            }
        }
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
    pub(super) fn marks_of(&mut self, place: &Place<'_>) -> Option<&'p Bulk> {
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

    /// Whether an integer is another one where counters are those of the same turn.
    fn is_same_integer(&mut self, a: &Poly, b: &Poly, counters: &[Sym], turn: &[Option<Poly>]) -> bool {
        let a = (!self.hides(a, counters)).then(|| with_counters(a, counters, turn)).flatten();
        a.and_then(|a| a.sub(b)).is_some_and(|d| d.as_constant() == Some(0) || self.some_zero(&[d]))
    }

    /// Whether a condition, or a number, is computed like another one where counters are those of the same turn.
    fn is_same_condition(&mut self, a: Atom, b: Atom, counters: &[Sym], turn: &[Option<Poly>]) -> bool {
        let (Atom::Var(x), Atom::Var(y)) = (a, b) else { return a == b };
        if self.program.ty(x) == &Type::I64 {
            let (a, b) = (self.terms.poly(a), self.terms.poly(b));
            if self.is_same_integer(&a, &b, counters, turn) {
                return true;
            }
        }
        if x == y {
            return !self.in_loops.contains(&x);
        }
        let (Some(one), Some(other)) = (self.terms.def(x), self.terms.def(y)) else { return false };
        let mut same = |a: &Atom, b: &Atom| self.is_same_condition(*a, *b, counters, turn);
        match (one, other) {
            (Exp::Atom(a), Exp::Atom(b)) => same(a, b),
            (Exp::Un(op, prim, a), Exp::Un(op_b, prim_b, b)) => op == op_b && prim == prim_b && same(a, b),
            (Exp::Bin(op, prim, a, b), Exp::Bin(op_b, prim_b, c, d)) => {
                op == op_b && prim == prim_b && same(a, c) && same(b, d)
            }
            (Exp::Select(a, b, c), Exp::Select(d, e, f)) => same(a, d) && same(b, e) && same(c, f),
            (Exp::Math(op, prim, args), Exp::Math(op_b, prim_b, args_b)) => {
                let known = op == op_b && prim == prim_b && args.len() == args_b.len();
                known && args.iter().zip(args_b).all(|(a, b)| same(a, b))
            }
            (Exp::Index(xs, at), Exp::Index(ys, at_b)) => {
                xs == ys && at.len() == at_b.len() && at.iter().zip(at_b).all(|(a, b)| same(a, b))
            }
            _ => false,
        }
    }

    /// Whether two clauses define the same elements, turn by turn.
    fn is_same_place(&mut self, one: &Place<'_>, other: &Place<'_>) -> bool {
        if one.loops.len() != other.loops.len() || one.guards.len() != other.guards.len() {
            return false;
        }
        let counters = self.counters(one);
        let turn: Vec<Option<Poly>> =
            self.counters(other).into_iter().map(|sym| Some(Poly::symbol(vec![sym]))).collect();
        let subscripts = one.at.len() == other.at.len()
            && (0..one.at.len()).all(|dim| {
                self.is_same_integer(&one.at[dim], &other.at[dim], &counters, &turn)
                    || self.is_same_condition(one.emit.at[dim], other.emit.at[dim], &counters, &turn)
            });
        let mut guards = one.guards.iter().zip(&other.guards);
        subscripts
            && guards.all(|(a, b)| self.is_same_condition(*a, *b, &counters, &turn))
            && one
                .loops
                .iter()
                .zip(&other.loops)
                .all(|((_, a), (_, b))| self.is_same_condition(*a, *b, &counters, &turn))
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
