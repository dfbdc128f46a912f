//! The natural order of values, and sorting.

use super::call::Call;
use super::parallel::rows_at;
use crate::data::Value;
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use scalar::Scalar;
use std::cmp::Ordering;

impl Machine<'_> {
    /// A stable merge sort, written out because comparing may fail.
    pub(super) fn sort_by(&mut self, call: Call<'_>) -> Eval<Value> {
        let le = self.take(0);
        let array = self.take_array(1, call)?;
        let items: Vec<Value> = array.iter().collect();
        let mut order: Vec<usize> = (0..items.len()).collect();
        let mut buffer = order.clone();
        let mut width = 1;
        while width < items.len() {
            for start in (0..items.len()).step_by(2 * width) {
                let middle = (start + width).min(items.len());
                let end = (start + 2 * width).min(items.len());
                self.merge(&le, &items, &order[start..middle], &order[middle..end], &mut buffer[start..end], call)?;
            }
            std::mem::swap(&mut order, &mut buffer);
            width *= 2;
        }
        Ok(rows_at(&array, &order))
    }

    fn merge(
        &mut self,
        le: &Value,
        items: &[Value],
        left: &[usize],
        right: &[usize],
        out: &mut [usize],
        call: Call<'_>,
    ) -> Eval<()> {
        let (mut i, mut j) = (0, 0);
        for slot in out {
            let from_left = match (left.get(i), right.get(j)) {
                (Some(a), Some(b)) => {
                    let first = self.apply2(le, items[*a].clone(), items[*b].clone(), call.span)?;
                    first.as_bool().ok_or_else(|| faults::internal("a comparison that gives no bool", call.span))?
                }
                (Some(_), None) => true,
                (None, _) => false,
            };
            if from_left {
                *slot = left[i];
                i += 1;
            } else {
                *slot = right[j];
                j += 1;
            }
        }
        Ok(())
    }
}

pub(super) fn less_equal(x: &Value, y: &Value) -> bool {
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

fn compare_scalars(x: Scalar, y: Scalar) -> Ordering {
    let nan = |x: Scalar| x.as_float().is_some_and(f64::is_nan);
    x.partial_cmp(&y).unwrap_or_else(|| nan(x).cmp(&nan(y)))
}
