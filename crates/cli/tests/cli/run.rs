//! `ravel run`: arguments, results, files, exit status.

use crate::common::Folder;
use std::io::Read;
use std::process::{Command, Stdio};

const PROGRAM: &str = "
entry main (x: i64) (y: i64): i64 = x - y
entry half (x: f64): f64 = x / 2
entry negate [n] (xs: [n]f32): [n]f32 = map (\\x -> -x) xs
entry both (x: i32): (i32, bool) = (x + 1, x > 0)
entry lengths [n] (xss: [n][~]i64): [n]i64 = map (\\xs -> length xs) xss
entry same [n] (xss: [n][~]i64): [n][~]i64 = xss
entry element [n] (xs: [n]i32) (i: i64): i32 = xs[i]
entry nothing: i32 = 42
entry many (n: i64): []i64 = iota n
";

fn folder() -> Folder {
    Folder::new(&[("p.rv", PROGRAM)])
}

#[track_caller]
fn gives(args: &[&str], wanted: &str) {
    let said = folder().ravel(&[&["run", "p.rv"], args].concat()).status(0);
    assert_eq!(said.out, wanted, "{}", said.err);
}

#[test]
fn arguments_take_the_type_of_the_parameter() {
    gives(&["5", "3"], "2i64\n");
    gives(&["5i64", "-3"], "8i64\n");
    gives(&["-5i64", "-3i64"], "-2i64\n");
    gives(&["--entry", "half", "3"], "1.5f64\n");
    gives(&["--entry", "half", "-f64.inf"], "-f64.inf\n");
    gives(&["--entry", "negate", "[1, -2.5]"], "[-1.0f32, 2.5f32]\n");
    gives(&["--entry", "lengths", "[[1], [], [2, 3]]"], "[1i64, 0i64, 2i64]\n");
    gives(&["--entry", "nothing"], "42i32\n");
}

#[test]
fn results_come_one_a_line() {
    gives(&["--entry", "both", "1"], "2i32\ntrue\n");
    gives(&["--entry", "same", "[[1], []]"], "[[1i64], []]\n");
}

#[test]
fn input_comes_from_standard_input_if_there_are_no_arguments() {
    let folder = folder();
    assert_eq!(folder.ravel_with_input(&["run", "p.rv"], b"10 -- ten\n4\n").status(0).out, "6i64\n");
    let said = folder.ravel_with_input(&["run", "p.rv"], b"10\n").status(1);
    said.complains("takes 2 values").complains("standard input has 1");
    folder.ravel_with_input(&["run", "p.rv"], b"10\n\n[\n").status(1).complains("line");
}

#[test]
fn files_go_in_and_come_out() {
    let folder = folder();
    folder.write("x.txt", b"[1.0, 2.0]");
    for output in ["y.npy", "y.bin", "y.txt"] {
        let first = ["run", "p.rv", "--entry", "negate", "@x.txt", "-o", output];
        assert_eq!(folder.ravel(&first).status(0).out, "");
        let second = ["run", "p.rv", "--entry", "negate", &format!("@{output}")];
        assert_eq!(folder.ravel(&second).status(0).out, "[1.0f32, 2.0f32]\n", "{output}");
    }
    // Jagged arrays have a binary form, but no .npy.
    folder.ravel(&["run", "p.rv", "--entry", "same", "[[1], []]", "-o", "j.bin"]).status(0);
    assert_eq!(folder.ravel(&["run", "p.rv", "--entry", "same", "@j.bin"]).status(0).out, "[[1i64], []]\n");
    folder.ravel(&["run", "p.rv", "--entry", "same", "[[1], []]", "-o", "j.npy"]).status(1).complains("jagged");
    // Several results make several .npy files.
    folder.ravel(&["run", "p.rv", "--entry", "both", "1", "-o", "b.npy"]).status(0);
    assert!(folder.path("b_0.npy").is_file() && folder.path("b_1.npy").is_file());
    folder.ravel(&["run", "p.rv", "1", "2", "-o", "missing/x.bin"]).status(1).complains("missing/x.bin");
}

#[test]
fn wrong_values_are_named() {
    let folder = folder();
    folder.ravel(&["run", "p.rv", "1"]).status(1).complains("takes 2 values").complains("command line has 1");
    folder.ravel(&["run", "p.rv", "1", "[2"]).status(1).complains("argument 2");
    folder.ravel(&["run", "p.rv", "1", "2.5"]).status(1).complains("argument 2");
    folder.ravel(&["run", "p.rv", "1", "@no.txt"]).status(1).complains("no.txt: no such file");
    folder.ravel(&["run", "p.rv", "1", "@."]).status(1).complains("directory");
    folder.write("bad.txt", b"\n\n[1, 2");
    folder.ravel(&["run", "p.rv", "--entry", "negate", "@bad.txt"]).status(1).complains("bad.txt: line 3");
    folder.write("bad.bin", b"b\x02\x01 f32\x05\x00\x00\x00\x00\x00\x00\x00\x01");
    folder.ravel(&["run", "p.rv", "--entry", "negate", "@bad.bin"]).status(1).complains("bad.bin: byte");
    folder.write("bad.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': garbage");
    folder.ravel(&["run", "p.rv", "--entry", "negate", "@bad.npy"]).status(1).complains("bad.npy: byte");
    folder.write("two.txt", b"1 2");
    folder
        .ravel(&["run", "p.rv", "1", "@two.txt"])
        .status(1)
        .complains("two.txt: line 1: there is more than one value");
}

#[test]
fn run_time_errors_name_the_place() {
    let said = folder().ravel(&["run", "p.rv", "--entry", "element", "[1, 2]", "7"]).status(1);
    said.complains("7").complains("p.rv:8:");
}

#[test]
fn entries_are_found_or_suggested() {
    let folder = folder();
    folder.ravel(&["run", "p.rv", "--entry", "haf", "1"]).status(1).complains("did you mean `half`");
    folder.ravel(&["run", "p.rv", "--entry", "zzzzzz"]).status(1).complains("main, half, negate");
    let other = Folder::new(&[("one.rv", "entry only: i32 = 1"), ("two.rv", "entry a: i32 = 1\nentry b: i32 = 2")]);
    assert_eq!(other.ravel(&["run", "one.rv"]).status(0).out, "1i32\n");
    other.ravel(&["run", "two.rv"]).status(1).complains("--entry");
}

#[test]
fn wrong_usage_has_its_own_status() {
    let folder = folder();
    folder.ravel(&["run"]).status(2);
    folder.ravel(&["run", "p.rv", "--no-such-option"]).status(2);
    folder.ravel(&["run", "p.rv", "--backend", "abacus"]).status(2).complains("interp");
    folder.ravel(&["walk"]).status(2);
    folder.ravel(&[]).status(2);
    folder.ravel(&["--help"]).status(0).says("ravel run");
    folder.ravel(&["run", "--help"]).status(0).says("@FILE");
    folder.ravel(&["--version"]).status(0).says("ravel 0.");
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ravel"))
        .args(["run", "p.rv", "--entry", "many", "200000"])
        .current_dir(folder.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"[0i6");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn traces_go_to_standard_error() {
    let folder = Folder::new(&[("a.rv", "entry main (x: i64) = trace (x + 1) * 2\n")]);
    let said = folder.ravel(&["run", "a.rv", "3"]).status(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("8i64\n", "a.rv:1:23: trace: 4i64\n"));
}

/// The innermost call in the user's text, on every back end, also where the library calls `trace`.
#[test]
fn traces_show_where_they_are_written() {
    let text = "entry own (xs: []i64) = map (\\x -> trace (x + 1)) xs
entry given (xs: []i64) = map trace xs
entry once (xs: []i64) = array [3] { [x] => 1 for x in trace xs; else [i] => i * i }
";
    let folder = Folder::new(&[("a.rv", text)]);
    let shown = ["a.rv:1:36: trace: 2i64\n", "a.rv:2:27: trace: 1i64\n", "a.rv:3:56: trace: [1i64]\n"];
    for (entry, shown) in ["own", "given", "once"].into_iter().zip(shown) {
        for backend in ["interp", "core", "c"] {
            let said = folder.ravel(&["run", "a.rv", "--entry", entry, "--backend", backend, "[1]"]).status(0);
            assert_eq!(said.err, shown, "{entry} on {backend}");
        }
    }
}

#[test]
fn without_a_compiler_the_interpreter_runs() {
    let folder = Folder::new(&[("a.rv", "entry main (x: i64) = x + 1\n")]);
    let said = folder.ravel_with(&["run", "a.rv", "3"], &[("PATH", "")]).status(0).complains("no C compiler found");
    assert_eq!((said.out.as_str(), said.err.lines().count()), ("4i64\n", 1));
    folder.ravel_with(&["run", "a.rv", "3", "--backend", "c"], &[("PATH", "")]).status(1).complains("E0802");
}

#[test]
fn what_cannot_be_compiled_is_named_and_interpreted() {
    for neutral in ["#none", "(#rows [[0], [0, 0]])"] {
        let text = format!(
            "type~ t = #none | #rows ([2][~]i64)
            def later (a: t) (b: t): t = match b case #none -> a case #rows _ -> b
            def elements (n: i64) = map (\\i -> if i % 2 == 0 then (#none: t) else #rows [[i], [i, i]]) (iota n)
            entry main (n: i64) =
              map (\\x -> match x case #none -> -1 case #rows r -> r[0, 0]) (scan later {neutral} (elements n))"
        );
        let folder = Folder::new(&[("p.rv", &text)]);
        let said = folder.ravel(&["run", "p.rv", "--backend", "interp", "3"]).status(0);
        assert_eq!(said.out, "[-1i64, 1i64, 1i64]\n", "{neutral}");
        folder.ravel(&["run", "p.rv", "--backend", "c", "3"]).status(1).complains("E0801");
    }
}

/// Recipes and code that others can have written are not used; neither is a folder where they can exchange them.
#[test]
fn code_of_strangers_is_not_run() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[("a.rv", "entry main (x: i64) = x + 1\n"), ("open/x", ""), ("cache/x", "")]);
    let (cache, open) = (folder.path("cache"), folder.path("open"));
    let set_mode = |path: &std::path::Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
    set_mode(&cache, 0o700);
    set_mode(&open, 0o777);
    let run = |cache: &std::path::Path, temporary: &str| {
        let variables = [("RAVEL_CACHE", cache.to_str().unwrap()), ("TMPDIR", temporary)];
        folder.ravel_with(&["run", "a.rv", "3", "--backend", "c"], &variables)
    };
    let said = run(&cache, "/tmp").status(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("4i64\n", ""));
    let note = std::fs::read_dir(&cache)
        .unwrap()
        .map(|f| f.unwrap().path())
        .find(|f| f.extension().is_some_and(|e| e == "note"));
    let note = note.unwrap();
    let stolen = std::fs::read_to_string(&note).unwrap().replace("entry main", "entry other");
    std::fs::write(&note, stolen).unwrap();
    set_mode(&note, 0o606);
    assert_eq!(run(&cache, "/tmp").status(0).out, "4i64\n");
    let said = run(&open, "/tmp").status(0).complains("compiled code is not cached: ").complains("chmod go-w");
    assert_eq!(said.out, "4i64\n");
    let said = run(&open, open.to_str().unwrap()).status(1);
    said.complains("nothing is compiled, because other users could replace the code").complains("TMPDIR");
}

/// A program that was compiled earlier is not compiled again, unless something it is made of has changed.
#[test]
fn compiled_programs_start_again() {
    let main = "import \"part\"\nentry main (xs: []i64) (i: i64) = factor * xs[i]\n";
    let folder = Folder::new(&[("a.rv", main), ("part.rv", "def factor = 2i64\n")]);
    let cache = folder.path("cache");
    let variables = [("RAVEL_CACHE", cache.to_str().unwrap())];
    let gives = |wanted: &str| {
        let said = folder.ravel_with(&["run", "a.rv", "[5, 6]", "1"], &variables).status(0);
        assert_eq!((said.out.as_str(), said.err.as_str()), (wanted, ""));
    };
    let kept = |extension: &str| {
        let files = std::fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|e| e == extension)).collect::<Vec<_>>()
    };
    gives("12i64\n");
    assert_eq!((kept("so").len(), kept("note").len()), (1, 1));
    gives("12i64\n");
    let fails = || folder.ravel_with(&["run", "a.rv", "[5, 6]", "2"], &variables).status(1);
    fails().complains("index 2 is out of bounds").complains("a.rv:2:");
    folder.write("part.rv", b"def factor = 3i64\n");
    gives("18i64\n");
    folder.write("part.rv", b"def factor = true\n");
    fails().complains("E0");
    folder.write("part.rv", b"def factor = 3i64\n");
    kept("so").iter().for_each(|path| std::fs::remove_file(path).unwrap());
    gives("18i64\n");
    kept("note").iter().for_each(|path| std::fs::write(path, "entry main\nparam [").unwrap());
    gives("18i64\n");
    folder.ravel_with(&["cache", "clear"], &variables).status(0);
    assert_eq!((kept("so").len(), kept("note").len()), (0, 0));
}
