//! `ravel bench --compare OLD NEW`.
//!
//! A case became faster or slower only if the confidence intervals of its medians do not overlap.

use super::results::{Measurement, Results};
use super::table::{aligned, seconds};
use crate::out;
use std::path::Path;
use std::process::ExitCode;

/// Shows what changed between two files.
pub fn run(old: &Path, new: &Path) -> Result<ExitCode, String> {
    let (before, after) = (Results::read(old)?, Results::read(new)?);
    if before.program != after.program {
        out::error(format_args!("the programs differ: {} and {}", before.program, after.program));
    }
    out::text(&text(&before.measurements, &after.measurements));
    Ok(ExitCode::SUCCESS)
}

fn text(old: &[Measurement], new: &[Measurement]) -> String {
    let heads = ["case", "back end", "old", "new", "new / old", ""];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for now in new {
        rows.push(match old.iter().find(|then| is_same_case(then, now)) {
            Some(then) => changed(then, now),
            None => alone(now, false),
        });
    }
    let gone = old.iter().filter(|then| !new.iter().any(|now| is_same_case(then, now)));
    rows.extend(gone.map(|then| alone(then, true)));
    aligned(&rows, &[false, false, true, true, true, false])
}

/// Whether two measurements are of the same computation.
fn is_same_case(a: &Measurement, b: &Measurement) -> bool {
    (&a.entry, a.case, &a.backend, a.threads) == (&b.entry, b.case, &b.backend, b.threads)
}

fn changed(then: &Measurement, now: &Measurement) -> Vec<String> {
    let (a, b) = (then.summary(), now.summary());
    let verdict = match () {
        () if b.high < a.low => "faster",
        () if b.low > a.high => "slower",
        () => "",
    };
    vec![
        now.title(),
        now.place(),
        seconds(a.median),
        seconds(b.median),
        format!("{:.3}", b.median / a.median),
        verdict.into(),
    ]
}

/// A case that only one of the files has.
fn alone(one: &Measurement, is_old: bool) -> Vec<String> {
    let (time, none) = (seconds(one.summary().median), "-".to_string());
    let (old, new, note) = if is_old { (time, none, "only old") } else { (none, time, "only new") };
    vec![one.title(), one.place(), old, new, "-".into(), note.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(case: usize, low: f64, high: f64) -> Measurement {
        Measurement {
            entry: "main".into(),
            case,
            name: None,
            backend: "c".into(),
            threads: None,
            times: vec![low, low, low, high, high, high],
            peak: None,
        }
    }

    #[test]
    fn changes_within_the_confidence_have_no_mark() {
        let old = [times(0, 1.0, 1.2), times(1, 1.0, 1.2), times(2, 1.0, 1.2), times(3, 1.0, 1.2)];
        let new = [times(0, 1.1, 1.3), times(1, 1.3, 1.5), times(2, 0.5, 0.6), times(4, 1.0, 1.2)];
        let expected = "\
case     back end     old     new  new / old
main #0  c         1.10 s  1.20 s      1.091
main #1  c         1.10 s  1.40 s      1.273  slower
main #2  c         1.10 s  550 ms      0.500  faster
main #4  c              -  1.10 s          -  only new
main #3  c         1.10 s       -          -  only old
";
        assert_eq!(text(&old, &new), expected);
    }
}
