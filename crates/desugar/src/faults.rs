//! The messages of checks ([`fault::message`]) at their places, and the types of values as messages write them.

use crate::context::Desugar;
use crate::data::value::{ArrayVal, Val};
use base::Span;
pub(crate) use fault::message::Place;
use fault::{Message, Piece, Site, Text, message};
use ir::{Atom, Dim};
use scalar::{BinOp, Prim};
use typed::recursion::TooDeep;
use typed::{Clause, Expr, ExprKind};

/// A text in the form of [`fault::notation`].
pub(crate) fn text(template: &str) -> Text {
    Text::template(template, [])
}

/// Why a value must have a form: what a failing check says.
#[derive(Clone, Copy)]
pub(crate) enum Why {
    /// Rows of one array; this is the number of the row.
    Rows(Atom),
    /// The operands of a reduction.
    Combining,
    /// Branches, turns of a loop, calls: the sizes were checked before.
    Checked,
}

/// The type of a value as messages write it, and the numbers in it; they are arguments from `first` on.
pub(crate) struct Described {
    pub text: Text,
    pub args: Vec<Atom>,
}

/// Indices as they are written, for messages.
#[derive(Clone, Default)]
pub(crate) struct Written {
    /// The numbers in them.
    pub args: Vec<Atom>,
    /// For each index, its text, with gaps for the numbers.
    parts: Vec<Text>,
}

impl Written {
    /// Indices that lead to one element.
    pub fn single(indices: impl IntoIterator<Item = Atom>) -> Written {
        let mut written = Written::default();
        indices.into_iter().for_each(|i| written.index(i));
        written
    }

    fn gap(&mut self, arg: Atom) -> String {
        self.args.push(arg);
        format!("{{{}}}", self.args.len() - 1)
    }

    /// One more index.
    pub fn index(&mut self, i: Atom) {
        let gap = self.gap(i);
        self.parts.push(text(&gap));
    }

    /// One more slice.
    pub fn slice(&mut self, start: Option<Atom>, end: Option<Atom>, stride: Atom) {
        let start = start.map(|n| self.gap(n)).unwrap_or_default();
        let end = end.map(|n| self.gap(n)).unwrap_or_default();
        let short = format!("{start}:{end}");
        if stride == Atom::size(1) {
            return self.parts.push(text(&short));
        }
        let number = self.args.len();
        let stride = self.gap(stride);
        self.parts.push(text(&format!("{{{number}=1?{short}|{short}:{stride}}}")));
    }

    fn text(&self) -> Text {
        match &self.parts[..] {
            [one] => one.clone(),
            all => {
                let places = vec!["{}"; all.len()].join(", ");
                Text::template(&format!("[{places}]"), all.iter().cloned())
            }
        }
    }
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
        match self.calls.iter().rev().find(|call| of_user(call.1)) {
            Some((name, call)) if !of_user(span) => Site { calls, ..Site::new(message.in_call(*name), *call) },
            // In a function that several places share, the run says which of them called it.
            _ => Site { calls, inside: !of_user(span), ..Site::new(message, span) },
        }
    }

    pub(crate) fn describe(&mut self, val: &Val<'t>, first: usize) -> Described {
        let mut out = Described { text: Text::default(), args: Vec::new() };
        self.describe_val(val, first, false, &mut out);
        out
    }

    fn describe_val(&mut self, val: &Val<'t>, first: usize, in_array: bool, out: &mut Described) {
        match val {
            Val::Scalar(prim, _) => push(out, prim.name()),
            Val::Vector(prim, atoms) => push(out, &format!("[{}]{prim}", atoms.len())),
            Val::Lengths(desc) => {
                let dims = self.b.ty(*desc).dims().to_vec();
                self.describe_dims(&dims, first, out);
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

    fn describe_array(&mut self, array: &ArrayVal<'t>, first: usize, out: &mut Described) {
        if self.rec_var(array).is_some() {
            // Of a recursive array only the extents are known yet, as far as they are the same everywhere.
            let known: Vec<Dim> = array.dims.iter().take_while(|d| !matches!(d, Dim::Jagged(_))).copied().collect();
            return self.describe_dims(&known, first, out);
        }
        self.describe_dims(&array.dims, first, out);
        // Elements may be of any constructor.
        self.describe_val(&array.rows, first, true, out);
    }

    fn describe_dims(&mut self, dims: &[Dim], first: usize, out: &mut Described) {
        for dim in dims {
            match dim {
                Dim::Size(Atom::Const(scalar::Scalar::I64(n))) => push(out, &format!("[{n}]")),
                Dim::Size(Atom::Const(n)) => push(out, &format!("[{n}]")),
                Dim::Size(n) => {
                    push(out, "[");
                    out.text.0.push(Piece::Value(first + out.args.len()));
                    out.args.push(*n);
                    push(out, "]");
                }
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

    /// Argument `which` is the wrong index. The arguments are those of `written`, the extent of the dimension, the extent
    /// minus one, then those of `shape`.
    pub(crate) fn index_site(&mut self, written: &Written, which: usize, shape: &Described) -> Site {
        self.site(message::index(written.text(), which, written.args.len(), shape.text.clone()))
    }

    pub(crate) fn index_vector_site(&mut self, shape: Text, extents: usize) -> Site {
        self.site(message::index_vector(shape, extents))
    }

    pub(crate) fn beyond_site(&mut self, place: Place) -> Site {
        self.site(message::beyond(place))
    }

    pub(crate) fn slice_site(&mut self) -> Site {
        self.site(message::slice())
    }

    pub(crate) fn lockstep_site(&mut self, left: Text, right: Text, what: &str) -> Site {
        self.site(message::lockstep(left, right, what))
    }

    pub(crate) fn sizes_site(&mut self, what: &str, subject: Text, context: &str) -> Site {
        self.site(message::sizes(what, subject, context))
    }

    pub(crate) fn combining_site(&mut self) -> Site {
        self.site(message::combining())
    }

    pub(crate) fn negative_site(&mut self, what: &str) -> Site {
        self.site(message::negative(what))
    }

    pub(crate) fn negative_extent_site(&mut self, what: &str) -> Site {
        self.site(message::negative_extent(what))
    }

    pub(crate) fn negative_length_site(&mut self) -> Site {
        self.site(message::negative_length())
    }

    pub(crate) fn uncountable_site(&mut self) -> Site {
        self.site(message::uncountable())
    }

    pub(crate) fn division_site(&mut self, op: BinOp, prim: Prim) -> Site {
        self.site(message::division(op, prim))
    }

    pub(crate) fn exponent_site(&mut self, prim: Prim) -> Site {
        self.site(message::exponent(prim))
    }

    pub(crate) fn assertion_site(&mut self, shown: &str) -> Site {
        self.site(message::assertion(shown))
    }

    pub(crate) fn hole_site(&mut self) -> Site {
        self.site(message::hole())
    }

    pub(crate) fn coercion_site(&mut self, shape: Text, ty: &str, reason: Text) -> Site {
        self.site(message::coercion(shape, ty, reason))
    }

    pub(crate) fn coerced_rank_site(&mut self, shape: Text, ty: &str) -> Site {
        self.site(message::coerced_rank(shape, ty))
    }

    pub(crate) fn replacement_site(&mut self, expected: Text, found: Text) -> Site {
        self.site(message::replacement(expected, found))
    }

    pub(crate) fn collision_site(&mut self, count: usize, vector: bool) -> Site {
        self.site(message::collision(element(count, 0, vector)))
    }

    pub(crate) fn gap_site(&mut self, count: usize, vector: bool, array: &Expr) -> Site {
        let together = match &*array.kind {
            ExprKind::ArrayBy { clauses, .. } => clauses.iter().any(Clause::advances_together),
            _ => false,
        };
        self.at(array.span, |d| d.site(message::gap(element(count, 1, vector), together)))
    }

    pub(crate) fn cycle_site(&mut self, name: &str, count: usize, vector: bool) -> Site {
        self.site(message::cycle(Text::words(name).followed_by(element(count, 0, vector))))
    }

    pub(crate) fn subscript_site(&mut self, count: usize, vector: bool, shape: Text) -> Site {
        self.site(message::subscript(element(count, 0, vector), shape))
    }

    pub(crate) fn subscript_count_site(&mut self) -> Site {
        self.site(message::subscript_count())
    }

    pub(crate) fn too_many_site(&mut self, shape: Text) -> Site {
        self.site(message::too_many_indices(shape))
    }

    pub(crate) fn range_site(&mut self, shown: &str) -> Site {
        self.site(message::range(text(shown)))
    }

    pub(crate) fn elements_site(&mut self, shape: Text) -> Site {
        self.site(message::elements(shape))
    }

    pub(crate) fn step_site(&mut self) -> Site {
        self.site(message::step())
    }

    pub(crate) fn total_length_site(&mut self) -> Site {
        self.site(message::total_length())
    }
}

/// The subscripts of an element: `count` arguments from `first` on, or one vector.
fn element(count: usize, first: usize, vector: bool) -> Text {
    if vector { Text(vec![Piece::Value(first)]) } else { message::subscripts(count, first) }
}

/// Recursion that fills the stack.
pub(crate) fn too_deep_site(deep: TooDeep) -> Site {
    Site::new(message::too_deep(deep.name), deep.call)
}

pub(crate) fn irregular(d: &Desugar) -> Site {
    d.site(message::irregular_rows())
}

pub(crate) fn row_length(d: &Desugar) -> Site {
    d.site(message::row_length())
}

pub(crate) fn lengths_differ(d: &Desugar) -> Site {
    d.site(message::lengths_differ())
}

pub(crate) fn not_regular(d: &Desugar) -> Site {
    d.site(message::not_regular())
}

pub(crate) fn shapes_differ(d: &Desugar, _why: Why) -> Site {
    d.site(message::shapes_differ())
}

pub(crate) fn row_shapes(d: &Desugar) -> Site {
    d.site(message::row_shapes())
}

pub(crate) fn rank(d: &Desugar, rank: usize) -> Site {
    d.site(message::rank(rank))
}

pub(crate) fn rank_at_least(d: &Desugar, rank: usize) -> Site {
    d.site(message::rank_at_least(rank))
}

fn push(out: &mut Described, more: &str) {
    out.text.push(Piece::Words(more.into()));
}
