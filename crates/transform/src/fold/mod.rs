//! An array that is only read element by element is computed where it is read.
//!
//! ```text
//! let ys: [n]f64 = bulk {                       let s: f64 = bulk {
//!   out gen [n] of (y: f64)                       out reduce (...) of (z: f64)
//!   for i < n {                                   for j < n {
//!     emit [i] { let x = xs[i] ... => y }   =>      let x = xs[j] ...
//!   }                                               emit => y
//! }                                               }
//! let s: f64 = bulk {                           }
//!   out reduce (...) of (z: f64)
//!   for j < n { let y = ys[j]; emit => y }
//! }
//! ```
//!
//! That must cost nothing: either an element is next to nothing to compute (`iota`, `replicate`), or one place reads each
//! element at most once, in a loop of its own kind, and computing it takes no loops. Nor may it change what a program
//! says: elements with checks move only to where all of them are read, and none moves behind something that consumes
//! the memory it is computed from.

mod producer;
mod reads;

use base::Set;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Bulk, Exp, Program, Step, Stm, Var};
use producer::Producer;
use reads::{Context, Reads, Rewrite};

/// Computes elements where they are read, in all functions.
pub fn fold(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let only_read = only_read(program, &body);
        Fold { program, only_read }.block(&mut body);
        program.functions[fun].body = body;
    }
}

/// The arrays whose only uses are reads at indices; no type mentions them either, as the shape of something.
fn only_read(program: &Program, body: &Block) -> Set<Var> {
    let (mut read, mut used) = (Vec::new(), Vec::new());
    body.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => read.push(*array),
        Part::Atom(Atom::Var(var)) | Part::Use(var) => used.push(*var),
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |shape| used.push(shape)),
        _ => {}
    });
    read.sort_unstable();
    used.sort_unstable();
    let count = |all: &[Var], var: Var| all.partition_point(|v| *v <= var) - all.partition_point(|v| *v < var);
    let only = |var: &Var| count(&read, *var) == count(&used, *var);
    read.iter().copied().filter(only).collect()
}

struct Fold<'p> {
    program: &'p mut Program,
    only_read: Set<Var>,
}

/// What stands behind a statement.
enum Rest {
    Block(Block),
    Steps(Vec<Step>),
}

impl Fold<'_> {
    fn block(&mut self, block: &mut Block) {
        block.stms.iter_mut().for_each(|stm| self.inside(stm));
        let mut at = 0;
        while at < block.stms.len() {
            let mut rest = None;
            if let Some(producer) = self.producer(&block.stms[at]) {
                let stms = block.stms.split_off(at + 1);
                let behind = Rest::Block(Block { stms, result: std::mem::take(&mut block.result) });
                let (folded, behind) = self.into(&producer, behind);
                rest = Some(behind);
                if folded {
                    block.stms.pop();
                } else {
                    at += 1;
                }
            } else {
                at += 1;
            }
            if let Some(Rest::Block(rest)) = rest {
                block.stms.extend(rest.stms);
                block.result = rest.result;
            }
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        for step in steps.iter_mut() {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.inside(stm),
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
        let mut at = 0;
        while at < steps.len() {
            let producer = match &steps[at] {
                Step::Let(stm) => self.producer(stm),
                Step::For { .. } | Step::Guard(..) | Step::Emit(_) => None,
            };
            let Some(producer) = producer else {
                at += 1;
                continue;
            };
            let (folded, rest) = self.into(&producer, Rest::Steps(steps.split_off(at + 1)));
            if folded {
                steps.pop();
            } else {
                at += 1;
            }
            if let Rest::Steps(rest) = rest {
                steps.extend(rest);
            }
        }
    }

    /// Folds inside of a statement.
    fn inside(&mut self, stm: &mut Stm) {
        let steps = match &mut stm.exp {
            Exp::Bulk(bulk) => std::mem::take(&mut bulk.steps),
            _ => Vec::new(),
        };
        stm.exp.for_each_part_mut(&mut |part| {
            if let PartMut::Block(block) = part {
                self.block(block);
            }
        });
        if let Exp::Bulk(Bulk { steps: place, .. }) = &mut stm.exp {
            *place = steps;
            self.steps(place);
        }
    }

    fn producer(&self, stm: &Stm) -> Option<Producer> {
        let read = stm.vars.iter().all(|var| self.only_read.contains(var));
        Producer::of(self.program, stm).filter(|_| read)
    }

    /// Computes elements where they are read behind the producer, if that is good. Gives what stands behind it then.
    fn into(&mut self, producer: &Producer, rest: Rest) -> (bool, Rest) {
        let mut reads = Reads::new(producer);
        match &rest {
            Rest::Block(block) => reads.block(block, &Context::default()),
            Rest::Steps(steps) => reads.steps(steps, &Context::default()),
        }
        if !reads.all_found(&rest_uses(&rest)) || !self.is_good(producer, &reads, &rest) {
            return (false, rest);
        }
        let mut rewrite = Rewrite { program: self.program, producer };
        match rest {
            Rest::Block(mut block) => {
                rewrite.block(&mut block);
                (true, Rest::Block(block))
            }
            Rest::Steps(mut steps) => {
                rewrite.steps(&mut steps);
                (true, Rest::Steps(steps))
            }
        }
    }

    fn is_good(&self, producer: &Producer, reads: &Reads<'_>, rest: &Rest) -> bool {
        if producer.is_cheap() {
            return true;
        }
        let [only] = &reads.places[..] else { return false };
        if !producer.is_light() || !only.context.reads_once(&only.at) {
            return false;
        }
        if producer.can_fail() && (!only.context.reads_all(&only.at, producer) || shows(rest)) {
            return false;
        }
        !producer.reads_memory() || !self.consumes(producer, rest)
    }

    /// Whether something is consumed before the elements are read, or there.
    fn consumes(&self, producer: &Producer, rest: &Rest) -> bool {
        let mut state = (false, false);
        let look = |part: Part<'_>, (consumes, read): &mut (bool, bool)| match part {
            Part::Stm(stm) => *consumes |= !stm.exp.consumes(&self.program.functions).is_empty(),
            Part::Atom(Atom::Var(var)) | Part::Use(var) => *read |= producer.arrays.contains(var),
            _ => {}
        };
        match rest {
            Rest::Block(block) => {
                for stm in &block.stms {
                    look(Part::Stm(stm), &mut state);
                    stm.walk(&mut |part| look(part, &mut state));
                    if state.1 {
                        break;
                    }
                }
            }
            Rest::Steps(steps) => steps.iter().for_each(|step| step.walk(&mut |part| look(part, &mut state))),
        }
        state.0
    }
}

/// Whether something is shown.
fn shows(rest: &Rest) -> bool {
    let mut found = false;
    walk(rest, &mut |part| found |= matches!(part, Part::Stm(Stm { exp: Exp::Trace(..), .. })));
    found
}

fn rest_uses(rest: &Rest) -> Vec<Var> {
    let mut used = Vec::new();
    walk(rest, &mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            used.push(*var);
        }
    });
    used
}

fn walk(rest: &Rest, f: &mut dyn FnMut(Part<'_>)) {
    match rest {
        Rest::Block(block) => block.walk(f),
        Rest::Steps(steps) => steps.iter().for_each(|step| step.walk(f)),
    }
}
