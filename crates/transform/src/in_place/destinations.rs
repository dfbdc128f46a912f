//! Elements that are computed where an update puts them.
//!
//! ```text
//! let ys: [n]f64 = bulk {                        let a.1: [k][n]f64 = bulk {
//!   out gen [n] of (y: f64)                        out update (a) of (y: f64)
//!   for i < n {                                    for i < n {
//!     emit [i] { let x = a[t, i] .. => y }    =>     emit [t, i] { let x = a[t, i] .. => y }
//!   }                                              }
//! }                                              }
//! let a.1: [k][n]f64 = bulk {
//!   out update (a) of (row: [n]f64)
//!   emit [t] => ys
//! }
//! ```
//!
//! The update may also be a loop that copies the elements one by one, as that of a slice is. Values of an update see the old
//! array, so this is right for all values; but only those that read no other old elements need not wait for one another, and
//! only those are of interest. Nothing in between may depend on the order: the values cannot fail, and the statements between
//! are scalar operations and checks.

use analysis::{emits, places};
use base::Map;
use ir::alias::Aliases;
use ir::rename::Substitution;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Emit, Exp, Kind, Output, Program, Step, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// An update that only puts the elements of a new array somewhere.
struct Putting<'b> {
    /// The new array.
    new: Var,
    /// The loops over its elements; none if it is put as a whole.
    loops: Vec<(Var, Atom)>,
    /// Statements before the loops, and in them.
    before: Vec<&'b Stm>,
    inside: Vec<&'b Stm>,
    emit: &'b Emit,
}

/// Changes a block; gives the places of the updates.
pub(super) fn block(program: &mut Program, aliases: &Aliases, block: &mut Block) -> Vec<base::Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < block.stms.len() {
        match merged(program, aliases, block, at) {
            Some((producer, stm)) => {
                spans.push(stm.span);
                block.stms[at] = stm;
                block.stms.remove(producer);
            }
            None => at += 1,
        }
    }
    spans
}

/// The update that computes its elements itself, and the statement that computed them before.
fn merged(program: &mut Program, aliases: &Aliases, block: &Block, at: usize) -> Option<(usize, Stm)> {
    let update = &block.stms[at];
    let Exp::Bulk(bulk) = &update.exp else { return None };
    let array = updated(bulk)?;
    let putting = putting(bulk)?;
    let number = block.stms[..at].iter().rposition(|stm| stm.vars == [putting.new])?;
    let producer = &block.stms[number];
    let Exp::Bulk(made) = &producer.exp else { return None };
    let is_alone = mentions(block, putting.new) == 1 && block.stms[number + 1..at].iter().all(is_simple);
    if !is_alone || !is_plain(program, made) || producer.can_fail() {
        return None;
    }
    let bulk = joined(program, &putting, made, array)?;
    let others = places::mentioned(&bulk).into_iter().filter(|var| *var != array);
    let is_apart = |var: Var| program.ty(var).dims().is_empty() || !aliases.share(var, array);
    if !others.into_iter().all(is_apart) || !places::are_own(program, &bulk) {
        return None;
    }
    let certs = update.certs.iter().chain(&producer.certs).copied().collect();
    Some((number, Stm { vars: update.vars.clone(), certs, exp: Exp::Bulk(bulk), span: update.span }))
}

/// The only array that a form updates.
fn updated(bulk: &Bulk) -> Option<Var> {
    let [Output { kind: Kind::Update { arrays, skip: false, rec }, .. }] = &bulk.outputs[..] else { return None };
    let [array] = arrays[..] else { return None };
    rec.is_empty().then_some(array)
}

/// How often statements and results of a block mention a variable.
fn mentions(block: &Block, wanted: Var) -> usize {
    let mut count = 0;
    block.walk(&mut |part| {
        if let Part::Use(var) | Part::Atom(Atom::Var(var)) = part {
            count += usize::from(*var == wanted);
        }
    });
    count
}

/// Whether a statement has nothing inside that could consume memory.
fn is_simple(stm: &Stm) -> bool {
    let mut simple = !matches!(stm.exp, Exp::Call(..) | Exp::Bulk(_));
    stm.walk(&mut |part| simple &= !matches!(part, Part::Block(_)));
    simple
}

/// Whether a form makes one array of scalars, each at the indices of the loops.
fn is_plain(program: &Program, bulk: &Bulk) -> bool {
    let [output] = &bulk.outputs[..] else { return false };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return false };
    let [elem] = output.elems[..] else { return false };
    rec.is_empty()
        && output.sizes.is_empty()
        && matches!(program.ty(elem), Type::Scalar(_))
        && emits::in_order(shape, bulk)
}

/// Recognises an update that puts the elements of an array somewhere.
fn putting(bulk: &Bulk) -> Option<Putting<'_>> {
    let (mut steps, mut loops) = (&bulk.steps[..], Vec::new());
    let (mut before, mut inside) = (Vec::new(), Vec::new());
    loop {
        let (last, lets) = steps.split_last()?;
        for step in lets {
            let Step::Let(stm) = step else { return None };
            if loops.is_empty() { &mut before } else { &mut inside }.push(stm);
        }
        match last {
            Step::For { var, count, body, .. } => {
                loops.push((*var, *count));
                steps = body;
            }
            Step::Emit(emit) => {
                inside.extend(&emit.value.stms);
                let new = element(&loops, &mut inside, emit)?;
                return Some(Putting { new, loops, before, inside, emit });
            }
            Step::Let(_) | Step::Guard(..) | Step::Scan(_) => return None,
        }
    }
}

/// The array whose element, or all of which, is put. The statement that reads the element goes.
fn element(loops: &[(Var, Atom)], inside: &mut Vec<&Stm>, emit: &Emit) -> Option<Var> {
    let [Atom::Var(value)] = emit.value.result[..] else { return None };
    if loops.is_empty() {
        return inside.is_empty().then_some(value);
    }
    let read = inside.iter().position(|stm| stm.vars == [value])?;
    let Exp::Index(array, at) = &inside.remove(read).exp else { return None };
    let is_own = at.len() == loops.len() && at.iter().zip(loops).all(|(at, (var, _))| *at == Atom::Var(*var));
    is_own.then_some(*array)
}

/// The form that computes the elements where they are put.
fn joined(program: &mut Program, putting: &Putting<'_>, made: &Bulk, array: Var) -> Option<Bulk> {
    let mut bulk = made.clone();
    bulk.outputs[0].kind = Kind::Update { arrays: vec![array], skip: false, rec: Vec::new() };
    let indices = loops_of(&bulk.steps);
    let same = putting.loops.iter().map(|(_, count)| *count).eq(indices.iter().map(|(_, count)| *count));
    if !putting.loops.is_empty() && !same {
        return None;
    }
    let mut names = Substitution::default();
    putting.loops.iter().zip(&indices).for_each(|((old, _), (new, _))| names.insert(*old, *new));
    let renamed = |stm: &&Stm| renamed(program, &names, stm);
    let inside: Vec<Stm> = putting.inside.iter().map(renamed).collect();
    let known = sums(&inside);
    let body = innermost(&mut bulk.steps);
    let mut equal = Substitution::default();
    body.iter().for_each(|step| step.walk(&mut |part| note_equal(&known, part, &mut equal)));
    body.splice(0..0, inside.into_iter().map(Step::Let));
    let Some(Step::Emit(emit)) = body.last_mut() else { return None };
    let rest: Vec<Atom> = if putting.loops.is_empty() { emit.at.clone() } else { Vec::new() };
    emit.at = putting.emit.at.iter().map(|at| names.atom(*at)).chain(rest).collect();
    emit.certs.extend(&putting.emit.certs);
    bulk.steps.splice(0..0, putting.before.iter().map(|stm| Step::Let((*stm).clone())));
    Some(replaced(program, bulk, &equal))
}

/// The loops of a nest, from the outermost inwards.
fn loops_of(steps: &[Step]) -> Vec<(Var, Atom)> {
    match steps.last() {
        Some(Step::For { var, count, body, .. }) => [(*var, *count)].into_iter().chain(loops_of(body)).collect(),
        _ => Vec::new(),
    }
}

fn innermost(steps: &mut Vec<Step>) -> &mut Vec<Step> {
    if !matches!(steps.last(), Some(Step::For { .. })) {
        return steps;
    }
    match steps.last_mut() {
        Some(Step::For { body, .. }) => innermost(body),
        _ => base::bug!("the last step is a loop"),
    }
}

fn renamed(program: &mut Program, names: &Substitution, stm: &Stm) -> Stm {
    let mut block = Block { stms: vec![stm.clone()], result: Vec::new() };
    names.block(&mut program.vars, &mut block);
    block.stms.remove(0)
}

/// Sums and differences, and their names.
fn sums(stms: &[Stm]) -> Map<(BinOp, Atom, Atom), Var> {
    let mut found = Map::default();
    for stm in stms {
        if let Some((op, a, b)) = sum(&stm.exp) {
            found.insert((op, a, b), stm.vars[0]);
            if op == BinOp::Add {
                found.insert((op, b, a), stm.vars[0]);
            }
        }
    }
    found
}

fn sum(exp: &Exp) -> Option<(BinOp, Atom, Atom)> {
    match exp {
        Exp::Bin(op @ (BinOp::Add | BinOp::Sub), Prim::I64, a, b) => Some((*op, *a, *b)),
        _ => None,
    }
}

/// Notes a sum that has a name already.
fn note_equal(known: &Map<(BinOp, Atom, Atom), Var>, part: Part<'_>, equal: &mut Substitution) {
    if let Part::Stm(stm) = part
        && let Some(name) = sum(&stm.exp).and_then(|sum| known.get(&sum))
    {
        equal.insert(stm.vars[0], *name);
    }
}

fn replaced(program: &mut Program, bulk: Bulk, names: &Substitution) -> Bulk {
    let stm = Stm { vars: Vec::new(), certs: Vec::new(), exp: Exp::Bulk(bulk), span: base::Span::OF_CALLER };
    match renamed(program, names, &stm).exp {
        Exp::Bulk(bulk) => bulk,
        _ => base::bug!("a bulk form stays one"),
    }
}
