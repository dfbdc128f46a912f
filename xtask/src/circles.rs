//! Import circles: modules of one crate that import one another, directly or through others.
//!
//! A module on a circle cannot be understood or tested without the others on it. What counts is text: `use` of a path
//! that leads to another file of the crate, and such paths in the code. `pub use` does not count, since a crate's root
//! shows what its modules have. Methods do not count either, so a large object spread over files is no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Reports the import circles of a crate.
pub fn check(folder: &Path, problems: &mut Vec<String>) {
    let modules = modules(&folder.join("src"));
    problems.extend(circles(&imports(&modules)).iter().map(|circle| {
        let modules: Vec<&str> = circle.iter().map(String::as_str).collect();
        format!("{}: modules import one another: {}", folder.display(), modules.join(", "))
    }));
}

/// Text of each module, by its path inside the crate: `` for the root, `a::b` for `a/b.rs`.
type Modules = BTreeMap<String, String>;

fn modules(src: &Path) -> Modules {
    let mut found = Modules::new();
    let mut folders: Vec<(PathBuf, Vec<String>)> = vec![(src.to_path_buf(), Vec::new())];
    while let Some((folder, path)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let file = entry.path();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut inner = path.clone();
            if file.is_dir() {
                inner.push(stem);
                folders.push((file, inner));
            } else if file.extension().is_some_and(|e| e == "rs") && stem != "tests" {
                if !matches!(stem.as_str(), "lib" | "main" | "mod") {
                    inner.push(stem);
                }
                found.insert(inner.join("::"), program_text(&fs::read_to_string(&file).unwrap_or_default()));
            }
        }
    }
    found
}

/// The text without comments and without the tests at its end.
fn program_text(text: &str) -> String {
    let program = text.lines().take_while(|line| *line != "#[cfg(test)]");
    program.filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Which modules each module imports.
fn imports(modules: &Modules) -> BTreeMap<&str, BTreeSet<&str>> {
    let of = |(name, text): (&'_ String, &String)| -> BTreeSet<&str> {
        let paths = paths(text, &children(modules, name));
        let targets = paths.iter().filter_map(|path| target(modules, name, path));
        targets.filter(|target| *target != name.as_str()).collect()
    };
    modules.iter().map(|module| (module.0.as_str(), of(module))).collect()
}

/// The names of the modules right inside a module.
fn children<'m>(modules: &'m Modules, name: &str) -> Vec<&'m str> {
    let prefix = if name.is_empty() { String::new() } else { format!("{name}::") };
    let inner = modules.keys().filter_map(|module| module.strip_prefix(&prefix));
    inner.filter(|rest| !rest.is_empty() && !rest.contains("::")).collect()
}

/// All paths in a text that begin with `crate`, `super` or one of these modules, groups in braces taken apart.
fn paths(text: &str, children: &[&str]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let roots: Vec<String> = ["crate", "super"].iter().chain(children).map(|root| format!("{root}::")).collect();
    for statement in text.split_inclusive(';') {
        let start = statement.trim_start();
        if start.starts_with("pub use") || start.starts_with("pub(crate) use") || start.starts_with("pub(super) use") {
            continue;
        }
        for root in &roots {
            let before = |at: usize| statement[..at].chars().next_back();
            let begins = |at: &usize| before(*at).is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | ':'));
            let places = statement.match_indices(root.as_str()).map(|(at, _)| at).filter(begins);
            for at in places {
                read_path(&statement[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Reads a path and, where it ends in braces, all paths in them. Gives the text behind it.
fn read_path<'t>(text: &'t str, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> &'t str {
    let depth = prefix.len();
    let mut rest = text.trim_start();
    loop {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        prefix.push(rest[..end].to_string());
        rest = &rest[end..];
        let Some(next) = rest.strip_prefix("::") else { break };
        rest = next;
        if let Some(group) = rest.strip_prefix('{') {
            rest = group.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                rest = read_path(rest, prefix, found).trim_start().trim_start_matches(',').trim_start();
            }
            rest = rest.strip_prefix('}').unwrap_or(rest);
            prefix.truncate(depth);
            return rest;
        }
        if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            break;
        }
    }
    found.push(prefix.clone());
    prefix.truncate(depth);
    // A new name, `as name`, or something that is no part of a path: up to the next separator.
    &rest[rest.find([',', '}', ';']).unwrap_or(rest.len())..]
}

/// The module of this crate that a path leads into.
fn target<'m>(modules: &'m Modules, from: &str, path: &[String]) -> Option<&'m str> {
    let mut at: Vec<&str> = from.split("::").filter(|part| !part.is_empty()).collect();
    let mut parts = path.iter().map(String::as_str).peekable();
    if parts.next_if_eq(&"crate").is_some() {
        at.clear();
    }
    while parts.next_if_eq(&"super").is_some() {
        at.pop();
    }
    for part in parts {
        at.push(part);
        if !modules.contains_key(&at.join("::")) {
            at.pop();
            break;
        }
    }
    modules.get_key_value(&at.join("::")).map(|(name, _)| name.as_str())
}

/// Groups of modules that reach one another.
fn circles(imports: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<BTreeSet<String>> {
    let reached = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut next: Vec<&str> = imports[from].iter().copied().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(imports.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<&str>> = imports.keys().map(|name| (*name, reached(name))).collect();
    let shown = |name: &str| if name.is_empty() { "the root".to_string() } else { name.to_string() };
    let circle = |name: &&str| -> BTreeSet<String> {
        let both = |other: &&&str| all[*name].contains(**other) && all[**other].contains(*name);
        all.keys().filter(both).map(|other| shown(other)).collect()
    };
    let found: BTreeSet<BTreeSet<String>> = all.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let modules: Modules = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        circles(&imports(&modules)).into_iter().map(|circle| circle.into_iter().collect()).collect()
    }

    #[test]
    fn finds_modules_that_import_one_another() {
        let files = [
            ("", "mod a;\nuse a::A;\npub use b::B;"),
            ("a", "use super::b::{C, D};\nfn f() { crate::c::g::<u8>() }"),
            ("b", "use crate::{c, d::E};"),
            ("c", "fn h() { super::a::f() }"),
            ("d", "use crate::c::x::Y as Z;"),
        ];
        assert_eq!(circles_of(&files), [["a", "b", "c", "d"]]);
    }

    #[test]
    fn imports_that_lead_down_are_no_circle() {
        let files =
            [("", "use a::A;"), ("a", "use crate::b::B;\nuse super::b::c::C;"), ("b", ""), ("b::c", "use super::B;")];
        assert_eq!(circles_of(&files), Vec::<Vec<String>>::new());
    }
}
