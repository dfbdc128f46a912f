//! Limits that loop variables keep in every turn.
//!
//! ```text
//! loop (lo = 0, hi = n) while lo < hi {            // here: 0 <= lo <= n and 0 <= hi <= n
//!   let mid: i64 = (lo + hi) / 2
//!   ..
//!   => select(c, mid + 1, lo), select(c, hi, mid)
//! }
//! ```
//!
//! Each variable is compared with what it and the others are in the beginning. All that holds there is supposed; what a
//! turn does not keep is dropped, until the rest keeps itself (Flanagan and Leino, "Houdini", FME 2001).
//!
//! A variable that is replaced by something else or stays as it is (`select(xs[i] < xs[b], i, b)`) is also compared with the
//! limits of what replaces it.

use super::terms::{Poly, Sym, Term, replaced};
use super::{Fact, Facts, induction, symbols};
use crate::{Atom, Block, Exp, Stm, Type, Var};
use scalar::Prim;

/// Loops with more integers are not looked at.
const MOST: usize = 4;
/// How many limits of what replaces a variable are looked at.
const LIMITS: usize = 4;
/// How many values a turn chooses from.
const CHOICES: usize = 16;

/// An integer of a loop: in a turn, in the beginning, and in the next turn.
struct Carried {
    now: Poly,
    first: Poly,
    next: Poly,
}

/// A variable, by its number, is at least or at most a limit.
#[derive(Clone, PartialEq)]
struct Limit {
    of: usize,
    limit: Poly,
    is_upper: bool,
}

impl<'p> Facts<'p> {
    /// Learns what holds of the variables of a loop in every turn. A turn begins if `cond` holds.
    /// `turn` is the counter, if there is one.
    pub(crate) fn keeps(
        &mut self,
        params: &[(Var, Atom)],
        turn: Option<Var>,
        cond: Option<&'p Block>,
        body: &'p Block,
    ) {
        // What is computed in the loop gets its symbol after all of these have theirs.
        let bound = turn.into_iter().chain(params.iter().map(|(param, _)| *param));
        let inside = bound.flat_map(|var| symbols(&self.terms.poly(var.into()))).min();
        let inside = inside.unwrap_or_else(|| self.terms.next_symbol());
        let integers = params.iter().zip(&body.result).filter(|((var, _), next)| {
            let is_integer = self.program.vars.get(*var).is_some_and(|info| info.ty == Type::I64);
            is_integer && **next != Atom::Var(*var)
        });
        let integers: Vec<(&(Var, Atom), &Atom)> = integers.collect();
        let is_even =
            |((param, _), next): &(&(Var, Atom), &Atom)| induction::step(**next, *param, &body.stms).is_some();
        if integers.len() > MOST || integers.iter().all(is_even) {
            return;
        }
        cond.into_iter().for_each(|cond| self.look_ahead(&cond.stms));
        self.look_ahead(&body.stms);
        let carried = self.carried(params, body);
        let mut found = self.first_limits(&carried);
        found.extend(self.limits_of_others(&carried, inside));
        let kept = self.kept(&carried, cond, found);
        kept.iter().for_each(|limit| self.learn_limit(limit, &carried[limit.of].now));
    }

    /// Learns what holds of the variables of a `while` loop where its condition does. If there is a turn, the condition held in the
    /// beginning, too. To be called where it is supposed, after [`Self::keeps`].
    pub(crate) fn keeps_in_turns(&mut self, params: &[(Var, Atom)], cond: &Block, body: &'p Block) {
        let carried = self.carried(params, body);
        if carried.is_empty() || carried.len() > MOST {
            return;
        }
        let at_first = self.at_first(params, cond);
        if at_first.is_empty() {
            return;
        }
        let mark = self.mark();
        at_first.into_iter().for_each(|fact| self.learn(fact));
        let found = self.first_limits(&carried);
        self.forget(mark);
        let is_new = |facts: &mut Self, limit: &Limit| !facts.is_within(limit, &carried[limit.of].now);
        let found: Vec<Limit> = found.into_iter().filter(|limit| is_new(self, limit)).collect();
        let kept = self.kept(&carried, None, found);
        kept.iter().for_each(|limit| self.learn_limit(limit, &carried[limit.of].now));
    }

    /// What the condition of a loop says of the beginning.
    fn at_first(&mut self, params: &[(Var, Atom)], cond: &Block) -> Vec<Fact> {
        let [cond] = cond.result[..] else { return Vec::new() };
        let values: Vec<(Poly, Poly)> =
            params.iter().map(|(param, init)| (self.terms.poly((*param).into()), self.terms.poly(*init))).collect();
        let value =
            |sym: Sym| values.iter().find(|(now, _)| now.as_symbol() == Some(&vec![sym])).map(|(_, first)| first);
        let oldest = values.iter().flat_map(|(now, _)| symbols(now)).min();
        // What else is computed in the loop may be something else in the beginning.
        let first = |poly: &Poly| {
            symbols(poly).into_iter().try_fold(poly.clone(), |poly, sym| match value(sym) {
                Some(first) => replaced(&poly, sym, first),
                None => Some(poly).filter(|_| oldest.is_some_and(|oldest| sym < oldest)),
            })
        };
        let facts = self.meaning(cond, true);
        let of_first = facts.iter().filter_map(|fact| match fact {
            Fact::AtLeastZero(poly) => Some(Fact::AtLeastZero(first(poly)?)),
            Fact::Order(low, high, strict) => Some(Fact::Order(first(low)?, first(high)?, *strict)),
            _ => None,
        });
        of_first.collect()
    }

    /// The integers of a loop that change.
    fn carried(&mut self, params: &[(Var, Atom)], body: &Block) -> Vec<Carried> {
        let integers = params.iter().zip(&body.result).filter(|((var, _), next)| {
            let is_integer = self.program.vars.get(*var).is_some_and(|info| info.ty == Type::I64);
            is_integer && **next != Atom::Var(*var)
        });
        let integers: Vec<(&(Var, Atom), &Atom)> = integers.collect();
        let of = |((var, init), next): (&(Var, Atom), &Atom)| {
            let [now, first, next] = [Atom::Var(*var), *init, *next].map(|atom| self.terms.poly(atom));
            Carried { now, first, next }
        };
        integers.into_iter().map(of).collect()
    }

    /// Those of some limits that a turn keeps if all of them hold.
    fn kept(&mut self, carried: &[Carried], cond: Option<&Block>, mut found: Vec<Limit>) -> Vec<Limit> {
        loop {
            let mark = self.mark();
            found.iter().for_each(|limit| self.learn_limit(limit, &carried[limit.of].now));
            cond.into_iter().flat_map(|cond| &cond.result).for_each(|cond| self.suppose(*cond, true));
            let kept: Vec<Limit> =
                found.iter().filter(|limit| self.is_within(limit, &carried[limit.of].next)).cloned().collect();
            self.forget(mark);
            if kept.len() == found.len() {
                return kept;
            }
            found = kept;
        }
    }

    fn first_limits(&mut self, carried: &[Carried]) -> Vec<Limit> {
        let mut found: Vec<Limit> = Vec::new();
        for (of, Carried { first, .. }) in carried.iter().enumerate() {
            for Carried { first: limit, .. } in carried {
                for is_upper in [false, true] {
                    let limit = Limit { of, limit: limit.clone(), is_upper };
                    if !found.contains(&limit) && (limit.limit == *first || self.is_within(&limit, first)) {
                        found.push(limit);
                    }
                }
            }
        }
        found
    }

    /// The limits of what replaces variables, if they have them in the beginning, too.
    fn limits_of_others(&mut self, carried: &[Carried], inside: Sym) -> Vec<Limit> {
        let mut found: Vec<Limit> = Vec::new();
        for (of, Carried { now, first, next }) in carried.iter().enumerate() {
            let mut others = self.chosen_from(next);
            let may_stay = others.contains(now);
            others.retain(|value| value != now);
            let Some(other) = others.first().filter(|_| may_stay) else { continue };
            let limits =
                self.candidates(other, inside).into_iter().map(|(limit, is_upper)| Limit { of, limit, is_upper });
            for limit in limits.take(LIMITS).collect::<Vec<_>>() {
                if !found.contains(&limit) && self.is_within(&limit, first) {
                    found.push(limit);
                }
            }
        }
        found
    }

    /// The values that a value is chosen from.
    fn chosen_from(&self, value: &Poly) -> Vec<Poly> {
        let (mut found, mut open) = (Vec::new(), vec![value.clone()]);
        while let Some(value) = open.pop().filter(|_| found.len() < CHOICES) {
            let term = match value.as_symbol().map(|product| &product[..]) {
                Some([sym]) => Some(&self.terms.terms[*sym]),
                _ => None,
            };
            match term {
                Some(Term::Select(_, a, b) | Term::Extreme(_, a, b)) => open.extend([a.clone(), b.clone()]),
                _ => found.push(value),
            }
        }
        found
    }

    fn fact_of(&self, limit: &Limit, value: &Poly) -> Option<Fact> {
        let (low, high) = if limit.is_upper { (value, &limit.limit) } else { (&limit.limit, value) };
        self.order(low, high, false)
    }

    fn learn_limit(&mut self, limit: &Limit, value: &Poly) {
        self.fact_of(limit, value).into_iter().for_each(|fact| self.learn(fact));
    }

    fn is_within(&mut self, limit: &Limit, value: &Poly) -> bool {
        self.fact_of(limit, value).is_some_and(|fact| self.follows(&fact))
    }

    /// Looks at scalars before the walk comes to them.
    fn look_ahead(&mut self, stms: &'p [Stm]) {
        for stm in stms {
            if let Exp::If(_, then, otherwise) = &stm.exp {
                self.look_ahead(&then.stms);
                self.look_ahead(&otherwise.stms);
            }
            for (number, var) in stm.vars.iter().enumerate() {
                match self.program.vars.get(*var).map(|info| &info.ty) {
                    Some(ty @ Type::Scalar(Prim::I64 | Prim::Bool)) => self.terms.define(*var, ty, &stm.exp, number),
                    _ => continue,
                }
            }
        }
    }
}
