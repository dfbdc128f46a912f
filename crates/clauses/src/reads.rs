//! What a clause's value certainly reads of the recursive arrays.

use super::eval::Eval;
use super::source::safe;
use affine::clauses::{Form, OPEN, Read};
use affine::{Loop, LoopVar};
use base::Span;
use scalar::BinOp;
use typed::{Expr, ExprKind, Index, LocalId, LoopForm};

/// A recursive array.
pub(super) struct Target {
    pub name: LocalId,
    /// The extents, `OPEN` where unknown.
    pub shape: Vec<i64>,
}

/// The reads of `value` that no branch, loop or function can skip, each with its place. Also whether the walk left
/// something open that concrete values of the loop variables might decide.
pub(super) fn certain_reads<'a>(
    eval: &mut Eval<'a>,
    value: &'a Expr,
    targets: &[Target],
    loops: &[Loop],
) -> (Vec<(Read, Span)>, bool) {
    let mut walk = Walk { eval, targets, loops, out: Vec::new(), open: false };
    if !targets.is_empty() {
        walk.expr(value);
    }
    (walk.out, walk.open)
}

struct Walk<'w, 'a> {
    eval: &'w mut Eval<'a>,
    targets: &'w [Target],
    loops: &'w [Loop],
    out: Vec<(Read, Span)>,
    open: bool,
}

impl<'a> Walk<'_, 'a> {
    /// Walks what is certainly evaluated. What may be skipped leaves the walk open if it mentions an array.
    fn expr(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Index(..) => {
                if let Some((array, indices)) = self.indexed(expr) {
                    self.read(array, &indices, expr.span);
                }
                self.below(expr);
            }
            ExprKind::If { cond, then, otherwise } => self.branches(cond, then, otherwise),
            ExprKind::Binary { op: op @ (BinOp::LogAnd | BinOp::LogOr), lhs, rhs, lifted: false } => {
                self.short_circuit(*op, lhs, rhs)
            }
            ExprKind::Let { sizes: _, pat, value, body } => {
                self.expr(value);
                let value = self.eval.expr(value);
                self.eval.bind(pat, value.as_ref());
                self.expr(body);
            }
            ExprKind::Match { value, .. } => self.expr(value),
            ExprKind::Assert { cond, .. } => self.expr(cond),
            ExprKind::LetFun { body, .. } => self.expr(body),
            ExprKind::Loop { sizes: _, pat: _, init, form, body: _ } => self.before_loop(init, form),
            ExprKind::Apply(fun, args) => self.applied(fun, args),
            // What these compute may run any number of times, or never.
            ExprKind::Lambda(_)
            | ExprKind::LetRec { .. }
            | ExprKind::Comprehension { .. }
            | ExprKind::ArrayBy { .. }
            | ExprKind::Update { .. }
            | ExprKind::Accum { .. } => {}
            ExprKind::Scalar(_)
            | ExprKind::Bytes(_)
            | ExprKind::Hole
            | ExprKind::Blank(_)
            | ExprKind::Local(..)
            | ExprKind::Global(..)
            | ExprKind::Operator(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Range { .. }
            | ExprKind::Project(..)
            | ExprKind::Constr(..)
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::With { .. }
            | ExprKind::Ascribe(..)
            | ExprKind::Coerce(..)
            | ExprKind::Error => expr.for_each_child(&mut |child| self.expr(child)),
        }
    }

    /// The condition, and the branch that it chooses if that is known.
    fn branches(&mut self, cond: &'a Expr, then: &'a Expr, otherwise: &'a Expr) {
        self.expr(cond);
        match self.eval.bool(cond) {
            Some(true) => self.expr(then),
            Some(false) => self.expr(otherwise),
            None => self.open |= self.mentions(then) || self.mentions(otherwise),
        }
    }

    /// `&&` and `||` evaluate their right operand only if the left one does not decide.
    fn short_circuit(&mut self, op: BinOp, lhs: &'a Expr, rhs: &'a Expr) {
        self.expr(lhs);
        match self.eval.bool(lhs) {
            Some(known) if known == (op == BinOp::LogAnd) => self.expr(rhs),
            Some(_) => {}
            None => self.open |= self.mentions(rhs),
        }
    }

    /// What a loop evaluates before its first turn, which may not come.
    fn before_loop(&mut self, init: &'a Expr, form: &'a LoopForm) {
        self.expr(init);
        match form {
            LoopForm::For(_, e) | LoopForm::ForIn(_, e) => self.expr(e),
            LoopForm::While(_) => {}
        }
    }

    /// The function and its arguments.
    fn applied(&mut self, fun: &'a Expr, args: &'a [Expr]) {
        self.expr(fun);
        // The length of a row does not depend on its elements.
        let only_shape = self.asks_for_shape(fun);
        let needed = |arg: &&Expr| !(only_shape && matches!(&*arg.kind, ExprKind::Index(..)));
        args.iter().filter(needed).for_each(|arg| self.expr(arg));
    }

    fn asks_for_shape(&self, fun: &Expr) -> bool {
        let ExprKind::Global(def, _) = &*fun.kind else { return false };
        matches!(self.eval.program.defs[*def].name.as_str(), "length" | "shape" | "rank" | "null" | "indices")
    }

    /// Whether an expression mentions a recursive array.
    fn mentions(&self, expr: &Expr) -> bool {
        let mut found = matches!(&*expr.kind, ExprKind::Local(local, _) if self.target(*local).is_some());
        expr.for_each_child(&mut |child| found = found || self.mentions(child));
        found
    }

    fn target(&self, local: LocalId) -> Option<usize> {
        self.targets.iter().position(|target| target.name == local)
    }

    /// The recursive array and the indices of `a[i, j]`, which is also `a[i][j]`. Of a slice that is indexed again only a
    /// part may be needed: it counts for nothing.
    fn indexed(&self, expr: &'a Expr) -> Option<(usize, Vec<&'a Index>)> {
        match &*expr.kind {
            ExprKind::Local(local, _) => Some((self.target(*local)?, Vec::new())),
            ExprKind::Index(array, indices) => {
                let (array, mut all) = self.indexed(array)?;
                let sliced = all.iter().any(|i| matches!(i, Index::Slice { .. }));
                all.extend(indices);
                (!sliced).then_some((array, all))
            }
            _ => None,
        }
    }

    /// The reads in the indices, and in what is indexed.
    fn below(&mut self, expr: &'a Expr) {
        let ExprKind::Index(array, indices) = &*expr.kind else { return self.expr(expr) };
        self.below(array);
        indices.iter().for_each(|index| index.for_each_child(&mut |e| self.expr(e)));
    }

    /// A read of an element, or of all elements of a row or slice.
    fn read(&mut self, array: usize, indices: &[&'a Index], place: Span) {
        let mut read = Read { array, loops: Vec::new(), subscript: Vec::new() };
        for index in indices {
            match index {
                Index::At(e) => {
                    let form = self.eval.form(e);
                    read.subscript.push(safe(form, self.loops));
                }
                Index::Vector(e) => match self.eval.expr(e).and_then(|v| v.forms()) {
                    Some(forms) => read.subscript.extend(forms.into_iter().map(|form| safe(form, self.loops))),
                    None => return self.open = true,
                },
                Index::Slice { start, end, stride, span: _ } => {
                    let extent = self.targets[array].shape.get(read.subscript.len()).copied().unwrap_or(OPEN);
                    let run = self.run(start.as_ref(), end.as_ref(), extent).filter(|_| stride.is_none());
                    self.all_of(&mut read, run);
                }
            }
        }
        for extent in self.targets[array].shape.iter().skip(read.subscript.len()) {
            self.all_of(&mut read, (*extent != OPEN).then(|| Loop::below(*extent)));
        }
        self.open |= read.subscript.contains(&None);
        self.out.push((read, place));
    }

    /// The next index of a read takes all these values.
    fn all_of(&self, read: &mut Read, values: Option<Loop>) {
        read.subscript.push(values.map(|_| Form::symbol(LoopVar(self.loops.len() + read.loops.len()))));
        read.loops.extend(values);
    }

    /// The indices of a slice. One that leaves the array fails in a way of its own.
    fn run(&mut self, start: Option<&'a Expr>, end: Option<&'a Expr>, extent: i64) -> Option<Loop> {
        let start = start.map_or(Some(0), |e| self.eval.constant(e))?;
        let end = end.map_or(Some(extent).filter(|n| *n != OPEN), |e| self.eval.constant(e))?;
        let fits = 0 <= start && start <= end && end <= extent;
        fits.then(|| Loop::new(start, end, 1)).flatten()
    }
}
