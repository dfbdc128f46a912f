//! Every program of the project does what its tests say: the language's rules, the library, the examples, the benchmarks.
//!
//! Where a program must be rejected or must fail, the whole message is pinned word for word in a file beside it that ends
//! in `.err`; `cargo xtask bless` writes these anew, to be reviewed as a diff.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Runs all tests below a folder; gives one report for each case.
#[track_caller]
fn reports(folder: &Path) -> Vec<Value> {
    let said = crate::common::run(folder, &["test", "--backend", "interp", "--json", "--timeout", "300", "."], b"");
    let reports: Vec<Value> = said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let failed = failures(&reports);
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert!(said.status == 0 && !reports.is_empty(), "{}{}", said.out, said.err);
    reports
}

/// What the reports say of cases that failed.
fn failures(reports: &[Value]) -> Vec<String> {
    let failed = reports.iter().filter(|report| report["outcome"] == "failed");
    failed.map(|report| format!("{}:{}\n{}", text(report, "file"), report["line"], text(report, "reason"))).collect()
}

fn text(report: &Value, key: &str) -> String {
    report[key].as_str().unwrap_or_default().into()
}

/// The file of pinned messages for each program that has some, and what it should hold.
fn messages(folder: &Path, reports: &[Value]) -> BTreeMap<PathBuf, String> {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for report in reports.iter().filter(|report| report["message"].is_string()) {
        let pinned = files.entry(folder.join(text(report, "file")).with_extension("err")).or_default();
        if report["kind"] == "run" {
            *pinned += &format!("{} #{}\n", text(report, "entry"), report["case"]);
        }
        *pinned += &text(report, "message");
    }
    files
}

/// All files of pinned messages below a folder.
fn pinned(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(pinned(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "err") {
            found.push(entry);
        }
    }
    found
}

/// Writes the pinned messages as they are now.
fn bless(folder: &Path, wanted: &BTreeMap<PathBuf, String>) {
    pinned(folder).iter().for_each(|old| fs::remove_file(old).expect("an old file removed"));
    wanted.iter().for_each(|(path, text)| fs::write(path, text).expect("a file written"));
}

/// All tests of a folder pass, with the very messages that are pinned.
#[track_caller]
fn all_pass(folder: &str) {
    let folder = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)).expect("a folder");
    let wanted = messages(&folder, &reports(&folder));
    if env::var_os("UPDATE_EXPECT").is_some() {
        return bless(&folder, &wanted);
    }
    let mut problems = Vec::new();
    for (path, now) in &wanted {
        let then = fs::read_to_string(path).unwrap_or_default();
        if &then != now {
            problems.push(format!("{}\nis:\n{then}\nshould be:\n{now}", path.display()));
        }
    }
    let stale = pinned(&folder).into_iter().filter(|path| !wanted.contains_key(path));
    problems.extend(stale.map(|path| format!("{}: no test gives these messages", path.display())));
    let advice = "`cargo xtask bless -p ravel programs` accepts the messages as they are now";
    assert!(problems.is_empty(), "{}\n\n{advice}", problems.join("\n\n"));
}

#[test]
fn tests_programs() {
    all_pass("tests/programs");
}

#[test]
fn examples() {
    all_pass("examples");
}

#[test]
fn benchmarks() {
    all_pass("benchmarks");
}

/// Most of the programs.
const LARGE: [&str; 2] = ["language", "std"];

/// Core and native code give what the interpreter gives, in every program of the project, and what every pass makes keeps
/// the rules. Where a program fails, the message is the one that is pinned, word for word. Without optimisation: it is about what the
/// compiler of this project writes, and the C compiler takes most of the time. Rules are verified on one of the back ends: the passes
/// are the same for all.
#[track_caller]
fn agrees(backend: &str, more: &[&str], paths: &[&str]) {
    let root = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("a folder");
    let programs = root.join("tests/programs");
    let said = Command::new(env!("CARGO_BIN_EXE_ravel"))
        .args(["test", "--backend", backend, "--json", "--timeout", "300"])
        .args(more)
        .args(paths)
        .args(["papers", "../../examples", "../../benchmarks/finpar", "../../benchmarks/kernels"])
        .env("RAVEL_CFLAGS", "-O0")
        .current_dir(&programs)
        .output()
        .expect("ravel runs");
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    let reports: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut problems = failures(&reports);
    for report in reports.iter().filter(|report| report["message"].is_string()) {
        let pinned = fs::read_to_string(programs.join(text(report, "file")).with_extension("err")).unwrap_or_default();
        let case = format!("{} #{}\n{}", text(report, "entry"), report["case"], text(report, "message"));
        if !pinned.contains(&case) {
            problems.push(format!("{}: on {backend} the message is another one:\n{case}", text(report, "file")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(said.status.success() && !reports.is_empty(), "{out}{err}");
}

#[test]
fn interpreted_as_core() {
    agrees("core", &[], &LARGE);
}

/// The other programs run on one thread under sanitizers ([`crate::memory`]).
#[test]
fn compiled_for_one_thread() {
    agrees("c", &[], &[]);
}

#[test]
fn compiled_for_all_cores() {
    agrees("multicore", &["--verify"], &LARGE);
}
