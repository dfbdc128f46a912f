//! How a bulk form can run.
//!
//! Turns of a loop are independent of one another but for what outputs make of their values. So it is the outputs that
//! decide whether the outermost loop can run on several threads, and how.

use crate::cost::{THROUGH_MEMORY, cycles, heavy_block, heavy_lets, heavy_steps};
use crate::counted::counted;
use crate::emits;
use crate::mentions::Mentions;
use crate::places;
use crate::rising::Rising;
use ir::nest::{self, Level};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Chunks, Coverage, Dim, Emit, Kind, Mark, Output, Program, Scan, Step, Tree, Type, Var, tree,
};

/// How the values of a bulk form reach its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// On demand, because values read the arrays that are being made.
    Recursive,
    /// Reductions, scans and filters over one loop: by blocks of its turns. Beside reductions, values can be combined with few
    /// elements of an array.
    Blocks,
    /// Many values combined with few elements of arrays: by parts of the loop. There may be new arrays beside.
    Parts,
    /// Elements of arrays replaced or combined, in an order that shows only where places coincide.
    Scatter,
    /// Rows whose lengths are computed before the rows.
    Rows,
    /// Each value has a place of its own.
    Places,
    /// One value after the other.
    InOrder,
}

impl Way {
    /// Whether several threads can run it.
    pub fn is_parallel(self) -> bool {
        match self {
            Way::Blocks | Way::Parts | Way::Scatter | Way::Rows | Way::Places => true,
            Way::Recursive | Way::InOrder => false,
        }
    }
}

/// Why a bulk form cannot run on several threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its values read the array that is being made.
    Recursive,
    /// Later steps use the combination of the values so far.
    Running,
    /// Values are combined in order.
    Combined,
    /// Values of different sizes are stored one after the other.
    Appended,
    /// Values see the arrays as they were, and how many there are is not known before.
    Waits,
    /// Elements of several arrays, or whole rows, are replaced.
    Replaced,
}

/// Why a bulk form cannot run on several threads, if it cannot.
pub fn why_in_order(program: &Program, bulk: &Bulk) -> Option<Reason> {
    if way(program, bulk, true).is_parallel() {
        return None;
    }
    if bulk.outputs.iter().any(|output| !output.rec().is_empty()) {
        return Some(Reason::Recursive);
    }
    if !emits::scans(&bulk.steps).is_empty() {
        return Some(Reason::Running);
    }
    if waits(bulk) {
        return Some(Reason::Waits);
    }
    let mut reasons = bulk.outputs.iter().map(|output| match output.kind {
        Kind::Reduce { .. } => Reason::Combined,
        Kind::Gen { .. } | Kind::Keep => Reason::Appended,
        Kind::Update { .. } | Kind::Accum { .. } => Reason::Replaced,
    });
    reasons.next_back()
}

/// Whether an outermost loop of a bulk form runs on several threads, or one directly inside.
pub fn is_threaded(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { mark: Mark::Threads(_), .. } => true,
        Step::For { mark: Mark::Sequential(_), body, .. } => is_threaded_inside(body),
        Step::For { .. } => false,
        Step::Guard(_, body) => is_threaded(body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    })
}

/// Whether the last of some steps is a loop that runs on several threads, or one directly inside of it.
fn is_threaded_inside(steps: &[Step]) -> bool {
    matches!(steps.last(), Some(step @ Step::For { .. }) if is_threaded(std::slice::from_ref(step)))
}

/// How a bulk form runs, on several threads or on one.
pub fn way(program: &Program, bulk: &Bulk, threads: bool) -> Way {
    if bulk.outputs.iter().any(|output| !output.rec().is_empty()) {
        return if bulk.scheduled { Way::InOrder } else { Way::Recursive };
    }
    if by_blocks(program, bulk, threads) {
        return Way::Blocks;
    }
    if !emits::scans(&bulk.steps).is_empty() {
        return Way::InOrder;
    }
    if in_parts(program, bulk, threads) {
        return Way::Parts;
    }
    let has_loop = outermost_loop(&bulk.steps);
    match threads && has_loop {
        true if places::are_own(program, bulk) => Way::Places,
        true if at_single_subscripts(program, bulk) && !waits(bulk) => Way::Scatter,
        true if by_rows(program, bulk) => Way::Rows,
        true if bulk.outputs.iter().all(writes_disjoint) => Way::Places,
        true | false => Way::InOrder,
    }
}

fn outermost_loop(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { .. } => true,
        Step::Guard(_, body) => outermost_loop(body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    })
}

/// Whether all values of an output go to disjoint places.
fn writes_disjoint(output: &Output) -> bool {
    match &output.kind {
        Kind::Gen { .. } => output.sizes.is_empty(),
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    }
}

/// Whether a bulk form is bindings, then one loop. Filters take at most one value from a turn, running combinations are only
/// stored or cheap to compute twice, and all that has blocks has the same ones.
fn by_blocks(program: &Program, bulk: &Bulk, threads: bool) -> bool {
    let Some((step @ Step::For { .. }, before)) = bulk.steps.split_last() else {
        return false;
    };
    let nest = nest::levels(step);
    let loops = loops(bulk, step, threads);
    let Some(Level { body, .. }) = nest.get(loops - 1) else { return false };
    let reduces = |o: &Output| matches!(o.kind, Kind::Reduce { .. });
    let keeps = |o: &Output| matches!(o.kind, Kind::Keep);
    let scans = emits::scans(&bulk.steps);
    let wanted = !scans.is_empty() || bulk.outputs.iter().any(|o| reduces(o) || keeps(o));
    wanted
        && before.iter().all(|step| matches!(step, Step::Let(_)))
        && scans.iter().all(|scan| is_only_stored(scan, bulk) || threads && is_repeatable(program, scan, body))
        && bulk.outputs.iter().enumerate().all(|(i, output)| fits_blocks(i, output, body, threads))
        && same_blocks(bulk).is_some()
        && (!bulk.outputs.iter().any(updates) || threads && loops == 1 && updates_rise(program, bulk, &scans))
        && (!bulk.outputs.iter().any(accumulates) || threads && in_parts_of_blocks(program, bulk, &scans))
}

/// Whether values can be combined with few elements beside what goes by blocks: each thread takes some blocks in a row. What
/// stores running combinations waits for other threads between blocks.
fn in_parts_of_blocks(program: &Program, bulk: &Bulk, scans: &[&Scan]) -> bool {
    tally(program, bulk).is_some() && !scans.iter().any(|scan| is_only_stored(scan, bulk))
}

/// Whether elements of arrays that nothing reads are replaced, no element twice: at least where that is asked when the sums
/// of all blocks are known.
fn updates_rise(program: &Program, bulk: &Bulk, scans: &[&Scan]) -> bool {
    let mentioned = places::mentioned(bulk);
    let reads = bulk.outputs.iter().flat_map(Output::consumes).any(|array| mentioned.contains(array));
    let sums_known = || scans.iter().any(|scan| !is_only_stored(scan, bulk));
    !reads && Rising::of(program, bulk).is_some_and(|rising| rising.is_certain() || sums_known())
}

fn updates(output: &Output) -> bool {
    matches!(output.kind, Kind::Update { .. })
}

fn accumulates(output: &Output) -> bool {
    matches!(output.kind, Kind::Accum { .. })
}

/// The most elements that each of several threads combines values with by itself, beside reductions.
const TALLY: i64 = 1024;

/// How many elements a form combines values with beside what goes by blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tally {
    /// At most so many.
    Few(i64),
    /// Known at run time: if there are many, for the turns of the loop, it runs in order.
    Any,
}

/// How many elements a form combines values with beside its reductions, or at places that running combinations say, if the order
/// does not matter.
pub fn tally(program: &Program, bulk: &Bulk) -> Option<Tally> {
    let emits = emits::all(&bulk.steps);
    let mut cells: Option<Tally> = None;
    for (number, output) in bulk.outputs.iter().enumerate() {
        match &output.kind {
            Kind::Accum { arrays, op, .. } => {
                let dims = program.ty(*arrays.first()?).dims();
                let full = emits.iter().filter(|emit| emit.output == number).all(|emit| emit.at.len() == dims.len());
                let regular = dims.iter().all(|dim| matches!(dim, Dim::Size(_)));
                if !full || !regular || !tree::is_exact(op) {
                    return None;
                }
                cells = match (cells, elements(dims).filter(|own| *own <= TALLY)) {
                    (None, Some(own)) => Some(Tally::Few(own.max(1))),
                    (Some(Tally::Few(other)), Some(own)) => Some(Tally::Few(other.max(own))),
                    (_, _) => Some(Tally::Any),
                };
            }
            Kind::Reduce { .. } | Kind::Gen { .. } => {}
            Kind::Update { .. } | Kind::Keep => return None,
        }
    }
    let only_running = || bulk.outputs.iter().all(accumulates) && !emits::scans(&bulk.steps).is_empty();
    cells.filter(|cells| *cells != Tally::Any || only_running())
}

/// How many elements there are in dimensions that are constants.
fn elements(dims: &[Dim]) -> Option<i64> {
    dims.iter().try_fold(1i64, |count, dim| match dim {
        Dim::Size(size) => count.checked_mul(size.as_size()?),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    })
}

fn fits_blocks(number: usize, output: &Output, body: &[Step], threads: bool) -> bool {
    match &output.kind {
        // In order means on one thread.
        Kind::Reduce { tree, .. } => *tree != Tree::InOrder || !threads,
        // On one thread, appending one by one is better than moving blocks together.
        Kind::Keep => {
            let at_most_one = emits::count(body, number) <= 1 && !emits::in_loop(body, number);
            threads && output.sizes.is_empty() && at_most_one
        }
        Kind::Gen { coverage, .. } => output.sizes.is_empty() && *coverage == Coverage::Exact,
        Kind::Accum { .. } | Kind::Update { .. } => threads,
    }
}

/// How a reduction is cut.
pub fn chunks(output: &Output) -> Option<Chunks> {
    match &output.kind {
        Kind::Reduce { tree, .. } => tree.chunks(),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => None,
    }
}

/// An inner loop of at most this many turns, a constant, runs as a whole.
const SHORT: i64 = 64;

/// How many loops, beginning with an outermost one, run as one index space.
pub fn loops(bulk: &Bulk, step: &Step, threads: bool) -> usize {
    let scans = emits::scans(&bulk.steps);
    if let Some(chunks) = cuts(bulk, &scans).next() {
        return chunks.loops as usize;
    }
    match step {
        _ if !scans.is_empty() => running_loops(bulk),
        Step::For { mark: Mark::Open, .. } if threads => worthwhile(&nest::levels(step)),
        _ => nest::threaded(step).max(1),
    }
}

/// How many loops of a nest should run as one.
pub fn worthwhile(nest: &[Level<'_>]) -> usize {
    let is_short = |level: &Level<'_>| level.count.as_size().is_some_and(|count| count <= SHORT);
    let short = nest.iter().rev().take_while(|level| is_short(level)).count();
    (nest.len() - short).max(1)
}

/// How many loops running combinations can cut as one: a nest of loops, if all of them are in the innermost.
fn running_loops(bulk: &Bulk) -> usize {
    let Some((step @ Step::For { .. }, before)) = bulk.steps.split_last() else { return 1 };
    let nest = nest::levels(step);
    let scans = emits::scans(&bulk.steps);
    let inside = |level: &Level<'_>| scans.iter().all(|scan| list_of(scan, level.body).is_some());
    let alone = before.iter().all(|step| matches!(step, Step::Let(_)));
    if alone && nest.last().is_some_and(inside) { nest.len() } else { 1 }
}

/// How many loops the reductions and running combinations of a form should cut as one.
pub fn loops_to_cut(bulk: &Bulk) -> usize {
    if emits::scans(&bulk.steps).is_empty() { common_nest(&bulk.steps) } else { running_loops(bulk) }
}

/// As many loops as are worth it in all outermost loops.
fn common_nest(steps: &[Step]) -> usize {
    let loops = steps.iter().filter_map(|step| match step {
        Step::For { .. } => Some(worthwhile(&nest::levels(step))),
        Step::Guard(_, body) => Some(common_nest(body)),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
    });
    loops.min().unwrap_or(1)
}

/// Lets the reductions and running combinations of a form cut as many loops as they should.
pub fn cut(bulk: &mut Bulk) {
    let loops = loops_to_cut(bulk) as u32;
    for output in &mut bulk.outputs {
        if let Kind::Reduce { tree: Tree::Chunks(chunks), .. } = &mut output.kind {
            chunks.loops = loops;
        }
    }
    cut_running(&mut bulk.steps, loops);
}

fn cut_running(steps: &mut [Step], loops: u32) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => cut_running(body, loops),
            Step::Scan(Scan { tree: Tree::Chunks(chunks), .. }) => chunks.loops = loops,
            Step::Scan(_) | Step::Let(_) | Step::Emit(_) => {}
        }
    }
}

/// How the reductions and running combinations of a form that are cut are cut.
fn cuts<'b>(bulk: &'b Bulk, scans: &'b [&Scan]) -> impl Iterator<Item = Chunks> + 'b {
    let outputs = bulk.outputs.iter().filter_map(chunks);
    outputs.chain(scans.iter().filter_map(|scan| scan.tree.chunks()))
}

/// How many loops of a form are cut as one.
pub fn loops_cut(bulk: &Bulk) -> usize {
    cuts(bulk, &emits::scans(&bulk.steps)).next().map_or(1, |chunks| chunks.loops as usize)
}

/// How reductions and scans are cut, unless that differs: in any way for `None`.
pub fn same_blocks(bulk: &Bulk) -> Option<Option<Chunks>> {
    let scans = emits::scans(&bulk.steps);
    let mut cuts = cuts(bulk, &scans);
    let first = cuts.next();
    let alike = |cut: Chunks| first.is_some_and(|first| (first.block, first.loops) == (cut.block, cut.loops));
    cuts.all(alike).then_some(first)
}

/// Whether every value of a running combination goes to the element of its turn or to a filter, and nowhere else.
pub fn is_only_stored(scan: &Scan, bulk: &Bulk) -> bool {
    is_element_of_turn(scan, bulk) || kept_by(scan, bulk).is_some()
}

/// The loops whose points are the turns of the running combinations of a form.
fn turns(bulk: &Bulk) -> Vec<Level<'_>> {
    let Some(step) = bulk.steps.last() else { return Vec::new() };
    let mut levels = nest::levels(step);
    levels.truncate(loops(bulk, step, false));
    levels
}

/// Whether every value of a running combination goes to the element of its turn, and nowhere else.
fn is_element_of_turn(scan: &Scan, bulk: &Bulk) -> bool {
    let levels = turns(bulk);
    let Some(Level { body, .. }) = levels.last() else { return false };
    let at: Vec<Atom> = levels.iter().map(|level| Atom::Var(level.var)).collect();
    let dims: Vec<Dim> = levels.iter().map(|level| Dim::Size(level.count)).collect();
    let direct = body.iter().any(|step| matches!(step, Step::Scan(one) if std::ptr::eq(one, scan)));
    let result: Vec<Atom> = scan.vars.iter().copied().map(Atom::Var).collect();
    let stores = |emit: &Emit| {
        let Kind::Gen { shape, otherwise: None, .. } = &bulk.outputs[emit.output].kind else { return false };
        let is_running = emit.value.stms.is_empty() && emit.value.result == result;
        *shape == dims && emit.at == at && is_running
    };
    direct && scan.tree != Tree::InOrder && only_goes_to(scan, body, &stores)
}

/// The filter to which every value of a running combination goes, and nowhere else: it keeps something exactly in the turns in
/// which the combination gets a value.
pub fn kept_by(scan: &Scan, bulk: &Bulk) -> Option<usize> {
    let Level { body, .. } = *turns(bulk).last()?;
    let stores = |emit: &Emit| {
        let is_component = |var: &Var| emit.value.result.iter().filter(|atom| **atom == Atom::Var(*var)).count() == 1;
        let later = emit.value.stms.iter().any(|stm| uses(scan, |look| stm.walk(look)) > 0);
        let is_kept = matches!(bulk.outputs[emit.output].kind, Kind::Keep);
        is_kept && !later && scan.vars.iter().all(is_component)
    };
    let steps = list_of(scan, body)?;
    let mut emits = steps.iter().filter_map(|step| match step {
        Step::Emit(emit) if stores(emit) => Some(emit.output),
        _ => None,
    });
    let output = emits.next()?;
    (scan.tree != Tree::InOrder && only_goes_to(scan, body, &stores)).then_some(output)
}

/// The list of steps that a running combination is in, if only guards are around it.
fn list_of<'b>(scan: &Scan, steps: &'b [Step]) -> Option<&'b [Step]> {
    let direct = |step: &Step| matches!(step, Step::Scan(one) if std::ptr::eq(one, scan));
    if steps.iter().any(direct) {
        return Some(steps);
    }
    steps.iter().find_map(|step| match step {
        Step::Guard(_, body) => list_of(scan, body),
        Step::For { .. } | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
    })
}

/// Whether one value for an output, of those that store a running combination, is all that uses it.
fn only_goes_to(scan: &Scan, steps: &[Step], stores: &dyn Fn(&Emit) -> bool) -> bool {
    let (mut stored, mut other) = (0, 0);
    count_uses(scan, steps, stores, &mut stored, &mut other);
    stored == 1 && other == 0
}

fn count_uses(scan: &Scan, steps: &[Step], stores: &dyn Fn(&Emit) -> bool, stored: &mut usize, other: &mut usize) {
    for step in steps {
        match step {
            Step::Emit(emit) if stores(emit) => *stored += 1,
            Step::Guard(cond, body) => {
                *other += usize::from(cond.var().is_some_and(|var| scan.vars.contains(&var)));
                count_uses(scan, body, stores, stored, other);
            }
            step => *other += uses(scan, |look| step.walk(look)),
        }
    }
}

/// How often a walk meets values of a running combination.
fn uses(scan: &Scan, walk: impl FnOnce(&mut dyn FnMut(Part<'_>))) -> usize {
    let mut found = 0;
    walk(&mut |part| {
        if let Part::Atom(Atom::Var(used)) | Part::Use(used) = part {
            found += usize::from(scan.vars.contains(used));
        }
    });
    found
}

/// How many cycles of a turn a form spends twice, for running combinations whose values it uses itself.
pub fn repeated_cycles(program: &Program, bulk: &Bulk) -> usize {
    let Some(Step::For { body, .. }) = bulk.steps.last() else { return 0 };
    let used = emits::scans(&bulk.steps).into_iter().filter(|scan| !is_only_stored(scan, bulk));
    used.map(|scan| cycles(&needed_by(program, body, &[scan]))).max().unwrap_or(0)
}

/// Whether the values of a running combination can be computed twice, first to see what each block gives: they are scalars,
/// cheap, and nothing but them can fail, because a check that is made too early would hide an earlier one. If they depend on other
/// running combinations, those are computed again as well.
fn is_repeatable(program: &Program, scan: &Scan, body: &[Step]) -> bool {
    let scalars = scan.vars.iter().all(|var| program.ty(*var).dims().is_empty());
    let steps = needed_by(program, body, &[scan]);
    let fails_first = fallible(&steps) == fallible(body);
    let cheap = !heavy_steps(&steps) && cycles(&steps) <= THROUGH_MEMORY;
    scalars && scan.tree != Tree::InOrder && cheap && fails_first
}

/// How many statements can fail.
fn fallible(steps: &[Step]) -> usize {
    let mut found = 0;
    for step in steps {
        step.walk(&mut |part| found += usize::from(matches!(part, Part::Stm(stm) if stm.exp.can_fail())));
    }
    found
}

/// The running combinations of a loop, those first that depend on no other, then those that depend on these only, and so on.
pub fn levels_of<'b>(program: &Program, body: &[Step], scans: Vec<&'b Scan>) -> Vec<Vec<&'b Scan>> {
    let needs = |scan: &Scan| -> Vec<Vec<Var>> {
        let steps = needed_by(program, body, &[scan]);
        emits::scans(&steps)
            .into_iter()
            .filter(|other| other.vars != scan.vars)
            .map(|other| other.vars.clone())
            .collect()
    };
    let mut rest: Vec<_> = scans.into_iter().map(|scan| (scan, needs(scan))).collect();
    let mut levels = Vec::new();
    while !rest.is_empty() {
        let waits = |needed: &[Vec<Var>]| rest.iter().any(|(other, _)| needed.contains(&other.vars));
        let (later, ready): (Vec<_>, Vec<_>) = rest.iter().cloned().partition(|(_, needed)| waits(needed));
        if ready.is_empty() {
            base::bug!("running combinations that need one another");
        }
        levels.push(ready.into_iter().map(|(scan, _)| scan).collect());
        rest = later;
    }
    levels
}

/// The steps that running combinations need, without values for outputs.
pub fn needed_by(program: &Program, steps: &[Step], scans: &[&Scan]) -> Vec<Step> {
    let mut mentions = Mentions::new(program);
    needed_steps(&mut mentions, steps, scans)
}

fn needed_steps(mentions: &mut Mentions<'_>, steps: &[Step], scans: &[&Scan]) -> Vec<Step> {
    let mut out = Vec::new();
    for step in steps.iter().rev() {
        let needed = match step {
            Step::Scan(scan) => {
                let is_wanted = scans.iter().any(|wanted| wanted.vars == scan.vars);
                let is_used = scan.vars.iter().any(|var| mentions.found.contains(var));
                (is_wanted || is_used).then(|| step.clone())
            }
            Step::Let(stm) => stm.vars.iter().any(|var| mentions.found.contains(var)).then(|| step.clone()),
            Step::For { var, count, mark, body } => {
                let body = needed_steps(mentions, body, scans);
                let (var, count, mark) = (*var, *count, *mark);
                (!body.is_empty()).then_some(Step::For { var, count, mark, body })
            }
            Step::Guard(cond, body) => {
                let body = needed_steps(mentions, body, scans);
                (!body.is_empty()).then_some(Step::Guard(*cond, body))
            }
            Step::Emit(_) => None,
        };
        if let Some(step) = needed {
            mentions.step(&step);
            out.push(step);
        }
    }
    out.reverse();
    out
}

/// Whether values are combined in parts, or can be and that helps.
fn in_parts(program: &Program, bulk: &Bulk, threads: bool) -> bool {
    let has = |wanted: fn(&Tree) -> bool| {
        bulk.outputs.iter().any(|output| matches!(&output.kind, Kind::Accum { tree, .. } if wanted(tree)))
    };
    let may = || threads && tree::may_have_parts(program, bulk);
    has(|tree| matches!(tree, Tree::Parts(_)))
        || (bulk.outputs.len() > 1 || has(|tree| matches!(tree, Tree::Free | Tree::Tables(_)))) && may()
}

/// Whether values are combined with few elements of an array, a number that is known.
pub fn has_few_elements(program: &Program, output: &Output) -> bool {
    let few = |array: &Var| elements(program.ty(*array).dims()).is_some_and(|count| count <= TALLY);
    matches!(&output.kind, Kind::Accum { arrays, .. } if arrays.iter().all(few))
}

/// Whether a bulk form writes at single subscripts, as many for all values.
fn at_single_subscripts(program: &Program, bulk: &Bulk) -> bool {
    let [Output { kind: Kind::Update { arrays, .. } | Kind::Accum { arrays, .. }, .. }] = &bulk.outputs[..] else {
        return false;
    };
    let emits = emits::all(&bulk.steps);
    let single = |a: &Atom| a.var().is_none_or(|v| program.ty(v).dims().is_empty());
    let is_regular = |array: &Var| program.ty(*array).dims().iter().all(|dim| matches!(dim, Dim::Size(_)));
    bulk.steps.iter().any(|step| matches!(step, Step::For { .. }))
        && arrays.iter().all(is_regular)
        && emits.iter().all(|emit| emit.at.len() == emits[0].at.len() && emit.at.iter().all(single))
}

/// Whether values have to wait for all others, since they see the old arrays, and how many there are is not known before.
fn waits(bulk: &Bulk) -> bool {
    let [Output { kind: Kind::Update { arrays, .. } | Kind::Accum { arrays, .. }, .. }] = &bulk.outputs[..] else {
        return false;
    };
    let mentioned = places::mentioned(bulk);
    arrays.iter().any(|array| mentioned.contains(array)) && !bulk.steps.iter().all(counted)
}

/// Whether the lengths of an output's rows can be computed before the rows.
fn by_rows(program: &Program, bulk: &Bulk) -> bool {
    let ([output], Some(emit)) = (&bulk.outputs[..], emits::only(&bulk.steps)) else {
        return false;
    };
    let Kind::Gen { shape, .. } = &output.kind else {
        return false;
    };
    let plain_size = |s: &Var| *program.ty(*s) == Type::I64 && emits::around_size(program, *s, output).is_empty();
    let inner = |e: &Var| program.ty(*e).dims().iter().skip(1).all(|d| !emits::mentions(d, &output.sizes));
    !output.sizes.is_empty()
        && emits::in_order(shape, bulk)
        && output.sizes.iter().all(plain_size)
        && output.elems.iter().all(inner)
        && !heavy_lets(&bulk.steps)
        && !heavy_block(&lengths_alone(program, &emit.value, output.sizes.len()))
}

/// The block that gives only the first results.
pub fn lengths_alone(program: &Program, block: &Block, count: usize) -> Block {
    let result = block.result[..count.min(block.result.len())].to_vec();
    let mut mentions = Mentions::new(program);
    mentions.atoms(&result);
    let mut stms = Vec::new();
    for stm in block.stms.iter().rev() {
        if stm.vars.iter().any(|v| mentions.found.contains(v)) {
            mentions.stm(stm);
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    Block { stms, result }
}
