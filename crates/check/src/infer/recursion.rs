//! Recursive functions that take or give functions: calls pass function arguments on unchanged, so that every function
//! value in a program is known when it is compiled.

use crate::Checker;
use syntax::ast::{Ident, ValueDec};
use typed::{Body, DefId, Expr, ExprKind, LocalId, Type};

impl Checker<'_> {
    /// Checks the recursive uses of a definition in its own body.
    pub(crate) fn check_recursion(&mut self, value: &ValueDec, def: DefId) {
        let found = self.program.defs[def].clone();
        let Body::Expr(body) = &found.body else { return };
        if !mentions(body, def) {
            return;
        }
        if self.want_first_order(&found.ret.ty, "").is_err() {
            let why = "the result of a recursive function is not first-order: it is or holds a function";
            self.recursion_with_functions(
                value.name,
                value.name.span,
                why,
                "make the function's parameters further parameters",
            );
            return;
        }
        let params: Vec<Option<LocalId>> =
            found.params.iter().map(|p| if self.holds_functions(&p.pat.ty) { p.name() } else { None }).collect();
        if params.iter().any(Option::is_some) {
            self.recursive_uses(body, def, value.name, &params);
        }
    }

    fn holds_functions(&mut self, ty: &Type) -> bool {
        self.want_first_order(ty, "").is_err()
    }

    fn recursive_uses(&mut self, expr: &Expr, def: DefId, name: Ident, params: &[Option<LocalId>]) {
        match &*expr.kind {
            ExprKind::Global(d, _) if *d == def => {
                let why = "a recursive function with a higher-order parameter may only be applied";
                self.recursion_with_functions(name, expr.span, why, "apply it to all of its arguments");
                return;
            }
            ExprKind::Apply(fun, args) if matches!(&*fun.kind, ExprKind::Global(d, _) if *d == def) => {
                if args.len() < params.len() {
                    let why = "the recursive application is not fully saturated";
                    self.recursion_with_functions(name, expr.span, why, "give all of its arguments");
                }
                for (param, arg) in params.iter().zip(args) {
                    if let Some(param) = param
                        && !matches!(&*arg.kind, ExprKind::Local(l, _) if l == param)
                    {
                        let why = "function arguments of a recursive call are passed unchanged";
                        self.recursion_with_functions(name, arg.span, why, "pass the parameter itself on");
                    }
                }
                args.iter().for_each(|a| self.recursive_uses(a, def, name, params));
                return;
            }
            _ => {}
        }
        let mut children = Vec::new();
        expr.for_each_child(&mut |child| children.push(child));
        children.into_iter().for_each(|c| self.recursive_uses(c, def, name, params));
    }
}

/// Whether an expression mentions a definition.
fn mentions(expr: &Expr, def: DefId) -> bool {
    if let ExprKind::Global(d, _) = &*expr.kind {
        return *d == def;
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found = found || mentions(child, def));
    found
}
