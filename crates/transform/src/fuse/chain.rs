//! Where a bulk form gives the elements that another one reads.

use ir::{Atom, Bulk, Coverage, Dim, Emit, Kind, Output, Step, Var};

/// The loops of a form around the values of some of its outputs, from the outside in: each directly in the one before.
#[derive(Default)]
pub(super) struct Chain {
    /// Indices and counts.
    pub loops: Vec<(Var, Atom)>,
    /// What the outputs bind, and where their values are.
    pub arrays: Vec<Produced>,
}

/// An array that a form makes, or the descriptor of one whose rows differ in length.
pub(super) struct Produced {
    /// The array or descriptor.
    pub array: Var,
    /// How many loops of the chain are around its values: as many as there are subscripts.
    pub depth: usize,
    /// The value: an element, a row, or the length of a row. Its statements are bindings before it ([`super::settle::lift`]).
    pub value: Atom,
}

impl Chain {
    /// The chain to the values of these arrays; none if they are not all values at the indices of loops.
    pub fn to(vars: &[Var], bulk: &Bulk, wanted: &[Var]) -> Option<Chain> {
        let mut chain = Chain::default();
        let mut rest = vars;
        for (number, output) in bulk.outputs.iter().enumerate() {
            let (bound, more) = rest.split_at(output.bound());
            rest = more;
            if bound.iter().any(|var| wanted.contains(var)) {
                let extents = extents(output)?;
                let (loops, emit) = the_value(&bulk.steps, number)?;
                let at_indices = emit.at.iter().copied().eq(loops.iter().map(|(var, _)| Atom::Var(*var)));
                if !at_indices || !extents.iter().eq(loops.iter().map(|(_, count)| count)) {
                    return None;
                }
                chain.include(&loops)?;
                let produced = bound.iter().zip(&emit.value.result);
                let depth = loops.len();
                chain.arrays.extend(produced.map(|(array, value)| Produced { array: *array, depth, value: *value }));
            }
        }
        Some(chain)
    }

    /// All outputs lie on one chain.
    fn include(&mut self, loops: &[(Var, Atom)]) -> Option<()> {
        if loops.len() > self.loops.len() {
            if !loops.starts_with(&self.loops) {
                return None;
            }
            self.loops = loops.to_vec();
        }
        self.loops.starts_with(loops).then_some(())
    }

    /// The array of this name.
    pub fn find(&self, var: Var) -> Option<&Produced> {
        self.arrays.iter().find(|produced| produced.array == var)
    }
}

/// The extents of a new array of which each element is one value, all of them defined.
fn extents(output: &Output) -> Option<Vec<Atom>> {
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    rec.is_empty().then_some(())?;
    let extent = |dim: &Dim| match dim {
        Dim::Size(extent) => Some(*extent),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    };
    shape.iter().map(extent).collect()
}

/// The only value of an output and the loops around it, if nothing else is around it.
fn the_value(steps: &[Step], output: usize) -> Option<(Vec<(Var, Atom)>, &Emit)> {
    if analysis::emits::count(steps, output) != 1 {
        return None;
    }
    let mut loops = Vec::new();
    let mut list = steps;
    loop {
        let mut inner = None;
        for step in list {
            match step {
                Step::Emit(emit) if emit.output == output => return Some((loops, emit)),
                Step::For { var, count, body, .. } if analysis::emits::count(body, output) == 1 => {
                    inner = Some((*var, *count, body));
                }
                Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {}
            }
        }
        let (var, count, body) = inner?;
        loops.push((var, count));
        list = body;
    }
}
