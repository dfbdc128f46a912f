//! Arrays with whose elements turns combine values: a histogram, or a sum for each element.
//!
//! ```text
//! loop (xs = zeros) for t < n {                      bulk {
//!   let c = cs[t]                                      out accum (zeros) of (x: f64) by (+)
//!   let x = xs[c]                                      for t < n {
//!   let y = x + as[t]                          =>        let c = cs[t]
//!   => bulk { out update (xs) .. emit [c] => y }         emit [c] => as[t]
//! }                                                    }
//!                                                    }
//! ```
//!
//! A turn may combine values with many elements, each of them once, or with all. Elements take their values in the order of the
//! turns, as before.

use super::sums::Rounding;
use super::turn::{Part, Turn, mentioned};
use analysis::emits;
use base::{Name, Set};
use ir::rename::Substitution;
use ir::tree::identities;
use ir::{Atom, Block, Bulk, Coverage, Emit, Exp, Kind, Output, Program, Region, Step, Stm};
use ir::{Tree, Type, Var, VarInfo};
use scalar::{BinOp, UnOp};

/// The part of a loop that combines values with elements of an array.
pub(super) fn part(program: &mut Program, turn: &Turn<'_>, number: usize) -> Option<Part> {
    let (param, init) = turn.params[number];
    let init = init.var().filter(|_| program.ty(param).is_array())?;
    let result = turn.body.result[number].var()?;
    let (place, stm) = turn.body.stms.iter().enumerate().find(|(_, stm)| stm.vars == [result])?;
    let Exp::Bulk(bulk @ Bulk { outputs, scheduled: false, .. }) = &stm.exp else { return None };
    let [output] = &outputs[..] else { return None };
    let (kind, steps) = match &output.kind {
        Kind::Accum { arrays, .. } if arrays[..] == [param] => (output.kind.clone(), bulk.steps.clone()),
        _ => Replaced::of(program, turn, param, place)?.combined(program)?,
    };
    let kind = match kind {
        Kind::Accum { skip, op, tree, .. } => Kind::Accum { arrays: vec![init], skip, op, tree },
        kind => kind,
    };
    let output = Output { kind, ..output.clone() };
    let form = Stm {
        exp: Exp::Bulk(Bulk { outputs: vec![output.clone()], steps: steps.clone(), scheduled: false }),
        ..stm.clone()
    };
    let mut inside = mentioned(program, &form);
    inside.retain(|var| *var != result);
    let needs = turn.needs(program, inside, &[])?;
    let steps = steps.into_iter().map(|step| relying(step, &stm.certs)).collect();
    Some(Part { place, needs, output, steps, old: Substitution::default() })
}

/// Lets elements take their values in any order, where numbers may be rounded in another way.
pub(super) fn in_any_order(stm: &mut Stm) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    for output in &mut bulk.outputs {
        if let Kind::Accum { op, tree: tree @ Tree::InOrder, .. } = &mut output.kind
            && Rounding::Free.allows(op)
        {
            *tree = Tree::Uncut;
        }
    }
}

/// A form that replaces elements of a carried array.
struct Replaced<'p> {
    turn: &'p Turn<'p>,
    param: Var,
    bulk: &'p Bulk,
    skip: bool,
    emit: &'p Emit,
    /// What each statement of the turn and of the form defines.
    defs: Vec<&'p Stm>,
}

impl<'p> Replaced<'p> {
    fn of(program: &Program, turn: &'p Turn<'p>, param: Var, place: usize) -> Option<Replaced<'p>> {
        let Exp::Bulk(bulk) = &turn.body.stms[place].exp else { return None };
        let dims = program.ty(param).dims();
        let skip = match &bulk.outputs[..] {
            [Output { kind: Kind::Update { arrays, skip, rec }, .. }] if arrays[..] == [param] && rec.is_empty() => {
                *skip
            }
            [Output { kind: Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec }, .. }]
                if rec.is_empty() && shape == dims =>
            {
                false
            }
            _ => return None,
        };
        let emits = emits::all(&bulk.steps);
        let ([emit], true) = (&emits[..], emits::scans(&bulk.steps).is_empty()) else { return None };
        (emit.at.len() == dims.len() && each_once(&bulk.steps, emit)).then_some(())?;
        let mut defs: Vec<&Stm> = turn.body.stms[..place].iter().collect();
        lets(&bulk.steps, &mut defs);
        defs.extend(&emit.value.stms);
        Some(Replaced { turn, param, bulk, skip, emit, defs })
    }

    fn def(&self, atom: Atom) -> Option<&'p Stm> {
        let var = atom.var()?;
        self.defs.iter().find(|stm| stm.vars == [var]).copied()
    }

    /// The kind of output that combines values with the elements, and the steps that give these.
    fn combined(&self, program: &mut Program) -> Option<(Kind, Vec<Step>)> {
        let [value] = self.emit.value.result[..] else { return None };
        let combination = self.def(value).filter(|stm| stm.certs.is_empty())?;
        let (op, a, b) = operation(&combination.exp)?;
        let is_old = |atom: Atom| match self.def(atom).map(|stm| &stm.exp) {
            Some(Exp::Index(array, at)) => *array == self.param && *at == self.emit.at,
            _ => false,
        };
        let (old, new) = match (is_old(a), is_old(b)) {
            (true, false) => (a.var()?, b),
            (false, true) if !op.is_difference() => (b.var()?, a),
            (_, _) => return None,
        };
        (self.uses(program, old) == 1 && self.uses(program, value.var()?) == 1).then_some(())?;
        let ty = program.ty(old).clone();
        let operator = op.region(program, &ty, combination);
        let gone: Set<Var> = [old, value.var()?].into_iter().collect();
        let mut stms: Vec<Stm> = Vec::new();
        let mut result = new;
        if op.is_difference() {
            let prim = ty.prim()?;
            let var = program.vars.push(VarInfo::new(Name::new("t"), ty));
            let exp = Exp::Un(UnOp::Neg, prim, new);
            stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: combination.span });
            result = Atom::Var(var);
        }
        let steps = with_value(self.bulk.steps.clone(), &gone, &stms, result);
        identities(&operator)?;
        // The pass that knows about rounding lets others take their values in any order.
        let tree = if Rounding::Kept.allows(&operator) { Tree::Uncut } else { Tree::InOrder };
        let kind = Kind::Accum { arrays: vec![self.param], skip: self.skip, op: operator, tree };
        Some((kind, steps))
    }

    /// How often a turn mentions a variable that it binds.
    fn uses(&self, program: &Program, var: Var) -> usize {
        let all = self.turn.body.stms.iter().flat_map(|stm| mentioned(program, stm));
        let results = self.turn.body.result.iter().filter_map(|atom| atom.var());
        // Its own binding is none.
        all.chain(results).filter(|other| *other == var).count() - 1
    }
}

/// What combines two numbers.
enum Operation<'b> {
    /// An operation, in which operands can change places.
    Plain(&'b Exp),
    /// What is subtracted is added with the other sign.
    Difference(scalar::Prim),
}

fn operation(exp: &Exp) -> Option<(Operation<'_>, Atom, Atom)> {
    match exp {
        Exp::Bin(BinOp::Sub, prim, a, b) => Some((Operation::Difference(*prim), *a, *b)),
        Exp::Bin(_, _, a, b) => Some((Operation::Plain(exp), *a, *b)),
        Exp::Math(_, _, atoms) => match atoms[..] {
            [a, b] => Some((Operation::Plain(exp), a, b)),
            _ => None,
        },
        _ => None,
    }
}

impl Operation<'_> {
    fn is_difference(&self) -> bool {
        matches!(self, Operation::Difference(_))
    }

    fn region(&self, program: &mut Program, ty: &Type, like: &Stm) -> Region {
        let mut new = |name: &str| program.vars.push(VarInfo::new(Name::new(name), ty.clone()));
        let [a, b, t] = ["a", "b", "t"].map(&mut new);
        let exp = match self {
            Operation::Difference(prim) => Exp::Bin(BinOp::Add, *prim, a.into(), b.into()),
            Operation::Plain(Exp::Bin(op, prim, ..)) => Exp::Bin(*op, *prim, a.into(), b.into()),
            Operation::Plain(Exp::Math(op, prim, _)) => Exp::Math(*op, *prim, vec![a.into(), b.into()]),
            Operation::Plain(other) => (*other).clone(),
        };
        let stm = Stm { vars: vec![t], certs: Vec::new(), exp, span: like.span };
        Region { params: vec![a, b], body: Block { stms: vec![stm], result: vec![Atom::Var(t)] } }
    }
}

/// Whether no two values of a turn go to the same place: all indices of loops are subscripts.
fn each_once(steps: &[Step], emit: &Emit) -> bool {
    steps.iter().all(|step| match step {
        Step::For { var, body, .. } => emit.at.contains(&Atom::Var(*var)) && each_once(body, emit),
        Step::Guard(_, body) => each_once(body, emit),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => true,
    })
}

fn lets<'b>(steps: &'b [Step], found: &mut Vec<&'b Stm>) {
    for step in steps {
        match step {
            Step::Let(stm) => found.push(stm),
            Step::For { body, .. } | Step::Guard(_, body) => lets(body, found),
            Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}

/// Steps with another value, without what bound some variables.
fn with_value(steps: Vec<Step>, gone: &Set<Var>, stms: &[Stm], result: Atom) -> Vec<Step> {
    let stays = |stm: &Stm| !stm.vars.iter().any(|var| gone.contains(var));
    let mut out = Vec::new();
    for step in steps {
        match step {
            Step::For { var, count, mark, body } => {
                out.push(Step::For { var, count, mark, body: with_value(body, gone, stms, result) });
            }
            Step::Guard(cond, body) => out.push(Step::Guard(cond, with_value(body, gone, stms, result))),
            Step::Emit(mut emit) => {
                emit.value.stms.retain(stays);
                emit.value.stms.extend(stms.iter().cloned());
                emit.value.result = vec![result];
                out.push(Step::Emit(emit));
            }
            Step::Let(stm) if !stays(&stm) => {}
            step @ (Step::Let(_) | Step::Scan(_)) => out.push(step),
        }
    }
    out
}

/// A step that relies on the checks that its form relied on.
fn relying(mut step: Step, certs: &[Var]) -> Step {
    super::arrays::rely(&mut step, certs);
    step
}
