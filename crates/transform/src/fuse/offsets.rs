//! A scan that says where a scatter puts its values, or a histogram adds them, becomes one loop with it. What else needs the
//! scan, such as the number of values at its end, is computed by a loop of its own before.
//!
//! ```text
//! let (s, is) = bulk {                              let s = bulk { out gen [n] ..; for i < n { ..; scan z ..; emit [i] => z } }
//!   out gen [n] ..                                  let last = s[n - 1]
//!   out gen [n] ..                                  let xs: [last]i32 = ..
//!   for i < n {                                     let ys = bulk {
//!     ..; scan z by + of v                            out update (xs) ..
//!     emit 0 [i] => z                         =>      for k < n {
//!     emit 1 [i] => z - 1                               ..; scan y by + of v
//!   }                                                   let p = y - 1
//! }                                                     emit [p] => ..
//! let last = s[n - 1]                                 }
//! let xs: [last]i32 = ..                            }
//! let ys = bulk {
//!   out update (xs) ..
//!   for k < n { let p = is[k]; emit [p] => .. }
//! }
//! ```
//!
//! The merged form could not stand where the scan does, because the array that it changes is as long as the scan says. So the
//! scan is computed again, if that takes less time than the arrays of places, and if an array vanishes. `s` becomes a
//! reduction in the end (`lasts`). Nothing that can fail is computed twice.

use super::item::Item;
use super::list::{How, Merging, Repeated};
use super::merge::{self, OneLoop};
use super::shared;
use super::uses::drop_unused;
use analysis::cost::{THROUGH_MEMORY, cycles, heavy_steps};
use analysis::emits;
use base::Map;
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::tree;
use ir::{Atom, Block, Bulk, Exp, Kind, Step, Stm, Var};

/// How many items before a form are looked at.
const WINDOW: usize = 60;

impl Merging<'_> {
    /// A form that changes an array, merged with a copy of an earlier scan that it reads.
    pub fn with_offsets(&mut self, done: &[Item], item: &Item) -> Option<Repeated> {
        let Step::Let(second) = &item.step else { return None };
        let Exp::Bulk(to) = &second.exp else { return None };
        let changes = |kind: &Kind| matches!(kind, Kind::Update { .. } | Kind::Accum { .. });
        to.outputs.iter().all(|output| changes(&output.kind)).then_some(())?;
        let OneLoop { count, .. } = OneLoop::of(to)?;
        for (place, earlier) in done.iter().enumerate().rev().take(WINDOW) {
            if let Step::Let(first) = &earlier.step
                && item.does.uses_any(&first.vars)
                && is_repeatable(first, count)
                && (!item.does.cannot_pass(earlier) || changes_new(to, &done[place + 1..]))
                && !done[place + 1..].iter().any(|between| between.does.cannot_pass(earlier))
                && let Some((made, rest)) = self.repeated(first, second)
            {
                return Some(Repeated { made, place, rest });
            }
        }
        None
    }

    /// The second form with a copy of the first, and what is left of the first.
    fn repeated(&mut self, first: &Stm, second: &Stm) -> Option<(Stm, Option<Stm>)> {
        let before = self.uses.clone();
        let found = self.with_copy(first, second);
        if found.is_none() {
            self.uses = before;
        }
        found
    }

    fn with_copy(&mut self, first: &Stm, second: &Stm) -> Option<(Stm, Option<Stm>)> {
        let own = Block { stms: vec![first.clone()], result: Vec::new() };
        let copy = copy_block(&mut self.program.vars, &own, Substitution::default()).stms.pop()?;
        self.count(&copy);
        let reader = self.reading(second, first, &copy);
        let how = merge::matching(self.program, &copy, &reader).filter(|how| how.reads)?;
        let (mut made, replaced) = self.merged(&copy, &reader, How::SameTurns(how));
        drop_unused(self.program, &mut self.uses, &mut made);
        let shared = shared::share(self.program, &mut self.uses, &mut made);
        let copies_gone = copy.vars.iter().all(|var| !made.vars.contains(var));
        if !copies_gone || !self.inside && !super::cost::runs_parallel(self.program, &made) {
            return None;
        }
        let mut rest = first.clone();
        drop_unused(self.program, &mut self.uses, &mut rest);
        let gone: Vec<Var> = first.vars.iter().filter(|var| !rest.vars.contains(var)).copied().collect();
        let saved =
            |var: &&Var| self.program.ty(**var).is_array() && (gone.contains(var) || self.uses.only_last(**var));
        first.vars.iter().find(saved)?;
        self.drop_scans(&mut rest);
        merge::rename_types(self.program, &mut self.uses, &made, &replaced);
        shared::rename_types(self.program, &made, &shared);
        self.uses.forget(self.program, &gone);
        self.made.extend(made.vars.first());
        self.remark(first, second);
        Some((made, (!rest.vars.is_empty()).then_some(rest)))
    }

    /// Removes running combinations of a form whose values nothing uses.
    fn drop_scans(&mut self, form: &mut Stm) {
        let Exp::Bulk(Bulk { steps, .. }) = &mut form.exp else { return };
        let Some(Step::For { body, .. }) = steps.last_mut() else { return };
        body.retain(|step| match step {
            Step::Scan(scan) if !scan.vars.iter().any(|var| self.uses.any(*var)) => {
                step.walk(&mut |part| {
                    if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                        self.uses.less(*var);
                    }
                });
                false
            }
            _ => true,
        });
    }

    /// Counts what a new statement uses.
    fn count(&mut self, stm: &Stm) {
        let (program, uses) = (&*self.program, &mut self.uses);
        stm.walk(&mut |part| match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => uses.more(*var),
            Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| uses.more_in_type(var)),
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        });
    }

    /// A form that reads the arrays of a copy in place of those of the original.
    fn reading(&mut self, form: &Stm, original: &Stm, copy: &Stm) -> Stm {
        let arrays: Map<Var, Var> = original.vars.iter().copied().zip(copy.vars.iter().copied()).collect();
        let uses = &mut self.uses;
        let mut block = Block { stms: vec![form.clone()], result: Vec::new() };
        block.for_each_stm_mut(&mut |stm| {
            if let Exp::Index(array, _) = &mut stm.exp
                && let Some(by) = arrays.get(array)
            {
                uses.less(*array);
                uses.more(*by);
                *array = *by;
            }
        });
        block.stms.remove(0)
    }
}

/// Whether all arrays that a form changes are made by these items, in new memory: nothing that was there before shares it.
fn changes_new(bulk: &Bulk, items: &[Item]) -> bool {
    let is_new = |exp: &Exp| match exp {
        Exp::Copy(_) => true,
        Exp::Bulk(bulk) => bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Gen { .. })),
        _ => false,
    };
    let makes = |item: &Item, array: &Var| match &item.step {
        Step::Let(stm) => stm.vars.contains(array) && is_new(&stm.exp),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => false,
    };
    let mut changed = bulk.outputs.iter().flat_map(|output| output.consumes());
    changed.all(|array| items.iter().any(|item| makes(item, array)))
}

/// Whether a form over a loop of this length has running combinations and may be computed twice: that takes little time, and nothing
/// in it can fail.
fn is_repeatable(stm: &Stm, count: Atom) -> bool {
    let Exp::Bulk(bulk) = &stm.exp else { return false };
    let Some(one) = OneLoop::of(bulk).filter(|one| one.count == count) else { return false };
    let makes = |kind: &Kind| matches!(kind, Kind::Gen { .. } | Kind::Reduce { .. });
    let mut fails = false;
    stm.walk(&mut |part| fails |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
    let cheap = !heavy_steps(one.body) && cycles(one.body) <= THROUGH_MEMORY;
    let plain = bulk.outputs.iter().all(|output| makes(&output.kind) && output.sizes.is_empty());
    let scans = emits::scans(&bulk.steps);
    // Sums of floats are not computed again in other blocks.
    let exact = scans.iter().all(|scan| tree::is_exact(&scan.op));
    !scans.is_empty() && exact && plain && !fails && cheap && one.before.is_empty()
}
