//! Memory of compiled programs: every program of the project under AddressSanitizer and UBSan, a built executable and the
//! embedding example under valgrind. Both C compilers are used where they are installed; what is not there is skipped, and
//! said so.

use crate::common::Folder;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SANITIZERS: &str = "-O0 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all";

/// An allocation that is too large gives null, as without sanitizers.
const NULL_IF_TOO_LARGE: &str = "allocator_may_return_null=1";

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

/// How `ravel test` runs programs.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// In its own processes. The run-time system's readers and writers of values are no part of the code then, which makes
    /// most of what the C compiler has to do for a small program.
    Loaded,
    /// By executables.
    Built,
}

/// Runs the tests of programs.
#[track_caller]
fn all_pass(compiler: &str, flags: &str, backend: &str, how: How, paths: &[&str]) {
    let output = testing(compiler, flags, backend, how).args(paths).output().expect("ravel runs");
    assert!(output.status.success(), "{compiler} {flags}\n{}", said(&output));
}

fn testing(compiler: &str, flags: &str, backend: &str, how: How) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ravel"));
    // Sanitizers take addresses without end: no limit on memory.
    command.args(["test", "--backend", backend, "--memory", "17592186044416", "--timeout", "300"]);
    command.args((how == How::Built).then_some("--built"));
    // Programs find out by themselves that there is not as much memory as they ask for.
    command.env("ASAN_OPTIONS", NULL_IF_TOO_LARGE);
    command.env("RAVEL_CC", compiler).env("RAVEL_CFLAGS", flags).env("OMP_NUM_THREADS", "3");
    command.current_dir(root());
    command
}

/// A compiler whose sanitizers can look after code that is loaded into another program.
struct Loading {
    /// Their library, which must be there before everything else.
    library: PathBuf,
    flags: String,
    /// Holds the compiler, which must not be looked after itself.
    folder: Folder,
}

impl Loading {
    fn new(compiler: &str) -> Option<Loading> {
        let (name, more) = match compiler {
            "clang" => (format!("libclang_rt.asan-{}.so", env::consts::ARCH), "-shared-libasan"),
            _ => ("libasan.so".into(), ""),
        };
        if !there_is(compiler) || !can(compiler, SANITIZERS) {
            return None;
        }
        let asked = Command::new(compiler).arg(format!("-print-file-name={name}")).output().ok()?;
        let library = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
        if !library.is_absolute() || !library.exists() {
            eprintln!("skipped: {compiler} has no {name}");
            return None;
        }
        let folder = Folder::new(&[]);
        folder.command("cc", format!("#!/bin/sh\nunset LD_PRELOAD\nexec {compiler} \"$@\"\n").as_bytes());
        Some(Loading { library, flags: format!("{SANITIZERS} {more}"), folder })
    }

    /// `ravel test` with the sanitizers. They do not look for leaks, since they know nothing of memory that only the
    /// allocator of `ravel` refers to: `ravel test` itself counts what programs leave.
    fn testing(&self, backend: &str) -> Command {
        let compiler = self.folder.path("cc");
        let mut command = testing(&compiler.to_string_lossy(), &self.flags, backend, How::Loaded);
        command.env("LD_PRELOAD", &self.library).env("ASAN_OPTIONS", format!("detect_leaks=0:{NULL_IF_TOO_LARGE}"));
        command
    }

    #[track_caller]
    fn all_pass(&self, backend: &str, paths: &[&str]) {
        let output = self.testing(backend).args(paths).output().expect("ravel runs");
        assert!(output.status.success(), "{}\n{}", self.flags, said(&output));
    }
}

/// Programs whose tests have values of many forms, which executables read and write.
const VALUES: &[&str] = &[
    "tests/programs/language/jagged_in_elements.rv",
    "tests/programs/language/partly_known_rank.rv",
    "tests/programs/language/promises_floats.rv",
];
/// Programs for one thread. Those of the papers and the examples run with threads and as executables.
const PROGRAMS: &[&str] = &["tests/programs/language", "tests/programs/std"];

/// Programs with parallel loops of every kind. Compiling them for threads takes as long as for one, so not all are here.
const PARALLEL: &[&str] = &["tests/programs/papers", "examples"];

#[test]
fn sanitized_for_one_thread() {
    if let Some(compiler) = Loading::new("clang").or_else(|| Loading::new("gcc")) {
        compiler.all_pass("c", PROGRAMS);
    }
}

#[test]
fn sanitized_for_all_cores() {
    if let Some(compiler) = Loading::new("clang").or_else(|| Loading::new("gcc")) {
        compiler.all_pass("multicore", PARALLEL);
    }
}

/// Executables read and write values themselves, and memory that they leave is found by the sanitizers.
#[test]
fn sanitized_executables() {
    let compiler = if there_is("clang") && can("clang", SANITIZERS) { "clang" } else { "cc" };
    if there_is(compiler) && can(compiler, SANITIZERS) {
        all_pass(compiler, SANITIZERS, "c", How::Built, &["examples"]);
        all_pass(compiler, SANITIZERS, "c", How::Built, VALUES);
    }
    if there_is("gcc") && can("gcc", SANITIZERS) {
        all_pass("gcc", SANITIZERS, "multicore", How::Built, VALUES);
    }
}

#[test]
fn both_compilers_optimise_alike() {
    let flags = "-O2 -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter";
    for compiler in ["gcc", "clang"] {
        if there_is(compiler) {
            all_pass(compiler, flags, "multicore", How::Loaded, &["examples"]);
            all_pass(compiler, flags, "multicore", How::Built, &VALUES[..1]);
        }
    }
}

#[test]
fn sanitizers_watch_what_is_loaded() {
    let program = "-- ==\n-- input { 0 } output { 1 }\nentry main (x: i64): i64 = x + 1\n";
    let wrong = "#include <stdlib.h>\n\
        __attribute__((constructor)) static void wrong(void) { volatile char *p = malloc(3); p[3 + (p == 0)] = 1; }\n";
    for compiler in ["clang", "gcc"] {
        let Some(loading) = Loading::new(compiler) else { continue };
        let folder = Folder::new(&[("a.rv", program), ("wrong.h", wrong)]);
        let file = folder.path("a.rv");
        let right = loading.testing("c").arg(&file).output().expect("ravel runs");
        assert!(right.status.success(), "{}", said(&right));
        let flags = format!("{} -include {}", loading.flags, folder.path("wrong.h").display());
        let told = loading.testing("c").env("RAVEL_CFLAGS", flags).arg(&file).output().expect("ravel runs");
        assert!(!told.status.success() && said(&told).contains("heap-buffer-overflow"), "{}", said(&told));
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
    folder.command("fake-cc", script.as_bytes());
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
