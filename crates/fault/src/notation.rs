//! Sites in the text forms of Core and Kernel.
//!
//! ```text
//! site R003 "index {0} is outside of {1:shape}" @0:3-5
//!   at "{0=0?nothing there|{1} elements}"
//!   note "..."
//!   help "..."
//!   inside
//!   stays
//!   in "f" @0:7-9
//!   from 1 "h" @0:11-12
//! ```
//!
//! A gap is a number, the argument, and how it is shown: `{0}` its value, `{0:shape}`, `{0:index}`, `{0:rows}`,
//! `{0:negative}`, `{0:where negative}`; `{0!1}` the first index of argument 0 outside of the extents of argument 1; and
//! `{0=1?then|otherwise}` one of two texts. See [`Piece`]. A backslash before a character makes it an ordinary one.
//!
//! Each text form has its own tokens, so the parser of sites asks for them through [`Tokens`].

use crate::{Caller, Fault, Message, Piece, Site, Text};
use base::{Name, Span};
use std::str::CharIndices;

/// Choices may be nested this deep; deeper ones would fill the parser's stack.
const DEEPEST: usize = 50;

/// Appends a site from its title on, one line for each part.
pub fn print(out: &mut String, site: &Site, spans: bool) {
    let Site { message: Message { fault, title, at, notes, help }, span, calls, callers, inside, stays } = site;
    out.push_str(&format!("{}{}", quoted(title), place(*span, spans)));
    if !at.0.is_empty() {
        out.push_str(&format!("\n  at {}", quoted(at)));
    }
    notes.iter().for_each(|note| out.push_str(&format!("\n  note {}", quoted(note))));
    if let Some(help) = help {
        out.push_str(&format!("\n  help {}", quoted(&Text::words(help.as_str()))));
    }
    if *inside {
        out.push_str("\n  inside");
    }
    if *stays && !fault.must_stay() {
        out.push_str("\n  stays");
    }
    for (name, span) in calls {
        out.push_str(&format!("\n  in {}{}", quoted_name(*name), place(*span, spans)));
    }
    for Caller { number, call: (name, span) } in callers {
        out.push_str(&format!("\n  from {number} {}{}", quoted_name(*name), place(*span, spans)));
    }
    out.push('\n');
}

fn place(span: Span, shown: bool) -> String {
    if shown { format!(" @{}:{}-{}", span.file.0, span.start, span.end) } else { String::new() }
}

/// A name in quotation marks.
pub fn quoted_name(name: Name) -> String {
    quoted(&Text::words(name.as_str()))
}

/// A text in quotation marks.
fn quoted(text: &Text) -> String {
    let mut out = String::from("\"");
    print_pieces(&mut out, text, false);
    out.push('"');
    out
}

fn print_pieces(out: &mut String, text: &Text, in_choice: bool) {
    for piece in &text.0 {
        match piece {
            Piece::Words(words) => print_words(out, words, in_choice),
            Piece::Value(i) => out.push_str(&format!("{{{i}}}")),
            Piece::Shape(i) => out.push_str(&format!("{{{i}:shape}}")),
            Piece::Index(i) => out.push_str(&format!("{{{i}:index}}")),
            Piece::Rows(i) => out.push_str(&format!("{{{i}:rows}}")),
            Piece::Negative(i) => out.push_str(&format!("{{{i}:negative}}")),
            Piece::NegativeAt(i) => out.push_str(&format!("{{{i}:where negative}}")),
            Piece::Outside { indices, extents } => out.push_str(&format!("{{{indices}!{extents}}}")),
            Piece::Choose { argument, equals, then, otherwise } => {
                out.push_str(&format!("{{{argument}={equals}?"));
                print_pieces(out, then, true);
                out.push('|');
                print_pieces(out, otherwise, true);
                out.push('}');
            }
        }
    }
}

/// Fixed text, with a backslash before each character that has a meaning in a template.
fn print_words(out: &mut String, words: &str, in_choice: bool) {
    for c in words.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' | '{' => out.extend(['\\', c]),
            '|' | '}' if in_choice => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
}

/// An error in a text.
#[derive(Debug)]
pub struct Malformed {
    /// The byte in the text between the quotation marks.
    pub at: usize,
    /// The message.
    pub what: String,
}

/// The tokens of a text form, as far as sites need them.
pub trait Tokens {
    /// An error with its place.
    type Error;

    /// Takes the next token if it is this word.
    fn eat(&mut self, word: &str) -> bool;

    /// Takes a quoted string and returns the text between the quotation marks, with its escapes.
    fn quoted(&mut self) -> Result<String, Self::Error>;

    /// Takes a number.
    fn number(&mut self) -> Result<i64, Self::Error>;

    /// Takes `@file:start-end`; an empty span if there is none.
    fn span(&mut self) -> Result<Span, Self::Error>;

    /// An error in what [`Tokens::quoted`] returned last.
    fn malformed(&self, wrong: Malformed) -> Self::Error;

    /// An error at the token taken last.
    fn wrong(&self, what: String) -> Self::Error;
}

/// A site from its title on.
pub fn parse<T: Tokens>(tokens: &mut T, fault: Fault) -> Result<Site, T::Error> {
    let title = text(tokens)?;
    let span = tokens.span()?;
    let at = if tokens.eat("at") { text(tokens)? } else { Text::default() };
    let mut message = Message { fault, title, at, notes: Vec::new(), help: None };
    while tokens.eat("note") {
        message.notes.push(text(tokens)?);
    }
    if tokens.eat("help") {
        message.help = Some(text(tokens)?.fill(&[]));
    }
    let mut site = Site::new(message, span);
    site.inside = tokens.eat("inside");
    site.stays |= tokens.eat("stays");
    while tokens.eat("in") {
        site.calls.push((name(tokens)?, tokens.span()?));
    }
    while tokens.eat("from") {
        let number = tokens.number()?;
        let Ok(number) = u16::try_from(number) else {
            return Err(tokens.wrong(format!("{number} is no number of a call")));
        };
        site.callers.push(Caller { number, call: (name(tokens)?, tokens.span()?) });
    }
    Ok(site)
}

fn text<T: Tokens>(tokens: &mut T) -> Result<Text, T::Error> {
    let inside = tokens.quoted()?;
    parse_template(&inside, &mut std::iter::empty()).map_err(|wrong| tokens.malformed(wrong))
}

/// A name in quotation marks.
pub fn name<T: Tokens>(tokens: &mut T) -> Result<Name, T::Error> {
    Ok(Name::new(&text(tokens)?.fill(&[])))
}

/// Parses the text between quotation marks. `{}` is replaced by the next of the parts.
pub(crate) fn parse_template(text: &str, parts: &mut dyn Iterator<Item = Text>) -> Result<Text, Malformed> {
    Pieces { chars: text.char_indices(), length: text.len(), parts }.until("", 0)
}

struct Pieces<'a, 'p> {
    chars: CharIndices<'a>,
    length: usize,
    parts: &'p mut dyn Iterator<Item = Text>,
}

impl Pieces<'_, '_> {
    /// Pieces up to one of these characters, which is taken; up to the end if there are none.
    fn until(&mut self, ends: &str, depth: usize) -> Result<Text, Malformed> {
        if depth > DEEPEST {
            return self.error("choices nested too deeply");
        }
        let mut text = Text::default();
        loop {
            match self.chars.next() {
                None if ends.is_empty() => return Ok(text),
                None => return self.error("a `{` is not closed"),
                Some((_, c)) if ends.contains(c) => return Ok(text),
                Some((_, '\\')) => text.push(Piece::Words(self.escaped()?.into())),
                Some((_, '{')) => match self.part() {
                    Some(part) => text = text.followed_by(part),
                    None => text.push(self.gap(depth)?),
                },
                Some((_, c)) => text.push(Piece::Words(c.into())),
            }
        }
    }

    /// The part that replaces a `{}`.
    fn part(&mut self) -> Option<Text> {
        let part = self.chars.as_str().starts_with('}').then(|| self.parts.next())??;
        self.chars.next();
        Some(part)
    }

    fn escaped(&mut self) -> Result<char, Malformed> {
        match self.chars.next() {
            Some((_, 'n')) => Ok('\n'),
            Some((_, c @ ('"' | '\\' | '{' | '|' | '}'))) => Ok(c),
            _ => self.error("this backslash has no meaning"),
        }
    }

    /// The gap after `{`.
    fn gap(&mut self, depth: usize) -> Result<Piece, Malformed> {
        let (argument, end) = self.number()?;
        match end {
            '}' => Ok(Piece::Value(argument)),
            ':' => self.shown_as(argument),
            '!' => match self.number()? {
                (extents, '}') => Ok(Piece::Outside { indices: argument, extents }),
                _ => self.error("expected `}`"),
            },
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

    fn shown_as(&mut self, argument: usize) -> Result<Piece, Malformed> {
        let ways = [
            ("shape}", Piece::Shape(argument)),
            ("rows}", Piece::Rows(argument)),
            ("index}", Piece::Index(argument)),
            ("negative}", Piece::Negative(argument)),
            ("where negative}", Piece::NegativeAt(argument)),
        ];
        match ways.into_iter().find(|(word, _)| self.chars.as_str().starts_with(word)) {
            Some((word, piece)) => {
                self.chars.nth(word.len() - 1);
                Ok(piece)
            }
            None => self.error("expected `shape}`, `rows}`, `index}`, `negative}` or `where negative}`"),
        }
    }

    /// A number, and the character after it.
    fn number<N: std::str::FromStr>(&mut self) -> Result<(N, char), Malformed> {
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

    fn error<T>(&self, what: &str) -> Result<T, Malformed> {
        Err(Malformed { at: self.length - self.chars.as_str().len(), what: what.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Text, Malformed> {
        parse_template(text, &mut std::iter::empty())
    }

    #[test]
    fn texts_print_as_they_are_parsed() {
        let texts =
            ["{0=-1?none|{1:shape} of {0}}", "{2!3}{0:rows}{1:index}", "a\\\"\\\\\\{b}|", "{0=1?\\}|\\|}", "\\n"];
        for text in texts {
            assert_eq!(quoted(&parsed(text).unwrap()), format!("\"{text}\""));
        }
    }

    #[test]
    fn malformed_texts_are_rejected_where_they_go_wrong() {
        for (text, at) in [("a {", 3), ("{x}", 2), ("{0:form}", 3), ("\\q", 2), ("{0=1?a}", 7), ("{}", 2)] {
            assert_eq!(parsed(text).unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn templates_take_parts() {
        let parts = ["xs", "{y"].map(Text::words);
        assert_eq!(quoted(&Text::template("{} and {0=1?{}|no}", parts)), "\"xs and {0=1?\\{y|no}\"");
    }
}
