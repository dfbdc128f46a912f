//! What is said about a program, as data.

use ir::Topic;

/// What became of a program.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// All loops, by line; those around others first.
    pub loops: Vec<LoopReport>,
    /// What was done and what was not, by line.
    pub remarks: Vec<RemarkReport>,
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopReport {
    /// The user's file.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// Whether there is no loop inside of it.
    pub innermost: bool,
    /// How its turns run: `sequential`, `simd` or `threads`.
    pub mark: &'static str,
    /// How many checks one turn makes.
    pub checks: usize,
    /// How often one turn allocates memory.
    pub allocations: usize,
}

/// A remark.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RemarkReport {
    /// The user's file.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// What it is about.
    pub topic: Topic,
    /// Whether it was done.
    pub done: bool,
    /// One clause.
    pub text: String,
}
