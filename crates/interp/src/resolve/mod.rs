//! Checked program to code: every variable gets a slot, every lambda a list of captured variables.

mod clauses;
mod expr;
mod scalars;
mod static_types;
mod types;

pub(crate) use static_types::static_type;

use crate::code::{BodyCode, Code, Matcher, ParamCode, PatCode, Read, Slot, TypeCode, Unseen};
use crate::last_use;
use base::{Map, Name, Span, bug};
use typed::{Body, DefId, Intrinsic, Lambda, LocalId, Param, Pat, PatKind, Program, Ret, Type, TypeParam, TypeVarId};

/// Something that lives in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Var {
    Local(LocalId),
    Type(TypeVarId),
}

/// The function being resolved.
#[derive(Default)]
struct Scope {
    slots: Map<Var, Slot>,
    next: Slot,
    /// Captured variables: where each is read outside, and its slot here.
    captures: Vec<(Slot, Slot)>,
}

impl Scope {
    fn fresh(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    fn declare(&mut self, var: Var) -> Slot {
        if let Some(slot) = self.slots.get(&var) {
            return *slot;
        }
        let slot = self.fresh();
        self.slots.insert(var, slot);
        slot
    }
}

/// Resolves one definition and everything inside it.
struct Resolver<'p> {
    program: &'p Program,
    scopes: Vec<Scope>,
    /// Slots bound by the qualifiers around the current clause.
    env: Vec<Slot>,
    /// For local functions: which of their type parameters the arguments of a call show.
    shown: Map<LocalId, Vec<bool>>,
    /// Sizes, row lengths and shapes that a value may leave open: only constructors mention them.
    open: Map<LocalId, Unseen>,
}

/// The code of a definition.
pub(crate) fn resolve_def(program: &Program, id: DefId) -> Code {
    let def = &program.defs[id];
    let mut resolver =
        Resolver { program, scopes: Vec::new(), env: Vec::new(), shown: Map::default(), open: Map::default() };
    let function = Function {
        name: def.name,
        type_params: &def.type_params,
        params: &def.params,
        ret: def.ret_written.then_some(&def.ret),
        span: def.span,
    };
    match &def.body {
        Body::Expr(body) => resolver.function(&function, |r| {
            let node = r.expr(body);
            BodyCode::Node(node)
        }),
        Body::Intrinsic(op) => resolver.intrinsic(&function, *op, &def.ret.ty),
        Body::Specified => bug!("`{}` is evaluated, which only a module type names", def.name),
    }
    .0
}

/// The parts that definitions, local functions and lambdas have in common.
struct Function<'a> {
    name: Name,
    type_params: &'a [TypeParam],
    params: &'a [Param],
    /// The result type, if it was written.
    ret: Option<&'a Ret>,
    span: Span,
}

impl<'p> Resolver<'p> {
    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn declare(&mut self, local: LocalId) -> Slot {
        self.scope().declare(Var::Local(local))
    }

    /// The slot of a variable of this function or of one around it. What is bound nowhere (a size that no value has
    /// shown yet) gets an empty slot.
    fn slot(&mut self, var: Var) -> Slot {
        let here = self.scopes.len().saturating_sub(1);
        let home = (0..self.scopes.len()).rev().find(|s| self.scopes[*s].slots.contains_key(&var));
        let Some(home) = home else {
            return self.scope().declare(var);
        };
        let mut slot = self.scopes[home].slots[&var];
        for scope in &mut self.scopes[home + 1..=here] {
            let inner = scope.declare(var);
            scope.captures.push((slot, inner));
            slot = inner;
        }
        slot
    }

    fn local(&mut self, local: LocalId) -> Slot {
        self.slot(Var::Local(local))
    }

    /// Resolves a function; also gives what it captures, as reads of the surrounding function.
    fn function(
        &mut self,
        function: &Function<'_>,
        body: impl FnOnce(&mut Resolver<'p>) -> BodyCode,
    ) -> (Code, Vec<Read>) {
        self.scopes.push(Scope::default());
        let outer_env = std::mem::take(&mut self.env);
        for param in function.params {
            match param.pat.name() {
                Some(name) => self.declare(name),
                None => self.scope().fresh(),
            };
        }
        for param in function.type_params {
            match param {
                TypeParam::Size(n) | TypeParam::Jagged(n) | TypeParam::Shape(n) => self.declare(*n),
                TypeParam::Type(t) => self.scope().declare(Var::Type(*t)),
            };
        }
        let types: Vec<&Type> = function.params.iter().map(|p| &p.pat.ty).collect();
        function.type_params.iter().for_each(|param| self.may_stay_open(*param, &types));
        let params: Vec<ParamCode> = function.params.iter().map(|p| self.param(&p.pat)).collect();
        let result = match function.ret {
            Some(ret) => {
                ret.exts.iter().for_each(|local| {
                    self.declare(*local);
                });
                self.matcher(&ret.ty)
            }
            None => Matcher::Nothing,
        };
        let mut body = body(self);
        self.env = outer_env;
        let Some(scope) = self.scopes.pop() else { bug!("a function ends that did not begin") };
        last_use::mark_body(&mut body, scope.next as usize, &result);
        let late_checks = params.iter().any(|p| static_types::has_expression(&p.sizes));
        let code = Code {
            name: function.name,
            params,
            captures: scope.captures.iter().map(|c| c.1).collect(),
            slots: scope.next as usize,
            late_checks,
            result,
            body,
            span: function.span,
        };
        (code, scope.captures.iter().map(|c| Read { slot: c.0, last: false }).collect())
    }

    fn intrinsic(&mut self, function: &Function<'_>, op: Intrinsic, result: &Type) -> (Code, Vec<Read>) {
        let plain = Function { ret: None, ..*function };
        self.function(&plain, |r| {
            let ty: TypeCode = r.type_code(result);
            BodyCode::Intrinsic(op, ty)
        })
    }

    fn lambda(&mut self, name: Name, type_params: &[TypeParam], lambda: &Lambda) -> (Code, Vec<Read>) {
        let function = Function {
            name,
            type_params,
            params: &lambda.params,
            ret: lambda.ret_written.then_some(&lambda.ret),
            span: lambda.body.span,
        };
        self.function(&function, |r| {
            let node = r.expr(&lambda.body);
            BodyCode::Node(node)
        })
    }

    fn param(&mut self, pat: &Pat) -> ParamCode {
        let sizes = self.matcher(&pat.ty);
        let inner = match pat.name() {
            Some(_) => None,
            None => Some(self.pattern(pat)),
        };
        let name = pat.name().map(|local| self.program.locals[local].name);
        ParamCode { pat: inner.filter(|p| !matches!(p, PatCode::Wild)), sizes, name }
    }

    fn pattern(&mut self, pat: &Pat) -> PatCode {
        match &pat.kind {
            PatKind::Wildcard => PatCode::Wild,
            PatKind::Bind(local) => PatCode::Bind(self.declare(*local)),
            PatKind::Literal(x) => PatCode::Literal(*x),
            PatKind::Record(fields) => {
                let places = static_types::field_places(self.program, &pat.ty, fields.iter().map(|f| f.0));
                PatCode::Record(places.into_iter().zip(fields.iter().map(|f| self.pattern(&f.1))).collect())
            }
            PatKind::Constr(name, args) => PatCode::Constr(*name, args.iter().map(|p| self.pattern(p)).collect()),
            PatKind::Ascribe(inner, ty) => {
                let inner = self.pattern(inner);
                self.sized(inner, ty, pat.span)
            }
        }
    }

    /// A pattern that also binds or checks the sizes of a type.
    fn sized(&mut self, pat: PatCode, ty: &Type, span: Span) -> PatCode {
        match self.matcher(ty) {
            Matcher::Nothing => pat,
            sizes => PatCode::Sized(Box::new(pat), sizes, span),
        }
    }
}
