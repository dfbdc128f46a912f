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

use ir::{Atom, Block, Bulk, Exp, Kind, Stm, Var};

/// The array whose memory a variable of a block has: the earliest one, as far as the statements of the block say.
pub fn root(block: &Block, var: Var) -> Var {
    block.stms.iter().rev().fold(var, |at, stm| before(stm, at).unwrap_or(at))
}

/// Whether the variable of a loop with this number keeps its memory in every turn.
pub fn stays(params: &[(Var, Atom)], body: &Block, number: usize) -> bool {
    body.result[number].var().is_some_and(|result| root(body, result) == params[number].0)
}

/// The array whose memory the result of a statement has.
fn before(stm: &Stm, var: Var) -> Option<Var> {
    let number = stm.vars.iter().position(|bound| *bound == var)?;
    match &stm.exp {
        Exp::Retype(from) | Exp::Atom(Atom::Var(from)) => Some(*from),
        Exp::Bulk(bulk) => updated(bulk, number),
        Exp::Loop { params, body, .. } if stays(params, body, number) => params[number].1.var(),
        Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => {
            let [one, other] = [then, otherwise].map(|block| Some(root(block, block.result[number].var()?)));
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
