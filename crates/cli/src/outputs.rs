//! Results to the terminal and to files.

use crate::place::{self, Place};
use crate::{disk, out};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use value::{Format, Value, ValueType, bytes};

/// A result and its type, if the program gives it.
pub type Typed = (Value, Option<ValueType>);

/// Where results go, and how.
pub struct Target {
    /// None for standard output.
    path: Option<PathBuf>,
    format: Format,
    /// Whether `[]u8` is text.
    text: bool,
}

impl Target {
    /// Standard output as text.
    pub fn terminal(text: bool) -> Target {
        Target { path: None, format: Format::Text, text }
    }

    /// The place that `-o` names; an error if its format is unknown.
    pub fn parse(name: &str, text: bool) -> Result<Target, String> {
        let Place { path, format, member } = Place::parse(name);
        if let Some(member) = member {
            return Err(format!("-o {name}: results are written to whole files; leave out `:{member}`"));
        }
        let Some(format) = format.or(path.is_none().then_some(Format::Text)) else {
            let ending = path.as_deref().and_then(place::ending);
            let what =
                ending.map_or("a name without an ending says".into(), |ending| format!("the ending .{ending} says"));
            let known = Format::endings();
            return Err(format!(
                "-o {name}: {what} no format; known are {known} (and .gz after them), or write csv:{name}"
            ));
        };
        Ok(Target { path, format, text })
    }

    /// Writes results.
    pub fn write(&self, results: &[Typed]) -> Result<(), String> {
        match (&self.path, self.format) {
            (None, Format::Text) => {
                results.iter().for_each(|(value, _)| out::bytes(&self.line(value)));
                Ok(())
            }
            (None, Format::Csv | Format::Tsv | Format::Pgm | Format::Ppm | Format::Png | Format::Bytes)
                if results.len() != 1 =>
            {
                let (name, count) = (self.format.name(), results.len());
                Err(format!("{name} holds one value, but there are {count} results: write them to a file"))
            }
            (None, _) => {
                out::bytes(&self.together(results)?);
                Ok(())
            }
            (Some(path), Format::Text | Format::Binary | Format::Npz | Format::Json) => {
                save(path, &self.together(results)?)
            }
            (Some(path), _) => {
                // Convert all of them first, so that a failure writes no files.
                let files = results.iter().enumerate().map(|(i, result)| self.one(i, result));
                let files = files.collect::<Result<Vec<_>, _>>()?;
                files.iter().enumerate().try_for_each(|(i, bytes)| save(&numbered(path, i, files.len()), bytes))
            }
        }
    }

    /// All results in one file.
    fn together(&self, results: &[Typed]) -> Result<Vec<u8>, String> {
        match (self.format, results) {
            (Format::Text, _) => Ok(results.iter().flat_map(|(value, _)| self.line(value)).collect()),
            // These formats have tuples.
            (Format::Npz | Format::Json, [_, _, ..]) => {
                let values = results.iter().map(|result| result.0.clone()).collect();
                let types: Option<Vec<ValueType>> = results.iter().map(|result| result.1.clone()).collect();
                let written = self.format.write(&Value::Tuple(values), types.map(ValueType::Tuple).as_ref());
                written.map_err(|message| format!("results: {message}"))
            }
            _ => results
                .iter()
                .enumerate()
                .map(|(i, result)| self.one(i, result))
                .collect::<Result<Vec<_>, _>>()
                .map(|all| all.concat()),
        }
    }

    fn one(&self, index: usize, (value, ty): &Typed) -> Result<Vec<u8>, String> {
        self.format.write(value, ty.as_ref()).map_err(|message| format!("result {index}: {message}"))
    }

    fn line(&self, value: &Value) -> Vec<u8> {
        let text = if self.text { bytes::as_text(value) } else { None };
        let mut line = text.unwrap_or_else(|| value.to_string().into_bytes());
        if !self.text || !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        line
    }
}

/// Of several results `x.npy` becomes `x_0.npy`, `x_1.npy` and so on.
fn numbered(path: &Path, index: usize, count: usize) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let end = place::ending(path).and_then(|ending| name.rfind(&format!(".{ending}"))).unwrap_or(name.len());
    match count {
        1 => path.into(),
        _ => path.with_file_name(format!("{}_{index}{}", &name[..end], &name[end..])),
    }
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let write_all = || {
        let file = BufWriter::new(fs::File::create(path)?);
        match Place::of_file(path).is_packed() {
            true => {
                let mut packed = GzEncoder::new(file, Compression::default());
                packed.write_all(bytes)?;
                packed.finish()?.flush()
            }
            false => {
                let mut file = file;
                file.write_all(bytes)?;
                file.flush()
            }
        }
    };
    write_all().map_err(|e| format!("{}: {}", path.display(), disk::reason(&e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_numbered_in_front_of_the_ending() {
        let name = |path: &str, count| numbered(Path::new(path), 1, count).display().to_string();
        assert_eq!(name("a/x.npy", 2), "a/x_1.npy");
        assert_eq!(name("x.csv.gz", 2), "x_1.csv.gz");
        assert_eq!(name("x", 2), "x_1");
        assert_eq!(name("x.npy", 1), "x.npy");
    }

    #[test]
    fn unknown_endings_are_refused() {
        let refused = |name: &str| Target::parse(name, false).err().expect(name);
        assert!(refused("x.xls").contains("the ending .xls says no format; known are .txt, .bin, .npy"));
        assert!(refused("x").contains("a name without an ending"));
        assert!(refused("x.npz:a").contains("leave out `:a`"));
        assert!(Target::parse("csv:x.xls", false).is_ok());
    }
}
