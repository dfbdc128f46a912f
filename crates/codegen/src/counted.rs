//! Which parameters a function needs the block of.
//!
//! A buffer is the pointer to its elements and the pointer to the block that counts who refers to it. A function that only
//! reads or writes elements of an argument does not need the block, so its callers do not pass it.

use base::{Map, Set};
use kernel::walk::for_each_stm;
use kernel::{Arg, FunId, Program, Stm, Var};

/// The parameters whose blocks are needed. Entry points get the blocks of all.
pub(crate) fn counted_params(program: &Program) -> Set<Var> {
    let mut counted: Set<Var> =
        program.entries.iter().flat_map(|entry| &program.functions[entry.function].params).copied().collect();
    let mut passed: Map<Var, Vec<(FunId, usize)>> = Map::default();
    for function in program.functions.values() {
        for_each_stm(&function.body, &mut |stm| look_at(stm, &mut counted, &mut passed));
    }
    loop {
        let needs = |(callee, number): &(FunId, usize)| counted.contains(&program.functions[*callee].params[*number]);
        let more: Vec<Var> = passed.iter().filter(|(_, to)| to.iter().any(needs)).map(|(var, _)| *var).collect();
        let before = counted.len();
        counted.extend(more);
        if counted.len() == before {
            return counted;
        }
    }
}

/// The buffers whose blocks a statement needs, and those that it passes to a function.
fn look_at(stm: &Stm, counted: &mut Set<Var>, passed: &mut Map<Var, Vec<(FunId, usize)>>) {
    match stm {
        Stm::Share { to, from } | Stm::Move { to, from } => counted.extend([*to, *from]),
        Stm::Alloc { buffer, reuse, .. } => counted.extend([*buffer].into_iter().chain(*reuse)),
        Stm::Release(buffer) | Stm::Grow { buffer, .. } | Stm::Trim { buffer, .. } => {
            counted.insert(*buffer);
        }
        Stm::Pack { to, refs, words: _, span: _ } => {
            counted.insert(*to);
            counted.extend(refs);
        }
        Stm::Fetch { to: _, from, at: _ } => {
            counted.insert(*from);
        }
        Stm::Return(args) => counted.extend(args.iter().filter_map(buffer_of)),
        Stm::Call { function, args, results: _, span: _ } => {
            for (number, arg) in args.iter().enumerate() {
                if let Some(buffer) = buffer_of(arg) {
                    passed.entry(buffer).or_default().push((*function, number));
                }
            }
        }
        Stm::Let(..)
        | Stm::Declare(_)
        | Stm::Keep(_)
        | Stm::Set(..)
        | Stm::Store { .. }
        | Stm::Copy { .. }
        | Stm::Transpose { .. }
        | Stm::Prefetch(..)
        | Stm::Sort { .. }
        | Stm::Relay { .. }
        | Stm::Prefix { .. }
        | Stm::If(..) => {}
        Stm::For { .. } | Stm::While { .. } | Stm::Fail { .. } | Stm::Try { .. } | Stm::Stop(_) | Stm::Trace(..) => {}
    }
}

fn buffer_of(arg: &Arg) -> Option<Var> {
    match arg {
        Arg::Buffer(var) => Some(*var),
        Arg::Scalar(_) => None,
    }
}
