//! Expressions.

use super::Resolver;
use super::static_types::field_places;
use crate::code::*;
use base::{Name, Span};
use scalar::BinOp;
use std::rc::Rc;
use typed::{
    Body, Def, DefId, Dim, Expr, ExprKind, Index, Lambda, LocalId, Pat, Program, RangeKind, Step, Type, TypeArg,
    TypeParam,
};

impl<'p> Resolver<'p> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Node {
        if expr.exts.is_empty() {
            return self.kind(expr);
        }
        let slots: Vec<Slot> = expr.exts.iter().map(|local| self.declare(*local)).collect();
        let value = self.kind(expr);
        match self.matcher(&expr.ty) {
            Matcher::Nothing => value,
            sizes => Node::Exts(Box::new(ExtsCode { value, slots, sizes, span: expr.span })),
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Node> {
        Box::new(self.expr(expr))
    }

    fn all(&mut self, exprs: &[Expr]) -> Vec<Node> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn maybe(&mut self, expr: &Option<Expr>) -> Option<Node> {
        expr.as_ref().map(|e| self.expr(e))
    }

    /// The code of an expression, apart from the sizes that it makes known.
    fn kind(&mut self, expr: &Expr) -> Node {
        let span = expr.span;
        match &*expr.kind {
            ExprKind::Scalar(x) => Node::Const(*x),
            ExprKind::Bytes(bytes) => Node::Bytes(bytes.clone()),
            ExprKind::Hole | ExprKind::Error => Node::Hole(span),
            ExprKind::Blank(ty) => Node::Blank(Box::new(self.type_code(ty)), span),
            ExprKind::Local(local, types) => self.use_local(*local, types, span),
            ExprKind::Global(def, types) => self.use_global(*def, types, span),
            ExprKind::Operator(op) => Node::Operator(*op),
            ExprKind::Record(fields) => self.record(fields, &expr.ty),
            ExprKind::Array(items) => {
                let items = self.all(items);
                Node::Array(items, Box::new(self.type_code(&expr.ty)), span)
            }
            ExprKind::Range { first, second, kind, end } => self.range(first, second, *kind, end, span),
            ExprKind::Project(record, field) => {
                let place = field_places(self.program, &record.ty, [*field].into_iter())[0];
                Node::Project(self.boxed(record), place)
            }
            ExprKind::Index(base, indices) => self.indexed(base, indices, &expr.ty, span),
            ExprKind::Apply(fun, args) => self.apply(fun, args, expr),
            ExprKind::Constr(name, args) => Node::Constr(*name, self.all(args)),
            ExprKind::Binary { op, lhs, rhs, lifted } => self.binary(*op, lhs, rhs, *lifted, expr),
            ExprKind::Unary { op, arg, lifted: _ } => Node::Unary(*op, self.boxed(arg), span),
            ExprKind::Lambda(lambda) => {
                let (code, captures) = self.lambda(Name::new("lambda"), &[], lambda);
                Node::Lambda(Rc::new(code), captures)
            }
            ExprKind::If { cond, then, otherwise } => {
                Node::If(Box::new((self.expr(cond), self.expr(then), self.expr(otherwise))))
            }
            ExprKind::Let { sizes, pat, value, body } => self.let_in(sizes, pat, value, body),
            ExprKind::LetFun { name, type_params, fun, body } => self.let_fun(*name, type_params, fun, body),
            ExprKind::LetRec { arrays, body } => self.let_rec(arrays, body),
            ExprKind::Loop { sizes, pat, init, form, body } => self.loop_code(sizes, pat, init, form, body, span),
            ExprKind::Match { value, cases } => self.match_in(value, cases, span),
            ExprKind::With { source, path, value } => self.with(source, path, value, expr),
            ExprKind::Ascribe(inner, _) => self.expr(inner),
            ExprKind::Coerce(inner, ty) => self.coerce(inner, ty, span),
            ExprKind::Assert { cond, text, body } => {
                let (cond, body) = (self.expr(cond), self.expr(body));
                Node::Assert(Box::new(AssertCode { cond, text: text.clone(), body, span }))
            }
            ExprKind::Comprehension { body, quals } => self.comprehension(body, quals, expr),
            ExprKind::ArrayBy { .. } => match self.array_by(expr) {
                Some(code) => Node::ArrayBy(Box::new(code)),
                None => Node::Hole(span),
            },
            ExprKind::Update { .. } => match self.update(expr) {
                Some(code) => Node::Update(Box::new(code)),
                None => Node::Hole(span),
            },
            ExprKind::Accum { op, neutral, shape, clauses } => self.accum(op, neutral, shape, clauses, expr),
        }
    }

    /// The fields of a record, with their places in its type.
    fn record(&mut self, fields: &[(Name, Expr)], ty: &Type) -> Node {
        let places = field_places(self.program, ty, fields.iter().map(|f| f.0));
        Node::Record(places.into_iter().zip(fields.iter().map(|f| self.expr(&f.1))).collect())
    }

    /// The bounds and the second element of a range.
    fn range(&mut self, first: &Expr, second: &Option<Expr>, kind: RangeKind, end: &Expr, span: Span) -> Node {
        let (first, second, end) = (self.expr(first), self.maybe(second), self.expr(end));
        Node::Range(Box::new(RangeCode { first, second, kind, end, span }))
    }

    /// An array and its indices, evaluated from left to right.
    fn indexed(&mut self, base: &Expr, indices: &[Index], ty: &Type, span: Span) -> Node {
        let vectors = indices.iter().any(|index| matches!(index, Index::Vector(_)));
        let rank = if vectors { known_rank(ty) } else { None };
        let base = self.expr(base);
        let indices = self.indices(indices);
        Node::Index(Box::new(IndexCode { base, indices, rank, span }))
    }

    /// A `let`: the pattern with its sizes is declared after the value.
    fn let_in(&mut self, sizes: &[LocalId], pat: &Pat, value: &Expr, body: &Expr) -> Node {
        let value = self.expr(value);
        let sizes = self.declare_sizes(sizes, &pat.ty);
        let inner = self.pattern(pat);
        let pat_code = if sizes.is_empty() { inner } else { self.sized(inner, &pat.ty, pat.span) };
        let body = self.expr(body);
        Node::Let(Box::new(LetCode { sizes, pat: pat_code, value, body }))
    }

    /// A local function becomes a `let` of a lambda.
    fn let_fun(&mut self, name: LocalId, type_params: &[TypeParam], fun: &Lambda, body: &Expr) -> Node {
        let (code, captures) = self.lambda(self.program.locals[name].name, type_params, fun);
        let pat = PatCode::Bind(self.declare(name));
        let shown = self.shown_by(&fun.params, type_params);
        self.shown.insert(name, shown);
        let value = Node::Lambda(Rc::new(code), captures);
        Node::Let(Box::new(LetCode { sizes: Vec::new(), pat, value, body: self.expr(body) }))
    }

    /// A value and its cases.
    fn match_in(&mut self, value: &Expr, cases: &[(Pat, Expr)], span: Span) -> Node {
        let value = self.expr(value);
        let cases = cases.iter().map(|(p, e)| (self.pattern(p), self.expr(e))).collect();
        Node::Match(Box::new(MatchCode { value, cases, span }))
    }

    /// A coercion checks all sizes of the written type.
    fn coerce(&mut self, inner: &Expr, ty: &Type, span: Span) -> Node {
        let value = self.expr(inner);
        let sizes = self.matcher_of(ty, true);
        let rank = self.rank(ty);
        let text = self.program.show_type(ty);
        Node::Coerce(Box::new(CoerceCode { value, sizes, rank, text, span }))
    }

    fn use_local(&mut self, local: LocalId, types: &[TypeArg], span: Span) -> Node {
        let read = Read { slot: self.local(local), last: false };
        if types.is_empty() {
            return match self.open.get(&local) {
                Some(unseen) => Node::Size(read, *unseen),
                None => Node::Read(read, span),
            };
        }
        let shown = self.shown.get(&local).cloned().unwrap_or_default();
        let types = types.iter().enumerate().map(|(i, t)| self.type_arg(t, shown.get(i) == Some(&true))).collect();
        Node::Instance(read, types, span)
    }

    fn use_global(&mut self, def: DefId, types: &[TypeArg], span: Span) -> Node {
        let definition = &self.program.defs[def];
        if definition.params.is_empty() && definition.type_params.is_empty() {
            return Node::Constant(def);
        }
        Node::Global(def, self.def_types(def, types), span)
    }

    fn apply(&mut self, fun: &Expr, args: &[Expr], whole: &Expr) -> Node {
        if let ExprKind::Global(def, types) = &*fun.kind
            && fun.exts.is_empty()
        {
            let (def, types) = self.behind(*def, types);
            if let Some(node) = self.scalar_call(def, args, whole) {
                return node;
            }
            let arity = self.program.defs[def].params.len();
            if arity > 0 && args.len() >= arity {
                let mut nodes = self.all(args);
                let more = nodes.split_off(arity);
                let types = self.def_types(def, types);
                return Node::Call(Box::new(CallCode { def, types, args: nodes, more, span: whole.span }));
            }
        }
        Node::Apply(self.boxed(fun), self.all(args), whole.span)
    }

    /// The definition that another one names: a member of a module with a module type is another name for the
    /// definition inside the module.
    fn behind<'e>(&self, def: DefId, types: &'e [TypeArg]) -> (DefId, &'e [TypeArg])
    where
        'p: 'e,
    {
        let program: &'p Program = self.program;
        let mut found = (def, types);
        while let Some(next) = another_name(&program.defs[found.0]) {
            found = next;
        }
        found
    }

    fn binary(&mut self, op: BinOp, lhs: &Expr, rhs: &Expr, lifted: bool, whole: &Expr) -> Node {
        let pair = Box::new((self.expr(lhs), self.expr(rhs)));
        match op {
            BinOp::LogAnd if !lifted => Node::And(pair),
            BinOp::LogOr if !lifted => Node::Or(pair),
            _ if lifted => Node::Lifted(op, pair, whole.span),
            _ => Node::Binary(op, pair, whole.span),
        }
    }

    pub(super) fn indices(&mut self, indices: &[Index]) -> Vec<IndexArg> {
        indices.iter().map(|i| self.index(i)).collect()
    }

    fn index(&mut self, index: &Index) -> IndexArg {
        match index {
            Index::At(e) => IndexArg::At(self.expr(e)),
            Index::Vector(e) => IndexArg::Vector(self.expr(e)),
            Index::Slice { start, end, stride, span } => {
                let (start, end, stride) = (self.maybe(start), self.maybe(end), self.maybe(stride));
                IndexArg::Slice { start, end, stride, span: *span }
            }
        }
    }

    fn with(&mut self, source: &Expr, path: &[Step], value: &Expr, whole: &Expr) -> Node {
        let mut ty = self.program.concrete(&source.ty);
        let source = self.expr(source);
        let mut steps = Vec::with_capacity(path.len());
        for step in path {
            match step {
                Step::Field(name) => {
                    let place = field_places(self.program, &ty, [*name].into_iter())[0];
                    ty = match &ty {
                        Type::Record(fields) => self.program.concrete(&fields[place].1),
                        _ => ty,
                    };
                    steps.push(StepCode::Field(place));
                }
                Step::Index(indices) => {
                    ty = self.type_below(ty, indices);
                    steps.push(StepCode::Index(self.indices(indices)));
                }
            }
        }
        let value = self.expr(value);
        Node::With(Box::new(WithCode { source, path: steps, value, span: whole.span }))
    }

    /// The type of what indices select, as far as a path needs it: a vector index or a shape leads to the elements.
    fn type_below(&self, mut ty: Type, indices: &[Index]) -> Type {
        let peel = |ty: &mut Type| {
            if let Type::Array(_, elem) = &*ty {
                *ty = self.program.concrete(elem);
            }
        };
        for index in indices {
            match index {
                Index::At(_) => peel(&mut ty),
                Index::Vector(_) => {
                    while let Type::Array(..) = ty {
                        peel(&mut ty);
                    }
                }
                Index::Slice { .. } => {}
            }
        }
        ty
    }

    /// How many dimensions a type has, unless that is known only at run time.
    fn rank(&self, ty: &Type) -> Option<usize> {
        match self.program.concrete(ty) {
            Type::Array(Dim::Shape(_), _) | Type::Var(_) | Type::Meta(_) | Type::Error => None,
            Type::Array(Dim::Size(_) | Dim::Jagged(_), elem) => self.rank(&elem).map(|r| r + 1),
            Type::Prim(_) | Type::Abstract(..) | Type::Record(_) | Type::Sum(_) | Type::Fun(_) => Some(0),
        }
    }
}

/// What a definition is another name for, and at which types.
fn another_name(def: &Def) -> Option<(DefId, &[TypeArg])> {
    match &def.body {
        Body::Expr(body) if def.params.is_empty() && def.type_params.is_empty() && body.exts.is_empty() => {
            match &*body.kind {
                ExprKind::Global(actual, types) => Some((*actual, types)),
                _ => None,
            }
        }
        Body::Expr(_) | Body::Intrinsic(_) | Body::Specified => None,
    }
}

/// How many dimensions values of a type have, if the type says it.
fn known_rank(ty: &Type) -> Option<usize> {
    match ty {
        Type::Array(Dim::Shape(_), _) => None,
        Type::Array(_, elem) => known_rank(elem).map(|rank| rank + 1),
        Type::Prim(_) => Some(0),
        _ => None,
    }
}
