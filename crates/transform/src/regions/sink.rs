//! Marks that only one version of a form needs are made in that version.
//!
//! ```text
//! let marks = bulk { .. }                          let xs = choose t {
//! let xs = choose t {                                .. each element chooses ..
//!   .. each element chooses ..            =>       } or {
//! } or {                                             let marks = bulk { .. }
//!   bulk { .. marks[i] .. }                          bulk { .. marks[i] .. }
//! }                                                }
//! ```
//!
//! Checks of the marks move along, and only past what cannot fail.

use super::copied::changes;
use base::{Map, Set};
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Exp, Kind, Program, Stm, Var};

/// Moves arrays into the second version of these statements, by the first variables that they bind, where nothing else uses them.
pub(super) fn into_versions(program: &Program, body: &mut Block, versions: &Set<Var>) {
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| count(&part, &mut uses));
    in_block(program, body, versions, &uses);
    body.walk_mut(&mut |part| {
        if let PartMut::Block(block) = part {
            in_block(program, block, versions, &uses);
        }
    });
}

fn in_block(program: &Program, block: &mut Block, versions: &Set<Var>, uses: &Map<Var, usize>) {
    let mut place = 0;
    while place < block.stms.len() {
        let is_version = block.stms[place].vars.first().is_some_and(|var| versions.contains(var));
        if is_version && let Exp::Choose(_, _, second) = &mut block.stms[place].exp {
            let mut second = std::mem::take(second);
            place -= sink(program, block, place, &mut second, uses);
            if let Exp::Choose(_, _, empty) = &mut block.stms[place].exp {
                *empty = second;
            }
        }
        place += 1;
    }
}

/// Moves what only a version uses from the statements before it into it; how many these are.
fn sink(program: &Program, block: &mut Block, place: usize, version: &mut Block, uses: &Map<Var, usize>) -> usize {
    let mut inside: Map<Var, usize> = Map::default();
    version.walk(&mut |part| count(&part, &mut inside));
    let mut moved = 0;
    for number in (0..place).rev() {
        let stm = &block.stms[number];
        let only_here = |var: &Var| inside.contains_key(var) && inside.get(var) == uses.get(var);
        if is_of_marks(stm) && stm.vars.iter().all(only_here) {
            let stm = block.stms.remove(number);
            count_in(&stm, &mut inside);
            version.stms.insert(0, stm);
            moved += 1;
        } else if stm.can_fail() || changes(program, stm) {
            break;
        }
    }
    moved
}

/// Whether a statement makes an array from sizes alone, or from the array that it consumes.
fn is_of_marks(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Reshape(_) => true,
        Exp::Bulk(bulk) => bulk.outputs.iter().all(|output| match &output.kind {
            Kind::Gen { .. } => !reads(stm),
            Kind::Accum { .. } => true,
            Kind::Update { .. } | Kind::Reduce { .. } | Kind::Keep => false,
        }),
        _ => false,
    }
}

fn reads(stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| found |= matches!(part, Part::Use(_)));
    found
}

fn count_in(stm: &Stm, uses: &mut Map<Var, usize>) {
    stm.walk(&mut |part| count(&part, uses));
}

fn count(part: &Part<'_>, uses: &mut Map<Var, usize>) {
    if let Part::Use(var) | Part::Atom(Atom::Var(var)) = *part {
        *uses.entry(*var).or_default() += 1;
    }
}
