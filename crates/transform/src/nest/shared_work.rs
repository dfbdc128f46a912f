//! A short row whose elements need the same work becomes its elements, so that fusion does the work once for all.
//!
//! ```text
//! for c < 3 {                                   let s: f32 = bulk { .. f j * a[j, 0] .. }
//!   emit [i, c] {                               let s.1: f32 = bulk { .. f j * a[j, 1] .. }
//!     let s: f32 = bulk {                 =>    let s.2: f32 = bulk { .. f j * a[j, 2] .. }
//!       out reduce ..                           emit [i, 0] => s
//!       for j < n { emit { f j * a[j, c] } }    emit [i, 1] => s.1
//!     }                                         emit [i, 2] => s.2
//!     => s
//!   }
//! }
//! ```
//!
//! The forces on a body, component by component, are an example: `f j` is what the distance to body `j` costs. Only work inside
//! of a loop counts that does not depend on the component. Values are computed in the order in which they were before, so the
//! first failing check stays the first.

use crate::write::copy_steps;
use analysis::cost;
use base::Set;
use ir::rename::Substitution;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, Output, Program, Step, Stm, Var};

/// Longer rows stay loops.
const LONGEST: i64 = 4;
/// At least so many cycles of a turn are the same for all elements.
const SHARED: usize = 16;
/// All elements together take at most this many statements.
const STATEMENTS: usize = 160;

/// Takes the short rows apart that the innermost loops of forms make.
pub(super) fn take_apart(program: &mut Program, body: &mut Block) {
    body.replace_stms(&mut |mut stm| {
        if let Exp::Bulk(bulk) = &mut stm.exp {
            in_form(program, bulk);
        }
        vec![stm]
    });
}

fn in_form(program: &mut Program, bulk: &mut Bulk) {
    let is_plain = |output: &Output| {
        matches!(&output.kind, Kind::Gen { otherwise: None, rec, .. } if rec.is_empty()) && output.sizes.is_empty()
    };
    if !bulk.scheduled && bulk.outputs.iter().all(is_plain) {
        innermost(program, &mut bulk.steps);
    }
}

fn innermost(program: &mut Program, steps: &mut Vec<Step>) {
    let Some(Step::For { var, count, body, .. }) = steps.last_mut() else { return };
    match (count.as_size(), Row::of(body)) {
        (Some(count @ 2..=LONGEST), Some(row)) if row.is_worth(*var, count) => {
            let index = *var;
            let new = row.elements(program, index, count);
            steps.pop();
            steps.extend(new);
        }
        (_, _) => innermost(program, body),
    }
}

/// What a loop does in a turn.
struct Row {
    lets: Vec<Stm>,
    values: Vec<Emit>,
}

impl Row {
    /// Bindings and then values.
    fn of(body: &[Step]) -> Option<Row> {
        let mut row = Row { lets: Vec::new(), values: Vec::new() };
        for step in body {
            match step {
                Step::Let(stm) if row.values.is_empty() => row.lets.push(stm.clone()),
                Step::Emit(emit) => row.values.push(emit.clone()),
                Step::Let(_) | Step::For { .. } | Step::Guard(..) | Step::Scan(_) => return None,
            }
        }
        (!row.values.is_empty()).then_some(row)
    }

    fn stms(&self) -> impl Iterator<Item = &Stm> {
        self.lets.iter().chain(self.values.iter().flat_map(|emit| &emit.value.stms))
    }

    fn is_worth(&self, index: Var, count: i64) -> bool {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let size = self.stms().map(cost::statements).sum::<usize>().saturating_mul(count);
        let mut own = Own(Set::default());
        own.0.insert(index);
        size <= STATEMENTS && self.stms().map(|stm| own.shared(stm, false)).sum::<usize>() >= SHARED
    }

    /// The bindings of all elements, then their values.
    fn elements(&self, program: &mut Program, index: Var, count: i64) -> Vec<Step> {
        let (mut lets, mut values) = (Vec::new(), Vec::new());
        for place in 0..count {
            let names = Substitution::new(&[index], &[Atom::size(place)]);
            let valued = |emit: &Emit| emit.value.stms.iter().map(|stm| stm.clone().relying_on(&emit.certs)).collect();
            let own: Vec<Vec<Stm>> = self.values.iter().map(valued).collect();
            let stms: Vec<Stm> = self.lets.iter().cloned().chain(own.into_iter().flatten()).collect();
            let emits = self.values.iter().map(|emit| {
                let value = Block { stms: Vec::new(), result: emit.value.result.clone() };
                Step::Emit(Emit { value, ..emit.clone() })
            });
            let steps: Vec<Step> = stms.into_iter().map(Step::Let).chain(emits).collect();
            let copy = copy_steps(program, &steps, names);
            let (bindings, emits): (Vec<Step>, Vec<Step>) =
                copy.into_iter().partition(|step| matches!(step, Step::Let(_)));
            lets.extend(bindings);
            values.extend(emits);
        }
        lets.extend(values);
        lets
    }
}

/// What depends on the index of the row.
struct Own(Set<Var>);

impl Own {
    /// How many cycles of a turn of the loops in a statement do not depend on the index.
    fn shared(&mut self, stm: &Stm, in_loop: bool) -> usize {
        if !self.mentions(stm) {
            return if in_loop { cost::cycles(&[Step::Let(stm.clone())]) } else { 0 };
        }
        self.0.extend(&stm.vars);
        match &stm.exp {
            Exp::Bulk(Bulk { steps, .. }) => self.in_steps(steps),
            Exp::Loop { params, body, .. } => {
                self.0.extend(params.iter().map(|(param, _)| *param));
                self.in_block(body, true)
            }
            exp => exp.blocks().into_iter().map(|block| self.in_block(block, in_loop)).sum(),
        }
    }

    fn in_block(&mut self, block: &Block, in_loop: bool) -> usize {
        block.stms.iter().map(|stm| self.shared(stm, in_loop)).sum()
    }

    fn in_steps(&mut self, steps: &[Step]) -> usize {
        let one = |step: &Step| match step {
            Step::Let(stm) => self.shared(stm, true),
            Step::For { body, .. } | Step::Guard(_, body) => self.in_steps(body),
            Step::Scan(_) => 0,
            Step::Emit(emit) => self.in_block(&emit.value, true),
        };
        steps.iter().map(one).sum()
    }

    fn mentions(&self, stm: &Stm) -> bool {
        let mut found = false;
        stm.walk(&mut |part| {
            if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                found |= self.0.contains(var);
            }
        });
        found
    }
}
