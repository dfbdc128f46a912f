//! Making size variables, and putting what was found of them into sizes and types.

use super::cx::Cx;
use super::demand::{Decided, Rows};
use super::vars::{Kind, Origin, Round, Tie, Var};
use base::{Name, Span};
use typed::{Dim, Local, LocalId, Shape, Size, Type, subst, walk};

impl Cx<'_> {
    /// A new size variable.
    pub(super) fn fresh(&mut self, kind: Kind, name: &str, span: Span, what: &'static str) -> LocalId {
        let local = self.program.locals.push(Local { name: Name::new(name), span });
        self.declare(local, kind, span, what);
        local
    }

    /// Makes an existing local a size variable.
    pub(super) fn declare(&mut self, local: LocalId, kind: Kind, span: Span, what: &'static str) {
        self.vars.insert(local, Var::new(kind, self.level, span, what));
        self.order.push(local);
    }

    /// An open size.
    pub(super) fn free(&mut self, name: &str, span: Span, what: &'static str) -> LocalId {
        self.fresh(Kind::Free, name, span, what)
    }

    /// A size known only at run time.
    pub(super) fn unknown(&mut self, name: &str, span: Span, what: &'static str) -> LocalId {
        self.fresh(Kind::Unknown, name, span, what)
    }

    /// A size function known only at run time.
    pub(super) fn unknown_function(&mut self, span: Span, what: &'static str) -> LocalId {
        self.fresh(Kind::Function(Origin::Computed), "k", span, what)
    }

    pub(super) fn kind(&self, local: LocalId) -> Option<&Kind> {
        self.vars.get(&local).map(|v| &v.kind)
    }

    pub(super) fn set(&mut self, local: LocalId, kind: Kind) {
        if let Some(var) = self.vars.get_mut(&local) {
            var.kind = kind;
        }
    }

    pub(super) fn is_unknown(&self, local: LocalId) -> bool {
        matches!(self.kind(local), Some(Kind::Unknown | Kind::Function(Origin::Computed)))
    }

    /// Whether a local means the lengths of rows: a size function, or an array used as one.
    pub(super) fn is_function(&self, local: LocalId) -> bool {
        match self.kind(local) {
            Some(Kind::Function(_)) => true,
            Some(_) => false,
            None => self.types.get(&local).is_some_and(|s| matches!(s.ty, Type::Array(..))),
        }
    }

    /// Whether the variable may still be found.
    pub(super) fn is_open(&self, local: LocalId) -> bool {
        match self.kind(local) {
            Some(Kind::Free | Kind::Inst { .. }) => true,
            Some(Kind::Copy(canonical, _)) => match self.kind(*canonical) {
                Some(Kind::Free | Kind::Inst { .. }) => true,
                Some(Kind::Solved(_)) => self.ravel,
                Some(Kind::Copy(..)) => self.is_open(*canonical),
                _ => false,
            },
            _ => false,
        }
    }

    /// The variable that a further occurrence is an occurrence of.
    pub(super) fn root(&self, local: LocalId) -> LocalId {
        match self.kind(local) {
            Some(Kind::Copy(canonical, _)) => *canonical,
            _ => local,
        }
    }

    /// Of a further occurrence (`reverse xss`) of rows whose extent is found but open: that extent. If it turns out to be
    /// one for all rows, the occurrence has it too; if it differs from row to row, the rows may come in another order.
    pub(super) fn same_if_regular(&self, local: LocalId) -> Option<LocalId> {
        let Some(Kind::Copy(canonical, _)) = self.kind(local) else { return None };
        let var = self.vars.get(canonical)?;
        let Kind::Solved(Dim::Size(size)) = &var.kind else { return None };
        if !self.ravel || var.tie != Tie::Rows || var.varies {
            return None;
        }
        let Size::Local(extent) = self.norm_size(size) else { return None };
        let extent = self.same_if_regular(extent).unwrap_or(extent);
        let free = matches!(self.kind(extent), Some(Kind::Free | Kind::Inst { .. }));
        (free && self.rows(extent) == Rows::MayDiffer).then_some(extent)
    }

    /// The size function whose value for the current row a local is.
    pub(super) fn row_of(&self, local: LocalId) -> Option<LocalId> {
        match self.vars.get(&local)?.round {
            Round::RowOf(rows) => Some(rows),
            Round::None | Round::Anew => None,
        }
    }

    /// Whether a dimension is decided anew in every round of an iteration: size functions from outside say what it is for
    /// all rounds together.
    pub(super) fn is_per_round(&self, dim: &Dim) -> bool {
        let mut next = match dim {
            Dim::Size(Size::Local(l)) => Some(*l),
            Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => None,
        };
        while let Some(var) = next.and_then(|l| self.vars.get(&l)) {
            if var.round == Round::Anew {
                return true;
            }
            next = match &var.kind {
                Kind::Solved(Dim::Size(Size::Local(l)) | Dim::Jagged(Some(l))) => Some(*l),
                Kind::Copy(canonical, _) => Some(*canonical),
                _ => None,
            };
        }
        false
    }

    /// The sizes of a type are decided by the provider of the value.
    pub(super) fn set_given(&mut self, ty: &Type) {
        for local in walk::free_locals(ty) {
            if let Some(var) = self.vars.get_mut(&local) {
                var.demand.decided = var.demand.decided.max(Decided::Outside);
            }
        }
    }

    pub(super) fn is_given(&self, local: LocalId) -> bool {
        self.vars.get(&self.root(local)).is_some_and(|v| v.demand.decided != Decided::Here)
    }

    /// Whether a local names row lengths written as `[~]` in a parameter's type.
    pub(super) fn is_anonymous(&self, local: LocalId) -> bool {
        matches!(self.kind(local), Some(Kind::Function(Origin::Anonymous)))
    }

    pub(super) fn rows(&self, local: LocalId) -> Rows {
        self.vars.get(&local).map_or(Rows::One, |v| v.demand.rows)
    }

    pub(super) fn require_rows(&mut self, local: LocalId, rows: Rows) {
        let local = match rows {
            Rows::MayDiffer => local,
            Rows::One | Rows::Rectangle => self.same_if_regular(local).unwrap_or(local),
        };
        if let Some(var) = self.vars.get_mut(&local) {
            var.demand.rows = var.demand.rows.max(rows);
        }
    }

    /// A size with everything known substituted; a size function means the length of the current row.
    pub(super) fn norm_size(&self, size: &Size) -> Size {
        match size {
            Size::Const(_) | Size::Meta(_) | Size::Unknown => size.clone(),
            Size::Local(local) => self.found(*local).unwrap_or_else(|| size.clone()),
            Size::Expr(_) => subst::in_size(&self.products(size), &mut |local| self.found(local)),
        }
    }

    /// What a variable was found to be.
    fn found(&self, local: LocalId) -> Option<Size> {
        match self.kind(local)? {
            Kind::Solved(Dim::Size(size)) => Some(self.norm_size(size)),
            Kind::Solved(Dim::Jagged(Some(k))) => Some(self.norm_size(&Size::Local(*k))),
            Kind::Solved(Dim::Jagged(None) | Dim::Shape(_)) => Some(Size::Unknown),
            Kind::Copy(canonical, _) => match self.vars.get(canonical) {
                Some(Var { kind: Kind::Solved(Dim::Size(size)), varies: false, .. }) => {
                    let size = self.norm_size(size);
                    let row = matches!(&size, Size::Local(l) if self.is_function(*l));
                    (!row && self.same_if_regular(local).is_none()).then_some(size)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A dimension with everything found put in.
    pub(super) fn norm_dim(&self, dim: &Dim, under: bool) -> Dim {
        match dim {
            Dim::Size(size) => match self.norm_size(size) {
                Size::Local(k) if under && self.is_function(k) => Dim::Jagged(Some(k)),
                size => Dim::Size(size),
            },
            Dim::Jagged(Some(k)) => match self.norm_size(&Size::Local(*k)) {
                // A name of another definition (or of a function type) is no variable here: it still names row lengths.
                Size::Local(l) if self.is_function(l) || self.kind(l).is_none() => Dim::Jagged(Some(l)),
                size @ (Size::Const(_) | Size::Local(_) | Size::Expr(_)) => Dim::Size(size),
                Size::Meta(_) | Size::Unknown => Dim::Jagged(None),
            },
            Dim::Shape(Shape::Local(s)) => match self.kind(*s) {
                Some(Kind::Solved(dim @ Dim::Shape(_))) => self.norm_dim(dim, under),
                _ => dim.clone(),
            },
            Dim::Jagged(None) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => dim.clone(),
        }
    }

    /// A type with everything found put in.
    pub(super) fn norm(&self, ty: &Type) -> Type {
        walk::map_dims(ty, false, &mut |dim, under| self.norm_dim(dim, under))
    }

    /// The type with a new variable in every dimension.
    pub(super) fn template(&mut self, ty: &Type, kind: &Kind, span: Span, what: &'static str) -> Type {
        walk::map_dims(ty, false, &mut |dim, _| self.template_dim(dim, kind, span, what))
    }

    pub(super) fn template_dim(&mut self, dim: &Dim, kind: &Kind, span: Span, what: &'static str) -> Dim {
        match dim {
            Dim::Size(_) | Dim::Jagged(_) => Dim::Size(Size::Local(self.fresh(kind.clone(), "n", span, what))),
            Dim::Shape(_) => Dim::Shape(Shape::Local(self.fresh(Kind::Free, "s", span, what))),
        }
    }
}
