//! Patterns: what they bind and what they require.

use crate::Checker;
use crate::scope::LocalVar;
use base::{Map, Name, Set, Span};
use scalar::Scalar;
use syntax::ast::{self, Ident};
use typed::{Diet, LocalId, Pat, PatKind, Type};

/// The names that a pattern, or several together, have bound so far.
pub(crate) type Bound = Map<Name, Span>;

impl Checker<'_> {
    /// Brings a local into scope.
    pub(crate) fn bind_local(&mut self, name: Ident, ty: Type) -> LocalId {
        let id = self.new_local(name.name, name.span);
        if let Type::Array(typed::Dim::Size(typed::Size::Local(n)), _) = &ty {
            self.lengths.insert(id, super::vectors::Length::RankOf(*n));
        }
        self.locals.push(LocalVar { name: name.name, id, type_params: Vec::new(), ty });
        id
    }

    /// A pattern of a value of type `ty`; its names come into scope.
    pub(crate) fn pattern(&mut self, pat: &ast::Pat, ty: &Type) -> Pat {
        let mut bound = Bound::default();
        self.pattern_into(pat, ty, &mut bound)
    }

    /// Several patterns whose names must differ from one another.
    pub(crate) fn pattern_into(&mut self, pat: &ast::Pat, ty: &Type, bound: &mut Bound) -> Pat {
        let kind = match &pat.kind {
            ast::PatKind::Error | ast::PatKind::Wildcard => PatKind::Wildcard,
            ast::PatKind::Parens(inner) | ast::PatKind::Attr(_, inner) => {
                return self.pattern_into(inner, ty, bound);
            }
            ast::PatKind::Name(name) => {
                let ident = Ident { name: *name, span: pat.span };
                if let Some(earlier) = bound.insert(*name, pat.span) {
                    self.bound_twice(ident, earlier);
                }
                PatKind::Bind(self.bind_local(ident, ty.clone()))
            }
            ast::PatKind::Literal { lit, negative } => self.literal_pattern(lit, *negative, ty, pat.span),
            ast::PatKind::Tuple(items) => self.tuple_pattern(items, ty, pat.span, bound),
            ast::PatKind::Record(fields) => self.record_pattern(fields, ty, pat.span, bound),
            ast::PatKind::Constr(name, items) => self.constr_pattern(name, items, ty, pat.span, bound),
            ast::PatKind::Ascribe(inner, exp) => {
                let (written, diet) = self.type_exp(exp);
                self.expect(&written, ty, exp.span, "the pattern says so");
                let opened = self.name_shapes(&written, pat.span);
                let inner = self.pattern_into(inner, &opened, bound);
                self.note_written(&inner, &diet);
                PatKind::Ascribe(Box::new(inner), written)
            }
        };
        Pat { kind, ty: ty.clone(), span: pat.span }
    }

    /// Remembers the diets of the names of a pattern whose type is written.
    fn note_written(&mut self, pat: &Pat, diet: &Diet) {
        match &pat.kind {
            PatKind::Bind(local) => {
                self.written_diets.entry(*local).or_insert_with(|| diet.clone());
            }
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Ascribe(inner, _) => self.note_written(inner, diet),
            PatKind::Constr(_, pats) => pats.iter().for_each(|p| self.note_written(p, diet)),
            PatKind::Record(fields) => {
                let mut order: Vec<&(Name, Pat)> = fields.iter().collect();
                order.sort_by(|a, b| typed::field_order(a.0, b.0));
                for (i, (_, field)) in order.into_iter().enumerate() {
                    self.note_written(field, diet.part(i));
                }
            }
        }
    }

    fn literal_pattern(&mut self, lit: &ast::Lit, negative: bool, ty: &Type, span: Span) -> PatKind {
        let lit_ty = self.number_type(lit, negative, span);
        self.expect(ty, &lit_ty, span, "the literal is matched against it");
        match lit {
            ast::Lit::Bool(b) => PatKind::Literal(Scalar::Bool(*b)),
            ast::Lit::Str(_) => {
                self.string_pattern(span);
                PatKind::Wildcard
            }
            ast::Lit::Int { .. } | ast::Lit::Float { .. } | ast::Lit::Char(_) => PatKind::Literal(Scalar::Bool(false)),
        }
    }

    fn tuple_pattern(&mut self, items: &[ast::Pat], ty: &Type, span: Span, bound: &mut Bound) -> PatKind {
        let types: Vec<Type> = items.iter().map(|p| self.metas.fresh(p.span)).collect();
        self.expect(&Type::tuple(types.clone()), ty, span, "the pattern is a tuple");
        let fields = items.iter().zip(&types).enumerate();
        let fields = fields.map(|(i, (p, t))| (typed::tuple_field(i), self.pattern_into(p, t, bound))).collect();
        PatKind::Record(fields)
    }

    fn record_pattern(
        &mut self,
        fields: &[(Ident, Option<ast::Pat>)],
        ty: &Type,
        span: Span,
        bound: &mut Bound,
    ) -> PatKind {
        let types: Vec<(Name, Type)> = fields.iter().map(|(n, _)| (n.name, self.metas.fresh(n.span))).collect();
        let mut seen = Set::default();
        if let Some((name, _)) = fields.iter().find(|f| !seen.insert(f.0.name)) {
            self.duplicate("field", *name);
            return PatKind::Wildcard;
        }
        self.expect(&Type::record(types.clone()), ty, span, "the pattern is a record with these fields");
        let mut pats = Vec::new();
        for ((name, pat), (_, ty)) in fields.iter().zip(&types) {
            let inner = match pat {
                Some(pat) => self.pattern_into(pat, ty, bound),
                None => {
                    let short = ast::Pat { span: name.span, kind: ast::PatKind::Name(name.name) };
                    self.pattern_into(&short, ty, bound)
                }
            };
            pats.push((name.name, inner));
        }
        PatKind::Record(pats)
    }

    fn constr_pattern(
        &mut self,
        name: &Ident,
        items: &[ast::Pat],
        ty: &Type,
        span: Span,
        bound: &mut Bound,
    ) -> PatKind {
        let types: Vec<Type> = items.iter().map(|p| self.metas.fresh(p.span)).collect();
        self.want_constructor(ty, name, types.clone(), span);
        let pats = items.iter().zip(&types).map(|(p, t)| self.pattern_into(p, t, bound)).collect();
        PatKind::Constr(name.name, pats)
    }

    /// Requires a sum type with this constructor.
    pub(crate) fn want_constructor(&mut self, ty: &Type, name: &Ident, types: Vec<Type>, span: Span) {
        if let Type::Sum(constrs) = self.metas.shallow(ty) {
            let Some((_, payload)) = constrs.iter().find(|c| c.0 == name.name) else {
                return self.no_such_constructor(ty, name, span);
            };
            // Without a look at the other constructors, of which there may be many.
            if self.unify_payloads(name.name, payload, &types).is_ok() {
                return;
            }
        }
        let sum = self.metas.fresh_with(span, |w| w.constrs.push((name.name, types)));
        self.expect(ty, &sum, span, "it has this constructor");
    }

    /// A parameter: the pattern and the diet that its type gives.
    pub(crate) fn param(&mut self, pat: &ast::Pat, ty: &Type, bound: &mut Bound) -> typed::Param {
        let diet = self.param_diet(pat);
        let pat = self.pattern_into(pat, ty, bound);
        typed::Param { pat, diet }
    }

    /// The diet of a parameter, as `*` in its type says.
    fn param_diet(&self, pat: &ast::Pat) -> Diet {
        match &pat.kind {
            ast::PatKind::Parens(inner) | ast::PatKind::Attr(_, inner) => self.param_diet(inner),
            ast::PatKind::Ascribe(inner, exp) => match self.type_diet(exp) {
                Diet::Observe => self.param_diet(inner),
                diet => diet,
            },
            ast::PatKind::Tuple(items) => {
                crate::type_exp::diet_of_fields(items.iter().map(|p| self.param_diet(p)).collect())
            }
            ast::PatKind::Record(fields) => {
                let mut diets: Vec<(Name, Diet)> = Vec::new();
                for (name, pat) in fields {
                    diets.push((name.name, pat.as_ref().map_or(Diet::Observe, |p| self.param_diet(p))));
                }
                diets.sort_by(|a, b| typed::field_order(a.0, b.0));
                crate::type_exp::diet_of_fields(diets.into_iter().map(|d| d.1).collect())
            }
            ast::PatKind::Name(_)
            | ast::PatKind::Wildcard
            | ast::PatKind::Literal { .. }
            | ast::PatKind::Constr(..)
            | ast::PatKind::Error => Diet::Observe,
        }
    }
}
