//! A loop whose condition compares a number that each turn makes one greater is one with a counter.

use super::choice::{copy, in_types};
use crate::write::Writer;
use base::Set;
use ir::rename::Substitution;
use ir::{Atom, Block, Exp, LoopForm, Program, Stm, Type, Var};
use scalar::{BinOp, MathOp, Prim};

/// A number that counts turns.
struct Counter {
    /// Which of the carried values.
    number: usize,
    first: Atom,
    /// It counts up to this number, exclusive or inclusive.
    end: Atom,
    inclusive: bool,
}

/// The same loop with a counter, and what stands around it.
pub(super) fn with_counter(program: &mut Program, sizes: &Set<Var>, stm: &Stm) -> Option<Vec<Stm>> {
    let Exp::Loop { params, form: LoopForm::While(cond), body, .. } = &stm.exp else { return None };
    let counter = counter(sizes, params, cond, body)?;
    let (old, result) = (params[counter.number].0, stm.vars[counter.number]);
    let others = params.iter().map(|(param, _)| *param).chain(stm.vars.iter().copied());
    (params.len() > 1 && !in_types(program, others, &[old, result])).then_some(())?;
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let (count, after) = match counter.first.as_size() {
        Some(first) => from_number(&mut writer, first, &counter),
        None => from_variable(&mut writer, &counter),
    };
    let mut out = writer.taken();
    let turn = writer.index("i");
    let now = if counter.first == Atom::size(0) {
        turn.into()
    } else {
        writer.int("i", BinOp::Add, turn.into(), counter.first)
    };
    let head = writer.taken();
    let body = copy(program, &body.stms, body.result.clone(), Substitution::new(&[old], &[now]));
    let stms = head.into_iter().chain(body.stms).collect();
    let kept = |number: &usize| *number != counter.number;
    let numbers: Vec<usize> = (0..params.len()).filter(kept).collect();
    let result_atoms = numbers.iter().map(|k| body.result[*k]).collect();
    let exp = Exp::repeat(
        numbers.iter().map(|k| params[*k]).collect(),
        LoopForm::For(turn, count),
        Block { stms, result: result_atoms },
    );
    out.push(Stm { vars: numbers.iter().map(|k| stm.vars[*k]).collect(), exp, ..stm.clone() });
    out.push(Stm { vars: vec![result], certs: Vec::new(), exp: Exp::Atom(after), span: stm.span });
    Some(out)
}

/// The number of turns, and the number that counts behind the loop. Where it stops: one turn less than what is asked for, if
/// the last number counts.
fn from_number(writer: &mut Writer<'_>, first: i64, counter: &Counter) -> (Atom, Atom) {
    let first = first - i64::from(counter.inclusive);
    let least = vec![counter.end, Atom::size(first)];
    let end = writer.bind("end", Type::I64, Exp::Math(MathOp::Max, Prim::I64, least));
    let count = if first == 0 { end } else { writer.int("turns", BinOp::Sub, end, Atom::size(first)) };
    let after = if counter.inclusive { writer.int("end", BinOp::Add, end, Atom::size(1)) } else { end };
    (count, after)
}

/// The same from a number that is not known. More turns than there are numbers never end either.
fn from_variable(writer: &mut Writer<'_>, counter: &Counter) -> (Atom, Atom) {
    let has_turns = writer.truth(BinOp::Lt, Prim::I64, counter.first, counter.end);
    let distance = writer.int("turns", BinOp::Sub, counter.end, counter.first);
    let turns = writer.bind("turns", Type::I64, Exp::Select(has_turns, distance, Atom::size(0)));
    let wraps = writer.truth(BinOp::Lt, Prim::I64, turns, Atom::size(0));
    let count = writer.bind("turns", Type::I64, Exp::Select(wraps, Atom::size(i64::MAX), turns));
    let after = writer.bind("end", Type::I64, Exp::Select(has_turns, counter.end, counter.first));
    (count, after)
}

fn counter(sizes: &Set<Var>, params: &[(Var, Atom)], cond: &Block, body: &Block) -> Option<Counter> {
    let [Stm { vars, certs, exp: Exp::Bin(op, Prim::I64, a, b), .. }] = &cond.stms[..] else { return None };
    (certs.is_empty() && cond.result == [Atom::Var(*vars.first()?)]).then_some(())?;
    let is_param = |atom: &Atom| params.iter().any(|(param, _)| Atom::Var(*param) == *atom);
    let (index, end, inclusive) = match op {
        BinOp::Lt => (*a, *b, false),
        BinOp::Le => (*a, *b, true),
        BinOp::Gt => (*b, *a, false),
        BinOp::Ge => (*b, *a, true),
        // It never goes past the end.
        BinOp::Ne if is_param(a) => (*a, *b, false),
        BinOp::Ne => (*b, *a, false),
        _ => return None,
    };
    let number = params.iter().position(|(param, _)| Atom::Var(*param) == index)?;
    let is_carried = params.iter().any(|(param, _)| Atom::Var(*param) == end);
    let first = params[number].1;
    let is_far = match first.as_size() {
        Some(first) => first < i64::from(inclusive),
        None => inclusive,
    };
    (!is_far && !is_carried).then_some(())?;
    let is_size = || end.as_size().is_some_and(|end| end >= 0) || end.var().is_some_and(|end| sizes.contains(&end));
    (*op != BinOp::Ne || first == Atom::size(0) && is_size()).then_some(())?;
    let next = body.result[number].var()?;
    let def = body.stms.iter().find(|stm| stm.vars == [next])?;
    let one_more = match &def.exp {
        Exp::Bin(BinOp::Add, Prim::I64, a, b) => [(*a, *b), (*b, *a)].contains(&(index, Atom::size(1))),
        _ => false,
    };
    one_more.then_some(Counter { number, first, end, inclusive })
}
