//! Giving a type to a value as written.

use super::{Form, Number, Parsed};
use crate::types::jagged_rows;
use crate::{Array, Dim, DimDesc, FormatError, PrimVec, Value, ValueType};
use base::Name;
use scalar::{Prim, Scalar, convert};

type Read<T> = Result<T, FormatError>;

impl Parsed {
    /// The line on which it starts.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The value, of the expected type if there is one. Without, integers are `i32` and fractions `f64`
    /// unless a suffix says otherwise. A number without a suffix must fit its type; one with a suffix wraps.
    pub fn to_value(&self, expected: Option<&ValueType>) -> Read<Value> {
        match expected {
            None => self.guess(),
            Some(ValueType::Scalar(prim)) => self.scalar(*prim).map(Value::Scalar),
            Some(ValueType::Array(dims, prim)) => self.array(dims, *prim),
            Some(ValueType::AnyRank(prim)) => match self.depth() {
                0 => self.scalar(*prim).map(Value::Scalar),
                rank => self.array(&vec![Dim::Regular; rank], *prim),
            },
            Some(ValueType::List(elem)) => self.list(elem),
            Some(ValueType::Tuple(types)) => self.tuple(types),
            Some(ValueType::Record(types)) => self.record(types),
            Some(ValueType::Sum(cases)) => self.sum(cases),
        }
    }

    fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(FormatError::line(self.line, message))
    }

    fn guess(&self) -> Read<Value> {
        let all = |items: &[Parsed]| items.iter().map(Parsed::guess).collect::<Read<Vec<_>>>();
        match &self.form {
            Form::Number(_) | Form::Bool(_) => {
                self.scalar(self.leaf_type(None).unwrap_or(Prim::I32)).map(Value::Scalar)
            }
            Form::Empty(dims, prim) => {
                let wanted: Vec<_> = dims.iter().map(|d| if d.is_none() { Dim::Jagged } else { Dim::Any }).collect();
                self.array(&wanted, *prim)
            }
            Form::List(items) if self.has_compound_leaf() => all(items).map(Value::List),
            Form::List(_) => match self.leaf_type(None) {
                Some(prim) => self.array(&vec![Dim::Any; self.depth()], prim),
                None => self.error("the type of this empty array is unknown: write it as empty([0]i32)"),
            },
            Form::Tuple(items) => all(items).map(Value::Tuple),
            Form::Record(fields) => {
                let fields = fields.iter().map(|(name, v)| Ok((*name, v.guess()?))).collect::<Read<_>>()?;
                Ok(Value::Record(fields))
            }
            Form::Sum(name, args) => Ok(Value::Sum(*name, all(args)?)),
        }
    }

    /// The deepest nesting of brackets.
    fn depth(&self) -> usize {
        match &self.form {
            Form::List(items) => 1 + items.iter().map(Parsed::depth).max().unwrap_or(0),
            Form::Empty(dims, _) => dims.len(),
            Form::Number(_) | Form::Bool(_) | Form::Tuple(_) | Form::Record(_) | Form::Sum(..) => 0,
        }
    }

    fn has_compound_leaf(&self) -> bool {
        match &self.form {
            Form::List(items) => items.iter().any(Parsed::has_compound_leaf),
            Form::Number(_) | Form::Bool(_) | Form::Empty(..) => false,
            Form::Tuple(_) | Form::Record(_) | Form::Sum(..) => true,
        }
    }

    /// The type that the leaves suggest: that of a suffix, else the widest default.
    fn leaf_type(&self, so_far: Option<Prim>) -> Option<Prim> {
        match &self.form {
            Form::Number(n) => Some(match (n, so_far) {
                (Number::Int { suffix: Some(p), .. } | Number::Float { suffix: Some(p), .. }, _) => *p,
                (Number::Float { suffix: None, .. }, _) => Prim::F64,
                (Number::Int { suffix: None, .. }, so_far) => so_far.unwrap_or(Prim::I32),
            }),
            Form::Bool(_) => Some(Prim::Bool),
            Form::Empty(_, prim) => Some(*prim),
            Form::List(items) => {
                let mut found = so_far;
                for item in items {
                    found = item.leaf_type(found);
                    if item.has_suffix() {
                        break;
                    }
                }
                found
            }
            Form::Tuple(_) | Form::Record(_) | Form::Sum(..) => so_far,
        }
    }

    /// Whether some leaf says its type.
    fn has_suffix(&self) -> bool {
        match &self.form {
            Form::Number(Number::Int { suffix, .. } | Number::Float { suffix, .. }) => suffix.is_some(),
            Form::Empty(..) | Form::Bool(_) => true,
            Form::List(items) => items.iter().any(Parsed::has_suffix),
            Form::Tuple(_) | Form::Record(_) | Form::Sum(..) => false,
        }
    }

    fn scalar(&self, prim: Prim) -> Read<Scalar> {
        match &self.form {
            Form::Bool(b) if prim == Prim::Bool => Ok(Scalar::Bool(*b)),
            Form::Number(n) if prim != Prim::Bool => match number_at(*n, prim) {
                Ok(x) => Ok(x),
                Err(message) => self.error(message),
            },
            Form::Bool(_)
            | Form::Number(_)
            | Form::List(_)
            | Form::Tuple(_)
            | Form::Record(_)
            | Form::Sum(..)
            | Form::Empty(..) => self.error(format!("a value of type {prim} is expected, but here is {}", self.kind())),
        }
    }

    fn kind(&self) -> &'static str {
        match &self.form {
            Form::Number(_) => "a number",
            Form::Bool(_) => "a bool",
            Form::List(_) | Form::Empty(..) => "an array",
            Form::Tuple(_) => "a tuple",
            Form::Record(_) => "a record",
            Form::Sum(..) => "a constructor",
        }
    }

    fn array(&self, dims: &[Dim], prim: Prim) -> Read<Value> {
        if let Form::Empty(extents, elem) = &self.form {
            return self.empty_array(extents, *elem, dims, prim);
        }
        let mut build = Builder { dims, prim, lengths: vec![Vec::new(); dims.len()], data: PrimVec::new(prim) };
        build.add(self, 0)?;
        let Builder { lengths, data, .. } = build;
        let mut descs = Vec::with_capacity(dims.len());
        for (level, (lengths, dim)) in lengths.iter().zip(dims).enumerate() {
            let lens: Vec<i64> = lengths.iter().map(|(n, _)| *n).collect();
            descs.push(match dim {
                Dim::Jagged if level > 0 => DimDesc::jagged(lens),
                Dim::Jagged | Dim::Regular | Dim::Any => DimDesc::from_lengths(&lens),
            });
            if let (Dim::Regular, Some(DimDesc::Jagged(_))) = (dim, descs.last()) {
                return Err(differing(lengths));
            }
        }
        Array::new(descs, data).map(Value::Array).or_else(|e| self.error(e.0))
    }

    /// The array that `empty(...)` names; `extents` are those written, `dims` those expected.
    fn empty_array(&self, extents: &[Option<i64>], elem: Prim, dims: &[Dim], prim: Prim) -> Read<Value> {
        if elem != prim || extents.len() != dims.len() {
            let expected = ValueType::Array(dims.to_vec(), prim);
            let found = ValueType::Array(vec![Dim::Any; extents.len()], elem);
            return self.error(format!("a value of type {expected} is expected, but this one is {found}"));
        }
        let mut rows = 1i64;
        let mut descs = Vec::with_capacity(dims.len());
        for (level, (extent, dim)) in extents.iter().zip(dims).enumerate() {
            let n = extent.unwrap_or(0);
            let desc = if *dim == Dim::Jagged && level > 0 {
                jagged_rows(rows, n, 0).or_else(|e| self.error(e))?
            } else {
                DimDesc::Regular(n)
            };
            let Some(total) = rows.checked_mul(n) else { return self.error("this shape is too large") };
            rows = total;
            descs.push(desc);
        }
        if rows != 0 {
            return self.error("a shape behind empty must have a dimension of 0 or [~]");
        }
        Array::new(descs, PrimVec::new(prim)).map(Value::Array).or_else(|e| self.error(e.0))
    }

    fn list(&self, elem: &ValueType) -> Read<Value> {
        match &self.form {
            Form::List(items) => {
                items.iter().map(|item| item.to_value(Some(elem))).collect::<Read<_>>().map(Value::List)
            }
            Form::Empty(extents, prim)
                if elem.any_rank_below().is_some_and(|(d, p)| p == *prim && d < extents.len()) =>
            {
                self.guess()
            }
            _ => self.error(format!("a value of type []{elem} is expected, but here is {}", self.kind())),
        }
    }

    fn tuple(&self, types: &[ValueType]) -> Read<Value> {
        match &self.form {
            Form::Tuple(items) if items.len() == types.len() => {
                items.iter().zip(types).map(|(v, t)| v.to_value(Some(t))).collect::<Read<_>>().map(Value::Tuple)
            }
            Form::Tuple(items) => {
                self.error(format!("a tuple of {} is expected, but this one has {}", types.len(), items.len()))
            }
            _ => self.error(format!("a tuple of {} is expected, but here is {}", types.len(), self.kind())),
        }
    }

    fn record(&self, types: &[(Name, ValueType)]) -> Read<Value> {
        let Form::Record(fields) = &self.form else {
            return self.error(format!("a record is expected, but here is {}", self.kind()));
        };
        if let Some((name, _)) = fields.iter().find(|(name, _)| types.iter().all(|(n, _)| n != name)) {
            return self.error(format!("there is no field {name} in {}", ValueType::Record(types.to_vec())));
        }
        let twice = |i: usize| fields[..i].iter().any(|(name, _)| *name == fields[i].0);
        if let Some(i) = (0..fields.len()).find(|i| twice(*i)) {
            return self.error(format!("the field {} is given twice", fields[i].0));
        }
        let field = |(name, t): &(Name, ValueType)| match fields.iter().find(|(n, _)| n == name) {
            Some((_, v)) => Ok((*name, v.to_value(Some(t))?)),
            None => self.error(format!("the field {name} is missing")),
        };
        types.iter().map(field).collect::<Read<_>>().map(Value::Record)
    }

    fn sum(&self, cases: &[(Name, Vec<ValueType>)]) -> Read<Value> {
        let Form::Sum(name, args) = &self.form else {
            return self.error(format!("a constructor is expected, but here is {}", self.kind()));
        };
        let Some((_, types)) = cases.iter().find(|(n, _)| n == name) else {
            return self.error(format!("there is no constructor #{name} in {}", ValueType::Sum(cases.to_vec())));
        };
        if args.len() != types.len() {
            return self.error(format!("#{name} carries {} values, but here are {}", types.len(), args.len()));
        }
        let args = args.iter().zip(types).map(|(v, t)| v.to_value(Some(t))).collect::<Read<_>>()?;
        Ok(Value::Sum(*name, args))
    }
}

/// Collects the rows of nested brackets: their lengths per level, each with its line, and all elements.
struct Builder<'a> {
    dims: &'a [Dim],
    prim: Prim,
    lengths: Vec<Vec<(i64, usize)>>,
    data: PrimVec,
}

impl Builder<'_> {
    fn add(&mut self, part: &Parsed, level: usize) -> Read<()> {
        if level == self.dims.len() {
            self.data.push(part.scalar(self.prim)?);
            return Ok(());
        }
        match &part.form {
            Form::List(items) => {
                self.lengths[level].push((items.len() as i64, part.line));
                items.iter().try_for_each(|item| self.add(item, level + 1))
            }
            Form::Empty(extents, elem) if *elem == self.prim && extents.len() == self.dims.len() - level => {
                self.add_empty(extents, level, part)
            }
            _ => {
                let expected = ValueType::Array(self.dims[level..].to_vec(), self.prim);
                part.error(format!("a value of type {expected} is expected, but here is {}", part.kind()))
            }
        }
    }

    /// An `empty(...)` inside brackets: a row that is empty itself.
    fn add_empty(&mut self, extents: &[Option<i64>], level: usize, part: &Parsed) -> Read<()> {
        match extents[0] {
            None | Some(0) => {
                self.lengths[level].push((0, part.line));
                Ok(())
            }
            Some(_) => part.error("inside brackets only empty([0]...) can stand for a row; write the rows as []"),
        }
    }
}

fn differing(lengths: &[(i64, usize)]) -> FormatError {
    let first = lengths.first().copied().unwrap_or_default();
    let other = lengths.iter().copied().find(|(n, _)| *n != first.0).unwrap_or(first);
    FormatError::line(
        other.1,
        format!(
            "rows must all have the same length here, but the row on line {} has {} elements and this one has {}",
            first.1, first.0, other.0
        ),
    )
}

/// A number at a type, or why it is not one of that type.
fn number_at(number: Number, prim: Prim) -> Result<Scalar, String> {
    match number {
        Number::Int { suffix: Some(p), .. } | Number::Float { suffix: Some(p), .. } if p != prim => {
            Err(format!("a number of type {prim} is expected, but this one is of type {p}"))
        }
        Number::Int { negative, magnitude, hex, suffix } => {
            let value = if negative { -(magnitude as i128) } else { magnitude as i128 };
            let fits = prim.holds_int(value) || hex && !negative && value >> prim.bits() == 0;
            if prim.is_float() && negative && magnitude == 0 {
                Ok(convert(Scalar::F64(-0.0), prim))
            } else if prim.is_float() || fits || suffix.is_some() {
                Ok(Scalar::from_i128(prim, value))
            } else {
                Err(format!("{value} does not fit {prim}"))
            }
        }
        Number::Float { single, .. } if prim == Prim::F32 => Ok(Scalar::F32(single)),
        Number::Float { double, .. } if prim.is_float() => Ok(convert(Scalar::F64(double), prim)),
        // Whole numbers too long for any integer are read as floats.
        Number::Float { double, .. } if double.is_finite() && double.abs() >= 2f64.powi(64) => {
            Err(format!("this number does not fit {prim}"))
        }
        Number::Float { double, .. } => {
            let word = if double.is_nan() { "nan".into() } else { format!("{double:?}") };
            Err(format!("a number of type {prim} is expected, but {word} is not an integer"))
        }
    }
}
