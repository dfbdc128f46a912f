//! `ravel build` and `ravel cache`: executables, libraries, and the C program of `examples/embed`.

use crate::common::Folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "-- Sums and more.
entry sum [n] (xs: [n]i64): i64 = i64.sum xs
entry scale [n] (k: f64) (xs: [n]f64): [n]f64 = map (\\x -> k * x) xs
entry pick [n] (xs: [n]i64) (i: i64): i64 = xs[i]
entry rows [n] (xss: [n][~]i64): [n]i64 = map i64.sum xss
";

/// Whether there is a C compiler; says so if not.
fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no C compiler called cc");
    }
    found
}

fn run(path: &Path, args: &[&str]) -> Output {
    Command::new(path).args(args).stdin(std::process::Stdio::null()).output().expect("the executable")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn executables() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new(&[("sums.rv", PROGRAM)]);
    folder.ravel(&["build", "sums.rv", "-o", "sums", "--backend", "c"]).status(0);
    let sums = folder.path("sums");
    assert_eq!(out(&run(&sums, &["-e", "sum", "[1, 2, 3]"])), "6i64\n");
    assert_eq!(out(&run(&sums, &["--entry", "scale", "-2", "[1, 2.5]"])), "[-2.0f64, -5.0f64]\n");
    assert_eq!(out(&run(&sums, &["-e", "rows", "[[1], [], [2, 3]]"])), "[1i64, 0i64, 5i64]\n");
    let help = out(&run(&sums, &["--help"]));
    assert!(help.contains("  pick : [n] . [n]i64 -> i64 -> i64"), "{help}");
    let failed = run(&sums, &["-e", "pick", "[1, 2, 3]", "7"]);
    assert_eq!(failed.status.code(), Some(1));
    let said = err(&failed);
    assert!(said.starts_with("error[R001]: ") && said.contains("7"), "{said}");
    assert!(said.contains("--> sums.rv:4:45\n"), "{said}");
    assert!(said.contains(" 4 | entry pick [n] (xs: [n]i64) (i: i64): i64 = xs[i]\n"), "{said}");
    let wrong = run(&sums, &["-e", "sum", "[1, x]"]);
    assert_eq!(
        (wrong.status.code(), err(&wrong).as_str()),
        (Some(1), "sums: argument 1 `[1, x]`: x is not a number\n")
    );
    // What stands behind a value is told as `ravel run` does.
    for (text, words) in [
        ("[1]]", "a value is expected, but here is ']'"),
        ("[1],", "a value is expected, but here is ','"),
        ("[1]}", "a value is expected, but here is '}'"),
        ("[1] x", "x is not a number"),
        ("[1] (2", "the value ends too early"),
        ("[1] \"a", "this string has no closing quote"),
        ("[1] $", "'$' cannot be part of a value"),
        ("[1] #", "the name of a constructor is expected behind '#'"),
        ("[1] [2]", "there is more than one value"),
        ("[1] 2 ]", "there is more than one value"),
    ] {
        let said = format!("argument 1 `{text}`: {words}\n");
        folder.ravel(&["run", "sums.rv", "--backend", "interp", "--entry", "sum", text]).status(1).complains(&said);
        assert_eq!(err(&run(&sums, &["-e", "sum", text])), format!("sums: {said}"));
    }
}

#[test]
fn what_cannot_be_built() {
    let folder = Folder::new(&[("none.rv", "def f (x: i64) = x"), ("1st.rv", PROGRAM)]);
    folder.ravel(&["build", "none.rv"]).status(1).complains("the program has no entry points");
    folder.ravel(&["build", "1st.rv", "-e", "summ"]).status(1).complains("did you mean `sum`?");
    folder.ravel(&["build", "1st.rv", "--backend", "interp"]).status(2).complains("c, multicore");
    folder.ravel(&["build", "--lib", "1st.rv"]).status(1).complains("begins with a letter");
}

#[test]
fn libraries() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new(&[("sums.rv", PROGRAM)]);
    folder.ravel(&["build", "--lib", "sums.rv", "-o", "made", "--backend", "c"]).status(0);
    let manifest = std::fs::read_to_string(folder.path("made/manifest.json")).expect("the manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["entries"][3]["params"][0][0]["array"], "sums_i64_nj");
    assert_eq!(manifest["entries"][1]["function"], "sums_entry_scale");
    let header = std::fs::read_to_string(folder.path("made/sums.h")).expect("the header");
    assert!(
        header.contains("int sums_entry_sum(sums_context *context, const sums_i64_1d *xs, int64_t *result);"),
        "{header}"
    );
    // All that is visible from outside has the library's name.
    let symbols = Command::new("nm").args(["-D", "--defined-only"]).arg(folder.path("made/libsums.so")).output();
    if let Ok(symbols) = symbols {
        let foreign: Vec<String> =
            out(&symbols).lines().map(str::to_owned).filter(|line| !line.contains(" sums_")).collect();
        assert!(foreign.iter().all(|line| line.contains(" _")), "{foreign:?}");
    }
}

#[test]
fn the_embedding_example_works() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new(&[]);
    let output = Command::new("sh")
        .arg(root().join("examples/embed/run.sh"))
        .arg(folder.path("build"))
        .env("RAVEL", env!("CARGO_BIN_EXE_ravel"))
        .output()
        .expect("a shell");
    let said = out(&output);
    assert!(output.status.success(), "{said}{}", err(&output));
    assert!(said.starts_with("mean 2.5\ndoubled 2\n"), "{said}");
    assert!(said.contains("row sum 3\nrow sum 0\nrow sum 18\nrow 0 has 0 elements\n"), "{said}");
    assert!(said.contains("failed:\nerror[R") && said.contains("stats.rv:5:"), "{said}");
    assert!(said.ends_with("thread mean 499.5\n"), "{said}");
}

/// That it runs and both sides agree; how fast it is, no test can say.
#[test]
fn the_benchmark_of_map_works() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new(&[]);
    let mut command = Command::new("sh");
    command.arg(root().join("benchmarks/map/run.sh")).arg(folder.path("build")).arg("1000");
    let output = command.env("RAVEL", env!("CARGO_BIN_EXE_ravel")).output().expect("a shell");
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    assert!(out(&output).starts_with("1000 doubles, median of 9 rounds: ravel "), "{}", out(&output));
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let folder = Folder::new(&[("sums.rv", PROGRAM)]);
    let kept = folder.path("kept");
    let ravel = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ravel"));
        let output = command.args(args).env("RAVEL_CACHE", &kept).current_dir(folder.path("")).output().expect("ravel");
        assert!(output.status.success(), "{}", err(&output));
        out(&output)
    };
    assert!(ravel(&["cache"]).contains("kept: 0 programs, 0 bytes"));
    if !has_compiler() {
        return;
    }
    for _ in 0..2 {
        assert_eq!(ravel(&["run", "sums.rv", "--backend", "c", "--entry", "sum", "[1, 2]"]), "3i64\n");
    }
    let shown = ravel(&["cache", "show"]);
    assert!(shown.contains(&format!("folder: {}", kept.display())) && shown.contains("kept: 1 program, "), "{shown}");
    assert!(ravel(&["cache", "clear"]).contains("removed: 1 program, "));
    assert!(ravel(&["cache"]).contains("kept: 0 programs"));
}

#[test]
fn values_of_all_forms_go_through_c() {
    if !has_compiler() {
        return;
    }
    let (program, caller) = (include_str!("embed/forms.rv"), include_str!("embed/forms.c"));
    let folder = Folder::new(&[("forms.rv", program), ("main.c", caller)]);
    folder.ravel(&["build", "--lib", "forms.rv", "-o", "made"]).status(0);
    let compiler = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-g", "-O1", "-pthread"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .args(["-Imade", "main.c", "made/forms.c", "-o", "main", "-lm"])
        .current_dir(folder.path(""))
        .output()
        .expect("cc starts");
    assert!(compiler.status.success(), "{}", err(&compiler));
    let output = run(&folder.path("main"), &[]);
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    assert_eq!(out(&output), include_str!("embed/forms.txt"));
}

/// Ctrl-C ends a program that runs, interpreted by nobody: `ravel run` and an executable.
#[test]
fn an_interrupt_stops_programs() {
    use std::os::unix::process::ExitStatusExt;
    // Whoever runs the tests may have had the signal ignored for everybody.
    let own = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = own.lines().find_map(|line| line.strip_prefix("SigIgn:\t"));
    if ignored.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 2 != 0) {
        eprintln!("skipped: interrupts are ignored here");
        return;
    }
    if !has_compiler() {
        return;
    }
    let text = "entry main (n: i64): i64 = loop s = 0 for i < n do s * 3 + i\n";
    let folder = Folder::new(&[("spin.rv", text)]);
    folder.ravel(&["build", "spin.rv", "-o", "spin", "--backend", "c"]).status(0);
    let (ravel, spin) = (PathBuf::from(env!("CARGO_BIN_EXE_ravel")), folder.path("spin"));
    let runs: [(&Path, &[&str]); 2] =
        [(&ravel, &["run", "--backend", "multicore", "spin.rv", "900000000000"]), (&spin, &["900000000000"])];
    for (program, args) in runs {
        let mut child = Command::new(program).args(args).current_dir(folder.path("")).spawn().expect("it starts");
        std::thread::sleep(std::time::Duration::from_secs(2));
        let sent = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status().expect("kill");
        assert!(sent.success());
        let start = std::time::Instant::now();
        let status = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break Some(status),
                None if start.elapsed().as_secs() > 60 => break None,
                None => std::thread::sleep(std::time::Duration::from_millis(20)),
            }
        };
        if status.is_none() {
            child.kill().expect("it ends");
        }
        assert!(status.is_some_and(|status| status.signal() == Some(2)), "{status:?}");
    }
}

#[test]
fn executables_read_npy() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new(&[("sums.rv", PROGRAM), ("id.rv", "entry main [n] [m] (a: [n][m]f64) = a")]);
    folder.ravel(&["build", "sums.rv", "-o", "sums", "--backend", "c"]).status(0);
    folder.ravel(&["run", "id.rv", "[[1, 2], [3, 4.5]]", "-o", "a.npy", "--backend", "interp"]).status(0);
    folder.ravel(&["build", "id.rv", "-o", "id", "--backend", "c"]).status(0);
    let at = |name: &str| format!("@{}", folder.path(name).display());
    assert_eq!(out(&run(&folder.path("id"), &[&at("a.npy")])), "[[1.0f64, 2.0f64], [3.0f64, 4.5f64]]\n");
    let wrong = run(&folder.path("sums"), &["-e", "sum", &at("a.npy")]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(err(&wrong).contains("a value of type []i64 is expected, but this one is [][]f64"), "{}", err(&wrong));
    let bytes = std::fs::read(folder.path("a.npy")).expect("the file");
    for cut in [7, 9, 20, 60, bytes.len() - 1] {
        folder.write("cut.npy", &bytes[..cut]);
        let said = run(&folder.path("id"), &[&at("cut.npy")]);
        assert_eq!(said.status.code(), Some(1), "{cut}: {}{}", out(&said), err(&said));
    }
}
