//! `ravel test`: runs the tests in the comments of programs.
//!
//! Reading order: `spec` (what a test is), `parse` (from the text of a program), `supervise` and `worker` (a separate
//! process for each file), `judge` (compares results with expectations), `report` (output).

pub mod arguments;
mod built;
mod files;
mod judge;
pub mod parse;
mod prepared;
mod random;
mod report;
pub mod script;
pub mod spec;
mod supervise;
mod values;
pub mod worker;

use crate::args::TestArgs;
use crate::backend::{self, Backend};
use crate::out;
use indicatif::{ProgressBar, ProgressStyle};
use report::{Report, Tally};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// Tests all files, several at a time, and reports the results in the order of the files.
pub fn run(options: &TestArgs) -> ExitCode {
    let files = match files::find(&options.paths) {
        Ok(files) => files,
        Err(message) => {
            out::error(message);
            return ExitCode::from(crate::status::FAULT);
        }
    };
    let backends = options.backend.clone().map_or_else(|| vec![backend::default()], |chosen| chosen.0);
    let backends = &backends;
    if options.built && !backends.iter().all(|b| matches!(b, Backend::C | Backend::Multicore)) {
        out::error("--built goes with --backend c or multicore");
        return ExitCode::from(crate::status::USAGE);
    }
    let work: Vec<(PathBuf, Backend)> =
        files.into_iter().flat_map(|file| backends.iter().map(move |b| (file.clone(), *b))).collect();
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = options.jobs.map_or(cores, |n| n.get()).min(work.len()).max(1);
    let (sender, receiver) = channel();
    let tally = thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, work, next) = (sender.clone(), &work, &next);
            scope.spawn(move || {
                while let Some((index, (file, backend))) = take(work, next) {
                    if sender.send((index, supervise::test_file(file, *backend, options))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        tell(&receiver, work.len(), options)
    });
    let names: Vec<&str> = backends.iter().map(|backend| backend.name()).collect();
    let last = format!("{tally} ({})", names.join(", "));
    if options.json {
        out::complain(&format!("{last}\n"));
    } else {
        out::line(last);
    }
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(crate::status::FAULT) }
}

/// The next piece of work that no thread has taken.
fn take<'a, T>(work: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    work.get(index).map(|item| (index, item))
}

/// Prints reports as soon as possible, in order.
fn tell(receiver: &Receiver<(usize, Vec<Report>)>, total: usize, options: &TestArgs) -> Tally {
    let bar = progress_bar(total);
    let mut tally = Tally::default();
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (index, reports) in receiver {
        bar.inc(1);
        waiting.insert(index, reports);
        while let Some(reports) = waiting.remove(&next) {
            next += 1;
            for report in reports {
                tally.count(&report);
                let text =
                    if options.json { Some(report.to_json().to_string()) } else { report.to_text(options.verbose) };
                if let Some(text) = text {
                    bar.suspend(|| out::line(text));
                }
            }
        }
        bar.set_message(tally.to_string());
    }
    bar.finish_and_clear();
    tally
}

/// The progress bar, shown on a terminal only.
fn progress_bar(total: usize) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {elapsed}  {msg}") {
        bar.set_style(style);
    }
    bar
}
