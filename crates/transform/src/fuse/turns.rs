//! Where the turns of a loop read kept values.

use super::merge::OneLoop;
use super::numbers::Forms;
use affine::Linear;
use ir::traverse::Part;
use ir::{Exp, Var};

/// The reads of a loop that goes through a slice.
pub(super) struct Places {
    /// By how many values the reads of a turn are behind those of the turn before.
    pub step: i64,
    pub reads: Vec<Read>,
}

/// A read of a value.
pub(super) struct Read {
    /// What it binds.
    pub var: Var,
    pub array: Var,
    /// The place in the first turn.
    pub first: Linear<Var>,
}

impl Places {
    /// The reads of these arrays. All go on by the same step.
    pub fn of(forms: &Forms, one: &OneLoop<'_>, arrays: &[Var]) -> Option<Places> {
        let mut forms = forms.clone();
        let mut found = Vec::new();
        for step in one.before.iter().chain(one.body) {
            step.walk(&mut |part| {
                let Part::Stm(stm) = part else { return };
                forms.define(stm);
                if let Exp::Index(array, at) = &stm.exp
                    && arrays.contains(array)
                {
                    found.push(at.first().map(|at| (stm.vars[0], *array, forms.of(*at))));
                }
            });
        }
        let reads: Vec<(Var, Var, Linear<Var>)> = found.into_iter().collect::<Option<_>>()?;
        let step = reads.first()?.2.coefficient(&one.var);
        let start = Linear::constant(0);
        let in_first_turn = |(var, array, place): (Var, Var, Linear<Var>)| {
            let same = place.coefficient(&one.var) == step;
            let first = place.substitute(&one.var, &start).filter(|_| same)?;
            Some(Read { var, array, first })
        };
        let reads = reads.into_iter().map(in_first_turn).collect::<Option<_>>()?;
        Some(Places { step, reads })
    }

    /// The last of the places in the first turn, if they differ by constants.
    pub fn furthest(&self) -> Option<Linear<Var>> {
        let (first, rest) = self.reads.split_first()?;
        rest.iter().try_fold(first.first.clone(), |furthest, read| later(furthest, read.first.clone()))
    }

    /// The number of the value at which the first turn runs, so that the last turn runs at one of the last of `count` values: there
    /// is a turn `j` if `step * (j + 1) <= whole`, where `whole / step` is the number of turns. Then all that it reads is there.
    pub fn first_turn(&self, forms: &Forms, turns: &Linear<Var>, count: Var) -> Option<Linear<Var>> {
        let (whole, by) = forms.quotient(turns)?;
        (by == self.step).then_some(())?;
        let least = Linear::symbol(count).add_constant(by - 1)?.sub(&whole)?;
        later(least, self.furthest()?)
    }
}

/// The greater of two places, if they differ by a constant.
fn later(a: Linear<Var>, b: Linear<Var>) -> Option<Linear<Var>> {
    let ahead = b.sub(&a)?.as_constant()?;
    Some(if ahead > 0 { b } else { a })
}
