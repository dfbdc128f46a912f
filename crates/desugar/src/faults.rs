//! The messages of checks ([`fault::message`]) at their places, and the types of values as messages write them.

use crate::context::Desugar;
use crate::data::value::{ArrayVal, Val};
use base::Span;
pub(crate) use fault::message::Place;
use fault::{Message, Piece, Site, Text, message};
use ir::num::Num;
use ir::{Atom, Dim, Var};
use typed::recursion::TooDeep;

/// A text in the form of [`fault::notation`].
pub(crate) fn text(template: &str) -> Text {
    Text::template(template, [])
}

/// Why a value must have a form: what a failing check says.
#[derive(Clone, Copy)]
pub(crate) enum Why {
    /// Rows of one array; this is the number of the row.
    Rows(Atom),
    /// Branches, turns of a loop, calls, operands of a reduction: the sizes were checked before.
    Checked,
}

/// The type of a value as messages write it, and the numbers in it; they are arguments from `first` on.
pub(crate) struct Described {
    pub text: Text,
    pub args: Vec<Atom>,
}

impl<'t> Desugar<'t> {
    /// A message at a place. The place shown is in a file of the user's: a check that fails inside the library is shown
    /// where the library was called.
    pub(crate) fn site(&self, message: Message) -> Site {
        let span = self.b.span;
        let of_user = |span: Span| !self.library.contains(&span.file);
        let calls = self.user_calls();
        let message = match self.calls.last() {
            Some((innermost, _)) if !of_user(span) => message.inside(*innermost),
            _ => message,
        };
        let site = match self.calls.iter().rev().find(|call| of_user(call.1)) {
            Some((name, call)) if !of_user(span) => Site { calls, ..Site::new(message.in_call(*name), *call) },
            // In a function that several places share, the run says which of them called it.
            _ => Site { calls, inside: !of_user(span), ..Site::new(message, span) },
        };
        if self.word.is_none() { site.placed(&[]) } else { site }
    }

    /// Checks a condition: if it fails, the run stops with this message and these arguments. None if it holds for sure.
    pub(crate) fn check(
        &mut self,
        fine: impl Into<Num>,
        message: Message,
        args: impl IntoIterator<Item = Atom>,
    ) -> Option<Var> {
        let site = self.site(message);
        self.assert(fine, site, args)
    }

    /// The same at a site.
    pub(crate) fn assert(
        &mut self,
        fine: impl Into<Num>,
        site: Site,
        args: impl IntoIterator<Item = Atom>,
    ) -> Option<Var> {
        let fine = self.b.num(fine);
        let active = self.word.map(|word| Atom::Var(word.param));
        self.b.assert(fine, site, args.into_iter().chain(active).collect())
    }

    /// The type of a value; the numbers in it are arguments of the message from number `first` on.
    pub(crate) fn describe(&self, val: &Val<'t>, first: usize) -> Described {
        let mut out = Described { text: Text::default(), args: Vec::new() };
        self.describe_val(val, first, false, &mut out);
        out
    }

    fn describe_val(&self, val: &Val<'t>, first: usize, in_array: bool, out: &mut Described) {
        match val {
            Val::Scalar(prim, _) => push(out, prim.name()),
            Val::Vector(prim, atoms) => push(out, &format!("[{}]{prim}", atoms.len())),
            Val::Lengths(desc) => {
                self.describe_dims(self.b.ty(*desc).dims(), first, out);
                push(out, "i64");
            }
            Val::Record(fields) => {
                push(out, "(");
                for (i, field) in fields.iter().enumerate() {
                    push(out, if i > 0 { ", " } else { "" });
                    self.describe_val(field, first, in_array, out);
                }
                push(out, ")");
            }
            Val::Sum(sum) => {
                let known: Vec<usize> = (0..sum.parts.len()).filter(|case| sum.parts[*case].is_some()).collect();
                match known[..] {
                    [case] if !in_array => push(out, &format!("#{}", sum.cases[case].0)),
                    _ => push(out, "…"),
                }
            }
            Val::Array(array) => self.describe_array(array, first, out),
            Val::Fun(_) => push(out, "a function"),
        }
    }

    fn describe_array(&self, array: &ArrayVal<'t>, first: usize, out: &mut Described) {
        if self.rec_var(array).is_some() {
            // Of a recursive array only the extents are known yet, as far as they are the same everywhere.
            let known: Vec<Dim> = array.dims.iter().take_while(|d| !matches!(d, Dim::Jagged(_))).copied().collect();
            return self.describe_dims(&known, first, out);
        }
        self.describe_dims(&array.dims, first, out);
        // Elements may be of any constructor.
        self.describe_val(&array.rows, first, true, out);
    }

    /// A shape; the numbers in it are arguments from number `first` on.
    pub(crate) fn describe_shape(&self, dims: &[Dim], first: usize) -> Described {
        let mut out = Described { text: Text::default(), args: Vec::new() };
        self.describe_dims(dims, first, &mut out);
        out
    }

    fn describe_dims(&self, dims: &[Dim], first: usize, out: &mut Described) {
        for dim in dims {
            match dim {
                Dim::Size(n) => match n.as_size() {
                    Some(n) => push(out, &format!("[{n}]")),
                    None => {
                        push(out, "[");
                        out.text.0.push(Piece::Value(first + out.args.len()));
                        out.args.push(*n);
                        push(out, "]");
                    }
                },
                Dim::Jagged(desc) => {
                    out.text.0.push(Piece::Rows(first + out.args.len()));
                    out.args.push(Atom::Var(*desc));
                }
                Dim::Shape(v) => {
                    out.text.0.push(Piece::Shape(first + out.args.len()));
                    out.args.push(Atom::Var(*v));
                }
            }
        }
    }

    /// Checks that a value has at least as many dimensions as it gets indices.
    pub(crate) fn check_count(&mut self, fits: impl Into<Num>, count: Atom, val: &Val<'t>) -> Option<Var> {
        let shape = self.describe(val, 1);
        self.check(fits, message::count_of_indices(shape.text), [count].into_iter().chain(shape.args))
    }

    /// Checks that a value may replace another.
    pub(crate) fn check_replacement(&mut self, fits: Atom, old: &Val<'t>, new: &Val<'t>) -> Option<Var> {
        let expected = self.describe(old, 0);
        let found = self.describe(new, expected.args.len());
        let args = expected.args.into_iter().chain(found.args);
        self.check(fits, message::replacement(expected.text, found.text), args)
    }
}

/// The subscripts of an element: `count` arguments from `first` on, or one vector.
pub(crate) fn subscripts(count: usize, first: usize, vector: bool) -> Text {
    if vector { Text(vec![Piece::Value(first)]) } else { message::subscripts(count, first) }
}

/// Recursion that fills the stack.
pub(crate) fn too_deep_site(deep: TooDeep) -> Site {
    Site::new(message::too_deep(deep.name), deep.call)
}

fn push(out: &mut Described, more: &str) {
    out.text.push(Piece::Words(more.into()));
}
