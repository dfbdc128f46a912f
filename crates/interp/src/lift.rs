//! Operators on whole values: comparison of anything, arithmetic element by element.

use crate::data::{Array, Column, Value};
use crate::error::{Eval, Stop};
use crate::faults;
use crate::leaf;
use base::Span;
use scalar::{BinOp, Prim, Scalar, UnOp, eval_bin, eval_un};
use std::rc::Rc;
use value::PrimVec;

/// A binary operator on any values: `==` and `!=` compare them whole.
pub(crate) fn binary(op: BinOp, left: &Value, right: &Value, span: Span) -> Eval<Value> {
    match (left, right) {
        (Value::Scalar(x), Value::Scalar(y)) => {
            eval_bin(op, *x, *y).map(Value::Scalar).map_err(|error| faults::scalar(error, span))
        }
        _ if op == BinOp::Eq => Ok(Value::bool(left.equal(right))),
        _ if op == BinOp::Ne => Ok(Value::bool(!left.equal(right))),
        _ => lifted(op, left, right, span),
    }
}

/// A binary operator element by element; a scalar goes with every element of the other operand.
pub(crate) fn lifted(op: BinOp, left: &Value, right: &Value, span: Span) -> Eval<Value> {
    match (left, right) {
        (Value::Scalar(_), Value::Scalar(_)) => binary(op, left, right, span),
        (Value::Array(a), Value::Scalar(y)) => map_array(a, Some(op), &mut |x| scalar_op(op, x, *y, span)),
        (Value::Scalar(x), Value::Array(b)) => map_array(b, Some(op), &mut |y| scalar_op(op, *x, y, span)),
        (Value::Array(a), Value::Array(b)) => {
            let differ =
                || faults::lockstep(&left.describe(), &right.describe(), &format!("`{op}` element by element"), span);
            if a.len != b.len {
                return Err(differ());
            }
            let rows = zip_columns(&a.rows, &b.rows, a.len, op, &mut |x, y| scalar_op(op, x, y, span));
            match rows {
                Ok(rows) => Ok(Array { len: a.len, rows }.into()),
                Err(Uneven::Shapes) => Err(differ()),
                Err(Uneven::Stop(stop)) => Err(stop),
            }
        }
        _ => Err(faults::lockstep(&left.describe(), &right.describe(), &format!("`{op}`"), span)),
    }
}

/// A prefix operator on a scalar, or on every element of an array.
pub(crate) fn unary(op: UnOp, value: &Value, span: Span) -> Eval<Value> {
    let apply = |x: Scalar| eval_un(op, x).map_err(|error| faults::scalar(error, span));
    match value {
        Value::Scalar(x) => apply(*x).map(Value::Scalar),
        Value::Array(array) => map_array(array, None, &mut { apply }),
        _ => Err(faults::internal("a prefix operator on what is no number", span)),
    }
}

fn scalar_op(op: BinOp, x: Scalar, y: Scalar, span: Span) -> Eval<Scalar> {
    eval_bin(op, x, y).map_err(|error| faults::scalar(error, span))
}

fn map_array(array: &Rc<Array>, op: Option<BinOp>, f: &mut dyn FnMut(Scalar) -> Eval<Scalar>) -> Eval<Value> {
    Ok(Array { len: array.len, rows: map_column(&array.rows, op, f)? }.into())
}

fn map_column(column: &Column, op: Option<BinOp>, f: &mut dyn FnMut(Scalar) -> Eval<Scalar>) -> Eval<Column> {
    Ok(match column {
        Column::Prim(items) => Column::Prim(collect(items.len(), result(items, op), |i| f(leaf::get(items, i)))?),
        Column::Record(fields) => Column::Record(fields.iter().map(|c| map_column(c, op, f)).collect::<Eval<_>>()?),
        Column::Regular(m, inner) => Column::Regular(*m, Box::new(map_column(inner, op, f)?)),
        Column::Jagged(offsets, inner) => Column::Jagged(offsets.clone(), Box::new(map_column(inner, op, f)?)),
        Column::Boxed(items) => Column::Boxed(items.clone()),
    })
}

/// The type of the results of an operator on these operands; a prefix operator keeps the type.
fn result(operands: &PrimVec, op: Option<BinOp>) -> Prim {
    let prim = operands.prim();
    op.and_then(|op| op.result(prim)).unwrap_or(prim)
}

fn collect(count: usize, prim: Prim, mut f: impl FnMut(usize) -> Eval<Scalar>) -> Eval<PrimVec> {
    let mut out = PrimVec::with_capacity(prim, count);
    for i in 0..count {
        out.push(f(i)?);
    }
    Ok(out)
}

/// Why two columns cannot be combined.
enum Uneven {
    Shapes,
    Stop(Stop),
}

fn zip_columns(
    a: &Column,
    b: &Column,
    rows: usize,
    op: BinOp,
    f: &mut dyn FnMut(Scalar, Scalar) -> Eval<Scalar>,
) -> Result<Column, Uneven> {
    match (a, b) {
        (Column::Prim(x), Column::Prim(y)) => {
            let items = collect(rows, result(x, Some(op)), |i| f(leaf::get(x, i), leaf::get(y, i)));
            items.map(Column::Prim).map_err(Uneven::Stop)
        }
        (Column::Regular(m, x), Column::Regular(k, y)) => {
            if m != k && rows > 0 {
                return Err(Uneven::Shapes);
            }
            Ok(Column::Regular(*m, Box::new(zip_columns(x, y, m * rows, op, f)?)))
        }
        (Column::Jagged(..) | Column::Regular(..), Column::Jagged(..) | Column::Regular(..)) => {
            if (0..rows).any(|i| a.span_of(i).1 != b.span_of(i).1) {
                return Err(Uneven::Shapes);
            }
            let inner = Box::new(zip_columns(a.inner(), b.inner(), a.total(rows), op, f)?);
            Ok(match a {
                Column::Jagged(offsets, _) => Column::Jagged(offsets.clone(), inner),
                Column::Regular(m, _) => Column::Regular(*m, inner),
                Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => *inner,
            })
        }
        (_, _) => Err(Uneven::Shapes),
    }
}
