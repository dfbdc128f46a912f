//! How to run a program that was compiled earlier without compiling it again.
//!
//! A recipe is stored beside the compiled code, under a hash of the program's main file. It is valid as long as the files
//! that this one imports have not changed. It has only what a run needs: if the program fails, it is translated again to
//! find the place.

use crate::disk::Disk;
use base::Sources;
use driver::Files;
use native::cache;
use scalar::{Layout, Math};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The facts that a run needs about a compiled entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// Its name.
    pub entry: String,
    /// The layouts of its parameters.
    pub params: Vec<Layout>,
    /// The layouts of its results.
    pub results: Vec<Layout>,
    /// The layouts of the values that it traces, and the places.
    pub traces: Vec<(Layout, String)>,
    /// The name of the code in the cache, if it is cached.
    pub code: Option<String>,
}

/// The place of a run's recipe in the cache.
pub struct Shelf {
    folder: PathBuf,
    about: [String; 3],
}

impl Shelf {
    /// The place for a program file and the requested entry point. None if nothing can be cached.
    pub fn new(file: &Path, entry: Option<&str>, parallel: bool, math: Math) -> Option<Shelf> {
        let options = native::Options { parallel, ..Default::default() };
        let folder = options.cache.clone()?;
        // Compiling will report why the folder is not used.
        cache::open(&folder).ok()?;
        let path = file.to_string_lossy();
        let text = Disk.read(&path).ok()?;
        let run = format!("{path}\n{entry:?}\n{}\n{}\n{}", math.name(), ourselves()?, options.identity()?);
        Some(Shelf { folder, about: ["recipe".into(), run, text] })
    }

    fn about(&self) -> Vec<&str> {
        self.about.iter().map(String::as_str).collect()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The recipe, if there is one and no imported file has changed.
    pub fn find(&self) -> Option<Recipe> {
        let text = cache::recall(&self.folder, &self.about())?;
        let (recipe, files) = read(&text)?;
        let same = |(path, hash): &(&str, &str)| Disk.read(path).is_ok_and(|text| cache::key(&[&text]) == *hash);
        files.iter().all(same).then_some(recipe)
    }

    /// Stores a recipe for a program made of these files. Library files are part of the binary, so they are not checked.
    pub fn keep(&self, recipe: &Recipe, sources: &Sources, library: &base::Set<base::FileId>) {
        let files: Vec<_> = sources
            .iter()
            .filter(|s| !library.contains(&s.0))
            .map(|s| (&*s.1.path, cache::key(&[&s.1.text])))
            .collect();
        cache::note(&self.folder, &self.about(), &written(recipe, &files));
    }
}

/// Identifies this version of the compiler.
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
    // This line comes last, so that a truncated recipe is invalid.
    let _ = writeln!(out, "code {}", code.as_deref().unwrap_or_default());
    out
}

/// Parses a recipe, and the files that it depends on.
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
