//! Loops over stencils that do several turns at a time (`lower/src/statements/bands.rs`), on arrays that are large enough for it.
//! `rounds.rv` compares with doing one turn after the other.

use crate::common::Folder;

const PROGRAM: &str = include_str!("rounds.rv");

/// The entry point is true for numbers of turns around those of a round, on one thread and on several; and it has rounds.
#[track_caller]
fn holds(entry: &str, rows: &str, columns: &str) {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    let kernel = folder.ravel(&["ir", "p.rv", "--stage", "kernel", "--entry", entry]).status(0);
    assert_eq!(kernel.out.matches("let in_rounds").count(), 1, "{entry}");
    for threads in ["1", "3"] {
        for turns in ["0", "1", "2", "10", "23"] {
            let args = ["run", "--threads", threads, "p.rv", "-e", entry, rows, columns, turns];
            let said = folder.ravel(&args).status(0);
            assert_eq!(said.out, "true\n", "{entry} of {rows} x {columns} on {threads} threads, {turns} turns");
        }
    }
}

#[test]
fn neighbours() {
    holds("means", "1301", "1023");
}

#[test]
fn rows_at_different_distances_and_the_number_of_the_turn() {
    holds("fars", "4001", "300");
}

#[test]
fn three_dimensions() {
    holds("deeps", "1300", "120");
}

#[test]
fn rows_on_one_side_only() {
    holds("ahead", "1700", "411");
}

#[test]
fn long_rows_leave_room_for_few_turns() {
    holds("means", "200", "20000");
}
