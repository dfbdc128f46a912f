//! Choices and loops.

use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::rep::{Array, Rep, Strides};
use crate::slot::{Slot, single_uses};
use ir::{Atom, Block, Dim, LoopForm, Type, Var};
use kernel::{Expr, Stm};

/// Memory that loop variables share.
#[derive(Default)]
struct Shared {
    /// A loop variable and memory from before the loop.
    outer: Vec<(usize, kernel::Var)>,
    /// Two loop variables.
    linked: Vec<(usize, usize)>,
}

impl<'p> Lower<'p> {
    /// The dimensions of an atom's type.
    pub fn dims_of(&self, atom: Atom) -> Vec<Dim> {
        atom.var().map_or(Vec::new(), |v| self.src.ty(v).dims().to_vec())
    }

    /// A choice.
    pub fn choice(&mut self, vars: &[Var], cond: Atom, then: &Block, otherwise: &Block) -> Low<()> {
        let cond = self.homes.scalar(cond);
        let choose = |blocks: Vec<Vec<Stm>>| {
            let mut blocks = blocks.into_iter();
            Stm::If(cond, blocks.next().unwrap_or_default(), blocks.next().unwrap_or_default())
        };
        self.alternatives(vars, &[then, otherwise], |_, _| Ok(()), choose)
    }

    /// Lowers blocks of which one is run; `before` says what each begins with, and `choose` makes one statement of them.
    pub fn alternatives(
        &mut self,
        vars: &[Var],
        blocks: &[&Block],
        mut before: impl FnMut(&mut Self, usize) -> Low<()>,
        choose: impl FnOnce(Vec<Vec<Stm>>) -> Stm,
    ) -> Low<()> {
        let placed: Vec<Option<Array>> = vars.iter().map(|v| self.homes.hints.remove(v)).collect();
        let mut lowered = Vec::new();
        for (i, block) in blocks.iter().enumerate() {
            self.code.open();
            before(self, i)?;
            // Results that have a place already are put there.
            self.block_to_places(block, &placed)?;
            let reps = self.homes.atoms(&block.result);
            lowered.push((reps, self.code.pop()));
        }
        let strided: Vec<bool> =
            (0..vars.len()).map(|i| lowered.iter().any(|(reps, _)| reps.get(i).is_some_and(is_strided))).collect();
        let slots: Vec<Slot> = (vars.iter().zip(&strided).zip(&placed))
            .map(|((v, strided), place)| match place {
                Some(_) => Slot::Cert,
                None => self.slot(self.src.vars[*v].name.as_str(), self.src.ty(*v), *strided),
            })
            .collect();
        let mut finished = Vec::new();
        for ((reps, scope), block) in lowered.into_iter().zip(blocks) {
            self.code.push(scope);
            finished.push(self.finish_branch(&slots, reps, block)?);
        }
        self.code.emit(choose(finished));
        self.own_slots(&slots);
        for ((var, slot), place) in vars.iter().zip(&slots).zip(placed) {
            self.homes.bind(*var, place.map_or_else(|| slot.rep(), Rep::Array));
        }
        Ok(())
    }

    fn finish_branch(&mut self, slots: &[Slot], reps: Vec<Rep>, block: &Block) -> Low<Vec<Stm>> {
        let last = single_uses(&reps);
        for (((slot, rep), last), atom) in slots.iter().zip(reps).zip(last).zip(&block.result) {
            let dims = self.dims_of(*atom);
            self.fill(slot, rep, &dims, last)?;
        }
        Ok(self.code.close())
    }

    /// A loop.
    pub fn repeat(&mut self, vars: &[Var], params: &[(Var, Atom)], form: &LoopForm, body: &Block) -> Low<()> {
        let inits: Vec<Rep> = params.iter().map(|(_, a)| self.homes.atom(*a)).collect();
        let mut strided: Vec<bool> = inits.iter().map(is_strided).collect();
        let mut shared = Shared::default();
        // A turn may show that a loop variable is not always in row-major order, or that it may be memory of another
        // one: then the loop is lowered again with that knowledge.
        let slots = loop {
            self.code.open();
            let first = kernel::Var(self.code.var_count());
            let slots = self.first_values(params, &strided)?;
            self.merge_shared(&slots, &shared);
            let outer = self.aliases.watch(self.code.var_count());
            for ((param, _), slot) in params.iter().zip(&slots) {
                self.homes.bind(*param, slot.rep());
            }
            let results = self.turns(&slots, form, body)?;
            let merged = self.aliases.unwatch(outer);
            let mut again = merged && self.note_shared(&slots, &results, first, &mut shared);
            for (known, rep) in strided.iter_mut().zip(&results) {
                if is_strided(rep) && !*known {
                    *known = true;
                    again = true;
                }
            }
            if !again {
                break slots;
            }
            self.code.pop();
        };
        self.code.close_inline();
        self.own_slots(&slots);
        for (var, slot) in vars.iter().zip(&slots) {
            self.homes.bind(*var, slot.rep());
        }
        Ok(())
    }

    fn merge_shared(&mut self, slots: &[Slot], shared: &Shared) {
        for (i, other) in &shared.outer {
            slots[*i].buffer().into_iter().for_each(|b| self.aliases.merge(b, *other));
        }
        for (i, j) in &shared.linked {
            if let (Some(a), Some(b)) = (slots[*i].buffer(), slots[*j].buffer()) {
                self.aliases.merge(a, b);
            }
        }
    }

    /// Notes which loop variables take over memory from before the loop, or of one another. Says whether that is new.
    fn note_shared(&self, slots: &[Slot], results: &[Rep], first: kernel::Var, shared: &mut Shared) -> bool {
        let before = shared.outer.len() + shared.linked.len();
        for (i, slot) in slots.iter().enumerate() {
            if let Some(buffer) = results.get(i).and_then(Rep::buffer)
                && buffer < first
                && !shared.outer.contains(&(i, buffer))
            {
                shared.outer.push((i, buffer));
            }
            for (j, other) in slots.iter().enumerate().skip(i + 1) {
                if let (Some(a), Some(b)) = (slot.buffer(), other.buffer())
                    && self.aliases.may_alias(a, b)
                    && !shared.linked.contains(&(i, j))
                {
                    shared.linked.push((i, j));
                }
            }
        }
        shared.outer.len() + shared.linked.len() > before
    }

    fn first_values(&mut self, params: &[(Var, Atom)], strided: &[bool]) -> Low<Vec<Slot>> {
        let mut slots = Vec::new();
        for ((param, init), strided) in params.iter().zip(strided) {
            let name = self.src.vars[*param].name.as_str();
            let slot = self.slot(name, self.src.ty(*param), *strided);
            let (rep, dims) = (self.homes.atom(*init), self.dims_of(*init));
            self.fill(&slot, rep, &dims, false)?;
            slots.push(slot);
        }
        Ok(slots)
    }

    /// The loop itself; returns what one turn gives.
    fn turns(&mut self, slots: &[Slot], form: &LoopForm, body: &Block) -> Low<Vec<Rep>> {
        match form {
            LoopForm::For(var, bound) => {
                let bound = self.homes.scalar(*bound);
                let mut results = Vec::new();
                let mode = kernel::Mode::Sequential;
                self.for_loop(self.src.vars[*var].name.as_str(), crate::expr::int(0), bound, mode, |this, i| {
                    this.homes.bind(*var, Rep::Scalar(i));
                    results = this.turn(slots, body)?;
                    Ok(())
                })?;
                Ok(results)
            }
            LoopForm::While(cond) => {
                let reps = self.open_block(cond)?;
                let Some(Rep::Scalar(value)) = reps.into_iter().next() else {
                    base::bug!("a loop without a condition");
                };
                let value = self.code.snapshot("go", scalar::Prim::Bool, value);
                let head = self.code.close();
                self.code.open();
                let results = self.turn(slots, body)?;
                let body = self.code.close();
                self.code.emit(Stm::While { head, cond: value, body });
                Ok(results)
            }
        }
    }

    fn turn(&mut self, slots: &[Slot], body: &Block) -> Low<Vec<Rep>> {
        self.stms_of(body)?;
        let results = self.homes.atoms(&body.result);
        let dims: Vec<Vec<Dim>> = body.result.iter().map(|a| self.dims_of(*a)).collect();
        let dims: Vec<&[Dim]> = dims.iter().map(Vec::as_slice).collect();
        self.refill(slots, results.clone(), &dims)?;
        Ok(results)
    }

    /// Lowers the statements of a block into the innermost block. Results that have a place are made there, or copied.
    pub fn block_to_places(&mut self, block: &Block, places: &[Option<Array>]) -> Low<()> {
        let mut hinted = Vec::new();
        for (atom, place) in block.result.iter().zip(places) {
            let (Some(var), Some(place)) = (atom.var(), place) else {
                continue;
            };
            let origin = origin(block, var);
            if self.takes_hint(block, origin) && !hinted.iter().any(|(o, _)| *o == origin) {
                self.homes.hints.insert(origin, place.clone());
                hinted.push((origin, var));
            }
        }
        self.stms_of(block)?;
        for (atom, place) in block.result.iter().zip(places) {
            let (Some(var), Some(place)) = (atom.var(), place) else {
                continue;
            };
            let done = hinted.iter().any(|(o, v)| *v == var && self.homes.hints.remove(o).is_none())
                && self.homes.rep(var).buffer() == Some(place.buffer);
            let dims = self.src.ty(var).dims().to_vec();
            if !done {
                let at = self.begin(place, &dims)?;
                let rep = self.homes.rep(var);
                self.write(place.buffer, at, &rep, &dims)?;
            }
        }
        Ok(())
    }

    /// Whether a variable is bound in the block by something that can put its result into a given place.
    fn takes_hint(&self, block: &Block, var: Var) -> bool {
        let Type::Array(_, dims) = self.src.ty(var) else {
            return false;
        };
        is_regular(dims)
            && block.stms.iter().any(|stm| {
                stm.vars.contains(&var)
                    && matches!(&stm.exp, ir::Exp::Bulk(_) | ir::Exp::If(..) | ir::Exp::Open(..) | ir::Exp::Copy(_))
            })
    }
}

/// The variable that another one is only a new name of.
fn origin(block: &Block, var: Var) -> Var {
    let mut at = var;
    for stm in block.stms.iter().rev() {
        if stm.vars == [at] {
            match &stm.exp {
                ir::Exp::Retype(from) | ir::Exp::Atom(Atom::Var(from)) => at = *from,
                _ => break,
            }
        }
    }
    at
}

/// Whether an array is not known to be in row-major order.
fn is_strided(rep: &Rep) -> bool {
    matches!(rep, Rep::Array(array) if matches!(array.strides, Strides::Explicit(_)))
}

/// A scalar's expression, if it is one.
pub(crate) fn scalar_of(rep: &Rep) -> Option<&Expr> {
    match rep {
        Rep::Scalar(e) => Some(e),
        Rep::Vector(..) | Rep::Array(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => None,
    }
}
