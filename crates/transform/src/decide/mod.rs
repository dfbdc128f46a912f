//! Decides comparisons and choices in loops that always come out the same way.
//!
//! ```text
//! for i < n {                                   for i < n {
//!   let t: bool = i < n                           let t: bool = true
//!   let m: i64 = n - i                    =>      let m: i64 = n - i
//!   let u: bool = m < 1                           let u: bool = false
//!   ..                                            ..
//!   let j: i64 = i + 1                            let j: i64 = i + 1
//!   let v: bool = j < n                           let v: bool = j < n
//!   let k: i64 = n - j                            let k: i64 = n - j
//!   let l: i64 = select(v, k, 0)                  let l: i64 = k           // where v does not hold, k is 0
//! ```
//!
//! Remainders of numbers that are close to the divisor need no division ([`remainders`]).
//!
//! Such comparisons are what a range like `i + 1 <= j < n` makes sure of before it counts. `simplify` removes what is left
//! of them; then loops have plain numbers of turns, which passes that order loops can follow. Conditions of checks stay as they
//! are: they hold or fail as a whole, and `checks` moves them out of loops as a whole.

mod remainders;

use crate::attempt;
use base::{Map, Set};
use ir::facts::Facts;
use ir::facts::remainders::Distance;
use ir::facts::walk::{Around, Visitor, walk};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, Program, Stm, Type, Var};
use remainders::{Shift, Sums};
use scalar::{BinOp, Prim, UnOp};
use std::borrow::Cow;

/// Decides comparisons in the loops of all functions.
pub fn decide(program: &mut Program) {
    for function in program.functions.ids() {
        let mut decided = decided(program, function);
        if decided.is_empty() || apply(program, function, &decided) {
            continue;
        }
        decided.values_mut().for_each(|decision| *decision = decision.without_shift());
        apply(program, function, &decided);
    }
}

/// Writes what was decided. A proof may take more steps without a condition than with it: what the verifier cannot follow is
/// taken back.
fn apply(program: &mut Program, function: FunId, decided: &Map<Var, Decision>) -> bool {
    let mut body = program.functions[function].body.clone();
    body.replace_stms(&mut |stm| {
        let decision = stm.vars.first().and_then(|var| decided.get(var));
        decision.map_or_else(|| vec![stm.clone()], |decision| decision.apply(program, stm.clone()))
    });
    attempt::body(program, function, body)
}

/// What is known about the value of a statement.
#[derive(Clone, Copy)]
enum Decision {
    Is(Atom),
    Remainder(Distance, Option<Shift>),
}

impl Decision {
    /// What stands in the place of a statement.
    fn apply(self, program: &mut Program, stm: Stm) -> Vec<Stm> {
        match self {
            Decision::Is(value) => vec![Stm { exp: Exp::Atom(value), ..stm }],
            Decision::Remainder(distance, shift) => {
                let divisor = if let Exp::Bin(_, _, _, divisor) = stm.exp { Some(divisor) } else { None };
                let stms = remainders::without_division(program, stm, distance);
                match (shift, divisor) {
                    (Some(shift), Some(divisor)) => remainders::near(program, shift, divisor, stms),
                    (_, _) => stms,
                }
            }
        }
    }

    /// The same, without asking first whether a shifted index is in the range.
    fn without_shift(self) -> Decision {
        match self {
            Decision::Remainder(distance, _) => Decision::Remainder(distance, None),
            Decision::Is(value) => Decision::Is(value),
        }
    }
}

fn decided(program: &Program, function: FunId) -> Map<Var, Decision> {
    let mut found = Decided {
        program,
        of_checks: of_checks(&program.functions[function].body),
        sums: Sums::of(&program.functions[function].body),
        decided: Map::default(),
        in_loop: Vec::new(),
    };
    walk(program, function, &mut found);
    found.decided
}

struct Decided<'p> {
    program: &'p Program,
    /// What the conditions of checks consist of.
    of_checks: Set<Var>,
    /// How indices are computed.
    sums: Sums,
    decided: Map<Var, Decision>,
    /// For everything that the walk is in, whether it is in a loop.
    in_loop: Vec<bool>,
}

impl<'p> Visitor<'p> for Decided<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        let [var] = stm.vars[..] else { return };
        if self.of_checks.contains(&var) || !self.in_loop.last().is_some_and(|in_loop| *in_loop) {
            return;
        }
        let decision = match &stm.exp {
            Exp::Bin(BinOp::Mod | BinOp::Rem, Prim::I64, a, b) => facts.distance(*a, *b).map(|distance| {
                let is_shifted = distance == Distance::Above;
                let shift = if is_shifted { self.sums.shift(facts, *a, *b) } else { None };
                Decision::Remainder(distance, shift)
            }),
            Exp::Bin(op, Prim::I64, a, b) => comparison(facts, *op, *a, *b).map(Decision::Is),
            Exp::Select(cond, a, b) if *self.program.ty(var) == Type::I64 => {
                choice(facts, *cond, *a, *b).map(Decision::Is)
            }
            _ => None,
        };
        self.decided.extend(decision.map(|decision| (var, decision)));
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, around: Around<'p>) {
        let is_loop = matches!(around, Around::For(..) | Around::Count(..));
        self.in_loop.push(is_loop || self.in_loop.last().is_some_and(|in_loop| *in_loop));
    }

    fn leave(&mut self) {
        self.in_loop.pop();
    }
}

/// How a comparison comes out, if that is known.
fn comparison(facts: &mut Facts<'_>, op: BinOp, a: Atom, b: Atom) -> Option<Atom> {
    let holds = [true, false].into_iter().find(|holds| {
        let fact = facts.comparison(op, a, b, *holds);
        fact.is_some_and(|fact| facts.follows(&fact))
    });
    holds.map(Atom::bool)
}

/// The value that a choice gives either way, if there is one: where the condition does not hold, or where it does, both
/// values are equal.
fn choice(facts: &mut Facts<'_>, cond: Atom, a: Atom, b: Atom) -> Option<Atom> {
    let equal = facts.comparison(BinOp::Eq, a, b, true)?;
    let found = [(false, a), (true, b)].into_iter().find(|(holds, _)| {
        let mark = facts.mark();
        facts.suppose(cond, *holds);
        let follows = facts.follows(&equal);
        facts.forget(mark);
        follows
    });
    found.map(|(_, value)| value)
}

/// The conditions of checks, and what they are put together from.
fn of_checks(body: &Block) -> Set<Var> {
    let mut stms = Vec::new();
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            stms.push((stm.vars.first().copied(), asked(&stm.exp)));
        }
    });
    let mut found: Set<Var> = Set::default();
    for (var, (is_check, asked)) in stms.into_iter().rev() {
        if is_check || var.is_some_and(|var| found.contains(&var)) {
            found.extend(asked.into_iter().filter_map(Atom::var));
        }
    }
    found
}

/// Whether an expression is a check, and the conditions that it asks for.
fn asked(exp: &Exp) -> (bool, Vec<Atom>) {
    match exp {
        Exp::Assert { cond, .. } | Exp::Ensure { cond, .. } => (true, vec![*cond]),
        Exp::Bin(BinOp::LogAnd | BinOp::LogOr, _, a, b) => (false, vec![*a, *b]),
        Exp::Un(UnOp::Not, _, a) => (false, vec![*a]),
        _ => (false, Vec::new()),
    }
}
