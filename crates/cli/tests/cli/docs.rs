//! The README, the guide, the reference: every program in them is accepted and passes its tests, and every command shown
//! gives what is shown below it.
//!
//! Fences mean:
//! - ```` ```ravel ```` (or `futhark`): a program; it must pass `ravel test`. A name behind it (```` ```ravel sum.rv ````)
//!   keeps it as a file for the commands and programs further down the page.
//! - ```` ```ravel error E0401 ````: a program that must be rejected under this code; a name may follow.
//! - ```` ```ravel failing sum.rv ````: a program that is accepted, but whose tests must not all pass.
//! - ```` ```console ````: commands after `$ `, each followed by all it prints. `cargo run --release --` is the binary run
//!   in the root of the project; other commands run in a folder with the page's named programs.
//!
//! With `UPDATE_EXPECT` set (`cargo xtask bless`), what commands print is written into the pages.

use crate::common::{self, Folder};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

const CARGO_RUN: &str = "cargo run --release --";

/// A page while it is read.
struct Page {
    path: PathBuf,
    folder: Folder,
    problems: Vec<String>,
    /// The page as it should be.
    blessed: String,
}

impl Page {
    fn problem(&mut self, line: usize, what: &str) {
        self.problems.push(format!("{}:{line}: {what}", self.path.display()));
    }

    /// A program: named ones stay for the rest of the page.
    fn program(&mut self, line: usize, info: &str, text: &str) {
        let mut words = info.split_whitespace();
        let ending = if words.next() == Some("futhark") { "fut" } else { "rv" };
        let rest: Vec<&str> = words.collect();
        match rest.as_slice() {
            ["error", code] => self.rejected(line, &format!("rejected.{ending}"), code, text),
            ["error", code, name] => self.rejected(line, name, code, text),
            ["failing", name] => self.failing(line, name, text),
            [name] => self.accepted(line, name, text),
            _ => self.accepted(line, &format!("program.{ending}"), text),
        }
    }

    fn accepted(&mut self, line: usize, name: &str, text: &str) {
        self.folder.write(name, text.as_bytes());
        // Compiling hundreds of programs would take minutes.
        let said = self.folder.ravel(&["test", "--backend", "interp", name]);
        if said.status != 0 {
            self.problem(line, &format!("this program fails:\n{}{}\n{text}", said.out, said.err));
        }
    }

    fn rejected(&mut self, line: usize, name: &str, code: &str, text: &str) {
        self.folder.write(name, text.as_bytes());
        let said = self.folder.ravel(&["check", name]);
        if !said.err.contains(&format!("[{code}]")) {
            self.problem(line, &format!("this program should be rejected with {code}:\n{}\n{text}", said.err));
        }
    }

    fn failing(&mut self, line: usize, name: &str, text: &str) {
        self.folder.write(name, text.as_bytes());
        if self.folder.ravel(&["check", name]).status != 0
            || self.folder.ravel(&["test", "--backend", "interp", name]).status != 1
        {
            self.problem(line, &format!("this program should be accepted and fail a test:\n{text}"));
        }
    }

    /// Commands and what they print.
    fn console(&mut self, line: usize, shown: &str) {
        let mut now = String::new();
        for command in shown.lines().filter(|line| line.starts_with("$ ")) {
            let printed = self.output(&command[2..]);
            now += &format!("{command}\n{printed}");
        }
        if now.trim_end() != shown.trim_end() {
            self.problem(line, &format!("these commands print something else:\n{now}\nin place of\n{shown}"));
        }
        self.blessed += &now;
    }

    /// What a command prints, to both outputs, without blanks at the ends of lines.
    fn output(&self, command: &str) -> String {
        let (command, folder) = match command.strip_prefix(CARGO_RUN) {
            Some(rest) => (format!("ravel {rest}"), root()),
            None => (command.to_string(), self.folder.path(".")),
        };
        let bin = Path::new(env!("CARGO_BIN_EXE_ravel")).parent().expect("the folder of the binary");
        let path = format!("{}:{}", bin.display(), env::var("PATH").unwrap_or_default());
        let merged = format!("{{ {command}\n}} 2>&1");
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &merged]).env("PATH", path).current_dir(folder).output().expect("sh starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

fn read(path: &Path) -> Page {
    let text = fs::read_to_string(path).expect("a page");
    let mut page = Page { path: path.into(), folder: Folder::new(&[]), problems: Vec::new(), blessed: String::new() };
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        page.blessed += &format!("{line}\n");
        let Some(info) = line.strip_prefix("```") else { continue };
        let body: String =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").map(|l| format!("{l}\n")).collect();
        match info.split_whitespace().next() {
            Some("console") => page.console(number + 1, &body),
            Some("ravel" | "futhark") => {
                page.program(number + 1, info, &body);
                page.blessed += &body;
            }
            _ => page.blessed += &body,
        }
        page.blessed += "```\n";
    }
    page
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages but those of the errors, which have a test of their own.
fn pages() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of pages") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "errors") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn pages_tell_the_truth() {
    let pages = pages();
    let read: Vec<Page> = thread::scope(|scope| {
        let started: Vec<_> = pages.iter().map(|path| scope.spawn(|| read(path))).collect();
        started.into_iter().map(|page| page.join().expect("a page read")).collect()
    });
    if env::var_os("UPDATE_EXPECT").is_some() {
        read.iter().for_each(|page| fs::write(&page.path, &page.blessed).expect("a page written"));
    }
    let problems: Vec<&str> = read.iter().flat_map(|page| &page.problems).map(String::as_str).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn pages_link_to_pages() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let link = !file.is_empty() && !file.contains("://") && !file.contains(' ');
            if link && !folder.join(file).exists() {
                broken.push(format!("{}: there is no {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_commands_of_the_examples_work() {
    let folder = root().join("examples");
    for entry in fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("an example");
        for command in text.lines().filter_map(|line| line.strip_prefix("--   cargo run --release -- ")) {
            let words = words(command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            common::run(&root(), &words, b"").status(0);
        }
    }
}

/// A command line as words; single quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
