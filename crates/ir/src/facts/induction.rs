//! What holds of loop variables in every turn.
//!
//! ```text
//! loop (p = a, q = b) for k < n {        // here: p = a + 2*k  and  b <= q <= b + k
//!   let p.1: i64 = p + 2
//!   let q.1: i64 = if c { q + 1 } else { q }
//!   => p.1, q.1
//! }
//! ```
//!
//! The step of a variable is what a turn adds to it: between two constants, whatever branches are taken. In a `while` loop
//! turns are not counted, so it only says that a variable grows or shrinks.

use super::terms::Poly;
use super::{Fact, Facts};
use crate::{Atom, Block, Exp, Stm, Var};
use scalar::{BinOp, Prim};

/// Larger steps could wrap around before anyone loses patience.
const LONGEST: i64 = 1 << 12;

/// What a turn adds: from and to.
pub(super) type Step = (i64, i64);

impl Facts<'_> {
    /// Variables of a loop change by constant steps. `turn` is the counter, if there is one.
    pub(crate) fn steps_of(&mut self, params: &[(Var, Atom)], turn: Option<Var>, body: &Block) {
        for ((param, init), next) in params.iter().zip(&body.result) {
            let Some(step) = step(*next, *param, &body.stms).filter(|(lo, hi)| -LONGEST <= *lo && *hi <= LONGEST)
            else {
                continue;
            };
            self.moves(*param, *init, step, turn);
        }
    }

    fn moves(&mut self, param: Var, init: Atom, (lo, hi): Step, turn: Option<Var>) -> Option<()> {
        let (param, init) = (self.terms.poly(param.into()), self.terms.poly(init));
        if let Some(turn) = turn {
            let turn = self.terms.poly(turn.into());
            let [least, most] = [init.add(&turn.scale(lo)?)?, init.add(&turn.scale(hi)?)?];
            if lo == hi {
                self.learn(Fact::Zero(param.sub(&least)?));
            } else {
                self.ordered(&least, &param)?;
                self.ordered(&param, &most)?;
            }
        }
        if lo >= 0 {
            self.ordered(&init, &param)?;
        }
        if hi <= 0 {
            self.ordered(&param, &init)?;
        }
        Some(())
    }

    fn ordered(&mut self, low: &Poly, high: &Poly) -> Option<()> {
        let fact = self.order(low, high, false)?;
        self.learn(fact);
        Some(())
    }
}

/// What a value is more than a variable, as far as its statements show.
pub(super) fn step(value: Atom, param: Var, stms: &[Stm]) -> Option<Step> {
    let var = value.var()?;
    if var == param {
        return Some((0, 0));
    }
    let stm = stms.iter().rev().find(|stm| stm.vars.contains(&var))?;
    let number = stm.vars.iter().position(|v| *v == var)?;
    let more = |(lo, hi): Step, n: i64| Some((lo.checked_add(n)?, hi.checked_add(n)?));
    match &stm.exp {
        Exp::Atom(a) => step(*a, param, stms),
        Exp::Bin(BinOp::Add, Prim::I64, a, b) => match (a.as_size(), b.as_size()) {
            (_, Some(n)) => more(step(*a, param, stms)?, n),
            (Some(n), None) => more(step(*b, param, stms)?, n),
            (None, None) => None,
        },
        Exp::Bin(BinOp::Sub, Prim::I64, a, b) => more(step(*a, param, stms)?, b.as_size()?.checked_neg()?),
        Exp::Select(_, a, b) => either(step(*a, param, stms)?, step(*b, param, stms)?),
        Exp::If(_, then, otherwise) => {
            let side = |side: &Block| {
                let value = *side.result.get(number)?;
                step(value, param, &side.stms).or_else(|| step(value, param, stms))
            };
            either(side(then)?, side(otherwise)?)
        }
        _ => None,
    }
}

fn either((lo, hi): Step, (low, high): Step) -> Option<Step> {
    Some((lo.min(low), hi.max(high)))
}
