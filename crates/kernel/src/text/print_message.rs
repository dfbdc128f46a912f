//! Messages as text.

use super::print::place;
use crate::SiteId;
use base::site::{Caller, Piece, Text};
use base::{Name, Site};

/// A name in quotes.
pub(super) fn name(name: Name) -> String {
    quoted(name.as_str())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' | '{' | '}' | '|' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// A message with its gaps, without quotes.
fn pieces(text: &Text) -> String {
    let one = |piece: &Piece| match piece {
        Piece::Words(words) => escaped(words),
        Piece::Value(index) => format!("{{{index}}}"),
        Piece::Shape(index) => format!("{{[{index}]}}"),
        Piece::Index(index) => format!("{{@{index}}}"),
        Piece::Rows(index) => format!("{{~{index}}}"),
        Piece::Negative(index) => format!("{{-{index}}}"),
        Piece::NegativeAt(index) => format!("{{#{index}}}"),
        Piece::Outside { indices, extents } => format!("{{{indices}!{extents}}}"),
        Piece::Choose { argument, equals, then, otherwise } => {
            format!("{{{argument}={equals}?{}|{}}}", pieces(then), pieces(otherwise))
        }
    };
    text.0.iter().map(one).collect()
}

fn message(text: &Text) -> String {
    format!("\"{}\"", pieces(text))
}

/// A site.
pub(super) fn site(out: &mut String, id: SiteId, site: &Site, spans: bool) {
    let Site { code, title, span, at, notes, help, calls, callers, inside } = site;
    out.push_str(&format!("site {} {code}{} {} at {}", id.0, place(*span, spans), message(title), message(at)));
    notes.iter().for_each(|note| out.push_str(&format!(" note {}", message(note))));
    if let Some(help) = help {
        out.push_str(&format!(" help {}", quoted(help)));
    }
    if *inside {
        out.push_str(" inside");
    }
    calls.iter().for_each(|(function, at)| out.push_str(&format!(" in {}{}", name(*function), place(*at, spans))));
    for Caller { number, call: (function, at) } in callers {
        out.push_str(&format!(" from {number} {}{}", name(*function), place(*at, spans)));
    }
    out.push('\n');
}
