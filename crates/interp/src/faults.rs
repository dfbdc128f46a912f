//! Every check's message in one place: code, title with the values and shapes involved, and what to do.

use crate::code::ArrayByCode;
use crate::column::Mismatch;
use crate::error::{RuntimeError, Stop};
use base::Span;
use scalar::ScalarError;

/// The codes of run-time errors and what each is about.
pub const CODES: &[(&str, &str)] = &[
    ("R001", "index out of bounds"),
    ("R002", "slice out of bounds"),
    ("R003", "sizes that must agree differ"),
    ("R004", "a size coercion `:>` failed"),
    ("R005", "wrong number of dimensions"),
    ("R006", "negative size"),
    ("R007", "division by zero"),
    ("R008", "negative exponent of an integer"),
    ("R009", "an assertion failed"),
    ("R011", "a hole was evaluated"),
    ("R013", "a replacement of another shape"),
    ("R014", "an element defined twice"),
    ("R015", "an element that no clause defines"),
    ("R016", "an element that depends on itself"),
    ("R017", "a subscript out of range"),
    ("R018", "recursion too deep"),
    ("R019", "an impossible range"),
    ("R020", "a shape with another number of elements"),
    ("R021", "a step below one"),
    ("R022", "an argument that does not fit its entry point"),
    ("R023", "row lengths that do not fit"),
    ("R024", "not enough memory"),
    ("R099", "a mistake of the interpreter"),
];

/// Said at a call whose arguments do not fit.
pub(crate) const IN_CALL: &str = "in this call";

fn fault(code: &'static str, title: impl Into<String>, span: Span, at: impl Into<String>) -> RuntimeError {
    RuntimeError::new(code, title, span, at)
}

/// `written` are all indices given, `index` is the one that is wrong.
pub(crate) fn index(written: &str, index: i64, extent: usize, shape: &str, span: Span) -> Stop {
    fault("R001", format!("index {written} is out of bounds for an array of shape {shape}"), span, "this index")
        .note(base::site::outside(index, extent as i64))
        .into()
}

/// Where a number stands that says where something is.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Index,
    Subscript,
}

/// A number that is larger than every `i64`.
#[cold]
pub(crate) fn beyond(place: Place, number: u64, span: Span) -> Stop {
    let (code, what, at) = match place {
        Place::Index => ("R001", "index", "this index"),
        Place::Subscript => ("R017", "subscript", "in this clause"),
    };
    let title = format!("{what} {number} is out of bounds for every array");
    fault(code, title, span, at).note("extents are numbers of type i64").into()
}

pub(crate) fn too_many_indices(indices: usize, shape: &str, span: Span) -> Stop {
    fault("R005", format!("{indices} indices for an array of shape {shape}"), span, "indexed here")
        .note("an array takes at most as many indices as it has dimensions")
        .into()
}

pub(crate) fn slice(start: i64, end: i64, stride: i64, extent: usize, span: Span) -> Stop {
    let text = if stride == 1 { format!("{start}:{end}") } else { format!("{start}:{end}:{stride}") };
    fault("R002", format!("slice {text} is out of bounds for a dimension of {extent} elements"), span, "this slice")
        .note("a slice `a:b` of n elements needs 0 <= a <= b <= n; one with a negative stride runs the other way")
        .into()
}

pub(crate) fn zero_stride(span: Span) -> Stop {
    fault("R002", "the stride of a slice is 0", span, "this slice").into()
}

/// The verb that goes with the name of a size.
pub(crate) fn verb(what: &str) -> &'static str {
    if what.starts_with("row lengths") { "are" } else { "is" }
}

/// Two sizes that should be one: `what` names it.
pub(crate) fn sizes(what: &str, expected: &str, found: &str, subject: &str, context: &str, span: Span) -> Stop {
    let are = verb(what);
    let title = format!("sizes differ: {what} {are} {expected}, but {subject} has {found}");
    fault("R003", title, span, context).into()
}

pub(crate) fn lockstep(left: &str, right: &str, what: &str, span: Span) -> Stop {
    fault("R003", format!("shapes {left} and {right} differ, but {what} needs them equal"), span, what).into()
}

pub(crate) fn row_shapes(first: &[i64], other: &[i64], span: Span) -> Stop {
    let title =
        format!("sizes differ: rows of shapes {first:?} and {other:?} in one array, whose type says that they agree");
    fault("R003", title, span, "this array").into()
}

pub(crate) fn combining(lengths: &[i64], span: Span) -> Stop {
    let lengths =
        base::site::Text(vec![base::site::Piece::Value(0)]).fill(&[base::site::Argument::Numbers(lengths.to_vec())]);
    let title = format!("sizes differ: combining rows needs one length, but theirs are {lengths}");
    fault("R003", title, span, "combining rows").into()
}

pub(crate) fn coercion(shape: &str, ty: &str, reason: &str, span: Span) -> Stop {
    fault("R004", format!("a value of shape {shape} is not of type {ty}"), span, "this `:>` fails")
        .note(reason)
        .help("`:>` checks sizes at run time; the value must have the size that the type says")
        .into()
}

pub(crate) fn coerced_rank(shape: &str, ty: &str, span: Span) -> Stop {
    fault(
        "R005",
        format!("a value of shape {shape} has another number of dimensions than {ty}"),
        span,
        "this `:>` fails",
    )
    .into()
}

pub(crate) fn negative(what: &str, n: i64, span: Span) -> Stop {
    fault("R006", format!("negative size {n} for {what}"), span, "a size must be at least 0").into()
}

pub(crate) fn memory(what: &str, count: &str, span: Span) -> Stop {
    fault("R024", format!("not enough memory for {what} of {count} elements"), span, "made here").about_memory().into()
}

pub(crate) fn scalar(error: ScalarError, span: Span) -> Stop {
    match error {
        ScalarError::DivisionByZero(x) => {
            fault("R007", format!("division by zero: {x} is divided by 0"), span, "this division").into()
        }
        ScalarError::NegativeExponent(x) => {
            fault("R008", format!("an integer is raised to the negative power {x}"), span, "this power")
                .help("use a floating-point type, or make sure that the exponent is at least 0")
                .into()
        }
        ScalarError::WrongTypes => internal("operands of the wrong types", span),
    }
}

pub(crate) fn assertion(text: &str, span: Span) -> Stop {
    let title = format!("assertion failed: {}", without_parentheses(text));
    fault("R009", title, span, "this assertion does not hold").into()
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

pub(crate) fn hole(span: Span) -> Stop {
    fault("R011", "a hole was evaluated", span, "nothing is defined here yet").help("replace `???` by a value").into()
}

pub(crate) fn replacement(mismatch: &Mismatch, span: Span) -> Stop {
    let Mismatch { expected, found } = mismatch;
    fault(
        "R013",
        format!("a part of shape {expected} cannot be replaced by one of shape {found}"),
        span,
        "replaced here",
    )
    .note("replacing keeps the shape of an array, row lengths included")
    .into()
}

/// An element with its subscripts as written in messages.
pub(crate) fn collision(element: &str, span: Span) -> Stop {
    fault("R014", format!("element {element} is defined twice"), span, "defined again by this clause")
        .help("each element of `array` is defined once; `update` and `accum` allow several values for one element")
        .into()
}

pub(crate) fn gap(element: &str, missing: usize, array: &ArrayByCode) -> Stop {
    let error = fault("R015", format!("no clause defines element {element}"), array.span, "this array");
    let error = error.help(match array.together {
        true => "generators behind a comma advance together: to nest them, write `for i < n for j < m`",
        false => "add a clause for it, or `else => e`",
    });
    match missing {
        0 | 1 => error,
        n => error.note(format!("{n} elements are undefined; this is the first of them")),
    }
    .into()
}

pub(crate) fn cycle(elements: &[String], span: Span) -> Stop {
    let first = elements.first().map_or("", String::as_str);
    let error = fault("R016", format!("element {first} depends on itself"), span, "its value is computed here")
        .help("read only elements that come earlier in some order, or define this one by a clause of its own");
    match elements.len() {
        0 | 1 => error,
        _ => {
            let shown = elements.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(" needs ");
            let rest = if elements.len() > 8 { " needs …".to_string() } else { format!(" needs {first}") };
            error.note(format!("{shown}{rest}"))
        }
    }
    .into()
}

pub(crate) fn subscript(element: &str, shape: &str, span: Span) -> Stop {
    fault("R017", format!("subscript {element} is out of range for shape {shape}"), span, "in this clause")
        .help("change the bounds of its generators, or leave out such elements with `if`")
        .into()
}

pub(crate) fn subscript_count(given: usize, rank: usize, span: Span) -> Stop {
    fault("R005", format!("{given} subscripts for a shape of {rank} dimensions"), span, "in this clause")
        .note("an element needs as many subscripts as there are dimensions")
        .into()
}

pub(crate) fn too_deep_title(name: &str) -> String {
    format!("recursion too deep: the stack is full in a call of `{name}`")
}

pub(crate) fn too_deep(name: &str, span: Span) -> Stop {
    fault("R018", too_deep_title(name), span, "called here")
        .help("check that the recursion ends; a `loop` needs no stack")
        .into()
}

pub(crate) fn range(text: &str, span: Span) -> Stop {
    fault("R019", format!("range {text} is impossible"), span, "this range")
        .note("the second element and the end must lie in the direction of the range")
        .into()
}

pub(crate) fn elements(shape: &str, wanted: &str, have: usize, span: Span) -> Stop {
    fault("R020", format!("{have} elements do not make an array of shape {shape}, which has {wanted}"), span, "here")
        .into()
}

pub(crate) fn step(step: i64, span: Span) -> Stop {
    fault("R021", format!("step {step} of a generator is below one"), span, "a step must be at least 1").into()
}

pub(crate) fn lengths(title: String, span: Span) -> Stop {
    fault("R023", title, span, "here").into()
}

/// The checker lets the values of a recursive array only index it, slice it or ask for its shape.
pub(crate) fn whole_rec(name: &str, span: Span) -> Stop {
    internal(&format!("recursive array `{name}` is used as a whole"), span)
}

pub(crate) fn argument(title: String, span: Span) -> RuntimeError {
    fault("R022", title, span, "this entry point")
}

/// What cannot happen in a checked program.
pub(crate) fn internal(what: &str, span: Span) -> Stop {
    fault("R099", format!("internal error of the interpreter: {what}"), span, "while evaluating this")
        .help("this is a mistake in Ravel, not in the program; please report it")
        .into()
}
