//! Replaces the unknowns in a finished tree by what they turned out to be, and settles what waited for that: literals,
//! lifted operators, vector indices.

use crate::Checker;
use scalar::BinOp;
use typed::*;

impl Checker<'_> {
    /// The type without unknowns; extents are forgotten, since the next pass finds them.
    pub(crate) fn zonk_type(&self, ty: &Type) -> Type {
        match self.metas.shallow(ty) {
            ty if ty.is_plain() => ty,
            Type::Meta(_) => Type::tuple([]),
            ty @ (Type::Prim(_) | Type::Var(_) | Type::Error) => ty,
            Type::Abstract(id, args) => Type::Abstract(id, args.iter().map(|a| self.zonk_arg(a)).collect()),
            Type::Record(fields) => Type::Record(fields.iter().map(|(n, t)| (*n, self.zonk_type(t))).collect()),
            Type::Sum(constrs) => {
                Type::Sum(constrs.iter().map(|(n, ts)| (*n, ts.iter().map(|t| self.zonk_type(t)).collect())).collect())
            }
            Type::Array(Dim::Shape(Shape::Meta(_)), elem) => self.zonk_type(&elem),
            Type::Array(dim, elem) => Type::array(forget_extent(&dim), self.zonk_type(&elem)),
            Type::Fun(fun) => {
                let FunType { name, param, diet, ret } = &*fun;
                let ret = Ret { exts: Vec::new(), ty: self.zonk_type(&ret.ty), unique: ret.unique.clone() };
                Type::Fun(FunType { name: *name, param: self.zonk_type(param), diet: diet.clone(), ret }.into())
            }
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

    /// An expression that stands as a size: settled at once.
    pub(crate) fn zonk_size(&mut self, expr: Expr) -> Expr {
        self.zonk_expr(expr)
    }

    pub(crate) fn zonk_param(&mut self, param: Param) -> Param {
        Param { pat: self.zonk_pat(param.pat), diet: param.diet }
    }

    fn zonk_pat(&mut self, pat: Pat) -> Pat {
        let ty = self.zonk_type(&pat.ty);
        let kind = match pat.kind {
            kind @ (PatKind::Wildcard | PatKind::Bind(_)) => kind,
            PatKind::Record(fields) => {
                PatKind::Record(fields.into_iter().map(|(n, p)| (n, self.zonk_pat(p))).collect())
            }
            PatKind::Constr(name, pats) => PatKind::Constr(name, pats.into_iter().map(|p| self.zonk_pat(p)).collect()),
            PatKind::Ascribe(inner, written) => PatKind::Ascribe(Box::new(self.zonk_pat(*inner)), written),
            PatKind::Literal(value) => match ty {
                Type::Prim(prim) => PatKind::Literal(self.number_at(pat.span, prim).unwrap_or(value)),
                _ => PatKind::Wildcard,
            },
        };
        Pat { kind, ty, span: pat.span }
    }

    pub(crate) fn zonk_expr(&mut self, expr: Expr) -> Expr {
        let Expr { mut kind, ty, exts, span } = expr;
        let ty = self.zonk_type(&ty);
        // In the same box: a large literal has a million of them.
        let open = std::mem::replace(&mut *kind, ExprKind::Error);
        *kind = self.zonk_kind(open, &ty, span);
        Expr { kind, ty, exts, span }
    }

    fn zonk_all(&mut self, exprs: Vec<Expr>) -> Vec<Expr> {
        exprs.into_iter().map(|e| self.zonk_expr(e)).collect()
    }

    fn zonk_option(&mut self, expr: Option<Expr>) -> Option<Expr> {
        expr.map(|e| self.zonk_expr(e))
    }

    fn zonk_kind(&mut self, kind: ExprKind, ty: &Type, span: base::Span) -> ExprKind {
        match kind {
            ExprKind::Scalar(value) => match ty {
                Type::Prim(prim) => ExprKind::Scalar(self.number_at(span, *prim).unwrap_or(value)),
                _ => ExprKind::Scalar(value),
            },
            ExprKind::Bytes(_) | ExprKind::Hole | ExprKind::Operator(_) | ExprKind::Error => kind,
            ExprKind::Local(local, args) => ExprKind::Local(local, args.iter().map(|a| self.zonk_arg(a)).collect()),
            ExprKind::Global(def, args) => {
                let args = match self.recursive_args.get(&def) {
                    Some(own) if args.is_empty() => own.clone(),
                    _ => args.iter().map(|a| self.zonk_arg(a)).collect(),
                };
                ExprKind::Global(def, args)
            }
            ExprKind::Record(fields) => {
                ExprKind::Record(fields.into_iter().map(|(n, e)| (n, self.zonk_expr(e))).collect())
            }
            ExprKind::Array(items) => ExprKind::Array(self.zonk_all(items)),
            ExprKind::Range { first, second, kind, end } => ExprKind::Range {
                first: self.zonk_expr(first),
                second: self.zonk_option(second),
                kind,
                end: self.zonk_expr(end),
            },
            ExprKind::Project(e, name) => ExprKind::Project(self.zonk_expr(e), name),
            ExprKind::Index(e, indices) => {
                let e = self.zonk_expr(e);
                let indices = self.zonk_indices(indices);
                self.index_of(e, indices)
            }
            ExprKind::Apply(fun, args) => {
                let fun = self.zonk_expr(fun);
                ExprKind::Apply(fun, self.zonk_all(args))
            }
            ExprKind::Constr(name, args) => ExprKind::Constr(name, self.zonk_all(args)),
            ExprKind::Binary { op, lhs, rhs, lifted: _ } => {
                let (lhs, rhs) = (self.zonk_expr(lhs), self.zonk_expr(rhs));
                let arrays = matches!(lhs.ty, Type::Array(..)) || matches!(rhs.ty, Type::Array(..));
                let lifted = arrays && !matches!(op, BinOp::Eq | BinOp::Ne);
                ExprKind::Binary { op, lhs, rhs, lifted }
            }
            ExprKind::Unary { op, arg, lifted: _ } => {
                let arg = self.zonk_expr(arg);
                let lifted = matches!(arg.ty, Type::Array(..));
                ExprKind::Unary { op, arg, lifted }
            }
            ExprKind::Lambda(lambda) => {
                let lambda = self.zonk_lambda(lambda);
                match as_operator(&lambda) {
                    Some(op) => ExprKind::Operator(op),
                    None => ExprKind::Lambda(lambda),
                }
            }
            ExprKind::If { cond, then, otherwise } => ExprKind::If {
                cond: self.zonk_expr(cond),
                then: self.zonk_expr(then),
                otherwise: self.zonk_expr(otherwise),
            },
            ExprKind::Let { sizes, pat, value, body } => ExprKind::Let {
                sizes,
                pat: Box::new(self.zonk_pat(*pat)),
                value: self.zonk_expr(value),
                body: self.zonk_expr(body),
            },
            ExprKind::LetFun { name, type_params, fun, body } => {
                let fun = Box::new(self.zonk_lambda(*fun));
                ExprKind::LetFun { name, type_params, fun, body: self.zonk_expr(body) }
            }
            ExprKind::LetRec { arrays, body } => {
                self.rec_arrays.extend(arrays.iter().map(|a| a.name));
                let arrays = arrays.into_iter().map(|a| RecArray {
                    name: a.name,
                    ty: self.zonk_type(&a.ty),
                    value: self.zonk_expr(a.value),
                });
                ExprKind::LetRec { arrays: arrays.collect(), body: self.zonk_expr(body) }
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                let (pat, init) = (Box::new(self.zonk_pat(*pat)), self.zonk_expr(init));
                let form = match *form {
                    LoopForm::For(local, e) => LoopForm::For(local, self.zonk_expr(e)),
                    LoopForm::ForIn(pat, e) => LoopForm::ForIn(self.zonk_pat(pat), self.zonk_expr(e)),
                    LoopForm::While(e) => LoopForm::While(self.zonk_expr(e)),
                };
                ExprKind::Loop { sizes, pat, init, form: Box::new(form), body: self.zonk_expr(body) }
            }
            ExprKind::Match { value, cases } => {
                let value = self.zonk_expr(value);
                let cases = cases.into_iter().map(|(p, e)| (self.zonk_pat(p), self.zonk_expr(e))).collect();
                ExprKind::Match { value, cases }
            }
            ExprKind::With { source, path, value } => {
                let source = self.zonk_expr(source);
                let path = path.into_iter().map(|step| match step {
                    Step::Field(name) => Step::Field(name),
                    Step::Index(indices) => Step::Index(self.zonk_indices(indices)),
                });
                ExprKind::With { source, path: path.collect(), value: self.zonk_expr(value) }
            }
            ExprKind::Ascribe(e, written) => ExprKind::Ascribe(self.zonk_expr(e), written),
            ExprKind::Coerce(e, written) => ExprKind::Coerce(self.zonk_expr(e), written),
            ExprKind::Assert { cond, text, body } => {
                ExprKind::Assert { cond: self.zonk_expr(cond), text, body: self.zonk_expr(body) }
            }
            ExprKind::Comprehension { body, quals } => {
                let quals = self.zonk_quals(quals);
                ExprKind::Comprehension { body: self.zonk_expr(body), quals }
            }
            ExprKind::ArrayBy { shape, clauses, otherwise } => ExprKind::ArrayBy {
                shape: self.zonk_expr(shape),
                clauses: self.zonk_clauses(clauses),
                otherwise: self.zonk_option(otherwise),
            },
            ExprKind::Update { array, clauses } => {
                ExprKind::Update { array: self.zonk_expr(array), clauses: self.zonk_clauses(clauses) }
            }
            ExprKind::Accum { op, neutral, shape, clauses } => ExprKind::Accum {
                op: self.zonk_expr(op),
                neutral: Box::new(self.zonk_expr(*neutral)),
                shape: self.zonk_expr(shape),
                clauses: self.zonk_clauses(clauses),
            },
        }
    }

    fn zonk_lambda(&mut self, lambda: Lambda) -> Lambda {
        let Lambda { params, ret, ret_written, body } = lambda;
        let params = params.into_iter().map(|p| self.zonk_param(p)).collect();
        let ret = if ret_written { ret } else { Ret { ty: self.zonk_type(&ret.ty), ..ret } };
        Lambda { params, ret, ret_written, body: self.zonk_expr(body) }
    }

    /// `a[i][j]` of a recursive array is `a[i, j]`: it asks for one element, not for the row that it is in.
    fn index_of(&self, array: Expr, indices: Vec<Index>) -> ExprKind {
        let row = match &*array.kind {
            ExprKind::Index(base, first) => {
                let recursive = matches!(&*base.kind, ExprKind::Local(l, _) if self.rec_arrays.contains(l));
                recursive && first.iter().all(|i| matches!(i, Index::At(_)))
            }
            _ => false,
        };
        match *array.kind {
            ExprKind::Index(base, mut all) if row => {
                all.extend(indices);
                ExprKind::Index(base, all)
            }
            kind => ExprKind::Index(Expr { kind: Box::new(kind), ..array }, indices),
        }
    }

    fn zonk_indices(&mut self, indices: Vec<Index>) -> Vec<Index> {
        let index = |c: &mut Self, index| match index {
            Index::At(e) | Index::Vector(e) => {
                let e = c.zonk_expr(e);
                if matches!(e.ty, Type::Array(..)) { Index::Vector(e) } else { Index::At(e) }
            }
            Index::Slice { start, end, stride, span } => Index::Slice {
                start: c.zonk_option(start),
                end: c.zonk_option(end),
                stride: c.zonk_option(stride),
                span,
            },
        };
        indices.into_iter().map(|i| index(self, i)).collect()
    }

    fn zonk_quals(&mut self, quals: Vec<Qual>) -> Vec<Qual> {
        let qual = |c: &mut Self, qual| match qual {
            Qual::If(e) => Qual::If(c.zonk_expr(e)),
            Qual::Let(pat, e) => Qual::Let(c.zonk_pat(pat), c.zonk_expr(e)),
            Qual::For(generators, span) => {
                Qual::For(generators.into_iter().map(|g| c.zonk_generator(g)).collect(), span)
            }
        };
        quals.into_iter().map(|q| qual(self, q)).collect()
    }

    fn zonk_generator(&mut self, generator: Generator) -> Generator {
        match generator {
            Generator::In(pat, e) => Generator::In(self.zonk_pat(pat), self.zonk_expr(e)),
            Generator::Range { lo, var, hi, step, vector: _, span } => {
                let (lo, hi, step) = (self.zonk_option(lo), self.zonk_expr(hi), self.zonk_option(step));
                let is_array = |e: &Expr| matches!(e.ty, Type::Array(..));
                let vector = is_array(&hi) || lo.as_ref().is_some_and(is_array) || step.as_ref().is_some_and(is_array);
                Generator::Range { lo, var, hi, step, vector, span }
            }
        }
    }

    fn zonk_clauses(&mut self, clauses: Vec<Clause>) -> Vec<Clause> {
        let clause = |c: &mut Self, clause| match clause {
            Clause::Element { subscripts, value, quals, span } => Clause::Element {
                quals: c.zonk_quals(quals),
                subscripts: c.zonk_indices(subscripts),
                value: c.zonk_expr(value),
                span,
            },
            Clause::Group { quals, clauses, span } => {
                Clause::Group { quals: c.zonk_quals(quals), clauses: c.zonk_clauses(clauses), span }
            }
        };
        clauses.into_iter().map(|x| clause(self, x)).collect()
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
