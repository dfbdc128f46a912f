//! A form that needs no checks for most sizes, in two versions.
//!
//! ```text
//! let xs = bulk { out gen [n] .. checked (..) .. }   =>   let t = 0 != n - 1
//!                                                         let xs = choose t { bulk { out gen [n] .. } .. } or { bulk { .. checked .. } .. }
//! ```

use super::coverage::Exact;
use base::{Name, Span};
use ir::facts::places::{Apart, SMALL};
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Coverage, Exp, Kind, Program, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// The statements in place of one.
pub(super) fn of(program: &mut Program, mut stm: Stm, exact: &Exact) -> Vec<Stm> {
    let (span, certs) = (stm.span, stm.certs.clone());
    let (mut stms, cond) = condition(program, &exact.if_all, span);
    let own = copies(&mut program.vars, &stm.vars);
    let vars = std::mem::replace(&mut stm.vars, own);
    let block = |stm: Stm| Block { result: stm.vars.iter().copied().map(Atom::Var).collect(), stms: vec![stm] };
    let checked = block(stm);
    let mut plain = copy_block(&mut program.vars, &checked, Substitution::default());
    plain.stms.iter_mut().for_each(|stm| set_exact(stm, &exact.outputs));
    stms.push(Stm { vars, certs, exp: Exp::Choose(cond, plain, checked), span });
    stms
}

/// All conditions as one.
fn condition(program: &mut Program, all: &[Apart], span: Span) -> (Vec<Stm>, Atom) {
    let (mut stms, mut both) = (Vec::new(), None);
    for apart in all {
        let next = match apart {
            Apart::Holds(cond) => *cond,
            Apart::Differ(a, b) => bind(program, &mut stms, Exp::Bin(BinOp::Ne, Prim::I64, *a, *b), span),
            Apart::Natural(a) => bind(program, &mut stms, Exp::Bin(BinOp::Ge, Prim::I64, *a, Atom::size(0)), span),
            Apart::Small(a) => {
                let mut compare = |op, b| bind(program, &mut stms, Exp::Bin(op, Prim::I64, *a, b), span);
                let (natural, below) = (compare(BinOp::Ge, Atom::size(0)), compare(BinOp::Le, Atom::size(SMALL)));
                bind(program, &mut stms, Exp::Bin(BinOp::LogAnd, Prim::Bool, natural, below), span)
            }
        };
        both = Some(match both {
            Some(both) => bind(program, &mut stms, Exp::Bin(BinOp::LogAnd, Prim::Bool, both, next), span),
            None => next,
        });
    }
    (stms, both.unwrap_or(Atom::bool(true)))
}

fn bind(program: &mut Program, stms: &mut Vec<Stm>, exp: Exp, span: Span) -> Atom {
    let var: Var = program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
    stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
    var.into()
}

/// These outputs of a form need no checks.
pub(super) fn set_exact(stm: &mut Stm, outputs: &[usize]) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    for number in outputs {
        if let Kind::Gen { coverage, .. } = &mut bulk.outputs[*number].kind {
            *coverage = Coverage::Exact;
        }
    }
}
