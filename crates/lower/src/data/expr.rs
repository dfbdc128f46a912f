//! Making scalar expressions of Kernel; constants fold, so that index arithmetic stays short.

use kernel::{Expr, Var};
use scalar::{BinOp, Prim, Scalar, UnOp};

/// A constant `i64`.
pub(crate) fn int(n: i64) -> Expr {
    Expr::Const(Scalar::I64(n))
}

/// A constant truth value.
pub(crate) fn truth(b: bool) -> Expr {
    Expr::Const(Scalar::Bool(b))
}

/// A variable.
pub(crate) fn var(v: Var) -> Expr {
    Expr::Var(v)
}

/// The number, if it is a constant `i64`.
pub(crate) fn as_int(e: &Expr) -> Option<i64> {
    match e {
        Expr::Const(Scalar::I64(n)) => Some(*n),
        _ => None,
    }
}

/// Whether evaluating it again costs nothing.
pub(crate) fn is_atom(e: &Expr) -> bool {
    matches!(e, Expr::Const(_) | Expr::Var(_))
}

fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&a, &b)
        && let Ok(value) = scalar::eval_bin(op, *x, *y)
    {
        return Expr::Const(value);
    }
    Expr::Bin(op, Prim::I64, Box::new(a), Box::new(b))
}

/// `a + b`.
pub(crate) fn add(a: Expr, b: Expr) -> Expr {
    match (as_int(&a), as_int(&b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => bin(BinOp::Add, a, b),
    }
}

/// `a - b`.
pub(crate) fn sub(a: Expr, b: Expr) -> Expr {
    match as_int(&b) {
        Some(0) => a,
        _ if a == b => int(0),
        _ => bin(BinOp::Sub, a, b),
    }
}

/// `a * b`.
pub(crate) fn mul(a: Expr, b: Expr) -> Expr {
    match (as_int(&a), as_int(&b)) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(0), _) | (_, Some(0)) => int(0),
        _ => bin(BinOp::Mul, a, b),
    }
}

/// `a / b` of numbers that are not negative; `b` is not 0.
pub(crate) fn div(a: Expr, b: Expr) -> Expr {
    match as_int(&b) {
        Some(1) => a,
        _ => bin(BinOp::Quot, a, b),
    }
}

/// `a % b` of numbers that are not negative; `b` is not 0.
pub(crate) fn rem(a: Expr, b: Expr) -> Expr {
    match as_int(&b) {
        Some(1) => int(0),
        _ => bin(BinOp::Rem, a, b),
    }
}

/// `a << b`.
pub(crate) fn shl(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Shl, a, b)
}

/// `a >> b`, rounding down.
pub(crate) fn shr(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Shr, a, b)
}

/// The bits that both have.
pub(crate) fn bit_and(a: Expr, b: Expr) -> Expr {
    bin(BinOp::And, a, b)
}

/// `a < b`.
pub(crate) fn lt(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Lt, a, b)
}

/// `a <= b`.
pub(crate) fn le(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Le, a, b)
}

/// `a == b`.
pub(crate) fn eq(a: Expr, b: Expr) -> Expr {
    if a == b && is_atom(&a) { truth(true) } else { bin(BinOp::Eq, a, b) }
}

/// `a != b`.
pub(crate) fn ne(a: Expr, b: Expr) -> Expr {
    if a == b && is_atom(&a) { truth(false) } else { bin(BinOp::Ne, a, b) }
}

/// Both; the second only if needed.
pub(crate) fn and(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::Bool(true)), _) => b,
        (_, Expr::Const(Scalar::Bool(true))) => a,
        (Expr::Const(Scalar::Bool(false)), _) => a,
        _ => Expr::Bin(BinOp::LogAnd, Prim::Bool, Box::new(a), Box::new(b)),
    }
}

/// Either; the second only if needed.
pub(crate) fn or(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::Bool(true)), _) => a,
        (_, Expr::Const(Scalar::Bool(true))) => b,
        (Expr::Const(Scalar::Bool(false)), _) => b,
        _ => Expr::Bin(BinOp::LogOr, Prim::Bool, Box::new(a), Box::new(b)),
    }
}

/// Not.
pub(crate) fn not(a: Expr) -> Expr {
    match a {
        Expr::Const(Scalar::Bool(b)) => truth(!b),
        _ => Expr::Un(UnOp::Not, Prim::Bool, Box::new(a)),
    }
}

/// `c ? a : b`.
pub(crate) fn select(c: Expr, a: Expr, b: Expr) -> Expr {
    match c {
        Expr::Const(Scalar::Bool(true)) => a,
        Expr::Const(Scalar::Bool(false)) => b,
        _ => Expr::Select(Box::new(c), Box::new(a), Box::new(b)),
    }
}

/// The lesser.
pub(crate) fn min(a: Expr, b: Expr) -> Expr {
    select(lt(a.clone(), b.clone()), a, b)
}

/// The greater.
pub(crate) fn max(a: Expr, b: Expr) -> Expr {
    select(lt(a.clone(), b.clone()), b, a)
}

/// An element of a buffer.
pub(crate) fn load(buffer: Var, at: Expr) -> Expr {
    Expr::Load(buffer, Box::new(at))
}

/// `a + b` of sizes, or the greatest number if that is too large: as a count to allocate it ends the run.
pub(crate) fn capacity_sum(a: Expr, b: Expr) -> Expr {
    let most = sub(int(i64::MAX), max(b.clone(), int(0)));
    select(lt(most, a.clone()), int(i64::MAX), add(a, b))
}

/// `a * b` of sizes, or the greatest number if that is too large: as a count to allocate it ends the run.
pub(crate) fn capacity(a: Expr, b: Expr) -> Expr {
    let most = int(i64::MAX);
    match (as_int(&a), as_int(&b)) {
        (Some(0), _) | (_, Some(0)) => int(0),
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(x), Some(y)) => int(x.saturating_mul(y)),
        (Some(c), None) => select(lt(int(i64::MAX / c), b.clone()), most, mul(a, b)),
        (None, Some(c)) => select(lt(int(i64::MAX / c), a.clone()), most, mul(a, b)),
        (None, None) => {
            let some = lt(int(0), b.clone());
            let over = lt(div(most.clone(), b.clone()), a.clone());
            select(and(some, over), most, mul(a, b))
        }
    }
}

/// So many rows without elements are too many to walk through.
const ROWS: i64 = 1 << 32;

/// How much to allocate for `a` rows of `b` elements: as [`capacity`], but very many rows take memory even if they are
/// empty.
pub(crate) fn memory(a: Expr, b: Expr) -> Expr {
    let many = |a: &Expr| match as_int(a) {
        Some(n) => truth(n > ROWS),
        None => lt(int(ROWS), a.clone()),
    };
    match as_int(&b) {
        Some(0) => select(many(&a), a, int(0)),
        Some(_) => capacity(a, b),
        None if as_int(&a).is_some_and(|n| n <= ROWS) => capacity(a, b),
        // As many rows as elements: if there are many, they are not empty.
        None if a == b => capacity(a, b),
        None => select(and(eq(b.clone(), int(0)), many(&a)), a.clone(), capacity(a, b)),
    }
}

/// `a + b` of sizes, or the greatest number if that is too large.
pub(crate) fn room_and(a: Expr, more: i64) -> Expr {
    match as_int(&a) {
        Some(n) => int(n.saturating_add(more)),
        None => select(lt(int(i64::MAX - more), a.clone()), int(i64::MAX), add(a, int(more))),
    }
}

/// A constant byte.
pub(crate) fn byte(n: u8) -> Expr {
    Expr::Const(Scalar::U8(n))
}

/// Whether a byte is not 0.
pub(crate) fn not_zero(e: Expr) -> Expr {
    Expr::Bin(BinOp::Ne, Prim::U8, Box::new(e), Box::new(byte(0)))
}

/// The number of blocks of so many turns, a power of two, that a loop has.
pub(crate) fn blocks_of(count: Expr, block: i64) -> Expr {
    // Without adding to the count, which may be as large as a number can be.
    let before_last = shr(sub(count, int(1)), int(block.trailing_zeros().into()));
    add(before_last, int(1))
}
