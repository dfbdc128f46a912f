//! Walks through values: what they are made of, and new variables for their atoms.
//!
//! Of a function it walks through what its body needs. A function that holds itself again, at any depth, goes into a box
//! there: so the structures that a program can make are finite.
//!
//! What a function of Core gives goes the other way:
//!
//! ```text
//! def ends [n] (xs: [n]i64) = (3, n, [n, xs[0]], filter (> 0) xs)
//! fn ends(n: i64, xs: [n]i64) -> (x: i64, m: i64, ys: [m]i64)
//! ```
//!
//! The value of the body is known when the function has been made: a tree of constants, parameters and variables of the
//! body. Only the latter are results in Core. A caller gets the same tree, with its arguments for the parameters and the
//! variables that the call binds for the results. So it knows that the first part is 3, that the vector has two elements,
//! of which the first is the size of `xs`, and which parts have equal sizes.

use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::types::{Cases, Mono, MonoDim, without_sizes};
use crate::data::value::{Env, FunCode, FunVal, SumVal, Val};
use crate::sizes::sums::cases_with;
use base::{Map, Name, Set};
use ir::rename::Substitution;
use ir::{Atom, Dim, Pending, Program, Type as CoreType, Var};
use scalar::Prim;
use std::fmt::Write;
use std::rc::Rc;
use typed::mentions::{in_args, in_lambda};

/// Walks values: says what they are made of and gives each atom a new variable.
pub(crate) struct Abstraction<'d, 't> {
    d: &'d mut Desugar<'t>,
    pub structure: String,
    /// New variables of sizes, descriptors and shapes.
    dims: Map<Atom, Var>,
    /// All sizes. A scalar that is one of them is the same parameter, or the same constant.
    pub all_sizes: Set<Atom>,
    numbers: Map<Var, usize>,
    pub params: Vec<Var>,
    pub args: Vec<Atom>,
    /// Whether vectors of known length stay what they are.
    pub vectors: bool,
    /// Whether all functions go into boxes.
    pub whole: bool,
    /// Whether scalars that are sizes say so, because nobody sees what they are the sizes of: in boxes.
    pub declares: bool,
    /// The functions around.
    path: Vec<Code>,
}

/// Which function, whatever it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Lambda(*const typed::Lambda),
    Def(typed::DefId),
}

impl<'d, 't> Abstraction<'d, 't> {
    pub fn new(d: &'d mut Desugar<'t>) -> Abstraction<'d, 't> {
        Abstraction {
            d,
            structure: String::new(),
            dims: Map::default(),
            all_sizes: Set::default(),
            numbers: Map::default(),
            params: Vec::new(),
            args: Vec::new(),
            vectors: false,
            whole: false,
            declares: false,
            path: Vec::new(),
        }
    }

    fn note(&mut self, text: std::fmt::Arguments) {
        let _ = self.structure.write_fmt(text);
    }

    fn param(&mut self, name: Name, ty: CoreType, arg: Atom) -> Var {
        let var = self.d.b.var(name, ty);
        self.numbers.insert(var, self.params.len());
        self.params.push(var);
        self.args.push(arg);
        if let Atom::Var(arg) = arg {
            self.recursive(arg, var);
        }
        var
    }

    /// What is known of recursive arrays that are still being made is known of their parameters, too.
    fn recursive(&mut self, arg: Var, param: Var) {
        let Some(rec) = self.d.rec_vars.get(&arg).copied() else {
            return;
        };
        self.note(format_args!("{rec:?}"));
        self.d.rec_vars.insert(param, rec);
        self.d.b.program.vars[param].pending = Some(Pending { dims: rec.cells, numbered: rec.one_by_one });
        if let Some(form) = self.d.rec_boxes.get(&arg).cloned() {
            let form = self.form(&form);
            self.d.rec_boxes.insert(param, form);
        }
    }

    fn form(&mut self, form: &Form) -> Form {
        form.map_dims(&mut |dim| match dim {
            FormDim::Fixed(dim) => FormDim::Fixed(self.dim(*dim)),
            FormDim::Size | FormDim::Jagged | FormDim::Shape => *dim,
        })
    }

    fn size(&mut self, atom: Atom) -> Atom {
        let var = self.dims.get(&atom).copied().unwrap_or_else(|| {
            let name = atom.var().map_or(Name::new("n"), |var| self.d.b.program.vars[var].name);
            self.param(name, CoreType::I64, atom)
        });
        self.dims.insert(atom, var);
        self.note_dim("", var);
        Atom::Var(var)
    }

    /// Whether a scalar is a size for certain, by no check.
    fn is_size(&self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return false };
        let declared = self.d.b.program.vars[var].size;
        *self.d.b.ty(var) == CoreType::I64 && (declared || self.d.b.trusted(var).is_some_and(<[Var]>::is_empty))
    }

    fn dim(&mut self, dim: Dim) -> Dim {
        match dim {
            Dim::Size(n) => Dim::Size(self.size(n)),
            Dim::Jagged(desc) => Dim::Jagged(self.dim_var(desc, "d", "~")),
            Dim::Shape(shape) => Dim::Shape(self.dim_var(shape, "s", "..")),
        }
    }

    /// The number of a size, descriptor or shape.
    fn note_dim(&mut self, kind: &str, var: Var) {
        let number = self.numbers[&var];
        self.note(format_args!("[{kind}{number}]"));
    }

    /// The new variable of a descriptor or a shape.
    fn dim_var(&mut self, old: Var, name: &str, kind: &str) -> Var {
        let new = self.dims.get(&Atom::Var(old)).copied().unwrap_or_else(|| {
            let ty = self.d.b.ty(old).clone();
            let outer = ty.dims().iter().map(|dim| self.dim(*dim)).collect();
            let ty = if let CoreType::Desc(_) = ty { CoreType::Desc(outer) } else { CoreType::Array(Prim::I64, outer) };
            self.param(Name::new(name), ty, Atom::Var(old))
        });
        self.dims.insert(old.into(), new);
        self.note_dim(kind, new);
        new
    }

    pub fn val(&mut self, val: &Val<'t>) -> Made<Val<'t>> {
        self.val_in(val, &[])
    }

    /// A value that stands inside of some dimensions, which are new already.
    fn val_in(&mut self, val: &Val<'t>, outer: &[Dim]) -> Made<Val<'t>> {
        Ok(match val {
            Val::Scalar(prim, atom @ Atom::Var(_)) if self.dims.contains_key(atom) => {
                let new = self.dims[atom];
                self.note_dim("", new);
                Val::Scalar(*prim, new.into())
            }
            Val::Scalar(Prim::I64, atom) if outer.is_empty() && self.all_sizes.contains(atom) => {
                Val::Scalar(Prim::I64, self.size(*atom))
            }
            Val::Scalar(prim, atom) => {
                let is_size = self.declares && self.is_size(*atom);
                self.note(format_args!("{}{prim};", if is_size { "size " } else { "" }));
                let name = atom.var().map_or(Name::new("x"), |v| self.d.b.program.vars[v].name);
                let param = self.param(name, CoreType::array(*prim, outer.to_vec()), *atom);
                self.d.b.program.vars[param].size = is_size;
                Val::Scalar(*prim, param.into())
            }
            Val::Vector(prim, atoms) if self.vectors => {
                self.note(format_args!("V{prim}{};", atoms.len()));
                let new = atoms.iter().map(|a| self.param(Name::new("x"), CoreType::Scalar(*prim), *a).into());
                Val::Vector(*prim, new.collect())
            }
            Val::Vector(..) => {
                let array = self.d.as_array(val)?;
                self.val_in(&Val::Array(array), outer)?
            }
            Val::Lengths(desc) => {
                self.note(format_args!("L"));
                Val::Lengths(self.dim_var(*desc, "d", "~"))
            }
            Val::Record(fields) => {
                self.note(format_args!("("));
                let fields: Made<Vec<Val>> = fields.iter().map(|f| self.val_in(f, outer)).collect();
                self.note(format_args!(")"));
                Val::Record(fields?.into())
            }
            Val::Sum(sum) => self.sum(sum, outer)?,
            Val::Array(array) => {
                self.note(format_args!("A"));
                let own: Vec<Dim> = array.dims.iter().map(|d| self.dim(*d)).collect();
                let all: Vec<Dim> = outer.iter().chain(&own).copied().collect();
                Val::array(own, self.val_in(&array.rows, &all)?)
            }
            Val::Fun(fun) => self.function(fun)?,
        })
    }

    fn sum(&mut self, sum: &SumVal<'t>, outer: &[Dim]) -> Made<Val<'t>> {
        self.note(format_args!("+{}<", sum.cases.len()));
        let prim = ir::Layout::tag_prim(sum.cases.len());
        let tag = self.param(Name::new("tag"), CoreType::array(prim, outer.to_vec()), sum.tag).into();
        let mut parts = Vec::new();
        for (part, (_, types)) in sum.parts.iter().zip(sum.cases.iter()) {
            // All parts are passed, so that values of all constructors have one form.
            let vals = match part {
                Some(vals) => vals.clone(),
                None => types.iter().map(|ty| self.d.dummy(ty)).collect(),
            };
            let vals = vals.iter().zip(types).map(|(val, ty)| {
                let val = self.d.with_boxes(val, ty)?;
                self.val_in(&val, outer)
            });
            parts.push(Some(vals.collect::<Made<Vec<_>>>()?));
            self.note(format_args!("|"));
        }
        self.note(format_args!(">"));
        let cases = self.cases(&sum.cases);
        Ok(Val::Sum(Rc::new(SumVal { tag, cases, parts })))
    }

    fn cases(&mut self, cases: &Cases) -> Cases {
        cases.iter().map(|(n, ts)| (*n, ts.iter().map(|t| self.mono(t)).collect())).collect()
    }

    /// A function that goes into a box: it stays known itself, and so does what it holds, or that is in boxes, too.
    pub fn in_box(&mut self, fun: &FunVal<'t>, boxes: bool) -> Made<Val<'t>> {
        if let FunCode::Boxed(..) = &fun.code {
            return self.function(fun);
        }
        (self.whole, self.declares) = (boxes, true);
        self.path.extend(code_of(fun));
        Ok(Val::Fun(Rc::new(self.fun(fun)?)))
    }

    /// A function, in a box if it is inside of itself.
    pub fn function(&mut self, fun: &FunVal<'t>) -> Made<Val<'t>> {
        if let FunCode::Boxed(var, id) = &fun.code {
            self.note(format_args!("box{id:?};"));
            let name = self.d.b.program.vars[*var].name;
            let var = self.param(name, CoreType::Box(*id), Atom::Var(*var));
            return Ok(self.d.boxed_val(var, *id));
        }
        let code = code_of(fun);
        let inside = code.is_some_and(|code| self.path.contains(&code));
        if (inside || self.whole)
            && let Some(sig) = fun.sig()
        {
            let id = self.d.box_of(&sig);
            let var = self.d.in_box(fun, id)?;
            let Val::Fun(boxed) = self.d.boxed_val(var, id) else {
                return Ok(Val::Fun(Rc::new(fun.clone())));
            };
            return self.function(&boxed);
        }
        self.path.extend(code);
        let new = self.fun(fun);
        self.path.truncate(self.path.len() - usize::from(code.is_some()));
        Ok(Val::Fun(Rc::new(new?)))
    }

    fn fun(&mut self, fun: &FunVal<'t>) -> Made<FunVal<'t>> {
        let code = match &fun.code {
            FunCode::Operator(op) => {
                self.note(format_args!("op{op};"));
                FunCode::Operator(*op)
            }
            FunCode::Boxed(var, id) => FunCode::Boxed(*var, *id),
            FunCode::Def { def, type_args, env } => {
                self.note(format_args!("def{def:?}@{:p};", type_args.as_ptr()));
                FunCode::Def { def: *def, type_args, env: Rc::new(self.env(env, &in_args(type_args))?) }
            }
            FunCode::Lambda { name, lambda, env, type_params, type_args, at } => {
                self.note(format_args!("fn{:p};", *lambda));
                let mentioned = in_lambda(lambda);
                let env = Rc::new(self.env(env, &mentioned)?);
                let at = at.as_ref().map(|at| self.env(at, &in_args(type_args)).map(Rc::new)).transpose()?;
                FunCode::Lambda { name: *name, lambda, env, type_params, type_args, at }
            }
        };
        let args = fun.args.iter().map(|a| self.val(a)).collect::<Made<_>>()?;
        self.note(format_args!(";"));
        Ok(FunVal { code, args, sig: fun.sig.clone() })
    }

    /// What of an environment is needed.
    pub fn env(&mut self, env: &Env<'t>, mentioned: &Set<typed::LocalId>) -> Made<Env<'t>> {
        let env = &self.d.revealed(env, |local| mentioned.contains(&local))?;
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
            let mono = self.mono(&env.types[&var]);
            out.types.insert(var, mono);
        }
        Ok(out)
    }

    fn mono(&mut self, mono: &Mono) -> Mono {
        self.note(format_args!("{:?}", without_sizes(mono)));
        mono.map_dims(&mut |dim| match dim {
            MonoDim::Size(n) => MonoDim::Size(self.size(n)),
            MonoDim::Shape(Some(v)) => MonoDim::Shape(Some(self.dim_var(v, "s", ".."))),
            MonoDim::Unknown | MonoDim::Jagged | MonoDim::Shape(None) => {
                self.note(format_args!("[]"));
                dim
            }
        })
    }
}

/// What tells whether a function is inside of itself; operators hold nothing.
fn code_of(fun: &FunVal) -> Option<Code> {
    match &fun.code {
        FunCode::Lambda { lambda, .. } => Some(Code::Lambda(*lambda)),
        FunCode::Def { def, .. } => Some(Code::Def(*def)),
        FunCode::Operator(_) | FunCode::Boxed(..) => None,
    }
}

/// Adds the variables in a value that are not known to callers, each after those that its type mentions.
pub(crate) fn unknown_vars(program: &Program, val: &Val, known: &dyn Fn(Var) -> bool, found: &mut Vec<Var>) {
    let mut add = |var: Var| add_unknown(program, var, known, found);
    match val {
        Val::Scalar(_, atom) => atom.var().into_iter().for_each(add),
        Val::Lengths(var) => add(*var),
        Val::Vector(_, atoms) => atoms.iter().filter_map(|atom| atom.var()).for_each(add),
        Val::Sum(sum) => sum.tag.var().into_iter().for_each(add),
        Val::Array(array) => array.dims.iter().for_each(|dim| match dim {
            Dim::Size(Atom::Var(var)) | Dim::Jagged(var) | Dim::Shape(var) => add(*var),
            Dim::Size(Atom::Const(_)) => {}
        }),
        Val::Fun(fun) => match &fun.code {
            FunCode::Boxed(var, _) => add(*var),
            _ => base::bug!("a function of Core gives a function"),
        },
        Val::Record(_) => {}
    }
    val.children().into_iter().for_each(|child| unknown_vars(program, child, known, found));
}

fn add_unknown(program: &Program, var: Var, known: &dyn Fn(Var) -> bool, found: &mut Vec<Var>) {
    if known(var) || found.contains(&var) {
        return;
    }
    program.ty(var).for_each_var(&mut |size| add_unknown(program, size, known, found));
    found.push(var);
}

/// A value with other names for its variables.
pub(crate) fn renamed<'t>(val: &Val<'t>, names: &Substitution) -> Val<'t> {
    match val {
        Val::Scalar(prim, atom) => Val::Scalar(*prim, names.atom(*atom)),
        Val::Vector(prim, atoms) => Val::Vector(*prim, atoms.iter().map(|atom| names.atom(*atom)).collect()),
        Val::Lengths(desc) => Val::Lengths(names.var(*desc)),
        Val::Record(_) => val.map(|field| renamed(field, names)),
        Val::Sum(sum) => {
            let part = |vals: &Vec<Val<'t>>| vals.iter().map(|val| renamed(val, names)).collect();
            Val::Sum(Rc::new(SumVal {
                tag: names.atom(sum.tag),
                cases: cases_with(&sum.cases, &|var| names.0.get(&var).copied()),
                parts: sum.parts.iter().map(|vals| vals.as_ref().map(part)).collect(),
            }))
        }
        Val::Array(array) => Val::array(names.dims(&array.dims), renamed(&array.rows, names)),
        Val::Fun(fun) => {
            let code = match &fun.code {
                FunCode::Boxed(var, id) => FunCode::Boxed(names.var(*var), *id),
                code => code.clone(),
            };
            let args = fun.args.iter().map(|arg| renamed(arg, names)).collect();
            Val::Fun(Rc::new(FunVal { code, args, sig: fun.sig.clone() }))
        }
    }
}
