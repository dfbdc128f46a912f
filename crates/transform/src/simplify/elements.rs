//! Elements of constructions that may be computed where they are read (thesis of Henriksen, section 9.2).
//!
//! An element that costs no more than reading memory is computed wherever it is read. One that takes constant time, such as
//! `f a[i]`, is computed again only outside of loops, and only if the array is not needed otherwise:
//! `let b = map f a in reduce min b[0] b` becomes `reduce min (f a[0]) (map f a)`, so that nothing hinders fusion.

use base::Set;
use ir::{Atom, Bulk, Coverage, Dim, Exp, Kind, Program, Step, Stm, Type, Var};
use std::rc::Rc;

/// An element of at most this many statements costs no more than reading it.
const CHEAP: usize = 2;
/// An element of at most this many statements may be computed twice.
const LIGHT: usize = 20;

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
    /// Whether it costs no more than reading it.
    pub is_cheap: bool,
    /// How many loops are around the array.
    pub loops: usize,
}

impl Element {
    /// The elements of the arrays that a statement inside of so many loops makes, if each takes constant time.
    pub fn of_statement(program: &Program, stm: &Stm, loops: usize) -> Option<Vec<(Var, Rc<Element>)>> {
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
        let [output] = &outputs[..] else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let plain = rec.is_empty() && output.sizes.is_empty() && shape.iter().all(|dim| matches!(dim, Dim::Size(_)));
        if !plain {
            return None;
        }
        let (indices, inner) = nest(steps);
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
        // A row is an array that was there before, as in `replicate n row`.
        let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        (scalars || stms.is_empty()).then_some(())?;
        let certs: Vec<Var> = stm.certs.iter().chain(&emit.certs).copied().collect();
        let is_cheap = is_cheap(&stms);
        (is_free(&stms, &certs) && (is_cheap || is_light(&stms))).then_some(())?;
        let element = |value: &Atom| {
            let (indices, stms, certs) = (indices.clone(), stms.clone(), certs.clone());
            Element { indices, stms, value: *value, certs, is_cheap, loops }
        };
        Some(stm.vars.iter().zip(&emit.value.result).map(|(var, value)| (*var, Rc::new(element(value)))).collect())
    }
}

/// The indices of loops one inside the other, and the steps inside of all.
fn nest(mut steps: &[Step]) -> (Vec<Var>, &[Step]) {
    let mut indices = Vec::new();
    while let [Step::For { var, body, .. }] = steps {
        indices.push(*var);
        steps = body;
    }
    (indices, steps)
}

/// Whether no check is among the statements.
fn is_free(stms: &[Stm], certs: &[Var]) -> bool {
    let bound: Set<Var> = stms.iter().flat_map(|stm| &stm.vars).copied().collect();
    stms.iter().flat_map(|stm| &stm.certs).chain(certs).all(|cert| !bound.contains(cert))
}

/// Whether statements are few and read no memory.
fn is_cheap(stms: &[Stm]) -> bool {
    let simple =
        |stm: &Stm| matches!(stm.exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..));
    stms.len() <= CHEAP && stms.iter().all(simple)
}

/// Whether statements are scalar computations and reads.
fn is_light(stms: &[Stm]) -> bool {
    let simple = |stm: &Stm| {
        let reads = matches!(stm.exp, Exp::Index(..));
        reads
            || matches!(
                stm.exp,
                Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..)
            )
    };
    stms.len() <= LIGHT && stms.iter().all(simple)
}
