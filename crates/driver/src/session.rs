//! What a compilation gets from outside: the text of files.

use base::Map;

/// Where the text of files comes from: a disk, an editor's buffers, a test's strings.
pub trait Files: Sync {
    /// The text of the file at `path`, which is as the user wrote it or made from that by imports.
    fn read(&self, path: &str) -> Result<String, ReadError>;
}

/// Why a file could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// There is no such file.
    Missing,
    /// It is not UTF-8; the offset of the first byte that is wrong.
    NotText(usize),
    /// Anything else, in the words of the system: a folder, no permission.
    Other(String),
}

/// Files in memory.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    files: Map<String, String>,
}

impl InMemory {
    /// These files: path and text.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> InMemory {
        InMemory { files: files.into_iter().map(|(path, text)| (path.into(), text.into())).collect() }
    }
}

impl Files for InMemory {
    fn read(&self, path: &str) -> Result<String, ReadError> {
        self.files.get(path).cloned().ok_or(ReadError::Missing)
    }
}

/// One file replaced by another text, all others as they are underneath.
pub struct Overlay<'a> {
    /// What lies underneath.
    pub below: &'a dyn Files,
    /// The file to replace.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Files for Overlay<'_> {
    fn read(&self, path: &str) -> Result<String, ReadError> {
        if path == self.path { Ok(self.text.into()) } else { self.below.read(path) }
    }
}
