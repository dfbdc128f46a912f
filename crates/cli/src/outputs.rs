//! Results to the terminal and to files.

use crate::{disk, out};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use value::{Value, binary, npy};

/// Prints results as text, one a line.
pub fn print(values: &[Value]) {
    values.iter().for_each(out::line);
}

/// Writes results to a file: `.npy`, `.txt`, or binary for any other extension. A `.npy` holds one array, so of several
/// results `x.npy` becomes `x_0.npy`, `x_1.npy` and so on.
pub fn write(path: &Path, values: &[Value]) -> Result<(), String> {
    let extension = path.extension().map(|e| e.to_ascii_lowercase()).unwrap_or_default();
    if extension == "npy" {
        for (index, value) in values.iter().enumerate() {
            let bytes = npy::write(value).map_err(|message| format!("result {index}: {message}"))?;
            save(&numbered(path, index, values.len()), |file| file.write_all(&bytes))?;
        }
        Ok(())
    } else if extension == "txt" {
        save(path, |file| values.iter().try_for_each(|value| writeln!(file, "{value}")))
    } else {
        let mut bytes = Vec::new();
        for (index, value) in values.iter().enumerate() {
            binary::write(value, &mut bytes).map_err(|message| format!("result {index}: {message}"))?;
        }
        save(path, |file| file.write_all(&bytes))
    }
}

fn numbered(path: &Path, index: usize, count: usize) -> PathBuf {
    match path.file_stem() {
        Some(stem) if count != 1 => path.with_file_name(format!("{}_{index}.npy", stem.to_string_lossy())),
        Some(_) | None => path.into(),
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
