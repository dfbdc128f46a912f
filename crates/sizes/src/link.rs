//! Making two sizes equal: open ones are decided, others must be equal as they stand.

use super::canon;
use super::cx::Cx;
use super::demand::{Demand, Rows};
use super::unify::{Cause, Mode, Unified, Unifier};
use super::vars::{Kind, Origin, Round, Var};
use syntax::ast::Lifted;
use typed::{Dim, LocalId, Size, size, subst, walk};

impl Unifier<'_, '_> {
    pub(super) fn sizes(&mut self, a: &Size, b: &Size, under: bool) -> Unified {
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
        // Branches that differ do not say how long the current row is: `if length w > 1 then iota 3 else w`.
        if self.joining
            && (self.is_current_row(&a) || self.is_current_row(&b))
            && !self.follows(&a)
            && !self.follows(&b)
        {
            return self.not_equal(&Dim::Size(a), &Dim::Size(b), Cause::Differ, under);
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
        let irregular = (instantiated(self.cx, &a) && size::mentions_any(&b, &self.bound))
            || (instantiated(self.cx, &b) && size::mentions_any(&a, &self.bound));
        let cause = if irregular { Cause::Irregular } else { Cause::Differ };
        self.not_equal(&Dim::Size(a), &Dim::Size(b), cause, under)
    }

    /// Whether a size is decided anew in every round of an iteration.
    fn is_current_row(&self, size: &Size) -> bool {
        matches!(size, Size::Local(v) if self.cx.is_open(*v) && self.cx.is_per_round(&Dim::Size(size.clone())))
    }

    /// Whether a size is open for this use alone: it becomes whatever it meets.
    fn follows(&self, size: &Size) -> bool {
        matches!(size, Size::Local(v) if self.cx.is_open(*v)) && !self.is_current_row(size)
    }

    pub(super) fn quietly(&mut self, a: &Size, b: &Size, under: bool) -> bool {
        let mode = std::mem::replace(&mut self.mode, Mode::Strict);
        let result = self.sizes(a, b, under);
        self.mode = mode;
        result.is_ok()
    }

    /// If one side is an open variable: makes it the other side.
    pub(super) fn link_either(&mut self, a: &Size, b: &Size, under: bool) -> Option<Unified> {
        for (var, size) in [(a, b), (b, a)] {
            let Size::Local(v) = var else { continue };
            if !self.cx.is_open(*v) {
                continue;
            }
            if size::mentions_any(size, &self.bound) && !self.bound.contains(v) {
                continue;
            }
            if self.mode != Mode::Strict && !self.may_link(*v, size) {
                continue;
            }
            if self.joining && (self.cx.is_given(*v) || self.cx.same_if_regular(*v).is_some()) {
                continue;
            }
            return Some(self.link(*v, size, under));
        }
        None
    }

    /// Whether linking would not fail and would not drag a size out of its scope.
    pub(super) fn may_link(&self, var: LocalId, size: &Size) -> bool {
        let (level, rows) = self.cx.vars.get(&var).map_or((0, Rows::MayDiffer), |v| (v.level, v.demand.rows));
        // A caller cannot know what only the function finds out; a check at run time can.
        let given = self.mode == Mode::Checked && rows == Rows::One;
        let mut locals = Vec::new();
        size::locals(size, &mut locals);
        locals.iter().all(|l| {
            *l != var
                && !self.has_size(*l, var)
                && match self.cx.vars.get(l) {
                    Some(v) => match v.kind {
                        Kind::Param | Kind::Function(Origin::Named | Origin::Anonymous) => v.level < level,
                        Kind::Unknown => v.level <= level && !given,
                        _ => v.level <= level,
                    },
                    // What may be checked at run time need not tie a size to the value of a variable.
                    None => self.mode == Mode::Common && self.cx.bound_at.get(l).is_none_or(|bound| *bound < level),
                }
        })
    }

    /// Whether the type of a variable mentions a size.
    pub(super) fn has_size(&self, local: LocalId, size: LocalId) -> bool {
        let scheme = self.cx.types.get(&local);
        scheme.is_some_and(|s| walk::has_dims(&s.ty) && walk::free_locals(&self.cx.norm(&s.ty)).contains(&size))
    }

    pub(super) fn link(&mut self, var: LocalId, size: &Size, under: bool) -> Unified {
        let size = subst::in_size(size, &mut |l| match self.cx.kind(l) {
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
        if let Some(result) = self.link_occurrence(var, &size, under) {
            return result;
        }
        let here = Dim::Size(Size::Local(var));
        if self.leaves_iteration(var, &size) {
            return self.not_equal(&here, &Dim::Size(size), Cause::Differ, under);
        }
        if let Size::Local(k) = size
            && self.cx.is_function(k)
        {
            return self.set_rows(var, k, &here, &Dim::Size(size.clone()), under);
        }
        let Some(level) = self.cx.vars.get(&var).map(|v| v.level) else { return Ok(()) };
        let mut locals = Vec::new();
        size::locals(&size, &mut locals);
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
        if let Size::Local(other) = size
            && self.cx.is_open(other)
        {
            self.pass_on(var, other);
        }
        self.cx.set(var, Kind::Solved(Dim::Size(size)));
        Ok(())
    }

    /// Rows that may come in another order than those whose extents they have (see `same_if_regular`).
    fn link_occurrence(&mut self, var: LocalId, size: &Size, under: bool) -> Option<Unified> {
        let of_size = match size {
            Size::Local(l) => self.cx.same_if_regular(*l).map(|extent| (*l, extent)),
            Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
        };
        let (occurrence, extent, other) = match (self.cx.same_if_regular(var), of_size) {
            (Some(extent), _) => (var, extent, size.clone()),
            (None, Some((occurrence, extent))) => (occurrence, extent, Size::Local(var)),
            (None, None) => return None,
        };
        let open = match other {
            Size::Local(k) if self.cx.is_function(k) => return None,
            Size::Local(l) if self.cx.is_open(l) => Some(l),
            Size::Local(_) | Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
        };
        match open {
            // One extent for all rows: their order does not matter.
            Some(l) if self.cx.rows(l) != Rows::MayDiffer => Some(self.link(l, &Size::Local(extent), under)),
            None if self.mode == Mode::Strict || self.may_link(extent, &other) => {
                Some(self.link(extent, &other, under))
            }
            Some(l) if l != extent && !self.cx.is_given(l) && self.cx.same_if_regular(l).is_none() => {
                (l != var).then(|| self.link(l, &Size::Local(occurrence), under))
            }
            _ => {
                self.remember(&Dim::Size(Size::Local(occurrence)), &Dim::Size(other.clone()));
                self.cx.set(occurrence, Kind::Solved(Dim::Size(other)));
                Some(Ok(()))
            }
        }
    }

    /// Whether a size is the length of the current row of an iteration, and the variable belongs to what is around it.
    fn leaves_iteration(&self, var: LocalId, size: &Size) -> bool {
        let Some(level) = self.cx.vars.get(&var).map(|v| v.level) else { return false };
        let mut locals = Vec::new();
        size::locals(size, &mut locals);
        locals
            .iter()
            .any(|l| self.cx.vars.get(l).is_some_and(|v| matches!(v.round, Round::RowOf(_)) && v.level > level))
    }

    /// What is asked of a variable is asked of the open one that it is found to be.
    ///
    /// The extent of what an iteration runs through, seen from inside, may equal a size from around the iteration: then it
    /// is the same in all rows.
    fn pass_on(&mut self, var: LocalId, other: LocalId) {
        let (ravel, level) = (self.cx.ravel, self.cx.level);
        let Some(from) = self.cx.vars.get(&var).cloned() else { return };
        let Some(to) = self.cx.vars.get_mut(&other) else { return };
        let is_from_around = |inner: &Var, outer: &Var| {
            let around = inner.demand.one_in;
            around.is_some_and(|at| level > at && outer.demand.one_in.is_none() && outer.level <= at)
        };
        let same_in_all_rows = ravel && (is_from_around(&from, to) || is_from_around(to, &from));
        let joined = to.demand.join(from.demand);
        to.demand = match same_in_all_rows {
            true => Demand { rows: joined.rows.max(Rows::One), one_in: to.demand.one_in, ..joined },
            false => joined,
        };
    }

    /// A size would have to be one that mentions a name bound only later. Where `let` gives the name's value,
    /// that may do; and the lengths of rows are checked at run time.
    pub(super) fn out_of_scope(&mut self, var: LocalId, size: &Size, local: LocalId, under: bool) -> Unified {
        let (here, there) = (Dim::Size(Size::Local(var)), Dim::Size(size.clone()));
        if let Some(definition) = self.cx.definitions.get(&local).cloned() {
            let expanded = subst::in_size(size, &mut |l| (l == local).then(|| definition.clone()));
            return self.link(var, &expanded, under);
        }
        if self.cx.ravel && self.cx.rows(var) == Rows::MayDiffer {
            self.remember(&here, &there);
            return Ok(());
        }
        self.fail(&here, &there, Cause::Scope(local))
    }

    /// `n + ?a = m + n` gives `?a = m`.
    pub(super) fn isolate(&mut self, a: &Size, b: &Size, under: bool) -> bool {
        if !self.cx.ravel {
            return false;
        }
        let Some(difference) = canon::difference(a, b, &self.cx.definitions) else { return false };
        let open: Vec<_> =
            difference.symbols().filter(|s| s.local().is_some_and(|l| self.cx.is_open(l))).cloned().collect();
        let [symbol] = &open[..] else { return false };
        let (Some(var), Some(rest)) = (symbol.local(), difference.isolate(symbol)) else { return false };
        if size::mentions_any(a, &[var]) && size::mentions_any(b, &[var]) {
            return false;
        }
        let Some(size) = canon::from_linear(&rest, self.span) else { return false };
        if size::mentions_any(&size, &self.bound) && !self.bound.contains(&var) {
            return false;
        }
        let decided_elsewhere = self.joining && self.cx.is_given(var);
        let ok = !decided_elsewhere && (self.mode == Mode::Strict || self.may_link(var, &size));
        ok && self.link(var, &size, under).is_ok()
    }

    /// An instantiated size may be a name that the instantiated type itself binds (a dependent function type).
    pub(super) fn link_bound(&mut self, var: &Size, size: &Size) -> bool {
        let Size::Local(v) = var else { return false };
        if self.bound.contains(v) || !size::mentions_any(size, &self.bound) {
            return false;
        }
        let mut mentioned = Vec::new();
        size::locals(size, &mut mentioned);
        let binders = mentioned.iter().all(|l| !self.bound.contains(l) || self.cx.template_binders.contains(l));
        if binders && matches!(self.cx.kind(*v), Some(Kind::Inst { .. } | Kind::Copy(..))) {
            self.cx.set(*v, Kind::Solved(Dim::Size(size.clone())));
            return true;
        }
        false
    }

    /// An instantiated size unified with a size bound in a function type becomes existential, or differs from row to
    /// row.
    pub(super) fn absorb(&mut self, var: &Size, size: &Size) -> bool {
        let Size::Local(v) = var else { return false };
        if self.bound.contains(v) || !size::mentions_any(size, &self.bound) {
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
                if let Size::Local(param) = size {
                    self.cx.named_rows.push((k, *param));
                }
                true
            }
            Some(Kind::Inst { lifted, .. }) if lifted != Lifted::No || self.cx.ravel => {
                let mut locals = Vec::new();
                size::locals(size, &mut locals);
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
}
