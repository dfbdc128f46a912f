//! `#[blank] e`: a value of the type of `e` whose contents do not matter. Once sizes are known, `e` is
//! replaced by zeros, so that it is not evaluated: `#[blank] map f xs` with `xs: [n]i64` becomes `array [n] { else => 0 }`.
//!
//! Where the type alone does not say what to build (sizes that only `e` finds, jagged rows, type parameters,
//! functions), `e` stays: any value of its type may stand there.

use base::{Set, Span};
use scalar::{Prim, Scalar};
use typed::{Body, DefId, Dim, Expr, ExprKind, Program, Size, Type};

/// Replaces the expressions at these places in a group of definitions.
pub fn run(program: &mut Program, group: &[DefId], places: &Set<Span>) {
    if places.is_empty() {
        return;
    }
    for def in group {
        if let Body::Expr(body) = &mut program.defs[*def].body {
            replace(body, places);
        }
    }
}

fn replace(expr: &mut Expr, places: &Set<Span>) {
    if places.contains(&expr.span)
        && expr.exts.is_empty()
        && let Some(blank) = blank(&expr.ty, expr.span)
    {
        *expr = blank;
        return;
    }
    expr.for_each_child_mut(&mut |child| replace(child, places));
}

/// Zeros of a type, if the type says what they look like.
fn blank(ty: &Type, span: Span) -> Option<Expr> {
    let kind = match ty {
        Type::Prim(prim) => ExprKind::Scalar(zero(*prim)),
        Type::Record(fields) => {
            let fields = fields.iter().map(|(name, ty)| Some((*name, blank(ty, span)?)));
            ExprKind::Record(fields.collect::<Option<_>>()?)
        }
        Type::Sum(constrs) => {
            let (name, payload) = constrs.first()?;
            ExprKind::Constr(*name, payload.iter().map(|ty| blank(ty, span)).collect::<Option<_>>()?)
        }
        Type::Array(..) => return blank_array(ty, span),
        Type::Var(_) | Type::Abstract(..) | Type::Fun(_) | Type::Meta(_) | Type::Error => return None,
    };
    Some(Expr::new(kind, ty.clone(), span))
}

fn blank_array(ty: &Type, span: Span) -> Option<Expr> {
    let mut sizes = Vec::new();
    let mut elem = ty;
    while let Type::Array(dim, inner) = elem {
        let Dim::Size(size) = dim else { return None };
        sizes.push(typed::size_expr(size, span)?);
        elem = inner;
    }
    let rank = Dim::Size(Size::Const(sizes.len() as i64));
    let shape = Expr::new(ExprKind::Array(sizes), Type::array(rank, Type::I64), span);
    let kind = ExprKind::ArrayBy { shape, clauses: Vec::new(), otherwise: Some(blank(elem, span)?) };
    Some(Expr::new(kind, ty.clone(), span))
}

fn zero(prim: Prim) -> Scalar {
    match prim {
        Prim::Bool => Scalar::Bool(false),
        _ => scalar::convert(Scalar::I64(0), prim),
    }
}
