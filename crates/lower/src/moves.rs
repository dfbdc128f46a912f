//! References that are handed over instead of counted: a buffer that is shared for the last time before it is released.
//!
//! ```text
//! share a = b                                 move a = b
//! ..                                   =>     ..
//! release b
//! ```
//!
//! So a loop alone has the array that it starts with, and its turns can use the memory again.

use base::Set;
use kernel::walk::for_each_stm;
use kernel::{Exprs, Program, Stm, Var};

/// Changes all functions.
pub(crate) fn hand_over(program: &mut Program) {
    for function in program.functions.values_mut() {
        let boxes = opened(&function.body);
        block(&program.exprs, &boxes, &mut function.body);
    }
}

/// The boxes from which something is fetched: what they refer to is used under other names.
pub(crate) fn opened(stms: &[Stm]) -> Set<Var> {
    let mut boxes = Set::default();
    for_each_stm(stms, &mut |stm| {
        if let Stm::Fetch { from, .. } = stm {
            boxes.insert(*from);
        }
    });
    boxes
}

fn block(exprs: &Exprs, boxes: &Set<Var>, stms: &mut Vec<Stm>) {
    stms.iter_mut().flat_map(Stm::blocks_mut).for_each(|inner| block(exprs, boxes, inner));
    for at in 0..stms.len() {
        // Later statements move forward where others are removed.
        let Some(Stm::Share { to, from }) = stms.get(at) else { continue };
        let (to, from) = (*to, *from);
        if !boxes.contains(&from)
            && let Some(release) = next_mention(exprs, &stms[at + 1..], from)
            && matches!(stms[at + 1 + release], Stm::Release(_))
        {
            stms.remove(at + 1 + release);
            stms[at] = Stm::Move { to, from };
        }
    }
}

/// The first statement that mentions a buffer.
fn next_mention(exprs: &Exprs, stms: &[Stm], buffer: Var) -> Option<usize> {
    stms.iter().position(|stm| stm.mentions(exprs, buffer))
}
