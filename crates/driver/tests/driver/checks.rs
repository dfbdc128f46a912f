//! How many checks are left in innermost loops, for many spellings of the same few programs.

use driver::{InMemory, compile, core, with_stack};
use std::path::Path;

/// The line of a program that says how many there are.
const LINE: &str = "-- Checks in innermost loops: ";

#[test]
fn innermost_loops_have_as_many_checks_as_programs_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/checks");
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "rv") {
            let text = std::fs::read_to_string(&path).expect("a program");
            let wanted = text.lines().find_map(|line| line.strip_prefix(LINE)).map(|n| n.parse().expect("a number"));
            let found = with_stack(|| checks(&text));
            if Some(found) != wanted {
                wrong.push(format!("{}: {found}, not {wanted:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn checks(text: &str) -> usize {
    let mut compiled = compile(&InMemory::new([("main.rv", text)]), "main.rv");
    compiled.verify = true;
    let program = compiled.program.as_ref().unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let core = core(&compiled, program, &program.entries).unwrap_or_else(|error| panic!("{error:?}"));
    let loops = analysis::loops::report(&core).loops;
    loops.iter().filter(|found| found.innermost).map(|found| found.checks.len()).sum()
}
