//! Run-time checks: code that ends the run with a message, and the values that the message shows.

use super::dims::{self, is_jagged};
use super::{copying, desc, place, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use crate::data::rep::Rep;
use base::bug;
use ir::{Atom, Dim};
use kernel::{Expr, FailArg, SiteId, Stm};
use scalar::Prim;

/// Ends the run if a condition holds; the closure gives the values for the message.
pub(crate) fn fail_if(
    cx: &mut Builder<'_>,
    cond: Expr,
    site: SiteId,
    args: impl FnOnce(&mut Builder<'_>) -> Vec<FailArg>,
) {
    cx.code.open();
    let args = args(cx);
    cx.code.emit(Stm::Fail { site, args });
    // Nothing is released after a failure.
    let fail = cx.code.pop().stms;
    cx.code.emit(Stm::If(cond, fail, Vec::new()));
}

/// Ends the run if the place at subscripts has a value already.
pub(crate) fn collision(cx: &mut Builder<'_>, taken: Expr, site: ir::SiteId, at: &[Atom], called: Option<Atom>) {
    let site = site_at(cx, SiteId(site.0), cx.code.span);
    fail_if(cx, taken, site, |cx| at.iter().chain(&called).map(|a| fail_arg(cx, *a)).collect());
}

/// Ends the run if elements of an array are missing; `first` is the number of the first of them.
pub(crate) fn gap(
    cx: &mut Builder<'_>,
    shape: &[Dim],
    (missing, first): (Expr, Expr),
    site: ir::SiteId,
    called: Option<Atom>,
) {
    let exprs = cx.code.exprs;
    fail_if(cx, exprs.lt(expr::int(0), missing), SiteId(site.0), |cx| {
        let mut args = vec![FailArg::Scalar(Prim::I64, missing)];
        args.extend(subscript_args(cx, shape, first));
        args.extend(called.map(|called| fail_arg(cx, called)));
        args
    });
}

/// The same message at a part of its place.
fn site_at(cx: &mut Builder<'_>, site: SiteId, span: base::Span) -> SiteId {
    let whole = &cx.code.program.sites[site];
    let narrowed = whole.narrowed(span);
    if narrowed.span == whole.span { site } else { cx.code.program.sites.push(narrowed) }
}

/// A value for a message.
pub(crate) fn fail_arg(cx: &mut Builder<'_>, atom: Atom) -> FailArg {
    match cx.homes.atom(atom) {
        Rep::Scalar(value) => FailArg::Scalar(cx.prim_of(atom), value),
        rep @ (Rep::Vector(..) | Rep::Array(_)) => {
            let dims = cx.dims_of(atom);
            let array = vector::in_memory(cx, rep);
            let array = copying::contiguous(cx, &array, dims);
            let at = dims::begin(cx, &array, dims);
            let count = dims::count(cx, dims);
            FailArg::Numbers { buffer: array.buffer, at, count }
        }
        Rep::Desc(_) => {
            let Atom::Var(desc) = atom else { bug!("a constant as a descriptor") };
            let array = desc::lengths_array(cx, desc);
            let count = dims::count(cx, cx.dims_of(atom));
            FailArg::Numbers { buffer: array.buffer, at: expr::int(0), count }
        }
        Rep::Cert | Rep::Box(_) => bug!("a certificate or a box in a message"),
    }
}

/// The subscripts of an element, for a message.
pub(crate) fn subscript_args(cx: &mut Builder<'_>, shape: &[Dim], place: Expr) -> Vec<FailArg> {
    if let Some(Dim::Shape(shape)) = shape.first() {
        let count = vector::length(cx, *shape);
        let array = place::unrank_to_memory(cx, place, *shape);
        return vec![FailArg::Numbers { buffer: array.buffer, at: expr::int(0), count }];
    }
    let subscripts = if is_jagged(shape) {
        jagged_subscripts(cx, shape, place)
    } else {
        let extents = dims::extents(cx, shape);
        place::subscripts(cx, place, &extents)
    };
    subscripts.into_iter().map(|i| FailArg::Scalar(Prim::I64, i)).collect()
}

/// The subscripts of an element by its number, where descriptors count rows: their offsets are searched.
fn jagged_subscripts(cx: &mut Builder<'_>, shape: &[Dim], place: Expr) -> Vec<Expr> {
    let exprs = cx.code.exprs;
    let mut subscripts = Vec::new();
    let mut left = cx.code.name_int("left", place);
    for dim in shape.iter().rev() {
        match dim {
            Dim::Size(n) => {
                let n = cx.homes.scalar(*n);
                // The subscript of the first dimension is what is left.
                let last = subscripts.len() + 1 == shape.len();
                let index = if last { left } else { exprs.rem(left, n) };
                subscripts.push(cx.code.name_int("i", index));
                left = cx.code.name_int("left", exprs.div(left, n));
            }
            Dim::Jagged(d) => {
                let desc = cx.homes.desc(*d);
                let row = cx.code.variable("row", expr::int(0));
                let end = desc.offset(exprs, exprs.add(Expr::Var(row), expr::int(1)));
                let cond = exprs.le(end, left);
                cx.while_loop(cond, |cx| cx.code.increment(row));
                let first = dims::offset_at(cx, &desc, Expr::Var(row));
                subscripts.push(cx.code.name_int("i", exprs.sub(left, first)));
                left = Expr::Var(row);
            }
            Dim::Shape(_) => bug!("a shape vector inside of dimensions of known number"),
        }
    }
    subscripts.reverse();
    subscripts
}
