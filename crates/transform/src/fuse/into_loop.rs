//! An array that a loop of a nest goes through is computed by that loop.
//!
//! ```text
//! for i < n {                                              for i < n {
//!   let (m, row) = bulk { for j < len { .. if c { emit => x } } }    for j < len {
//!   for k < m { let y = row[k]; emit => y }                =>          .. if c { emit => x }
//! }                                                                  }
//!                                                                  }
//! ```
//!
//! That is what is left of `[x for row in map (filter p) xss for x in row]` when the outer loops are one. The loop is looked at as
//! a form whose outputs are those of the form around it. Limits: nothing else may need the array, its index may only say which
//! element is read where values are kept, and running combinations stay where they are.

use super::list::{How, Merging};
use super::merge::in_block;
use super::uses;
use base::Span;
use ir::{Bulk, Coverage, Exp, Kind, Output, Step, Stm, Var};

impl Merging<'_> {
    /// A loop that also computes the array of a form before it, if it reads that and nothing else does.
    pub(super) fn with_array(&mut self, form: &Stm, nest: &Step) -> Option<Step> {
        let Exp::Bulk(bulk) = &form.exp else { return None };
        let steps = std::slice::from_ref(nest);
        let plain = bulk.steps.len() == 1;
        let no_scans = [&bulk.steps[..], steps].iter().all(|steps| analysis::emits::scans(steps).is_empty());
        if !plain || !no_scans || !self.inside && super::cost::parallel_loops(self.program, form) > 0 {
            return None;
        }
        let reader = as_form(nest);
        let how = self.way_to_merge(form, &reader)?;
        let fits = match &how {
            How::SameTurns(how) => how.reads,
            How::KeptValues(how) => !how.counts,
        };
        if !fits || !super::cost::fit_together(form, &reader) {
            return None;
        }
        self.uses.begin();
        let (mut made, replaced) = self.merged(form, &reader, how);
        let gone = bulk.outputs.len();
        let is_nest = |made: &Stm| matches!(&made.exp, Exp::Bulk(bulk) if bulk.steps.len() == 1);
        if !uses::drop_first(self.program, &mut self.uses, &mut made, gone) || !is_nest(&made) {
            self.uses.give_up();
            return None;
        }
        super::merge::rename_types(self.program, &mut self.uses, &made, &replaced);
        self.uses.forget(self.program, &form.vars);
        self.remark(form, &reader);
        let Exp::Bulk(Bulk { mut steps, .. }) = made.exp else { base::bug!("a form stays a form") };
        steps = relying_on(steps, &form.certs);
        let Some(nest) = steps.pop() else { base::bug!("a nest stays a nest") };
        if let Step::For { var, .. } = &nest {
            self.made.insert(*var);
        }
        Some(nest)
    }
}

/// Steps that rely on these checks, since the form that some of them come from did.
fn relying_on(steps: Vec<Step>, certs: &[Var]) -> Vec<Step> {
    let mut steps = in_block(steps, |block| {
        block.for_each_stm_mut(&mut |stm| {
            if stm.exp.is_partial() {
                stm.rely_on(certs);
            }
        });
    });
    emits_rely_on(&mut steps, certs);
    steps
}

fn emits_rely_on(steps: &mut [Step], certs: &[Var]) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => emits_rely_on(body, certs),
            Step::Emit(emit) => emit.certs.extend(certs),
            Step::Let(_) | Step::Scan(_) => {}
        }
    }
}

/// A loop as a form. Its outputs are known to the form around it; here they only have numbers.
fn as_form(nest: &Step) -> Stm {
    let emits = analysis::emits::all(std::slice::from_ref(nest));
    let count = emits.iter().map(|emit| emit.output + 1).max().unwrap_or(0);
    let kind = Kind::Gen { shape: Vec::new(), otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
    let outputs = vec![Output { kind, sizes: Vec::new(), elems: Vec::new() }; count];
    let span = emits.first().map_or(Span::OF_CALLER, |emit| emit.span);
    let exp = Exp::Bulk(Bulk { outputs, steps: vec![nest.clone()], scheduled: false });
    Stm { vars: Vec::new(), certs: Vec::new(), exp, span }
}
