//! CSV and JSON: what is read as what, what is written, and what the messages say.

use base::Name;
use scalar::Prim;
use value::*;

fn record(fields: &[(&str, ValueType)]) -> ValueType {
    ValueType::Record(fields.iter().map(|(name, ty)| (Name::new(name), ty.clone())).collect())
}

fn list(elem: ValueType) -> ValueType {
    ValueType::List(Box::new(elem))
}

fn vector(prim: Prim) -> ValueType {
    ValueType::regular(1, prim)
}

const I64: ValueType = ValueType::Scalar(Prim::I64);
const F64: ValueType = ValueType::Scalar(Prim::F64);

fn table(text: &str, ty: &ValueType) -> String {
    match csv::read(text.as_bytes(), None, Some(ty)) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn tables_of_numbers() {
    let matrix = ValueType::regular(2, Prim::F64);
    let both = "[[1.0f64, 2.5f64], [f64.nan, -f64.inf]]";
    for text in [
        "1,2.5\nnan,-inf\n",
        "a, b\r\n1, 2.5\r\nNaN, -Infinity\r\n",
        "\"x y\";\"z\"\n1;2.5\n\nnan;-inf",
        "1\t2.5\nnan\t-inf",
    ] {
        assert_eq!(table(text, &matrix), both, "{text}");
    }
    assert_eq!(table("1\n2\n", &vector(Prim::I32)), "[1i32, 2i32]");
    assert_eq!(table("n\n1\n2\n", &vector(Prim::U8)), "[1u8, 2u8]");
    assert_eq!(table("1,2,3\n", &vector(Prim::I64)), "[1i64, 2i64, 3i64]");
    assert_eq!(table("", &vector(Prim::I64)), "empty([0]i64)");
    assert_eq!(table("7\n", &I64), "7i64");
    assert_eq!(table("1,0\ntrue,False\n", &ValueType::regular(2, Prim::Bool)), "[[true, false], [true, false]]");
    let jagged = ValueType::Array(vec![Dim::Regular, Dim::Jagged], Prim::I64);
    assert_eq!(table("1,2\n\n3\n", &jagged), "[[1i64, 2i64], [], [3i64]]");
}

#[test]
fn tables_of_records_and_columns() {
    let person = record(&[("age", I64), ("name", vector(Prim::U8))]);
    let text = "name,height,age\n\"Lovelace, A.\",1.6,36\nGauss,1.7,77\n";
    let ages = table(text, &list(person.clone()));
    assert!(
        ages.starts_with("[{age = 36i64, name = [76u8, 111u8,") && ages.contains("{age = 77i64, name = ["),
        "{ages}"
    );
    assert_eq!(table("3,x\n", &list(person.clone())), "[{age = 3i64, name = [120u8]}]");
    let pairs = list(ValueType::Tuple(vec![I64, F64]));
    assert_eq!(table("a,b\n1,2\n3,4\n", &pairs), "[(1i64, 2.0f64), (3i64, 4.0f64)]");
    let columns = record(&[("x", vector(Prim::F64)), ("y", vector(Prim::I64))]);
    assert_eq!(table("y,x\n1,2\n3,4\n", &columns), "{x = [2.0f64, 4.0f64], y = [1i64, 3i64]}");
    let two = ValueType::Tuple(vec![vector(Prim::I64), vector(Prim::F64)]);
    assert_eq!(table("1,2\n3,4\n", &two), "([1i64, 3i64], [2.0f64, 4.0f64])");
}

#[test]
fn tables_that_do_not_fit() {
    let matrix = ValueType::regular(2, Prim::F64);
    for (text, said) in [
        ("1,2\n3,x\n", "line 2, column 2: x is not a number"),
        ("a,b\n1,2\n3\n", "line 3: this row has 1 cell, but 2 are expected"),
        ("1,\n", "line 1, column 2: this cell is empty; write nan for a number that is missing"),
        ("1,\"2", "line 1, column 2: this cell has no closing quote"),
        ("1,y\n2,3\n", "line 1, column 2: y is not a number"),
    ] {
        assert_eq!(table(text, &matrix), format!("error: {said}"));
    }
    assert!(table("1,2\n3,4", &vector(Prim::I64)).starts_with("error: line 1: a single column or row is expected"));
    assert_eq!(
        table("1.5\n", &vector(Prim::I64)),
        "error: line 1, column 1: a number of type i64 is expected, but 1.5 is not an integer"
    );
    let point = list(record(&[("x", F64), ("y", F64)]));
    assert_eq!(table("x,z\n1,2\n", &point), "error: line 1: there is no column `y`; the first row has x, z");
    assert!(table("1\n", &ValueType::regular(3, Prim::I64)).contains("a table has two dimensions"));
    let bad = csv::read(b"1,\xff", None, Some(&matrix)).unwrap_err().to_string();
    assert!(bad.starts_with("byte 2: a table is UTF-8 text"), "{bad}");
}

#[test]
fn tables_are_written_and_read_back() {
    let text = |s: &str| text::parse_one(s, None).unwrap();
    let person = list(record(&[("name", vector(Prim::U8)), ("age", ValueType::Scalar(Prim::I32))]));
    for (value, ty, file) in [
        (text("[[1.5, 2.0], [nan, -inf]]"), ValueType::regular(2, Prim::F64), "1.5,2.0\nnan,-inf\n"),
        (text("[1u8, 2]"), vector(Prim::U8), "1\n2\n"),
        (text("[{name = \"a, \\\"b\\\"\", age = 3}]"), person.clone(), "name,age\n\"a, \"\"b\"\"\",3\n"),
        (Value::List(vec![]), person, "name,age\n"),
        (
            text("[(1, 2.5), (3, 4.5)]"),
            list(ValueType::Tuple(vec![ValueType::Scalar(Prim::I32), F64])),
            "1,2.5\n3,4.5\n",
        ),
        (
            text("{x = [1i64, 2], y = [0.5, 1.5]}"),
            record(&[("x", vector(Prim::I64)), ("y", vector(Prim::F64))]),
            "x,y\n1,0.5\n2,1.5\n",
        ),
        (text("true"), ValueType::Scalar(Prim::Bool), "true\n"),
    ] {
        let written = csv::write(&value, ',', Some(&ty)).unwrap();
        assert_eq!(String::from_utf8_lossy(&written), file);
        assert_eq!(csv::read(&written, None, Some(&ty)).unwrap().to_string(), value.to_string());
    }
    assert!(csv::write(&text("#none"), ',', None).unwrap_err().contains("is no table"));
    assert!(csv::write(&text("[[[1]]]"), ',', None).unwrap_err().contains("is no table"));
}

#[test]
fn json_goes_both_ways() {
    let option = ValueType::Sum(vec![("none".into(), vec![]), ("some".into(), vec![F64])]);
    let point = record(&[("x", I64), ("y", option)]);
    let jagged = ValueType::Array(vec![Dim::Regular, Dim::Jagged], Prim::F32);
    for (ty, value, file) in [
        (I64, "9007199254740993i64", "9007199254740993\n"),
        (jagged, "[[1.5f32, f32.nan], [], [-f32.inf]]", "[[1.5, \"nan\"], [], [\"-inf\"]]\n"),
        (
            list(point.clone()),
            "[{x = 1i64, y = #none}, {x = 2i64, y = #some 0.5f64}]",
            "[{\"x\": 1, \"y\": \"none\"}, {\"x\": 2, \"y\": {\"some\": [0.5]}}]\n",
        ),
        (ValueType::Tuple(vec![ValueType::Scalar(Prim::Bool), F64]), "(true, 3.0f64)", "[true, 3.0]\n"),
        (vector(Prim::U64), "[18446744073709551615u64]", "[18446744073709551615]\n"),
    ] {
        let read = json::read(file.as_bytes(), Some(&ty)).unwrap();
        assert_eq!(read.to_string(), value);
        assert_eq!(String::from_utf8(json::write(&read).unwrap()).unwrap(), file);
    }
    assert_eq!(json::read(b"\"ab\"", Some(&vector(Prim::U8))).unwrap().to_string(), "[97u8, 98u8]");
    let refused = |text: &str, ty: &ValueType| json::read(text.as_bytes(), Some(ty)).unwrap_err().to_string();
    assert!(refused("[1,\n2", &vector(Prim::I64)).starts_with("line 2, column 1: this is not JSON: EOF"));
    assert!(refused("[1, true]", &vector(Prim::I64)).contains("at $[1]: a value of type i64 is expected"));
    assert!(refused("[{\"x\": 1.5, \"y\": \"none\"}]", &list(point.clone())).contains("at $[0].x: "));
    assert!(refused("[{\"x\": 1}]", &list(point.clone())).contains("at $[0]: the field y is missing"));
    assert!(refused("{\"x\": 1, \"y\": \"none\", \"z\": 0}", &point).contains("there is no field z"));
    assert!(refused("{\"x\": 1, \"y\": \"other\"}", &point).contains("at $.y: there is no constructor #other"));
    assert!(refused("300", &ValueType::Scalar(Prim::U8)).contains("300 does not fit u8"));
}
