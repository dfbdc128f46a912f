//! What arguments say of the types that are bound to type parameters.
//!
//! The type `t` of `sort 't [n] (xs: [n]t)` called with rows of different lengths is an array of unknown size: nothing in it
//! says that the size differs from row to row. The argument does, and the form of the result depends on it.
//!
//! ```text
//! sort (xss: [n][~d]i64)                t = [?]i64   becomes   t = [~]i64
//! (xss: [n][3]i64) ++ (yss: [m][4]i64)  t = [?]i64   becomes   t = [~]i64
//! ```

use crate::data::types::{Mono, MonoDim};
use crate::data::value::Val;
use base::Map;
use ir::{Atom, Dim};
use std::rc::Rc;
use typed::{Program, Type, TypeVarId};

/// Makes the bindings of type parameters jagged where arguments, given with the types of their parameters, are, or where
/// they differ.
pub(crate) fn note_jagged<'a, 't: 'a>(
    program: &Program,
    args: impl Iterator<Item = (&'a Type, &'a Val<'t>)>,
    types: &mut Map<TypeVarId, Mono>,
) {
    let mut found = Map::default();
    args.for_each(|(ty, arg)| find(program, ty, arg, &mut found));
    for (var, vals) in found {
        if let Some(mono) = types.get_mut(&var) {
            *mono = with_jagged(mono, &vals);
        }
    }
}

/// Finds the values of type parameters in a value of a type.
fn find<'t>(program: &Program, ty: &Type, val: &Val<'t>, found: &mut Map<TypeVarId, Vec<Val<'t>>>) {
    match (ty, val) {
        (Type::Abstract(id, args), _) => find(program, &program.expand(*id, args), val, found),
        (Type::Var(var), _) => found.entry(*var).or_default().push(val.clone()),
        (Type::Array(dim, elem), _) if !matches!(dim, typed::Dim::Shape(_)) => {
            if let Some((_, Some(rows))) = first_dim(val) {
                find(program, elem, &rows, found);
            }
        }
        (Type::Record(fields), Val::Record(columns)) => {
            fields.iter().zip(columns.iter()).for_each(|(field, column)| find(program, &field.1, column, found));
        }
        (Type::Sum(cases), Val::Sum(sum)) => {
            let pairs =
                cases.iter().zip(&sum.parts).flat_map(|(case, parts)| case.1.iter().zip(parts.iter().flatten()));
            pairs.for_each(|(part, column)| find(program, part, column, found));
        }
        (_, _) => {}
    }
}

/// The first dimension of an array, and what is inside of it unless those are scalars.
fn first_dim<'t>(val: &Val<'t>) -> Option<(Dim, Option<Val<'t>>)> {
    match val {
        Val::Array(array) => Some((array.dims[0], Some(Val::array(array.dims[1..].to_vec(), array.rows.clone())))),
        Val::Vector(_, atoms) => Some((Dim::Size(Atom::size(atoms.len() as i64)), None)),
        _ => None,
    }
}

/// The type with jagged dimensions where its values have such, or differ although the type does not name a size.
fn with_jagged<'t>(mono: &Mono, vals: &[Val<'t>]) -> Mono {
    match mono {
        Mono::Array(dim, elem) if !matches!(dim, MonoDim::Shape(_)) => {
            let (dims, rows): (Vec<Dim>, Vec<Option<Val>>) = vals.iter().filter_map(first_dim).unzip();
            let rows: Vec<Val> = rows.into_iter().flatten().collect();
            let differ = matches!(dim, MonoDim::Unknown) && dims.windows(2).any(|pair| pair[0] != pair[1]);
            let jagged = differ || dims.iter().any(|dim| matches!(dim, Dim::Jagged(_)));
            let dim = if jagged { MonoDim::Jagged } else { *dim };
            Mono::Array(dim, Rc::new(with_jagged(elem, &rows)))
        }
        Mono::Record(fields) => {
            let field = |(number, (name, ty)): (usize, &(base::Name, Mono))| {
                let column = |val: &Val<'t>| match val {
                    Val::Record(columns) => columns.get(number).cloned(),
                    _ => None,
                };
                let columns: Vec<Val> = vals.iter().filter_map(column).collect();
                (*name, with_jagged(ty, &columns))
            };
            Mono::Record(fields.iter().enumerate().map(field).collect())
        }
        _ => mono.clone(),
    }
}
