//! Size expressions: which expressions may stand as sizes, replacing variables in them, and when two are equal.

use affine::Linear;
use base::Map;
use scalar::{BinOp, Scalar, UnOp};
use std::fmt::Write;
use std::sync::Arc;
use typed::{Expr, ExprKind, Index, LocalId, Size, Type, size};

/// An indivisible part of a size: compared by its text, which names variables by their ids.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    key: String,
    size: Size,
}

impl Atom {
    fn new(key: String, expr: &Expr) -> Atom {
        Atom { key, size: size::from_expr(expr) }
    }

    /// The variable, if the atom is one.
    pub(super) fn local(&self) -> Option<LocalId> {
        match &self.size {
            Size::Local(local) => Some(*local),
            Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
        }
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        self.key == other.key
    }
}

impl Eq for Atom {}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// The values of `let`-bound variables, where equality of sizes may look through them.
pub(super) type Definitions = Map<LocalId, Size>;

/// The size as a sum of multiples of atoms, if nothing in it overflows.
pub(super) fn linear(size: &Size, definitions: &Definitions) -> Option<Linear<Atom>> {
    match size {
        Size::Const(n) => Some(Linear::constant(*n)),
        Size::Local(local) => match definitions.get(local) {
            Some(definition) => linear(definition, definitions),
            None => Some(Linear::symbol(Atom { key: format!("x{}", local.0), size: size.clone() })),
        },
        Size::Expr(expr) => linear_expr(expr, definitions),
        Size::Meta(_) | Size::Unknown => None,
    }
}

fn linear_expr(expr: &Expr, definitions: &Definitions) -> Option<Linear<Atom>> {
    let simple = size::from_expr(expr);
    if !matches!(simple, Size::Expr(_)) {
        return linear(&simple, definitions);
    }
    let atom = || Some(Linear::symbol(Atom::new(key(expr, definitions), expr)));
    match &*expr.kind {
        ExprKind::Binary { op, lhs, rhs, lifted: false } => {
            let both = || Some((linear_expr(lhs, definitions)?, linear_expr(rhs, definitions)?));
            match op {
                BinOp::Add => both().and_then(|(a, b)| a.add(&b)),
                BinOp::Sub => both().and_then(|(a, b)| a.sub(&b)),
                BinOp::Mul => both().and_then(|(a, b)| a.mul(&b)).or_else(atom),
                _ => atom(),
            }
        }
        ExprKind::Unary { op: UnOp::Neg, arg, lifted: false } => linear_expr(arg, definitions)?.neg(),
        ExprKind::Ascribe(inner, _) => linear_expr(inner, definitions),
        _ => atom(),
    }
}

/// The sum as a size again.
pub(super) fn from_linear(form: &Linear<Atom>, span: base::Span) -> Option<Size> {
    let mut total: Option<Expr> = None;
    let mut add = |expr: Expr, negative: bool| {
        total = Some(match total.take() {
            None if negative => binary(BinOp::Sub, constant(0, span), expr),
            None => expr,
            Some(left) => binary(if negative { BinOp::Sub } else { BinOp::Add }, left, expr),
        });
    };
    for (atom, coefficient) in form.terms() {
        let expr = typed::size_expr(&atom.size, span)?;
        let factor = coefficient.checked_abs()?;
        add(if factor == 1 { expr } else { binary(BinOp::Mul, constant(factor, span), expr) }, *coefficient < 0);
    }
    let rest = form.constant_part();
    if rest != 0 {
        add(constant(rest.checked_abs()?, span), rest < 0);
    }
    Some(total.map_or(Size::Const(0), |e| size::from_expr(&e)))
}

fn constant(n: i64, span: base::Span) -> Expr {
    Expr::new(ExprKind::Scalar(Scalar::I64(n)), Type::I64, span)
}

/// `lhs op rhs` on `i64`.
pub(super) fn binary(op: BinOp, lhs: Expr, rhs: Expr) -> Expr {
    let span = lhs.span.to(rhs.span);
    Expr::new(ExprKind::Binary { op, lhs, rhs, lifted: false }, Type::I64, span)
}

/// `a op b` on sizes; unknown if one of them is.
pub(super) fn combine(op: BinOp, a: &Size, b: &Size, span: base::Span) -> Size {
    if let (Size::Const(a), Size::Const(b)) = (a, b) {
        let value = match op {
            BinOp::Add => a.checked_add(*b),
            BinOp::Sub => a.checked_sub(*b),
            BinOp::Mul => a.checked_mul(*b),
            _ => None,
        };
        if let Some(value) = value {
            return Size::Const(value);
        }
    }
    match (typed::size_expr(a, span), typed::size_expr(b, span)) {
        (Some(a), Some(b)) => Size::Expr(Arc::new(binary(op, a, b))),
        (None, _) | (_, None) => Size::Unknown,
    }
}

/// A text equal for equal expressions.
pub(super) fn key(expr: &Expr, definitions: &Definitions) -> String {
    let mut out = String::new();
    write_key(expr, definitions, &mut out);
    out
}

fn write_key(expr: &Expr, definitions: &Definitions, out: &mut String) {
    let head = match &*expr.kind {
        ExprKind::Scalar(s) => format!("{s:?}"),
        ExprKind::Local(l, _) => format!("x{}", l.0),
        ExprKind::Global(d, _) => format!("d{}", d.0),
        ExprKind::Bytes(b) => format!("{b:?}"),
        ExprKind::Ascribe(inner, _) => return write_key(inner, definitions, out),
        ExprKind::Binary { op: BinOp::Mul, lhs, rhs, lifted: false } => {
            let mut factors = [key(lhs, definitions), key(rhs, definitions)];
            factors.sort();
            format!("({}*{})", factors[0], factors[1])
        }
        ExprKind::Binary { op: BinOp::Add | BinOp::Sub, lifted: false, .. } => match linear_expr(expr, definitions) {
            Some(form) => format!("{}", form.display(|a: &Atom| a.key.clone())),
            None => format!("{:?}", expr.span),
        },
        ExprKind::Binary { op, .. } => format!("{op:?}"),
        ExprKind::Unary { op, .. } => format!("{op:?}"),
        ExprKind::Operator(op) => format!("({op:?})"),
        ExprKind::Record(fields) => format!("rec{:?}", fields.iter().map(|f| f.0).collect::<Vec<_>>()),
        ExprKind::Project(_, field) => format!(".{field}"),
        ExprKind::Constr(name, _) => format!("#{name}"),
        ExprKind::Range { kind, .. } => format!("{kind:?}"),
        ExprKind::Array(_) => "array".into(),
        ExprKind::Apply(..) => "apply".into(),
        ExprKind::If { .. } => "if".into(),
        ExprKind::Coerce(..) => "coerce".into(),
        ExprKind::Index(_, indices) => {
            let form = |i: &Index| match i {
                Index::At(_) => "i".to_string(),
                Index::Vector(_) => "v".to_string(),
                Index::Slice { start, end, stride, .. } => {
                    format!("{}{}{}", start.is_some(), end.is_some(), stride.is_some())
                }
            };
            format!("index{:?}", indices.iter().map(form).collect::<Vec<_>>())
        }
        // No two of the others are known to be equal.
        _ => format!("{:?}", expr.span),
    };
    out.push_str(&head);
    if matches!(&*expr.kind, ExprKind::Binary { op: BinOp::Mul | BinOp::Add | BinOp::Sub, lifted: false, .. }) {
        return;
    }
    out.push('(');
    expr.for_each_child(&mut |child| {
        write_key(child, definitions, out);
        write!(out, ",").ok();
    });
    out.push(')');
}

/// Whether an expression binds names: such an expression does not stand as a size.
pub(super) fn has_binding(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Lambda(_) | ExprKind::Let { .. } | ExprKind::LetFun { .. } | ExprKind::LetRec { .. } => true,
        ExprKind::Loop { .. } | ExprKind::Match { .. } | ExprKind::Comprehension { .. } => true,
        ExprKind::ArrayBy { .. } | ExprKind::Update { .. } | ExprKind::Accum { .. } => true,
        ExprKind::Error | ExprKind::Hole => true,
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= has_binding(child));
            found
        }
    }
}

/// If two expressions have the same form: the pairs of parts that must be equal for them to be equal.
pub(super) fn parts(a: &Expr, b: &Expr) -> Option<Vec<(Size, Size)>> {
    let pair = |x: &Expr, y: &Expr| (size::from_expr(x), size::from_expr(y));
    match (&*a.kind, &*b.kind) {
        (ExprKind::Binary { op, lhs, rhs, .. }, ExprKind::Binary { op: op2, lhs: lhs2, rhs: rhs2, .. })
            if op == op2 =>
        {
            Some(vec![pair(lhs, lhs2), pair(rhs, rhs2)])
        }
        (ExprKind::Unary { op, arg, .. }, ExprKind::Unary { op: op2, arg: arg2, .. }) if op == op2 => {
            Some(vec![pair(arg, arg2)])
        }
        (ExprKind::Apply(f, xs), ExprKind::Apply(g, ys)) if xs.len() == ys.len() => {
            let mut all = vec![pair(f, g)];
            all.extend(xs.iter().zip(ys).map(|(x, y)| pair(x, y)));
            Some(all)
        }
        (ExprKind::Project(x, f), ExprKind::Project(y, g)) if f == g => Some(vec![pair(x, y)]),
        (ExprKind::Global(f, _), ExprKind::Global(g, _)) if f == g => Some(Vec::new()),
        _ => None,
    }
}

/// Whether two sizes are equal as they stand.
pub(super) fn equal(a: &Size, b: &Size, definitions: &Definitions) -> bool {
    match (a, b) {
        (Size::Const(a), Size::Const(b)) => a == b,
        (Size::Local(a), Size::Local(b)) if a == b => true,
        _ => match (linear(a, definitions), linear(b, definitions)) {
            (Some(a), Some(b)) => a == b,
            (None, _) | (_, None) => false,
        },
    }
}

/// The difference of two sizes.
pub(super) fn difference(a: &Size, b: &Size, definitions: &Definitions) -> Option<Linear<Atom>> {
    linear(a, definitions)?.sub(&linear(b, definitions)?)
}

/// Whether a size is no sum, difference or multiple of others.
pub(super) fn is_atom(size: &Size, definitions: &Definitions) -> bool {
    linear(size, definitions).is_some_and(|form| form.as_symbol().is_some())
}

/// The size with `new` in the place of the atom `old`, where `old` is a term of the sum that the size is.
pub(super) fn replace_atom(
    size: &Size,
    old: &Size,
    new: &Size,
    definitions: &Definitions,
    span: base::Span,
) -> Option<Size> {
    let old = linear(old, definitions)?;
    let form = linear(size, definitions)?;
    let symbol = old.as_symbol().filter(|symbol| form.mentions(symbol))?;
    from_linear(&form.substitute(symbol, &linear(new, definitions)?)?, span)
}
