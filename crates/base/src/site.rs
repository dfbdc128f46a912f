//! What a check says when it fails: a message with gaps, filled at run time.
//!
//! The interpreter fills the gaps at once. Compiled code carries only the number of the [`Site`] and the values for the
//! gaps, and whoever shows the message fills them.

use crate::{Diagnostic, Name, Span};

/// A text with gaps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text(pub Vec<Piece>);

/// A part of a [`Text`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Fixed words.
    Words(String),
    /// The value of an argument: a number as text writes it, or a vector as `[1, 2]`, cut if it is long.
    Value(usize),
    /// A vector as the dimensions of a shape: `[1][2]`.
    Shape(usize),
    /// A vector of indices as it would be written: a number alone, several as `[1, 2]`.
    Index(usize),
    /// Row lengths as a dimension: `[2]` if they agree, `[~[1, 2]]` if not, or just `[~]` if there are many. So it is
    /// the value that decides, however a back end keeps it.
    Rows(usize),
    /// The first negative number of a vector.
    Negative(usize),
    /// Which number of a vector is the first negative one.
    NegativeAt(usize),
    /// Which of several indices is wrong: the first that is no index of its dimension, and what would be one.
    Outside {
        /// The argument with the indices.
        indices: usize,
        /// The argument with the extents of the dimensions.
        extents: usize,
    },
    /// One of two texts.
    Choose {
        /// The argument, a number, that decides.
        argument: usize,
        /// If it equals this number, ...
        equals: i64,
        /// ... this text, ...
        then: Text,
        /// ... otherwise this one.
        otherwise: Text,
    },
}

/// A check's place and words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Stable code such as `R001`.
    pub code: &'static str,
    /// One line with the values and shapes involved.
    pub title: Text,
    /// The place.
    pub span: Span,
    /// A few words shown at the place.
    pub at: Text,
    /// More about it, one paragraph each; an empty one is left out.
    pub notes: Vec<Text>,
    /// What to do about it.
    pub help: Option<String>,
    /// Calls that were under way and are known beforehand: the function called and where, innermost first.
    pub calls: Vec<Call>,
    /// The calls that may have led to those. If there are any, the last argument says which of them did, see
    /// [`CALL_BITS`].
    pub callers: Vec<Caller>,
    /// Whether the place is in code that is shown where it was called: the innermost call is where to look.
    pub inside: bool,
}

/// A function that was called, and where.
pub type Call = (Name, Span);

/// A call that the run knows by a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The number, at least 1.
    pub number: u16,
    /// The call.
    pub call: Call,
}

/// A value for a gap.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// An integer.
    Number(i64),
    /// Any other scalar, as text.
    Word(String),
    /// A vector of integers.
    Numbers(Vec<i64>),
}

/// How many elements of a chain are shown.
pub const SHOWN_CHAIN: usize = 8;

/// What is said of a chain of elements of recursive arrays, each of which needs the next one and the last the first; one
/// alone is not worth saying. Arguments from `first` on: how many there are, [`SHOWN_CHAIN`] times the subscripts of one,
/// and, if there are several arrays, as often the number of the array that it is of.
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

/// How many of the calls under way are shown.
const SHOWN_CALLS: usize = 3;
/// How many calls a check knows of. One of them may be left out, since it is the place itself.
pub const KEPT_CALLS: usize = 4;
/// Functions that are called from several places get the calls under way as one number: so many bits for each call, the
/// innermost lowest; 0 where there is none.
pub const CALL_BITS: u32 = 16;
/// How many numbers of a vector are shown when it is longer than [`SHORT`].
const SHOWN: usize = 10;
/// At most so many row lengths are part of a shape.
const FEW: usize = 8;
/// A vector of at most so many numbers is shown in full.
const SHORT: usize = 12;

impl Text {
    /// Words without gaps.
    pub fn words(words: impl Into<String>) -> Text {
        Text(vec![Piece::Words(words.into())])
    }

    /// This text and then another one.
    pub fn followed_by(mut self, more: Text) -> Text {
        self.0.extend(more.0);
        self
    }

    /// The text with its gaps filled; a gap without an argument stays empty.
    pub fn fill(&self, arguments: &[Argument]) -> String {
        let mut out = String::new();
        self.write(arguments, &mut out);
        out
    }

    fn write(&self, arguments: &[Argument], out: &mut String) {
        for piece in &self.0 {
            match piece {
                Piece::Words(words) => out.push_str(words),
                Piece::Value(index) => {
                    if let Some(argument) = arguments.get(*index) {
                        argument.write(out);
                    }
                }
                Piece::Shape(index) => {
                    if let Some(Argument::Numbers(extents)) = arguments.get(*index) {
                        extents.iter().for_each(|n| out.push_str(&format!("[{n}]")));
                    }
                }
                Piece::Index(index) => match arguments.get(*index) {
                    Some(Argument::Numbers(numbers)) if numbers.len() == 1 => out.push_str(&numbers[0].to_string()),
                    Some(argument) => argument.write(out),
                    None => {}
                },
                Piece::Rows(index) => match arguments.get(*index) {
                    Some(Argument::Numbers(lengths)) => out.push_str(&rows(lengths)),
                    _ => out.push_str("[~]"),
                },
                Piece::Negative(index) | Piece::NegativeAt(index) => {
                    if let Some(Argument::Numbers(numbers)) = arguments.get(*index)
                        && let Some((at, number)) = numbers.iter().enumerate().find(|(_, n)| **n < 0)
                    {
                        let place = matches!(piece, Piece::NegativeAt(_));
                        out.push_str(&if place { at.to_string() } else { number.to_string() });
                    }
                }
                Piece::Outside { indices, extents } => {
                    if let (Some(Argument::Numbers(indices)), Some(Argument::Numbers(extents))) =
                        (arguments.get(*indices), arguments.get(*extents))
                        && let Some((i, n)) = indices.iter().zip(extents).find(|(i, n)| !(0..**n).contains(*i))
                    {
                        out.push_str(&outside(*i, *n));
                    }
                }
                Piece::Choose { argument, equals, then, otherwise } => {
                    let chosen = arguments.get(*argument) == Some(&Argument::Number(*equals));
                    if chosen { then } else { otherwise }.write(arguments, out);
                }
            }
        }
    }
}

/// Row lengths as a dimension of a shape, see [`Piece::Rows`].
pub fn rows(lengths: &[i64]) -> String {
    let first = lengths.first().copied().unwrap_or(0);
    match lengths.iter().all(|n| *n == first) {
        true => format!("[{first}]"),
        false if lengths.len() <= FEW => format!("[~{lengths:?}]"),
        false => "[~]".into(),
    }
}

/// Why a number is no index of a dimension with so many elements.
pub fn outside(index: i64, extent: i64) -> String {
    match extent {
        0 => format!("{index} is an index of a dimension without elements, where no index is valid"),
        1 => format!("{index} is an index of a dimension with 1 element: only 0 is valid"),
        n => format!("{index} is an index of a dimension with {n} elements: 0 to {} are valid", n - 1),
    }
}

impl Argument {
    fn write(&self, out: &mut String) {
        match self {
            Argument::Number(n) => out.push_str(&n.to_string()),
            Argument::Word(word) => out.push_str(word),
            Argument::Numbers(numbers) if numbers.len() <= SHORT => out.push_str(&format!("{numbers:?}")),
            Argument::Numbers(numbers) => {
                let shown: Vec<String> = numbers[..SHOWN].iter().map(i64::to_string).collect();
                out.push_str(&format!("[{}, … {} in all]", shown.join(", "), numbers.len()));
            }
        }
    }
}

/// Calls in the order in which they are shown, innermost first. One that repeats the one before it says nothing new:
/// it is not counted. Of the first few, those at the place of the failure itself are left out.
pub fn shown_calls(calls: impl IntoIterator<Item = Call>, place: Span) -> Vec<Call> {
    let mut shown: Vec<Call> = Vec::new();
    for call in kept_calls(calls) {
        if call.1 != place && !shown.contains(&call) {
            shown.push(call);
        }
    }
    shown.truncate(SHOWN_CALLS);
    shown
}

/// The innermost calls of which a check knows.
pub fn kept_calls<C: PartialEq>(calls: impl IntoIterator<Item = C>) -> Vec<C> {
    let mut kept: Vec<C> = Vec::new();
    for call in calls {
        if kept.last() != Some(&call) {
            if kept.len() == KEPT_CALLS {
                break;
            }
            kept.push(call);
        }
    }
    kept
}

/// The numbers of calls as one, innermost first.
pub fn packed_calls(numbers: &[u16]) -> i64 {
    let pack = |word: u64, number: &u16| word << CALL_BITS | u64::from(*number);
    numbers.iter().take(KEPT_CALLS).rev().fold(0, pack) as i64
}

impl Site {
    /// The site as it is shown if it is inside of this call.
    pub fn at_call(&self, (name, span): Call) -> Site {
        // Where memory is missing, only the place is known.
        let suffix = if self.code == "R024" { String::new() } else { format!(", in `{name}`") };
        Site { span, at: self.at.clone().followed_by(Text::words(suffix)), inside: false, ..self.clone() }
    }

    /// The site at the place where it is shown.
    pub fn placed(&self, arguments: &[Argument]) -> Site {
        let innermost = if self.inside { self.calls_under_way(arguments).into_iter().next() } else { None };
        innermost.map_or_else(|| self.clone(), |call| self.at_call(call))
    }

    /// The calls under way that are shown.
    pub fn shown_calls(&self, arguments: &[Argument]) -> Vec<Call> {
        shown_calls(self.calls_under_way(arguments), self.span)
    }

    /// The calls under way, innermost first: those known beforehand and those told.
    fn calls_under_way(&self, arguments: &[Argument]) -> Vec<Call> {
        let word = match arguments.last() {
            Some(Argument::Number(word)) => *word as u64,
            _ => 0,
        };
        let numbers = (0..KEPT_CALLS as u32).map(|i| (word >> (i * CALL_BITS)) as u16);
        let called = numbers.filter_map(|n| self.callers.iter().find(|c| c.number == n)).map(|c| c.call);
        self.calls.iter().copied().chain(called).collect()
    }

    /// The same words at a part of the place; unchanged if the span is no part of it.
    pub fn narrowed(&self, span: Span) -> Site {
        let inside = self.span.file == span.file && self.span.start <= span.start && span.end <= self.span.end;
        Site { span: if inside { span } else { self.span }, ..self.clone() }
    }

    /// The message with its gaps filled.
    pub fn diagnostic(&self, arguments: &[Argument]) -> Diagnostic {
        let placed = self.placed(arguments);
        let mut diagnostic =
            Diagnostic::error(self.code, self.title.fill(arguments), placed.span, placed.at.fill(arguments));
        diagnostic.notes = self.notes.iter().map(|n| n.fill(arguments)).filter(|n| !n.is_empty()).collect();
        for (name, call) in placed.shown_calls(arguments) {
            diagnostic = diagnostic.label(call, format!("in the call of `{name}`"));
        }
        diagnostic.help = self.help.clone();
        diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled() {
        let choice = Piece::Choose {
            argument: 0,
            equals: 0,
            then: Text::words("none"),
            otherwise: Text(vec![Piece::Value(0), Piece::Words(" of ".into()), Piece::Shape(1)]),
        };
        let text = Text(vec![choice, Piece::Words(" in ".into()), Piece::Value(1)]);
        assert_eq!(text.fill(&[Argument::Number(0), Argument::Numbers(vec![2, 3])]), "none in [2, 3]");
        assert_eq!(text.fill(&[Argument::Number(4), Argument::Numbers(vec![2, 3])]), "4 of [2][3] in [2, 3]");
        let long = Argument::Numbers((0..20).collect());
        assert!(text.fill(&[Argument::Number(0), long]).ends_with("9, … 20 in all]"));
    }
}
