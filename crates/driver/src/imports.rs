//! Which files a file imports, and where they lie.

use crate::std_files;
use base::Span;
use syntax::ast::{Dec, DecKind, Dialect, File, ModExp, ModExpKind};

/// A file of a compilation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// `std/NAME.rv`, carried inside the compiler.
    Std(String),
    /// A file of the user.
    User(String),
}

impl Place {
    /// The path that messages show.
    pub fn shown(&self) -> String {
        match self {
            Place::Std(name) => format!("std/{name}.rv"),
            Place::User(path) => path.clone(),
        }
    }

    /// The language of the file, by its extension.
    pub fn dialect(&self) -> Dialect {
        match self {
            Place::User(path) if path.ends_with(".fut") => Dialect::Futhark,
            Place::User(_) | Place::Std(_) => Dialect::Ravel,
        }
    }
}

/// The imports of a file in the order of their text, those inside modules included.
pub fn imports(file: &File) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    in_decs(&file.decs, &mut found);
    found
}

fn in_decs(decs: &[Dec], found: &mut Vec<(String, Span)>) {
    for dec in decs {
        match &dec.kind {
            DecKind::Import { path, span } => found.push((path.clone(), *span)),
            DecKind::Open(body) | DecKind::Module { body, .. } => in_module(body, found),
            DecKind::Value(_) | DecKind::Type(_) | DecKind::ModuleType { .. } | DecKind::Error => {}
        }
    }
}

fn in_module(module: &ModExp, found: &mut Vec<(String, Span)>) {
    match &module.kind {
        ModExpKind::Import(path) => found.push((path.clone(), module.span)),
        ModExpKind::Decs(decs) => in_decs(decs, found),
        ModExpKind::Ascribe(inner, _) | ModExpKind::Lambda(_, _, inner) | ModExpKind::Parens(inner) => {
            in_module(inner, found);
        }
        ModExpKind::Apply(fun, arg) => {
            in_module(fun, found);
            in_module(arg, found);
        }
        ModExpKind::Var(_) | ModExpKind::Error => {}
    }
}

/// Where `import "path"` in the file at `from` may lie, best first.
pub fn candidates(from: &Place, path: &str) -> Vec<Place> {
    if let Some(name) = path.strip_prefix('/') {
        return vec![Place::Std(library_name(name).into())];
    }
    match from {
        Place::Std(_) => vec![Place::Std(path.into())],
        Place::User(importer) => {
            let folder = importer.rfind('/').map_or("", |end| &importer[..=end]);
            let target = normal(&format!("{folder}{path}"));
            let endings = match from.dialect() {
                Dialect::Ravel => [".rv", ".fut"],
                Dialect::Futhark => [".fut", ".rv"],
            };
            let whole = endings.iter().any(|e| target.ends_with(e)).then(|| target.clone());
            endings.iter().map(|e| format!("{target}{e}")).chain(whole).map(Place::User).collect()
        }
    }
}

/// The library file that `/name` means: Futhark's own names for parts of its prelude all mean ours.
fn library_name(name: &str) -> &str {
    match name.strip_prefix("prelude/") {
        Some("prelude" | "math" | "soacs" | "array" | "functional" | "zip") => std_files::PRELUDE,
        Some(rest) => rest,
        None => name,
    }
}

/// The path without `.` and without `a/..`, so that one file has one name.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_relative_to_the_importer() {
        let from = Place::User("a/b/main.rv".into());
        let user = |path: &str| Place::User(path.into());
        assert_eq!(candidates(&from, "x"), [user("a/b/x.rv"), user("a/b/x.fut")]);
        assert_eq!(candidates(&from, "../x/y")[0], user("a/x/y.rv"));
        assert_eq!(candidates(&user("main.fut"), "x"), [user("x.fut"), user("x.rv")]);
        assert_eq!(candidates(&user("../main.fut"), "../x")[0], user("../../x.fut"));
        assert_eq!(candidates(&from, "x.fut")[2], user("a/b/x.fut"));
        assert_eq!(candidates(&from, "/prelude/math"), [Place::Std("prelude".into())]);
    }

    #[test]
    fn one_file_has_one_name() {
        assert_eq!(normal("./a/./b/../c.rv"), "a/c.rv");
        assert_eq!(normal("/a//b/../../c.rv"), "/c.rv");
        assert_eq!(normal("../../c.rv"), "../../c.rv");
    }
}
