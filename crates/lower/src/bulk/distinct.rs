//! Whether an update that goes by blocks writes to distinct places, asked when the first pass is done.
//!
//! Each place has one of a few forms, and each form rises from turn to turn ([`analysis::rising`]). So the places of a form
//! lie between that of the turn before the first one, in which nothing is counted, and that of the last turn, in which all is.
//! Forms whose ranges do not meet write to different places.

use super::plan::Plan;
use super::prefix::Prefixes;
use crate::context::Lower;
use crate::data::expr;
use crate::data::rep::Rep;
use analysis::rising::{Form, NARROW_TURNS, Rising};
use base::Map;
use ir::{Atom, Bulk, Var};
use kernel::Expr;
use scalar::Prim;

/// What must hold so that no two turns write to one place; none if that is certain.
pub(crate) fn condition(cx: &mut Lower<'_>, bulk: &Bulk, prefixes: &Prefixes<'_>, plan: &Plan<'_>) -> Option<Expr> {
    let rising = Rising::of(cx.src, bulk).filter(|rising| !rising.is_certain())?;
    let exprs = cx.code.exprs;
    if rising.narrow {
        return Some(exprs.lt(plan.turns.count, expr::int(NARROW_TURNS)));
    }
    let mut totals: Map<Var, Expr> = Map::default();
    for (var, total) in prefixes.iter().flat_map(|prefix| prefix.totals()) {
        if let Rep::Scalar(total) = total {
            totals.insert(var, *total);
        }
    }
    let ranges: Vec<(Expr, Expr)> = rising.forms.iter().map(|form| range(cx, form, &totals, plan)).collect();
    let mut all = exprs.lt(expr::int(0), plan.turns.count);
    for (number, (first, last)) in ranges.iter().enumerate() {
        // An empty range ends one place before it begins. Others that end before they begin wrap around.
        all = exprs.and(all, exprs.le(*first, exprs.add(*last, expr::int(1))));
        for (low, high) in &ranges[number + 1..] {
            let disjoint = exprs.or(exprs.lt(*last, *low), exprs.lt(*high, *first));
            all = exprs.and(all, disjoint);
        }
    }
    Some(cx.code.name("distinct", Prim::Bool, all))
}

/// The first place that a form may have, and the last one.
fn range(cx: &mut Lower<'_>, form: &Form, totals: &Map<Var, Expr>, plan: &Plan<'_>) -> (Expr, Expr) {
    let exprs = cx.code.exprs;
    let mut start = expr::int(form.constant);
    for (var, times) in &form.outside {
        let value = cx.homes.scalar(Atom::Var(*var));
        start = exprs.add(start, exprs.mul(value, expr::int(*times)));
    }
    let start = cx.code.name_int("start", start);
    let mut last = exprs.add(start, exprs.mul(exprs.sub(plan.turns.count, expr::int(1)), expr::int(form.counter)));
    for (var, times) in &form.sums {
        let Some(total) = totals.get(var) else { base::bug!("a place depends on a running sum without a total") };
        last = exprs.add(last, exprs.mul(*total, expr::int(*times)));
    }
    let first = exprs.sub(exprs.add(start, expr::int(1)), expr::int(form.counter));
    (cx.code.name_int("first", first), cx.code.name_int("last", last))
}
