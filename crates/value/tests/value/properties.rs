//! No reader panics on any bytes, and every writer's output reads back.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use scalar::{Prim, Scalar};
use value::*;

fn any_prim() -> impl Strategy<Value = Prim> {
    select(&Prim::ALL[..])
}

/// Dimensions drawn one after another: each jagged one needs a length per row above it.
fn any_array() -> impl Strategy<Value = Value> {
    let dims = vec((any::<bool>(), vec(0i64..4, 1..8)), 1..4);
    (dims, any_prim(), vec(any::<u64>(), 1..50)).prop_map(|(choices, prim, bits)| {
        let mut rows = 1usize;
        let mut dims = Vec::new();
        for (level, (jagged, lengths)) in choices.into_iter().enumerate() {
            if jagged && level > 0 {
                let lengths: Vec<i64> = lengths.iter().cycle().take(rows).copied().collect();
                rows = lengths.iter().sum::<i64>() as usize;
                dims.push(DimDesc::jagged(lengths));
            } else {
                rows *= lengths[0] as usize;
                dims.push(DimDesc::Regular(lengths[0]));
            }
        }
        let mut data = PrimVec::new(prim);
        bits.iter().cycle().take(rows).for_each(|b| data.push(Scalar::from_bits(prim, *b)));
        Array::new(dims, data).expect("a well-formed array").into()
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = (any_prim(), any::<u64>()).prop_map(|(p, b)| Value::Scalar(Scalar::from_bits(p, b)));
    prop_oneof![scalar, any_array()]
}

fn any_compound() -> impl Strategy<Value = Value> {
    let named = |(i, v): (usize, Value)| (format!("f{i}").as_str().into(), v);
    any_value().prop_recursive(3, 20, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Value::Tuple),
            vec(inner.clone(), 1..4).prop_map(move |v| Value::Record(v.into_iter().enumerate().map(named).collect())),
            vec(inner, 0..3).prop_map(|v| Value::Sum("c".into(), v)),
        ]
    })
}

/// The same text and type: bit for bit, except for the payload of NaNs.
fn same(a: &Value, b: &Value) -> bool {
    a.to_string() == b.to_string() && a.type_of() == b.type_of()
}

/// Pieces of values; random bytes alone would hardly get past the first token.
const PIECES: &[&str] = &[
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    "=",
    "~",
    "empty",
    "1",
    "-2i8",
    "0x",
    "1e9",
    "f32.nan",
    "true",
    "\"",
    "\\",
    "#a",
    "#",
    "--",
    "\n",
    " ",
    "i32",
    "99999999999999999999",
    "é",
    ".",
    "'",
    "P2 ",
    "P6\n",
    "a,b\n",
    "\"x\": ",
    "\t",
    ";",
    "nan",
    "[1, 2]",
    "empty([0][~]f16)",
];

fn nearly_text() -> impl Strategy<Value = String> {
    vec(select(PIECES), 0..30).prop_map(|pieces| pieces.concat())
}

/// Types of all kinds, for readers that are led by them.
fn expectations() -> Vec<Option<ValueType>> {
    let scalar = ValueType::Scalar;
    let pair = ValueType::Tuple(vec![scalar(Prim::F64); 2]);
    let record =
        ValueType::Record(vec![("x".into(), scalar(Prim::I32)), ("y".into(), ValueType::regular(1, Prim::U8))]);
    let sum = ValueType::Sum(vec![("a".into(), vec![]), ("b".into(), vec![scalar(Prim::I64)])]);
    let columns = ValueType::Tuple(vec![ValueType::regular(1, Prim::F32), ValueType::regular(1, Prim::Bool)]);
    let list = |elem: &ValueType| ValueType::List(Box::new(elem.clone()));
    vec![
        None,
        Some(scalar(Prim::F16)),
        Some(ValueType::regular(1, Prim::U8)),
        Some(ValueType::regular(2, Prim::U8)),
        Some(ValueType::regular(3, Prim::U16)),
        Some(ValueType::Array(vec![Dim::Regular, Dim::Jagged], Prim::I64)),
        Some(ValueType::AnyRank(Prim::F64)),
        Some(list(&pair)),
        Some(list(&list(&record))),
        Some(list(&record)),
        Some(record),
        Some(columns),
        Some(sum),
    ]
}

fn read_everything(bytes: &[u8]) {
    for expected in expectations() {
        for format in Format::ALL {
            if let Ok(value) = format.read(bytes, expected.as_ref()) {
                let _ = value.to_string();
            }
        }
    }
    let _ = npz::read_member(bytes, "x", None);
    let _ = npy::read(bytes, None);
    if let Ok(value) = npz::read(bytes, None) {
        let _ = value.to_string();
    }
    if let Ok((value, _)) = binary::read(bytes) {
        let _ = value.to_string();
    }
    let expectations = [
        None,
        Some(ValueType::Array(vec![Dim::Regular, Dim::Jagged], Prim::F16)),
        Some(ValueType::AnyRank(Prim::I64)),
        Some(ValueType::List(Box::new(ValueType::Tuple(vec![ValueType::Scalar(Prim::U8); 2])))),
    ];
    for expected in &expectations {
        let mut values = Values::new(bytes);
        while let Some(Ok(value)) = values.next_value(expected.as_ref()) {
            let _ = value.to_string();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn readers_survive_any_bytes(bytes in vec(any::<u8>(), 0..200)) {
        read_everything(&bytes);
    }

    #[test]
    fn readers_survive_nearly_text(text in nearly_text()) {
        read_everything(text.as_bytes());
    }

    #[test]
    fn readers_survive_damaged_files(value in any_value(), at in any::<Index>(), byte: u8, cut in any::<Index>()) {
        let mut files = vec![Vec::new()];
        binary::write(&value, &mut files[0]).expect("a binary form");
        files.extend(npy::write(&value, None).ok());
        files.push(npz::write(&value, None).expect("an .npz form"));
        files.extend(Format::ALL.iter().filter_map(|format| format.write(&value, None).ok()));
        files.retain(|file| !file.is_empty());
        for mut file in files {
            let i = at.index(file.len());
            file[i] = byte;
            read_everything(&file);
            file.truncate(cut.index(file.len() + 1));
            read_everything(&file);
        }
    }

    #[test]
    fn binary_comes_back(value in any_value()) {
        let mut bytes = Vec::new();
        binary::write(&value, &mut bytes).expect("a binary form");
        let (back, taken) = binary::read(&bytes).expect("readable");
        prop_assert_eq!(taken, bytes.len());
        prop_assert!(same(&value, &back), "{} {}", value, back);
    }

    #[test]
    fn npy_comes_back(value in any_value()) {
        match npy::write(&value, None) {
            Ok(bytes) => {
                let back = npy::read(&bytes, None).expect("readable");
                prop_assert!(same(&value, &back), "{} {}", value, back);
            }
            Err(_) => prop_assert!(value.is_jagged()),
        }
    }

    #[test]
    fn npz_comes_back(value in any_value()) {
        let bytes = npz::write(&value, None).expect("an .npz form");
        let back = npz::read(&bytes, None).expect("readable");
        prop_assert!(same(&value, &back), "{} {}", value, back);
    }

    // Whole archives whose members do not fit one another.
    #[test]
    fn npz_members_that_do_not_fit(
        names in vec(select(&["data", "shape", "offsets1", "offsets2", "offsets3", "other"][..]), 1..5),
        numbers in vec(vec(-2i64..6, 0..5), 1..5),
        value in any_value(),
    ) {
        let numbers = |i: usize| Array::regular(&[numbers[i % numbers.len()].len() as i64], numbers[i % numbers.len()].clone());
        let member = |(i, name): (usize, &&str)| {
            let content = if *name == "data" { value.clone() } else { numbers(i).expect("a vector").into() };
            npy::write(&content, None).ok().map(|bytes| (name.to_string(), bytes))
        };
        let members: Vec<(String, Vec<u8>)> = names.iter().enumerate().filter_map(member).collect();
        read_everything(&npz::pack(&members).expect("an archive"));
    }

    // Damage that a checksum would give away, behind headers that are sound.
    #[test]
    fn pictures_survive_damage(width in 0u32..5, height in 0u32..5, white in 0u32..70000, samples in vec(any::<u8>(), 0..60), kind in 2u8..7) {
        let mut file = format!("P{kind}\n{width} {height}\n{white}\n").into_bytes();
        file.extend_from_slice(&samples);
        read_everything(&file);
    }

    #[test]
    fn pictures_come_back(width in 1usize..6, height in 1usize..6, colour: bool, deep: bool, bits in vec(any::<u16>(), 1..20)) {
        let shape: Vec<i64> = [height, width, 3][..if colour { 3 } else { 2 }].iter().map(|n| *n as i64).collect();
        let samples = bits.iter().cycle().take(shape.iter().product::<i64>() as usize).copied();
        let array = match deep {
            true => Array::regular(&shape, samples.collect::<Vec<u16>>()),
            false => Array::regular(&shape, samples.map(|x| x as u8).collect::<Vec<u8>>()),
        };
        let value = Value::from(array.expect("a picture"));
        for format in [Format::Png, if colour { Format::Ppm } else { Format::Pgm }] {
            let back = format.read(&format.write(&value, None).expect("a picture"), Some(&value.type_of())).expect("readable");
            prop_assert!(same(&value, &back), "{} {}", value, back);
        }
    }

    #[test]
    fn named_members_and_json_come_back(value in any_compound()) {
        let ty = value.type_of();
        let json = json::read(&json::write(&value).expect("JSON"), Some(&ty)).expect("readable");
        // JSON does not tell one kind of empty array from another.
        prop_assert_eq!(compare(&value, &json, &Tolerance::uniform(0.0)).is_ok() || value.to_string().contains("empty"), true);
        if let Ok(bytes) = npz::write(&value, Some(&ty)) {
            let back = npz::read(&bytes, Some(&ty)).expect("readable");
            prop_assert!(same(&value, &back), "{} {}", value, back);
        }
    }

    #[test]
    fn tables_come_back(value in any_array()) {
        if let Ok(bytes) = csv::write(&value, ',', None) {
            let back = csv::read(&bytes, None, Some(&value.type_of()));
            let empty = value.to_string().contains("empty");
            prop_assert!(empty || back.as_ref().is_ok_and(|back| same(&value, back)), "{} {:?}", value, back);
        }
    }

    #[test]
    fn text_comes_back(value in any_compound()) {
        let text = value.to_string();
        let back = text::parse_one(&text, Some(&value.type_of()));
        prop_assert!(back.as_ref().is_ok_and(|b| same(&value, b)), "{} {:?}", text, back);
        prop_assert_eq!(compare(&value, &back.expect("readable"), &Tolerance::uniform(0.0)), Ok(()));
    }
}
