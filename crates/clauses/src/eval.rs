//! The evaluator for bounds, guards and subscripts. What it cannot compute is unknown, never guessed.
//!
//! How exact the answer is depends on what the names are bound to. With a loop variable bound to itself, `2 * i + 1` is a
//! linear form and `i / 2` is unknown; with the variable bound to 5, both are constants.

use super::value::{Value, binary, unary};
use affine::clauses::Form;
use base::Map;
use scalar::{BinOp, Scalar};
use typed::{Body, DefId, Expr, ExprKind, Index, LocalId, Pat, PatKind, Program, RangeKind};

/// How deep calls may be nested.
const MAX_DEPTH: u32 = 20;
/// Steps for the value of one top-level constant.
const CONSTANT_BUDGET: u32 = 100_000;

/// What names are bound to.
pub(super) type Env = Map<LocalId, Value>;

/// Evaluates, as long as its budget lasts.
pub(super) struct Eval<'a> {
    pub program: &'a Program,
    pub env: Env,
    /// Steps left; at zero everything is unknown.
    pub budget: u32,
    depth: u32,
    /// Definitions without parameters; `None` while under way, or if unknown.
    constants: Map<DefId, Option<Value>>,
}

impl<'a> Eval<'a> {
    pub fn new(program: &'a Program) -> Eval<'a> {
        Eval { program, env: Env::default(), budget: 0, depth: 0, constants: Map::default() }
    }

    /// The value of a constant integer expression.
    pub fn constant(&mut self, expr: &'a Expr) -> Option<i64> {
        self.expr(expr)?.constant()
    }

    /// The value of an integer expression.
    pub fn form(&mut self, expr: &'a Expr) -> Option<Form> {
        self.expr(expr)?.form()
    }

    /// The value of a condition.
    pub fn bool(&mut self, expr: &'a Expr) -> Option<bool> {
        self.expr(expr)?.bool()
    }

    /// The value of an expression, as far as it can be computed.
    pub fn expr(&mut self, expr: &'a Expr) -> Option<Value> {
        self.budget = self.budget.checked_sub(1)?;
        match &*expr.kind {
            ExprKind::Scalar(value) => Some(Value::of(*value)),
            ExprKind::Local(local, _) => self.env.get(local).cloned(),
            ExprKind::Global(def, _) => self.global(*def),
            ExprKind::Ascribe(inner, _) | ExprKind::Coerce(inner, _) => self.expr(inner),
            ExprKind::Record(fields) => Some(Value::Record(fields.iter().map(|(n, e)| (*n, self.expr(e))).collect())),
            ExprKind::Array(items) => Some(Value::Array(items.iter().map(|e| self.expr(e)).collect())),
            ExprKind::Project(inner, name) => match self.expr(inner)? {
                Value::Record(fields) => fields.iter().find(|f| f.0 == *name)?.1.clone(),
                Value::Int(_) | Value::Scalar(_) | Value::Array(_) => None,
            },
            ExprKind::Index(array, indices) => self.index(array, indices),
            ExprKind::Unary { op, arg, lifted } => unary(*op, &self.expr(arg)?, *lifted),
            ExprKind::Binary { op, lhs, rhs, lifted } => self.binary(*op, lhs, rhs, *lifted),
            ExprKind::If { cond, then, otherwise } => {
                let branch = if self.bool(cond)? { then } else { otherwise };
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

    /// Subscripts as forms, one for each dimension; `None` for vectors of unknown length and slices.
    pub fn subscript(&mut self, indices: &'a [Index]) -> Option<Vec<Option<Form>>> {
        let mut out = Vec::new();
        for index in indices {
            match index {
                Index::At(e) => out.push(self.form(e)),
                Index::Vector(e) => out.extend(self.expr(e)?.forms()?),
                Index::Slice { .. } => return None,
            }
        }
        Some(out)
    }

    /// Gives the names of a pattern their values; those of an unknown value become unknown.
    pub fn bind(&mut self, pat: &Pat, value: Option<&Value>) {
        match (&pat.kind, value) {
            (PatKind::Bind(local), value) => self.name(*local, value.cloned()),
            (PatKind::Ascribe(inner, _), value) => self.bind(inner, value),
            (PatKind::Record(pats), Some(Value::Record(fields))) => {
                for (name, pat) in pats {
                    self.bind(pat, fields.iter().find(|f| f.0 == *name).and_then(|f| f.1.as_ref()));
                }
            }
            _ => pat.for_each(&mut |pat| {
                if let PatKind::Bind(local) = &pat.kind {
                    self.env.remove(local);
                }
            }),
        }
    }

    /// Gives a name its value, or makes it unknown.
    pub fn name(&mut self, local: LocalId, value: Option<Value>) {
        match value {
            Some(value) => self.env.insert(local, value),
            None => self.env.remove(&local),
        };
    }

    fn global(&mut self, def: DefId) -> Option<Value> {
        if let Some(known) = self.constants.get(&def) {
            return known.clone();
        }
        self.constants.insert(def, None);
        let found = &self.program.defs[def];
        let Body::Expr(body) = &found.body else { return None };
        if !found.params.is_empty() {
            return None;
        }
        // The answer is kept, so it must not depend on how much is left here.
        let budget = std::mem::replace(&mut self.budget, CONSTANT_BUDGET);
        let value = self.elsewhere(Env::default(), body);
        self.budget = budget;
        self.constants.insert(def, value.clone());
        value
    }

    /// The value of a body that sees only these names.
    fn elsewhere(&mut self, env: Env, body: &'a Expr) -> Option<Value> {
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

    fn call(&mut self, fun: &'a Expr, args: &'a [Expr]) -> Option<Value> {
        let ExprKind::Global(def, _) = &*fun.kind else { return None };
        let def = &self.program.defs[*def];
        let Body::Expr(body) = &def.body else { return None };
        if def.params.len() != args.len() {
            return None;
        }
        let args = args.iter().map(|e| self.expr(e)).collect::<Option<Vec<Value>>>()?;
        let here = std::mem::take(&mut self.env);
        def.params.iter().zip(&args).for_each(|(param, arg)| self.bind(&param.pat, Some(arg)));
        let inside = std::mem::replace(&mut self.env, here);
        self.elsewhere(inside, body)
    }

    fn index(&mut self, array: &'a Expr, indices: &'a [Index]) -> Option<Value> {
        let mut value = self.expr(array)?;
        for at in self.subscript(indices)? {
            let Value::Array(items) = &value else { return None };
            value = items.get(usize::try_from(at?.as_constant()?).ok()?)?.clone()?;
        }
        Some(value)
    }

    fn binary(&mut self, op: BinOp, lhs: &'a Expr, rhs: &'a Expr, lifted: bool) -> Option<Value> {
        let left = self.expr(lhs)?;
        if !lifted && let (BinOp::LogAnd | BinOp::LogOr, Some(known)) = (op, left.bool()) {
            let decided = known == (op == BinOp::LogOr);
            return if decided { Some(left) } else { self.expr(rhs) };
        }
        binary(op, &left, &self.expr(rhs)?, lifted)
    }

    fn range(&mut self, first: &'a Expr, second: Option<&'a Expr>, kind: RangeKind, end: &'a Expr) -> Option<Value> {
        let first = self.expr(first)?.scalar()?;
        let (start, end) = (first.as_int()?, i128::from(self.constant(end)?));
        let step = match second {
            Some(second) => i128::from(self.constant(second)?) - start,
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
        if step == 0 || distance < 0 {
            return None;
        }
        let count = u32::try_from(distance / step.abs() + 1).ok()?;
        self.budget = self.budget.checked_sub(count)?;
        let item = |i: u32| Some(Value::of(Scalar::from_i128(first.prim(), start + i128::from(i) * step)));
        Some(Value::Array((0..count).map(item).collect()))
    }
}
