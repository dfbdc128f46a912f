//! Do the patterns cover everything? A `match` must, and a pattern of `let`, a parameter or a loop by itself.
//!
//! Maranget's usefulness test on a matrix of patterns: a row of wildcards is useful exactly if something is uncovered,
//! and then the test yields an example.

use crate::Checker;
use base::{Name, Span};
use scalar::Scalar;
use typed::{Body, Clause, DefId, Expr, ExprKind, Generator, LoopForm, Param, Pat, PatKind, Program, Qual, Type};

impl Checker<'_> {
    /// Reports every pattern of a definition that lets something through.
    pub(crate) fn check_coverage(&mut self, def: DefId) {
        let mut gaps = Vec::new();
        let found = &self.program.defs[def];
        let mut search = Search { program: &self.program, gaps: &mut gaps };
        search.params(&found.params);
        if let Body::Expr(body) = &found.body {
            search.expr(body);
        }
        for gap in gaps {
            match gap {
                Gap::Match(span, example) => self.unmatched_cases(span, &example),
                Gap::Refutable(span, example) => self.refutable_pattern(span, &example),
            }
        }
    }
}

enum Gap {
    Match(Span, String),
    Refutable(Span, String),
}

struct Search<'p> {
    program: &'p Program,
    gaps: &'p mut Vec<Gap>,
}

impl Search<'_> {
    fn params(&mut self, params: &[Param]) {
        params.iter().for_each(|p| self.irrefutable(&p.pat));
    }

    fn irrefutable(&mut self, pat: &Pat) {
        if let Some(example) = uncovered(self.program, &[pat], &pat.ty) {
            self.gaps.push(Gap::Refutable(pat.span, example));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Match { value, cases } => {
                let pats: Vec<&Pat> = cases.iter().map(|c| &c.0).collect();
                if let Some(example) = uncovered(self.program, &pats, &value.ty) {
                    self.gaps.push(Gap::Match(expr.span, example));
                }
            }
            ExprKind::Let { pat, .. } => self.irrefutable(pat),
            ExprKind::Lambda(fun) | ExprKind::LetFun { fun, .. } => self.params(&fun.params),
            ExprKind::Loop { pat, form, .. } => {
                self.irrefutable(pat);
                if let LoopForm::ForIn(pat, _) = form {
                    self.irrefutable(pat);
                }
            }
            ExprKind::Comprehension { quals, .. } => self.quals(quals),
            ExprKind::ArrayBy { clauses, .. } | ExprKind::Update { clauses, .. } | ExprKind::Accum { clauses, .. } => {
                self.clauses(clauses);
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.expr(child));
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            match clause {
                Clause::Element { quals, .. } => self.quals(quals),
                Clause::Group { quals, clauses, .. } => {
                    self.quals(quals);
                    self.clauses(clauses);
                }
            }
        }
    }

    fn quals(&mut self, quals: &[Qual]) {
        for qual in quals {
            match qual {
                Qual::For(generators, _) => generators.iter().for_each(|g| match g {
                    Generator::In(pat, _) => self.irrefutable(pat),
                    Generator::Range { .. } => {}
                }),
                Qual::Let(pat, _) => self.irrefutable(pat),
                Qual::If(_) => {}
            }
        }
    }
}

/// An example, as text, of a value that none of the patterns matches.
fn uncovered(program: &Program, pats: &[&Pat], ty: &Type) -> Option<String> {
    let rows: Vec<Vec<Shape>> = pats.iter().map(|p| vec![shape(p)]).collect();
    let example = useful(program, &rows, std::slice::from_ref(ty))?;
    example.into_iter().next()
}

/// A pattern without names.
#[derive(Clone, Debug)]
enum Shape {
    Any,
    Record(Vec<(Name, Shape)>),
    Constr(Name, Vec<Shape>),
    Literal(Scalar),
}

fn shape(pat: &Pat) -> Shape {
    match &pat.kind {
        PatKind::Wildcard | PatKind::Bind(_) => Shape::Any,
        PatKind::Record(fields) => Shape::Record(fields.iter().map(|(n, p)| (*n, shape(p))).collect()),
        PatKind::Literal(value) => Shape::Literal(*value),
        PatKind::Constr(name, pats) => Shape::Constr(*name, pats.iter().map(shape).collect()),
        PatKind::Ascribe(inner, _) => shape(inner),
    }
}

/// An example for each column that no row matches, if there is one.
fn useful(program: &Program, rows: &[Vec<Shape>], types: &[Type]) -> Option<Vec<String>> {
    let Some((ty, rest)) = types.split_first() else { return rows.is_empty().then(Vec::new) };
    let first_column = || rows.iter().filter_map(|r| r.first());
    if first_column().all(|s| matches!(s, Shape::Any)) {
        let mut example = useful(program, &tails(rows), rest)?;
        example.insert(0, "_".into());
        return Some(example);
    }
    match ty {
        Type::Record(fields) => useful_record(program, rows, fields, rest),
        Type::Sum(constrs) => constrs.iter().find_map(|(name, payload)| {
            let narrowed = narrow(rows, |s| match s {
                Shape::Any => Some(vec![Shape::Any; payload.len()]),
                Shape::Constr(c, inner) if c == name && inner.len() == payload.len() => Some(inner.clone()),
                Shape::Constr(..) | Shape::Record(_) | Shape::Literal(_) => None,
            });
            let columns: Vec<Type> = payload.iter().chain(rest).cloned().collect();
            let mut example = useful(program, &narrowed, &columns)?;
            let inner: Vec<String> = example.drain(..payload.len()).map(atom).collect();
            example.insert(0, std::iter::once(format!("#{name}")).chain(inner).collect::<Vec<_>>().join(" "));
            Some(example)
        }),
        Type::Prim(prim) => useful_literal(program, rows, *prim == scalar::Prim::Bool, rest),
        Type::Var(_) | Type::Abstract(..) | Type::Array(..) | Type::Fun(_) | Type::Meta(_) | Type::Error => None,
    }
}

fn useful_record(
    program: &Program,
    rows: &[Vec<Shape>],
    fields: &[(Name, Type)],
    rest: &[Type],
) -> Option<Vec<String>> {
    let narrowed = narrow(rows, |s| match s {
        Shape::Record(given) => {
            let find = |name: &Name| given.iter().find(|g| g.0 == *name).map_or(Shape::Any, |g| g.1.clone());
            Some(fields.iter().map(|(name, _)| find(name)).collect())
        }
        Shape::Any | Shape::Constr(..) | Shape::Literal(_) => Some(vec![Shape::Any; fields.len()]),
    });
    let columns: Vec<Type> = fields.iter().map(|f| &f.1).chain(rest).cloned().collect();
    let mut example = useful(program, &narrowed, &columns)?;
    let inner: Vec<String> = example.drain(..fields.len()).collect();
    let text = if typed::is_tuple(fields.iter().map(|f| f.0)) {
        format!("({})", inner.join(", "))
    } else {
        let named: Vec<String> = fields.iter().zip(inner).map(|((n, _), e)| format!("{n} = {e}")).collect();
        format!("{{{}}}", named.join(", "))
    };
    example.insert(0, text);
    Some(example)
}

fn useful_literal(program: &Program, rows: &[Vec<Shape>], is_bool: bool, rest: &[Type]) -> Option<Vec<String>> {
    let mut literals: Vec<Scalar> = Vec::new();
    for row in rows {
        if let Some(Shape::Literal(value)) = row.first()
            && !literals.iter().any(|l| l.same(*value))
        {
            literals.push(*value);
        }
    }
    let keep = |wanted: Option<Scalar>| {
        narrow(rows, |s| match s {
            Shape::Any => Some(Vec::new()),
            Shape::Literal(value) if wanted.is_some_and(|w| w.same(*value)) => Some(Vec::new()),
            Shape::Literal(_) | Shape::Record(_) | Shape::Constr(..) => None,
        })
    };
    if is_bool {
        return [true, false].into_iter().find_map(|b| {
            let mut example = useful(program, &keep(Some(Scalar::Bool(b))), rest)?;
            example.insert(0, b.to_string());
            Some(example)
        });
    }
    // Numbers never run out, so something else than these is always possible.
    let mut example = useful(program, &keep(None), rest)?;
    example.insert(0, "_".into());
    Some(example)
}

/// The rows whose first pattern can be replaced by these.
fn narrow(rows: &[Vec<Shape>], replace: impl Fn(&Shape) -> Option<Vec<Shape>>) -> Vec<Vec<Shape>> {
    let row = |r: &Vec<Shape>| {
        let (first, rest) = r.split_first()?;
        Some(replace(first)?.into_iter().chain(rest.iter().cloned()).collect())
    };
    rows.iter().filter_map(row).collect()
}

fn tails(rows: &[Vec<Shape>]) -> Vec<Vec<Shape>> {
    rows.iter().map(|r| r[1..].to_vec()).collect()
}

fn atom(text: String) -> String {
    if text.contains(' ') && !text.starts_with(['(', '{']) { format!("({text})") } else { text }
}
