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
//!
//! A rotation by a constant is `i + t` with `t = -1 % n`. For all `i` but the first it is `i - 1`, which is asked first: then loops can
//! compute the middle apart from the borders.
//!
//! ```text
//! let j: i64 = i + t                            let near: bool = i >= 1
//! let k: i64 = j % n                    =>      let l: i64 = i - 1
//!                                               let k: i64 = select(near, l, ..)
//! ```

use base::{Map, Name};
use ir::facts::Facts;
use ir::facts::remainders::Distance;
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Stm, Type, Var, VarInfo};
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

/// Longer shifts are no borders.
const LONGEST: i64 = 16;
/// Sums of more terms are not looked at.
const MOST_TERMS: usize = 6;

/// A number that is an index of the divisor's range, shifted by a constant, but for a multiple of the divisor.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    index: Atom,
    by: i64,
}

/// How integers are computed.
pub(super) struct Sums(Map<Var, Exp>);

impl Sums {
    pub fn of(body: &Block) -> Sums {
        let mut found = Map::default();
        body.walk(&mut |part| {
            let Part::Stm(Stm { vars, exp, .. }) = part else { return };
            if let ([var], Exp::Bin(..) | Exp::Select(..)) = (&vars[..], exp) {
                found.insert(*var, exp.clone());
            }
        });
        Sums(found)
    }

    fn get(&self, atom: Atom) -> Option<&Exp> {
        self.0.get(&atom.var()?)
    }

    /// A number as a shifted index, if that is not how it is computed.
    pub fn shift(&self, facts: &mut Facts<'_>, number: Atom, divisor: Atom) -> Option<Shift> {
        let (mut terms, mut by) = (Vec::new(), 0_i64);
        self.terms(number, true, &mut terms, &mut by)?;
        let (plain, count) = (by, terms.len());
        let mut others = Vec::new();
        for (term, is_added) in terms {
            match self.rest(term, divisor) {
                _ if term == divisor => {}
                Some(rest) if is_added => by = by.checked_add(rest)?,
                Some(rest) => by = by.checked_sub(rest)?,
                None => others.push((term, is_added)),
            }
        }
        let [(index, true)] = others[..] else { return None };
        if let Some(divisor) = divisor.as_size().filter(|divisor| *divisor > 0) {
            by = by.rem_euclid(divisor);
            by = if by > divisor / 2 { by - divisor } else { by };
        }
        let mut holds = |op, a, b| {
            let fact = facts.comparison(op, a, b, true);
            fact.is_some_and(|fact| facts.follows(&fact))
        };
        let is_inside = holds(BinOp::Le, Atom::size(0), index) && holds(BinOp::Lt, index, divisor);
        // Of the index and a constant, it is known already where it is.
        (is_inside && (by != plain || count > 1) && by != 0 && (-LONGEST..=LONGEST).contains(&by))
            .then_some(Shift { index, by })
    }

    /// The terms of a sum, and whether they are added; constants are added to `constant`.
    fn terms(&self, atom: Atom, is_added: bool, out: &mut Vec<(Atom, bool)>, constant: &mut i64) -> Option<()> {
        if let Some(number) = atom.as_size() {
            let sum = if is_added { constant.checked_add(number) } else { constant.checked_sub(number) };
            *constant = sum?;
            return Some(());
        }
        match self.get(atom) {
            Some(Exp::Bin(op @ (BinOp::Add | BinOp::Sub), Prim::I64, a, b)) => {
                self.terms(*a, is_added, out, constant)?;
                self.terms(*b, is_added == (*op == BinOp::Add), out, constant)
            }
            _ => {
                out.push((atom, is_added));
                (out.len() <= MOST_TERMS).then_some(())
            }
        }
    }

    /// The constant of which a number is the rest by the divisor.
    fn rest(&self, atom: Atom, divisor: Atom) -> Option<i64> {
        let Exp::Bin(BinOp::Mod, Prim::I64, number, by) = self.get(atom)? else { return None };
        (*by == divisor || self.is_unless_zero(*by, divisor)).then(|| number.as_size())?
    }

    /// Whether a number is `select(n == 0, .., n)`, where `n` is not 0.
    fn is_unless_zero(&self, atom: Atom, n: Atom) -> bool {
        let Some(Exp::Select(cond, _, otherwise)) = self.get(atom) else { return false };
        let asked = self.get(*cond);
        matches!(asked, Some(Exp::Bin(BinOp::Eq, Prim::I64, a, b)) if *a == n && *b == Atom::size(0)) && *otherwise == n
    }
}

/// The statements that give the shifted index where it is in the range, and otherwise what `stms` compute.
pub(super) fn near(program: &mut Program, shift: Shift, divisor: Atom, mut stms: Vec<Stm>) -> Vec<Stm> {
    let Some(far) = stms.pop() else { return stms };
    let span = far.span;
    let mut new = |prim: Prim, exp: Exp| {
        let var = program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(prim)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
        Atom::Var(var)
    };
    let bin = |op, a, b| Exp::Bin(op, Prim::I64, a, b);
    let is_near = if shift.by < 0 {
        new(Prim::Bool, bin(BinOp::Ge, shift.index, Atom::size(-shift.by)))
    } else {
        let limit = new(Prim::I64, bin(BinOp::Sub, divisor, Atom::size(shift.by)));
        new(Prim::Bool, bin(BinOp::Lt, shift.index, limit))
    };
    let direct = new(Prim::I64, bin(BinOp::Add, shift.index, Atom::size(shift.by)));
    let wrapped = new(Prim::I64, far.exp.clone());
    stms.push(Stm { exp: Exp::Select(is_near, direct, wrapped), ..far });
    stms
}
