//! Reads and parses the main file, the library and everything they import, imports before importers.

use crate::imports::{self, Place};
use crate::session::{Files, ReadError};
use crate::std_files;
use base::{Diagnostic, FileId, Map, Set, Sources, Span, spell};
use check::{Std, Unit};

/// All files of a program, parsed.
#[derive(Debug)]
pub struct Loaded {
    /// The files; each imports only earlier ones.
    pub units: Vec<Unit>,
    /// Which of them are the library's roots.
    pub std: Std,
    /// Which is the main file.
    pub main: usize,
}

/// Loads the program whose main file is `path`. Without a result at least one diagnostic is an error.
pub fn load(
    sources: &mut Sources,
    files: &dyn Files,
    path: &str,
    library: &mut Set<FileId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    let mut loader =
        Loader { sources, files, library, diagnostics, units: Vec::new(), states: Map::default(), depth: 0 };
    let std = Std {
        intrinsics: loader.library_root(std_files::INTRINSICS)?,
        prelude: loader.library_root(std_files::PRELUDE)?,
        library: loader.library_root(std_files::LIBRARY)?,
    };
    let main = loader.main(path)?;
    Some(Loaded { units: loader.units, std, main })
}

/// How far a file has come.
#[derive(Clone, Copy)]
enum State {
    /// Its imports are being loaded.
    Open,
    /// It is this unit.
    Done(usize),
    /// It could not be loaded, which has been reported.
    Failed,
}

/// Imports that lead deeper than this are refused: no program needs them, and each level takes stack.
const DEEPEST: usize = 1000;

struct Loader<'a> {
    sources: &'a mut Sources,
    files: &'a dyn Files,
    library: &'a mut Set<FileId>,
    diagnostics: &'a mut Vec<Diagnostic>,
    units: Vec<Unit>,
    states: Map<Place, State>,
    depth: usize,
}

impl Loader<'_> {
    fn library_root(&mut self, name: &str) -> Option<usize> {
        let place = Place::Std(name.into());
        if let Some(State::Done(unit)) = self.states.get(&place) {
            return Some(*unit);
        }
        self.unit(place, std_files::text(name).unwrap_or_default().into())
    }

    fn main(&mut self, path: &str) -> Option<usize> {
        let path = imports::normal(path);
        let path = if path.is_empty() { ".".into() } else { path };
        match self.files.read(&path) {
            Ok(text) => self.unit(Place::User(path), text),
            Err(error) => {
                // There is no text to point at: an empty one carries the file's name into the message.
                let file = self.sources.add(path.clone(), "");
                self.diagnostics.push(unreadable(&path, &error, Span::new(file, 0, 0)));
                None
            }
        }
    }

    /// Parses a file and loads what it imports.
    fn unit(&mut self, place: Place, text: String) -> Option<usize> {
        self.states.insert(place.clone(), State::Open);
        let file = self.sources.add(place.shown(), text);
        if let Place::Std(_) = place {
            self.library.insert(file);
        }
        let text = self.sources.get(file).text.clone();
        let (ast, found) = syntax::parse(file, &text, place.dialect());
        self.diagnostics.extend(found);
        let mut resolved = Map::default();
        for (path, span) in imports::imports(&ast) {
            if let Some(unit) = self.import(&place, &path, span) {
                resolved.insert(path, unit);
            }
        }
        self.units.push(Unit { ast, imports: resolved });
        self.states.insert(place, State::Done(self.units.len() - 1));
        Some(self.units.len() - 1)
    }

    fn import(&mut self, from: &Place, path: &str, span: Span) -> Option<usize> {
        if self.depth == DEEPEST {
            self.diagnostics.push(Diagnostic::error(
                "E0904",
                format!("imports are nested more than {DEEPEST} deep"),
                span,
                "one too many",
            ));
            return None;
        }
        let candidates = imports::candidates(from, path);
        for place in &candidates {
            match self.states.get(place) {
                Some(State::Done(unit)) => return Some(*unit),
                Some(State::Failed) => return None,
                Some(State::Open) => {
                    self.diagnostics.push(cycle(place, span));
                    return None;
                }
                None => {}
            }
            match self.read(place) {
                Ok(text) => {
                    self.depth += 1;
                    let unit = self.unit(place.clone(), text);
                    self.depth -= 1;
                    return unit;
                }
                Err(ReadError::Missing) => {}
                Err(error) => {
                    self.states.insert(place.clone(), State::Failed);
                    self.diagnostics.push(unreadable(&place.shown(), &error, span));
                    return None;
                }
            }
        }
        // Without a path in quotes, the parser has reported the import already.
        if !path.is_empty() {
            self.diagnostics.push(missing(path, &candidates, span));
        }
        None
    }

    fn read(&self, place: &Place) -> Result<String, ReadError> {
        match place {
            Place::Std(name) => std_files::text(name).map(String::from).ok_or(ReadError::Missing),
            Place::User(path) => self.files.read(path),
        }
    }
}

fn unreadable(path: &str, error: &ReadError, span: Span) -> Diagnostic {
    match error {
        ReadError::Missing => Diagnostic::error("E0901", format!("there is no file `{path}`"), span, "not found"),
        ReadError::NotText(byte) => Diagnostic::error(
            syntax::codes::NOT_UTF8,
            format!("`{path}` is not UTF-8 text: byte {byte} is wrong"),
            span,
            "this file cannot be read",
        )
        .help("save the file as UTF-8"),
        ReadError::Other(why) => {
            Diagnostic::error("E0901", format!("`{path}` cannot be read: {why}"), span, "this file cannot be read")
        }
    }
}

fn missing(path: &str, candidates: &[Place], span: Span) -> Diagnostic {
    let looked: Vec<String> = candidates.iter().map(|place| format!("`{}`", place.shown())).collect();
    let report = Diagnostic::error("E0902", format!("nothing to import as \"{path}\""), span, "not found")
        .note(format!("looked for {}", looked.join(" and ")));
    let library = std_files::ALL.iter().map(|(name, _)| *name);
    let name = path.trim_start_matches('/');
    match library.clone().find(|known| *known == name).or_else(|| spell::closest(name, library)) {
        Some(known) => report.help(format!("the library has a file of nearly that name: import \"/{known}\"")),
        None => report.help("the path is relative to the importing file and has no extension"),
    }
}

fn cycle(place: &Place, span: Span) -> Diagnostic {
    Diagnostic::error("E0903", format!("`{}` imports itself, directly or through others", place.shown()), span, "")
        .note("a file is checked after the files that it imports, so imports cannot form a circle")
        .help("move the definitions that both need into a third file")
}
