//! What a condition says.

use super::terms::Poly;
use super::turns::every;
use super::{Fact, Facts, ForAll};
use crate::{Atom, Dim, Exp, Var};
use scalar::{BinOp, Scalar, UnOp};
use std::rc::Rc;

/// Conditions nested deeper than this are not taken apart.
const DEEPEST: usize = 64;
/// Of a condition with more parts than this, only the first ones are looked at.
const MOST: usize = 200;

impl Facts<'_> {
    /// What follows if a condition holds, or if it does not.
    pub fn meaning(&mut self, cond: Atom, holds: bool) -> Vec<Fact> {
        let mut found = Vec::new();
        self.fuel = MOST;
        self.meaning_to(cond, holds, 0, &mut found);
        found
    }

    fn meaning_to(&mut self, cond: Atom, holds: bool, depth: usize, out: &mut Vec<Fact>) {
        let var = match cond {
            Atom::Const(Scalar::Bool(value)) => {
                if value != holds {
                    out.push(Fact::AtLeastZero(Poly::constant(-1)));
                }
                return;
            }
            Atom::Const(_) => return,
            Atom::Var(var) => var,
        };
        self.fuel = self.fuel.saturating_sub(1);
        let def = self.terms.defs.get(&var).copied().filter(|_| depth < DEEPEST && self.fuel > 0);
        match (def, holds) {
            (Some(Exp::Atom(a)), _) => self.meaning_to(*a, holds, depth + 1, out),
            (Some(Exp::Un(UnOp::Not, _, a)), _) => self.meaning_to(*a, !holds, depth + 1, out),
            (Some(Exp::Bin(BinOp::LogAnd, _, a, b)), true) | (Some(Exp::Bin(BinOp::LogOr, _, a, b)), false) => {
                self.meaning_to(*a, holds, depth + 1, out);
                self.meaning_to(*b, holds, depth + 1, out);
            }
            (Some(Exp::Bin(BinOp::LogAnd | BinOp::LogOr, _, a, b)), _) => {
                let [left, right] = [*a, *b].map(|side| {
                    let mut facts = Vec::new();
                    self.meaning_to(side, holds, depth + 1, &mut facts);
                    facts
                });
                out.push(Fact::Either(Rc::new([left, right])));
            }
            (Some(Exp::Select(c, a, b)), _) => self.choice([*c, *a, *b], holds, depth, out),
            (Some(Exp::If(c, then, otherwise)), _) if then.result.len() == 1 && otherwise.result.len() == 1 => {
                self.choice([*c, then.result[0], otherwise.result[0]], holds, depth, out);
            }
            (Some(Exp::Bin(op, prim, a, b)), _) if prim.is_int() => match self.comparison(*op, *a, *b, holds) {
                Some(fact) => out.push(fact),
                None => out.push(Fact::Unknown(var)),
            },
            (Some(Exp::DescEqual(d, e)), true) => self.same_rows_and_dims(*d, *e, out),
            (Some(exp @ Exp::Bulk(bulk)), true) => {
                let number = self.terms.results(exp).iter().position(|result| *result == var);
                if let Some((index, count, cond)) = number.and_then(|number| every(bulk, number)) {
                    let (index, count) = (self.terms.poly(index.into()), self.terms.poly(count));
                    let mut facts = Vec::new();
                    self.meaning_to(cond, true, depth + 1, &mut facts);
                    out.push(Fact::ForAll(Rc::new(ForAll { index, count, facts })));
                }
                out.push(Fact::Unknown(var));
            }
            _ => out.push(Fact::Unknown(var)),
        }
    }

    /// Equal descriptors have the same rows inside the same dimensions.
    fn same_rows_and_dims(&mut self, d: Var, e: Var, out: &mut Vec<Fact>) {
        out.push(Fact::SameRows(self.terms.root(d), self.terms.root(e)));
        let [a, b] = [d, e].map(|d| self.program.vars.get(d).map_or(&[][..], |info| info.ty.dims()));
        let mut equal =
            |a: &[Dim], b: &[Dim]| out.extend(self.terms.total(a).sub(&self.terms.total(b)).map(Fact::Zero));
        equal(a, b);
        equal(&[a, &[Dim::Jagged(d)]].concat(), &[b, &[Dim::Jagged(e)]].concat());
        for (a, b) in a.iter().zip(b) {
            if let (Dim::Size(a), Dim::Size(b)) = (a, b) {
                out.extend(self.terms.poly(*a).sub(&self.terms.poly(*b)).map(Fact::Zero));
            }
        }
    }

    /// `select(c, a, false)` is `c && a`, and so on.
    fn choice(&mut self, [c, a, b]: [Atom; 3], holds: bool, depth: usize, out: &mut Vec<Fact>) {
        let never = Atom::bool(!holds);
        let chosen = match (a == never, b == never) {
            (_, true) => Some((true, a)),
            (true, false) => Some((false, b)),
            (false, false) => None,
        };
        match chosen {
            Some((side, value)) => {
                self.meaning_to(c, side, depth + 1, out);
                self.meaning_to(value, holds, depth + 1, out);
            }
            None => {
                let sides = [(true, a), (false, b)].map(|(side, value)| {
                    let mut facts = Vec::new();
                    self.meaning_to(c, side, depth + 1, &mut facts);
                    self.meaning_to(value, holds, depth + 1, &mut facts);
                    facts
                });
                out.push(Fact::Either(Rc::new(sides)));
            }
        }
    }

    /// What a comparison of integers says, if it holds or if it does not.
    pub fn comparison(&mut self, op: BinOp, a: Atom, b: Atom, holds: bool) -> Option<Fact> {
        let (a, b) = (self.terms.poly(a), self.terms.poly(b));
        let at_most = |a: &Poly, b: &Poly| self.order(a, b, false);
        let below = |a: &Poly, b: &Poly| self.order(a, b, true);
        match (op, holds) {
            (BinOp::Lt, true) | (BinOp::Ge, false) => below(&a, &b),
            (BinOp::Le, true) | (BinOp::Gt, false) => at_most(&a, &b),
            (BinOp::Gt, true) | (BinOp::Le, false) => below(&b, &a),
            (BinOp::Ge, true) | (BinOp::Lt, false) => at_most(&b, &a),
            (BinOp::Eq, true) | (BinOp::Ne, false) => Some(Fact::Zero(a.sub(&b)?)),
            (BinOp::Ne, true) | (BinOp::Eq, false) => Some(Fact::NotZero(a.sub(&b)?)),
            _ => None,
        }
    }
}
