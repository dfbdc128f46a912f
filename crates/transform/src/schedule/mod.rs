//! Marks every loop of a bulk form: on threads, or sequential. Marks loops over turns that run in blocks or rounds.
//!
//! ```text
//! for i < n {                      for i < n threads {
//!   let r = bulk { .. for j < m {    let r = bulk { .. for j < m sequential {
//! ```
//!
//! The outermost loop of a bulk form runs on threads if its outputs allow it ([`analysis::ways`]), together with the loops
//! directly inside of it: threads share the points of the whole nest. Everything else inside is sequential: the threads are
//! at work already. `lower` obeys the marks.
//!
//! Where conditions decide only about the first and last turns of a loop, it is split ([`analysis::middle`]).
//!
//! Values that are combined with elements in any order are collected in tables of each thread ([`ir::tree::Tables`]).
//!
//! Turns of a `loop` that change a matrix by a row and a column of themselves run in blocks ([`ir::turns::pivots`]), those
//! that compute rows from the rows around them in rounds ([`ir::turns::bands`]).
//!
//! If the loops outside have few turns and one inside has many, the one inside should run on threads. Where that is
//! known only at run time there are two versions (`versions`).
//!
//! The pass comes last: no later pass makes or moves loops.

mod versions;

use analysis::cost::heavy_steps;
use analysis::middle::Middle;
use analysis::same_memory;
use analysis::ways::{self, Way, way};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::ListMut;
use ir::turns::{Rounds, Tiles, bands, pivots};
use ir::{Atom, Block, Bulk, Exp, Kind, LoopForm, Mark, Output, Program, Split, Step, Stm, Tables, Tree, Turns, Var};
use versions::Versions;

/// Blocks have few turns, because the work on their own rows and columns is not done in registers. Smaller matrices are in the
/// cache anyway, and fewer turns do not pay.
const IN_BLOCKS: Turns = Turns::Blocks(Tiles { turns: 32, rows: 8, columns: 16, least: 128 });

/// Arrays of fewer bytes are in the cache anyway, and rows of fewer bytes take longer to find than to compute.
const IN_ROUNDS: Turns = Turns::Rounds(Rounds { turns: 10, bytes: 4 << 20, row_bytes: 512, share: 16 });

/// Tables for values that are cheap: the processor would wait for the values before.
const TABLES: Tables = Tables { each: 4, small: 4096, least: 32768, weight: 1 };
/// Tables for values that take long: a turn counts as 64 at least.
const LONG_TABLES: Tables = Tables { each: 1, weight: 64, ..TABLES };

/// Marks the loops of all functions.
pub fn schedule(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body: Block = std::mem::take(&mut program.functions[id].body);
        Schedule { program, inside: false }.block(&mut body);
        program.functions[id].body = body;
    }
}

struct Schedule<'p> {
    program: &'p mut Program,
    /// Whether a loop around runs on threads.
    inside: bool,
}

impl Schedule<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stm in std::mem::take(&mut block.stms) {
            match Versions::of(self.program, &stm).filter(|_| !self.inside) {
                Some(versions) => self.both(&versions, stm, &mut block.stms),
                None => {
                    self.mark(&mut stm, true);
                    block.stms.push(stm);
                }
            }
        }
    }

    /// Two versions: the loops inside run on threads, or those outside.
    fn both(&mut self, versions: &Versions, mut stm: Stm, stms: &mut Vec<Stm>) {
        let (before, cond) = versions.condition(self.program, stm.span);
        stms.extend(before);
        let (span, certs) = (stm.span, stm.certs.clone());
        let own = copies(&mut self.program.vars, &stm.vars);
        let vars = std::mem::replace(&mut stm.vars, own);
        let block = |stm: Stm| Block { result: stm.vars.iter().copied().map(Atom::Var).collect(), stms: vec![stm] };
        let mut inner = copy_block(&mut self.program.vars, &block(stm.clone()), Substitution::default());
        for stm in &mut inner.stms {
            match versions.loops_around() {
                Some(depth) => self.own_loop(stm, depth),
                None => self.mark(stm, false),
            }
        }
        self.mark(&mut stm, true);
        let outer = block(stm);
        stms.push(Stm { vars, certs, exp: Exp::Choose(cond, inner, outer), span });
    }

    /// Lets the loop of a form that so many others are around run on threads, and those around it one turn after the other.
    fn own_loop(&mut self, stm: &mut Stm, depth: usize) {
        let Exp::Bulk(bulk) = &mut stm.exp else { base::bug!("a form has versions") };
        mark(self.program, &mut bulk.steps, 0);
        let mut steps = &mut bulk.steps;
        for _ in 0..depth {
            self.steps_before_last(steps);
            let Some(Step::For { body, .. }) = steps.last_mut() else { base::bug!("loops are inside of each other") };
            steps = body;
        }
        self.steps_before_last(steps);
        let own = steps.last_mut().map_or(&mut [][..], std::slice::from_mut);
        mark(self.program, own, 1);
        self.inside = true;
        self.steps(own);
        self.inside = false;
    }

    fn steps_before_last(&mut self, steps: &mut [Step]) {
        if let Some((_, before)) = steps.split_last_mut() {
            self.steps(before);
        }
    }

    /// Marks the loops of a statement: its own run on threads if they may.
    fn mark(&mut self, stm: &mut Stm, may: bool) {
        let inside = self.inside;
        match &mut stm.exp {
            Exp::Bulk(bulk) => self.bulk(bulk, may),
            Exp::Loop { params, form, turns: turns @ Turns::InOrder, body } => {
                *turns = turns_of(self.program, params, form, body);
            }
            _ => {}
        }
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
        self.inside = inside;
    }

    /// Marks the loops of the forms inside of steps.
    fn steps(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.mark(stm, true),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
    }

    /// Marks the loops of a form. Threads, or values of recursive arrays, which are computed one by one, are at work inside.
    fn bulk(&mut self, bulk: &mut Bulk, may: bool) {
        let way = way(self.program, bulk, !self.inside);
        let threads = may && !self.inside && way.is_parallel();
        if threads && way == Way::Parts {
            collect_in_tables(bulk);
        }
        let loops: Vec<usize> = bulk.steps.iter().map(|step| shared(bulk, step, way)).collect();
        for (step, loops) in bulk.steps.iter_mut().zip(loops) {
            mark(self.program, std::slice::from_mut(step), if threads { loops } else { 0 });
        }
        self.inside |= threads || way == Way::Recursive;
    }
}

/// How the turns of a loop should run.
fn turns_of(program: &Program, params: &[(Var, Atom)], form: &LoopForm, body: &Block) -> Turns {
    if pivots::of(program, params, form, body).is_some() && same_memory::stays(params, body, 0) {
        IN_BLOCKS
    } else if bands::of(program, params, form, body).is_some() {
        IN_ROUNDS
    } else {
        Turns::InOrder
    }
}

/// Lets threads collect values for elements in tables where every order gives the same, unless the form is cut into parts.
fn collect_in_tables(bulk: &mut Bulk) {
    let cut = |output: &Output| matches!(output.kind, Kind::Accum { tree: Tree::Parts(_), .. });
    if bulk.outputs.iter().any(cut) {
        return;
    }
    let Some(Step::For { body, .. }) = bulk.steps.last() else { return };
    let tables = if heavy_steps(body) { LONG_TABLES } else { TABLES };
    for output in &mut bulk.outputs {
        if let Kind::Accum { tree: tree @ Tree::Free, .. } = &mut output.kind {
            *tree = Tree::Tables(tables);
        }
    }
}

/// How many loops threads share, beginning with an outermost one.
fn shared(bulk: &Bulk, step: &Step, way: Way) -> usize {
    match way {
        Way::Blocks | Way::Places => ways::loops(bulk, step, true),
        Way::Parts | Way::Scatter | Way::Rows | Way::Recursive | Way::InOrder => 1,
    }
}

/// Marks so many loops, the outermost first, to run on threads; those inside are sequential.
fn mark(program: &Program, steps: &mut [Step], threads: usize) {
    for step in steps {
        match step {
            Step::For { mark: Mark::Simd, body, .. } => mark(program, body, 0),
            Step::For { var, mark: own, body, .. } => {
                let split = if Middle::of(program, *var, body).is_some() { Split::Middle } else { Split::No };
                *own = if threads > 0 { Mark::Threads(split) } else { Mark::Sequential(split) };
                mark(program, body, threads.saturating_sub(1));
            }
            Step::Guard(_, body) => mark(program, body, threads),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}
