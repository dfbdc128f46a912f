//! Tries many damaged programs and values; stops at the first panic and shows the input that caused it.

use clap::Parser;
use std::path::{Path, PathBuf};
use testkit::fuzz::{Corpus, attempt};

/// Feeds damaged programs and value files to the compiler; any panic is a bug.
#[derive(Parser)]
struct Args {
    /// How many tries.
    #[arg(long, default_value_t = 1000)]
    tries: u64,
    /// The first seed; try i uses seed + i.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file for the input being tried, in case the process crashes.
    #[arg(long)]
    last: Option<PathBuf>,
    /// Folders with programs to damage.
    #[arg(default_values = ["tests/programs", "examples", "std"])]
    folders: Vec<PathBuf>,
}

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let folders: Vec<&Path> = args.folders.iter().map(PathBuf::as_path).collect();
    let corpus = Corpus::read(&folders);
    if corpus.is_empty() {
        eprintln!("no programs in {:?}: run it from the root of the project", args.folders);
        return 2.into();
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut found = 0;
    for seed in args.seed..args.seed + args.tries {
        let mut note = |input: &[u8]| {
            if let Some(last) = &args.last {
                let _ = std::fs::write(last, input);
            }
        };
        if let Err(finding) = attempt(&corpus, seed, &mut note) {
            found += 1;
            println!("seed {}: {} made it panic: {}", finding.seed, finding.what, finding.panic);
            println!("---\n{}\n---", String::from_utf8_lossy(&finding.input));
            if found == 10 {
                break;
            }
        }
    }
    println!("{} tries from seed {}: {found} panics", args.tries, args.seed);
    if found == 0 { 0.into() } else { 1.into() }
}
