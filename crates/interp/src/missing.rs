//! The length of rows in arrays without rows: no value shows it, so the type decides.

use crate::code::{DimCode, Matcher};
use crate::data::{Column, Value};
use crate::machine::Machine;
use std::rc::Rc;

impl Machine<'_> {
    /// Gives rows that are not there the length that a type says, once the value was matched against it.
    #[inline]
    pub fn fit_missing_rows(&mut self, matcher: &Matcher, value: &mut Value) {
        if lacks_rows(matcher, value) {
            self.fit_value(matcher, value);
        }
    }

    #[cold]
    fn fit_value(&mut self, matcher: &Matcher, value: &mut Value) {
        match (matcher, value) {
            (Matcher::Record(fields), Value::Record(values)) => {
                let values = Rc::make_mut(values);
                fields.iter().for_each(|(i, m)| self.fit_missing_rows(m, &mut values[*i]));
            }
            (Matcher::Sum(cases), Value::Constr(constr)) => {
                let constr = Rc::make_mut(constr);
                if let Some((_, args)) = cases.iter().find(|case| case.0 == constr.name) {
                    args.iter().zip(&mut constr.args).for_each(|(m, v)| self.fit_missing_rows(m, v));
                }
            }
            (Matcher::Array(_, inner), Value::Array(array)) => {
                let array = Rc::make_mut(array);
                self.fit_column(inner, &mut array.rows, array.len);
            }
            (_, _) => {}
        }
    }

    fn fit_column(&mut self, matcher: &Matcher, column: &mut Column, rows: usize) {
        match (matcher, column) {
            (Matcher::Array(dim, inner), Column::Regular(m, below)) => {
                if rows == 0 {
                    *m = self.known_extent(dim).map_or(*m, |n| n.max(0) as usize);
                }
                self.fit_column(inner, below, rows.saturating_mul(*m));
            }
            (Matcher::Array(_, inner), Column::Jagged(offsets, below)) => {
                let rows = offsets.last().copied().unwrap_or(0);
                self.fit_column(inner, below, rows);
            }
            (Matcher::Record(fields), Column::Record(columns)) => {
                fields.iter().for_each(|(i, m)| self.fit_column(m, &mut columns[*i], rows));
            }
            (Matcher::Sum(_), Column::Boxed(values)) => {
                values.iter_mut().for_each(|value| self.fit_missing_rows(matcher, value));
            }
            (_, _) => {}
        }
    }

    fn known_extent(&mut self, dim: &DimCode) -> Option<i64> {
        match dim {
            DimCode::Const(n) => Some(*n),
            DimCode::Local(slot, _) => self.slot(*slot).as_i64(),
            DimCode::Expr(node, _) => {
                let mark = self.mark();
                let value = self.eval(node);
                self.rewind(mark);
                value.ok().and_then(|value| value.as_i64())
            }
            DimCode::Unknown | DimCode::Jagged(_) | DimCode::Shape(_) => None,
        }
    }
}

/// Whether the type says how long some rows are of which there are none.
pub(crate) fn lacks_rows(matcher: &Matcher, value: &Value) -> bool {
    match (matcher, value) {
        (Matcher::Array(DimCode::Shape(_), _), _) => false,
        (Matcher::Array(_, inner), Value::Array(array)) => column_lacks_rows(inner, &array.rows, array.len),
        (Matcher::Record(fields), Value::Record(values)) => fields.iter().any(|(i, m)| lacks_rows(m, &values[*i])),
        (Matcher::Sum(cases), Value::Constr(constr)) => {
            let case = cases.iter().find(|case| case.0 == constr.name);
            case.is_some_and(|(_, args)| args.iter().zip(&constr.args).any(|(m, v)| lacks_rows(m, v)))
        }
        (_, _) => false,
    }
}

fn column_lacks_rows(matcher: &Matcher, column: &Column, rows: usize) -> bool {
    match (matcher, column) {
        (Matcher::Array(DimCode::Shape(_), _), _) => false,
        (Matcher::Array(dim, inner), Column::Regular(m, below)) => {
            let said = matches!(dim, DimCode::Const(_) | DimCode::Local(..) | DimCode::Expr(..));
            rows == 0 && said || column_lacks_rows(inner, below, rows.saturating_mul(*m))
        }
        (Matcher::Array(_, inner), Column::Jagged(offsets, below)) => {
            column_lacks_rows(inner, below, offsets.last().copied().unwrap_or(0))
        }
        (Matcher::Record(fields), Column::Record(columns)) => {
            fields.iter().any(|(i, m)| column_lacks_rows(m, &columns[*i], rows))
        }
        (Matcher::Sum(_), Column::Boxed(values)) => values.iter().any(|value| lacks_rows(matcher, value)),
        (_, _) => false,
    }
}
