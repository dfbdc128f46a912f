//! Module types: holding a module against one, hiding what it hides, and the skeleton of a module of which only the
//! type is known.

use crate::Checker;
use crate::scope::{Module, Namespace, TypeBinding};
use base::{Diagnostic, Name, Span};
use std::rc::Rc;
use syntax::ast::{
    DimExpKind, Ident, Lifted, ModTypeExp, ModTypeExpKind, QualName, Spec, SpecKind, TypeDec, TypeExp, TypeExpKind,
    TypeParam, TypeParamKind,
};
use typed::{Abstract, Body, DefId, Expr, ExprKind, Type, TypeArg};

/// `with` refinements: path of the type and what it is.
type Refinements = Vec<(Vec<Name>, TypeBinding)>;

/// How a module type specifies a type.
enum Specified {
    /// As abstract, with these parameters.
    Abstract(Vec<TypeParamKind>),
    /// As something known.
    Known,
    /// In text that could not be parsed.
    Broken,
}

/// What is checked against a module type.
#[derive(Clone)]
enum Against {
    /// A module, whose abstract types become new ones.
    Opaque(Rc<Namespace>),
    /// A module, whose abstract types stay what they are.
    Transparent(Rc<Namespace>),
    /// Nothing: make up what is specified.
    Nothing,
}

impl Against {
    fn submodule(&self, name: Name) -> Option<Against> {
        let find = |names: &Namespace| match names.modules.get(&name) {
            Some(Module::Plain(inner)) => Some(inner.clone()),
            Some(Module::Parametric(_)) | None => None,
        };
        match self {
            Against::Opaque(names) => find(names).map(Against::Opaque),
            Against::Transparent(names) => find(names).map(Against::Transparent),
            Against::Nothing => Some(Against::Nothing),
        }
    }

    fn names(&self) -> Option<&Rc<Namespace>> {
        match self {
            Against::Opaque(names) | Against::Transparent(names) => Some(names),
            Against::Nothing => None,
        }
    }
}

impl Checker<'_> {
    /// `module : ty`: only what the type lists is visible, and abstract types are new ones.
    pub(crate) fn ascribe(&mut self, module: Module, ty: &ModTypeExp, span: Span) -> Option<Module> {
        match module {
            Module::Plain(names) => self.against(&Against::Opaque(names), ty, span).map(|n| Module::Plain(Rc::new(n))),
            // A parametric module is checked against its type when it is applied.
            Module::Parametric(_) => Some(module),
        }
    }

    /// Whether a module fits a parameter's type; its types stay known.
    pub(crate) fn fits(&mut self, module: Module, ty: &ModTypeExp, span: Span) -> Option<Module> {
        match module {
            Module::Plain(names) => {
                let fitted = self.against(&Against::Transparent(names), ty, span)?;
                Some(Module::Plain(Rc::new(fitted)))
            }
            Module::Parametric(_) => Some(module),
        }
    }

    /// A module with just what its type says.
    pub(crate) fn skeleton(&mut self, ty: &ModTypeExp) -> Option<Namespace> {
        self.against(&Against::Nothing, ty, ty.span)
    }

    /// Reports what is wrong with a module type by itself.
    pub(crate) fn check_module_type(&mut self, ty: &ModTypeExp) {
        if !self.in_std() {
            self.skeleton(ty);
        }
    }

    fn against(&mut self, module: &Against, ty: &ModTypeExp, span: Span) -> Option<Namespace> {
        self.held(module, ty, &Vec::new(), span)
    }

    fn held(&mut self, module: &Against, ty: &ModTypeExp, with: &Refinements, span: Span) -> Option<Namespace> {
        match &ty.kind {
            ModTypeExpKind::Error => None,
            ModTypeExpKind::Parens(inner) => self.held(module, inner, with, span),
            ModTypeExpKind::Arrow(..) => {
                if module.names().is_some() {
                    self.plain_where_parametric(span);
                }
                None
            }
            ModTypeExpKind::Var(name) => {
                let module_type = self.module_type_named(name)?;
                self.with_env(module_type.env.clone(), |checker| checker.held(module, &module_type.exp, with, span))
            }
            ModTypeExpKind::With { base, name, params, ty } => {
                let dec = TypeDec {
                    lifted: Lifted::Functions,
                    name: name.name,
                    params: params.clone(),
                    body: Some(ty.clone()),
                };
                let binding = TypeBinding { lifted: Lifted::No, ..self.type_dec(&dec)? };
                let path: Vec<Name> = name.quals.iter().chain([&name.name]).map(|p| p.name).collect();
                self.check_refinement(base, name, params);
                let mut with = with.clone();
                with.push((path, binding));
                self.held(module, base, &with, span)
            }
            ModTypeExpKind::Specs(specs) => {
                self.env.frames.push(Rc::default());
                let mut names = Namespace::default();
                for spec in specs {
                    self.spec(module, spec, with, span, &mut names);
                }
                self.env.frames.pop();
                Some(names)
            }
        }
    }

    fn module_type_named(&mut self, name: &QualName) -> Option<Rc<crate::scope::ModuleType>> {
        let found = if name.quals.is_empty() {
            self.env.find(|n| n.module_types.get(&name.name.name).cloned())
        } else {
            let mut path = name.clone();
            path.name = path.quals.pop()?;
            match self.module_named(&path)? {
                Module::Plain(names) => names.module_types.get(&name.name.name).cloned(),
                Module::Parametric(_) => None,
            }
        };
        if found.is_none() {
            self.unknown_module_type(name);
        }
        found
    }

    /// `with` may only refine an abstract type that is there.
    fn check_refinement(&mut self, base: &ModTypeExp, name: &QualName, params: &[TypeParam]) {
        let [] = &name.quals[..] else { return };
        match self.spec_of_type(base, name.name.name) {
            Some(Specified::Abstract(specified)) => {
                let fits = |(s, p): (&TypeParamKind, &TypeParam)| match (s, p.kind) {
                    (TypeParamKind::Type(s), TypeParamKind::Type(p)) => p >= *s,
                    (s, p) => *s == p,
                };
                if specified.len() != params.len() || !specified.iter().zip(params).all(fits) {
                    self.refine_known_type(name);
                }
            }
            Some(Specified::Known) => self.refine_known_type(name),
            Some(Specified::Broken) => {}
            None => self.unknown_type(name),
        }
    }

    /// Whether a module type specifies a type of this name, and whether as abstract.
    fn spec_of_type(&mut self, ty: &ModTypeExp, name: Name) -> Option<Specified> {
        match &ty.kind {
            ModTypeExpKind::Error => Some(Specified::Broken),
            ModTypeExpKind::Arrow(..) => None,
            ModTypeExpKind::Parens(inner) => self.spec_of_type(inner, name),
            ModTypeExpKind::With { base, name: refined, .. } => {
                let found = self.spec_of_type(base, name);
                if refined.quals.is_empty() && refined.name.name == name {
                    found.map(|_| Specified::Known)
                } else {
                    found
                }
            }
            ModTypeExpKind::Var(var) => {
                let module_type = self.module_type_named(var)?;
                self.with_env(module_type.env.clone(), |checker| checker.spec_of_type(&module_type.exp, name))
            }
            ModTypeExpKind::Specs(specs) => specs.iter().find_map(|s| match &s.kind {
                SpecKind::Type(dec) if dec.name.name == name => Some(match dec.body {
                    None => Specified::Abstract(dec.params.iter().map(|p| p.kind).collect()),
                    Some(_) => Specified::Known,
                }),
                SpecKind::Include(inner) => self.spec_of_type(inner, name),
                SpecKind::Type(_) | SpecKind::Value { .. } | SpecKind::Module(..) | SpecKind::Error => None,
            }),
        }
    }

    fn spec(&mut self, module: &Against, spec: &Spec, with: &Refinements, span: Span, names: &mut Namespace) {
        match &spec.kind {
            SpecKind::Error => {}
            SpecKind::Type(dec) => {
                if names.types.contains_key(&dec.name.name) {
                    self.duplicate("type", dec.name);
                }
                if let Some(binding) = self.type_spec(module, dec, with, span) {
                    self.env.top().types.insert(dec.name.name, binding.clone());
                    names.types.insert(dec.name.name, binding);
                }
            }
            SpecKind::Value { name, type_params, ty } => {
                if names.values.contains_key(&name.name) {
                    self.duplicate("value", *name);
                }
                self.check_spec_type(ty);
                let specified = self.specified_value(name, type_params, ty, Body::Specified, spec.doc.clone());
                if let Some(def) = self.value_spec(module, name, specified, span) {
                    self.env.top().values.insert(name.name, def);
                    names.values.insert(name.name, def);
                }
            }
            SpecKind::Module(name, ty) => {
                let Some(inner) = module.submodule(name.name) else {
                    self.missing_member("module", name, span);
                    return;
                };
                let below: Refinements = with
                    .iter()
                    .filter(|(path, _)| path.len() > 1 && path[0] == name.name)
                    .map(|(path, b)| (path[1..].to_vec(), b.clone()))
                    .collect();
                if let Some(inner) = self.held(&inner, ty, &below, span) {
                    let inner = Module::Plain(Rc::new(inner));
                    self.env.top().modules.insert(name.name, inner.clone());
                    names.modules.insert(name.name, inner);
                }
            }
            SpecKind::Include(ty) => {
                if let Some(included) = self.held(module, ty, with, span) {
                    self.env.top().open(&included);
                    names.open(&included);
                }
            }
        }
    }

    /// Parameters in a specified type: sizes have names, and no name stands twice.
    fn check_spec_type(&mut self, ty: &TypeExp) {
        let mut names: Vec<Ident> = Vec::new();
        let mut ty = ty;
        while let TypeExpKind::Fun { param_name, param, ret } = &ty.kind {
            if let Some(name) = param_name {
                if let Some(earlier) = names.iter().find(|n| n.name == name.name) {
                    let earlier = earlier.span;
                    self.bound_twice(*name, earlier);
                }
                names.push(*name);
            }
            if let TypeExpKind::Array(dim, _) = &param.kind
                && matches!(dim.kind, DimExpKind::Any)
                && !self.in_std()
            {
                self.anonymous_size_in_spec(dim.span);
            }
            ty = ret;
        }
    }

    fn type_spec(&mut self, module: &Against, dec: &TypeDec, with: &Refinements, span: Span) -> Option<TypeBinding> {
        let actual = match module.names() {
            None => None,
            Some(names) => match names.types.get(&dec.name.name) {
                Some(binding) => Some(binding.clone()),
                None => {
                    self.missing_member("type", &dec.name, span);
                    return None;
                }
            },
        };
        let refined = with.iter().find(|(path, _)| path[..] == [dec.name.name]).map(|(_, b)| b.clone());
        let specified = match (&dec.body, refined) {
            // `with` says what the type is; how far it is lifted, the specification says.
            (_, Some(binding)) => Some(TypeBinding { lifted: dec.lifted, ..binding }),
            (Some(_), None) => self.type_dec(dec),
            (None, None) => None,
        };
        if let Some(actual) = &actual {
            self.compare_types(dec, actual, specified.as_ref(), span);
        }
        match (specified, actual, module) {
            (Some(binding), _, _) => Some(binding),
            (None, Some(actual), Against::Transparent(_)) => Some(actual),
            (None, actual, _) => Some(self.new_abstract(dec, actual)),
        }
    }

    fn compare_types(&mut self, dec: &TypeDec, actual: &TypeBinding, specified: Option<&TypeBinding>, span: Span) {
        let params = specified.map_or(dec.params.len(), |s| s.params.len());
        if params != actual.params.len() {
            self.member_type_differs(&dec.name, span, "it has another number of parameters");
            return;
        }
        if actual.lifted > dec.lifted && specified.is_none() {
            self.member_type_differs(&dec.name, span, "it is lifted, and the module type says that it is not");
        }
        let Some(specified) = specified else { return };
        let args: Vec<TypeArg> = specified.params.iter().map(own_arg).collect();
        let actual_body = typed::subst::Subst::of(&actual.params, &args).apply(&actual.body);
        self.transparent = true;
        let unified = self.unify(&specified.body, &actual_body);
        self.transparent = false;
        if unified.is_err() {
            let (want, have) = (self.show(&specified.body), self.show(&actual_body));
            let why = format!("the module type says `type {} = {want}`, the module has `{have}`", dec.name.name);
            self.member_type_differs(&dec.name, span, &why);
        }
    }

    fn new_abstract(&mut self, dec: &TypeDec, actual: Option<TypeBinding>) -> TypeBinding {
        let (params, repr) = match actual {
            Some(actual) => (actual.params, actual.body),
            None => (self.scoped(|c| c.bind_type_params(&dec.params)), Type::Error),
        };
        if let Some(size) = typed::walk::hidden_parameter(&params, &repr)
            && !matches!(repr, Type::Error)
        {
            let size = self.program.locals[size].name;
            let title =
                format!("the size `{size}` cannot be read from values of the abstract type `{}`", dec.name.name);
            self.report(
                Diagnostic::error("E0316", title, dec.name.span, format!("`[{size}]` is not used constructively"))
                    .note("a size parameter of an abstract type must be the size of an array in its definition")
                    .help(format!("remove `[{size}]`, or put an array of that size into the type")),
            );
        }
        let name = self.qualified(dec.name.name);
        let id = self.program.abstracts.push(Abstract { name, params: params.clone(), repr });
        self.abstract_lifted.insert(id, dec.lifted);
        let args: Vec<TypeArg> = params.iter().map(own_arg).collect();
        TypeBinding { params, body: Type::Abstract(id, args.into()), diet: typed::Diet::Observe, lifted: dec.lifted }
    }

    /// Holds a member against its specification; gives the definition that users of the module see.
    fn value_spec(&mut self, module: &Against, name: &Ident, specified: DefId, span: Span) -> Option<DefId> {
        let Some(names) = module.names() else { return Some(specified) };
        let Some(actual) = names.values.get(&name.name).copied() else {
            self.missing_member("value", name, span);
            return None;
        };
        let (params, ty) = (self.program.defs[actual].type_params.clone(), self.program.defs[actual].ty());
        let (ty, args) = self.instantiate(&params, &ty, name.span);
        let wanted = crate::instantiate::erase_sizes(&self.program.defs[specified].ret.ty);
        self.transparent = true;
        let unified = self.unify(&wanted, &ty);
        self.transparent = false;
        if unified.is_err() {
            let have = self.program.defs[actual].ty();
            let (want, have) = (self.show(&self.program.defs[specified].ret.ty.clone()), self.show(&have));
            let why = format!("the module type says `val {} : {want}`, the module has `{have}`", name.name);
            self.member_type_differs(name, span, &why);
            return None;
        }
        let mut member = Expr::new(ExprKind::Global(actual, args), ty, span);
        self.zonk_expr(&mut member);
        self.program.defs[specified].body = Body::Expr(member);
        self.later_passes(&[specified]);
        match module {
            Against::Opaque(_) => Some(specified),
            Against::Transparent(_) | Against::Nothing => Some(actual),
        }
    }
}

/// A parameter as its own argument.
fn own_arg(param: &typed::TypeParam) -> TypeArg {
    use typed::{Dim, Shape, Size};
    match param {
        typed::TypeParam::Type(v) => TypeArg::Type(Type::Var(*v)),
        typed::TypeParam::Size(n) => TypeArg::Size(Size::Local(*n)),
        typed::TypeParam::Jagged(k) => TypeArg::Jagged(Dim::Jagged(Some(*k))),
        typed::TypeParam::Shape(s) => TypeArg::Shape(vec![Dim::Shape(Shape::Local(*s))]),
    }
}
