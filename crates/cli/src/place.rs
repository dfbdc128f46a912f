//! Where values come from and go to, as the command line names it: `x.npy`, `csv:x`, `-`, `x.npz:name`, `x.json.gz`.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use value::Format;

/// A file or a standard stream, and its format if the name says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file; none for standard input or output.
    pub path: Option<PathBuf>,
    /// The format before the colon, or that of the ending.
    pub format: Option<Format>,
    /// The member of an `.npz` file.
    pub member: Option<String>,
}

impl Place {
    /// Parses a name. A format before a colon (`csv:x`) overrides the ending.
    pub fn parse(text: &str) -> Place {
        let (explicit, name) =
            match text.split_once(':').and_then(|(format, rest)| Some((Format::named(format)?, rest))) {
                Some((format, rest)) => (Some(format), rest),
                None => (None, text),
            };
        let (name, member) = member(name);
        if name == "-" {
            return Place { path: None, format: explicit, member };
        }
        let path = PathBuf::from(name);
        let format = explicit.or_else(|| ending(&path).and_then(Format::of_ending));
        Place { path: Some(path), format, member }
    }

    /// A file, by its ending.
    pub fn of_file(path: &Path) -> Place {
        let format = ending(path).and_then(Format::of_ending);
        Place { path: Some(path.to_owned()), format, member: None }
    }

    /// Whether the file is compressed.
    pub fn is_packed(&self) -> bool {
        self.path.as_deref().is_some_and(is_packed)
    }
}

/// The name in messages.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => path.display().fmt(f),
            None => f.write_str("standard input"),
        }
    }
}

/// Splits `x.npz:name`, unless a file has the whole name.
fn member(name: &str) -> (&str, Option<String>) {
    const BETWEEN: &str = ".npz:";
    match name.rfind(BETWEEN) {
        Some(at) if !Path::new(name).exists() => {
            (&name[..at + BETWEEN.len() - 1], Some(name[at + BETWEEN.len()..].to_owned()))
        }
        Some(_) | None => (name, None),
    }
}

/// The ending that says the format: `npy` of `x.npy` and of `x.npy.gz`.
pub fn ending(path: &Path) -> Option<&str> {
    let inner = if is_packed(path) { Path::new(path.file_stem()?) } else { path };
    inner.extension().and_then(OsStr::to_str)
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let place = |text: &str| {
            let place = Place::parse(text);
            let path = place.path.as_ref().map(|path| path.display().to_string()).unwrap_or("-".into());
            (path, place.format, place.member.clone(), place.is_packed())
        };
        let plain = |path: &str, format| (path.to_string(), format, None, false);
        assert_eq!(place("x.npy"), plain("x.npy", Some(Format::Npy)));
        assert_eq!(place("x.PNG"), plain("x.PNG", Some(Format::Png)));
        assert_eq!(place("-"), plain("-", None));
        assert_eq!(place("npy:-"), plain("-", Some(Format::Npy)));
        assert_eq!(place("bytes:x.npy"), plain("x.npy", Some(Format::Bytes)));
        assert_eq!(place("./csv:x"), plain("./csv:x", None));
        assert_eq!(place("c:x"), plain("c:x", None));
        assert_eq!(place("data"), plain("data", None));
        assert_eq!(place("a.csv.gz"), ("a.csv.gz".into(), Some(Format::Csv), None, true));
        assert_eq!(place("a.npz:p.x"), ("a.npz".into(), Some(Format::Npz), Some("p.x".into()), false));
    }
}
