//! The texts of failed checks as C, for programs that tell them by themselves.

use crate::excerpt::{Excerpt, Locate};
use crate::writer::Writer;
use base::Span;
use fault::calls::CALL_BITS;
use fault::{Call, Message, Piece, Site, Text};
use kernel::Program;

/// The tables that the function `rv_message` of the run-time system reads. A text is a string in which a byte 1, a letter and
/// numbers stand for what is known only when the check fails.
pub(crate) fn messages(program: &Program, places: &[Span], locate: &Locate) -> String {
    let memory = fault::message::memory();
    let at = |place: &Span| quoted(&format!("\n{}{}", excerpt(&locate(*place)), memory.at.fill(&[])));
    let mut out = Writer::default();
    table(&mut out, "char *const rv_places", places.iter().map(at).chain(["NULL".into()]));
    let sites: Vec<String> = program.sites.iter().map(|(id, site)| variants(&mut out, id.0, site, locate)).collect();
    table(&mut out, "rv_site rv_sites", sites.into_iter().chain(["{0}".into()]));
    out.open("static const rv_texts *rv_own_texts(void) {");
    out.line(format!(
        "static const rv_texts own = {{rv_places, {}, {}, rv_sites}};",
        places.len(),
        quoted(&heading(&memory))
    ));
    out.line("return &own;");
    out.close("}");
    format!("\n{}", out.finish())
}

fn table(out: &mut Writer, declared: &str, rows: impl Iterator<Item = String>) {
    out.open(format!("static const {declared}[] = {{"));
    rows.for_each(|row| out.line(format!("{row},")));
    out.close("};");
}

/// Writes the texts of a site: one, or one for each call that may be the innermost. Gives the site itself.
fn variants(out: &mut Writer, number: u32, site: &Site, locate: &Locate) -> String {
    let callers = if site.inside && site.calls.is_empty() { &site.callers[..] } else { &[] };
    let general = match (site.inside, site.calls.first()) {
        (true, Some(call)) => site.at_call(*call),
        (true, None) => Site { inside: false, ..site.clone() },
        (false, _) => site.clone(),
    };
    let known = callers.iter().map(|caller| (usize::from(caller.number), site.at_call(caller.call)));
    let all: Vec<(usize, Site)> = known.chain([(0, general)]).collect();
    let rows: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(k, (caller, site))| {
            let calls = calls(out, &format!("rv_calls_{number}_{k}"), site, locate);
            format!("{{{caller}, {}, {calls}}}", quoted(&message(site, locate)))
        })
        .collect();
    let count = rows.len();
    table(out, &format!("rv_variant rv_variants_{number}"), rows.into_iter());
    format!("{{rv_variants_{number}, {count}}}")
}

fn message(site: &Site, locate: &Locate) -> String {
    let Message { at, notes, help, .. } = &site.message;
    let mut out = heading(&site.message) + "\n" + &excerpt(&locate(site.span));
    text(&mut out, at);
    out.push('\n');
    for note in notes {
        // A note that turns out empty is left out.
        out.push_str("\u{1}{");
        text(&mut out, note);
        out.push_str("\u{1}}");
    }
    if let Some(help) = help {
        out.push_str(&format!("  help: {help}\n"));
    }
    if site.callers.is_empty() {
        site.shown_calls(&[]).iter().for_each(|call| out.push_str(&call_text(call, locate)));
    }
    out
}

fn heading(message: &Message) -> String {
    let mut out = format!("error[{}]: ", message.fault.code());
    text(&mut out, &message.title);
    out
}

fn call_text(call: &Call, locate: &Locate) -> String {
    format!("  in a call of `{}` at {}\n", call.0, locate(call.1).place)
}

/// Writes the calls that may be under way: those that are known here, and those that the last argument says. Gives the
/// table, how many are known, and how many there are.
fn calls(out: &mut Writer, name: &str, site: &Site, locate: &Locate) -> String {
    if site.callers.is_empty() {
        return "NULL, 0, 0".into();
    }
    let entry = |id: usize, call: &Call| {
        let here = u8::from(call.1 == site.span);
        format!("{{{id}, {here}, {}}}", quoted(&call_text(call, locate)))
    };
    // Calls are distinguished by their numbers; those without one get others.
    let id = |call: &Call| match site.callers.iter().find(|caller| caller.call == *call) {
        Some(caller) => usize::from(caller.number),
        None => match site.calls.iter().position(|known| known == call) {
            Some(place) => (1 << CALL_BITS) + place,
            None => base::bug!("a call is neither known here nor among the callers"),
        },
    };
    let known: Vec<String> = site.calls.iter().map(|call| entry(id(call), call)).collect();
    let numbered: Vec<String> = site.callers.iter().map(|c| entry(usize::from(c.number), &c.call)).collect();
    let counts = format!("{name}, {}, {}", known.len(), known.len() + numbered.len());
    table(out, &format!("rv_caller {name}"), known.into_iter().chain(numbered));
    counts
}

/// The place and its line, up to the marks that stand under it.
fn excerpt(excerpt: &Excerpt) -> String {
    let Some((number, line, marked)) = &excerpt.line else { return format!("  --> {}: ", excerpt.place) };
    let margin = " ".repeat(number.to_string().len());
    let (before, marks) = (" ".repeat(marked.start), "^".repeat(marked.len().max(1)));
    format!(" {margin}--> {}\n {margin} |\n {number} | {line}\n {margin} | {before}{marks} ", excerpt.place)
}

fn text(out: &mut String, text: &Text) {
    text.0.iter().for_each(|piece| self::piece(out, piece));
}

fn piece(out: &mut String, piece: &Piece) {
    let gap = |letter: char, index: &usize| format!("\u{1}{letter}{index};");
    match piece {
        Piece::Words(words) => out.push_str(words),
        Piece::Value(index) => out.push_str(&gap('v', index)),
        Piece::Shape(index) => out.push_str(&gap('s', index)),
        Piece::Index(index) => out.push_str(&gap('i', index)),
        Piece::Rows(index) => out.push_str(&gap('r', index)),
        Piece::Negative(index) => out.push_str(&gap('n', index)),
        Piece::NegativeAt(index) => out.push_str(&gap('p', index)),
        Piece::Outside { indices, extents } => out.push_str(&format!("{}{extents};", gap('o', indices))),
        Piece::Choose { argument, equals, then, otherwise } => {
            out.push_str(&format!("{}{equals};", gap('c', argument)));
            text(out, then);
            out.push_str("\u{1}|");
            text(out, otherwise);
            out.push_str("\u{1}.");
        }
    }
}

/// A C string; anything but plain ASCII is written as octal bytes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(byte as char);
            }
            b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(byte as char),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out + "\""
}
