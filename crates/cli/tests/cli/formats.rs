//! Executables read and write what `ravel run` does, and say the same about malformed files. The executable is made with
//! sanitizers where the compiler has them, so that damaged files cannot do harm unnoticed.

use crate::common::Folder;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

const PROGRAM: &str = "entry bools [n] [m] (a: [n][m]bool) = a
entry i8s [n] (a: [n]i8) = a
entry i16s [n] (a: [n]i16) = a
entry i32s [n] (a: [n]i32) = a
entry i64s [n] [m] (a: [n][m]i64) = a
entry u8s [n] (a: [n]u8) = a
entry u16s [n] (a: [n]u16) = a
entry u32s [n] (a: [n]u32) = a
entry u64s [n] (a: [n]u64) = a
entry f16s [n] [m] (a: [n][m]f16) = a
entry f32s [n] (a: [n]f32) = a
entry f64s [n] [m] [k] (a: [n][m][k]f64) = a
entry scalar (x: f32) = x
entry jagged [n] (a: [n][~]f64) = a
entry deeper [n] (a: [n][~][~]i32) = a
entry wide [n] [m] (a: [n][~][m]i64) = a
entry inner [n] [m] (a: [n][m][~]i64) = a
entry any (a: [..]i64) = a
entry several (x: i32) (y: f64) = (y, x, [x, x])
entry pair (p: (i32, f64)) = {a = p.0, b = p.1}
entry option (o: #none | #some i32) = o
entry pairs [n] (p: [n](i32, f64)) = p
entry named [n] [m] (r: {a: [n]i64, b: ([m][~]f64, i32)}) = r
entry nested [n] [m] (r: [n]{x: i32, y: [m]f64}) = r
entry waves [n] [m] (z: [n][m](f32, f32)) = z
entry wave (z: {re: f64, im: f64}) = z
";

const VALUES: &[(&str, &str)] = &[
    ("bools", "[[true, false], [false, true]]"),
    ("bools", "empty([0][7]bool)"),
    ("i8s", "[-128, 127]"),
    ("i16s", "[-300]"),
    ("i32s", "[1, 2, 3]"),
    ("i64s", "[[1, 2, 3], [4, 5, 6]]"),
    ("u8s", "\"text\""),
    ("u16s", "[]"),
    ("u32s", "[4294967295]"),
    ("u64s", "[18446744073709551615, 0]"),
    ("f16s", "[[1.5, f16.inf], [-0.0, 65504]]"),
    ("f32s", "[1e-40, f32.nan, 3.25]"),
    ("f64s", "[[[1, 2], [3, 4]]]"),
    ("scalar", "2.5"),
    ("jagged", "[[1.0, 2], [], [3.5]]"),
    ("jagged", "empty([3][~]f64)"),
    ("deeper", "[[[1], [2, 3]], []]"),
    ("wide", "[[[1, 2]], [], [[3, 4], [5, 6]]]"),
    ("inner", "[[[1], []], [[2, 3], [4]]]"),
    ("any", "[[1, 2], [3, 4]]"),
    ("any", "7"),
];

/// A folder with the program, and with an executable of it, which is made once for all tests.
fn built() -> Option<Folder> {
    static MADE: LazyLock<Option<Vec<u8>>> = LazyLock::new(executable);
    let executable = MADE.as_ref()?;
    let folder = Folder::new(&[("all.rv", PROGRAM)]);
    folder.command("all", executable);
    Some(folder)
}

fn executable() -> Option<Vec<u8>> {
    let folder = Folder::new(&[("all.rv", PROGRAM)]);
    let build = |flags: &str| {
        let args = ["build", "all.rv", "-o", "all", "--backend", "c"];
        folder.ravel_with(&args, &[("RAVEL_CFLAGS", flags)]).status == 0
    };
    // Not every compiler has the sanitizers' libraries.
    let sanitized = "-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all";
    if build(sanitized) || build("-O1") {
        return Some(std::fs::read(folder.path("all")).expect("the executable"));
    }
    eprintln!("skipped: there is no C compiler that works");
    None
}

/// Status, standard output, standard error without the program's name, and the files whose names begin with `out`.
type Outcome = (Option<i32>, Vec<u8>, String, BTreeMap<String, Vec<u8>>);

fn outcome(folder: &Folder, mut command: Command, input: Option<&[u8]>) -> Outcome {
    command.current_dir(folder.path("")).env("ASAN_OPTIONS", "detect_leaks=0");
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    if let (Some(bytes), Some(mut stdin)) = (input, child.stdin.take()) {
        stdin.write_all(bytes).expect("it reads");
    }
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = ["ravel: ", "all: "].iter().find_map(|name| said.strip_prefix(name)).unwrap_or(&said).to_owned();
    let mut files = BTreeMap::new();
    for file in std::fs::read_dir(folder.path("")).expect("the folder").flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.to_lowercase().starts_with("out") {
            files.insert(name, std::fs::read(file.path()).expect("the file"));
            std::fs::remove_file(file.path()).expect("the file goes");
        }
    }
    (output.status.code(), output.stdout, said, files)
}

/// Runs an entry point by `ravel run` and by the executable, which must do the same.
#[track_caller]
fn both(folder: &Folder, entry: &str, args: &[&str], input: Option<&[u8]>) -> Outcome {
    let mut run = Command::new(env!("CARGO_BIN_EXE_ravel"));
    run.args(["run", "--backend", "interp", "all.rv", "--entry", entry]).args(args);
    let mut own = Command::new(folder.path("all"));
    own.args(["-e", entry]).args(args);
    let (run, own) = (outcome(folder, run, input), outcome(folder, own, input));
    assert_eq!(run, own, "{entry} {args:?}");
    run
}

/// A zip archive of deflated members, made from one of stored members as we write it.
fn deflated(archive: &[u8]) -> Vec<u8> {
    let u16_at = |at: usize| u16::from_le_bytes([archive[at], archive[at + 1]]) as usize;
    let u32_at = |at: usize| u16_at(at) + (u16_at(at + 2) << 16);
    let (mut out, mut list, mut at, mut count) = (Vec::new(), Vec::new(), 0, 0u16);
    while archive[at..].starts_with(b"PK\x03\x04") {
        let (size, name) = (u32_at(at + 18), u16_at(at + 26));
        let data = &archive[at + 30 + name..at + 30 + name + size];
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(u32::from(count % 3) * 4 + 1));
        encoder.write_all(data).expect("memory");
        let packed = encoder.finish().expect("memory");
        let start = out.len() as u32;
        let mut head = archive[at + 4..at + 30].to_vec();
        head[4] = 8;
        head[14..18].copy_from_slice(&(packed.len() as u32).to_le_bytes());
        let name = &archive[at + 30..at + 30 + name];
        out.extend([b"PK\x03\x04", &head[..], name, &packed].concat());
        list.extend([b"PK\x01\x02\x14\0", &head[..], &[0; 10], &start.to_le_bytes(), name].concat());
        at += 30 + name.len() + size;
        count += 1;
    }
    let (start, size) = (out.len() as u32, list.len() as u32);
    out.extend(list);
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count.to_le_bytes(), &count.to_le_bytes(), &size.to_le_bytes()];
    out.extend([&end.concat()[..], &start.to_le_bytes(), &[0; 2]].concat());
    out
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn all_formats_go_in_and_out() {
    let Some(folder) = built() else { return };
    for (entry, value) in VALUES {
        let printed = both(&folder, entry, &[value], None);
        assert_eq!(printed.0, Some(0), "{entry} {value} {}", printed.2);
        for target in ["out.npy", "OUT.NPZ", "out.txt", "out.bin", "npy:out", "npz:out"] {
            let (status, _, said, files) = both(&folder, entry, &[value, "-o", target], None);
            assert_eq!(status == Some(0), files.len() == 1, "{entry} {value} {target} {said}");
            assert!(status == Some(0) || said.contains("has no .npy form"), "{entry} {value} {target} {said}");
            for (name, bytes) in files {
                let name = name.replace("out", "in").replace("OUT", "IN");
                let again = |name: &str, bytes: &[u8]| {
                    folder.write(name, bytes);
                    let read = both(&folder, entry, &[&format!("@{name}")], None);
                    assert_eq!((read.0, &read.1), (Some(0), &printed.1), "{entry} {name} {}", read.2);
                };
                // A name without an ending says nothing, but standard input is looked at.
                if !name.contains('.') {
                    assert_eq!(both(&folder, entry, &["@-"], Some(&bytes)).1, printed.1);
                    assert_eq!(both(&folder, entry, &[], Some(&zipped(&bytes))).1, printed.1);
                    continue;
                }
                again(&name, &bytes);
                again(&format!("{name}.gz"), &zipped(&bytes));
                if name.ends_with("NPZ") {
                    again(&format!("deflated-{name}"), &deflated(&bytes));
                }
                if !name.contains("NP") && !name.contains("np") {
                    assert_eq!(both(&folder, entry, &[], Some(&bytes)).1, printed.1);
                }
            }
        }
    }
    for target in ["out.npy", "out.npz", "out.txt", "out.bin", "-", "npy:-", "npz:-"] {
        for (entry, args) in [
            ("named", &["{a = [1, 2], b = ([[0.5], []], 3)}"][..]),
            ("nested", &["[{x = 1, y = [2.5, 3.5]}, {x = 2, y = [4.5, 5.5]}]"]),
            ("waves", &["[[(1, 2), (3, 4)]]"]),
            ("waves", &["[[], []]"]),
            ("wave", &["{re = 1, im = 2}"]),
            ("several", &["3", "4.5"]),
            ("pair", &["(1, 2.5)"]),
            ("option", &["#some 3"]),
            ("pairs", &["[(1, 2.0)]"]),
        ] {
            let args = [args, &["-o", target]].concat();
            both(&folder, entry, &args, None);
        }
    }
    let files = both(&folder, "several", &["3", "4.5", "-o", "out.npy"], None).3;
    assert_eq!(files.keys().collect::<Vec<_>>(), ["out_0.npy", "out_1.npy", "out_2.npy"]);
}

#[test]
fn members_go_in_and_out() {
    let Some(folder) = built() else { return };
    let value = "{a = [1, 2], b = ([[0.5], []], 3)}";
    let (_, _, _, files) = both(&folder, "named", &[value, "-o", "out.npz"], None);
    folder.write("in.npz", &files["out.npz"]);
    let printed = "{a = [1i64, 2i64], b = ([[0.5f64], []], 3i32)}\n";
    assert_eq!(String::from_utf8_lossy(&both(&folder, "named", &["@in.npz"], None).1), printed);
    let rows = both(&folder, "jagged", &["@in.npz:b.0"], None);
    assert_eq!(String::from_utf8_lossy(&rows.1), "[[0.5f64], []]\n", "{}", rows.2);
    assert_eq!(both(&folder, "several", &["@in.npz:b.1", "2.5"], None).0, Some(0));
    assert!(
        both(&folder, "jagged", &["@in.npz:c"], None)
            .2
            .contains("there is no member `c`; the members are `a`, `b.0.off")
    );
    assert!(both(&folder, "jagged", &["@in.npz"], None).2.contains("to read this member alone write @FILE.npz:a"));
}

/// The same array by columns, and with the highest bytes first.
#[test]
fn other_orders_of_npy() {
    let Some(folder) = built() else { return };
    let (_, _, _, files) = both(&folder, "i64s", &["[[1, 2, 3], [4, 5, 6]]", "-o", "out.npy"], None);
    let rows = files["out.npy"].clone();
    let text = String::from_utf8_lossy(&rows[10..]).into_owned();
    let header = &text[..text.find('\n').expect("a header")];
    let data = rows.len() - 48;
    let with = |header: String, order: [i64; 6], high: bool| {
        let mut bytes = rows[..10].to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(data - 1, b' ');
        bytes.push(b'\n');
        order.iter().for_each(|n| bytes.extend(if high { n.to_be_bytes() } else { n.to_le_bytes() }));
        bytes
    };
    let columns = header.replace("False, 'shape': (2, 3)", "True, 'shape': (2, 3)");
    folder.write("columns.npy", &with(columns.trim_end().into(), [1, 4, 2, 5, 3, 6], false));
    folder.write("high.npy", &with(header.replace("<i8", ">i8").trim_end().into(), [1, 2, 3, 4, 5, 6], true));
    for name in ["@columns.npy", "@high.npy"] {
        let read = both(&folder, "i64s", &[name], None);
        assert_eq!(String::from_utf8_lossy(&read.1), "[[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]]\n", "{}", read.2);
    }
}

#[test]
fn usage_and_text_are_judged_alike() {
    let Some(folder) = built() else { return };
    for (entry, text) in [
        ("i64s", "[[1, 2], [3]]"),
        ("i64s", "[[1, 2],\n[3, x]]"),
        ("i64s", "[[1, 2], [3, 4]"),
        ("i64s", "[[1, 2], [3, 4]] 5"),
        ("i64s", "[[1, 2.5]]"),
        ("i64s", "[[1, 2i32]]"),
        ("i64s", "[[1, 9223372036854775808]]"),
        ("i64s", "[1, [2]]"),
        ("i64s", "[(1, 2)]"),
        ("i64s", "(([[1]]))"),
        ("i64s", "[[1, é]]"),
        ("i64s", " -- nothing\n"),
        ("u8s", "\"a\\qb\""),
        ("u8s", "\"abc"),
        ("i32s", "\"abc\""),
        ("jagged", "[[1], 2]"),
        ("pair", "(1, 2, 3)"),
        ("pair", "(1)"),
        ("pair", "((1, 2))"),
        ("pairs", "[(1, 2.0), (3)]"),
        ("option", "#some"),
        ("option", "#some 1 2"),
        ("option", "#other"),
        ("option", "#none 4"),
        ("scalar", "empty([0]f32)"),
        ("scalar", "nan"),
        ("scalar", "-inf"),
        ("f32s", "[nan, inf, -inf, nano]"),
        ("i32s", "[1, nan]"),
    ] {
        both(&folder, entry, &[text], None);
        both(&folder, entry, &[], Some(text.as_bytes()));
        folder.write("value.txt", text.as_bytes());
        both(&folder, entry, &["@value.txt"], None);
    }
    both(&folder, "several", &["1"], None);
    both(&folder, "several", &[], Some(b"1"));
    both(&folder, "several", &[], Some(b"1 2 3"));
    both(&folder, "scalar", &["@missing"], None);
    both(&folder, "scalar", &["@."], None);
    both(&folder, "scalar", &["1", "-o", "missing/out.npy"], None);
    let wrong = Command::new(folder.path("all")).arg("--nothing").output().expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
}

/// Formats that only `ravel run` knows: the executable says so.
#[test]
fn executables_point_to_ravel_run() {
    let Some(folder) = built() else { return };
    folder.write("in.csv", b"1,2");
    let said = |args: &[&str]| {
        let mut own = Command::new(folder.path("all"));
        own.args(["-e", "i64s"]).args(args);
        let (status, _, said, files) = outcome(&folder, own, None);
        assert!(files.is_empty(), "{args:?}");
        (status, said)
    };
    for (place, format) in [("in.csv", "csv"), ("x.JSON.gz", "json"), ("tsv:-", "tsv"), ("bytes:in.npy", "bytes")] {
        let expected = "executables read text, binary, .npy and .npz; to read";
        let message = format!("{place}: {expected} {format} use `ravel run all.rv`\n");
        assert_eq!(said(&[&format!("@{place}")]), (Some(1), message));
    }
    for (place, format) in [("out.png", "png"), ("out.csv.gz", "csv"), ("json:-", "json"), ("bytes:out", "bytes")] {
        let expected = "executables write .txt, .bin, .npy and .npz; to write";
        let message = format!("-o {place}: {expected} {format} use `ravel run all.rv`\n");
        assert_eq!(said(&["[[1]]", "-o", place]), (Some(2), message));
    }
    assert!(
        said(&["[[1]]", "-o", "out.npy.gz"]).1.contains("executables do not compress files; `ravel run all.rv` does")
    );
    assert!(said(&["[[1]]", "-o", "out"]).1.contains("or write npy:out"));
}

/// A format in front of a name counts more than its ending.
#[test]
fn formats_in_front_are_read() {
    let Some(folder) = built() else { return };
    let files = both(&folder, "i64s", &["[[1, 2]]", "-o", "npy:out.bin"], None).3;
    folder.write("in.bin", &files["out.bin"]);
    assert_eq!(both(&folder, "i64s", &["@npy:in.bin"], None).1, b"[[1i64, 2i64]]\n");
    assert_eq!(both(&folder, "i64s", &["@NPY:-"], Some(&files["out.bin"])).1, b"[[1i64, 2i64]]\n");
    assert_eq!(both(&folder, "i64s", &["@npz:in.bin"], None).0, Some(1));
}

/// Files cut off at any byte, and with damaged bytes.
#[test]
fn malformed_files_are_judged_alike() {
    let Some(folder) = built() else { return };
    let mut files = Vec::new();
    for (entry, value) in [("i64s", "[[1, 2, 3], [4, 5, 6]]"), ("wide", "[[[1, 2]], [], [[3, 4], [5, 6]]]")] {
        for target in ["out.npy", "out.npz", "out.bin"] {
            for (name, bytes) in both(&folder, entry, &[value, "-o", target], None).3 {
                let name = name.replace("out", "bad");
                if name.ends_with("npz") {
                    files.push((entry, name.clone(), deflated(&bytes)));
                }
                files.push((entry, format!("{name}.gz"), zipped(&bytes)));
                files.push((entry, name, bytes));
            }
        }
    }
    // A generator of our own: the same files in every run.
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    };
    for round in 0..12 {
        for (entry, name, bytes) in &files {
            let mut bad = bytes.clone();
            match round % 3 {
                0 => bad.truncate(next(bytes.len())),
                1 => bad[next(bytes.len())] ^= 1 << next(8),
                _ => bad[next(bytes.len().min(140))] = next(256) as u8,
            }
            folder.write(name, &bad);
            both(&folder, entry, &[&format!("@{name}")], None);
        }
    }
}
