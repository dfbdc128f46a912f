//! Which arrays are one after the other in the same memory: updates, branches and loops hand on the memory that they
//! change.
//!
//! ```text
//! let a: [n]f64 = copy xs
//! let b: [n]f64 = loop (p: [n]f64 = a) for t < k {
//!   let q: [n]f64 = bulk { out update (p) .. }                b has the memory of a: each turn changes p in place
//!   => q
//! }
//! ```

use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Kind, Stm, Var};

/// The array whose memory a variable of a block has: the earliest one, as far as the statements of the block say.
pub fn root(block: &Block, var: Var) -> Var {
    root_and_checks(block, var, &mut Vec::new())
}

/// The same where it surely has as many elements as the variable: an array is of another type only by checks that are made
/// before there is the first of these arrays.
pub fn root_of_same_size(block: &Block, var: Var) -> Option<Var> {
    let mut checks = Vec::new();
    let root = root_and_checks(block, var, &mut checks);
    let mut later = false;
    block.stms.iter().skip_while(|stm| !stm.vars.contains(&root)).for_each(|stm| {
        stm.walk(&mut |part| later |= matches!(part, Part::Bind(cert) if checks.contains(cert)));
    });
    (!later).then_some(root)
}

/// The root of a variable. Adds the checks that arrays on the way have their types by.
fn root_and_checks(block: &Block, var: Var, checks: &mut Vec<Var>) -> Var {
    block.stms.iter().rev().fold(var, |at, stm| before(stm, at, checks).unwrap_or(at))
}

/// Whether the variable of a loop with this number keeps its memory in every turn.
pub fn stays(params: &[(Var, Atom)], body: &Block, number: usize) -> bool {
    stays_by(params, body, number, &mut Vec::new())
}

fn stays_by(params: &[(Var, Atom)], body: &Block, number: usize, checks: &mut Vec<Var>) -> bool {
    body.result[number].var().is_some_and(|result| root_and_checks(body, result, checks) == params[number].0)
}

/// The array whose memory the result of a statement has.
fn before(stm: &Stm, var: Var, checks: &mut Vec<Var>) -> Option<Var> {
    let number = stm.vars.iter().position(|bound| *bound == var)?;
    match &stm.exp {
        Exp::Atom(Atom::Var(from)) => Some(*from),
        Exp::Retype(from) => {
            checks.extend(&stm.certs);
            Some(*from)
        }
        Exp::Bulk(bulk) => updated(bulk, number),
        Exp::Loop { params, body, .. } if stays_by(params, body, number, checks) => params[number].1.var(),
        Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => {
            let [one, other] =
                [then, otherwise].map(|block| Some(root_and_checks(block, block.result[number].var()?, checks)));
            one.filter(|_| one == other)
        }
        _ => None,
    }
}

/// The array that the result of a bulk form with this number replaces. Only forms that do nothing else are of interest.
fn updated(bulk: &Bulk, number: usize) -> Option<Var> {
    let [output] = &bulk.outputs[..] else { return None };
    match &output.kind {
        Kind::Update { arrays, rec, .. } if rec.is_empty() => arrays.get(number).copied(),
        Kind::Accum { arrays, .. } => arrays.get(number).copied(),
        Kind::Update { .. } | Kind::Gen { .. } | Kind::Reduce { .. } | Kind::Keep => None,
    }
}
