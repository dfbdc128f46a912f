//! Sums of size functions, such as the size `[i64.sum k]` of the rows of `[n][~k]t` one after the other.
//!
//! In a size, a size function `k` means the length of the current row, unless the expression there has the type of
//! an array: then it means all row lengths. Where `k` turns out to be one size, the sum is a product.

use super::canon;
use super::cx::Cx;
use super::demand::Rows;
use scalar::{BinOp, Scalar};
use typed::{Body, DefId, Dim, Expr, ExprKind, Intrinsic, LocalId, Size, Type, TypeArg, TypeParam, size};

impl Cx<'_> {
    /// Whether a size mentions the length of the current row of something.
    pub(super) fn has_row(&self, size: &Size) -> bool {
        let mut locals = Vec::new();
        size::scalar_locals(size, &mut locals);
        locals.iter().any(|l| self.is_function(*l) || self.row_of(*l).is_some())
    }

    /// Whether a size adds up one of these size functions.
    pub(super) fn adds_up(&self, size: &Size, functions: &[LocalId]) -> bool {
        let mut locals = Vec::new();
        size::array_locals(size, &mut locals);
        locals.iter().any(|l| functions.contains(l))
    }

    /// The size with sums over rows that are all of one size written as products.
    pub(super) fn products(&self, size: &Size) -> Size {
        let Size::Expr(expr) = size else { return size.clone() };
        let mut arrays = Vec::new();
        size::array_locals(size, &mut arrays);
        if !arrays.iter().any(|l| self.one_size(*l).is_some()) {
            return size.clone();
        }
        let mut expr = (**expr).clone();
        if self.multiply_out(&mut expr) { size::from_expr(&expr) } else { Size::Unknown }
    }

    /// The size that a local is equal to, if it was taken for a size function but is one size.
    fn one_size(&self, local: LocalId) -> Option<Size> {
        self.kind(local)?;
        match self.norm_size(&Size::Local(local)) {
            Size::Local(l) if self.is_function(l) => None,
            Size::Local(l) if self.is_open(l) && self.rows(self.root(l)) == Rows::MayDiffer => None,
            size => Some(size),
        }
    }

    /// Replaces `i64.sum k`; false if `k` is one size and something else is done with it.
    fn multiply_out(&self, expr: &mut Expr) -> bool {
        if let ExprKind::Apply(fun, args) = &*expr.kind
            && let [arg] = &args[..]
            && let (ExprKind::Local(k, _), Type::Array(Dim::Size(rows), _)) = (&*arg.kind, &arg.ty)
            && let Some(size) = self.one_size(*k)
        {
            let sum = matches!(&*fun.kind, ExprKind::Global(def, _) if self.is_sum(*def));
            let product = canon::combine(BinOp::Mul, &self.norm_size(rows), &size, arg.span);
            return match typed::size_expr(&product, arg.span) {
                Some(product) if sum => {
                    *expr = product;
                    true
                }
                Some(_) | None => false,
            };
        }
        if matches!((&*expr.kind, &expr.ty), (ExprKind::Local(k, _), Type::Array(..)) if self.one_size(*k).is_some()) {
            return false;
        }
        let mut done = true;
        expr.for_each_child_mut(&mut |child| done &= self.multiply_out(child));
        done
    }

    /// Whether a definition adds up the elements of an array.
    fn is_sum(&self, def: DefId) -> bool {
        let Some(def) = self.program.defs.get(self.renamed(def)) else { return false };
        let Body::Expr(body) = &def.body else { return false };
        let ExprKind::Apply(fun, args) = &*body.kind else { return false };
        let ExprKind::Global(fun, _) = &*fun.kind else { return false };
        let reduce = self.program.defs.get(*fun).is_some_and(|f| matches!(f.body, Body::Intrinsic(Intrinsic::Reduce)));
        let [op, zero, _] = &args[..] else { return false };
        reduce
            && def.params.len() == 1
            && matches!(&*op.kind, ExprKind::Operator(BinOp::Add))
            && matches!(&*zero.kind, ExprKind::Scalar(Scalar::I64(0)))
    }

    /// A call of a definition whose body is a size function of its parameter, such as `jagged.lengths xss`.
    pub(super) fn lengths_call(&self, e: &Expr) -> Option<LocalId> {
        let ExprKind::Apply(fun, args) = &*e.kind else { return None };
        let ExprKind::Global(def, type_args) = &*fun.kind else { return None };
        let def = self.program.defs.get(*def)?;
        let Body::Expr(body) = &def.body else { return None };
        let ExprKind::Local(k, _) = &*body.kind else { return None };
        if def.params.len() != 1 || args.len() != 1 {
            return None;
        }
        let at = def.type_params.iter().position(|p| *p == TypeParam::Jagged(*k))?;
        match type_args.get(at)? {
            TypeArg::Jagged(dim) => match self.norm_dim(dim, true) {
                Dim::Jagged(Some(k)) => Some(k),
                Dim::Size(Size::Local(v)) if self.is_open(v) => Some(v),
                Dim::Size(_) | Dim::Jagged(None) | Dim::Shape(_) => None,
            },
            TypeArg::Size(_) | TypeArg::Type(_) | TypeArg::Shape(_) => None,
        }
    }
}
