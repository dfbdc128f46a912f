//! `let` qualifiers of recursive arrays that read the arrays being defined belong to the values: which elements a clause
//! defines is settled before any of them is computed, and such a binding is not there yet by then.

use base::Set;
use typed::{Clause, Expr, ExprKind, LocalId, Pat, PatKind, Qual};

/// Moves every `let` that depends on `recursive` from the qualifiers into the values below it.
pub(crate) fn into_values(clauses: Vec<Clause>, recursive: &Set<LocalId>) -> Vec<Clause> {
    clauses.into_iter().map(|c| clause(c, recursive.clone(), Vec::new())).collect()
}

fn clause(clause_: Clause, mut recursive: Set<LocalId>, mut lets: Vec<(Pat, Expr)>) -> Clause {
    match clause_ {
        Clause::Element { subscripts, value, quals, span } => {
            let quals = split(quals, &mut recursive, &mut lets);
            let value = lets.into_iter().rev().fold(value, |body, (pat, value)| {
                let (ty, at) = (body.ty.clone(), body.span);
                Expr::new(ExprKind::Let { sizes: Vec::new(), pat: Box::new(pat), value, body }, ty, at)
            });
            Clause::Element { subscripts, value, quals, span }
        }
        Clause::Group { quals, clauses, span } => {
            let quals = split(quals, &mut recursive, &mut lets);
            let clauses = clauses.into_iter().map(|c| clause(c, recursive.clone(), lets.clone())).collect();
            Clause::Group { quals, clauses, span }
        }
    }
}

/// The qualifiers that stay; the others go to `lets`, and their names join `recursive`.
fn split(quals: Vec<Qual>, recursive: &mut Set<LocalId>, lets: &mut Vec<(Pat, Expr)>) -> Vec<Qual> {
    let mut kept = Vec::new();
    for qual in quals {
        match qual {
            Qual::Let(pat, value) if mentions(&value, recursive) => {
                pat.for_each(&mut |p| {
                    if let PatKind::Bind(local) = p.kind {
                        recursive.insert(local);
                    }
                });
                lets.push((pat, value));
            }
            qual @ (Qual::For(..) | Qual::Let(..) | Qual::If(_)) => kept.push(qual),
        }
    }
    kept
}

fn mentions(expr: &Expr, locals: &Set<LocalId>) -> bool {
    if let ExprKind::Local(local, _) = &*expr.kind {
        return locals.contains(local);
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found = found || mentions(child, locals));
    found
}
