//! How to run a program that was compiled earlier without compiling it again.
//!
//! A recipe is noted beside the compiled code. It is found by the text of the program's main file and holds for as long
//! as the files that this one imports are what they were. Only what a run needs is in it: if the program fails, it is
//! translated anew to say where.

use crate::disk::Disk;
use base::Sources;
use driver::Files;
use native::cache;
use scalar::Layout;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a run needs to know of a compiled entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// Its name.
    pub entry: String,
    /// What it takes.
    pub params: Vec<Layout>,
    /// What it gives.
    pub results: Vec<Layout>,
    /// What it traces, and where.
    pub traces: Vec<(Layout, String)>,
    /// The name that the code is kept under, if it is kept.
    pub code: Option<String>,
}

/// Where the recipe of a run is noted.
pub struct Shelf {
    folder: PathBuf,
    about: [String; 3],
}

impl Shelf {
    /// The place for a program, read as a file, and an entry point that was asked for. None where nothing can be kept.
    pub fn new(file: &Path, entry: Option<&str>, parallel: bool) -> Option<Shelf> {
        let options = native::Options { parallel, ..Default::default() };
        let folder = options.cache.clone()?;
        // Whoever compiles says why the folder is not used.
        cache::open(&folder).ok()?;
        let path = file.to_string_lossy();
        let text = Disk.read(&path).ok()?;
        let run = format!("{path}\n{entry:?}\n{}\n{}", ourselves()?, options.identity()?);
        Some(Shelf { folder, about: ["recipe".into(), run, text] })
    }

    fn about(&self) -> Vec<&str> {
        self.about.iter().map(String::as_str).collect()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The recipe, if there is one and all imported files are as they were.
    pub fn find(&self) -> Option<Recipe> {
        let text = cache::recall(&self.folder, &self.about())?;
        let (recipe, files) = read(&text)?;
        let same = |(path, hash): &(&str, &str)| Disk.read(path).is_ok_and(|text| cache::key(&[&text]) == *hash);
        files.iter().all(same).then_some(recipe)
    }

    /// Notes a recipe for a program made of these files; those of the library are part of ourselves.
    pub fn keep(&self, recipe: &Recipe, sources: &Sources, library: &base::Set<base::FileId>) {
        let files: Vec<_> = sources
            .iter()
            .filter(|s| !library.contains(&s.0))
            .map(|s| (&*s.1.path, cache::key(&[&s.1.text])))
            .collect();
        cache::note(&self.folder, &self.about(), &written(recipe, &files));
    }
}

/// What tells this compiler from another one.
fn ourselves() -> Option<String> {
    let file = std::env::current_exe().ok()?.metadata().ok()?;
    let age = file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), age.as_nanos()))
}

fn written(recipe: &Recipe, files: &[(&str, String)]) -> String {
    let Recipe { entry, params, results, traces, code } = recipe;
    let mut out = format!("entry {entry}\n");
    for (word, layouts) in [("param", params), ("result", results)] {
        for layout in layouts {
            let _ = writeln!(out, "{word} {}", ir::print_layout(layout));
        }
    }
    for (layout, place) in traces {
        let _ = writeln!(out, "trace {}\t{place}", ir::print_layout(layout));
    }
    for (path, hash) in files {
        let _ = writeln!(out, "file {hash} {path}");
    }
    // Last, so that half of a recipe is none.
    let _ = writeln!(out, "code {}", code.as_deref().unwrap_or_default());
    out
}

/// The recipe with this text, and the files it holds for.
fn read(text: &str) -> Option<(Recipe, Vec<(&str, &str)>)> {
    let mut recipe =
        Recipe { entry: String::new(), params: Vec::new(), results: Vec::new(), traces: Vec::new(), code: None };
    let mut files = Vec::new();
    for line in text.lines() {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "entry" => recipe.entry = rest.into(),
            "param" => recipe.params.push(ir::parse_layout(rest).ok()?),
            "result" => recipe.results.push(ir::parse_layout(rest).ok()?),
            "trace" => {
                let (layout, place) = rest.split_once('\t')?;
                recipe.traces.push((ir::parse_layout(layout).ok()?, place.into()));
            }
            "file" => {
                let (hash, path) = rest.split_once(' ')?;
                files.push((path, hash));
            }
            "code" if rest.ends_with(".so") && !rest.contains('/') => recipe.code = Some(rest.into()),
            _ => return None,
        }
    }
    recipe.code.is_some().then_some((recipe, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use scalar::{DimKind, Prim};

    #[test]
    fn recipes_come_back() {
        let array = Layout::Array(vec![DimKind::Size, DimKind::Jagged], Box::new(Layout::Scalar(Prim::F64)));
        let recipe = Recipe {
            entry: "main".into(),
            params: vec![array.clone()],
            results: vec![Layout::Record(vec![(base::Name::new("0"), array)])],
            traces: vec![(Layout::Scalar(Prim::I64), "a b.rv:1:2".into())],
            code: Some("0123.so".into()),
        };
        let text = written(&recipe, &[("a b.rv", "77".into())]);
        assert_eq!(read(&text), Some((recipe, vec![("a b.rv", "77")])));
        let cut = &text[..text.len() - "code 0123.so\n".len()];
        assert_eq!(read(cut), None);
    }
}
