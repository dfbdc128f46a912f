//! Diagnostics as text: sorted by place, without repetitions, the first few in full.

use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use base::{Diagnostic, FileId, Map, Set, Severity, Sources, Span};
use std::fmt;
use std::ops::Range;

/// How many diagnostics are shown before "and N more".
pub const SHOWN: usize = 20;

/// The diagnostics in the order of their places, each once.
pub fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut seen = Set::default();
    let mut all: Vec<&Diagnostic> =
        diagnostics.iter().filter(|d| seen.insert((d.code, place(d), d.title.as_str()))).collect();
    all.sort_by_key(|d| place(d));
    all
}

fn place(diagnostic: &Diagnostic) -> Option<Span> {
    diagnostic.labels.first().map(|label| label.span)
}

/// All diagnostics as text for people.
pub fn render_all(sources: &Sources, diagnostics: &[Diagnostic], color: bool) -> String {
    let all = in_order(diagnostics);
    // Errors first get their share of the space: a wall of warnings must not hide the reason of a rejection.
    let errors = all.iter().filter(|d| d.severity == Severity::Error).count();
    let mut warnings_left = SHOWN.saturating_sub(errors);
    let mut errors_left = SHOWN;
    let mut texts = Texts { sources, known: Map::default() };
    let mut out = String::new();
    let mut hidden = 0;
    for diagnostic in all {
        let left = match diagnostic.severity {
            Severity::Error => &mut errors_left,
            Severity::Warning => &mut warnings_left,
        };
        if *left == 0 {
            hidden += 1;
            continue;
        }
        *left -= 1;
        out += &with_source(&mut texts, diagnostic, color);
    }
    if hidden > 0 {
        out += &format!("and {hidden} more\n");
    }
    out
}

/// One diagnostic as text for people.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, color: bool) -> String {
    with_source(&mut Texts { sources, known: Map::default() }, diagnostic, color)
}

fn with_source(texts: &mut Texts, diagnostic: &Diagnostic, color: bool) -> String {
    let sources = texts.sources;
    let Some(main) = diagnostic.labels.first().filter(|label| !sources.get(label.span.file).text.is_empty()) else {
        return without_source(sources, diagnostic);
    };
    let (kind, paint) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let title = crate::advice::title(sources, diagnostic).unwrap_or_else(|| diagnostic.title.clone());
    let config = Config::default().with_color(color).with_index_type(IndexType::Char);
    let mut report = Report::build(kind, chars(sources, main.span)).with_config(config).with_message(title);
    if !diagnostic.code.is_empty() {
        report = report.with_code(diagnostic.code);
    }
    for (index, label) in diagnostic.labels.iter().enumerate() {
        let paint = if index == 0 { paint } else { Color::Blue };
        let mut shown = Label::new(chars(sources, label.span)).with_color(paint).with_order(index as i32);
        if !label.text.is_empty() {
            shown = shown.with_message(&label.text);
        }
        report.add_label(shown);
    }
    diagnostic.notes.iter().for_each(|note| report.add_note(note));
    let help = diagnostic.help.clone().or_else(|| crate::advice::from_text(sources, diagnostic));
    if let Some(help) = &help {
        report.add_help(help);
    }
    let mut out = Vec::new();
    match report.finish().write(texts, &mut out) {
        Ok(()) => trim_lines(&String::from_utf8_lossy(&out)),
        Err(_) => without_source(sources, diagnostic),
    }
}

/// The plain form: for diagnostics about files that have no text to show.
fn without_source(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let mut out = if diagnostic.code.is_empty() {
        format!("{severity}: {}\n", diagnostic.title)
    } else {
        format!("[{}] {severity}: {}\n", diagnostic.code, diagnostic.title)
    };
    for label in &diagnostic.labels {
        if !sources.get(label.span.file).text.is_empty() {
            out += &format!("  {}: {}\n", sources.display(label.span), label.text);
        }
    }
    diagnostic.notes.iter().for_each(|note| out += &format!("  Note: {note}\n"));
    diagnostic.help.iter().for_each(|help| out += &format!("  Help: {help}\n"));
    out
}

/// Everything a diagnostic says as one string, for matching against a pattern.
pub fn words(diagnostic: &Diagnostic) -> String {
    let mut out = format!("{} {}", diagnostic.code, diagnostic.title);
    let labels = diagnostic.labels.iter().map(|label| &label.text);
    for text in labels.chain(&diagnostic.notes).chain(&diagnostic.help) {
        out.push('\n');
        out.push_str(text);
    }
    out
}

fn trim_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The span in the form of the renderer: counted in characters, inside the text, at least one character long. (It can
/// count bytes, too, but then trips over texts with characters of several bytes.)
fn chars(sources: &Sources, span: Span) -> (FileId, Range<usize>) {
    let text = &sources.get(span.file).text;
    let first = text.floor_char_boundary(span.start as usize);
    let last = text.ceil_char_boundary((span.end as usize).max(first));
    let before = text[..first].chars().count();
    let inside = text[first..last].chars().count();
    let behind = text[last..].chars().count();
    let all = before + inside + behind;
    let start = before.min(all.saturating_sub(1));
    (span.file, start..(before + inside).max(start + 1))
}

/// The texts of all files, split into lines when first needed.
struct Texts<'a> {
    sources: &'a Sources,
    known: Map<FileId, Source<String>>,
}

impl Cache<FileId> for Texts<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<String>, impl fmt::Debug> {
        let text = || Source::from(self.sources.get(*id).text.to_string());
        Ok::<_, std::convert::Infallible>(self.known.entry(*id).or_insert_with(text))
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl fmt::Display + 'b> {
        Some(self.sources.get(*id).path.clone())
    }
}
