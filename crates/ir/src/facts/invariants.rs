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

use super::terms::Poly;
use super::{Fact, Facts, induction};
use crate::{Atom, Block, Exp, Stm, Type, Var};
use scalar::Prim;

/// Loops with more integers are not looked at.
const MOST: usize = 4;

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
    pub(crate) fn keeps(&mut self, params: &[(Var, Atom)], cond: Option<&'p Block>, body: &'p Block) {
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
        let carried: Vec<Carried> = integers
            .into_iter()
            .map(|((var, init), next)| {
                let [now, first, next] = [Atom::Var(*var), *init, *next].map(|atom| self.terms.poly(atom));
                Carried { now, first, next }
            })
            .collect();
        let kept = self.kept(&carried, cond);
        kept.iter().for_each(|limit| self.learn_limit(limit, &carried[limit.of].now));
    }

    /// The limits that hold in the beginning and that a turn keeps.
    fn kept(&mut self, carried: &[Carried], cond: Option<&Block>) -> Vec<Limit> {
        let mut found = self.first_limits(carried);
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
