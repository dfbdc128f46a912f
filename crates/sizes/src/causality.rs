//! Causality: a size must be computed before something needs it.
//!
//! A partial application, an empty array or an unused constructor needs the sizes of its type although it holds no
//! array of that size. If such a size is computed elsewhere, that must happen earlier: arguments come before the
//! function, a `let` before its body, the left operand before the right one.

use super::cx::Cx;
use super::vars::Kind;
use base::{Diagnostic, Name, Set, Span};
use typed::walk::Place;
use typed::{Body, Def, Expr, ExprKind, LocalId, LoopForm, Pat, Type, walk};

/// Sizes that are computed.
type Known = Set<LocalId>;
type Checked = Result<(), Box<Diagnostic>>;

/// The first place of a finished definition that needs a size too early.
pub(super) fn fault(cx: &Cx, def: &Def) -> Option<Diagnostic> {
    let Body::Expr(body) = &def.body else { return None };
    Causality { cx }.inside(body, &Known::default()).err().map(|diagnostic| *diagnostic)
}

struct Causality<'c, 'p> {
    cx: &'c Cx<'p>,
}

impl Causality<'_, '_> {
    /// Looks for a size of `ty` that is not known yet.
    fn needs(&self, what: &str, ty: &Type, span: Span, known: &Known) -> Checked {
        let ty = self.cx.norm(ty);
        let missing = |l: &LocalId| matches!(self.cx.kind(*l), Some(Kind::Unknown)) && !known.contains(l);
        let elsewhere =
            |l: &LocalId| matches!(self.cx.kind(self.cx.root(*l)), Some(Kind::Absorbed { computed: Some(_), .. }));
        let here = || walk::free_locals_at(&ty, &|p| p == Place::Here).into_iter().find(elsewhere);
        let Some(local) = walk::free_locals(&ty).into_iter().find(missing).or_else(here) else { return Ok(()) };
        let name = self.cx.program.locals[local].name;
        let at = format!("{what} has the type `{}`", self.cx.show(&ty));
        let mut diagnostic = Diagnostic::error(
            "E0306",
            format!("causality: the size `{name}` is needed before it is computed"),
            span,
            at,
        );
        if let Some(Kind::Absorbed { computed: Some(computed), .. }) = self.cx.kind(self.cx.root(local)) {
            diagnostic = diagnostic.label(*computed, format!("`{name}` is computed here"));
        } else if let Some(var) = self.cx.vars.get(&local) {
            diagnostic = diagnostic.label(var.span, format!("`{name}` is {}", var.what));
        }
        Err(Box::new(diagnostic.help(format!("bind the expression that produces `{name}` with `let` before"))))
    }

    fn then(&self, first: &Expr, known: &Known, made: &mut Known) -> Result<Known, Box<Diagnostic>> {
        let mut new = Known::default();
        self.expr(first, known, &mut new)?;
        made.extend(&new);
        Ok(known.union(&new).copied().collect())
    }

    /// `known`: sizes computed before; `made` gathers those that this expression computes.
    fn expr(&self, e: &Expr, known: &Known, made: &mut Known) -> Checked {
        match &*e.kind {
            ExprKind::Local(local, _) => {
                let what = format!("`{}`", self.cx.program.locals[*local].name);
                self.needs(&what, &e.ty, e.span, known)?;
            }
            ExprKind::Global(def, _) => {
                let what = format!("`{}`", self.cx.program.defs[*def].name);
                self.needs(&what, &e.ty, e.span, known)?;
            }
            ExprKind::Array(items) if items.is_empty() => self.needs("the empty array", &e.ty, e.span, known)?,
            ExprKind::Hole => self.needs("the hole", &e.ty, e.span, known)?,
            ExprKind::Lambda(lambda) => {
                for param in &lambda.params {
                    self.needs("the parameter", &param.pat.ty, param.pat.span, known)?;
                }
                // Sizes computed inside are not known outside.
                self.inside(&lambda.body, known)?;
            }
            ExprKind::Let { value, body, .. } => {
                let known = self.then(value, known, made)?;
                self.inside(body, &known)?;
            }
            ExprKind::LetFun { fun, body, .. } => {
                self.inside(&fun.body, known)?;
                self.expr(body, known, made)?;
            }
            ExprKind::Apply(fun, args) => self.apply(e, fun, args, known, made)?,
            ExprKind::Constr(name, args) => self.constructor(e, *name, args, known, made)?,
            ExprKind::Binary { lhs, rhs, .. } => {
                let known = self.then(lhs, known, made)?;
                self.then(rhs, &known, made)?;
            }
            ExprKind::Match { value, cases } => self.cases(value, cases, known, made)?,
            ExprKind::Loop { init, form, body, .. } => {
                let known = self.then(init, known, made)?;
                self.turns(form, body, known, made)?;
            }
            _ => {
                let mut result = Ok(());
                e.for_each_child(&mut |child| {
                    if result.is_ok() {
                        result = self.expr(child, known, made);
                    }
                });
                result?;
            }
        }
        made.extend(&e.exts);
        Ok(())
    }

    /// A constructor needs the sizes of its whole sum type, after its arguments.
    fn constructor(&self, e: &Expr, name: Name, args: &[Expr], known: &Known, made: &mut Known) -> Checked {
        let mut known = known.clone();
        for arg in args {
            known = self.then(arg, &known, made)?;
        }
        self.needs(&format!("`#{name}`"), &e.ty, e.span, &known)
    }

    /// Sizes computed in one case are not known after it.
    fn cases(&self, value: &Expr, cases: &[(Pat, Expr)], known: &Known, made: &mut Known) -> Checked {
        let known = self.then(value, known, made)?;
        for (_, body) in cases {
            self.inside(body, &known)?;
        }
        Ok(())
    }

    /// Arguments are computed from the last to the first, then the function, unless the source puts it first.
    fn apply(&self, e: &Expr, fun: &Expr, args: &[Expr], known: &Known, made: &mut Known) -> Checked {
        if args.len() == 1 && matches!(e.ty, Type::Fun(_)) && is_operator(self.cx, fun) {
            self.needs("the operator section", &fun.ty, e.span, known)?;
        }
        let mut known = known.clone();
        if self.cx.function_first.contains(&e.span) {
            known = self.then(fun, &known, made)?;
        }
        for arg in args.iter().rev() {
            known = self.then(arg, &known, made)?;
        }
        self.inside(fun, &known)
    }

    /// The turns of a loop.
    fn turns(&self, form: &LoopForm, body: &Expr, mut known: Known, made: &mut Known) -> Checked {
        match form {
            LoopForm::For(_, e) | LoopForm::ForIn(_, e) => known = self.then(e, &known, made)?,
            LoopForm::While(e) => self.inside(e, &known)?,
        }
        self.inside(body, &known)
    }

    /// An expression whose sizes are not known after it.
    fn inside(&self, e: &Expr, known: &Known) -> Checked {
        self.expr(e, known, &mut Known::default())
    }
}

fn is_operator(cx: &Cx, fun: &Expr) -> bool {
    let ExprKind::Global(def, _) = &*fun.kind else { return false };
    let name = cx.program.defs[*def].name.as_str();
    !name.rsplit('.').next().is_some_and(|last| last.chars().any(|c| c.is_alphanumeric() || c == '_'))
}
