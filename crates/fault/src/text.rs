//! Texts with gaps, and the values that fill them.

use base::bug;
use scalar::{Plain, Scalar};

/// A text with gaps. Two pieces of fixed text never follow each other.
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
    /// Row lengths as a dimension: `[2]` if all are equal, `[~[1, 2]]` if not, or just `[~]` if there are many. This depends
    /// on the lengths alone, not on how a back end stores them.
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

/// How many numbers of a vector are shown when it is longer than [`SHORT`].
const SHOWN: usize = 10;
/// The most row lengths that are shown in a shape.
const FEW: usize = 8;
/// The length up to which a vector is shown in full.
const SHORT: usize = 12;

impl Text {
    /// Words without gaps.
    pub fn words(words: impl Into<String>) -> Text {
        let mut text = Text::default();
        text.push(Piece::Words(words.into()));
        text
    }

    /// A text from a template in the form of [`crate::notation`], in which `{}` is the next of `parts`: with the parts
    /// `xs` and `[{1}]`, the template `{} has {0} rows of shape {}` is `xs has {0} rows of shape [{1}]`.
    pub fn template(template: &str, parts: impl IntoIterator<Item = Text>) -> Text {
        let mut parts = parts.into_iter();
        match crate::notation::parse_template(template, &mut parts) {
            Ok(text) if parts.next().is_none() => text,
            Ok(_) => bug!("the template {template:?} has fewer places than there are parts"),
            Err(wrong) => bug!("the template {template:?} is malformed: {}", wrong.what),
        }
    }

    /// Adds a piece; words join the words before them.
    pub fn push(&mut self, piece: Piece) {
        match (self.0.last_mut(), piece) {
            (_, Piece::Words(words)) if words.is_empty() => {}
            (Some(Piece::Words(last)), Piece::Words(words)) => last.push_str(&words),
            (_, piece) => self.0.push(piece),
        }
    }

    /// This text and then another one.
    pub fn followed_by(mut self, more: Text) -> Text {
        more.0.into_iter().for_each(|piece| self.push(piece));
        self
    }

    /// The text with its gaps filled; a gap without an argument stays empty.
    pub fn fill(&self, arguments: &[Argument]) -> String {
        let mut out = String::new();
        self.write(arguments, &mut out);
        out
    }

    fn write(&self, arguments: &[Argument], out: &mut String) {
        self.0.iter().for_each(|piece| piece.write(arguments, out));
    }

    /// How many arguments the text needs.
    pub fn arity(&self) -> usize {
        self.0.iter().map(Piece::arity).max().unwrap_or(0)
    }
}

impl Piece {
    fn write(&self, arguments: &[Argument], out: &mut String) {
        let numbers = |index: usize| match arguments.get(index) {
            Some(Argument::Numbers(numbers)) => Some(&numbers[..]),
            Some(Argument::Number(_) | Argument::Word(_)) | None => None,
        };
        match self {
            Piece::Words(words) => out.push_str(words),
            Piece::Value(index) => arguments.get(*index).into_iter().for_each(|argument| argument.write(out)),
            Piece::Shape(index) => {
                numbers(*index).unwrap_or_default().iter().for_each(|n| out.push_str(&format!("[{n}]")));
            }
            Piece::Index(index) => match (numbers(*index), arguments.get(*index)) {
                (Some([number]), _) => out.push_str(&number.to_string()),
                (_, argument) => argument.into_iter().for_each(|argument| argument.write(out)),
            },
            Piece::Rows(index) => out.push_str(&numbers(*index).map_or("[~]".into(), rows)),
            Piece::Negative(index) => {
                let found = numbers(*index).unwrap_or_default().iter().find(|n| **n < 0);
                found.into_iter().for_each(|number| out.push_str(&number.to_string()));
            }
            Piece::NegativeAt(index) => {
                let found = numbers(*index).unwrap_or_default().iter().position(|n| *n < 0);
                found.into_iter().for_each(|at| out.push_str(&at.to_string()));
            }
            Piece::Outside { indices, extents } => {
                let (indices, extents) = (numbers(*indices).unwrap_or_default(), numbers(*extents).unwrap_or_default());
                let wrong = indices.iter().zip(extents).find(|(i, n)| !(0..**n).contains(*i));
                wrong.into_iter().for_each(|(i, n)| out.push_str(&outside(*i, *n)));
            }
            Piece::Choose { argument, equals, then, otherwise } => {
                let chosen = arguments.get(*argument) == Some(&Argument::Number(*equals));
                if chosen { then } else { otherwise }.write(arguments, out);
            }
        }
    }

    fn arity(&self) -> usize {
        match self {
            Piece::Words(_) => 0,
            Piece::Value(i) | Piece::Shape(i) | Piece::Rows(i) | Piece::Index(i) => i + 1,
            Piece::Negative(i) | Piece::NegativeAt(i) => i + 1,
            Piece::Outside { indices, extents } => indices.max(extents) + 1,
            Piece::Choose { argument, equals: _, then, otherwise } => {
                (argument + 1).max(then.arity()).max(otherwise.arity())
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

/// Why a number is not a valid index of a dimension with this many elements.
pub fn outside(index: i64, extent: i64) -> String {
    match extent {
        0 => format!("{index} is an index of a dimension without elements, where no index is valid"),
        1 => format!("{index} is an index of a dimension with 1 element: only 0 is valid"),
        n => format!("{index} is an index of a dimension with {n} elements: 0 to {} are valid", n - 1),
    }
}

/// Integers are numbers, anything else is text without its type.
impl From<Scalar> for Argument {
    fn from(x: Scalar) -> Argument {
        match x.as_int().map(i64::try_from) {
            Some(Ok(number)) => Argument::Number(number),
            Some(Err(_)) | None => Argument::Word(Plain(x).to_string()),
        }
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
