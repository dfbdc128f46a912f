//! Arrays whose elements can be computed one by one.

use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Program, Step, Stm, Type, Var};

/// An element with at most this many statements costs next to nothing.
const CHEAP: usize = 2;
/// An element with at most this many statements may be computed instead of read.
const FEW: usize = 5;
/// An element with at most this many statements may move to where it is read.
const LIGHT: usize = 200;

/// An array of scalars, or several of the same shape.
pub(super) struct Producer {
    /// The arrays.
    pub arrays: Vec<Var>,
    /// The loops around an element: indices and counts.
    pub loops: Vec<(Var, Atom)>,
    /// The element, for each array.
    pub element: Block,
    /// Checks that it relies on.
    pub certs: Vec<Var>,
}

impl Producer {
    /// The producer that a statement is, if it is one.
    pub fn of(program: &Program, stm: &Stm) -> Option<Producer> {
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
        let [output] = &outputs[..] else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let regular = shape.iter().all(|dim| matches!(dim, Dim::Size(_)));
        let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        if !rec.is_empty() || !output.sizes.is_empty() || !regular || !scalars {
            return None;
        }
        let (mut loops, mut stms) = (Vec::new(), Vec::new());
        let mut list = steps;
        // What is bound between the loops is computed with each element.
        while let Some((Step::For { var, count, body, .. }, before)) = list.split_last() {
            stms.extend(bindings(before)?);
            loops.push((*var, *count));
            list = body;
        }
        let (Step::Emit(emit), before) = list.split_last()? else { return None };
        stms.extend(bindings(before)?);
        let in_order = emit.at.iter().copied().eq(loops.iter().map(|(var, _)| Atom::Var(*var)));
        if !in_order || loops.len() != shape.len() {
            return None;
        }
        let inner: Vec<Var> = stms.iter().flat_map(|stm: &Stm| &stm.vars).copied().collect();
        let (within, outer): (Vec<Var>, Vec<Var>) = emit.certs.iter().partition(|cert| inner.contains(cert));
        for stm in &emit.value.stms {
            let mut stm = stm.clone();
            stm.certs.extend(&within);
            stms.push(stm);
        }
        let certs = stm.certs.iter().chain(&outer).copied().collect();
        let element = Block { stms, result: emit.value.result.clone() };
        Some(Producer { arrays: stm.vars.clone(), loops, element, certs })
    }

    /// Whether an element costs so little that it may be computed several times.
    pub fn is_cheap(&self) -> bool {
        let cheap = |stm: &Stm| {
            matches!(stm.exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..))
        };
        self.element.stms.len() <= CHEAP && self.element.stms.iter().all(cheap)
    }

    /// Whether computing an element again costs no more than reading it from memory: a few operations on at most one element
    /// of another array.
    pub fn is_recomputable(&self) -> bool {
        let is_read = |stm: &Stm| matches!(stm.exp, Exp::Index(..));
        let is_operation = |stm: &Stm| {
            let divides = stm.exp.is_partial();
            let scalar = matches!(stm.exp, Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..));
            matches!(stm.exp, Exp::Atom(_)) || scalar && !divides
        };
        let stms = &self.element.stms;
        let reads = stms.iter().filter(|stm| is_read(stm)).count();
        reads <= 1 && stms.len() <= FEW && stms.iter().all(|stm| is_read(stm) || is_operation(stm))
    }

    /// Whether computing an element takes no loops, calls no functions and prints nothing.
    pub fn is_light(&self) -> bool {
        let (mut light, mut count) = (true, 0);
        self.element.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                count += 1;
                light &= is_light(&stm.exp);
            }
        });
        light && count <= LIGHT
    }

    /// Whether there are checks in it.
    pub fn can_fail(&self) -> bool {
        self.any(|exp| matches!(exp, Exp::Assert { .. } | Exp::Ensure { .. }))
    }

    /// Whether it is computed from arrays.
    pub fn reads_memory(&self) -> bool {
        self.any(|exp| matches!(exp, Exp::Index(..) | Exp::DescLength(..) | Exp::DescOffset(..)))
    }

    fn any(&self, holds: impl Fn(&Exp) -> bool) -> bool {
        let mut found = false;
        self.element.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                found |= holds(&stm.exp);
            }
        });
        found
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

fn is_light(exp: &Exp) -> bool {
    match exp {
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) => true,
        Exp::Index(..) | Exp::DescLength(..) | Exp::DescOffset(..) | Exp::Assert { .. } => true,
        Exp::If(..) | Exp::Choose(..) => true,
        Exp::Uninit
        | Exp::Literal(..)
        | Exp::IndexVector(..)
        | Exp::Slice(..)
        | Exp::Rearrange(..)
        | Exp::Reshape(_) => false,
        Exp::Copy(_) | Exp::Retype(_) | Exp::Total(_) | Exp::Unrank { .. } | Exp::Sort(..) => false,
        Exp::DescRow(..) | Exp::DescUniform(_) | Exp::DescOf(_) | Exp::DescLengths(_) | Exp::DescIndex(..) => false,
        Exp::DescSlice(..) | Exp::DescEqual(..) | Exp::Pack(..) | Exp::Open(..) => false,
        Exp::Call(..) | Exp::Loop { .. } | Exp::Bulk(_) | Exp::Trace(..) | Exp::Ensure { .. } => false,
    }
}
