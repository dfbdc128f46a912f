//! The programs to test.

use crate::disk;
use std::fs;
use std::path::{Path, PathBuf};

/// The files named, and all programs in the folders named, those sorted by path.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        if path.is_dir() {
            walk(path, &mut found)?;
            if found.len() == before {
                return Err(format!("{}: there are no .rv or .fut files in this folder", path.display()));
            }
        } else {
            fs::metadata(path).map_err(|e| format!("{}: {}", path.display(), disk::reason(&e)))?;
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// Folders may nest deeply, but links into circles are not followed.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let named = |e: std::io::Error| format!("{}: {}", folder.display(), disk::reason(&e));
    let mut entries: Vec<fs::DirEntry> =
        fs::read_dir(folder).map_err(named)?.collect::<Result<_, _>>().map_err(named)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_program = path.extension().is_some_and(|e| e == "rv" || e == "fut");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, found)?;
        } else if is_program && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
