//! Dimensions of written types, and the size parameters of definitions.

use crate::Checker;
use base::{Map, Name, Span};
use std::collections::hash_map::Entry;
use std::sync::Arc;
use syntax::ast::{DimExp, DimExpKind, Ident, TypeParamKind};
use typed::{Dim, Shape, Size, Type, TypeParam};

impl Checker<'_> {
    /// Brings `[n]` or `[~k]` into scope.
    pub(crate) fn bind_size(&mut self, size: &syntax::ast::SizeName) -> typed::LocalId {
        self.bind_local(size.name, if size.jagged { vector_type() } else { Type::I64 })
    }

    pub(crate) fn dim_exp(&mut self, dim: &DimExp) -> Dim {
        match &dim.kind {
            DimExpKind::Any => Dim::Size(Size::Unknown),
            DimExpKind::Size(exp) => Dim::Size(self.size_exp(exp)),
            DimExpKind::Jagged(None) => Dim::Jagged(None),
            DimExpKind::Shape(None) => Dim::Shape(Shape::Unknown),
            DimExpKind::ShapeOf(exp) => {
                self.shape_expr_here(exp.span);
                Dim::Shape(Shape::Unknown)
            }
            DimExpKind::Jagged(Some(name)) => Dim::Jagged(self.vector_name(name, "size function")),
            DimExpKind::Shape(Some(name)) => {
                Dim::Shape(self.vector_name(name, "shape").map_or(Shape::Unknown, Shape::Local))
            }
        }
    }

    /// A local of type `[]i64` for row lengths or a shape.
    fn vector_name(&mut self, name: &Ident, what: &str) -> Option<typed::LocalId> {
        let Some(local) = self.local(name.name) else {
            self.unknown_size_name(name, what);
            return None;
        };
        let (id, ty) = (local.id, local.ty.clone());
        let expected = crate::metas::array_of(Type::I64);
        if self.unify(&expected, &ty).is_err() {
            self.size_name_of_wrong_type(name, what, &ty);
            return None;
        }
        Some(id)
    }

    fn size_exp(&mut self, exp: &syntax::ast::Expr) -> Size {
        if let syntax::ast::ExprKind::Var(name) = &*exp.kind
            && name.quals.is_empty()
            && self.local(name.name.name).is_none()
            && self.env.value(name.name.name).is_none()
            && self.env.module(name.name.name).is_none()
        {
            self.undeclared_size(&name.name);
            return Size::Unknown;
        }
        let mut expr = self.expr_of_type(exp, &Type::I64, "a size is an `i64`");
        // Number literals in sizes are decided at once: the size pass reads them.
        self.zonk_expr(&mut expr);
        match &*expr.kind {
            typed::ExprKind::Scalar(s) => Size::Const(s.to_i64()),
            typed::ExprKind::Local(local, args) if args.is_empty() => Size::Local(*local),
            typed::ExprKind::Error => Size::Unknown,
            _ => Size::Expr(Arc::new(expr)),
        }
    }

    /// Brings type parameters into scope.
    pub(crate) fn bind_type_params(&mut self, params: &[syntax::ast::TypeParam]) -> Vec<TypeParam> {
        let mut bound = Vec::new();
        let mut seen: Map<Name, Span> = Map::default();
        for param in params {
            match seen.entry(param.name.name) {
                Entry::Occupied(earlier) => self.bound_twice(param.name, *earlier.get()),
                Entry::Vacant(new) => {
                    new.insert(param.name.span);
                }
            }
            bound.push(match param.kind {
                TypeParamKind::Type(lifted) => {
                    let var = self.new_type_var(param.name.name, param.name.span, lifted);
                    self.type_scope.push((param.name.name, var));
                    TypeParam::Type(var)
                }
                TypeParamKind::Size => TypeParam::Size(self.bind_local(param.name, Type::I64)),
                TypeParamKind::Jagged => TypeParam::Jagged(self.bind_local(param.name, vector_type())),
                TypeParamKind::Shape => {
                    let shape = self.bind_local(param.name, vector_type());
                    self.lengths.insert(shape, crate::exprs::vectors::Length::RankOf(shape));
                    TypeParam::Shape(shape)
                }
            });
        }
        bound
    }
}

fn vector_type() -> Type {
    crate::metas::array_of(Type::I64)
}
