//! The tests of a program as data, as its `-- ==` blocks describe them.

use regex::Regex;

/// One thing to test.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Its line in the file, counted from one; 0 for the file as a whole.
    pub line: usize,
    /// What must hold.
    pub what: What,
}

/// The kinds of cases.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The program is accepted.
    Accept,
    /// The program is rejected, with a message that matches.
    Reject(Pattern),
    /// The program is accepted, with a warning that matches.
    Warn(Pattern),
    /// An entry point is run.
    Run(Run),
    /// An entry point holds for random inputs.
    Property(String),
}

/// A run of an entry point.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The entry point.
    pub entry: String,
    /// Which case of that entry point, counted from zero.
    pub number: usize,
    /// The name given in quotes.
    pub name: Option<String>,
    /// Tags before `input`: `compiled`, `nobench`, `notest`, `no_BACKEND`.
    pub tags: Vec<String>,
    /// The arguments.
    pub input: Input,
    /// The expected outcome.
    pub expected: Expected,
}

/// Where arguments come from.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// Written in the block.
    Text(String),
    /// In a file, relative to the program.
    File(String),
    /// Random values of these types.
    Random(String),
    /// The value of an expression.
    Script(String),
    /// The value of an expression in a file.
    ScriptFile(String),
}

/// The expected outcome of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Anything but an error; `auto output` says the same for the back end that defines the meaning.
    Success,
    /// These values.
    Text(String),
    /// The values of a file, relative to the program.
    File(String),
    /// A run-time error whose message matches.
    Error(Pattern),
}

/// A regular expression for a message; empty for any message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(pub String);

impl Pattern {
    /// Whether a message matches; an error if the expression is invalid.
    pub fn matches(&self, message: &str) -> Result<bool, String> {
        let regex = Regex::new(&format!("(?s){}", self.0)).map_err(|e| format!("bad expression `{}`: {e}", self.0))?;
        Ok(regex.is_match(message))
    }
}

/// The tests of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spec {
    /// From `tags { ... }`.
    pub tags: Vec<String>,
    /// The cases, at least one: a file without a test block has the case that it must be accepted.
    pub cases: Vec<Case>,
}

/// An error in a test block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// The line of the file, counted from one.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}
