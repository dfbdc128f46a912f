//! `ravel run --stats`.

use crate::common::Folder;

const PROGRAM: &str = "entry main (n: i64) (rounds: i64): f64 =
  let ys = loop ys = map f64.i64 (iota n) for _k < rounds do
    map (\\y -> f64.sin y) ys
  in f64.sum ys
entry sorted (n: i64): i64 =
  (sort
     (map (\\i -> (i * 7919) % n) (iota n)))[0]
";

/// The line of the statistics that begins with this word.
#[track_caller]
fn row<'a>(text: &'a str, word: &str) -> &'a str {
    let found = text.lines().find(|line| line.starts_with(word));
    found.unwrap_or_else(|| panic!("no line begins with `{word}`:\n{text}"))
}

#[test]
fn a_run_says_what_it_took() {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    for backend in ["c", "multicore"] {
        let said =
            folder.ravel(&["run", "--stats", "--backend", backend, "p.rv", "-e", "main", "10000", "20"]).status(0);
        let plain = folder.ravel(&["run", "--backend", backend, "p.rv", "-e", "main", "10000", "20"]).status(0);
        assert_eq!((said.out, plain.err.as_str()), (plain.out, ""));
        row(&said.err, "time ");
        // An array has 80,000 bytes.
        let peak = row(&said.err, "peak memory");
        assert!(peak.contains(" KiB in arrays") && !peak.contains(" 0 bytes"), "{peak}");
        let count: u64 = row(&said.err, "allocations").split_whitespace().last().unwrap().parse().unwrap();
        assert!((1..=100).contains(&count), "{count} allocations");
        assert!(row(&said.err, "parallel loops").contains("on several threads"));
        let inner = said.err.lines().find(|line| line.contains("p.rv:3")).expect("the loop of line 3");
        assert!(inner.contains("20 runs") && inner.ends_with("map (\\y -> f64.sin y) ys"), "{inner}");
    }
}

#[test]
fn a_loop_alternates_between_two_arrays() {
    let program = "entry main (n: i64) (steps: i64): f64 =
  let a = [f64.i64 (i % 7) for i < n]
  let b = loop b = a for _t < steps do
    let c = [if i == 0 then b[i] else (b[i - 1] + b[i]) / 2 for i < n]
    in [if i == n - 1 then c[i] else (c[i + 1] + c[i]) / 2 for i < n]
  in f64.sum b + a[0]
";
    let folder = Folder::new(&[("p.rv", program)]);
    let stats = |steps| folder.ravel(&["run", "--stats", "--backend", "c", "p.rv", "100000", steps]).status(0).err;
    let (few, many) = (stats("3"), stats("50"));
    assert_eq!(row(&few, "allocations"), row(&many, "allocations"));
    // The loop takes over the memory of `a`, whose element is known without it.
    assert_eq!(row(&many, "peak memory"), "peak memory     1.5 MiB in arrays, without arguments");
}

#[test]
fn the_number_of_rows_does_not_matter_for_allocations() {
    let program = "def rows (n: i64): [n][20]f64 = [[f64.i64 ((i * 7 + j) % 13) for j < 20] for i < n]
entry scans (n: i64): f64 =
  f64.sum (map (\\xs -> let ys = scan (+) 0 xs
                       let zs = scan f64.max 0 (reverse ys)
                       in f64.sum (map2 (*) ys (reverse zs)) + zs[3]) (rows n))
entry in_place (n: i64): f64 =
  f64.sum (flatten (map (\\xs -> loop a = copy xs for t < 5 do map (\\x -> x / 2 + f64.i64 t) a) (rows n)))
entry replaced (n: i64): f64 =
  f64.sum (flatten (map (\\xs -> loop a = copy xs for t < 5 do if t == 3 then a else a with [t] = 1) (rows n)))
entry neighbours (n: i64): f64 =
  f64.sum (flatten (map (\\xs -> loop a = copy xs for _t < 5 do [a[(j + 1) % 20] - a[j] for j < 20]) (rows n)))
entry sorted (n: i64): f64 = f64.sum (flatten (map sort (rows n)))
";
    let folder = Folder::new(&[("p.rv", program)]);
    let stats = |entry, n| folder.ravel(&["run", "--stats", "--backend", "c", "p.rv", "-e", entry, n]).status(0).err;
    for entry in ["scans", "in_place", "replaced", "neighbours", "sorted"] {
        let (few, many) = (stats(entry, "100"), stats(entry, "5000"));
        assert_eq!(row(&few, "allocations"), row(&many, "allocations"), "{entry}");
    }
}

#[test]
fn loops_of_the_library_count_for_the_line_that_calls_it() {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    let said = folder.ravel(&["run", "--stats", "p.rv", "-e", "sorted", "1000"]).status(0);
    assert_eq!(said.out, "0i64\n");
    assert!(said.err.contains("p.rv:6  (sort"), "{}", said.err);
    assert!(!said.err.contains("std/"), "{}", said.err);
}

#[test]
fn interpreters_do_not_count() {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    for backend in ["interp", "core"] {
        let said = folder.ravel(&["run", "--stats", "--backend", backend, "p.rv", "-e", "main", "1", "1"]).status(2);
        let message = format!("`--stats` is not available for `{backend}`: use --backend c or multicore");
        assert!(said.err.contains(&message), "{}", said.err);
    }
}

#[test]
fn a_failing_run_shows_its_failure() {
    let folder = Folder::new(&[("p.rv", "entry main (xs: []i64): i64 = xs[3]\n")]);
    folder.ravel(&["run", "--stats", "p.rv", "[1, 2]"]).status(1).complains("R001");
}

/// A loop of one turn leaves the threads to the loops inside of it, which are counted, too.
#[test]
fn loops_inside_of_one_turn_are_parallel_loops() {
    let text = "entry main (n: i64): i64 = (map sort [map (* 7919) (map (% 4093) (iota n))])[0, 3]\n";
    let folder = Folder::new(&[("p.rv", text)]);
    let said = folder.ravel(&["run", "--stats", "--threads", "2", "p.rv", "1000000"]).status(0);
    let line = said.err.lines().find(|line| line.starts_with("parallel loops")).expect("a line about loops");
    let numbers: Vec<u64> = line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    assert!(matches!(numbers[..], [all, shared] if 0 < shared && shared <= all), "{line}");
}

/// Twenty maps, slices, zips and filters.
const CHAIN: &str = "def links [n] (xs: [n]u8): []f64 =
  let a = map f64.u8 xs
  let b = map (+ 1.0) a[1:n - 1]
  let c = map (* 2.0) b[1:]
  let d = map (\\(x, y) -> x + y) (zip c (map f64.sqrt c))
  let e = map2 (-) d (map (/ 3.0) d)
  let f = filter (> 2.0) e
  let g = map (\\x -> (x, x * x)) f
  let h = map (\\(x, y) -> y / x) g
  let i = map2 (*) h f
  let j = filter (< 1.0e6) i
  let k = map (\\x -> (x, 2.0)) j
  let l = filter (\\(x, y) -> x > y) k
  let (m, n) = unzip l
  let o = map f64.abs (map2 (+) m n)
  let p = zip o (map f64.log o)
  in map (\\(x, y) -> x * y) p
entry total (xs: []u8): f64 = f64.sum (links xs)
entry largest (xs: []u8): (f64, i64) = let ys = links xs in (f64.maximum ys, length ys)
entry running (xs: []u8): f64 = f64.maximum (map (/ 2.0) (scan (+) 0.0 (links xs)))
entry sums (xs: []u8): []f64 = scan (+) 0.0 (links xs)
";

/// Ten million numbers, of which an array would take 76.3 MiB. The results of blocks of turns need some memory. A scan is an
/// array, which later steps read if its values cost more than memory; a filter before it makes none.
#[test]
fn chains_build_no_arrays() {
    let folder = Folder::new(&[("p.rv", CHAIN), ("bytes", &"ravel 42 ".repeat(1_111_112))]);
    for backend in ["c", "multicore"] {
        for (entry, most) in [("total", 1.0), ("largest", 1.0), ("running", 84.0), ("sums", 84.0)] {
            let args = ["run", "--stats", "--backend", backend, "-o", "out.npy", "p.rv", "-e", entry, "@bytes:bytes"];
            let said = folder.ravel(&args).status(0);
            let peak = row(&said.err, "peak memory").split_whitespace().collect::<Vec<_>>();
            let mebibytes = match peak[3] {
                "bytes" => 0.0,
                "KiB" => 1.0 / 1024.0,
                _ => 1.0,
            };
            assert!(peak[2].parse::<f64>().unwrap() * mebibytes < most, "{backend}, {entry}: {peak:?}");
        }
    }
}
