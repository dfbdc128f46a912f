//! Random inputs: the same values on every run and every machine.

use scalar::{Prim, Scalar};
use value::{Array, PrimVec, Value, text};

/// The most elements that a random array may have; more is certainly a typing error.
const MOST_ELEMENTS: i64 = 1 << 30;

/// The values that a `random input` block asks for: types such as `[10][3]f32`, and constants.
pub fn values(block: &str) -> Result<Vec<Value>, String> {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    block.split_whitespace().map(|word| value(word, &mut numbers)).collect()
}

fn value(word: &str, numbers: &mut Numbers) -> Result<Value, String> {
    let (shape, elem) = split(word)?;
    match (Prim::from_name(elem), shape.is_empty()) {
        (Some(prim), true) => Ok(Value::Scalar(numbers.scalar(prim))),
        (Some(prim), false) => array(&shape, prim, numbers),
        (None, true) => text::parse_one(word, None).map_err(|e| format!("`{word}`: {}", e.message)),
        (None, false) => Err(format!("`{elem}` in `{word}` is no primitive type")),
    }
}

/// `[2][3]i32` as shape and type.
fn split(word: &str) -> Result<(Vec<i64>, &str), String> {
    let mut shape = Vec::new();
    let mut rest = word;
    while let Some(inner) = rest.strip_prefix('[') {
        let end = inner.find(']').ok_or_else(|| format!("`]` is missing in `{word}`"))?;
        let extent = inner[..end].trim_end_matches("i64").replace('_', "");
        shape.push(extent.parse().map_err(|_| format!("`{}` in `{word}` is no size", &inner[..end]))?);
        rest = &inner[end + 1..];
    }
    Ok((shape, rest))
}

fn array(shape: &[i64], prim: Prim, numbers: &mut Numbers) -> Result<Value, String> {
    let count =
        shape.iter().try_fold(1i64, |n, extent| n.checked_mul(*extent)).filter(|n| (0..=MOST_ELEMENTS).contains(n));
    let count = count.ok_or_else(|| format!("an array of shape {shape:?} is too large"))?;
    let mut data = PrimVec::with_capacity(prim, count as usize);
    (0..count).for_each(|_| data.push(numbers.scalar(prim)));
    Array::regular(shape, data).map(Value::Array).map_err(|e| e.to_string())
}

/// A generator: a counter and a mixing function (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Integers over their whole range, floats between 0 and 1.
    fn scalar(&mut self, prim: Prim) -> Scalar {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        match prim {
            Prim::Bool => Scalar::Bool(self.next() & 1 == 1),
            Prim::F16 => Scalar::F16(scalar::f16::from_f64(unit)),
            Prim::F32 => Scalar::F32(unit as f32),
            Prim::F64 => Scalar::F64(unit),
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => {
                Scalar::from_i128(prim, i128::from(self.next()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_constants() {
        let found = values("[2][3]f32 i64 [0]bool 7i32 2.5f64").unwrap();
        assert_eq!(found[0].as_array().unwrap().shape(), Some(vec![2, 3]));
        assert_eq!(found[1].prim(), Some(Prim::I64));
        assert_eq!(found[2].as_array().unwrap().shape(), Some(vec![0]));
        assert_eq!(found[3].to_string(), "7i32");
        assert_eq!(found[4].to_string(), "2.5f64");
        assert_eq!(values("[4]u8").unwrap()[0].to_string(), values("[4]u8").unwrap()[0].to_string());
    }

    #[test]
    fn nonsense_is_refused() {
        for block in ["[3]x", "[a]i32", "[3i32", "[99999999999]i8", "[-1]i8", "@@"] {
            assert!(values(block).is_err(), "{block}");
        }
    }
}
