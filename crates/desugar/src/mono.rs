//! Types without type variables, whose sizes are atoms.

use crate::value::{Env, Val};
use crate::{Desugar, free};
use base::Name;
use ir::{Atom, DimKind, Layout, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::{AbstractId, Diet, Dim, ExprKind, FunType, Shape, Size, Type, TypeArg, TypeParam};

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Mono {
    Scalar(Prim),
    Array(MonoDim, Rc<Mono>),
    Record(Rc<[(Name, Mono)]>),
    Sum(Rc<[(Name, Vec<Mono>)]>),
    Fun(Rc<Sig>),
}

/// The type of a function with one parameter, without sizes.
#[derive(Clone, Debug)]
pub(crate) struct Sig {
    pub param: Mono,
    /// Which parts of the argument are consumed.
    pub diet: Diet,
    pub ret: Mono,
    /// Which parts of the result are unique.
    pub unique: Diet,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MonoDim {
    Size(Atom),
    /// Regular, or at least not known to be otherwise.
    Unknown,
    Jagged,
    Shape(Option<Var>),
}

impl Mono {
    /// The type of an array's elements.
    pub fn elem(&self) -> Option<&Mono> {
        match self {
            Mono::Array(_, elem) => Some(elem),
            Mono::Scalar(_) | Mono::Record(_) | Mono::Sum(_) | Mono::Fun(_) => None,
        }
    }

    pub fn prim(&self) -> Option<Prim> {
        match self {
            Mono::Scalar(prim) => Some(*prim),
            Mono::Array(..) | Mono::Record(_) | Mono::Sum(_) | Mono::Fun(_) => None,
        }
    }

    /// The type with other dimensions.
    pub fn with_dims(&self, f: &dyn Fn(MonoDim) -> MonoDim) -> Mono {
        match self {
            Mono::Scalar(_) | Mono::Fun(_) => self.clone(),
            Mono::Array(dim, elem) => Mono::Array(f(*dim), Rc::new(elem.with_dims(f))),
            Mono::Record(fields) => Mono::Record(fields.iter().map(|(n, t)| (*n, t.with_dims(f))).collect()),
            Mono::Sum(cases) => {
                let case = |(n, ts): &(Name, Vec<Mono>)| (*n, ts.iter().map(|t| t.with_dims(f)).collect());
                Mono::Sum(cases.iter().map(case).collect())
            }
        }
    }

    /// The type with the sizes that another one of the same structure says, too.
    pub fn agreeing(&self, other: &Mono) -> Mono {
        match (self, other) {
            (Mono::Array(a, x), Mono::Array(b, y)) => {
                let dim = match (a, b) {
                    (MonoDim::Size(n), MonoDim::Size(m)) if n == m => *a,
                    (MonoDim::Size(_) | MonoDim::Unknown, MonoDim::Jagged) => MonoDim::Jagged,
                    (MonoDim::Size(_), _) => MonoDim::Unknown,
                    (_, _) => *a,
                };
                Mono::Array(dim, Rc::new(x.agreeing(y)))
            }
            (Mono::Record(xs), Mono::Record(ys)) => {
                Mono::Record(xs.iter().zip(ys.iter()).map(|((n, x), (_, y))| (*n, x.agreeing(y))).collect())
            }
            (Mono::Sum(xs), Mono::Sum(ys)) => Mono::Sum(agreeing_cases(xs, ys)),
            (_, _) => self.clone(),
        }
    }

    /// Calls `f` on all known sizes in it.
    pub fn for_each_size(&self, f: &mut dyn FnMut(Atom)) {
        match self {
            Mono::Scalar(_) | Mono::Fun(_) => {}
            Mono::Array(dim, elem) => {
                if let MonoDim::Size(n) = dim {
                    f(*n);
                }
                elem.for_each_size(f);
            }
            Mono::Record(fields) => fields.iter().for_each(|field| field.1.for_each_size(f)),
            Mono::Sum(cases) => cases.iter().flat_map(|case| &case.1).for_each(|ty| ty.for_each_size(f)),
        }
    }

    /// The form of its values; none if they hold functions.
    pub fn layout(&self) -> Option<Layout> {
        self.layout_in(false, false)
    }

    /// The layout of a part: in an array, and in a constructor of elements of an array, where those of other constructors
    /// have no rows.
    fn layout_in(&self, in_array: bool, in_element: bool) -> Option<Layout> {
        Some(match self {
            Mono::Scalar(prim) => Layout::Scalar(*prim),
            Mono::Array(dim, elem) => {
                let kind = match dim {
                    MonoDim::Size(_) | MonoDim::Unknown if in_element => DimKind::Jagged,
                    MonoDim::Size(_) | MonoDim::Unknown => DimKind::Size,
                    MonoDim::Jagged => DimKind::Jagged,
                    MonoDim::Shape(_) => DimKind::Shape,
                };
                match elem.layout_in(true, in_element)? {
                    // Dimensions behind unknown ones belong to the same shape.
                    Layout::Array(_, elem) if kind == DimKind::Shape => Layout::Array(vec![DimKind::Shape], elem),
                    Layout::Array(mut kinds, elem) => {
                        kinds.insert(0, kind);
                        Layout::Array(kinds, elem)
                    }
                    elem => Layout::Array(vec![kind], Box::new(elem)),
                }
            }
            Mono::Record(fields) => {
                let field = |(name, ty): &(Name, Mono)| Some((*name, ty.layout_in(in_array, in_element)?));
                Layout::Record(fields.iter().map(field).collect::<Option<_>>()?)
            }
            Mono::Sum(cases) => {
                let case = |(name, parts): &(Name, Vec<Mono>)| {
                    let parts =
                        parts.iter().map(|p| p.layout_in(in_array, in_element || in_array)).collect::<Option<_>>()?;
                    Some((*name, parts))
                };
                Layout::Sum(cases.iter().map(case).collect::<Option<_>>()?)
            }
            Mono::Fun(_) => return None,
        })
    }
}

/// Constructors with the sizes that others of the same names say, too.
pub(crate) fn agreeing_cases(xs: &[(Name, Vec<Mono>)], ys: &[(Name, Vec<Mono>)]) -> Rc<[(Name, Vec<Mono>)]> {
    let agreeing = |xs: &[Mono], ys: &[Mono]| xs.iter().zip(ys).map(|(x, y)| x.agreeing(y)).collect();
    xs.iter().zip(ys).map(|((name, xs), (_, ys))| (*name, agreeing(xs, ys))).collect()
}

/// The type with no size known.
fn without_sizes(mono: &Mono) -> Mono {
    mono.with_dims(&|dim| match dim {
        MonoDim::Size(_) | MonoDim::Unknown => MonoDim::Unknown,
        MonoDim::Jagged => MonoDim::Jagged,
        MonoDim::Shape(_) => MonoDim::Shape(None),
    })
}

impl<'t> Desugar<'t> {
    /// The type as it is in the current environment.
    pub(crate) fn mono(&mut self, ty: &'t Type) -> Mono {
        match ty {
            Type::Prim(prim) => Mono::Scalar(*prim),
            Type::Var(var) => self.env.types.get(var).cloned().unwrap_or(Mono::Record(Rc::new([]))),
            Type::Record(fields) => Mono::Record(fields.iter().map(|(n, t)| (*n, self.mono(t))).collect()),
            Type::Sum(cases) => {
                let case = |(n, ts): &'t (Name, Vec<Type>)| (*n, ts.iter().map(|t| self.mono(t)).collect());
                Mono::Sum(cases.iter().map(case).collect())
            }
            Type::Array(dim, elem) => {
                let elem = self.mono(elem);
                self.mono_array(dim, elem)
            }
            Type::Abstract(id, args) => self.mono_abstract(*id, args),
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
        match self.erased(ty) {
            Mono::Fun(sig) => Some(sig),
            Mono::Scalar(_) | Mono::Array(..) | Mono::Record(_) | Mono::Sum(_) => None,
        }
    }

    /// The type of a function with all its parameters.
    pub(crate) fn lambda_sig(&mut self, lambda: &'t typed::Lambda) -> Option<Rc<Sig>> {
        let (mut ret, mut unique) = (self.erased(&lambda.ret.ty), lambda.ret.unique.clone());
        for param in lambda.params.iter().rev() {
            let sig = Sig { param: self.erased(&param.pat.ty), diet: param.diet.clone(), ret, unique };
            (ret, unique) = (Mono::Fun(Rc::new(sig)), Diet::Observe);
        }
        match ret {
            Mono::Fun(sig) => Some(sig),
            Mono::Scalar(_) | Mono::Array(..) | Mono::Record(_) | Mono::Sum(_) => None,
        }
    }

    /// The type without sizes. Nothing is computed for it.
    fn erased(&mut self, ty: &'t Type) -> Mono {
        match ty {
            Type::Prim(prim) => Mono::Scalar(*prim),
            Type::Var(var) => self.env.types.get(var).map_or(Mono::Record(Rc::new([])), without_sizes),
            Type::Record(fields) => Mono::Record(fields.iter().map(|(n, t)| (*n, self.erased(t))).collect()),
            Type::Sum(cases) => {
                let case = |(n, ts): &'t (Name, Vec<Type>)| (*n, ts.iter().map(|t| self.erased(t)).collect());
                Mono::Sum(cases.iter().map(case).collect())
            }
            Type::Array(dim, elem) => {
                let elem = self.erased(elem);
                let array = |dim: MonoDim, elem: Mono| Mono::Array(dim, Rc::new(elem));
                match dim {
                    Dim::Size(_) => array(MonoDim::Unknown, elem),
                    Dim::Jagged(_) => array(MonoDim::Jagged, elem),
                    Dim::Shape(Shape::Local(local)) => match self.env.vals.get(local) {
                        Some(Val::Vector(_, atoms)) => atoms.iter().fold(elem, |elem, _| array(MonoDim::Unknown, elem)),
                        _ => array(MonoDim::Shape(None), elem),
                    },
                    Dim::Shape(Shape::Meta(_) | Shape::Unknown) => array(MonoDim::Shape(None), elem),
                }
            }
            Type::Abstract(id, args) => self.erased_abstract(*id, args),
            Type::Fun(fun) => Mono::Fun(Rc::new(self.sig(fun))),
            Type::Meta(_) | Type::Error => Mono::Record(Rc::new([])),
        }
    }

    fn erased_abstract(&mut self, id: AbstractId, args: &'t [TypeArg]) -> Mono {
        let definition = &self.typed.abstracts[id];
        let mut env = Env::default();
        for (param, arg) in definition.params.iter().zip(args) {
            match (param, arg) {
                (TypeParam::Type(var), TypeArg::Type(ty)) => drop(env.types.insert(*var, self.erased(ty))),
                (TypeParam::Shape(local), TypeArg::Shape(dims)) => {
                    let known = match dims.as_slice() {
                        [Dim::Shape(Shape::Local(own))] => self.env.vals.get(own).cloned(),
                        // How many there are is all that matters.
                        dims if dims.iter().all(|d| matches!(d, Dim::Size(_))) => {
                            Some(Val::Vector(Prim::I64, dims.iter().map(|_| Atom::size(0)).collect()))
                        }
                        _ => None,
                    };
                    known.into_iter().for_each(|shape| drop(env.vals.insert(*local, shape)));
                }
                (_, _) => {}
            }
        }
        let outer = std::mem::replace(&mut self.env, Rc::new(env));
        let mono = self.erased(&definition.repr);
        self.env = outer;
        mono
    }

    fn mono_array(&mut self, dim: &'t Dim, elem: Mono) -> Mono {
        let array = |dim: MonoDim, elem: Mono| Mono::Array(dim, Rc::new(elem));
        match dim {
            Dim::Size(size) => {
                let dim = self.known_size(size).map_or(MonoDim::Unknown, MonoDim::Size);
                array(dim, elem)
            }
            Dim::Jagged(_) => array(MonoDim::Jagged, elem),
            Dim::Shape(Shape::Local(local)) => match self.env.vals.get(local) {
                Some(Val::Vector(_, atoms)) => atoms.iter().rev().fold(elem, |elem, n| array(MonoDim::Size(*n), elem)),
                Some(Val::Array(vector)) => match &vector.rows {
                    crate::value::Rows::Data(_, var) => array(MonoDim::Shape(Some(*var)), elem),
                    _ => array(MonoDim::Shape(None), elem),
                },
                _ => array(MonoDim::Shape(None), elem),
            },
            Dim::Shape(Shape::Meta(_) | Shape::Unknown) => array(MonoDim::Shape(None), elem),
        }
    }

    /// What an abstract type stands for, in an environment of its own.
    fn mono_abstract(&mut self, id: AbstractId, args: &'t [TypeArg]) -> Mono {
        let definition = &self.typed.abstracts[id];
        let env = self.type_env(&definition.params, args);
        let outer = std::mem::replace(&mut self.env, Rc::new(env));
        let mono = self.mono(&definition.repr);
        self.env = outer;
        mono
    }

    /// Parameters bound to what they stand for in the current environment.
    pub(crate) fn type_env(&mut self, params: &[TypeParam], args: &'t [TypeArg]) -> Env<'t> {
        let mut env = Env::default();
        for (param, arg) in params.iter().zip(args) {
            match (param, arg) {
                (TypeParam::Type(var), TypeArg::Type(ty)) => {
                    let mono = self.mono(ty);
                    env.types.insert(*var, mono);
                }
                (TypeParam::Size(local), TypeArg::Size(size)) => {
                    if let Some(atom) = self.known_size(size) {
                        env.vals.insert(*local, Val::size(atom));
                    } else if let Size::Local(outer) = size {
                        self.hide_as(*outer, *local, &mut env);
                    }
                }
                (TypeParam::Jagged(local), TypeArg::Jagged(dim)) => {
                    if let Dim::Jagged(Some(k)) = dim {
                        match self.env.vals.get(k) {
                            Some(lengths) => drop(env.vals.insert(*local, lengths.clone())),
                            None => self.hide_as(*k, *local, &mut env),
                        }
                    }
                }
                (TypeParam::Shape(local), TypeArg::Shape(dims)) => {
                    if let Some(shape) = self.known_shape(dims) {
                        env.vals.insert(*local, shape);
                    } else if let [Dim::Shape(Shape::Local(outer))] = dims.as_slice() {
                        self.hide_as(*outer, *local, &mut env);
                    }
                }
                (_, _) => {}
            }
        }
        env
    }

    fn known_shape(&mut self, dims: &'t [Dim]) -> Option<Val<'t>> {
        if let [Dim::Shape(Shape::Local(local))] = dims {
            return self.env.vals.get(local).cloned();
        }
        let mut atoms = Vec::new();
        for dim in dims {
            match dim {
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

    /// A size as an atom, if its parts are known and it cannot fail.
    pub(crate) fn known_size(&mut self, size: &'t Size) -> Option<Atom> {
        match size {
            Size::Const(n) => Some(Atom::size(*n)),
            Size::Local(local) => self.env.vals.get(local).and_then(Val::atom),
            Size::Expr(expr) => self.known_size_expr(expr),
            Size::Meta(_) | Size::Unknown => None,
        }
    }

    /// Sums, differences, products and what else cannot fail.
    pub(crate) fn known_size_expr(&mut self, expr: &'t typed::Expr) -> Option<Atom> {
        match &*expr.kind {
            ExprKind::Scalar(x) => Some(Atom::Const(*x)),
            ExprKind::Local(local, _) => self.env.vals.get(local).and_then(Val::atom),
            ExprKind::Ascribe(inner, _) => self.known_size_expr(inner),
            ExprKind::Binary { op: op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs, lifted: false } => {
                let (a, b) = (self.known_size_expr(lhs)?, self.known_size_expr(rhs)?);
                Some(self.at(expr.span, |d| d.b.bin(*op, Prim::I64, a, b)))
            }
            _ => self.safe_size(expr),
        }
    }

    /// Any other size: evaluated if every local in it is known. Sizes are pure, and the value they describe was made by
    /// computing the same expression, so that it does not fail where the value is there.
    fn safe_size(&mut self, expr: &'t typed::Expr) -> Option<Atom> {
        let env = self.env.clone();
        if !free::mentioned(expr).iter().all(|local| env.vals.contains_key(local)) {
            return None;
        }
        let whole = self.whole.take();
        let val = self.expr(expr);
        self.whole = whole;
        val.ok().and_then(|val| val.atom())
    }
}
