//! Values of all forms, taken apart and put together.

use super::*;
use crate::{Array, DimDesc, Value};
use base::Name;
use scalar::DimKind::{Jagged, Shape, Size};

fn show(components: &[Component]) -> String {
    let one = |c: &Component| match c {
        Component::Scalar(x) => format!("{x}"),
        Component::Numbers(n) => format!("{n:?}"),
        Component::Data(d) => format!("{}{:?}", d.prim(), d.iter().map(|x| x.to_f64()).collect::<Vec<_>>()),
    };
    components.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn round(value: Value, layout: &Layout, expected: &str) {
    let before = format!("{value:?}");
    let parts = split(value, layout).unwrap();
    assert_eq!(show(&parts), expected);
    assert_eq!(parts.len(), layout.components().len());
    assert_eq!(format!("{:?}", join(parts, layout).unwrap()), before);
}

fn array(dims: Vec<DimDesc>, data: Vec<i32>) -> Value {
    Value::Array(Array::new(dims, data).unwrap())
}

fn ints(kinds: &[scalar::DimKind]) -> Layout {
    Layout::Array(kinds.to_vec(), Box::new(Layout::Scalar(Prim::I32)))
}

#[test]
fn scalars_and_arrays() {
    round(Value::from(3i32), &Layout::Scalar(Prim::I32), "3i32");
    let regular = |shape: &[i64], n: i32| Value::Array(Array::regular(shape, (0..n).collect::<Vec<i32>>()).unwrap());
    round(regular(&[2, 2], 4), &ints(&[Size, Size]), "2i64 2i64 i32[0.0, 1.0, 2.0, 3.0]");
    round(regular(&[0, 7], 0), &ints(&[Size, Size]), "0i64 7i64 i32[]");
    round(Value::from(4i32), &ints(&[Shape]), "0i64 [] i32[4.0]");
    round(regular(&[2, 2], 4), &ints(&[Shape]), "2i64 [2, 2] i32[0.0, 1.0, 2.0, 3.0]");
    round(regular(&[2, 1, 2], 4), &ints(&[Shape, Size]), "2i64 [2, 1] 2i64 i32[0.0, 1.0, 2.0, 3.0]");
    let jagged = vec![DimDesc::Regular(3), DimDesc::jagged([1, 0, 2])];
    round(array(jagged, vec![5, 6, 7]), &ints(&[Size, Jagged]), "3i64 [0, 1, 1, 3] i32[5.0, 6.0, 7.0]");
}

#[test]
fn regular_rows_where_jagged_ones_are_expected() {
    let value = Value::Array(Array::regular(&[2, 2], vec![1i32, 2, 3, 4]).unwrap());
    let parts = split(value, &ints(&[Size, Jagged])).unwrap();
    assert_eq!(show(&parts), "2i64 [0, 2, 4] i32[1.0, 2.0, 3.0, 4.0]");
    let jagged = array(vec![DimDesc::Regular(2), DimDesc::jagged([1, 2])], vec![1, 2, 3]);
    assert!(split(jagged, &ints(&[Size, Size])).is_err());
}

#[test]
fn arrays_of_records() {
    let pair = Layout::Record(vec![(Name::new("0"), Layout::Scalar(Prim::I32)), (Name::new("1"), ints(&[Jagged]))]);
    let rows = [vec![1], vec![], vec![2, 3]].map(|row| {
        let tuple = vec![Value::from(row.len() as i32), array(vec![DimDesc::Regular(row.len() as i64)], row)];
        Value::Tuple(tuple)
    });
    let layout = Layout::Array(vec![Size], Box::new(pair));
    round(Value::List(rows.to_vec()), &layout, "3i64 i32[1.0, 0.0, 2.0] [0, 1, 1, 3] i32[1.0, 2.0, 3.0]");
    round(Value::List(Vec::new()), &layout, "0i64 i32[] [0] i32[]");
}

#[test]
fn sums() {
    let layout = Layout::Sum(vec![
        (Name::new("none"), vec![]),
        (Name::new("some"), vec![Layout::Scalar(Prim::F64), ints(&[Size])]),
    ]);
    let some = Value::Sum(Name::new("some"), vec![Value::from(1.5), array(vec![DimDesc::Regular(2)], vec![1, 2])]);
    let none = Value::Sum(Name::new("none"), vec![]);
    round(some.clone(), &layout, "1u8 1.5f64 2i64 i32[1.0, 2.0]");
    round(none.clone(), &layout, "0u8 0.0f64 0i64 i32[]");
    let inner = Layout::Sum(vec![
        (Name::new("none"), vec![]),
        (Name::new("some"), vec![Layout::Scalar(Prim::F64), ints(&[Jagged])]),
    ]);
    let layout = Layout::Array(vec![Size], Box::new(inner));
    round(
        Value::List(vec![none.clone(), some, none]),
        &layout,
        "3i64 u8[0.0, 1.0, 0.0] f64[0.0, 1.5, 0.0] [0, 0, 2, 2] i32[1.0, 2.0]",
    );
}

#[test]
fn what_does_not_fit() {
    assert!(split(Value::from(3i64), &Layout::Scalar(Prim::I32)).is_err());
    assert!(split(Value::Tuple(vec![]), &ints(&[Size])).is_err());
    assert!(join(vec![], &ints(&[Size])).is_err());
    let size = Component::Scalar(Scalar::I64(2));
    let data = Component::Data(PrimVec::from(vec![1i32]));
    assert!(join(vec![size.clone(), data.clone()], &ints(&[Size])).is_err());
    assert!(join(vec![size, Component::Numbers(vec![0, 2, 1]), data], &ints(&[Size, Jagged])).is_err());
}
