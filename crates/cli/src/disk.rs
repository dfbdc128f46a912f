//! Programs on disk.

use driver::{Files, ReadError};
use std::path::Path;
use std::{fs, io};

/// The files of the machine, by path.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, ReadError> {
        let bytes = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            io::ErrorKind::IsADirectory => ReadError::Other(programs_in(path)),
            _ => ReadError::Other(reason(&error)),
        })?;
        String::from_utf8(bytes).map_err(|error| ReadError::NotText(error.utf8_error().valid_up_to()))
    }
}

/// The message for a folder where a program is expected; it lists the programs in the folder.
fn programs_in(folder: &str) -> String {
    const SHOWN: usize = 5;
    let is_program = |path: &Path| path.extension().is_some_and(|ending| ending == "rv" || ending == "fut");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut programs: Vec<String> = entries.filter(|path| is_program(path)).map(|path| tidy(&path)).collect();
    programs.sort();
    match &programs[..] {
        [] => "it is a folder, and there is no program (.rv) in it".into(),
        [only] => format!("it is a folder; the program in it is {only}"),
        shown if shown.len() <= SHOWN => {
            format!("it is a folder; name one of the programs in it: {}", shown.join(", "))
        }
        many => {
            format!("it is a folder; name one of the {} programs in it: {}, ...", many.len(), many[..SHOWN].join(", "))
        }
    }
}

/// A path without `./` in front.
fn tidy(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// The system's message, without the error number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_lowercase()
}
