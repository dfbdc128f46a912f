//! Moves what reads an array into the branches that make it.
//!
//! ```text
//! let ys = if c {                                let s = if c {
//!   let as = bulk { .. }                           let as = bulk { .. }
//!   => as                                          let r = bulk { out reduce .. as[i] .. }
//! } else { => xs }                         =>      => r
//! let s = bulk { out reduce .. ys[i] .. }        } else {
//!                                                  let r = bulk { out reduce .. xs[i] .. }
//!                                                  => r
//!                                                }
//! ```
//!
//! There it can be merged with what makes the array. The form must be the only one that uses it, element by element, and small,
//! because there are two of it afterwards. What stands between the two comes before the choice then: either that cannot fail, or
//! the choice cannot.

use super::cost;
use super::reading::Uses;
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Exp, Kind, Program, Step, Stm, Var};

/// A form with more statements than this is not copied.
const LARGEST: usize = 60;

/// Moves forms of a function.
pub(super) fn join(program: &mut Program, body: &mut Block) {
    let mut uses = Uses::default();
    body.walk(&mut |part| uses.count(&part));
    Choices { program, uses }.block(body);
}

struct Choices<'p> {
    program: &'p mut Program,
    uses: Uses,
}

impl Choices<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut place = 0;
        while place < block.stms.len() {
            if let Some(reader) = self.reader(&block.stms, place) {
                let form = block.stms.remove(reader);
                let choice = block.stms.remove(place);
                block.stms.insert(reader - 1, self.joined(choice, &form));
            } else {
                place += 1;
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

    /// Where the form stands that reads the arrays of the choice at this place, if it can move into its branches.
    fn reader(&self, stms: &[Stm], place: usize) -> Option<usize> {
        let Exp::If(_, then, otherwise) = &stms[place].exp else { return None };
        let arrays: Vec<Var> =
            stms[place].vars.iter().copied().filter(|var| self.program.ty(*var).is_array()).collect();
        if arrays.is_empty() || ![then, otherwise].into_iter().any(|block| self.makes(block)) {
            return None;
        }
        let reader = place + 1 + stms[place + 1..].iter().position(|stm| mentions(stm, &stms[place].vars))?;
        let uses = Uses::of(&stms[reader]);
        let only_reads = |array: &Var| uses.only_read(*array) && uses.times(*array) == self.uses.times(*array);
        let fits = matches!(stms[reader].exp, Exp::Bulk(_)) && cost::size(&stms[reader]) <= LARGEST;
        (fits && arrays.iter().all(only_reads) && self.may_wait(&stms[place..reader])).then_some(reader)
    }

    /// Whether a block makes an array that it gives.
    fn makes(&self, block: &Block) -> bool {
        let is_new = |stm: &Stm| match &stm.exp {
            Exp::Bulk(bulk) => bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Gen { .. } | Kind::Keep)),
            _ => false,
        };
        block.stms.iter().any(|stm| is_new(stm) && stm.vars.iter().any(|var| block.result.contains(&Atom::Var(*var))))
    }

    /// Whether the first of these statements may as well come after the others.
    fn may_wait(&self, stms: &[Stm]) -> bool {
        let effects = |stm: &Stm| {
            let mut found = (false, false);
            let mut note = |stm: &Stm| {
                found.0 |= stm.exp.can_fail();
                found.1 |= !stm.exp.consumes(&self.program.functions).is_empty();
            };
            note(stm);
            stm.walk(&mut |part| {
                if let Part::Stm(stm) = part {
                    note(stm);
                }
            });
            found
        };
        let Some((first, behind)) = stms.split_first() else { return false };
        let (fails, consumes) = effects(first);
        let others: Vec<(bool, bool)> = behind.iter().map(effects).collect();
        let any = others.iter().fold((false, false), |all, one| (all.0 | one.0, all.1 | one.1));
        behind.is_empty() || !(consumes || any.1 || fails && any.0)
    }

    /// The choice with a copy of the form in each branch, and without its arrays.
    fn joined(&mut self, choice: Stm, form: &Stm) -> Stm {
        let Exp::If(cond, then, otherwise) = choice.exp else { base::bug!("a choice was found") };
        let keeps: Vec<bool> = choice.vars.iter().map(|var| !self.program.ty(*var).is_array()).collect();
        let whole = Block { stms: vec![form.clone()], result: form.vars.iter().map(|var| Atom::Var(*var)).collect() };
        let mut branch = |mut block: Block| {
            let values = Substitution::new(&choice.vars, &block.result);
            let copy = copy_block(&mut self.program.vars, &whole, values);
            block.stms.extend(copy.stms);
            block.result = kept(&block.result, &keeps).chain(copy.result).collect();
            block
        };
        let exp = Exp::If(cond, branch(then), branch(otherwise));
        let vars = kept(&choice.vars, &keeps).chain(form.vars.iter().copied()).collect();
        Stm { vars, certs: choice.certs, exp, span: form.span }
    }
}

fn kept<'a, T: Copy>(all: &'a [T], keeps: &'a [bool]) -> impl Iterator<Item = T> + 'a {
    all.iter().zip(keeps).filter(|(_, keeps)| **keeps).map(|(one, _)| *one)
}

fn mentions(stm: &Stm, vars: &[Var]) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            found |= vars.contains(var);
        }
    });
    found
}
