//! Generated programs give the same on the interpreter, on Core after each pass, and as native code. `FUZZ_SEED` and
//! `FUZZ_COUNT` choose other programs than the usual ones.

use fuzzgen::campaign::{Campaign, run};
use fuzzgen::corpus::Corpus;
use fuzzgen::coverage;
use fuzzgen::crew::{Judge, Patience};
use fuzzgen::judge::Ways;
use std::path::Path;
use std::process::Command;

/// So many programs are enough for every construct of Core to occur.
const ENOUGH: u64 = 500;

fn judge() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fuzzgen"));
    command.arg("--judge");
    command
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn campaign(corpus: Option<Corpus>, seed: u64, count: u64) -> Campaign {
    let (seconds, keep) = (None, None);
    Campaign { judge, corpus, seed, count, seconds, ways: Ways::ALL, keep, reduce: 1, first: false, jobs: 2 }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    assert_eq!(fuzzgen::generate(7).text(), fuzzgen::generate(7).text());
    assert_ne!(fuzzgen::generate(7).text(), fuzzgen::generate(8).text());
}

#[test]
fn back_ends_agree() {
    let (seed, count) = (setting("FUZZ_SEED", 1), setting("FUZZ_COUNT", ENOUGH));
    let outcome = run(&campaign(None, seed, count));
    // The seed is shown when the test fails, and always with `--nocapture`.
    println!("FUZZ_SEED={seed} FUZZ_COUNT={count}: {}", outcome.summary());
    assert_eq!(outcome.findings, 0, "from seed {seed}:\n{}", outcome.summary());
    let unsupported: usize = outcome.unsupported.values().sum();
    assert!(unsupported * 100 <= outcome.programs, "too much is not supported:\n{}", outcome.summary());
    if count >= ENOUGH {
        let missing: Vec<&str> = coverage::ALL.into_iter().filter(|key| !outcome.covered.contains_key(*key)).collect();
        assert!(missing.is_empty(), "constructs of Core that no program has: {missing:?}");
    }
}

/// Changed programs of a small corpus.
#[test]
fn back_ends_agree_on_changed_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let corpus = Corpus::read(&[folder]).expect("a corpus");
    assert_eq!(corpus.count(), 5);
    let outcome = run(&campaign(Some(corpus), 1, 30));
    assert_eq!(outcome.findings, 0, "{}", outcome.summary());
    let (tried, accepted) = outcome.changes;
    assert!(accepted > 30 && accepted < tried, "{}", outcome.summary());
}

/// Programs on which back ends once differed, reduced.
#[test]
fn what_was_found_stays_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut judge = Judge::new(judge, Patience::USUAL);
    let mut count = 0;
    for file in std::fs::read_dir(&folder).expect("the folder is there").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("programs can be read");
        let verdict = judge.ask(&text, Ways::ALL);
        let found: Vec<&String> = verdict.findings.iter().map(|finding| &finding.detail).collect();
        assert!(found.is_empty() && verdict.runs > 0, "{}: {found:?}", file.path().display());
        count += 1;
    }
    assert!(count > 0, "no programs in {}", folder.display());
}
