//! How often the body of a loop over lanes may be copied.
//!
//! A loop whose number of turns is known becomes a loop over a few vectors. Where a loop around it goes on with what these
//! hold, as a reduction does with its lanes, they should stay in registers; for that the C compiler has to make straight code
//! of the inner loop. It does so only if it is told, and it is told only where the body is small and goes through memory element by
//! element: collecting others takes so long that nothing is gained.
//!
//! ```text
//! for g < groups {                                    for (g < groups)
//!   for k < 64 simd { lanes[k] += xs[g * 64 + k] }      RV_SIMD RV_UNROLL(16) for (k < 64) ...
//! }                                                       ==>  r0 += xs[g * 64 ..], r1 += .., r2 += .., r3 += ..
//! ```

use kernel::facts::{Turns, constant_count};
use kernel::{Expr, Op, Program, Stm, Var};

/// The least and the most lanes that are known to be a few vectors.
const LANES: std::ops::RangeInclusive<i64> = 16..=128;
/// How many lanes the shortest vectors have that are worth it.
const SHORTEST: i64 = 4;
/// Bodies have at most so many statements.
const LARGE: usize = 16;

/// How many copies the C compiler may make of the body of such a loop.
pub(crate) fn of_vectors(program: &Program, index: Var, from: Expr, to: Expr, body: &[Stm]) -> Option<i64> {
    let lanes = constant_count(from, to).filter(|lanes| LANES.contains(lanes))?;
    let mut body_of = Body { program, turns: Turns::new(program, index, &[]), statements: 0 };
    (body_of.is_plain(body) && body_of.statements <= LARGE).then_some(lanes / SHORTEST)
}

/// The body of a loop.
struct Body<'p> {
    program: &'p Program,
    turns: Turns<'p>,
    statements: usize,
}

impl Body<'_> {
    fn is_plain(&mut self, stms: &[Stm]) -> bool {
        stms.iter().all(|stm| {
            self.statements += 1;
            match stm {
                Stm::Let(var, value) => {
                    let cheap = self.is_cheap(*value);
                    self.turns.declare(*var, Some(*value));
                    cheap
                }
                Stm::Set(_, value) => self.is_cheap(*value),
                Stm::If(cond, then, otherwise) => {
                    self.is_cheap(*cond) && self.is_plain(then) && self.is_plain(otherwise)
                }
                Stm::Store { at, value, .. } => self.is_near(*at) && self.is_cheap(*value),
                Stm::Declare(var) => {
                    self.turns.declare(*var, None);
                    true
                }
                _ => false,
            }
        })
    }

    /// Whether an expression is a few instructions.
    fn is_cheap(&self, value: Expr) -> bool {
        let Expr::Op(id) = value else { return true };
        let op = &self.program.exprs[id];
        let mut cheap = match op {
            Op::Math(which, ..) => !which.is_inexact(),
            Op::Load(_, at) => self.is_near(*at),
            _ => true,
        };
        op.for_each_operand(|operand| cheap &= self.is_cheap(operand));
        cheap
    }

    /// Whether a place moves by one element or not at all.
    fn is_near(&self, place: Expr) -> bool {
        self.turns.step(place).is_some_and(|step| step == 0 || step == 1)
    }
}
