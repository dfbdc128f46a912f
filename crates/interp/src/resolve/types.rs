//! Types to what matches values against them and to what evaluates them at run time.

use super::{Resolver, Var};
use crate::code::{DimCode, Matcher, Slot, TypeArgCode, TypeCode, Unseen};
use crate::rtype::RtType;
use base::Name;
use scalar::Prim;
use std::rc::Rc;
use typed::{DefId, Dim, LocalId, Param, Program, Shape, Size, Type, TypeArg, TypeParam};

impl Resolver<'_> {
    /// The sizes of a type; [`Matcher::Nothing`] if no value of the type shows any.
    pub(super) fn matcher(&mut self, ty: &Type) -> Matcher {
        self.matcher_of(ty, false)
    }

    /// Keeps unnamed regular dimensions if `all`: `:>` checks those too.
    pub(super) fn matcher_of(&mut self, ty: &Type, all: bool) -> Matcher {
        match ty {
            Type::Prim(_) | Type::Var(_) | Type::Fun(_) | Type::Meta(_) | Type::Error => Matcher::Nothing,
            Type::Abstract(..) => self.matcher_of(&self.program.concrete(ty), all),
            Type::Record(fields) => {
                let fields = fields.iter().enumerate().map(|(i, (_, ty))| (i, self.matcher_of(ty, all)));
                let fields: Vec<_> = fields.filter(|(_, m)| !matches!(m, Matcher::Nothing)).collect();
                if fields.is_empty() { Matcher::Nothing } else { Matcher::Record(fields) }
            }
            Type::Sum(cases) => {
                let mut case = |(name, types): &(Name, Vec<Type>)| {
                    (*name, types.iter().map(|ty| self.matcher_of(ty, all)).collect::<Vec<_>>())
                };
                let cases: Vec<_> = cases.iter().map(&mut case).collect();
                let nothing = cases.iter().all(|(_, args)| args.iter().all(|m| matches!(m, Matcher::Nothing)));
                if nothing { Matcher::Nothing } else { Matcher::Sum(cases) }
            }
            Type::Array(dim, elem) => {
                let inner = self.matcher_of(elem, all);
                let dim = self.dim(dim);
                let anything = matches!(dim, DimCode::Unknown | DimCode::Jagged(None) | DimCode::Shape(None));
                match (anything && !all, &inner) {
                    (true, Matcher::Nothing) => Matcher::Nothing,
                    _ => Matcher::Array(dim, Box::new(inner)),
                }
            }
        }
    }

    pub(super) fn dim(&mut self, dim: &Dim) -> DimCode {
        match dim {
            Dim::Size(size) => self.size(size),
            Dim::Jagged(local) => DimCode::Jagged(local.map(|l| (self.local(l), l))),
            Dim::Shape(Shape::Local(local)) => DimCode::Shape(Some((self.local(*local), *local))),
            Dim::Shape(Shape::Meta(_) | Shape::Unknown) => DimCode::Shape(None),
        }
    }

    fn size(&mut self, size: &Size) -> DimCode {
        match size {
            Size::Const(n) => DimCode::Const(*n),
            Size::Local(local) => DimCode::Local(self.local(*local), *local),
            Size::Expr(expr) => {
                let text = self.program.show_size_expr(expr);
                DimCode::Expr(Box::new(self.expr(expr)), text)
            }
            Size::Meta(_) | Size::Unknown => DimCode::Unknown,
        }
    }

    pub(super) fn type_code(&mut self, ty: &Type) -> TypeCode {
        match ty {
            Type::Prim(prim) => TypeCode::Const(constant(*prim)),
            Type::Var(var) => TypeCode::Var(self.slot(Var::Type(*var))),
            Type::Fun(_) | Type::Meta(_) | Type::Error => TypeCode::Const(Rc::new(RtType::Boxed)),
            Type::Sum(cases) => match cases.first() {
                Some((name, parts)) => {
                    let parts = parts.iter().map(|ty| self.type_code(ty)).collect();
                    parts_code(parts, |parts| RtType::Sum(*name, parts), |parts| TypeCode::Sum(*name, parts))
                }
                None => TypeCode::Const(Rc::new(RtType::Boxed)),
            },
            Type::Abstract(..) => self.type_code(&self.program.concrete(ty)),
            Type::Record(fields) => {
                let fields = fields.iter().map(|(_, ty)| self.type_code(ty)).collect();
                parts_code(fields, RtType::Record, TypeCode::Record)
            }
            Type::Array(dim, elem) => {
                let elem = self.type_code(elem);
                TypeCode::Array(self.dim(dim), Box::new(elem))
            }
        }
    }

    /// Sizes that a pattern binds.
    pub(super) fn declare_sizes(&mut self, sizes: &[LocalId], ty: &Type) -> Vec<Slot> {
        sizes.iter().for_each(|local| self.may_stay_open(TypeParam::Size(*local), &[ty]));
        sizes.iter().map(|local| self.declare(*local)).collect()
    }

    /// Notes a parameter that no value of these types may show: then it is nothing.
    pub(super) fn may_stay_open(&mut self, param: TypeParam, types: &[&Type]) {
        let (local, nothing) = match param {
            TypeParam::Size(local) => (local, Unseen::Zero),
            TypeParam::Jagged(local) | TypeParam::Shape(local) => (local, Unseen::Empty),
            TypeParam::Type(_) => return,
        };
        if !types.iter().any(|ty| self.program.shows(ty, local)) {
            self.open.insert(local, nothing);
        }
    }

    /// The type arguments of a use of a definition.
    pub(super) fn def_types(&mut self, def: DefId, args: &[TypeArg]) -> Vec<TypeArgCode> {
        let def = &self.program.defs[def];
        let shown = self.shown_by(&def.params, &def.type_params);
        args.iter().enumerate().map(|(i, arg)| self.type_arg(arg, shown.get(i) == Some(&true))).collect()
    }

    /// Which type parameters the arguments of a call show.
    pub(super) fn shown_by(&self, params: &[Param], type_params: &[TypeParam]) -> Vec<bool> {
        let types = params.iter().map(|p| &p.pat.ty);
        type_params.iter().map(|p| shows(self.program, types.clone(), *p)).collect()
    }

    /// The type argument, unless the arguments of the call show it.
    pub(super) fn type_arg(&mut self, arg: &TypeArg, shown: bool) -> TypeArgCode {
        match arg {
            TypeArg::Type(ty) => TypeArgCode::Type(self.type_code(ty)),
            TypeArg::Size(_) | TypeArg::Jagged(_) | TypeArg::Shape(_) if shown => TypeArgCode::Shown,
            TypeArg::Size(size) => TypeArgCode::Size(self.size(size)),
            TypeArg::Jagged(dim) => TypeArgCode::Size(self.dim(dim)),
            TypeArg::Shape(dims) => TypeArgCode::Shape(dims.iter().map(|d| self.dim(d)).collect()),
        }
    }
}

/// A type of parts: made once if they are all known, else at run time.
fn parts_code(
    parts: Vec<TypeCode>,
    known: impl FnOnce(Vec<Rc<RtType>>) -> RtType,
    made: impl FnOnce(Vec<TypeCode>) -> TypeCode,
) -> TypeCode {
    let fixed = |code: &TypeCode| if let TypeCode::Const(ty) = code { Some(ty.clone()) } else { None };
    match parts.iter().map(fixed).collect::<Option<Vec<_>>>() {
        Some(parts) => TypeCode::Const(Rc::new(known(parts))),
        None => made(parts),
    }
}

/// The types of scalars, made once.
fn constant(prim: Prim) -> Rc<RtType> {
    thread_local! {
        static PRIMS: Vec<Rc<RtType>> = Prim::ALL.iter().map(|p| Rc::new(RtType::Prim(*p))).collect();
    }
    PRIMS.with(|all| all.iter().find(|t| t.prim() == Some(prim)).cloned()).unwrap_or(Rc::new(RtType::Prim(prim)))
}

/// Whether values of these types always show what a size, size function or shape parameter is.
fn shows<'a>(program: &Program, mut types: impl Iterator<Item = &'a Type>, param: TypeParam) -> bool {
    match param {
        TypeParam::Type(_) => false,
        TypeParam::Size(n) | TypeParam::Jagged(n) | TypeParam::Shape(n) => types.any(|ty| program.shows(ty, n)),
    }
}
