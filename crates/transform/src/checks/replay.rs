//! The checks of a loop and what they need, so that they can be made again.

use base::{IdVec, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Coverage, Emit, Exp, FunId, Function, Kind, Program, Step, Stm, Var};

/// Larger bodies are not copied.
const LARGEST: usize = 60;

/// What a loop's turns do, apart from handing values over.
pub(super) struct Turns<'p> {
    program: &'p Program,
    needed: Set<Var>,
    count: usize,
}

impl<'p> Turns<'p> {
    /// The checks in steps, in their order, unless they do more than compute and check.
    pub fn of_steps(program: &'p Program, steps: &[Step]) -> Option<Vec<Step>> {
        let mut turns = Turns { program, needed: Set::default(), count: 0 };
        turns.steps(steps)
    }

    /// The same of the body of a loop whose variables are not there when the checks are made again.
    pub fn of_block(program: &'p Program, body: &Block, changing: &[Var]) -> Option<Vec<Step>> {
        let mut turns = Turns { program, needed: Set::default(), count: 0 };
        let steps = turns.stms(&body.stms)?;
        changing.iter().all(|var| !turns.needed.contains(var)).then_some(steps)
    }

    fn steps(&mut self, steps: &[Step]) -> Option<Vec<Step>> {
        let mut kept = Vec::new();
        for step in steps.iter().rev() {
            match step {
                Step::Let(stm) => kept.extend(self.stm(stm)?.map(Step::Let)),
                Step::Emit(Emit { value, .. }) => {
                    let mut value = self.stms(&value.stms)?;
                    value.reverse();
                    kept.extend(value);
                }
                Step::Guard(cond, body) => {
                    let body = self.steps(body)?;
                    if !body.is_empty() {
                        self.needed.extend(cond.var());
                        kept.push(Step::Guard(*cond, body));
                    }
                }
                // A loop that still has checks is looked at by itself.
                Step::For { .. } if !may_fail(step) => {}
                Step::For { .. } | Step::Scan(_) => return None,
            }
        }
        kept.reverse();
        Some(kept)
    }

    fn stms(&mut self, stms: &[Stm]) -> Option<Vec<Step>> {
        let mut kept = Vec::new();
        for stm in stms.iter().rev() {
            kept.extend(self.stm(stm)?.map(Step::Let));
        }
        kept.reverse();
        Some(kept)
    }

    /// A statement that checks something or that a check needs; nothing at all if it does more than that.
    fn stm(&mut self, stm: &Stm) -> Option<Option<Stm>> {
        let effect = effect(stm, &self.program.functions);
        self.count += 1;
        if effect == Effect::More || self.count > LARGEST {
            return None;
        }
        let is_needed = stm.vars.iter().any(|var| self.needed.contains(var));
        match effect {
            Effect::None | Effect::Change if !is_needed => return Some(None),
            // What it changes must be as it was when the loop's own turns begin.
            Effect::Change => return None,
            Effect::None | Effect::Check | Effect::More => {}
        }
        stm.walk(&mut |part| match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => {
                self.needed.insert(*var);
            }
            Part::Bind(var) => self.program.ty(*var).for_each_var(&mut |size| {
                self.needed.insert(size);
            }),
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        });
        Some(Some(stm.clone()))
    }
}

/// What a statement does beside computing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    None,
    /// It changes memory, or may take long.
    Change,
    /// It checks something.
    Check,
    /// It calls or shows something, or has a loop with checks.
    More,
}

fn effect(stm: &Stm, functions: &IdVec<FunId, Function>) -> Effect {
    // The checks of an inner loop, which left it.
    if matches!(stm.exp, Exp::Ensure { .. }) {
        return Effect::Check;
    }
    let is_loop = |exp: &Exp| matches!(exp, Exp::Bulk(_) | Exp::Loop { .. });
    let (mut effect, mut loops) = (of_exp(&stm.exp, functions), is_loop(&stm.exp));
    stm.walk(&mut |part| {
        if let Part::Stm(inner) = part {
            effect = effect.max(of_exp(&inner.exp, functions));
            loops |= is_loop(&inner.exp);
        }
    });
    // A loop with checks inside is an innermost one itself.
    if loops && effect == Effect::Check { Effect::More } else { effect }
}

fn of_exp(exp: &Exp, functions: &IdVec<FunId, Function>) -> Effect {
    match exp {
        Exp::Assert { .. } => Effect::Check,
        Exp::Call(..) | Exp::Trace(..) | Exp::Ensure { .. } | Exp::Choose(..) => Effect::More,
        Exp::Bulk(bulk) if makes_checks(&bulk.outputs) => Effect::More,
        Exp::Loop { .. } => Effect::Change,
        exp if !exp.consumes(functions).is_empty() => Effect::Change,
        _ => Effect::None,
    }
}

/// Whether a step has a check.
pub(super) fn may_fail(step: &Step) -> bool {
    let mut fails = false;
    step.walk(&mut |part| fails |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
    fails
}

/// Whether handing values over may fail, or computes others.
fn makes_checks(outputs: &[ir::Output]) -> bool {
    let others = |output: &ir::Output| matches!(&output.kind, Kind::Gen { otherwise: Some(_), .. });
    hands_over_with_checks(outputs) || outputs.iter().any(others)
}

/// Whether handing values over may fail, or needs what is made so far.
pub(super) fn hands_over_with_checks(outputs: &[ir::Output]) -> bool {
    outputs.iter().any(|output| {
        !output.rec().is_empty() || matches!(output.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
    })
}
