//! Boxes: memory with the number of the case, the numbers that make up its components, and references to their memory.
//!
//! The components of values ([`components`]) are words or references. Code that opens a box reads the words and borrows
//! the references: the box keeps them while it is open.

use super::choice;
use crate::arrays::components;
use crate::builder::Builder;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr::{self, ExprBuilder};
use crate::data::rep::Rep;
use ir::{Atom, Block, BoxId, Region, Var};
use kernel::{Arg, Expr, Op, Stm, Type as KType, Var as K};
use scalar::{MathOp, Prim};

/// Makes a box.
pub(crate) fn pack(cx: &mut Lower<'_>, var: Var, kind: BoxId, case: usize, parts: &[Atom]) -> Low<()> {
    let (mut refs, mut words) = (Vec::new(), vec![expr::int(case as i64)]);
    for (part, param) in parts.iter().zip(&cx.src.boxes[kind].cases[case]) {
        if let Rep::Scalar(value) = cx.homes.atom(*part) {
            words.push(as_word(cx.code.exprs, cx.prim_of(*part), value));
            continue;
        }
        let mut components = Vec::new();
        components::pass(cx, *part, *param, &mut components)?;
        components.into_iter().for_each(|component| match component {
            Arg::Buffer(k) => refs.push(k),
            Arg::Scalar(value) => words.push(value),
        });
    }
    let (name, span) = (cx.name_of(var), cx.code.span);
    let to = cx.code.declare_buffer(name, Prim::I64);
    cx.homes.boxes.insert(to);
    refs.iter().for_each(|k| cx.aliases.merge(to, *k));
    cx.code.emit(Stm::Pack { to, refs, words, span });
    cx.code.own(to);
    cx.homes.bind(var, Rep::Box(to));
    Ok(())
}

/// Runs what belongs to the case of a box.
pub(crate) fn open(cx: &mut Lower<'_>, vars: &[Var], x: Var, cases: &[Region]) -> Low<()> {
    let exprs = cx.code.exprs;
    let Rep::Box(from) = cx.homes.rep(x) else { base::bug!("{x:?} in the place of a box") };
    let blocks: Vec<&Block> = cases.iter().map(|case| &case.body).collect();
    let is = |i: usize| exprs.eq(exprs.load(from, expr::int(0)), expr::int(i as i64));
    let choose = |blocks: Vec<Vec<Stm>>| {
        let mut blocks = blocks.into_iter().enumerate().rev();
        // Without any case there are no boxes of the kind, and this is never run.
        let last = blocks.next().map(|(_, block)| block).unwrap_or_default();
        let rest = blocks.fold(last, |rest, (i, block)| vec![Stm::If(is(i), block, rest)]);
        match <[Stm; 1]>::try_from(rest) {
            Ok([only @ Stm::If(..)]) => only,
            Ok(only) => Stm::If(expr::truth(true), only.into(), Vec::new()),
            Err(stms) => Stm::If(expr::truth(true), stms, Vec::new()),
        }
    };
    let take_out = |cx: &mut Lower<'_>, i: usize| {
        forget_parts(cx, cases);
        take_out(cx, from, &cases[i].params)
    };
    choice::alternatives(cx, vars, &blocks, take_out, choose)?;
    forget_parts(cx, cases);
    Ok(())
}

/// After a case its box contains no recursive arrays any more.
fn forget_parts(cx: &mut Lower<'_>, cases: &[Region]) {
    cases.iter().flat_map(|case| &case.params).for_each(|var| drop(cx.recs.remove(var)));
}

/// Binds the components of a box, in the order in which they were put in.
fn take_out(cx: &mut Lower<'_>, from: K, params: &[Var]) -> Low<()> {
    let exprs = cx.code.exprs;
    let (mut refs, mut words) = (0, 1);
    let mut next = |cx: &mut Builder<'_>, name: &str, ty| match ty {
        KType::Buffer(_) => {
            let to = cx.code.fresh(name, ty);
            cx.code.emit(Stm::Fetch { to, from, at: refs });
            cx.aliases.merge(to, from);
            refs += 1;
            Expr::Var(to)
        }
        KType::Scalar(prim) => {
            let word = exprs.load(from, expr::int(words));
            words += 1;
            cx.code.name(name, prim, from_word(exprs, prim, word))
        }
    };
    params.iter().try_for_each(|var| components::bind(cx, *var, &mut next))
}

/// The bits of a scalar as a number.
fn as_word(exprs: &ExprBuilder, prim: Prim, value: Expr) -> Expr {
    match prim.unsigned().filter(|_| prim.is_float()) {
        Some(bits) => convert(exprs, bits, Prim::I64, exprs.op(Op::Math(MathOp::ToBits, prim, vec![value]))),
        None => convert(exprs, prim, Prim::I64, value),
    }
}

/// The scalar that was put into a word.
fn from_word(exprs: &ExprBuilder, prim: Prim, word: Expr) -> Expr {
    match prim.unsigned().filter(|_| prim.is_float()) {
        Some(bits) => exprs.op(Op::Math(MathOp::FromBits, prim, vec![convert(exprs, Prim::I64, bits, word)])),
        None => convert(exprs, Prim::I64, prim, word),
    }
}

fn convert(exprs: &ExprBuilder, from: Prim, to: Prim, value: Expr) -> Expr {
    if from == to { value } else { exprs.op(Op::Convert(from, to, value)) }
}
