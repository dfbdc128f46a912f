//! The walk over expressions: what each value shares, what each expression uses and consumes.

use super::alias::{Alias, Aliases, FunShares, Shares, Source, meeting};
use super::pattern::field_index;
use super::walk::{How, Role, Walk};
use base::Span;
use typed::{Body, Clause, DefId, Diet, Expr, ExprKind, Index, Lambda, LocalId, Size, Step, Type, TypeArg};

impl<'a> Walk<'a> {
    /// Walks an expression; what its value shares.
    pub fn expr(&mut self, expr: &'a Expr) -> Shares {
        match &*expr.kind {
            ExprKind::Scalar(_) | ExprKind::Bytes(_) | ExprKind::Operator(_) => Shares::fresh(&expr.ty),
            ExprKind::Hole | ExprKind::Blank(_) | ExprKind::Error => Shares::fresh(&expr.ty),
            ExprKind::Local(local, _) => self.local(*local, &[], expr),
            ExprKind::Global(def, args) => self.global(*def, args, expr),
            ExprKind::Record(fields) => self.record(fields, &expr.ty),
            ExprKind::Project(inner, name) => self.project(expr, inner, *name),
            ExprKind::Index(array, indices) => {
                let shares = self.expr(array);
                self.indices(indices);
                Shares::spread(&expr.ty, &shares.all())
            }
            ExprKind::Apply(fun, args) => self.apply(expr, fun, args),
            ExprKind::Constr(name, items) => self.constr(*name, items, &expr.ty),
            ExprKind::Lambda(lambda) => self.lambda(expr, lambda),
            ExprKind::If { cond, then, otherwise } => self.branches(cond, then, otherwise),
            ExprKind::Match { value, cases } => self.cases(value, cases, &expr.ty),
            ExprKind::Let { sizes: _, pat, value, body } => self.let_(pat, value, body),
            ExprKind::LetFun { name, type_params: _, fun, body } => self.let_fun(*name, fun, body),
            ExprKind::LetRec { arrays, body } => self.let_rec(arrays, body),
            ExprKind::Loop { sizes: _, pat, init, form, body } => self.loop_(pat, init, form, body, expr.span),
            ExprKind::With { source, path, value } => self.with(source, path, value, expr),
            ExprKind::Ascribe(inner, ty) | ExprKind::Coerce(inner, ty) => {
                let shares = self.expr(inner);
                self.functions_agree(ty, &inner.ty, Some(&shares), inner.span);
                shares
            }
            ExprKind::Assert { cond, text: _, body } => {
                self.expr(cond);
                self.expr(body)
            }
            ExprKind::Update { array, clauses } => self.update(array, clauses, expr),
            ExprKind::Comprehension { body, quals } => {
                self.under_comprehension(quals, &mut |walk| {
                    walk.expr(body);
                });
                Shares::fresh(&expr.ty)
            }
            ExprKind::ArrayBy { shape, clauses, otherwise } => {
                self.array_by(shape, clauses, otherwise.as_ref(), &expr.ty)
            }
            ExprKind::Accum { op, neutral, shape, clauses } => self.accum([op, neutral, shape], clauses, &expr.ty),
            // The parts are used, the value is new.
            ExprKind::Array(_) | ExprKind::Range { .. } | ExprKind::Binary { .. } | ExprKind::Unary { .. } => {
                let mut children = Vec::new();
                expr.for_each_child(&mut |child| children.push(child));
                self.parts(&children);
                Shares::fresh(&expr.ty)
            }
        }
    }

    /// A local function, and the expression that sees it.
    fn let_fun(&mut self, name: LocalId, fun: &'a Lambda, body: &'a Expr) -> Shares {
        let ty = Type::function(&fun.params, fun.ret.clone());
        let shares = self.function_value(fun, &ty);
        self.bind(name, shares, Diet::Observe, Role::Function, None);
        let result = self.expr(body);
        self.unbind(name);
        result
    }

    /// `array` makes a new array; its clauses consume nothing from outside.
    fn array_by(&mut self, shape: &'a Expr, clauses: &'a [Clause], otherwise: Option<&'a Expr>, ty: &Type) -> Shares {
        self.expr(shape);
        self.clauses(clauses);
        if let Some(value) = otherwise {
            self.inside(|walk| walk.expr(value));
        }
        Shares::fresh(ty)
    }

    /// A use of (a part of) a local.
    fn local(&mut self, local: LocalId, path: &[u16], expr: &'a Expr) -> Shares {
        let Some(entry) = self.entry(local) else {
            // Sizes, size functions and shapes are never consumed.
            return Shares::spread(&expr.ty, &Aliases::from([Alias::whole(Source::Local(local))]));
        };
        let mut shares = entry.shares.at(path).clone();
        let used = shares.all();
        self.observe(&used, Some(local), expr.span);
        if let Shares::Fun(fun) = &mut shares {
            fun.ty = expr.ty.clone();
        }
        shares
    }

    /// A use of a definition: a function holds nothing, a constant is shared by all.
    fn global(&mut self, def: DefId, args: &[TypeArg], expr: &'a Expr) -> Shares {
        let found = &self.program.defs[def];
        let constant = found.params.is_empty() && matches!(found.body, Body::Expr(_));
        if constant && !is_instance(args) {
            let mut shares = Shares::fresh(&expr.ty);
            shares.add_self(Source::Global(def));
            forget_opaque(&mut shares, &expr.ty, self.precise);
            return shares;
        }
        let Type::Fun(_) = &expr.ty else { return Shares::fresh(&expr.ty) };
        let known = self.summaries.defs.get(&def).cloned();
        let mut closure = Aliases::new();
        if let Some(known) = &known {
            closure.extend(known.result.all().into_iter().filter(|a| matches!(a.source, Source::Global(_))));
        }
        Shares::Fun(Box::new(FunShares { ty: expr.ty.clone(), closure, known, given: Vec::new() }))
    }

    /// Walks the parts of a value, from the first to the last. The value is made when all of them are there: a part that a
    /// later one has consumed is gone by then.
    fn parts(&mut self, parts: &[&'a Expr]) -> Vec<Shares> {
        let shares: Vec<Shares> = parts.iter().map(|part| self.expr(part)).collect();
        for (part, shares) in parts.iter().zip(&shares) {
            let local = match &*part.kind {
                ExprKind::Local(local, _) => Some(*local),
                _ => None,
            };
            self.observe(&shares.all(), local, part.span);
        }
        shares
    }

    fn record(&mut self, fields: &'a [(base::Name, Expr)], ty: &Type) -> Shares {
        let mut parts: Vec<Shares> = vec![Shares::Nothing; fields.len()];
        let values: Vec<&Expr> = fields.iter().map(|f| &f.1).collect();
        for ((name, _), shares) in fields.iter().zip(self.parts(&values)) {
            parts[field_index(ty, *name)] = shares;
        }
        Shares::Record(parts)
    }

    fn project(&mut self, expr: &'a Expr, inner: &'a Expr, name: base::Name) -> Shares {
        if self.precise
            && let Some((local, path)) = local_path(expr)
        {
            return self.local(local, &path, expr);
        }
        let shares = self.expr(inner);
        let index = field_index(&inner.ty, name);
        let mut part = shares.at(&[index as u16]).clone();
        if let Shares::Fun(fun) = &mut part {
            fun.ty = expr.ty.clone();
        }
        part
    }

    fn constr(&mut self, name: base::Name, items: &'a [Expr], ty: &Type) -> Shares {
        let payload = self.parts(&items.iter().collect::<Vec<_>>());
        let mut shares = Shares::fresh(ty);
        if let (Shares::Sum(parts), Type::Sum(constrs)) = (&mut shares, ty)
            && let Some(index) = constrs.iter().position(|c| c.0 == name)
        {
            parts[index] = payload;
        }
        shares
    }

    pub fn indices(&mut self, indices: &'a [Index]) {
        let mut parts = Vec::new();
        indices.iter().for_each(|i| i.for_each_child(&mut |e| parts.push(e)));
        parts.into_iter().for_each(|e| {
            self.expr(e);
        });
    }

    fn let_(&mut self, pat: &'a typed::Pat, value: &'a Expr, body: &'a Expr) -> Shares {
        let (shares, consumed) = self.contain(|walk| walk.expr(value));
        if !consumed.is_empty() && holds_functions(&value.ty) {
            self.function_from_consumption(value.span, consumed.first().map(|c| c.span), false);
        }
        self.mark(consumed);
        self.pattern_agrees(pat, value, &shares);
        match pat.name() {
            Some(local) => {
                let row = self.row_of(value);
                self.bind(local, shares, Diet::Consume, Role::Let, row);
            }
            None => self.bind_pat(pat, &shares, &Diet::Consume, Role::Let),
        }
        let result = self.expr(body);
        self.unbind_pat(pat);
        result
    }

    fn with(&mut self, source: &'a Expr, path: &'a [Step], value: &'a Expr, expr: &'a Expr) -> Shares {
        for step in path {
            match step {
                Step::Field(_) => {}
                Step::Index(indices) => self.indices(indices),
            }
        }
        let new = self.expr(value);
        if let Some(shares) = self.put_back(source, path, &new, value, expr.span) {
            return shares;
        }
        let mut shares = self.expr(source);
        let fields = leading_fields(path, &source.ty);
        let indexed = path.iter().any(|s| matches!(s, Step::Index(_)));
        if !indexed {
            if let Some(part) = shares.at_mut(&fields) {
                *part = new;
            }
            return shares;
        }
        let target = if self.precise { shares.at(&fields).all() } else { shares.all() };
        let row = if fields.is_empty() { self.row_of(source) } else { None };
        self.overlap(&target, &new, source.span, value.span);
        self.consume(&target, expr.span, How::With, row);
        match shares.at_mut(&fields) {
            Some(part) if self.precise => part.clear(),
            _ => shares.clear(),
        }
        shares
    }

    /// What is written must not be what is overwritten.
    pub fn overlap(&mut self, target: &Aliases, new: &Shares, source: Span, value: Span) {
        if let Some(alias) = meeting(&new.all(), target).cloned() {
            self.update_overlaps(source, value, &alias);
        }
    }

    fn update(&mut self, array: &'a Expr, clauses: &'a [Clause], expr: &'a Expr) -> Shares {
        let shares = self.expr(array);
        self.clauses(clauses);
        let row = self.row_of(array);
        self.consume(&shares.all(), expr.span, How::Update, row);
        Shares::fresh(&expr.ty)
    }

    fn accum(&mut self, parts: [&'a Expr; 3], clauses: &'a [Clause], ty: &Type) -> Shares {
        let [op, neutral, shape] = parts;
        self.expr(op);
        self.takes_no_argument_away(&op.ty, op.span);
        self.expr(neutral);
        self.expr(shape);
        self.clauses(clauses);
        Shares::fresh(ty)
    }

    /// Runs `f` where what is bound outside may not be consumed.
    pub fn inside<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.level += 1;
        let (result, _) = self.contain(f);
        self.level -= 1;
        result
    }
}

/// Whether a type holds functions.
pub(super) fn holds_functions(ty: &Type) -> bool {
    match ty {
        Type::Fun(_) => true,
        Type::Abstract(..) | Type::Array(..) => false,
        _ => ty.any_child(&mut holds_functions),
    }
}

/// `x`, `x.a`, `x.a.b`: the local and the way to the part.
pub(super) fn local_path(expr: &Expr) -> Option<(LocalId, Vec<u16>)> {
    match &*expr.kind {
        ExprKind::Local(local, _) => Some((*local, Vec::new())),
        ExprKind::Project(inner, name) => {
            let (local, mut path) = local_path(inner)?;
            path.push(field_index(&inner.ty, *name) as u16);
            Some((local, path))
        }
        _ => None,
    }
}

/// The fields a path goes through before its first index.
fn leading_fields(path: &[Step], ty: &Type) -> Vec<u16> {
    let mut ty = ty;
    let mut out = Vec::new();
    for step in path {
        let Step::Field(name) = step else { break };
        let Type::Record(fields) = ty else { break };
        let index = field_index(ty, *name);
        out.push(index as u16);
        ty = &fields[index].1;
    }
    out
}

/// Whether a constant is computed anew for sizes of this function, so that it has no other aliases.
fn is_instance(args: &[TypeArg]) -> bool {
    args.iter().any(|arg| match arg {
        TypeArg::Size(Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) => true,
        TypeArg::Size(Size::Const(_)) => false,
        TypeArg::Type(_) => false,
        TypeArg::Jagged(_) | TypeArg::Shape(_) => true,
    })
}

/// In Futhark a constant of abstract type, or a function, is not tracked.
fn forget_opaque(shares: &mut Shares, ty: &Type, precise: bool) {
    match (shares, ty) {
        (Shares::Whole(set), Type::Var(_) | Type::Abstract(..)) if !precise => set.clear(),
        (Shares::Fun(fun), _) if !precise => fun.closure.clear(),
        (Shares::Record(parts), Type::Record(fields)) => {
            parts.iter_mut().zip(fields.iter()).for_each(|(p, f)| forget_opaque(p, &f.1, precise));
        }
        _ => {}
    }
}
