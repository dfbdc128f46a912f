//! What two forms compute alike is computed once after they were merged.
//!
//! ```text
//! for i < n {                                     for i < n {
//!   let j = i + 2; let x = ys[j]                    let j = i + 2; let x = ys[j]
//!   emit 0 => x                             =>      emit 0 => x
//!   let k = i + 2; let y = ys[k]                    emit 1 => x
//!   emit 1 => y                                   }
//! }
//! ```
//!
//! Then one place reads the element, and it may be computed there.

use super::merge::in_block;
use super::uses::Uses;
use base::Map;
use ir::known::Computation;
use ir::rename::Substitution;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Bulk, Exp, Program, Step, Stm, Type, Var};

/// Shares what the steps of a form compute. Returns what replaces variables in types, too, unless the merge is given up: see
/// [`rename_types`].
pub(super) fn share(program: &Program, uses: &mut Uses, form: &mut Stm) -> Substitution {
    let Exp::Bulk(Bulk { steps, .. }) = &mut form.exp else { return Substitution::default() };
    let mut sharing = Sharing { program, uses, names: Substitution::default() };
    sharing.list(steps, &Map::default());
    let Sharing { names, .. } = sharing;
    if !names.0.is_empty() {
        let own = std::mem::take(steps);
        *steps = in_block(own, |block| replace(block, &names));
    }
    names
}

/// Replaces what a block uses, but not in types.
fn replace(block: &mut Block, names: &Substitution) {
    block.walk_mut(&mut |part| match part {
        PartMut::Atom(atom) => *atom = names.atom(*atom),
        PartMut::Use(var) => *var = names.var(*var),
        PartMut::Bind(_) | PartMut::Block(_) | PartMut::Stm(_) => {}
    });
}

/// Replaces variables in the types of what a form binds inside. These uses are counted already.
pub(super) fn rename_types(program: &mut Program, form: &Stm, names: &Substitution) {
    form.walk(&mut |part| {
        if let Part::Bind(var) = part {
            program.vars[*var].ty = names.ty(&program.vars[*var].ty);
        }
    });
}

struct Sharing<'a> {
    program: &'a Program,
    uses: &'a mut Uses,
    /// What stands for what is not computed again.
    names: Substitution,
}

impl Sharing<'_> {
    /// Removes from a list what was computed before.
    fn list(&mut self, steps: &mut Vec<Step>, outer: &Map<Computation, Var>) {
        let mut seen = outer.clone();
        steps.retain_mut(|step| {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.list(body, &seen),
                Step::Let(stm) => return !self.is_known(stm, &mut seen),
                Step::Scan(_) | Step::Emit(_) => {}
            }
            true
        });
    }

    fn is_known(&mut self, stm: &Stm, seen: &mut Map<Computation, Var>) -> bool {
        let ([var], Some(value)) = (&stm.vars[..], self.value(stm)) else { return false };
        let first = *seen.entry(value).or_insert(*var);
        if first == *var {
            return false;
        }
        self.names.insert(*var, first);
        (0..self.uses.count(*var)).for_each(|_| self.uses.more(first));
        stm.walk(&mut |part| {
            if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                self.uses.less(*var);
            }
        });
        true
    }

    /// What a statement computes, in terms of what is computed once.
    fn value(&self, stm: &Stm) -> Option<Computation> {
        let all = |atoms: &[Atom]| atoms.iter().map(|atom| self.names.atom(*atom)).collect();
        let renamed = match &stm.exp {
            Exp::Bin(op, prim, a, b) => Exp::Bin(*op, *prim, self.names.atom(*a), self.names.atom(*b)),
            Exp::Un(op, prim, a) => Exp::Un(*op, *prim, self.names.atom(*a)),
            Exp::Convert(from, to, a) => Exp::Convert(*from, *to, self.names.atom(*a)),
            Exp::Select(c, a, b) => Exp::Select(self.names.atom(*c), self.names.atom(*a), self.names.atom(*b)),
            Exp::Math(op, prim, args) => return Some(Computation::Math(*op, *prim, all(args))),
            Exp::Index(array, at) => {
                let is_element = matches!(self.program.ty(stm.vars[0]), Type::Scalar(_));
                return is_element.then(|| Computation::Element(*array, all(at)));
            }
            _ => return None,
        };
        renamed.computation()
    }
}
