//! A loop that goes on until a turn lowers a flag ends when the condition holds under which that turn does so.
//!
//! ```text
//! loop (s, go) while go && s < limit do              let t = loop s while s < limit && !(p s) do f s
//!   if p s then (g s, false) else (f s, true)   =>   let (s, go) = if t < limit then (g t, false) else (t, true)
//! ```
//!
//! Without a limit the flag is always lowered in the end.

use super::choice::{changes_nothing, choice, copy, is_cheap, mention, truth};
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
    /// What must hold beside the flag for the loop to go on.
    limit: Option<Block>,
}

/// The same loop without the flag, and what comes after it.
pub(super) fn without(program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
    let Exp::Loop { params, form: LoopForm::While(cond), body, .. } = &stm.exp else { return None };
    let flagged = Flagged::of(params, cond, body)?;
    flagged.plain(program, stm, params)
}

impl<'s> Flagged<'s> {
    fn of(params: &[(Var, Atom)], cond: &Block, body: &'s Block) -> Option<Flagged<'s>> {
        let (number, up, limit) = flag_and_limit(params, cond)?;
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
        Some(Flagged { number, up, before, condition: *condition, goes_on, turn, end, places, limit })
    }

    fn plain(self, program: &mut Program, stm: &Stm, params: &[(Var, Atom)]) -> Option<Vec<Stm>> {
        let flag = params[self.number].0;
        let is_read = mention(self.before, &[self.condition], flag)
            || mention(&self.turn.stms, &self.turn.result, flag)
            || mention(&self.end.stms, &self.end.result, flag)
            || self.limit.as_ref().is_some_and(|limit| mention(&limit.stms, &limit.result, flag));
        let fails = self.turn.stms.iter().any(Stm::can_fail) || self.end.stms.iter().any(Stm::can_fail);
        let numbers: Vec<usize> = (0..params.len()).filter(|k| *k != self.number).collect();
        (!is_read && !fails && !numbers.is_empty()).then_some(())?;
        let kept: Vec<(Var, Atom)> = numbers.iter().map(|k| params[*k]).collect();
        let places: Vec<usize> = numbers.iter().map(|k| self.places[*k]).collect();
        let cond = self.condition(program, stm);
        let result = places.iter().map(|place| self.turn.result[*place]).collect();
        let stms = self.before.iter().chain(&self.turn.stms).cloned().collect();
        let exp = Exp::repeat(kept.clone(), LoopForm::While(cond), Block { stms, result });
        let names: Vec<Var> = numbers.iter().map(|k| stm.vars[*k]).collect();
        let is_last = changes_nothing(self.end, &places, &kept);
        let vars = if is_last { names.clone() } else { ir::rename::copies(&mut program.vars, &names) };
        let state: Vec<Atom> = vars.iter().copied().map(Atom::Var).collect();
        let carried: Vec<Var> = kept.iter().map(|(param, _)| *param).collect();
        let (after, down) = self.flag_after(program, stm, Substitution::new(&carried, &state));
        let mut out = vec![Stm { vars, exp, ..stm.clone() }];
        out.extend(after);
        if is_last {
            return Some(out);
        }
        let stms: Vec<Stm> = self.before.iter().chain(&self.end.stms).cloned().collect();
        let result = places.iter().map(|place| self.end.result[*place]).collect();
        let end = copy(program, &stms, result, Substitution::new(&carried, &state));
        if let Some(down) = down {
            // It may have ended because of the limit.
            let exp = Exp::If(down, end, Block { stms: Vec::new(), result: state });
            out.push(Stm { vars: names, certs: Vec::new(), exp, span: stm.span });
            return Some(out);
        }
        out.extend(end.stms);
        let last =
            |(var, atom): (Var, Atom)| Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Atom(atom), span: stm.span };
        out.extend(names.into_iter().zip(end.result).map(last));
        Some(out)
    }

    /// What the flag is after the loop; with a limit also whether it was lowered: then the limit still allows another turn.
    fn flag_after(&self, program: &mut Program, stm: &Stm, names: Substitution) -> (Vec<Stm>, Option<Atom>) {
        let (mut stms, down) = match &self.limit {
            None => (Vec::new(), None),
            Some(limit) => {
                let copy = copy(program, &limit.stms, limit.result.clone(), names);
                (copy.stms, Some(copy.result[0]))
            }
        };
        let exp = match down {
            None => Exp::Atom(Atom::bool(!self.up)),
            Some(down) if self.up => Exp::Un(UnOp::Not, Prim::Bool, down),
            Some(down) => Exp::Atom(down),
        };
        stms.push(Stm { vars: vec![stm.vars[self.number]], certs: Vec::new(), exp, span: stm.span });
        (stms, down)
    }

    /// Whether the loop goes on.
    fn condition(&self, program: &mut Program, stm: &Stm) -> Block {
        let mut block = copy(program, self.before, vec![self.condition], Substitution::default());
        if !self.goes_on {
            let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
            block = opposite(&mut writer, block);
        }
        let Some(limit) = &self.limit else { return block };
        let mut limit = copy(program, &limit.stms, limit.result.clone(), Substitution::default());
        let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
        let never = Block { stms: Vec::new(), result: vec![Atom::bool(false)] };
        let both = writer.bind("t", truth(), Exp::If(limit.result[0], block, never));
        limit.stms.extend(writer.taken());
        Block { stms: limit.stms, result: vec![both] }
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

/// The flag of a condition, its value while the loop goes on, and what else must hold: `go && i < n`, in any order.
fn flag_and_limit(params: &[(Var, Atom)], cond: &Block) -> Option<(usize, bool, Option<Block>)> {
    if let Some((number, up)) = flag(params, cond) {
        return Some((number, up, None));
    }
    let (last, before) = cond.stms.split_last()?;
    (cond.result == [Atom::Var(*last.vars.first()?)] && before.iter().all(is_cheap)).then_some(())?;
    let of = |stms: &[Stm], result: Atom| {
        let alone = stms.iter().filter(|stm| stm.vars.iter().any(|var| result == (*var).into())).cloned();
        flag(params, &Block { stms: alone.collect(), result: vec![result] })
    };
    let plain = |result: Atom| Block { stms: before.to_vec(), result: vec![result] };
    let (found, limit) = match &last.exp {
        Exp::Bin(BinOp::LogAnd, _, a, b) => match (of(before, *a), of(before, *b)) {
            (Some(flag), _) => (flag, plain(*b)),
            (None, Some(flag)) => (flag, plain(*a)),
            (None, None) => return None,
        },
        Exp::If(cond, one, other) if other.stms.is_empty() && other.result == [Atom::bool(false)] => {
            one.stms.iter().all(is_cheap).then_some(())?;
            match (of(before, *cond), of(&one.stms, one.result[0])) {
                (Some(flag), _) => {
                    let stms = before.iter().chain(&one.stms).cloned().collect();
                    (flag, Block { stms, result: one.result.clone() })
                }
                (None, Some(flag)) => (flag, plain(*cond)),
                (None, None) => return None,
            }
        }
        _ => return None,
    };
    // Without what asks for the flag.
    let flag = params[found.0].0;
    let mut limit = limit;
    limit.stms.retain(|stm| !matches!(stm.exp, Exp::Un(UnOp::Not, Prim::Bool, atom) if atom == flag.into()));
    Some((found.0, found.1, Some(limit)))
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
