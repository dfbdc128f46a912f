//! Functions: what they hold, what their bodies return, and what that says about their calls.

use super::alias::{Alias, Aliases, FunShares, Known, Shares, Source};
use super::known::{ParamParts, summarise};
use super::pattern;
use super::walk::{Role, Walk};
use base::{Map, bug};
use std::rc::Rc;
use typed::{Diet, Dim, Expr, Lambda, LocalId, Param, Ret, Size, Type};

/// What the body of a function is checked against.
pub(super) struct Signature<'a> {
    pub params: &'a [Param],
    pub ret: &'a Ret,
    pub ret_written: bool,
}

impl<'a> Walk<'a> {
    /// A lambda as a value.
    pub fn lambda(&mut self, expr: &'a Expr, lambda: &'a Lambda) -> Shares {
        self.function_value(lambda, &expr.ty)
    }

    /// A function value: it holds on to its free variables.
    pub fn function_value(&mut self, lambda: &'a Lambda, ty: &Type) -> Shares {
        let mut closure = Aliases::new();
        for mention in self.free_mentions(&lambda.body) {
            if let Some(entry) = self.entry(mention.local) {
                let part = if self.precise { entry.shares.at(&mention.path) } else { &entry.shares };
                part.collect(&mut closure);
            }
        }
        let signature = Signature { params: &lambda.params, ret: &lambda.ret, ret_written: lambda.ret_written };
        let known = self.function(&signature, &lambda.body);
        closure.extend(known.result.all().into_iter().filter(|a| matches!(a.source, Source::Global(_))));
        Shares::Fun(Box::new(FunShares { ty: ty.clone(), closure, known: Some(Rc::new(known)), given: Vec::new() }))
    }

    /// Walks a function's body; what its calls may rely on.
    pub fn function(&mut self, signature: &Signature<'a>, body: &'a Expr) -> Known {
        let made_before = self.made.len();
        self.level += 1;
        let params = self.bind_params(signature.params);
        let (value, _) = self.contain(|walk| walk.expr(body));
        self.functions_agree(&signature.ret.ty, &body.ty, Some(&value), body.span);
        self.check_result(signature, &params, &value, body);
        let unique = (!signature.ret_written).then(|| self.inferred_unique(signature, &value));
        signature.params.iter().for_each(|p| self.unbind_pat(&p.pat));
        self.level -= 1;
        let diets: Vec<Diet> = signature.params.iter().map(|p| p.diet.clone()).collect();
        let outside = |source: Source| match source {
            Source::Made(number) => (number as usize) < made_before,
            Source::Local(_) | Source::Global(_) | Source::Param(_) | Source::Inner(_) => self.in_scope(source),
        };
        let result = summarise(&value, &signature.ret.ty, &params, &diets, &outside);
        Known { arity: signature.params.len(), unique, result }
    }

    /// Brings parameters into scope.
    fn bind_params(&mut self, params: &'a [Param]) -> ParamParts {
        let mut parts = ParamParts::new();
        for (i, param) in params.iter().enumerate() {
            self.size_expressions(&param.pat.ty);
            self.bind_pat(&param.pat, &Shares::fresh(&param.pat.ty), &param.diet, Role::Param);
            let names = pattern::names(&param.pat).into_iter();
            parts.extend(names.map(|name| (name.local, (i as u32, name.path))));
        }
        parts
    }

    /// Sizes written in parameter types are computed on the side: they may consume nothing.
    fn size_expressions(&mut self, ty: &'a Type) {
        if let Type::Array(Dim::Size(Size::Expr(size)), _) = ty {
            self.inside(|walk| walk.expr(size));
        }
        if !matches!(ty, Type::Abstract(..) | Type::Fun(_)) {
            ty.for_each_child(&mut |t| self.size_expressions(t));
        }
    }

    /// Uniqueness rule 2: unique parts of the result share nothing with what the caller keeps, nor with each other.
    fn check_result(&mut self, signature: &Signature<'a>, params: &ParamParts, value: &Shares, body: &Expr) {
        // By source: of a wide tuple most parts have nothing to do with one another.
        let mut seen: Map<Source, Vec<(bool, Alias)>> = Map::default();
        let leaves = value.leaves(&signature.ret.unique);
        let any_unique = leaves.iter().any(|l| l.consumed);
        for leaf in leaves {
            let aliases = leaf.part.all();
            let met = |a: &Alias| {
                seen.get(&a.source).is_some_and(|s| s.iter().any(|(u, b)| (leaf.consumed || *u) && a.meets(b)))
            };
            if any_unique && aliases.iter().any(met) {
                self.result_parts_alias(body.span);
                break;
            }
            if leaf.consumed {
                let kept = aliases.iter().find(|a| self.kept_by_caller(signature, params, a)).cloned();
                if let Some(alias) = kept {
                    self.result_aliases(&alias, body);
                }
            }
            if any_unique {
                aliases.into_iter().for_each(|a| seen.entry(a.source).or_default().push((leaf.consumed, a)));
            }
        }
        if !self.precise && !signature.params.is_empty() {
            let mut arrays = Aliases::new();
            array_aliases(value, &mut arrays);
            if let Some(alias) = arrays.iter().find(|a| matches!(a.source, Source::Global(_))) {
                self.result_is_constant(alias.source, body.span);
            }
        }
    }

    /// Whether the caller, or what is around the function, still has this memory.
    fn kept_by_caller(&self, signature: &Signature<'a>, params: &ParamParts, alias: &super::alias::Alias) -> bool {
        let Source::Local(local) = alias.source else {
            return self.precise && matches!(alias.source, Source::Global(_));
        };
        let Some((index, prefix)) = params.get(&local) else {
            return self.precise && self.in_scope(alias.source);
        };
        let param = &signature.params[*index as usize];
        if self.precise {
            let path: Vec<u16> = prefix.iter().chain(&alias.path).copied().collect();
            return !param.diet.at(&path).consumes();
        }
        let names = pattern::names(&param.pat);
        let Some(name) = names.iter().find(|name| name.local == local) else {
            bug!("a parameter's pattern does not have one of its names");
        };
        !all_consumed(name.diet(&param.diet), name.ty)
    }

    /// Which parts of a result are unique without a written `*`: those that nothing else can share.
    fn inferred_unique(&self, signature: &Signature<'a>, value: &Shares) -> Diet {
        let mut uses: Map<Source, u32> = Map::default();
        count_sources(value, &signature.ret.ty, &mut uses);
        let consumed_of = |p: &'a Param| {
            let names = pattern::names(&p.pat).into_iter();
            names.filter(|name| name.diet(&p.diet).consumes()).map(|name| name.local)
        };
        let consumed: Vec<LocalId> = signature.params.iter().flat_map(consumed_of).collect();
        self.unique_parts(value, &uses, &consumed)
    }

    fn unique_parts(&self, value: &Shares, uses: &Map<Source, u32>, consumed: &[LocalId]) -> Diet {
        if let Shares::Record(parts) = value {
            return Diet::Fields(parts.iter().map(|p| self.unique_parts(p, uses, consumed)).collect());
        }
        let mut arrays = Aliases::new();
        array_aliases(value, &mut arrays);
        let owned = |source: Source| match source {
            Source::Local(local) => consumed.contains(&local) || !self.in_scope(source),
            Source::Global(_) => false,
            Source::Made(_) | Source::Param(_) | Source::Inner(_) => true,
        };
        let single = |source: Source| uses.get(&source).is_none_or(|n| *n < 2);
        let unique = arrays.iter().all(|a| owned(a.source)) && value.all().iter().all(|a| single(a.source));
        if unique { Diet::Consume } else { Diet::Observe }
    }
}

/// What arrays in a value share (functions left out).
fn array_aliases(value: &Shares, out: &mut Aliases) {
    match value {
        Shares::Nothing | Shares::Fun(_) => {}
        Shares::Whole(set) => out.extend(set.iter().cloned()),
        Shares::Record(parts) => parts.iter().for_each(|p| array_aliases(p, out)),
        Shares::Sum(constrs) => constrs.iter().flatten().for_each(|p| array_aliases(p, out)),
    }
}

/// In how many parts each source occurs; a value whose type is a type parameter may have several parts.
fn count_sources(value: &Shares, ty: &Type, uses: &mut Map<Source, u32>) {
    match (value, ty) {
        (Shares::Record(parts), Type::Record(fields)) => {
            parts.iter().zip(fields.iter()).for_each(|(p, f)| count_sources(p, &f.1, uses));
        }
        _ => {
            let weight = if matches!(ty, Type::Var(_) | Type::Abstract(..)) { 2 } else { 1 };
            let mut sources: Vec<Source> = value.all().iter().map(|a| a.source).collect();
            sources.dedup();
            sources.iter().for_each(|s| *uses.entry(*s).or_default() += weight);
        }
    }
}

/// Whether every array in a value is consumed.
fn all_consumed(diet: &Diet, ty: &Type) -> bool {
    match (diet, ty) {
        (_, Type::Prim(_)) | (Diet::Consume, _) => true,
        (_, Type::Record(fields)) => fields.iter().enumerate().all(|(i, f)| all_consumed(diet.part(i), &f.1)),
        (Diet::Observe | Diet::Fields(_), _) => false,
    }
}
