//! How often the body of a loop over lanes may be copied.
//!
//! A loop whose number of turns is known becomes a loop over a few vectors. Where a loop around it goes on with what these
//! hold, as a reduction does with its lanes, they should stay in registers; for that the C compiler has to make straight code
//! of the inner loop. It does so only if it is told, and it is told only where the body is small.
//!
//! ```text
//! for g < groups {                                    for (g < groups)
//!   for k < 64 simd { lanes[k] += xs[g * 64 + k] }      RV_SIMD RV_UNROLL(16) for (k < 64) ...
//! }                                                       ==>  r0 += xs[g * 64 ..], r1 += .., r2 += .., r3 += ..
//! ```

use kernel::facts::constant_count;
use kernel::{Expr, Exprs, Op, Stm};

/// The least and the most lanes that are known to be a few vectors.
const LANES: std::ops::RangeInclusive<i64> = 16..=128;
/// How many lanes the shortest vectors have that are worth it.
const SHORTEST: i64 = 4;
/// Bodies have at most so many statements.
const LARGE: usize = 16;

/// How many copies the C compiler may make of the body of such a loop.
pub(crate) fn of_vectors(exprs: &Exprs, from: Expr, to: Expr, body: &[Stm]) -> Option<i64> {
    let lanes = constant_count(from, to).filter(|lanes| LANES.contains(lanes))?;
    is_small(exprs, body).then_some(lanes / SHORTEST)
}

fn is_small(exprs: &Exprs, body: &[Stm]) -> bool {
    let (mut statements, mut plain) = (0, true);
    kernel::walk::for_each_stm(body, &mut |stm| {
        statements += 1;
        plain &= match stm {
            Stm::Let(_, value) | Stm::Set(_, value) | Stm::If(value, ..) => is_cheap(exprs, *value),
            Stm::Store { at, value, .. } => is_cheap(exprs, *at) && is_cheap(exprs, *value),
            Stm::Declare(_) => true,
            _ => false,
        };
    });
    plain && statements <= LARGE
}

/// Whether an expression is a few instructions.
fn is_cheap(exprs: &Exprs, value: Expr) -> bool {
    let Expr::Op(id) = value else { return true };
    let op = &exprs[id];
    let mut cheap = !matches!(op, Op::Math(which, ..) if which.is_inexact());
    op.for_each_operand(|operand| cheap &= is_cheap(exprs, operand));
    cheap
}
