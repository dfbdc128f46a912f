//! What an expression itself does to memory; the [alias analysis](crate::alias) follows it through blocks.

use crate::traverse::Part;
use crate::{Atom, Coverage, Exp, FunId, Function, Kind, Output, Step, Stm, Var};
use base::IdVec;
use scalar::BinOp;

impl Exp {
    /// Whether the expression may have a value only if some check holds. The others need no certificates.
    pub fn is_partial(&self) -> bool {
        match self {
            Exp::Bin(op, prim, _, b) => prim.is_int() && !has_value(*op, *b),
            Exp::Atom(_) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) | Exp::Total(_) => false,
            // A check makes a certificate, so it needs none.
            Exp::Assert { .. } | Exp::Ensure { .. } => false,
            _ => true,
        }
    }

    /// Whether it takes little time and no memory, shows nothing and cannot fail: scalars and views. It may be computed
    /// more often, or not at all where nothing uses it.
    pub fn is_simple(&self) -> bool {
        matches!(
            self,
            Exp::Atom(_)
                | Exp::Bin(..)
                | Exp::Un(..)
                | Exp::Math(..)
                | Exp::Convert(..)
                | Exp::Select(..)
                | Exp::Index(..)
                | Exp::Slice(..)
                | Exp::Rearrange(..)
                | Exp::Retype(_)
                | Exp::DescLength(..)
                | Exp::DescIndex(..)
                | Exp::DescSlice(..)
        )
    }

    /// Whether it can end the program by itself, or shows something, which happens before that. What is inside of its blocks is
    /// up to those.
    pub fn can_fail(&self) -> bool {
        match self {
            Exp::Assert { .. } | Exp::Ensure { .. } | Exp::Call(..) | Exp::Trace(..) => true,
            Exp::Bulk(bulk) => bulk.outputs.iter().any(|output| output.is_checked()),
            _ => false,
        }
    }

    /// The variables that the expression itself consumes: arrays that are updated, and arguments of calls. What is
    /// consumed inside of branches and loops is up to those.
    pub fn consumes(&self, functions: &IdVec<FunId, Function>) -> Vec<Var> {
        match self {
            Exp::Call(function, args) => {
                let flags = functions.get(*function).map_or(&[][..], |f| &f.consumed);
                args.iter().zip(flags).filter(|(_, consumed)| **consumed).filter_map(|(arg, _)| arg.var()).collect()
            }
            Exp::Bulk(bulk) => bulk.outputs.iter().flat_map(|output| output.consumes()).copied().collect(),
            _ => Vec::new(),
        }
    }

    /// The variables that the result is a view of: it shares their memory. For calls, branches, loops and reductions
    /// that takes the [alias analysis](crate::alias).
    pub fn views(&self) -> Vec<Var> {
        match self {
            Exp::Index(x, _) | Exp::IndexVector(x, _) | Exp::Slice(x, _) | Exp::Rearrange(x, _) => vec![*x],
            Exp::Reshape(x) | Exp::Retype(x) | Exp::Atom(Atom::Var(x)) => vec![*x],
            Exp::Pack(_, _, parts) => parts.iter().filter_map(|atom| atom.var()).collect(),
            Exp::Select(_, a, b) => [a, b].into_iter().filter_map(|atom| atom.var()).collect(),
            Exp::Atom(Atom::Const(_)) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) => Vec::new(),
            Exp::Literal(..) | Exp::Copy(_) | Exp::Total(_) | Exp::Unrank { .. } | Exp::Sort(..) => Vec::new(),
            Exp::SortKeys(_) => Vec::new(),
            Exp::DescUniform(_) | Exp::DescOf(_) | Exp::DescLengths(_) | Exp::DescLength(..) => Vec::new(),
            Exp::DescOffset(..) | Exp::DescRow(..) => Vec::new(),
            Exp::DescIndex(..) | Exp::DescSlice(..) | Exp::DescEqual(..) => Vec::new(),
            Exp::Assert { .. } | Exp::Ensure { .. } | Exp::Trace(..) | Exp::Call(..) | Exp::Bulk(_) => Vec::new(),
            Exp::Uninit | Exp::If(..) | Exp::Choose(..) | Exp::Open(..) | Exp::Loop { .. } => Vec::new(),
        }
    }
}

/// Whether an operator on integers has a value for this right operand, whatever the left one is.
fn has_value(op: BinOp, right: Atom) -> bool {
    let constant = match right {
        Atom::Const(x) => x.as_int(),
        Atom::Var(_) => None,
    };
    match op {
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => constant.is_some_and(|n| n != 0),
        BinOp::Pow => constant.is_some_and(|n| n >= 0),
        _ => true,
    }
}

impl Stm {
    /// Whether it can end the program or shows something, at any depth.
    pub fn can_fail(&self) -> bool {
        let mut found = self.exp.can_fail();
        self.walk(&mut |part| {
            if let Part::Stm(inner) = part {
                found |= inner.exp.can_fail();
            }
        });
        found
    }
}

impl Step {
    /// Whether evaluating the step, or a statement inside of it, can end the program or print something.
    pub fn can_fail(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
        found
    }
}

impl Output {
    /// Whether it is checked that each element is defined once.
    pub fn is_checked(&self) -> bool {
        matches!(&self.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
    }

    /// The arrays that this output consumes.
    pub fn consumes(&self) -> &[Var] {
        match &self.kind {
            Kind::Update { arrays, skip: _, rec: _ } | Kind::Accum { arrays, skip: _, op: _, tree: _ } => arrays,
            Kind::Gen { .. } | Kind::Reduce { .. } | Kind::Keep => &[],
        }
    }

    /// The names under which values may read what is being made.
    pub fn rec(&self) -> &[Var] {
        match &self.kind {
            Kind::Gen { rec, shape: _, otherwise: _, coverage: _ } | Kind::Update { rec, arrays: _, skip: _ } => rec,
            Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => &[],
        }
    }

    /// How many variables a statement binds for this output.
    pub fn bound(&self) -> usize {
        self.sizes.len() + self.elems.len() + usize::from(matches!(self.kind, Kind::Keep))
    }
}
