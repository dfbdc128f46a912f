//! Results to the terminal and to files.

use crate::{disk, out};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use value::{Value, binary, npy, npz};

/// Prints results as text, one a line.
pub fn print(values: &[Value]) {
    values.iter().for_each(out::line);
}

/// Writes results to a file: `.npy`, `.npz`, `.txt`, or binary for any other extension. NumPy's files hold one array, so of
/// several results `x.npy` becomes `x_0.npy`, `x_1.npy` and so on.
pub fn write(path: &Path, values: &[Value]) -> Result<(), String> {
    let extension = path.extension().map(|e| e.to_ascii_lowercase()).unwrap_or_default();
    match extension.to_str() {
        Some("npy") => one_each(path, values, npy::write),
        Some("npz") => one_each(path, values, npz::write),
        Some("txt") => save(path, |file| values.iter().try_for_each(|value| writeln!(file, "{value}"))),
        Some(_) | None => {
            let mut bytes = Vec::new();
            for (index, value) in values.iter().enumerate() {
                binary::write(value, &mut bytes).map_err(|message| format!("result {index}: {message}"))?;
            }
            save(path, |file| file.write_all(&bytes))
        }
    }
}

/// A file for each result.
fn one_each(path: &Path, values: &[Value], render: impl Fn(&Value) -> Result<Vec<u8>, String>) -> Result<(), String> {
    for (index, value) in values.iter().enumerate() {
        let bytes = render(value).map_err(|message| format!("result {index}: {message}"))?;
        save(&numbered(path, index, values.len()), |file| file.write_all(&bytes))?;
    }
    Ok(())
}

fn numbered(path: &Path, index: usize, count: usize) -> PathBuf {
    match (path.file_stem(), path.extension()) {
        (Some(stem), Some(ending)) if count != 1 => {
            path.with_file_name(format!("{}_{index}.{}", stem.to_string_lossy(), ending.to_string_lossy()))
        }
        (_, _) => path.into(),
    }
}

fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), String> {
    let write_all = || {
        let mut file = BufWriter::new(fs::File::create(path)?);
        write(&mut file)?;
        file.flush()
    };
    write_all().map_err(|e| format!("{}: {}", path.display(), disk::reason(&e)))
}
