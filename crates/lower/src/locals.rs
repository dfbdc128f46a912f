//! Small buffers of constant length that stay in their block become local arrays: no allocation, no counting.
//!
//! ```text
//! var t: []f64                                var t: [3]f64
//! alloc t 3                                   t[0] := x
//! t[0] := x                                   ...
//! ...
//! release t
//! ```
//!
//! A buffer stays in its block if it is only read, stored to and copied from or to.

use base::{Map, Set};
use kernel::walk::for_each_stm;
use kernel::{Arg, Expr, FailArg, Home, Program, Stm, Type, Var};
use scalar::Scalar;

/// The longest local array, in elements. The stack of a thread is small, and functions may call themselves.
const LONGEST: i64 = 64;

/// Makes local arrays in all functions.
pub(crate) fn make(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        let mut found = Map::default();
        candidates(&body, &mut found);
        let leaving = leaving(&body);
        found.retain(|var, _| !leaving.contains(var) && matches!(program.vars[*var].ty, Type::Buffer(_)));
        remove_counting(&mut body, &found);
        found.into_iter().for_each(|(var, count)| program.vars[var].home = Home::Local(count));
        program.functions[id].body = body;
    }
}

/// Buffers that get memory of a constant length in the block that declares them.
fn candidates(stms: &[Stm], found: &mut Map<Var, u32>) {
    let mut declared = Set::default();
    for stm in stms {
        match stm {
            Stm::Declare(var) => {
                declared.insert(*var);
            }
            Stm::Alloc { buffer, count: Expr::Const(Scalar::I64(count)), reuse: None, span: _ }
                if declared.contains(buffer) && (1..=LONGEST).contains(count) =>
            {
                found.insert(*buffer, *count as u32);
            }
            _ => {}
        }
        stm.blocks().into_iter().for_each(|block| candidates(block, found));
    }
}

/// Buffers that are used as a whole, or get their memory more than once.
fn leaving(stms: &[Stm]) -> Set<Var> {
    let (mut leaving, mut allocated) = (Set::default(), Set::default());
    for_each_stm(stms, &mut |stm| match stm {
        Stm::Alloc { buffer, .. } => {
            if !allocated.insert(*buffer) {
                leaving.insert(*buffer);
            }
        }
        Stm::Grow { buffer, .. } | Stm::Trim { buffer, .. } | Stm::Relay { chain: buffer, .. } => {
            leaving.insert(*buffer);
        }
        Stm::Share { to, from } | Stm::Move { to, from } => leaving.extend([*to, *from]),
        Stm::Pack { to, refs, .. } => leaving.extend([to].into_iter().chain(refs)),
        Stm::Fetch { to, from, .. } => leaving.extend([*to, *from]),
        Stm::Call { args, .. } | Stm::Return(args) | Stm::Trace(_, args, _) => {
            leaving.extend(args.iter().filter_map(|arg| match arg {
                Arg::Buffer(var) => Some(*var),
                Arg::Scalar(_) => None,
            }));
        }
        Stm::Fail { args, .. } => leaving.extend(args.iter().filter_map(|arg| match arg {
            FailArg::Numbers { buffer, .. } => Some(*buffer),
            FailArg::Scalar(..) => None,
        })),
        Stm::Let(..)
        | Stm::Declare(_)
        | Stm::Keep(_)
        | Stm::Set(..)
        | Stm::Store { .. }
        | Stm::Release(_)
        | Stm::Copy { .. }
        | Stm::Transpose { .. }
        | Stm::Prefetch(..)
        | Stm::Sort { .. }
        | Stm::Prefix { .. } => {}
        Stm::If(..) | Stm::For { .. } | Stm::While { .. } | Stm::Try { .. } | Stm::Stop(_) => {}
    });
    leaving
}

/// Takes out the statements that allocate and release the memory of local arrays.
fn remove_counting(stms: &mut Vec<Stm>, locals: &Map<Var, u32>) {
    stms.retain(|stm| match stm {
        Stm::Alloc { buffer, .. } | Stm::Release(buffer) => !locals.contains_key(buffer),
        _ => true,
    });
    for stm in stms {
        stm.blocks_mut().into_iter().for_each(|block| remove_counting(block, locals));
    }
}
