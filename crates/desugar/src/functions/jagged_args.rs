//! What arguments say of the types that are bound to type parameters.
//!
//! The type `t` of `sort 't [n] (xs: [n]t)` called with rows of different lengths is an array of unknown size: nothing in it
//! says that the size differs from row to row. The argument does, and the form of the result depends on it.
//!
//! ```text
//! sort (xss: [n][~d]i64)     t = [?]i64   becomes   t = [~]i64
//! ```

use crate::data::types::{Mono, MonoDim};
use crate::data::value::Val;
use base::Map;
use ir::Dim;
use std::rc::Rc;
use typed::{Program, Type, TypeVarId};

/// The bindings of type parameters, jagged where an argument for a parameter of type `ty` is.
pub(crate) fn note_jagged(program: &Program, ty: &Type, arg: &Val, types: &mut Map<TypeVarId, Mono>) {
    let (dims, rows) = arg.split();
    note(program, ty, dims, rows, types);
}

/// The same for a part of an array: dimensions that are left, and what is below them.
fn note(program: &Program, ty: &Type, dims: &[Dim], rows: &Val, types: &mut Map<TypeVarId, Mono>) {
    match (ty, dims, rows) {
        (Type::Abstract(id, args), ..) => note(program, &program.expand(*id, args), dims, rows, types),
        (Type::Var(var), ..) => {
            if let Some(mono) = types.get_mut(var) {
                *mono = with_jagged(mono, dims, rows);
            }
        }
        (_, [], Val::Array(array)) => note(program, ty, &array.dims, &array.rows, types),
        (Type::Array(dim, elem), [_, rest @ ..], _) if !matches!(dim, typed::Dim::Shape(_)) => {
            note(program, elem, rest, rows, types);
        }
        (Type::Record(fields), [], Val::Record(columns)) => {
            let pairs = fields.iter().zip(columns.iter());
            pairs.for_each(|(field, column)| note(program, &field.1, &[], column, types));
        }
        (Type::Sum(cases), [], Val::Sum(sum)) => {
            let pairs =
                cases.iter().zip(&sum.parts).flat_map(|(case, parts)| case.1.iter().zip(parts.iter().flatten()));
            pairs.for_each(|(part, column)| note(program, part, &[], column, types));
        }
        (_, _, _) => {}
    }
}

/// The type with jagged dimensions where a value of it has such.
fn with_jagged(mono: &Mono, dims: &[Dim], rows: &Val) -> Mono {
    match (mono, dims, rows) {
        (_, [], Val::Array(array)) => with_jagged(mono, &array.dims, &array.rows),
        (Mono::Array(dim, elem), [first, rest @ ..], _) => {
            let dim = if matches!(first, Dim::Jagged(_)) { MonoDim::Jagged } else { *dim };
            Mono::Array(dim, Rc::new(with_jagged(elem, rest, rows)))
        }
        (Mono::Record(fields), [], Val::Record(columns)) => {
            let pairs = fields.iter().zip(columns.iter());
            Mono::Record(pairs.map(|((name, ty), column)| (*name, with_jagged(ty, &[], column))).collect())
        }
        (_, _, _) => mono.clone(),
    }
}
