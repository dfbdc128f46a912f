//! An array with a condition for each element, and a value for all others, chooses a value for each element.
//!
//! ```text
//! out gen [n] of (x: f64) otherwise { => 0.0 }            out gen [n] of (x: f64)
//! for i < n {                                             for i < n {
//!   let c = ..                                              let c = ..
//!   if c {                                          =>      emit [i] {
//!     ..                                                      let x = if c { .. => y } else { => 0.0 }
//!     emit [i] => y                                           => x
//!   }                                                       }
//! }                                                       }
//! ```
//!
//! So `array [n] { [i] => f i for i < n if p i; else => 0.0 }` is a map: no marks say which elements are defined, and it can be
//! fused. Limits: one clause, whose subscripts are the counters of loops through the whole array, elements that are scalars, and
//! a value for the others that cannot fail.

use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Var};

/// Changes a statement that makes such an array.
pub(super) fn choose(program: &mut Program, stm: &mut Stm) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    let Some(otherwise) = value_of_others(program, bulk) else { return };
    let [Output { kind: Kind::Gen { shape, .. }, elems, .. }] = &bulk.outputs[..] else { return };
    let Some(steps) = Choice { program, otherwise: &otherwise, elems, shape }.steps(&bulk.steps, &mut Vec::new())
    else {
        return;
    };
    bulk.steps = steps;
    if let Kind::Gen { otherwise, coverage, .. } = &mut bulk.outputs[0].kind {
        *otherwise = None;
        *coverage = Coverage::Exact;
    }
}

/// The value of elements that nothing else defines, if a form makes one array of scalars with such a value.
fn value_of_others(program: &Program, bulk: &Bulk) -> Option<Block> {
    let [Output { kind: Kind::Gen { otherwise: Some(value), rec, .. }, sizes, elems }] = &bulk.outputs[..] else {
        return None;
    };
    let scalars = elems.iter().all(|elem| program.ty(*elem).dims().is_empty());
    let safe = value.stms.iter().all(|stm| stm.exp.is_simple());
    (rec.is_empty() && sizes.is_empty() && scalars && safe).then(|| value.clone())
}

struct Choice<'a> {
    program: &'a mut Program,
    otherwise: &'a Block,
    elems: &'a [Var],
    shape: &'a [Dim],
}

impl Choice<'_> {
    /// The steps with a value for each element, if loops through the whole array are all there is.
    fn steps(&mut self, steps: &[Step], indices: &mut Vec<Atom>) -> Option<Vec<Step>> {
        let (last, before) = steps.split_last()?;
        let mut out: Vec<Step> = bindings(before)?.into_iter().map(Step::Let).collect();
        match last {
            Step::For { var, count, mark, body } => {
                (self.shape.get(indices.len()) == Some(&Dim::Size(*count))).then_some(())?;
                indices.push(Atom::Var(*var));
                let body = self.steps(body, indices)?;
                out.push(Step::For { var: *var, count: *count, mark: *mark, body });
            }
            Step::Guard(cond, body) if indices.len() == self.shape.len() => {
                let (value, mut emit) = self.value(body, indices)?;
                emit.value = self.choice(*cond, value, emit.span);
                out.push(Step::Emit(emit));
            }
            Step::Guard(..) | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => return None,
        }
        Some(out)
    }

    /// The value that steps give, and the step that gives it.
    fn value(&mut self, steps: &[Step], indices: &[Atom]) -> Option<(Block, ir::Emit)> {
        let (last, before) = steps.split_last()?;
        let mut stms = bindings(before)?;
        match last {
            Step::Emit(emit) => {
                let bound: Vec<Var> = stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
                let outside = !emit.certs.iter().any(|cert| bound.contains(cert));
                (outside && emit.at == indices).then_some(())?;
                stms.extend(emit.value.stms.iter().cloned());
                Some((Block { stms, result: emit.value.result.clone() }, emit.clone()))
            }
            Step::Guard(cond, body) => {
                let (value, emit) = self.value(body, indices)?;
                let bound: Vec<Var> = stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
                (!emit.certs.iter().any(|cert| bound.contains(cert))).then_some(())?;
                let Block { stms: more, result } = self.choice(*cond, value, emit.span);
                stms.extend(more);
                Some((Block { stms, result }, emit))
            }
            Step::For { .. } | Step::Let(_) | Step::Scan(_) => None,
        }
    }

    /// A value if a condition holds, and that of all other elements if not.
    fn choice(&mut self, cond: Atom, value: Block, span: base::Span) -> Block {
        let otherwise = copy_block(&mut self.program.vars, self.otherwise, Substitution::default());
        let vars = copies(&mut self.program.vars, self.elems);
        let result = vars.iter().map(|var| Atom::Var(*var)).collect();
        let stm = Stm { vars, certs: Vec::new(), exp: Exp::If(cond, value, otherwise), span };
        Block { stms: vec![stm], result }
    }
}

/// The statements of steps that are nothing else.
fn bindings(steps: &[Step]) -> Option<Vec<Stm>> {
    let binding = |step: &Step| match step {
        Step::Let(stm) => Some(stm.clone()),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    };
    steps.iter().map(binding).collect()
}
