//! Expressions, clauses and qualifiers as text.

use super::{attr, list, lit, opt, pat, qual, signature, size_names, type_exp};
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
        ExprKind::Range { first, second, kind, end } => {
            let dots = match kind {
                RangeKind::Inclusive => "...",
                RangeKind::UpTo => "..<",
                RangeKind::DownTo => "..>",
            };
            list(dots, [Some(first), second.as_ref(), Some(end)].into_iter().flatten().map(self::expr))
        }
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
