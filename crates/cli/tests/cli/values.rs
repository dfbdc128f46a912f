//! Values in and out of `ravel run`: formats by ending, by prefix and by content, standard streams, text, folders.

use crate::common::Folder;
use std::io::Read;

const PROGRAM: &str = "entry picture (h: i64) (w: i64): [h][w]u8 = [[u8.i64 (i * 10 + j) for j < w] for i < h]
entry invert [h][w] (a: [h][w]u8): [h][w]u8 = map (map (255 -)) a
entry same [n][m] (a: [n][m]f64): [n][m]f64 = a
entry points (n: i64) = [{x = f64.i64 i, y = i} for i < n]
entry heights [n] (ps: [n]{x: f64, y: i64}): []i64 = map (.y) ps
entry both (n: i64) = (iota n, {a = n, b = [[0.5], [1.5]]})
entry greet [n] (s: [n]u8) = \"hello \" ++ s
entry numbers (n: i64): [n]i64 = iota n
entry lines = [\"ab\", \"cd\"]
entry waves (n: i64) = [{re = f64.i64 i, im = 0.5} for i < n]
entry reals [n] (zs: [n](f64, f64)) = map (.0) zs
entry floats (x: f64) (xs: []f64) = (x, xs)
";

fn folder() -> Folder {
    Folder::new(&[("p.rv", PROGRAM)])
}

/// Runs an entry point by the interpreter, which needs no C compiler.
fn run(folder: &Folder, entry: &str, args: &[&str]) -> crate::common::Said {
    folder.ravel(&[&["run", "p.rv", "--backend", "interp", "-e", entry], args].concat())
}

fn gives(folder: &Folder, entry: &str, args: &[&str], wanted: &str) {
    let said = run(folder, entry, args).status(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), (wanted, ""), "{entry} {args:?}");
}

fn file(folder: &Folder, name: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(folder.path(name)).expect(name)).into_owned()
}

#[test]
fn endings_choose_the_format() {
    let folder = folder();
    for name in ["m.csv", "m.tsv", "m.json", "m.npy", "m.npz", "m.txt", "m.bin", "m.npy.gz", "m.csv.gz", "m.json.gz"] {
        gives(&folder, "same", &["[[1, nan], [-inf, 4.5]]", "-o", name], "");
        gives(&folder, "same", &[&format!("@{name}")], "[[1.0f64, f64.nan], [-f64.inf, 4.5f64]]\n");
    }
    assert_eq!(file(&folder, "m.csv"), "1.0,nan\n-inf,4.5\n");
    assert_eq!(file(&folder, "m.json"), "[[1.0, \"nan\"], [\"-inf\", 4.5]]\n");
    let mut unpacked = String::new();
    let packed = std::fs::File::open(folder.path("m.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, "1.0,nan\n-inf,4.5\n");
    for name in ["m.xls", "m", "m.gz"] {
        let said = run(&folder, "same", &["[[1]]", "-o", name]).status(2);
        said.complains("known are .txt, .bin, .npy, .npz, .csv, .tsv, .json, .pgm, .ppm, .png (and .gz after them)");
        assert!(!folder.path(name).exists());
    }
    gives(&folder, "same", &["[[1]]", "-o", "csv:m.xls"], "");
    assert_eq!(file(&folder, "m.xls"), "1.0\n");
    gives(&folder, "same", &["@csv:m.xls"], "[[1.0f64]]\n");
}

#[test]
fn standard_streams() {
    let folder = folder();
    gives(&folder, "same", &["[[1]]", "-o", "-"], "[[1.0f64]]\n");
    gives(&folder, "same", &["[[1, 2]]", "-o", "csv:-"], "1.0,2.0\n");
    run(&folder, "same", &["[[1, 2]]", "-o", "m.npy"]).status(0);
    run(&folder, "same", &["[[1, 2]]", "-o", "m.npy.gz"]).status(0);
    run(&folder, "picture", &["1", "2", "-o", "p.png"]).status(0);
    let piped = |entry: &str, args: &[&str], input: &[u8]| {
        let args = [&["run", "p.rv", "--backend", "interp", "-e", entry], args].concat();
        folder.ravel_with_input(&args, input).status(0).out
    };
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    for args in [&[][..], &["@-"], &["@npy:-"]] {
        assert_eq!(piped("same", args, &bytes("m.npy")), "[[1.0f64, 2.0f64]]\n");
    }
    assert_eq!(piped("same", &["@-"], &bytes("m.npy.gz")), "[[1.0f64, 2.0f64]]\n");
    assert_eq!(piped("same", &["@-"], b"[[3, 4]]"), "[[3.0f64, 4.0f64]]\n");
    assert_eq!(piped("same", &["@csv:-"], b"a,b\n3,4\n"), "[[3.0f64, 4.0f64]]\n");
    assert_eq!(piped("invert", &[], &bytes("p.png")), "[[255u8, 254u8]]\n");
    assert_eq!(piped("greet", &["--text", "@bytes:-"], b"you\n"), "hello you\n");
    run(&folder, "floats", &["@-", "@-"]).status(1).complains("standard input (@-) can be only one of the arguments");
    let pipe = std::process::Command::new("sh")
        .args(["-c", "$RAVEL run p.rv -e same '[[5, 6]]' --backend interp -o npy:- | $RAVEL run p.rv --backend interp -e same @-"])
        .env("RAVEL", env!("CARGO_BIN_EXE_ravel"))
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&pipe.stdout), "[[5.0f64, 6.0f64]]\n");
}

#[test]
fn pictures() {
    let folder = folder();
    for name in ["p.png", "p.pgm", "p.pgm.gz"] {
        gives(&folder, "picture", &["2", "3", "-o", name], "");
        gives(&folder, "invert", &[&format!("@{name}")], "[[255u8, 254u8, 253u8], [245u8, 244u8, 243u8]]\n");
    }
    assert!(file(&folder, "p.pgm").starts_with("P5\n3 2\n255\n"));
    run(&folder, "picture", &["2", "3", "-o", "p.ppm"]).status(1).complains("write this grey picture as .pgm or .png");
    run(&folder, "numbers", &["3", "-o", "p.png"])
        .status(1)
        .complains("a picture is [h][w]u8 (grey) or [h][w][3]u8 (colour)");
    folder.write("damaged.png", b"\x89PNG\r\n\x1a\n1234");
    run(&folder, "invert", &["@damaged.png"]).status(1).complains("damaged.png: byte 0: this .png file cannot be read");
}

#[test]
fn records_and_tables() {
    let folder = folder();
    for name in ["q.csv", "q.json", "q.npz"] {
        gives(&folder, "points", &["3", "-o", name], "");
        gives(&folder, "heights", &[&format!("@{name}")], "[0i64, 1i64, 2i64]\n");
        gives(&folder, "points", &["0", "-o", name], "");
        gives(&folder, "heights", &[&format!("@{name}")], "empty([0]i64)\n");
    }
    folder.write("w.csv", b"y,name,x\n7,\"a, b\",1.5\n8,c,2.5\n");
    gives(&folder, "heights", &["@w.csv"], "[7i64, 8i64]\n");
    folder.write("bad.csv", b"y,x\n7,1.5\neight,2.5\n");
    run(&folder, "heights", &["@bad.csv"]).status(1).complains("bad.csv: line 3, column 1: eight is not a number");
    gives(&folder, "both", &["2", "-o", "b.npz"], "");
    gives(&folder, "same", &["@b.npz:1.b"], "[[0.5f64], [1.5f64]]\n");
    run(&folder, "same", &["@b.npz:c"])
        .status(1)
        .complains("there is no member `c`; the members are `0`, `1.a`, `1.b`");
    gives(&folder, "both", &["2", "-o", "b.json"], "");
    assert_eq!(file(&folder, "b.json"), "[[0, 1], {\"a\": 2, \"b\": [[0.5], [1.5]]}]\n");
    run(&folder, "both", &["2", "-o", "b.csv"]).status(1).complains("result 1: ");
    run(&folder, "floats", &["1", "[2]", "-o", "f.csv"]).status(0);
    assert_eq!((file(&folder, "f_0.csv"), file(&folder, "f_1.csv")), ("1.0\n".into(), "2.0\n".into()));
}

#[test]
fn text_bytes_and_numbers() {
    let folder = folder();
    gives(&folder, "greet", &["--text", "\"world\""], "hello world\n");
    gives(&folder, "greet", &["--text", "\"line\\n\""], "hello line\n");
    gives(&folder, "lines", &["--text"], "ab\ncd\n");
    folder.write("data.npy", b"abc");
    gives(&folder, "greet", &["--text", "@bytes:data.npy"], "hello abc\n");
    gives(&folder, "greet", &["\"x\"", "-o", "bytes:out"], "");
    assert_eq!(file(&folder, "out"), "hello x");
    run(&folder, "greet", &["world"]).status(1).complains("text needs quotes: '\"world\"'");
    run(&folder, "greet", &["data.npy"]).status(1).complains("text needs quotes");
    run(&folder, "same", &["data.npy"]).status(1).complains("to read the file write @data.npy");
    gives(&folder, "floats", &["-inf", "[nan, inf, -inf]"], "-f64.inf\n[f64.nan, f64.inf, -f64.inf]\n");
    run(&folder, "numbers", &["nan"]).status(1).complains("is not an integer");
}

#[test]
fn complex_arrays() {
    let folder = folder();
    gives(&folder, "waves", &["2", "-o", "z.npy"], "");
    assert!(file(&folder, "z.npy").contains("'descr': '<c16'"));
    gives(&folder, "reals", &["@z.npy"], "[0.0f64, 1.0f64]\n");
    run(&folder, "same", &["@z.npy"]).status(1).complains("this file holds complex numbers");
}

/// What names a folder is told what is in it.
#[test]
fn folders_are_no_programs() {
    let folder = Folder::new(&[("one/a.rv", "entry main = 1i64\n"), ("none/x", ""), ("b.rv", ""), ("c.rv", "")]);
    folder.ravel(&["run", "."]).status(1).complains("it is a folder; name one of the programs in it: b.rv, c.rv");
    folder.ravel(&["run", "one"]).status(1).complains("it is a folder; the program in it is one/a.rv");
    folder.ravel(&["check", "none"]).status(1).complains("there is no program (.rv) in it");
}

#[test]
fn limits() {
    let program = "entry main (n: i64): i64 = let xs = scan (+) 0 (iota n) in xs[n / 2] - xs[n / 4] + xs[n - 1]\n";
    let folder = Folder::new(&[("a.rv", program)]);
    let said = folder.ravel(&["run", "a.rv", "1000", "--memory", "100", "--threads", "2"]).status(0);
    assert_eq!(said.out, "593375i64\n");
    for backend in ["interp", "c", "multicore"] {
        let args = ["run", "a.rv", "10000000", "--memory", "10", "--backend", backend];
        folder.ravel(&args).status(1).complains("R024").complains("the program may take 10 MiB of memory");
    }
    folder.ravel(&["run", "a.rv", "1", "--memory", "0"]).status(2);
    folder.ravel(&["run", "a.rv", "1", "--threads", "0"]).status(2);
}
