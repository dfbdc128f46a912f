//! Failed checks as errors: the values of a check fill the gaps of its message ([`fault::message`]).

use crate::column::Mismatch;
use crate::error::{RuntimeError, Stop};
use base::{Name, Span};
use fault::message::Place;
use fault::{Argument, Message, Text, message};
use scalar::ScalarError;

/// The label of a call whose arguments do not fit.
pub(crate) const IN_CALL: &str = "in this call";

fn stop<const N: usize>(message: Message, args: [Argument; N], span: Span) -> Stop {
    RuntimeError::new(&message, &args, span).into()
}

fn number(n: usize) -> Argument {
    Argument::Number(n as i64)
}

fn words(text: &str) -> Text {
    Text::words(text)
}

/// `written` are all indices given, `index` is the one that is wrong.
pub(crate) fn index(written: &str, index: i64, extent: usize, shape: &str, span: Span) -> Stop {
    let args = [Argument::Number(index), number(extent), Argument::Number(extent as i64 - 1)];
    stop(message::index(words(written), 0, 1, words(shape)), args, span)
}

/// A number that is larger than every `i64`.
#[cold]
pub(crate) fn beyond(place: Place, number: u64, span: Span) -> Stop {
    stop(message::beyond(place), [Argument::Word(number.to_string())], span)
}

pub(crate) fn count_of_indices(indices: usize, shape: &str, span: Span) -> Stop {
    stop(message::count_of_indices(words(shape)), [number(indices)], span)
}

pub(crate) fn rank(rank: usize, shape: &[i64], span: Span) -> Stop {
    stop(message::rank(rank), [Argument::Numbers(shape.to_vec())], span)
}

pub(crate) fn rank_at_least(rank: usize, shape: &[i64], span: Span) -> Stop {
    stop(message::rank_at_least(rank), [Argument::Numbers(shape.to_vec())], span)
}

/// A stride of 0 has a message of its own.
pub(crate) fn slice(start: i64, end: i64, stride: i64, extent: usize, span: Span) -> Stop {
    let [start, end, stride] = [start, end, stride].map(Argument::Number);
    stop(message::slice(), [start, end, stride, number(extent)], span)
}

/// Two sizes that should be one: `what` names it.
pub(crate) fn sizes(what: &str, expected: &str, found: &str, subject: &str, context: &str, span: Span) -> Stop {
    stop(message::sizes(what, words(subject), context), [expected, found].map(|n| Argument::Word(n.into())), span)
}

pub(crate) fn lockstep(left: &str, right: &str, what: &str, span: Span) -> Stop {
    stop(message::lockstep(words(left), words(right), what), [], span)
}

pub(crate) fn row_shapes(first: &[i64], other: &[i64], span: Span) -> Stop {
    stop(message::row_shapes(), [first, other].map(|shape| Argument::Numbers(shape.to_vec())), span)
}

pub(crate) fn combining(lengths: &[i64], span: Span) -> Stop {
    stop(message::combining(), [Argument::Numbers(lengths.to_vec())], span)
}

pub(crate) fn not_regular(lengths: &str, span: Span) -> Stop {
    stop(message::not_regular(), [Argument::Word(lengths.into())], span)
}

pub(crate) fn lengths_differ(expected: &[i64], found: &[i64], span: Span) -> Stop {
    let lengths = [Argument::Numbers(expected.to_vec()), Argument::Numbers(found.to_vec())];
    stop(message::lengths_differ(), lengths, span)
}

/// The reason has gaps for the size in the type and that of the value.
pub(crate) fn coercion(shape: &str, ty: &str, reason: Text, sizes: [&String; 2], span: Span) -> Stop {
    stop(message::coercion(words(shape), ty, reason), sizes.map(|n| Argument::Word(n.clone())), span)
}

pub(crate) fn coerced_rank(shape: &str, ty: &str, span: Span) -> Stop {
    stop(message::coerced_rank(words(shape), ty), [], span)
}

pub(crate) fn negative(what: &str, n: i64, span: Span) -> Stop {
    stop(message::negative(what), [Argument::Number(n)], span)
}

/// The count may be larger than every `i64`.
pub(crate) fn memory(count: impl ToString, span: Span) -> Stop {
    RuntimeError::new(&message::memory(), &[Argument::Word(count.to_string())], span).about_memory().into()
}

/// More elements than can be counted: no limit of memory would do.
pub(crate) fn countless(span: Span) -> Stop {
    RuntimeError::new(&message::memory(), &[Argument::Word(format!("more than {}", i64::MAX))], span).into()
}

pub(crate) fn scalar(error: ScalarError, span: Span) -> Stop {
    match error {
        ScalarError::DivisionByZero(op, x) => stop(message::division(op, x.prim()), [x.into()], span),
        ScalarError::NegativeExponent(x) => stop(message::exponent(x.prim()), [x.into()], span),
        ScalarError::WrongTypes => internal("operands of the wrong types", span),
    }
}

pub(crate) fn assertion(text: &str, span: Span) -> Stop {
    stop(message::assertion(text), [], span)
}

pub(crate) fn hole(span: Span) -> Stop {
    stop(message::hole(), [], span)
}

pub(crate) fn replacement(mismatch: &Mismatch, span: Span) -> Stop {
    stop(message::replacement(words(&mismatch.expected), words(&mismatch.found)), [], span)
}

/// An element with its subscripts as written in messages.
pub(crate) fn collision(element: &str, span: Span) -> Stop {
    stop(message::collision(words(element)), [], span)
}

/// The first of `missing` elements that no clause defines. `together`: generators of a clause advance together.
pub(crate) fn gap(element: &str, missing: usize, together: bool, span: Span) -> Stop {
    stop(message::gap(words(element), together), [number(missing)], span)
}

/// `elements` are those of the chain, the last of which needs the first.
pub(crate) fn cycle(elements: &[String], span: Span) -> Stop {
    let first = elements.first().map_or("", String::as_str);
    stop(message::cycle(words(first)).note(message::written_chain(elements)), [], span)
}

pub(crate) fn subscript(element: &str, shape: &str, span: Span) -> Stop {
    stop(message::subscript(words(element), words(shape)), [], span)
}

pub(crate) fn subscript_count(given: usize, rank: usize, span: Span) -> Stop {
    stop(message::subscript_count(), [number(given), number(rank)], span)
}

pub(crate) fn too_deep(name: Name, span: Span) -> Stop {
    stop(message::too_deep(name), [], span)
}

pub(crate) fn range(text: &str, span: Span) -> Stop {
    stop(message::range(words(text)), [], span)
}

/// `wanted` is how many elements the shape has, if a number can say it.
pub(crate) fn elements(shape: &str, wanted: Option<i64>, have: usize, span: Span) -> Stop {
    let wanted = Argument::Number(wanted.unwrap_or(i64::MAX));
    stop(message::elements(words(shape)), [number(have), wanted], span)
}

pub(crate) fn step(step: i64, span: Span) -> Stop {
    stop(message::step(), [Argument::Number(step)], span)
}

pub(crate) fn negative_length(lengths: Vec<i64>, span: Span) -> Stop {
    stop(message::negative_length(), [Argument::Numbers(lengths)], span)
}

/// `sum` is what the row lengths add up to, if a number can say it.
pub(crate) fn total_length(sum: Option<i64>, have: usize, span: Span) -> Stop {
    stop(message::total_length(), [Argument::Number(sum.unwrap_or(i64::MAX)), number(have)], span)
}

/// The checker lets the values of a recursive array only index it, slice it or ask for its shape.
pub(crate) fn whole_rec(name: &str, span: Span) -> Stop {
    internal(&format!("recursive array `{name}` is used as a whole"), span)
}

pub(crate) fn argument(why: &str, span: Span) -> RuntimeError {
    RuntimeError::new(&message::argument(why), &[], span)
}

/// What cannot happen in a checked program.
pub(crate) fn internal(what: &str, span: Span) -> Stop {
    stop(message::internal(&format!("internal error of the interpreter: {what}")), [], span)
}
