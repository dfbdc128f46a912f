//! What is open at the end of a definition: numbers get their default, the rest becomes type parameters.

use crate::Checker;
use crate::exprs::deferred::{Deferred, IndexType};
use base::{Name, Set};
use syntax::ast::Lifted;
use typed::{Dim, MetaId, Shape, SizeMetaId, Type, TypeParam};

impl Checker<'_> {
    /// Decides open numbers and reports what must not stay open.
    pub(crate) fn default_open(&mut self) {
        for id in self.metas.open_ids() {
            let Some(wanted) = self.metas.wanted(id).cloned() else { continue };
            if let Some(prim) = wanted.prims.and_then(|p| p.default()) {
                self.metas.set(id, Type::Prim(prim));
            } else if !wanted.fields.is_empty() {
                self.ambiguous_record(&wanted);
                self.metas.set(id, Type::Error);
            } else if !wanted.constrs.is_empty() {
                self.ambiguous_sum(&wanted);
                self.metas.set(id, Type::Error);
            } else if wanted.equality {
                self.ambiguous_equality(&wanted);
                self.metas.set(id, Type::Error);
            }
        }
    }

    /// Turns the unknowns of a definition's type into type parameters.
    pub(crate) fn generalise_top(&mut self, ty: &Type) -> Vec<TypeParam> {
        let mut open = Open::default();
        self.collect_open(ty, &mut open);
        self.make_params(open)
    }

    /// The same for a local function: only what nothing outside and no waiting question depends on.
    /// In Futhark local functions are polymorphic only in the parameters they declare.
    pub(crate) fn generalise_local(&mut self, ty: &Type) -> Vec<TypeParam> {
        if !self.is_ravel() {
            return Vec::new();
        }
        let mut waiting = Open::default();
        for question in self.deferred.clone() {
            for ty in types_of(&question) {
                self.collect_open(ty, &mut waiting);
            }
        }
        let mut open = Open::default();
        self.collect_open(ty, &mut open);
        let level = self.metas.level;
        let plain = |id: &MetaId| {
            self.metas.wanted(*id).is_some_and(|w| {
                w.level > level && w.prims.is_none() && w.fields.is_empty() && w.constrs.is_empty() && !w.equality
            })
        };
        // What stays open keeps the types of its fields open too.
        for id in open.types.iter().filter(|id| !plain(id)) {
            self.collect_open(&Type::Meta(*id), &mut waiting);
        }
        open.types.retain(|id| plain(id) && !waiting.seen.contains(id));
        open.shapes.clear();
        self.make_params(open)
    }

    fn make_params(&mut self, open: Open) -> Vec<TypeParam> {
        let mut params = Vec::new();
        let taken: Set<Name> = self.type_scope.iter().map(|t| t.0).collect();
        let mut names = (b'a'..=b'z').map(|c| Name::new(&(c as char).to_string())).filter(|n| !taken.contains(n));
        for id in open.types {
            let Some(wanted) = self.metas.wanted(id).cloned() else { continue };
            let lifted = if wanted.first_order.is_some() { Lifted::No } else { Lifted::Functions };
            let name = names.next().unwrap_or_else(|| Name::new("t"));
            let var = self.new_type_var(name, wanted.span, lifted);
            self.metas.set(id, Type::Var(var));
            params.push(TypeParam::Type(var));
        }
        for (id, span) in open.shapes {
            let local = self.new_local(Name::new("s"), span);
            self.metas.set_shape(id, vec![Dim::Shape(Shape::Local(local))]);
            params.push(TypeParam::Shape(local));
        }
        params
    }

    fn collect_open(&self, ty: &Type, open: &mut Open) {
        match self.metas.shallow(ty) {
            Type::Meta(id) => {
                if open.seen.insert(id) {
                    open.types.push(id);
                    if let Some(wanted) = self.metas.wanted(id) {
                        wanted.fields.iter().for_each(|f| self.collect_open(&f.1, open));
                        wanted.constrs.iter().flat_map(|c| &c.1).for_each(|t| self.collect_open(t, open));
                    }
                }
            }
            ty => {
                if let Type::Array(Dim::Shape(Shape::Meta(id)), _) = &ty
                    && open.shapes.iter().all(|s| s.0 != *id)
                {
                    open.shapes.push((*id, self.some_span()));
                }
                ty.for_each_child(&mut |t| self.collect_open(t, open));
            }
        }
    }

    fn some_span(&self) -> base::Span {
        self.units[self.current].ast.decs.first().map_or(base::Span::new(base::FileId(0), 0, 0), |d| d.span)
    }
}

/// Unknowns in the order they occur.
#[derive(Default)]
struct Open {
    types: Vec<MetaId>,
    seen: Set<MetaId>,
    shapes: Vec<(SizeMetaId, base::Span)>,
}

fn types_of(question: &Deferred) -> Vec<&Type> {
    match question {
        Deferred::Binary { lhs, rhs, result, .. } => vec![lhs, rhs, result],
        Deferred::Unary { arg, result, .. } => vec![arg, result],
        Deferred::Index { array, indices, result, .. } => {
            let at = indices.iter().filter_map(|i| match i {
                IndexType::At(ty, _, _) => Some(ty),
                IndexType::Slice => None,
            });
            at.chain([array, result]).collect()
        }
        Deferred::Bounds { var, bounds } => bounds.iter().map(|b| &b.0).chain([var]).collect(),
    }
}
