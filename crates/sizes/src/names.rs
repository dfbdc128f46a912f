//! Definitions that are just new names for other definitions: `def len = n`, or a member of a module that has a module
//! type. A size that mentions such a name equals the size that mentions its value, so
//! that `[len]i64` and `[n]i64` are one type.

use super::cx::Cx;
use std::sync::Arc;
use typed::subst::Subst;
use typed::{Body, Def, DefId, Dim, Expr, ExprKind, Size, Type, TypeArg, size, walk};

impl Cx<'_> {
    /// The definition that another one is just a new name for.
    pub(super) fn renamed(&self, def: DefId) -> DefId {
        self.original(def, &[]).0
    }

    /// The same with its type parameters instantiated.
    fn original(&self, def: DefId, args: &[TypeArg]) -> (DefId, Vec<TypeArg>) {
        let (mut current, mut current_args) = (def, args.to_vec());
        while let Some(Def { params, type_params, body: Body::Expr(body), .. }) = self.program.defs.get(current)
            && let ExprKind::Global(inner, inner_args) = &*body.kind
            && params.is_empty()
            && *inner < current
        {
            let subst = Subst::of(type_params, &current_args);
            current_args = inner_args.iter().map(|arg| subst.arg(arg)).collect();
            current = *inner;
        }
        (current, current_args)
    }

    /// The expression with every definition called by its original name.
    pub(super) fn resolve_names(&self, expr: &mut Expr) {
        if let ExprKind::Global(def, args) = &mut *expr.kind {
            (*def, *args) = self.original(*def, args);
        }
        expr.for_each_child_mut(&mut |child| self.resolve_names(child));
    }

    /// The same in all sizes of a type.
    pub(super) fn resolve_names_in(&self, ty: &Type) -> Type {
        walk::map_dims(ty, false, &mut |dim, _| match dim {
            Dim::Size(Size::Expr(expr)) => {
                let mut expr = Arc::unwrap_or_clone(expr.clone());
                self.resolve_names(&mut expr);
                Dim::Size(size::from_expr(&expr))
            }
            Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => dim.clone(),
        })
    }
}
