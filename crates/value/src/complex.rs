//! Complex numbers as NumPy has them: pairs of floats, or records `{re, im}` as the library's `complex` modules have them.

use crate::{Array, PrimVec, Value, ValueType, columns};
use base::Name;
use scalar::Prim;

const PARTS: [&str; 2] = ["re", "im"];

/// The type of the parts, if this is the type of complex numbers or of an array of them.
pub(crate) fn parts_of(ty: &ValueType) -> Option<Prim> {
    let both = |re: &ValueType, im: &ValueType| match (re, im) {
        (ValueType::Scalar(re @ (Prim::F32 | Prim::F64)), ValueType::Scalar(im)) if re == im => Some(*re),
        _ => None,
    };
    match ty {
        ValueType::List(elem) => parts_of(elem),
        ValueType::Tuple(types) if types.len() == 2 => both(&types[0], &types[1]),
        ValueType::Record(fields) if fields.len() == 2 => {
            let part = |name: &str| fields.iter().find(|field| field.0.as_str() == name).map(|field| &field.1);
            both(part(PARTS[0])?, part(PARTS[1])?)
        }
        _ => None,
    }
}

/// The shape of an array of complex numbers of this type, and the two parts of each, one after the other. None for other
/// values.
pub(crate) fn interleaved(value: &Value, ty: Option<&ValueType>) -> Option<(Vec<i64>, PrimVec)> {
    let ty = ty.cloned().unwrap_or_else(|| value.type_of());
    parts_of(&ty)?;
    let (re, im) = match columns::split(value, &ty).ok()? {
        Value::Tuple(parts) => <[Value; 2]>::try_from(parts).ok().map(|[re, im]| (re, im))?,
        Value::Record(fields) => {
            let part = |name: &str| fields.iter().find(|field| field.0.as_str() == name).map(|field| field.1.clone());
            (part(PARTS[0])?, part(PARTS[1])?)
        }
        _ => return None,
    };
    let shape = match &re {
        Value::Array(array) => array.shape()?,
        _ => Vec::new(),
    };
    let (re, im) = (elements(&re)?, elements(&im)?);
    let mut data = PrimVec::with_capacity(re.prim(), 2 * re.len());
    re.iter().zip(im.iter()).for_each(|(re, im)| {
        data.push(re);
        data.push(im);
    });
    Some((shape, data))
}

fn elements(value: &Value) -> Option<PrimVec> {
    match value {
        Value::Array(array) => Some(array.data().clone()),
        Value::Scalar(x) => {
            let mut data = PrimVec::new(x.prim());
            data.push(*x);
            Some(data)
        }
        _ => None,
    }
}

/// The value of an array of complex numbers with this shape, from their parts: of the expected type, or records `{re, im}`.
pub(crate) fn value(shape: &[i64], data: &PrimVec, expected: Option<&ValueType>) -> Result<Value, String> {
    let part = |which: usize| {
        let mut part = PrimVec::with_capacity(data.prim(), data.len() / 2);
        (which..data.len()).step_by(2).filter_map(|i| data.get(i)).for_each(|x| part.push(x));
        match (shape, part.get(0)) {
            ([], Some(scalar)) => Ok(Value::Scalar(scalar)),
            (shape, _) => Array::regular(shape, part).map(Value::Array).map_err(|error| error.0),
        }
    };
    let (re, im) = (part(0)?, part(1)?);
    let scalar = ValueType::Scalar(data.prim());
    let record = || ValueType::Record(PARTS.map(|name| (Name::new(name), scalar.clone())).to_vec());
    let natural = || (0..shape.len()).fold(record(), |elem, _| ValueType::List(Box::new(elem)));
    let expected = expected.cloned().unwrap_or_else(natural);
    if parts_of(&expected) != Some(data.prim()) {
        let kind = format!("complex numbers, which are pairs or records {{re, im}} of {scalar}");
        return Err(format!("a value of type {expected} is expected, but this file holds {kind}"));
    }
    let columns = match columns::type_of(&expected) {
        ValueType::Record(fields) => {
            let field =
                |(name, _): (Name, ValueType)| (name, if name.as_str() == PARTS[0] { re.clone() } else { im.clone() });
            Value::Record(fields.into_iter().map(field).collect())
        }
        _ => Value::Tuple(vec![re, im]),
    };
    match depth(&expected) == shape.len() {
        true => columns::join(&columns, &expected),
        false => Err(format!("a value of type {expected} is expected, but this array has {} dimensions", shape.len())),
    }
}

fn depth(ty: &ValueType) -> usize {
    if let ValueType::List(elem) = ty { 1 + depth(elem) } else { 0 }
}
