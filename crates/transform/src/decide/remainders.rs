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

/// The statements that give the remainder of a number at this distance from the divisor.
pub(super) fn without_division(program: &mut Program, stm: Stm, distance: Distance) -> Vec<Stm> {
    let Exp::Bin(op, Prim::I64, number, divisor) = stm.exp else { return vec![stm] };
    let mut new = |prim: Prim, op: BinOp, a: Atom, b: Atom| {
        let var = program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(prim)));
        let made = Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, Prim::I64, a, b), span: stm.span };
        (Atom::Var(var), made)
    };
    let zero = Atom::size(0);
    let (before, remainder) = match distance {
        Distance::Inside => (Vec::new(), Exp::Atom(number)),
        Distance::Below if op == BinOp::Mod => {
            let (is_below, test) = new(Prim::Bool, BinOp::Lt, number, zero);
            let (moved, sum) = new(Prim::I64, BinOp::Add, number, divisor);
            (vec![test, sum], Exp::Select(is_below, moved, number))
        }
        // Toward zero, a negative number is its own remainder, unless it is the divisor's opposite.
        Distance::Below => {
            let (moved, sum) = new(Prim::I64, BinOp::Add, number, divisor);
            let (is_opposite, test) = new(Prim::Bool, BinOp::Eq, moved, zero);
            (vec![sum, test], Exp::Select(is_opposite, zero, number))
        }
        Distance::Above => {
            let (is_below, test) = new(Prim::Bool, BinOp::Lt, number, divisor);
            let (moved, difference) = new(Prim::I64, BinOp::Sub, number, divisor);
            (vec![test, difference], Exp::Select(is_below, number, moved))
        }
    };
    before.into_iter().chain([Stm { exp: remainder, ..stm }]).collect()
}
