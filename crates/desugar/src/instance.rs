//! Definitions as functions of Core: one for each form of their arguments.
//!
//! The arguments of a call, and everything else that the body may depend on (type arguments, what functions among the
//! arguments hold), are walked through in a fixed order. Their structure is the key of the instance; their atoms are the
//! arguments of the call. Sizes that are the same atom become one parameter, so that what is known to be equal outside
//! is known inside.

use crate::apply::holds_function;
use crate::convert::Why;
use crate::form::{Form, FormDim, Fresh};
use crate::matching::{About, Mode};
use crate::mono::{Mono, MonoDim};
use crate::value::{ArrayVal, Env, FunCode, FunVal, Rows, SumVal, Val};
use crate::{Desugar, Made, free, unsupported};
use base::site::SHOWN_CALLS;
use base::{Map, Name, Set, Span};
use ir::{Atom, Block, Dim, Exp, FunId, Function, Stm, Type as CoreType, Var};
use scalar::{Prim, Scalar};
use std::fmt::Write;
use std::rc::Rc;
use typed::{Body, DefId, Diet, Expr, ExprKind, Program, TypeArg};

/// How many instances one definition may have.
const MANY: usize = 200;

/// What tells instances apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    def: DefId,
    structure: String,
    /// Where a definition of the library was called from: its checks are shown there.
    call: Option<Span>,
}

/// A function made from a definition.
#[derive(Clone)]
pub(crate) struct Instance {
    fun: FunId,
    params: Vec<Var>,
    result: Form,
}

/// A constant definition: the function that computes it and the variables that stand for its value everywhere.
pub(crate) struct Constant<'t> {
    pub fun: FunId,
    pub vars: Vec<Var>,
    pub val: Val<'t>,
}

/// Walks values: says what they are made of and gives each atom a new variable.
struct Abstraction<'d, 't> {
    d: &'d mut Desugar<'t>,
    structure: String,
    /// New variables of sizes, descriptors and shapes.
    dims: Map<Var, Var>,
    sizes: Map<i64, Var>,
    numbers: Map<Var, usize>,
    params: Vec<Var>,
    args: Vec<Atom>,
    /// Whether vectors of known length stay what they are.
    vectors: bool,
}

impl<'t> Abstraction<'_, 't> {
    fn note(&mut self, text: std::fmt::Arguments) {
        let _ = self.structure.write_fmt(text);
    }

    fn param(&mut self, name: Name, ty: CoreType, arg: Atom) -> Var {
        let var = self.d.b.var(name, ty);
        self.numbers.insert(var, self.params.len());
        self.params.push(var);
        self.args.push(arg);
        var
    }

    fn size(&mut self, atom: Atom) -> Atom {
        let var = match atom {
            Atom::Var(var) => match self.dims.get(&var) {
                Some(new) => *new,
                None => {
                    let name = self.d.b.program.vars[var].name;
                    let new = self.param(name, CoreType::I64, atom);
                    self.dims.insert(var, new);
                    new
                }
            },
            Atom::Const(x) => {
                let n = x.as_int().unwrap_or(0) as i64;
                match self.sizes.get(&n) {
                    Some(new) => *new,
                    None => {
                        let new = self.param(Name::new("n"), CoreType::I64, atom);
                        self.sizes.insert(n, new);
                        new
                    }
                }
            }
        };
        let number = self.numbers[&var];
        self.note(format_args!("[{number}]"));
        Atom::Var(var)
    }

    fn dim(&mut self, dim: Dim) -> Dim {
        match dim {
            Dim::Size(n) => Dim::Size(self.size(n)),
            Dim::Jagged(desc) => {
                let new = match self.dims.get(&desc) {
                    Some(new) => *new,
                    None => {
                        let outer = self.d.b.ty(desc).dims().to_vec();
                        let outer = outer.into_iter().map(|d| self.dim(d)).collect();
                        let new = self.param(Name::new("d"), CoreType::Desc(outer), Atom::Var(desc));
                        self.dims.insert(desc, new);
                        new
                    }
                };
                let number = self.numbers[&new];
                self.note(format_args!("[~{number}]"));
                Dim::Jagged(new)
            }
            Dim::Shape(shape) => {
                let new = match self.dims.get(&shape) {
                    Some(new) => *new,
                    None => {
                        let rank = self.d.b.ty(shape).dims().to_vec();
                        let rank = rank.into_iter().map(|d| self.dim(d)).collect();
                        let new = self.param(Name::new("s"), CoreType::Array(Prim::I64, rank), Atom::Var(shape));
                        self.dims.insert(shape, new);
                        new
                    }
                };
                let number = self.numbers[&new];
                self.note(format_args!("[..{number}]"));
                Dim::Shape(new)
            }
        }
    }

    fn val(&mut self, val: &Val<'t>) -> Made<Val<'t>> {
        Ok(match val {
            Val::Scalar(prim, atom) => match atom {
                Atom::Var(var) if self.dims.contains_key(var) => Val::Scalar(*prim, self.size(*atom)),
                _ => {
                    self.note(format_args!("{prim};"));
                    let name = atom.var().map_or(Name::new("x"), |v| self.d.b.program.vars[v].name);
                    Val::Scalar(*prim, self.param(name, CoreType::Scalar(*prim), *atom).into())
                }
            },
            Val::Vector(prim, atoms) if self.vectors => {
                self.note(format_args!("V{prim}{};", atoms.len()));
                let new = atoms.iter().map(|a| self.param(Name::new("x"), CoreType::Scalar(*prim), *a).into());
                Val::Vector(*prim, new.collect())
            }
            Val::Vector(..) => {
                let array = self.d.as_array(val, no_span())?;
                Val::Array(Rc::new(self.array(&array)))
            }
            Val::Lengths(desc) => {
                self.note(format_args!("L"));
                match self.dim(Dim::Jagged(*desc)) {
                    Dim::Jagged(new) => Val::Lengths(new),
                    Dim::Size(_) | Dim::Shape(_) => val.clone(),
                }
            }
            Val::Record(fields) => {
                self.note(format_args!("("));
                let fields: Made<Vec<Val>> = fields.iter().map(|f| self.val(f)).collect();
                self.note(format_args!(")"));
                Val::Record(fields?.into())
            }
            Val::Sum(sum) => {
                self.note(format_args!("+{}<", sum.cases.len()));
                let prim = ir::Layout::tag_prim(sum.cases.len());
                let tag = self.param(Name::new("tag"), CoreType::Scalar(prim), sum.tag).into();
                let mut parts = Vec::new();
                for (c, part) in sum.parts.iter().enumerate() {
                    // All parts are passed, so that values of all constructors have one form.
                    let vals = match part {
                        Some(vals) => vals.clone(),
                        None => {
                            let types = sum.cases[c].1.clone();
                            types.iter().map(|ty| self.d.dummy(ty, no_span())).collect::<Made<Vec<_>>>()?
                        }
                    };
                    parts.push(Some(vals.iter().map(|v| self.val(v)).collect::<Made<Vec<_>>>()?));
                    self.note(format_args!("|"));
                }
                self.note(format_args!(">"));
                let cases =
                    sum.cases.iter().map(|(n, ts)| Ok((*n, ts.iter().map(|t| self.mono(t)).collect::<Made<_>>()?)));
                let cases: Made<Vec<(Name, Vec<Mono>)>> = cases.collect();
                Val::Sum(Rc::new(SumVal { tag, cases: cases?.into(), parts }))
            }
            Val::Array(array) => Val::Array(Rc::new(self.array(array))),
            Val::Fun(fun) => Val::Fun(Rc::new(self.fun(fun)?)),
        })
    }

    fn array(&mut self, array: &ArrayVal) -> ArrayVal {
        self.note(format_args!("A"));
        let dims: Vec<Dim> = array.dims.iter().map(|d| self.dim(*d)).collect();
        let rows = self.rows(&array.rows, &dims);
        ArrayVal { dims, rows }
    }

    fn rows(&mut self, rows: &Rows, outer: &[Dim]) -> Rows {
        match rows {
            Rows::Data(prim, var) => {
                self.note(format_args!("{prim};"));
                let name = self.d.b.program.vars[*var].name;
                Rows::Data(*prim, self.param(name, CoreType::Array(*prim, outer.to_vec()), Atom::Var(*var)))
            }
            Rows::Record(fields) => {
                self.note(format_args!("("));
                let fields = fields.iter().map(|f| self.rows(f, outer)).collect();
                self.note(format_args!(")"));
                Rows::Record(fields)
            }
            Rows::Sum(cases, tag, parts) => {
                self.note(format_args!("+{}<", cases.len()));
                let prim = ir::Layout::tag_prim(cases.len());
                let tag = self.param(Name::new("tag"), CoreType::Array(prim, outer.to_vec()), Atom::Var(*tag));
                let parts = parts.iter().map(|ps| ps.iter().map(|p| self.rows(p, outer)).collect()).collect();
                self.note(format_args!(">"));
                Rows::Sum(cases.clone(), tag, parts)
            }
            Rows::Array(own, rows) => {
                self.note(format_args!("A"));
                let own: Vec<Dim> = own.iter().map(|d| self.dim(*d)).collect();
                let all: Vec<Dim> = outer.iter().chain(&own).copied().collect();
                Rows::Array(own, Box::new(self.rows(rows, &all)))
            }
        }
    }

    fn fun(&mut self, fun: &FunVal<'t>) -> Made<FunVal<'t>> {
        let code = match &fun.code {
            FunCode::Operator(op) => {
                self.note(format_args!("op{op};"));
                FunCode::Operator(*op)
            }
            FunCode::Def { def, type_args, env } => {
                self.note(format_args!("def{def:?}@{:p};", type_args.as_ptr()));
                let mut mentioned = Set::default();
                type_args.iter().for_each(|arg| free::in_arg(arg, &mut mentioned));
                FunCode::Def { def: *def, type_args, env: Rc::new(self.env(env, &mentioned)?) }
            }
            FunCode::Lambda { name, lambda, env, type_params, type_args, at } => {
                self.note(format_args!("fn{:p};", *lambda));
                let mentioned = free::mentioned(&lambda.body);
                let env = Rc::new(self.env(env, &mentioned)?);
                let at = match at {
                    Some(at) => {
                        let mut mentioned = Set::default();
                        type_args.iter().for_each(|arg| free::in_arg(arg, &mut mentioned));
                        Some(Rc::new(self.env(at, &mentioned)?))
                    }
                    None => None,
                };
                FunCode::Lambda { name: *name, lambda, env, type_params, type_args, at }
            }
        };
        let args = fun.args.iter().map(|a| self.val(a)).collect::<Made<_>>()?;
        Ok(FunVal { code, args })
    }

    /// What of an environment is needed.
    fn env(&mut self, env: &Env<'t>, mentioned: &Set<typed::LocalId>) -> Made<Env<'t>> {
        let mut out = Env::default();
        let mut locals: Vec<_> = mentioned.iter().filter(|l| env.vals.contains_key(l)).copied().collect();
        locals.sort();
        for local in locals {
            self.note(format_args!("{local:?}="));
            let val = self.val(&env.vals[&local])?;
            out.vals.insert(local, val);
        }
        let mut vars: Vec<_> = env.types.keys().copied().collect();
        vars.sort();
        for var in vars {
            self.note(format_args!("{var:?}:"));
            let mono = self.mono(&env.types[&var])?;
            out.types.insert(var, mono);
        }
        Ok(out)
    }

    fn mono(&mut self, mono: &Mono) -> Made<Mono> {
        Ok(match mono {
            Mono::Scalar(prim) => {
                self.note(format_args!("{prim}"));
                Mono::Scalar(*prim)
            }
            Mono::Array(dim, elem) => {
                let dim = match dim {
                    MonoDim::Size(n) => MonoDim::Size(self.size(*n)),
                    MonoDim::Unknown => {
                        self.note(format_args!("[]"));
                        MonoDim::Unknown
                    }
                    MonoDim::Jagged => {
                        self.note(format_args!("[~]"));
                        MonoDim::Jagged
                    }
                    MonoDim::Shape(None) => {
                        self.note(format_args!("[..]"));
                        MonoDim::Shape(None)
                    }
                    MonoDim::Shape(Some(v)) => match self.dim(Dim::Shape(*v)) {
                        Dim::Shape(v) => MonoDim::Shape(Some(v)),
                        Dim::Size(_) | Dim::Jagged(_) => MonoDim::Shape(None),
                    },
                };
                Mono::Array(dim, Rc::new(self.mono(elem)?))
            }
            Mono::Record(fields) => {
                self.note(format_args!("("));
                let fields = fields.iter().map(|(n, t)| {
                    self.note(format_args!("{n}:"));
                    Ok((*n, self.mono(t)?))
                });
                let fields: Made<Vec<(Name, Mono)>> = fields.collect();
                self.note(format_args!(")"));
                Mono::Record(fields?.into())
            }
            Mono::Sum(cases) => {
                self.note(format_args!("<"));
                let cases = cases.iter().map(|(n, ts)| {
                    self.note(format_args!("#{n}"));
                    Ok((*n, ts.iter().map(|t| self.mono(t)).collect::<Made<_>>()?))
                });
                let cases: Made<Vec<(Name, Vec<Mono>)>> = cases.collect();
                self.note(format_args!(">"));
                Mono::Sum(cases?.into())
            }
            Mono::Fun => {
                self.note(format_args!("->"));
                Mono::Fun
            }
        })
    }
}

fn no_span() -> Span {
    Span::new(base::FileId(0), 0, 0)
}

impl<'t> Desugar<'t> {
    /// Calls the instance of a definition for these arguments; makes it if there is none.
    pub(crate) fn call_instance(&mut self, def: DefId, env: Env<'t>, args: Vec<Val<'t>>, span: Span) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        if holds_function(self.typed, &definition.ret.ty) {
            return unsupported("a recursive function that returns functions", span);
        }
        // Sizes are matched on this side: the instance can rely on them.
        let outer = std::mem::replace(&mut self.env, Rc::new(env));
        let matched = self.matched_args(&definition.params, args, span);
        let mut env = (*std::mem::replace(&mut self.env, outer)).clone();
        definition.params.iter().filter_map(typed::Param::name).for_each(|local| drop(env.vals.remove(&local)));
        let args = matched?;
        let recursive = self.recursive.contains(&def);
        let mut walk = Abstraction {
            d: self,
            structure: String::new(),
            dims: Map::default(),
            sizes: Map::default(),
            numbers: Map::default(),
            params: Vec::new(),
            args: Vec::new(),
            vectors: !recursive,
        };
        let inner_args = args.iter().map(|a| walk.val(a)).collect::<Made<Vec<_>>>()?;
        let sizes: Set<_> = env.vals.keys().copied().collect();
        let inner_env = walk.env(&env, &sizes)?;
        let Abstraction { structure, params, args: atoms, .. } = walk;
        let user = |span: Span| !self.library.contains(&span.file);
        let call = if user(definition.span) { None } else { self.calls.iter().rev().map(|c| c.1).find(|s| user(*s)) };
        let key = Key { def, structure, call };
        let instance = match self.instances.get(&key) {
            Some(instance) => instance.clone(),
            None => self.make_instance(key, inner_env, inner_args, params, span)?,
        };
        self.finish_call(&instance, atoms, definition.name, span)
    }

    fn finish_call(&mut self, instance: &Instance, args: Vec<Atom>, name: Name, span: Span) -> Made<Val<'t>> {
        let outside: Map<Var, Atom> = instance.params.iter().copied().zip(args.iter().copied()).collect();
        let form = renamed(&instance.result, &outside);
        let mut fresh = Fresh::default();
        let val = self.fresh(&form, name.as_str(), &[], &mut fresh);
        let exp = Exp::Call(instance.fun, args);
        let vars = fresh.all();
        if let Some(first) = vars.first() {
            let user = |call: &&(Name, Span)| !self.library.contains(&call.1.file);
            self.chains.insert(*first, self.calls.iter().rev().filter(user).take(SHOWN_CALLS).copied().collect());
        }
        self.b.push(Stm { vars, certs: Vec::new(), exp, span });
        Ok(val)
    }

    fn make_instance(
        &mut self,
        key: Key,
        env: Env<'t>,
        args: Vec<Val<'t>>,
        params: Vec<Var>,
        span: Span,
    ) -> Made<Instance> {
        let def = key.def;
        let definition = &self.typed.defs[def];
        if self.instances.keys().filter(|k| k.def == def).count() >= MANY {
            return unsupported("a recursive function whose arguments take ever new forms", span);
        }
        let Body::Expr(body) = &definition.body else {
            return unsupported("this call", span);
        };
        let library = self.library.contains(&definition.span.file);
        let outer_env = std::mem::replace(&mut self.env, Rc::new(env));
        let outer_blocks = self.b.isolate();
        let outer_calls = if library { Vec::new() } else { std::mem::take(&mut self.calls) };
        self.b.open();
        self.b.trust_params(params.iter().copied());
        let made = self.instance_body(key, definition, body, args, params);
        self.b.close();
        self.b.restore(outer_blocks);
        if !library {
            self.calls = outer_calls;
        }
        self.env = outer_env;
        made
    }

    fn instance_body(
        &mut self,
        key: Key,
        definition: &'t typed::Def,
        body: &'t Expr,
        args: Vec<Val<'t>>,
        params: Vec<Var>,
    ) -> Made<Instance> {
        let span = definition.span;
        let consumed = self.consumed(definition, &args, &params);
        self.bind_params(&definition.params, args, span)?;
        definition.ret.exts.iter().for_each(|local| self.unset(*local));
        let ty = self.mono(&definition.ret.ty);
        let known: Set<Var> = params.iter().copied().collect();
        let form = visible(self.form_of(&ty, false, span)?, &known);
        let mut results = Fresh::default();
        self.fresh(&form, "result", &[], &mut results);
        let unique = definition.ret.unique == Diet::Consume;
        let fresh = results.vars.iter().map(|_| unique).collect();
        let function = Function {
            name: definition.name,
            params: params.clone(),
            consumed,
            results: results.all(),
            fresh,
            body: Block::default(),
            span,
        };
        let fun = self.b.program.functions.push(function);
        let instance = Instance { fun, params, result: form.clone() };
        self.instances.insert(key, instance.clone());
        let val = self.expr(body)?;
        definition.ret.exts.iter().for_each(|local| self.unset(*local));
        let val = self.matched(&definition.ret.ty, val, About::new(Mode::Result, body.span))?;
        let parts = self.components(&val, &form, Why::Checked, body.span)?;
        let stms = self.b.close();
        self.b.open();
        let result = parts.into_iter().map(|p| p.0).collect();
        self.b.program.functions[fun].body = Block { stms, result };
        Ok(instance)
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
    pub(crate) fn constant_value(&mut self, def: DefId, args: &'t [TypeArg], span: Span) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        let Body::Expr(body) = &definition.body else {
            return unsupported("this constant", span);
        };
        if !definition.type_params.is_empty() || holds_function(self.typed, &definition.ret.ty) || cheap(body) {
            let env = self.type_env(&definition.type_params, args);
            self.calls.push((definition.name, span));
            let outer = std::mem::replace(&mut self.env, Rc::new(env));
            let val = self.expr(body);
            self.env = outer;
            self.calls.pop();
            return val;
        }
        if let Some(constant) = self.constants.get(&def) {
            return Ok(constant.val.clone());
        }
        if self.recursive.contains(&def) {
            return unsupported("a constant that is defined by itself", span);
        }
        let outer_env = std::mem::take(&mut self.env);
        let outer_blocks = self.b.isolate();
        let outer_shown = self.b.show_at(None);
        let outer_calls = std::mem::take(&mut self.calls);
        self.b.open();
        let made = self.make_constant(definition, body);
        self.b.close();
        self.b.restore(outer_blocks);
        self.b.show_at(outer_shown);
        self.calls = outer_calls;
        self.env = outer_env;
        let constant = made?;
        let val = constant.val.clone();
        self.global_vars.extend(constant.vars.iter().copied());
        self.constants.insert(def, constant);
        Ok(val)
    }

    fn make_constant(&mut self, definition: &'t typed::Def, body: &'t Expr) -> Made<Constant<'t>> {
        let span = definition.span;
        let val = self.expr(body)?;
        definition.ret.exts.iter().for_each(|local| self.unset(*local));
        let val = self.matched(&definition.ret.ty, val, About::new(Mode::Result, body.span))?;
        let form = self.join(&[&val], 0, span)?;
        let parts = self.components(&val, &form, Why::Checked, span)?;
        let stms = self.b.close();
        self.b.open();
        let mut results = Fresh::default();
        self.fresh(&form, definition.name.as_str(), &[], &mut results);
        let result = parts.into_iter().map(|p| p.0).collect();
        let function = Function {
            name: definition.name,
            params: Vec::new(),
            consumed: Vec::new(),
            fresh: results.vars.iter().map(|_| true).collect(),
            results: results.all(),
            body: Block { stms, result },
            span,
        };
        let fun = self.b.program.functions.push(function);
        let mut fresh = Fresh::default();
        let val = self.fresh(&form, definition.name.as_str(), &[], &mut fresh);
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

fn consumed_leaves(diet: &Diet, val: &Val, out: &mut Set<Var>) {
    match (diet, val) {
        (Diet::Observe, _) => {}
        (Diet::Fields(diets), Val::Record(fields)) => {
            diets.iter().zip(fields.iter()).for_each(|(d, f)| consumed_leaves(d, f, out));
        }
        (Diet::Consume, Val::Record(fields)) => fields.iter().for_each(|f| consumed_leaves(diet, f, out)),
        (Diet::Consume, Val::Sum(sum)) => {
            sum.parts.iter().flatten().flatten().for_each(|p| consumed_leaves(diet, p, out));
        }
        (Diet::Consume, Val::Array(array)) => row_leaves(&array.rows, out),
        (Diet::Consume | Diet::Fields(_), _) => {}
    }
}

fn row_leaves(rows: &Rows, out: &mut Set<Var>) {
    match rows {
        Rows::Data(_, var) => drop(out.insert(*var)),
        Rows::Record(fields) => fields.iter().for_each(|f| row_leaves(f, out)),
        Rows::Sum(_, tag, parts) => {
            out.insert(*tag);
            parts.iter().flatten().for_each(|p| row_leaves(p, out));
        }
        Rows::Array(_, rows) => row_leaves(rows, out),
    }
}

/// The form with only those dimensions fixed that these variables (or constants) fix.
fn visible(form: Form, known: &Set<Var>) -> Form {
    match form {
        Form::Array(dims, elem) => {
            let mut out: Vec<FormDim> = Vec::new();
            for dim in dims {
                let before = out.iter().all(|d| matches!(d, FormDim::Fixed(_)));
                out.push(match dim {
                    FormDim::Fixed(Dim::Size(Atom::Const(Scalar::I64(_)))) => dim,
                    FormDim::Fixed(Dim::Size(Atom::Var(v))) if known.contains(&v) => dim,
                    FormDim::Fixed(Dim::Size(_)) => FormDim::Size,
                    FormDim::Fixed(Dim::Jagged(d)) if before && known.contains(&d) => dim,
                    FormDim::Fixed(Dim::Jagged(_)) => FormDim::Jagged,
                    FormDim::Fixed(Dim::Shape(v)) if known.contains(&v) => dim,
                    FormDim::Fixed(Dim::Shape(_)) => FormDim::Shape,
                    FormDim::Size | FormDim::Jagged | FormDim::Shape => dim,
                });
            }
            Form::Array(out, Box::new(visible(*elem, known)))
        }
        Form::Record(fields) => Form::Record(fields.into_iter().map(|f| visible(f, known)).collect()),
        Form::Sum(cases, parts) => {
            let parts = parts.into_iter().map(|ps| ps.into_iter().map(|p| visible(p, known)).collect()).collect();
            Form::Sum(cases, parts)
        }
        Form::Scalar(_) | Form::Vector(..) => form,
    }
}

/// The form with other names for what is fixed.
fn renamed(form: &Form, names: &Map<Var, Atom>) -> Form {
    let var = |v: Var| names.get(&v).and_then(|a| a.var()).unwrap_or(v);
    match form {
        Form::Array(dims, elem) => {
            let dim = |dim: &FormDim| match dim {
                FormDim::Fixed(Dim::Size(Atom::Var(v))) => {
                    FormDim::Fixed(Dim::Size(names.get(v).copied().unwrap_or(Atom::Var(*v))))
                }
                FormDim::Fixed(Dim::Jagged(d)) => FormDim::Fixed(Dim::Jagged(var(*d))),
                FormDim::Fixed(Dim::Shape(v)) => FormDim::Fixed(Dim::Shape(var(*v))),
                FormDim::Fixed(Dim::Size(Atom::Const(_))) | FormDim::Size | FormDim::Jagged | FormDim::Shape => *dim,
            };
            Form::Array(dims.iter().map(dim).collect(), Box::new(renamed(elem, names)))
        }
        Form::Record(fields) => Form::Record(fields.iter().map(|f| renamed(f, names)).collect()),
        Form::Sum(cases, parts) => {
            let parts = parts.iter().map(|ps| ps.iter().map(|p| renamed(p, names)).collect()).collect();
            Form::Sum(cases.clone(), parts)
        }
        Form::Scalar(_) | Form::Vector(..) => form.clone(),
    }
}

/// Definitions that may call themselves, directly or through others.
pub(crate) fn recursive_defs(program: &Program) -> Set<DefId> {
    let mut uses: Map<DefId, Set<DefId>> = Map::default();
    for (id, def) in program.defs.iter() {
        if let Body::Expr(body) = &def.body {
            let mut used = Set::default();
            globals(body, &mut used);
            uses.insert(id, used);
        }
    }
    // Whoever is on a circle uses itself or a later one, or is used by one who does.
    let forward: Vec<DefId> =
        uses.iter().filter(|(id, used)| used.iter().any(|u| u >= *id)).map(|(id, _)| *id).collect();
    let mut recursive = Set::default();
    for start in forward {
        let from_here = reachable(&uses, start);
        if from_here.contains(&start) {
            recursive.extend(from_here.into_iter().filter(|d| reachable(&uses, *d).contains(&start)));
        }
    }
    recursive
}

fn reachable(uses: &Map<DefId, Set<DefId>>, start: DefId) -> Set<DefId> {
    let mut seen = Set::default();
    let mut todo = vec![start];
    while let Some(def) = todo.pop() {
        for used in uses.get(&def).into_iter().flatten() {
            if seen.insert(*used) {
                todo.push(*used);
            }
        }
    }
    seen
}

fn globals(expr: &Expr, out: &mut Set<DefId>) {
    if let ExprKind::Global(def, _) = &*expr.kind {
        out.insert(*def);
    }
    expr.for_each_child(&mut |child| globals(child, out));
}
