//! Patterns: the types of the names they bind.

use super::cx::Cx;
use super::scheme::Scheme;
use super::unify::Mode;
use super::vars::Kind;
use syntax::ast::Lifted;
use typed::{LocalId, Pat, PatKind, Size, Type, subst, walk};

impl Cx<'_> {
    /// Gives a local its type.
    pub(super) fn bind(&mut self, local: LocalId, ty: Type) {
        self.bound_at.insert(local, self.level);
        self.types.insert(local, Scheme::plain(ty));
    }

    /// A parameter: its sizes are those written, else open.
    pub(super) fn param_pat(&mut self, pat: &mut Pat) {
        match &mut pat.kind {
            PatKind::Bind(_) | PatKind::Wildcard | PatKind::Constr(..) => {
                let kind = Kind::Inst { lifted: Lifted::No, element: false };
                let ty = self.template(&pat.ty.clone(), &kind, pat.span, "a size of the parameter");
                let mut binders = Vec::new();
                walk::binders(&ty, &mut binders);
                self.template_binders.extend(binders);
                // Futhark finds the type of such a parameter as it goes: branches may be the first to show a size.
                if self.ravel {
                    self.set_given(&ty);
                }
                self.value_pat(pat, &ty, &[]);
            }
            PatKind::Record(fields) => {
                fields.iter_mut().for_each(|(_, p)| self.param_pat(p));
                pat.ty = Type::record(fields.iter().map(|(n, p)| (*n, p.ty.clone())).collect());
            }
            PatKind::Literal(_) => {}
            PatKind::Ascribe(inner, written) => {
                let ty = self.open_written(&written.clone(), pat.span);
                *written = ty.clone();
                self.set_given(&ty);
                self.value_pat(inner, &ty, &[]);
                pat.ty = ty;
            }
        }
    }

    /// A pattern that destructures a value of this type. `sizes` are the names that `let [n]` binds, each with the open
    /// size that replaces it while the written type is unified with the value's.
    pub(super) fn value_pat(&mut self, pat: &mut Pat, ty: &Type, sizes: &[(LocalId, LocalId)]) {
        pat.ty = ty.clone();
        match &mut pat.kind {
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Bind(local) => self.bind(*local, ty.clone()),
            PatKind::Record(fields) => {
                let Type::Record(types) = ty else { return };
                for (name, p) in fields.iter_mut() {
                    if let Some((_, ty)) = types.iter().find(|t| t.0 == *name) {
                        self.value_pat(p, ty, sizes);
                    }
                }
                let parts = fields.iter().map(|(n, p)| (*n, p.ty.clone())).collect();
                pat.ty = Type::record(parts);
            }
            PatKind::Constr(name, pats) => {
                let Type::Sum(constrs) = ty else { return };
                let Some((_, payload)) = constrs.iter().find(|c| c.0 == *name) else { return };
                for (p, ty) in pats.iter_mut().zip(payload) {
                    self.value_pat(p, ty, sizes);
                }
            }
            PatKind::Ascribe(inner, written) => {
                let declared = self.open_written(&written.clone(), pat.span);
                let open =
                    subst::in_type(&declared, &mut |l| sizes.iter().find(|s| s.0 == l).map(|s| Size::Local(s.1)));
                if let Err(mismatch) = self.unify(&open, ty, pat.span, Mode::Strict) {
                    self.mismatch(pat.span, "the type written in the pattern", &open, ty, mismatch);
                }
                let declared = self.norm(&declared);
                *written = declared.clone();
                self.value_pat(inner, &declared, sizes);
                pat.ty = declared;
            }
        }
    }

    /// The names a pattern binds.
    pub(super) fn pat_names(pat: &Pat) -> Vec<LocalId> {
        let mut names = Vec::new();
        pat.for_each(&mut |p| {
            if let PatKind::Bind(local) = p.kind {
                names.push(local);
            }
        });
        names
    }
}
