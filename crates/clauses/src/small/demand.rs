//! What the value of one instance certainly reads of the recursive arrays, its variables being known.

use super::eval::Eval;
use affine::clauses::ElementRead;
use base::Span;
use scalar::BinOp;
use typed::{Expr, ExprKind, Index, LocalId, LoopForm};

/// Most elements that one read may take.
const MAX_READ: i64 = 10_000;

/// A recursive array with its extents; `None` if those are not known.
pub(super) struct Target {
    pub name: LocalId,
    pub shape: Option<Vec<i64>>,
}

/// What is read.
#[derive(Default)]
pub(super) struct Demands {
    pub elements: Vec<ElementRead>,
    /// The first read that leaves its array.
    pub outside: Option<Outside>,
}

/// A read that leaves its array.
#[derive(Clone, Copy)]
pub(super) struct Outside {
    /// The number of the read in its clause.
    pub read: usize,
    /// Which of the recursive arrays.
    pub array: usize,
    pub dimension: usize,
    pub index: i64,
}

/// The reads of `value` that certainly happen; `places` collects where reads stand in the source.
pub(super) fn demands<'a>(eval: &mut Eval<'a>, value: &'a Expr, targets: &[Target], places: &mut Vec<Span>) -> Demands {
    let mut walk = Walk { eval, targets, places, out: Demands::default() };
    if !targets.is_empty() {
        walk.expr(value);
    }
    walk.out
}

struct Walk<'w, 'a> {
    eval: &'w mut Eval<'a>,
    targets: &'w [Target],
    places: &'w mut Vec<Span>,
    out: Demands,
}

impl<'a> Walk<'_, 'a> {
    fn expr(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Index(array, indices) => {
                if let ExprKind::Local(local, _) = &*array.kind
                    && let Some(which) = self.targets.iter().position(|t| t.name == *local)
                {
                    self.read(which, indices, expr.span);
                } else if !matches!(&*array.kind, ExprKind::Index(..)) {
                    // Of a row or slice that is indexed again only a part may be needed.
                    self.expr(array);
                }
                indices.iter().for_each(|i| i.for_each_child(&mut |e| self.expr(e)));
            }
            ExprKind::If { cond, then, otherwise } => {
                self.expr(cond);
                match self.eval.expr(cond).and_then(|v| v.bool()) {
                    Some(true) => self.expr(then),
                    Some(false) => self.expr(otherwise),
                    None => {}
                }
            }
            ExprKind::Binary { op: op @ (BinOp::LogAnd | BinOp::LogOr), lhs, rhs, lifted: false } => {
                self.expr(lhs);
                if self.eval.expr(lhs).and_then(|v| v.bool()) == Some(*op == BinOp::LogAnd) {
                    self.expr(rhs);
                }
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
            ExprKind::Loop { sizes: _, pat: _, init, form, body: _ } => {
                self.expr(init);
                match &**form {
                    LoopForm::For(_, e) | LoopForm::ForIn(_, e) => self.expr(e),
                    LoopForm::While(_) => {}
                }
            }
            ExprKind::Apply(fun, args) => {
                self.expr(fun);
                // To tell how long a row is, its elements need not be there.
                let only_shape = self.asks_for_shape(fun);
                let needed = |arg: &&Expr| !(only_shape && matches!(&*arg.kind, ExprKind::Index(..)));
                args.iter().filter(needed).for_each(|arg| self.expr(arg));
            }
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
            | ExprKind::Error => {
                let mut parts = Vec::new();
                expr.for_each_child(&mut |child| parts.push(child));
                parts.into_iter().for_each(|part| self.expr(part));
            }
        }
    }

    fn asks_for_shape(&self, fun: &Expr) -> bool {
        let ExprKind::Global(def, _) = &*fun.kind else { return false };
        matches!(self.eval.program.defs[*def].name.as_str(), "length" | "shape" | "rank" | "null" | "indices")
    }

    fn read(&mut self, which: usize, indices: &'a [Index], span: Span) {
        let Some(shape) = self.targets[which].shape.clone() else { return };
        let number = self.places.iter().position(|p| *p == span).unwrap_or_else(|| {
            self.places.push(span);
            self.places.len() - 1
        });
        let Some(runs) = self.runs(which, number, indices, &shape) else { return };
        let total = runs.iter().try_fold(1i64, |total, run| total.checked_mul(run.len() as i64));
        if total.is_none_or(|n| n > MAX_READ) {
            return;
        }
        let mut positions = vec![0i64];
        for (run, extent) in runs.iter().zip(&shape) {
            positions = positions.iter().flat_map(|p| run.iter().map(move |i| p * extent + i)).collect();
        }
        self.eval.budget = self.eval.budget.saturating_sub(positions.len() as u32);
        self.out.elements.extend(positions.iter().map(|p| ElementRead {
            read: number,
            array: which,
            position: *p as usize,
        }));
    }

    /// The indices that are read in each dimension of the shape; `None` where that is not known.
    fn runs(&mut self, which: usize, number: usize, indices: &'a [Index], shape: &[i64]) -> Option<Vec<Vec<i64>>> {
        let mut runs = Vec::new();
        for index in indices {
            match index {
                Index::At(e) => runs.push(vec![self.eval.int(e)?]),
                Index::Vector(e) => runs.extend(self.eval.expr(e)?.ints()?.into_iter().map(|i| vec![i])),
                Index::Slice { start, end, stride: None, span: _ } => {
                    let extent = *shape.get(runs.len())?;
                    let start = start.as_ref().map_or(Some(0), |e| self.eval.int(e))?;
                    let end = end.as_ref().map_or(Some(extent), |e| self.eval.int(e))?;
                    // Slices that leave the array are left to the run.
                    if start < 0 || end < start || end > extent || end - start > MAX_READ {
                        return None;
                    }
                    runs.push((start..end).collect());
                }
                Index::Slice { .. } => return None,
            }
        }
        for (dimension, (run, extent)) in runs.iter().zip(shape).enumerate() {
            if let [one] = run.as_slice()
                && !(0..*extent).contains(one)
            {
                self.out.outside.get_or_insert(Outside { read: number, array: which, dimension, index: *one });
                return None;
            }
        }
        // Fewer indices than dimensions read all below; more go on into the element.
        for extent in shape.iter().skip(runs.len()) {
            if *extent > MAX_READ {
                return None;
            }
            runs.push((0..*extent).collect());
        }
        runs.truncate(shape.len());
        Some(runs)
    }
}
