//! Fusion: loops that belong together become one, and arrays between them vanish.
//!
//! ```text
//! let ys: [n]f64 = bulk {                       let (s: f64, m: f64) = bulk {
//!   out gen [n] of (y: f64)                       out reduce (+) of (z: f64)
//!   for i < n { ..; emit [i] => y }               out reduce (max) of (w: f64)
//! }                                               for i < n {
//! let s: f64 = bulk {                               ..
//!   out reduce (+) of (z: f64)              =>      emit 0 => y
//!   for j < n { let z = ys[j]; emit => z }          emit 1 => y
//! }                                               }
//! let m: f64 = bulk {                           }
//!   out reduce (max) of (w: f64)
//!   for k < n { let w = ys[k]; emit => w }
//! }
//! ```
//!
//! An array that only branches use moves there first ([`branches`]), and so does what reads an array that branches make
//! ([`choices`]). Reductions of an array behind a filtered one go through one after the other ([`in_parts`]), and loops over the second
//! part of a partition get the number of what the filter leaves ([`kept_sizes`]). Then there are two moves:
//!
//! - *Merge* ([`merge`]): two forms over loops of the same length become one with the outputs of both. That is `map` after
//!   `map`, the reduction, scan, filter or scatter of a `map`, several consumers of one array, and independent consumers
//!   of one input. The bodies are lists of statements again, so nests are merged from the outside in.
//! - *Pull* ([`producer`], [`reads`]): an element is computed where it is read, at any index, if no work is repeated or an
//!   element costs next to nothing.
//!
//! What may move past what is in [`item`]: the first failing check stays the first, nothing moves past what consumes memory
//! that it reads. A merged form that could run only on one thread is not made where one of its parts runs on several.
//! The algorithm is a reduction of the data-flow graph as in chapter 7 of the thesis, but an array that others need too
//! stays as an output of the merged form, so no work is repeated where there are several consumers.

mod again;
mod branches;
mod carried;
mod chain;
mod checks;
mod choices;
mod cost;
mod counting;
mod equal_sizes;
mod flatten;
mod in_parts;
mod into_loop;
mod item;
mod joining;
mod kept;
mod kept_lasts;
mod kept_results;
mod kept_sizes;
mod last_reads;
mod lasts;
mod lengths;
mod list;
mod memory;
mod merge;
mod numbered;
mod numbering;
mod numbers;
mod offsets;
mod producer;
mod pull;
mod reading;
mod reads;
mod reshaped;
mod reversed;
mod row_reads;
mod rows;
mod settle;
mod several;
mod shared;
mod shifted;
mod turns;
mod uses;
mod why;
mod windows;

use base::Set;
use ir::traverse::ListMut;
use ir::{Block, Exp, FunId, Program, Step, Stm};
use list::Merging;
use memory::Memory;
use uses::Uses;

/// Fuses the loops of all functions.
pub fn fuse(program: &mut Program) {
    for fun in program.functions.ids() {
        let memory = Memory::of(program, fun);
        let mut body = std::mem::take(&mut program.functions[fun].body);
        choices::join(program, &mut body);
        branches::sink(program, &memory, &mut body);
        flatten::nests(program, &mut body);
        merge_all(program, fun, &memory, &mut body, false);
        in_parts::reduce(program, &memory, &mut body);
        kept_sizes::rename(program, &mut body);
        pull::pull(program, fun, &memory, &mut body);
        reshaped::rows(program, fun, &memory, &mut body);
        shifted::scans(program, &memory, &mut body);
        // Loops that read different arrays before may read the same one now. What is still an array stays one.
        merge_all(program, fun, &memory, &mut body, true);
        // One loop may read now what several did before.
        pull::pull(program, fun, &memory, &mut body);
        lasts::reduce(program, &mut body);
        kept_lasts::reduce(program, &mut body);
        why::remarks(&body).into_iter().for_each(|remark| program.functions[fun].remark(remark));
        program.functions[fun].body = body;
    }
}

/// Makes nests of loops over flattened nests, in all functions, as `fuse` does first. So passes before it see nests, too.
pub fn flatten(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        flatten::nests(program, &mut body);
        program.functions[fun].body = body;
    }
}

/// Combines the values of clauses where they are computed, in all functions: once it is known that each element is defined once.
pub fn parts(program: &mut Program) {
    for fun in program.functions.ids() {
        let memory = Memory::of(program, fun);
        let mut body = std::mem::take(&mut program.functions[fun].body);
        in_parts::reduce(program, &memory, &mut body);
        program.functions[fun].body = body;
    }
}

fn merge_all(program: &mut Program, fun: FunId, memory: &Memory, body: &mut Block, by_rows: bool) {
    let uses = Uses::of(program, body);
    Merging { program, fun, memory, uses, by_rows, inside: false, made: Set::default() }.block(body);
}

impl Merging<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut steps: Vec<Step> = std::mem::take(&mut block.stms).into_iter().map(Step::Let).collect();
        self.steps(&mut steps);
        block.stms = steps.into_iter().map(statement).collect();
    }

    /// Merges in a list, then in the lists inside.
    fn steps(&mut self, steps: &mut Vec<Step>) {
        let exposed = settle::expose(steps);
        self.list(steps);
        self.inner(steps);
        if exposed {
            settle::sink_list(self.program, steps);
        }
    }

    /// Merges in the lists inside of a list.
    fn inner(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { var, body, .. } => {
                    self.steps(body);
                    if self.made.contains(var) {
                        settle::sink(self.program, body);
                    }
                }
                Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.stm(stm),
                Step::Scan(scan) => {
                    self.sequential(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
    }

    fn stm(&mut self, stm: &mut Stm) {
        let around = self.inside;
        self.inside |= cost::parallel_loops(self.program, stm) > 0;
        // The clauses of recursive arrays stay apart: the pass `order` puts them into an order.
        let is_recursive = matches!(&stm.exp, Exp::Bulk(bulk) if bulk.outputs.iter().any(|o| !o.rec().is_empty()));
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) if is_recursive => self.inner(steps),
            ListMut::Steps(steps) => self.steps(steps),
        });
        self.inside = around;
        if stm.vars.first().is_some_and(|var| self.made.contains(var)) {
            joining::join(self.program, stm);
            if let Exp::Bulk(bulk) = &mut stm.exp {
                settle::sink(self.program, &mut bulk.steps);
            }
        }
    }

    /// Merges in what runs on one thread.
    fn sequential(&mut self, block: &mut Block) {
        let around = std::mem::replace(&mut self.inside, true);
        self.block(block);
        self.inside = around;
    }
}

fn statement(step: Step) -> Stm {
    match step {
        Step::Let(stm) => stm,
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => base::bug!("a block has only statements"),
    }
}
