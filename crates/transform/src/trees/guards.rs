//! Values that a guard leaves out become values that change nothing, so that every turn has one for its lane.
//!
//! ```text
//! if c { emit { => x } }          ==>          emit { let y = if c { => x } else { => -0.0 }; => y }
//! ```

use ir::tree::identities;
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, Output, Program, Step, Stm, Var, VarInfo};

/// Removes the guards of the loops whose values only go to reductions with lanes.
pub(super) fn remove(program: &mut Program, bulk: &mut Bulk) {
    let Bulk { outputs, steps, .. } = bulk;
    in_steps(program, outputs, steps);
}

fn in_steps(program: &mut Program, outputs: &[Output], steps: &mut Vec<Step>) {
    for step in std::mem::take(steps) {
        match step {
            Step::For { var, count, mark, mut body } => {
                in_steps(program, outputs, &mut body);
                steps.push(Step::For { var, count, mark, body });
            }
            Step::Guard(cond, mut body) => {
                in_steps(program, outputs, &mut body);
                match only_emit(&body).and_then(|emit| Some((emit, neutral(&outputs[emit.output])?))) {
                    Some((emit, neutral)) => {
                        let emit = chosen(program, &outputs[emit.output], cond, &body, emit, neutral);
                        steps.push(Step::Emit(emit));
                    }
                    None => steps.push(Step::Guard(cond, body)),
                }
            }
            other @ (Step::Let(_) | Step::Scan(_) | Step::Emit(_)) => steps.push(other),
        }
    }
}

/// The value of guarded steps, if there is one and all else binds what it needs.
fn only_emit(body: &[Step]) -> Option<&Emit> {
    let (Step::Emit(emit), before) = body.split_last()? else { return None };
    before.iter().all(|step| matches!(step, Step::Let(_))).then_some(emit)
}

/// What changes nothing in a reduction.
fn neutral(output: &Output) -> Option<Vec<Atom>> {
    let Kind::Reduce { op, .. } = &output.kind else { return None };
    Some(identities(op)?.into_iter().map(Atom::Const).collect())
}

/// The value of guarded steps, or one that changes nothing.
fn chosen(program: &mut Program, output: &Output, cond: Atom, body: &[Step], emit: &Emit, neutral: Vec<Atom>) -> Emit {
    let lets = body.iter().filter_map(|step| match step {
        Step::Let(stm) => Some(stm.clone()),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    });
    let stms: Vec<Stm> = lets.chain(emit.value.stms.iter().cloned()).collect();
    let vars: Vec<Var> = output
        .elems
        .iter()
        .map(|elem| {
            let VarInfo { name, ty, .. } = &program.vars[*elem];
            program.vars.push(VarInfo::new(*name, ty.clone()))
        })
        .collect();
    let then = Block { stms, result: emit.value.result.clone() };
    let otherwise = Block { stms: Vec::new(), result: neutral };
    let result = vars.iter().copied().map(Atom::Var).collect();
    let choice = Stm { vars, certs: Vec::new(), exp: Exp::If(cond, then, otherwise), span: emit.span };
    Emit { value: Block { stms: vec![choice], result }, ..emit.clone() }
}
