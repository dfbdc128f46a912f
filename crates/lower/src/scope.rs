//! Blocks of Core as blocks of Kernel: when buffers are released.
//!
//! A buffer that is made in a block belongs to that block. After every item (statement or step) of the block, those of
//! its buffers are released that no later item and no result mentions. A buffer is mentioned by mentioning any Core
//! variable that refers to it: all views of it do, since a view is the same Kernel variable with another offset.
//! Results of calls, branches and loops are counted references, so each has a buffer variable of its own;
//! [`crate::builder::alias`] records that two variables may be the same memory.

use crate::builder::Builder;
use crate::builder::blocks::Outcome;
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Rep;
use analysis::mentions::Mentions;
use base::Map;
use ir::{Atom, Block, Region};
use kernel::Var as K;

/// Lowers items in the innermost block and releases what is not needed any more after each.
pub(crate) fn items<'p, T>(
    cx: &mut Lower<'p>,
    items: &[T],
    result: &[Atom],
    mention: impl Fn(&mut Mentions<'p>, &T),
    mut each: impl FnMut(&mut Lower<'p>, &T) -> Low<()>,
) -> Low<()> {
    let mut last_use = Map::default();
    for (i, item) in items.iter().enumerate() {
        let mut mentions = Mentions::from_outside(cx.src, cx.outside.clone());
        mention(&mut mentions, item);
        last_use.extend(mentions.found.into_iter().map(|v| (v, i)));
    }
    last_use.extend(result.iter().filter_map(|a| a.var()).map(|v| (v, items.len())));
    let scope = cx.code.innermost();
    scope.last_use = last_use;
    let earlier = scope.owned.clone();
    for (i, item) in items.iter().enumerate() {
        each(cx, item)?;
        release_dead(cx, i, &earlier);
    }
    Ok(())
}

/// Releases what the items up to number `done` needed and no later one does. What the block had before its items
/// is not theirs.
fn release_dead(cx: &mut Builder<'_>, done: usize, earlier: &[K]) {
    let homes = &cx.homes;
    let scope = cx.code.innermost();
    let needed = |buffer: &K| homes.is_used(*buffer, |v| scope.last_use.get(v).is_some_and(|last| *last > done));
    let dead: Vec<K> = scope.owned.iter().filter(|b| !needed(b) && !earlier.contains(b)).copied().collect();
    dead.into_iter().for_each(|b| cx.code.release(b));
}

/// Opens a block of its own for the statements of a Core block, which it lowers, and returns the results. It stays
/// open, so that the results can be used before everything is released.
pub(crate) fn open_block(cx: &mut Lower<'_>, block: &Block) -> Low<Vec<Rep>> {
    cx.code.open();
    stms_of(cx, block)?;
    Ok(cx.homes.atoms(&block.result))
}

/// Lowers the statements of a block into the innermost block.
pub(crate) fn stms_of(cx: &mut Lower<'_>, block: &Block) -> Low<()> {
    items(cx, &block.stms, &block.result, |m, stm| m.stm(stm), |cx, stm| (cx.lower_stm)(cx, stm))
}

/// Lowers a block and writes the code that uses its results; then everything else in it is released.
pub(crate) fn with_block<R: Outcome>(
    cx: &mut Lower<'_>,
    block: &Block,
    then: impl FnOnce(&mut Lower<'_>, Vec<Rep>) -> R,
) -> Low<()> {
    let reps = open_block(cx, block)?;
    then(cx, reps).low()?;
    cx.code.close_inline();
    Ok(())
}

/// Applies an operator to the components of two values, and writes the code that uses its results.
pub(crate) fn with_op<R: Outcome>(
    cx: &mut Lower<'_>,
    op: &Region,
    left: Vec<Rep>,
    right: Vec<Rep>,
    then: impl FnOnce(&mut Lower<'_>, Vec<Rep>) -> R,
) -> Low<()> {
    op.params.iter().zip(left.into_iter().chain(right)).for_each(|(param, arg)| cx.homes.bind(*param, arg));
    with_block(cx, &op.body, then)
}
