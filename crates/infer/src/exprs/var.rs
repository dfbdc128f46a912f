//! Names in expressions: locals, definitions, members of modules, and fields of any of them.

use crate::Checker;
use crate::scope::Module;
use base::{Name, Span};
use scalar::BinOp;
use syntax::ast::{Ident, QualName};
use typed::{DefId, Expr, ExprKind, Type};

/// What a name refers to.
pub(crate) enum Meaning {
    Value(Expr),
    Operator(BinOp),
    /// Reported already.
    Unknown,
}

impl Checker<'_> {
    pub(crate) fn var(&mut self, name: &QualName) -> Expr {
        let parts: Vec<Ident> = name.quals.iter().chain([&name.name]).copied().collect();
        let (head, rest) = self.resolve_path(&parts);
        let Some(mut expr) = head else { return Expr::new(ExprKind::Error, Type::Error, name.span()) };
        for field in rest {
            expr = self.project(expr, field);
        }
        expr
    }

    /// The value at the head of a path, and the fields after it.
    fn resolve_path<'p>(&mut self, parts: &'p [Ident]) -> (Option<Expr>, &'p [Ident]) {
        let (first, rest) = (&parts[0], &parts[1..]);
        if !self.is_member(parts)
            && let Some(expr) = self.simple_name(first)
        {
            return (Some(expr), rest);
        }
        let Some(mut module) = self.env.module(first.name) else {
            self.unknown_name(first);
            return (None, &[]);
        };
        for (i, part) in rest.iter().enumerate() {
            let Module::Plain(names) = &module else {
                self.parametric_where_plain(part.span);
                return (None, &[]);
            };
            if let Some(def) = names.values.get(&part.name).copied() {
                let expr = self.global(def, parts[0].span.to(part.span));
                return (Some(expr), &rest[i + 1..]);
            }
            let names = names.clone();
            match names.modules.get(&part.name) {
                Some(inner) => module = inner.clone(),
                None => {
                    self.unknown_member(&parts[i], part, &names);
                    return (None, &[]);
                }
            }
        }
        self.module_as_value(first);
        (None, &[])
    }

    /// Whether a path of two or more names leads through modules to a value; a module wins over a value of its name.
    fn is_member(&self, parts: &[Ident]) -> bool {
        let Some((first, rest)) = parts.split_first() else { return false };
        let mut module = self.env.module(first.name);
        for part in rest {
            let Some(Module::Plain(names)) = module else { return false };
            if names.values.contains_key(&part.name) {
                return true;
            }
            module = names.modules.get(&part.name).cloned();
        }
        false
    }

    /// A local or definition of this name, innermost first.
    fn simple_name(&mut self, name: &Ident) -> Option<Expr> {
        let mut end = self.locals.len();
        for i in (0..self.opened.len()).rev() {
            let (start, names) = self.opened[i].clone();
            if let Some(index) = self.locals[start..end].iter().rposition(|l| l.name == name.name) {
                return Some(self.local_var(start + index, name.span));
            }
            if let Some(def) = names.values.get(&name.name) {
                return Some(self.global(*def, name.span));
            }
            end = start;
        }
        if let Some(index) = self.locals[..end].iter().rposition(|l| l.name == name.name) {
            return Some(self.local_var(index, name.span));
        }
        self.env.value(name.name).map(|def| self.global(def, name.span))
    }

    fn local_var(&mut self, index: usize, span: Span) -> Expr {
        let local = self.locals[index].clone();
        if local.name.as_str().starts_with('_') {
            self.underscore_used(local.name, span);
        }
        self.mention_of_recursive(local.id, span);
        if local.type_params.is_empty() {
            return Expr::new(ExprKind::Local(local.id, Vec::new()), local.ty, span);
        }
        let (ty, args) = self.instantiate(&local.type_params, &local.ty, span);
        Expr::new(ExprKind::Local(local.id, args), ty, span)
    }

    pub(crate) fn global(&mut self, def: DefId, span: Span) -> Expr {
        let found = &self.program.defs[def];
        let (params, ty) = (found.type_params.clone(), found.ty());
        if let Some(open) = self.open_defs.iter().find(|o| o.def == def) {
            if !open.polymorphic {
                return Expr::new(ExprKind::Global(def, Vec::new()), open.ty.clone(), span);
            }
            let (params, ty) = (open.type_params.clone(), open.ty.clone());
            let (ty, args) = self.instantiate(&params, &ty, span);
            return Expr::new(ExprKind::Global(def, args), ty, span);
        }
        let (ty, args) = self.instantiate(&params, &ty, span);
        Expr::new(ExprKind::Global(def, args), ty, span)
    }

    /// An operator or backquoted name.
    pub(crate) fn operator(&mut self, name: &QualName) -> Meaning {
        if name.quals.is_empty() {
            if let Some(expr) = self.simple_name(&name.name) {
                return Meaning::Value(expr);
            }
            if let Some(op) = BinOp::from_symbol(name.name.name.as_str()) {
                return Meaning::Operator(op);
            }
            self.unknown_name(&name.name);
            return Meaning::Unknown;
        }
        let expr = self.var(name);
        if matches!(*expr.kind, ExprKind::Error) { Meaning::Unknown } else { Meaning::Value(expr) }
    }

    /// `e.field`.
    pub(crate) fn project(&mut self, expr: Expr, field: &Ident) -> Expr {
        let span = expr.span.to(field.span);
        let ty = match self.metas.shallow(&expr.ty) {
            Type::Error => Type::Error,
            Type::Record(fields) => match fields.iter().find(|f| f.0 == field.name) {
                Some((_, ty)) => ty.clone(),
                None => {
                    self.no_such_field(&expr.ty, field);
                    Type::Error
                }
            },
            Type::Meta(_) => {
                let ty = self.metas.fresh(field.span);
                let record = self.metas.fresh_with(span, |w| w.fields.push((field.name, ty.clone())));
                self.expect(&record, &expr.ty, span, "");
                ty
            }
            _ => {
                self.no_such_field(&expr.ty, field);
                Type::Error
            }
        };
        Expr::new(ExprKind::Project(expr, field.name), ty, span)
    }

    /// All names a user might have meant.
    pub(crate) fn known_names(&self) -> impl Iterator<Item = &'static str> {
        let locals = self.locals.iter().map(|l| l.name);
        let globals = self.env.frames.iter().flat_map(|f| f.values.keys().copied());
        let modules = self.env.frames.iter().flat_map(|f| f.modules.keys().copied());
        locals.chain(globals).chain(modules).map(Name::as_str)
    }
}
