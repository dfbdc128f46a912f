//! Messages as text: any spans whatever give a message, and messages come in order, once, and not too many.

use base::{Diagnostic, FileId, Sources, Span};
use driver::render;

/// A small generator of numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn any_spans_can_be_shown() {
    let texts =
        ["def x = 1\n", "", "é\u{1F600}\n\nü = 2", "\r\n\r\n a\tb\r\n", "\n\n\n", "a\u{0301}\u{200d}\u{202e}b\0c\n"];
    let mut sources = Sources::new();
    for text in texts {
        sources.add("file.rv", text);
    }
    let mut numbers = Numbers(1);
    for _ in 0..3000 {
        let mut span = || {
            let file = numbers.below(texts.len());
            // Beyond the end on purpose: a wrong span must not hide a message.
            let (a, b) = (numbers.below(texts[file].len() + 3), numbers.below(texts[file].len() + 3));
            Span::new(FileId(file as u32), a.min(b), a.max(b))
        };
        let mut message =
            Diagnostic::error("E0000", "title", span(), "here").note("a note\nof two lines").help("do it");
        for _ in 0..3 {
            message = message.label(span(), "and here");
        }
        let text = render::render(&sources, &message, false);
        assert!(text.contains("title") && text.contains("E0000"), "{text}");
        render::render(&sources, &message, true);
    }
}

#[test]
fn in_order_and_once() {
    let mut sources = Sources::new();
    let file = sources.add("a.rv", "one two three\n");
    let at = |start: usize, title: &str| Diagnostic::error("E0001", title, Span::new(file, start, start + 3), "");
    let all = [at(8, "third"), at(0, "first"), at(4, "second"), at(0, "first")];
    let titles: Vec<&str> = render::in_order(&all).iter().map(|d| d.title.as_str()).collect();
    assert_eq!(titles, ["first", "second", "third"]);
}

#[test]
fn too_many_are_counted_and_errors_go_before_warnings() {
    let mut sources = Sources::new();
    let file = sources.add("a.rv", "x".repeat(100));
    let at = |i: usize| Span::new(file, i, i + 1);
    let mut all: Vec<Diagnostic> = (0..30).map(|i| Diagnostic::warning("W0001", format!("w{i}"), at(i), "")).collect();
    all.extend((30..55).map(|i| Diagnostic::error("E0001", format!("e{i}"), at(i), "")));
    let text = render::render_all(&sources, &all, false);
    assert_eq!(text.matches("[E0001]").count(), render::SHOWN);
    assert_eq!(text.matches("[W0001]").count(), 0);
    assert!(text.ends_with("and 35 more\n"), "{text}");
}
