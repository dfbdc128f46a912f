//! Operators that return one of their operands.
//!
//! ```text
//! out reduce of (x: i64) from (0) by (a: i64, b: i64) {     // here: 0 <= a < n and 0 <= b < n
//!   ..
//!   => select(xs[b] < xs[a], b, a)
//! }
//! for i < n { emit => i }
//! ```
//!
//! All that such an operator is ever given is the neutral element or a value that was handed over. So a limit that all of these
//! have, its parameters have, too. It runs only if there is a value, so the loops around the values have turns: the 0 from
//! which the example starts is below `n` there.
//!
//! The result is the neutral element if there are no values: it is at most the larger one of that and the limit.

use super::terms::{Poly, Sym};
use super::{Bound, Facts, symbols};
use crate::{Atom, Block, Exp, Region, Step, Var};
use base::{Map, Set};
use scalar::MathOp;

/// What is known of the values that an operator combines.
pub(crate) struct Combined<'a> {
    pub op: &'a Region,
    pub neutral: &'a [Atom],
    /// For each component, the limits of all values.
    pub limits: &'a [Option<Vec<Bound>>],
    /// How many turns the loops have that are around all values.
    pub turns: &'a [Atom],
    /// Symbols from here on are not known where the operator stands.
    pub inside: Sym,
}

impl Facts<'_> {
    /// Learns what holds of the parameters of an operator.
    pub(crate) fn operands(&mut self, combined: &Combined<'_>) {
        let Combined { op, neutral, limits, turns, inside } = combined;
        let none = limits.iter().flatten().all(Vec::is_empty);
        if none || (0..neutral.len()).all(|component| !selects(op, component)) {
            return;
        }
        for count in *turns {
            let count = self.terms.poly(*count);
            if symbols(&count).iter().all(|sym| sym < inside) {
                self.has_turn(count);
            }
        }
        for (component, (start, limits)) in neutral.iter().zip(*limits).enumerate() {
            if !selects(op, component) {
                continue;
            }
            for bound in limits.iter().flatten() {
                if !self.within(*start, bound) {
                    continue;
                }
                for number in [component, component + neutral.len()] {
                    let Some(param) = op.params.get(number) else { continue };
                    let param = self.terms.poly((*param).into());
                    let fact = self.on_side(&param, bound);
                    fact.into_iter().for_each(|fact| self.learn(fact));
                }
            }
        }
    }

    /// A limit of what an operator that selects makes of values with a limit: of one of them, or of the neutral element.
    pub(super) fn limit_of_selected(&mut self, neutral: Atom, bound: Bound) -> Bound {
        if self.within(neutral, &bound) {
            return bound;
        }
        let neutral = self.terms.poly(neutral);
        let op = if bound.is_upper { MathOp::Max } else { MathOp::Min };
        let limit = self.terms.extreme(op, bound.limit, neutral);
        Bound { limit, is_upper: bound.is_upper }
    }
}

/// Whether a component of what an operator returns is always the same component of one of its operands.
pub(super) fn selects(op: &Region, component: usize) -> bool {
    let (Some(result), Some(left), Some(right)) =
        (op.body.result.get(component), op.params.get(component), op.params.get(component + op.body.result.len()))
    else {
        return false;
    };
    is_one_of(*result, &[*left, *right], &op.body)
}

/// Whether what a block computes is one of some variables from outside.
pub(super) fn is_one_of(result: Atom, of: &[Var], block: &Block) -> bool {
    let mut defs = Map::default();
    definitions(block, &mut defs);
    let (mut seen, mut open) = (Set::default(), vec![result]);
    while let Some(atom) = open.pop() {
        let Some(var) = atom.var() else { return false };
        if of.contains(&var) || !seen.insert(var) {
            continue;
        }
        let Some((exp, number)) = defs.get(&var) else { return false };
        match exp {
            Exp::Atom(a) => open.push(*a),
            Exp::Select(_, a, b) => open.extend([*a, *b]),
            Exp::Math(MathOp::Min | MathOp::Max, prim, args) if prim.is_int() => open.extend(args),
            Exp::If(_, one, other) | Exp::Choose(_, one, other) => {
                let sides = [one.result.get(*number), other.result.get(*number)];
                open.extend(sides.into_iter().flatten());
            }
            _ => return false,
        }
    }
    true
}

/// What binds the variables of a block and of its branches.
fn definitions<'a>(block: &'a Block, found: &mut Map<Var, (&'a Exp, usize)>) {
    for stm in &block.stms {
        found.extend(stm.vars.iter().enumerate().map(|(number, var)| (*var, (&stm.exp, number))));
        if let Exp::If(_, one, other) | Exp::Choose(_, one, other) = &stm.exp {
            definitions(one, found);
            definitions(other, found);
        }
    }
}

/// How many turns the loops have that are around all steps of a kind; nothing if there are none of them.
pub(crate) fn turns_around(steps: &[Step], is_meant: &dyn Fn(&Step) -> bool) -> Option<Vec<Atom>> {
    let mut all: Option<Vec<Atom>> = None;
    for step in steps {
        let found = match step {
            step if is_meant(step) => Some(Vec::new()),
            Step::For { count, body, .. } => turns_around(body, is_meant).map(|mut inner| {
                inner.push(*count);
                inner
            }),
            Step::Guard(_, body) => turns_around(body, is_meant),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
        };
        all = match (all, found) {
            (Some(all), Some(found)) => Some(all.into_iter().filter(|count| found.contains(count)).collect()),
            (all, found) => all.or(found),
        };
    }
    all
}

/// What a limit of something says, as a polynomial that is not negative.
pub(super) fn room_of(value: &Poly, bound: &Bound) -> Option<Poly> {
    if bound.is_upper { bound.limit.sub(value) } else { value.sub(&bound.limit) }
}
