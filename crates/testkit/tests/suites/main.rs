//! The text suites under `tests/`: what each pass makes of small programs, in full.
//!
//! A suite is a Markdown file: prose, then an input fence (`src`, `fut`, `core` or `kernel`, with the passes to run), then
//! the whole output (`types`, `counts`, `core`, `kernel`, `c` or `error`), then, if wanted, a `check` fence. `pass=types`
//! stops behind the checker: its output is what `ravel types` prints, or the checker's messages. `pass=counts` shows how many
//! operations, arrays and checks each entry point has before and after optimisation ([`counts`]).
//!
//! ````text
//! ```src pass=core
//! entry f [n] (xs: [n]i64) = map (+ 1) xs
//! ```
//! ```core
//! ...
//! ```
//! ```check
//! count bulk 1
//! run f [1, 2] == [2, 3]
//! run g [] fails R001
//! ```
//! ````
//!
//! Implied by every test: the input and the output keep the rules, each text of Core or Kernel prints as itself, and `run`
//! gives the same on the interpreter, on Core before and after, and as native code. `cargo xtask bless -p testkit` writes
//! the outputs as they are now, to be reviewed as a diff. `SUITE=fuse` runs only the files with this in their names.

mod counts;
mod judge;
mod markdown;
mod ways;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Checks all suites of a topic.
fn topic(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("it").path()).collect();
    files.sort();
    let wanted = std::env::var("SUITE").unwrap_or_default();
    let is_suite = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "md") && named(file, &wanted);
    let suites: Vec<&PathBuf> = files.iter().filter(is_suite).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(file) = suites.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = suite(file);
            wrong.lock().expect("a list").extend(found);
        }
    };
    thread::scope(|scope| {
        (0..thread::available_parallelism().map_or(1, usize::from)).for_each(|_| drop(scope.spawn(work)));
    });
    let wrong: Vec<String> = wrong.into_inner().expect("a list");
    let advice = "`cargo xtask bless -p testkit` accepts the outputs as they are now";
    assert!(wrong.is_empty(), "{}\n\n{advice}", wrong.join("\n\n"));
}

fn named(file: &Path, part: &str) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().contains(part))
}

/// Checks one file; what is wrong with it.
fn suite(file: &Path) -> Vec<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).expect("a suite");
    let mut document = markdown::parse(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(!document.tests.is_empty(), "{name}: there is nothing to test");
    let bless = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for test in &mut document.tests {
        let outcome = judge::judge(test);
        let place = format!("{name}:{} ({})", test.line, test.title);
        if let Some((kind, now)) = outcome.output {
            if bless {
                test.output = Some((kind, now));
            } else if test.output.as_ref() != Some(&(kind.clone(), now.clone())) {
                let (was_kind, was) = test.output.clone().unwrap_or_default();
                wrong.push(format!("{place}: expected {was_kind}\n{was}got {kind}\n{now}"));
            }
        }
        wrong.extend(outcome.wrong.into_iter().map(|why| format!("{place}: {why}")));
    }
    if bless {
        std::fs::write(file, document.to_string()).expect("a suite written");
    }
    wrong
}

#[test]
fn types() {
    topic("types");
}

#[test]
fn sizes() {
    topic("sizes");
}

#[test]
fn uniqueness() {
    topic("uniqueness");
}

#[test]
fn core() {
    topic("core");
}

#[test]
fn desugar() {
    topic("desugar");
}

#[test]
fn transform() {
    topic("transform");
}

#[test]
fn lower() {
    topic("lower");
}

#[test]
fn codegen() {
    topic("codegen");
}
