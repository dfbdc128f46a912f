//! Lines of C-like text with indentation.

/// Text in the making.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// What will stand inside of one pair of braces.
    pub fn inside_braces() -> Writer {
        Writer { text: String::new(), depth: 1 }
    }

    /// Lines that another writer made.
    pub fn lines(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A whole line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            (0..self.depth).for_each(|_| self.text.push_str("  "));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A line that opens braces; what follows is indented.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// The line that closes braces.
    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// Closes braces and opens others.
    pub fn between(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.depth += 1;
    }

    /// How many braces are open.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// All that was written.
    pub fn finish(self) -> String {
        self.text
    }
}
