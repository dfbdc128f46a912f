//! Which variables a part of a program mentions, at any depth, also through the types of what it binds.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Program, Region, Step, Stm, Var};
use std::rc::Rc;

/// Collects mentions.
pub struct Mentions<'p> {
    program: &'p Program,
    /// With it, variables that statements bind inside are left out.
    outside: Option<Rc<Outside>>,
    /// What has been found, with repetitions.
    pub found: Vec<Var>,
}

/// The variables from outside that statements with blocks inside mention, by the first variable that each binds.
///
/// Choices nest as deep as a program's chains of `else if` are long. Walking through everything below at every
/// level would take quadratic time.
pub struct Outside(Map<Var, Rc<[Var]>>);

impl Outside {
    /// Walks through the program once, from the inside out.
    pub fn new(program: &Program) -> Outside {
        let mut outside = Outside(Map::default());
        for function in program.functions.ids() {
            let mut mentions = Mentions::new(program);
            program.functions[function].body.stms.iter().for_each(|stm| outside.note(stm, &mut mentions));
        }
        outside
    }

    /// Adds what a statement mentions, and notes it if there is a block inside.
    fn note(&mut self, stm: &Stm, all: &mut Mentions<'_>) {
        if stm.exp.blocks().is_empty() {
            return all.stm(stm);
        }
        let mut inside = Mentions::new(all.program);
        let mut bound = Set::default();
        stm.exp.for_each_part(&mut |part| self.note_part(part, &mut inside, &mut bound));
        let mut found = Mentions::new(all.program);
        stm.vars.iter().for_each(|var| found.part(Part::Bind(var)));
        found.found.extend(stm.certs.iter().copied());
        found.found.extend(inside.found.into_iter().filter(|var| !bound.contains(var)));
        found.found.sort_unstable();
        found.found.dedup();
        all.found.extend(&found.found);
        if let Some(first) = stm.vars.first() {
            self.0.insert(*first, found.found.into());
        }
    }

    fn note_part(&mut self, part: Part<'_>, all: &mut Mentions<'_>, bound: &mut Set<Var>) {
        match part {
            Part::Stm(stm) => {
                bound.extend(stm.vars.iter().copied());
                self.note(stm, all);
            }
            Part::Block(block) => block.for_each_part(&mut |part| self.note_part(part, all, bound)),
            Part::Bind(var) => {
                bound.insert(*var);
                all.part(part);
            }
            Part::Atom(_) | Part::Use(_) => all.part(part),
        }
    }
}

impl<'p> Mentions<'p> {
    /// Nothing yet.
    pub fn new(program: &'p Program) -> Self {
        Mentions { program, outside: None, found: Vec::new() }
    }

    /// Nothing yet; of statements with blocks inside, only variables from outside of them will be reported.
    pub fn from_outside(program: &'p Program, outside: Rc<Outside>) -> Self {
        Mentions { program, outside: Some(outside), found: Vec::new() }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => self.found.push(*var),
            Part::Bind(var) => {
                self.found.push(*var);
                let found = &mut self.found;
                self.program.ty(*var).for_each_var(&mut |v| found.push(v));
            }
            Part::Block(block) => self.block(block),
            Part::Stm(stm) => self.stm(stm),
            Part::Atom(Atom::Const(_)) => {}
        }
    }

    /// What a statement mentions.
    pub fn stm(&mut self, stm: &Stm) {
        let known = match (&self.outside, stm.vars.first()) {
            (Some(outside), Some(first)) => outside.0.get(first).cloned(),
            _ => None,
        };
        match known {
            Some(known) => self.found.extend(&*known),
            None => stm.for_each_part(&mut |part| self.part(part)),
        }
    }

    /// What a block mentions.
    pub fn block(&mut self, block: &Block) {
        block.for_each_part(&mut |part| self.part(part));
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
            Step::For { var, count, body, .. } => {
                self.found.push(*var);
                self.atoms(&[*count]);
                self.steps(body);
            }
            Step::Let(stm) => self.stm(stm),
            Step::Guard(cond, body) => {
                self.atoms(&[*cond]);
                self.steps(body);
            }
            Step::Scan(scan) => {
                self.atoms(&scan.neutral);
                self.region(&scan.op);
                self.block(&scan.value);
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
