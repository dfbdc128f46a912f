//! Loops that are cut, or run, as one.

use super::rule::Rule;
use super::scope::Verifier;
use crate::{Kind, Output, Step, nest};

impl Verifier<'_> {
    /// Loops whose points are turns of a reduction or running combination, and loops that threads share, are a nest.
    pub(super) fn nests(&mut self, steps: &[Step], outputs: &[Output]) {
        for step in steps {
            match step {
                Step::For { body, .. } => {
                    let nest = nest::levels(step).len();
                    let cut = cut_as_one(body, outputs);
                    self.check(cut <= nest, Rule::Tree, || {
                        format!("{cut} loops are cut as one, but only {nest} can be")
                    });
                    let shared = nest::threaded(step);
                    self.check(shared <= nest, Rule::Mark, || {
                        format!("{shared} loops run on threads as one, but only {nest} can")
                    });
                }
                Step::Guard(_, body) => self.nests(body, outputs),
                Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
            }
        }
    }
}

/// How many loops are cut as one by running combinations in the body of the outermost, and by reductions that it gives
/// values to.
fn cut_as_one(body: &[Step], outputs: &[Output]) -> usize {
    let loops = |(number, output): (usize, &Output)| match &output.kind {
        Kind::Reduce { tree, .. } if gives(body, number) => tree.chunks().map(|chunks| chunks.loops as usize),
        Kind::Reduce { .. } | Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => None,
    };
    outputs.iter().enumerate().filter_map(loops).max().unwrap_or(1).max(cut_by_scans(body))
}

fn cut_by_scans(steps: &[Step]) -> usize {
    let loops = steps.iter().map(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => cut_by_scans(body),
        Step::Scan(scan) => scan.tree.chunks().map_or(1, |chunks| chunks.loops as usize),
        Step::Let(_) | Step::Emit(_) => 1,
    });
    loops.max().unwrap_or(1)
}

/// Whether steps give values to an output.
fn gives(steps: &[Step], output: usize) -> bool {
    steps.iter().any(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => gives(body, output),
        Step::Emit(emit) => emit.output == output,
        Step::Let(_) | Step::Scan(_) => false,
    })
}
