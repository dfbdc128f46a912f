//! Messages and layouts as text.
//!
//! ```text
//! site R003 "index {0} is outside of {1:shape}" at "{0=0?nothing there|{1} elements}" note "..." help "..." in f in g from 1 h
//! ```

use super::Printer;
use super::names::written_plainly;
use crate::{DimKind, Layout};
use base::site::{Caller, Piece, Text};
use base::{Name, Site};

impl Printer<'_> {
    /// All sites that were mentioned.
    pub(super) fn sites(&mut self) {
        for (i, id) in self.names.sites().into_iter().enumerate() {
            let Some(site) = self.program.sites.get(id) else { continue };
            if i == 0 {
                self.paragraph();
            }
            let name = self.names.site(self.program, id).to_string();
            self.put(&format!("site {name} "));
            self.site(site);
        }
    }

    fn site(&mut self, site: &Site) {
        let Site { code: _, title, span, at, notes, help, calls, callers, inside } = site;
        self.text(title);
        self.span(*span);
        self.depth += 1;
        if at.0.iter().any(|piece| *piece != Piece::Words(String::new())) {
            self.line();
            self.put("at ");
            self.text(at);
        }
        for note in notes {
            self.line();
            self.put("note ");
            self.text(note);
        }
        if let Some(help) = help {
            self.line();
            self.put("help \"");
            self.words(help, false);
            self.put("\"");
        }
        if *inside {
            self.line();
            self.put("inside");
        }
        for (name, span) in calls {
            self.line();
            self.put(&format!("in {}", written_plainly(name.as_str())));
            self.span(*span);
        }
        for Caller { number, call: (name, span) } in callers {
            self.line();
            self.put(&format!("from {number} {}", written_plainly(name.as_str())));
            self.span(*span);
        }
        self.depth -= 1;
        self.put("\n");
    }

    fn text(&mut self, text: &Text) {
        self.put("\"");
        self.pieces(text, false);
        self.put("\"");
    }

    fn pieces(&mut self, text: &Text, inside: bool) {
        for piece in &text.0 {
            match piece {
                Piece::Words(words) => self.words(words, inside),
                Piece::Value(i) => self.put(&format!("{{{i}}}")),
                Piece::Shape(i) => self.put(&format!("{{{i}:shape}}")),
                Piece::Index(i) => self.put(&format!("{{{i}:index}}")),
                Piece::Rows(i) => self.put(&format!("{{{i}:rows}}")),
                Piece::Negative(i) => self.put(&format!("{{{i}:negative}}")),
                Piece::NegativeAt(i) => self.put(&format!("{{{i}:where negative}}")),
                Piece::Outside { indices, extents } => self.put(&format!("{{{indices}!{extents}}}")),
                Piece::Choose { argument, equals, then, otherwise } => {
                    self.put(&format!("{{{argument}={equals}?"));
                    self.pieces(then, true);
                    self.put("|");
                    self.pieces(otherwise, true);
                    self.put("}");
                }
            }
        }
    }

    /// Words, with a backslash before what would mean something else. Inside of a choice that is more.
    fn words(&mut self, words: &str, inside: bool) {
        for c in words.chars() {
            match c {
                '\n' => self.put("\\n"),
                '"' | '\\' | '{' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                '|' | '}' if inside => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                _ => self.out.push(c),
            }
        }
    }

    /// A layout: `[][~][..]f64`, `{a: i32, 0: f64}`, `(#none | #some f64)`.
    pub(super) fn layout(&mut self, layout: &Layout) {
        match layout {
            Layout::Scalar(prim) => self.put(prim.name()),
            Layout::Array(kinds, elem) => {
                for kind in kinds {
                    self.put(match kind {
                        DimKind::Size => "[]",
                        DimKind::Jagged => "[~]",
                        DimKind::Shape => "[..]",
                    });
                }
                self.layout(elem);
            }
            Layout::Record(fields) => {
                self.put("{");
                self.list(fields, |p, (name, field)| {
                    p.field(*name);
                    p.put(": ");
                    p.layout(field);
                });
                self.put("}");
            }
            Layout::Sum(constructors) => {
                self.put("(");
                for (i, (name, parts)) in constructors.iter().enumerate() {
                    self.put(if i > 0 { " | #" } else { "#" });
                    self.put(&written_plainly(name.as_str()));
                    for part in parts {
                        self.put(" ");
                        self.layout(part);
                    }
                }
                self.put(")");
            }
        }
    }

    /// The name of a field; those of tuples are numbers.
    fn field(&mut self, name: Name) {
        let text = name.as_str();
        let number = text.parse::<u32>().is_ok_and(|n| n.to_string() == text);
        self.put(&if number { text.to_string() } else { written_plainly(text) });
    }
}
