//! What types of the source program say: which constructors and sizes their values have. Monomorphisation: the types as
//! they are in an environment.

use crate::context::Desugar;
use crate::data::types::{Mono, MonoDim, Sig, jagged_if_unknown, without_sizes};
use crate::data::value::{Env, Val};
use base::Name;
use ir::Atom;
use scalar::Prim;
use std::rc::Rc;
use typed::mentions::mentioned;
use typed::{Diet, Dim, FunType, Shape, Size, Type, TypeArg, TypeParam};

/// Whether there are sums in a type, or abstract types, which may stand for them.
pub(crate) fn has_sum(ty: &Type) -> bool {
    matches!(ty, Type::Sum(_) | Type::Abstract(..)) || !matches!(ty, Type::Fun(_)) && ty.any_child(&mut has_sum)
}

/// Whether a size in a type is an expression. Sums are looked into only on request.
pub(crate) fn has_expression(ty: &Type, in_sums: bool) -> bool {
    match ty {
        Type::Array(Dim::Size(Size::Expr(_)), _) => true,
        Type::Abstract(..) | Type::Fun(_) => false,
        Type::Sum(_) if !in_sums => false,
        _ => ty.any_child(&mut |child| has_expression(child, in_sums)),
    }
}

/// What becomes of sizes in types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Computed,
    /// How many there are is all that matters.
    Ignored,
}

impl<'t> Desugar<'t> {
    /// The type as it is in the current environment.
    pub(crate) fn mono(&mut self, ty: &'t Type) -> Mono {
        self.mono_with(ty, Sizes::Computed)
    }

    /// The type without sizes. Nothing is computed for it.
    fn erased(&mut self, ty: &'t Type) -> Mono {
        without_sizes(&self.mono_with(ty, Sizes::Ignored))
    }

    fn mono_with(&mut self, ty: &'t Type, sizes: Sizes) -> Mono {
        match ty {
            Type::Prim(prim) => Mono::Scalar(*prim),
            Type::Var(var) => self.env.types.get(var).cloned().unwrap_or(Mono::Record(Rc::new([]))),
            Type::Record(fields) => Mono::Record(fields.iter().map(|(n, t)| (*n, self.mono_with(t, sizes))).collect()),
            Type::Sum(cases) => {
                let case = |(n, ts): &'t (Name, Vec<Type>)| (*n, ts.iter().map(|t| self.mono_with(t, sizes)).collect());
                Mono::Sum(cases.iter().map(case).collect())
            }
            Type::Array(dim, elem) => {
                let elem = self.mono_with(elem, sizes);
                self.mono_array(dim, elem, sizes)
            }
            // The definition of an abstract type, in an environment of its own.
            Type::Abstract(id, args) => {
                let definition = &self.typed.abstracts[*id];
                let env = self.type_env_with(&definition.params, args, sizes);
                self.in_env(Rc::new(env), |d| d.mono_with(&definition.repr, sizes))
            }
            Type::Fun(fun) => Mono::Fun(Rc::new(self.sig(fun))),
            Type::Meta(_) | Type::Error => Mono::Record(Rc::new([])),
        }
    }

    /// The type of a function.
    fn sig(&mut self, fun: &'t FunType) -> Sig {
        let FunType { name: _, param, diet, ret } = fun;
        Sig { param: self.erased(param), diet: diet.clone(), ret: self.erased(&ret.ty), unique: ret.unique.clone() }
    }

    /// The same of an expression's type, if it is one of functions.
    pub(crate) fn sig_of_type(&mut self, ty: &'t Type) -> Option<Rc<Sig>> {
        self.erased(ty).as_fun().cloned()
    }

    /// The type of a function with all its parameters.
    pub(crate) fn lambda_sig(&mut self, lambda: &'t typed::Lambda) -> Option<Rc<Sig>> {
        let (mut ret, mut unique) = (self.erased(&lambda.ret.ty), lambda.ret.unique.clone());
        for param in lambda.params.iter().rev() {
            let sig = Sig { param: self.erased(&param.pat.ty), diet: param.diet.clone(), ret, unique };
            (ret, unique) = (Mono::Fun(Rc::new(sig)), Diet::Observe);
        }
        ret.as_fun().cloned()
    }

    fn mono_array(&mut self, dim: &'t Dim, elem: Mono, sizes: Sizes) -> Mono {
        let array = |dim: MonoDim, elem: Mono| Mono::Array(dim, Rc::new(elem));
        match dim {
            Dim::Size(size) => {
                let size = self.size_with(size, sizes);
                array(size.map_or(MonoDim::Unknown, MonoDim::Size), elem)
            }
            Dim::Jagged(_) => array(MonoDim::Jagged, elem),
            Dim::Shape(Shape::Local(local)) => match self.env.vals.get(local) {
                Some(Val::Vector(_, atoms)) => atoms.iter().rev().fold(elem, |elem, n| array(MonoDim::Size(*n), elem)),
                Some(Val::Array(vector)) => array(MonoDim::Shape(vector.rows.var()), elem),
                _ => array(MonoDim::Shape(None), elem),
            },
            Dim::Shape(Shape::Meta(_) | Shape::Unknown) => array(MonoDim::Shape(None), elem),
        }
    }

    /// Parameters bound to their arguments in the current environment.
    pub(crate) fn type_env(&mut self, params: &[TypeParam], args: &'t [TypeArg]) -> Env<'t> {
        self.type_env_with(params, args, Sizes::Computed)
    }

    fn type_env_with(&mut self, params: &[TypeParam], args: &'t [TypeArg], sizes: Sizes) -> Env<'t> {
        let mut env = Env::default();
        for (param, arg) in params.iter().zip(args) {
            // The value of the parameter, or the name under which it may be found.
            let (local, val, outer) = match (param, arg) {
                (TypeParam::Type(var), TypeArg::Type(ty)) => {
                    let mono = self.mono_with(ty, sizes);
                    env.types.insert(*var, jagged_if_unknown(&mono));
                    continue;
                }
                (TypeParam::Size(local), TypeArg::Size(size)) => {
                    let outer = if let Size::Local(outer) = size { Some(*outer) } else { None };
                    (local, self.size_with(size, sizes).map(Val::size), outer)
                }
                (TypeParam::Jagged(local), TypeArg::Jagged(Dim::Jagged(Some(k)))) => {
                    (local, self.env.vals.get(k).cloned(), Some(*k))
                }
                (TypeParam::Shape(local), TypeArg::Shape(dims)) => {
                    let outer = if let [Dim::Shape(Shape::Local(s))] = dims.as_slice() { Some(*s) } else { None };
                    (local, self.known_shape(dims, sizes), outer)
                }
                (_, _) => continue,
            };
            match (val, outer) {
                (Some(val), _) => drop(env.vals.insert(*local, val)),
                (None, Some(outer)) => self.hide_as(outer, *local, &mut env),
                (None, None) => {}
            }
        }
        env
    }

    fn known_shape(&mut self, dims: &'t [Dim], sizes: Sizes) -> Option<Val<'t>> {
        if let [Dim::Shape(Shape::Local(local))] = dims {
            return self.env.vals.get(local).cloned();
        }
        let mut atoms = Vec::new();
        for dim in dims {
            match dim {
                Dim::Size(_) if sizes == Sizes::Ignored => atoms.push(Atom::size(0)),
                Dim::Size(size) => atoms.push(self.known_size(size)?),
                Dim::Shape(Shape::Local(local)) => match self.env.vals.get(local)? {
                    Val::Vector(_, more) => atoms.extend(more.iter()),
                    _ => return None,
                },
                Dim::Jagged(_) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => return None,
            }
        }
        Some(Val::Vector(Prim::I64, atoms.into()))
    }

    fn size_with(&mut self, size: &'t Size, sizes: Sizes) -> Option<Atom> {
        if sizes == Sizes::Computed { self.known_size(size) } else { None }
    }

    /// A size as an atom, if its parts are known and it cannot fail.
    pub(crate) fn known_size(&mut self, size: &'t Size) -> Option<Atom> {
        match size {
            Size::Const(n) => Some(Atom::size(*n)),
            Size::Local(local) => self.env.vals.get(local).and_then(Val::atom),
            Size::Expr(expr) => self.safe_size(expr),
            Size::Meta(_) | Size::Unknown => None,
        }
    }

    /// An expression as a size: evaluated if every local in it is known. Sizes are pure, and the value they describe was made by
    /// computing the same expression, so that it does not fail where the value is there.
    fn safe_size(&mut self, expr: &'t typed::Expr) -> Option<Atom> {
        if !mentioned(expr).iter().all(|local| self.env.vals.contains_key(local)) {
            return None;
        }
        let whole = self.whole.take();
        let val = self.expr(expr);
        self.whole = whole;
        val.ok().and_then(|val| val.atom())
    }
}
