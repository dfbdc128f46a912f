//! Chains of filters, slices and scans: no array between them, and the same bits on any number of threads. With as many threads
//! as there are passes, or fewer, the loop runs once, block after block; with more, it runs several times.

use crate::common::Folder;

const PROGRAM: &str = "entry main (n: i64): f64 =
  let xs = map (\\i -> f64.i64 ((i * 7919 + 13) % 1009) / 8) (iota n)
  let ys = filter (> 3) xs
  let zs = filter (< 140) (map (\\s -> s - 100 * f64.floor (s / 100)) (scan (+) 0 ys[1:]))
  in f64.sum (map2 (\\x y -> x * y - x) (tail zs) (init zs))
";

#[test]
fn passes_and_blocks_in_turn_agree() {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    let core = folder.ravel(&["ir", "p.rv", "--stage", "core"]).status(0);
    assert_eq!(core.out.matches("bulk {").count(), 1, "one loop");
    assert_eq!(core.out.matches("out gen").count() + core.out.matches("out keep").count(), 0, "no array");
    for n in ["5", "4097", "300001"] {
        let on = |threads: &str| folder.ravel(&["run", "--threads", threads, "p.rv", n]).status(0).out;
        let alone = on("1");
        for threads in ["2", "3", "4", "8", "16"] {
            assert_eq!(on(threads), alone, "{n} elements on {threads} threads");
        }
        let meant: f64 = number(&folder.ravel(&["run", "--backend", "interp", "p.rv", n]).status(0).out);
        assert!((number(&alone) - meant).abs() <= 1e-9 * meant.abs(), "{n} elements: {alone} is not {meant}");
    }
}

/// Scatters and histograms at places that a scan counts.
const OFFSETS: &str = include_str!("../../../../tests/programs/language/offsets.fut");

#[test]
fn places_that_a_scan_counts_are_the_same_on_all_threads() {
    let folder = Folder::new(&[("p.fut", OFFSETS)]);
    let core = folder.ravel(&["ir", "p.fut", "--entry", "parts"]).status(0);
    assert_eq!(core.out.matches("out gen [n] of (x: i64)").count(), 0, "no array of places");
    for (entry, numbers) in [
        ("filtered", &["90001"][..]),
        ("parts", &["90001", "30001"]),
        ("parts", &["90001", "30000"]),
        ("parts", &["90001", "-7"]),
        ("sorted", &["30001"]),
        ("counted", &["90001", "500"]),
    ] {
        let on = |backend: &str, threads: &str| {
            let start = ["run", "--backend", backend, "--threads", threads, "-e", entry, "p.fut", "--"];
            folder.ravel(&[&start, numbers].concat()).status(0).out
        };
        let meant = on("interp", "1");
        for threads in ["1", "2", "3", "4", "16"] {
            assert_eq!(on("multicore", threads), meant, "{entry} {numbers:?} on {threads} threads");
        }
    }
}

fn number(text: &str) -> f64 {
    text.trim().trim_end_matches("f64").parse().unwrap_or(f64::NAN)
}
