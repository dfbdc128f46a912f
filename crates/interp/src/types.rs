//! Evaluating types, and finishing arrays whose layout only a type can tell.

use crate::builder::Builder;
use crate::code::{DimCode, TypeArgCode, TypeCode};
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use crate::rtype::{RtDim, RtType};
use base::Span;
use std::rc::Rc;

impl Machine<'_> {
    /// The type as it is now.
    pub fn rt_type(&mut self, code: &TypeCode) -> Rc<RtType> {
        match code {
            TypeCode::Const(ty) => ty.clone(),
            TypeCode::Var(slot) => match self.slot(*slot) {
                Value::Type(ty) => ty.clone(),
                _ => Rc::new(RtType::Boxed),
            },
            TypeCode::Record(fields) => Rc::new(RtType::Record(fields.iter().map(|t| self.rt_type(t)).collect())),
            TypeCode::Sum(name, parts) => Rc::new(RtType::Sum(*name, parts.iter().map(|t| self.rt_type(t)).collect())),
            TypeCode::Array(DimCode::Shape(Some((slot, _))), elem) => {
                let extents = self.slot(*slot).as_i64s().unwrap_or(&[]).to_vec();
                let elem = self.rt_type(elem);
                extents.iter().rev().fold(elem, |elem, n| Rc::new(RtType::Array(RtDim::Known(*n), elem)))
            }
            TypeCode::Array(DimCode::Shape(None), elem) => self.rt_type(elem),
            TypeCode::Array(dim, elem) => {
                let dim = self.rt_dim(dim);
                Rc::new(RtType::Array(dim, self.rt_type(elem)))
            }
        }
    }

    pub fn rt_dim(&mut self, dim: &DimCode) -> RtDim {
        match dim {
            DimCode::Const(n) => RtDim::Known(*n),
            DimCode::Local(slot, _) => self.slot(*slot).as_i64().map_or(RtDim::Unknown, RtDim::Known),
            DimCode::Expr(node, _) => {
                let mark = self.mark();
                match self.eval(node) {
                    Ok(value) => value.as_i64().map_or(RtDim::Unknown, RtDim::Known),
                    Err(_) => {
                        self.rewind(mark);
                        RtDim::Unknown
                    }
                }
            }
            DimCode::Unknown | DimCode::Shape(_) => RtDim::Unknown,
            DimCode::Jagged(_) => RtDim::Jagged,
        }
    }

    pub fn type_args(&mut self, args: &[TypeArgCode]) -> Eval<Vec<Value>> {
        args.iter().map(|arg| self.type_arg(arg)).collect()
    }

    /// The value for the slot of a type parameter.
    pub fn type_arg(&mut self, arg: &TypeArgCode) -> Eval<Value> {
        Ok(match arg {
            TypeArgCode::Shown => Value::Unset,
            TypeArgCode::Type(ty) => Value::Type(self.rt_type(ty)),
            TypeArgCode::Size(DimCode::Jagged(Some((slot, _)))) => self.slot(*slot).clone(),
            TypeArgCode::Size(DimCode::Expr(node, _)) => self.eval(node)?,
            TypeArgCode::Size(dim) => match self.rt_dim(dim) {
                RtDim::Known(n) => Value::i64(n),
                RtDim::Unknown | RtDim::Jagged => Value::Unset,
            },
            TypeArgCode::Shape(dims) => self.shape_arg(dims),
        })
    }

    /// A shape parameter's value, if all extents are known.
    fn shape_arg(&mut self, dims: &[DimCode]) -> Value {
        let mut extents = Vec::with_capacity(dims.len());
        for dim in dims {
            match dim {
                DimCode::Shape(Some((slot, _))) => match self.slot(*slot).as_i64s() {
                    Some(more) => extents.extend_from_slice(more),
                    None => return Value::Unset,
                },
                _ => match self.rt_dim(dim) {
                    RtDim::Known(n) => extents.push(n),
                    RtDim::Unknown | RtDim::Jagged => return Value::Unset,
                },
            }
        }
        Value::i64s(extents)
    }

    /// The array that was built; `ty` is its type, which decides where the rows do not.
    pub fn finish(&mut self, builder: Builder, ty: &TypeCode, span: Span) -> Eval<Value> {
        let Builder { len, rows, irregular, unlike, .. } = builder;
        if let Some((first, other)) = unlike {
            return Err(faults::row_shapes(&first, &other, span));
        }
        match rows {
            Some(rows) if irregular => {
                let rows = rows.tidy(len);
                let ty = self.rt_type(ty);
                check_regular(&rows, len, ty.elem(), span)?;
                Ok(Array { len, rows }.into())
            }
            Some(rows) => Ok(Array { len, rows }.into()),
            None => {
                let ty = self.rt_type(ty);
                Ok(Array { len, rows: Column::empty(ty.elem()) }.into())
            }
        }
    }
}

/// Fails if rows differ in length where the type says that they agree.
pub(crate) fn check_regular(column: &Column, rows: usize, ty: &RtType, span: Span) -> Eval<()> {
    match (column, ty) {
        (Column::Record(columns), RtType::Record(types)) => {
            columns.iter().zip(types).try_for_each(|(column, ty)| check_regular(column, rows, ty, span))
        }
        // The type says that the rows have one shape, but not which.
        (Column::Regular(..) | Column::Jagged(..), RtType::Prim(_) | RtType::Record(_)) => {
            let first = column.get(0).extents();
            match (1..rows).map(|i| column.get(i).extents()).find(|shape| *shape != first) {
                Some(other) => Err(faults::row_shapes(&first, &other, span)),
                None => Ok(()),
            }
        }
        (Column::Regular(m, inner), RtType::Array(_, elem)) => check_regular(inner, m * rows, elem, span),
        // A type parameter may be a type of rows that differ in length; its dimensions are unknown then.
        (Column::Jagged(offsets, inner), RtType::Array(RtDim::Jagged | RtDim::Unknown, elem)) => {
            check_regular(inner, offsets[rows], elem, span)
        }
        (Column::Jagged(..), RtType::Array(RtDim::Known(_), _)) => {
            let lengths = column.lengths(rows);
            let row = lengths.iter().position(|n| *n != lengths[0]).unwrap_or(0);
            let what =
                format!("row 0 has {} elements and row {row} has {}, in a regular array", lengths[0], lengths[row]);
            Err(faults::internal(&what, span))
        }
        (Column::Prim(_) | Column::Boxed(_) | Column::Record(_) | Column::Regular(..) | Column::Jagged(..), _) => {
            Ok(())
        }
    }
}
