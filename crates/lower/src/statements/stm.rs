//! Statements: which module lowers which.

use super::{boxes, call, choice, loops, sort};
use crate::arrays::{desc, dims, faults, index, rec_read, reshape, vector};
use crate::bulk;
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Rep;
use ir::{Atom, Block, Exp, Stm as CoreStm, Var};
use kernel::{Expr, Op, SiteId};
use scalar::{BinOp, Prim, UnOp};

/// Lowers a statement into the innermost block.
pub(crate) fn stm(cx: &mut Lower<'_>, stm: &CoreStm) -> Low<()> {
    cx.code.span = stm.span;
    let vars = &stm.vars;
    if vars.iter().any(|var| cx.homes.decided.contains_key(var) || cx.homes.limited.contains_key(var)) {
        return Ok(());
    }
    match &stm.exp {
        Exp::Assert { cond, site, args } => {
            assert(cx, vars, *cond, *site, args);
            Ok(())
        }
        Exp::Ensure { cond, otherwise } => choice::ensure(cx, vars, *cond, otherwise),
        Exp::Trace(layout, args) => {
            call::trace(cx, layout, args);
            Ok(())
        }
        Exp::Select(c, a, b) => select(cx, vars, *c, *a, *b),
        Exp::Open(x, cases) => boxes::open(cx, vars, *x, cases),
        Exp::Call(function, args) => call::call(cx, vars, *function, args),
        Exp::If(cond, then, otherwise) | Exp::Choose(cond, then, otherwise) => {
            choice::choice(cx, vars, *cond, then, otherwise)
        }
        Exp::Loop { params, form, turns, body } => {
            loops::repeat(cx, vars, loops::Loop { params, form, turns: *turns, body })
        }
        Exp::Bulk(bulk) => bulk::lower(cx, vars, bulk),
        Exp::SortKeys(keys) => {
            sort::sort_keys(cx, vars, *keys);
            Ok(())
        }
        exp => match vars.first() {
            Some(var) => single(cx, *var, exp),
            None => Ok(()),
        },
    }
}

/// An expression with one result.
fn single(cx: &mut Lower<'_>, var: Var, exp: &Exp) -> Low<()> {
    match exp {
        Exp::Index(array, at) => return index::index(cx, var, *array, at),
        Exp::IndexVector(array, at) => return index::index_vector(cx, var, *array, *at),
        Exp::Slice(array, ranges) => return index::slice(cx, var, *array, ranges),
        Exp::Rearrange(array, order) => return index::rearrange(cx, var, *array, order),
        Exp::DescLength(desc, at) => return desc::length(cx, var, *desc, at),
        Exp::DescOffset(desc, at) => return desc::offset(cx, var, *desc, at),
        Exp::DescIndex(desc, at) => return desc::index(cx, var, *desc, at),
        Exp::DescSlice(desc, ranges) => return desc::slice(cx, var, *desc, ranges),
        Exp::Reshape(array) => return reshape::reshape(cx, var, *array),
        Exp::Pack(kind, case, parts) => return boxes::pack(cx, var, *kind, *case, parts),
        Exp::Sort(count, region) => return sort::sort(cx, var, *count, region),
        Exp::Copy(array) => reshape::copy(cx, var, *array),
        Exp::Uninit => reshape::uninit(cx, var),
        Exp::Retype(x) => reshape::retype(cx, var, *x),
        Exp::Unrank { index, shape } => reshape::unrank(cx, var, *index, *shape),
        Exp::DescUniform(length) => desc::uniform(cx, var, *length),
        Exp::DescOf(lengths) => desc::of_lengths(cx, var, *lengths),
        Exp::DescLengths(desc) => desc::lengths(cx, var, *desc),
        Exp::DescRow(desc, element) => desc::row_of(cx, var, *desc, *element),
        Exp::DescEqual(a, b) => desc::equal(cx, var, *a, *b),
        Exp::Literal(prim, elements) => {
            let elements = cx.homes.scalars(elements);
            vector::bind(cx, var, *prim, elements);
        }
        Exp::Atom(atom) => rename(cx, var, *atom),
        exp => {
            let value = scalar(cx, exp);
            cx.bind_scalar(var, value);
        }
    }
    Ok(())
}

/// An expression whose result is a scalar.
fn scalar(cx: &mut Lower<'_>, exp: &Exp) -> Expr {
    let exprs = cx.code.exprs;
    let of = |a: &Atom| cx.homes.scalar(*a);
    match exp {
        Exp::Bin(BinOp::LogAnd, _, a, b) => exprs.and(of(a), of(b)),
        Exp::Bin(BinOp::LogOr, _, a, b) => exprs.or(of(a), of(b)),
        Exp::Un(UnOp::Not, Prim::Bool, a) => exprs.not(of(a)),
        Exp::Bin(op, prim, a, b) => exprs.op(Op::Bin(*op, *prim, of(a), of(b))),
        Exp::Un(op, prim, a) => exprs.op(Op::Un(*op, *prim, of(a))),
        Exp::Math(op, prim, args) => exprs.op(Op::Math(*op, *prim, cx.homes.scalars(args))),
        Exp::Convert(from, to, a) => exprs.op(Op::Convert(*from, *to, of(a))),
        // A product that overflows also exceeds memory: the allocation fails.
        Exp::Total(dims) => dims::capacity(cx, dims),
        exp => base::bug!("{exp:?} in the place of a scalar"),
    }
}

/// A new name for a value.
fn rename(cx: &mut Lower<'_>, var: Var, atom: Atom) {
    if let Some(from) = atom.var() {
        if cx.recs.contains_key(&from) {
            return rec_read::rename(cx, var, from);
        }
        if let Some(known) = cx.homes.known.get(&from).cloned() {
            cx.homes.known.insert(var, known);
        }
    }
    let rep = cx.homes.atom(atom);
    cx.homes.bind(var, rep);
}

/// One scalar or the other. Arrays are chosen as by `if`.
fn select(cx: &mut Lower<'_>, vars: &[Var], c: Atom, a: Atom, b: Atom) -> Low<()> {
    let exprs = cx.code.exprs;
    if let (Rep::Scalar(x), Rep::Scalar(y)) = (cx.homes.atom(a), cx.homes.atom(b)) {
        let value = exprs.select(cx.homes.scalar(c), x, y);
        vars.iter().for_each(|var| cx.bind_scalar(*var, value));
        return Ok(());
    }
    let block = |atom| Block { stms: Vec::new(), result: vec![atom] };
    choice::choice(cx, vars, c, &block(a), &block(b))
}

fn assert(cx: &mut Lower<'_>, vars: &[Var], cond: Atom, site: ir::SiteId, args: &[Atom]) {
    let exprs = cx.code.exprs;
    let cond = cx.homes.scalar(cond);
    faults::fail_if(cx, exprs.not(cond), SiteId(site.0), |cx| args.iter().map(|a| faults::fail_arg(cx, *a)).collect());
    vars.iter().for_each(|v| cx.homes.bind(*v, Rep::Cert));
}
