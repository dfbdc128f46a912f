//! Definitions as functions of Core: one for each form of their arguments.
//!
//! The arguments of a call, and everything else that the body may depend on (type arguments, what functions among the
//! arguments hold), are walked through in a fixed order. Their structure is the key of the instance; their atoms are the
//! arguments of the call. Sizes that are the same atom become one parameter, so that what is known to be equal outside
//! is known inside.

use crate::context::{Constant, Desugar, Instance, Key, Made};
use crate::data::form::{Form, FormDim};
use crate::data::value::{Env, Val};
use crate::faults::{Why, too_deep_site};
use crate::functions::abstraction::Abstraction;
use crate::functions::jagged_args::note_jagged;
use crate::sizes::sums::cases_with;
use base::{Map, Name, Set, Span};
use ir::{Atom, Block, Dim, Exp, Function, Limitation, Stm, Var};
use scalar::Scalar;
use std::rc::Rc;
use typed::recursion::too_deep;
use typed::{Body, DefId, Diet, Expr, ExprKind, TypeArg};

/// How many instances one definition may have.
const MANY: usize = 200;

/// So many instances of a definition may be made inside one another before functions go into boxes.
const TURNS: usize = 2;

/// A call: what it depends on outside, and its counterpart inside.
struct Called<'t> {
    key: Key,
    env: Env<'t>,
    args: Vec<Val<'t>>,
    params: Vec<Var>,
    atoms: Vec<Atom>,
}

impl<'t> Desugar<'t> {
    /// Calls the instance of a definition for these arguments; makes it if there is none.
    pub(crate) fn call_instance(&mut self, def: DefId, env: Env<'t>, args: Vec<Val<'t>>) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        // Sizes are matched on this side: the instance can rely on them.
        let env = self.revealed(&env, |_| true)?;
        let (env, args) = self.in_env(Rc::new(env), |d| {
            let args = d.matched_args(&definition.params, args);
            (d.env.clone(), args.and_then(|args| d.matched_late(&definition.params, args)))
        });
        let (mut env, args) = ((*env).clone(), args?);
        definition.params.iter().filter_map(typed::Param::name).for_each(|local| drop(env.vals.remove(&local)));
        for (param, arg) in definition.params.iter().zip(&args) {
            note_jagged(self.typed, &param.pat.ty, arg, &mut env.types);
        }
        let mut called = self.abstracted(def, &env, &args, false)?;
        // A function that takes other functions in every turn may do so for ever: from the third on they are in boxes.
        let turns = self.making.iter().filter(|making| **making == def).count();
        if !self.instances.contains_key(&called.key) && turns >= TURNS && args.iter().any(Val::holds_function) {
            called = self.abstracted(def, &env, &args, true)?;
        }
        let Called { key, env, args, params, atoms } = called;
        let instance = match self.instances.get(&key) {
            Some(instance) => instance.clone(),
            None => self.make_instance(key, env, args, params)?,
        };
        Ok(self.finish_call(&instance, atoms, definition.name))
    }

    /// What a call of a definition depends on, as the instance sees it. With `whole` all functions are in boxes.
    fn abstracted(&mut self, def: DefId, env: &Env<'t>, args: &[Val<'t>], whole: bool) -> Made<Called<'t>> {
        let recursive = self.recursive.contains(&def);
        let shared = self.can_share(def, args);
        let mut walk = Abstraction::new(self);
        (walk.vectors, walk.whole) = (!recursive, whole);
        let args = args.iter().map(|a| walk.val(a)).collect::<Made<Vec<_>>>()?;
        let sizes: Set<_> = env.vals.keys().copied().collect();
        let env = walk.env(env, &sizes)?;
        let Abstraction { structure, params, args: atoms, .. } = walk;
        let call = if shared { None } else { self.called_from(self.typed.defs[def].span) };
        Ok(Called { key: Key { def, structure, call }, env, args, params, atoms })
    }

    /// Where the user's text calls what stands in a file of the library.
    pub(crate) fn called_from(&self, span: Span) -> Option<Span> {
        let user = |span: Span| !self.library.contains(&span.file);
        if user(span) { None } else { self.calls.iter().rev().map(|c| c.1).find(|s| user(*s)) }
    }

    fn finish_call(&mut self, instance: &Instance, args: Vec<Atom>, name: Name) -> Val<'t> {
        let outside: Map<Var, Atom> = instance.params.iter().copied().zip(args.iter().copied()).collect();
        let form = renamed(&instance.result, &outside);
        self.bind_call(&form, name.as_str(), Exp::Call(instance.fun, args))
    }

    fn make_instance(&mut self, key: Key, env: Env<'t>, args: Vec<Val<'t>>, params: Vec<Var>) -> Made<Instance> {
        let def = key.def;
        let definition = &self.typed.defs[def];
        if self.instances.keys().filter(|k| k.def == def).count() >= MANY {
            return self.unsupported(Limitation::EverNewArguments);
        }
        let Body::Expr(body) = &definition.body else {
            base::bug!("a function without a body has instances");
        };
        let shared = self.library.contains(&definition.span.file) && key.call.is_none();
        // Checks of the library are shown where the user's text called it.
        let known = if key.call.is_some() { self.library_calls() } else { Vec::new() };
        let outer_shown = if shared { self.b.show_at(Some(Span::OF_CALLER)) } else { None };
        self.making.push(def);
        let made = self.isolated(Rc::new(env), known, definition.span, |d| {
            d.b.trust_params(params.iter().copied());
            d.instance_body(key, definition, body, args, params)
        });
        self.making.pop();
        if shared {
            self.b.show_at(outer_shown);
        }
        let (stms, (instance, result)) = made?;
        self.b.program.functions[instance.fun].body = Block { stms, result };
        Ok(instance)
    }

    fn instance_body(
        &mut self,
        key: Key,
        definition: &'t typed::Def,
        body: &'t Expr,
        args: Vec<Val<'t>>,
        params: Vec<Var>,
    ) -> Made<(Instance, Vec<Atom>)> {
        let consumed = self.consumed(definition, &args, &params);
        self.bind_params(&definition.params, args)?;
        definition.ret.exts.iter().for_each(|local| self.unset(*local));
        let ty = self.mono(&definition.ret.ty);
        let known: Set<Var> = params.iter().copied().collect();
        let form = visible(&self.form_of(&ty, false), &known);
        let (_, results) = self.fresh_vars(&form, "result");
        let unique = definition.ret.unique == Diet::Consume;
        let fresh = results.vars.iter().map(|_| unique).collect();
        let too_deep = if self.recursive.contains(&key.def) { too_deep(self.typed, key.def) } else { None };
        let function = Function {
            name: definition.name,
            params: params.clone(),
            consumed,
            results: results.all(),
            fresh,
            body: Block::default(),
            too_deep: too_deep.map(|deep| self.b.site(too_deep_site(deep))),
            span: definition.span,
        };
        let fun = self.b.program.functions.push(function);
        let instance = Instance { fun, params, result: form.clone() };
        self.instances.insert(key, instance.clone());
        let val = self.result(&definition.ret, body)?;
        let result = self.at(body.span, |d| d.atoms_of(&val, &form, Why::Checked))?;
        Ok((instance, result))
    }

    /// Runs `f` as if nothing were around it, to make a function in the middle of another.
    pub(crate) fn isolated<T>(
        &mut self,
        env: Rc<Env<'t>>,
        calls: Vec<(Name, Span)>,
        span: Span,
        f: impl FnOnce(&mut Self) -> Made<T>,
    ) -> Made<(Vec<Stm>, T)> {
        let outer_blocks = self.b.isolate();
        let outer_calls = std::mem::replace(&mut self.calls, calls);
        let made = self.in_env(env, |d| d.at(span, |d| d.block(f)));
        self.calls = outer_calls;
        self.b.restore(outer_blocks);
        made
    }

    /// Which parameters a definition consumes.
    fn consumed(&mut self, definition: &'t typed::Def, args: &[Val<'t>], params: &[Var]) -> Vec<bool> {
        let mut vars = Set::default();
        for (param, arg) in definition.params.iter().zip(args) {
            consumed_leaves(&param.diet, arg, &mut vars);
        }
        params.iter().map(|p| vars.contains(p)).collect()
    }

    /// The value of a constant definition. What is cheap is computed anew at each use; anything else once.
    pub(crate) fn constant_value(&mut self, def: DefId, args: &'t [TypeArg]) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        let Body::Expr(body) = &definition.body else {
            base::bug!("a constant has no body");
        };
        if !definition.type_params.is_empty() || self.typed.holds_functions(&definition.ret.ty) || cheap(body) {
            let env = self.type_env(&definition.type_params, args);
            // What a constant is does not depend on who asks; but what the library does is shown where it is used.
            let library = self.library.contains(&definition.span.file) || !definition.type_params.is_empty();
            let outer_calls = self.calls.clone();
            match library {
                true => self.calls.push((definition.name, self.b.span)),
                false => self.calls.clear(),
            }
            let val = self.in_env(Rc::new(env), |d| d.expr(body));
            self.calls = outer_calls;
            return val;
        }
        if let Some(constant) = self.constants.get(&def) {
            return Ok(constant.val.clone());
        }
        if self.recursive.contains(&def) {
            return self.unsupported(Limitation::RecursiveConstant);
        }
        let constant = self.make_constant(definition, body)?;
        let val = constant.val.clone();
        self.global_vars.extend(constant.vars.iter().copied());
        self.constants.insert(def, constant);
        Ok(val)
    }

    fn make_constant(&mut self, definition: &'t typed::Def, body: &'t Expr) -> Made<Constant<'t>> {
        let outer_shown = self.b.show_at(None);
        let made = self.isolated(Rc::default(), Vec::new(), definition.span, |d| {
            let val = d.result(&definition.ret, body)?;
            let form = d.join(&[&val], 0)?;
            let result = d.atoms_of(&val, &form, Why::Checked)?;
            Ok((form, result))
        });
        self.b.show_at(outer_shown);
        let (stms, (form, result)) = made?;
        let (_, results) = self.fresh_vars(&form, definition.name.as_str());
        let function = Function {
            name: definition.name,
            params: Vec::new(),
            consumed: Vec::new(),
            fresh: results.vars.iter().map(|_| true).collect(),
            results: results.all(),
            body: Block { stms, result },
            too_deep: None,
            span: definition.span,
        };
        let fun = self.b.program.functions.push(function);
        let (val, fresh) = self.fresh_vars(&form, definition.name.as_str());
        Ok(Constant { fun, vars: fresh.all(), val })
    }
}

/// Whether it costs nothing to compute a constant again.
fn cheap(body: &Expr) -> bool {
    match &*body.kind {
        ExprKind::Scalar(_) | ExprKind::Global(..) | ExprKind::Operator(_) => true,
        ExprKind::Record(fields) => fields.iter().all(|f| cheap(&f.1)),
        ExprKind::Array(items) => items.len() <= 16 && items.iter().all(|i| matches!(&*i.kind, ExprKind::Scalar(_))),
        ExprKind::Unary { arg, lifted: false, .. } => cheap(arg),
        ExprKind::Binary { lhs, rhs, lifted: false, .. } => cheap(lhs) && cheap(rhs),
        ExprKind::Ascribe(inner, _) => cheap(inner),
        ExprKind::Apply(fun, args) => {
            matches!(body.ty, typed::Type::Prim(_))
                && matches!(&*fun.kind, ExprKind::Global(..))
                && args.iter().all(|a| matches!(&*a.kind, ExprKind::Scalar(_)))
        }
        _ => false,
    }
}

pub(crate) fn consumed_leaves(diet: &Diet, val: &Val, out: &mut Set<Var>) {
    match (diet, val) {
        (Diet::Observe, _) => {}
        (Diet::Fields(diets), Val::Record(fields)) => {
            diets.iter().zip(fields.iter()).for_each(|(d, f)| consumed_leaves(d, f, out));
        }
        (Diet::Consume, Val::Array(array)) => out.extend(array.rows.leaves()),
        (Diet::Consume, val) => val.children().into_iter().for_each(|part| consumed_leaves(diet, part, out)),
        (Diet::Fields(_), _) => {}
    }
}

/// The form with only those dimensions fixed that these variables (or constants) fix.
fn visible(form: &Form, known: &Set<Var>) -> Form {
    let Form::Array(array) = form else {
        let form = form.map(|part| visible(part, known));
        return form.with_cases(&mut |cases| cases_with(cases, &|v| known.contains(&v).then_some(Atom::Var(v))));
    };
    let mut dims: Vec<FormDim> = Vec::new();
    for dim in &array.dims {
        let before = dims.iter().all(|d| matches!(d, FormDim::Fixed(_)));
        dims.push(match dim {
            FormDim::Fixed(Dim::Size(Atom::Const(Scalar::I64(_)))) => *dim,
            FormDim::Fixed(Dim::Size(Atom::Var(v))) if known.contains(v) => *dim,
            FormDim::Fixed(Dim::Size(_)) => FormDim::Size,
            FormDim::Fixed(Dim::Jagged(d)) if before && known.contains(d) => *dim,
            FormDim::Fixed(Dim::Jagged(_)) => FormDim::Jagged,
            FormDim::Fixed(Dim::Shape(v)) if known.contains(v) => *dim,
            FormDim::Fixed(Dim::Shape(_)) => FormDim::Shape,
            FormDim::Size | FormDim::Jagged | FormDim::Shape => *dim,
        });
    }
    Form::array(dims, visible(&array.rows, known))
}

/// The form with other names for what is fixed.
fn renamed(form: &Form, names: &Map<Var, Atom>) -> Form {
    let var = |v: Var| names.get(&v).and_then(|a| a.var()).unwrap_or(v);
    let dim = |dim: &FormDim| match dim {
        FormDim::Fixed(Dim::Size(Atom::Var(v))) => {
            FormDim::Fixed(Dim::Size(names.get(v).copied().unwrap_or(Atom::Var(*v))))
        }
        FormDim::Fixed(Dim::Jagged(d)) => FormDim::Fixed(Dim::Jagged(var(*d))),
        FormDim::Fixed(Dim::Shape(v)) => FormDim::Fixed(Dim::Shape(var(*v))),
        FormDim::Fixed(Dim::Size(Atom::Const(_))) | FormDim::Size | FormDim::Jagged | FormDim::Shape => *dim,
    };
    match form {
        Form::Array(array) => Form::array(array.dims.iter().map(dim).collect(), renamed(&array.rows, names)),
        _ => {
            let form = form.map(|part| renamed(part, names));
            form.with_cases(&mut |cases| cases_with(cases, &|v| names.get(&v).copied()))
        }
    }
}
