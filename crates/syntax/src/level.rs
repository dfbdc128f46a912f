//! How tightly operators bind. These are the named levels; the others are between them.

/// How tightly an operator binds; a greater level binds tighter.
pub(crate) type Level = u8;

/// Everything.
pub(crate) const LOWEST: Level = 0;

/// A function's name between backticks.
pub(crate) const BACKTICK: Level = 2;

/// `with`, seen from the left.
pub(crate) const WITH: Level = 4;

/// The value after the `=` of `with`.
pub(crate) const WITH_VALUE: Level = 5;

/// `<|`, the one that associates to the right.
pub(crate) const PIPE_LEFT: Level = 7;

/// `||`, `&&` and comparisons are these and between.
pub(crate) const OR: Level = 8;

/// Comparisons.
pub(crate) const COMPARE: Level = 10;

/// `+` and `-`.
pub(crate) const ADD: Level = 13;

/// `*` and `/`.
pub(crate) const MULTIPLY: Level = 14;
