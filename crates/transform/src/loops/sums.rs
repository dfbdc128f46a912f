//! Numbers with which turns combine a value, in any order: all turns, or those in which a condition holds.

use super::turn::{Part, Turn, mentioned};
use base::Name;
use ir::rename::Substitution;
use ir::tree::is_exact;
use ir::{Atom, Block, Emit, Exp, Kind, Output, Program, Region, Step, Stm, Tree, Type, Var, VarInfo};
use scalar::{Prim, UnOp};

/// How the next of a carried number comes about.
struct Combination<'b> {
    /// Whether a condition must hold, or must not.
    guard: Option<(Atom, bool)>,
    /// What is computed under that condition.
    before: &'b [Stm],
    /// The number combined with a value, and the value.
    stm: &'b Stm,
    value: Atom,
}

/// The part of a loop that combines values with a number.
pub(super) fn part(program: &mut Program, turn: &Turn<'_>, number: usize) -> Option<Part> {
    let (param, init) = turn.params[number];
    let result = turn.body.result[number].var()?;
    let (place, stm) = turn.body.stms.iter().enumerate().find(|(_, stm)| stm.vars == [result])?;
    let Combination { guard, before, stm: combination, value } = combined(stm, param)?;
    let mut others = turn.body.stms.iter().enumerate().filter(|(number, _)| *number != place).map(|(_, stm)| stm);
    if !stm.certs.is_empty() || others.any(|stm| mentioned(program, stm).contains(&param)) {
        return None;
    }
    let mut needed: Vec<Var> = before.iter().flat_map(|stm| mentioned(program, stm)).collect();
    needed.extend(value.var().into_iter().chain(guard.and_then(|(cond, _)| cond.var())));
    let needs = turn.needs(program, needed, &[])?;
    let ty = program.ty(param).clone();
    let op = operator(program, combination, &ty);
    if !is_exact(&op) {
        return None;
    }
    let elem = program.vars.push(VarInfo::new(Name::new("x"), ty));
    let kind = Kind::Reduce { op, neutral: vec![init], commutes: true, tree: Tree::Free };
    let output = Output { kind, sizes: Vec::new(), elems: vec![elem] };
    let block = Block { stms: before.to_vec(), result: vec![value] };
    let emit = Emit { output: 0, at: Vec::new(), certs: Vec::new(), value: block, span: stm.span };
    let steps = guarded(program, guard, Step::Emit(emit), stm);
    Some(Part { place, needs, output, steps, old: Substitution::default() })
}

/// A statement that combines a number with a value, or leaves it as it is.
fn combined(stm: &Stm, param: Var) -> Option<Combination<'_>> {
    let number = Atom::Var(param);
    let Exp::If(cond, one, other) = &stm.exp else {
        let value = other_operand(&stm.exp, number)?;
        return Some(Combination { guard: None, before: &[], stm, value });
    };
    let (holds, block) = match (one.result[..] == [number], other.result[..] == [number]) {
        (true, false) if one.stms.is_empty() => (false, other),
        (false, true) if other.stms.is_empty() => (true, one),
        _ => return None,
    };
    let (stm, before) = block.stms.split_last()?;
    let is_last = stm.certs.is_empty() && block.result[..] == [Atom::Var(*stm.vars.first()?)];
    let alone = |stm: &Stm| {
        let mut found = false;
        stm.walk(&mut |part| found |= matches!(part, ir::traverse::Part::Atom(atom) if *atom == number));
        !found
    };
    let value = other_operand(&stm.exp, number).filter(|_| is_last && before.iter().all(alone))?;
    Some(Combination { guard: Some((*cond, holds)), before, stm, value })
}

/// A step under a condition.
fn guarded(program: &mut Program, guard: Option<(Atom, bool)>, step: Step, like: &Stm) -> Vec<Step> {
    match guard {
        None => vec![step],
        Some((cond, true)) => vec![Step::Guard(cond, vec![step])],
        Some((cond, false)) => {
            let not = program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
            let exp = Exp::Un(UnOp::Not, Prim::Bool, cond);
            let negation = Stm { vars: vec![not], certs: Vec::new(), exp, span: like.span };
            vec![Step::Let(negation), Step::Guard(Atom::Var(not), vec![step])]
        }
    }
}

/// What is combined with an operand.
fn other_operand(exp: &Exp, with: Atom) -> Option<Atom> {
    let (a, b) = match exp {
        Exp::Bin(_, _, a, b) => (*a, *b),
        Exp::Math(_, _, atoms) => match atoms[..] {
            [a, b] => (a, b),
            _ => return None,
        },
        _ => return None,
    };
    match (a == with, b == with) {
        (true, false) => Some(b),
        (false, true) => Some(a),
        _ => None,
    }
}

/// The operator of a combination.
fn operator(program: &mut Program, combination: &Stm, ty: &Type) -> Region {
    let mut new = |name: &str| program.vars.push(VarInfo::new(Name::new(name), ty.clone()));
    let [a, b, t] = ["a", "b", "t"].map(&mut new);
    let exp = match &combination.exp {
        Exp::Bin(op, prim, ..) => Exp::Bin(*op, *prim, a.into(), b.into()),
        Exp::Math(op, prim, _) => Exp::Math(*op, *prim, vec![a.into(), b.into()]),
        other => other.clone(),
    };
    let stm = Stm { vars: vec![t], certs: Vec::new(), exp, span: combination.span };
    Region { params: vec![a, b], body: Block { stms: vec![stm], result: vec![Atom::Var(t)] } }
}
