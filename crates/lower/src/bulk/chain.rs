//! Running combinations by an exact operator whose values are only stored, in one pass over memory.
//!
//! ```text
//! for b < blocks parallel {
//!   for low <= i < high { values[i - low] := ..value..; sum := op(sum, ..value..) }
//!   relay before = chain turn b next op(before, sum)
//!   prefix ys[low] = values[0] count high - low before before
//! }
//! ```
//!
//! A block computes its values, which stay in the cache, and what they give together. Then it waits for what all blocks before it
//! give: threads take blocks in order, and each hands this on to the next ("single-pass parallel prefix scan with decoupled
//! look-back", Merrill and Garland 2016, section 4). So results are written once, past the caches if there are many.

use super::form::Bound;
use super::scan;
use super::turns::Turns;
use super::walk::Taker;
use crate::arrays::dims;
use crate::builder::blocks::Blocks;
use crate::bulk::form;
use crate::context::Lower;
use crate::data::rep::{Array, Rep};
use crate::data::{Low, expr};
use crate::scope;
use ir::{Atom, Bulk, Emit, Exp, Kind, Output, Scan, Var, tree};
use kernel::facts::has_prefix;
use kernel::{Expr, Mode, Op, Stm, Type, Var as K};
use scalar::{BinOp, Prim, Scalar};

/// Turns of a block.
const BLOCK: i64 = 8192;
/// Results of more bytes than this are written past the caches.
const LARGE: i64 = 8 << 20;

/// A running combination that goes this way.
pub(crate) struct Chain {
    op: BinOp,
    prim: Prim,
    neutral: Scalar,
}

/// The only running combination of a form, if it can go this way.
pub(crate) fn of(bulk: &Bulk, stored: &[&Scan], turns: &Turns<'_>) -> Option<Chain> {
    let ([scan], [Output { kind: Kind::Gen { .. }, .. }]) = (stored, &bulk.outputs[..]) else { return None };
    let [only] = &scan.op.body.stms[..] else { return None };
    let Exp::Bin(op, prim, ..) = only.exp else { return None };
    let neutral = *tree::identities(&scan.op)?.first()?;
    let fits = has_prefix(op, prim) && tree::is_exact(&scan.op) && !turns.heavy;
    fits.then_some(Chain { op, prim, neutral })
}

/// Stores the values of a block and combines them.
struct Values<'c> {
    chain: &'c Chain,
    /// Where they go.
    to: K,
    sum: K,
    /// What the number of a turn is made of, and the first of the block.
    turn: Vec<(Var, Expr)>,
    low: Expr,
}

impl Taker for Values<'_> {
    // The step that combines has its value.
    fn take(&mut self, _: &mut Lower<'_>, _: &Emit) -> Low<()> {
        Ok(())
    }

    fn scan(&mut self, cx: &mut Lower<'_>, scan: &Scan) -> Low<()> {
        let exprs = cx.code.exprs;
        let Chain { op, prim, .. } = *self.chain;
        scope::with_block(cx, &scan.value, |cx, reps| {
            let [Rep::Scalar(value)] = reps[..] else { base::bug!("only numbers are handed on") };
            let value = cx.code.name("value", prim, value);
            let parts = self.turn.iter().map(|(var, factor)| exprs.mul(cx.homes.scalar(Atom::Var(*var)), *factor));
            let turn = parts.fold(expr::int(0), |sum, part| exprs.add(sum, part));
            cx.code.store(self.to, exprs.sub(turn, self.low), value);
            cx.code.set(self.sum, exprs.op(Op::Bin(op, prim, Expr::Var(self.sum), value)));
            Low::Ok(())
        })
    }
}

/// Lowers a form with one such combination.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &Bound, bulk: &Bulk, chain: &Chain, turns: &Turns<'_>) -> Low<()> {
    let exprs = cx.code.exprs;
    let elems = form::elems(cx, &bulk.outputs[0]);
    let out = scan::results(cx, &elems, bound, turns.count)[0];
    let link = cx.code.table("chain", Prim::I64, expr::int(2));
    cx.code.store(link, expr::int(0), expr::int(0));
    let neutral = scalar::convert(chain.neutral, Prim::I64);
    cx.code.store(link, expr::int(1), Expr::Const(neutral));
    let large = LARGE / chain.prim.bytes() as i64;
    let past = cx.code.name("past", Prim::Bool, exprs.lt(expr::int(large), turns.count));
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(turns.count, BLOCK));
    cx.for_loop("b", expr::int(0), blocks, Mode::Parallel, |cx, b| {
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(BLOCK)));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, expr::int(BLOCK)), turns.count));
        one_block(cx, chain, turns, (low, high), |cx, from, sum| {
            let Chain { op, prim, .. } = *chain;
            let var = cx.code.fresh("before", Type::Scalar(prim));
            let before = Expr::Var(var);
            let next = exprs.op(Op::Bin(op, prim, before, Expr::Var(sum)));
            cx.code.emit(Stm::Relay { chain: link, turn: b, var, next });
            let (to, from, count) = ((out, low), (from, expr::int(0)), exprs.sub(high, low));
            cx.code.emit(Stm::Prefix { to, from, count, before, op, past });
        })
    })?;
    let var = bound.elems[0];
    let dims = cx.src.ty(var).dims();
    let array = dims::packed(cx, out, expr::int(0), dims);
    cx.homes.bind(var, Rep::Array(Array { whole: true, ..array }));
    Ok(())
}

/// The values of a block, and what they give together.
fn one_block(
    cx: &mut Lower<'_>,
    chain: &Chain,
    turns: &Turns<'_>,
    (low, high): (Expr, Expr),
    then: impl FnOnce(&mut Lower<'_>, K, K),
) -> Low<()> {
    let most = cx.code.exprs.min(turns.count, expr::int(BLOCK));
    let to = cx.code.alloc("values", chain.prim, most);
    let sum = cx.code.declare("sum", chain.prim);
    cx.code.set(sum, Expr::Const(chain.neutral));
    let mut values = Values { chain, to, sum, turn: turns.weights(), low };
    turns.range(cx, &mut values, low, high)?;
    then(cx, to, sum);
    Ok(())
}
