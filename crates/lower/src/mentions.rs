//! Which variables a part of a program mentions, at any depth, also through the types of what it binds.

use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Program, Region, Step, Stm, Var};

/// Collects mentions.
pub(crate) struct Mentions<'p> {
    program: &'p Program,
    /// What has been found, with repetitions.
    pub found: Vec<Var>,
}

impl<'p> Mentions<'p> {
    /// Nothing yet.
    pub fn new(program: &'p Program) -> Self {
        Mentions { program, found: Vec::new() }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => self.found.push(*var),
            Part::Bind(var) => {
                self.found.push(*var);
                let found = &mut self.found;
                self.program.ty(*var).for_each_var(&mut |v| found.push(v));
            }
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        }
    }

    /// What a statement mentions.
    pub fn stm(&mut self, stm: &Stm) {
        stm.walk(&mut |part| self.part(part));
    }

    /// What a block mentions.
    pub fn block(&mut self, block: &Block) {
        block.walk(&mut |part| self.part(part));
    }

    /// What a region mentions.
    pub fn region(&mut self, region: &Region) {
        region.params.iter().for_each(|p| self.part(Part::Bind(p)));
        self.block(&region.body);
    }

    /// What atoms mention.
    pub fn atoms(&mut self, atoms: &[Atom]) {
        self.found.extend(atoms.iter().filter_map(|a| a.var()));
    }

    /// What a step mentions.
    pub fn step(&mut self, step: &Step) {
        match step {
            Step::For { var, count, body } => {
                self.found.push(*var);
                self.atoms(&[*count]);
                self.steps(body);
            }
            Step::Let(stm) => self.stm(stm),
            Step::Guard(cond, body) => {
                self.atoms(&[*cond]);
                self.steps(body);
            }
            Step::Emit(emit) => {
                self.atoms(&emit.at);
                self.block(&emit.value);
            }
        }
    }

    /// What steps mention.
    pub fn steps(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(step));
    }
}

/// Whether evaluating the steps once may take long: they loop or call.
pub(crate) fn heavy_steps(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { .. } => true,
        Step::Let(stm) => heavy_stm(stm),
        Step::Guard(_, body) => heavy_steps(body),
        Step::Emit(emit) => heavy_block(&emit.value),
    })
}

/// Whether what is bound on the way to values may take long.
pub(crate) fn heavy_lets(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Let(stm) => heavy_stm(stm),
        Step::For { body, .. } | Step::Guard(_, body) => heavy_lets(body),
        Step::Emit(_) => false,
    })
}

/// Whether evaluating the block may take long.
pub(crate) fn heavy_block(block: &Block) -> bool {
    block.stms.iter().any(heavy_stm)
}

fn heavy_stm(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Call(..) | Exp::Loop { .. } | Exp::Bulk(Bulk { .. }) | Exp::Sort(..) | Exp::Copy(_) => true,
        // What is cheap may be computed twice, but shown once.
        Exp::Trace(..) => true,
        Exp::If(_, then, otherwise) => heavy_block(then) || heavy_block(otherwise),
        Exp::Open(_, cases) => cases.iter().any(|case| heavy_block(&case.body)),
        _ => false,
    }
}
