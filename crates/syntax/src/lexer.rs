//! Text to tokens, comments and doc comments, in one pass. The lexer never stops: what it does not know it
//! reports and turns into the likeliest token, so that the parser sees as little damage as possible.

mod foreign;
mod number;
mod text;

use crate::ast::{Comment, Dialect, Ident, Lit, QualName};
use crate::token::{self, T, Token};
use base::{Diagnostic, FileId, Name, Span};

/// At most this many errors are kept: a file that is not a program would give thousands.
pub(crate) const MAX_ERRORS: usize = 100;

/// The result of lexing a text.
pub(crate) struct Lexed {
    /// The tokens; the last is `End`.
    pub tokens: Vec<Token>,
    /// The literals that `T::Lit` and `T::Nat` point to.
    pub lits: Vec<Lit>,
    /// The operators that `T::QualOp` points to.
    pub qual_ops: Vec<QualName>,
    /// All comments.
    pub comments: Vec<Comment>,
    /// Doc comments, each with the index of the token after it.
    pub docs: Vec<(usize, String)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Turns a text into tokens.
pub(crate) fn lex(file: FileId, text: &str, dialect: Dialect) -> Lexed {
    let out = Lexed {
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        lits: Vec::new(),
        qual_ops: Vec::new(),
        comments: Vec::new(),
        docs: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut lexer = Lexer { file, text, bytes: text.as_bytes(), dialect, pos: 0, fresh_line: true, doc: None, out };
    if text.starts_with('\u{feff}') {
        lexer.pos = '\u{feff}'.len_utf8();
    }
    while lexer.pos < text.len() {
        lexer.step();
    }
    lexer.push(T::End, text.len());
    lexer.out
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    dialect: Dialect,
    pos: usize,
    /// Whether there is no token on this line yet.
    fresh_line: bool,
    /// A doc comment that waits for its token, and where it ended.
    doc: Option<(String, usize)>,
    out: Lexed,
}

impl Lexer<'_> {
    /// Consumes at least one byte.
    fn step(&mut self) {
        let start = self.pos;
        match self.bytes[start] {
            b'\n' => {
                self.pos += 1;
                self.fresh_line = true;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
            b'-' if self.peek(1) == b'-' => self.comment(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'\'' => self.quote(),
            b'#' => self.hash(),
            b'.' => self.dots(),
            b if is_op_byte(b) => self.operator(),
            b => match self.punctuation(b) {
                Some(kind) => {
                    let len = if matches!(kind, T::ColonGt) { 2 } else { 1 };
                    self.take(kind, if kind == T::Hole { 3 } else { len });
                }
                None => self.foreign(),
            },
        }
    }

    /// The byte `ahead` of the current one, 0 at the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.out.diagnostics.len() < MAX_ERRORS {
            self.out.diagnostics.push(diagnostic);
        }
    }

    /// Adds a token that begins at `start` and ends at the current position.
    fn push(&mut self, kind: T, start: usize) {
        if let Some((doc, _)) = self.doc.take() {
            self.out.docs.push((self.out.tokens.len(), doc));
        }
        let first_on_line = std::mem::replace(&mut self.fresh_line, false);
        self.out.tokens.push(Token { kind, start: start as u32, end: self.pos as u32, first_on_line });
    }

    /// Adds the token that the next `len` bytes are.
    fn take(&mut self, kind: T, len: usize) {
        let start = self.pos;
        self.pos = (start + len).min(self.bytes.len());
        self.push(kind, start);
    }

    fn literal(&mut self, lit: Lit, start: usize) {
        self.out.lits.push(lit);
        self.push(T::Lit(self.out.lits.len() as u32 - 1), start);
    }

    fn punctuation(&self, byte: u8) -> Option<T> {
        Some(match byte {
            b'(' => T::LParen,
            b')' => T::RParen,
            b'[' if self.indexes() => T::Index,
            b'[' => T::LBracket,
            b']' => T::RBracket,
            b'{' => T::LBrace,
            b'}' => T::RBrace,
            b',' => T::Comma,
            b';' if self.dialect == Dialect::Ravel => T::Semicolon,
            b'\\' => T::Backslash,
            b'`' => T::Backtick,
            b'~' => T::Tilde,
            b':' if self.peek(1) == b'>' => T::ColonGt,
            b':' => T::Colon,
            b'?' if self.peek(1) == b'?' && self.peek(2) == b'?' => T::Hole,
            b'?' => T::Question,
            _ => return None,
        })
    }

    /// Whether a `[` here indexes the token before it: there is no space between, and the token is not a reserved word.
    fn indexes(&self) -> bool {
        let before = self.pos.checked_sub(1).map_or(0, |i| self.bytes[i]);
        let value = is_name_byte(before) || matches!(before, b')' | b']');
        value && self.out.tokens.last().is_some_and(|t| !token::is_word(t.kind) || matches!(t.kind, T::True | T::False))
    }

    // ------------------------------------------------------------ words and operators

    fn word(&mut self) {
        let start = self.pos;
        while is_name_byte(self.peek(0)) {
            self.pos += 1;
        }
        let text = &self.text[start..self.pos];
        let kind = match text {
            "_" => T::Underscore,
            _ => token::word(text, self.dialect).unwrap_or_else(|| T::Ident(Name::new(text))),
        };
        self.push(kind, start);
    }

    fn operator(&mut self) {
        let start = self.pos;
        while is_op_byte(self.peek(0)) || (self.pos > start && self.peek(0) == b'.') {
            self.pos += 1;
        }
        if self.dialect == Dialect::Ravel && self.text[start..self.pos].starts_with("=>") {
            self.pos = start + 2;
            return self.push(T::FatArrow, start);
        }
        let text = &self.text[start..self.pos];
        let level = token::level_of(text);
        let name = Name::new(text);
        if text != "=" && text != "->" && self.qualified_operator(start, name, level) {
            return;
        }
        let kind = match text {
            "=" => T::Equals,
            "->" => T::Arrow,
            "*" => T::Star,
            "-" => T::Minus,
            "<" => T::Less,
            "<=" => T::LessEq,
            "^" => T::Hat,
            "|" => T::Bar,
            "!" => T::Bang,
            _ => T::Op(name, level),
        };
        self.push(kind, start);
    }

    /// `m.+`: takes back the names and dots that touch the operator and makes one token of all.
    fn qualified_operator(&mut self, start: usize, name: Name, level: crate::level::Level) -> bool {
        let mut quals = Vec::new();
        let mut begin = start;
        let mut first_on_line = false;
        while let [.., Token { kind: T::Ident(qual), start: s, end, first_on_line: f }, dot] = self.out.tokens[..]
            && dot.kind == T::Dot
            && (dot.end as usize, end) == (begin, dot.start)
        {
            quals.push(Ident { name: qual, span: self.span(s as usize, end as usize) });
            (begin, first_on_line) = (s as usize, f);
            self.out.tokens.truncate(self.out.tokens.len() - 2);
        }
        if quals.is_empty() {
            return false;
        }
        quals.reverse();
        let name = Ident { name, span: self.span(start, self.pos) };
        self.out.qual_ops.push(QualName { quals, name });
        self.fresh_line = first_on_line;
        self.push(T::QualOp(self.out.qual_ops.len() as u32 - 1, level), begin);
        true
    }

    fn dots(&mut self) {
        match (self.peek(1), self.peek(2)) {
            (b'.', b'.') => self.take(T::ThreeDots, 3),
            (b'.', b'<') => self.take(T::DotsLess, 3),
            (b'.', b'>') => self.take(T::DotsGreater, 3),
            (b'.', _) => self.take(T::TwoDots, 2),
            _ => self.take(T::Dot, 1),
        }
    }

    fn hash(&mut self) {
        let start = self.pos;
        let next = self.peek(1);
        if next == b'[' {
            self.take(T::HashBracket, 2);
        } else if next.is_ascii_alphabetic() || next == b'_' {
            self.pos += 1;
            while is_name_byte(self.peek(0)) {
                self.pos += 1;
            }
            self.push(T::Constr(Name::new(&self.text[start + 1..self.pos])), start);
        } else {
            self.foreign();
        }
    }

    // ------------------------------------------------------------ comments

    fn comment(&mut self) {
        let start = self.pos;
        let length = self.text[start..].find('\n').unwrap_or(self.text.len() - start);
        self.pos = start + length;
        let text = self.text[start + 2..self.pos].trim_end_matches('\r');
        self.out.comments.push(Comment { span: self.span(start, start + 2 + text.len()), text: text.to_string() });
        self.doc_line(text, start);
    }

    /// `-- |` begins a doc comment; comments on the lines directly after it continue it.
    fn doc_line(&mut self, text: &str, start: usize) {
        let continues = self.doc.as_ref().is_some_and(|(_, end)| {
            self.fresh_line && self.text[*end..start].bytes().filter(|b| *b == b'\n').count() == 1
        });
        if continues && let Some((doc, end)) = &mut self.doc {
            doc.push('\n');
            doc.push_str(text.strip_prefix(' ').unwrap_or(text));
            *end = self.pos;
        } else if let Some(first) = text.strip_prefix(" |") {
            self.doc = Some((first.strip_prefix(' ').unwrap_or(first).to_string(), self.pos));
        }
    }
}

/// The characters of names.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

/// The characters of operators; `.` is allowed after the first.
fn is_op_byte(byte: u8) -> bool {
    matches!(byte, b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'!' | b'>' | b'<' | b'|' | b'&' | b'^')
}

#[cfg(test)]
mod tests;
