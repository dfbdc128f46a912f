//! Which definitions of the library are functions that all places of the program share.
//!
//! Unfolding a definition wherever it is called lets everything that is known there be used, but a program that calls
//! `fft.forward` or `linalg.solve` in a few places becomes so large that the C compiler takes seconds. So what is large
//! is a function, once for all places that call it with arguments of the same form. Its checks do not know where they
//! are shown: they are `inside` of a call that the function is told.

use crate::Desugar;
use crate::value::{ArrayVal, Rows, Val};
use ir::Dim as CoreDim;
use typed::{Body, DefId, Dim, Expr, ExprKind, Program, Type};

/// Definitions that are at least so large become functions.
const LARGE: usize = 48;

impl<'t> Desugar<'t> {
    /// Whether a definition of the library can be one function for all places. Functions among the arguments are the
    /// user's, with places of their own; where ranks are not known, unfolding may find them out.
    pub(crate) fn can_share(&self, def: DefId, args: &[Val<'t>]) -> bool {
        let definition = &self.typed.defs[def];
        let types = || definition.params.iter().map(|p| &p.pat.ty).chain([&definition.ret.ty]);
        self.library.contains(&definition.span.file)
            && types().any(|ty| has_array(self.typed, ty))
            && !args.iter().any(|arg| arg.holds_function() || has_unknown_rank(arg))
            && !self.typed.holds_functions(&definition.ret.ty)
            && !types().any(has_shape)
    }

    /// Whether a definition makes so much code that it should be there only once.
    pub(crate) fn is_large(&mut self, def: DefId) -> bool {
        self.weight(def) >= LARGE
    }

    /// About how much code comes of a definition: how many expressions, those of what it calls included.
    fn weight(&mut self, def: DefId) -> usize {
        if let Some(known) = self.weights.get(&def) {
            return *known;
        }
        // A recursive definition is called by itself.
        self.weights.insert(def, 1);
        let typed = self.typed;
        let weight = match &typed.defs[def].body {
            Body::Intrinsic(op) => op.weight(),
            Body::Specified => 1,
            Body::Expr(body) => self.weight_of(body),
        };
        self.weights.insert(def, weight);
        weight
    }

    fn weight_of(&mut self, expr: &Expr) -> usize {
        let mut weight = match &*expr.kind {
            ExprKind::Global(def, _) if !self.typed.defs[*def].params.is_empty() => self.weight(*def),
            _ => 1,
        };
        expr.for_each_child(&mut |child| weight = LARGE.min(weight + self.weight_of(child)));
        weight
    }
}

/// Whether there are arrays in a type. What is made of scalars alone costs the C compiler little, and is called often.
fn has_array(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Abstract(..) => has_array(program, &program.concrete(ty)),
        Type::Fun(_) => false,
        _ => ty.any_child(&mut |t| has_array(program, t)),
    }
}

/// Whether there are arrays of unknown rank in a type.
fn has_shape(ty: &Type) -> bool {
    match ty {
        Type::Array(Dim::Shape(_), _) => true,
        Type::Abstract(..) | Type::Fun(_) => false,
        _ => ty.any_child(&mut has_shape),
    }
}

fn has_unknown_rank(val: &Val) -> bool {
    match val {
        Val::Array(array) => array_has_unknown_rank(array),
        Val::Record(fields) => fields.iter().any(has_unknown_rank),
        Val::Sum(sum) => sum.parts.iter().flatten().flatten().any(has_unknown_rank),
        Val::Scalar(..) | Val::Vector(..) | Val::Lengths(_) | Val::Fun(_) => false,
    }
}

fn array_has_unknown_rank(array: &ArrayVal) -> bool {
    array.dims.iter().any(is_shape) || rows_have_unknown_rank(&array.rows)
}

fn is_shape(dim: &CoreDim) -> bool {
    matches!(dim, CoreDim::Shape(_))
}

fn rows_have_unknown_rank(rows: &Rows) -> bool {
    match rows {
        Rows::Data(..) => false,
        Rows::Record(fields) => fields.iter().any(rows_have_unknown_rank),
        Rows::Sum(_, _, parts) => parts.iter().flatten().any(rows_have_unknown_rank),
        Rows::Array(dims, rows) => dims.iter().any(is_shape) || rows_have_unknown_rank(rows),
    }
}
