//! How long each step of the compiler takes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The steps so far, in order, and how long each took.
#[derive(Debug, Default)]
pub struct Timings(Mutex<Vec<(&'static str, Duration)>>);

impl Timings {
    /// Does a step and notes how long it took.
    pub fn measure<T>(&self, step: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        let took = start.elapsed();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((step, took));
        done
    }

    /// The steps and their times.
    pub fn all(&self) -> Vec<(&'static str, Duration)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A table in milliseconds: a line for each step, then the sum.
    pub fn table(&self) -> String {
        let all = self.all();
        let total = ("total", all.iter().map(|(_, took)| *took).sum());
        let row = |(step, took): &(&str, Duration)| format!("{:>9.1} ms  {step}\n", took.as_secs_f64() * 1e3);
        all.iter().chain([&total]).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_listed_in_order_with_their_sum() {
        let timings = Timings::default();
        assert_eq!(timings.measure("check", || 3), 3);
        timings.measure("lower", || ());
        let table = timings.table();
        let steps: Vec<&str> = table.lines().filter_map(|line| line.split_whitespace().last()).collect();
        assert_eq!(steps, ["check", "lower", "total"]);
    }
}
