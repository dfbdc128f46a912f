//! Expressions, types, patterns: they contain one another.

use crate::ast::*;

/// An expression.
pub fn expr(expr: &Expr) -> String {
    match &*expr.kind {
        ExprKind::Error => "ERROR".into(),
        ExprKind::Hole => "???".into(),
        ExprKind::Literal(l) => lit(l),
        ExprKind::Var(name) => qual(name),
        ExprKind::Parens(e) => format!("(paren {})", self::expr(e)),
        ExprKind::Tuple(es) => list("tuple", es.iter().map(self::expr)),
        ExprKind::Record(fields) => list("record", fields.iter().map(field)),
        ExprKind::Array(es) => list("array", es.iter().map(self::expr)),
        ExprKind::Range { first, second, kind, end } => range(first, second.as_ref(), *kind, end),
        ExprKind::Project(e, f) => format!("(.{} {})", f.name, self::expr(e)),
        ExprKind::Index(e, is) => format!("(index {}{})", self::expr(e), indices(is)),
        ExprKind::OpenIn(name, e) => format!("(open {} {})", qual(name), self::expr(e)),
        ExprKind::Apply(f, args) => list(&self::expr(f), args.iter().map(self::expr)),
        ExprKind::Constr(name, args) => list(&format!("#{}", name.name), args.iter().map(self::expr)),
        ExprKind::Binary { op, lhs, rhs } => format!("({} {} {})", qual(op), self::expr(lhs), self::expr(rhs)),
        ExprKind::Negate(e) => format!("(neg {})", self::expr(e)),
        ExprKind::Not(e) => format!("(not {})", self::expr(e)),
        ExprKind::OpSection(op) => format!("(op {})", qual(op)),
        ExprKind::LeftSection(e, op) => format!("(left {} {})", self::expr(e), qual(op)),
        ExprKind::RightSection(op, e) => format!("(right {} {})", qual(op), self::expr(e)),
        ExprKind::PathSection(path) => format!("(path{})", steps(path)),
        ExprKind::Lambda { params, ret, body } => {
            format!("(\\{} -> {})", signature(&[], params, ret.as_ref()), self::expr(body))
        }
        ExprKind::If { cond, then, otherwise } => list("if", [cond, then, otherwise].into_iter().map(self::expr)),
        ExprKind::Let { .. } | ExprKind::LetFun(_) | ExprKind::LetWith { .. } | ExprKind::LetRec { .. } => {
            let_exp(&expr.kind)
        }
        ExprKind::Loop { pat: p, init, form, body } => {
            let init = opt(init.as_ref(), |e| format!(" = {}", self::expr(e)));
            format!("(loop {}{init} {} {})", pat(p), loop_form(form), self::expr(body))
        }
        ExprKind::Match { value, cases } => {
            let cases = cases.iter().map(|c| format!("({} -> {})", pat(&c.pat), self::expr(&c.body)));
            list(&format!("match {}", self::expr(value)), cases)
        }
        ExprKind::With { source, path, value } => {
            format!("(with {}{} {})", self::expr(source), steps(path), self::expr(value))
        }
        ExprKind::Ascribe(e, t) => format!("(: {} {})", self::expr(e), type_exp(t)),
        ExprKind::Coerce(e, t) => format!("(:> {} {})", self::expr(e), type_exp(t)),
        ExprKind::Assert(c, e) => format!("(assert {} {})", self::expr(c), self::expr(e)),
        ExprKind::Attr(a, e) => format!("({} {})", attr(a), self::expr(e)),
        ExprKind::Comprehension { body, quals } => format!("(comp {}{})", self::expr(body), self::quals(quals)),
        ExprKind::ArrayBy { shape, clauses } => format!("(arrayby {}{})", self::expr(shape), self::clauses(clauses)),
        ExprKind::Update { array, clauses } => format!("(update {}{})", self::expr(array), self::clauses(clauses)),
        ExprKind::Accum { op, neutral, shape, clauses } => {
            let head = [op, neutral, shape].map(|e| format!(" {}", self::expr(e))).concat();
            format!("(accum{head}{})", self::clauses(clauses))
        }
    }
}

/// A range, named after its dots.
fn range(first: &Expr, second: Option<&Expr>, kind: RangeKind, end: &Expr) -> String {
    let dots = match kind {
        RangeKind::Inclusive => "...",
        RangeKind::UpTo => "..<",
        RangeKind::DownTo => "..>",
    };
    list(dots, [Some(first), second, Some(end)].into_iter().flatten().map(expr))
}

fn let_exp(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Let { sizes, pat: p, value, body } => {
            let sizes = if sizes.is_empty() { String::new() } else { size_names(sizes) + " " };
            format!("(let {sizes}{} {} {})", pat(p), expr(value), expr(body))
        }
        ExprKind::LetFun(f) => {
            let head = signature(&f.type_params, &f.params, f.ret.as_ref());
            format!("(letfun {}{head} = {} {})", f.name.name, expr(&f.value), expr(&f.body))
        }
        ExprKind::LetWith { name, path, value, body } => {
            format!("(letwith {}{} {} {})", name.name, steps(path), expr(value), expr(body))
        }
        ExprKind::LetRec { arrays, body } => {
            let arrays = arrays.iter().map(|a| {
                let ty = opt(a.ty.as_ref(), |t| format!(" : {}", type_exp(t)));
                format!("({}{ty} {})", a.name.name, expr(&a.value))
            });
            list("letrec", arrays.chain([expr(body)]))
        }
        _ => String::new(),
    }
}

fn field((name, value): &(Ident, Option<Expr>)) -> String {
    match value {
        Some(value) => format!("({} {})", name.name, expr(value)),
        None => name.name.to_string(),
    }
}

fn loop_form(form: &LoopForm) -> String {
    match form {
        LoopForm::For(name, end) => format!("(for {} {})", name.name, expr(end)),
        LoopForm::Range(range) => format!("(for {})", generator(range)),
        LoopForm::ForIn(p, e) => format!("(in {} {})", pat(p), expr(e)),
        LoopForm::While(e) => format!("(while {})", expr(e)),
    }
}

fn indices(indices: &[Index]) -> String {
    let show = |index: &Index| match index {
        Index::At(e) => format!(" {}", expr(e)),
        Index::Slice { start, end, stride, span: _ } => {
            let [a, b, c] = [start, end, stride].map(|e| opt(e.as_ref(), expr));
            format!(" {a}:{b}:{c}")
        }
    };
    indices.iter().map(show).collect()
}

fn steps(path: &[Step]) -> String {
    let show = |step: &Step| match step {
        Step::Field(f) => format!(" .{}", f.name),
        Step::Index(is, _) => format!(" [{}]", indices(is).trim_start()),
    };
    path.iter().map(show).collect()
}

fn quals(quals: &[Qual]) -> String {
    let show = |qual: &Qual| match qual {
        Qual::For(gens, _) => format!(" {}", list("for", gens.iter().map(generator))),
        Qual::Let(p, e) => format!(" (let {} {})", pat(p), expr(e)),
        Qual::If(e) => format!(" (if {})", expr(e)),
    };
    quals.iter().map(show).collect()
}

fn generator(generator: &Generator) -> String {
    match &generator.kind {
        GeneratorKind::In(p, e) => format!("(in {} {})", pat(p), expr(e)),
        GeneratorKind::Range { lo, var, hi, step } => {
            let lo = opt(lo.as_ref(), |e| format!("{} <= ", expr(e)));
            let step = opt(step.as_ref(), |e| format!(" step {}", expr(e)));
            format!("({lo}{} < {}{step})", var.name, expr(hi))
        }
    }
}

fn clauses(clauses: &Clauses) -> String {
    let otherwise = opt(clauses.otherwise.as_ref(), |e| {
        let names = e.subscripts.iter().flatten().map(|i| format!("{} ", i.name));
        format!(" (else {}{})", names.collect::<String>(), expr(&e.value))
    });
    clauses.clauses.iter().map(clause).chain([otherwise]).collect()
}

fn clause(clause: &Clause) -> String {
    match &clause.kind {
        ClauseKind::Element { subscripts, value, quals } => {
            let subscripts: Vec<String> = subscripts.iter().map(expr).collect();
            format!(" ([{}] => {}{})", subscripts.join(" "), expr(value), self::quals(quals))
        }
        ClauseKind::Group { quals, clauses } => {
            let inner: String = clauses.iter().map(self::clause).collect();
            format!(" (group{} {{{inner} }})", self::quals(quals))
        }
    }
}

/// A type.
pub fn type_exp(ty: &TypeExp) -> String {
    match &ty.kind {
        TypeExpKind::Var(name) => qual(name),
        TypeExpKind::Apply(head, args) => list(&type_exp(head), args.iter().map(type_arg)),
        TypeExpKind::Tuple(types) => list("tuple", types.iter().map(type_exp)),
        TypeExpKind::Record(fields) => {
            list("record", fields.iter().map(|(f, t)| format!("({} {})", f.name, type_exp(t))))
        }
        TypeExpKind::Sum(constrs) => {
            list("sum", constrs.iter().map(|(c, ts)| list(&format!("#{}", c.name), ts.iter().map(type_exp))))
        }
        TypeExpKind::Array(d, elem) => format!("{}{}", dim(d), type_exp(elem)),
        TypeExpKind::Unique(inner) => format!("*{}", type_exp(inner)),
        TypeExpKind::Fun { param_name: None, param, ret } => format!("(-> {} {})", type_exp(param), type_exp(ret)),
        TypeExpKind::Fun { param_name: Some(name), param, ret } => {
            format!("(-> ({} {}) {})", name.name, type_exp(param), type_exp(ret))
        }
        TypeExpKind::Exists(sizes, body) => format!("(? {} {})", size_names(sizes), type_exp(body)),
        TypeExpKind::Parens(inner) => format!("(paren {})", type_exp(inner)),
        TypeExpKind::Error => "ERROR".into(),
    }
}

/// A pattern.
pub fn pat(pat: &Pat) -> String {
    match &pat.kind {
        PatKind::Name(name) => name.to_string(),
        PatKind::Wildcard => "_".into(),
        PatKind::Tuple(pats) => list("tuple", pats.iter().map(self::pat)),
        PatKind::Record(fields) => list(
            "record",
            fields.iter().map(|(f, p)| match p {
                Some(p) => format!("({} {})", f.name, self::pat(p)),
                None => f.name.to_string(),
            }),
        ),
        PatKind::Literal { lit: l, negative } => format!("{}{}", if *negative { "-" } else { "" }, lit(l)),
        PatKind::Constr(name, args) => list(&format!("#{}", name.name), args.iter().map(self::pat)),
        PatKind::Ascribe(inner, ty) => format!("(: {} {})", self::pat(inner), type_exp(ty)),
        PatKind::Parens(inner) => format!("(paren {})", self::pat(inner)),
        PatKind::Attr(a, inner) => format!("({} {})", attr(a), self::pat(inner)),
        PatKind::Error => "ERROR".into(),
    }
}

pub(super) fn type_arg(arg: &TypeArg) -> String {
    match arg {
        TypeArg::Size(d) => dim(d),
        TypeArg::Type(t) => type_exp(t),
    }
}

pub(super) fn dim(dim: &DimExp) -> String {
    match &dim.kind {
        DimExpKind::Any => "[]".into(),
        DimExpKind::Size(e) => format!("[{}]", expr(e)),
        DimExpKind::Jagged(name) => format!("[~{}]", opt(name.as_ref(), |n| n.name.to_string())),
        DimExpKind::ShapeOf(e) => format!("[..({})]", expr(e)),
        DimExpKind::Shape(name) => format!("[..{}]", opt(name.as_ref(), |n| n.name.to_string())),
    }
}

pub(super) fn type_param(param: &TypeParam) -> String {
    let name = param.name.name;
    match param.kind {
        TypeParamKind::Size => format!("[{name}]"),
        TypeParamKind::Type(Lifted::No) => format!("'{name}"),
        TypeParamKind::Type(Lifted::Sizes) => format!("'~{name}"),
        TypeParamKind::Type(Lifted::Functions) => format!("'^{name}"),
        TypeParamKind::Jagged => format!("[~{name}]"),
        TypeParamKind::Shape => format!("[..{name}]"),
    }
}

/// Type parameters, parameters and result type of a definition, each with a space in front.
pub(super) fn signature(type_params: &[TypeParam], params: &[Pat], ret: Option<&TypeExp>) -> String {
    let type_params = type_params.iter().map(|p| format!(" {}", type_param(p)));
    let params = params.iter().map(|p| format!(" {}", pat(p)));
    let ret = ret.map(|t| format!(" : {}", type_exp(t)));
    type_params.chain(params).chain(ret).collect()
}

pub(super) fn qual(name: &QualName) -> String {
    let quals: String = name.quals.iter().map(|q| format!("{}.", q.name)).collect();
    format!("{quals}{}", name.name.name)
}

pub(super) fn size_names(sizes: &[SizeName]) -> String {
    let shown = |size: &SizeName| format!("{}{}", if size.jagged { "~" } else { "" }, size.name.name);
    format!("[{}]", sizes.iter().map(shown).collect::<Vec<_>>().join(" "))
}

pub(super) fn attr(attr: &Attr) -> String {
    fn body(attr: &Attr) -> String {
        let args: Vec<String> = attr.args.iter().map(body).collect();
        if args.is_empty() { attr.name.to_string() } else { format!("{}({})", attr.name, args.join(",")) }
    }
    format!("#[{}]", body(attr))
}

pub(crate) fn lit(lit: &Lit) -> String {
    let suffixed =
        |text: String, suffix: &Option<scalar::Prim>| text + &opt(suffix.as_ref(), |s| format!("{s:?}").to_lowercase());
    match lit {
        Lit::Int { value, suffix } => suffixed(value.to_string(), suffix),
        Lit::Float { value, suffix } => suffixed(format!("{value:?}"), suffix),
        Lit::Bool(value) => value.to_string(),
        Lit::Char(value) => format!("{:?}", char::from_u32(*value).unwrap_or('?')),
        Lit::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

/// `(head item item)`; the head alone when there are no items.
pub(super) fn list(head: &str, items: impl Iterator<Item = String>) -> String {
    let rest: String = items.map(|i| format!(" {i}")).collect();
    format!("({head}{rest})")
}

pub(super) fn opt<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or(String::new(), show)
}
