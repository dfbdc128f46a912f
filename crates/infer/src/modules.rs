//! Declarations and modules: modules are evaluated to namespaces, parametric ones by checking their body anew for
//! each argument, so that nothing of them is left in the checked program.

mod ascribe;

use crate::Checker;
use crate::scope::{Functor, FunctorBody, Module, ModuleType, Namespace, TypeBinding};
use base::{Map, Name, Span, bug};
use std::rc::Rc;
use syntax::ast::{Dec, DecKind, Ident, ModExp, ModExpKind, ModParam, ModTypeExp, QualName, SpecKind, TypeDec};
use typed::DefId;

impl Checker<'_> {
    /// Evaluates declarations into the top namespace; returns what they export (all that is not `local`).
    pub(crate) fn decs(&mut self, decs: &[Dec]) -> Namespace {
        let mut exported = Namespace::default();
        let mut seen: Map<(u8, Name), Span> = Map::default();
        let mut index = 0;
        while index < decs.len() {
            let group = self.rec_group(&decs[index..]);
            let mut names = Namespace::default();
            if group > 1 {
                self.rec_defs(&decs[index..index + group], &mut names);
            } else {
                self.dec(&decs[index], &mut names);
            }
            for dec in &decs[index..index + group.max(1)] {
                self.note_duplicates(dec, &mut seen);
            }
            self.env.top().open(&names);
            // A plain `import` is for this file alone; `open import` passes the names on.
            if !decs[index].local && !matches!(decs[index].kind, DecKind::Import { .. }) {
                exported.open(&names);
            }
            index += group.max(1);
        }
        exported
    }

    /// How many neighbouring `def rec` stand here.
    fn rec_group(&self, decs: &[Dec]) -> usize {
        decs.iter().take_while(|d| matches!(&d.kind, DecKind::Value(v) if v.rec)).count()
    }

    fn rec_defs(&mut self, decs: &[Dec], names: &mut Namespace) {
        let values: Vec<_> = decs
            .iter()
            .filter_map(|d| match &d.kind {
                DecKind::Value(v) => Some((v, d.doc.clone())),
                _ => None,
            })
            .collect();
        for ((value, _), def) in values.iter().zip(self.value_defs(&values)) {
            names.values.insert(value.name.name, def);
        }
    }

    fn dec(&mut self, dec: &Dec, names: &mut Namespace) {
        match &dec.kind {
            DecKind::Error => {}
            DecKind::Value(value) => {
                if let Some(def) = self.value_defs(&[(value, dec.doc.clone())]).first() {
                    names.values.insert(value.name.name, *def);
                }
            }
            DecKind::Type(ty) => {
                if let Some(binding) = self.type_dec(ty) {
                    names.types.insert(ty.name.name, binding);
                }
            }
            DecKind::ModuleType { name, body } => {
                self.check_module_type(body);
                let module_type = ModuleType { exp: body.clone(), env: self.env.clone() };
                names.module_types.insert(name.name, Rc::new(module_type));
            }
            DecKind::Module { name, params, ascription, body } => {
                self.path.push(name.name);
                let module = self.module_dec(params, ascription.as_ref(), body);
                self.path.pop();
                if let Some(module) = module {
                    names.modules.insert(name.name, module);
                }
            }
            DecKind::Open(exp) => match self.module_exp(exp) {
                Some(Module::Plain(opened)) => names.open(&opened),
                Some(Module::Parametric(_)) => self.parametric_where_plain(exp.span),
                None => {}
            },
            DecKind::Import { path, span } => {
                if let Some(opened) = self.import(path, *span) {
                    names.open(&opened);
                }
            }
        }
    }

    fn note_duplicates(&mut self, dec: &Dec, seen: &mut Map<(u8, Name), Span>) {
        let (space, ident) = match &dec.kind {
            DecKind::Value(v) => (0, v.name),
            DecKind::Type(t) => (1, t.name),
            DecKind::ModuleType { name, .. } => (2, *name),
            DecKind::Module { name, .. } => (3, *name),
            DecKind::Open(_) | DecKind::Import { .. } | DecKind::Error => return,
        };
        if let Some(earlier) = seen.insert((space, ident.name), ident.span)
            && !(self.in_std())
        {
            self.declared_twice(ident, earlier);
        }
    }

    fn import(&mut self, path: &str, span: Span) -> Option<Rc<Namespace>> {
        let found = self.units[self.current].imports.get(path).and_then(|i| self.exports[*i].clone());
        // The loader has reported files that could not be found.
        let _ = span;
        found
    }

    pub(crate) fn type_dec(&mut self, dec: &TypeDec) -> Option<TypeBinding> {
        let body = dec.body.as_ref()?;
        self.scoped(|checker| {
            let params = checker.bind_type_params(&dec.params);
            let (ty, diet) = checker.type_exp(body);
            checker.check_type_dec(dec, &params, &ty, body);
            Some(TypeBinding { params, body: ty, diet, lifted: dec.lifted })
        })
    }

    fn module_dec(&mut self, params: &[ModParam], ascription: Option<&ModTypeExp>, body: &ModExp) -> Option<Module> {
        let Some((first, rest)) = params.split_first() else {
            let module = self.module_exp(body)?;
            return match ascription {
                None => Some(module),
                Some(ty) => self.ascribe(module, ty, body.span),
            };
        };
        let functor_body = if rest.is_empty() {
            FunctorBody::Module(ascription.cloned(), body.clone())
        } else {
            FunctorBody::Params(rest.to_vec(), ascription.cloned(), body.clone())
        };
        Some(self.functor(first, functor_body))
    }

    fn functor(&mut self, param: &ModParam, body: FunctorBody) -> Module {
        let functor = Functor {
            param: param.name,
            param_type: param.ty.clone(),
            body,
            env: self.env.clone(),
            dialect: self.dialect,
        };
        // Checked with a parameter of which only the type is known, so that mistakes are found without a use. The standard
        // library's numeric modules are meant for primitive types only and are checked when they are used.
        if !self.in_std() {
            let outer = self.program.main_defs.len();
            if let Some(argument) = self.skeleton(&param.ty) {
                self.instantiate_functor(&functor, Module::Plain(Rc::new(argument)));
            }
            self.program.main_defs.truncate(outer);
        }
        Module::Parametric(Rc::new(functor))
    }

    fn instantiate_functor(&mut self, functor: &Functor, argument: Module) -> Option<Module> {
        let mut env = functor.env.clone();
        let mut frame = Namespace::default();
        frame.modules.insert(functor.param.name, argument);
        env.frames.push(Rc::new(frame));
        let dialect = std::mem::replace(&mut self.dialect, functor.dialect);
        let module = self.with_env(env, |checker| match &functor.body {
            FunctorBody::Module(ascription, body) => checker.module_dec(&[], ascription.as_ref(), body),
            FunctorBody::Params(params, ascription, body) => checker.module_dec(params, ascription.as_ref(), body),
        });
        self.dialect = dialect;
        module
    }

    pub(crate) fn module_exp(&mut self, exp: &ModExp) -> Option<Module> {
        match &exp.kind {
            ModExpKind::Error => None,
            ModExpKind::Parens(inner) => self.module_exp(inner),
            ModExpKind::Var(name) => self.module_named(name),
            ModExpKind::Decs(decs) => {
                self.env.frames.push(Rc::default());
                let names = self.decs(decs);
                self.env.frames.pop();
                Some(Module::Plain(Rc::new(names)))
            }
            ModExpKind::Import(path) => self.import(path, exp.span).map(Module::Plain),
            ModExpKind::Ascribe(inner, ty) => {
                let module = self.module_exp(inner)?;
                self.ascribe(module, ty, exp.span)
            }
            ModExpKind::Lambda(param, ascription, body) => {
                Some(self.functor(param, FunctorBody::Module(ascription.clone(), (**body).clone())))
            }
            ModExpKind::Apply(fun, arg) => {
                let fun_module = self.module_exp(fun)?;
                let argument = self.module_exp(arg)?;
                let Module::Parametric(functor) = fun_module else {
                    self.plain_where_parametric(fun.span);
                    return None;
                };
                // The argument's types stay known in the body, which is checked for this very argument.
                let argument =
                    self.with_env(functor.env.clone(), |c| c.fits(argument, &functor.param_type, arg.span))?;
                self.instantiate_functor(&functor, argument)
            }
        }
    }

    pub(crate) fn module_named(&mut self, name: &QualName) -> Option<Module> {
        let mut parts = name.quals.iter().chain([&name.name]);
        let first = parts.next()?;
        let Some(mut module) = self.env.module(first.name) else {
            self.unknown_module(first);
            return None;
        };
        for part in parts {
            let found = match &module {
                Module::Plain(names) => names.modules.get(&part.name).cloned(),
                Module::Parametric(_) => None,
            };
            let Some(inner) = found else {
                self.unknown_module(part);
                return None;
            };
            module = inner;
        }
        Some(module)
    }

    /// `std/intrinsics.rv`: every `val` becomes a definition that the implementation provides.
    pub(crate) fn intrinsics(&mut self, decs: &[Dec]) -> Namespace {
        let mut inner = Namespace::default();
        for dec in decs {
            let DecKind::ModuleType { body, .. } = &dec.kind else { continue };
            let syntax::ast::ModTypeExpKind::Specs(specs) = &body.kind else { continue };
            for spec in specs {
                if let SpecKind::Value { name, type_params, ty } = &spec.kind {
                    let Some(op) = typed::Intrinsic::from_name(name.name.as_str()) else {
                        bug!("`{}` of std/intrinsics.rv is not in typed::Intrinsic", name.name);
                    };
                    let body = typed::Body::Intrinsic(op);
                    let def = self.specified_value(name, type_params, ty, body, spec.doc.clone());
                    let slot = &mut self.program.defs[def];
                    (slot.params, slot.ret) = params_of(slot.ret.clone(), name.span);
                    inner.values.insert(name.name, def);
                }
            }
        }
        let mut names = Namespace::default();
        names.modules.insert(Name::new("intrinsics"), Module::Plain(Rc::new(inner)));
        names
    }

    /// A definition whose type is given by a specification rather than by an expression.
    pub(crate) fn specified_value(
        &mut self,
        name: &Ident,
        type_params: &[syntax::ast::TypeParam],
        ty: &syntax::ast::TypeExp,
        body: typed::Body,
        doc: Option<String>,
    ) -> DefId {
        self.scoped(|checker| {
            let type_params = checker.bind_type_params(type_params);
            let ret = checker.ret_type(ty);
            let def = typed::Def {
                name: checker.qualified(name.name),
                span: name.span,
                doc,
                entry: false,
                type_params,
                params: Vec::new(),
                ret,
                ret_written: true,
                body,
            };
            checker.program.defs.push(def)
        })
    }
}

/// The parameters of something whose type is written as one function type, and its result.
fn params_of(mut ret: typed::Ret, span: Span) -> (Vec<typed::Param>, typed::Ret) {
    let mut params = Vec::new();
    while let typed::Type::Fun(fun) = &ret.ty {
        let typed::FunType { name, param, diet, ret: rest } = (**fun).clone();
        let kind = name.map_or(typed::PatKind::Wildcard, typed::PatKind::Bind);
        params.push(typed::Param { pat: typed::Pat { kind, ty: param, span }, diet });
        ret = rest;
    }
    (params, ret)
}
