//! Damages texts as people and disks do: a word is missing, doubled, swapped or replaced, a file is truncated, bytes are
//! wrong.

use crate::random::Random;

/// The words of a text: names, numbers, signs and the spaces between them, which together are the text.
pub fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let class = class(c);
        if last.is_some_and(|l| l != class || class == Class::Sign) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Word,
    Operator,
    Sign,
}

fn class(c: char) -> Class {
    match c {
        _ if c.is_whitespace() => Class::Space,
        _ if c.is_alphanumeric() || c == '_' || c == '\'' => Class::Word,
        '+' | '-' | '*' | '/' | '<' | '>' | '=' | '!' | '&' | '|' | '%' | '^' | '.' | ':' => Class::Operator,
        _ => Class::Sign,
    }
}

/// Words of programs, to be inserted in wrong places.
const FOREIGN: &[&str] = &[
    "array",
    "update",
    "accum",
    "let",
    "rec",
    "in",
    "if",
    "then",
    "else",
    "for",
    "loop",
    "while",
    "do",
    "match",
    "case",
    "with",
    "def",
    "entry",
    "module",
    "type",
    "open",
    "import",
    "local",
    "\\",
    "->",
    "=>",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "*",
    ":",
    ":>",
    "..",
    "..<",
    "...",
    "~",
    "[~k]",
    "[..s]",
    "#foo",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "1e308",
    "f64.nan",
    "map",
    "reduce",
    "iota",
    "i64",
    "f64",
    "bool",
    "'a",
    "[]",
    "[n]",
    "step",
    "assert",
    "???",
    "\"",
    "'",
    "`",
    "==",
    "&&",
    "||",
    "!",
    ",",
    ";",
    "é",
    "\u{0}",
    "0x",
    "i8",
    "copy",
    "scatter",
    "shape",
    "x",
    "y",
    "n",
    "_",
];

/// The text with a few random errors; some words come from `others`.
pub fn program(text: &str, others: &[String], random: &mut Random) -> String {
    let mut words: Vec<String> = words(text).into_iter().map(String::from).collect();
    for _ in 0..1 + random.below(4) {
        if words.is_empty() {
            break;
        }
        let at = random.below(words.len());
        match random.below(9) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            3 | 4 => {
                if let Some(foreign) = random.pick(FOREIGN) {
                    words.insert(at, format!(" {foreign} "));
                }
            }
            5 => {
                if let Some(foreign) = random.pick(FOREIGN) {
                    words[at] = format!(" {foreign} ");
                }
            }
            6 => words[at] = words[random.below(words.len())].clone(),
            7 => {
                let end = (at + random.below(12)).min(words.len());
                words.drain(at..end);
            }
            _ => splice(&mut words, at, others, random),
        }
    }
    let mut text = words.concat();
    if random.one_in(12) {
        let cut = random.below(text.len());
        let cut = (0..=cut).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(cut);
    }
    text
}

/// Puts a piece of another text into this one.
fn splice(into: &mut Vec<String>, at: usize, others: &[String], random: &mut Random) {
    let Some(other) = random.pick(others) else { return };
    let piece = words(other);
    let start = random.below(piece.len());
    let end = (start + random.below(20)).min(piece.len());
    into.splice(at..at, piece[start..end].iter().map(|w| w.to_string()));
}

/// Bytes with a few of them changed, removed, doubled or cut off.
pub fn bytes(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.number() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, random.number() as u8),
            4 => bytes.truncate(at),
            _ => {
                let end = (at + random.below(16)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_text() {
        let text = "def f (x: i64) = x + 1 -- é\n";
        assert_eq!(words(text).concat(), text);
        assert!(words(text).contains(&"i64"));
    }
}
