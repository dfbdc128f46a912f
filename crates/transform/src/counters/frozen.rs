//! A loop ends with the first turn that changes nothing, if no later turn does.

use super::choice::{changes_nothing, choice, copy, in_types, mention, truth};
use crate::write::Writer;
use ir::rename::Substitution;
use ir::{Atom, Block, Exp, LoopForm, Program, Stm, Type};
use scalar::{BinOp, Prim, UnOp};

/// So few turns are not worth asking.
const FEW: i64 = 16;

/// The same loop with a condition, if it can end before its last turn.
pub(super) fn ended(program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
    let Exp::Loop { params, form: LoopForm::For(turn, count), body, .. } = &stm.exp else { return None };
    (count.as_size().is_none_or(|count| count > FEW)).then_some(())?;
    let (last, places, before) = choice(body)?;
    let Exp::If(condition, one, other) = &last.exp else { return None };
    let (goes_on, side) = match (changes_nothing(one, &places, params), changes_nothing(other, &places, params)) {
        (false, true) => (true, one),
        (true, false) => (false, other),
        _ => return None,
    };
    // What is the same in all turns is asked before the loop.
    let may_differ = params.iter().any(|(param, _)| mention(before, &[*condition], *param));
    let counts = mention(&body.stms, &body.result, *turn);
    let types = in_types(program, params.iter().map(|(param, _)| *param), &[*turn]);
    (may_differ && !counts && !types && !side.stms.iter().any(Stm::can_fail)).then_some(())?;
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let number = writer.index("i");
    let some = writer.truth(BinOp::Lt, Prim::I64, number.into(), *count);
    let mut cond = writer.taken();
    let asked = copy(writer.program, before, vec![*condition], Substitution::default());
    let holds = match goes_on {
        true => asked,
        false => {
            let not = writer.bind("t", truth(), Exp::Un(UnOp::Not, Prim::Bool, asked.result[0]));
            Block { stms: asked.stms.into_iter().chain(writer.taken()).collect(), result: vec![not] }
        }
    };
    let never = Block { stms: Vec::new(), result: vec![Atom::bool(false)] };
    let both = writer.bind("t", truth(), Exp::If(some, holds, never));
    cond.extend(writer.taken());
    let next = writer.int("i", BinOp::Add, number.into(), Atom::size(1));
    let stms = before.iter().chain(&side.stms).cloned().chain(writer.taken()).collect();
    let result = places.iter().map(|place| side.result[*place]).chain([next]).collect();
    let turns = writer.var("turns", Type::I64);
    let exp = Exp::repeat(
        params.iter().copied().chain([(number, Atom::size(0))]).collect(),
        LoopForm::While(Block { stms: cond, result: vec![both] }),
        Block { stms, result },
    );
    Some(vec![Stm { vars: stm.vars.iter().copied().chain([turns]).collect(), exp, ..stm.clone() }])
}
