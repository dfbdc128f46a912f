//! What a reader of values expects, and fitting a value to it.

use crate::components::is_tuple;
use crate::{Array, DimDesc, Value};
use base::Name;
use scalar::{DimKind, Layout, Prim};
use std::fmt;

/// What is expected of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dim {
    /// All rows of one length.
    Regular,
    /// Rows of any lengths, kept as jagged.
    Jagged,
    /// Regular where the rows agree, else jagged.
    Any,
}

/// The type a value is expected to have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueType {
    /// A scalar.
    Scalar(Prim),
    /// An array of scalars with these dimensions.
    Array(Vec<Dim>, Prim),
    /// A scalar or a regular array of any rank.
    AnyRank(Prim),
    /// An array of something that is not a scalar.
    List(Box<ValueType>),
    /// A tuple.
    Tuple(Vec<ValueType>),
    /// A record.
    Record(Vec<(Name, ValueType)>),
    /// A sum type: its constructors and what they carry.
    Sum(Vec<(Name, Vec<ValueType>)>),
}

impl ValueType {
    /// A regular array of a rank.
    pub fn regular(rank: usize, elem: Prim) -> ValueType {
        if rank == 0 { ValueType::Scalar(elem) } else { ValueType::Array(vec![Dim::Regular; rank], elem) }
    }

    /// If the rank of this array is known in part, or not at all: how many dimensions are known, and the type of its
    /// elements.
    pub fn any_rank_below(&self) -> Option<(usize, Prim)> {
        match self {
            ValueType::AnyRank(prim) => Some((0, *prim)),
            ValueType::List(elem) => elem.any_rank_below().map(|(known, prim)| (known + 1, prim)),
            ValueType::Scalar(_) | ValueType::Array(..) => None,
            ValueType::Tuple(_) | ValueType::Record(_) | ValueType::Sum(_) => None,
        }
    }

    /// The type of the values of a layout; none for arrays of unknown rank over something that is not a scalar.
    pub fn of_layout(layout: &Layout) -> Option<ValueType> {
        let all = |parts: &[Layout]| parts.iter().map(ValueType::of_layout).collect::<Option<Vec<_>>>();
        match layout {
            Layout::Scalar(prim) => Some(ValueType::Scalar(*prim)),
            Layout::Array(dims, elem) => array_of(dims, ValueType::of_layout(elem)?),
            Layout::Record(fields) => {
                let typed = fields.iter().map(|(name, field)| Some((*name, ValueType::of_layout(field)?)));
                let typed = typed.collect::<Option<Vec<_>>>()?;
                Some(match is_tuple(fields) {
                    true => ValueType::Tuple(typed.into_iter().map(|(_, field)| field).collect()),
                    false => ValueType::Record(typed),
                })
            }
            Layout::Sum(cases) => {
                cases.iter().map(|(name, parts)| Some((*name, all(parts)?))).collect::<Option<_>>().map(ValueType::Sum)
            }
        }
    }

    /// An array of such values.
    pub fn inside(self, dim: Dim) -> ValueType {
        match self {
            ValueType::Scalar(prim) => ValueType::Array(vec![dim], prim),
            ValueType::Array(mut dims, prim) => {
                dims.insert(0, dim);
                ValueType::Array(dims, prim)
            }
            elem => ValueType::List(Box::new(elem)),
        }
    }
}

fn array_of(dims: &[DimKind], elem: ValueType) -> Option<ValueType> {
    let dim = |kind: &DimKind| match kind {
        DimKind::Size => Some(Dim::Regular),
        DimKind::Jagged => Some(Dim::Jagged),
        DimKind::Shape => None,
    };
    match (dims, elem) {
        ([DimKind::Shape], ValueType::Scalar(prim)) => Some(ValueType::AnyRank(prim)),
        ([DimKind::Size | DimKind::Jagged, inner @ ..], elem @ ValueType::Scalar(_))
            if dims.contains(&DimKind::Shape) =>
        {
            array_of(inner, elem).map(|elem| ValueType::List(Box::new(elem)))
        }
        (dims, ValueType::Scalar(prim)) => Some(ValueType::Array(dims.iter().map(dim).collect::<Option<_>>()?, prim)),
        (dims, elem) => {
            dims.iter().rev().try_fold(elem, |elem, kind| dim(kind).map(|_| ValueType::List(Box::new(elem))))
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Scalar(prim) => prim.fmt(f),
            ValueType::Array(dims, prim) => {
                dims.iter().try_for_each(|dim| f.write_str(if *dim == Dim::Jagged { "[~]" } else { "[]" }))?;
                prim.fmt(f)
            }
            ValueType::AnyRank(prim) => write!(f, "[..]{prim}"),
            ValueType::List(elem) => write!(f, "[]{elem}"),
            ValueType::Tuple(items) => {
                f.write_str("(")?;
                separated(f, items, ", ", |f, t| t.fmt(f))?;
                f.write_str(")")
            }
            ValueType::Record(fields) => {
                f.write_str("{")?;
                separated(f, fields, ", ", |f, (name, t)| write!(f, "{name}: {t}"))?;
                f.write_str("}")
            }
            ValueType::Sum(cases) => separated(f, cases, " | ", |f, (name, args)| {
                write!(f, "#{name}")?;
                args.iter().try_for_each(|t| write!(f, " {t}"))
            }),
        }
    }
}

/// Writes items with something in between.
pub(crate) fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    between: &str,
    mut each: impl FnMut(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        each(f, item)?;
    }
    Ok(())
}

impl ValueType {
    /// The type with the constructors of another one as well, of which a value shows only its own.
    fn with_cases_of(self, other: ValueType) -> ValueType {
        let both =
            |a: Vec<ValueType>, b: Vec<ValueType>| a.into_iter().zip(b).map(|(a, b)| a.with_cases_of(b)).collect();
        match (self, other) {
            (ValueType::Sum(mut cases), ValueType::Sum(more)) => {
                for (name, args) in more {
                    match cases.iter_mut().find(|case| case.0 == name) {
                        Some(case) => case.1 = both(std::mem::take(&mut case.1), args),
                        None => cases.push((name, args)),
                    }
                }
                cases.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
                ValueType::Sum(cases)
            }
            (ValueType::List(a), ValueType::List(b)) => ValueType::List(Box::new(a.with_cases_of(*b))),
            // An empty list says nothing of its elements.
            (ValueType::Tuple(a), b) if a.is_empty() => b,
            (ValueType::Tuple(a), ValueType::Tuple(b)) if a.len() == b.len() => ValueType::Tuple(both(a, b)),
            (ValueType::Record(a), ValueType::Record(b)) if a.len() == b.len() => {
                let fields = a.into_iter().zip(b).map(|((name, a), (_, b))| (name, a.with_cases_of(b)));
                ValueType::Record(fields.collect())
            }
            (ty, _) => ty,
        }
    }
}

impl Value {
    /// The type, with dimensions as they are. The element type of an empty list is unknown and given as unit.
    pub fn type_of(&self) -> ValueType {
        match self {
            Value::Scalar(x) => ValueType::Scalar(x.prim()),
            Value::Array(a) => ValueType::Array(a.dims().iter().map(dim_of).collect(), a.elem()),
            Value::List(items) => {
                let mut types = items.iter().map(Value::type_of);
                let first = types.next().unwrap_or(ValueType::Tuple(Vec::new()));
                ValueType::List(Box::new(types.fold(first, ValueType::with_cases_of)))
            }
            Value::Tuple(items) => ValueType::Tuple(items.iter().map(Value::type_of).collect()),
            Value::Record(fields) => ValueType::Record(fields.iter().map(|(n, v)| (*n, v.type_of())).collect()),
            Value::Sum(name, args) => ValueType::Sum(vec![(*name, args.iter().map(Value::type_of).collect())]),
        }
    }

    /// Fits a value that came with its own type (from a binary file, say) to what is expected: turns
    /// regular dimensions into jagged ones and back where the rows allow it. Says why it cannot.
    pub fn fit(self, expected: &ValueType) -> Result<Value, String> {
        match (self, expected) {
            (Value::Scalar(x), ValueType::Scalar(p) | ValueType::AnyRank(p)) if x.prim() == *p => Ok(Value::Scalar(x)),
            (Value::Array(a), ValueType::Array(dims, p)) if a.elem() == *p && a.rank() == dims.len() => {
                fit_dims(a, dims).map(Value::Array)
            }
            (Value::Array(a), ValueType::AnyRank(p)) if a.elem() == *p => {
                let dims = vec![Dim::Regular; a.rank()];
                fit_dims(a, &dims).map(Value::Array)
            }
            (Value::Array(a), ValueType::List(_))
                if expected.any_rank_below().is_some_and(|(known, p)| a.elem() == p && known <= a.rank()) =>
            {
                let dims = vec![Dim::Regular; a.rank()];
                fit_dims(a, &dims).map(Value::Array)
            }
            (Value::List(items), ValueType::List(elem)) => {
                items.into_iter().map(|v| v.fit(elem)).collect::<Result<_, _>>().map(Value::List)
            }
            (Value::Tuple(items), ValueType::Tuple(types)) if items.len() == types.len() => {
                items.into_iter().zip(types).map(|(v, t)| v.fit(t)).collect::<Result<_, _>>().map(Value::Tuple)
            }
            (Value::Record(fields), ValueType::Record(types)) if same_names(&fields, types) => types
                .iter()
                .map(|(name, t)| {
                    let found = fields.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
                    found.ok_or(format!("no field {name}"))?.fit(t).map(|v| (*name, v))
                })
                .collect::<Result<_, _>>()
                .map(Value::Record),
            (Value::Sum(name, args), ValueType::Sum(cases)) => fit_sum(name, args, cases),
            (other, _) => Err(format!("a value of type {expected} is expected, but this one is {}", other.type_of())),
        }
    }
}

fn dim_of(dim: &DimDesc) -> Dim {
    match dim {
        DimDesc::Regular(_) => Dim::Regular,
        DimDesc::Jagged(_) => Dim::Jagged,
    }
}

fn same_names<A, B>(fields: &[(Name, A)], types: &[(Name, B)]) -> bool {
    fields.len() == types.len() && types.iter().all(|(name, _)| fields.iter().any(|(n, _)| n == name))
}

fn fit_sum(name: Name, args: Vec<Value>, cases: &[(Name, Vec<ValueType>)]) -> Result<Value, String> {
    let Some((_, types)) = cases.iter().find(|(n, _)| *n == name) else {
        return Err(format!("there is no constructor #{name} in {}", ValueType::Sum(cases.to_vec())));
    };
    if types.len() != args.len() {
        return Err(format!("#{name} carries {} values, not {}", types.len(), args.len()));
    }
    let args = args.into_iter().zip(types).map(|(v, t)| v.fit(t)).collect::<Result<_, _>>()?;
    Ok(Value::Sum(name, args))
}

fn fit_dims(mut array: Array, dims: &[Dim]) -> Result<Array, String> {
    let rows = array.rows();
    for (level, dim) in dims.iter().enumerate() {
        match (dim, &array.dims()[level]) {
            (Dim::Jagged, DimDesc::Regular(_)) if level == 0 => {}
            (Dim::Jagged, DimDesc::Regular(n)) => {
                let jagged = jagged_rows(rows[level], *n, array.data().len())?;
                array.replace_dim(level, jagged);
            }
            (Dim::Regular, DimDesc::Jagged(offsets)) => {
                let lengths: Vec<i64> = offsets.windows(2).map(|w| w[1] - w[0]).collect();
                let regular = DimDesc::from_lengths(&lengths);
                if let DimDesc::Jagged(_) = regular {
                    return Err(differing(level, &lengths));
                }
                array.replace_dim(level, regular);
            }
            (Dim::Regular, DimDesc::Regular(_)) | (Dim::Jagged, DimDesc::Jagged(_)) | (Dim::Any, _) => {}
        }
    }
    Ok(array)
}

/// The jagged form of a regular dimension, in an array of so many elements. Rows without elements
/// cost nothing in a file, so their number alone must not make us allocate.
pub(crate) fn jagged_rows(rows: i64, length: i64, elements: usize) -> Result<DimDesc, String> {
    if rows > (elements as i64).max(MOST_EMPTY_ROWS) {
        return Err(format!("{rows} rows without elements are too many for a jagged array"));
    }
    Ok(DimDesc::jagged(std::iter::repeat_n(length, rows as usize)))
}

/// How many rows a jagged dimension may have where there are no elements to show for them.
pub(crate) const MOST_EMPTY_ROWS: i64 = 1 << 24;

fn differing(level: usize, lengths: &[i64]) -> String {
    let other = lengths.iter().position(|n| *n != lengths[0]).unwrap_or(0);
    format!(
        "rows of dimension {level} must all have the same length, but row 0 has {} elements and row {other} has {}",
        lengths[0], lengths[other]
    )
}
