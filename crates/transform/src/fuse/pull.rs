//! Computes elements where they are read, at any index, and removes the array.
//!
//! The array must be read only element by element, and no work may be repeated: either an element costs next to nothing
//! (`iota`, `replicate`) or no more than reading it, or one place reads each element at most once, possibly in another
//! order, and computing it needs no loop, unless all this is in a turn of a form, where loops run in order anyway. Nor may it change the
//! behaviour of the program: elements with checks move only to places that read all of them, with no other checks before or
//! among those, and no element moves past a statement that consumes the memory it is computed from.

use super::again::{self, Times};
use super::memory::Memory;
use super::producer::Producer;
use super::reads::{Context, Place, Reads, Rewrite};
use super::row_reads::only_reads;
use super::several;
use base::{Map, Span};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Exp, FunId, Kind, Output, Program, Remark, Step, Stm, Topic, Var};

/// Computes elements of arrays of a function where they are read.
pub(super) fn pull(program: &mut Program, fun: FunId, memory: &Memory, body: &mut Block) {
    let reads = only_reads(program, body);
    Pull { program, fun, memory, reads, in_form: false }.block(body);
}

struct Pull<'p> {
    program: &'p mut Program,
    fun: FunId,
    memory: &'p Memory,
    reads: Map<Var, usize>,
    /// Whether statements are in a turn of a form: then all that they do is done one after the other.
    in_form: bool,
}

/// An array that is computed where it is read.
struct Pulled {
    producer: Producer,
    /// How often it is read.
    times: usize,
    /// Which output of the statement it is, if there are others.
    output: Option<usize>,
}

/// The statements after a statement.
#[derive(Clone, Copy)]
enum Behind<'a> {
    Stms(&'a [Stm]),
    Steps(&'a [Step]),
}

impl Pull<'_> {
    fn block(&mut self, block: &mut Block) {
        block.stms.iter_mut().for_each(|stm| self.inside(stm));
        let mut at = 0;
        while at < block.stms.len() {
            let behind = Behind::Stms(&block.stms[at + 1..]);
            let base = self.base(&block.stms[..=at]);
            let Some(Pulled { producer, times, output }) = self.pullable(&block.stms[at], behind, base) else {
                at += 1;
                continue;
            };
            let mut rest = block.stms.split_off(at + 1);
            self.remark(&block.stms[at], &producer, rest.iter());
            Rewrite::new(self.program, &producer, times).stms(&mut rest);
            match (output, block.stms.last_mut()) {
                (Some(output), Some(stm)) => several::remove(stm, output),
                (_, _) => _ = block.stms.pop(),
            }
            block.stms.extend(rest);
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        for step in steps.iter_mut() {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.inside(stm),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
        let mut at = 0;
        while at < steps.len() {
            let pulled = match &steps[at] {
                Step::Let(stm) => self.pullable(stm, Behind::Steps(&steps[at + 1..]), None),
                Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
            };
            let Some(Pulled { producer, times, output }) = pulled else {
                at += 1;
                continue;
            };
            let mut rest = steps.split_off(at + 1);
            Rewrite::new(self.program, &producer, times).steps(&mut rest);
            match (output, steps.last_mut()) {
                (Some(output), Some(Step::Let(stm))) => several::remove(stm, output),
                (_, _) => _ = steps.pop(),
            }
            steps.extend(rest);
        }
    }

    /// Says of the loops that read elements that they compute them now.
    fn remark<'a>(&mut self, made: &Stm, producer: &Producer, behind: impl Iterator<Item = &'a Stm>) {
        if producer.element.stms.is_empty() {
            return;
        }
        let mut readers: Vec<Span> =
            behind.filter(|stm| reads_any(stm, &producer.arrays)).map(|stm| stm.span).collect();
        readers.dedup();
        for reader in readers.into_iter().filter(|reader| *reader != made.span) {
            let text = "this loop also does the work of {}";
            self.program.functions[self.fun].remark(Remark::done(Topic::Fused, reader, text).about(made.span));
        }
    }

    /// Pulls inside of a statement.
    fn inside(&mut self, stm: &mut Stm) {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => {
                let outside = std::mem::replace(&mut self.in_form, true);
                self.steps(steps);
                self.in_form = outside;
            }
        });
    }

    /// The producer that a statement is, or an output of it, if its elements should be computed where they are read.
    /// `base` has the elements that it does not replace.
    fn pullable(&mut self, stm: &Stm, behind: Behind<'_>, base: Option<Var>) -> Option<Pulled> {
        let whole = |pull: &mut Self| {
            let is_read = stm.vars.iter().all(|var| pull.reads.contains_key(var));
            let producer = is_read.then(|| Producer::of(pull.program, stm)).flatten();
            let producer = producer.or_else(|| is_read.then(|| Producer::of_two(pull.program, stm)).flatten());
            producer.or_else(|| base.filter(|_| is_read).and_then(|base| Producer::of_update(pull.program, stm, base)))
        };
        if let Some(producer) = whole(self) {
            return self.if_good(producer, behind, None);
        }
        let outputs = several::outputs(self.program, stm);
        let safe = outputs.into_iter().filter(|(_, producer)| !producer.can_fail());
        safe.into_iter().find_map(|(number, producer)| self.if_good(producer, behind, Some(number)))
    }

    /// The array that has the elements which the last of some statements does not replace: what was copied for it, or a new array.
    fn base(&self, stms: &[Stm]) -> Option<Var> {
        let (stm, before) = stms.split_last()?;
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let [Output { kind: Kind::Update { arrays, .. }, .. }] = &bulk.outputs[..] else { return None };
        let [array] = arrays[..] else { return None };
        let place = before.iter().rposition(|stm| stm.vars.contains(&array))?;
        match &before[place].exp {
            Exp::Bulk(_) => Some(array),
            Exp::Copy(from) => {
                let mut stays = true;
                let mut look = |stm: &Stm| {
                    let consumed = stm.exp.consumes(&self.program.functions);
                    stays &= !consumed.iter().any(|consumed| self.memory.may_share(*consumed, *from));
                };
                for between in &before[place + 1..] {
                    look(between);
                    between.walk(&mut |part| {
                        if let Part::Stm(stm) = part {
                            look(stm)
                        }
                    });
                }
                stays.then_some(*from)
            }
            _ => None,
        }
    }

    fn if_good(&self, producer: Producer, behind: Behind<'_>, output: Option<usize>) -> Option<Pulled> {
        let times: Option<Vec<usize>> = producer.arrays.iter().map(|var| self.reads.get(var).copied()).collect();
        let times = times?.into_iter().sum();
        let mut reads = Reads::new(self.program, &producer, times);
        match behind {
            Behind::Stms(stms) => reads.stms(stms, &Context::default()),
            Behind::Steps(steps) => reads.steps(steps, &Context::default()),
        }
        let good = reads.all_found() && self.is_good(&producer, &reads, behind);
        good.then_some(Pulled { producer, times, output })
    }

    fn is_good(&self, producer: &Producer, reads: &Reads<'_>, behind: Behind<'_>) -> bool {
        if producer.is_cheap() {
            return true;
        }
        let light = producer.is_light();
        // A turn of a form runs a loop in order in any case.
        let in_order = self.in_form && reads.places.iter().all(|place| place.context.turns);
        if !light && !in_order {
            return false;
        }
        let before = Before::of(self.program, reads, behind);
        if producer.reads_memory() {
            let read = producer.element.free(&self.program.vars);
            let shares = |consumed: &Var| read.iter().any(|read| self.memory.may_share(*consumed, *read));
            if before.consumed.iter().any(shares) {
                return false;
            }
        }
        let follows = |place: &Place| place.context.follows_loops(&place.at);
        if light && reads.places.iter().all(follows) && again::pays(&producer.element, times(reads)) {
            return true;
        }
        let [only] = &reads.places[..] else { return false };
        let checks_stay = !producer.can_fail() || reads.reads_all(only) && !before.fails;
        // The turns of a `loop` compute it one by one, on one thread.
        let stays_quick = !only.context.turns || in_order || again::takes_little(&producer.element);
        only.context.reads_once(&only.at, &reads.moves) && checks_stay && stays_quick
    }
}

/// Whether a statement reads elements of one of these arrays.
fn reads_any(stm: &Stm, arrays: &[Var]) -> bool {
    let mut found = false;
    let is_read = |part: &Part<'_>| match part {
        Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => arrays.contains(array),
        _ => false,
    };
    stm.walk(&mut |part| found |= is_read(&part));
    found || is_read(&Part::Stm(stm))
}

/// How often an element is computed if that happens where it is read.
fn times(reads: &Reads<'_>) -> Times {
    let along = |place: &Place| place.context.goes_along(&place.at, &reads.moves);
    if !reads.places.iter().all(along) {
        return Times::Unknown;
    }
    // A loop that computes values twice computes them one by one, which takes twice as long again.
    let times = reads.places.iter().map(|place| if place.context.twice { 4 } else { 1 }).sum();
    match reads.are_in_one_list() {
        true => Times::InOneLoop(times),
        false => Times::Known(times),
    }
}

/// What happens before all elements are read, or in the statements that read them.
#[derive(Default)]
struct Before {
    /// What is consumed.
    consumed: Vec<Var>,
    /// Another check can fail, or something is printed.
    fails: bool,
    /// How often they are read.
    reads: usize,
}

impl Before {
    fn of(program: &Program, reads: &Reads<'_>, behind: Behind<'_>) -> Before {
        let mut before = Before::default();
        match behind {
            Behind::Stms(stms) => {
                for stm in stms {
                    before.part(program, reads, Part::Stm(stm));
                    stm.walk(&mut |part| before.part(program, reads, part));
                    if before.reads == reads.all() {
                        break;
                    }
                }
            }
            Behind::Steps(steps) => {
                steps.iter().for_each(|step| step.walk(&mut |part| before.part(program, reads, part)));
            }
        }
        before
    }

    fn part(&mut self, program: &Program, reads: &Reads<'_>, part: Part<'_>) {
        match part {
            Part::Stm(stm) => {
                self.consumed.extend(stm.exp.consumes(&program.functions));
                self.fails |= stm.exp.can_fail();
            }
            Part::Atom(Atom::Var(var)) | Part::Use(var) => {
                self.reads += usize::from(reads.is_source(*var));
            }
            Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
        }
    }
}
