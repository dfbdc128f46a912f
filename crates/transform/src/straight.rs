//! Code without branches: both sides are computed, and one is selected.

use ir::{Atom, Block, Exp, Program, Stm, Type, Var};
use scalar::{BinOp, MathOp, Prim, Scalar};

/// The same block without branches, if it only computes scalars that have a value for all operands.
pub(crate) fn without_branches(program: &Program, block: &Block) -> Option<Block> {
    let mut stms = Vec::new();
    for stm in &block.stms {
        stms.extend(one_without_branches(program, stm)?);
    }
    Some(Block { stms, result: block.result.clone() })
}

fn one_without_branches(program: &Program, stm: &Stm) -> Option<Vec<Stm>> {
    stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_))).then_some(())?;
    match &stm.exp {
        Exp::If(condition, then, otherwise) => selected(program, stm, *condition, then, otherwise),
        exp if is_harmless(exp) && stm.certs.is_empty() => Some(vec![stm.clone()]),
        _ => None,
    }
}

/// The statements of both sides, then a selection for each variable.
pub(crate) fn selected(
    program: &Program,
    stm: &Stm,
    condition: Atom,
    then: &Block,
    otherwise: &Block,
) -> Option<Vec<Stm>> {
    let [yes, no] = [without_branches(program, then)?, without_branches(program, otherwise)?];
    let mut stms: Vec<Stm> = yes.stms.into_iter().chain(no.stms).collect();
    for (var, (yes, no)) in stm.vars.iter().zip(yes.result.into_iter().zip(no.result)) {
        let exp = selection(program, *var, condition, yes, no);
        stms.push(Stm { vars: vec![*var], certs: Vec::new(), exp, span: stm.span });
    }
    Some(stms)
}

fn selection(program: &Program, var: Var, condition: Atom, yes: Atom, no: Atom) -> Exp {
    let truth = matches!(program.ty(var), Type::Scalar(Prim::Bool));
    match (yes, no) {
        (_, Atom::Const(Scalar::Bool(false))) if truth => Exp::Bin(BinOp::LogAnd, Prim::Bool, condition, yes),
        (Atom::Const(Scalar::Bool(true)), _) if truth => Exp::Bin(BinOp::LogOr, Prim::Bool, condition, no),
        _ => Exp::Select(condition, yes, no),
    }
}

/// Whether it can be computed where nobody wants it, in lanes: it has a value for all operands.
pub(crate) fn is_harmless(exp: &Exp) -> bool {
    match exp {
        Exp::Bin(..) => !exp.is_partial(),
        Exp::Math(op, ..) => {
            [MathOp::Sqrt, MathOp::Fma, MathOp::Abs, MathOp::Min, MathOp::Max, MathOp::Isnan].contains(op)
        }
        Exp::Atom(_) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) => true,
        _ => false,
    }
}

/// Whether a variable is a number of four or eight bytes: then lanes of different types are equally many vectors or twice as
/// many.
pub(crate) fn is_wide(program: &Program, var: Var) -> bool {
    let wide = [Prim::I32, Prim::U32, Prim::F32, Prim::I64, Prim::U64, Prim::F64];
    matches!(program.ty(var), Type::Scalar(prim) if wide.contains(prim))
}
