//! What a program needs besides its own functions: prototypes of the C library, functions on scalars, `f16`.

use std::collections::{BTreeMap, BTreeSet};

/// What was asked for so far.
#[derive(Default)]
pub(crate) struct Needs {
    prototypes: BTreeSet<String>,
    functions: BTreeMap<String, String>,
    /// Whether `f16` occurs.
    pub half: bool,
    /// Whether mathematical functions of the run-time system occur.
    pub math: bool,
    /// Whether running combinations of the run-time system occur.
    pub prefix: bool,
    /// The sizes of the elements of rows that become columns.
    pub transposes: BTreeSet<usize>,
    /// The sizes of the numbers that are sorted.
    pub sorts: BTreeSet<usize>,
}

impl Needs {
    /// A function of the C library.
    pub fn prototype(&mut self, prototype: String) {
        self.prototypes.insert(prototype);
    }

    /// A function on scalars, defined by a macro of the run-time system with these arguments after the name.
    pub fn function(&mut self, name: &str, definition: &str, args: &[&str]) {
        let all: Vec<&str> = [name].into_iter().chain(args.iter().copied()).collect();
        self.functions.insert(name.to_owned(), format!("{definition}({})\n", all.join(", ")));
    }

    /// Everything that was asked for.
    pub fn definitions(&self) -> String {
        let mut out = String::new();
        self.prototypes.iter().for_each(|p| out.push_str(p));
        self.functions.values().for_each(|f| out.push_str(f));
        out
    }
}
