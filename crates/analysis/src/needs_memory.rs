//! Which vectors something other than indexing needs in memory.

use base::Set;
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Kind, Program, Step, Stm, Var};

/// All variables that something needs in memory.
pub fn needing_memory(program: &Program) -> Set<Var> {
    let mut found = Needs(Set::default());
    program.functions.values().for_each(|f| found.block(&f.body));
    found.0
}

struct Needs(Set<Var>);

impl Needs {
    fn atoms(&mut self, atoms: &[Atom]) {
        self.0.extend(atoms.iter().filter_map(|a| a.var()));
    }

    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
        self.atoms(&block.result);
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::IndexVector(array, _) => {
                self.0.insert(*array);
            }
            Exp::Index(array, at) if at.iter().any(|a| a.var().is_some()) => {
                self.0.insert(*array);
            }
            Exp::Index(..) | Exp::Unrank { .. } | Exp::Assert { .. } | Exp::Total(_) => {}
            Exp::Bulk(bulk) => self.bulk(bulk),
            other => other.for_each_part(&mut |part| match part {
                Part::Atom(Atom::Var(var)) | Part::Use(var) => {
                    self.0.insert(*var);
                }
                Part::Block(block) => self.block(block),
                Part::Stm(stm) => self.stm(stm),
                Part::Atom(Atom::Const(_)) | Part::Bind(_) => {}
            }),
        }
    }

    fn bulk(&mut self, bulk: &ir::Bulk) {
        for output in &bulk.outputs {
            match &output.kind {
                Kind::Gen { otherwise, .. } => otherwise.iter().for_each(|b| self.block(b)),
                Kind::Update { arrays, .. } => self.0.extend(arrays),
                Kind::Accum { arrays, op, .. } => {
                    self.0.extend(arrays);
                    self.block(&op.body);
                }
                Kind::Reduce { op, neutral, .. } => {
                    self.atoms(neutral);
                    self.block(&op.body);
                }
                Kind::Keep => {}
            }
        }
        self.steps(&bulk.steps);
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.stm(stm),
                Step::Scan(scan) => {
                    self.atoms(&scan.neutral);
                    self.block(&scan.op.body);
                    self.block(&scan.value);
                }
                Step::Emit(emit) => self.block(&emit.value),
            }
        }
    }
}
