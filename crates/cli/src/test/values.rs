//! Values as test blocks write them: the components of a tuple follow each other.

use value::{Dim, Value, ValueType};

/// How much of a long value is shown.
const SHOWN: usize = 400;

/// Reads values of these types; where a parameter is a tuple, its components may be given one after another.
pub fn grouped(
    types: &[ValueType],
    read: impl Fn(&[ValueType]) -> Result<Vec<Value>, String>,
) -> Result<Vec<Value>, String> {
    let plain = read(types).and_then(|values| counted(values, types.len()));
    let mut leaves = Vec::new();
    types.iter().for_each(|ty| flatten_type(ty, &mut leaves));
    if plain.is_ok() || leaves.len() == types.len() {
        return plain;
    }
    match read(&leaves).and_then(|values| counted(values, leaves.len())) {
        Ok(values) => {
            let mut values = values.into_iter();
            Ok(types.iter().filter_map(|ty| regroup(ty, &mut values)).collect())
        }
        Err(_) => plain,
    }
}

fn counted(values: Vec<Value>, wanted: usize) -> Result<Vec<Value>, String> {
    if values.len() == wanted {
        return Ok(values);
    }
    Err(format!("there are {} values for {wanted} parameters", values.len()))
}

fn flatten_type(ty: &ValueType, out: &mut Vec<ValueType>) {
    match ty {
        ValueType::Tuple(items) => items.iter().for_each(|item| flatten_type(item, out)),
        other => out.push(other.clone()),
    }
}

fn regroup(ty: &ValueType, values: &mut dyn Iterator<Item = Value>) -> Option<Value> {
    match ty {
        ValueType::Tuple(items) => {
            let group: Option<Vec<Value>> = items.iter().map(|item| regroup(item, values)).collect();
            group.map(Value::Tuple)
        }
        _ => values.next(),
    }
}

/// The components of tuples one after another.
pub fn flat(values: Vec<Value>) -> Vec<Value> {
    let mut out = Vec::new();
    for value in values {
        match value {
            Value::Tuple(items) => out.extend(flat(items)),
            other => out.push(other),
        }
    }
    out
}

/// The type with dimensions of any kind, since an expected value may be regular or jagged.
pub fn open_type(ty: &ValueType) -> ValueType {
    match ty {
        ValueType::Array(dims, prim) => ValueType::Array(vec![Dim::Any; dims.len()], *prim),
        ValueType::List(elem) => ValueType::List(Box::new(open_type(elem))),
        ValueType::Tuple(items) => ValueType::Tuple(items.iter().map(open_type).collect()),
        ValueType::Record(fields) => ValueType::Record(fields.iter().map(|(n, t)| (*n, open_type(t))).collect()),
        ValueType::Sum(cases) => {
            ValueType::Sum(cases.iter().map(|(n, ts)| (*n, ts.iter().map(open_type).collect())).collect())
        }
        ValueType::Scalar(_) | ValueType::AnyRank(_) => ty.clone(),
    }
}

/// Values on one line, truncated if they are long.
pub fn shown(values: &[Value]) -> String {
    let mut out = String::new();
    for value in values {
        if !out.is_empty() {
            out.push(' ');
        }
        out += &value.to_string();
        if out.len() > SHOWN {
            out.truncate(out.floor_char_boundary(SHOWN));
            out += " ...";
            break;
        }
    }
    out
}
