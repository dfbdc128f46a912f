//! The natural order of values.

use crate::data::Value;
use scalar::Scalar;
use std::cmp::Ordering;

/// Whether a value comes before another or equals it.
pub(crate) fn less_equal(x: &Value, y: &Value) -> bool {
    compare(x, y) != Ordering::Greater
}

/// Numbers by value with all NaNs equal and last, everything else from the first difference on.
fn compare(x: &Value, y: &Value) -> Ordering {
    let in_turn = |x: &mut dyn Iterator<Item = Value>, y: &mut dyn Iterator<Item = Value>| loop {
        match (x.next(), y.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => match compare(&x, &y) {
                Ordering::Equal => {}
                other => return other,
            },
        }
    };
    match (x, y) {
        (Value::Scalar(x), Value::Scalar(y)) => compare_scalars(*x, *y),
        (Value::Record(x), Value::Record(y)) => in_turn(&mut x.iter().cloned(), &mut y.iter().cloned()),
        (Value::Array(x), Value::Array(y)) => in_turn(&mut x.iter(), &mut y.iter()),
        (Value::Constr(x), Value::Constr(y)) => {
            let args = || in_turn(&mut x.args.iter().cloned(), &mut y.args.iter().cloned());
            x.name.cmp(&y.name).then_with(args)
        }
        (_, _) => Ordering::Equal,
    }
}

pub(crate) fn compare_scalars(x: Scalar, y: Scalar) -> Ordering {
    let nan = |x: Scalar| x.as_float().is_some_and(f64::is_nan);
    x.partial_cmp(&y).unwrap_or_else(|| nan(x).cmp(&nan(y)))
}
