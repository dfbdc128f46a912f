//! Recursion in `.fut` files: function arguments stay the same from call to call.
//!
//! Futhark compiles functions as values away, which it can do for a recursive function only if it returns no function,
//! and if every recursive call hands on the functions it was given.

use base::{Diagnostic, Map, Span};
use syntax::ast::Lifted;
use typed::{Body, Def, DefId, Expr, ExprKind, Pat, PatKind, Program, Type, TypeVarId};

/// Checks a definition that may call itself.
pub(super) fn check(program: &Program, def: DefId, lifted: &Map<TypeVarId, Lifted>, out: &mut Vec<Diagnostic>) {
    let found = &program.defs[def];
    let Body::Expr(body) = &found.body else { return };
    if !super::mentions::uses_any(body, &[def]) {
        return;
    }
    if may_hold_functions(&found.ret.ty, lifted) {
        out.push(
            Diagnostic::error(
                "E0420",
                format!("the result of the recursive function `{}` is not first-order", found.name),
                found.span,
                "it returns a function, or a value that contains one",
            )
            .note("in a `.fut` file a recursive function cannot return functions")
            .help("give it the parameters of the returned function as further parameters"),
        );
        return;
    }
    let higher = |param: &typed::Param| may_hold_functions(&param.pat.ty, lifted);
    if found.params.iter().any(higher) {
        let mut calls = Calls { program, def, found, lifted, out };
        calls.expr(body);
    }
}

struct Calls<'a> {
    program: &'a Program,
    def: DefId,
    found: &'a Def,
    lifted: &'a Map<TypeVarId, Lifted>,
    out: &'a mut Vec<Diagnostic>,
}

impl Calls<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Apply(fun, args) => {
                if matches!(&*fun.kind, ExprKind::Global(def, _) if *def == self.def) {
                    self.call(fun.span, args);
                } else {
                    self.expr(fun);
                }
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Global(def, _) if *def == self.def => self.not_a_call(expr.span),
            _ => expr.for_each_child(&mut |child| self.expr(child)),
        }
    }

    fn call(&mut self, span: Span, args: &[Expr]) {
        if args.len() < self.found.params.len() {
            self.not_a_call(span);
            return;
        }
        for (param, arg) in self.found.params.iter().zip(args) {
            if may_hold_functions(&param.pat.ty, self.lifted) && !is_unchanged(&param.pat, arg) {
                self.changed(&param.pat, arg.span);
            }
        }
    }

    fn not_a_call(&mut self, span: Span) {
        let name = self.found.name;
        self.out.push(
            Diagnostic::error(
                "E0421",
                format!(
                    "the recursive function `{name}` has a higher-order parameter, but its use is not fully saturated"
                ),
                span,
                "used here without all its arguments",
            )
            .label(self.found.span, "defined here")
            .note("in a `.fut` file a recursive function that takes functions must be called with all its arguments")
            .help(format!("write the call with all {} arguments", self.found.params.len())),
        );
    }

    fn changed(&mut self, pat: &Pat, span: Span) {
        let name = pat.name().map_or("the parameter".to_string(), |n| format!("`{}`", self.program.locals[n].name));
        self.out.push(
            Diagnostic::error(
                "E0422",
                format!("a recursive call does not leave {name} as it is: function arguments must be passed unchanged"),
                span,
                format!("not {name} itself"),
            )
            .label(pat.span, "the parameter, which is or may be a function")
            .note("in a `.fut` file a recursive call must pass on the functions that the function received")
            .help(format!("pass {name}, and pass what changes as ordinary values")),
        );
    }
}

/// Whether an argument is exactly what the parameter's pattern names.
fn is_unchanged(pat: &Pat, arg: &Expr) -> bool {
    match (&pat.kind, &*arg.kind) {
        (PatKind::Ascribe(inner, _), _) => is_unchanged(inner, arg),
        (_, ExprKind::Ascribe(inner, _)) => is_unchanged(pat, inner),
        (PatKind::Bind(local), ExprKind::Local(given, _)) => local == given,
        (PatKind::Record(fields), ExprKind::Record(given)) => {
            let same = |(name, field): &(base::Name, Pat)| {
                given.iter().any(|(other, value)| other == name && is_unchanged(field, value))
            };
            fields.len() == given.len() && fields.iter().all(same)
        }
        _ => false,
    }
}

/// Whether a value of this type is a function, contains one, or may be instantiated to one.
fn may_hold_functions(ty: &Type, lifted: &Map<TypeVarId, Lifted>) -> bool {
    match ty {
        Type::Fun(_) => true,
        Type::Var(var) => lifted.get(var) == Some(&Lifted::Functions),
        Type::Abstract(..) | Type::Array(..) => false,
        _ => ty.any_child(&mut |t| may_hold_functions(t, lifted)),
    }
}
