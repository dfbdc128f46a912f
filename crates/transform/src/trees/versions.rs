//! Loops inside of bulk forms of which nobody knows how long they are: long ones have lanes, short ones do not.
//!
//! ```text
//! let s: f32 = bulk {                          let long: bool = m >= 64
//!   out reduce of (x: f32) ..                  let s: f32 = if long {
//!   for k < m { emit .. }               =>       let s.1: f32 = bulk { out reduce of (x.1: f32) in blocks 4096 lanes 16 chains 2 .. }
//! }                                              => s.1
//!                                              } else {
//!                                                ..as it was..
//!                                              }
//! ```

use crate::write::Writer;
use analysis::cost;
use ir::rename::{Substitution, copy_block};
use ir::traverse::ListMut;
use ir::tree::{identities, is_exact};
use ir::{Atom, Block, Bulk, Chunks, Exp, Kind, Output, Program, Step, Stm, Tree};
use scalar::{BinOp, Prim};

/// The lanes of long loops.
const LANES: Chunks = Chunks { block: 4096, lanes: 16, chains: 2, loops: 1 };
/// A loop of at least so many turns gains from lanes.
const LONG: i64 = 64;
/// The largest form of which there are two versions, in statements.
const LARGEST: usize = 30;

/// Makes two versions of such loops in a block, which is not inside of a bulk form.
pub(super) fn by_length(program: &mut Program, block: &mut Block) {
    for stm in &mut block.stms {
        let in_form = matches!(stm.exp, Exp::Bulk(_));
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Steps(steps) => Step::replace_stms(steps, &mut |stm| versions(program, stm)),
            ListMut::Block(inner) if in_form => inner.replace_stms(&mut |stm| versions(program, stm)),
            ListMut::Block(inner) => by_length(program, inner),
        });
    }
}

fn versions(program: &mut Program, stm: Stm) -> Vec<Stm> {
    let Some(count) = unknown_length(&stm) else { return vec![stm] };
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let long = writer.truth(BinOp::Ge, Prim::I64, count, Atom::size(LONG));
    let mut stms = writer.taken();
    let result: Vec<Atom> = stm.vars.iter().copied().map(Atom::Var).collect();
    let as_it_was = Block { stms: vec![stm.clone()], result };
    let mut in_lanes = as_it_was.clone();
    if let Exp::Bulk(bulk) = &mut in_lanes.stms[0].exp {
        bulk.outputs.iter_mut().for_each(give_lanes);
    }
    let [then, otherwise] =
        [in_lanes, as_it_was].map(|block| copy_block(&mut program.vars, &block, Substitution::default()));
    stms.push(Stm { exp: Exp::If(long, then, otherwise), ..stm });
    stms
}

/// The number of turns of a loop that combines numbers and whose length is not known.
fn unknown_length(stm: &Stm) -> Option<Atom> {
    let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
    let [Step::For { count, body, .. }] = &steps[..] else { return None };
    let simple = body.iter().all(|step| match step {
        Step::Let(stm) => stm.exp.is_simple(),
        Step::Emit(emit) => emit.value.stms.iter().all(|stm| stm.exp.is_simple()),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) => false,
    });
    let gains = outputs.iter().any(|output| matches!(&output.kind, Kind::Reduce { op, .. } if !is_exact(op)));
    let fits = count.var().is_some()
        && simple
        && gains
        && outputs.iter().all(is_fit)
        && cost::cycles(body) < super::COSTLY
        && cost::statements(stm) <= LARGEST;
    fits.then_some(*count)
}

fn is_fit(output: &Output) -> bool {
    matches!(&output.kind, Kind::Reduce { op, tree, .. } if is_exact(op) || tree.chunks().is_some() && identities(op).is_some())
}

fn give_lanes(output: &mut Output) {
    if let Kind::Reduce { op, tree: tree @ Tree::Chunks(_), .. } = &mut output.kind
        && !is_exact(op)
    {
        *tree = Tree::Chunks(LANES);
    }
}
