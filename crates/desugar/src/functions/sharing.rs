//! Which definitions of the library are functions that all places of the program share.
//!
//! Unfolding a definition wherever it is called lets everything that is known there be used, but a program that calls
//! `fft.forward` or `linalg.solve` in a few places becomes so large that the C compiler takes seconds. So what is large
//! is a function, once for all places that call it with arguments of the same form. Its checks do not know where they
//! are shown: they are `inside` of a call that a parameter names.

use crate::context::Desugar;
use crate::data::value::Val;
use crate::sizes::types::{has_array, has_shape};
use base::Map;
use ir::Dim as CoreDim;
use typed::{Body, DefId, Expr, ExprKind, Program};

/// Definitions of the library that are at least so large become functions.
const LARGE: usize = 48;

/// Definitions of a program that are mentioned in several places become functions if they are at least so large. They are
/// unfolded further than those of the library, because more is known where the user calls them.
const VERY_LARGE: usize = 80;

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

    /// Whether unfolding a definition of the program wherever it is called would multiply much code.
    pub(crate) fn multiplies(&mut self, def: DefId) -> bool {
        self.weight(def) >= VERY_LARGE && self.mentions.get(&def).is_some_and(|count| *count > 1)
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
            ExprKind::Global(def, _) => match meant(self.typed, *def) {
                def if self.typed.defs[def].params.is_empty() => 1,
                def => self.weight(def),
            },
            _ => 1,
        };
        expr.for_each_child(&mut |child| weight = VERY_LARGE.min(weight + self.weight_of(child)));
        weight
    }
}

/// How often each definition is mentioned in those that these entry points need.
pub(crate) fn mentions(program: &Program, entries: &[DefId]) -> Map<DefId, usize> {
    let mut counts = Map::default();
    let mut waiting = entries.to_vec();
    while let Some(def) = waiting.pop() {
        if let Body::Expr(body) = &program.defs[def].body {
            count_mentions(program, body, &mut counts, &mut waiting);
        }
    }
    counts
}

fn count_mentions(program: &Program, expr: &Expr, counts: &mut Map<DefId, usize>, waiting: &mut Vec<DefId>) {
    if let ExprKind::Global(def, _) = &*expr.kind {
        let def = meant(program, *def);
        let count = counts.entry(def).or_default();
        *count += 1;
        if *count == 1 {
            waiting.push(def);
        }
    }
    expr.for_each_child(&mut |child| count_mentions(program, child, counts, waiting));
}

/// The definition that another one is only a name for, as those are that a module type exports.
fn meant(program: &Program, def: DefId) -> DefId {
    match &program.defs[def].body {
        Body::Expr(body) if program.defs[def].params.is_empty() => match &*body.kind {
            ExprKind::Global(other, _) => meant(program, *other),
            _ => def,
        },
        Body::Expr(_) | Body::Intrinsic(_) | Body::Specified => def,
    }
}

fn has_unknown_rank(val: &Val) -> bool {
    val.any_dim(|dim| matches!(dim, CoreDim::Shape(_)))
}
