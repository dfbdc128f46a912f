//! Steps of a bulk form whose values have no form yet.
//!
//! The steps are drafted first, because only all values together tell what the rows of an array have in common.

use crate::data::value::Val;
use base::{Set, Span};
use ir::{Atom, Scan, Stm, Var};

/// A step whose values have no form yet.
pub(crate) enum Draft<'t> {
    For { var: Var, count: Atom, body: Vec<Draft<'t>> },
    Let(Stm),
    Scan(Scan),
    Guard(Atom, Vec<Draft<'t>>),
    Emit(DraftEmit<'t>),
}

/// A place on the way along the indices of an array: those so far, which are inside by the checks.
#[derive(Clone, Default)]
pub(crate) struct Cursor {
    pub at: Vec<Atom>,
    pub certs: Vec<Var>,
}

#[derive(Clone)]
pub(crate) struct DraftEmit<'t> {
    pub output: usize,
    pub place: Cursor,
    pub stms: Vec<Stm>,
    pub val: Val<'t>,
    /// What is said if a row has another length than the type says.
    pub row: Atom,
    pub span: Span,
}

impl<'t> Draft<'t> {
    /// Statements before steps.
    pub fn after(stms: Vec<Stm>, steps: impl IntoIterator<Item = Draft<'t>>) -> Vec<Draft<'t>> {
        stms.into_iter().map(Draft::Let).chain(steps).collect()
    }

    /// The steps with others in the place of each value.
    pub fn replace_emits<E>(
        drafts: Vec<Draft<'t>>,
        f: &mut impl FnMut(DraftEmit<'t>) -> Result<Vec<Draft<'t>>, E>,
    ) -> Result<Vec<Draft<'t>>, E> {
        let mut out = Vec::new();
        for draft in drafts {
            match draft {
                Draft::For { var, count, body } => {
                    out.push(Draft::For { var, count, body: Draft::replace_emits(body, f)? });
                }
                Draft::Guard(cond, body) => out.push(Draft::Guard(cond, Draft::replace_emits(body, f)?)),
                Draft::Emit(emit) => out.extend(f(emit)?),
                draft @ (Draft::Let(_) | Draft::Scan(_)) => out.push(draft),
            }
        }
        Ok(out)
    }

    /// All values that steps hand over.
    pub fn emits<'d>(drafts: &'d [Draft<'t>]) -> Vec<&'d DraftEmit<'t>> {
        let inside = |draft: &'d Draft<'t>| match draft {
            Draft::For { body, .. } | Draft::Guard(_, body) => Draft::emits(body),
            Draft::Let(_) | Draft::Scan(_) => Vec::new(),
            Draft::Emit(emit) => vec![emit],
        };
        drafts.iter().flat_map(inside).collect()
    }
}

/// How many subscripts values have.
pub(crate) fn subscript_counts(drafts: &[Draft]) -> Set<usize> {
    Draft::emits(drafts).iter().map(|emit| emit.place.at.len()).collect()
}
