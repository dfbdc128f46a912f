//! What checks say.

use super::lexer::Kind;
use super::{DEEPEST, ParseError, Parser, Result};
use base::site::{Caller, Piece, Text};
use base::{Name, Site};
use std::str::CharIndices;

impl<'a> Parser<'a> {
    pub(super) fn site(&mut self) -> Result<()> {
        self.expect("site")?;
        let code = self.plain_name()?.as_str();
        let title = self.text()?;
        let span = self.span()?;
        let at = if self.eat("at") { self.text()? } else { Text::default() };
        let mut notes = Vec::new();
        while self.eat("note") {
            notes.push(self.text()?);
        }
        let help = if self.eat("help") { Some(self.text()?.fill(&[])) } else { None };
        let inside = self.eat("inside");
        let mut calls: Vec<(Name, _)> = Vec::new();
        while self.eat("in") {
            calls.push((self.plain_name()?, self.span()?));
        }
        let mut callers = Vec::new();
        while self.eat("from") {
            let number = self.call_number()?;
            callers.push(Caller { number, call: (self.plain_name()?, self.span()?) });
        }
        self.program.sites.push(Site { code, title, span, at, notes, help, calls, callers, inside });
        Ok(())
    }

    fn call_number(&mut self) -> Result<u16> {
        let start = self.peek().start;
        let number = self.integer()?;
        u16::try_from(number).map_err(|_| ParseError::new(self.text, start, format!("{number} is no number of a call")))
    }

    fn text(&mut self) -> Result<Text> {
        let token = self.peek();
        let Kind::Text(inside) = token.kind else { return self.unexpected("a text") };
        self.take();
        let start = token.start + 1;
        let mut pieces = Pieces { parser: self, start, chars: inside.char_indices(), length: inside.len() };
        pieces.until("", 0)
    }
}

/// The text between quotation marks, piece by piece.
struct Pieces<'p, 'a> {
    parser: &'p Parser<'a>,
    start: usize,
    chars: CharIndices<'a>,
    length: usize,
}

impl Pieces<'_, '_> {
    /// Pieces up to one of these characters, which is taken; up to the end if there are none.
    fn until(&mut self, ends: &str, depth: usize) -> Result<Text> {
        if depth > DEEPEST {
            return self.error("choices nested too deeply");
        }
        let (mut pieces, mut words) = (Vec::new(), String::new());
        loop {
            let c = match self.chars.next() {
                None if ends.is_empty() => break,
                None => return self.error("a `{` is not closed"),
                Some((_, c)) => c,
            };
            if ends.contains(c) {
                break;
            }
            match c {
                '\\' => words.push(self.escaped()?),
                '{' => {
                    if !words.is_empty() {
                        pieces.push(Piece::Words(std::mem::take(&mut words)));
                    }
                    pieces.push(self.gap(depth)?);
                }
                _ => words.push(c),
            }
        }
        if !words.is_empty() {
            pieces.push(Piece::Words(words));
        }
        Ok(Text(pieces))
    }

    fn escaped(&mut self) -> Result<char> {
        match self.chars.next() {
            Some((_, 'n')) => Ok('\n'),
            Some((_, c @ ('"' | '\\' | '{' | '|' | '}'))) => Ok(c),
            _ => self.error("this backslash has no meaning"),
        }
    }

    /// What is behind `{`: `0}`, `0:shape}`, `0:rows}`, `0:index}`, `0:negative}`,
    /// `0:where negative}`, `0!1}`, `0=1?then|otherwise}`.
    fn gap(&mut self, depth: usize) -> Result<Piece> {
        let (argument, end) = self.number()?;
        match end {
            '}' => Ok(Piece::Value(argument)),
            ':' => {
                let rest = self.chars.as_str();
                let kinds = [
                    ("shape}", Piece::Shape(argument)),
                    ("rows}", Piece::Rows(argument)),
                    ("index}", Piece::Index(argument)),
                    ("negative}", Piece::Negative(argument)),
                    ("where negative}", Piece::NegativeAt(argument)),
                ];
                match kinds.into_iter().find(|(word, _)| rest.starts_with(word)) {
                    Some((word, piece)) => {
                        self.chars.nth(word.len() - 1);
                        Ok(piece)
                    }
                    None => self.error("expected `shape}`, `rows}`, `index}`, `negative}` or `where negative}`"),
                }
            }
            '!' => {
                let (extents, end) = self.number()?;
                match end {
                    '}' => Ok(Piece::Outside { indices: argument, extents }),
                    _ => self.error("expected `}`"),
                }
            }
            '=' => {
                let (equals, end) = self.number()?;
                if end != '?' {
                    return self.error("expected `?`");
                }
                let then = self.until("|", depth + 1)?;
                let otherwise = self.until("}", depth + 1)?;
                Ok(Piece::Choose { argument, equals, then, otherwise })
            }
            _ => self.error("expected `}`, `:` or `=`"),
        }
    }

    /// A number, and the character behind it.
    fn number<N: std::str::FromStr>(&mut self) -> Result<(N, char)> {
        let mut digits = String::new();
        loop {
            match self.chars.next() {
                Some((_, c)) if c.is_ascii_digit() || c == '-' => digits.push(c),
                Some((_, c)) => match digits.parse() {
                    Ok(number) => return Ok((number, c)),
                    Err(_) => return self.error("expected a number"),
                },
                None => return self.error("a `{` is not closed"),
            }
        }
    }

    fn error<T>(&self, message: &str) -> Result<T> {
        let at = self.start + self.length - self.chars.as_str().len();
        Err(ParseError::new(self.parser.text, at, message.into()))
    }
}
