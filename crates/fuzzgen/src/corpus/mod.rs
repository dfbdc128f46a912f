//! Changed programs of a corpus: the second source of programs beside [`crate::generate`].
//!
//! People wrote the programs of our tests to make passes do something, or to be refused by them. A small change of such a
//! program is the neighbour of a program that a pass transforms, and shows whether the pass forgets a condition.
//!
//! A seed chooses an entry point of the corpus and one to three changes that the front end accepts:
//!
//! ```text
//! entry f [n][m] (a: [n][m]i64) = map i64.sum a
//! entry f [n][m] (a: [n][m]i64) = map i64.sum (if n > 2 then (drop 1 a) else a)
//! ```

pub mod change;
pub mod inputs;
pub mod read;
pub mod tokens;

use crate::random::Random;
use crate::tree::Rule;
use change::{Change, apply, change};
use read::Sample;
use std::fmt::Write;
use std::path::PathBuf;
use tokens::Token;

/// The entry points of a corpus.
pub struct Corpus {
    samples: Vec<Sample>,
}

/// So many changes are tried at most, until enough are accepted.
const TRIES: usize = 40;

/// On so many inputs an entry point runs at most.
const INPUTS: usize = 3;

impl Corpus {
    /// The entry points in files and folders.
    pub fn read(paths: &[PathBuf]) -> Result<Corpus, String> {
        Ok(Corpus { samples: read::read(paths)? })
    }

    /// How many entry points there are.
    pub fn count(&self) -> usize {
        self.samples.len()
    }

    /// The changed program of a seed; `accepts` asks the front end.
    pub fn changed(&self, seed: u64, accepts: &mut dyn FnMut(&str) -> bool) -> Changed {
        let mut random = Random::new(seed);
        let sample = random.pick(&self.samples);
        let inputs = chosen_inputs(&sample, &mut random);
        let mut program = Changed { sample, inputs, changes: Vec::new(), tried: 0 };
        let wanted = 1 + random.below(3);
        for _ in 0..TRIES {
            if program.changes.len() == wanted {
                break;
            }
            let Some(next) = change(&program.sample.tokens, &mut random) else { continue };
            if !program.changes.iter().all(|known| known.is_apart(&next)) {
                continue;
            }
            program.tried += 1;
            program.changes.push(next);
            if !accepts(&program.text()) {
                program.changes.pop();
            }
        }
        program
    }
}

/// A changed program.
#[derive(Clone, Debug)]
pub struct Changed {
    sample: Sample,
    inputs: Vec<String>,
    changes: Vec<Change>,
    /// How many changes the front end has seen.
    pub tried: usize,
}

impl Changed {
    /// The text, with the inputs in comments that [`crate::judge`] reads.
    pub fn text(&self) -> String {
        let mut out = format!("-- from {}\n", self.sample.place);
        for change in &self.changes {
            let _ = writeln!(out, "-- {}", change.what);
        }
        let _ = writeln!(out, "-- entry: {} {}", self.sample.entry, rule(&self.sample.tokens).name());
        for input in &self.inputs {
            let _ = writeln!(out, "-- input {{ {input} }}");
        }
        out + &apply(&self.sample.tokens, &self.changes)
    }

    /// How many changes it has.
    pub fn count(&self) -> usize {
        self.changes.len()
    }

    /// The same without a change or an input, as long as that `still` shows what is wrong.
    pub fn reduced(&self, still: &mut dyn FnMut(&str) -> bool) -> Changed {
        let mut best = self.clone();
        for index in (0..self.changes.len()).rev() {
            let mut fewer = best.clone();
            fewer.changes.remove(index);
            if still(&fewer.text()) {
                best = fewer;
            }
        }
        for index in (0..self.inputs.len()).rev() {
            let mut fewer = best.clone();
            fewer.inputs.remove(index);
            if best.inputs.len() > 1 && still(&fewer.text()) {
                best = fewer;
            }
        }
        best
    }
}

/// Inputs of the corpus, changed, and new ones.
fn chosen_inputs(sample: &Sample, random: &mut Random) -> Vec<String> {
    let mut chosen = Vec::new();
    for _ in 0..INPUTS {
        let input = match &sample.parameters {
            Some(parameters) if sample.inputs.is_empty() || random.percent(50) => parameters.make(random),
            _ if sample.inputs.is_empty() => continue,
            _ => inputs::changed(&random.pick(&sample.inputs), random),
        };
        if !chosen.contains(&input) {
            chosen.push(input);
        }
    }
    chosen
}

/// Libraries round these functions differently.
const ROUNDED: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "exp10", "expm1",
    "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "erf", "erfc", "gamma", "lgamma",
];

/// Floats may differ if the program calls functions that libraries round differently, otherwise only behind passes that
/// combine them in another order.
fn rule(tokens: &[Token]) -> Rule {
    let is_rounded = |token: &Token| {
        let last = token.text.rsplit('.').next().unwrap_or_default();
        token.is("**") || ROUNDED.contains(&last)
    };
    if tokens.iter().any(is_rounded) { Rule::Near } else { Rule::Exact }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let program =
            "-- ==\n-- entry: f\n-- input { [1i64, 2] 3i64 }\nentry f (xs: []i64) (k: i64) = map (+ k) (reverse xs)\n";
        Corpus { samples: read::program(program, "p.rv") }
    }

    #[test]
    fn a_seed_gives_a_program() {
        let corpus = corpus();
        let text = |seed: u64| corpus.changed(seed, &mut |_| true).text();
        assert_eq!(text(3), text(3));
        assert!((0..9).any(|seed| text(seed) != text(9)));
        assert!(text(3).starts_with("-- from p.rv\n-- "));
    }

    #[test]
    fn changes_that_are_not_needed_are_undone() {
        let corpus = corpus();
        let all = (0..50).map(|seed| corpus.changed(seed, &mut |_| true));
        let full = all.into_iter().find(|program| program.count() == 3).expect("three changes");
        let reduced = full.reduced(&mut |_| true);
        assert_eq!((reduced.count(), reduced.inputs.len()), (0, 1));
        assert_eq!(full.reduced(&mut |_| false).text(), full.text());
    }

    #[test]
    fn changes_that_are_rejected_are_left_out() {
        let rejected = corpus().changed(1, &mut |_| false);
        assert_eq!(rejected.count(), 0);
        assert!(rejected.tried > 0 && rejected.tried <= TRIES);
    }
}
