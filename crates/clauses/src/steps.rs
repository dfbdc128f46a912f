//! Steps of generators: at least one, or the program fails.

use super::eval::Eval;
use base::{Diagnostic, Span};
use typed::{Clause, Expr, ExprKind, Generator, Qual};

/// Reports constant steps below one in generators that certainly run when the expression does: the first ones.
pub(super) fn check<'a>(eval: &mut Eval<'a>, expr: &'a Expr) -> Vec<Diagnostic> {
    let lists: Vec<&'a [Qual]> = match &*expr.kind {
        ExprKind::Comprehension { quals, .. } => vec![quals],
        ExprKind::ArrayBy { clauses, .. } | ExprKind::Update { clauses, .. } | ExprKind::Accum { clauses, .. } => {
            clauses.iter().map(|(Clause::Element { quals, .. } | Clause::Group { quals, .. })| &quals[..]).collect()
        }
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    for quals in lists {
        let Some(Qual::For(generators, _)) = quals.first() else { continue };
        for generator in generators {
            if let Generator::Range { step: Some(step), .. } = generator
                && let Some(least) = least(eval, step)
                && least < 1
            {
                found.push(bad_step(least, step.span));
            }
        }
    }
    found
}

/// The step, or the least component of a vector of steps, as far as they are known.
fn least<'a>(eval: &mut Eval<'a>, step: &'a Expr) -> Option<i64> {
    let step = eval.expr(step)?;
    let components = step.forms().unwrap_or_else(|| vec![step.form()]);
    components.into_iter().filter_map(|c| c?.as_constant()).min()
}

fn bad_step(step: i64, span: Span) -> Diagnostic {
    let help = match step {
        0 => "write a step of 1 or more, or leave out `step`".to_string(),
        _ => "count up, and compute the falling index from it: `n - 1 - i` for `i < n`".to_string(),
    };
    Diagnostic::error("E0506", format!("a generator cannot take steps of {step}"), span, "this step")
        .note("a generator counts up: its step is at least 1")
        .help(help)
}
