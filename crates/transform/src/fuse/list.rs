//! Looks for forms of a list that can be merged.
//!
//! A later form is compared with earlier ones of the same length. Two can be merged if no third item must stand between
//! them: nothing that the later one depends on depends on the earlier one. Items between them that depend on the earlier
//! one then go behind the merged form, all others stay before it.

use super::checks;
use super::cost;
use super::counting;
use super::item::{Does, Item};
use super::joining;
use super::kept;
use super::memory::Memory;
use super::merge::{self, OneLoop};
use super::reversed::{self, Turned};
use super::rows;
use super::shared;
use super::uses::{Uses, drop_unused};
use super::windows;
use base::Set;
use ir::rename::Substitution;
use ir::{FunId, Program, Remark, Step, Stm, Topic, Var};

/// How many items before a form are looked at.
const WINDOW: usize = 200;

/// How two forms become one.
pub(super) enum How {
    /// A turn of one with a turn of the other.
    SameTurns(merge::Match),
    /// A turn of the second where the first keeps a value.
    KeptValues(kept::Kept),
}

/// Two items as one.
struct Merged {
    /// The place of the earlier one.
    place: usize,
    both: Item,
    /// What comes behind all that depends on the earlier one.
    more: Vec<Item>,
}

/// A form that was merged with a copy of an earlier one.
pub(super) struct Repeated {
    /// The merged form.
    pub made: Stm,
    /// The place of the earlier one.
    pub place: usize,
    /// What is left of that.
    pub rest: Option<Stm>,
}

/// What merging needs to know about the function.
pub(super) struct Merging<'p> {
    pub program: &'p mut Program,
    pub fun: FunId,
    pub memory: &'p Memory,
    pub uses: Uses,
    /// Whether nests may become loops over rows.
    pub by_rows: bool,
    /// Whether a loop around the list uses all threads already.
    pub inside: bool,
    /// Forms that were merged, by the first variable that they bind, and loops, by their counters.
    pub made: Set<Var>,
}

impl Merging<'_> {
    /// Merges what can be merged in a list.
    pub fn list(&mut self, steps: &mut Vec<Step>) {
        if steps.iter().filter(|step| is_loop(step)).count() < 2 {
            return;
        }
        let mut done: Vec<Item> = Vec::with_capacity(steps.len());
        for step in std::mem::take(steps) {
            let mut item = Item::of(self.program, self.memory, step);
            let (mut behind, mut last) = (Vec::new(), Vec::new());
            while is_loop(&item.step) {
                if let Some(Merged { place, both, more }) =
                    self.partner(&done, &item).or_else(|| self.keeper(&done, &item))
                {
                    behind.extend(take_dependent(&mut done, place));
                    last.extend(more);
                    item = both;
                } else if self.by_rows
                    && let Some(Turned { keeper, reader }) =
                        reversed::turned(self.program, &mut self.uses, &done, &item)
                {
                    if let Some((place, keeper)) = keeper {
                        done[place] = Item { place: done[place].place, ..Item::of(self.program, self.memory, keeper) };
                    }
                    item = Item::of(self.program, self.memory, reader);
                } else if self.by_rows
                    && let Some(Repeated { made, place, rest }) = self.with_offsets(&done, &item)
                {
                    let own = done[place].place;
                    match rest {
                        Some(rest) => {
                            done[place] = Item { place: own, ..Item::of(self.program, self.memory, Step::Let(rest)) };
                        }
                        None => _ = done.remove(place),
                    }
                    item = Item::of(self.program, self.memory, Step::Let(made));
                } else {
                    break;
                }
            }
            behind.sort_by_key(|item: &Item| item.place);
            for mut item in [item].into_iter().chain(behind).chain(last) {
                item.place = done.last().map_or(0, |last| last.place + 1);
                done.push(item);
            }
        }
        steps.extend(done.into_iter().map(|item| item.step));
    }

    /// The last of the earlier items that the item can be merged with, and both together.
    fn partner(&mut self, done: &[Item], item: &Item) -> Option<Merged> {
        // What the item depends on, apart from itself.
        let mut between = Does::default();
        for (place, earlier) in done.iter().enumerate().rev().take(WINDOW) {
            let must_stay = between.depend_on(earlier);
            let may_meet = !must_stay && !item.does.cannot_pass(earlier);
            if let Some(step) = may_meet.then(|| self.both(earlier, item)).flatten() {
                let both = Item::of(self.program, self.memory, step);
                return Some(Merged { place, both, more: Vec::new() });
            }
            if must_stay || item.does.depend_on(earlier) {
                between.add(earlier);
            }
        }
        None
    }

    /// The earlier item that keeps values of which the item needs a slice, and both together.
    fn keeper(&mut self, done: &[Item], item: &Item) -> Option<Merged> {
        // A loop that counts what it keeps repeats its work, so all that it reads comes first.
        if !self.by_rows {
            return None;
        }
        let slice = windows::find(self.program, &self.uses, done, item)?;
        let Step::Let(stm) = &item.step else { return None };
        let before = self.uses.clone();
        let (whole, behind) = slice.over_all(self.program, &mut self.uses, stm);
        let whole = Item::of(self.program, self.memory, Step::Let(whole));
        let Some(found) = self.partner(done, &whole).filter(|found| found.place == slice.keeper) else {
            self.uses = before;
            return None;
        };
        slice.checks.values().for_each(|check| self.program.sites[*check].stays = true);
        let more = behind.into_iter().map(|stm| Item::of(self.program, self.memory, Step::Let(stm)));
        Some(Merged { more: more.collect(), ..found })
    }

    /// Two items as one, if they can be merged and that is worth it.
    fn both(&mut self, earlier: &Item, item: &Item) -> Option<Step> {
        let both_fail = item.does.both_fail(earlier);
        match (&earlier.step, &item.step) {
            (Step::Let(first), Step::Let(second)) => {
                let repeated = if both_fail { Some(checks::of_turns(second)?) } else { None };
                self.forms(first, second, repeated).map(Step::Let)
            }
            (first @ Step::For { .. }, second @ Step::For { .. }) if !both_fail => {
                merge::loops(self.program, first, second)
            }
            (Step::Let(form), nest @ Step::For { .. }) if !both_fail => self.with_array(form, nest),
            (_, _) => None,
        }
    }

    /// Two forms as one. If there are `checks`, those of the second, the first must make them, too.
    fn forms(&mut self, first: &Stm, second: &Stm, checks: Option<Set<Var>>) -> Option<Stm> {
        let rows = rows::reader_by_rows(self.program, &mut self.uses, first, second);
        let second = rows.as_ref().unwrap_or(second);
        let rows;
        let (how, first) = match self.way_to_merge(first, second) {
            Some(how) => (how, first),
            None if self.by_rows => {
                rows = rows::by_rows(self.program, &mut self.uses, first, second)?;
                (self.way_to_merge(&rows, second)?, &rows)
            }
            None => return None,
        };
        if !cost::fit_together(first, second) {
            return None;
        }
        let reads = match &how {
            How::SameTurns(how) => how.reads,
            How::KeptValues(_) => true,
        };
        self.uses.begin();
        let (mut made, replaced) = self.merged(first, second, how);
        drop_unused(self.program, &mut self.uses, &mut made);
        let shared = shared::share(self.program, &mut self.uses, &mut made);
        joining::join_places(self.program, &mut made);
        let bound = first.vars.iter().chain(&second.vars).copied();
        let gone: Vec<Var> = bound.filter(|var| !made.vars.contains(var)).collect();
        counting::count_kept(self.program, &self.uses, &mut made, &gone);
        let fails_first = checks.is_none_or(|checks| checks::are_repeated(&made, &checks));
        let in_vain = !self.inside && cost::repeats_for_nothing(self.program, &made, &gone);
        if !fails_first || in_vain || !self.stays_parallel(first, second, &made, reads) {
            self.uses.give_up();
            return None;
        }
        merge::rename_types(self.program, &mut self.uses, &made, &replaced);
        shared::rename_types(self.program, &made, &shared);
        self.uses.forget(self.program, &gone);
        self.made.extend(made.vars.first());
        self.remark(first, second);
        Some(made)
    }

    /// Two forms as one.
    pub fn merged(&mut self, first: &Stm, second: &Stm, how: How) -> (Stm, Substitution) {
        let (first, second) = (first.clone(), second.clone());
        match how {
            How::SameTurns(how) => merge::merge(self.program, &mut self.uses, first, second, &how),
            How::KeptValues(how) => kept::merge(self.program, &mut self.uses, first, second, &how),
        }
    }

    pub fn remark(&mut self, first: &Stm, second: &Stm) {
        if first.span != second.span {
            let text = "this loop also does the work of {}";
            let remark = Remark::done(Topic::Fused, second.span, text).about(first.span);
            self.program.functions[self.fun].remark(remark);
        }
    }

    /// How two forms become one, if they can.
    pub fn way_to_merge(&self, first: &Stm, second: &Stm) -> Option<How> {
        if let Some(how) = kept::matching(self.program, first, second) {
            return Some(How::KeptValues(how));
        }
        let how = merge::matching(self.program, first, second)?;
        let useful = how.reads || share_input(first, second);
        useful.then_some(How::SameTurns(how))
    }

    /// Whether merging takes no parallelism away: the merged form runs in parallel as the forms did, over as many loops as
    /// both did. Forms that only share an input must be alike: a nest of two loops is better left to those who read it.
    fn stays_parallel(&self, first: &Stm, second: &Stm, made: &Stm, reads: bool) -> bool {
        if self.inside {
            return true;
        }
        let loops = |stm: &Stm| cost::parallel_loops(self.program, stm);
        let (one, other) = (loops(first), loops(second));
        let needed = match one.min(other) {
            0 => one.max(other).min(1),
            least => least,
        };
        (reads || one == other) && loops(made) >= needed && cost::few_elements_or_heavy(self.program, made)
    }
}

fn share_input(first: &Stm, second: &Stm) -> bool {
    match (&first.exp, &second.exp) {
        (ir::Exp::Bulk(first), ir::Exp::Bulk(second)) => cost::share_input(&first.steps, &second.steps),
        (_, _) => false,
    }
}

fn is_loop(step: &Step) -> bool {
    match step {
        Step::For { .. } => true,
        Step::Let(Stm { exp: ir::Exp::Bulk(bulk), .. }) => OneLoop::of(bulk).is_some(),
        Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => false,
    }
}

/// Removes an item and all that depend on it. Gives the latter.
fn take_dependent(done: &mut Vec<Item>, place: usize) -> Vec<Item> {
    let later = done.split_off(place + 1);
    let Some(gone) = done.pop() else { base::bug!("an item that is merged is gone") };
    let mut dependent: Vec<Item> = Vec::new();
    for item in later {
        if item.does.depend_on(&gone) || dependent.iter().any(|earlier| item.does.depend_on(earlier)) {
            dependent.push(item);
        } else {
            done.push(item);
        }
    }
    dependent
}
