//! Executables read and write values as the compiler itself does: programs that give their arguments back are built for
//! many forms of values, and what they print is compared with what the `value` crate makes of the same text.

use base::{IdVec, Name};
use kernel::{Arg, Entry, Expr, Function, Program, Stm, Type, VarInfo};
use scalar::DimKind::{Jagged, Shape, Size};
use scalar::{Component, DimKind, Layout, Prim};
use std::process::{Command, Output};
use tempfile::TempDir;
use value::{Dim, ValueType, text};

/// A program that gives its only argument back.
fn identity(program: &mut Program, name: &str, layout: &Layout) {
    let mut vars = Vec::new();
    let mut body = Vec::new();
    let mut returned = Vec::new();
    let mut results = Vec::new();
    for component in layout.components() {
        let ty = match component {
            Component::Size | Component::Rank => Type::Scalar(Prim::I64),
            Component::Shape | Component::Desc(_) => Type::Buffer(Prim::I64),
            Component::Data(prim, dims) if dims.is_empty() => Type::Scalar(prim),
            Component::Data(prim, _) => Type::Buffer(prim),
        };
        let param = program.vars.push(VarInfo::new(Name::new("x"), ty));
        vars.push(param);
        results.push(ty);
        match ty {
            Type::Scalar(_) => returned.push(Arg::Scalar(Expr::Var(param))),
            Type::Buffer(_) => {
                let own = program.vars.push(VarInfo::new(Name::new("y"), ty));
                body.extend([Stm::Declare(own), Stm::Share { to: own, from: param }]);
                returned.push(Arg::Buffer(own));
            }
        }
    }
    body.push(Stm::Return(returned));
    let consumed = vec![false; vars.len()];
    let span = base::Span::new(base::FileId(0), 0, 0);
    let function = Function { name: Name::new(name), params: vars, results, body, too_deep: None, stops: false, span };
    let function = program.functions.push(function);
    let params = vec![(Name::new("x"), layout.clone())];
    program.entries.push(Entry { name: Name::new(name), function, params, consumed, results: vec![layout.clone()] });
}

/// The same form for readers of values.
fn expected(layout: &Layout) -> ValueType {
    match layout {
        Layout::Scalar(prim) => ValueType::Scalar(*prim),
        Layout::Array(kinds, elem) => match &**elem {
            Layout::Scalar(prim) if kinds == &[Shape] => ValueType::AnyRank(*prim),
            Layout::Scalar(prim) => {
                let dim = |kind: &DimKind| if *kind == Jagged { Dim::Jagged } else { Dim::Regular };
                ValueType::Array(kinds.iter().map(dim).collect(), *prim)
            }
            other => kinds.iter().fold(expected(other), |elem, _| ValueType::List(Box::new(elem))),
        },
        Layout::Record(fields) if fields.iter().enumerate().all(|(i, f)| f.0.as_str() == i.to_string()) => {
            ValueType::Tuple(fields.iter().map(|(_, field)| expected(field)).collect())
        }
        Layout::Record(fields) => {
            ValueType::Record(fields.iter().map(|(name, field)| (*name, expected(field))).collect())
        }
        Layout::Sum(cases) => {
            ValueType::Sum(cases.iter().map(|(name, parts)| (*name, parts.iter().map(expected).collect())).collect())
        }
    }
}

fn array(kinds: &[DimKind], elem: Layout) -> Layout {
    Layout::Array(kinds.to_vec(), Box::new(elem))
}

fn record(fields: &[(&str, Layout)]) -> Layout {
    Layout::Record(fields.iter().map(|(name, field)| (Name::new(name), field.clone())).collect())
}

/// Names, forms, and texts of which some are values and some are not.
fn cases() -> Vec<(&'static str, Layout, Vec<&'static str>)> {
    let prim = Layout::Scalar;
    let pair = record(&[("0", prim(Prim::I32)), ("1", prim(Prim::F64))]);
    let point = record(&[("x", prim(Prim::F32)), ("ys", array(&[Jagged], prim(Prim::I64)))]);
    let shape = |rows: DimKind| {
        Layout::Sum(vec![
            (Name::new("none"), vec![]),
            (Name::new("some"), vec![prim(Prim::F64), array(&[rows], prim(Prim::I32))]),
            (
                Name::new("deep"),
                vec![Layout::Sum(vec![(Name::new("a"), vec![]), (Name::new("b"), vec![prim(Prim::Bool)])])],
            ),
        ])
    };
    vec![
        (
            "i64",
            prim(Prim::I64),
            vec![
                "3",
                "-7",
                "1_000",
                "0xff",
                "0b101",
                "9223372036854775807",
                "9223372036854775808",
                "-9223372036854775808",
                "3i64",
                "3i32",
                "1.5",
                "true",
                "[1]",
                "(4)",
                "((4))",
                "x",
                "",
                "1 2",
                "-- c\n5",
                "0x",
                "99999999999999999999",
            ],
        ),
        ("i8", prim(Prim::I8), vec!["-128", "128", "0xff", "0x1ff", "300i8", "-129"]),
        ("u8", prim(Prim::U8), vec!["255", "256", "-1", "-0", "-1u8"]),
        ("u64", prim(Prim::U64), vec!["18446744073709551615", "18446744073709551616"]),
        ("bool", prim(Prim::Bool), vec!["true", "false", "1", "truee"]),
        (
            "f64",
            prim(Prim::F64),
            vec![
                "1.5",
                "1",
                "-0",
                "-0.0",
                "1e-7",
                "1e-5",
                "0.0001",
                "1e16",
                "123456789012345680000",
                "9999999999999998",
                "0.1",
                "5e-324",
                "1.7976931348623157e308",
                "f64.inf",
                "-f64.inf",
                "f64.nan",
                "f32.inf",
                "0x1.8p3",
                "0x1p-1074",
                ".5",
                "5.",
                "1e400",
                "1e",
                "1.5f32",
                "2.5e-3f64",
                "3.0000000000000004",
                "1_0.5",
                "e5",
                ".",
            ],
        ),
        ("f32", prim(Prim::F32), vec!["0.1", "16777217", "1e-45", "3.4028235e38", "1e-5f32", "f32.nan", "123456.79"]),
        ("f16", prim(Prim::F16), vec!["0.1", "65504", "1e-7", "6e-8", "f16.inf", "-2.5", "1e5"]),
        (
            "vector",
            array(&[Size], prim(Prim::I64)),
            vec![
                "[1, 2, 3]",
                "[1 2 3]",
                "[]",
                "empty([0]i64)",
                "empty([3]i64)",
                "empty([0]i32)",
                "[1, 2",
                "[1,, 2]",
                "[1, [2]]",
                "5",
                "[1i64]",
                "([1])",
                "(1, 2)",
                "[1,]",
                "empty(i64)",
                "\"ab\"",
            ],
        ),
        (
            "matrix",
            array(&[Size, Size], prim(Prim::F64)),
            vec![
                "[[1, 2], [3, 4]]",
                "[[1, 2], [3]]",
                "[[], []]",
                "[]",
                "empty([0][3]f64)",
                "empty([3][0]f64)",
                "[empty([0]f64)]",
                "[empty([2]f64)]",
                "[1.5]",
                "empty([2][2]f64)",
            ],
        ),
        (
            "jagged",
            array(&[Size, Jagged], prim(Prim::I64)),
            vec![
                "[[1], [], [2, 3]]",
                "[]",
                "[[], [], []]",
                "empty([3][~]i64)",
                "empty([0][~]i64)",
                "empty([3][0]i64)",
                "[[1, 2], [3, 4]]",
                "[1]",
            ],
        ),
        (
            "deep",
            array(&[Size, Jagged, Jagged], prim(Prim::U8)),
            vec!["[[[1], []], [], [[2, 3]]]", "[[[], []], [[]]]", "[[\"ab\", \"\"], [\"\\n\"]]", "empty([2][~][~]u8)"],
        ),
        (
            "rows",
            array(&[Size, Jagged, Size], prim(Prim::I32)),
            vec!["[[[1, 2]], [], [[3, 4], [5, 6]]]", "[[[1, 2]], [[3]]]"],
        ),
        (
            "any",
            array(&[Shape], prim(Prim::I32)),
            vec![
                "5",
                "[1, 2]",
                "[[1, 2], [3, 4]]",
                "[]",
                "[[], []]",
                "empty([0][2]i32)",
                "[[[7]]]",
                "[[1], [2, 3]]",
                "true",
            ],
        ),
        (
            "bytes",
            array(&[Size], prim(Prim::U8)),
            vec!["\"text\"", "\"\"", "\"a\\n\\\"\\\\\"", "\"a\\q\"", "\"a", "[1, 2]", "\"\u{e9}\""],
        ),
        ("pair", pair.clone(), vec!["(1, 2.5)", "(1)", "(1, 2, 3)", "()", "1", "(1i32, 2f64)", "(1 2)"]),
        ("unit", record(&[]), vec!["()", "(1)", "1"]),
        ("pairs", array(&[Size], pair), vec!["[(1, 2.5), (3, 4)]", "[]", "[(1, 2), 3]"]),
        (
            "points",
            array(&[Size], point.clone()),
            vec![
                "[{x = 1, ys = [1, 2]}, {ys = [], x = 0.5}]",
                "[{x = 1}]",
                "[]",
                "[{x = 1, z = 2}]",
                "[{x = 1, ys = empty([0]i64)}]",
            ],
        ),
        (
            "point",
            record(&[("x", prim(Prim::F32)), ("ys", array(&[Size], prim(Prim::I64)))]),
            vec!["{x = 1, ys = [1]}", "{ys = [], x = 2}", "3"],
        ),
        (
            "sum",
            shape(Size),
            vec![
                "#none",
                "#some 1.5 [1, 2]",
                "#some 1 []",
                "#some 1",
                "#deep #a",
                "#deep (#b true)",
                "#deep #b",
                "#nothing",
                "(#none)",
                "#",
            ],
        ),
        ("sums", array(&[Size], shape(Jagged)), vec!["[#none, #some 1.5 [1, 2], #deep (#b true)]", "[]", "[#deep #a]"]),
    ]
}

struct Built {
    folder: TempDir,
}

fn build(program: &Program, flags: &[&str]) -> Option<Built> {
    let types: Vec<String> = program.entries.iter().map(|entry| format!("the type of {}", entry.name)).collect();
    let locate = |_| codegen::Excerpt { place: "test.rv:1:1".into(), line: None };
    let about = codegen::Executable { name: "test", file: "test.rv", types: &types, locate: &locate };
    let c = codegen::executable(program, about);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let linked = flags.is_empty();
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let options = native::Options { flags, parallel: false, level: 1, cache: None, compiler: None, units: 1, linked };
    match native::build(&c.text, &folder.path().join("program"), native::Product::Executable, &options) {
        Ok(_) => Some(Built { folder }),
        Err(native::NativeError::NoCompiler(_)) => {
            eprintln!("skipped: there is no C compiler");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

impl Built {
    fn run(&self, args: &[&str], input: &[u8]) -> Output {
        use std::io::Write;
        use std::process::Stdio;
        let mut child = Command::new(self.folder.path().join("program"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).ok();
        child.wait_with_output().unwrap()
    }
}

const SANITIZE: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Werror",
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

fn everything() -> Program {
    let mut program = Program { vars: IdVec::default(), ..Default::default() };
    cases().iter().for_each(|(name, layout, _)| identity(&mut program, name, layout));
    program
}

/// One executable for all, because sanitizers take their time.
#[test]
fn executables_read_write_and_complain() {
    let Some(built) = build(&everything(), SANITIZE) else { return };
    text_reads_and_writes_as_the_compiler_does(&built);
    binary_values_go_both_ways(&built);
    options_and_places(&built);
}

fn text_reads_and_writes_as_the_compiler_does(built: &Built) {
    for (name, layout, texts) in cases() {
        let expected = expected(&layout);
        for input in texts {
            let output = built.run(&["-e", name, "--", input], b"");
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let known = text::parse_one(input, Some(&expected));
            match known {
                Ok(value) => {
                    assert!(output.status.success(), "{name} {input:?} is a value: {err}");
                    assert_eq!(out.trim_end(), value.to_string(), "{name} {input:?}");
                }
                Err(error) => {
                    assert_eq!(output.status.code(), Some(1), "{name} {input:?} is no value ({error}): {out}{err}");
                    assert!(err.starts_with("program: "), "{name} {input:?}: {err}");
                    assert!(!err.contains("Sanitizer"), "{err}");
                }
            }
        }
    }
}

fn binary_values_go_both_ways(built: &Built) {
    for (name, layout, texts) in cases() {
        for input in texts {
            let Ok(value) = text::parse_one(input, Some(&expected(&layout))) else { continue };
            let mut bytes = Vec::new();
            let written = built.run(&["-b", "-e", name, "--", input], b"");
            if value::binary::write(&value, &mut bytes).is_err() {
                continue;
            }
            assert_eq!(written.stdout, bytes, "{name} {input:?}: {}", String::from_utf8_lossy(&written.stderr));
            let output = built.run(&["-e", name], &bytes);
            let out = String::from_utf8_lossy(&output.stdout);
            assert_eq!(out.trim_end(), value.to_string(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            // Every cut and every broken byte is refused or read as something else, never more than that.
            for cut in (0..bytes.len()).step_by(2) {
                assert_eq!(built.run(&["-e", name], &bytes[..cut]).status.code(), Some(1), "{name} cut at {cut}");
                if cut % 6 == 0 {
                    bytes[cut] ^= 0x41;
                    let output = built.run(&["-e", name], &bytes);
                    assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {output:?}");
                    assert!(!String::from_utf8_lossy(&output.stderr).contains("Sanitizer"), "{output:?}");
                    bytes[cut] ^= 0x41;
                }
            }
            break;
        }
    }
}

fn options_and_places(built: &Built) {
    let text = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let help = built.run(&["--help"], b"");
    let shown = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.status.success() && shown.contains("matrix : the type of matrix"), "{shown}");
    assert_eq!(built.run(&["--nonsense"], b"").status.code(), Some(2));
    assert_eq!(built.run(&["-r", "x"], b"").status.code(), Some(2));
    let unknown = built.run(&["-e", "nothing", "1"], b"");
    assert!(text(&unknown).contains("there is no entry point `nothing`; the entry points are i64"), "{unknown:?}");
    assert!(text(&built.run(&["1"], b"")).contains("which entry point?"));
    let two = built.run(&["-e", "i64", "1", "2"], b"");
    assert!(text(&two).ends_with(": `i64` takes 1 value (i64), but the command line has 2\n"), "{two:?}");
    let line = built.run(&["-e", "vector"], b"[1,\n2,\nx]");
    assert!(text(&line).ends_with(": standard input: line 3: x is not a number\n"), "{line:?}");
    let rows = built.run(&["-e", "matrix"], b"[[1, 2],\n[3]]");
    assert!(
        text(&rows).contains("line 2: rows must all have the same length here, but the row on line 1 has 2 elements")
    );
    assert!(text(&built.run(&["-e", "i64", "@/nowhere"], b"")).contains(": /nowhere: "));
    let times = built.folder.path().join("times");
    let timed = built.run(&["--entry=i64", "-r", "3", "-t", times.to_str().unwrap(), "-5"], b"");
    assert_eq!(String::from_utf8_lossy(&timed.stdout), "-5i64\n");
    assert_eq!(std::fs::read_to_string(&times).unwrap().lines().count(), 3);
}
