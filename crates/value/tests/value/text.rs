//! The text format: what is read as what, and what is refused.

use scalar::Prim;
use value::*;

fn read(text: &str) -> String {
    match text::parse_one(text, None) {
        Ok(value) => value.to_string(),
        Err(error) => panic!("{text}: {error}"),
    }
}

fn read_as(text: &str, expected: &ValueType) -> String {
    match text::parse_one(text, Some(expected)) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

fn refused(text: &str) -> String {
    text::parse_all(text).expect_err(text).to_string()
}

fn array(dims: &[Dim], prim: Prim) -> ValueType {
    ValueType::Array(dims.to_vec(), prim)
}

#[test]
fn scalars() {
    for (text, printed) in [
        ("3", "3i32"),
        ("-3", "-3i32"),
        ("1_000i64", "1000i64"),
        ("0xff", "255i32"),
        ("0xFFu8", "255u8"),
        ("0b101i8", "5i8"),
        ("0b11111111i8", "-1i8"),
        ("128i8", "-128i8"),
        ("-1u32", "4294967295u32"),
        ("0x8000000000000000u64", "9223372036854775808u64"),
        ("18446744073709551615i64", "-1i64"),
        ("1.5", "1.5f64"),
        ("-0.0", "-0.0f64"),
        ("1.5e3f32", "1500.0f32"),
        ("1e-3", "0.001f64"),
        ("3f16", "3.0f16"),
        ("-0f32", "-0.0f32"),
        ("0x1.8p3", "12.0f64"),
        ("-0x1.8p-1f32", "-0.75f32"),
        ("0x1p10", "1024.0f64"),
        ("0X_f.fP+0f16", "15.94f16"),
        ("0x0.0000000000000000000000000000000000001p148", "1.0f64"),
        ("0x1.fffffffffffffp1023", "1.7976931348623157e308f64"),
        ("0x0.0000000000001p-1022", "5e-324f64"),
        ("0x1p99999999999999999999", "f64.inf"),
        ("0x1p-99999999999999999999", "0.0f64"),
        ("f32.nan", "f32.nan"),
        ("-f64.inf", "-f64.inf"),
        ("f16.inf", "f16.inf"),
        ("true", "true"),
        ("false -- with a comment", "false"),
        ("-- before\n 7", "7i32"),
        ("()", "()"),
        ("(1)", "1i32"),
    ] {
        assert_eq!(read(text), printed, "{text}");
    }
}

#[test]
fn arrays() {
    for (text, printed) in [
        ("[1, 2, 3]", "[1i32, 2i32, 3i32]"),
        ("[1 2, 3]", "[1i32, 2i32, 3i32]"),
        ("[0xd4u8,0x1d]", "[212u8, 29u8]"),
        ("[1, 2.5]", "[1.0f64, 2.5f64]"),
        ("[1, 2u8]", "[1u8, 2u8]"),
        ("[[1,2],[3,4]]", "[[1i32, 2i32], [3i32, 4i32]]"),
        ("[[1],[2,3],[]]", "[[1i32], [2i32, 3i32], []]"),
        ("empty([0]i32)", "empty([0]i32)"),
        ("empty([2][0]f32)", "empty([2][0]f32)"),
        ("empty([3][~]i64)", "empty([3][~]i64)"),
        ("[true]", "[true]"),
        ("\"ab\\n\"", "[97u8, 98u8, 10u8]"),
        ("\"\"", "empty([0]u8)"),
        ("[\"ab\", \"c\"]", "[[97u8, 98u8], [99u8]]"),
        ("[(1, 2.0), (3, 4.0)]", "[(1i32, 2.0f64), (3i32, 4.0f64)]"),
        ("[{x=1}]", "[{x = 1i32}]"),
        ("{x = 1, y' = [2]}", "{x = 1i32, y' = [2i32]}"),
        ("#foo", "#foo"),
        ("#foo 1 (#bar 2) #baz", "#foo 1i32 (#bar 2i32) #baz"),
        ("[#a 1, #b]", "[#a 1i32, #b]"),
    ] {
        assert_eq!(read(text), printed, "{text}");
    }
    assert!(text::parse_one("[[1],[2,3]]", None).unwrap().is_jagged());
    assert!(!text::parse_one("[[1],[2]]", None).unwrap().is_jagged());
}

#[test]
fn many_values() {
    let values = text::parse_all("1 [2]\n#c 3\n#d (4, 5)\n6").unwrap();
    let printed: Vec<_> = values.iter().map(Value::to_string).collect();
    assert_eq!(printed, ["1i32", "[2i32]", "#c 3i32", "#d (4i32, 5i32)", "6i32"]);
}

#[test]
fn expected_types_decide() {
    use Dim::*;
    assert_eq!(read_as("3", &ValueType::Scalar(Prim::F64)), "3.0f64");
    assert_eq!(read_as("3", &ValueType::Scalar(Prim::I64)), "3i64");
    assert_eq!(read_as("0.1", &ValueType::Scalar(Prim::F32)), "0.1f32");
    assert_eq!(read_as("[]", &array(&[Regular], Prim::I64)), "empty([0]i64)");
    assert_eq!(read_as("[[],[]]", &array(&[Regular, Jagged], Prim::I64)), "empty([2][~]i64)");
    assert_eq!(read_as("[[],[]]", &array(&[Regular, Any], Prim::I64)), "empty([2][0]i64)");
    assert_eq!(read_as("[]", &array(&[Regular, Jagged], Prim::I64)), "empty([0][~]i64)");
    assert_eq!(read_as("empty([3][~]i64)", &array(&[Regular, Regular], Prim::I64)), "empty([3][0]i64)");
    assert_eq!(read_as("[[1],[2]]", &ValueType::AnyRank(Prim::U8)), "[[1u8], [2u8]]");
    assert_eq!(read_as("5", &ValueType::AnyRank(Prim::U8)), "5u8");
    let jagged = text::parse_one("[[1],[2]]", Some(&array(&[Regular, Jagged], Prim::I64))).unwrap();
    assert!(jagged.is_jagged());
}

#[test]
fn expected_compound_types_decide() {
    let scalar = ValueType::Scalar;
    let record = ValueType::Record(vec![("y".into(), scalar(Prim::F32)), ("x".into(), scalar(Prim::U8))]);
    assert_eq!(read_as("{x = 1, y = 2}", &record), "{y = 2.0f32, x = 1u8}");
    assert!(read_as("{x = 1}", &record).contains("field y is missing"));
    assert!(read_as("{x = 1, y = 2, z = 3}", &record).contains("no field z"));
    let list = ValueType::List(Box::new(ValueType::Tuple(vec![scalar(Prim::I64); 2])));
    assert_eq!(read_as("[(1, 2)]", &list), "[(1i64, 2i64)]");
    assert_eq!(read_as("[]", &list), "[]");
    let sum = ValueType::Sum(vec![("a".into(), vec![]), ("b".into(), vec![scalar(Prim::F64)])]);
    assert_eq!(read_as("#b 1", &sum), "#b 1.0f64");
    assert!(read_as("#a 1", &sum).contains("carries 0 values"));
    assert!(read_as("#c", &sum).contains("no constructor #c"));
}

#[test]
fn rows_left_empty_between_others_need_brackets() {
    use Dim::*;
    let deep = array(&[Regular, Jagged, Jagged], Prim::I8);
    assert_eq!(read_as("[[[],[]],[[]]]", &deep), "[[[], []], [[]]]");
    assert_eq!(read_as("[[],[]]", &deep), "empty([2][~][~]i8)");
}

#[test]
fn errors_name_the_line_and_the_lengths() {
    use Dim::*;
    let error = read_as("[[1,2],\n [3,4],\n [5]]", &array(&[Regular, Regular], Prim::I32));
    assert!(error.starts_with("error: line 3:"), "{error}");
    assert!(error.contains("line 1 has 2 elements and this one has 1"), "{error}");
    assert!(read_as("300", &ValueType::Scalar(Prim::U8)).contains("300 does not fit u8"));
    assert!(read_as("3i32", &ValueType::Scalar(Prim::I64)).contains("is of type i32"));
    assert!(read_as("1.5", &ValueType::Scalar(Prim::I64)).contains("not an integer"));
    assert!(read_as("99999999999999999999", &ValueType::Scalar(Prim::I64)).contains("does not fit i64"));
    assert!(read_as("-99999999999999999999", &ValueType::Scalar(Prim::I64)).contains("does not fit i64"));
    assert!(read_as("[1]", &ValueType::Scalar(Prim::I64)).contains("an array"));
    assert!(read_as("[1, [2]]", &array(&[Regular], Prim::I32)).contains("an array"));
    assert!(read_as("[1]", &array(&[Regular, Regular], Prim::I32)).contains("a number"));
}

#[test]
fn malformed_text() {
    assert_eq!(refused("1\n\n[2,"), "line 3: the value ends too early");
    assert!(refused("(1 2)").contains("',' is expected"));
    assert!(refused("[]").contains("empty([0]i32)"));
    assert!(refused("12x").contains("12x is not a number"));
    assert!(refused("3000000000").contains("does not fit i32"));
    assert!(refused("empty([3]i32)").contains("dimension of 0"));
    assert!(refused("empty([9999999999999][~]i32)").contains("too many"));
    assert!(refused("empty([4611686018427387904][4][~]i32)").contains("too"));
    assert!(refused(&"[".repeat(100_000)).contains("nested deeper"));
    assert!(refused("\"abc").contains("closing quote"));
    assert!(refused("é").contains("'é'"));
}
