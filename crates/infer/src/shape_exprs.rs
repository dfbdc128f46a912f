//! Shapes that are expressions: `[..(2 * s)]f64`.
//!
//! An array of any rank is checked against a vector when the program runs, so the expression gets a name first, and the
//! value is coerced to the shape of that name:
//!
//! ```text
//! def f [..s] (a: [..s]f64) (b: [..(2 * s)]f64): [..(s + 1)]f64 = e
//! def f [..s] (a: [..s]f64) (b: [..]f64): [..]f64 =
//!   let `(2 * s)` = 2 * s let b = b :> [..`(2 * s)`]f64 in let `(s + 1)` = s + 1 in e :> [..`(s + 1)`]f64
//! ```
//!
//! No program can write such a name, so none is captured. A shape that is a literal (`[..([n, 2])]f64`) is the list of its
//! sizes. In types of functions, in type declarations and in module types there is no value to check: there a shape
//! expression is an error.

use base::{Name, Sources, Span};
use syntax::ast::{
    DimExp, DimExpKind, Expr, ExprKind, Ident, LetFun, Pat, PatKind, QualName, TypeExp, TypeExpKind, ValueDec,
};

/// A definition with its shape expressions named, if it has any.
pub(crate) fn in_definition(sources: &Sources, value: &ValueDec) -> Option<ValueDec> {
    let (params, ret, body) = in_function(sources, &value.params, value.ret.as_ref(), &value.body)?;
    Some(ValueDec { params, ret, body, ..value.clone() })
}

/// The same for an expression: a local function, a lambda, a `let`, or an ascription.
pub(crate) fn in_expr(sources: &Sources, expr: &Expr) -> Option<Expr> {
    let mut naming = Naming { sources, steps: Vec::new() };
    let kind = match &*expr.kind {
        ExprKind::Lambda { params, ret, body } => {
            let (params, ret, body) = in_function(sources, params, ret.as_ref(), body)?;
            ExprKind::Lambda { params, ret, body }
        }
        ExprKind::LetFun(fun) => {
            let (params, ret, value) = in_function(sources, &fun.params, fun.ret.as_ref(), &fun.value)?;
            ExprKind::LetFun(Box::new(LetFun { params, ret, value, ..(**fun).clone() }))
        }
        ExprKind::Let { sizes, pat, value, body } if pattern_has_shape_exprs(pat) => {
            let mut pat = pat.clone();
            naming.pattern(&mut pat);
            ExprKind::Let { sizes: sizes.clone(), pat, value: value.clone(), body: naming.around(body.clone()) }
        }
        ExprKind::Ascribe(inner, ty) | ExprKind::Coerce(inner, ty) if has_shape_exprs(ty) => {
            let coerced = naming.coerced(inner.clone(), ty);
            return Some(naming.around(coerced));
        }
        _ => return None,
    };
    Some(Expr { kind: Box::new(kind), span: expr.span })
}

/// The parameters, the result type and the body of a function.
type Parts = (Vec<Pat>, Option<TypeExp>, Expr);

fn in_function(sources: &Sources, params: &[Pat], ret: Option<&TypeExp>, body: &Expr) -> Option<Parts> {
    if !params.iter().any(pattern_has_shape_exprs) && !ret.is_some_and(has_shape_exprs) {
        return None;
    }
    let mut params = params.to_vec();
    let mut naming = Naming { sources, steps: Vec::new() };
    params.iter_mut().for_each(|pat| naming.pattern(pat));
    let mut ret = ret.cloned();
    let mut body = body.clone();
    if let Some(ret) = &mut ret
        && has_shape_exprs(ret)
    {
        body = naming.coerced(body, ret);
        *ret = replaced(ret, &mut |_, _| DimExpKind::Shape(None));
    }
    Some((params, ret, naming.around(body)))
}

/// Gives names to the shape expressions of one construct.
struct Naming<'s> {
    sources: &'s Sources,
    /// What is bound before the construct's body, in order.
    steps: Vec<(Pat, Expr)>,
}

impl Naming<'_> {
    /// Makes the shapes of a pattern's types anonymous, and checks the values that it binds.
    fn pattern(&mut self, pat: &mut Pat) {
        match &mut pat.kind {
            PatKind::Ascribe(inner, ty) if has_shape_exprs(ty) => {
                let hole = Pat { span: inner.span, kind: PatKind::Wildcard };
                let part = std::mem::replace(&mut **inner, hole);
                let name = match &part.kind {
                    PatKind::Name(name) => *name,
                    _ => Name::new("(parameter)"),
                };
                inner.kind = PatKind::Name(name);
                let var = variable(Ident { name, span: part.span });
                let value = self.coerced(var, ty);
                self.steps.push((part, value));
                *ty = replaced(ty, &mut |_, _| DimExpKind::Shape(None));
            }
            PatKind::Ascribe(inner, _) | PatKind::Parens(inner) | PatKind::Attr(_, inner) => self.pattern(inner),
            PatKind::Tuple(parts) => parts.iter_mut().for_each(|p| self.pattern(p)),
            PatKind::Record(fields) => fields.iter_mut().filter_map(|f| f.1.as_mut()).for_each(|p| self.pattern(p)),
            PatKind::Constr(..) | PatKind::Name(_) | PatKind::Wildcard | PatKind::Literal { .. } | PatKind::Error => {}
        }
    }

    /// `e :> ty`, with the shape expressions of `ty` bound before.
    fn coerced(&mut self, e: Expr, ty: &TypeExp) -> Expr {
        let sources = self.sources;
        let steps = &mut self.steps;
        let ty = replaced(ty, &mut |shape, span| {
            let text: Vec<&str> = sources.slice(shape.span).split_whitespace().collect();
            let ident = Ident { name: Name::new(&format!("({})", text.join(" "))), span: shape.span };
            steps.push((Pat { span, kind: PatKind::Name(ident.name) }, shape.clone()));
            DimExpKind::Shape(Some(ident))
        });
        let span = e.span;
        Expr { kind: Box::new(ExprKind::Coerce(e, without_star(ty))), span }
    }

    /// The body with everything bound around it.
    fn around(self, body: Expr) -> Expr {
        self.steps.into_iter().rev().fold(body, |body, (pat, value)| {
            let span = body.span;
            let kind = ExprKind::Let { sizes: Vec::new(), pat: Box::new(pat), value, body };
            Expr { kind: Box::new(kind), span }
        })
    }
}

fn variable(name: Ident) -> Expr {
    let span = name.span;
    Expr { kind: Box::new(ExprKind::Var(QualName { quals: Vec::new(), name })), span }
}

/// The shape is consumed or not by what is around, not by the coercion.
fn without_star(ty: TypeExp) -> TypeExp {
    match ty.kind {
        TypeExpKind::Unique(inner) => without_star(*inner),
        TypeExpKind::Parens(inner) => without_star(*inner),
        TypeExpKind::Tuple(items) => {
            TypeExp { kind: TypeExpKind::Tuple(items.into_iter().map(without_star).collect()), span: ty.span }
        }
        TypeExpKind::Record(fields) => {
            let fields = fields.into_iter().map(|(name, ty)| (name, without_star(ty))).collect();
            TypeExp { kind: TypeExpKind::Record(fields), span: ty.span }
        }
        kind => TypeExp { kind, span: ty.span },
    }
}

/// Whether values that a pattern binds are checked against a shape expression.
fn pattern_has_shape_exprs(pat: &Pat) -> bool {
    match &pat.kind {
        PatKind::Ascribe(inner, ty) => has_shape_exprs(ty) || pattern_has_shape_exprs(inner),
        PatKind::Parens(inner) | PatKind::Attr(_, inner) => pattern_has_shape_exprs(inner),
        PatKind::Tuple(parts) => parts.iter().any(pattern_has_shape_exprs),
        PatKind::Record(fields) => fields.iter().filter_map(|f| f.1.as_ref()).any(pattern_has_shape_exprs),
        PatKind::Constr(..) | PatKind::Name(_) | PatKind::Wildcard | PatKind::Literal { .. } | PatKind::Error => false,
    }
}

/// Whether values of a type are checked against a shape expression.
fn has_shape_exprs(ty: &TypeExp) -> bool {
    match &ty.kind {
        TypeExpKind::Array(dim, elem) => matches!(dim.kind, DimExpKind::ShapeOf(_)) || has_shape_exprs(elem),
        TypeExpKind::Tuple(items) => items.iter().any(has_shape_exprs),
        TypeExpKind::Record(fields) => fields.iter().any(|f| has_shape_exprs(&f.1)),
        TypeExpKind::Sum(constrs) => constrs.iter().flat_map(|c| &c.1).any(has_shape_exprs),
        TypeExpKind::Unique(inner) | TypeExpKind::Parens(inner) => has_shape_exprs(inner),
        TypeExpKind::Var(_) | TypeExpKind::Apply(..) | TypeExpKind::Fun { .. } => false,
        TypeExpKind::Exists(..) | TypeExpKind::Error => false,
    }
}

/// The type with other dimensions in the place of its shape expressions.
fn replaced(ty: &TypeExp, name: &mut dyn FnMut(&Expr, Span) -> DimExpKind) -> TypeExp {
    let kind = match &ty.kind {
        TypeExpKind::Array(dim, elem) => {
            let elem = replaced(elem, name);
            return match &dim.kind {
                DimExpKind::ShapeOf(shape) => of_shape(shape, elem, dim.span, ty.span, name),
                _ => TypeExp { kind: TypeExpKind::Array(dim.clone(), Box::new(elem)), span: ty.span },
            };
        }
        TypeExpKind::Tuple(items) => TypeExpKind::Tuple(items.iter().map(|t| replaced(t, name)).collect()),
        TypeExpKind::Record(fields) => {
            TypeExpKind::Record(fields.iter().map(|(f, t)| (*f, replaced(t, name))).collect())
        }
        TypeExpKind::Sum(constrs) => {
            let mut payload = |ts: &Vec<TypeExp>| ts.iter().map(|t| replaced(t, name)).collect();
            TypeExpKind::Sum(constrs.iter().map(|(c, ts)| (*c, payload(ts))).collect())
        }
        TypeExpKind::Unique(inner) => TypeExpKind::Unique(Box::new(replaced(inner, name))),
        TypeExpKind::Parens(inner) => TypeExpKind::Parens(Box::new(replaced(inner, name))),
        kind => kind.clone(),
    };
    TypeExp { kind, span: ty.span }
}

/// `[..(shape)]elem`: the sizes of a literal, or a dimension that `name` gives.
fn of_shape(
    shape: &Expr,
    elem: TypeExp,
    span: Span,
    whole: Span,
    name: &mut dyn FnMut(&Expr, Span) -> DimExpKind,
) -> TypeExp {
    let array = |kind: DimExpKind, elem: TypeExp| TypeExp {
        kind: TypeExpKind::Array(DimExp { kind, span }, Box::new(elem)),
        span: whole,
    };
    match &*shape.kind {
        ExprKind::Parens(inner) => of_shape(inner, elem, span, whole, name),
        ExprKind::Array(sizes) if !sizes.is_empty() => {
            let sizes = sizes.iter().rev();
            sizes.fold(elem, |elem, size| array(DimExpKind::Size(Box::new(size.clone())), elem))
        }
        ExprKind::Var(var) if var.quals.is_empty() => array(DimExpKind::Shape(Some(var.name)), elem),
        _ => array(name(shape, span), elem),
    }
}
