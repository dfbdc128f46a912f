//! Broken rules.

use super::rule::Rule;
use std::fmt;

/// More than this are not collected: the first ones say what is wrong.
pub(super) const MOST: usize = 20;

/// A place where a rule is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The name of the function or entry.
    pub function: String,
    /// The first line of the innermost statement around the place, if it is in one.
    pub statement: String,
    /// What is wrong.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (rule: {})", self.function, self.detail, self.rule)?;
        if !self.statement.is_empty() {
            write!(f, "\n  at {}", self.statement)?;
        }
        Ok(())
    }
}

impl std::error::Error for Violation {}

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}
