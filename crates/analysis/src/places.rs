//! Updates that need not wait: no two values go to one place, and each reads of the arrays that it changes at most the
//! element that it replaces. So a value can be written as soon as it is computed, in any order.
//!
//! ```text
//! out update (a) of (x: f64)
//! for i < n {
//!   for j < m {
//!     let k = j + 1
//!     emit [i, k] { let y = a[i, k]; let z = y * 2.0; => z }
//! ```

use base::Map;
use ir::moves;
use ir::traverse::Part;
use ir::{Atom, Bulk, Exp, Kind, Program, Stm, Var};

/// Whether an update of scalars is of this kind.
pub fn are_own(program: &Program, bulk: &Bulk) -> bool {
    let [output] = &bulk.outputs[..] else { return false };
    let Kind::Update { arrays, rec, .. } = &output.kind else { return false };
    let scalars = output.elems.iter().all(|elem| program.ty(*elem).dims().is_empty());
    let Some(moves) = moves::of(bulk) else { return false };
    rec.is_empty() && scalars && reads_own(bulk, arrays, &moves.emit.at)
}

/// Whether arrays are read at these subscripts alone, and not mentioned otherwise.
fn reads_own(bulk: &Bulk, arrays: &[Var], at: &[Atom]) -> bool {
    let mentions = mentions_of(bulk, at);
    arrays.iter().all(|array| mentions.get(array).is_none_or(|mentions| mentions.own == mentions.all))
}

/// Whether a form reads an array at these subscripts.
pub fn reads_at(bulk: &Bulk, array: Var, at: &[Atom]) -> bool {
    mentions_of(bulk, at).get(&array).is_some_and(|mentions| mentions.own > 0)
}

/// The arrays that a form reads at these subscripts alone, and does not mention otherwise.
pub fn read_at(bulk: &Bulk, at: &[Atom]) -> Vec<Var> {
    let mentions = mentions_of(bulk, at);
    let mut arrays: Vec<Var> =
        mentions.iter().filter(|(_, mentions)| mentions.own == mentions.all).map(|(var, _)| *var).collect();
    arrays.sort_unstable();
    arrays
}

/// The variables that the steps of a form mention.
pub fn mentioned(bulk: &Bulk) -> Vec<Var> {
    let mut vars: Vec<Var> = mentions_of(bulk, &[]).into_keys().collect();
    vars.sort_unstable();
    vars
}

/// How often the steps of a form mention a variable, and how often to read it at some subscripts.
#[derive(Clone, Copy, Default)]
struct Mentions {
    all: usize,
    own: usize,
}

fn mentions_of(bulk: &Bulk, at: &[Atom]) -> Map<Var, Mentions> {
    let mut mentions: Map<Var, Mentions> = Map::default();
    for step in &bulk.steps {
        step.walk(&mut |part| match part {
            Part::Stm(Stm { exp: Exp::Index(array, indices), .. }) if indices == at => {
                mentions.entry(*array).or_default().own += 1;
            }
            Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions.entry(*var).or_default().all += 1,
            Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
        });
    }
    mentions
}
