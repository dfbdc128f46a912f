//! Numbers with which turns combine a value, in any order: all turns, or those in which a condition holds.

use super::turn::{self, Turn, mentioned};
use base::{Name, Set};
use ir::rename::Substitution;
use ir::traverse::Part;
use ir::tree::{identities, is_exact};
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, Mark, Output, Program, Region, Step, Stm, Tree, Type, Var, VarInfo};
use scalar::{BinOp, Prim, UnOp};

/// Whether numbers may be combined in another order, though that shows in their last bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// The bits stay as they are.
    Kept,
    /// Sums, and the least and greatest of numbers, may be computed in any order.
    Free,
}

impl Rounding {
    pub fn allows(self, op: &Region) -> bool {
        let is_product = || matches!(op.body.stms[..], [Stm { exp: Exp::Bin(BinOp::Mul, ..), .. }]);
        // A product in another order may be too large on the way.
        is_exact(op) || self == Rounding::Free && identities(op).is_some() && !is_product()
    }
}

/// How the next of a carried number comes about.
struct Combination<'b> {
    /// Whether a condition must hold, or must not.
    guard: Option<(Atom, bool)>,
    /// What is computed under that condition.
    before: Vec<&'b Stm>,
    /// The number combined with a value, and the value.
    stm: &'b Stm,
    value: Atom,
}

/// The part of a loop that combines values with a number.
pub(super) fn part(program: &mut Program, turn: &Turn<'_>, number: usize, rounding: Rounding) -> Option<turn::Part> {
    let (param, init) = turn.params[number];
    let result = turn.body.result[number].var()?;
    let (place, stm) = turn.body.stms.iter().enumerate().find(|(_, stm)| stm.vars == [result])?;
    let found = combined(stm, 0, &[param])?;
    let mut others = turn.body.stms.iter().enumerate().filter(|(number, _)| *number != place).map(|(_, stm)| stm);
    if !stm.certs.is_empty() || others.any(|stm| mentioned(program, stm).contains(&param)) {
        return None;
    }
    let mut needed: Vec<Var> = found.before.iter().flat_map(|stm| mentioned(program, stm)).collect();
    needed.extend(found.value.var().into_iter().chain(found.guard.and_then(|(cond, _)| cond.var())));
    let needs = turn.needs(program, needed, &[])?;
    let output = reduction(program, &found, param, init, rounding)?;
    let (stms, value) = given(program, &found, param);
    let before = found.before.iter().copied().cloned().chain(stms);
    let block = Block { stms: before.collect(), result: vec![value] };
    let emit = Emit { output: 0, at: Vec::new(), certs: Vec::new(), value: block, span: stm.span };
    let steps = guarded(program, found.guard, vec![Step::Emit(emit)], stm);
    Some(turn::Part { place, needs, output, steps, old: Substitution::default() })
}

/// A loop that only combines values with numbers, as one form: what its turns compute for several numbers is computed once.
pub(super) fn all(program: &mut Program, turn: &Turn<'_>, rounding: Rounding) -> Option<Stm> {
    let params: Vec<Var> = turn.params.iter().map(|(param, _)| *param).collect();
    (params.len() > 1).then_some(())?;
    let mut found: Vec<(usize, Combination<'_>)> = Vec::new();
    for result in &turn.body.result {
        let result = result.var()?;
        let place = turn.body.stms.iter().position(|stm| stm.vars.contains(&result))?;
        let stm = &turn.body.stms[place];
        let own = stm.vars.iter().position(|var| *var == result)?;
        stm.certs.is_empty().then_some(())?;
        found.push((place, combined(stm, own, &params)?));
    }
    let places: Set<usize> = found.iter().map(|(place, _)| *place).collect();
    let mut others = turn.body.stms.iter().enumerate().filter(|(number, _)| !places.contains(number));
    // What the statements with the combinations bind is gone afterwards.
    let bound: Set<Var> = places.iter().flat_map(|place| turn.body.stms[*place].vars.iter().copied()).collect();
    let carried = |var: &Var| params.contains(var) || bound.contains(var);
    (!others.clone().any(|(_, stm)| mentioned(program, stm).iter().any(carried))).then_some(())?;
    let free = |(_, one): &(usize, Combination<'_>)| {
        let atoms = one.value.var().into_iter().chain(one.guard.and_then(|(cond, _)| cond.var()));
        !one.before.iter().flat_map(|stm| mentioned(program, stm)).chain(atoms).any(|var| carried(&var))
    };
    found.iter().all(free).then_some(())?;
    // Each number is combined with a value of its own.
    let own =
        |((_, one), param): (&(usize, Combination<'_>), &Var)| other_operand(&one.stm.exp, (*param).into()).is_some();
    found.iter().zip(&params).all(own).then_some(())?;
    let mut outputs = Vec::new();
    for ((_, one), (param, init)) in found.iter().zip(turn.params) {
        outputs.push(reduction(program, one, *param, *init, rounding)?);
    }
    let mut body: Vec<Step> = others.by_ref().map(|(_, stm)| Step::Let(stm.clone())).collect();
    for place in 0..turn.body.stms.len() {
        let here: Vec<usize> = (0..found.len()).filter(|number| found[*number].0 == place).collect();
        let Some(first) = here.first() else { continue };
        let (guard, before) = (found[*first].1.guard, &found[*first].1.before);
        let mut inner: Vec<Step> = before.iter().map(|stm| Step::Let((*stm).clone())).collect();
        for number in here {
            let (stms, value) = given(program, &found[number].1, params[number]);
            let value = Block { stms, result: vec![value] };
            let span = turn.body.stms[place].span;
            inner.push(Step::Emit(Emit { output: number, at: Vec::new(), certs: Vec::new(), value, span }));
        }
        body.extend(guarded(program, guard, inner, &turn.body.stms[place]));
    }
    let steps = vec![Step::For { var: turn.index, count: turn.count, mark: Mark::Open, body }];
    Some(Stm { exp: Exp::Bulk(Bulk { outputs, steps, scheduled: false }), ..turn.stm.clone() })
}

/// The reduction of a carried number, if its order does not matter.
fn reduction(
    program: &mut Program,
    found: &Combination<'_>,
    param: Var,
    init: Atom,
    rounding: Rounding,
) -> Option<Output> {
    let ty = program.ty(param).clone();
    let op = operator(program, found.stm, &ty);
    rounding.allows(&op).then_some(())?;
    let tree = if is_exact(&op) { Tree::Free } else { Tree::PLAIN };
    let elem = program.vars.push(VarInfo::new(Name::new("x"), ty));
    let kind = Kind::Reduce { op, neutral: vec![init], commutes: true, tree };
    Some(Output { kind, sizes: Vec::new(), elems: vec![elem] })
}

/// The value that is combined: what is subtracted is added with the other sign.
fn given(program: &mut Program, found: &Combination<'_>, param: Var) -> (Vec<Stm>, Atom) {
    let Exp::Bin(BinOp::Sub, prim, ..) = found.stm.exp else { return (Vec::new(), found.value) };
    let ty = program.ty(param).clone();
    let var = program.vars.push(VarInfo::new(Name::new("t"), ty));
    let exp = Exp::Un(UnOp::Neg, prim, found.value);
    (vec![Stm { vars: vec![var], certs: Vec::new(), exp, span: found.stm.span }], Atom::Var(var))
}

/// A statement of which one value is a number combined with a value, or stays as it is. Nothing else in it uses what is carried.
fn combined<'b>(stm: &'b Stm, own: usize, params: &[Var]) -> Option<Combination<'b>> {
    let Exp::If(cond, one, other) = &stm.exp else {
        let number = params.iter().find(|param| other_operand(&stm.exp, (**param).into()).is_some())?;
        let value = other_operand(&stm.exp, (*number).into())?;
        return Some(Combination { guard: None, before: Vec::new(), stm, value });
    };
    let stay = |block: &Block| {
        let carried = |atom: &Atom| atom.var().is_some_and(|var| params.contains(&var));
        block.stms.is_empty() && block.result.iter().all(carried)
    };
    let (holds, block, left) = match (stay(one), stay(other)) {
        (true, false) => (false, other, one),
        (false, true) => (true, one, other),
        _ => return None,
    };
    // Each of its values is such a number.
    let last = |atom: &Atom| {
        block.stms.iter().find(|stm| stm.certs.is_empty() && stm.vars.iter().any(|var| *atom == Atom::Var(*var)))
    };
    let lasts: Vec<&Stm> = block.result.iter().map(last).collect::<Option<_>>()?;
    let before: Vec<&Stm> = block.stms.iter().filter(|stm| !lasts.iter().any(|last| last.vars == stm.vars)).collect();
    let mentions = |stm: &Stm, wanted: &[Atom]| {
        let mut found = false;
        stm.walk(&mut |part| found |= matches!(part, Part::Atom(atom) if wanted.contains(atom)));
        found
    };
    let carried: Vec<Atom> = params.iter().copied().map(Atom::Var).chain(block.result.iter().copied()).collect();
    let stm = lasts[own];
    let value = other_operand(&stm.exp, left.result[own])?;
    let alone = !before.iter().any(|stm| mentions(stm, &carried)) && !carried.contains(&value);
    alone.then_some(Combination { guard: Some((*cond, holds)), before, stm, value })
}

/// Steps under a condition.
fn guarded(program: &mut Program, guard: Option<(Atom, bool)>, steps: Vec<Step>, like: &Stm) -> Vec<Step> {
    match guard {
        None => steps,
        Some((cond, true)) => vec![Step::Guard(cond, steps)],
        Some((cond, false)) => {
            let not = program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
            let exp = Exp::Un(UnOp::Not, Prim::Bool, cond);
            let negation = Stm { vars: vec![not], certs: Vec::new(), exp, span: like.span };
            vec![Step::Let(negation), Step::Guard(Atom::Var(not), steps)]
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
    let is_difference = matches!(exp, Exp::Bin(BinOp::Sub, ..));
    match (a == with, b == with) {
        (true, false) => Some(b),
        (false, true) if !is_difference => Some(a),
        _ => None,
    }
}

/// The operator of a combination.
fn operator(program: &mut Program, combination: &Stm, ty: &Type) -> Region {
    let mut new = |name: &str| program.vars.push(VarInfo::new(Name::new(name), ty.clone()));
    let [a, b, t] = ["a", "b", "t"].map(&mut new);
    let exp = match &combination.exp {
        Exp::Bin(BinOp::Sub, prim, ..) => Exp::Bin(BinOp::Add, *prim, a.into(), b.into()),
        Exp::Bin(op, prim, ..) => Exp::Bin(*op, *prim, a.into(), b.into()),
        Exp::Math(op, prim, _) => Exp::Math(*op, *prim, vec![a.into(), b.into()]),
        other => other.clone(),
    };
    let stm = Stm { vars: vec![t], certs: Vec::new(), exp, span: combination.span };
    Region { params: vec![a, b], body: Block { stms: vec![stm], result: vec![Atom::Var(t)] } }
}
