//! A small evaluator for subscripts, bounds and guards. What it cannot compute is unknown, never guessed.

use crate::value::{Known, Values};
use base::{Map, Name};
use scalar::{BinOp, Scalar, eval_bin, eval_un};
use std::rc::Rc;
use typed::{Body, DefId, Expr, ExprKind, Index, LocalId, Pat, PatKind, Program, RangeKind};

/// How deep calls may be nested.
const MAX_DEPTH: u32 = 20;
/// Most elements of an array that is written as a range.
const MAX_RANGE: i128 = 100_000;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Scalar(Scalar),
    Array(Rc<[Val]>),
    Record(Rc<[(Name, Val)]>),
}

impl Val {
    pub fn bool(&self) -> Option<bool> {
        match self {
            Val::Scalar(Scalar::Bool(b)) => Some(*b),
            Val::Scalar(_) | Val::Array(_) | Val::Record(_) => None,
        }
    }

    /// An integer of any type, if an `i64` holds it.
    pub fn int(&self) -> Option<i64> {
        match self {
            Val::Scalar(scalar) => i64::try_from(scalar.as_int()?).ok(),
            Val::Array(_) | Val::Record(_) => None,
        }
    }

    pub fn ints(&self) -> Option<Vec<i64>> {
        match self {
            Val::Array(items) => items.iter().map(Val::int).collect(),
            Val::Scalar(_) | Val::Record(_) => None,
        }
    }

    pub fn of_ints(items: &[i64]) -> Val {
        Val::Array(items.iter().map(|i| Val::Scalar(Scalar::I64(*i))).collect())
    }
}

/// The values of names.
pub(super) type Env = Map<LocalId, Val>;

/// Evaluates, as long as its budget lasts.
pub(super) struct Eval<'a> {
    pub program: &'a Program,
    /// Names bound outside of the clauses.
    outer: Env,
    /// Names bound in the clauses so far.
    pub env: Env,
    /// Steps left; at zero everything is unknown.
    pub budget: u32,
    depth: u32,
    constants: Map<DefId, Option<Val>>,
}

impl<'a> Eval<'a> {
    pub fn new(values: &Values<'a>, budget: u32) -> Eval<'a> {
        let outer = values.locals.iter().filter_map(|(local, known)| Some((*local, constant(known)?))).collect();
        Eval { program: values.program, outer, env: Env::default(), budget, depth: 0, constants: Map::default() }
    }

    pub fn int(&mut self, expr: &'a Expr) -> Option<i64> {
        self.expr(expr)?.int()
    }

    /// The value of an expression, if it can be computed.
    pub fn expr(&mut self, expr: &'a Expr) -> Option<Val> {
        self.budget = self.budget.checked_sub(1)?;
        match &*expr.kind {
            ExprKind::Scalar(value) => Some(Val::Scalar(*value)),
            ExprKind::Local(local, _) => self.env.get(local).or_else(|| self.outer.get(local)).cloned(),
            ExprKind::Global(def, _) => self.constant(*def),
            ExprKind::Ascribe(inner, _) | ExprKind::Coerce(inner, _) => self.expr(inner),
            ExprKind::Record(fields) => {
                Some(Val::Record(fields.iter().map(|(n, e)| Some((*n, self.expr(e)?))).collect::<Option<_>>()?))
            }
            ExprKind::Array(items) => Some(Val::Array(items.iter().map(|e| self.expr(e)).collect::<Option<_>>()?)),
            ExprKind::Project(inner, name) => match self.expr(inner)? {
                Val::Record(fields) => fields.iter().find(|f| f.0 == *name).map(|f| f.1.clone()),
                Val::Scalar(_) | Val::Array(_) => None,
            },
            ExprKind::Index(array, indices) => self.index(array, indices),
            ExprKind::Unary { op, arg, lifted: false } => match self.expr(arg)? {
                Val::Scalar(x) => eval_un(*op, x).ok().map(Val::Scalar),
                Val::Array(_) | Val::Record(_) => None,
            },
            ExprKind::Binary { op, lhs, rhs, lifted } => self.binary(*op, lhs, rhs, *lifted),
            ExprKind::If { cond, then, otherwise } => {
                let branch = if self.expr(cond)?.bool()? { then } else { otherwise };
                self.expr(branch)
            }
            ExprKind::Let { sizes: _, pat, value, body } => {
                let value = self.expr(value);
                self.bind(pat, value.as_ref());
                self.expr(body)
            }
            ExprKind::Range { first, second, kind, end } => self.range(first, second.as_ref(), *kind, end),
            ExprKind::Apply(fun, args) => self.call(fun, args),
            _ => None,
        }
    }

    /// Gives the names of a pattern their values; those of an unknown value become unknown.
    pub fn bind(&mut self, pat: &Pat, value: Option<&Val>) {
        match (&pat.kind, value) {
            (PatKind::Bind(local), Some(value)) => {
                self.env.insert(*local, value.clone());
            }
            (PatKind::Ascribe(inner, _), value) => self.bind(inner, value),
            (PatKind::Record(pats), Some(Val::Record(fields))) => {
                for (name, pat) in pats {
                    self.bind(pat, fields.iter().find(|f| f.0 == *name).map(|f| &f.1));
                }
            }
            _ => pat.for_each(&mut |pat| {
                if let PatKind::Bind(local) = &pat.kind {
                    self.env.remove(local);
                }
            }),
        }
    }

    fn constant(&mut self, def: DefId) -> Option<Val> {
        if let Some(known) = self.constants.get(&def) {
            return known.clone();
        }
        self.constants.insert(def, None);
        let found = &self.program.defs[def];
        let Body::Expr(body) = &found.body else { return None };
        if !found.params.is_empty() {
            return None;
        }
        let value = self.elsewhere(Env::default(), body);
        self.constants.insert(def, value.clone());
        value
    }

    /// The value of a body that sees only these names.
    fn elsewhere(&mut self, env: Env, body: &'a Expr) -> Option<Val> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let here = std::mem::replace(&mut self.env, env);
        let value = self.expr(body);
        self.env = here;
        self.depth -= 1;
        value
    }

    fn call(&mut self, fun: &'a Expr, args: &'a [Expr]) -> Option<Val> {
        let ExprKind::Global(def, _) = &*fun.kind else { return None };
        let def = &self.program.defs[*def];
        let Body::Expr(body) = &def.body else { return None };
        if def.params.len() != args.len() {
            return None;
        }
        let args = args.iter().map(|e| self.expr(e)).collect::<Option<Vec<Val>>>()?;
        let here = std::mem::take(&mut self.env);
        def.params.iter().zip(&args).for_each(|(param, arg)| self.bind(&param.pat, Some(arg)));
        let inside = std::mem::replace(&mut self.env, here);
        self.elsewhere(inside, body)
    }

    fn index(&mut self, array: &'a Expr, indices: &'a [Index]) -> Option<Val> {
        let mut value = self.expr(array)?;
        for index in indices {
            let path = match index {
                Index::At(e) => vec![self.int(e)?],
                Index::Vector(e) => self.expr(e)?.ints()?,
                Index::Slice { .. } => return None,
            };
            for at in path {
                let Val::Array(items) = &value else { return None };
                value = items.get(usize::try_from(at).ok()?)?.clone();
            }
        }
        Some(value)
    }

    fn binary(&mut self, op: BinOp, lhs: &'a Expr, rhs: &'a Expr, lifted: bool) -> Option<Val> {
        let left = self.expr(lhs)?;
        if !lifted && let (BinOp::LogAnd | BinOp::LogOr, Some(known)) = (op, left.bool()) {
            let decided = known == (op == BinOp::LogOr);
            return if decided { Some(left) } else { self.expr(rhs) };
        }
        let right = self.expr(rhs)?;
        elementwise(op, &left, &right, lifted)
    }

    fn range(&mut self, first: &'a Expr, second: Option<&'a Expr>, kind: RangeKind, end: &'a Expr) -> Option<Val> {
        let Val::Scalar(first) = self.expr(first)? else { return None };
        let (start, end) = (first.as_int()?, i128::from(self.int(end)?));
        let step = match second {
            Some(second) => i128::from(self.int(second)?) - start,
            None if kind == RangeKind::DownTo => -1,
            None => 1,
        };
        let last = match kind {
            RangeKind::Inclusive => end,
            RangeKind::UpTo if step > 0 => end - 1,
            RangeKind::DownTo if step < 0 => end + 1,
            RangeKind::UpTo | RangeKind::DownTo => return None,
        };
        let distance = (last - start) * step.signum();
        if step == 0 || !(0..=MAX_RANGE).contains(&distance) {
            return None;
        }
        let item = |i: i128| Val::Scalar(Scalar::from_i128(first.prim(), start + i * step));
        Some(Val::Array((0..=distance / step.abs()).map(item).collect()))
    }
}

fn elementwise(op: BinOp, left: &Val, right: &Val, lifted: bool) -> Option<Val> {
    match (left, right) {
        (Val::Scalar(a), Val::Scalar(b)) => eval_bin(op, *a, *b).ok().map(Val::Scalar),
        (Val::Array(a), Val::Array(b)) if lifted && a.len() == b.len() => {
            Some(Val::Array(a.iter().zip(b.iter()).map(|(a, b)| elementwise(op, a, b, true)).collect::<Option<_>>()?))
        }
        (Val::Array(a), Val::Scalar(_)) if lifted => {
            Some(Val::Array(a.iter().map(|a| elementwise(op, a, right, true)).collect::<Option<_>>()?))
        }
        (Val::Scalar(_), Val::Array(b)) if lifted => {
            Some(Val::Array(b.iter().map(|b| elementwise(op, left, b, true)).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

fn constant(known: &Known) -> Option<Val> {
    match known {
        Known::Int(form) => Some(Val::Scalar(Scalar::I64(form.as_constant()?))),
        Known::Scalar(value) => Some(Val::Scalar(*value)),
        Known::Vector(items) => {
            let item = |i: &Option<affine::Linear<affine::LoopVar>>| Some(Scalar::I64(i.as_ref()?.as_constant()?));
            Some(Val::Array(items.iter().map(|i| item(i).map(Val::Scalar)).collect::<Option<_>>()?))
        }
    }
}
