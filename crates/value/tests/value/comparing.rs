//! Comparing results with what is expected.

use value::*;

fn against(actual: &str, expected: &str) -> Result<(), String> {
    let read = |text| text::parse_one(text, None).unwrap();
    compare(&read(actual), &read(expected), &Tolerance::default())
}

#[test]
fn equal_enough() {
    for (actual, expected) in [
        ("1", "1"),
        ("1.0000001", "1.0"),
        ("1.00001f32", "1f32"),
        ("1.005f16", "1f16"),
        ("f64.nan", "f64.nan"),
        ("-f64.inf", "-f64.inf"),
        ("[0.0001, 1000.0]", "[0.0, 1000.0]"),
        ("[[1],[2,3]]", "[[1],[2,3]]"),
        ("empty([0][3]i32)", "empty([0][3]i32)"),
        ("(1, {x = 2.0})", "(1, {x = 2.0})"),
        ("#a [1]", "#a [1]"),
        ("0.0", "-0.0"),
    ] {
        assert_eq!(against(actual, expected), Ok(()), "{actual} {expected}");
    }
}

#[test]
fn differences_are_named() {
    for (actual, expected, message) in [
        ("1", "2", "got 1i32, expected 2i32"),
        ("1.00001", "1.0", "got 1.00001f64, expected 1.0f64"),
        ("f64.nan", "1.0", "got f64.nan, expected 1.0f64"),
        ("f64.inf", "1e308", "got f64.inf, expected 1e308f64"),
        ("1", "1i64", "got a value of type i32, expected i64"),
        ("[1, 2, 3]", "[1, 5, 4]", "at [1]: got 2i32, expected 5i32"),
        ("[[1],[2,3]]", "[[1],[2,4]]", "at [1, 1]: got 3i32, expected 4i32"),
        ("[1, 2]", "[1, 2, 3]", "got shape [2], expected [3]: 2 elements, not 3"),
        ("[[1],[2,3]]", "[[1],[2]]", "got shape [2][~], expected [2][1]: row 1 of dimension 1 has 2 elements, not 1"),
        ("[1]", "[[1]]", "got a value of type []i32, expected [][]i32"),
        ("(1, {x = [true]})", "(1, {x = [false]})", "at .1.x[0]: got true, expected false"),
        ("[(1, 2)]", "[(1, 3)]", "at [0].1: got 2i32, expected 3i32"),
        ("(1, 2)", "(1, 2, 3)", "got 2 components, expected 3"),
        ("#a 1", "#b 1", "got #a 1i32, expected #b 1i32"),
    ] {
        assert_eq!(against(actual, expected), Err(message.to_string()));
    }
}

#[test]
fn a_regular_array_may_equal_a_jagged_one() {
    let regular = text::parse_one("[[1],[2]]", None).unwrap();
    let ty = ValueType::Array(vec![Dim::Regular, Dim::Jagged], scalar::Prim::I32);
    let jagged = regular.clone().fit(&ty).unwrap();
    assert_eq!(compare(&jagged, &regular, &Tolerance::default()), Ok(()));
    assert_eq!(compare(&regular, &jagged, &Tolerance::default()), Ok(()));
    let loose = Tolerance::uniform(0.5);
    assert_eq!(compare(&1.4f64.into(), &1.0f64.into(), &loose), Ok(()));
}
