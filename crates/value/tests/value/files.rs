//! Binary and `.npy` files byte by byte, mixed streams, and files that lie.

use scalar::{Prim, f16};
use value::*;

fn bytes_of(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    binary::write(value, &mut out).unwrap();
    out
}

fn jagged() -> Value {
    text::parse_one("[[1u8],[2,3],[]]", None).unwrap()
}

#[test]
fn binary_layout() {
    assert_eq!(bytes_of(&Value::from(-2i32)), b"b\x02\x00 i32\xfe\xff\xff\xff");
    assert_eq!(bytes_of(&Value::from(true)), b"b\x02\x00bool\x01");
    let array = Array::regular(&[1, 2], vec![1u8, 2]).unwrap();
    assert_eq!(bytes_of(&array.into()), b"b\x02\x02  u8\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x01\x02");
    let offsets = b"\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0";
    let expected = [&b"bJ\x02  u8\0\x03\0\0\0\0\0\0\0\x01"[..], offsets, b"\x01\x02\x03"].concat();
    assert_eq!(bytes_of(&jagged()), expected);
    assert!(binary::write(&Value::Tuple(vec![]), &mut Vec::new()).is_err());
}

#[test]
fn text_and_binary_mixed() {
    let input = [&b"1 -- one\n"[..], &bytes_of(&jagged()), b"\n\xff"].concat();
    let mut values = Values::new(&input);
    assert_eq!(values.next_value(None).unwrap().unwrap().to_string(), "1i32");
    assert_eq!(values.next_value(None).unwrap().unwrap().to_string(), "[[1u8], [2u8, 3u8], []]");
    let error = values.next_value(None).unwrap().unwrap_err();
    assert_eq!(error.at, Place::Byte(input.len() - 1));
    assert!(values.next_value(None).is_none());
}

#[test]
fn binary_values_are_fitted() {
    let input = bytes_of(&Value::from(Array::regular(&[2, 1], vec![1i64, 2]).unwrap()));
    let expected = ValueType::Array(vec![Dim::Regular, Dim::Jagged], Prim::I64);
    assert!(Values::new(&input).next_value(Some(&expected)).unwrap().unwrap().is_jagged());
    let wrong = ValueType::Scalar(Prim::F64);
    let error = Values::new(&input).next_value(Some(&wrong)).unwrap().unwrap_err();
    assert!(error.message.contains("f64") && error.message.contains("[][]i64"), "{error}");
    let back = jagged().fit(&ValueType::Array(vec![Dim::Regular; 2], Prim::U8)).unwrap_err();
    assert!(back.contains("row 0 has 1 elements and row 1 has 2"), "{back}");
}

#[test]
fn streams_count_lines() {
    let newer = Values::new(b"b\x07\x00 i32").next_value(None).unwrap().unwrap_err();
    assert_eq!((newer.at, newer.message.contains("version 7")), (Place::Byte(1), true));
    let mut values = Values::new(b"1\n2\n\nx");
    let error = (0..3).map(|_| values.next_value(None).unwrap()).last().unwrap().unwrap_err();
    assert_eq!(error.at, Place::Line(4));
}

#[test]
fn binary_files_that_lie() {
    let huge = [&b"b\x02\x02 f64"[..], &[0xff; 7], &[0x7f], &2u64.to_le_bytes()].concat();
    let refused = |bytes: &[u8]| binary::read(bytes).unwrap_err().to_string();
    assert!(refused(&huge).contains("too many"), "{}", refused(&huge));
    let long = [&b"b\x02\x01 f64"[..], &(1u64 << 40).to_le_bytes()].concat();
    assert!(refused(&long).contains("only 0 are left"), "{}", refused(&long));
    assert!(refused(b"b\x09\x00 i32").contains("version 9"));
    assert!(refused(b"b\x02\x00 i33\0\0\0\0").starts_with("byte 3:"));
    assert!(refused(b"b\x02\x00 i3").contains("the type"));
    assert!(refused(b"").contains("only 0"));
    let mut bad = bytes_of(&jagged());
    bad[17 + 8] = 9;
    assert!(refused(&bad).contains("follows offset"), "{}", refused(&bad));
    let rows = [&b"bJ\x03 i32\0\x01\0\0\0\0\0\0\0\x01"[..], &[0; 8], &(1u64 << 40).to_le_bytes(), &[0; 9]].concat();
    assert!(refused(&rows).contains("more than this file can hold"), "{}", refused(&rows));
}

fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

#[test]
fn npy_files() {
    let value =
        npy::read(&npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}\n", &[0, 1, 1, 0]), None).unwrap();
    assert_eq!(value.to_string(), "[1i16, 256i16]");
    let data: Vec<u8> = (1..=6).collect();
    let value = npy::read(&npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", &data), None).unwrap();
    assert_eq!(value.to_string(), "[[1u8, 3u8, 5u8], [2u8, 4u8, 6u8]]");
    let value = npy::read(&npy("{'descr': '<f2', 'fortran_order': False, 'shape': ()}", &[0, 0x3c]), None).unwrap();
    assert_eq!(value.as_scalar(), Some(f16::ONE.into()));
    let header = b"{\"descr\":'|b1','fortran_order':False,'shape':(1,),} ";
    let version3 = [&b"\x93NUMPY\x03\x00"[..], &(header.len() as u32).to_le_bytes(), header, b"\x01"].concat();
    assert_eq!(npy::read(&version3, None).unwrap().to_string(), "[true]");
}

#[test]
fn npy_writes_what_numpy_writes() {
    let bytes = npy::write(&Array::regular(&[3], vec![1f64, 2.0, 3.0]).unwrap().into(), None).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }  "));
    assert_eq!(bytes.len(), 128 + 24);
    assert_eq!(bytes[127], b'\n');
    assert!(npy::write(&jagged(), None).unwrap_err().contains("jagged"));
    assert!(npy::write(&Value::Tuple(vec![]), None).is_err());
}

#[test]
fn npy_files_that_lie() {
    let refused = |header: &str, data: &[u8]| npy::read(&npy(header, data), None).unwrap_err().to_string();
    let shaped = |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
    assert!(refused(&shaped("(9223372036854775807, 4)"), b"").contains("too large"));
    assert!(refused(&shaped("(99999999999999999999,)"), b"").contains("tuple of extents"));
    assert!(refused(&shaped("(1000000000000,)"), b"").contains("only 0 are left"));
    assert!(refused(&shaped("(1,)"), &[0; 9]).contains("9 follow"));
    assert!(refused(&shaped("[1]"), b"").contains("'('"));
    assert!(refused("{'descr': '<c32', 'fortran_order': False, 'shape': ()}", b"").contains("c32"));
    assert!(refused("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': ()}", b"").contains("records"));
    assert!(refused("{'descr': '<f8'}", b"").contains("fortran_order"));
    assert!(npy::read(b"\x93NUMPY\x07\x00", None).unwrap_err().to_string().contains("version 7"));
    assert!(npy::read(b"\x93NUMPY\x01\x00\xff", None).unwrap_err().to_string().contains("ends in its header"));
    assert!(npy::read(b"PK", None).unwrap_err().to_string().contains("not an .npy file"));
}

#[test]
fn npz_members() {
    let value = |text: &str| text::parse_one(text, None).unwrap();
    for text in
        ["3.5", "[1, 2, 3]", "[[1, 2], [3, 4]]", "[[1u8], [2, 3], []]", "[[[1], []], [], [[2, 3]]]", "empty([3][~]i64)"]
    {
        let bytes = npz::write(&value(text), None).unwrap();
        assert!(npz::is_npz(&bytes));
        assert_eq!(npz::read(&bytes, None).unwrap().to_string(), value(text).to_string());
    }
    // A jagged dimension between regular ones needs the member `shape`, and keeps what is regular.
    let dims = vec![DimDesc::Regular(2), DimDesc::Regular(1), DimDesc::jagged([2, 1]), DimDesc::Regular(2)];
    let array = Value::from(Array::new(dims, vec![1i16, 2, 3, 4, 5, 6]).unwrap());
    let back = npz::read(&npz::write(&array, None).unwrap(), None).unwrap();
    assert_eq!(back.to_string(), "[[[[1i16, 2i16], [3i16, 4i16]]], [[[5i16, 6i16]]]]");
    assert_eq!(back.type_of(), array.type_of());
}

#[test]
fn npz_files_that_lie() {
    let refused = |bytes: &[u8]| npz::read(bytes, None).unwrap_err().to_string();
    let good = npz::write(&jagged(), None).unwrap();
    assert!(refused(b"nothing").contains("not a zip archive"));
    assert!(refused(&good[..good.len() - 30]).contains("cut off"));
    let named = |from: &[u8], to: &[u8]| {
        let mut bytes = good.clone();
        for at in 0..bytes.len() - from.len() {
            if bytes[at..].starts_with(from) {
                bytes[at..at + from.len()].copy_from_slice(to);
            }
        }
        bytes
    };
    assert!(refused(&named(b"offsets1", b"offsets0")).contains("member `offsets0`: the outermost"));
    assert!(refused(&named(b"offsets1", b"offsets2")).contains("dimension 0 has neither"));
    assert!(refused(&named(b"offsets1", b"lengths1")).contains("member `lengths1`: this name"));
    assert!(refused(&named(b"data.npy", b"shape.np")).contains("member `shape.np`: this name"));
    assert!(refused(&named(b"<i8", b"<f8")).contains("is damaged"));
}
