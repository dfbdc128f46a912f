//! Values of the shell to values of the machine and back, led by the types of an entry point.

use crate::builder::Builder;
use crate::column::offsets_of;
use crate::data::{Array, Column, Constr, Value};
use crate::resolve::static_type;
use crate::rtype::RtType;
use base::Name;
use scalar::{DimKind, Layout};
use std::rc::Rc;
use std::sync::Arc;
use typed::{Dim, Program, Type, is_tuple};
use value::components::{ComponentError, split};
use value::{DimDesc, ValueType};

/// The type that a reader of values should expect for a parameter or result of this type; none if no value of it can
/// be written down (functions, type parameters).
pub fn expected_type(program: &Program, ty: &Type) -> Option<ValueType> {
    match program.concrete(ty) {
        Type::Prim(prim) => Some(ValueType::Scalar(prim)),
        Type::Record(fields) => {
            let types: Option<Vec<_>> = fields.iter().map(|f| expected_type(program, &f.1)).collect();
            let names = fields.iter().map(|f| f.0);
            Some(match is_tuple(names.clone()) {
                true => ValueType::Tuple(types?),
                false => ValueType::Record(names.zip(types?).collect()),
            })
        }
        Type::Sum(cases) => {
            let case = |(name, types): &(Name, Vec<Type>)| {
                let types: Option<Vec<_>> = types.iter().map(|t| expected_type(program, t)).collect();
                Some((*name, types?))
            };
            Some(ValueType::Sum(cases.iter().map(case).collect::<Option<_>>()?))
        }
        Type::Array(dim, elem) => {
            let elem = expected_type(program, &elem)?;
            Some(match (dim, elem) {
                (Dim::Shape(_), ValueType::Scalar(prim)) => ValueType::AnyRank(prim),
                (Dim::Shape(_), other) => other,
                (Dim::Size(_), elem) => elem.inside(value::Dim::Regular),
                (Dim::Jagged(_), elem) => elem.inside(value::Dim::Jagged),
            })
        }
        Type::Var(_) | Type::Abstract(..) | Type::Fun(_) | Type::Meta(_) | Type::Error => None,
    }
}

/// The machine's value for one from the shell, which must fit the type.
pub(crate) fn import(program: &Program, ty: &Type, given: value::Value) -> Result<Value, String> {
    let expected = expected_type(program, ty);
    let expected = expected.ok_or_else(|| format!("no value of type {} can be given", program.show_type(ty)))?;
    let given = given.fit(&expected)?;
    import_fitting(program, ty, given)
}

/// Whether rows are as equal as the type says. Arrays of numbers are; those in fields of an array's elements were read
/// one by one. What compiled code cannot take is rejected here with the same words.
pub(crate) fn check_rows(program: &Program, ty: &Type, given: &value::Value) -> Result<(), ComponentError> {
    match (given, layout(program, ty, false, false)) {
        (value::Value::Scalar(_) | value::Value::Array(_), _) | (_, None) => Ok(()),
        (given, Some(layout)) => split(given.clone(), &layout).map(drop),
    }
}

/// The layout of a type's values; none if no value of it can be written down.
fn layout(program: &Program, ty: &Type, in_array: bool, in_element: bool) -> Option<Layout> {
    Some(match program.concrete(ty) {
        Type::Prim(prim) => Layout::Scalar(prim),
        Type::Array(dim, elem) => {
            let kind = match dim {
                // Where another constructor stands there are no rows.
                Dim::Size(_) if in_element => DimKind::Jagged,
                Dim::Size(_) => DimKind::Size,
                Dim::Jagged(_) => DimKind::Jagged,
                Dim::Shape(_) => DimKind::Shape,
            };
            match layout(program, &elem, true, in_element)? {
                // Dimensions after unknown ones belong to the same shape.
                Layout::Array(_, elem) if kind == DimKind::Shape => Layout::Array(vec![DimKind::Shape], elem),
                Layout::Array(mut kinds, elem) => {
                    kinds.insert(0, kind);
                    Layout::Array(kinds, elem)
                }
                elem => Layout::Array(vec![kind], Box::new(elem)),
            }
        }
        Type::Record(fields) => {
            let field = |(name, ty): &(Name, Type)| Some((*name, layout(program, ty, in_array, in_element)?));
            Layout::Record(fields.iter().map(field).collect::<Option<_>>()?)
        }
        Type::Sum(cases) => {
            let case = |(name, types): &(Name, Vec<Type>)| {
                let parts = types.iter().map(|ty| layout(program, ty, in_array, in_element || in_array));
                Some((*name, parts.collect::<Option<_>>()?))
            };
            Layout::Sum(cases.iter().map(case).collect::<Option<_>>()?)
        }
        Type::Var(_) | Type::Abstract(..) | Type::Fun(_) | Type::Meta(_) | Type::Error => return None,
    })
}

fn import_fitting(program: &Program, ty: &Type, given: value::Value) -> Result<Value, String> {
    let ty = program.concrete(ty);
    match (given, &ty) {
        (value::Value::Scalar(x), _) => Ok(Value::Scalar(x)),
        (value::Value::Array(array), _) => Ok(import_array(array)),
        (value::Value::Tuple(items), Type::Record(fields)) => {
            let items = items.into_iter().zip(fields.iter()).map(|(v, f)| import_fitting(program, &f.1, v));
            Ok(Value::Record(items.collect::<Result<_, _>>()?))
        }
        (value::Value::Record(mut items), Type::Record(fields)) => {
            let mut take = |(name, ty): &(Name, Type)| {
                let place = items.iter().position(|i| i.0 == *name).ok_or_else(|| format!("no field {name}"))?;
                import_fitting(program, ty, items.swap_remove(place).1)
            };
            Ok(Value::Record(fields.iter().map(&mut take).collect::<Result<_, _>>()?))
        }
        (value::Value::Sum(name, args), Type::Sum(cases)) => {
            let types = cases.iter().find(|c| c.0 == name).map(|c| c.1.as_slice()).unwrap_or(&[]);
            let args = args.into_iter().zip(types).map(|(v, t)| import_fitting(program, t, v));
            Ok(Value::Constr(Rc::new(Constr { name, args: args.collect::<Result<_, _>>()? })))
        }
        (value::Value::List(items), Type::Array(dim, elem)) => import_list(program, dim, elem, items),
        (value::Value::Tuple(_) | value::Value::Record(_) | value::Value::Sum(..) | value::Value::List(_), _) => {
            Err(format!("a value of type {} is expected", program.show_type(&ty)))
        }
    }
}

fn import_list(program: &Program, dim: &Dim, elem: &Arc<Type>, items: Vec<value::Value>) -> Result<Value, String> {
    if let Dim::Shape(_) = dim {
        return Err("arrays of any rank are read only if their elements are numbers".into());
    }
    let mut builder = Builder::new(items.len());
    for item in items {
        builder.push(import_fitting(program, elem, item)?);
    }
    let Builder { len, rows, irregular, unlike, .. } = builder;
    if let Type::Array(Dim::Shape(_), _) = program.concrete(elem) {
        if unlike.is_some() {
            return Err("the arrays differ in rank".into());
        }
        if irregular {
            return Err("rows of different lengths in a dimension that must be regular".into());
        }
    }
    let rows = rows.unwrap_or_else(|| Column::empty(&static_type(program, elem)));
    let rows = rows.tidy(len);
    if let (Column::Jagged(..), Type::Array(Dim::Size(_), _)) = (&rows, program.concrete(elem)) {
        return Err(format!("rows must have one length, but these have {:?}", rows.lengths(len)));
    }
    Ok(Array { len, rows: with_jagged(program, elem, rows, len) }.into())
}

/// The rows with jagged dimensions where their type has them, even if they happen to agree: messages show it.
fn with_jagged(program: &Program, ty: &Type, rows: Column, count: usize) -> Column {
    match (rows, program.concrete(ty)) {
        (Column::Regular(m, inner), Type::Array(Dim::Jagged(_), elem)) if count > 0 => {
            let inner = with_jagged(program, &elem, *inner, m * count);
            Column::Jagged(offsets_of(std::iter::repeat_n(m, count)), Box::new(inner))
        }
        (Column::Regular(m, inner), Type::Array(_, elem)) => {
            Column::Regular(m, Box::new(with_jagged(program, &elem, *inner, m * count)))
        }
        (Column::Jagged(offsets, inner), Type::Array(_, elem)) => {
            let inner = with_jagged(program, &elem, *inner, offsets[count]);
            Column::Jagged(offsets, Box::new(inner))
        }
        (Column::Record(columns), Type::Record(fields)) => {
            let columns = columns.into_iter().zip(fields.iter());
            Column::Record(columns.map(|(column, (_, ty))| with_jagged(program, ty, column, count)).collect())
        }
        (rows, _) => rows,
    }
}

/// An array of scalars.
fn import_array(array: value::Array) -> Value {
    let (dims, data) = array.into_parts();
    let mut rows = Column::Prim(data);
    for dim in dims.iter().skip(1).rev() {
        rows = match dim {
            DimDesc::Regular(n) => Column::Regular(*n as usize, Box::new(rows)),
            DimDesc::Jagged(offsets) if offsets.len() < 2 => Column::Regular(0, Box::new(rows)),
            DimDesc::Jagged(offsets) => Column::Jagged(offsets.iter().map(|o| *o as usize).collect(), Box::new(rows)),
        };
    }
    let len = match dims.first() {
        Some(DimDesc::Regular(n)) => *n as usize,
        Some(DimDesc::Jagged(_)) | None => 0,
    };
    Array { len, rows }.into()
}

/// The shell's value for one of the machine; the type tells names of fields and which dimensions are jagged.
pub(crate) fn export(program: &Program, ty: &Type, given: &Value) -> Result<value::Value, String> {
    export_part(program, ty, given, false)
}

/// The same for a part of a value, perhaps one in a constructor.
fn export_part(program: &Program, ty: &Type, given: &Value, in_sum: bool) -> Result<value::Value, String> {
    let ty = program.concrete(ty);
    match (given, &ty) {
        (Value::Scalar(x), _) => Ok(value::Value::Scalar(*x)),
        (Value::Record(items), Type::Record(fields)) => {
            let items = items.iter().zip(fields.iter()).map(|(v, f)| export_part(program, &f.1, v, in_sum));
            let items: Vec<value::Value> = items.collect::<Result<_, _>>()?;
            let names = fields.iter().map(|f| f.0);
            Ok(match is_tuple(names.clone()) {
                true => value::Value::Tuple(items),
                false => value::Value::Record(names.zip(items).collect()),
            })
        }
        (Value::Constr(constr), Type::Sum(cases)) => {
            let types = cases.iter().find(|c| c.0 == constr.name).map(|c| c.1.as_slice()).unwrap_or(&[]);
            let args = constr.args.iter().zip(types).map(|(v, t)| export_part(program, t, v, true));
            Ok(value::Value::Sum(constr.name, args.collect::<Result<_, _>>()?))
        }
        (Value::Array(array), Type::Array(..)) => export_array(program, &ty, array, in_sum),
        // Of unknown rank, and the rank is 0.
        (Value::Record(_) | Value::Constr(_), Type::Array(Dim::Shape(_), elem)) => {
            export_part(program, elem, given, in_sum)
        }
        _ => Err(format!("the result is {}, which cannot be written as a value", given.describe())),
    }
}

fn export_array(program: &Program, ty: &Type, array: &Array, in_sum: bool) -> Result<value::Value, String> {
    let mut dims = Vec::new();
    let mut rest = ty.clone();
    while let Type::Array(dim, elem) = &rest {
        dims.push(dim.clone());
        rest = program.concrete(elem);
    }
    match numbers(array, &dims, in_sum) {
        Some(array) => Ok(value::Value::Array(array)),
        None => {
            let elem = match (&dims[0], ty) {
                // The elements of a shape: one dimension less of the same.
                (Dim::Shape(_), ty) if !matches!(array.rows, Column::Record(_) | Column::Boxed(_)) => ty.clone(),
                (_, Type::Array(_, elem)) => (**elem).clone(),
                (_, ty) => ty.clone(),
            };
            array
                .iter()
                .map(|v| export_part(program, &elem, &v, in_sum))
                .collect::<Result<_, _>>()
                .map(value::Value::List)
        }
    }
}

/// So many rows without elements may a value have in a constructor.
const MOST_ROWS: usize = 1 << 24;

/// An array of scalars, if it is one; `dims` says which of its dimensions are jagged. In a constructor all but the
/// outer one are, unless they are of unknown rank: other values of the sum have no rows there that could be of that
/// length.
fn numbers(array: &Array, dims: &[Dim], in_sum: bool) -> Option<value::Array> {
    let in_sum = in_sum && !dims.iter().any(|dim| matches!(dim, Dim::Shape(_)));
    let mut descs = vec![DimDesc::Regular(array.len as i64)];
    let (mut column, mut rows) = (&array.rows, array.len);
    loop {
        let jagged = matches!(dims.get(descs.len()), Some(Dim::Jagged(_))) || in_sum && rows <= MOST_ROWS;
        match column {
            Column::Prim(items) => return value::Array::new(descs, items.clone()).ok(),
            Column::Regular(m, _) if jagged => descs.push(DimDesc::jagged(std::iter::repeat_n(*m as i64, rows))),
            Column::Regular(m, _) => descs.push(DimDesc::Regular(*m as i64)),
            Column::Jagged(offsets, _) => descs.push(DimDesc::Jagged(offsets.iter().map(|o| *o as i64).collect())),
            Column::Record(_) | Column::Boxed(_) => return None,
        }
        rows = column.total(rows);
        column = column.inner();
    }
}

/// A value as text, for tracing; fields have no names there.
pub(crate) fn show(value: &Value, ty: &RtType) -> String {
    untyped(value, ty).to_string()
}

fn untyped(given: &Value, ty: &RtType) -> value::Value {
    match given {
        Value::Scalar(x) => value::Value::Scalar(*x),
        Value::Record(items) => {
            let types: Vec<&RtType> = match ty {
                RtType::Record(types) => types.iter().map(|t| &**t).collect(),
                RtType::Prim(_) | RtType::Array(..) | RtType::Sum(..) | RtType::Boxed => {
                    vec![&RtType::Boxed; items.len()]
                }
            };
            value::Value::Tuple(items.iter().zip(types).map(|(v, t)| untyped(v, t)).collect())
        }
        Value::Constr(constr) => {
            value::Value::Sum(constr.name, constr.args.iter().map(|v| untyped(v, &RtType::Boxed)).collect())
        }
        Value::Array(array) => match numbers(array, &[], false) {
            Some(array) => value::Value::Array(array),
            None => value::Value::List(array.iter().map(|v| untyped(&v, ty.elem())).collect()),
        },
        Value::Unset | Value::Fun(_) | Value::Type(_) | Value::Rec(_) => {
            value::Value::Sum(Name::new("function"), Vec::new())
        }
    }
}
