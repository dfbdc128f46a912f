//! Applying functions: unfolding, or calling an instance.

use crate::context::{Desugar, Given, Made};
use crate::data::value::{Env, FunCode, FunVal, Val};
use crate::sizes::matching::{About, Mode};
use crate::sizes::types::has_expression;
use base::{Span, bug};
use ir::Limitation;
use std::rc::Rc;
use typed::{Body, DefId, Dim, Expr, ExprKind, LocalId, Param, Pat, PatKind, Ret, Type, TypeArg, TypeParam};

/// How deep calls are unfolded.
const DEEP: usize = 300;

impl<'t> Desugar<'t> {
    pub(crate) fn apply_expr(&mut self, fun: &'t Expr, args: &'t [Expr]) -> Made<Val<'t>> {
        // Arguments come first where they may bring sizes into being that type arguments mention.
        let is_late = match &*fun.kind {
            ExprKind::Global(def, _) => !self.typed.defs[*def].params.is_empty(),
            ExprKind::Local(_, types) => !types.is_empty(),
            _ => false,
        };
        let early = if is_late { None } else { Some(self.expr(fun)?) };
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Made<Vec<_>>>()?;
        let fun = early.map_or_else(|| self.expr(fun), Ok)?;
        self.apply_val(&fun, args)
    }

    /// Applies a value that is a function.
    pub(crate) fn apply_val(&mut self, fun: &Val<'t>, args: Vec<Val<'t>>) -> Made<Val<'t>> {
        match fun {
            Val::Fun(fun) => self.apply(fun, args),
            _ if args.is_empty() => Ok(fun.clone()),
            _ => bug!("the checker let something be applied that is no function"),
        }
    }

    /// Applies a function to any number of arguments: too few give a function again.
    pub(crate) fn apply(&mut self, fun: &FunVal<'t>, args: Vec<Val<'t>>) -> Made<Val<'t>> {
        if args.is_empty() {
            return Ok(Val::Fun(Rc::new(fun.clone())));
        }
        let arity = match &fun.code {
            FunCode::Lambda { lambda, .. } => lambda.params.len(),
            FunCode::Def { def, .. } => self.typed.defs[*def].params.len(),
            FunCode::Operator(_) => 2,
            FunCode::Boxed(var, id) => return self.apply_boxed(*var, *id, args),
        };
        let mut all = fun.args.clone();
        all.extend(args);
        if all.len() < arity {
            return Ok(Val::Fun(Rc::new(FunVal { code: fun.code.clone(), args: all, sig: fun.sig.clone() })));
        }
        let more = all.split_off(arity);
        let result = self.saturated(&fun.code, all)?;
        if more.is_empty() { Ok(result) } else { self.apply_val(&result, more) }
    }

    fn saturated(&mut self, code: &FunCode<'t>, args: Vec<Val<'t>>) -> Made<Val<'t>> {
        match code {
            FunCode::Operator(op) => self.operator(*op, &args[0], &args[1]),
            FunCode::Boxed(var, id) => self.apply_boxed(*var, *id, args),
            FunCode::Def { def, type_args, env } => {
                // Types are evaluated where they stand; sizes that the arguments brought into being are known there.
                let inner = self.types_in(env.clone(), &self.typed.defs[*def].type_params, type_args);
                self.call(*def, inner, args)
            }
            FunCode::Lambda { name, lambda, env, type_params, type_args, at } => {
                let mut inner = (**env).clone();
                // All size parameters are bound anew.
                type_params.iter().filter_map(TypeParam::local).for_each(|local| inner.forget(local));
                if let Some(at) = at {
                    let types = self.types_in(at.clone(), type_params, type_args);
                    inner.types.extend(types.types);
                    inner.vals.extend(types.vals);
                    inner.hidden.extend(types.hidden);
                    self.forget_shown(&lambda.params, type_params, &mut inner);
                }
                self.calls.push((*name, self.b.span));
                let outer = self.show_code_of(lambda.body.span);
                let result = self.unfold(inner, &lambda.params, &lambda.ret, &lambda.body, args);
                self.b.show_at(outer);
                self.calls.pop();
                result
            }
        }
    }

    fn types_in(&mut self, env: Rc<Env<'t>>, params: &'t [TypeParam], args: &'t [TypeArg]) -> Env<'t> {
        self.in_env(env, |d| d.type_env(params, args))
    }

    /// Sizes that the arguments show are taken from them.
    fn forget_shown(&self, params: &[Param], type_params: &[TypeParam], env: &mut Env<'t>) {
        let shown = |n: &LocalId| params.iter().any(|p| self.typed.shows(&p.pat.ty, *n));
        type_params.iter().filter_map(TypeParam::local).filter(shown).for_each(|n| env.forget(n));
    }

    /// Calls a definition with all its arguments; `env` has its type parameters.
    fn call(&mut self, def: DefId, mut env: Env<'t>, args: Vec<Val<'t>>) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        self.forget_shown(&definition.params, &definition.type_params, &mut env);
        if self.calls.len() > DEEP {
            return self.unsupported(Limitation::GrowingFunctions);
        }
        self.calls.push((definition.name, self.b.span));
        let shown = self.show_code_of(definition.span);
        let result = match &definition.body {
            Body::Intrinsic(name) => self.in_env(Rc::new(env), |d| {
                let args = d.matched_args(&definition.params, args)?;
                d.intrinsic(*name, definition, &args)
            }),
            Body::Expr(body) => {
                if self.unfolds(def, &args) {
                    self.unfold(env, &definition.params, &definition.ret, body, args)
                } else {
                    self.call_instance(def, env, args)
                }
            }
            Body::Specified => bug!("`{}` is called, which only a module type names", definition.name),
        };
        self.b.show_at(shown);
        self.calls.pop();
        result
    }

    /// Shows statements that come from code at this place: those of the library where the user called it. Gives what held
    /// before.
    fn show_code_of(&mut self, code: Span) -> Option<Span> {
        let place = self.called_from(code);
        let before = self.b.show_at(place);
        // A function that several places share is shown where it is called, whatever it calls itself.
        if before == Some(Span::OF_CALLER) && place.is_none() && self.library.contains(&code.file) {
            self.b.show_at(before);
        }
        before
    }

    /// Whether calls of a definition are replaced by its body: Core has no functions as values. A definition that has very
    /// many instances already, each for arguments of another type, gets no more. Of vectors that the library puts together,
    /// as in `a[iv ++ [j]]`, the length is known only in the body.
    fn unfolds(&self, def: DefId, args: &[Val<'t>]) -> bool {
        let joins_vectors = args.len() > 1
            && args.iter().all(|arg| matches!(arg, Val::Vector(..)))
            && self.library.contains(&self.typed.defs[def].span.file);
        let needed = self.passes_functions(def, args) || self.has_many_instances(def) || joins_vectors;
        needed && !self.recursion.contains(def)
    }

    /// Whether functions are among the arguments of a call, or in its result.
    pub(crate) fn passes_functions(&self, def: DefId, args: &[Val<'t>]) -> bool {
        args.iter().any(Val::holds_function) || self.typed.holds_functions(&self.typed.defs[def].ret.ty)
    }

    /// Arguments with the names of sizes that the parameters' types have. The types of later parameters may mention earlier
    /// ones, which are bound on the way.
    pub(crate) fn matched_args(&mut self, params: &'t [Param], args: Vec<Val<'t>>) -> Made<Vec<Val<'t>>> {
        let given = self.given_arrays(params, &args);
        let outer = std::mem::replace(&mut self.given, given);
        let matched = self.match_each(params, args);
        self.given = outer;
        matched
    }

    /// The arrays among the arguments, which messages show.
    fn given_arrays(&self, params: &[Param], args: &[Val<'t>]) -> Option<Given<'t>> {
        let name = self.entry.or(self.calls.last().map(|call| call.0))?;
        let array = |(param, arg): (&Param, &Val<'t>)| {
            // An array of unknown rank may turn out to be of rank 0.
            let is_array = matches!(arg, Val::Array(_) | Val::Vector(..) | Val::Lengths(_))
                || matches!(param.pat.ty, Type::Array(Dim::Shape(_), _));
            let local = param.name().filter(|_| is_array)?;
            Some((self.typed.locals[local].name, arg.clone()))
        };
        Some(Given { name, arrays: params.iter().zip(args).filter_map(array).collect() })
    }

    fn match_each(&mut self, params: &'t [Param], args: Vec<Val<'t>>) -> Made<Vec<Val<'t>>> {
        let mut matched = Vec::with_capacity(args.len());
        for (param, arg) in params.iter().zip(args) {
            let arg = self.match_arg(param, arg, Mode::Check)?;
            if let Some(local) = param.name() {
                self.set(local, arg.clone());
            }
            matched.push(arg);
        }
        Ok(matched)
    }

    /// The body with its parameters bound.
    fn unfold(
        &mut self,
        env: Env<'t>,
        params: &'t [Param],
        ret: &'t Ret,
        body: &'t Expr,
        args: Vec<Val<'t>>,
    ) -> Made<Val<'t>> {
        self.in_env(Rc::new(env), |d| {
            d.bind_params(params, args)?;
            d.result(ret, body)
        })
    }

    /// The value of a body, as the type of its result says.
    pub(crate) fn result(&mut self, ret: &'t Ret, body: &'t Expr) -> Made<Val<'t>> {
        let val = self.expr(body)?;
        ret.exts.iter().for_each(|local| self.unset(*local));
        self.at(body.span, |d| d.matched(&ret.ty, val, About::new(Mode::Result)))
    }

    pub(crate) fn bind_params(&mut self, params: &'t [Param], args: Vec<Val<'t>>) -> Made<()> {
        let args = self.matched_args(params, args)?;
        for (param, arg) in params.iter().zip(&args) {
            self.bind(written_pattern(&param.pat), arg.clone())?;
        }
        // Sizes that are expressions are checked when all parameters are there.
        let args = self.matched_late(params, args)?;
        for (param, arg) in params.iter().zip(args) {
            if self.is_late(param) {
                self.bind(written_pattern(&param.pat), arg)?;
            }
        }
        Ok(())
    }

    /// Arguments whose sizes agree with those that are expressions in the parameters' types.
    pub(crate) fn matched_late(&mut self, params: &'t [Param], args: Vec<Val<'t>>) -> Made<Vec<Val<'t>>> {
        let late = |(param, arg): (&'t Param, Val<'t>)| match self.is_late(param) {
            true => self.match_arg(param, arg, Mode::Late),
            false => Ok(arg),
        };
        params.iter().zip(args).map(late).collect()
    }

    /// Whether sizes in the type of a parameter are expressions.
    fn is_late(&self, param: &Param) -> bool {
        has_expression(&param.pat.ty, self.entry.is_some())
    }

    fn match_arg(&mut self, param: &'t Param, arg: Val<'t>, mode: Mode) -> Made<Val<'t>> {
        let argument = param.name().map(|local| self.typed.locals[local].name);
        self.matched(&param.pat.ty, arg, About { argument, ..About::new(mode) })
    }
}

/// The pattern of a parameter; a name alone without its type, which was matched before.
fn written_pattern(pat: &Pat) -> &Pat {
    match &pat.kind {
        PatKind::Ascribe(inner, _) if pat.name().is_some() => written_pattern(inner),
        _ => pat,
    }
}
