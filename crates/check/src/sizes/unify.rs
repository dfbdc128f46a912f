//! Making the sizes of two types equal.

use super::vars::{Kind, Rows};
use super::{Cx, canon, walk};
use base::Span;
use std::sync::Arc;
use syntax::ast::Lifted;
use typed::{Abstract, AbstractId, Dim, FunType, LocalId, Shape, Size, SizeCheck, Type, TypeArg};

/// What to do about sizes that are not known to be equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// An error.
    Strict,
    /// A check at run time, unless they certainly differ.
    Checked,
    /// Nothing: the caller looks at what remains different.
    Common,
}

/// Why two types could not be made equal.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    /// The size expected.
    pub expected: Dim,
    /// The size found.
    pub found: Dim,
    /// What stands in the way.
    pub cause: Cause,
}

/// What stands in the way of two sizes being equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Nothing says they are.
    Differ,
    /// A type parameter would stand for values of differing size.
    Irregular,
    /// This name is not in scope where the size is decided.
    Scope(LocalId),
    /// The size would contain itself.
    Circular,
    /// A rectangle is needed, and rows may differ.
    Jagged,
}

type Unified = Result<(), Mismatch>;

/// One unification.
pub(super) struct Unifier<'c, 'p> {
    pub cx: &'c mut Cx<'p>,
    pub span: Span,
    pub mode: Mode,
    /// Names bound by the function types around.
    pub bound: Vec<LocalId>,
    /// The dimensions now held against each other, before what is known of them was put in.
    pub raw: Option<(Dim, Dim)>,
}

impl Cx<'_> {
    /// Makes the sizes of `found` those of `expected`.
    pub(super) fn unify(&mut self, expected: &Type, found: &Type, span: Span, mode: Mode) -> Unified {
        if !walk::has_dims(expected) && !walk::has_dims(found) {
            return Ok(());
        }
        Unifier { cx: self, span, mode, bound: Vec::new(), raw: None }.types(expected, found, false, false)
    }
}

impl Unifier<'_, '_> {
    /// `swapped`: `expected` and `found` have changed places, inside a parameter of a function.
    pub(super) fn types(&mut self, a: &Type, b: &Type, swapped: bool, under: bool) -> Unified {
        match (a, b) {
            (Type::Record(xs), Type::Record(ys)) => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.types(&x.1, &y.1, swapped, under))
            }
            (Type::Sum(xs), Type::Sum(ys)) => {
                let payloads = xs.iter().zip(ys.iter()).flat_map(|(x, y)| x.1.iter().zip(&y.1));
                payloads.into_iter().try_for_each(|(x, y)| self.types(x, y, swapped, under))
            }
            (Type::Abstract(x, xs), Type::Abstract(y, ys)) if x == y => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.args(x, y, swapped, under))
            }
            (Type::Abstract(id, args), _) => match self.expand(*id, args) {
                Some(repr) => self.types(&repr, b, swapped, under),
                None => Ok(()),
            },
            (_, Type::Abstract(id, args)) => match self.expand(*id, args) {
                Some(repr) => self.types(a, &repr, swapped, under),
                None => Ok(()),
            },
            (Type::Array(Dim::Shape(_), _), Type::Array(..)) | (Type::Array(..), Type::Array(Dim::Shape(_), _)) => {
                self.shaped(a, b, swapped, under)
            }
            (Type::Array(d, x), Type::Array(e, y)) => {
                self.dims(d, e, swapped, under)?;
                self.types(x, y, swapped, true)
            }
            (Type::Fun(f), Type::Fun(g)) => self.functions(f, g, swapped),
            // Whatever else differs, pass 1 has judged.
            _ => Ok(()),
        }
    }

    /// What an abstract type stands for: seen where a module is held against its type.
    fn expand(&mut self, id: AbstractId, args: &[TypeArg]) -> Option<Type> {
        let Abstract { params, repr, .. } = &self.cx.program.abstracts[id];
        if matches!(repr, Type::Error) {
            return None;
        }
        let repr = crate::subst::Subst::of(params, args).apply(repr);
        // Sizes that the type hides go with every size.
        let hidden: Vec<LocalId> = walk::free_locals(&repr)
            .into_iter()
            .filter(|l| !self.cx.vars.contains_key(l) && !self.cx.types.contains_key(l) && !self.bound.contains(l))
            .collect();
        Some(walk::substitute(&repr, &mut |l| hidden.contains(&l).then_some(Size::Unknown)))
    }

    fn args(&mut self, a: &TypeArg, b: &TypeArg, swapped: bool, under: bool) -> Unified {
        match (a, b) {
            (TypeArg::Size(x), TypeArg::Size(y)) => {
                self.dims(&Dim::Size(x.clone()), &Dim::Size(y.clone()), swapped, false)
            }
            (TypeArg::Type(x), TypeArg::Type(y)) => self.types(x, y, swapped, under),
            (TypeArg::Jagged(x), TypeArg::Jagged(y)) => self.dims(x, y, swapped, true),
            (TypeArg::Shape(xs), TypeArg::Shape(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.dims(x, y, swapped, under))
            }
            _ => Ok(()),
        }
    }

    /// Arrays one of which has a shape: dimension by dimension from both ends, as far as they go together.
    fn shaped(&mut self, a: &Type, b: &Type, swapped: bool, under: bool) -> Unified {
        let ((xs, x), (ys, y)) = (walk::spine(a), walk::spine(b));
        if xs.len() == ys.len() {
            for (i, (d, e)) in xs.iter().zip(&ys).enumerate() {
                self.dims(d, e, swapped, under || i > 0)?;
            }
        }
        self.types(&x, &y, swapped, true)
    }

    /// Function types: existential sizes of the expected result take what comes, those of the found result are rigid.
    fn functions(&mut self, f: &Arc<FunType>, g: &Arc<FunType>, swapped: bool) -> Unified {
        let before: Vec<(LocalId, Option<super::vars::Var>)> =
            f.ret.exts.iter().chain(&g.ret.exts).map(|l| (*l, self.cx.vars.get(l).cloned())).collect();
        let (open, rigid) = if swapped { (&g.ret.exts, &f.ret.exts) } else { (&f.ret.exts, &g.ret.exts) };
        let span = self.span;
        for ext in rigid {
            let kind = if self.cx.is_function(*ext) { Kind::Function { declared: false } } else { Kind::Unknown };
            self.cx.declare(*ext, kind, span, "a size that the function's result has");
        }
        for ext in open {
            self.cx.declare(*ext, Kind::Free, span, "a size that the function's result has");
        }
        let result = self.function_parts(f, g, swapped);
        self.absorb_existentials(f.ret.exts.iter().chain(&g.ret.exts).copied(), &before);
        for (local, var) in before {
            match var {
                Some(var) => drop(self.cx.vars.insert(local, var)),
                None => drop(self.cx.vars.remove(&local)),
            }
        }
        result
    }

    fn function_parts(&mut self, f: &FunType, g: &FunType, swapped: bool) -> Unified {
        self.types(&f.param, &g.param, !swapped, false)?;
        let depth = self.bound.len();
        self.bound.extend(f.name);
        self.bound.extend(g.name);
        self.bound.extend(&f.ret.exts);
        self.bound.extend(&g.ret.exts);
        let renamed = match (f.name, g.name) {
            (Some(p), Some(q)) if p != q => walk::substitute(&g.ret.ty, &mut |l| (l == q).then_some(Size::Local(p))),
            _ => g.ret.ty.clone(),
        };
        let result = self.types(&f.ret.ty, &renamed, swapped, false);
        self.bound.truncate(depth);
        result
    }

    /// An open existential that was found to be an instantiated size makes that size existential.
    fn absorb_existentials(
        &mut self,
        exts: impl Iterator<Item = LocalId>,
        before: &[(LocalId, Option<super::vars::Var>)],
    ) {
        for ext in exts {
            let Some(Kind::Solved(Dim::Size(size))) = self.cx.kind(ext).cloned() else { continue };
            let Size::Local(target) = self.cx.norm_size(&size) else { continue };
            let canonical = self.canonical(target);
            if let Some(Kind::Inst { lifted, .. }) = self.cx.kind(canonical)
                && *lifted != Lifted::No
            {
                let rigid = before.iter().find(|b| b.0 == ext).and_then(|b| b.1.as_ref());
                let computed = rigid.filter(|v| matches!(v.kind, Kind::Unknown)).map(|v| v.span);
                self.cx.set(canonical, Kind::Absorbed { key: Some(ext), computed });
            }
        }
    }

    fn canonical(&self, local: LocalId) -> LocalId {
        match self.cx.kind(local) {
            Some(Kind::Copy(canonical, _)) => *canonical,
            _ => local,
        }
    }

    fn dims(&mut self, a: &Dim, b: &Dim, swapped: bool, under: bool) -> Unified {
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        self.raw = Some((a.clone(), b.clone()));
        let (a, b) = (self.cx.norm_dim(a, under), self.cx.norm_dim(b, under));
        match (&a, &b) {
            (Dim::Size(x), Dim::Size(y)) => self.sizes(x, y, under),
            (Dim::Jagged(Some(k)), Dim::Jagged(Some(l))) if k == l => Ok(()),
            (Dim::Jagged(Some(_)), Dim::Jagged(Some(_))) => self.not_equal(&a, &b, Cause::Differ, under),
            (Dim::Jagged(Some(k)), Dim::Size(size)) | (Dim::Size(size), Dim::Jagged(Some(k))) => match size {
                Size::Local(v) if self.cx.is_open(*v) => self.set_rows(*v, *k, &a, &b, under),
                Size::Local(_) | Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => {
                    self.not_equal(&a, &b, Cause::Differ, under)
                }
            },
            (Dim::Jagged(None), _) | (_, Dim::Jagged(None)) => Ok(()),
            (Dim::Shape(s), Dim::Shape(t)) => self.shapes(*s, *t),
            (Dim::Shape(_), _) | (_, Dim::Shape(_)) => Ok(()),
        }
    }

    fn shapes(&mut self, s: Shape, t: Shape) -> Unified {
        let (Shape::Local(x), Shape::Local(y)) = (s, t) else { return Ok(()) };
        if x == y {
            return Ok(());
        }
        if self.cx.is_open(x) {
            self.cx.set(x, Kind::Solved(Dim::Shape(t)));
            return Ok(());
        }
        if self.cx.is_open(y) {
            self.cx.set(y, Kind::Solved(Dim::Shape(s)));
            return Ok(());
        }
        self.not_equal(&Dim::Shape(s), &Dim::Shape(t), Cause::Differ, true)
    }

    /// An open size was found to be the length of row after row.
    fn set_rows(&mut self, var: LocalId, k: LocalId, a: &Dim, b: &Dim, under: bool) -> Unified {
        if let Some(Kind::Copy(canonical, _)) = self.cx.kind(var).cloned() {
            self.cx.set(var, Kind::Solved(Dim::Jagged(Some(k))));
            let rows = self.cx.rows(canonical);
            return match self.cx.kind(canonical) {
                Some(Kind::Solved(_)) => {
                    if let Some(v) = self.cx.vars.get_mut(&canonical) {
                        v.varies = true;
                    }
                    Ok(())
                }
                _ if rows == Rows::MayDiffer => {
                    self.cx.set(canonical, Kind::Solved(Dim::Jagged(Some(k))));
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        match self.cx.rows(var) {
            Rows::MayDiffer => {
                self.cx.set(var, Kind::Solved(Dim::Jagged(Some(k))));
                Ok(())
            }
            Rows::One => self.not_equal(a, b, Cause::Differ, under),
            Rows::Rectangle => self.fail(a, b, Cause::Jagged),
        }
    }

    fn sizes(&mut self, a: &Size, b: &Size, under: bool) -> Unified {
        let (a, b) = (self.cx.norm_size(a), self.cx.norm_size(b));
        if matches!(a, Size::Unknown) || matches!(b, Size::Unknown) {
            for size in [&a, &b] {
                if let Size::Local(v) = size
                    && matches!(self.cx.kind(*v), Some(Kind::Free))
                {
                    let n = self.cx.unknown("n", self.span, "a size known only at run time");
                    self.cx.set(*v, Kind::Solved(Dim::Size(Size::Local(n))));
                }
            }
            return Ok(());
        }
        if canon::equal(&a, &b, &self.cx.definitions) {
            return Ok(());
        }
        if let (Size::Expr(x), Size::Expr(y)) = (&a, &b)
            && let Some(parts) = canon::parts(x, y)
            && parts.iter().all(|(x, y)| self.quietly(x, y, under))
        {
            return Ok(());
        }
        if let Some(result) = self.link_either(&a, &b, under) {
            return result;
        }
        if self.isolate(&a, &b, under) || self.link_bound(&a, &b) || self.link_bound(&b, &a) {
            return Ok(());
        }
        if self.absorb(&a, &b) || self.absorb(&b, &a) {
            return Ok(());
        }
        let instantiated = |cx: &Cx, size: &Size| match size {
            Size::Local(l) => matches!(cx.kind(*l), Some(Kind::Inst { .. } | Kind::Copy(..) | Kind::Absorbed { .. })),
            Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => false,
        };
        let irregular = (instantiated(self.cx, &a) && canon::mentions_any(&b, &self.bound))
            || (instantiated(self.cx, &b) && canon::mentions_any(&a, &self.bound));
        let cause = if irregular { Cause::Irregular } else { Cause::Differ };
        self.not_equal(&Dim::Size(a), &Dim::Size(b), cause, under)
    }

    fn quietly(&mut self, a: &Size, b: &Size, under: bool) -> bool {
        let mode = std::mem::replace(&mut self.mode, Mode::Strict);
        let result = self.sizes(a, b, under);
        self.mode = mode;
        result.is_ok()
    }

    /// If one side is an open variable: makes it the other side.
    fn link_either(&mut self, a: &Size, b: &Size, under: bool) -> Option<Unified> {
        for (var, size) in [(a, b), (b, a)] {
            let Size::Local(v) = var else { continue };
            if !self.cx.is_open(*v) {
                continue;
            }
            if canon::mentions_any(size, &self.bound) && !self.bound.contains(v) {
                continue;
            }
            if self.mode != Mode::Strict && !self.may_link(*v, size) {
                continue;
            }
            return Some(self.link(*v, size, under));
        }
        None
    }

    /// Whether linking would not fail and would not drag a size out of its scope.
    fn may_link(&self, var: LocalId, size: &Size) -> bool {
        let (level, rows) = self.cx.vars.get(&var).map_or((0, Rows::MayDiffer), |v| (v.level, v.rows));
        // A caller cannot know what only the function finds out; a check at run time can.
        let given = self.mode == Mode::Checked && rows == Rows::One;
        let mut locals = Vec::new();
        canon::size_locals(size, &mut locals);
        locals.iter().all(|l| {
            *l != var
                && !self.has_size(*l, var)
                && match self.cx.vars.get(l) {
                    Some(v) => match v.kind {
                        Kind::Param | Kind::Function { declared: true } => v.level < level,
                        Kind::Unknown => v.level <= level && !given,
                        _ => v.level <= level,
                    },
                    // What may be checked at run time need not tie a size to the value of a variable.
                    None => self.mode == Mode::Common && self.cx.bound_at.get(l).is_none_or(|bound| *bound < level),
                }
        })
    }

    /// Whether the type of a variable mentions a size.
    fn has_size(&self, local: LocalId, size: LocalId) -> bool {
        let scheme = self.cx.types.get(&local);
        scheme.is_some_and(|s| walk::has_dims(&s.ty) && walk::free_locals(&self.cx.norm(&s.ty)).contains(&size))
    }

    fn link(&mut self, var: LocalId, size: &Size, under: bool) -> Unified {
        let size = canon::substitute(size, &mut |l| match self.cx.kind(l) {
            Some(Kind::Copy(canonical, _)) if !matches!(self.cx.kind(*canonical), Some(Kind::Solved(_))) => {
                Some(Size::Local(*canonical))
            }
            _ => None,
        });
        if let Some(Kind::Copy(canonical, _)) = self.cx.kind(var).cloned()
            && !matches!(self.cx.kind(canonical), Some(Kind::Solved(_)))
        {
            return self.link(canonical, &size, under);
        }
        if matches!(size, Size::Local(l) if l == var) {
            return Ok(());
        }
        let here = Dim::Size(Size::Local(var));
        if let Size::Local(k) = size
            && self.cx.is_function(k)
        {
            return self.set_rows(var, k, &here, &Dim::Size(size.clone()), under);
        }
        let Some(level) = self.cx.vars.get(&var).map(|v| v.level) else { return Ok(()) };
        let mut locals = Vec::new();
        canon::size_locals(&size, &mut locals);
        for local in &locals {
            if *local == var || self.has_size(*local, var) {
                return self.fail(&here, &Dim::Size(size.clone()), Cause::Circular);
            }
            let Some(v) = self.cx.vars.get_mut(local) else {
                let later = self.cx.bound_at.get(local).is_some_and(|bound| *bound >= level);
                if later && !self.bound.contains(local) {
                    return self.out_of_scope(var, &size, *local, under);
                }
                continue;
            };
            if v.level >= level {
                if matches!(v.kind, Kind::Param) && v.level > 0 {
                    return self.fail(&here, &Dim::Size(size.clone()), Cause::Scope(*local));
                }
                v.level = level;
            }
        }
        if let Size::Local(other) = size {
            let rows = self.cx.rows(var);
            if self.cx.is_open(other) {
                self.cx.require_rows(other, rows);
                let known = self.cx.vars.get(&var).is_some_and(|v| v.must_be_known);
                if let Some(v) = self.cx.vars.get_mut(&other) {
                    v.must_be_known |= known;
                }
            }
        }
        self.cx.set(var, Kind::Solved(Dim::Size(size)));
        Ok(())
    }

    /// A size would have to be one that mentions a name bound only later. Where `let` says what the name stands for,
    /// that may do; and the lengths of rows are checked at run time.
    fn out_of_scope(&mut self, var: LocalId, size: &Size, local: LocalId, under: bool) -> Unified {
        let (here, there) = (Dim::Size(Size::Local(var)), Dim::Size(size.clone()));
        if let Some(definition) = self.cx.definitions.get(&local).cloned() {
            let expanded = canon::substitute(size, &mut |l| (l == local).then(|| definition.clone()));
            return self.link(var, &expanded, under);
        }
        if self.cx.ravel && self.cx.rows(var) == Rows::MayDiffer {
            self.remember(&here, &there);
            return Ok(());
        }
        self.fail(&here, &there, Cause::Scope(local))
    }

    /// `n + ?a = m + n` gives `?a = m`.
    fn isolate(&mut self, a: &Size, b: &Size, under: bool) -> bool {
        if !self.cx.ravel {
            return false;
        }
        let Some(difference) = canon::difference(a, b, &self.cx.definitions) else { return false };
        let open: Vec<_> =
            difference.symbols().filter(|s| s.local().is_some_and(|l| self.cx.is_open(l))).cloned().collect();
        let [symbol] = &open[..] else { return false };
        let (Some(var), Some(rest)) = (symbol.local(), difference.isolate(symbol)) else { return false };
        if canon::mentions_any(a, &[var]) && canon::mentions_any(b, &[var]) {
            return false;
        }
        let Some(size) = canon::from_linear(&rest, self.span) else { return false };
        if canon::mentions_any(&size, &self.bound) && !self.bound.contains(&var) {
            return false;
        }
        let ok = self.mode == Mode::Strict || self.may_link(var, &size);
        ok && self.link(var, &size, under).is_ok()
    }

    /// An instantiated size may be a name that the instantiated type itself binds (a dependent function type).
    fn link_bound(&mut self, var: &Size, size: &Size) -> bool {
        let Size::Local(v) = var else { return false };
        if self.bound.contains(v) || !canon::mentions_any(size, &self.bound) {
            return false;
        }
        let mut mentioned = Vec::new();
        canon::size_locals(size, &mut mentioned);
        let binders = mentioned.iter().all(|l| !self.bound.contains(l) || self.cx.template_binders.contains(l));
        if binders && matches!(self.cx.kind(*v), Some(Kind::Inst { .. } | Kind::Copy(..))) {
            self.cx.set(*v, Kind::Solved(Dim::Size(size.clone())));
            return true;
        }
        false
    }

    /// An instantiated size held against a size bound in a function type becomes existential, or differs from row to
    /// row.
    fn absorb(&mut self, var: &Size, size: &Size) -> bool {
        let Size::Local(v) = var else { return false };
        if self.bound.contains(v) || !canon::mentions_any(size, &self.bound) {
            return false;
        }
        let canonical = self.canonical(*v);
        match self.cx.kind(canonical).cloned() {
            Some(Kind::Inst { element: true, .. } | Kind::Free) if self.cx.ravel => {
                if self.cx.rows(canonical) != Rows::MayDiffer {
                    return false;
                }
                let k = self.cx.unknown_function(self.span, "the lengths of rows that are computed one by one");
                self.cx.set(canonical, Kind::Solved(Dim::Jagged(Some(k))));
                true
            }
            Some(Kind::Inst { lifted, .. }) if lifted != Lifted::No || self.cx.ravel => {
                let mut locals = Vec::new();
                canon::size_locals(size, &mut locals);
                let computed = locals.iter().find_map(|l| {
                    let var = self.cx.vars.get(l)?;
                    matches!(var.kind, Kind::Unknown).then_some(var.span)
                });
                let key = match size {
                    Size::Local(l) => Some(*l),
                    Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
                };
                self.cx.set(canonical, Kind::Absorbed { key, computed });
                true
            }
            Some(Kind::Absorbed { .. }) => true,
            _ => false,
        }
    }

    /// Two sizes that nothing shows to be equal.
    fn not_equal(&mut self, a: &Dim, b: &Dim, cause: Cause, under: bool) -> Unified {
        if self.mode == Mode::Common {
            return Ok(());
        }
        let rows = self.cx.ravel && (self.is_row(a) || self.is_row(b));
        let differ = self.certainly_differ(a, b);
        if self.cx.ravel && under && !differ && self.vary() {
            return Ok(());
        }
        let soft = rows || self.mode == Mode::Checked;
        if !soft || differ {
            return self.fail(a, b, cause);
        }
        self.remember(a, b);
        Ok(())
    }

    /// Notes a check for run time.
    fn remember(&mut self, a: &Dim, b: &Dim) {
        let (left, right) = (self.cx.show_dim(a), self.cx.show_dim(b));
        let span = self.span;
        if !self.cx.program.checks.iter().any(|c| c.span == span && c.left == left && c.right == right) {
            self.cx.program.checks.push(SizeCheck { span, left, right });
        }
    }

    /// Rows of one element type that differ: the occurrences of the type parameter part ways.
    fn vary(&mut self) -> bool {
        let Some((a, b)) = self.raw.clone() else { return false };
        for (dim, other) in [(&a, &b), (&b, &a)] {
            if let Dim::Size(Size::Local(v)) = dim
                && let Some(Kind::Copy(canonical, _)) = self.cx.kind(*v).cloned()
            {
                if let Some(c) = self.cx.vars.get_mut(&canonical) {
                    c.varies = true;
                }
                self.cx.set(*v, Kind::Solved(other.clone()));
                return true;
            }
        }
        false
    }

    fn is_row(&self, dim: &Dim) -> bool {
        match dim {
            Dim::Jagged(_) => true,
            Dim::Shape(_) => true,
            Dim::Size(size) => {
                let mut locals = Vec::new();
                canon::size_locals(size, &mut locals);
                locals.iter().any(|l| self.cx.is_function(*l))
            }
        }
    }

    /// Sizes with different declared names, or different numbers.
    fn certainly_differ(&self, a: &Dim, b: &Dim) -> bool {
        let declared = |dim: &Dim| match dim {
            Dim::Size(Size::Local(l)) | Dim::Jagged(Some(l)) | Dim::Shape(Shape::Local(l)) => {
                let var = self.cx.vars.get(l);
                var.is_some_and(|v| matches!(v.kind, Kind::Param | Kind::Function { declared: true }) && !v.anonymous)
            }
            _ => false,
        };
        match (a, b) {
            (Dim::Size(Size::Const(x)), Dim::Size(Size::Const(y))) => x != y,
            _ => declared(a) && declared(b),
        }
    }

    fn fail(&self, a: &Dim, b: &Dim, cause: Cause) -> Unified {
        if self.mode == Mode::Common {
            return Ok(());
        }
        Err(Mismatch { expected: a.clone(), found: b.clone(), cause })
    }
}
