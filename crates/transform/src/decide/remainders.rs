//! Remainders without a division.
//!
//! ```text
//! for i < n {                                   for i < n {
//!   let j: i64 = i + 1                            let j: i64 = i + 1
//!   let k: i64 = j % n                    =>      let t: bool = j < n
//!   ..                                            let l: i64 = j - n
//!                                                 let k: i64 = select(t, j, l)
//! ```
//!
//! A division takes as long as dozens of additions, and no vector unit has one. `rotate`, rings and borders that wrap around
//! make such remainders, of numbers less than one divisor away.

use base::Name;
use ir::facts::remainders::Distance;
use ir::{Atom, Exp, Program, Stm, Type, VarInfo};
use scalar::{BinOp, Prim};

/// The statements that give the remainder of a number at this distance from the divisor. A remainder toward zero is the
/// number itself where it is negative.
pub(super) fn without_division(program: &mut Program, stm: Stm, distance: Distance) -> Vec<Stm> {
    let Exp::Bin(op, Prim::I64, number, divisor) = stm.exp else { return vec![stm] };
    let (limit, moved) = match distance {
        Distance::Below if op == BinOp::Mod => (Atom::size(0), BinOp::Add),
        Distance::Inside | Distance::Below => return vec![Stm { exp: Exp::Atom(number), ..stm }],
        Distance::Above => (divisor, BinOp::Sub),
    };
    let mut new = |ty: Type, exp: Exp| {
        let var = program.vars.push(VarInfo::new(Name::new("t"), ty));
        Stm { vars: vec![var], certs: Vec::new(), exp, span: stm.span }
    };
    let is_below = new(Type::Scalar(Prim::Bool), Exp::Bin(BinOp::Lt, Prim::I64, number, limit));
    let other = new(Type::I64, Exp::Bin(moved, Prim::I64, number, divisor));
    let (cond, other_value) = (Atom::Var(is_below.vars[0]), Atom::Var(other.vars[0]));
    let choice = match distance {
        Distance::Below => Exp::Select(cond, other_value, number),
        Distance::Above | Distance::Inside => Exp::Select(cond, number, other_value),
    };
    vec![is_below, other, Stm { exp: choice, ..stm }]
}
