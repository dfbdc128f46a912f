//! Elements of constructions that cost no more than reading memory.

use base::Set;
use ir::{Atom, Bulk, Coverage, Dim, Exp, Kind, Program, Step, Stm, Type, Var};
use std::rc::Rc;

/// An element of at most this many statements costs no more than reading it.
const CHEAP: usize = 2;

/// What an element is, in terms of its indices.
#[derive(Clone)]
pub(super) struct Element {
    /// The indices.
    pub indices: Vec<Var>,
    /// How it is computed from them.
    pub stms: Vec<Stm>,
    /// The element.
    pub value: Atom,
    /// The checks that the array relies on.
    pub certs: Vec<Var>,
}

impl Element {
    /// The elements of the arrays that a statement makes, if they are cheap: `iota`, `replicate`, `map (+1) (iota n)`.
    pub fn of_statement(program: &Program, stm: &Stm) -> Option<Vec<(Var, Rc<Element>)>> {
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
        let [output] = &outputs[..] else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let plain = rec.is_empty() && output.sizes.is_empty() && shape.iter().all(|dim| matches!(dim, Dim::Size(_)));
        if !plain || output.elems.iter().any(|elem| !matches!(program.ty(*elem), Type::Scalar(_))) {
            return None;
        }
        let (indices, inner) = loops(steps);
        let (Step::Emit(emit), before) = inner.split_last()? else { return None };
        let in_order = emit.at.iter().copied().eq(indices.iter().map(|var| Atom::Var(*var)));
        if !in_order || indices.len() != shape.len() {
            return None;
        }
        let lets = before.iter().map(|step| match step {
            Step::Let(stm) => Some(stm),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        });
        let stms: Vec<Stm> =
            lets.chain(emit.value.stms.iter().map(Some)).collect::<Option<Vec<_>>>()?.into_iter().cloned().collect();
        let certs: Vec<Var> = stm.certs.iter().chain(&emit.certs).copied().collect();
        is_cheap(&stms, &certs).then_some(())?;
        let element = |value: &Atom| Element {
            indices: indices.clone(),
            stms: stms.clone(),
            value: *value,
            certs: certs.clone(),
        };
        Some(stm.vars.iter().zip(&emit.value.result).map(|(var, value)| (*var, Rc::new(element(value)))).collect())
    }
}

/// The indices of loops one inside the other, and the steps inside of all.
fn loops(mut steps: &[Step]) -> (Vec<Var>, &[Step]) {
    let mut indices = Vec::new();
    while let [Step::For { var, body, .. }] = steps {
        indices.push(*var);
        steps = body;
    }
    (indices, steps)
}

/// Whether statements are few and simple, and no check is among them.
fn is_cheap(stms: &[Stm], certs: &[Var]) -> bool {
    let bound: Set<Var> = stms.iter().flat_map(|stm| &stm.vars).copied().collect();
    let simple = |stm: &Stm| {
        matches!(stm.exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..))
            && stm.certs.iter().all(|cert| !bound.contains(cert))
    };
    stms.len() <= CHEAP && stms.iter().all(simple) && certs.iter().all(|cert| !bound.contains(cert))
}
