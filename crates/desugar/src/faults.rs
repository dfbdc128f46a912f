//! What checks say: the interpreter's words, with gaps for the values.

use crate::Desugar;
use crate::convert::Why;
use crate::value::{ArrayVal, Rows, Val};
use base::site::{Piece, Text};
use base::{Site, Span};
use ir::{Atom, Dim};
use scalar::Prim;
use typed::recursion::TooDeep;
use typed::{Clause, Expr, ExprKind};

/// A text from a template: `{0}` is the value of argument 0, `{0*}` the extents in it as a shape, `{0@}` the numbers in it
/// as an index.
pub(crate) fn text(template: &str) -> Text {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let Some(end) = rest[start..].find('}') else { break };
        if start > 0 {
            pieces.push(Piece::Words(rest[..start].into()));
        }
        let inside = &rest[start + 1..start + end];
        let number = |text: &str| text.parse().unwrap_or(0);
        pieces.push(match (inside.strip_suffix('*'), inside.strip_suffix('@')) {
            (Some(shape), _) => Piece::Shape(number(shape)),
            (None, Some(index)) => Piece::Index(number(index)),
            (None, None) => Piece::Value(number(inside)),
        });
        rest = &rest[start + end + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest.into()));
    }
    Text(pieces)
}

/// The text as words, whatever it has in it.
fn words(text: &str) -> Text {
    Text::words(text)
}

fn joined(texts: impl IntoIterator<Item = Text>) -> Text {
    Text(texts.into_iter().flat_map(|t| t.0).collect())
}

fn choose(argument: usize, equals: i64, then: Text, otherwise: Text) -> Text {
    Text(vec![Piece::Choose { argument, equals, then, otherwise }])
}

/// The type of a value as messages write it, and the numbers in it; they are arguments from `first` on.
pub(crate) struct Described {
    pub text: Text,
    pub args: Vec<Atom>,
}

/// Where a number stands that says where something is.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Index,
    Subscript,
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
        self.parts.push(choose(number, 1, text(&short), text(&format!("{short}:{stride}"))));
    }

    fn text(&self) -> Text {
        match &self.parts[..] {
            [one] => one.clone(),
            all => {
                let between =
                    all.iter().enumerate().flat_map(|(i, part)| [words(if i > 0 { ", " } else { "[" }), part.clone()]);
                joined(between.chain([words("]")]))
            }
        }
    }
}

impl<'t> Desugar<'t> {
    /// A site. Its main place is in a file of the user's: a check that fails inside the library is shown where the
    /// library was called.
    pub(crate) fn site(&self, code: &'static str, title: Text, at: &str) -> Site {
        let of_user = |span: Span| !self.library.contains(&span.file);
        let span = self.b.span;
        let (span, at) = match self.calls.iter().rev().find(|call| of_user(call.1)) {
            // Where memory is missing, only the place is known.
            Some((_, call)) if !of_user(span) && code == "R024" => (*call, at.to_string()),
            Some((name, call)) if !of_user(span) => (*call, format!("{at}, in `{name}`")),
            _ => (span, at.to_string()),
        };
        let calls = self.user_calls();
        // In a function that several places share, whoever called it is told.
        let inside = !of_user(span);
        Site { code, title, span, at: words(&at), notes: Vec::new(), help: None, calls, callers: Vec::new(), inside }
    }

    pub(crate) fn describe(&mut self, val: &Val<'t>, first: usize) -> Described {
        let mut out = Described { text: Text::default(), args: Vec::new() };
        self.describe_val(val, first, &mut out);
        out
    }

    fn describe_val(&mut self, val: &Val<'t>, first: usize, out: &mut Described) {
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
                    self.describe_val(field, first, out);
                }
                push(out, ")");
            }
            Val::Sum(sum) => {
                let known: Vec<usize> = (0..sum.parts.len()).filter(|case| sum.parts[*case].is_some()).collect();
                match known[..] {
                    [case] => push(out, &format!("#{}", sum.cases[case].0)),
                    _ => push(out, "…"),
                }
            }
            Val::Array(array) => self.describe_array(array, first, out),
            Val::Fun(_) => push(out, "a function"),
        }
    }

    fn describe_array(&mut self, array: &ArrayVal, first: usize, out: &mut Described) {
        if self.rec_var(array).is_some() {
            // Of a recursive array only the extents are known yet, as far as they are the same everywhere.
            let known: Vec<Dim> = array.dims.iter().take_while(|d| !matches!(d, Dim::Jagged(_))).copied().collect();
            return self.describe_dims(&known, first, out);
        }
        self.describe_dims(&array.dims, first, out);
        self.describe_rows(&array.rows, first, out);
    }

    fn describe_rows(&mut self, rows: &Rows, first: usize, out: &mut Described) {
        match rows {
            Rows::Data(prim, _) => push(out, prim.name()),
            Rows::Record(fields) => {
                push(out, "(");
                for (i, field) in fields.iter().enumerate() {
                    push(out, if i > 0 { ", " } else { "" });
                    self.describe_rows(field, first, out);
                }
                push(out, ")");
            }
            Rows::Sum(..) => push(out, "…"),
            Rows::Array(dims, rows) => {
                self.describe_dims(dims, first, out);
                self.describe_rows(rows, first, out);
            }
        }
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

    /// An index that is wrong is argument `which`; arguments: what is written, then extent and extent - 1 of the one that
    /// is wrong, then the shape's.
    pub(crate) fn index_site(&mut self, written: &Written, which: usize, shape: &Described) -> Site {
        let count = written.args.len();
        let written = written.text();
        let title =
            joined([words("index "), written, words(" is out of bounds for an array of shape "), shape.text.clone()]);
        let none = format!("{{{which}}} is an index of a dimension without elements, where no index is valid");
        let one = format!("{{{which}}} is an index of a dimension with 1 element: only 0 is valid");
        let many = format!(
            "{{{which}}} is an index of a dimension with {{{count}}} elements: 0 to {{{}}} are valid",
            count + 1
        );
        let note = choose(count, 0, text(&none), choose(count, 1, text(&one), text(&many)));
        let mut site = self.site("R001", title, "this index");
        site.notes.push(note);
        site
    }

    /// A number that is larger than every `i64`. Argument: the number.
    pub(crate) fn beyond_site(&mut self, place: Place) -> Site {
        let (code, what, at) = match place {
            Place::Index => ("R001", "index", "this index"),
            Place::Subscript => ("R017", "subscript", "in this clause"),
        };
        let mut site = self.site(code, text(&format!("{what} {{0}} is out of bounds for every array")), at);
        site.notes.push(words("extents are numbers of type i64"));
        site
    }

    /// Arguments: start, end, stride, extent.
    pub(crate) fn slice_site(&mut self) -> Site {
        let range = choose(2, 1, text("{0}:{1}"), text("{0}:{1}:{2}"));
        let outside = joined([words("slice "), range, text(" is out of bounds for a dimension of {3} elements")]);
        let title = choose(2, 0, words("the stride of a slice is 0"), outside);
        let note = "a slice `a:b` of n elements needs 0 <= a <= b <= n; one with a negative stride runs the other way";
        let mut site = self.site("R002", title, "this slice");
        site.notes.push(choose(2, 0, words(""), words(note)));
        site
    }

    /// Two shapes that should be one; `left` and `right` describe them.
    pub(crate) fn lockstep_site(&mut self, left: Text, right: Text, what: &str) -> Site {
        let title = joined([
            words("shapes "),
            left,
            words(" and "),
            right,
            words(&format!(" differ, but {what} needs them equal")),
        ]);
        self.site("R003", title, what)
    }

    /// `what` is {0}, but `subject` has {1}.
    pub(crate) fn sizes_site(&mut self, what: &str, subject: Text, context: &str) -> Site {
        let are = verb(what);
        let title = joined([
            words("sizes differ: "),
            words(what),
            text(&format!(" {are} {{0}}, but ")),
            subject,
            text(" has {1}"),
        ]);
        self.site("R003", title, context)
    }

    /// Rows of different lengths in a reduction; argument: their lengths.
    pub(crate) fn combining_site(&mut self) -> Site {
        let title = text("sizes differ: combining rows needs one length, but theirs are {0}");
        self.site("R003", title, "combining rows")
    }

    /// A negative size; argument: the size.
    pub(crate) fn negative_site(&mut self, what: &str) -> Site {
        self.site("R006", text(&format!("negative size {{0}} for {what}")), "a size must be at least 0")
    }

    /// A negative size among several; argument: all of them.
    pub(crate) fn negative_extent_site(&mut self, what: &str) -> Site {
        let title = joined([words("negative size "), Text(vec![Piece::Negative(0)]), words(&format!(" for {what}"))]);
        self.site("R006", title, "a size must be at least 0")
    }

    /// A row of negative length; argument: all lengths.
    pub(crate) fn negative_length_site(&mut self) -> Site {
        let (row, length) = (Text(vec![Piece::NegativeAt(0)]), Text(vec![Piece::Negative(0)]));
        self.lengths_site(joined([words("row "), row, words(" has negative length "), length]))
    }

    /// More elements than there are numbers.
    pub(crate) fn uncountable_site(&mut self) -> Site {
        let title = text("not enough memory for an array of more than 9223372036854775807 elements");
        self.site("R024", title, "made here")
    }

    /// Argument: the dividend, of this type.
    pub(crate) fn division_site(&mut self, prim: Prim) -> Site {
        let title = text(&format!("division by zero: {{0}}{prim} is divided by 0"));
        self.site("R007", title, "this division")
    }

    /// Argument: the exponent, of this type.
    pub(crate) fn exponent_site(&mut self, prim: Prim) -> Site {
        let title = text(&format!("an integer is raised to the negative power {{0}}{prim}"));
        let mut site = self.site("R008", title, "this power");
        site.help = Some("use a floating-point type, or make sure that the exponent is at least 0".into());
        site
    }

    pub(crate) fn assertion_site(&mut self, shown: &str) -> Site {
        let title = words(&format!("assertion failed: {}", without_parentheses(shown)));
        self.site("R009", title, "this assertion does not hold")
    }

    pub(crate) fn hole_site(&mut self) -> Site {
        let mut site = self.site("R011", words("a hole was evaluated"), "nothing is defined here yet");
        site.help = Some("replace `???` by a value".into());
        site
    }

    /// A value of another shape than the `:>` says; arguments as the texts say.
    pub(crate) fn coercion_site(&mut self, shape: Text, ty: &str, reason: Text) -> Site {
        let title = joined([words("a value of shape "), shape, words(&format!(" is not of type {ty}"))]);
        let mut site = self.site("R004", title, "this `:>` fails");
        site.notes.push(reason);
        site.help = Some("`:>` checks sizes at run time; the value must have the size that the type says".into());
        site
    }

    pub(crate) fn coerced_rank_site(&mut self, shape: Text, ty: &str) -> Site {
        let title =
            joined([words("a value of shape "), shape, words(&format!(" has another number of dimensions than {ty}"))]);
        self.site("R005", title, "this `:>` fails")
    }

    pub(crate) fn replacement_site(&mut self, expected: Text, found: Text) -> Site {
        let title = joined([words("a part of shape "), expected, words(" cannot be replaced by one of shape "), found]);
        let mut site = self.site("R013", title, "replaced here");
        site.notes.push(words("replacing keeps the shape of an array, row lengths included"));
        site
    }

    /// Arguments: the subscripts from `first` on.
    fn numbered(count: usize, first: usize, vector: bool) -> Text {
        if vector {
            return text(&format!("{{{first}}}"));
        }
        let all: Vec<String> = (first..first + count).map(|i| format!("{{{i}}}")).collect();
        text(&format!("[{}]", all.join(", ")))
    }

    pub(crate) fn collision_site(&mut self, count: usize, vector: bool) -> Site {
        let title = joined([words("element "), Self::numbered(count, 0, vector), words(" is defined twice")]);
        let mut site = self.site("R014", title, "defined again by this clause");
        site.help = Some(
            "each element of `array` is defined once; `update` and `accum` allow several values for one element".into(),
        );
        site
    }

    pub(crate) fn gap_site(&mut self, count: usize, vector: bool, array: &Expr) -> Site {
        let title = joined([words("no clause defines element "), Self::numbered(count, 1, vector)]);
        let together = match &*array.kind {
            ExprKind::ArrayBy { clauses, .. } => clauses.iter().any(Clause::advances_together),
            _ => false,
        };
        let mut site = self.at(array.span, |d| d.site("R015", title, "this array"));
        site.notes.push(choose(0, 1, words(""), text("{0} elements are undefined; this is the first of them")));
        site.help = Some(match together {
            true => "generators behind a comma advance together: to nest them, write `for i < n for j < m`".into(),
            false => "add a clause for it, or `else => e`".into(),
        });
        site
    }

    pub(crate) fn cycle_site(&mut self, name: &str, count: usize, vector: bool) -> Site {
        let name = words(&format!("element {name}"));
        let title = joined([name, Self::numbered(count, 0, vector), words(" depends on itself")]);
        let mut site = self.site("R016", title, "its value is computed here");
        site.help = Some(
            "read only elements that come earlier in some order, or define this one by a clause of its own".into(),
        );
        site
    }

    /// Arguments: the subscripts, then the shape's.
    pub(crate) fn subscript_site(&mut self, count: usize, vector: bool, shape: Text) -> Site {
        let title = joined([
            words("subscript "),
            Self::numbered(count, 0, vector),
            words(" is out of range for shape "),
            shape,
        ]);
        let mut site = self.site("R017", title, "in this clause");
        site.help = Some("change the bounds of its generators, or leave out such elements with `if`".into());
        site
    }

    /// Arguments: how many subscripts, how many dimensions.
    pub(crate) fn subscript_count_site(&mut self) -> Site {
        let mut site = self.site("R005", text("{0} subscripts for a shape of {1} dimensions"), "in this clause");
        site.notes.push(words("an element needs as many subscripts as there are dimensions"));
        site
    }

    /// Arguments: how many indices, then the shape's.
    pub(crate) fn too_many_site(&mut self, shape: Text) -> Site {
        let title = joined([text("{0} indices for an array of shape "), shape]);
        let mut site = self.site("R005", title, "indexed here");
        site.notes.push(words("an array takes at most as many indices as it has dimensions"));
        site
    }

    pub(crate) fn range_site(&mut self, shown: &str) -> Site {
        let title = joined([words("range "), text(shown), words(" is impossible")]);
        let mut site = self.site("R019", title, "this range");
        site.notes.push(words("the second element and the end must lie in the direction of the range"));
        site
    }

    /// Arguments: how many elements there are, how many there should be, then the shape's.
    pub(crate) fn elements_site(&mut self, shape: Text) -> Site {
        let has = choose(1, i64::MAX, words("too many"), text("{1}"));
        let title = joined([text("{0} elements do not make an array of shape "), shape, words(", which has "), has]);
        self.site("R020", title, "here")
    }

    /// Argument: the step.
    pub(crate) fn step_site(&mut self) -> Site {
        self.site("R021", text("step {0} of a generator is below one"), "a step must be at least 1")
    }

    /// Arguments: how many elements the rows have, how many there are.
    pub(crate) fn total_length_site(&mut self) -> Site {
        let sum = choose(0, i64::MAX, words("too many"), text("{0}"));
        self.lengths_site(joined([words("row lengths add up to "), sum, text(", but there are {1} elements")]))
    }

    pub(crate) fn lengths_site(&mut self, title: Text) -> Site {
        self.site("R023", title, "here")
    }
}

/// Recursion that fills the stack.
pub(crate) fn too_deep_site(deep: TooDeep) -> Site {
    Site {
        code: "R018",
        title: words(&format!("recursion too deep: the stack is full in a call of `{}`", deep.name)),
        span: deep.call,
        at: words("called here"),
        notes: Vec::new(),
        help: Some("check that the recursion ends; a `loop` needs no stack".into()),
        calls: Vec::new(),
        callers: Vec::new(),
        inside: false,
    }
}

/// Rows of two lengths in one array whose type says that they agree; arguments: what it says, what a row has, which.
pub(crate) fn irregular(d: &Desugar) -> Site {
    let title = text("sizes differ: rows of lengths {0} and {1} in one array, whose type says that they agree");
    d.site("R003", title, "this array")
}

pub(crate) fn row_length(d: &Desugar) -> Site {
    d.site("R003", text("sizes differ: {0} is expected, but there are {1}"), "here")
}

pub(crate) fn lengths_differ(d: &Desugar) -> Site {
    let title = text("sizes differ: row lengths are {0}, but a value of another shape has {1}");
    d.site("R003", title, "here")
}

/// Argument: the row lengths.
pub(crate) fn not_regular(d: &Desugar) -> Site {
    d.site("R003", text("sizes differ: rows of lengths {0} where all must have one length"), "here")
}

pub(crate) fn shapes_differ(d: &Desugar, _why: Why) -> Site {
    d.site("R003", text("sizes differ: shape is {0}, but a value has {1}"), "here")
}

/// Rows of two shapes in one array; arguments: the shapes.
pub(crate) fn row_shapes(d: &Desugar) -> Site {
    let title = text("sizes differ: rows of shapes {0} and {1} in one array, whose type says that they agree");
    d.site("R003", title, "this array")
}

/// Argument: the shape.
pub(crate) fn rank(d: &Desugar, rank: usize) -> Site {
    let title = text(&format!("an array of shape {{0*}} has another number of dimensions than {rank}"));
    d.site("R005", title, "here")
}

/// Argument: the shape.
pub(crate) fn rank_at_least(d: &Desugar, rank: usize) -> Site {
    let title = text(&format!("an array of shape {{0*}} has fewer dimensions than {rank}"));
    d.site("R005", title, "here")
}

fn push(out: &mut Described, more: &str) {
    match out.text.0.last_mut() {
        Some(Piece::Words(last)) => last.push_str(more),
        _ if more.is_empty() => {}
        _ => out.text.0.push(Piece::Words(more.into())),
    }
}

/// The text of an expression without parentheses around the whole of it.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0i64;
    for c in inner.chars() {
        depth += i64::from(c == '(') - i64::from(c == ')');
        if depth < 0 {
            return text;
        }
    }
    inner
}

/// The verb that goes with the name of a size.
pub(crate) fn verb(what: &str) -> &'static str {
    if what.starts_with("row lengths") { "are" } else { "is" }
}
