//! When merging is worth it.

use analysis::cost::heavy_lets;
use analysis::ways::{self, way, worthwhile};
use base::{Map, Set};
use ir::nest::levels;
use ir::traverse::Part;
use ir::{Atom, Bulk, Exp, Kind, Output, Program, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// A form with more statements than this is merged with no other: its loop would need more registers than there are, and
/// compiling would take long.
const LARGEST: usize = 300;
/// Nor is one with more outputs than this.
const MOST_OUTPUTS: usize = 12;
/// What a turn may compute twice, in cycles, where only a loop is saved and no array.
const LITTLE: usize = 24;

/// Whether two forms are small enough to become one.
pub(super) fn fit_together(first: &Stm, second: &Stm) -> bool {
    size(first) + size(second) <= LARGEST && outputs(first) + outputs(second) <= MOST_OUTPUTS
}

/// How many statements there are in one.
pub(super) fn size(stm: &Stm) -> usize {
    let mut count = 0;
    stm.walk(&mut |part| count += usize::from(matches!(part, Part::Stm(_))));
    count
}

fn outputs(stm: &Stm) -> usize {
    match &stm.exp {
        Exp::Bulk(bulk) => bulk.outputs.len(),
        _ => 0,
    }
}

/// Whether two loops read elements of one array in the same turns.
pub(super) fn share_input(first: &[Step], second: &[Step]) -> bool {
    let inputs = inputs(first);
    !inputs.is_empty() && !inputs.is_disjoint(&self::inputs(second))
}

/// An array with the indices before that of a loop, and how far from the turn that is.
type Input = (Var, Vec<Atom>, Shift);

/// What is added to the number of a turn, or subtracted, one after the other.
type Shift = Vec<(BinOp, Atom)>;

/// What steps read at the index of the last loop, or so many elements before or after.
fn inputs(steps: &[Step]) -> Set<Input> {
    let mut found = Set::default();
    if let Some(step @ Step::For { var: index, .. }) = steps.last() {
        let mut shifts: Map<Atom, Shift> = Map::from_iter([(Atom::Var(*index), Shift::new())]);
        step.walk(&mut |part| {
            let Part::Stm(stm) = part else { return };
            match &stm.exp {
                Exp::Bin(op @ (BinOp::Add | BinOp::Sub), Prim::I64, a, b) => {
                    let shift = shifted(&shifts, *op, *a, *b);
                    shifts.extend(shift.map(|shift| (Atom::Var(stm.vars[0]), shift)));
                }
                Exp::Index(array, at) => {
                    let place =
                        at.iter().enumerate().find_map(|(place, atom)| Some((place, shifts.get(atom)?.clone())));
                    found.extend(place.map(|(place, shift)| (*array, at[..place].to_vec(), shift)));
                }
                _ => {}
            }
        });
    }
    found
}

/// How far a sum or difference is from the number of a turn.
fn shifted(shifts: &Map<Atom, Shift>, op: BinOp, a: Atom, b: Atom) -> Option<Shift> {
    let (from, by) = match (shifts.get(&a), shifts.get(&b)) {
        (Some(shift), None) => (shift, b),
        (None, Some(shift)) if op == BinOp::Add => (shift, a),
        _ => return None,
    };
    let mut shift = from.clone();
    shift.push((op, by));
    Some(shift)
}

/// Whether it can be good that a form combines values with elements and does something else, too. It runs on several threads only if
/// there are few elements for its turns; so that must be known, or nearly all time goes into what is computed once now.
pub(super) fn few_elements_or_heavy(program: &Program, stm: &Stm) -> bool {
    let Exp::Bulk(bulk) = &stm.exp else { return true };
    let combines = |output: &Output| matches!(output.kind, Kind::Accum { .. });
    let mut combined = bulk.outputs.iter().filter(|output| combines(output));
    bulk.outputs.len() < 2 || heavy_lets(&bulk.steps) || combined.all(|output| ways::has_few_elements(program, output))
}

/// Whether a form that was merged computes much twice although it makes all arrays that were made before, apart from `gone`.
pub(super) fn repeats_for_nothing(program: &Program, stm: &Stm, gone: &[Var]) -> bool {
    let Exp::Bulk(bulk) = &stm.exp else { return false };
    let saves = gone.iter().any(|var| program.ty(*var).is_array());
    !saves && ways::repeated_cycles(program, bulk) > LITTLE
}

/// Whether several threads can run a form.
pub(super) fn runs_parallel(program: &Program, stm: &Stm) -> bool {
    parallel_loops(program, stm) > 0
}

/// Over how many loops, one directly in the other, a form can run on several threads.
pub(super) fn parallel_loops(program: &Program, stm: &Stm) -> usize {
    match &stm.exp {
        Exp::Bulk(bulk) if is_parallel(program, bulk) => {
            let nests = bulk.steps.iter().map(|step| worthwhile(&levels(step)));
            nests.max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Whether several threads can run a form. Its running combinations will cut as many loops as they can (`trees.rs`).
fn is_parallel(program: &Program, bulk: &Bulk) -> bool {
    if analysis::emits::scans(&bulk.steps).is_empty() {
        return way(program, bulk, true).is_parallel();
    }
    let mut bulk = bulk.clone();
    ways::cut(&mut bulk);
    way(program, &bulk, true).is_parallel()
}
