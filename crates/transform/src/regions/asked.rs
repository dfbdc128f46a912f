//! What must hold before a form in which each element chooses takes the place of another one.

use super::find::{Asked, Sum};
use crate::write::Writer;
use base::Span;
use ir::facts::places::{Apart, SMALL};
use ir::{Atom, Program, Stm};
use scalar::{BinOp, Prim};

/// The statements that compute whether all of it holds.
pub(super) fn condition(program: &mut Program, asked: &Asked, span: Span) -> (Vec<Stm>, Atom) {
    let mut writer = Writer { program, stms: Vec::new(), span };
    let mut parts = Vec::new();
    for [low, high] in &asked.orders {
        let (low, high) = (sum(&mut writer, low), sum(&mut writer, high));
        parts.push(writer.truth(BinOp::Le, Prim::I64, low, high));
    }
    for apart in &asked.apart {
        match apart {
            Apart::Holds(cond) => parts.push(*cond),
            Apart::Differ(a, b) => parts.push(writer.truth(BinOp::Ne, Prim::I64, *a, *b)),
            Apart::Natural(a) => parts.push(writer.truth(BinOp::Ge, Prim::I64, *a, Atom::size(0))),
            Apart::Small(a) => {
                parts.push(writer.truth(BinOp::Ge, Prim::I64, *a, Atom::size(0)));
                parts.push(writer.truth(BinOp::Le, Prim::I64, *a, Atom::size(SMALL)));
            }
        }
    }
    let all = parts.into_iter().reduce(|all, part| writer.truth(BinOp::LogAnd, Prim::Bool, all, part));
    (writer.stms, all.unwrap_or(Atom::bool(true)))
}

/// A sum of variables and a constant.
pub(super) fn sum(writer: &mut Writer<'_>, sum: &Sum) -> Atom {
    let mut terms = sum.added.iter().map(|var| (BinOp::Add, Atom::Var(*var))).collect::<Vec<_>>();
    terms.extend(sum.subtracted.iter().map(|var| (BinOp::Sub, Atom::Var(*var))));
    let (start, rest) = match terms.split_first() {
        Some(((BinOp::Add, first), rest)) => (*first, rest),
        _ => (Atom::size(0), &terms[..]),
    };
    let mut total = start;
    for (op, term) in rest {
        total = writer.int("t", *op, total, *term);
    }
    match (sum.constant, total.as_size()) {
        (0, _) => total,
        (constant, Some(known)) => Atom::size(known + constant),
        (constant, None) => writer.int("t", BinOp::Add, total, Atom::size(constant)),
    }
}
