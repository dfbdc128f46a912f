//! What generators run through.

use super::eval::Eval;
use super::value::Value;
use affine::clauses::Form;
use affine::{Loop, Range};
use std::rc::Rc;
use typed::{Expr, Generator};

/// Forms beyond this might wrap around at run time: nothing is said about them.
const SAFE: i64 = 1 << 60;

/// The iterations of one generator.
pub(super) enum Source {
    /// A range, or a box of them for a vector.
    Sides { sides: Vec<Side>, vector: bool },
    /// The elements of an array.
    Items(Rc<[Option<Value>]>),
    /// Not known how many, nor which.
    Unknown,
}

/// `lo <= x < hi step step`.
pub(super) struct Side {
    lo: Form,
    hi: Form,
    step: i64,
    /// Whether the program fails for a negative `hi`, because no `lo` was written.
    from_zero: bool,
}

/// What is known of a generator, with the names around it as they are bound now.
pub(super) fn source<'a>(eval: &mut Eval<'a>, generator: &'a Generator) -> Source {
    let known = match generator {
        Generator::In(_, array) => match eval.expr(array) {
            Some(Value::Array(items)) => Some(Source::Items(items)),
            Some(Value::Int(_) | Value::Scalar(_) | Value::Record(_)) | None => None,
        },
        Generator::Range { lo, var: _, hi, step, vector, span: _ } => {
            sides(eval, lo.as_ref(), hi, step.as_ref(), *vector).map(|sides| Source::Sides { sides, vector: *vector })
        }
    };
    known.unwrap_or(Source::Unknown)
}

fn sides<'a>(
    eval: &mut Eval<'a>,
    lo: Option<&'a Expr>,
    hi: &'a Expr,
    step: Option<&'a Expr>,
    vector: bool,
) -> Option<Vec<Side>> {
    let from_zero = lo.is_none();
    let mut bound = |expr: Option<&'a Expr>, default| expr.map_or(Some(Value::int(default)), |e| eval.expr(e));
    let (lo, hi, step) = (bound(lo, 0)?, bound(Some(hi), 0)?, bound(step, 1)?);
    let rank = if vector { [&lo, &hi, &step].into_iter().find_map(Value::forms)?.len() } else { 1 };
    // A scalar bound means a vector of that scalar.
    let spread = |bound: &Value| match bound.form() {
        Some(form) => Some(vec![form; rank]),
        None => bound.forms()?.into_iter().collect::<Option<Vec<Form>>>().filter(|forms| forms.len() == rank),
    };
    let bounds = spread(&lo)?.into_iter().zip(spread(&hi)?).zip(spread(&step)?);
    bounds.map(|((lo, hi), step)| Some(Side { lo, hi, step: step.as_constant()?, from_zero })).collect()
}

impl Source {
    /// The number of iterations, if it is a constant.
    pub fn count(&self) -> Option<i64> {
        match self {
            Source::Sides { sides, .. } => {
                sides.iter().try_fold(1i64, |n, side| n.checked_mul(side.constant()?.trip()))
            }
            Source::Items(items) => i64::try_from(items.len()).ok(),
            Source::Unknown => None,
        }
    }

    /// The value in an iteration, counted from zero; bounds must be constant.
    pub fn at(&self, turn: i64) -> Option<Value> {
        match self {
            Source::Sides { sides, vector } => {
                let loops: Vec<Loop> = sides.iter().map(Side::constant).collect::<Option<_>>()?;
                let at = affine::space::iteration(&loops, turn);
                match (vector, at.as_slice()) {
                    (false, [at]) => Some(Value::int(*at)),
                    _ => Some(Value::Array(at.into_iter().map(|at| Some(Value::int(at))).collect())),
                }
            }
            Source::Items(items) => items.get(usize::try_from(turn).ok()?)?.clone(),
            Source::Unknown => None,
        }
    }

    /// The value in the iteration that a loop variable counts from zero, if it is linear in that.
    pub fn counted(&self, turn: &Form) -> Option<Form> {
        match self {
            Source::Sides { sides, vector: false } => {
                let [side] = sides.as_slice() else { return None };
                turn.scale(side.step)?.add(&side.lo)
            }
            Source::Sides { .. } | Source::Items(_) | Source::Unknown => None,
        }
    }
}

impl Side {
    /// The loop, if its bounds are constant and the program does not fail for them.
    fn constant(&self) -> Option<Loop> {
        let (lo, hi) = (self.lo.as_constant()?, self.hi.as_constant()?);
        if self.from_zero && hi < 0 { None } else { Loop::new(lo, hi, self.step) }
    }

    /// A loop with constant bounds and guards on its variable `var`, which together run through the same values. Bounds
    /// may depend on the loops around: `j < i` becomes `j < n` with `i - j - 1 >= 0`.
    pub fn around(&self, var: &Form, loops: &[Loop]) -> Option<(Loop, Vec<Form>)> {
        if let Some(known) = self.constant() {
            return Some((known, Vec::new()));
        }
        let (lo, hi) = (range(&self.lo, loops), range(&self.hi, loops));
        let fails = self.from_zero && hi.lo.is_none_or(|hi| hi < 0);
        let counts_from_unknown = self.step != 1 && self.lo.as_constant().is_none();
        if fails || counts_from_unknown || !is_safe(lo) || !is_safe(hi) {
            return None;
        }
        let guards = [var.sub(&self.lo)?, self.hi.sub(var)?.add_constant(-1)?];
        Some((Loop::new(lo.lo?, hi.hi?, self.step)?, guards.to_vec()))
    }
}

/// The form, unless its value might leave the range where arithmetic is exact.
pub(super) fn safe(form: Option<Form>, loops: &[Loop]) -> Option<Form> {
    form.filter(|form| is_safe(range(form, loops)))
}

fn range(form: &Form, loops: &[Loop]) -> Range {
    Range::of_linear(form, |v| loops.get(v.0).map_or(Range::ALL, Loop::range))
}

fn is_safe(range: Range) -> bool {
    range.is_empty() || range.within(&Range::new(-SAFE, SAFE))
}
