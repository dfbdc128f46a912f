//! The walk through expressions.

use super::canon;
use super::cx::Cx;
use super::demand::Rows;
use super::unify::Mode;
use super::vars::Kind;
use base::{Name, Span, bug};
use scalar::BinOp;
use syntax::ast::Lifted;
use typed::{
    Dim, Expr, ExprKind, Lambda, LocalId, Pat, PatKind, RangeKind, RecArray, Size, Type, TypeParam, size, subst, walk,
};

impl Cx<'_> {
    /// Finds the sizes in an expression's type, and in everything below it.
    pub(super) fn expr(&mut self, e: &mut Expr) {
        let span = e.span;
        let template = e.ty.clone();
        let (ty, exts) = self.expr_kind(&mut e.kind, &template, span);
        e.ty = ty;
        e.exts = exts;
    }

    /// The type of an expression with its sizes, and the sizes that it brings into being.
    fn expr_kind(&mut self, kind: &mut ExprKind, template: &Type, span: Span) -> (Type, Vec<LocalId>) {
        let plain = |ty: Type| (ty, Vec::new());
        match kind {
            ExprKind::Scalar(_) | ExprKind::Error => plain(template.clone()),
            ExprKind::Bytes(bytes) => plain(resize(template, Size::Const(bytes.len() as i64))),
            ExprKind::Hole => plain(self.hole(template, span)),
            ExprKind::Blank(_) => base::bug!("blank values are made after sizes"),
            ExprKind::Local(local, args) => plain(self.local(*local, args, template, span)),
            ExprKind::Global(def, args) => plain(self.global(*def, args, template, span)),
            ExprKind::Operator(_) => plain(self.template(template, &Kind::Free, span, "a size of an operand")),
            ExprKind::Record(fields) => {
                fields.iter_mut().for_each(|(_, e)| self.expr(e));
                plain(Type::record(fields.iter().map(|(n, e)| (*n, e.ty.clone())).collect()))
            }
            ExprKind::Array(items) => self.array(items, template, span),
            ExprKind::Range { first, second, kind, end } => self.range(first, second, *kind, end, template, span),
            ExprKind::Project(record, field) => plain(self.project(record, *field)),
            ExprKind::Index(array, indices) => {
                self.indices(indices);
                self.expr(array);
                self.index(&array.ty.clone(), indices, template, span)
            }
            ExprKind::Apply(fun, args) => self.apply(fun, args, template, span),
            ExprKind::Constr(name, args) => plain(self.constr(*name, args, template, span)),
            ExprKind::Binary { op, lhs, rhs, lifted } => self.binary(*op, lhs, rhs, *lifted, template, span),
            ExprKind::Unary { op: _, arg, lifted } => {
                self.expr(arg);
                plain(if *lifted { arg.ty.clone() } else { template.clone() })
            }
            ExprKind::Lambda(lambda) => plain(self.lambda(lambda, None, span)),
            ExprKind::If { cond, then, otherwise } => self.branches(cond, then, otherwise, span),
            ExprKind::Let { sizes, pat, value, body } => self.let_in(sizes, pat, value, body, span),
            ExprKind::LetFun { name, type_params, fun, body } => self.let_fun_in(*name, type_params, fun, body, span),
            ExprKind::LetRec { arrays, body } => self.let_rec_in(arrays, body, span),
            ExprKind::Loop { sizes, pat, init, form, body } => self.loop_in(sizes, pat, init, form, body, span),
            ExprKind::Match { value, cases } => self.match_in(value, cases, span),
            ExprKind::With { source, path, value } => plain(self.with(source, path, value, span)),
            ExprKind::Ascribe(inner, written) => plain(self.ascribe(inner, written, span)),
            ExprKind::Coerce(inner, written) => self.coerce(inner, written, span),
            ExprKind::Assert { cond, text: _, body } => {
                self.expr(cond);
                self.expr(body);
                plain(body.ty.clone())
            }
            ExprKind::Comprehension { body, quals } => self.comprehension(body, quals, span),
            ExprKind::ArrayBy { shape, clauses, otherwise } => {
                self.array_by(shape, clauses, otherwise.as_mut(), template, span)
            }
            ExprKind::Update { array, clauses } => {
                self.expr(array);
                self.clause_values(clauses, &array.ty.clone());
                plain(array.ty.clone())
            }
            ExprKind::Accum { op, neutral, shape, clauses } => self.accum(op, neutral, shape, clauses, template, span),
        }
    }

    /// A hole fits any sizes that others decide.
    fn hole(&mut self, template: &Type, span: Span) -> Type {
        let absorbing = Kind::Inst { lifted: Lifted::Functions, element: false };
        let ty = self.template(template, &absorbing, span, "a size of the hole");
        self.must_be_known(&ty);
        ty
    }

    /// Both branches have one type, whose sizes are unknown where they differ.
    fn branches(&mut self, cond: &mut Expr, then: &mut Expr, otherwise: &mut Expr, span: Span) -> (Type, Vec<LocalId>) {
        self.expr(cond);
        self.expr(then);
        self.expr(otherwise);
        self.join(&then.ty.clone(), &otherwise.ty.clone(), span)
    }

    /// A local function, and the expression that sees it.
    fn let_fun_in(
        &mut self,
        name: LocalId,
        type_params: &mut Vec<TypeParam>,
        fun: &mut Lambda,
        body: &mut Expr,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.let_fun(name, type_params, fun, span);
        self.expr(body);
        self.unscope(&body.ty.clone(), &[name], span)
    }

    /// Arrays that need one another, and the expression that sees them.
    fn let_rec_in(&mut self, arrays: &mut [RecArray], body: &mut Expr, span: Span) -> (Type, Vec<LocalId>) {
        self.rec_arrays(arrays);
        self.expr(body);
        let names: Vec<LocalId> = arrays.iter().map(|a| a.name).collect();
        self.unscope(&body.ty.clone(), &names, span)
    }

    fn project(&mut self, record: &mut Expr, field: Name) -> Type {
        self.expr(record);
        let ty = self.norm(&record.ty);
        let found = match &ty {
            Type::Record(fields) => typed::field_position(fields, field).map(|at| fields[at].1.clone()),
            _ => None,
        };
        found.unwrap_or_else(|| bug!("the type `{}` has no field `{field}`", self.show(&ty)))
    }

    fn ascribe(&mut self, inner: &mut Expr, written: &mut Type, span: Span) -> Type {
        let declared = self.open_written(&written.clone(), span);
        self.expr(inner);
        let found = self.norm(&inner.ty);
        if let Err(mismatch) = self.unify(&declared, &found, span, Mode::Strict) {
            self.mismatch(span, "the type written after `:`", &declared, &found, mismatch);
        }
        *written = declared.clone();
        if self.ravel { declared } else { found }
    }

    pub(super) fn must_be_known(&mut self, ty: &Type) {
        for local in walk::free_locals(ty) {
            if let Some(var) = self.vars.get_mut(&local) {
                var.demand.known = true;
            }
        }
    }

    fn array(&mut self, items: &mut [Expr], template: &Type, span: Span) -> (Type, Vec<LocalId>) {
        let Some((first, rest)) = items.split_first_mut() else {
            let ty = self.template(
                template,
                &Kind::Inst { lifted: Lifted::No, element: false },
                span,
                "a size of the (missing) elements",
            );
            let ty = resize(&ty, Size::Const(0));
            self.must_be_known(&ty);
            return (ty, Vec::new());
        };
        self.expr(first);
        let mut elem = first.ty.clone();
        if !self.ravel && self.may_vary(&elem) {
            self.lifted_element(&elem, span);
        }
        let mut exts = Vec::new();
        for item in rest.iter_mut() {
            self.expr(item);
            if self.ravel {
                (elem, exts) = self.join_rows(&elem, &item.ty.clone(), exts, span);
            } else if let Err(mismatch) = self.unify(&elem, &item.ty.clone(), item.span, Mode::Strict) {
                self.mismatch(item.span, "the elements before it", &elem, &item.ty.clone(), mismatch);
            }
        }
        let size = Size::Const(rest.len() as i64 + 1);
        (Type::array(Dim::Size(size), elem), exts)
    }

    fn range(
        &mut self,
        first: &mut Expr,
        second: &mut Option<Expr>,
        kind: RangeKind,
        end: &mut Expr,
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(first);
        second.iter_mut().for_each(|e| self.expr(e));
        self.expr(end);
        let i64_range = matches!(end.ty, Type::Prim(scalar::Prim::I64));
        let (from, step) = (constant_of(first), second.as_ref().map(constant_of));
        let until = self.size_of(end);
        let start = self.size_of(first);
        let size = match (from, step, kind) {
            _ if !i64_range => None,
            (Some(0), None | Some(Some(1)), RangeKind::UpTo) => until,
            (Some(1), Some(Some(2)), RangeKind::Inclusive) => until,
            (_, None, RangeKind::UpTo) => until.and_then(|u| Some(canon::combine(BinOp::Sub, &u, &start?, span))),
            (_, None, RangeKind::Inclusive) => until.and_then(|u| {
                let difference = canon::combine(BinOp::Sub, &u, &start?, span);
                Some(canon::combine(BinOp::Add, &difference, &Size::Const(1), span))
            }),
            _ => None,
        };
        match size {
            Some(size) if !matches!(size, Size::Unknown) => (resize(template, size), Vec::new()),
            _ => {
                let n = self.unknown("n", span, "the length of the range");
                (resize(template, Size::Local(n)), vec![n])
            }
        }
    }

    fn constr(&mut self, name: Name, args: &mut [Expr], template: &Type, span: Span) -> Type {
        let kind = Kind::Inst { lifted: Lifted::Functions, element: false };
        let ty = self.template(template, &kind, span, "a size of the constructors that are not used here");
        self.must_be_known(&ty);
        args.iter_mut().for_each(|e| self.expr(e));
        if let Type::Sum(constrs) = &ty
            && let Some((_, payload)) = constrs.iter().find(|c| c.0 == name)
        {
            for (expected, arg) in payload.iter().zip(args.iter()) {
                if let Err(mismatch) = self.unify(expected, &arg.ty, arg.span, Mode::Strict) {
                    self.mismatch(arg.span, "the constructor's value", expected, &arg.ty.clone(), mismatch);
                }
            }
        }
        ty
    }

    fn binary(
        &mut self,
        op: BinOp,
        lhs: &mut Expr,
        rhs: &mut Expr,
        lifted: bool,
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(lhs);
        self.expr(rhs);
        let (left, right) = (lhs.ty.clone(), rhs.ty.clone());
        if !lifted {
            // In `.rv` arrays of different sizes may be compared: they are not equal.
            if !self.ravel
                && let Err(mismatch) = self.unify(&left, &right, span, Mode::Strict)
            {
                self.mismatch(span, "the left operand", &left, &right, mismatch);
            }
            return (template.clone(), Vec::new());
        }
        let arrays = |ty: &Type| matches!(ty, Type::Array(..));
        let shape = match (arrays(&left), arrays(&right)) {
            (true, true) => {
                if let Err(mismatch) = self.unify(&left, &right, span, Mode::Checked) {
                    self.mismatch(span, "the left operand", &left, &right, mismatch);
                }
                left
            }
            (true, false) => left,
            (false, true) => right,
            (false, false) => return (template.clone(), Vec::new()),
        };
        let _ = op;
        let (dims, _) = walk::spine(&shape);
        let (_, elem) = walk::spine(template);
        (walk::wrap(dims, elem), Vec::new())
    }

    fn let_in(
        &mut self,
        sizes: &[LocalId],
        pat: &mut Pat,
        value: &mut Expr,
        body: &mut Expr,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(value);
        let ty = self.norm(&value.ty);
        let outer = self.level;
        let mut open = Vec::new();
        for size in sizes {
            self.bind_let_size(*size, pat, &ty);
            let name = self.program.locals[*size].name;
            let v = self.free(name.as_str(), self.program.locals[*size].span, "the size of the bound value");
            if let Some(var) = self.vars.get_mut(&v) {
                var.demand.known = true;
            }
            open.push((*size, v));
        }
        self.level = outer + 1;
        self.value_pat(pat, &ty, &open);
        self.check_let_sizes(sizes, pat);
        self.level = outer + 2;
        let simple = matches!(ty, Type::Prim(scalar::Prim::I64)) && !canon::has_binding(value);
        let bound = pat.name().filter(|_| simple);
        let size = bound.and_then(|_| self.size_of(value));
        if let (Some(name), true, Some(dims)) = (pat.name(), self.ravel && !simple, self.shape_of(value)) {
            self.shapes.insert(name, dims);
        }
        if let (Some(name), Some(size), true) = (bound, &size, self.ravel) {
            self.definitions.insert(name, size.clone());
        }
        self.expr(body);
        self.level = outer;
        let body_ty = self.norm(&body.ty);
        if let (Some(name), Some(size)) = (bound, size) {
            return (subst::in_type(&body_ty, &mut |l| (l == name).then(|| size.clone())), Vec::new());
        }
        let mut names = Cx::pat_names(pat);
        names.extend(sizes);
        self.unscope(&body_ty, &names, span)
    }

    /// The name of a size, or of the row lengths of a jagged part of the value.
    fn bind_let_size(&mut self, size: LocalId, pat: &Pat, value: &Type) {
        let mut jagged = false;
        pat.for_each(&mut |p| {
            if let PatKind::Ascribe(_, written) = &p.kind {
                jagged |= self.stands_for_rows(written, size);
            }
        });
        if !jagged {
            return self.bind(size, Type::I64);
        }
        let rows = match value {
            Type::Array(dim @ Dim::Size(_), _) => dim.clone(),
            _ => Dim::Size(Size::Local(self.unknown("n", pat.span, "the number of rows"))),
        };
        self.bind(size, Type::array(rows, Type::I64));
    }

    fn match_in(&mut self, value: &mut Expr, cases: &mut [(Pat, Expr)], span: Span) -> (Type, Vec<LocalId>) {
        self.expr(value);
        let ty = self.norm(&value.ty);
        let mut types = Vec::new();
        let outer = self.level;
        for (pat, body) in cases.iter_mut() {
            self.level = outer + 1;
            self.value_pat(pat, &ty, &[]);
            self.level = outer + 2;
            self.expr(body);
            self.level = outer;
            types.push(self.unscope(&body.ty.clone(), &Cx::pat_names(pat), body.span));
        }
        let Some(mut joined) = types.pop() else { return (Type::Error, Vec::new()) };
        while let Some((ty, _)) = types.pop() {
            joined = self.join(&ty, &joined.0, span);
        }
        joined
    }

    fn coerce(&mut self, inner: &mut Expr, written: &mut Type, span: Span) -> (Type, Vec<LocalId>) {
        let mark = self.program.locals.len();
        let declared = self.open_written(&written.clone(), span);
        // Open sizes of other things may be mentioned too: those are not anonymous here.
        let new = |l: &LocalId| l.0 as usize >= mark && self.is_open(*l);
        let anonymous: Vec<LocalId> = walk::free_locals(&declared).into_iter().filter(new).collect();
        self.expr(inner);
        let found = self.norm(&inner.ty);
        let loose = walk::map_dims(&declared, false, &mut |dim, _| match dim {
            Dim::Size(Size::Local(l)) if anonymous.contains(l) => dim.clone(),
            Dim::Size(_) | Dim::Jagged(_) => {
                let v = self.free("n", span, "a size of the value that is coerced");
                if let Some(var) = self.vars.get_mut(&v) {
                    var.demand.known = true;
                }
                Dim::Size(Size::Local(v))
            }
            Dim::Shape(_) => dim.clone(),
        });
        let mode = if self.ravel { Mode::Common } else { Mode::Strict };
        if let Err(mismatch) = self.unify(&found, &loose, span, mode) {
            self.mismatch(span, "the value", &found, &loose, mismatch);
        }
        *written = declared.clone();
        let mut exts = Vec::new();
        if self.ravel {
            // The coercion finds the sizes that the value's type left open.
            for local in
                anonymous.iter().filter(|l| matches!(self.kind(**l), Some(Kind::Free))).copied().collect::<Vec<_>>()
            {
                exts.push(self.found_by_coercion(local, &declared, span));
            }
        }
        (self.norm(&declared), exts)
    }

    /// What a coercion finds out at run time: a size, or row lengths where `[~]` is written.
    fn found_by_coercion(&mut self, open: LocalId, declared: &Type, span: Span) -> LocalId {
        let root = self.root(open);
        let mut is_outer = false;
        walk::map_dims(declared, false, &mut |dim, under| {
            is_outer |= !under && matches!(dim, Dim::Size(Size::Local(l)) if *l == open);
            dim.clone()
        });
        if is_outer || self.rows(root) != Rows::MayDiffer {
            self.set(open, Kind::Unknown);
            return open;
        }
        let lengths = self.unknown_function(span, "row lengths of the value that is coerced");
        self.set(root, Kind::Solved(Dim::Jagged(Some(lengths))));
        lengths
    }
}

/// The array type with another outer size.
pub(super) fn resize(ty: &Type, size: Size) -> Type {
    match ty {
        Type::Array(_, elem) => Type::Array(Dim::Size(size), elem.clone()),
        other => other.clone(),
    }
}

fn constant_of(e: &Expr) -> Option<i64> {
    match size::from_expr(e) {
        Size::Const(n) => Some(n),
        Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
    }
}
