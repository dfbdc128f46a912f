//! Chooses the order in which values are combined ([`ir::tree`]).
//!
//! ```text
//! out reduce of (x: i64) from (0) by + ..              out reduce of (x: i64) from (0) in any order by + ..
//! out accum (h) of (x: f64) by + ..               ==>  out accum (h) of (x: f64) in parts 16 .. by + ..
//! out reduce of (x: f64) from (0.0) by + ..            out reduce of (x: f64) from (0.0) in blocks 4096 lanes 16 chains 4 by + ..
//! ```
//!
//! Where loops stand directly inside of each other, all their points are turns: a matrix with one long row has as many as
//! one with many short rows. A running combination in the innermost of them counts the points as well.
//!
//! Exact operators are free: each back end takes the order that is fastest there. Sums of floating-point numbers into few
//! elements are cut into parts, so that threads need not wait for one another; bits depend on the number of parts, which
//! is a constant, and not on that of threads.
//!
//! Sums, products, least and greatest numbers get lanes: the values of neighbouring turns go into accumulators of their own, so
//! that vector instructions combine them, and several vectors are under way at a time. A loop inside of a bulk form has one
//! vector of accumulators, and so has one of a function that only turns of forms call. Such loops are often short, and filling and emptying lanes takes as long as a few turns. So it has
//! them only if it is known to be long enough, if a turn takes long, or if its last vectors need not be full
//! ([`analysis::masked`]): then lanes are faster for any length. A short loop of a constant number of turns has none: the C
//! compiler unrolls it. Loops outside of others whose turns take long get short blocks, so that a thousand of them are work for many
//! threads. Everything else keeps the tree of the source program.
//!
//! The pass comes last among those that build and fuse bulk forms: a tree that a loop got earlier need not fit what the
//! loop becomes.

mod guards;

use analysis::cost::{cycles, heavy_steps};
use analysis::{cost, emits, masked, ways};
use base::Set;
use ir::traverse::{ListMut, Part};
use ir::tree::{identities, is_exact, may_have_parts};
use ir::{Block, Bulk, Chunks, Exp, FunId, Kind, Output, Parts, Program, Step, Stm, Tree, Type, Var, nest};
use scalar::Prim;

/// In which parts values are combined with elements.
const PARTS: Parts = Parts { parts: 16, least: 32768, turns: 32, elements: 1 };
/// If there are several outputs and turns take long. Then parts pay off earlier, and without them the form runs on one thread.
const HEAVY_PARTS: Parts = Parts { least: 2, turns: 1, elements: 4, ..PARTS };

/// Lanes of a loop that is not inside of another.
const OUTSIDE: Chunks = Chunks { block: 4096, lanes: 16, chains: 4, loops: 1 };
/// Lanes of a loop inside of a bulk form.
const INSIDE: Chunks = Chunks { block: 4096, lanes: 16, chains: 1, loops: 1 };
/// Blocks of a loop that is not inside of another, and whose turns take long: few of them are work for several threads.
const HEAVY: Chunks = Chunks { block: 32, ..Chunks::PLAIN };
/// A loop of at most so many turns, a constant, has no lanes.
const SHORT: i64 = 16;
/// A turn of so many cycles gains from lanes in a loop of any length.
const COSTLY: usize = 24;
/// The largest form with lanes, in statements: there are several copies of the loop.
const LARGEST: usize = 80;

/// Chooses the trees of all bulk forms.
pub fn trees(program: &mut Program) {
    let called_in_forms = called_in_forms(program);
    for id in program.functions.ids() {
        let mut body: Block = std::mem::take(&mut program.functions[id].body);
        let unready = unready(&body);
        Trees { program, unready }.block(&mut body, called_in_forms.contains(&id));
        program.functions[id].body = body;
    }
}

/// The functions that only turns of bulk forms call, directly or through others.
fn called_in_forms(program: &Program) -> Set<FunId> {
    let mut found: Set<FunId> = program.functions.ids().collect();
    program.entries.iter().for_each(|entry| _ = found.remove(&entry.function));
    loop {
        let mut outside = Vec::new();
        for (id, function) in program.functions.iter().filter(|(id, _)| !found.contains(id)) {
            let mut calls = calls(&function.body);
            calls.retain(|(callee, in_form)| !in_form && found.contains(callee) && *callee != id);
            outside.extend(calls);
        }
        if outside.is_empty() {
            return found;
        }
        outside.iter().for_each(|(callee, _)| _ = found.remove(callee));
    }
}

/// What a block calls, and whether a turn of a form does it.
fn calls(block: &Block) -> Vec<(FunId, bool)> {
    let (mut all, mut in_forms) = (Vec::new(), Set::default());
    block.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Call(callee, _), vars, .. }) => all.push((*callee, vars.clone())),
        Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) => bulk.steps.iter().for_each(|step| {
            step.walk(&mut |part| {
                if let Part::Stm(Stm { exp: Exp::Call(..), vars, .. }) = part {
                    in_forms.extend(vars.iter().copied());
                }
            });
        }),
        Part::Stm(_) | Part::Atom(_) | Part::Use(_) | Part::Bind(_) | Part::Block(_) => {}
    });
    all.into_iter().map(|(callee, vars)| (callee, vars.iter().any(|var| in_forms.contains(var)))).collect()
}

struct Trees<'p> {
    program: &'p mut Program,
    /// Arrays whose elements may have no values yet: who reads one may have to wait.
    unready: Set<Var>,
}

/// The names of recursive arrays whose elements have no order.
fn unready(body: &Block) -> Set<Var> {
    let mut found = Set::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) = part
            && !bulk.scheduled
        {
            found.extend(bulk.outputs.iter().flat_map(|output| output.rec().iter().copied()));
        }
    });
    found
}

impl Trees<'_> {
    /// Chooses those of a block, which is inside of a bulk form or not.
    fn block(&mut self, block: &mut Block, inside: bool) {
        block.stms.iter_mut().for_each(|stm| self.statement(stm, inside));
    }

    fn statement(&mut self, stm: &mut Stm, inside: bool) {
        let size = cost::statements(stm);
        let in_bulk = inside || matches!(stm.exp, Exp::Bulk(_));
        if let Exp::Bulk(bulk) = &mut stm.exp {
            let lanes = lanes(bulk, inside).filter(|_| size <= LARGEST && !self.may_wait(bulk));
            if lanes.is_some() {
                guards::remove(self.program, bulk);
            }
            let chunks = lanes.or_else(|| (!inside && is_heavy(self.program, bulk)).then_some(HEAVY));
            choose(self.program, bulk, chunks);
        }
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(inner) => self.block(inner, in_bulk),
            ListMut::Steps(steps) => self.steps(steps),
        });
    }

    fn steps(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.statement(stm, true),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body, true);
                    self.block(&mut scan.value, true);
                }
                Step::Emit(emit) => self.block(&mut emit.value, true),
            }
        }
    }

    /// Whether a turn of a form may have to wait for an element.
    fn may_wait(&self, bulk: &Bulk) -> bool {
        let mut found = false;
        for step in &bulk.steps {
            step.walk(&mut |part| {
                found |= matches!(part, Part::Stm(Stm { exp: Exp::Index(array, _) | Exp::IndexVector(array, _), .. })
                    if self.unready.contains(array));
            });
        }
        found
    }
}

/// Whether a form combines numbers, and a turn takes long.
fn is_heavy(program: &Program, bulk: &Bulk) -> bool {
    let Some(levels) = bulk.steps.last().map(nest::levels) else { return false };
    let scalars =
        bulk.outputs.iter().flat_map(|output| &output.elems).all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
    scalars && levels.last().is_some_and(|level| heavy_steps(level.body))
}

fn choose(program: &Program, bulk: &mut Bulk, chosen: Option<Chunks>) {
    let in_parts = may_have_parts(program, bulk);
    let parts = if bulk.outputs.len() > 1 && cost::heavy_lets(&bulk.steps) { HEAVY_PARTS } else { PARTS };
    // Beside a sum in lanes, one accumulator for all turns would make single numbers of the whole loop.
    let has_lanes = |output: &Output| matches!(&output.kind, Kind::Reduce { op, .. } if !is_exact(op));
    let beside = chosen.filter(|chunks| chunks.width() > 1 && bulk.outputs.iter().any(has_lanes));
    for output in &mut bulk.outputs {
        match &mut output.kind {
            Kind::Reduce { op, tree, .. } if is_exact(op) => {
                *tree = beside.filter(|_| identities(op).is_some()).map_or(Tree::Free, Tree::Chunks);
            }
            Kind::Reduce { tree: Tree::Chunks(chunks), .. } => {
                *chunks = chosen.unwrap_or(*chunks);
            }
            Kind::Accum { op, tree, .. } if is_exact(op) => *tree = Tree::Free,
            // Sums of half floats are far from others in another order: they stay in order.
            Kind::Accum { tree, .. } if is_half(program, &output.elems) => *tree = Tree::InOrder,
            Kind::Accum { tree: tree @ Tree::Uncut, .. } if in_parts => *tree = Tree::Parts(parts),
            Kind::Reduce { .. } | Kind::Accum { .. } | Kind::Gen { .. } | Kind::Update { .. } | Kind::Keep => {}
        }
    }
    ways::cut(bulk);
    choose_running(&mut bulk.steps);
}

fn is_half(program: &Program, elems: &[Var]) -> bool {
    elems.iter().any(|elem| program.ty(*elem).prim() == Some(Prim::F16))
}

/// The lanes of the reductions of a form: if all of them combine numbers one by one, and a turn is a little arithmetic.
fn lanes(bulk: &Bulk, inside: bool) -> Option<Chunks> {
    let (Step::For { count, .. }, before) = bulk.steps.split_last()? else { return None };
    let body = nest::levels(bulk.steps.last()?).last()?.body;
    let is_fit = |output: &Output| match &output.kind {
        Kind::Reduce { op, tree, .. } => is_exact(op) || tree.chunks().is_some() && identities(op).is_some(),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => false,
    };
    let fits = bulk.outputs.iter().all(is_fit)
        && before.iter().all(|step| matches!(step, Step::Let(_)))
        && emits::scans(&bulk.steps).is_empty()
        && !heavy_steps(body)
        && match count.as_size() {
            Some(count) => count > SHORT,
            None => !inside || cycles(body) >= COSTLY || masked_row(bulk),
        };
    fits.then_some(if inside { INSIDE } else { OUTSIDE })
}

/// Whether the last vectors of the one loop of a form need not be full.
fn masked_row(bulk: &Bulk) -> bool {
    let one_each = |body: &[Step]| (0..bulk.outputs.len()).all(|output| emits::exactly_one(body, output));
    let is_float = |output: &Output| ways::chunks(output).is_some();
    match bulk.steps.last() {
        Some(Step::For { var, body, .. }) => {
            bulk.outputs.iter().all(is_float) && one_each(body) && masked::may_be(*var, body)
        }
        _ => false,
    }
}

fn choose_running(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => choose_running(body),
            Step::Scan(scan) if is_exact(&scan.op) => scan.tree = Tree::Free,
            Step::Scan(_) | Step::Let(_) | Step::Emit(_) => {}
        }
    }
}
