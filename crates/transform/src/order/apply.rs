//! Puts steps into the order of a plan.

use super::filled;
use super::plan::{Group, Plan};
use base::{Map, Name, Span};
use ir::{Atom, Bulk, Coverage, Exp, FunId, Kind, Mark, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Applies plans to a function.
pub(super) fn apply(program: &mut Program, function: FunId, plans: Map<Var, Plan>) {
    let mut body = std::mem::take(&mut program.functions[function].body);
    let mut apply = Apply { program, plans, span: Span::OF_CALLER };
    body.replace_stms(&mut |stm| apply.stm(stm));
    program.functions[function].body = body;
}

struct Apply<'p> {
    program: &'p mut Program,
    plans: Map<Var, Plan>,
    /// The place of the form that is changed.
    span: Span,
}

impl Apply<'_> {
    /// A form in its order, after what it needs to be there.
    fn stm(&mut self, mut stm: Stm) -> Vec<Stm> {
        let mut out = Vec::new();
        if let Some(plan) = stm.vars.first().and_then(|first| self.plans.remove(first)) {
            self.span = stm.span;
            filled::before(self.program, &mut stm, &mut out);
            if let Exp::Bulk(bulk) = &mut stm.exp {
                self.bulk(bulk, &plan);
            }
        }
        out.push(stm);
        out
    }

    fn bulk(&mut self, bulk: &mut Bulk, plan: &Plan) {
        bulk.scheduled = true;
        for output in &mut bulk.outputs {
            if let Kind::Gen { coverage, .. } = &mut output.kind {
                *coverage = Coverage::Exact;
            }
        }
        let mut steps: Vec<Option<Step>> = std::mem::take(&mut bulk.steps).into_iter().map(Some).collect();
        // Bindings for all clauses come first: clauses never depend on each other but through the arrays.
        let is_planned = |number: &usize| plan.groups.iter().any(|group| group.steps.contains(number));
        let lets: Vec<usize> = (0..steps.len()).filter(|number| !is_planned(number)).collect();
        bulk.steps = lets.into_iter().filter_map(|number| steps[number].take()).collect();
        for group in &plan.groups {
            let own: Vec<Step> = group.steps.iter().filter_map(|number| steps[*number].take()).collect();
            bulk.steps.extend(self.group(own, group));
        }
    }

    /// The clauses of a group as one loop.
    fn group(&mut self, mut own: Vec<Step>, group: &Group) -> Vec<Step> {
        if group.steps.len() > 1 {
            own = vec![merged(own, group.shared, self.span)];
        }
        own.into_iter().map(|step| self.directed(step, &group.backward)).collect()
    }

    /// The loops of a step in these directions.
    fn directed(&mut self, step: Step, backward: &[bool]) -> Step {
        let Some((first, rest)) = backward.split_first() else { return step };
        match step {
            Step::For { var, count, mark, body } => {
                let body: Vec<Step> = body.into_iter().map(|step| self.directed(step, rest)).collect();
                if *first { self.reversed(var, count, mark, body) } else { Step::For { var, count, mark, body } }
            }
            Step::Guard(cond, body) => {
                Step::Guard(cond, body.into_iter().map(|step| self.directed(step, backward)).collect())
            }
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => step,
        }
    }

    /// A loop that begins with the last turn.
    fn reversed(&mut self, var: Var, count: Atom, mark: Mark, body: Vec<Step>) -> Step {
        let vars = &mut self.program.vars;
        let [turn, last] = ["k", "t"].map(|name| vars.push(VarInfo::new(Name::new(name), Type::I64)));
        let span = self.span;
        let minus = |a: Atom, b: Atom| Exp::Bin(BinOp::Sub, Prim::I64, a, b);
        let mut steps = vec![
            Step::Let(Stm { vars: vec![last], certs: Vec::new(), exp: minus(count, Atom::size(1)), span }),
            Step::Let(Stm { vars: vec![var], certs: Vec::new(), exp: minus(last.into(), turn.into()), span }),
        ];
        steps.extend(body);
        Step::For { var: turn, count, mark, body: steps }
    }
}

/// One nest of loops in place of several whose outermost ones take the same turns.
fn merged(own: Vec<Step>, depth: usize, span: Span) -> Step {
    let mut nest: Vec<(Var, Atom)> = Vec::new();
    let mut body = Vec::new();
    for mut step in own {
        for level in 0..depth {
            let (var, count, mut inner) = into_loop(step);
            match nest.get(level) {
                Some((own, _)) => {
                    let exp = Exp::Atom((*own).into());
                    body.push(Step::Let(Stm { vars: vec![var], certs: Vec::new(), exp, span }));
                }
                None => nest.push((var, count)),
            }
            let next = if level + 1 < depth { inner.iter().position(|step| step.count().is_some()) } else { None };
            match next.map(|at| inner.remove(at)) {
                Some(next) => step = next,
                None => {
                    body.append(&mut inner);
                    break;
                }
            }
            body.append(&mut inner);
        }
    }
    let innermost = |inner: Vec<Step>, (var, count)| vec![Step::For { var, count, mark: Mark::Open, body: inner }];
    nest.into_iter().rev().fold(body, innermost).pop().unwrap_or_else(|| base::bug!("clauses in a loop have none"))
}

fn into_loop(step: Step) -> (Var, Atom, Vec<Step>) {
    match step {
        Step::For { var, count, mark: _, body } => (var, count, body),
        Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {
            base::bug!("clauses that need each other have other steps around their loops")
        }
    }
}
