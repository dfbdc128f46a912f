//! The outcome of a case, and how it is reported.

use super::spec::{Case, What};
use crate::backend::Backend;
use serde_json::{Value, json};

/// The outcome of a case.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// As expected.
    Passed {
        /// A note, if there is one.
        note: Option<String>,
        /// The message, if one was expected.
        message: Option<String>,
    },
    /// Not as expected, and how.
    Failed(String),
    /// Not tried, and why.
    Skipped(String),
}

impl Outcome {
    /// As expected, and nothing more to say.
    pub const PASSED: Outcome = Outcome::Passed { note: None, message: None };

    /// As a JSON object.
    pub fn to_json(&self) -> Value {
        match self {
            Outcome::Passed { note, message } => json!({"outcome": "passed", "note": note, "message": message}),
            Outcome::Failed(reason) => json!({"outcome": "failed", "reason": reason}),
            Outcome::Skipped(reason) => json!({"outcome": "skipped", "reason": reason}),
        }
    }

    /// From a JSON object.
    pub fn from_json(object: &Value) -> Option<Outcome> {
        let text = |key: &str| object[key].as_str().map(String::from);
        match object["outcome"].as_str()? {
            "passed" => Some(Outcome::Passed { note: text("note"), message: text("message") }),
            "failed" => Some(Outcome::Failed(text("reason")?)),
            "skipped" => Some(Outcome::Skipped(text("reason")?)),
            _ => None,
        }
    }
}

/// A case and its outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The program.
    pub file: String,
    /// The case; none for the file as a whole.
    pub case: Option<Case>,
    /// The back end.
    pub backend: Backend,
    /// The outcome.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// Its place and name.
    fn title(&self) -> String {
        let place = match &self.case {
            Some(case) if case.line > 0 => format!("{}:{}", self.file, case.line),
            Some(_) | None => self.file.clone(),
        };
        match self.case.as_ref().map(|case| &case.what) {
            Some(What::Run(run)) => {
                let name = run.name.as_ref().map(|n| format!(" \"{n}\"")).unwrap_or_default();
                format!("{place} {} #{}{name} [{}]", run.entry, run.number, self.backend.name())
            }
            Some(What::Property(name)) => format!("{place} property {name}"),
            Some(What::Reject(_)) => format!("{place} must be rejected"),
            Some(What::Warn(_)) => format!("{place} must have a warning"),
            Some(What::Accept) => format!("{place} must be accepted"),
            None => place,
        }
    }

    /// Whether the file has no tests, so that it is only checked.
    fn is_untested(&self) -> bool {
        self.case.as_ref().is_some_and(|case| case.what == What::Accept)
    }

    /// As text; empty for a case that passed, unless `--verbose` is set.
    pub fn to_text(&self, verbose: bool) -> Option<String> {
        match &self.outcome {
            Outcome::Passed { .. } if !verbose => None,
            Outcome::Passed { .. } if self.is_untested() => Some(format!("checked {}: it has no tests", self.file)),
            Outcome::Passed { note: None, .. } => Some(format!("passed  {} ({:.2} s)", self.title(), self.seconds)),
            Outcome::Passed { note: Some(note), .. } => Some(format!("passed  {}\n{}", self.title(), indent(note))),
            Outcome::Failed(reason) => Some(format!("FAILED  {}\n{}", self.title(), indent(reason))),
            Outcome::Skipped(reason) => Some(format!("skipped {}: {reason}", self.title())),
        }
    }

    /// As a JSON object.
    pub fn to_json(&self) -> Value {
        let mut object = self.outcome.to_json();
        object["file"] = self.file.clone().into();
        object["line"] = self.case.as_ref().map(|case| case.line).into();
        object["backend"] = self.backend.name().into();
        object["seconds"] = self.seconds.into();
        let (kind, entry, number, name) = match self.case.as_ref().map(|case| &case.what) {
            Some(What::Run(run)) => ("run", Some(&run.entry), Some(run.number), run.name.as_ref()),
            Some(What::Property(name)) => ("property", Some(name), None, None),
            Some(What::Reject(_)) => ("reject", None, None, None),
            Some(What::Warn(_)) => ("warn", None, None, None),
            Some(What::Accept) => ("accept", None, None, None),
            None => ("file", None, None, None),
        };
        object["kind"] = kind.into();
        if let (true, Outcome::Passed { .. }) = (self.is_untested(), &self.outcome) {
            object["outcome"] = "checked".into();
        }
        object["entry"] = entry.cloned().into();
        object["case"] = number.into();
        object["name"] = name.cloned().into();
        object
    }
}

fn indent(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end().into()
}

/// The numbers of cases with each outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// As expected.
    pub passed: usize,
    /// Not as expected.
    pub failed: usize,
    /// Not tried.
    pub skipped: usize,
    /// Files without tests, which were only checked.
    pub untested: usize,
}

impl Tally {
    /// Counts one more.
    pub fn count(&mut self, report: &Report) {
        match &report.outcome {
            Outcome::Passed { .. } if report.is_untested() => self.untested += 1,
            Outcome::Passed { .. } => self.passed += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Skipped(_) => self.skipped += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)?;
        match self.untested {
            0 => Ok(()),
            1 => f.write_str(", 1 file without tests"),
            n => write!(f, ", {n} files without tests"),
        }
    }
}
