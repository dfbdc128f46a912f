//! Loops that are run again for the sake of rare arguments.
//!
//! Sine, cosine and tangent of huge numbers need so many digits of pi that vectors would be slow: a branch calls the C
//! library for them, and the loop around does not become vectors. So a loop whose turns can be repeated has two versions.
//! The first has no branch and notes whether a number was too large; if one was, the second computes everything again.
//!
//! ```text
//! for i < n simd { ys[i] := sin(xs[i]) }    ==>    uint64_t far0_f64 = 0;
//!                                                  for (i < n) ys[i] = rv_sin_quick_f64(xs[i], &far0_f64);
//!                                                  if (far0_f64) for (i < n) ys[i] = rv_sin_f64(xs[i]);
//! ```
//!
//! Turns can be repeated if they only store to new memory that they do not read, and set no variable from outside.

use crate::emitter::Emitter;
use base::Set;
use kernel::{Expr, Exprs, Home, Op, Stm, Var};
use scalar::{Math, MathOp, Prim};

/// Whether the function has a version that notes numbers which are too large for it.
pub(crate) fn may_be_far(name: &str) -> bool {
    ["sin", "cos", "tan"].contains(&name)
}

/// The variable in which a loop notes that a number was too large.
pub(crate) fn flag(number: usize, at: Prim) -> String {
    format!("far{number}_{at}")
}

impl Emitter<'_> {
    /// Whether the loop with this body has two versions.
    pub(crate) fn has_rare_version(&self, body: &[Stm]) -> bool {
        self.program.math == Math::Fast
            && self.repeated.is_none()
            && calls_far(&self.program.exprs, body)
            && self.can_repeat(body)
    }

    /// Whether running the body again gives the same: what it reads is not what it stored.
    fn can_repeat(&self, body: &[Stm]) -> bool {
        let mut plain = true;
        let mut declared: Set<Var> = Set::default();
        let (mut stored, mut read) = (Vec::new(), Vec::new());
        let exprs = &self.program.exprs;
        kernel::walk::for_each_stm(body, &mut |stm| {
            declared.extend(stm.declared());
            match stm {
                Stm::Let(..) | Stm::Declare(_) | Stm::If(..) | Stm::For { .. } => {}
                Stm::Set(var, _) => plain &= declared.contains(var),
                Stm::Store { buffer, .. } => stored.push(*buffer),
                _ => plain = false,
            }
            for_each_expr(stm, &mut |expr| loads(exprs, expr, &mut read));
        });
        let home = |var: Var| self.program.vars[var].home;
        let alone = |buffer: &Var| match home(*buffer) {
            Home::Any => false,
            Home::New(_) => read.iter().all(|var| home(*var) != home(*buffer)),
            Home::Local(_) => declared.contains(buffer) || !read.contains(buffer),
        };
        plain && stored.iter().all(alone)
    }
}

/// Whether a function is called that may have arguments which are too large for it.
fn calls_far(exprs: &Exprs, body: &[Stm]) -> bool {
    let mut found = false;
    kernel::walk::for_each_stm(body, &mut |stm| {
        for_each_expr(stm, &mut |expr| {
            for_each_op(exprs, expr, &mut |op| {
                use MathOp::*;
                found |= matches!(op, Op::Math(Sin | Cos | Tan | Sinpi | Cospi | Tanpi, ..));
            });
        });
    });
    found
}

fn loads(exprs: &Exprs, expr: Expr, read: &mut Vec<Var>) {
    for_each_op(exprs, expr, &mut |op| read.extend(op.buffer()));
}

/// Calls `visit` for each operation in an expression.
fn for_each_op(exprs: &Exprs, expr: Expr, visit: &mut dyn FnMut(&Op)) {
    if let Expr::Op(id) = expr {
        visit(&exprs[id]);
        exprs[id].for_each_operand(|operand| for_each_op(exprs, operand, visit));
    }
}

/// Calls `visit` for each expression of a statement of the kinds that can be repeated.
fn for_each_expr(stm: &Stm, visit: &mut dyn FnMut(Expr)) {
    match stm {
        Stm::Let(_, expr) | Stm::Set(_, expr) | Stm::If(expr, ..) => visit(*expr),
        Stm::Store { at, value, .. } => [*at, *value].into_iter().for_each(visit),
        Stm::For { from, to, .. } => [*from, *to].into_iter().for_each(visit),
        _ => {}
    }
}
