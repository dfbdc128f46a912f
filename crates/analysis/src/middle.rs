//! The middle of a loop: the turns in which conditions on the counter come out the same way.
//!
//! ```text
//! for j < m {
//!   let c = j == 0                 // decided from turn 1 on: it does not hold
//!   let d = j == last              // decided before turn `last`: it does not hold
//!   let e = row || c || d
//!   let x = if e { .. } else { .. a[i, j - 1] + a[i, j + 1] .. }
//! ```
//!
//! In the middle, from 1 to `last`, what is left of the condition is `row`, which does not depend on the counter: it can be
//! asked once before the loop. Comparisons with a constant are about the first turns, all others about the last ones. That is
//! a guess about borders: any turns may be in the middle or not, but where a guess is wrong the middle is empty or short.
//!
//! Indices at borders are often chosen, not values: `a[i, max(0, j - 1)]`, or `a[i, select(j + 1 < m, j + 1, j + 1 - m)]` of a
//! rotated row. In the middle they are `j - 1` and `j + 1`, so elements lie side by side.

use crate::cost::heavy_steps;
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Exp, Program, Step, Stm, Type, Var};
use scalar::{BinOp, MathOp, Prim, UnOp};

/// Borders wider than this are loops of their own.
const WIDEST: i64 = 16;
/// Larger bodies are not repeated.
const LARGEST: usize = 100;
/// At most so many conditions are asked before the loop.
const MOST_SWITCHES: usize = 2;

/// What is known in the middle of a loop.
#[derive(Debug, Default)]
pub struct Middle {
    /// The first turn.
    pub low: i64,
    /// The turn after the last is at most each of these, and a constant added to it.
    pub high: Vec<(Atom, i64)>,
    /// Comparisons in the body, and how they come out.
    pub decided: Map<Var, bool>,
    /// The least and greatest of two numbers in the body, and which of them it is.
    pub limited: Map<Var, Atom>,
    /// Conditions from outside of the loop that the body asks.
    pub switches: Vec<Var>,
}

impl Middle {
    /// The middle of the loop with this counter and body, if a choice between values from memory depends on it.
    pub fn of(program: &Program, counter: Var, body: &[Step]) -> Option<Middle> {
        if heavy_steps(body) {
            return None;
        }
        let stms = statements(body);
        if stms.len() > LARGEST {
            return None;
        }
        let mut found =
            Search { program, counter, inside: Step::bound_in(body), turns: Map::default(), middle: Middle::default() };
        stms.iter().for_each(|stm| found.stm(stm));
        let depends = found.depends_on_decided(&stms);
        let is_choice = |stm: &&Stm| matches!(&stm.exp, Exp::If(cond, ..) if depends.has(*cond) && reads_memory(stm));
        let chooses = stms.iter().any(is_choice) || guards(body).any(|cond| depends.has(cond));
        let worth = chooses || found.chooses_index(&stms, &depends);
        worth.then(|| {
            found.middle.switches = found.switches(&stms, &depends);
            found.middle
        })
    }
}

/// All statements of a body, at any depth, in order.
fn statements(body: &[Step]) -> Vec<&Stm> {
    let mut found = Vec::new();
    body.iter().for_each(|step| statements_of_step(step, &mut found));
    found
}

fn statements_of_step<'b>(step: &'b Step, found: &mut Vec<&'b Stm>) {
    match step {
        Step::For { body, .. } | Step::Guard(_, body) => body.iter().for_each(|step| statements_of_step(step, found)),
        Step::Let(stm) => statements_of(stm, found),
        Step::Scan(scan) => scan.value.stms.iter().for_each(|stm| statements_of(stm, found)),
        Step::Emit(emit) => emit.value.stms.iter().for_each(|stm| statements_of(stm, found)),
    }
}

fn statements_of<'b>(stm: &'b Stm, found: &mut Vec<&'b Stm>) {
    for block in stm.exp.blocks() {
        block.stms.iter().for_each(|stm| statements_of(stm, found));
    }
    found.push(stm);
}

/// The conditions of guards, at any depth.
fn guards(body: &[Step]) -> Box<dyn Iterator<Item = Atom> + '_> {
    Box::new(body.iter().flat_map(|step| match step {
        Step::Guard(cond, body) => Box::new([*cond].into_iter().chain(guards(body))),
        Step::For { body, .. } => guards(body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => Box::new(std::iter::empty()),
    }))
}

fn reads_memory(stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| found |= matches!(part, Part::Stm(Stm { exp: Exp::Index(..), .. })));
    found
}

/// Variables that depend on comparisons which are decided.
struct Dependent(Set<Var>);

impl Dependent {
    fn has(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.0.contains(&var))
    }
}

struct Search<'p> {
    program: &'p Program,
    counter: Var,
    /// What the body binds.
    inside: Set<Var>,
    /// Variables that are the counter and a constant.
    turns: Map<Var, i64>,
    middle: Middle,
}

impl Search<'_> {
    fn stm(&mut self, stm: &Stm) {
        let [var] = &stm.vars[..] else { return };
        let (op, a, b) = match &stm.exp {
            Exp::Bin(op, Prim::I64, a, b) => (op, a, b),
            Exp::Math(op @ (MathOp::Min | MathOp::Max), Prim::I64, args) => {
                let limits = [(args[0], args[1]), (args[1], args[0])];
                return limits.into_iter().for_each(|(number, limit)| self.limit(*var, *op, number, limit));
            }
            Exp::Select(cond, then, otherwise) => return self.chosen(*var, *cond, *then, *otherwise),
            Exp::If(cond, then, otherwise) => {
                return self.chosen(*var, *cond, then.result[0], otherwise.result[0]);
            }
            _ => return,
        };
        match (op, self.turn(*a), self.turn(*b)) {
            (BinOp::Add, Some(k), None) => self.moved(*var, k, b.as_size()),
            (BinOp::Add, None, Some(k)) => self.moved(*var, k, a.as_size()),
            (BinOp::Sub, Some(k), None) => self.moved(*var, k, b.as_size().and_then(i64::checked_neg)),
            (op, Some(k), None) => self.comparison(*var, *op, k, *b),
            (op, None, Some(k)) => self.mirrored(*var, *op, k, *a),
            (_, _, _) => {}
        }
    }

    /// What is added to the counter, if an atom is a sum of the counter and a constant.
    fn turn(&self, atom: Atom) -> Option<i64> {
        let var = atom.var()?;
        if var == self.counter { Some(0) } else { self.turns.get(&var).copied() }
    }

    fn moved(&mut self, var: Var, by: i64, more: Option<i64>) {
        let sum = more.and_then(|more| by.checked_add(more));
        self.turns.extend(sum.filter(|sum| (-WIDEST..=WIDEST).contains(sum)).map(|sum| (var, sum)));
    }

    /// A choice whose condition is decided may be the counter and a constant.
    fn chosen(&mut self, var: Var, cond: Atom, then: Atom, otherwise: Atom) {
        let decided = cond.var().and_then(|cond| self.middle.decided.get(&cond).copied());
        let chosen = decided.map(|holds| if holds { then } else { otherwise });
        let turn = chosen.and_then(|chosen| self.turn(chosen));
        self.turns.extend(turn.map(|turn| (var, turn)));
    }

    /// The least or the greatest of a number and a limit: in the middle it is the number, if that is the counter and a constant.
    fn limit(&mut self, var: Var, op: MathOp, number: Atom, limit: Atom) {
        let Some(by) = self.turn(number) else { return };
        let is_low = limit.as_size().is_some_and(|limit| (-WIDEST..=WIDEST).contains(&limit));
        let inside = limit.var().is_some_and(|limit| self.inside.contains(&limit));
        match (op, limit.as_size()) {
            (MathOp::Max, Some(limit)) if is_low => self.middle.low = self.middle.low.max(limit - by),
            (MathOp::Min, _) if !is_low && !inside => self.middle.high.push((limit, 1 - by)),
            (_, _) => return,
        }
        self.middle.limited.insert(var, number);
        self.turns.insert(var, by);
    }

    fn mirrored(&mut self, var: Var, op: BinOp, by: i64, other: Atom) {
        let op = match op {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            op => op,
        };
        self.comparison(var, op, by, other);
    }

    /// A comparison of the counter, to which a constant is added, with something.
    fn comparison(&mut self, var: Var, op: BinOp, by: i64, other: Atom) {
        // The turns from which on it comes out differently: that of equality, or the one behind it.
        let (behind, first) = match op {
            BinOp::Lt => (0, true),
            BinOp::Le => (1, true),
            BinOp::Ge => (0, false),
            BinOp::Gt => (1, false),
            BinOp::Eq => (1, false),
            BinOp::Ne => (1, true),
            _ => return,
        };
        let is_equality = matches!(op, BinOp::Eq | BinOp::Ne);
        match other.as_size() {
            Some(constant) if (-WIDEST..=WIDEST).contains(&constant) => {
                self.middle.low = self.middle.low.max(constant + behind - by);
                self.middle.decided.insert(var, first == is_equality);
            }
            None if other.var().is_some_and(|other| self.inside.contains(&other)) => {}
            _ => {
                let behind = if is_equality { 0 } else { behind };
                self.middle.high.push((other, behind - by));
                self.middle.decided.insert(var, first);
            }
        }
    }

    /// Whether an index of an array in memory is chosen, and known in the middle.
    fn chooses_index(&self, stms: &[&Stm], depends: &Dependent) -> bool {
        let mut chosen = Dependent(self.middle.limited.keys().copied().collect());
        stms.iter().any(|stm| {
            let is_chosen = match &stm.exp {
                Exp::Select(cond, a, b) => depends.has(*cond) || chosen.has(*a) || chosen.has(*b),
                Exp::If(cond, ..) => depends.has(*cond),
                Exp::Bin(_, Prim::I64, a, b) => chosen.has(*a) || chosen.has(*b),
                Exp::Index(_, at) => return at.iter().any(|index| chosen.has(*index)),
                _ => false,
            };
            chosen.0.extend(stm.vars.iter().filter(|var| is_chosen && *self.program.ty(**var) == Type::I64));
            false
        })
    }

    /// The truth values that depend on comparisons which are decided.
    fn depends_on_decided(&self, stms: &[&Stm]) -> Dependent {
        let mut found = Dependent(self.middle.decided.keys().copied().collect());
        for stm in stms {
            let depends = match &stm.exp {
                Exp::If(cond, then, otherwise) => {
                    let results = then.result.iter().chain(&otherwise.result);
                    let is_truth = stm.vars.iter().all(|var| self.is_truth(*var));
                    is_truth && [*cond].iter().chain(results).any(|atom| found.has(*atom))
                }
                exp => operands(exp).into_iter().any(|atom| found.has(atom)),
            };
            if depends {
                found.0.extend(&stm.vars);
            }
        }
        found
    }

    /// The conditions from outside that values depend on beside those that are decided.
    fn switches(&self, stms: &[&Stm], depends: &Dependent) -> Vec<Var> {
        let mut found = Vec::new();
        for stm in stms {
            let asked = match &stm.exp {
                Exp::If(cond, ..) => vec![*cond],
                exp if stm.vars.iter().any(|var| depends.0.contains(var)) => operands(exp),
                _ => Vec::new(),
            };
            let from_outside = |var: &Var| !self.inside.contains(var) && self.is_truth(*var);
            for var in asked.into_iter().filter_map(Atom::var).filter(from_outside) {
                if !found.contains(&var) && found.len() < MOST_SWITCHES {
                    found.push(var);
                }
            }
        }
        found
    }

    fn is_truth(&self, var: Var) -> bool {
        *self.program.ty(var) == Type::Scalar(Prim::Bool)
    }
}

/// The truth values that an operator combines.
fn operands(exp: &Exp) -> Vec<Atom> {
    match exp {
        Exp::Bin(BinOp::LogAnd | BinOp::LogOr, _, a, b) => vec![*a, *b],
        Exp::Un(UnOp::Not, _, a) | Exp::Atom(a) => vec![*a],
        _ => Vec::new(),
    }
}
