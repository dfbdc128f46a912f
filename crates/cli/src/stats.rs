//! What `ravel run --stats` shows.
//!
//! ```text
//! time            0.213 s
//! peak memory     7.6 MiB in arrays, without arguments
//! allocations     3
//! parallel loops  2, of which 1 on several threads
//!     0.112 s      1 run   p.rv:2  map (\\x -> x * x) xs
//! ```

use base::Span;
use driver::Compiled;
use native::Stats;
use std::time::Duration;

/// The loops of a line of the user's files.
struct Line {
    place: String,
    text: String,
    took: Duration,
    runs: u64,
}

/// A text of several lines: totals, then the lines with loops, those that took longest first.
pub fn text(compiled: &Compiled, stats: &Stats, places: &[Span], took: Duration) -> String {
    let mut out = format!(
        "time            {}\npeak memory     {} in arrays, without arguments\nallocations     {}\n\
         parallel loops  {}, of which {} on several threads\n",
        seconds(took),
        bytes(stats.peak),
        stats.allocations,
        stats.regions,
        stats.shared,
    );
    for line in lines(compiled, stats, places) {
        let runs = format!("{} {}", line.runs, if line.runs == 1 { "run " } else { "runs" });
        out += &format!("{:>12} {runs:>12}   {}  {}\n", seconds(line.took), line.place, line.text);
    }
    out
}

fn lines(compiled: &Compiled, stats: &Stats, places: &[Span]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (span, (took, runs)) in places.iter().zip(&stats.loops) {
        if *runs == 0 || driver::place(compiled, *span).is_empty() {
            continue;
        }
        let (file, number, _) = compiled.sources.locate(*span);
        let place = format!("{file}:{number}");
        match lines.iter_mut().find(|line| line.place == place) {
            Some(line) => {
                line.took += *took;
                line.runs += runs;
            }
            None => {
                let source = compiled.sources.get(span.file).text.lines().nth(number - 1).unwrap_or_default();
                lines.push(Line { place, text: source.trim().to_owned(), took: *took, runs: *runs });
            }
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.took));
    lines
}

fn seconds(time: Duration) -> String {
    format!("{:.6} s", time.as_secs_f64())
}

/// A number of bytes in the unit that gives a short number.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} bytes");
    }
    let mut amount = count as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_short_numbers() {
        let shown = [0, 1023, 1024, 80_000_000, 5 << 30].map(bytes);
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1.0 KiB", "76.3 MiB", "5.0 GiB"]);
    }
}
