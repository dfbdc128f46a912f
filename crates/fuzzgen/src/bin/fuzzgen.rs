//! `fuzzgen`: generated programs on all back ends.

use clap::Parser;
use fuzzgen::campaign::{self, Campaign};
use fuzzgen::corpus::Corpus;
use fuzzgen::crew::{self, Judge, Patience};
use fuzzgen::judge::Ways;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Generates well-typed programs or changes those of a corpus, runs them in every way there is, and shrinks those on which the results differ.
#[derive(Parser)]
struct Arguments {
    /// The seed of the first program.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many programs; a file for the compiler holds several, as entry points.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Stop after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// How programs are run beside the interpreter: core, c, multicore.
    #[arg(long, default_value = "core,c,multicore", value_parser = Ways::parse)]
    backends: Ways,
    /// Where to put programs on which results differ, as they are and reduced.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Show which Core constructs occurred, and how often.
    #[arg(long)]
    coverage: bool,
    /// How many programs to reduce for each kind of finding.
    #[arg(long, default_value_t = 1)]
    reduce: usize,
    /// Stop at the first finding.
    #[arg(long)]
    first: bool,
    /// How many programs are judged at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Show the file of the seed and stop.
    #[arg(long)]
    show: bool,
    /// Change the programs of these files and folders: .rv files with test blocks, and text suites.
    #[arg(long, num_args = 1..)]
    corpus: Vec<PathBuf>,
    /// Judge the programs in these files instead.
    files: Vec<PathBuf>,
    /// Judge programs from standard input (for this program's own use).
    #[arg(long, hide = true)]
    judge: bool,
}

fn judge_command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "fuzzgen".into()));
    command.arg("--judge");
    command
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.judge {
        return match crew::serve() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    if !arguments.files.is_empty() {
        return files(&arguments);
    }
    let corpus = match Corpus::read(&arguments.corpus) {
        _ if arguments.corpus.is_empty() => None,
        Ok(corpus) => Some(corpus),
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    if arguments.show {
        print!("{}", shown(corpus.as_ref(), arguments.seed));
        return ExitCode::SUCCESS;
    }
    let outcome = campaign::run(&Campaign {
        judge: judge_command,
        corpus,
        seed: arguments.seed,
        count: arguments.count,
        seconds: arguments.seconds,
        ways: arguments.backends,
        keep: arguments.keep,
        reduce: arguments.reduce,
        first: arguments.first,
        jobs: arguments.jobs,
    });
    println!("{}", outcome.summary());
    if arguments.coverage {
        print!("{}", outcome.coverage());
    }
    if outcome.findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The program of a seed.
fn shown(corpus: Option<&Corpus>, seed: u64) -> String {
    let Some(corpus) = corpus else { return fuzzgen::generate(seed).text() };
    let mut judge = Judge::new(judge_command, Patience::SHORT);
    corpus.changed(seed, &mut |text| judge.accepts(text)).text()
}

fn files(arguments: &Arguments) -> ExitCode {
    let mut judge = Judge::new(judge_command, Patience::USUAL);
    let mut good = true;
    for file in &arguments.files {
        let Ok(text) = std::fs::read_to_string(file) else {
            eprintln!("{} cannot be read", file.display());
            good = false;
            continue;
        };
        for finding in judge.ask(&text, arguments.backends).findings {
            println!("{}: {} {}\n{}", file.display(), finding.class, finding.entry, finding.detail);
            good = false;
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
