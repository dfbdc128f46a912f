//! Changes of functions that stay only if the verifier can follow them.
//!
//! The verifier proves that elements are there and divisors are not zero. It may find no proof for what a pass makes, although
//! there was one before: one check before a nest may be all that says that elements are there, and the pass goes through them in
//! another order; or a proof takes more steps than before. Then the change is taken back.

use base::Span;
use ir::{Block, FunId, Program, Remark, Stm, Topic};

/// Gives a function a new body if the rules hold of it. Returns whether they do.
pub(crate) fn body(program: &mut Program, fun: FunId, new: Block) -> bool {
    let original = std::mem::replace(&mut program.functions[fun].body, new);
    let is_right = ir::verify::broken(program, fun).is_none();
    if !is_right {
        program.functions[fun].body = original;
    }
    is_right
}

/// Replaces statements of a function; `change` notes the places of those that it changes. If there are any, and the rules hold of
/// what it makes, remarks say what was done.
pub(crate) fn stms(
    program: &mut Program,
    fun: FunId,
    (topic, text): (Topic, &str),
    mut change: impl FnMut(&mut Program, Stm, &mut Vec<Span>) -> Vec<Stm>,
) {
    let mut new = program.functions[fun].body.clone();
    let mut changed = Vec::new();
    new.replace_stms(&mut |stm| change(program, stm, &mut changed));
    if !changed.is_empty() && body(program, fun, new) {
        changed.into_iter().for_each(|span| program.functions[fun].remark(Remark::done(topic, span, text)));
    }
}
