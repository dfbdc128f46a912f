//! Steps of generators: at least one, or the program fails.

use super::value::{Known, Values};
use base::{Diagnostic, Span};
use typed::{Clause, Expr, ExprKind, Generator, Qual};

/// Reports constant steps below one in generators that certainly run when the expression does: the first ones.
pub(super) fn check<'a>(values: &mut Values<'a>, expr: &'a Expr) -> Vec<Diagnostic> {
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
                && let Some(least) = least(values.of(step))
                && least < 1
            {
                found.push(bad_step(least, step.span));
            }
        }
    }
    found
}

/// The least of a step's components, if that is certainly a step's.
fn least(step: Option<Known>) -> Option<i64> {
    match step? {
        Known::Int(form) => form.as_constant(),
        Known::Vector(items) => items.iter().filter_map(|i| i.as_ref()?.as_constant()).min(),
        Known::Scalar(_) => None,
    }
}

fn bad_step(step: i64, span: Span) -> Diagnostic {
    let help = match step {
        0 => "write a step of 1 or more, or leave `step` away".to_string(),
        _ => "count up, and compute the falling index from it: `n - 1 - i` for `i < n`".to_string(),
    };
    Diagnostic::error("E0506", format!("a generator cannot take steps of {step}"), span, "this step")
        .note("a generator counts up: its step is at least 1")
        .help(help)
}
