//! Finding points that can be side by side.

use super::items::{Item, Repeat};
use super::narrow;
use super::reads::{self, Reads};
use crate::straight::{is_wide, selected};
use base::Span;
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, LoopForm, Output, Program, Region, Step, Stm, Type, Var};
use scalar::{BinOp, MathOp, Prim};

/// The most statements of a point.
const LARGEST: usize = 80;

/// The innermost loop of a form: its points have sums of equal lengths.
pub(super) struct Points {
    pub index: Var,
    pub count: Atom,
    pub items: Vec<Item>,
    /// What becomes of the values, one point after the other: those of new arrays are handed over, others are checked and
    /// combined with elements.
    pub tail: Vec<Step>,
    pub reads: Reads,
    pub span: Span,
}

impl Points {
    /// The points of a loop, of a form with these outputs.
    pub fn of(program: &mut Program, step: &Step, outputs: &[Output]) -> Option<Points> {
        let Step::For { var, count, body, .. } = step else { return None };
        let (head, apart) = body.split_at(head(body, outputs)?);
        let (mut stms, mut tail) = (Vec::new(), Vec::new());
        for step in head {
            match step {
                Step::Let(stm) => stms.push(stm.clone()),
                Step::Emit(emit) => {
                    // A short row of numbers is put together where it is handed over.
                    let is_row = |stm: &Stm| matches!(stm.exp, Exp::Literal(..));
                    let (rows, own): (Vec<&Stm>, Vec<&Stm>) = emit.value.stms.iter().partition(|stm| is_row(stm));
                    stms.extend(own.into_iter().map(|stm| stm.clone().relying_on(&emit.certs)));
                    let value = Block { stms: rows.into_iter().cloned().collect(), result: emit.value.result.clone() };
                    tail.push(Step::Emit(Emit { value, ..emit.clone() }));
                }
                Step::For { .. } | Step::Guard(..) | Step::Scan(_) => return None,
            }
        }
        let mut places: Vec<Var> = Vec::new();
        for step in &tail {
            if let Step::Emit(emit) = step {
                places.extend(emit.at.iter().filter_map(|atom| atom.var()));
            }
        }
        tail.extend(apart.iter().cloned());
        let small = stms.iter().map(analysis::cost::statements).sum::<usize>() <= LARGEST;
        let sound = stms.iter().all(|stm| !stm.can_fail());
        let span = stms.iter().find(|stm| matches!(stm.exp, Exp::Bulk(_) | Exp::Loop { .. }))?.span;
        (small && sound).then_some(())?;
        let items = items(program, &stms)?;
        let items = narrow::narrowed(program, items);
        let reads = reads::of(program, *var, &items)?;
        let plain = places.into_iter().all(|place| items.iter().all(|item| !item.vars().contains(&place)));
        plain.then_some(Points { index: *var, count: *count, items, tail, reads, span })
    }
}

/// How many steps of a point are computed side by side. If it does nothing but make new arrays: all. Otherwise those up to the last
/// loop, which take most of the time.
fn head(body: &[Step], outputs: &[Output]) -> Option<usize> {
    if outputs.iter().all(|output| matches!(output.kind, Kind::Gen { .. })) {
        return Some(body.len());
    }
    let repeats = |step: &Step| matches!(step, Step::Let(Stm { exp: Exp::Bulk(_) | Exp::Loop { .. }, .. }));
    let head = body.iter().rposition(repeats)? + 1;
    let is_new = |step: &Step| match step {
        Step::Emit(emit) => matches!(outputs[emit.output].kind, Kind::Gen { .. }),
        step => matches!(step, Step::Let(_)),
    };
    body[..head].iter().all(is_new).then_some(head)
}

fn items(program: &mut Program, stms: &[Stm]) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    for stm in stms {
        match &stm.exp {
            Exp::Bulk(bulk) => items.push(Item::Repeat(reduction(program, stm, bulk)?)),
            Exp::Loop { params, form: LoopForm::For(index, count), body, .. } => {
                params.iter().all(|(param, _)| is_wide(program, *param)).then_some(())?;
                let stms: Vec<Stm> = body.stms.iter().map(|inner| inner.clone().relying_on(&stm.certs)).collect();
                items.push(Item::Repeat(Repeat {
                    vars: stm.vars.clone(),
                    params: params.clone(),
                    index: *index,
                    count: *count,
                    body: self::items(program, &stms)?,
                    result: body.result.clone(),
                }));
            }
            Exp::If(condition, then, otherwise) => {
                items.extend(selected(program, stm, *condition, then, otherwise)?.into_iter().map(Item::Scalar));
            }
            exp => {
                let read = matches!(exp, Exp::Index(..)) && is_wide(program, stm.vars[0]);
                let scalar = stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
                (scalar && (read || crate::straight::is_harmless(exp)))
                    .then(|| items.push(Item::Scalar(stm.clone())))?;
            }
        }
    }
    Some(items)
}

/// Reductions over one loop as loops that combine values one after the other.
fn reduction(program: &mut Program, stm: &Stm, bulk: &Bulk) -> Option<Repeat> {
    let [step] = &bulk.steps[..] else { return None };
    let (mut ops, mut first) = (Vec::new(), Vec::new());
    for output in &bulk.outputs {
        let Kind::Reduce { op, neutral, .. } = &output.kind else { return None };
        ops.push(op);
        first.extend(neutral);
    }
    stm.vars.iter().all(|var| is_wide(program, *var)).then_some(())?;
    let mut repeat = repetition(program, &Combining { ops, certs: &stm.certs }, first, step)?;
    repeat.vars.clone_from(&stm.vars);
    Some(repeat)
}

/// How the values of reductions are combined.
struct Combining<'a> {
    /// The operator of each output.
    ops: Vec<&'a Region>,
    /// Checks that the reductions rely on.
    certs: &'a [Var],
}

impl Combining<'_> {
    /// Names for what is combined so far: those of all outputs, one after the other.
    fn totals(&self, program: &mut Program) -> Vec<Var> {
        let lefts = self.ops.iter().flat_map(|op| &op.params[..op.params.len() / 2]);
        let lefts: Vec<Var> = lefts.copied().collect();
        copies(&mut program.vars, &lefts)
    }

    /// The place of an output among them.
    fn place(&self, output: usize) -> std::ops::Range<usize> {
        let width = |op: &&Region| op.params.len() / 2;
        let start = self.ops[..output].iter().map(width).sum();
        start..start + width(&self.ops[output])
    }
}

/// The loop of reductions, which begin with these values.
fn repetition(program: &mut Program, how: &Combining<'_>, first: Vec<Atom>, step: &Step) -> Option<Repeat> {
    let Step::For { var, count, body: steps, .. } = step else { return None };
    let carried = how.totals(program);
    let mut result: Vec<Atom> = carried.iter().copied().map(Atom::Var).collect();
    let mut body = Vec::new();
    // A value of each output, or one loop inside that gives them all.
    let mut given = vec![false; how.ops.len()];
    for step in steps {
        match step {
            Step::Let(stm) => body.extend(items(program, &[stm.clone().relying_on(how.certs)])?),
            Step::Emit(emit) if !std::mem::replace(&mut given[emit.output], true) => {
                let place = how.place(emit.output);
                let combined = combine(program, how, emit, &result[place.clone()], &mut body)?;
                result.splice(place, combined);
            }
            Step::For { .. } if given.iter().all(|given| !given) => {
                let inner = repetition(program, how, result, step)?;
                result = inner.vars.iter().copied().map(Atom::Var).collect();
                body.push(Item::Repeat(inner));
                given.fill(true);
            }
            Step::For { .. } | Step::Emit(_) | Step::Guard(..) | Step::Scan(_) => return None,
        }
    }
    given.iter().all(|given| *given).then_some(())?;
    let vars = how.totals(program);
    let params = carried.into_iter().zip(first).collect();
    Some(Repeat { vars, params, index: *var, count: *count, body, result })
}

/// Combines a value with what is there before; the statements are new items.
fn combine(
    program: &mut Program,
    how: &Combining<'_>,
    emit: &Emit,
    before: &[Atom],
    body: &mut Vec<Item>,
) -> Option<Vec<Atom>> {
    let certs = [how.certs, &emit.certs].concat();
    let value: Vec<Stm> = emit.value.stms.iter().map(|stm| stm.clone().relying_on(&certs)).collect();
    body.extend(items(program, &value)?);
    let op = how.ops[emit.output];
    let operands: Vec<Atom> = before.iter().chain(&emit.value.result).copied().collect();
    let combined = copy_block(&mut program.vars, &op.body, Substitution::new(&op.params, &operands));
    // What is bound before a value may be part of other values, too.
    let own = how.ops.len() == 1 || !value.is_empty();
    let combination = if own { without_rounding(body, combined.stms) } else { combined.stms };
    body.extend(items(program, &combination)?);
    Some(combined.result)
}

/// What combines a sum with a value: a product that is added need not be rounded before.
fn without_rounding(body: &mut Vec<Item>, combination: Vec<Stm>) -> Vec<Stm> {
    let [sum] = &combination[..] else { return combination };
    let Exp::Bin(BinOp::Add, added @ (Prim::F32 | Prim::F64), total, Atom::Var(value)) = sum.exp else {
        return combination;
    };
    let Some(Item::Scalar(Stm { vars, exp: Exp::Bin(BinOp::Mul, prim, x, y), .. })) = body.last() else {
        return combination;
    };
    if *prim != added || *vars != [value] || total == Atom::Var(value) {
        return combination;
    }
    let exp = Exp::Math(MathOp::Fma, added, vec![*x, *y, total]);
    let sum = Stm { exp, ..sum.clone() };
    body.pop();
    vec![sum]
}
