//! What is assumed at first and may turn out wrong: that the sizes of a loop's value and the rows of a recursive array
//! stay what they are at the start, and which sizes the result of a recursive definition has.
//!
//! A group of definitions is walked again, with what was refuted taken back, until all that is still assumed holds. Each
//! walk takes something back, so this ends; what is left is a fixed point.

use super::canon;
use super::cx::Cx;
use super::scheme::Scheme;
use base::{Diagnostic, Map, Name, Severity};
use std::sync::Arc;
use typed::{Body, Def, DefId, Dim, Expr, ExprKind, FunType, Local, LocalId, Ret, Shape, Size, Type, subst, walk};

/// After so many walks, nothing is assumed of results any more.
const PATIENCE: usize = 6;
/// After so many walks we give up.
const MAX_WALKS: usize = 40;

impl Cx<'_> {
    /// A group of definitions that see one another.
    pub(super) fn group(&mut self, group: &[DefId]) {
        // A definition may be large, so that it is copied only where a second walk may be needed.
        let again = group.len() > 1 || group.iter().any(|id| assumes(*id, &self.program.defs[*id]));
        let before: Vec<Def> = group.iter().filter(|_| again).map(|id| self.program.defs[*id].clone()).collect();
        let (diagnostics, checks) = (self.diagnostics.len(), self.program.checks.len());
        for walk in 1.. {
            let mut done = self.walk_group(group);
            let failed = self.diagnostics[diagnostics..].iter().any(|d| d.severity == Severity::Error);
            if !again || self.assumptions_hold(&done, walk, failed) {
                done.iter_mut().for_each(|(_, def)| self.finish(def));
                done.into_iter().for_each(|(id, def)| self.program.defs[id] = def);
                return;
            }
            self.forget();
            self.diagnostics.truncate(diagnostics);
            self.program.checks.truncate(checks);
            for (id, def) in group.iter().zip(&before) {
                self.program.defs[*id] = def.clone();
            }
        }
    }

    fn forget(&mut self) {
        self.vars.clear();
        self.order.clear();
        self.types.clear();
        self.bound_at.clear();
        self.definitions.clear();
        self.shapes.clear();
        self.open.clear();
        self.template_binders.clear();
        self.selected.clear();
        self.only_functions_show.clear();
        self.named_rows.clear();
    }

    fn assumptions_hold(&mut self, done: &[(DefId, Def)], walk: usize, failed: bool) -> bool {
        let refuted = std::mem::take(&mut self.assumptions.refuted);
        let recursive = std::mem::take(&mut self.assumptions.recursive);
        if walk >= MAX_WALKS {
            if let (false, Some((_, def))) = (failed, done.first()) {
                self.no_fixed_point(def);
            }
            return true;
        }
        if refuted {
            return false;
        }
        if !recursive {
            return true;
        }
        if failed {
            // What was assumed of results may be the mistake.
            return !self.assume_nothing();
        }
        let mut hold = true;
        for (id, def) in done.iter().filter(|(_, def)| is_inferred(def)) {
            hold &= self.result_holds(*id, def, walk);
        }
        hold
    }

    /// Takes back all that is assumed of results; false if nothing was.
    fn assume_nothing(&mut self) -> bool {
        let mut changed = false;
        for (id, scheme) in std::mem::take(&mut self.assumptions.results) {
            let arity = self.program.defs[id].params.len();
            for number in 0..walk::dims(&result_of(&scheme.ty, arity)).len() {
                changed |= self.assumptions.unknown.insert((id, number));
            }
            let ty = self.with_unknowns(id, &scheme.ty, arity);
            self.assumptions.results.insert(id, Scheme { ty, ..scheme });
        }
        changed
    }

    fn no_fixed_point(&mut self, def: &Def) {
        let title = format!("the sizes of the result of `{}` cannot be found", def.name);
        let at = "its result depends on the result of calling itself";
        self.report(Diagnostic::error("E0308", title, def.span, at).help("write the type of the result"));
    }

    /// Holds the type that was found against the type that was assumed, which it replaces.
    fn result_holds(&mut self, id: DefId, def: &Def, walk: usize) -> bool {
        let found = Scheme { params: def.type_params.clone(), ty: self.norm(&def.ty()) };
        let arity = def.params.len();
        let holds = match self.assumptions.results.get(&id).cloned() {
            None => false,
            Some(assumed) => {
                let (same_params, mut differ) = self.differences(&assumed.ty, &found.ty, arity);
                differ.retain(|d| !self.assumptions.unknown.contains(&(id, *d)));
                let holds = same_params && differ.is_empty();
                self.assumptions.unknown.extend(differ.into_iter().map(|d| (id, d)));
                holds
            }
        };
        if !holds && walk >= PATIENCE {
            let all = walk::dims(&result_of(&found.ty, arity)).len();
            self.assumptions.unknown.extend((0..all).map(|d| (id, d)));
        }
        let ty = self.with_unknowns(id, &found.ty, arity);
        self.assumptions.results.insert(id, Scheme { ty, ..found });
        holds
    }

    /// The type with an existential size in every dimension of the result that nothing is assumed of.
    fn with_unknowns(&mut self, id: DefId, ty: &Type, arity: usize) -> Type {
        let Type::Fun(fun) = ty else { return ty.clone() };
        let FunType { name, param, diet, ret } = (**fun).clone();
        let ret = if arity > 1 {
            Ret { ty: self.with_unknowns(id, &ret.ty, arity - 1), ..ret }
        } else {
            self.unknown_result(id, ret)
        };
        Type::Fun(Arc::new(FunType { name, param, diet, ret }))
    }

    fn unknown_result(&mut self, id: DefId, ret: Ret) -> Ret {
        let span = self.program.defs[id].span;
        let mut exts = ret.exts;
        let mut numbers = 0..;
        let ty = walk::map_dims(&ret.ty, false, &mut |dim, under| {
            if !numbers.next().is_some_and(|d| self.assumptions.unknown.contains(&(id, d))) {
                return dim.clone();
            }
            let rows = under && self.ravel;
            let name = Name::new(if rows { "k" } else { "n" });
            let new = self.program.locals.push(Local { name, span });
            exts.push(new);
            match dim {
                Dim::Shape(_) => Dim::Shape(Shape::Local(new)),
                Dim::Size(_) | Dim::Jagged(_) if rows => Dim::Jagged(Some(new)),
                Dim::Size(_) | Dim::Jagged(_) => Dim::Size(Size::Local(new)),
            }
        });
        let used = walk::free_locals(&ty);
        exts.retain(|e| used.contains(e));
        Ret { exts, ty, unique: ret.unique }
    }

    /// Whether the parameters of two function types have the same sizes, up to names, and the dimensions of the results
    /// that have not.
    fn differences(&self, a: &Type, b: &Type, arity: usize) -> (bool, Vec<usize>) {
        let mut names = Renaming::default();
        walk::binders(a, &mut names.bound_left);
        walk::binders(b, &mut names.bound_right);
        let (mut a, mut b) = (a.clone(), b.clone());
        let mut same = true;
        for _ in 0..arity {
            let (Type::Fun(f), Type::Fun(g)) = (&a, &b) else { break };
            same &= self.same_dims(&f.param, &g.param, &mut names).is_empty();
            (a, b) = (f.ret.ty.clone(), g.ret.ty.clone());
        }
        let differ = self.same_dims(&a, &b, &mut names);
        (same, differ)
    }

    fn same_dims(&self, a: &Type, b: &Type, names: &mut Renaming) -> Vec<usize> {
        let pairs = walk::dims(a).into_iter().zip(walk::dims(b)).enumerate();
        pairs.filter(|(_, (d, e))| !self.same_renamed(&d.0, &e.0, names)).map(|p| p.0).collect()
    }

    fn same_renamed(&self, a: &Dim, b: &Dim, names: &mut Renaming) -> bool {
        match (a, b) {
            (Dim::Size(Size::Local(x)), Dim::Size(Size::Local(y)))
            | (Dim::Jagged(Some(x)), Dim::Jagged(Some(y)))
            | (Dim::Shape(Shape::Local(x)), Dim::Shape(Shape::Local(y))) => names.same(*x, *y),
            (Dim::Size(x), Dim::Size(y)) => {
                let x = subst::in_size(x, &mut |l| names.pairs.get(&l).map(|r| Size::Local(*r)));
                matches!((&x, y), (Size::Unknown, Size::Unknown)) || canon::equal(&x, y, &self.definitions)
            }
            (Dim::Jagged(None), Dim::Jagged(None)) => true,
            (Dim::Shape(Shape::Unknown), Dim::Shape(Shape::Unknown)) => true,
            _ => false,
        }
    }
}

/// Which names of one type correspond to which of another.
#[derive(Default)]
struct Renaming {
    pairs: Map<LocalId, LocalId>,
    bound_left: Vec<LocalId>,
    bound_right: Vec<LocalId>,
}

impl Renaming {
    fn same(&mut self, a: LocalId, b: LocalId) -> bool {
        if let Some(known) = self.pairs.get(&a) {
            return *known == b;
        }
        let taken = self.pairs.values().any(|r| *r == b);
        if taken || self.bound_left.contains(&a) != self.bound_right.contains(&b) {
            return false;
        }
        self.pairs.insert(a, b);
        true
    }
}

/// Whether the result's type is found, not written.
fn is_inferred(def: &Def) -> bool {
    !def.ret_written && matches!(def.body, Body::Expr(_))
}

/// The result of a function type after so many parameters.
pub(super) fn result_of(ty: &Type, params: usize) -> Type {
    let mut ty = ty.clone();
    for _ in 0..params {
        let Type::Fun(fun) = &ty else { break };
        ty = fun.ret.ty.clone();
    }
    ty
}

/// Whether something is assumed in a definition that stands alone: it has loops or recursive arrays, or uses itself.
fn assumes(own: DefId, def: &Def) -> bool {
    fn inside(own: DefId, e: &Expr) -> bool {
        let mut found = match &*e.kind {
            ExprKind::Loop { .. } | ExprKind::LetRec { .. } => true,
            ExprKind::Global(def, _) => *def == own,
            _ => false,
        };
        e.for_each_child(&mut |child| found = found || inside(own, child));
        found
    }
    matches!(&def.body, Body::Expr(body) if inside(own, body))
}
