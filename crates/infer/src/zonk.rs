//! Writes into a finished tree what inference found: types in place of unknowns, and what waited for those types. A
//! literal becomes a number of its type, `xs + ys` on arrays a lifted operator, an index that is an array a vector index.

use crate::Checker;
use base::Span;
use scalar::{BinOp, Prim, Scalar};
use typed::*;

impl Checker<'_> {
    /// The type without unknowns; extents are forgotten, since the next pass finds them.
    pub(crate) fn zonk_type(&self, ty: &Type) -> Type {
        match self.metas.shallow(ty) {
            ty if ty.is_plain() => ty,
            Type::Meta(_) => Type::tuple([]),
            Type::Abstract(id, args) => Type::Abstract(id, args.iter().map(|a| self.zonk_arg(a)).collect()),
            Type::Array(Dim::Shape(Shape::Meta(_)), elem) => self.zonk_type(&elem),
            Type::Array(dim, elem) => Type::array(forget_extent(&dim), self.zonk_type(&elem)),
            Type::Fun(fun) => {
                let ret = Ret { exts: Vec::new(), ty: self.zonk_type(&fun.ret.ty), unique: fun.ret.unique.clone() };
                fun.with(self.zonk_type(&fun.param), ret)
            }
            ty => ty.map_children(&mut |t| self.zonk_type(t)),
        }
    }

    fn zonk_arg(&self, arg: &TypeArg) -> TypeArg {
        match arg {
            TypeArg::Type(t) => TypeArg::Type(self.zonk_type(t)),
            TypeArg::Shape(dims) => {
                let dims = dims.iter().flat_map(|d| match d {
                    Dim::Shape(s) => self.metas.shape_dims(*s),
                    Dim::Size(_) | Dim::Jagged(_) => vec![d.clone()],
                });
                // A shape that nothing decided has rank zero.
                let dims = dims.filter(|d| !matches!(d, Dim::Shape(Shape::Meta(_))));
                TypeArg::Shape(dims.map(|d| forget_extent(&d)).collect())
            }
            TypeArg::Size(_) | TypeArg::Jagged(_) => arg.clone(),
        }
    }

    fn zonk_args(&self, args: &mut [TypeArg]) {
        args.iter_mut().for_each(|arg| *arg = self.zonk_arg(arg));
    }

    /// Settles a pattern and all patterns in it.
    pub(crate) fn zonk_pat(&mut self, pat: &mut Pat) {
        pat.for_each_mut(&mut |pat| {
            pat.ty = self.zonk_type(&pat.ty);
            match (&mut pat.kind, &pat.ty) {
                (PatKind::Literal(value), Type::Prim(prim)) => self.settle_number(value, *prim, pat.span),
                (PatKind::Literal(_), _) => pat.kind = PatKind::Wildcard,
                _ => {}
            }
        });
    }

    /// Settles an expression and everything in it, in place: a large literal has a million parts.
    pub(crate) fn zonk_expr(&mut self, expr: &mut Expr) {
        expr.ty = self.zonk_type(&expr.ty);
        if let ExprKind::LetRec { arrays, .. } = &*expr.kind {
            self.rec_arrays.extend(arrays.iter().map(|a| a.name));
        }
        expr.for_each_child_mut(&mut |child| self.zonk_expr(child));
        self.settle(expr);
    }

    /// Settles what an expression holds besides its type and its children, which are settled.
    fn settle(&mut self, expr: &mut Expr) {
        match &mut *expr.kind {
            ExprKind::Scalar(value) => {
                if let Type::Prim(prim) = expr.ty {
                    self.settle_number(value, prim, expr.span);
                }
            }
            ExprKind::Local(_, args) => self.zonk_args(args),
            ExprKind::Global(def, args) => match self.recursive_args.get(def) {
                Some(own) if args.is_empty() => args.clone_from(own),
                _ => self.zonk_args(args),
            },
            ExprKind::Binary { op, lhs, rhs, lifted } => {
                *lifted = (is_array(lhs) || is_array(rhs)) && !matches!(op, BinOp::Eq | BinOp::Ne);
            }
            ExprKind::Unary { op: _, arg, lifted } => *lifted = is_array(arg),
            ExprKind::Lambda(lambda) => {
                self.zonk_lambda(lambda);
                if let Some(op) = as_operator(lambda) {
                    *expr.kind = ExprKind::Operator(op);
                }
            }
            ExprKind::LetFun { fun, .. } => self.zonk_lambda(fun),
            ExprKind::LetRec { arrays, .. } => arrays.iter_mut().for_each(|a| a.ty = self.zonk_type(&a.ty)),
            ExprKind::Let { pat, .. } => self.zonk_pat(pat),
            ExprKind::Loop { pat, form, .. } => {
                self.zonk_pat(pat);
                if let LoopForm::ForIn(element, _) = &mut **form {
                    self.zonk_pat(element);
                }
            }
            ExprKind::Match { cases, .. } => cases.iter_mut().for_each(|case| self.zonk_pat(&mut case.0)),
            ExprKind::Index(array, indices) => {
                settle_indices(indices);
                if let Some(element) = self.element_of_row(array, indices) {
                    *expr.kind = element;
                }
            }
            ExprKind::With { path, .. } => path.iter_mut().for_each(settle_step),
            ExprKind::Comprehension { quals, .. } => self.zonk_quals(quals),
            ExprKind::ArrayBy { clauses, .. } | ExprKind::Update { clauses, .. } | ExprKind::Accum { clauses, .. } => {
                self.zonk_clauses(clauses)
            }
            ExprKind::Bytes(_) | ExprKind::Hole | ExprKind::Blank(_) | ExprKind::Operator(_) | ExprKind::Error => {}
            ExprKind::Record(_) | ExprKind::Array(_) | ExprKind::Constr(..) | ExprKind::Range { .. } => {}
            ExprKind::Project(..) | ExprKind::Apply(..) | ExprKind::If { .. } => {}
            ExprKind::Ascribe(..) | ExprKind::Coerce(..) | ExprKind::Assert { .. } => {}
        }
    }

    /// A number literal at the type that inference found for it.
    fn settle_number(&mut self, value: &mut Scalar, prim: Prim, span: Span) {
        *value = self.number_at(span, prim).unwrap_or(*value);
    }

    fn zonk_lambda(&mut self, lambda: &mut Lambda) {
        lambda.params.iter_mut().for_each(|p| self.zonk_pat(&mut p.pat));
        if !lambda.ret_written {
            lambda.ret.ty = self.zonk_type(&lambda.ret.ty);
        }
    }

    /// `a[i][j]` of a recursive array `a` is `a[i, j]`: it asks for one element, not for the row that it is in.
    fn element_of_row(&self, row: &mut Expr, indices: &mut Vec<Index>) -> Option<ExprKind> {
        let ExprKind::Index(array, outer) = &mut *row.kind else { return None };
        let recursive = matches!(&*array.kind, ExprKind::Local(l, _) if self.rec_arrays.contains(l));
        if !recursive || !outer.iter().all(|i| matches!(i, Index::At(_))) {
            return None;
        }
        let mut all = std::mem::take(outer);
        all.append(indices);
        Some(ExprKind::Index(std::mem::replace(array, hole(row.span)), all))
    }

    fn zonk_quals(&mut self, quals: &mut [Qual]) {
        for qual in quals {
            match qual {
                Qual::If(_) => {}
                Qual::Let(pat, _) => self.zonk_pat(pat),
                Qual::For(generators, _) => generators.iter_mut().for_each(|g| self.zonk_generator(g)),
            }
        }
    }

    fn zonk_generator(&mut self, generator: &mut Generator) {
        match generator {
            Generator::In(pat, _) => self.zonk_pat(pat),
            Generator::Range { lo, var: _, hi, step, vector, span: _ } => {
                *vector = is_array(hi) || lo.iter().chain(step.iter()).any(is_array);
            }
        }
    }

    fn zonk_clauses(&mut self, clauses: &mut [Clause]) {
        for clause in clauses {
            match clause {
                Clause::Element { subscripts, value: _, quals, span: _ } => {
                    self.zonk_quals(quals);
                    settle_indices(subscripts);
                }
                Clause::Group { quals, clauses, span: _ } => {
                    self.zonk_quals(quals);
                    self.zonk_clauses(clauses);
                }
            }
        }
    }
}

/// Replaces an expression while it is moved.
fn hole(span: Span) -> Expr {
    Expr::new(ExprKind::Error, Type::Error, span)
}

fn is_array(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Array(..))
}

fn settle_step(step: &mut Step) {
    match step {
        Step::Field(_) => {}
        Step::Index(indices) => settle_indices(indices),
    }
}

/// An index that turned out to be an array is a vector of indices.
fn settle_indices(indices: &mut [Index]) {
    for index in indices {
        if let Index::At(e) | Index::Vector(e) = index {
            let e = std::mem::replace(e, hole(e.span));
            *index = if is_array(&e) { Index::Vector(e) } else { Index::At(e) };
        }
    }
}

/// `\x y -> x op y` on scalars (or whole values) is the operator itself, unless it may fail: then the place matters.
fn as_operator(lambda: &Lambda) -> Option<BinOp> {
    let [x, y] = &lambda.params[..] else { return None };
    let (PatKind::Bind(x), PatKind::Bind(y)) = (&x.pat.kind, &y.pat.kind) else { return None };
    let ExprKind::Binary { op, lhs, rhs, lifted: false } = &*lambda.body.kind else { return None };
    let is = |e: &Expr, local: &LocalId| matches!(&*e.kind, ExprKind::Local(l, _) if l == local);
    let may_fail = matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow);
    (is(lhs, x) && is(rhs, y) && !may_fail).then_some(*op)
}

fn forget_extent(dim: &Dim) -> Dim {
    match dim {
        Dim::Size(_) | Dim::Jagged(_) => Dim::Size(Size::Unknown),
        Dim::Shape(shape) => Dim::Shape(*shape),
    }
}

/// A definition's parameter as what a recursive call passes on; sizes are found anew at each call.
pub(crate) fn own_type_arg(param: &TypeParam) -> TypeArg {
    match param {
        TypeParam::Type(v) => TypeArg::Type(Type::Var(*v)),
        TypeParam::Size(_) => TypeArg::Size(Size::Unknown),
        TypeParam::Jagged(_) => TypeArg::Jagged(Dim::Jagged(None)),
        TypeParam::Shape(s) => TypeArg::Shape(vec![Dim::Shape(Shape::Local(*s))]),
    }
}
