//! Rows that cost next to nothing are made again for each place instead of copied.
//!
//! ```text
//! let row: [m]i64 = bulk { out gen [m] ..; for j < m { emit [j] => 0 } }
//! let xs: [n][m]i64 = bulk { out gen [n] of (x: [m]i64); for i < n { emit [i] => row } }
//! =>
//! let xs: [n][m]i64 = bulk { out gen [n] ..; for i < n { emit [i] { let row = bulk { .. => 0 } => row } } }
//! ```
//!
//! So `replicate n (replicate m 0)` is one nest. A row costs next to nothing if its elements are computed from their indices
//! by at most two operations.

use base::Map;
use ir::rename::{Substitution, copy_block};
use ir::{Atom, Block, Bulk, Emit, Exp, Program, Step, Stm, Type, Var};

/// Elements of at most this many statements cost next to nothing.
const CHEAP: usize = 2;

/// Makes cheap rows where they are stored.
pub(super) fn repeated(program: &mut Program, body: &mut Block) {
    let mut cheap: Map<Var, Stm> = Map::default();
    body.replace_stms(&mut |mut stm| {
        let is_row = is_cheap(program, &stm);
        if let Exp::Bulk(bulk) = &mut stm.exp {
            for_each_emit(&mut bulk.steps, &mut |emit| make_rows(program, &cheap, emit));
        }
        if is_row {
            cheap.insert(stm.vars[0], stm.clone());
        }
        vec![stm]
    });
}

fn make_rows(program: &mut Program, cheap: &Map<Var, Stm>, emit: &mut Emit) {
    for atom in &mut emit.value.result {
        let Some(row) = atom.var().and_then(|var| cheap.get(&var)) else { continue };
        let block = Block { stms: vec![row.clone()], result: vec![row.vars[0].into()] };
        let copy = copy_block(&mut program.vars, &block, Substitution::default());
        emit.value.stms.extend(copy.stms);
        *atom = copy.result[0];
    }
}

/// Whether a statement makes one vector of scalars from its indices alone.
fn is_cheap(program: &Program, stm: &Stm) -> bool {
    let ([var], Exp::Bulk(Bulk { outputs, steps, scheduled: false })) = (&stm.vars[..], &stm.exp) else { return false };
    let ([_], [Step::For { body, .. }]) = (&outputs[..], &steps[..]) else { return false };
    let [Step::Emit(emit)] = &body[..] else { return false };
    let simple =
        |stm: &Stm| matches!(stm.exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..));
    let scalars = emit.value.result.iter().all(|atom| match atom {
        Atom::Var(value) => matches!(program.ty(*value), Type::Scalar(_)),
        Atom::Const(_) => true,
    });
    let few = emit.value.stms.len() <= CHEAP && emit.value.stms.iter().all(simple);
    few && scalars && program.ty(*var).is_array() && !super::row::may_fail(stm)
}

fn for_each_emit(steps: &mut [Step], f: &mut dyn FnMut(&mut Emit)) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => for_each_emit(body, f),
            Step::Emit(emit) => f(emit),
            Step::Let(_) | Step::Scan(_) => {}
        }
    }
}
