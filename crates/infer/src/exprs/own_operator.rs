//! Operators that call themselves where the built-in one was meant: in `def (/) (a: f64) (b: f64): f64 = if b == 0 then 0
//! else a / b` the operator never ends.
//!
//! A recursive operator is a program like any other, so only what never ends gives a warning: a use that every call
//! evaluates, and one whose operands are the parameters themselves.

use crate::Checker;
use base::Span;
use scalar::BinOp;
use typed::{Body, Def, DefId, Expr, ExprKind, LocalId};

impl Checker<'_> {
    pub(super) fn warn_of_own_operator(&mut self, def: DefId) {
        let definition = &self.program.defs[def];
        let symbol = definition.name.as_str().rsplit('.').next().unwrap_or_default();
        let (Some(op), Body::Expr(body)) = (BinOp::from_symbol(symbol), &definition.body) else { return };
        if self.is_std_span(definition.span) {
            return;
        }
        let mut uses = Uses { def, params: parameters(definition), found: None };
        uses.look(body, true);
        if let Some(found) = uses.found {
            self.operator_is_itself(op.symbol(), def, found);
        }
    }
}

fn parameters(definition: &Def) -> Vec<LocalId> {
    definition.params.iter().filter_map(|param| param.name()).collect()
}

/// Looks for a use of a definition in its own body that makes it run forever.
struct Uses {
    def: DefId,
    params: Vec<LocalId>,
    found: Option<Span>,
}

impl Uses {
    /// `always`: whether every call of the definition evaluates the expression.
    fn look(&mut self, expr: &Expr, always: bool) {
        let forever = match &*expr.kind {
            ExprKind::Apply(fun, args) if self.is_own(fun) => always || self.are_params(args),
            _ => always && self.is_own(expr),
        };
        if forever && self.found.is_none() {
            self.found = Some(expr.span);
        }
        let first = first_evaluated(expr);
        expr.for_each_child(&mut |child| {
            let always = always && first.is_none_or(|first| std::ptr::eq(first, child));
            self.look(child, always && !may_be_skipped(expr));
        });
    }

    fn is_own(&self, expr: &Expr) -> bool {
        matches!(&*expr.kind, ExprKind::Global(def, _) if *def == self.def)
    }

    fn are_params(&self, args: &[Expr]) -> bool {
        let is = |arg: &Expr, param: &LocalId| matches!(&*arg.kind, ExprKind::Local(local, _) if local == param);
        args.len() == self.params.len() && args.iter().zip(&self.params).all(|(arg, param)| is(arg, param))
    }
}

/// The only part that is evaluated in any case, for expressions that choose between their parts.
fn first_evaluated(expr: &Expr) -> Option<&Expr> {
    match &*expr.kind {
        ExprKind::If { cond, .. } => Some(cond),
        ExprKind::Match { value, .. } => Some(value),
        ExprKind::Loop { init, .. } => Some(init),
        ExprKind::Binary { op: BinOp::LogAnd | BinOp::LogOr, lhs, .. } => Some(lhs),
        _ => None,
    }
}

/// Whether some evaluations leave the parts out.
fn may_be_skipped(expr: &Expr) -> bool {
    matches!(
        &*expr.kind,
        ExprKind::Lambda(_)
            | ExprKind::LetFun { .. }
            | ExprKind::LetRec { .. }
            | ExprKind::Comprehension { .. }
            | ExprKind::ArrayBy { .. }
            | ExprKind::Update { .. }
            | ExprKind::Accum { .. }
    )
}
