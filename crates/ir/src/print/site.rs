//! Sites, in the form of [`fault::notation`], and layouts as text.

use super::Printer;
use super::names::written_plainly;
use crate::{DimKind, Layout};
use base::Name;

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
            fault::notation::print(&mut self.out, site, self.options.spans);
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
