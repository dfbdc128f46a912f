//! Every library function over elements of every kind, on every back end.
//!
//! `tests/library/table.txt` has a row (or several) for each polymorphic function of the library, `tests/library/kinds` a file
//! for each kind of elements. One program is made for each kind, with an entry point for each row, so that the C compiler runs
//! once a kind. A function without a row fails the test, unless the table says why it needs none.

use crate::common::Folder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// One row of the table: which function is called, and what must be true of the call.
struct Row {
    function: String,
    claim: String,
    flat: bool,
}

/// The rows of the table, and the functions that need none.
struct Table {
    rows: Vec<Row>,
    exceptions: BTreeSet<String>,
}

impl Table {
    fn read() -> Table {
        let mut table = Table { rows: Vec::new(), exceptions: BTreeSet::new() };
        let text = read(&root().join("tests/library/table.txt"));
        let mut section = "";
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(comment) = line.strip_prefix('#') {
                section = comment.trim();
                continue;
            }
            let (function, rest) = line.split_once(": ").unwrap_or_else(|| panic!("no row: {line}"));
            match section {
                "exceptions" => drop(table.exceptions.insert(function.into())),
                _ => table.rows.push(Row { function: function.into(), claim: rest.into(), flat: section == "flat" }),
            }
        }
        table
    }

    /// A program that has an entry point for each row that elements of this kind allow.
    fn program(&self, kind: &str) -> String {
        let first =
            kind.lines().next().and_then(|line| line.strip_prefix("-- elements: ")).expect("the type of elements");
        let (elements, is_flat) = first.strip_suffix(", flat").map_or((first, false), |elements| (elements, true));
        let mut text = format!("{kind}\n{SCOPE}");
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| is_flat || !row.flat) {
            let claim = row.claim.replace("{t}", elements);
            text += &format!("\nentry row_{number}: bool =\n  let (x, u) = (elements[5], elements[2])\n  in {claim}\n");
            text += &format!("-- ==\n-- entry: row_{number}\n-- input {{ }}\n-- output {{ true }}\n");
        }
        text
    }

    /// What failed, by the rows of the table.
    fn failures(&self, reports: &[Value]) -> Vec<String> {
        let failed = reports.iter().filter(|report| report["outcome"] == "failed");
        let row = |report: &Value| report["entry"].as_str()?.strip_prefix("row_")?.parse::<usize>().ok();
        let shown = |report: &Value| {
            let claim = row(report).map_or("", |number| &self.rows[number].claim);
            let text = |key: &str| report[key].as_str().unwrap_or_default();
            format!("{} in {}\n{}", claim, text("file"), text("reason"))
        };
        failed.map(shown).collect()
    }
}

const SCOPE: &str = "
def elements = map (\\i -> mk i) (iota 8)
def of [n] (is: [n]i64) = map (\\i -> elements[i]) is
def xs = map (\\i -> mk i) [3, 0, 2, 1, 2]
def ys = map (\\i -> mk i) [1, 0, 4]
def us = map (\\i -> mk i) [2, 6, 4]
def none = take 0 xs
def xss = jagged.concat [xs] [none, ys]
def hi v w = if un v >= un w then v else w
def lo v w = if un v <= un w then v else w
";

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("a folder")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder with an ending, in order.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    files.sort();
    files
}

/// A definition that programs can use: its name with the module's in front, and whether it has type parameters.
struct Exported {
    name: String,
    is_polymorphic: bool,
}

/// What a file of the library defines for programs.
fn exported(text: &str) -> Vec<Exported> {
    let mut module = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("module ").and_then(|rest| rest.strip_suffix(" = {")) {
            // A module's type may follow its name: `module bool: (from_prim with t = bool) = {`.
            module = format!("{}.", name.split([':', ' ']).next().unwrap_or(name));
        } else if line == "}" {
            module.clear();
        } else if let Some(rest) = line.trim_start().strip_prefix("def ") {
            let (name, rest) = rest.split_once([' ', ':']).expect("more than a name");
            let name = format!("{module}{}", name.trim_matches(['(', ')']));
            found.push(Exported { name, is_polymorphic: rest.split('(').next().is_some_and(|p| p.contains('\'')) });
        }
    }
    found
}

/// Runs the table on a back end, with all kinds of elements or with those named, once for each number of threads.
#[track_caller]
fn agrees(backend: &str, kinds: Option<&[&str]>, threads: &[&str]) {
    let table = Table::read();
    let folder = Folder::new(&[]);
    for kind in files("tests/library/kinds", "rv") {
        let name = kind.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
        if kinds.is_none_or(|kinds| kinds.contains(&name.trim_end_matches(".rv"))) {
            folder.write(&name, table.program(&read(&kind)).as_bytes());
        }
    }
    let arguments = ["test", "--backend", backend, "--json", "--timeout", "300", "."];
    for count in threads {
        // It is about what this compiler writes, and the C compiler takes most of the time. The loops are short, and
        // have threads all the same.
        let variables = [("RAVEL_CFLAGS", "-O0 -DRV_WORTH=0"), ("OMP_NUM_THREADS", count)];
        let said = folder.ravel_with(&arguments, &variables);
        let reports: Vec<Value> = said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let failures = table.failures(&reports);
        assert!(failures.is_empty(), "with {count} threads: {}", failures.join("\n\n"));
        assert!(said.status == 0 && reports.len() > table.rows.len(), "{}{}", said.out, said.err);
    }
}

#[test]
fn interpreted() {
    agrees("interp", None, &["1"]);
}

/// The second run finds the compiled code of the first one.
#[test]
fn compiled_for_all_cores() {
    agrees("multicore", None, &["3", "1"]);
}

/// The text of C is the same as for all cores, so a few kinds show that it computes the same without threads.
#[test]
fn compiled_for_one_thread() {
    agrees("c", Some(&["jagged_row", "sum", "tuple_with_jagged_row"]), &["1"]);
}

/// Every function that may have elements of any kind is in the table; any other is in a test of its own.
#[test]
fn the_table_is_complete() {
    let table = Table::read();
    let rows: BTreeSet<&str> = table.rows.iter().map(|row| row.function.as_str()).collect();
    let tests = ["rv", "fut"].iter().flat_map(|ending| files("tests/programs/std", ending));
    let tests: String = tests.map(|path| read(&path)).collect();
    let is_tested = |function: &Exported| match function.is_polymorphic {
        true => rows.contains(function.name.as_str()) || table.exceptions.contains(&function.name),
        false => tests.contains(function.name.as_str()),
    };
    let all: Vec<Exported> = files("std", "rv").iter().flat_map(|path| exported(&read(path))).collect();
    let missing: Vec<&str> = all.iter().filter(|f| !is_tested(f)).map(|f| f.name.as_str()).collect();
    assert!(missing.is_empty(), "add rows to tests/library/table.txt, or tests to tests/programs/std, for {missing:?}");
    let known: BTreeSet<&str> = all.iter().map(|function| function.name.as_str()).collect();
    let stale: Vec<&&str> = rows.iter().filter(|row| !known.contains(*row)).collect();
    assert!(stale.is_empty(), "rows for what the library does not define: {stale:?}");
}
