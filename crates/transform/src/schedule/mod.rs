//! Marks every loop of a bulk form: on threads, or sequential.
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
//! If the loops outside have few turns and one inside has many, the one inside should run on threads. Where that is
//! known only at run time there are two versions (`versions`).
//!
//! The pass comes last: no later pass makes or moves loops.

mod versions;

use analysis::ways::{self, Way, way};
use analysis::{bands, pivots, same_memory};
use base::Span;
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::ListMut;
use ir::{Atom, Block, Bulk, Exp, Mark, Program, Remark, Step, Stm, Topic};
use versions::Versions;

const IN_BLOCKS: &str = "turns are done 32 at a time, first on their own rows and columns, then on all other elements in tiles \
    of 8 rows and 16 columns, unless there are few";

const IN_ROUNDS: &str = "up to 10 turns are done at a time, row after row, while the rows that they need are in the cache, \
    unless the array is small or not in row-major order";

/// Marks the loops of all functions.
pub fn schedule(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body: Block = std::mem::take(&mut program.functions[id].body);
        let mut schedule = Schedule { program, inside: false, remarks: Vec::new() };
        schedule.block(&mut body);
        let remarks = schedule.remarks.into_iter().map(|(span, text)| Remark::done(Topic::Tiled, span, text));
        program.functions[id].body = body;
        remarks.for_each(|remark| program.functions[id].remark(remark));
    }
}

struct Schedule<'p> {
    program: &'p mut Program,
    /// Whether a loop around runs on threads.
    inside: bool,
    /// What `lower` does with the turns of loops.
    remarks: Vec<(Span, &'static str)>,
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
        mark(&mut bulk.steps, 0);
        let mut steps = &mut bulk.steps;
        for _ in 0..depth {
            self.steps_before_last(steps);
            let Some(Step::For { body, .. }) = steps.last_mut() else { base::bug!("loops are inside of each other") };
            steps = body;
        }
        self.steps_before_last(steps);
        let own = steps.last_mut().map_or(&mut [][..], std::slice::from_mut);
        mark(own, 1);
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
            Exp::Loop { params, form, body } => {
                let found = pivots::of(self.program, params, form, body);
                if found.is_some() && same_memory::stays(params, body, 0) {
                    self.remarks.push((stm.span, IN_BLOCKS));
                }
                if bands::of(self.program, params, form, body).is_some() {
                    self.remarks.push((stm.span, IN_ROUNDS));
                }
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
        let loops: Vec<usize> = bulk.steps.iter().map(|step| shared(bulk, step, way)).collect();
        for (step, loops) in bulk.steps.iter_mut().zip(loops) {
            mark(std::slice::from_mut(step), if threads { loops } else { 0 });
        }
        self.inside |= threads || way == Way::Recursive;
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
fn mark(steps: &mut [Step], threads: usize) {
    for step in steps {
        match step {
            Step::For { mark: Mark::Simd, body, .. } => mark(body, 0),
            Step::For { mark: own, body, .. } => {
                *own = if threads > 0 { Mark::Threads } else { Mark::Sequential };
                mark(body, threads.saturating_sub(1));
            }
            Step::Guard(_, body) => mark(body, threads),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}
