//! Which definitions of the library are functions that all places of the program share.
//!
//! Unfolding a definition wherever it is called lets everything that is known there be used, but a program that calls
//! `fft.forward` or `linalg.solve` in a few places becomes so large that the C compiler takes seconds. So what is large
//! is a function, once for all places that call it with arguments of the same form. Its checks do not know where they
//! are shown: they are `inside` of a call that the function is told.

use crate::context::Desugar;
use crate::data::value::Val;
use crate::sizes::types::{has_array, has_shape};
use ir::Dim as CoreDim;
use typed::{Body, DefId, Expr, ExprKind};

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

fn has_unknown_rank(val: &Val) -> bool {
    val.any_dim(|dim| matches!(dim, CoreDim::Shape(_)))
}
