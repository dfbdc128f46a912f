//! Programs on disk.

use driver::{Files, ReadError};
use std::{fs, io};

/// The files of the machine, by path.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, ReadError> {
        let bytes = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            io::ErrorKind::IsADirectory => ReadError::Other("it is a folder".into()),
            _ => ReadError::Other(reason(&error)),
        })?;
        String::from_utf8(bytes).map_err(|error| ReadError::NotText(error.utf8_error().valid_up_to()))
    }
}

/// The system's reason in its own words, without its number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_lowercase()
}
