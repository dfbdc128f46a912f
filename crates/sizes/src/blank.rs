//! `#[blank] e`: a value of the type of `e` whose contents do not matter. Once sizes are known, `e` becomes
//! [`ExprKind::Blank`], so that it is not evaluated: `#[blank] map f xs` with `xs: [n]i64` becomes a blank `[n]i64`.
//!
//! A size that only `e` could compute is 0 in the type of the blank: `#[blank] filter p xs` of type `[k]i64` becomes a
//! blank `[0]i64`, and binds `k` to 0. Where functions are part of the value, `e` stays: no function could be made up.

use crate::Kinds;
use base::{Set, Span};
use std::mem::replace;
use syntax::ast::Lifted;
use typed::{Body, DefId, Expr, ExprKind, Program, Size, Type};

/// Replaces the expressions at these places in a group of definitions.
pub fn run(program: &mut Program, group: &[DefId], kinds: &Kinds, places: &Set<Span>) {
    if places.is_empty() {
        return;
    }
    for def in group {
        if let Body::Expr(body) = &mut program.defs[*def].body {
            let mut body = replace(body, Expr::new(ExprKind::Error, Type::Error, body.span));
            blank_at(program, kinds, places, &mut body);
            program.defs[*def].body = Body::Expr(body);
        }
    }
}

fn blank_at(program: &Program, kinds: &Kinds, places: &Set<Span>, expr: &mut Expr) {
    if places.contains(&expr.span) && !may_hold_function(program, kinds, &expr.ty) {
        let mut none = |local| expr.exts.contains(&local).then_some(Size::Const(0));
        *expr.kind = ExprKind::Blank(typed::subst::in_type(&expr.ty, &mut none));
        return;
    }
    expr.for_each_child_mut(&mut |child| blank_at(program, kinds, places, child));
}

fn may_hold_function(program: &Program, kinds: &Kinds, ty: &Type) -> bool {
    match ty {
        Type::Fun(_) => true,
        Type::Var(var) => kinds.vars.get(var) == Some(&Lifted::Functions),
        Type::Abstract(..) => may_hold_function(program, kinds, &program.concrete(ty)),
        _ => ty.any_child(&mut |child| may_hold_function(program, kinds, child)),
    }
}
