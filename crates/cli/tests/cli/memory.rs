//! Memory of compiled programs: every program of the project under AddressSanitizer and UBSan, a built executable and the
//! embedding example under valgrind. Both C compilers are used where they are installed; what is not there is skipped, and
//! said so.

use crate::common::Folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SANITIZERS: &str = "-O0 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether a command can be run.
fn there_is(command: &str) -> bool {
    let found = Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: {command} is not installed");
    }
    found
}

/// Whether a compiler makes programs with these flags.
fn can(compiler: &str, flags: &str) -> bool {
    let folder = Folder::new(&[("probe.c", "int main(void) { return 0; }\n")]);
    let mut command = Command::new(compiler);
    command.args(flags.split_whitespace()).args(["probe.c", "-o", "probe"]).current_dir(folder.path(""));
    let fine = command.output().is_ok_and(|output| output.status.success())
        && Command::new(folder.path("probe")).output().is_ok_and(|output| output.status.success());
    if !fine {
        eprintln!("skipped: {compiler} cannot make programs with {flags}");
    }
    fine
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs the tests of programs by executables.
#[track_caller]
fn all_pass(compiler: &str, flags: &str, backend: &str, paths: &[&str]) {
    // Sanitizers take addresses without end: no limit on memory.
    let output = Command::new(env!("CARGO_BIN_EXE_ravel"))
        .args(["test", "--built", "--backend", backend, "--memory", "17592186044416", "--timeout", "300"])
        .args(paths)
        .env("RAVEL_CC", compiler)
        .env("RAVEL_CFLAGS", flags)
        .env("OMP_NUM_THREADS", "3")
        .current_dir(root())
        .output()
        .expect("ravel runs");
    assert!(output.status.success(), "{compiler} {flags}\n{}", said(&output));
}

const PROGRAMS: &[&str] = &["tests/programs/language", "tests/programs/papers", "tests/programs/std", "examples"];

#[test]
fn sanitized_for_one_thread() {
    let compiler = if there_is("clang") && can("clang", SANITIZERS) { "clang" } else { "cc" };
    if there_is(compiler) && can(compiler, SANITIZERS) {
        all_pass(compiler, SANITIZERS, "c", PROGRAMS);
    }
}

#[test]
fn sanitized_for_all_cores() {
    let compiler = if there_is("gcc") { "gcc" } else { "cc" };
    if there_is(compiler) && can(compiler, SANITIZERS) {
        all_pass(compiler, SANITIZERS, "multicore", PROGRAMS);
    }
}

#[test]
fn both_compilers_optimise_alike() {
    for compiler in ["gcc", "clang"] {
        if there_is(compiler) {
            all_pass(
                compiler,
                "-O2 -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter",
                "multicore",
                &["examples"],
            );
        }
    }
}

/// What a sanitizer has to say is no result of a program: a test that expects some error must not be content with it.
#[test]
fn sanitizers_are_listened_to() {
    let program = "-- ==\n-- input { 1 } error:\n-- input { 0 } output { 1 }\nentry main (x: i64): i64 = if x == 0 then 1 else assert false x\n";
    let folder = Folder::new(&[("a.rv", program)]);
    if !there_is("cc") {
        return;
    }
    folder.ravel(&["test", "--built", "--backend", "c", "a.rv"]).status(0);
    // A compiler that puts a complaint into every program.
    let script = "#!/bin/sh\nout=; for a in \"$@\"; do [ \"$last\" = -o ] && out=$a; last=$a; done\n\
        [ -z \"$out\" ] && exec cc \"$@\"\n\
        printf '#!/bin/sh\\necho \"error[R009]: ==1==ERROR: AddressSanitizer: heap-use-after-free\" >&2; exit 1\\n' > \"$out\"; chmod +x \"$out\"\n";
    folder.write("fake-cc", script.as_bytes());
    let made = Command::new("chmod").arg("+x").arg(folder.path("fake-cc")).status().expect("chmod");
    assert!(made.success());
    let output = Command::new(env!("CARGO_BIN_EXE_ravel"))
        .args(["test", "--built", "--backend", "c", "a.rv"])
        .env("RAVEL_CC", folder.path("fake-cc"))
        .current_dir(folder.path(""))
        .output()
        .expect("ravel runs");
    assert!(said(&output).contains("0 passed, 2 failed"), "{}", said(&output));
}

/// Flags for code that valgrind knows: not the newest instructions of this processor.
fn plain() -> &'static str {
    if cfg!(target_arch = "x86_64") { "-O1 -g -march=x86-64" } else { "-O1 -g" }
}

#[track_caller]
fn no_leak(program: &Path, args: &[&str], status: i32) {
    let output = Command::new("valgrind")
        .args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect"])
        .args(["--show-leak-kinds=definite,indirect", "--error-exitcode=77", "--max-stackframe=1000000000"])
        .arg(program)
        .args(args)
        .env("OMP_NUM_THREADS", "2")
        .output()
        .expect("valgrind runs");
    assert_eq!(output.status.code(), Some(status), "{}", said(&output));
}

const LEAKY: &str = "
entry sorted [n] (xs: [n]i64): []i64 = map (* 2) (filter (> 0) (scan (+) 0 xs))
entry rows [n] (xss: [n][~]i64): ([n][~]i64, i64) = (map (map (+ 1)) xss, i64.sum (map i64.sum xss))
entry large (n: i64): i64 = i64.sum (map (\\i -> i % 7) (iota n))
entry chain (n: i64): i64 = let rec f = array [n] { [0] => 1; [i] => f[i-1] + 1 for 1 <= i < n } in f[n-1]
entry fails [n] (xs: [n]i64): i64 = let ys = map (+ 1) xs in ys[i64.sum (map (* 3) ys)]
";

#[test]
fn executables_do_not_leak() {
    if !there_is("valgrind") || !there_is("cc") {
        return;
    }
    let folder = Folder::new(&[("leaky.rv", LEAKY)]);
    let built = Command::new(env!("CARGO_BIN_EXE_ravel"))
        .args(["build", "leaky.rv", "-o", "leaky"])
        .env("RAVEL_CFLAGS", plain())
        .current_dir(folder.path(""))
        .output()
        .expect("ravel runs");
    assert!(built.status.success(), "{}", said(&built));
    let leaky = folder.path("leaky");
    no_leak(&leaky, &["-e", "sorted", "-r", "3", "[1, -5, 7, 8]"], 0);
    no_leak(&leaky, &["-e", "rows", "[[1], [], [2, 3]]"], 0);
    no_leak(&leaky, &["-e", "large", "20000"], 0);
    no_leak(&leaky, &["-e", "chain", "50"], 0);
    no_leak(&leaky, &["-e", "fails", "[1, 2]"], 1);
    no_leak(&leaky, &["-e", "sorted", "[1, x]"], 1);
}

#[test]
fn embedded_programs_do_not_leak() {
    if !there_is("valgrind") || !there_is("cc") {
        return;
    }
    let folder = Folder::new(&[]);
    let output = Command::new("sh")
        .arg(root().join("examples/embed/run.sh"))
        .arg(folder.path("build"))
        .env("RAVEL", env!("CARGO_BIN_EXE_ravel"))
        .env("RAVEL_CFLAGS", plain())
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{}", said(&output));
    no_leak(&folder.path("build/main"), &[], 0);
}
