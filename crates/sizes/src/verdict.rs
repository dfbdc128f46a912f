//! What becomes of sizes that nothing shows to be equal: an error, or a check at run time.

use super::unify::{Cause, Mismatch, Mode, Unified, Unifier};
use super::vars::{Kind, Origin, Tie};
use typed::{Dim, LocalId, Shape, Size, SizeCheck, size, walk};

impl Unifier<'_, '_> {
    /// Two sizes that nothing shows to be equal.
    pub(super) fn not_equal(&mut self, a: &Dim, b: &Dim, cause: Cause, under: bool) -> Unified {
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
    pub(super) fn remember(&mut self, a: &Dim, b: &Dim) {
        let (left, right) = (self.cx.show_dim(a), self.cx.show_dim(b));
        let span = self.span;
        if !self.cx.program.checks.iter().any(|c| c.span == span && c.left == left && c.right == right) {
            self.cx.program.checks.push(SizeCheck { span, left, right });
        }
    }

    /// A further occurrence of an element type, where the first one has its sizes: rows that differ part ways, and what
    /// someone else decides is left alone. False if the sizes are to be made equal.
    pub(super) fn further_rows(&mut self, a: &Dim, b: &Dim) -> bool {
        let Some((raw_a, raw_b)) = self.raw.clone() else { return false };
        let (this, other) = match (self.is_further(&raw_a), self.is_further(&raw_b)) {
            (true, _) => (a, b),
            (false, true) => (b, a),
            (false, false) => return false,
        };
        if self.cx.same_dim(this, other) {
            return true;
        }
        if self.may_become(other, this) || self.may_become(this, other) {
            return false;
        }
        self.vary()
    }

    /// Whether a dimension is a further occurrence of an element type's, whose size is found.
    fn is_further(&self, dim: &Dim) -> bool {
        let Dim::Size(Size::Local(v)) = dim else { return false };
        let Some(Kind::Copy(canonical, _)) = self.cx.kind(*v) else { return false };
        self.cx.vars.get(canonical).is_some_and(|c| c.tie == Tie::Rows && matches!(c.kind, Kind::Solved(_)))
    }

    /// Whether a dimension is open, not decided elsewhere, and may be `size`.
    fn may_become(&self, dim: &Dim, size: &Dim) -> bool {
        let Dim::Size(Size::Local(v)) = dim else { return false };
        let decided = self.cx.same_if_regular(*v).unwrap_or(*v);
        if !self.cx.is_open(*v) || self.cx.is_given(decided) {
            return false;
        }
        match size {
            Dim::Size(size) => self.in_scope(*v, size),
            Dim::Jagged(Some(k)) => self.in_scope(*v, &Size::Local(*k)),
            Dim::Jagged(None) | Dim::Shape(_) => false,
        }
    }

    /// Whether everything in a size is known where the variable is decided.
    fn in_scope(&self, var: LocalId, size: &Size) -> bool {
        let level = self.cx.vars.get(&self.cx.root(var)).map_or(0, |v| v.level);
        let mut locals = Vec::new();
        size::locals(size, &mut locals);
        locals.iter().all(|l| match self.cx.vars.get(l) {
            Some(v) => v.level <= level || self.cx.is_open(*l),
            None => self.cx.bound_at.get(l).is_none_or(|bound| *bound < level),
        })
    }

    /// Rows of one element type that differ: the occurrences of the type parameter part ways.
    pub(super) fn vary(&mut self) -> bool {
        let Some((a, b)) = self.raw.clone() else { return false };
        for (dim, other) in [(&a, &b), (&b, &a)] {
            if let Dim::Size(Size::Local(v)) = dim
                && let Some(Kind::Copy(canonical, _)) = self.cx.kind(*v).cloned()
            {
                if let Some(c) = self.cx.vars.get_mut(&canonical) {
                    c.varies = true;
                }
                let other = self.cx.norm_dim(other, true);
                let mut locals = Vec::new();
                walk::dim_locals(&other, &mut locals);
                if !locals.contains(v) {
                    self.cx.set(*v, Kind::Solved(other));
                }
                return true;
            }
        }
        false
    }

    pub(super) fn is_row(&self, dim: &Dim) -> bool {
        match dim {
            Dim::Jagged(_) => true,
            Dim::Shape(_) => true,
            Dim::Size(size) => self.cx.has_row(size),
        }
    }

    /// Sizes with different declared names, or different numbers.
    pub(super) fn certainly_differ(&self, a: &Dim, b: &Dim) -> bool {
        let declared = |dim: &Dim| match dim {
            Dim::Size(Size::Local(l)) | Dim::Jagged(Some(l)) | Dim::Shape(Shape::Local(l)) => {
                let name = std::iter::successors(Some(*l), |l| self.cx.row_of(*l)).last()?;
                let var = self.cx.vars.get(&name)?;
                let named = matches!(var.kind, Kind::Param | Kind::Function(Origin::Named));
                named.then_some(name)
            }
            _ => None,
        };
        match (a, b) {
            (Dim::Size(Size::Const(x)), Dim::Size(Size::Const(y))) => x != y,
            _ => matches!((declared(a), declared(b)), (Some(a), Some(b)) if a != b),
        }
    }

    pub(super) fn fail(&self, a: &Dim, b: &Dim, cause: Cause) -> Unified {
        if self.mode == Mode::Common {
            return Ok(());
        }
        Err(Mismatch { expected: a.clone(), found: b.clone(), cause })
    }
}
