//! Making scalar expressions of Kernel; constants fold, so that index arithmetic stays short.

use kernel::{Expr, Exprs, Op, Var};
use scalar::{BinOp, Prim, Scalar, UnOp};
use std::cell::RefCell;

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
pub(crate) fn as_int(e: Expr) -> Option<i64> {
    match e {
        Expr::Const(Scalar::I64(n)) => Some(n),
        _ => None,
    }
}

/// Whether evaluating it again costs nothing.
pub(crate) fn is_atom(e: Expr) -> bool {
    matches!(e, Expr::Const(_) | Expr::Var(_))
}

/// A constant byte.
pub(crate) fn byte(n: u8) -> Expr {
    Expr::Const(Scalar::U8(n))
}

/// So many rows without elements are too many to walk through.
const ROWS: i64 = 1 << 32;

/// Makes operations in the arena of the program under construction. It is shared, so that expressions nest:
/// `exprs.add(exprs.mul(a, b), c)`.
#[derive(Default)]
pub(crate) struct ExprBuilder {
    arena: RefCell<Exprs>,
}

impl ExprBuilder {
    /// Makes more operations of a finished program.
    pub fn over(arena: Exprs) -> ExprBuilder {
        ExprBuilder { arena: RefCell::new(arena) }
    }

    /// The finished arena.
    pub fn finish(&self) -> Exprs {
        self.arena.take()
    }

    /// Calls `visit` for each variable that occurs.
    pub fn for_each_var(&self, expr: Expr, visit: &mut dyn FnMut(Var)) {
        expr.for_each_var(&self.arena.borrow(), visit);
    }

    /// The operation that an expression stands for.
    pub fn operation(&self, expr: Expr) -> Option<Op> {
        match expr {
            Expr::Op(id) => self.arena.borrow().get(id).cloned(),
            Expr::Const(_) | Expr::Var(_) => None,
        }
    }

    /// An operation as it is.
    pub fn op(&self, op: Op) -> Expr {
        self.arena.borrow_mut().op(op)
    }

    fn bin(&self, op: BinOp, a: Expr, b: Expr) -> Expr {
        if let (Expr::Const(x), Expr::Const(y)) = (a, b)
            && let Ok(value) = scalar::eval_bin(op, x, y)
        {
            return Expr::Const(value);
        }
        self.op(Op::Bin(op, Prim::I64, a, b))
    }

    /// `a + b`.
    pub fn add(&self, a: Expr, b: Expr) -> Expr {
        match (as_int(a), as_int(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.bin(BinOp::Add, a, b),
        }
    }

    /// `a - b`.
    pub fn sub(&self, a: Expr, b: Expr) -> Expr {
        match as_int(b) {
            Some(0) => a,
            _ if a == b => int(0),
            _ => self.bin(BinOp::Sub, a, b),
        }
    }

    /// `a * b`.
    pub fn mul(&self, a: Expr, b: Expr) -> Expr {
        match (as_int(a), as_int(b)) {
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(0), _) | (_, Some(0)) => int(0),
            _ => self.bin(BinOp::Mul, a, b),
        }
    }

    /// `a / b` of numbers that are not negative; `b` is not 0.
    pub fn div(&self, a: Expr, b: Expr) -> Expr {
        match as_int(b) {
            Some(1) => a,
            _ => self.bin(BinOp::Quot, a, b),
        }
    }

    /// `a % b` of numbers that are not negative; `b` is not 0.
    pub fn rem(&self, a: Expr, b: Expr) -> Expr {
        match as_int(b) {
            Some(1) => int(0),
            _ => self.bin(BinOp::Rem, a, b),
        }
    }

    /// `a << b`.
    pub fn shl(&self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Shl, a, b)
    }

    /// `a >> b`, rounding down.
    pub fn shr(&self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Shr, a, b)
    }

    /// The bits that both have.
    pub fn bit_and(&self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::And, a, b)
    }

    /// `a < b`.
    pub fn lt(&self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Lt, a, b)
    }

    /// `a <= b`.
    pub fn le(&self, a: Expr, b: Expr) -> Expr {
        self.bin(BinOp::Le, a, b)
    }

    /// `a == b`.
    pub fn eq(&self, a: Expr, b: Expr) -> Expr {
        if a == b && is_atom(a) { truth(true) } else { self.bin(BinOp::Eq, a, b) }
    }

    /// `a != b`.
    pub fn ne(&self, a: Expr, b: Expr) -> Expr {
        if a == b && is_atom(a) { truth(false) } else { self.bin(BinOp::Ne, a, b) }
    }

    /// Both; the second only if needed.
    pub fn and(&self, a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Const(Scalar::Bool(true)), _) => b,
            (_, Expr::Const(Scalar::Bool(true))) => a,
            (Expr::Const(Scalar::Bool(false)), _) => a,
            (_, Expr::Const(Scalar::Bool(false))) => b,
            _ => self.op(Op::Bin(BinOp::LogAnd, Prim::Bool, a, b)),
        }
    }

    /// Either; the second only if needed.
    pub fn or(&self, a: Expr, b: Expr) -> Expr {
        match (a, b) {
            (Expr::Const(Scalar::Bool(true)), _) => a,
            (_, Expr::Const(Scalar::Bool(true))) => b,
            (Expr::Const(Scalar::Bool(false)), _) => b,
            _ => self.op(Op::Bin(BinOp::LogOr, Prim::Bool, a, b)),
        }
    }

    /// Not.
    pub fn not(&self, a: Expr) -> Expr {
        match a {
            Expr::Const(Scalar::Bool(b)) => truth(!b),
            _ => self.op(Op::Un(UnOp::Not, Prim::Bool, a)),
        }
    }

    /// `c ? a : b`.
    pub fn select(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        match c {
            Expr::Const(Scalar::Bool(true)) => a,
            Expr::Const(Scalar::Bool(false)) => b,
            _ => self.op(Op::Select(c, a, b)),
        }
    }

    /// The lesser.
    pub fn min(&self, a: Expr, b: Expr) -> Expr {
        self.select(self.lt(a, b), a, b)
    }

    /// The greater.
    pub fn max(&self, a: Expr, b: Expr) -> Expr {
        self.select(self.lt(a, b), b, a)
    }

    /// An element of a buffer.
    pub fn load(&self, buffer: Var, at: Expr) -> Expr {
        self.op(Op::Load(buffer, at))
    }

    /// `a + b` of sizes, or the greatest number if that is too large: as a count to allocate it ends the run.
    pub fn capacity_sum(&self, a: Expr, b: Expr) -> Expr {
        let most = self.sub(int(i64::MAX), self.max(b, int(0)));
        self.select(self.lt(most, a), int(i64::MAX), self.add(a, b))
    }

    /// `a * b` of sizes, or the greatest number if that is too large: as a count to allocate it ends the run.
    pub fn capacity(&self, a: Expr, b: Expr) -> Expr {
        let most = int(i64::MAX);
        match (as_int(a), as_int(b)) {
            (Some(0), _) | (_, Some(0)) => int(0),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(x), Some(y)) => int(x.saturating_mul(y)),
            (Some(c), None) => self.select(self.lt(int(i64::MAX / c), b), most, self.mul(a, b)),
            (None, Some(c)) => self.select(self.lt(int(i64::MAX / c), a), most, self.mul(a, b)),
            (None, None) => {
                let some = self.lt(int(0), b);
                let over = self.lt(self.div(most, b), a);
                self.select(self.and(some, over), most, self.mul(a, b))
            }
        }
    }

    /// How much to allocate for `a` rows of `b` elements: as [`ExprBuilder::capacity`], but very many rows
    /// take memory even if they are empty.
    pub fn memory(&self, a: Expr, b: Expr) -> Expr {
        let many = |a: Expr| match as_int(a) {
            Some(n) => truth(n > ROWS),
            None => self.lt(int(ROWS), a),
        };
        match as_int(b) {
            Some(0) => self.select(many(a), a, int(0)),
            Some(_) => self.capacity(a, b),
            None if as_int(a).is_some_and(|n| n <= ROWS) => self.capacity(a, b),
            // As many rows as elements: if there are many, they are not empty.
            None if a == b => self.capacity(a, b),
            None => self.select(self.and(self.eq(b, int(0)), many(a)), a, self.capacity(a, b)),
        }
    }

    /// `a + b` of sizes, or the greatest number if that is too large.
    pub fn room_and(&self, a: Expr, more: i64) -> Expr {
        match as_int(a) {
            Some(n) => int(n.saturating_add(more)),
            None => self.select(self.lt(int(i64::MAX - more), a), int(i64::MAX), self.add(a, int(more))),
        }
    }

    /// Whether a byte is not 0.
    pub fn not_zero(&self, e: Expr) -> Expr {
        self.op(Op::Bin(BinOp::Ne, Prim::U8, e, byte(0)))
    }

    /// The number of blocks of so many turns, a power of two, that a loop has.
    pub fn blocks_of(&self, count: Expr, block: i64) -> Expr {
        // Without adding to the count, which may be as large as a number can be.
        let before_last = self.shr(self.sub(count, int(1)), int(block.trailing_zeros().into()));
        self.add(before_last, int(1))
    }
}
