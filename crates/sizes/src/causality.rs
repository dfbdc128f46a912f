//! Causality: a size must be computed before something needs it.
//!
//! A partial application, an empty array or an unused constructor needs the sizes of its type although it holds no
//! array of that size. If such a size comes into being elsewhere, that must happen earlier: arguments come before the
//! function, a `let` before its body, the left operand before the right one.

use super::cx::Cx;
use super::vars::Kind;
use base::{Diagnostic, Set, Span};
use typed::walk::Place;
use typed::{Body, Def, Expr, ExprKind, LocalId, LoopForm, Type, walk};

type Known = Set<LocalId>;

impl Cx<'_> {
    /// Checks a finished definition.
    pub(super) fn causality(&mut self, def: &Def) {
        if let Body::Expr(body) = &def.body {
            let mut made = Known::default();
            if let Err(diagnostic) = self.causal(body, &Known::default(), &mut made) {
                self.report(*diagnostic);
            }
        }
    }

    /// Looks for a size of `ty` that is not known yet.
    fn needs(&self, what: &str, ty: &Type, span: Span, known: &Known) -> Result<(), Box<Diagnostic>> {
        let ty = self.norm(ty);
        let missing = |l: &LocalId| matches!(self.kind(*l), Some(Kind::Unknown)) && !known.contains(l);
        let elsewhere =
            |l: &LocalId| matches!(self.kind(self.root(*l)), Some(Kind::Absorbed { computed: Some(_), .. }));
        let here = || walk::free_locals_at(&ty, &|p| p == Place::Here).into_iter().find(elsewhere);
        let Some(local) = walk::free_locals(&ty).into_iter().find(missing).or_else(here) else { return Ok(()) };
        let name = self.program.locals[local].name;
        let at = format!("{what} has the type `{}`", self.show(&ty));
        let mut diagnostic = Diagnostic::error(
            "E0306",
            format!("causality: the size `{name}` is needed before it is computed"),
            span,
            at,
        );
        if let Some(Kind::Absorbed { computed: Some(computed), .. }) = self.kind(self.root(local)) {
            diagnostic = diagnostic.label(*computed, format!("`{name}` is computed here"));
        } else if let Some(var) = self.vars.get(&local) {
            diagnostic = diagnostic.label(var.span, format!("`{name}` is {}", var.what));
        }
        Err(Box::new(diagnostic.help(format!("bind the expression that produces `{name}` with `let` before"))))
    }

    fn then(&self, first: &Expr, known: &Known, made: &mut Known) -> Result<Known, Box<Diagnostic>> {
        let mut new = Known::default();
        self.causal(first, known, &mut new)?;
        made.extend(&new);
        Ok(known.union(&new).copied().collect())
    }

    fn is_operator(&self, fun: &Expr) -> bool {
        let ExprKind::Global(def, _) = &*fun.kind else { return false };
        let name = self.program.defs[*def].name.as_str();
        !name.rsplit('.').next().unwrap_or("").chars().any(|c| c.is_alphanumeric() || c == '_')
    }

    /// `known`: sizes computed before; `made` gathers those that this expression computes.
    fn causal(&self, e: &Expr, known: &Known, made: &mut Known) -> Result<(), Box<Diagnostic>> {
        match &*e.kind {
            ExprKind::Local(local, _) => {
                let what = format!("`{}`", self.program.locals[*local].name);
                self.needs(&what, &e.ty, e.span, known)?;
            }
            ExprKind::Global(def, _) => {
                let what = format!("`{}`", self.program.defs[*def].name);
                self.needs(&what, &e.ty, e.span, known)?;
            }
            ExprKind::Array(items) if items.is_empty() => self.needs("the empty array", &e.ty, e.span, known)?,
            ExprKind::Hole => self.needs("the hole", &e.ty, e.span, known)?,
            ExprKind::Lambda(lambda) => {
                for param in &lambda.params {
                    self.needs("the parameter", &param.pat.ty, param.pat.span, known)?;
                }
                // What comes into being inside is not known outside.
                self.causal(&lambda.body, known, &mut Known::default())?;
            }
            ExprKind::Let { value, body, .. } => {
                let known = self.then(value, known, made)?;
                self.causal(body, &known, &mut Known::default())?;
            }
            ExprKind::LetFun { fun, body, .. } => {
                self.causal(&fun.body, known, &mut Known::default())?;
                self.causal(body, known, made)?;
            }
            ExprKind::Apply(fun, args) => {
                if args.len() == 1 && matches!(e.ty, Type::Fun(_)) && self.is_operator(fun) {
                    self.needs("the operator section", &fun.ty, e.span, known)?;
                }
                let mut known = known.clone();
                if self.function_first.contains(&e.span) {
                    known = self.then(fun, &known, made)?;
                }
                for arg in args.iter().rev() {
                    known = self.then(arg, &known, made)?;
                }
                self.causal(fun, &known, &mut Known::default())?;
            }
            ExprKind::Constr(name, args) => {
                let mut known = known.clone();
                for arg in args {
                    known = self.then(arg, &known, made)?;
                }
                self.needs(&format!("`#{name}`"), &e.ty, e.span, &known)?;
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                let known = self.then(lhs, known, made)?;
                self.then(rhs, &known, made)?;
            }
            ExprKind::Match { value, cases } => {
                let known = self.then(value, known, made)?;
                for (_, body) in cases {
                    self.causal(body, &known, &mut Known::default())?;
                }
            }
            ExprKind::Loop { init, form, body, .. } => {
                let mut known = self.then(init, known, made)?;
                match &**form {
                    LoopForm::For(_, e) | LoopForm::ForIn(_, e) => known = self.then(e, &known, made)?,
                    LoopForm::While(e) => self.causal(e, &known, &mut Known::default())?,
                }
                self.causal(body, &known, &mut Known::default())?;
            }
            _ => {
                let mut result = Ok(());
                e.for_each_child(&mut |child| {
                    if result.is_ok() {
                        result = self.causal(child, known, made);
                    }
                });
                result?;
            }
        }
        made.extend(&e.exts);
        Ok(())
    }
}
