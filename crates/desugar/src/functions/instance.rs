//! Definitions as functions of Core: one for each form of their arguments.
//!
//! The arguments of a call, and everything else that the body may depend on (type arguments, what functions among the
//! arguments hold), are walked through in a fixed order. Their structure is the key of the instance; their atoms are the
//! arguments of the call. Sizes that are the same atom become one parameter, so that what is known to be equal outside
//! is known inside. What is known of the result is known outside ([`abstraction`](crate::functions::abstraction)).

use crate::context::{Constant, Desugar, Instance, Key, Made, Word};
use crate::data::form::{Form, FormDim};
use crate::data::tree::Sum;
use crate::data::value::{Env, Val};
use crate::faults::{Why, too_deep_site};
use crate::functions::abstraction::{Abstraction, renamed, unknown_vars};
use crate::sizes::sums::cases_with;
use base::{Name, Set, Span};
use ir::known::Computation;
use ir::rename::{Substitution, copies_in};
use ir::{Atom, Block, Dim, Exp, FunId, Function, Limitation, Stm, Type as CoreType, Var};
use scalar::Prim;
use std::rc::Rc;
use typed::{Body, DefId, Diet, Expr, ExprKind, TypeArg};

/// How many instances one definition may have.
const MANY: usize = 200;

/// What the results of recursive definitions are called in Core.
const RESULT: &str = "result";

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

/// An instance whose parameters are bound: what is left is its body.
struct Making<'t> {
    key: Key,
    function: Function,
    definition: &'t typed::Def,
    body: &'t Expr,
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
        let called = self.called(def, &env, &args)?;
        let instance = match self.instances.get(&called.key) {
            Some(instance) => instance.clone(),
            None => self.make_instance(&called)?,
        };
        Ok(self.finish_call(def, &instance, called.atoms))
    }

    /// What a call of a definition depends on: as much as possible is known inside, but not in ever more instances.
    fn called(&mut self, def: DefId, env: &Env<'t>, args: &[Val<'t>]) -> Made<Called<'t>> {
        let called = self.abstracted(def, env, args, false)?;
        // A function that takes other functions in every turn may do so for ever: from the third on they are in boxes.
        let turns = self.making.iter().filter(|making| **making == def).count();
        if !self.instances.contains_key(&called.key) && turns >= TURNS && args.iter().any(Val::holds_function) {
            return self.abstracted(def, env, args, true);
        }
        Ok(called)
    }

    /// Whether a definition has so many instances that it gets no more.
    pub(crate) fn has_many_instances(&self, def: DefId) -> bool {
        self.instance_counts.get(&def).is_some_and(|count| *count >= MANY)
    }

    /// What a call of a definition depends on, as the instance sees it: all functions are in boxes on request.
    fn abstracted(&mut self, def: DefId, env: &Env<'t>, args: &[Val<'t>], boxes: bool) -> Made<Called<'t>> {
        let recursive = self.recursion.contains(def);
        // Functions among the arguments are the user's, with places of their own.
        let shared = !self.passes_functions(def, args);
        let mut walk = Abstraction::new(self);
        (walk.vectors, walk.whole, walk.all_sizes) = (!recursive, boxes, all_sizes(env, args));
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

    fn finish_call(&mut self, def: DefId, instance: &Instance<'t>, args: Vec<Atom>) -> Val<'t> {
        let mut names = Substitution::new(&instance.params, &args);
        let results = self.b.program.functions[instance.fun].results.clone();
        let computation = self.scalar_call(instance.fun, &results, &args);
        if let Some(value) = computation.as_ref().and_then(|computation| self.b.value(computation)) {
            names.insert(results[0], value);
            return renamed(&instance.result, &names);
        }
        let vars = copies_in(&mut self.b.program.vars, &results, &mut names);
        for var in &vars {
            let info = &mut self.b.program.vars[*var];
            // Those of recursive definitions have no names from the body.
            if info.name.as_str() == RESULT {
                info.name = self.typed.defs[def].name;
            }
        }
        if let Some(computation) = computation {
            self.b.learn(computation, vars[0].into());
        }
        self.bind_call(vars, instance.fun, args);
        renamed(&instance.result, &names)
    }

    /// A call as a computation that has one value wherever it stands: calls that give equal sizes give one atom.
    fn scalar_call(&self, fun: FunId, results: &[Var], args: &[Atom]) -> Option<Computation> {
        let scalar = |var: &Var| matches!(self.b.ty(*var), CoreType::Scalar(_));
        let is_scalar = results.len() == 1 && results.iter().all(scalar) && self.silent.contains(&fun);
        is_scalar.then(|| Computation::Call(fun, args.to_vec()))
    }

    fn make_instance(&mut self, called: &Called<'t>) -> Made<Instance<'t>> {
        let Key { def, call, .. } = called.key;
        let definition = &self.typed.defs[def];
        if self.has_many_instances(def) {
            return self.unsupported(Limitation::EverNewArguments);
        }
        let Body::Expr(body) = &definition.body else {
            base::bug!("a function without a body has instances");
        };
        let shared = self.library.contains(&definition.span.file) && call.is_none();
        *self.instance_counts.entry(def).or_default() += 1;
        // Checks of the library are shown where the user's text called it. In a function for all callers only the name of
        // the innermost definition is known, which messages may depend on.
        let known = match (shared, call) {
            (true, _) => vec![(definition.name, definition.span)],
            (false, Some(_)) => self.library_calls(),
            (false, None) => Vec::new(),
        };
        let outer_shown = if shared { self.b.show_at(Some(Span::OF_CALLER)) } else { None };
        self.making.push(def);
        let word = self.word_param(self.recursion.contains(def));
        let made = self.isolated(Rc::new(called.env.clone()), known, Some(word), definition.span, |d| {
            d.b.trust_params(called.params.iter().copied());
            let params: Vec<Var> = called.params.iter().copied().chain([word.param]).collect();
            let consumed = d.consumed(definition, &called.args, &params);
            d.bind_params(&definition.params, called.args.clone())?;
            let function = Function { params, consumed, ..Function::new(definition.name, definition.span) };
            let making = Making { key: called.key.clone(), function, definition, body };
            if d.recursion.contains(def) { d.recursive_body(making) } else { d.plain_body(making) }
        });
        self.making.pop();
        if shared {
            self.b.show_at(outer_shown);
        }
        let (stms, (instance, result)) = made?;
        let body = Block { stms, result };
        if !ir::calls::prints(&body, &self.silent) {
            self.silent.insert(instance.fun);
        }
        self.b.program.functions[instance.fun].body = body;
        Ok(instance)
    }

    /// The body of a function that does not call itself: what is known of its result is known to its callers. Its
    /// statements go into the open block. Gives the instance and the atoms of its results.
    fn plain_body(&mut self, making: Making<'t>) -> Made<(Instance<'t>, Vec<Atom>)> {
        let val = self.result(&making.definition.ret, making.body)?;
        let pairs = making.function.params.iter().zip(&making.function.consumed);
        // A consumed argument no longer exists after the call.
        let kept: Set<Var> = pairs.filter(|(_, consumed)| !**consumed).map(|(param, _)| *param).collect();
        let known = |var: Var| kept.contains(&var) || self.global_vars.contains(&var);
        let mut returned = Vec::new();
        unknown_vars(&self.b.program, &val, &known, &mut returned);
        if returned.is_empty() {
            // A call is found by what it binds.
            returned.push(self.b.bind("done", CoreType::Scalar(Prim::Bool), Exp::Atom(Atom::bool(true))));
        }
        let mut names = Substitution::default();
        let results = copies_in(&mut self.b.program.vars, &returned, &mut names);
        let instance = self.add_instance(making, results, renamed(&val, &names));
        Ok((instance, returned.into_iter().map(Atom::Var).collect()))
    }

    /// The same of a function that may call itself: its type alone says what it gives.
    fn recursive_body(&mut self, mut making: Making<'t>) -> Made<(Instance<'t>, Vec<Atom>)> {
        let (ret, body) = (&making.definition.ret, making.body);
        ret.exts.iter().for_each(|local| self.unset(*local));
        let ty = self.mono(&ret.ty);
        let known: Set<Var> = making.function.params.iter().copied().collect();
        let form = visible(&self.form_of(&ty, false), &known);
        let (result, results) = self.fresh_vars(&form, RESULT);
        let too_deep = self.recursion.too_deep(making.key.def).map(|deep| self.b.site(too_deep_site(deep)));
        making.function.too_deep = too_deep;
        let instance = self.add_instance(making, results.all(), result);
        let val = self.result(ret, body)?;
        let result = self.at(body.span, |d| d.atoms_of(&val, &form, Why::Checked))?;
        Ok((instance, result))
    }

    /// Adds a function, as yet without a body.
    fn add_instance(&mut self, making: Making<'t>, results: Vec<Var>, result: Val<'t>) -> Instance<'t> {
        let Making { key, function, definition, .. } = making;
        let (params, fresh) = (function.params.clone(), vec![definition.ret.unique == Diet::Consume; results.len()]);
        let fun = self.b.program.functions.push(Function { results, fresh, ..function });
        let instance = Instance { fun, params, result };
        self.instances.insert(key, instance.clone());
        instance
    }

    /// Runs `f` as if nothing were around it, to make a function in the middle of another.
    pub(crate) fn isolated<T>(
        &mut self,
        env: Rc<Env<'t>>,
        calls: Vec<(Name, Span)>,
        word: Option<Word>,
        span: Span,
        f: impl FnOnce(&mut Self) -> Made<T>,
    ) -> Made<(Vec<Stm>, T)> {
        let outer_blocks = self.b.isolate();
        let outer = (std::mem::replace(&mut self.calls, calls), std::mem::replace(&mut self.word, word));
        let made = self.in_env(env, |d| d.at(span, |d| d.block(f)));
        (self.calls, self.word) = outer;
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

    /// The value of a constant definition, which may be a function. What is cheap is computed anew at each use; anything else
    /// once.
    pub(crate) fn constant(&mut self, def: DefId, args: &'t [TypeArg]) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        let body = match &definition.body {
            Body::Expr(body) => body,
            Body::Intrinsic(op) => {
                let types = self.type_env(&definition.type_params, args);
                return self.in_env(Rc::new(types), |d| d.intrinsic(*op, definition, &[]));
            }
            Body::Specified => base::bug!("`{}` is evaluated, which only a module type names", definition.name),
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
        if self.recursion.contains(def) {
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
        let made = self.isolated(Rc::default(), Vec::new(), None, definition.span, |d| {
            let val = d.result(&definition.ret, body)?;
            let form = d.join(&[&val], 0)?;
            let result = d.atoms_of(&val, &form, Why::Checked)?;
            Ok((form, result))
        });
        self.b.show_at(outer_shown);
        let (stms, (form, result)) = made?;
        let (_, results) = self.fresh_vars(&form, definition.name.as_str());
        let function = Function {
            fresh: vec![true; results.vars.len()],
            results: results.all(),
            body: Block { stms, result },
            ..Function::new(definition.name, definition.span)
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
    let form = form.map(|part| visible(part, known));
    match &form {
        Form::Array(array) => {
            let visible = |dim: &FormDim| match dim {
                FormDim::Fixed(Dim::Size(Atom::Var(v)) | Dim::Jagged(v) | Dim::Shape(v)) if !known.contains(v) => {
                    dim.open()
                }
                _ => *dim,
            };
            Form::array(array.dims.iter().map(visible).collect(), array.rows.clone())
        }
        Form::Sum(sum) => {
            let cases = cases_with(&sum.cases, &|v| known.contains(&v).then_some(Atom::Var(v)));
            Form::Sum(Rc::new(Sum { cases, ..(**sum).clone() }))
        }
        _ => form,
    }
}

/// The sizes in arguments and types.
fn all_sizes<'t>(env: &Env<'t>, args: &[Val<'t>]) -> Set<Atom> {
    let mut found = Set::default();
    for val in args.iter().chain(env.vals.values()) {
        val.any(&mut |val| {
            match val {
                Val::Vector(_, atoms) => found.extend([Atom::size(atoms.len() as i64)]),
                val => found.extend(val.split().0.iter().filter_map(|dim| match dim {
                    Dim::Size(n) => Some(*n),
                    Dim::Jagged(_) | Dim::Shape(_) => None,
                })),
            }
            false
        });
    }
    for mono in env.types.values() {
        mono.for_each_size(&mut |n| {
            found.insert(n);
        });
    }
    found
}
