//! The tests of a program as data: what its `-- ==` blocks say.

use regex::Regex;

/// One thing to test.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The line of the file where it stands, counted from one; 0 for the file as a whole.
    pub line: usize,
    /// What must hold.
    pub what: What,
}

/// What a case asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The program is accepted.
    Accept,
    /// The program is rejected, with a message like this.
    Reject(Pattern),
    /// The program is accepted with a warning like this.
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
    /// Words in front of `input`: `compiled`, `nobench`, `notest`, `no_BACKEND`.
    pub tags: Vec<String>,
    /// The arguments.
    pub input: Input,
    /// What should come of it.
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

/// What a run should give.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Anything but an error; `auto output` says the same for the back end that defines the meaning.
    Success,
    /// These values.
    Text(String),
    /// The values of a file, relative to the program.
    File(String),
    /// A run-time error like this.
    Error(Pattern),
}

/// A regular expression for a message; empty for any message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(pub String);

impl Pattern {
    /// Whether a message is like this; an invalid expression is its own error.
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
    /// What to test, never nothing: a file without a block is to be accepted.
    pub cases: Vec<Case>,
}

/// What is wrong with a test block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// The line of the file, counted from one.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}
