//! Types as written to types: names resolved, abbreviations expanded, sizes turned into expressions.

use crate::Checker;
use crate::scope::{Module, Namespace, TypeBinding};
use base::{Name, Span};
use scalar::Prim;
use std::sync::Arc;
use syntax::ast::{DimExp, DimExpKind, Ident, Lifted, QualName, TypeArg as ArgExp, TypeExp, TypeExpKind};
use typed::subst::Subst;
use typed::{Diet, Dim, FunType, Ret, Size, Type, TypeArg, TypeParam};

impl Namespace {
    /// `i8` to `f64` and `bool`.
    pub(crate) fn primitive_types() -> Namespace {
        let mut names = Namespace::default();
        for prim in Prim::ALL {
            let binding =
                TypeBinding { params: Vec::new(), body: Type::Prim(prim), diet: Diet::Observe, lifted: Lifted::No };
            names.types.insert(Name::new(prim.name()), binding);
        }
        names
    }
}

impl Checker<'_> {
    /// The type and its diet, as `*` in it says.
    pub(crate) fn type_exp(&mut self, exp: &TypeExp) -> (Type, Diet) {
        match &exp.kind {
            TypeExpKind::Error => (Type::Error, Diet::Observe),
            TypeExpKind::Parens(inner) => self.type_exp(inner),
            TypeExpKind::Var(name) => (self.named_type(name, &[], exp.span), self.type_diet(exp)),
            TypeExpKind::Apply(..) => (self.applied_type(exp), self.type_diet(exp)),
            TypeExpKind::Tuple(items) => {
                let (types, diets): (Vec<Type>, Vec<Diet>) = items.iter().map(|t| self.type_exp(t)).unzip();
                (Type::tuple(types), diet_of_fields(diets))
            }
            TypeExpKind::Record(fields) => self.record_type(fields),
            TypeExpKind::Sum(constrs) => (self.sum_type(constrs), Diet::Observe),
            TypeExpKind::Array(dim, elem) => {
                let dim = self.dim_exp(dim);
                let elem_span = elem.span;
                if let TypeExpKind::Unique(_) = &elem.kind {
                    self.misplaced_unique(elem_span);
                }
                if !self.is_ravel() {
                    self.check_lifted_elem(elem);
                }
                let (elem, _) = self.type_exp(elem);
                self.check_array_elem(&elem, &dim, elem_span);
                (Type::array(dim, elem), Diet::Observe)
            }
            TypeExpKind::Unique(inner) => {
                let (ty, _) = self.type_exp(inner);
                (ty, Diet::Consume)
            }
            TypeExpKind::Fun { param_name, param, ret } => {
                (self.function_type(param_name.as_ref(), param, ret), Diet::Observe)
            }
            TypeExpKind::Exists(_, _) => (self.ret_type(exp).ty, Diet::Observe),
        }
    }

    fn record_type(&mut self, fields: &[(Ident, TypeExp)]) -> (Type, Diet) {
        let mut typed: Vec<(Name, Type, Diet)> = Vec::new();
        let mut seen = base::Set::default();
        for (name, exp) in fields {
            if !seen.insert(name.name) {
                self.duplicate("field", *name);
                continue;
            }
            let (ty, diet) = self.type_exp(exp);
            typed.push((name.name, ty, diet));
        }
        typed.sort_by(|a, b| typed::field_order(a.0, b.0));
        let diet = diet_of_fields(typed.iter().map(|f| f.2.clone()).collect());
        (Type::Record(typed.into_iter().map(|f| (f.0, f.1)).collect()), diet)
    }

    fn sum_type(&mut self, constrs: &[(Ident, Vec<TypeExp>)]) -> Type {
        let mut typed: Vec<(Name, Vec<Type>)> = Vec::new();
        let mut seen = base::Set::default();
        for (name, payload) in constrs {
            if !seen.insert(name.name) {
                self.duplicate("constructor", *name);
                continue;
            }
            typed.push((name.name, payload.iter().flat_map(|t| self.payload(name, t)).collect()));
        }
        typed.sort_by_key(|c| c.0);
        Type::Sum(typed.into())
    }

    /// The type of a constructor's payload. In `#c [n]t u` the element type takes `u` for its argument: reported, then taken
    /// for the two types that were meant.
    fn payload(&mut self, constr: &Ident, payload: &TypeExp) -> Vec<Type> {
        let mut elem = payload;
        let mut dims = Vec::new();
        while let TypeExpKind::Array(dim, inner) = &elem.kind {
            dims.push(dim);
            elem = inner;
        }
        if let TypeExpKind::Apply(head, args) = &elem.kind
            && let TypeExpKind::Var(name) = &head.kind
            && elem.span != payload.span
            && (self.is_type_variable(name) || self.type_binding(name).is_some_and(|b| b.params.is_empty()))
        {
            self.array_takes_payload(constr, payload.span, (name, args.len()));
            let (first, _) = self.type_exp(head);
            let mut types = vec![self.array_of_dims(&dims, first)];
            let mut dims = Vec::new();
            for arg in args {
                match arg {
                    ArgExp::Size(dim) => dims.push(dim),
                    ArgExp::Type(exp) => {
                        let (ty, _) = self.type_exp(exp);
                        types.push(self.array_of_dims(&dims, ty));
                        dims.clear();
                    }
                }
            }
            return types;
        }
        vec![self.type_exp(payload).0]
    }

    fn array_of_dims(&mut self, dims: &[&DimExp], elem: Type) -> Type {
        dims.iter().rev().fold(elem, |elem, dim| Type::array(self.dim_exp(dim), elem))
    }

    fn is_type_variable(&self, name: &QualName) -> bool {
        name.quals.is_empty() && self.type_scope.iter().any(|(n, _)| *n == name.name.name)
    }

    fn function_type(&mut self, name: Option<&Ident>, param: &TypeExp, ret: &TypeExp) -> Type {
        let (param_ty, diet) = self.type_exp(param);
        self.scoped(|checker| {
            let name = name.map(|n| checker.bind_local(*n, param_ty.clone()));
            let ret = checker.ret_type(ret);
            Type::Fun(Arc::new(FunType { name, param: param_ty, diet, ret }))
        })
    }

    /// A type right of an arrow: it may begin with `?[n].`.
    pub(crate) fn ret_type(&mut self, exp: &TypeExp) -> Ret {
        match &exp.kind {
            TypeExpKind::Exists(names, inner) => self.scoped(|checker| {
                let exts: Vec<_> = names.iter().map(|n| checker.bind_size(n)).collect();
                let mut ret = checker.ret_type(inner);
                ret.exts.splice(0..0, exts);
                ret
            }),
            TypeExpKind::Parens(inner) if matches!(inner.kind, TypeExpKind::Exists(..)) => self.ret_type(inner),
            _ => {
                let (ty, unique) = self.type_exp(exp);
                Ret { exts: Vec::new(), ty, unique }
            }
        }
    }

    fn applied_type(&mut self, exp: &TypeExp) -> Type {
        let TypeExpKind::Apply(head, args) = &exp.kind else { return Type::Error };
        let mut all: Vec<&ArgExp> = args.iter().collect();
        let mut head: &TypeExp = head;
        loop {
            match &head.kind {
                TypeExpKind::Parens(inner) => head = inner,
                TypeExpKind::Apply(inner, more) => {
                    all.splice(0..0, more);
                    head = inner;
                }
                TypeExpKind::Var(name) => return self.named_type(name, &all, exp.span),
                _ => {
                    self.not_a_type_constructor(head.span);
                    return Type::Error;
                }
            }
        }
    }

    fn named_type(&mut self, name: &QualName, args: &[&ArgExp], span: Span) -> Type {
        if name.quals.is_empty()
            && let Some((_, var)) = self.type_scope.iter().rev().find(|(n, _)| *n == name.name.name)
        {
            if !args.is_empty() {
                let var = *var;
                self.not_a_type_constructor(span);
                return Type::Var(var);
            }
            return Type::Var(*var);
        }
        let Some(binding) = self.type_binding(name) else {
            self.unknown_type(name);
            return Type::Error;
        };
        if binding.params.len() != args.len() {
            self.wrong_type_arity(name, binding.params.len(), args.len(), span);
            return Type::Error;
        }
        let args: Vec<TypeArg> =
            binding.params.iter().zip(args).map(|(p, a)| self.type_arg(*p, binding.lifted, a)).collect();
        let ty = Subst::of(&binding.params, &args).apply(&binding.body);
        self.own_existentials(&ty)
    }

    /// Every use of an abbreviation such as `type~ t = ?[n].[n]i32` has sizes of its own.
    fn own_existentials(&mut self, ty: &Type) -> Type {
        let bound: Vec<typed::LocalId> = self.locals.iter().map(|l| l.id).collect();
        crate::instantiate::rename_unbound(&mut self.program, ty, &|l| bound.contains(&l))
    }

    fn type_arg(&mut self, param: TypeParam, lifted: Lifted, arg: &ArgExp) -> TypeArg {
        match (param, arg) {
            (TypeParam::Type(var), ArgExp::Type(exp)) => {
                let (ty, _) = self.type_exp(exp);
                if self.lifted(var) != Lifted::Functions
                    && lifted != Lifted::Functions
                    && let Err(why) = self.want_first_order(&ty, "this type parameter cannot be a function type")
                {
                    self.bad_kind(exp.span, &why);
                }
                TypeArg::Type(ty)
            }
            // One unknown size, wherever the abbreviation mentions its parameter.
            (TypeParam::Size(_), ArgExp::Size(DimExp { kind: DimExpKind::Any, span })) => {
                TypeArg::Size(Size::Local(self.new_local(Name::new("n"), *span)))
            }
            (TypeParam::Size(_), ArgExp::Size(dim)) => match self.dim_exp(dim) {
                Dim::Size(size) => TypeArg::Size(size),
                Dim::Jagged(_) | Dim::Shape(_) => {
                    self.wrong_type_argument(dim.span, "a size such as `[n]`");
                    TypeArg::Size(Size::Unknown)
                }
            },
            (TypeParam::Jagged(_), ArgExp::Size(dim)) => match self.dim_exp(dim) {
                Dim::Shape(_) => {
                    self.wrong_type_argument(dim.span, "row lengths such as `[~k]` or `[n]`");
                    TypeArg::Jagged(Dim::Jagged(None))
                }
                dim @ (Dim::Size(_) | Dim::Jagged(_)) => TypeArg::Jagged(dim),
            },
            (TypeParam::Shape(_), ArgExp::Size(dim)) => TypeArg::Shape(vec![self.dim_exp(dim)]),
            (TypeParam::Type(_), ArgExp::Size(dim)) => {
                self.wrong_type_argument(dim.span, "a type");
                TypeArg::Type(Type::Error)
            }
            (TypeParam::Size(_) | TypeParam::Jagged(_) | TypeParam::Shape(_), ArgExp::Type(exp)) => {
                self.wrong_type_argument(exp.span, "a size such as `[n]`");
                TypeArg::Size(Size::Unknown)
            }
        }
    }

    fn type_binding(&self, name: &QualName) -> Option<TypeBinding> {
        match name.quals.split_first() {
            None => self.env.find(|n| n.types.get(&name.name.name).cloned()),
            Some((first, rest)) => {
                let mut module = self.env.module(first.name)?;
                for qual in rest {
                    let Module::Plain(names) = module else { return None };
                    module = names.modules.get(&qual.name)?.clone();
                }
                let Module::Plain(names) = module else { return None };
                names.types.get(&name.name.name).cloned()
            }
        }
    }

    /// The diet of a type as written, from the `*`s in it.
    pub(crate) fn type_diet(&self, exp: &TypeExp) -> Diet {
        match &exp.kind {
            TypeExpKind::Unique(_) => Diet::Consume,
            TypeExpKind::Parens(inner) | TypeExpKind::Apply(inner, _) => self.type_diet(inner),
            TypeExpKind::Var(name) => self.type_binding(name).map_or(Diet::Observe, |b| b.diet),
            TypeExpKind::Tuple(items) => diet_of_fields(items.iter().map(|t| self.type_diet(t)).collect()),
            TypeExpKind::Record(fields) => {
                let mut diets: Vec<(Name, Diet)> = fields.iter().map(|(n, t)| (n.name, self.type_diet(t))).collect();
                diets.sort_by(|a, b| typed::field_order(a.0, b.0));
                diet_of_fields(diets.into_iter().map(|d| d.1).collect())
            }
            TypeExpKind::Sum(_)
            | TypeExpKind::Array(..)
            | TypeExpKind::Fun { .. }
            | TypeExpKind::Exists(..)
            | TypeExpKind::Error => Diet::Observe,
        }
    }

    /// In Futhark an array holds no values of a type declared with `type~` or `type^`.
    fn check_lifted_elem(&mut self, elem: &TypeExp) {
        let name = match &elem.kind {
            TypeExpKind::Var(name) => name,
            TypeExpKind::Apply(head, _) => match &head.kind {
                TypeExpKind::Var(name) => name,
                _ => return,
            },
            TypeExpKind::Parens(inner) => return self.check_lifted_elem(inner),
            _ => return,
        };
        if !self.is_type_variable(name) && self.type_binding(name).is_some_and(|b| b.lifted != Lifted::No) {
            self.lifted_element_type(name);
        }
    }

    /// What may stand below an array dimension.
    fn check_array_elem(&mut self, elem: &Type, dim: &Dim, span: Span) {
        if let Err(why) = self.want_first_order(elem, "arrays cannot contain functions") {
            self.bad_kind(span, &why);
        }
        if let (Dim::Shape(_), Type::Array(..)) = (dim, elem)
            && has_shape(elem)
        {
            self.two_shapes(span);
        }
    }
}

fn has_shape(ty: &Type) -> bool {
    match ty {
        Type::Array(Dim::Shape(_), _) => true,
        Type::Array(_, elem) => has_shape(elem),
        _ => false,
    }
}

/// One diet for all fields if they agree.
pub(crate) fn diet_of_fields(diets: Vec<Diet>) -> Diet {
    if diets.iter().all(|d| *d == Diet::Observe) {
        return Diet::Observe;
    }
    Diet::Fields(diets)
}
