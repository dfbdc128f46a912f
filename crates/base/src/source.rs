//! Source files and positions in them.

use std::sync::Arc;

/// A file known to a [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The place of the call of the enclosing function. Statements of library functions have this span: they are shown at
    /// the user's call.
    pub const OF_CALLER: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// The span of bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; spans of different files give the first.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span right after this one.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// One source file.
#[derive(Debug)]
pub struct Source {
    /// The path as the user wrote it, or a name such as `std/prelude.rv`.
    pub path: String,
    /// The whole text.
    pub text: Arc<str>,
    /// Byte offset of each line's first byte.
    line_starts: Vec<u32>,
}

/// All files of a compilation.
#[derive(Default, Debug)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// No files.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(Source { path: path.into(), text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    pub fn get(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// All files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The text a span covers.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// `path:line:column` of a span's start, counted from one; columns count characters.
    pub fn locate(&self, span: Span) -> (&str, usize, usize) {
        let file = self.get(span.file);
        let line = file.line_starts.partition_point(|&s| s <= span.start).max(1) - 1;
        let start = file.line_starts[line] as usize;
        let column = file.text.get(start..span.start as usize).map_or(0, |s| s.chars().count());
        (&file.path, line + 1, column + 1)
    }

    /// `path:line:column`, as messages write it.
    pub fn display(&self, span: Span) -> String {
        let (path, line, column) = self.locate(span);
        format!("{path}:{line}:{column}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let mut sources = Sources::new();
        let file = sources.add("a.rv", "let é = 1\n  x\n");
        assert_eq!(sources.display(Span::new(file, 0, 3)), "a.rv:1:1");
        assert_eq!(sources.display(Span::new(file, 7, 8)), "a.rv:1:7");
        assert_eq!(sources.display(Span::new(file, 13, 14)), "a.rv:2:3");
    }
}
