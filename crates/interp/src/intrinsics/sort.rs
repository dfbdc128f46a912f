//! Sorting by a comparison.

use super::call::Call;
use crate::data::Value;
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;

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
        Ok(array.rows_at(&order))
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
