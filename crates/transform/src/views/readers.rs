//! Whether those who read an array may as well read a view of another one.
//!
//! An array of its own has its elements side by side, and nothing else changes its memory. So it stays where
//!
//! - something takes the memory of either array: the other one would have to be copied;
//! - it is more than read: results, loop variables, and arguments of calls that are views may be copied later, in a worse
//!   place;
//! - its elements would lie apart and are read again and again: a loop around a read moves none of its indices.

use super::selection::Selection;
use base::Map;
use ir::traverse::Part;
use ir::{Aliases, Atom, Block, Exp, FunId, Kind, LoopForm, Output, Program, Step, Stm, Var};

/// How the arrays of a function are used.
pub(super) struct Readers<'p> {
    program: &'p Program,
    aliases: Aliases,
    /// What something consumes.
    consumed: Vec<Var>,
    /// In how many loops a variable is bound.
    depths: Map<Var, usize>,
    uses: Map<Var, Vec<Use>>,
}

/// A use of a variable.
enum Use {
    /// It is read in so many loops, at indices bound in so many loops each; a view of it reads nothing yet.
    Read { loops: usize, at: Vec<usize> },
    /// Something else.
    Other,
}

impl<'p> Readers<'p> {
    /// Those of a function.
    pub fn of(program: &'p Program, fun: FunId) -> Readers<'p> {
        let (consumed, depths, uses) = Default::default();
        let mut readers = Readers { program, aliases: Aliases::of(program, fun), consumed, depths, uses };
        readers.block(&program.functions[fun].body, 0);
        readers
    }

    /// Whether a view is as good as the array that a construction makes.
    pub fn may_view(&self, program: &Program, selection: &Selection) -> bool {
        let taken = |var: &Var| self.consumed.iter().any(|other| self.aliases.share(*other, *var));
        if taken(&selection.array) || taken(&selection.name) {
            return false;
        }
        let side_by_side = selection.is_side_by_side(program);
        self.aliases.sharing(selection.name).iter().all(|var| {
            let depth = self.depths.get(var).copied().unwrap_or(0);
            self.uses.get(var).into_iter().flatten().all(|place| match place {
                Use::Read { loops, at } => {
                    let moved = at.iter().filter(|bound| **bound > depth).count();
                    side_by_side || *loops <= depth + moved
                }
                Use::Other => false,
            })
        })
    }

    /// How often a variable is used.
    pub fn uses(&self, var: Var) -> usize {
        self.uses.get(&var).map_or(0, Vec::len)
    }

    fn note(&mut self, var: Var, place: Use) {
        self.uses.entry(var).or_default().push(place);
    }

    fn others(&mut self, atoms: &[Atom]) {
        atoms.iter().filter_map(|atom| atom.var()).for_each(|var| self.note(var, Use::Other));
    }

    /// The depths of variables in so many loops.
    fn bind(&mut self, vars: &[Var], loops: usize) {
        self.depths.extend(vars.iter().map(|var| (*var, loops)));
    }

    /// A block whose results something keeps.
    fn block(&mut self, block: &Block, loops: usize) {
        block.stms.iter().for_each(|stm| self.stm(stm, loops));
        self.others(&block.result);
    }

    fn stm(&mut self, stm: &Stm, loops: usize) {
        self.bind(&stm.vars, loops);
        self.consumed.extend(stm.exp.consumes(&self.program.functions));
        match &stm.exp {
            Exp::Index(array, at) => {
                let at = at.iter().map(|at| at.var().and_then(|var| self.depths.get(&var)).copied().unwrap_or(0));
                let at = at.collect();
                self.note(*array, Use::Read { loops, at });
            }
            Exp::Slice(array, _) | Exp::Rearrange(array, _) | Exp::Retype(array) | Exp::Copy(array) => {
                self.note(*array, Use::Read { loops, at: Vec::new() });
            }
            Exp::Loop { params, form, body, .. } => {
                for (param, init) in params {
                    self.bind(&[*param], loops + 1);
                    self.others(&[*init]);
                }
                match form {
                    LoopForm::For(counter, _) => self.bind(&[*counter], loops + 1),
                    LoopForm::While(cond) => self.block(cond, loops + 1),
                }
                self.block(body, loops + 1);
            }
            Exp::Bulk(bulk) => {
                bulk.outputs.iter().for_each(|output| self.output(output, loops));
                self.steps(&bulk.steps, loops);
            }
            exp => exp.for_each_part(&mut |part| match part {
                Part::Atom(Atom::Var(var)) | Part::Use(var) => self.note(*var, Use::Other),
                Part::Block(block) => self.block(block, loops),
                Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Stm(_) => {}
            }),
        }
    }

    fn output(&mut self, output: &Output, loops: usize) {
        output.consumes().iter().for_each(|array| self.note(*array, Use::Other));
        match &output.kind {
            Kind::Gen { otherwise: Some(block), .. } => self.block(block, loops + 1),
            Kind::Accum { op, .. } | Kind::Reduce { op, .. } => self.block(&op.body, loops + 1),
            Kind::Gen { otherwise: None, .. } | Kind::Update { .. } | Kind::Keep => {}
        }
    }

    fn steps(&mut self, steps: &[Step], loops: usize) {
        for step in steps {
            match step {
                Step::For { var, body, count: _, mark: _ } => {
                    self.bind(&[*var], loops + 1);
                    self.steps(body, loops + 1);
                }
                Step::Guard(_, body) => self.steps(body, loops),
                Step::Let(stm) => self.stm(stm, loops),
                Step::Scan(scan) => {
                    self.bind(&scan.vars, loops);
                    self.block(&scan.op.body, loops);
                    self.block(&scan.value, loops);
                }
                Step::Emit(emit) => {
                    emit.value.stms.iter().for_each(|stm| self.stm(stm, loops));
                    // A row is copied into the array.
                    for row in emit.value.result.iter().filter_map(|atom| atom.var()) {
                        self.note(row, Use::Read { loops, at: Vec::new() });
                    }
                }
            }
        }
    }
}
