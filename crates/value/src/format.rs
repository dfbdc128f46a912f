//! The file formats by name: which one a file is in, and how to read and write it.

use crate::{FormatError, Value, ValueType, Values, binary, bytes, csv, json, npy, npz, picture};

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Values as in programs.
    Text,
    /// Futhark's binary format.
    Binary,
    /// One array of NumPy's.
    Npy,
    /// Named arrays of NumPy's.
    Npz,
    /// A table with commas.
    Csv,
    /// A table with tabs.
    Tsv,
    /// JSON.
    Json,
    /// A grey picture without compression.
    Pgm,
    /// A colour picture without compression.
    Ppm,
    /// A compressed picture.
    Png,
    /// The bytes of a file as they are, for `[]u8`.
    Bytes,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 11] = [
        Format::Text,
        Format::Binary,
        Format::Npy,
        Format::Npz,
        Format::Csv,
        Format::Tsv,
        Format::Json,
        Format::Pgm,
        Format::Ppm,
        Format::Png,
        Format::Bytes,
    ];

    /// Its name, which is the ending of its files. Any file may hold bytes, so they have no ending.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "txt",
            Format::Binary => "bin",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Json => "json",
            Format::Pgm => "pgm",
            Format::Ppm => "ppm",
            Format::Png => "png",
            Format::Bytes => "bytes",
        }
    }

    /// The format of a name, as in `csv:FILE`.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format of files with this ending.
    pub fn of_ending(ending: &str) -> Option<Format> {
        Format::named(ending).filter(|format| *format != Format::Bytes)
    }

    /// The endings, for messages.
    pub fn endings() -> String {
        let ending = |format: Format| Format::of_ending(format.name()).map(|format| format!(".{}", format.name()));
        Format::ALL.into_iter().filter_map(ending).collect::<Vec<_>>().join(", ")
    }

    /// The format that the first bytes show, for formats that cannot be confused with text.
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        if npy::is_npy(bytes) {
            Some(Format::Npy)
        } else if npz::is_npz(bytes) {
            Some(Format::Npz)
        } else {
            picture::detect(bytes)
        }
    }

    /// The one value that a file holds.
    pub fn read(self, bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
        match self {
            Format::Text | Format::Binary => only_value(bytes, expected),
            Format::Npy => npy::read(bytes, expected),
            Format::Npz => npz::read(bytes, expected),
            Format::Csv => csv::read(bytes, None, expected),
            Format::Tsv => csv::read(bytes, Some(b'\t'), expected),
            Format::Json => json::read(bytes, expected),
            Format::Pgm | Format::Ppm | Format::Png => picture::read(bytes, expected),
            Format::Bytes => bytes::read(bytes, expected),
        }
    }

    /// A file with one value. The type gives the element type of empty arrays.
    pub fn write(self, value: &Value, ty: Option<&ValueType>) -> Result<Vec<u8>, String> {
        match self {
            Format::Text => Ok(format!("{value}\n").into_bytes()),
            Format::Binary => {
                let mut out = Vec::new();
                binary::write(value, &mut out).map(|()| out)
            }
            Format::Npy => npy::write(value, ty),
            Format::Npz => npz::write(value, ty),
            Format::Csv => csv::write(value, ',', ty),
            Format::Tsv => csv::write(value, '\t', ty),
            Format::Json => json::write(value),
            Format::Pgm => picture::write_pgm(value),
            Format::Ppm => picture::write_ppm(value),
            Format::Png => picture::write_png(value),
            Format::Bytes => bytes::write(value).map(<[u8]>::to_vec),
        }
    }
}

/// The value of a file with nothing else in it, as text or binary.
fn only_value(bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let mut reader = Values::new(bytes);
    match reader.next_value(expected).transpose()? {
        None => Err(FormatError::line(reader.line(), "there is no value")),
        Some(_) if !reader.is_at_end() => Err(FormatError::line(reader.line(), "there is more than one value")),
        Some(value) => Ok(value),
    }
}
