//! Rows, columns and elements that an update reads beside those that it replaces are copied before it.
//!
//! ```text
//! let b: [n][n]f32 = bulk {                        let row: [n]f32 = bulk { .. emit [j] => a[k, j] .. }
//!   out update (a) of (x: f32)                     let column: [n]f32 = bulk { .. emit [i] => a[i, k] .. }
//!   for i < n {                                    let b: [n][n]f32 = bulk {
//!     for j < n {                                    out update (a) of (x: f32)
//!       emit [i, j] {                                for i < n {
//!         let u = a[i, j]                    =>        for j < n {
//!         let v = a[i, k]                                emit [i, j] {
//!         let w = a[k, j]                                  let u = a[i, j]
//!         .. => y                                          let v = column[i]
//!       }                                                  let w = row[j]
//!     }                                                    .. => y
//!   }                                                    }}}
//! }                                                }
//! ```
//!
//! Values of an update see the old array. After the change each reads of it only the element that it replaces, so it can be
//! written at once, in place and on several threads ([`analysis::places`]): elimination, shortest paths by `update`. A copy
//! has fewer dimensions than the update has loops, so it costs little.
//!
//! Two loops that do the same one element after the other become such an update first ([`crossing`]).
//!
//! Limits: one array of scalars; a subscript of a read is one of the value, or the same in all turns.

mod crossing;

use crate::attempt;
use analysis::emits;
use analysis::places;
use base::{Map, Name, Set, Span};
use ir::moves::{self, Moves};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, FunId, Kind, Mark, Output, Program, Remark, Step, Stm, Topic, Type,
    Var, VarInfo,
};

const DONE: &str = "the rows and columns that it also reads are copied before, so that elements are replaced at once";

/// Copies what the updates of all functions read.
pub fn lines(program: &mut Program) {
    for fun in program.functions.ids() {
        in_function(program, fun);
    }
}

/// Changes a function. A read may be in bounds only where all loops have turns: what the verifier cannot follow is taken back.
fn in_function(program: &mut Program, fun: FunId) {
    let mut body = program.functions[fun].body.clone();
    let mut spans: Vec<Span> = Vec::new();
    let copied = unshared_copies(&body);
    let (roots, mut renamed) = (roots(&body), false);
    body.replace_stms(&mut |stm| {
        if let Some(stms) = crossing::updated(program, &stm) {
            spans.push(stm.span);
            return stms;
        }
        let mut stm = by_one_name(&roots, stm, &mut renamed);
        let copies = replace_in_loop(program, &copied, &mut stm, &mut spans);
        let (before, stm) = changed(program, stm);
        if !before.is_empty() {
            spans.push(stm.span);
        }
        copies.into_iter().chain(before).chain([stm]).collect()
    });
    if (!spans.is_empty() || renamed) && attempt::body(program, fun, body) {
        spans.into_iter().for_each(|span| program.functions[fun].remark(Remark::done(Topic::Copied, span, DONE)));
    }
}

/// The arrays that others are under another type.
fn roots(body: &Block) -> Map<Var, Var> {
    let mut found: Map<Var, Var> = Map::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { vars, exp: Exp::Retype(root), .. }) = part {
            let root = found.get(root).copied().unwrap_or(*root);
            found.insert(vars[0], root);
        }
    });
    found
}

/// Lets an update read the array that it changes by the name that it changes it by.
fn by_one_name(roots: &Map<Var, Var>, stm: Stm, renamed: &mut bool) -> Stm {
    let Some((array, root)) = updated(&stm).and_then(|array| Some((array, *roots.get(&array)?))) else { return stm };
    let mut block = Block { stms: vec![stm], result: Vec::new() };
    block.for_each_stm_mut(&mut |stm| {
        if let Exp::Index(of, _) = &mut stm.exp
            && (*of == root || roots.get(of) == Some(&root))
        {
            *renamed |= *of != array;
            *of = array;
        }
    });
    block.stms.remove(0)
}

/// Copies that are mentioned once.
fn unshared_copies(body: &Block) -> Set<Var> {
    let (mut uses, mut copied): (Map<Var, usize>, Set<Var>) = (Map::default(), Set::default());
    body.walk(&mut |part| match part {
        Part::Use(var) | Part::Atom(Atom::Var(var)) => *uses.entry(*var).or_default() += 1,
        Part::Stm(Stm { exp: Exp::Copy(_), vars, .. }) => copied.extend(vars),
        Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
    });
    copied.retain(|var| uses.get(var) == Some(&1));
    copied
}

/// In a loop that computes each element of an array from the element before it, and from rows and columns, the elements are
/// replaced in place: `loop d for k < n do [[f d[i, j] d[i, k] d[k, j] for j < n] for i < n]`. Gives the statements that copy
/// what the loop begins with, unless nothing else uses it.
fn replace_in_loop(program: &mut Program, copied: &Set<Var>, stm: &mut Stm, spans: &mut Vec<Span>) -> Vec<Stm> {
    let mut copies = Vec::new();
    let span = stm.span;
    let Exp::Loop { params, body, .. } = &mut stm.exp else { return copies };
    for (position, (array, first)) in params.iter_mut().enumerate() {
        let Some(number) = step_of(program, *array, body, position) else { continue };
        let mut step = body.stms.remove(number);
        if let Exp::Bulk(bulk) = &mut step.exp {
            bulk.outputs[0].kind = Kind::Update { arrays: vec![*array], skip: false, rec: Vec::new() };
        }
        spans.push(step.span);
        let (before, step) = changed(program, step);
        body.stms.splice(number..number, before.into_iter().chain([step]));
        if let Some(var) = first.var().filter(|var| !copied.contains(var)) {
            let copy = ir::rename::copies(&mut program.vars, &[*array])[0];
            copies.push(Stm { vars: vec![copy], certs: Vec::new(), exp: Exp::Copy(var), span });
            *first = copy.into();
        }
    }
    copies
}

/// The statement of a loop's body that makes the next array from this one alone, element by element and with lines of it.
fn step_of(program: &Program, array: Var, body: &Block, position: usize) -> Option<usize> {
    let next = body.result.get(position)?.var()?;
    let number = body.stms.iter().position(|stm| stm.vars == [next])?;
    let Exp::Bulk(bulk) = &body.stms[number].exp else { return None };
    let [Output { kind, sizes, elems }] = &bulk.outputs[..] else { return None };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = kind else { return None };
    let scalars = elems.iter().all(|elem| program.ty(*elem).dims().is_empty());
    let same = program.ty(array) == program.ty(next) && sizes.is_empty() && rec.is_empty() && scalars;
    if !same || !emits::in_order(shape, bulk) || mentions(body, array) != mentions_of(&body.stms[number], array) {
        return None;
    }
    let moves = moves::of(bulk)?;
    let reads_own = places::reads_at(bulk, array, &moves.emit.at);
    (reads_own && moves.lines(array).is_some_and(|lines| !lines.is_empty())).then_some(number)
}

fn mentions(block: &Block, array: Var) -> usize {
    let results = block.result.iter().filter(|atom| **atom == Atom::Var(array)).count();
    block.stms.iter().map(|stm| mentions_of(stm, array)).sum::<usize>() + results
}

fn mentions_of(stm: &Stm, array: Var) -> usize {
    let mut count = 0;
    stm.walk(&mut |part| {
        if let Part::Use(var) | Part::Atom(Atom::Var(var)) = part {
            count += usize::from(*var == array);
        }
    });
    count
}

/// An update that reads copies, and the statements that make them.
fn changed(program: &mut Program, stm: Stm) -> (Vec<Stm>, Stm) {
    let Some((array, reads)) = lines_of(program, &stm) else { return (Vec::new(), stm) };
    let Exp::Bulk(bulk) = &stm.exp else { base::bug!("only forms are changed") };
    let Some(moves) = moves::of(bulk) else { base::bug!("a form lost its value") };
    let lines: Vec<(Vec<Atom>, Line)> = reads
        .into_iter()
        .map(|at| {
            let line = Line::new(program, &moves, array, &at, &stm);
            (at, line)
        })
        .collect();
    let mut block = Block { stms: vec![stm], result: Vec::new() };
    block.for_each_stm_mut(&mut |stm| {
        if let Exp::Index(of, at) = &stm.exp
            && *of == array
            && let Some((_, line)) = lines.iter().find(|(line, _)| line == at)
        {
            stm.exp = line.read.clone();
        }
    });
    (lines.into_iter().map(|(_, line)| line.stm).collect(), block.stms.remove(0))
}

/// The array that an update replaces scalars of, and the subscripts of the rows and columns that its values read beside.
fn lines_of(program: &Program, stm: &Stm) -> Option<(Var, Vec<Vec<Atom>>)> {
    let array = updated(stm)?;
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let lines = moves::of(bulk)?.lines(array)?;
    (!lines.is_empty() && !places::are_own(program, bulk)).then_some((array, lines))
}

/// The only array of which an update replaces elements.
fn updated(stm: &Stm) -> Option<Var> {
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let [Output { kind: Kind::Update { arrays, skip: false, rec }, .. }] = &bulk.outputs[..] else { return None };
    let [array] = arrays[..] else { return None };
    rec.is_empty().then_some(array)
}

/// A copy of what is read at some subscripts.
struct Line {
    stm: Stm,
    /// What reads it.
    read: Exp,
}

impl Line {
    /// A copy of the array at these subscripts, with a dimension for each loop that moves one of them.
    fn new(program: &mut Program, moves: &Moves<'_>, array: Var, at: &[Atom], update: &Stm) -> Line {
        let span = update.span;
        let Some(prim) = program.ty(array).prim() else { base::bug!("an array has elements") };
        let mut new = |name: &str, ty: Type| program.vars.push(VarInfo::new(Name::new(name), ty));
        let bind = |var: Var, exp: Exp| Stm { vars: vec![var], certs: Vec::new(), exp, span };
        let (mut loops, mut counters, mut stms, mut place) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for at in at {
            let Some(moved) = moves.moved(*at) else {
                place.push(*at);
                continue;
            };
            let counter = new("i", Type::I64);
            counters.push(Atom::Var(moved.counter));
            loops.push((counter, moved.count));
            place.push(match moved.subscript {
                None => counter.into(),
                Some(subscript) => {
                    let var = new("t", Type::I64);
                    stms.push(bind(var, with_counter(subscript, moved.counter, counter)));
                    var.into()
                }
            });
        }
        let value = new("x", Type::Scalar(prim));
        stms.push(Stm { certs: certs_of(update, array, at), ..bind(value, Exp::Index(array, place)) });
        if loops.is_empty() {
            return Line { stm: stms.remove(0), read: Exp::Atom(value.into()) };
        }
        let dims: Vec<Dim> = loops.iter().map(|(_, count)| Dim::Size(*count)).collect();
        let line = new("line", Type::array(prim, dims.clone()));
        let elem = new("x", Type::Scalar(prim));
        let exp = filled(dims, &loops, elem, Block { stms, result: vec![value.into()] }, span);
        Line { stm: bind(line, exp), read: Exp::Index(line, counters) }
    }
}

/// The checks that reads of an array at these subscripts rely on.
fn certs_of(update: &Stm, array: Var, wanted: &[Atom]) -> Vec<Var> {
    let mut found = update.certs.clone();
    update.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Index(of, at), certs, .. }) = part
            && *of == array
            && at == wanted
        {
            found.extend(certs);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// A subscript with another counter.
fn with_counter(subscript: &Exp, old: Var, new: Var) -> Exp {
    let renamed = |atom: &Atom| if *atom == Atom::Var(old) { Atom::Var(new) } else { *atom };
    match subscript {
        Exp::Bin(op, prim, a, b) => Exp::Bin(*op, *prim, renamed(a), renamed(b)),
        Exp::Atom(atom) => Exp::Atom(renamed(atom)),
        _ => base::bug!("a subscript is a sum"),
    }
}

/// An array of a value for each turn of a nest.
fn filled(shape: Vec<Dim>, loops: &[(Var, Atom)], elem: Var, value: Block, span: Span) -> Exp {
    let at = loops.iter().map(|(counter, _)| Atom::Var(*counter)).collect();
    let emit = Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span });
    let step = loops.iter().rev().fold(emit, |inner, (var, count)| Step::For {
        var: *var,
        count: *count,
        mark: Mark::Open,
        body: vec![inner],
    });
    let kind = Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
    let outputs = vec![Output { kind, sizes: Vec::new(), elems: vec![elem] }];
    Exp::Bulk(Bulk { outputs, steps: vec![step], scheduled: false })
}
