//! Lets new arrays take the memory of old ones that nothing needs any more.
//!
//! ```text
//! let ys: [n]f64 = bulk {                        let ys: [n]f64 = bulk {
//!   out gen [n] of (y: f64)                        out update (xs) of (y: f64)
//!   for i < n {                              =>    for i < n {
//!     emit [i] { let x = xs[i] .. => y }             emit [i] { let x = xs[i] .. => y }
//!   }                                              }
//! }                                              }
//! // xs is not used again
//! ```
//!
//! Each element of the new array may read only the element that it replaces. So `loop xs for t < k do map f xs` needs no
//! memory but that of `xs`; in a map over rows, a loop of this kind works on the row where it belongs. Whether the old array belongs to this place, and whether something else still refers to its
//! memory, is a question for the alias analysis: first all candidates are changed, then those that it refuses are
//! changed back.
//!
//! The pass comes after `copies`: it never makes a copy necessary.

mod destinations;

use analysis::{emits, places};
use base::{Map, Set};
use ir::alias::analyse;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Bulk, Coverage, Exp, FunId, Kind, Program, Remark, Step, Stm, Topic, Type, Var};

/// How often the alias analysis is asked about a function before the rest is left as it is.
const ROUNDS: usize = 8;

const DONE: &str = "this array takes the memory of the one that it is computed from";

const STRAIGHT: &str = "the new elements are computed in their places in the array that takes them";

/// Reuses memory in all functions.
pub fn in_place(program: &mut Program) {
    for fun in program.functions.ids() {
        in_function(program, fun);
    }
}

fn in_function(program: &mut Program, fun: FunId) {
    put_straight(program, fun);
    let original = program.functions[fun].body.clone();
    let mut refused = Set::default();
    for _ in 0..ROUNDS {
        let mut body = original.clone();
        let mut changes = Changes { program, refused: &refused, made: Vec::new() };
        changes.block(&mut body);
        let made = changes.made;
        if made.is_empty() {
            return;
        }
        program.functions[fun].body = body;
        let wrong = refused_of(program, fun, &made);
        if wrong.is_empty() {
            let remark = |change: &Change| Remark::not_done(Topic::Allocated, change.span, DONE);
            made.iter().for_each(|change| program.functions[fun].remark(remark(change)));
            return;
        }
        program.functions[fun].body = original.clone();
        refused.extend(wrong);
    }
}

/// Computes elements where updates put them.
fn put_straight(program: &mut Program, fun: FunId) {
    let mut body = program.functions[fun].body.clone();
    if !has_updates(&body) {
        return;
    }
    let (aliases, _) = analyse(program, fun);
    let mut spans = destinations::block(program, &aliases, &mut body);
    body.for_each_stm_mut(&mut |stm| {
        stm.exp.for_each_part_mut(&mut |part| {
            if let PartMut::Block(block) = part {
                spans.extend(destinations::block(program, &aliases, block));
            }
        });
    });
    program.functions[fun].body = body;
    spans
        .into_iter()
        .for_each(|span| program.functions[fun].remark(Remark::not_done(Topic::Allocated, span, STRAIGHT)));
}

fn has_updates(body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) = part {
            found |= bulk.outputs.iter().any(|output| matches!(output.kind, Kind::Update { .. }));
        }
    });
    found
}

/// Pairs of new and old arrays whose changes consume what they must not.
fn refused_of(program: &Program, fun: FunId, made: &[Change]) -> Vec<(Var, Var)> {
    let (aliases, faults) = analyse(program, fun);
    let touches = |change: &&Change, var: Var| change.old.iter().any(|old| aliases.share(*old, var));
    // Values that read old elements under another name would have to wait for one another.
    let waits = |change: &&Change| change.reads.iter().any(|var| touches(change, *var));
    let mut wrong: Vec<(Var, Var)> = made.iter().filter(waits).flat_map(Change::pairs).collect();
    for fault in &faults {
        let blamed: Vec<(Var, Var)> =
            made.iter().filter(|change| touches(change, fault.var)).flat_map(Change::pairs).collect();
        // Whatever is wrong, it was not wrong before.
        wrong.extend(if blamed.is_empty() { made.iter().flat_map(Change::pairs).collect() } else { blamed });
    }
    wrong
}

/// Arrays that take the memory of others.
struct Change {
    new: Vec<Var>,
    old: Vec<Var>,
    /// Other variables that values mention.
    reads: Vec<Var>,
    span: base::Span,
}

impl Change {
    /// The new arrays, each with the old one whose memory it takes.
    fn pairs(&self) -> impl Iterator<Item = (Var, Var)> + '_ {
        self.new.iter().copied().zip(self.old.iter().copied())
    }
}

struct Changes<'a> {
    program: &'a Program,
    /// New arrays, with old ones whose memory they must not take.
    refused: &'a Set<(Var, Var)>,
    made: Vec<Change>,
}

impl Changes<'_> {
    fn block(&mut self, block: &mut Block) {
        block.stms.iter_mut().for_each(|stm| self.inside(&mut stm.exp));
        if block.stms.iter().any(|stm| matches!(stm.exp, Exp::Bulk(_))) {
            let last = last_uses(self.program, block);
            for (number, stm) in block.stms.iter_mut().enumerate() {
                self.stm(stm, &|var| last.get(&var).is_some_and(|last| *last == number));
            }
        }
    }

    /// The blocks of a statement.
    fn inside(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Loop { body, .. } => self.block(body),
            Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => {
                [then, otherwise].into_iter().for_each(|block| self.block(block));
            }
            Exp::Bulk(bulk) => self.steps(&mut bulk.steps),
            _ => {}
        }
    }

    fn steps(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.inside(&mut stm.exp),
                Step::Scan(scan) => self.block(&mut scan.value),
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
    }

    fn stm(&mut self, stm: &mut Stm, is_last: &dyn Fn(Var) -> bool) {
        let Exp::Bulk(bulk) = &mut stm.exp else { return };
        // A form that only makes checks binds nothing.
        if stm.vars.is_empty() {
            return;
        }
        if let Some(old) = self.replaced(&stm.vars, bulk, is_last) {
            let reads = places::mentioned(bulk).into_iter().filter(|var| !old.contains(var)).collect();
            bulk.outputs[0].kind = Kind::Update { arrays: old.clone(), skip: false, rec: Vec::new() };
            self.made.push(Change { new: stm.vars.clone(), old, reads, span: stm.span });
        }
    }

    /// For each of the new arrays an old one of the same type that is used for the last time, at the same places.
    fn replaced(&self, new: &[Var], bulk: &Bulk, is_last: &dyn Fn(Var) -> bool) -> Option<Vec<Var>> {
        let [output] = &bulk.outputs[..] else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let scalars = output.elems.iter().all(|elem| matches!(self.program.ty(*elem), Type::Scalar(_)));
        if !rec.is_empty() || !output.sizes.is_empty() || !scalars || !emits::in_order(shape, bulk) {
            return None;
        }
        let bound = Step::bound_in(&bulk.steps);
        let mut free: Vec<Var> = places::read_at(bulk, &emits::only(&bulk.steps)?.at);
        free.retain(|old| is_last(*old) && !bound.contains(old));
        let mut old = Vec::new();
        for new in new {
            let fits =
                |old: &Var| self.program.ty(*old) == self.program.ty(*new) && !self.refused.contains(&(*new, *old));
            old.push(free.swap_remove(free.iter().position(fits)?));
        }
        Some(old)
    }
}

/// The last statement of a block that mentions each variable; results of the block are mentioned after all of them.
fn last_uses(program: &Program, block: &Block) -> Map<Var, usize> {
    let mut last = Map::default();
    for (number, stm) in block.stms.iter().enumerate() {
        stm.walk(&mut |part| match part {
            Part::Use(var) | Part::Atom(Atom::Var(var)) => {
                last.insert(*var, number);
            }
            Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| {
                last.insert(var, number);
            }),
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        });
    }
    last.extend(block.result.iter().filter_map(|atom| atom.var()).map(|var| (var, block.stms.len())));
    last
}
