//! Sorting numbers by their bits, in arrays of all sizes: few elements, those that one table of digits fits, and those that
//! threads share and write past the caches. `sorting.rv` compares with sorting by comparisons.

use crate::common::Folder;

const PROGRAM: &str = include_str!("sorting.rv");
/// Below and above where the run-time system changes its way (`runtime/c/sort.h`).
const SIZES: [&str; 7] = ["0", "1", "24", "25", "300", "70000", "300000"];

/// The entry point is true for all sizes, on one thread and on several.
#[track_caller]
fn holds(entry: &str, sizes: &[&str]) {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    for (backend, threads) in [("c", "1"), ("multicore", "3")] {
        for size in sizes {
            let args = ["run", "--backend", backend, "p.rv", "-e", entry, size];
            let said = folder.ravel_with(&args, &[("OMP_NUM_THREADS", threads)]).status(0);
            assert_eq!(said.out, "true\n", "{entry} {size} on {backend} with {threads} threads");
        }
    }
}

#[test]
fn integers_of_all_widths() {
    holds("all_integers", &SIZES);
}

#[test]
fn floats_with_and_without_zeros_and_nans() {
    holds("all_floats", &SIZES);
}

#[test]
fn other_orders_and_records() {
    holds("all_orders", &SIZES);
}

#[test]
fn rows_in_a_parallel_loop() {
    holds("rows", &["2000"]);
}

#[test]
fn the_memory_of_a_sort_counts() {
    let program = "entry main (n: i64): i32 = (sort (map (\\i -> i32.i64 (0 - i)) (iota n)))[0]";
    let folder = Folder::new(&[("p.rv", program)]);
    let run = |limit| folder.ravel(&["run", "--backend", "c", "--memory", limit, "p.rv", "1000000"]);
    // The numbers, their indices, and pairs of both: 20 bytes for each element.
    run("24").status(0);
    let said = run("18").status(1);
    assert!(said.err.contains("R024"), "{}", said.err);
}
