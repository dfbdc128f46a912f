//! The message of every fault.
//!
//! Each function makes the message of one fault. Its comment lists the *arguments*, the values that fill the gaps, in
//! their order. Texts among the parameters (`shape`, `written`) may have gaps too; the caller chooses which
//! arguments fill those. In templates `{}` is the next such text, and `{0}` an argument, see [`crate::notation`].

use crate::{Argument, Fault, Piece, Text};
use base::{Diagnostic, Name, Span};
use scalar::{BinOp, Prim};

/// The message of a fault, without a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Which fault it is.
    pub fault: Fault,
    /// One line, with the values and shapes involved.
    pub title: Text,
    /// The label at the place of the fault.
    pub at: Text,
    /// Notes, one paragraph each; an empty one is not shown.
    pub notes: Vec<Text>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Message {
    /// A message of a title and a label.
    pub fn new(fault: Fault, title: Text, at: &str) -> Message {
        Message { fault, title, at: Text::words(at), notes: Vec::new(), help: None }
    }

    /// Adds a paragraph.
    pub fn note(mut self, note: Text) -> Message {
        self.notes.push(note);
        self
    }

    /// Sets the help.
    pub fn help(mut self, help: &str) -> Message {
        self.help = Some(help.into());
        self
    }

    /// The message of a fault in the body of a library function. A program that calls `last` or `tail` has no index or slice
    /// in its text, so the title names the function instead.
    pub fn inside(self, function: Name) -> Message {
        let title = match (self.fault, function.as_str()) {
            (Fault::Slice, "tail" | "init") | (Fault::Index, "head" | "last") => {
                words(format!("`{function}` of an empty array"))
            }
            (Fault::Slice, "take") => text("cannot take {1} elements from an array of {3}"),
            (Fault::Slice, "drop") => text("cannot drop {0} elements from an array of {3}"),
            _ => return self,
        };
        match self.empty_if_zero() {
            Some(argument) => self.or_if_zero(argument, title),
            None => Message { title, notes: Vec::new(), ..self },
        }
    }

    /// The message as it is shown at the user's call of a library function, in which the fault happened.
    pub fn in_call(mut self, function: Name) -> Message {
        if let Some(argument) = self.empty_if_zero() {
            self = self.or_if_zero(argument, words("an element of an empty array is needed"));
        }
        if self.fault == Fault::Slice && !self.notes.is_empty() {
            self.title = text(&format!("`{function}` needs positions {{0}} to {{1}} of an array of {{3}} elements"));
            self.notes.clear();
        }
        self.at = match self.speaks_of_indices() {
            true => words(format!("in this call of `{function}`")),
            false => self.at.followed_by(words(self.fault.in_function(function))),
        };
        self
    }

    /// Another title, and no notes, where an argument is 0.
    fn or_if_zero(self, argument: usize, title: Text) -> Message {
        let choose = |then, otherwise| Text(vec![Piece::Choose { argument, equals: 0, then, otherwise }]);
        let notes = self.notes.into_iter().map(|note| choose(Text::default(), note)).collect();
        Message { title: choose(title, self.title), notes, ..self }
    }

    /// Whether messages inside of library functions describe the fault in another way.
    pub fn speaks_of_indices(&self) -> bool {
        matches!(self.fault, Fault::Index | Fault::Slice)
    }

    /// For an index fault without a title for empty dimensions, the argument that is 0 if the dimension has no elements. The
    /// note depends on it.
    fn empty_if_zero(&self) -> Option<usize> {
        let pieces = self.notes.iter().flat_map(|note| &note.0);
        pieces.filter(|_| self.fault == Fault::Index).find_map(|piece| match piece {
            Piece::Choose { argument, equals: 0, then, .. } if !then.0.is_empty() => Some(*argument),
            _ => None,
        })
    }

    /// How many arguments the message needs.
    pub fn arity(&self) -> usize {
        let texts = [&self.title, &self.at].into_iter().chain(&self.notes);
        texts.map(Text::arity).max().unwrap_or(0)
    }

    /// The message with its gaps filled.
    pub fn diagnostic(&self, span: Span, arguments: &[Argument]) -> Diagnostic {
        let (title, at) = (self.title.fill(arguments), self.at.fill(arguments));
        let mut diagnostic = Diagnostic::error(self.fault.code(), title, span, at);
        diagnostic.notes = self.notes.iter().map(|n| n.fill(arguments)).filter(|n| !n.is_empty()).collect();
        diagnostic.help = self.help.clone();
        diagnostic
    }
}

/// A template without parts.
fn text(template: &str) -> Text {
    Text::template(template, [])
}

fn words(words: impl Into<String>) -> Text {
    Text::words(words)
}

/// An index of an array. Arguments: number `wrong` is the index that is out of bounds, `extent` the extent of its
/// dimension, and the one after that the extent minus one; `written` and `shape` may need others.
pub fn index(written: Text, wrong: usize, extent: usize, shape: Text) -> Message {
    let last = extent + 1;
    let note = format!(
        "{{{wrong}}} is an index of a dimension {{{extent}=0?without elements, where no index is valid\
         |{{{extent}=1?with 1 element: only 0 is valid|with {{{extent}}} elements: 0 to {{{last}}} are valid}}}}"
    );
    let title = Text::template("index {} is out of bounds for an array of shape {}", [written, shape]);
    Message::new(Fault::Index, title, "this index").note(text(&note))
}

/// A vector of indices. Arguments: the vector, then those of `shape`; number `extents` is a vector of the extents.
pub fn index_vector(shape: Text, extents: usize) -> Message {
    let title = Text::template("index {0:index} is out of bounds for an array of shape {}", [shape]);
    let note = Text(vec![Piece::Outside { indices: 0, extents }]);
    Message::new(Fault::Index, title, "this index").note(note)
}

/// How a number that selects an element is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// As an index of an array.
    Index,
    /// As a subscript that a clause defines.
    Subscript,
}

/// A number larger than every `i64`. Argument: the number.
pub fn beyond(place: Place) -> Message {
    let (fault, title, at) = match place {
        Place::Index => (Fault::Index, "index {0} is out of bounds for every array", "this index"),
        Place::Subscript => (Fault::Subscript, "subscript {0} is out of bounds for every array", "in this clause"),
    };
    Message::new(fault, text(title), at).note(words("extents are numbers of type i64"))
}

/// More indices than dimensions, or fewer than an element needs. Arguments: how many indices, then those of `shape`.
pub fn count_of_indices(shape: Text) -> Message {
    Message::new(Fault::Rank, Text::template("{0} indices for an array of shape {}", [shape]), "indexed here")
        .note(words("an array takes at most as many indices as it has dimensions, and an element needs all of them"))
}

/// A slice. Arguments: start, end, stride, extent.
pub fn slice() -> Message {
    let title = "{2=0?the stride of a slice is 0\
                 |slice {2=1?{0}:{1}|{0}:{1}:{2}} is out of bounds for a dimension of {3} elements}";
    let note =
        "{2=0?|a slice `a:b` of n elements needs 0 <= a <= b <= n; with a negative stride it runs from a down to b}";
    Message::new(Fault::Slice, text(title), "this slice").note(text(note))
}

/// Two sizes that should be equal; `what` names the size. Arguments: the expected size, the size of `subject`, then the
/// arguments of `subject`.
pub fn sizes(what: &str, subject: Text, context: &str) -> Message {
    let parts = [size_is(what), subject];
    Message::new(Fault::Sizes, Text::template("sizes differ: {} {0}, but {} has {1}", parts), context)
}

/// `what is`, or `what are` for row lengths.
fn size_is(what: &str) -> Text {
    words(format!("{what} {}", if what.starts_with("row lengths") { "are" } else { "is" }))
}

/// The note for a call whose arguments contradict each other: the names and shapes of all arrays among them.
pub fn arguments(function: Name, arrays: impl IntoIterator<Item = (Name, Text)>) -> Text {
    let mut note = words(format!("the arguments of `{function}` are "));
    for (i, (name, shape)) in arrays.into_iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        note = note.followed_by(words(format!("{comma}`{name}` of shape "))).followed_by(shape);
    }
    note
}

/// Two shapes that should be equal. `what` is the operation that needs it.
pub fn lockstep(left: Text, right: Text, what: &str) -> Message {
    let title = Text::template("shapes {} and {} differ, but {} needs them equal", [left, right, words(what)]);
    Message::new(Fault::Sizes, title, what)
}

/// Rows of different lengths in a regular array. Arguments: the length in the type, the length of a row.
pub fn irregular_rows() -> Message {
    let title = "sizes differ: an array of regular type has rows of lengths {0} and {1}";
    Message::new(Fault::Sizes, text(title), "this array")
}

/// Rows of different shapes in a regular array. Arguments: the shapes, as vectors.
pub fn row_shapes() -> Message {
    let title = "sizes differ: an array of regular type has rows of shapes {0} and {1}";
    Message::new(Fault::Sizes, text(title), "this array")
}

/// A row of the wrong length. Arguments: the length expected, the length found.
pub fn row_length() -> Message {
    Message::new(Fault::Sizes, text("sizes differ: expected a row of length {0}, found {1}"), "here")
}

/// Rows of the wrong lengths. Arguments: the lengths expected, the lengths found.
pub fn lengths_differ() -> Message {
    let title = "sizes differ: expected row lengths {0}, found {1}";
    Message::new(Fault::Sizes, text(title), "here")
}

/// A jagged array that should be regular. Argument: the row lengths.
pub fn not_regular() -> Message {
    Message::new(
        Fault::Sizes,
        text("sizes differ: all rows must have the same length here, but their lengths are {0}"),
        "here",
    )
}

/// A value of the wrong shape. Arguments: the shape expected, the shape found.
pub fn shapes_differ() -> Message {
    Message::new(Fault::Sizes, text("sizes differ: expected shape {0}, found {1}"), "here")
}

/// Rows of different lengths in a reduction. Argument: the row lengths.
pub fn combining() -> Message {
    let title = "sizes differ: only rows of the same length can be combined, but their lengths are {0}";
    Message::new(Fault::Sizes, text(title), "combining rows")
}

/// A failed `:>` to the type `ty`; `reason` becomes a note.
pub fn coercion(shape: Text, ty: &str, reason: Text) -> Message {
    let title = Text::template("a value of shape {} is not of type {}", [shape, words(ty)]);
    Message::new(Fault::Coercion, title, "this `:>` fails")
        .note(reason)
        .help("`:>` only checks sizes: the value must have those of the type already")
}

/// The reason of a failed coercion: a size differs. Arguments: the size in the type, the size of the value.
pub fn coerced_size(what: &str) -> Text {
    Text::template("{} {0}, but the value has {1}", [size_is(what)])
}

/// The reason of a failed coercion: rows differ in length. Argument: the row lengths.
pub fn coerced_rows() -> Text {
    text("the row lengths are {0}")
}

/// A `:>` to a type of another rank.
pub fn coerced_rank(shape: Text, ty: &str) -> Message {
    let title = Text::template("a value of shape {} does not have as many dimensions as {}", [shape, words(ty)]);
    Message::new(Fault::Rank, title, "this `:>` fails")
}

/// An array that should have this rank. Argument: its shape.
pub fn rank(rank: usize) -> Message {
    let title = format!("an array of rank {rank} is needed, but this one has shape {{0:shape}}");
    Message::new(Fault::Rank, text(&title), "here")
}

/// An array that should have at least this rank. Argument: its shape.
pub fn rank_at_least(rank: usize) -> Message {
    let title = format!("an array of rank {rank} or more is needed, but this one has shape {{0:shape}}");
    Message::new(Fault::Rank, text(&title), "here")
}

/// A vector of subscripts of the wrong length. Arguments: how many subscripts, how many dimensions.
pub fn subscript_count() -> Message {
    Message::new(Fault::Rank, text("{0} subscripts for a shape of {1} dimensions"), "in this clause")
        .note(words("an element needs as many subscripts as there are dimensions"))
}

/// A negative size of `what`. Argument: the size.
pub fn negative(what: &str) -> Message {
    let title = Text::template("negative size {0} for {}", [words(what)]);
    Message::new(Fault::NegativeSize, title, "a size must be at least 0")
}

/// A negative size among several. Argument: all of them, a vector.
pub fn negative_extent(what: &str) -> Message {
    let title = Text::template("negative size {0:negative} for {}", [words(what)]);
    Message::new(Fault::NegativeSize, title, "a size must be at least 0")
}

/// A division by zero. Argument: the dividend, of this type.
pub fn division(op: BinOp, prim: Prim) -> Message {
    let prim = words(prim.name());
    match op {
        BinOp::Mod | BinOp::Rem => {
            let title = Text::template("remainder of a division by zero: {0}{} {} 0", [prim, words(op.symbol())]);
            Message::new(Fault::Division, title, "this remainder")
        }
        _ => {
            let title = Text::template("division by zero: {0}{} is divided by 0", [prim]);
            Message::new(Fault::Division, title, "this division")
        }
    }
}

/// An integer raised to a negative power. Argument: the exponent, of this type.
pub fn exponent(prim: Prim) -> Message {
    let title = Text::template("an integer is raised to the negative power {0}{}", [words(prim.name())]);
    Message::new(Fault::Exponent, title, "this power")
        .help("use a floating-point type, or make sure that the exponent is at least 0")
}

/// A failed assertion; `condition` is its source text.
pub fn assertion(condition: &str) -> Message {
    let title = words(format!("assertion failed: {}", without_parentheses(condition)));
    Message::new(Fault::Assertion, title, "this assertion does not hold")
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

/// The hole `???`.
pub fn hole() -> Message {
    Message::new(Fault::Hole, words("a hole was evaluated"), "nothing is defined here yet")
        .help("replace `???` by a value")
}

/// A part of an array replaced by a value of another shape.
pub fn replacement(expected: Text, found: Text) -> Message {
    let title = Text::template("a part of shape {} cannot be replaced by one of shape {}", [expected, found]);
    Message::new(Fault::Replacement, title, "replaced here")
        .note(words("replacing keeps the shape of an array, row lengths included"))
}

/// The subscripts of an element as text, `[{0}, {1}]`. Arguments: `count` numbers from `first` on.
pub fn subscripts(count: usize, first: usize) -> Text {
    let all: Vec<String> = (first..first + count).map(|i| format!("{{{i}}}")).collect();
    text(&format!("[{}]", all.join(", ")))
}

/// An element of `array` that two clauses define.
pub fn collision(element: Text) -> Message {
    let title = Text::template("element {} is defined twice", [element]);
    Message::new(Fault::Collision, title, "defined again by this clause")
        .help("each element of `array` is defined once; `update` and `accum` allow several values for one element")
}

/// An element of `array` that no clause defines. Arguments: how many there are, then those of `element`. `together`
/// says whether generators of a clause advance together, which users often write when they mean nested ones.
pub fn gap(element: Text, together: bool) -> Message {
    Message::new(Fault::Gap, Text::template("no clause defines element {}", [element]), "this array")
        .note(text("{0=1?|{0} elements are undefined; this is the first of them}"))
        .help(match together {
            true => "generators joined by a comma advance together; to nest them, write `for i < n for j < m`",
            false => "add a clause for it, or `else => e`",
        })
}

/// An element of a recursive array that depends on itself.
pub fn cycle(element: Text) -> Message {
    let title = Text::template("element {} depends on itself", [element]);
    Message::new(Fault::Cycle, title, "its value is computed here")
        .help("let it read only elements that can be computed before it, or define it by a separate clause")
}

/// How many elements of a chain are shown.
pub const SHOWN_CHAIN: usize = 8;

/// The note of a cycle: a chain of elements, each of which needs the next, and the last of which needs the first. It is
/// empty if there is only one element. Arguments from `first` on: the number of elements; the subscripts of
/// [`SHOWN_CHAIN`] elements; and, if there are several arrays, for each of these elements the number of its array.
pub fn chain(arrays: &[Name], first: usize) -> Text {
    let element = |i: usize| {
        let name = |array: usize| Text::words(arrays.get(array).map_or("", |name| name.as_str()));
        let argument = first + 1 + SHOWN_CHAIN + i;
        let names = (1..arrays.len()).fold(name(0), |otherwise, array| {
            Text(vec![Piece::Choose { argument, equals: array as i64, then: name(array), otherwise }])
        });
        names.followed_by(Text(vec![Piece::Value(first + 1 + i)]))
    };
    let needs = |next: Text| Text::words(" needs ").followed_by(next);
    let mut rest = needs(Text::words("…"));
    for i in (1..SHOWN_CHAIN).rev() {
        let end = Piece::Choose { argument: first, equals: i as i64 + 1, then: needs(element(0)), otherwise: rest };
        rest = needs(element(i)).followed_by(Text(vec![end]));
    }
    let several = element(0).followed_by(rest);
    Text(vec![Piece::Choose { argument: first, equals: 1, then: Text::words(""), otherwise: several }])
}

/// The same note for elements that are known at compile time, given as text.
pub fn written_chain(elements: &[String]) -> Text {
    let [first, _, ..] = elements else { return Text::default() };
    let last = if elements.len() > SHOWN_CHAIN { "…" } else { first };
    let shown = elements.iter().take(SHOWN_CHAIN).map(String::as_str).chain([last]);
    words(shown.collect::<Vec<_>>().join(" needs "))
}

/// A subscript of a clause. Arguments: those of `element` and `shape`.
pub fn subscript(element: Text, shape: Text) -> Message {
    let title = Text::template("subscript {} is out of range for shape {}", [element, shape]);
    Message::new(Fault::Subscript, title, "in this clause")
        .help("change the bounds of the generators, or skip such elements with `if`")
}

/// Recursion that fills the stack in a call of this function.
pub fn too_deep(function: Name) -> Message {
    let title = format!("recursion too deep: the stack is full in a call of `{function}`");
    Message::new(Fault::TooDeep, words(title), "called here")
        .help("check that the recursion ends; a `loop` needs no stack")
}

/// A range that never reaches its end, given as text.
pub fn range(written: Text) -> Message {
    Message::new(Fault::Range, Text::template("range {} is impossible", [written]), "this range")
        .note(words("the second element and the end must lie in the direction of the range"))
}

/// A shape with the wrong number of elements. Arguments: how many elements there are, how many the shape has
/// (`i64::MAX` if it overflows), then those of `shape`.
pub fn elements(shape: Text) -> Message {
    let title = "{0} elements do not make an array of shape {}, which has {1=9223372036854775807?too many|{1}}";
    Message::new(Fault::Elements, Text::template(title, [shape]), "here")
}

/// A step of a generator. Argument: the step.
pub fn step() -> Message {
    Message::new(Fault::Step, text("step {0} of a generator is below one"), "a step must be at least 1")
}

/// A value that does not fit the entry point it is passed to.
pub fn argument(why: &str) -> Message {
    Message::new(Fault::Argument, words(why), "this entry point")
}

/// A row of negative length. Argument: all row lengths.
pub fn negative_length() -> Message {
    Message::new(Fault::RowLengths, text("row {0:where negative} has negative length {0:negative}"), "here")
}

/// Row lengths whose sum is not the number of elements. Arguments: the sum (`i64::MAX` if it overflows), the number of
/// elements.
pub fn total_length() -> Message {
    let title = "row lengths add up to {0=9223372036854775807?too many|{0}}, but there are {1} elements";
    Message::new(Fault::RowLengths, text(title), "here")
}

/// An array for which there is not enough memory. Argument: how many elements it has.
pub fn memory() -> Message {
    Message::new(Fault::Memory, text("not enough memory for an array of {0} elements"), "made here")
}

/// An array with more elements than an `i64` can count.
pub fn uncountable() -> Message {
    let title = "not enough memory for an array of more than 9223372036854775807 elements";
    Message::new(Fault::Memory, text(title), "made here")
}

/// A bug in Ravel that an interpreter notices.
pub fn internal(what: &str) -> Message {
    Message::new(Fault::Internal, words(what), "while evaluating this")
        .help("this is a bug in Ravel, not in the program; please report it")
}
