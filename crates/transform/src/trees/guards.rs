//! Values that a guard leaves out become values that change nothing, so that every turn has one for its lane.
//!
//! ```text
//! if c { emit { => x } }              ==>      emit { let y = if c { => x } else { => -0.0 }; => y }
//! if c { emit 0 => x; emit 1 => 1 }   ==>      let (y, one) = if c { => x, 1 } else { => -0.0, 0 }; emit 0 => y; emit 1 => one
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
                match all(outputs, &body) {
                    Some(values) => steps.extend(values.chosen(program, cond)),
                    None => steps.push(Step::Guard(cond, body)),
                }
            }
            other @ (Step::Let(_) | Step::Scan(_) | Step::Emit(_)) => steps.push(other),
        }
    }
}

/// Guarded steps that only give values, each to a reduction of its own.
struct Values<'b> {
    lets: Vec<&'b Stm>,
    /// With what the values are, and what changes nothing.
    emits: Vec<(&'b Emit, &'b Output, Vec<Atom>)>,
}

fn all<'b>(outputs: &'b [Output], body: &'b [Step]) -> Option<Values<'b>> {
    let mut values = Values { lets: Vec::new(), emits: Vec::new() };
    for step in body {
        match step {
            Step::Let(stm) => values.lets.push(stm),
            Step::Emit(emit) => {
                let output = &outputs[emit.output];
                let seen = values.emits.iter().any(|(other, ..)| other.output == emit.output);
                values.emits.push((emit, output, neutral(output).filter(|_| !seen)?));
            }
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) => return None,
        }
    }
    (!values.emits.is_empty()).then_some(values)
}

/// What changes nothing in a reduction.
fn neutral(output: &Output) -> Option<Vec<Atom>> {
    let Kind::Reduce { op, .. } = &output.kind else { return None };
    Some(identities(op)?.into_iter().map(Atom::Const).collect())
}

impl Values<'_> {
    /// The same without a guard: the values if a condition holds, or those that change nothing.
    fn chosen(&self, program: &mut Program, cond: Atom) -> Vec<Step> {
        let mut copy = |elem: &Var| {
            let VarInfo { name, ty, .. } = &program.vars[*elem];
            program.vars.push(VarInfo::new(*name, ty.clone()))
        };
        let vars: Vec<Vec<Var>> =
            self.emits.iter().map(|(_, output, _)| output.elems.iter().map(&mut copy).collect()).collect();
        let values = self.emits.iter().map(|(emit, ..)| &emit.value);
        let stms = self.lets.iter().copied().chain(values.clone().flat_map(|value| &value.stms)).cloned().collect();
        let then = Block { stms, result: values.flat_map(|value| value.result.clone()).collect() };
        let neutral = self.emits.iter().flat_map(|(.., neutral)| neutral.clone()).collect();
        let otherwise = Block { stms: Vec::new(), result: neutral };
        let span = self.emits[0].0.span;
        let choice = Stm { vars: vars.concat(), certs: Vec::new(), exp: Exp::If(cond, then, otherwise), span };
        let emit = |(emit, ..): &(&Emit, &Output, Vec<Atom>), vars: &Vec<Var>, stms: Vec<Stm>| {
            let result = vars.iter().copied().map(Atom::Var).collect();
            Step::Emit(Emit { value: Block { stms, result }, ..(*emit).clone() })
        };
        match (&self.emits[..], &vars[..]) {
            ([one], [vars]) => vec![emit(one, vars, vec![choice])],
            (emits, all) => {
                let emits = emits.iter().zip(all).map(|(each, vars)| emit(each, vars, Vec::new()));
                std::iter::once(Step::Let(choice)).chain(emits).collect()
            }
        }
    }
}
