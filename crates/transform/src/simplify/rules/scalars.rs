//! Operators on scalars. Rules for floats keep every bit: `x + 0.0` is not `x`, because `-0.0 + 0.0` is `0.0`.

use super::powers::known_exponent;
use super::rule::{New, Rewriter, Rule};
use crate::simplify::forms::{as_atom, as_operation};
use ir::{Atom, Exp, Stm};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};

/// The rules for scalars.
pub(super) const RULES: &[Rule] = &[
    Rule { name: "a sum of products that is one atom or one operation", apply: canonical },
    Rule { name: "an opposite number as a difference", apply: opposite_number },
    Rule { name: "integers whose difference is known", apply: known_difference },
    Rule { name: "a power with a known exponent", apply: known_exponent },
    Rule { name: "a float and a neutral element", apply: neutral_float },
    Rule { name: "a condition and itself", apply: idempotent },
    Rule { name: "the opposite of an opposite", apply: twice_opposite },
    Rule { name: "the opposite of a comparison", apply: opposite_comparison },
    Rule { name: "a choice between truth values", apply: choice_of_truth },
    Rule { name: "a choice by an opposite", apply: choice_by_opposite },
    Rule { name: "a choice after the same choice", apply: choice_again },
    Rule { name: "the smaller or larger of two equals", apply: extreme_of_equals },
];

fn canonical(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let form = rw.defs.forms.of(&stm.exp)?;
    if let Some(atom) = as_atom(&form) {
        return Some(atom.into());
    }
    let exp = as_operation(&form)?;
    (exp.computation() != stm.exp.computation()).then(|| exp.into())
}

/// What is known of sums holds for `0 - x`, too.
fn opposite_number(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Un(UnOp::Neg, Prim::I64, x) = stm.exp else { return None };
    Some(Exp::Bin(BinOp::Sub, Prim::I64, Atom::size(0), x).into())
}

fn known_difference(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Bin(op @ (BinOp::Eq | BinOp::Ne), Prim::I64, a, b) = stm.exp else { return None };
    let difference = rw.defs.form(a).sub(&rw.defs.form(b))?.as_constant()?;
    Some(Atom::bool((difference == 0) == (op == BinOp::Eq)).into())
}

fn neutral_float(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Bin(op, prim, a, b) = stm.exp else { return None };
    let is = |atom: Atom, x: Scalar| prim.is_float() && atom == Atom::Const(x);
    let (zero, one) = (prim.zero(), prim.one());
    let negative_zero = scalar::eval_un(UnOp::Neg, zero).ok()?;
    match op {
        BinOp::Mul if is(a, one) => Some(b.into()),
        BinOp::Mul | BinOp::Div if is(b, one) => Some(a.into()),
        BinOp::Sub if is(b, zero) => Some(a.into()),
        BinOp::Add if is(b, negative_zero) => Some(a.into()),
        BinOp::Add if is(a, negative_zero) => Some(b.into()),
        _ => None,
    }
}

fn idempotent(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Bin(BinOp::LogAnd | BinOp::LogOr, _, a, b) = stm.exp else { return None };
    (a == b).then(|| a.into())
}

fn twice_opposite(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Un(op, prim, a) = stm.exp else { return None };
    match rw.defs.plain(a)? {
        Exp::Un(inner, other, b) if *inner == op && *other == prim && matches!(op, UnOp::Not | UnOp::Neg) => {
            Some((*b).into())
        }
        _ => None,
    }
}

fn opposite_comparison(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Un(UnOp::Not, Prim::Bool, a) = stm.exp else { return None };
    let Exp::Bin(op, prim, x, y) = rw.defs.plain(a)? else { return None };
    let opposite = match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        // With a NaN, neither `x < y` nor `x >= y` holds.
        BinOp::Lt if prim.is_int() => BinOp::Ge,
        BinOp::Ge if prim.is_int() => BinOp::Lt,
        BinOp::Gt if prim.is_int() => BinOp::Le,
        BinOp::Le if prim.is_int() => BinOp::Gt,
        _ => return None,
    };
    Some(Exp::Bin(opposite, *prim, *x, *y).into())
}

fn choice_of_truth(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Select(c, a, b) = stm.exp else { return None };
    match (a, b) {
        (Atom::Const(Scalar::Bool(true)), Atom::Const(Scalar::Bool(false))) => Some(c.into()),
        (Atom::Const(Scalar::Bool(false)), Atom::Const(Scalar::Bool(true))) => {
            Some(Exp::Un(UnOp::Not, Prim::Bool, c).into())
        }
        _ => None,
    }
}

fn choice_by_opposite(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Select(c, a, b) = stm.exp else { return None };
    match rw.defs.plain(c)? {
        Exp::Un(UnOp::Not, Prim::Bool, c) => Some(Exp::Select(*c, b, a).into()),
        _ => None,
    }
}

fn choice_again(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Select(c, a, b) = stm.exp else { return None };
    let chosen = |side: Atom, first: bool| match rw.defs.plain(side) {
        Some(Exp::Select(d, x, y)) if *d == c => {
            if first {
                *x
            } else {
                *y
            }
        }
        _ => side,
    };
    let (x, y) = (chosen(a, true), chosen(b, false));
    ((x, y) != (a, b)).then(|| Exp::Select(c, x, y).into())
}

fn extreme_of_equals(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    match &stm.exp {
        Exp::Math(MathOp::Min | MathOp::Max, _, args) if args.len() == 2 && args[0] == args[1] => Some(args[0].into()),
        _ => None,
    }
}
