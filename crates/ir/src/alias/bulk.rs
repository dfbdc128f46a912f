//! Bulk forms: values see everything as it was before, then what is updated is consumed.

use super::data::Origins;
use super::walk::Walk;
use crate::traverse::Part;
use crate::{Bulk, Emit, Kind, Output, Scan, Step, Var};

impl<'p> Walk<'p> {
    pub(super) fn bulk(&mut self, vars: &[Var], bulk: &'p Bulk) {
        let Bulk { outputs, steps, scheduled: _ } = bulk;
        outputs.iter().for_each(|output| self.operands(output));
        let mut values: Vec<Origins> = outputs.iter().map(|output| self.operator(output)).collect();
        self.walled(|walk| walk.steps(steps, &mut values));
        for array in outputs.iter().flat_map(Output::consumes) {
            self.consume(*array);
        }
        let mut next = 0;
        for (output, values) in outputs.iter().zip(values) {
            let bound = vars.get(next..next + output.bound()).unwrap_or_default();
            self.outcome(output, bound, values);
            next += output.bound();
        }
    }

    /// What an output reads by itself. Recursive arrays may not be consumed.
    fn operands(&mut self, output: &'p Output) {
        output.rec().iter().for_each(|rec| self.bind_frozen(*rec));
        match &output.kind {
            Kind::Gen { shape, otherwise: _, coverage: _, rec: _ } => {
                let total = crate::Exp::Total(shape.clone());
                total.for_each_part(&mut |part| match part {
                    Part::Atom(atom) => self.read(*atom),
                    Part::Use(var) => self.read((*var).into()),
                    Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
                });
            }
            Kind::Update { arrays, skip: _, rec: _ } | Kind::Accum { arrays, skip: _, op: _, tree: _ } => {
                arrays.iter().for_each(|array| self.read((*array).into()));
            }
            Kind::Reduce { op: _, neutral, commutes: _, tree: _ } => self.read_all(neutral),
            Kind::Keep => {}
        }
    }

    /// Walks the blocks of an output; what its result may share memory with.
    fn operator(&mut self, output: &'p Output) -> Origins {
        match &output.kind {
            Kind::Gen { shape: _, otherwise, coverage: _, rec: _ } => {
                if let Some(block) = otherwise {
                    self.walled(|walk| walk.block(block));
                }
                Origins::new()
            }
            Kind::Accum { arrays: _, skip: _, op, tree: _ } => {
                self.region(op);
                Origins::new()
            }
            Kind::Reduce { op, neutral, commutes: _, tree: _ } => {
                // What it hands on of its operands is among the others.
                let made = self.region(op).into_iter().flatten().filter(|origin| !op.params.contains(origin));
                made.chain(neutral.iter().flat_map(|atom| self.origins(*atom))).collect()
            }
            Kind::Update { .. } | Kind::Keep => Origins::new(),
        }
    }

    fn steps(&mut self, steps: &'p [Step], values: &mut [Origins]) {
        for step in steps {
            match step {
                Step::For { var: _, count, mark: _, body } => {
                    self.read(*count);
                    self.walled(|walk| walk.steps(body, values));
                }
                Step::Let(stm) => self.stm(stm),
                Step::Guard(cond, body) => {
                    self.read(*cond);
                    self.steps(body, values);
                }
                Step::Scan(Scan { vars, op, neutral, tree: _, value, span: _ }) => {
                    self.read_all(neutral);
                    self.region(op);
                    self.walled(|walk| walk.block(value));
                    // The next turn needs it.
                    vars.iter().for_each(|var| self.bind_frozen(*var));
                }
                Step::Emit(Emit { output, at, certs: _, value, span: _ }) => {
                    self.read_all(at);
                    // Values of recursive arrays are tried several times.
                    let made = self.walled(|walk| walk.block(value));
                    if let Some(values) = values.get_mut(*output) {
                        values.extend(made.into_iter().flatten());
                    }
                }
            }
        }
    }

    /// A reduction may hand on its neutral element, a value or what the operator made. All others copy values into
    /// memory of their own, or into that of the arrays they consume.
    fn outcome(&mut self, output: &'p Output, bound: &[Var], values: Origins) {
        let reduces = matches!(output.kind, Kind::Reduce { .. });
        for var in bound {
            self.bind_new(*var);
            if reduces {
                self.bind(*var, values.iter().copied().chain([*var]).collect());
            }
        }
        let arrays = bound.iter().skip(output.sizes.len());
        for (var, array) in arrays.zip(output.consumes()) {
            let before = self.origins((*array).into());
            self.was(*var, &before);
        }
    }
}
