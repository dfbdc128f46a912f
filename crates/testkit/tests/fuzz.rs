//! A few hundred damaged programs and value files: none may cause a panic. `--bin fuzz` tries many more.

use std::path::Path;
use testkit::fuzz::{Corpus, attempt};

#[test]
fn damaged_inputs_cause_no_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = Corpus::read(&[&root.join("tests/programs"), &root.join("examples")]);
    assert!(!corpus.is_empty());
    for seed in 1..=600 {
        if let Err(finding) = attempt(&corpus, seed, &mut |_| {}) {
            let input = String::from_utf8_lossy(&finding.input).into_owned();
            panic!("seed {seed}: {} made it panic: {}\n{input}", finding.what, finding.panic);
        }
    }
}
