//! What is open at the end of a definition: numbers get their default, the rest becomes type parameters.

use crate::Checker;
use crate::exprs::deferred::{Deferred, IndexType};
use base::{Name, Set};
use scalar::Prim;
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

    /// Warns of a number that becomes an `i32` because nothing decides its type. Where a function takes or returns one
    /// together with arrays or `i64`, it is likely a size, a count or an index, which are `i64`. The two do not mix, and
    /// the error would only appear where the function is used.
    pub(crate) fn warn_of_i32(&mut self, ty: &Type, name: Name) {
        if !self.is_ravel() || self.in_std() || self.failed || !self.beside_sizes(ty) {
            return;
        }
        let mut open = Vec::new();
        let mut ty = self.metas.shallow(ty);
        while let Type::Fun(fun) = &ty {
            self.open_scalars(&fun.param, &mut open);
            let ret = self.metas.shallow(&fun.ret.ty);
            if !matches!(ret, Type::Fun(_)) {
                self.open_scalars(&ret, &mut open);
            }
            ty = ret;
        }
        let number = open.iter().find_map(|id| {
            let wanted = self.metas.wanted(*id)?;
            let prims = wanted.prims?;
            (prims.default() == Some(Prim::I32) && prims.contains(Prim::I64)).then_some(wanted.span)
        });
        if let Some(span) = number {
            self.number_is_i32(span, name);
        }
    }

    /// The unknowns in a type that are whole values or fields, not elements of arrays.
    fn open_scalars(&self, ty: &Type, out: &mut Vec<MetaId>) {
        match self.metas.shallow(ty) {
            Type::Meta(id) => out.push(id),
            Type::Record(fields) => fields.iter().for_each(|f| self.open_scalars(&f.1, out)),
            Type::Prim(_) | Type::Var(_) | Type::Abstract(..) | Type::Sum(_) | Type::Array(..) => {}
            Type::Fun(_) | Type::Error => {}
        }
    }

    /// Whether a type has an array or an `i64` in it.
    fn beside_sizes(&self, ty: &Type) -> bool {
        match self.metas.shallow(ty) {
            Type::Array(..) | Type::Prim(Prim::I64) => true,
            Type::Record(fields) => fields.iter().any(|f| self.beside_sizes(&f.1)),
            Type::Sum(constrs) => constrs.iter().flat_map(|c| &c.1).any(|t| self.beside_sizes(t)),
            Type::Fun(fun) => self.beside_sizes(&fun.param) || self.beside_sizes(&fun.ret.ty),
            Type::Prim(_) | Type::Var(_) | Type::Abstract(..) | Type::Meta(_) | Type::Error => false,
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
        // Which shapes are parameters of the type, and which only the result shows, the size pass finds out.
        for (id, span) in open.shapes {
            let rank = self.fresh_rank(span);
            self.metas.set_shape(id, vec![Dim::Shape(rank)]);
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
