//! Many programs, several at a time.

use crate::corpus::{Changed, Corpus};
use crate::coverage;
use crate::crew::{Judge, Patience, Verdict};
use crate::generate;
use crate::judge::{Finding, Ways};
use crate::reduce::reduce;
use crate::tree::Program;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What to do.
pub struct Campaign {
    /// Starts a process that calls [`crate::crew::serve`].
    pub judge: fn() -> Command,
    /// The programs to change; without any, programs are generated.
    pub corpus: Option<Corpus>,
    /// The first seed.
    pub seed: u64,
    /// How many programs: entry points, several of which make a file for the compiler.
    pub count: u64,
    /// Stop after so many seconds.
    pub seconds: Option<u64>,
    /// How to run the programs.
    pub ways: Ways,
    /// Where to put programs with findings.
    pub keep: Option<PathBuf>,
    /// How many programs to reduce for each kind of finding.
    pub reduce: usize,
    /// Stop at the first finding.
    pub first: bool,
    /// How many at once.
    pub jobs: usize,
}

/// What came out.
#[derive(Default)]
pub struct Outcome {
    /// Files judged, one for each seed.
    pub files: u64,
    /// Programs judged: the entry points of the files.
    pub programs: usize,
    /// Programs that the compiler says it cannot translate, by what it says.
    pub unsupported: BTreeMap<String, usize>,
    /// Runs of entry points.
    pub runs: usize,
    /// Runs that ended with an error.
    pub failed: usize,
    /// Changes of programs that the front end saw, and how many it accepted.
    pub changes: (usize, usize),
    /// Files with findings.
    pub findings: usize,
    /// How often each kind of finding occurred.
    pub classes: BTreeMap<String, usize>,
    /// In how many programs each Core construct occurred.
    pub covered: BTreeMap<String, usize>,
    /// How long it took.
    pub time: Duration,
}

impl Outcome {
    /// One line, and one for each kind of finding.
    pub fn summary(&self) -> String {
        let mut out = format!(
            "{} programs in {} files, {} runs ({} ended with an error), {} programs not supported, {} files with findings, {:.0} s",
            self.programs,
            self.files,
            self.runs,
            self.failed,
            self.unsupported.values().sum::<usize>(),
            self.findings,
            self.time.as_secs_f64()
        );
        if let (tried, accepted @ 1..) = self.changes {
            let _ = write!(out, "\nthe front end accepted {accepted} of {tried} changes");
        }
        for (what, count) in self.unsupported.iter().chain(&self.classes) {
            let _ = write!(out, "\n{count:5}  {what}");
        }
        out
    }

    /// The share of programs in which each Core construct occurred.
    pub fn coverage(&self) -> String {
        let mut out = String::new();
        for key in coverage::ALL {
            let count = self.covered.get(key).copied().unwrap_or(0);
            let _ = writeln!(out, "{:6.1}%  {key}", 100.0 * count as f64 / self.programs.max(1) as f64);
        }
        out
    }

    fn add(&mut self, file: &File, verdict: &Verdict) {
        self.files += 1;
        if let File::Changed(program) = file {
            self.changes.0 += program.tried;
            self.changes.1 += program.count();
        }
        self.programs += verdict.covers.len() + verdict.unsupported.len();
        for what in &verdict.unsupported {
            *self.unsupported.entry(what.clone()).or_default() += 1;
        }
        self.runs += verdict.runs;
        self.failed += verdict.failed;
        self.findings += usize::from(!verdict.findings.is_empty());
        for key in verdict.covers.iter().flatten() {
            *self.covered.entry(key.clone()).or_default() += 1;
        }
    }
}

/// Judges all programs; what is found is printed as it is found.
pub fn run(campaign: &Campaign) -> Outcome {
    let begin = Instant::now();
    let queue = Mutex::new(Queue { seed: campaign.seed, left: campaign.count });
    let outcome = Mutex::new(Outcome::default());
    std::thread::scope(|scope| {
        for _ in 0..campaign.jobs.max(1) {
            scope.spawn(|| {
                let patience = if campaign.corpus.is_some() { Patience::SHORT } else { Patience::USUAL };
                let mut judge = Judge::new(campaign.judge, patience);
                while campaign.seconds.is_none_or(|limit| begin.elapsed().as_secs() < limit) {
                    let Some((seed, file)) = next(campaign.corpus.as_ref(), &queue, &mut judge) else { return };
                    one(campaign, seed, &file, &mut judge, &outcome);
                    if campaign.first && outcome.lock().is_ok_and(|outcome| outcome.findings > 0) {
                        return;
                    }
                }
            });
        }
    });
    let mut outcome = outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    outcome.time = begin.elapsed();
    outcome
}

/// What is left to be done.
struct Queue {
    seed: u64,
    left: u64,
}

/// A file for the compiler.
enum File {
    Generated(Program),
    Changed(Changed),
}

impl File {
    fn text(&self) -> String {
        match self {
            File::Generated(program) => program.text(),
            File::Changed(program) => program.text(),
        }
    }

    /// The text of a smaller program with the same finding.
    fn reduced(&self, judge: &mut Judge, finding: &Finding) -> String {
        match self {
            File::Generated(program) => reduce(judge, program, finding).text(),
            File::Changed(program) => {
                let is_same = |found: &Finding| found.class == finding.class;
                program.reduced(&mut |text| judge.ask(text, Ways::ALL).findings.iter().any(is_same)).text()
            }
        }
    }
}

/// The next file.
fn next(corpus: Option<&Corpus>, queue: &Mutex<Queue>, judge: &mut Judge) -> Option<(u64, File)> {
    let mut queue = queue.lock().ok().filter(|queue| queue.left > 0)?;
    let seed = queue.seed;
    queue.seed += 1;
    let Some(corpus) = corpus else {
        let program = generate(seed);
        queue.left = queue.left.saturating_sub(program.entries.len() as u64);
        return Some((seed, File::Generated(program)));
    };
    queue.left -= 1;
    // The front end takes its time.
    drop(queue);
    Some((seed, File::Changed(corpus.changed(seed, &mut |text| judge.accepts(text)))))
}

fn one(campaign: &Campaign, seed: u64, file: &File, judge: &mut Judge, outcome: &Mutex<Outcome>) {
    let mut verdict = judge.ask(&file.text(), campaign.ways);
    if matches!(file, File::Changed(_)) {
        verdict.findings.retain(|finding| !finding.is_of_program());
    }
    let mut fresh: Vec<Finding> = Vec::new();
    if let Ok(mut outcome) = outcome.lock() {
        outcome.add(file, &verdict);
        let mut here: Vec<&str> = Vec::new();
        for finding in &verdict.findings {
            if here.contains(&finding.class.as_str()) {
                continue;
            }
            here.push(&finding.class);
            let count = outcome.classes.entry(finding.class.clone()).or_default();
            *count += 1;
            // Each attempt to reduce a program that hangs would take until the judge loses patience.
            if *count <= campaign.reduce && !finding.class.starts_with("hang") {
                fresh.push(finding.clone());
            }
        }
    }
    if !verdict.findings.is_empty() {
        keep(campaign, &format!("{seed}.rv"), &file.text());
    }
    // The other findings of the program are most likely consequences of the first.
    for finding in fresh.into_iter().take(1) {
        let small = file.reduced(judge, &finding);
        let answer = judge.ask(&small, campaign.ways);
        let detail = answer.findings.iter().find(|f| f.class == finding.class).map_or(&finding.detail, |f| &f.detail);
        println!("seed {seed}: {} ({})\n{detail}\n{small}\n", finding.class, finding.entry);
        let name: String = finding.class.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(60).collect();
        keep(campaign, &format!("{name}.{seed}.rv"), &small);
    }
}

fn keep(campaign: &Campaign, name: &str, text: &str) {
    let Some(folder) = &campaign.keep else { return };
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(name), text));
    if let Err(error) = written {
        eprintln!("{name} cannot be kept: {error}");
    }
}
