//! Moves an array into the branches that use it.
//!
//! ```text
//! let ys = bulk { .. }                         let r = if c {
//! let r = if c {                                 let ys = bulk { .. }
//!   let s = bulk { .. ys[i] .. }                 let s = bulk { .. ys[i] .. }
//!   => s                                  =>     => s
//! } else {                                     } else {
//!   => 0                                         => 0
//! }                                            }
//! ```
//!
//! There it can be merged with what reads it (section 7.4.1 and figure 25 of the thesis), and is not computed where the
//! other branch is taken. Several branches get a copy each if they read it element by element only: one of them runs. It
//! must not be able to fail, because the program fails in either case, nor move past a consumption of what it reads.

use super::cost;
use super::item::Item;
use super::memory::Memory;
use base::Map;
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Exp, Program, Step, Stm, Var};

/// How many statements before a choice are looked at.
const WINDOW: usize = 50;
/// A form with more statements than this is not copied.
const LARGEST: usize = 60;

/// How often something mentions variables.
type Counts = Map<Var, usize>;

/// Moves arrays of a function.
pub(super) fn sink(program: &mut Program, memory: &Memory, body: &mut Block) {
    let mut uses = Counts::default();
    body.walk(&mut |part| count(program, &mut uses, &part));
    Branches { program, memory, uses }.block(body);
}

fn count(program: &Program, counts: &mut Counts, part: &Part<'_>) {
    let mut mention = |var: Var| *counts.entry(var).or_default() += 1;
    match part {
        Part::Atom(Atom::Var(var)) => mention(*var),
        Part::Use(var) => mention(**var),
        Part::Bind(var) => program.ty(**var).for_each_var(&mut mention),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    }
}

struct Branches<'p> {
    program: &'p mut Program,
    memory: &'p Memory,
    /// How often the function mentions each variable.
    uses: Counts,
}

impl Branches<'_> {
    fn block(&mut self, block: &mut Block) {
        // The last choice first: what moves into one may be what an array before another one is computed from.
        for place in (0..block.stms.len()).rev() {
            if place < block.stms.len() && is_choice(&block.stms[place].exp) {
                self.choice(&mut block.stms, place);
            }
        }
        block.stms.iter_mut().for_each(|stm| self.inside(stm));
    }

    fn inside(&mut self, stm: &mut Stm) {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
    }

    fn steps(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.inside(stm),
                Step::Scan(scan) => self.block(&mut scan.value),
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
    }

    /// Moves what only the branches of the choice at this place use.
    fn choice(&mut self, stms: &mut Vec<Stm>, place: usize) {
        let mut inside = Counts::default();
        for block in stms[place].exp.blocks() {
            block.walk(&mut |part| count(self.program, &mut inside, &part));
        }
        let mut choice = place;
        for before in (place.saturating_sub(WINDOW)..place).rev() {
            if self.is_only_inside(&stms[before], &inside) && self.may_move(&stms[before..choice]) {
                let users = self.users(&stms[before], &stms[choice]);
                if users.is_empty() {
                    continue;
                }
                let stm = stms.remove(before);
                choice -= 1;
                self.moved(&stm, users.len(), &mut inside);
                self.put(stm, &mut stms[choice], &users);
            }
        }
    }

    /// Whether a statement is a bulk form all uses of which are among these.
    fn is_only_inside(&self, stm: &Stm, inside: &Counts) -> bool {
        // The number of kept values stands in the types of their arrays.
        let mut own = Counts::default();
        stm.vars.iter().for_each(|var| count(self.program, &mut own, &Part::Bind(var)));
        let times = |counts: &Counts, var: &Var| counts.get(var).copied().unwrap_or_default();
        let all_inside = |var: &Var| times(inside, var) + times(&own, var) == times(&self.uses, var);
        let used = |var: &Var| inside.contains_key(var);
        matches!(stm.exp, Exp::Bulk(_)) && stm.vars.iter().all(all_inside) && stm.vars.iter().any(used)
    }

    /// Whether the first of these statements cannot fail, and may move behind the others.
    fn may_move(&self, stms: &[Stm]) -> bool {
        let Some((first, behind)) = stms.split_first() else { return false };
        let mut stays = first.exp.can_fail() || !first.exp.consumes(&self.program.functions).is_empty();
        first.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                stays |= stm.exp.can_fail() || !stm.exp.consumes(&self.program.functions).is_empty();
            }
        });
        let item = |stm: &Stm| Item::of(self.program, self.memory, Step::Let(stm.clone()));
        let first = (!stays).then(|| item(first));
        first.is_some_and(|first| behind.iter().all(|stm| !item(stm).does.ordered_after(&first)))
    }

    /// The branches of a choice that use a form; none if copies would not be worth it.
    fn users(&self, stm: &Stm, choice: &Stm) -> Vec<usize> {
        let (mut users, mut only_read) = (Vec::new(), true);
        for (number, block) in choice.exp.blocks().into_iter().enumerate() {
            let (mentions, reads) = self.mentions(&stm.vars, block);
            if mentions > 0 {
                users.push(number);
                only_read &= mentions == reads;
            }
        }
        let good = users.len() == 1 || only_read && cost::size(stm) <= LARGEST;
        if good { users } else { Vec::new() }
    }

    /// How often a block mentions some variables, and how often it reads elements of them or uses them as numbers.
    fn mentions(&self, vars: &[Var], block: &Block) -> (usize, usize) {
        let (mut mentions, mut reads) = (0, 0);
        block.walk(&mut |part| match part {
            Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => reads += usize::from(vars.contains(array)),
            Part::Use(var) => mentions += usize::from(vars.contains(var)),
            Part::Atom(Atom::Var(var)) if vars.contains(var) => {
                mentions += 1;
                reads += usize::from(!self.program.ty(*var).is_array());
            }
            Part::Atom(_) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
        });
        (mentions, reads)
    }

    /// Counts what copies of a statement mention.
    fn moved(&mut self, stm: &Stm, copies: usize, inside: &mut Counts) {
        let mut own = Counts::default();
        stm.walk(&mut |part| count(self.program, &mut own, &part));
        for (var, times) in own {
            *inside.entry(var).or_default() += times * copies;
            *self.uses.entry(var).or_default() += times * (copies - 1);
        }
    }

    /// Puts a statement before those of some branches.
    fn put(&mut self, stm: Stm, choice: &mut Stm, users: &[usize]) {
        let mut number = 0;
        choice.exp.for_each_list_mut(&mut |list| {
            let ListMut::Block(block) = list else { return };
            if users.last() == Some(&number) {
                block.stms.insert(0, stm.clone());
            } else if users.contains(&number) {
                self.put_copy(&stm, block);
            }
            number += 1;
        });
    }

    fn put_copy(&mut self, stm: &Stm, block: &mut Block) {
        let whole = Block { stms: vec![stm.clone()], result: stm.vars.iter().map(|var| Atom::Var(*var)).collect() };
        let copy = copy_block(&mut self.program.vars, &whole, Substitution::default());
        Substitution::new(&stm.vars, &copy.result).block(&mut self.program.vars, block);
        block.stms.splice(0..0, copy.stms);
    }
}

fn is_choice(exp: &Exp) -> bool {
    matches!(exp, Exp::If(..) | Exp::Choose(..) | Exp::Open(..))
}
