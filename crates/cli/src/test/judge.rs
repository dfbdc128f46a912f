//! Decides whether a case went as expected.

use super::arguments;
use super::built::Built;
use super::prepared::Prepared;
use super::report::Outcome;
use super::script::Scripts;
use super::spec::{Case, Expected, Input, Pattern, Run, What};
use super::values;
use crate::inputs;
use base::{Diagnostic, Severity, Sources};
use driver::{Compiled, render, signature};
use fault::Fault;
use std::path::Path;
use typed::{DefId, Program};
use value::{Tolerance, Value, ValueType, compare};

/// How cases run.
pub enum Runner<'a> {
    /// In this process.
    Here(Prepared<'a>),
    /// In executables.
    Built(Built<'a>),
}

/// A compiled program whose cases are judged.
pub struct Judge<'a> {
    /// The program's file.
    pub file: &'a Path,
    /// The compiled program.
    pub compiled: &'a Compiled,
    /// Its script inputs, compiled.
    pub scripts: &'a Scripts,
    /// How to run it.
    pub runner: Runner<'a>,
}

impl Judge<'_> {
    /// Runs one case. A rejected program is explained in full for the first case only.
    pub fn judge(&self, index: usize, case: &Case) -> Outcome {
        match &case.what {
            What::Accept => match self.compiled.program {
                Some(_) => Outcome::PASSED,
                None => self.rejected(true),
            },
            What::Reject(pattern) => self.must_be_rejected(pattern),
            What::Warn(pattern) => self.must_warn(pattern),
            What::Property(_) => Outcome::Skipped("tests of properties on random values are not supported".into()),
            What::Run(run) => match &self.compiled.program {
                Some(program) => self.run(index, program, run).unwrap_or_else(|outcome| outcome),
                None => self.rejected(index == 0),
            },
        }
    }

    fn rejected(&self, in_full: bool) -> Outcome {
        if !in_full {
            return Outcome::Failed("the program is rejected".into());
        }
        let why = render::render_all(&self.compiled.sources, &self.errors(), false);
        Outcome::Failed(format!("the program is rejected:\n{why}"))
    }

    fn errors(&self) -> Vec<Diagnostic> {
        self.compiled.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect()
    }

    fn must_be_rejected(&self, pattern: &Pattern) -> Outcome {
        match self.compiled.program {
            Some(_) => Outcome::Failed("the program is accepted, but must be rejected".into()),
            None => self.like(pattern, &self.errors(), &self.compiled.sources),
        }
    }

    fn must_warn(&self, pattern: &Pattern) -> Outcome {
        if self.compiled.program.is_none() {
            return self.rejected(true);
        }
        let warnings: Vec<Diagnostic> =
            self.compiled.diagnostics.iter().filter(|d| d.severity == Severity::Warning).cloned().collect();
        match warnings.is_empty() && self.is_futhark() {
            true => Outcome::Passed { note: Some("accepted without the warning".into()), message: None },
            false => self.like(pattern, &warnings, &self.compiled.sources),
        }
    }

    /// Whether one of these messages matches. In a Futhark program the expression describes messages of Futhark's
    /// compiler, so there a mismatch is only noted.
    fn like(&self, pattern: &Pattern, diagnostics: &[Diagnostic], sources: &Sources) -> Outcome {
        let words: Vec<String> = diagnostics
            .iter()
            .map(|d| format!("{}\n{}", render::words(d), render::render(sources, d, false)))
            .collect();
        let shown = render::render_all(sources, diagnostics, false);
        let wrong = match pattern.matches(&words.join("\n")) {
            Ok(true) => return Outcome::Passed { note: None, message: Some(shown) },
            Ok(false) => format!("the message does not match `{}`:\n{shown}", pattern.0),
            Err(bad) => bad,
        };
        match self.is_futhark() {
            true => Outcome::Passed { note: Some(wrong), message: Some(shown) },
            false => Outcome::Failed(wrong),
        }
    }

    /// The tolerance for floats; in `.fut` files that of Futhark for `f32`.
    fn tolerance(&self) -> Tolerance {
        let usual = Tolerance::default();
        if self.is_futhark() { Tolerance { f32: 2e-3, ..usual } } else { usual }
    }

    fn is_futhark(&self) -> bool {
        self.file.extension().is_some_and(|e| e == "fut")
    }

    /// Runs an entry point. The error is the outcome of a case that could not be started.
    fn run(&self, index: usize, program: &Program, run: &Run) -> Result<Outcome, Outcome> {
        let (results, compiled) = match &run.input {
            Input::Script(_) | Input::ScriptFile(_) => {
                let script = self.scripts.get(self.file, index).map_err(Outcome::Failed)?;
                (self.execute(script.compiled, script.program, script.entry, script.args), script.compiled)
            }
            Input::Text(_) | Input::File(_) | Input::Random(_) => {
                let entry = signature::find_entry(program, &run.entry)
                    .ok_or_else(|| Outcome::Failed(format!("there is no entry point `{}`", run.entry)))?;
                let args = arguments::read(self.file, program, entry, &run.input).map_err(Outcome::Failed)?;
                (self.execute(self.compiled, program, entry, args), self.compiled)
            }
        };
        Ok(match (results, &run.expected) {
            // A bug in Ravel fails the case even if it expects an error.
            (Err(error), _) if error.code == Fault::Internal.code() => {
                Outcome::Failed(format!("a bug:\n{}", render::render(&compiled.sources, &error, false)))
            }
            (Err(error), Expected::Error(pattern)) => self.like(pattern, &[error], &compiled.sources),
            (Err(error), _) if error.code == Fault::Memory.code() && run.tags.iter().any(|tag| tag == "compiled") => {
                Outcome::Skipped(format!("meant for compiled code; {}", error.title))
            }
            (Err(error), Expected::Success | Expected::Text(_) | Expected::File(_)) => {
                Outcome::Failed(format!("an error at run time:\n{}", render::render(&compiled.sources, &error, false)))
            }
            (Ok(values), Expected::Error(_)) => {
                Outcome::Failed(format!("expected: an error\ngot:      {}", values::shown(&values)))
            }
            (Ok(_), Expected::Success) => Outcome::PASSED,
            (Ok(values), Expected::Text(text)) => {
                self.compare(values, |types| inputs::from_bytes(text.as_bytes(), types))
            }
            (Ok(values), Expected::File(path)) => {
                self.compare(values, |types| inputs::from_file(&arguments::beside(self.file, path), types))
            }
        })
    }

    fn execute(
        &self,
        compiled: &Compiled,
        program: &Program,
        entry: DefId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic> {
        match &self.runner {
            Runner::Built(built) => built.run(compiled, program, entry, args),
            Runner::Here(prepared) => prepared.run(compiled, program, entry, args),
        }
    }

    fn compare(&self, results: Vec<Value>, expected: impl Fn(&[ValueType]) -> Result<Vec<Value>, String>) -> Outcome {
        let results = values::flat(results);
        let types: Vec<ValueType> = results.iter().map(|value| values::open_type(&value.type_of())).collect();
        let expected = match expected(&types) {
            Ok(expected) => expected,
            Err(wrong) => {
                return Outcome::Failed(format!(
                    "got: {}\nbut the expected output says: {wrong}",
                    values::shown(&results)
                ));
            }
        };
        let expected = values::flat(expected);
        let differ = |why: String| {
            let (wanted, got) = (values::shown(&expected), values::shown(&results));
            Outcome::Failed(format!("{why}\nexpected: {wanted}\ngot:      {got}"))
        };
        if results.len() != expected.len() {
            return differ(format!("{} values, but {} are expected", results.len(), expected.len()));
        }
        for (index, (result, wanted)) in results.iter().zip(&expected).enumerate() {
            if let Err(why) = compare(result, wanted, &self.tolerance()) {
                return differ(if results.len() == 1 { why } else { format!("value {index}: {why}") });
            }
        }
        Outcome::PASSED
    }
}
