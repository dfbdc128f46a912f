//! Size variables: what is known of each, and what it turned out to be.
//!
//! Every size variable is a local of the program, so that types and size expressions mention it like any other name.
//! A dimension `[v]` whose `v` was found to be a size function reads as `[~k]` inside another dimension, and as the
//! length of the current row elsewhere.

use super::Cx;
use base::{Name, Span};
use syntax::ast::Lifted;
use typed::{Dim, Local, LocalId, Shape, Size, Type, size, walk};

/// How sure it is that rows do not differ in an extent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rows {
    /// They may differ.
    MayDiffer,
    /// The size belongs to one array outside of all rows.
    One,
    /// A rectangle is required by a written type.
    Rectangle,
}

/// What is known of a size variable.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A declared size parameter, or a parameter that a function type names.
    Param,
    /// A size known only at run time; equal to no other.
    Unknown,
    /// A size function: declared, or known only at run time.
    Function {
        /// Whether it was declared.
        declared: bool,
    },
    /// Open.
    Free,
    /// Open: it belongs to what a parameter of a used definition stands for.
    Inst {
        /// What that parameter may stand for.
        lifted: Lifted,
        /// Whether the parameter is the element type of an array in the definition's type.
        element: bool,
    },
    /// A further occurrence of an `Inst`: equal to it, unless the size turns out to be existential or to differ from
    /// row to row; then each occurrence (numbered) is on its own.
    Copy(LocalId, u32),
    /// An `Inst` that turned out to be existential.
    Absorbed {
        /// The size it was held against, if that is a name.
        key: Option<LocalId>,
        /// Where that size is computed, if it is one known at run time.
        computed: Option<Span>,
    },
    /// Found.
    Solved(Dim),
}

/// A size variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub kind: Kind,
    pub level: u32,
    pub rows: Rows,
    pub span: Span,
    /// What it is, in the words of a message ("the size of the slice").
    pub what: &'static str,
    /// Whether it is an error if nothing determines it.
    pub must_be_known: bool,
    /// Whether it is a size of a parameter or of a loop's value: someone else decides it, and branches do not.
    pub given: bool,
    /// Of an `Inst`: whether its occurrences were found to differ.
    pub varies: bool,
    /// Of an `Inst`: whether it is a size of whole values, since its type parameter is no element type.
    pub whole: bool,
    /// Of an extent of what an iteration runs through: the level around it. Inside, the extent is one size.
    pub one_in: Option<u32>,
    /// Whether it belongs to a value that is another one in every round of an iteration, and was decided from outside.
    pub per_round: bool,
    /// Of the length of the current row, or its row lengths: the size function that says them for all rows.
    pub row_of: Option<LocalId>,
    /// Of an `Inst`: whether a function that is given takes values of it, so that all of them must suit that function.
    pub demanded: bool,
    /// Of a size of a parameter: which function's parameter.
    pub owner: Option<u32>,
    /// Of a declared size function: whether it was written as `[~]`, without a name.
    pub anonymous: bool,
}

impl Cx<'_> {
    /// A new size variable.
    pub(super) fn fresh(&mut self, kind: Kind, name: &str, span: Span, what: &'static str) -> LocalId {
        let local = self.program.locals.push(Local { name: Name::new(name), span });
        self.declare(local, kind, span, what);
        local
    }

    /// Makes an existing local a size variable.
    pub(super) fn declare(&mut self, local: LocalId, kind: Kind, span: Span, what: &'static str) {
        let level = self.level;
        let whole = matches!(kind, Kind::Inst { element: false, .. });
        let var = Var {
            kind,
            whole,
            level,
            rows: Rows::MayDiffer,
            span,
            what,
            must_be_known: false,
            given: false,
            varies: false,
            one_in: None,
            per_round: false,
            row_of: None,
            demanded: false,
            owner: None,
            anonymous: false,
        };
        self.vars.insert(local, var);
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
        self.fresh(Kind::Function { declared: false }, "k", span, what)
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
        matches!(self.kind(local), Some(Kind::Unknown | Kind::Function { declared: false }))
    }

    /// Whether a local stands for the lengths of rows: a size function, or an array used as one.
    pub(super) fn is_function(&self, local: LocalId) -> bool {
        match self.kind(local) {
            Some(Kind::Function { .. }) => true,
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
    /// one for all rows, the occurrence has it too; if it differs from row to row, the rows may stand in another order.
    pub(super) fn same_if_regular(&self, local: LocalId) -> Option<LocalId> {
        let Some(Kind::Copy(canonical, _)) = self.kind(local) else { return None };
        let var = self.vars.get(canonical)?;
        let Kind::Solved(Dim::Size(size)) = &var.kind else { return None };
        if !self.ravel || var.whole || var.demanded || var.varies {
            return None;
        }
        let Size::Local(extent) = self.norm_size(size) else { return None };
        let extent = self.same_if_regular(extent).unwrap_or(extent);
        let free = matches!(self.kind(extent), Some(Kind::Free | Kind::Inst { .. }));
        (free && self.rows(extent) == Rows::MayDiffer).then_some(extent)
    }

    /// The size function whose value for the current row a local is.
    pub(super) fn row_of(&self, local: LocalId) -> Option<LocalId> {
        self.vars.get(&local).and_then(|v| v.row_of)
    }

    /// Whether a dimension is decided anew in every round of an iteration: size functions from outside say what it is for
    /// all rounds together.
    pub(super) fn is_per_round(&self, dim: &Dim) -> bool {
        let mut next = match dim {
            Dim::Size(Size::Local(l)) => Some(*l),
            Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => None,
        };
        while let Some(var) = next.and_then(|l| self.vars.get(&l)) {
            if var.per_round {
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

    /// The sizes of a type are decided by whoever gives the value.
    pub(super) fn set_given(&mut self, ty: &Type) {
        for local in walk::free_locals(ty) {
            if let Some(var) = self.vars.get_mut(&local) {
                var.given = true;
            }
        }
    }

    pub(super) fn is_given(&self, local: LocalId) -> bool {
        self.vars.get(&self.root(local)).is_some_and(|v| v.given)
    }

    /// Whether a local stands for row lengths written as `[~]` in a parameter's type.
    pub(super) fn is_anonymous(&self, local: LocalId) -> bool {
        let var = self.vars.get(&local);
        var.is_some_and(|v| v.anonymous && matches!(v.kind, Kind::Function { declared: true }))
    }

    pub(super) fn rows(&self, local: LocalId) -> Rows {
        self.vars.get(&local).map_or(Rows::One, |v| v.rows)
    }

    pub(super) fn require_rows(&mut self, local: LocalId, rows: Rows) {
        let local = match rows {
            Rows::MayDiffer => local,
            Rows::One | Rows::Rectangle => self.same_if_regular(local).unwrap_or(local),
        };
        if let Some(var) = self.vars.get_mut(&local) {
            var.rows = var.rows.max(rows);
        }
    }

    /// A size with everything found put in; a size function stands for the current row.
    pub(super) fn norm_size(&self, size: &Size) -> Size {
        match size {
            Size::Const(_) | Size::Meta(_) | Size::Unknown => size.clone(),
            Size::Local(local) => self.found(*local).unwrap_or_else(|| size.clone()),
            Size::Expr(_) => size::substitute(&self.products(size), &mut |local| self.found(local)),
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
                // A name of another definition (or of a function type) is no variable here: it stands for rows still.
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
