//! The house rules that the compiler does not check by itself.

use crate::circles;
use crate::functions;
use crate::layers::{self, TOOLS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Longer files are split by topic.
const MOST_LINES: usize = 700;

/// What has no place in code that is called done. Written in two halves, so that this file passes.
const FORBIDDEN: &[(&str, &str)] =
    &[("todo", "!("), ("unimplemented", "!("), ("dbg", "!("), ("allow(dead", "_code)"), ("FIX", "ME"), ("XX", "X:")];

/// Checks all rules and lists what breaks them.
pub fn run(root: &Path) -> ExitCode {
    let mut problems = Vec::new();
    let packages = packages(root);
    for package in &packages {
        check_manifest(root, package, &packages, &mut problems);
        let folder = package.manifest.parent().unwrap_or(root);
        circles::check(folder, &mut problems);
    }
    let mut codes = Vec::new();
    for file in rust_files(root) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        check_file(&shown, &text, &mut problems);
        functions::check(&shown, &text, &mut problems);
        if shown.contains("/src/") && !shown.starts_with("xtask") {
            codes.extend(error_codes(&text));
        }
    }
    codes.sort();
    codes.dedup();
    check_pages(root, &codes, &mut problems);
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    if problems.is_empty() {
        println!("tidy: {} crates, {} error codes, all in order", packages.len(), codes.len());
        return ExitCode::SUCCESS;
    }
    eprintln!("tidy: {} problems", problems.len());
    ExitCode::FAILURE
}

struct Package {
    name: String,
    manifest: PathBuf,
    text: String,
}

fn packages(root: &Path) -> Vec<Package> {
    let mut folders = entries(&root.join("crates"));
    folders.push(root.join("xtask"));
    let manifests = folders.into_iter().map(|folder| folder.join("Cargo.toml")).filter(|path| path.is_file());
    manifests
        .map(|manifest| {
            let text = fs::read_to_string(&manifest).unwrap_or_default();
            let name = text.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or_default();
            Package { name: name.trim_matches('"').into(), manifest, text }
        })
        .collect()
}

/// Imports as the plan allows, and the lints of the workspace switched on.
fn check_manifest(root: &Path, package: &Package, packages: &[Package], problems: &mut Vec<String>) {
    let shown = package.manifest.strip_prefix(root).unwrap_or(&package.manifest).display();
    let Some(allowed) = layers::allowed(&package.name) else {
        problems.push(format!("{shown}: the crate `{}` is missing in xtask/src/layers.rs", package.name));
        return;
    };
    for import in section(&package.text, "[dependencies]") {
        let ours = packages.iter().any(|p| p.name == import);
        if ours && (TOOLS.contains(&import) || !allowed.contains(&import)) {
            problems.push(format!("{shown}: `{}` may not import `{import}`", package.name));
        }
    }
    if !package.text.contains("[lints]\nworkspace = true") {
        problems.push(format!("{shown}: `[lints] workspace = true` is missing"));
    }
}

/// The names in a section of a manifest.
fn section<'a>(manifest: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = manifest.lines().skip_while(|line| *line != heading).skip(1);
    let names = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split(['=', '.', ' ']).next());
    names.filter(|name| !name.is_empty()).collect()
}

fn check_file(shown: &str, text: &str, problems: &mut Vec<String>) {
    if !text.starts_with("//!") {
        problems.push(format!("{shown}:1: a file begins with `//!` and says what it is for"));
    }
    let lines = text.lines().count();
    if lines > MOST_LINES {
        problems.push(format!("{shown}: {lines} lines; split it by topic (at most {MOST_LINES})"));
    }
    for (number, line) in text.lines().enumerate() {
        for (first, second) in FORBIDDEN {
            if line.contains(&format!("{first}{second}")) {
                problems.push(format!("{shown}:{}: `{first}{second}` has no place here", number + 1));
            }
        }
    }
}

/// String literals that are error codes: a letter and three or four digits.
fn error_codes(text: &str) -> Vec<String> {
    let is_code = |word: &&str| {
        let digits = word.get(1..).unwrap_or_default();
        word.starts_with(['E', 'W', 'R']) && matches!(digits.len(), 3 | 4) && digits.bytes().all(|b| b.is_ascii_digit())
    };
    // Test modules stand at the end of a file and may make up codes.
    let program = text.lines().take_while(|line| *line != "#[cfg(test)]");
    let code_lines = program.filter(|line| !line.trim_start().starts_with("//"));
    code_lines.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(is_code).map(String::from).collect()
}

/// Every code has a page, and every page a code.
fn check_pages(root: &Path, codes: &[String], problems: &mut Vec<String>) {
    let folder = root.join("docs/errors");
    for code in codes {
        if !folder.join(format!("{code}.md")).is_file() {
            problems.push(format!("docs/errors/{code}.md is missing"));
        }
    }
    for page in entries(&folder) {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if stem.starts_with(['E', 'W', 'R']) && !stem.eq_ignore_ascii_case("readme") && !codes.contains(&stem) {
            problems.push(format!("docs/errors/{stem}.md explains a code that nothing reports"));
        }
    }
}

/// All Rust files of the workspace, sorted.
fn rust_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.join("xtask"), root.join("crates")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_read() {
        let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nbase = { workspace = true }\nscalar.workspace = true\n\n[dev-dependencies]\ny = \"1\"\n";
        assert_eq!(section(manifest, "[dependencies]"), ["base", "scalar"]);
    }

    #[test]
    fn codes_are_found_in_strings_only() {
        assert_eq!(error_codes("a(\"E0030\", \"R001\") // \"E9\"\n// \"E0031\"\nE0032"), ["E0030", "R001"]);
    }
}
