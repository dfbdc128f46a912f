//! Which steps give values to an output, and where.

use ir::{Atom, Block, Bulk, Dim, Emit, Output, Program, Scan, Step, Var};

/// All values that steps give.
pub fn all(steps: &[Step]) -> Vec<&Emit> {
    steps
        .iter()
        .flat_map(|step| match step {
            Step::Emit(emit) => vec![emit],
            Step::For { body, .. } | Step::Guard(_, body) => all(body),
            Step::Let(_) | Step::Scan(_) => Vec::new(),
        })
        .collect()
}

/// All running combinations in steps.
pub fn scans(steps: &[Step]) -> Vec<&Scan> {
    steps
        .iter()
        .flat_map(|step| match step {
            Step::Scan(scan) => vec![scan],
            Step::For { body, .. } | Step::Guard(_, body) => scans(body),
            Step::Let(_) | Step::Emit(_) => Vec::new(),
        })
        .collect()
}

/// Whether there are running combinations in loops of steps.
pub fn scans_in_loops(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { body, .. } => !scans(body).is_empty(),
        Step::Guard(_, body) => scans_in_loops(body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    })
}

/// How many steps give values to an output.
pub fn count(steps: &[Step], output: usize) -> usize {
    all(steps).iter().filter(|emit| emit.output == output).count()
}

/// Whether a loop gives values to an output.
pub fn in_loop(steps: &[Step], output: usize) -> bool {
    steps.iter().any(|step| match step {
        Step::For { body, .. } => count(body, output) > 0,
        Step::Guard(_, body) => in_loop(body, output),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    })
}

/// Whether steps give exactly one value to an output.
pub fn exactly_one(steps: &[Step], output: usize) -> bool {
    let direct = steps.iter().any(|step| matches!(step, Step::Emit(emit) if emit.output == output));
    direct && count(steps, output) == 1
}

/// The value that steps give if they only bind what it needs, together with what they bind.
pub fn value(steps: &[Step]) -> Option<Block> {
    let (Step::Emit(emit), lets) = steps.split_last()? else { return None };
    let mut stms = Vec::new();
    for step in lets {
        let Step::Let(stm) = step else { return None };
        stms.push(stm.clone());
    }
    stms.extend(emit.value.stms.iter().cloned());
    Some(Block { stms, result: emit.value.result.clone() })
}

/// The only value that steps give, unless guards may leave it out.
pub fn only(steps: &[Step]) -> Option<&Emit> {
    match steps.last()? {
        Step::For { body, .. } => only(body),
        Step::Emit(emit) => Some(emit),
        Step::Let(_) | Step::Guard(..) | Step::Scan(_) => None,
    }
}

/// Whether the steps are loops inside loops over the whole shape, in order, around one value at the loops' indices.
pub fn in_order(shape: &[Dim], bulk: &Bulk) -> bool {
    let mut steps = &bulk.steps[..];
    let mut indices = Vec::new();
    loop {
        let mut rest = steps.iter().filter(|s| !matches!(s, Step::Let(_)));
        match (rest.next(), rest.next()) {
            (Some(Step::For { var, count, body, .. }), None) => {
                if shape.get(indices.len()) != Some(&Dim::Size(*count)) {
                    return false;
                }
                indices.push(Atom::Var(*var));
                steps = body;
            }
            (Some(Step::Emit(emit)), None) => return indices.len() == shape.len() && emit.at == indices,
            (_, _) => return false,
        }
    }
}

/// The dimensions of a value around the one that has this size.
pub fn around_size(program: &Program, size: Var, output: &Output) -> Vec<Dim> {
    for elem in &output.elems {
        let dims = program.ty(*elem).dims();
        if let Some(at) = dims.iter().position(|d| *d == Dim::Size(Atom::Var(size))) {
            return dims[..at].to_vec();
        }
    }
    Vec::new()
}

/// Whether a dimension mentions one of these.
pub fn mentions(dim: &Dim, sizes: &[Var]) -> bool {
    match dim {
        Dim::Size(atom) => atom.var().is_some_and(|v| sizes.contains(&v)),
        Dim::Jagged(v) | Dim::Shape(v) => sizes.contains(v),
    }
}
