//! A loop that goes on until a turn lowers a flag ends when the condition holds under which that turn does so.

use super::choice::{changes_nothing, choice, copy, mention, truth};
use crate::write::Writer;
use ir::rename::Substitution;
use ir::{Atom, Block, Exp, LoopForm, Program, Stm, Var};
use scalar::{BinOp, Prim, Scalar, UnOp};

/// A loop with a flag.
struct Flagged<'s> {
    /// Which of the carried values is the flag, and its value while the loop goes on.
    number: usize,
    up: bool,
    /// What is computed in each turn before the flag is decided, and the condition.
    before: &'s [Stm],
    condition: Atom,
    /// Whether the condition holds where the loop goes on, and what is done then, and at the end.
    goes_on: bool,
    turn: &'s Block,
    end: &'s Block,
    /// The number of the choice's value for each of what is carried.
    places: Vec<usize>,
}

/// The same loop without the flag, and what comes after it.
pub(super) fn without(program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
    let Exp::Loop { params, form: LoopForm::While(cond), body } = &stm.exp else { return None };
    let flagged = Flagged::of(params, cond, body)?;
    flagged.plain(program, stm, params)
}

impl<'s> Flagged<'s> {
    fn of(params: &[(Var, Atom)], cond: &Block, body: &'s Block) -> Option<Flagged<'s>> {
        let (number, up) = flag(params, cond)?;
        (params[number].1 == Atom::bool(up)).then_some(())?;
        let (last, places, before) = choice(body)?;
        let Exp::If(condition, one, other) = &last.exp else { return None };
        let of = |side: &Block| match side.result[places[number]] {
            Atom::Const(Scalar::Bool(flag)) => Some(flag == up),
            _ => None,
        };
        let (goes_on, turn, end) = match (of(one)?, of(other)?) {
            (true, false) => (true, one, other),
            (false, true) => (false, other, one),
            _ => return None,
        };
        Some(Flagged { number, up, before, condition: *condition, goes_on, turn, end, places })
    }

    fn plain(self, program: &mut Program, stm: &Stm, params: &[(Var, Atom)]) -> Option<Vec<Stm>> {
        let flag = params[self.number].0;
        let is_read = mention(self.before, &[self.condition], flag)
            || mention(&self.turn.stms, &self.turn.result, flag)
            || mention(&self.end.stms, &self.end.result, flag);
        let fails = self.turn.stms.iter().any(Stm::can_fail) || self.end.stms.iter().any(Stm::can_fail);
        let numbers: Vec<usize> = (0..params.len()).filter(|k| *k != self.number).collect();
        (!is_read && !fails && !numbers.is_empty()).then_some(())?;
        let kept: Vec<(Var, Atom)> = numbers.iter().map(|k| params[*k]).collect();
        let places: Vec<usize> = numbers.iter().map(|k| self.places[*k]).collect();
        let cond = self.condition(program, stm);
        let result = places.iter().map(|place| self.turn.result[*place]).collect();
        let stms = self.before.iter().chain(&self.turn.stms).cloned().collect();
        let exp = Exp::Loop { params: kept.clone(), form: LoopForm::While(cond), body: Block { stms, result } };
        let names: Vec<Var> = numbers.iter().map(|k| stm.vars[*k]).collect();
        let down = Stm {
            vars: vec![stm.vars[self.number]],
            certs: Vec::new(),
            exp: Exp::Atom(Atom::bool(!self.up)),
            span: stm.span,
        };
        if changes_nothing(self.end, &places, &kept) {
            return Some(vec![Stm { vars: names, exp, ..stm.clone() }, down]);
        }
        let vars = ir::rename::copies(&mut program.vars, &names);
        let state: Vec<Atom> = vars.iter().copied().map(Atom::Var).collect();
        let carried: Vec<Var> = kept.iter().map(|(param, _)| *param).collect();
        let stms: Vec<Stm> = self.before.iter().chain(&self.end.stms).cloned().collect();
        let result = places.iter().map(|place| self.end.result[*place]).collect();
        let end = copy(program, &stms, result, Substitution::new(&carried, &state));
        let mut out = vec![Stm { vars, exp, ..stm.clone() }, down];
        out.extend(end.stms);
        let last =
            |(var, atom): (Var, Atom)| Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Atom(atom), span: stm.span };
        out.extend(names.into_iter().zip(end.result).map(last));
        Some(out)
    }

    /// Whether the loop goes on.
    fn condition(&self, program: &mut Program, stm: &Stm) -> Block {
        let mut block = copy(program, self.before, vec![self.condition], Substitution::default());
        if !self.goes_on {
            let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
            block = opposite(&mut writer, block);
        }
        block
    }
}

/// The opposite of a condition. That neither of two things holds is asked one after the other, and the opposite of comparing
/// integers compares them.
fn opposite(writer: &mut Writer<'_>, mut block: Block) -> Block {
    let around = writer.taken();
    let result = block.result[0];
    let last = block.stms.pop_if(|stm| stm.vars.iter().any(|var| result == (*var).into()));
    let exp = match last.as_ref().map(|stm| stm.exp.clone()) {
        Some(Exp::If(cond, one, other)) if one.stms.is_empty() && one.result == [Atom::bool(true)] => {
            let def = block.stms.iter().find(|stm| stm.vars.iter().any(|var| cond == (*var).into()));
            let not = def.and_then(|stm| compared(&stm.exp)).unwrap_or(Exp::Un(UnOp::Not, Prim::Bool, cond));
            let cond = writer.bind("t", truth(), not);
            let rest = opposite(writer, other);
            Exp::If(cond, rest, Block { stms: Vec::new(), result: vec![Atom::bool(false)] })
        }
        Some(exp) if compared(&exp).is_some() => compared(&exp).unwrap_or(exp),
        _ => {
            block.stms.extend(last);
            Exp::Un(UnOp::Not, Prim::Bool, result)
        }
    };
    let result = writer.bind("t", truth(), exp);
    block.stms.extend(std::mem::replace(&mut writer.stms, around));
    Block { stms: block.stms, result: vec![result] }
}

/// The opposite of a comparison of integers: numbers that are not ordered are neither less nor greater.
fn compared(exp: &Exp) -> Option<Exp> {
    let Exp::Bin(op, prim, a, b) = exp else { return None };
    let opposite = match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        _ => return None,
    };
    prim.is_int().then_some(Exp::Bin(opposite, *prim, *a, *b))
}

/// The carried value that a condition is, or that it is the opposite of, and its value while the loop goes on.
fn flag(params: &[(Var, Atom)], cond: &Block) -> Option<(usize, bool)> {
    let place = |atom: Atom| params.iter().position(|(param, _)| Atom::Var(*param) == atom);
    match &cond.stms[..] {
        [] => Some((place(cond.result[0])?, true)),
        [Stm { vars, exp: Exp::Un(UnOp::Not, Prim::Bool, atom), .. }] if cond.result == [Atom::Var(vars[0])] => {
            Some((place(*atom)?, false))
        }
        _ => None,
    }
}
