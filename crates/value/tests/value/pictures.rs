//! Pictures, complex numbers, bytes and named members.

use scalar::Prim;
use value::*;

fn grey() -> ValueType {
    ValueType::regular(2, Prim::U8)
}

fn colour() -> ValueType {
    ValueType::regular(3, Prim::U8)
}

fn array(shape: &[i64], data: impl Into<PrimVec>) -> Value {
    Array::regular(shape, data).unwrap().into()
}

#[test]
fn pictures_come_back() {
    let shades = array(&[2, 3], vec![0u8, 1, 127, 128, 254, 255]);
    let colours = array(&[1, 2, 3], vec![255u8, 0, 0, 1, 2, 3]);
    let deep = array(&[1, 2], vec![0u16, 65535]);
    for (value, format, ty) in [
        (&shades, Format::Pgm, grey()),
        (&shades, Format::Png, grey()),
        (&colours, Format::Ppm, colour()),
        (&colours, Format::Png, colour()),
        (&deep, Format::Pgm, ValueType::regular(2, Prim::U16)),
        (&deep, Format::Png, ValueType::regular(2, Prim::U16)),
    ] {
        let file = format.write(value, None).unwrap();
        assert_eq!(Format::detect(&file), Some(format));
        assert_eq!(format.read(&file, Some(&ty)).unwrap().to_string(), value.to_string());
    }
    let file = Format::Pgm.write(&shades, None).unwrap();
    assert!(file.starts_with(b"P5\n3 2\n255\n"));
    assert_eq!(Format::Pgm.read(&file, Some(&colour())).unwrap().type_of(), colour());
    let lit = array(&[1, 2], vec![true, false]);
    assert_eq!(Format::Pgm.write(&lit, None).unwrap(), b"P5\n2 1\n255\n\xff\x00");
    // Sixteen bits shrink to eight where those are expected.
    let file = Format::Png.write(&deep, None).unwrap();
    assert_eq!(Format::Png.read(&file, Some(&grey())).unwrap().to_string(), "[[0u8, 255u8]]");
    // Transparency is left out.
    let clear = Format::Png.write(&array(&[1, 1, 4], vec![1u8, 2, 3, 4]), None).unwrap();
    assert_eq!(Format::Png.read(&clear, Some(&colour())).unwrap().to_string(), "[[[1u8, 2u8, 3u8]]]");
}

#[test]
fn portable_maps_as_people_write_them() {
    let text = b"P2 # made by hand\n# two rows\n2 2 # and columns\n15\n0 15\n5 10\n";
    assert_eq!(picture::read(text, Some(&grey())).unwrap().to_string(), "[[0u8, 255u8], [85u8, 170u8]]");
    let colours = b"P3\n1 1\n255\n1 2 3\n";
    assert_eq!(picture::read(colours, Some(&colour())).unwrap().to_string(), "[[[1u8, 2u8, 3u8]]]");
    let refused = |bytes: &[u8], ty: ValueType| picture::read(bytes, Some(&ty)).unwrap_err().to_string();
    assert_eq!(refused(b"P5\n2 2\n255\nabc", grey()), "byte 14: the samples take 4 bytes, but only 3 are left");
    assert_eq!(refused(b"P5\n2 x\n", grey()), "byte 5: the height is expected here");
    assert_eq!(refused(b"P5\n2 2\n0\n", grey()), "byte 6: the number for white must be from 1 to 65535, not 0");
    assert_eq!(refused(b"P2\n1 1\n9\n10\n", grey()), "byte 9: this sample is 10, but white is 9");
    assert!(refused(b"P5\n99999999999 99999999999\n255\n", grey()).contains("are too many"));
    assert!(refused(b"P2\n99999999 99999999\n255\n1", grey()).contains("a sample is expected here"));
    assert!(refused(colours, grey()).contains("this picture is in colour: the entry point must take [h][w][3]u8"));
    assert!(refused(b"GIF89a", grey()).contains("this is not a picture"));
    assert!(refused(b"\x89PNG\r\n\x1a\nabc", grey()).contains("this .png file cannot be read"));
}

#[test]
fn what_is_no_picture() {
    let refused = |value: &Value, format: Format| format.write(value, None).unwrap_err();
    assert!(
        refused(&array(&[1, 1], vec![1i64]), Format::Png).contains("not [][]i64: convert it, as in `map (map u8.i64)")
    );
    assert!(refused(&array(&[1, 1, 2], vec![1u8, 2]), Format::Png).contains("3 samples for each point, not 2"));
    assert!(refused(&array(&[0, 3], Vec::<u8>::new()), Format::Png).contains("it is empty"));
    assert!(refused(&array(&[1, 1, 3], vec![1u8, 2, 3]), Format::Pgm).contains(".ppm or .png"));
    assert!(refused(&array(&[1, 1], vec![1u8]), Format::Ppm).contains(".pgm or .png"));
}

#[test]
fn complex_numbers() {
    let scalar = ValueType::Scalar(Prim::F32);
    let number = ValueType::Record(vec![("im".into(), scalar.clone()), ("re".into(), scalar.clone())]);
    let matrix = ValueType::List(Box::new(ValueType::List(Box::new(number.clone()))));
    let text = "[[{im = 1f32, re = 2f32}, {im = 3f32, re = 4f32}], [{im = 5f32, re = 6f32}, {im = 7f32, re = 8f32}]]";
    let value = text::parse_one(text, Some(&matrix)).unwrap();
    let file = npy::write(&value, Some(&matrix)).unwrap();
    assert!(String::from_utf8_lossy(&file).contains("'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)"));
    assert_eq!(npy::read(&file, Some(&matrix)).unwrap().to_string(), value.to_string());
    let pairs = ValueType::List(Box::new(ValueType::List(Box::new(ValueType::Tuple(vec![scalar.clone(); 2])))));
    let read = npy::read(&file, Some(&pairs)).unwrap().to_string();
    assert!(read.starts_with("[[(2.0f32, 1.0f32), (4.0f32, 3.0f32)], "), "{read}");
    // The same numbers, first subscript fastest.
    let turned = String::from_utf8_lossy(&file[..128]).replace("False", "True ").replace('\u{fffd}', "");
    let data = &file[128..];
    let turned = [&[0x93][..], turned.as_bytes(), &data[..8], &data[16..24], &data[8..16], &data[24..]].concat();
    assert_eq!(npy::read(&turned, Some(&matrix)).unwrap().to_string(), value.to_string());
    let refused = npy::read(&file, Some(&ValueType::regular(2, Prim::F32))).unwrap_err().to_string();
    assert!(
        refused.contains("this file holds complex numbers, which are pairs or records {re, im} of f32"),
        "{refused}"
    );
    let one = text::parse_one("{im = 1f32, re = 2f32}", Some(&number)).unwrap();
    assert_eq!(npy::read(&npy::write(&one, None).unwrap(), Some(&number)).unwrap().to_string(), one.to_string());
    let none = Value::List(vec![]);
    let empty = ValueType::List(Box::new(number));
    assert_eq!(npy::read(&npy::write(&none, Some(&empty)).unwrap(), Some(&empty)).unwrap().to_string(), "[]");
}

#[test]
fn named_members() {
    let text = "{a = [1, 2], b = (3.5, [[1u8], [], [2, 3]]), c = [{x = 1, y = [1.5]}, {x = 2, y = [2.5, 3.5]}]}";
    let value = text::parse_one(text, None).unwrap();
    let ty = value.type_of();
    let file = npz::write(&value, Some(&ty)).unwrap();
    let read = |name: &str, ty: Option<&ValueType>| npz::read_member(&file, name, ty).map(|value| value.to_string());
    assert_eq!(npz::read(&file, Some(&ty)).unwrap().to_string(), value.to_string());
    assert_eq!(read("a", None).unwrap(), "[1i32, 2i32]");
    assert_eq!(read("b.1", None).unwrap(), "[[1u8], [], [2u8, 3u8]]");
    assert_eq!(read("c.y", None).unwrap(), "[[1.5f64], [2.5f64, 3.5f64]]");
    let message = read("d", None).unwrap_err().to_string();
    assert!(message.contains("there is no member `d`; the members are `a`, `b.0`, `b.1.offsets1`"), "{message}");
    let message = npz::read(&file, Some(&ValueType::regular(1, Prim::I32))).unwrap_err().to_string();
    assert!(message.contains("to read this member alone write @FILE.npz:a"), "{message}");
    let sum = text::parse_one("#none", None).unwrap();
    assert!(npz::write(&sum, None).unwrap_err().contains("write it as text or .json"));
}

#[test]
fn bytes_are_bytes() {
    let vector = ValueType::regular(1, Prim::U8);
    let value = Format::Bytes.read(b"a\0\xff", Some(&vector)).unwrap();
    assert_eq!(value.to_string(), "[97u8, 0u8, 255u8]");
    assert_eq!(Format::Bytes.write(&value, None).unwrap(), b"a\0\xff");
    assert!(bytes::write(&array(&[1], vec![1i64])).unwrap_err().contains("only []u8"));
    assert_eq!(bytes::as_text(&value).unwrap(), b"a\0\xff");
    let lines =
        text::parse_one("[\"ab\", \"\", \"c\"]", Some(&ValueType::Array(vec![Dim::Regular, Dim::Jagged], Prim::U8)))
            .unwrap();
    assert_eq!(bytes::as_text(&lines).unwrap(), b"ab\n\nc");
    assert!(bytes::as_text(&array(&[1], vec![1i64])).is_none());
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(Format::named(format.name()), Some(format));
    }
    assert_eq!(Format::of_ending("PNG"), Some(Format::Png));
    assert_eq!(Format::of_ending("bytes"), None);
    assert!(Format::endings().starts_with(".txt, .bin, .npy, .npz, .csv"));
}
