//! Loops: which sizes of the loop value stay the same from turn to turn, and which change.

use super::cx::Cx;
use super::demand::Decided;
use super::scheme::Scheme;
use super::unify::Mode;
use super::vars::{Kind, Origin};
use base::Span;
use std::convert::Infallible;
use typed::{Dim, Expr, LocalId, LoopForm, Pat, Shape, Size, Type, TypeArg, subst, walk};

/// How the body makes a size of the next turn's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// It is a new one.
    Fresh,
    /// It is the size that the loop started with.
    Initial,
    /// It is the size, at this turn, of another part that started with the same size.
    CopyOf(LocalId),
}

/// The sizes of a loop value, each with what it is at the start.
struct LoopSizes {
    start: Vec<(LocalId, Dim)>,
    /// How many locals there were before the loop.
    mark: usize,
}

impl Cx<'_> {
    /// `loop pat = init form do body`.
    pub(super) fn loop_in(
        &mut self,
        sizes: &mut Vec<LocalId>,
        pat: &mut Pat,
        init: &mut Expr,
        form: &mut LoopForm,
        body: &mut Expr,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(init);
        let (ty, loop_sizes) = self.loop_value(&init.ty.clone(), span);
        let outer = self.level;
        match form {
            LoopForm::For(counter, bound) => {
                self.expr(bound);
                self.bind(*counter, bound.ty.clone());
                self.value_pat(pat, &ty, &[]);
            }
            LoopForm::ForIn(element, array) => {
                self.expr(array);
                let row = match self.norm(&array.ty) {
                    Type::Array(_, elem) => self.row(&elem),
                    _ => element.ty.clone(),
                };
                self.value_pat(element, &row, &[]);
                self.value_pat(pat, &ty, &[]);
            }
            LoopForm::While(condition) => {
                self.value_pat(pat, &ty, &[]);
                self.level = outer + 1;
                self.expr(condition);
            }
        }
        self.level = outer + 1;
        self.expr(body);
        self.check_constant(&ty, &loop_sizes, &body.ty.clone(), body.span, span);
        let variant = self.variant_sizes(&ty, &loop_sizes, pat, body, span);
        self.fits_loop(&variant, pat, &body.ty.clone(), body.span, "the loop's value");
        self.level = outer;
        self.fits_loop(&variant, pat, &init.ty.clone(), init.span, "the loop's value");
        *sizes = variant.clone();
        self.loop_result(&variant, &pat.ty.clone(), span)
    }

    /// One row of an array whose element type this is, read at the current turn or iteration.
    pub(super) fn row(&self, elem: &Type) -> Type {
        walk::map_dims(elem, false, &mut |dim, under| match self.norm_dim(dim, true) {
            Dim::Jagged(Some(k)) if !under => Dim::Size(Size::Local(k)),
            Dim::Jagged(None) if !under => Dim::Size(Size::Unknown),
            dim => dim,
        })
    }

    /// The type of the loop value with a variable for every size. In `.rv`, a size is first assumed to stay what it is at
    /// the start.
    fn loop_value(&mut self, init: &Type, span: Span) -> (Type, LoopSizes) {
        let mark = self.program.locals.len();
        let mut start = Vec::new();
        let init = self.norm(init);
        let mut number = 0..;
        let ty = walk::map_dims(&init, false, &mut |dim, _| {
            if self.ravel && !number.next().is_some_and(|at| self.assumptions.varies(span, at)) {
                return dim.clone();
            }
            let new = self.template_dim(dim, &Kind::Free, span, "a size of the loop's value");
            match &new {
                Dim::Size(Size::Local(v)) | Dim::Shape(Shape::Local(v)) => start.push((*v, dim.clone())),
                _ => {}
            }
            new
        });
        for (v, _) in &start {
            if let Some(var) = self.vars.get_mut(v) {
                var.demand.decided = Decided::Outside;
            }
        }
        (ty, LoopSizes { start, mark })
    }

    /// Looks whether the body gives values of the sizes that were assumed not to change.
    fn check_constant(&mut self, ty: &Type, sizes: &LoopSizes, found: &Type, at: Span, span: Span) {
        if !self.ravel {
            return;
        }
        // A size that changes is not what the body gives it in one turn.
        let changing: Vec<LocalId> = sizes.start.iter().map(|s| s.0).collect();
        let assumed = self.loosen(ty, &changing, span);
        self.unify(&assumed, found, at, Mode::Common).ok();
        let (before, after) = (walk::dims(&self.norm(ty)), walk::dims(&self.norm(found)));
        if before.len() != after.len() {
            return;
        }
        for (number, (old, new)) in before.iter().zip(&after).enumerate() {
            let made_inside = self.dim_made_since(&old.0, sizes);
            if made_inside || !self.same_dim(&old.0, &new.0) {
                self.assumptions.refute(span, number);
            }
        }
    }

    /// Whether a dimension mentions a size that came into being inside the loop.
    fn dim_made_since(&self, dim: &Dim, sizes: &LoopSizes) -> bool {
        let mut locals = Vec::new();
        walk::dim_locals(dim, &mut locals);
        locals.iter().any(|l| l.0 as usize >= sizes.mark && self.is_unknown(*l))
    }

    fn variant_sizes(&mut self, ty: &Type, sizes: &LoopSizes, pat: &mut Pat, body: &Expr, span: Span) -> Vec<LocalId> {
        let pat_ty = self.norm(&pat.ty);
        self.check_loop_scope(sizes, &pat_ty, pat.span);
        let news: Vec<LocalId> = sizes.start.iter().map(|s| s.0).collect();
        let loose = self.loosen(&pat_ty, &news, span);
        let found = self.norm(&body.ty);
        if let Err(mismatch) = self.unify(&loose, &found, body.span, Mode::Strict) {
            self.mismatch(body.span, "the loop's value", &loose, &found, mismatch);
        }
        let changes = self.changes(&self.norm(ty), &self.norm(&body.ty), sizes);
        let mut variant: Vec<LocalId> = changes.iter().filter(|c| c.1 == Change::Fresh).map(|c| c.0).collect();
        // A part that takes over the size of a part that changes, changes too.
        loop {
            let more = changes.iter().find(|(v, change)| match change {
                Change::CopyOf(u) => variant.contains(u) && !variant.contains(v),
                Change::Fresh | Change::Initial => false,
            });
            match more {
                Some((v, _)) => variant.push(*v),
                None => break,
            }
        }
        self.check_escaped(&variant, span);
        for (v, _) in &changes {
            if !variant.contains(v)
                && self.is_open(*v)
                && let Some(initial) = self.initial(*v, sizes)
            {
                self.set(*v, Kind::Solved(initial));
            }
        }
        for v in &variant {
            let rows = stands_in_rows(&pat_ty, *v);
            if rows && self.ravel {
                self.set(*v, Kind::Function(Origin::Computed));
            } else {
                self.vars.remove(v);
                self.types.insert(*v, Scheme::plain(Type::I64));
            }
        }
        self.norm_pat(pat);
        variant
    }

    /// The type with new open sizes for these.
    fn loosen(&mut self, ty: &Type, locals: &[LocalId], span: Span) -> Type {
        let ty = self.norm(ty);
        let mut new: Vec<(LocalId, LocalId)> = Vec::new();
        for local in walk::free_locals(&ty) {
            if locals.iter().any(|l| self.norm_local(*l) == local) {
                let fresh = self.free("n", span, "a size of the loop's value");
                new.push((local, fresh));
            }
        }
        let ty = walk::map_dims(&ty, false, &mut |dim, _| match dim {
            Dim::Jagged(Some(k)) => match new.iter().find(|n| n.0 == *k) {
                Some((_, fresh)) => Dim::Size(Size::Local(*fresh)),
                None => dim.clone(),
            },
            Dim::Size(_) | Dim::Shape(_) | Dim::Jagged(None) => dim.clone(),
        });
        subst::in_type(&ty, &mut |l| new.iter().find(|n| n.0 == l).map(|n| Size::Local(n.1)))
    }

    fn norm_local(&self, local: LocalId) -> LocalId {
        match self.norm_size(&Size::Local(local)) {
            Size::Local(l) => l,
            Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => local,
        }
    }

    fn initial(&self, local: LocalId, sizes: &LoopSizes) -> Option<Dim> {
        sizes.start.iter().find(|(v, _)| self.norm_local(*v) == local).map(|s| self.norm_dim(&s.1, true))
    }

    fn changes(&self, before: &Type, after: &Type, sizes: &LoopSizes) -> Vec<(LocalId, Change)> {
        let mut pairs = Vec::new();
        paired_dims(before, after, &mut pairs);
        let mut changes: Vec<(LocalId, Change)> = Vec::new();
        for (e, d) in pairs {
            if self.same_dim(&e, &d) {
                continue;
            }
            let mut locals = Vec::new();
            walk::dim_locals(&e, &mut locals);
            for v in locals {
                let Some(initial) = self.initial(v, sizes) else { continue };
                let change = if self.same_dim(&initial, &d) {
                    Change::Initial
                } else {
                    match &d {
                        Dim::Size(Size::Local(u)) | Dim::Jagged(Some(u))
                            if self.is_open(v)
                                && self.initial(*u, sizes).is_some_and(|i| self.same_dim(&i, &initial)) =>
                        {
                            Change::CopyOf(*u)
                        }
                        _ if (v.0 as usize) < sizes.mark => continue,
                        _ => Change::Fresh,
                    }
                };
                match changes.iter_mut().find(|c| c.0 == v) {
                    Some(known) if change == Change::Fresh => known.1 = change,
                    Some(_) => {}
                    None => changes.push((v, change)),
                }
            }
        }
        changes
    }

    /// A value must fit the loop's type, sizes that change aside.
    fn fits_loop(&mut self, variant: &[LocalId], pat: &Pat, found: &Type, span: Span, what: &str) {
        let expected = self.loosen(&pat.ty.clone(), variant, span);
        let found = self.norm(found);
        if let Err(mismatch) = self.unify(&expected, &found, span, Mode::Strict) {
            self.mismatch(span, what, &expected, &found, mismatch);
        }
    }

    fn loop_result(&mut self, variant: &[LocalId], ty: &Type, span: Span) -> (Type, Vec<LocalId>) {
        self.release(ty, span, "a size that the loop's value has at the end", &|_, l| variant.contains(&l))
    }

    fn norm_pat(&mut self, pat: &mut Pat) {
        pat.for_each_mut(&mut |p| p.ty = self.norm(&p.ty));
        pat.for_each_mut(&mut |p| {
            if let typed::PatKind::Bind(local) = p.kind {
                self.types.insert(local, Scheme::plain(p.ty.clone()));
            }
        });
    }

    /// The loop's value must not need a size that its own body makes.
    fn check_loop_scope(&mut self, sizes: &LoopSizes, ty: &Type, span: Span) {
        let ours: Vec<LocalId> = sizes.start.iter().map(|s| s.0).collect();
        let bad = walk::free_locals(ty)
            .into_iter()
            .find(|l| (l.0 as usize) >= sizes.mark && !ours.contains(l) && self.is_unknown(*l) && !self.ravel);
        if let Some(bad) = bad {
            self.loop_needs_inner_size(bad, ty, span);
        }
    }

    /// A size that changes must not have been tied to something outside the loop.
    fn check_escaped(&mut self, variant: &[LocalId], span: Span) {
        let escaped = variant.iter().any(|v| self.vars.get(v).is_some_and(|var| var.level < self.level - 1));
        if escaped && !self.ravel {
            self.loop_size_escapes(span);
        }
    }
}

/// The dimensions of two types of one structure, side by side.
fn paired_dims(a: &Type, b: &Type, out: &mut Vec<(Dim, Dim)>) {
    match (a, b) {
        (Type::Array(d, _), Type::Array(e, _)) => out.push((d.clone(), e.clone())),
        (Type::Abstract(_, xs), Type::Abstract(_, ys)) => {
            for pair in xs.iter().zip(ys.iter()) {
                match pair {
                    (TypeArg::Size(s), TypeArg::Size(t)) => out.push((Dim::Size(s.clone()), Dim::Size(t.clone()))),
                    (TypeArg::Type(s), TypeArg::Type(t)) => paired_dims(s, t, out),
                    _ => {}
                }
            }
            return;
        }
        (Type::Fun(_), _) => return,
        _ => {}
    }
    let Ok(()) = a.zip_children::<Infallible>(b, &mut |x, y| {
        paired_dims(x, y, out);
        Ok(())
    });
}

/// Whether a size stands inside another dimension, where rows may differ in it.
fn stands_in_rows(ty: &Type, local: LocalId) -> bool {
    let (mut nested, mut outer) = (false, false);
    walk::each_dim(ty, &mut |dim, under| {
        if matches!(dim, Dim::Size(Size::Local(l)) | Dim::Jagged(Some(l)) if *l == local) {
            nested |= under;
            outer |= !under;
        }
    });
    nested && !outer
}
