//! Arrays whose rows are combined: by a reduction, a scan, or in the elements of a histogram.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, Program, Step, Stm, Var};

/// The arrays of a function whose only use is one that combines their rows.
pub(super) fn combined_rows(program: &Program, body: &Block) -> Set<Var> {
    let mut found = Set::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) = part {
            in_steps(program, bulk, &bulk.steps, &mut found);
        }
    });
    let uses: Map<Var, usize> = uses(program, |f| body.walk(f));
    found.retain(|array| uses.get(array) == Some(&1));
    found
}

fn in_steps(program: &Program, bulk: &Bulk, steps: &[Step], found: &mut Set<Var>) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => in_steps(program, bulk, body, found),
            Step::Let(_) => {}
            Step::Scan(scan) => found.extend(rows_read(program, &scan.value)),
            Step::Emit(emit) if combines(bulk, emit) => found.extend(rows_read(program, &emit.value)),
            Step::Emit(_) => {}
        }
    }
}

/// Whether values go into a combination.
fn combines(bulk: &Bulk, emit: &Emit) -> bool {
    matches!(bulk.outputs[emit.output].kind, Kind::Reduce { .. } | Kind::Accum { .. })
}

/// The arrays of which a value is a row.
fn rows_read(program: &Program, value: &Block) -> Vec<Var> {
    let row_of = |stm: &Stm| match &stm.exp {
        Exp::Index(array, at) if at.len() < program.ty(*array).dims().len() => Some(*array),
        _ => None,
    };
    value.stms.iter().filter_map(row_of).collect()
}

/// How often each variable is used in what a function walks over, types included.
pub(super) fn uses(program: &Program, walk: impl FnOnce(&mut dyn FnMut(Part<'_>))) -> Map<Var, usize> {
    let mut uses: Map<Var, usize> = Map::default();
    walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| *uses.entry(var).or_default() += 1),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    uses
}
