//! The texts of failed checks as C, for programs that tell them by themselves.

use crate::excerpt::Excerpt;
use crate::excerpt::Locate;
use crate::writer::Writer;
use base::Span;
use fault::calls::CALL_BITS;
use fault::{Call, Message, Piece, Site, Text};
use kernel::Program;

/// The function `rv_message`, which appends the text of a failure.
pub(crate) fn messages(program: &Program, places: &[Span], locate: &Locate) -> String {
    let mut out = Writer::default();
    out.open("static void rv_message(rv_text *out, const rv_failure *failure) {");
    out.line("const rv_arg *args = failure->args;");
    out.open("if (failure->kind == RV_MEMORY) {");
    let memory = fault::message::memory();
    heading(&mut out, &memory);
    out.open("switch (failure->site) {");
    for (number, place) in places.iter().enumerate() {
        let at = quoted(&format!("\n{}{}", excerpt(&locate(*place)), memory.at.fill(&[])));
        out.line(format!("case {number}: rv_words(out, {at}); break;"));
    }
    out.close("}");
    out.line("rv_words(out, \"\\n\");");
    out.line("rv_show_limit(out, &args[1]);");
    out.line("return;");
    out.close("}");
    out.open("switch (failure->site) {");
    for (id, site) in program.sites.iter() {
        out.open(format!("case {}:", id.0));
        message(&mut out, site, locate);
        out.line("break;");
        out.close("");
    }
    out.close("}");
    out.line("(void)args;");
    out.close("}");
    format!("\n{}", out.finish())
}

fn message(out: &mut Writer, site: &Site, locate: &Locate) {
    match (site.inside, site.calls.first()) {
        (true, Some(call)) => return message(out, &site.at_call(*call), locate),
        (true, None) => return message_inside(out, site, locate),
        (false, _) => {}
    }
    let Message { at, notes, help, .. } = &site.message;
    heading(out, &site.message);
    words(out, &format!("\n{}", excerpt(&locate(site.span))));
    text(out, at);
    words(out, "\n");
    for note in notes {
        // A note that turns out empty is left out.
        out.line("rv_begin_note(out);");
        text(out, note);
        out.line("rv_end_note(out);");
    }
    if let Some(help) = help {
        words(out, &format!("  help: {help}\n"));
    }
    calls(out, site, locate);
}

fn heading(out: &mut Writer, message: &Message) {
    words(out, &format!("error[{}]: ", message.fault.code()));
    text(out, &message.title);
}

/// A message whose place is the innermost call, which the last argument tells.
fn message_inside(out: &mut Writer, site: &Site, locate: &Locate) {
    out.open(format!("switch (failure->count > 0 ? args[failure->count - 1].bits & {} : 0) {{", (1 << CALL_BITS) - 1));
    for caller in &site.callers {
        out.open(format!("case {}:", caller.number));
        message(out, &site.at_call(caller.call), locate);
        out.line("break;");
        out.close("");
    }
    out.open("default:");
    message(out, &Site { inside: false, ..site.clone() }, locate);
    out.close("");
    out.close("}");
}

/// The calls under way: those that are known here, and those that the last argument says.
fn calls(out: &mut Writer, site: &Site, locate: &Locate) {
    let text = |call: &Call| format!("  in a call of `{}` at {}\n", call.0, locate(call.1).place);
    if site.callers.is_empty() {
        return site.shown_calls(&[]).iter().for_each(|call| words(out, &text(call)));
    }
    let entry = |id: usize, call: &Call| {
        let here = u8::from(call.1 == site.span);
        format!("{{{id}, {here}, {}}}", quoted(&text(call)))
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
    let all: Vec<String> = known.iter().chain(&numbered).cloned().collect();
    out.open("{");
    out.line(format!("static const rv_caller calls[] = {{{}}};", all.join(", ")));
    out.line(format!("rv_show_calls(out, calls, {}, {}, failure);", known.len(), all.len()));
    out.close("}");
}

/// The place and its line, up to the marks that stand under it.
fn excerpt(excerpt: &Excerpt) -> String {
    let Some((number, line, marked)) = &excerpt.line else { return format!("  --> {}: ", excerpt.place) };
    let margin = " ".repeat(number.to_string().len());
    let (before, marks) = (" ".repeat(marked.start), "^".repeat(marked.len().max(1)));
    format!(" {margin}--> {}\n {margin} |\n {number} | {line}\n {margin} | {before}{marks} ", excerpt.place)
}

fn text(out: &mut Writer, text: &Text) {
    text.0.iter().for_each(|piece| self::piece(out, piece));
}

fn piece(out: &mut Writer, piece: &Piece) {
    match piece {
        Piece::Words(text) => words(out, text),
        Piece::Value(index) => out.line(format!("if ({index} < failure->count) rv_show(out, &args[{index}]);")),
        Piece::Shape(index) => out.line(format!("if ({index} < failure->count) rv_show_shape(out, &args[{index}]);")),
        Piece::Index(index) => out.line(format!("if ({index} < failure->count) rv_show_index(out, &args[{index}]);")),
        Piece::Rows(index) => out.line(format!("if ({index} < failure->count) rv_show_rows(out, &args[{index}]);")),
        Piece::Negative(index) => {
            out.line(format!("if ({index} < failure->count) rv_show_negative(out, &args[{index}], false);"));
        }
        Piece::NegativeAt(index) => {
            out.line(format!("if ({index} < failure->count) rv_show_negative(out, &args[{index}], true);"));
        }
        Piece::Outside { indices, extents } => {
            let last = indices.max(extents);
            out.line(format!("if ({last} < failure->count) rv_show_outside(out, &args[{indices}], &args[{extents}]);"));
        }
        Piece::Choose { argument, equals, then, otherwise } => {
            out.open(format!("if ({argument} < failure->count && rv_equals(&args[{argument}], {equals})) {{"));
            text(out, then);
            out.between("} else {");
            text(out, otherwise);
            out.close("}");
        }
    }
}

fn words(out: &mut Writer, words: &str) {
    if !words.is_empty() {
        out.line(format!("rv_words(out, {});", quoted(words)));
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
