//! Tables of measurements as text.
//!
//! ```text
//! case     back end    median    95% confidence       runs  speed   peak memory
//! main #0  c          4.21 ms  4.18 ms to 4.25 ms       24   1.00x  7.6 MiB
//!          multicore  2.15 ms  2.13 ms to 2.20 ms       31   1.96x  7.6 MiB
//! ```

use super::results::Measurement;
use crate::stats;

/// The measurements of a program; those of a case follow one another. Speeds are relative to the first of the case.
pub fn text(measurements: &[Measurement]) -> String {
    let heads = ["case", "back end", "median", "95% confidence", "runs", "speed", "peak memory"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    let mut first: Option<&Measurement> = None;
    for measurement in measurements {
        let title = measurement.title();
        let again = first.is_some_and(|first| first.title() == title);
        let base = if again { first.unwrap_or(measurement) } else { measurement };
        let (now, then) = (measurement.summary(), base.summary());
        rows.push(vec![
            if again { String::new() } else { title },
            measurement.place(),
            seconds(now.median),
            format!("{} to {}", seconds(now.low), seconds(now.high)),
            measurement.times.len().to_string(),
            speed(then.median / now.median),
            measurement.peak.map_or("-".into(), stats::bytes),
        ]);
        first = Some(base);
    }
    aligned(&rows, &[false, false, true, false, true, true, false])
}

/// Lines of cells in columns; `right` says which columns are aligned at the right.
pub fn aligned(rows: &[Vec<String>], right: &[bool]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| match right[column] {
            true => format!("{cell:>0$}", width(column)),
            false => format!("{cell:<0$}", width(column)),
        });
        out += cells.collect::<Vec<_>>().join("  ").trim_end();
        out += "\n";
    }
    out
}

/// How many times as fast.
fn speed(ratio: f64) -> String {
    let digits = if ratio < 0.1 { 4 } else { 2 };
    format!("{ratio:.digits$}x")
}

/// A time with three digits, in the unit that gives a short number.
pub fn seconds(time: f64) -> String {
    let (amount, unit) = match time {
        t if t < 1e-6 => (t * 1e9, "ns"),
        t if t < 1e-3 => (t * 1e6, "us"),
        t if t < 1.0 => (t * 1e3, "ms"),
        t => (t, "s"),
    };
    let digits = if amount < 10.0 { 2 } else { usize::from(amount < 100.0) };
    format!("{amount:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let shown = [2.5e-7, 1.234e-5, 0.0421, 0.421, 12.0, 345.6].map(seconds);
        assert_eq!(shown, ["250 ns", "12.3 us", "42.1 ms", "421 ms", "12.0 s", "346 s"]);
    }

    #[test]
    fn back_ends_are_side_by_side() {
        let on = |backend: &str, time: f64, peak| Measurement {
            entry: "main".into(),
            case: 0,
            name: Some("large".into()),
            backend: backend.into(),
            threads: None,
            times: vec![time; 10],
            peak,
        };
        let table =
            text(&[on("c", 0.004, Some(8_000_000)), on("multicore", 0.002, Some(8_000_000)), on("interp", 2.0, None)]);
        let expected = "\
case             back end    median  95% confidence      runs    speed  peak memory
main #0 \"large\"  c          4.00 ms  4.00 ms to 4.00 ms    10    1.00x  7.6 MiB
                 multicore  2.00 ms  2.00 ms to 2.00 ms    10    2.00x  7.6 MiB
                 interp      2.00 s  2.00 s to 2.00 s      10  0.0020x  -
";
        assert_eq!(table, expected);
    }
}
