//! What names mean: namespaces of files and modules, and the locals of the definition being checked.

use base::{Map, Name, Span};
use std::rc::Rc;
use syntax::ast::{self, Lifted};
use typed::{DefId, Diet, LocalId, Type, TypeParam};

/// The names of a module or file.
#[derive(Clone, Default, Debug)]
pub(crate) struct Namespace {
    pub values: Map<Name, DefId>,
    pub types: Map<Name, TypeBinding>,
    pub modules: Map<Name, Module>,
    pub module_types: Map<Name, Rc<ModuleType>>,
}

impl Namespace {
    /// Adds all names of another, which win over the ones here.
    pub(crate) fn open(&mut self, other: &Namespace) {
        self.values.extend(other.values.iter().map(|(k, v)| (*k, *v)));
        self.types.extend(other.types.iter().map(|(k, v)| (*k, v.clone())));
        self.modules.extend(other.modules.iter().map(|(k, v)| (*k, v.clone())));
        self.module_types.extend(other.module_types.iter().map(|(k, v)| (*k, v.clone())));
    }
}

/// What a type's name refers to.
#[derive(Clone, Debug)]
pub(crate) struct TypeBinding {
    pub params: Vec<TypeParam>,
    pub body: Type,
    /// Its diet, as `*` in it says.
    pub diet: Diet,
    pub lifted: Lifted,
}

/// A module.
#[derive(Clone, Debug)]
pub(crate) enum Module {
    /// One with members.
    Plain(Rc<Namespace>),
    /// A parametric one.
    Parametric(Rc<Functor>),
}

/// A parametric module: instantiated by checking its body again with the argument in scope.
#[derive(Debug)]
pub(crate) struct Functor {
    pub param: ast::Ident,
    pub param_type: ast::ModTypeExp,
    pub body: FunctorBody,
    pub env: Env,
    pub dialect: ast::Dialect,
}

/// What a parametric module gives once it has its argument.
#[derive(Clone, Debug)]
pub(crate) enum FunctorBody {
    /// More parameters.
    Params(Vec<ast::ModParam>, Option<ast::ModTypeExp>, ast::ModExp),
    /// A module.
    Module(Option<ast::ModTypeExp>, ast::ModExp),
}

/// A module type with the names it was written among.
#[derive(Debug)]
pub(crate) struct ModuleType {
    pub exp: ast::ModTypeExp,
    pub env: Env,
}

/// Namespaces, innermost last. Cloning is cheap.
#[derive(Clone, Default, Debug)]
pub(crate) struct Env {
    pub frames: Vec<Rc<Namespace>>,
}

impl Env {
    /// The innermost namespace, to be extended.
    pub(crate) fn top(&mut self) -> &mut Namespace {
        if self.frames.is_empty() {
            self.frames.push(Rc::default());
        }
        let last = self.frames.len() - 1;
        Rc::make_mut(&mut self.frames[last])
    }

    pub(crate) fn find<T>(&self, get: impl Fn(&Namespace) -> Option<T>) -> Option<T> {
        self.frames.iter().rev().find_map(|f| get(f))
    }

    pub(crate) fn value(&self, name: Name) -> Option<DefId> {
        self.find(|n| n.values.get(&name).copied())
    }

    pub(crate) fn module(&self, name: Name) -> Option<Module> {
        self.find(|n| n.modules.get(&name).cloned())
    }
}

/// A local in scope.
#[derive(Clone, Debug)]
pub(crate) struct LocalVar {
    pub name: Name,
    pub id: LocalId,
    pub type_params: Vec<TypeParam>,
    pub ty: Type,
}

/// A name that a clause binds, for messages about its use in another clause.
pub(crate) struct ClauseName {
    pub name: Name,
    /// The `for` or `let`.
    pub qualifier: Span,
    /// Whether it is seen from `else`.
    pub in_else: bool,
    pub reported: bool,
}
