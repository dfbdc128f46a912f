//! Rows of different lengths, arrays of unknown rank, checks of coverage.

use crate::common::{fails, gives};

const LENGTHS: &str = "fn f(n: i64, ks: [n]i64) -> (m: i64, d: desc [m], fresh xs: [m][~d]i64, all: i64) {
  let (d.1: desc [n], xs.1: [n][~d.1]i64) = bulk {
    out gen [n] of (k: i64; row: [k]i64)
    for i < n {
      let k.1: i64 = ks[i]
      emit 0 [i] {
        let row.1: [k.1]i64 = bulk { out gen [k.1] of (e: i64)  for j < k.1 { emit 0 [j] { let v: i64 = i * 10  let w: i64 = v + j  => w } } }
        => k.1, row.1
      }
    }
  }
  let t: i64 = total [n][~d.1]
  => n, d.1, xs.1, t
}
entry main = f(ks: []i64) -> ([][~]i64, i64)";

#[test]
fn rows_of_different_lengths() {
    gives(LENGTHS, "[2i64, 0i64, 3i64]", "[[0i64, 1i64], [], [20i64, 21i64, 22i64]] 5i64");
}

#[test]
fn rows_in_any_order() {
    let core = "fn f(n: i64) -> (m: i64, d: desc [m], fresh xs: [m][~d]i64) {
      let (d.1: desc [n], xs.1: [n][~d.1]i64) = bulk {
        out gen [n] of (k: i64; row: [k]i64) checked (R014, R015, R016) otherwise { let l: [1]i64 = i64[9]  => 1, l }
        emit [2] { let r: [2]i64 = i64[1, 2]  => 2, r }
        emit [0] { let s: [3]i64 = i64[3, 4, 5]  => 3, s }
      }
      => n, d.1, xs.1
    }
    entry main = f(n: i64) -> ([][~]i64)
    site R014 \"twice {0}\"
    site R015 \"{0} missing, {1} first\"
    site R016 \"cycle\"";
    gives(core, "4i64", "[[3i64, 4i64, 5i64], [9i64], [1i64, 2i64], [9i64]]");
    let without = core.replace("otherwise { let l: [1]i64 = i64[9]  => 1, l }", "");
    fails(&without, "4i64", "2 missing, 1 first");
    fails(&without.replace("emit [2]", "emit [0]"), "4i64", "twice 0");
}

#[test]
fn rows_of_rows() {
    // Slices a jagged array, takes rows, sums them, flattens, shows lengths.
    let core = "fn f(n: i64, d: desc [n], xs: [n][~d]i64) -> (m: i64, fresh ls: [m]i64, c: i64, r: [c]i64, t: i64, flat: [t]i64, p: i64, e: desc [p], part: [p][~e]i64) {
      let ls.1: [n]i64 = desc_lengths d
      let p.1: i64 = n - 1
      let e.1: desc [p.1] = desc_slice d[1; p.1]
      let part.1: [p.1][~e.1]i64 = slice xs[1; p.1]
      let c.1: i64 = desc_length e.1[0]
      let r.1: [c.1]i64 = part.1[0]
      let t.1: i64 = total [p.1][~e.1]
      let flat.1: [t.1]i64 = reshape part.1
      => n, ls.1, c.1, r.1, t.1, flat.1, p.1, e.1, part.1
    }
    entry main = f(xs: [][~]i64) -> ([]i64, []i64, []i64, [][~]i64)";
    gives(
        core,
        "[[1i64], [2i64, 3i64], [], [4i64]]",
        "[1i64, 2i64, 0i64, 1i64] [2i64, 3i64] [2i64, 3i64, 4i64] [[2i64, 3i64], [], [4i64]]",
    );
}

#[test]
fn deeper_rows() {
    // A row of an array with two jagged dimensions, and an element of it.
    let core = "fn f(n: i64, d: desc [n], e: desc [n][~d], xs: [n][~d][~e]i64, i: i64) -> (k: i64, g: desc [k], r: [k][~g]i64, x: i64) {
      let k.1: i64 = desc_length d[i]
      let g.1: desc [k.1] = desc_index e[i]
      let r.1: [k.1][~g.1]i64 = xs[i]
      let last: i64 = k.1 - 1
      let x.1: i64 = r.1[last, 0]
      => k.1, g.1, r.1, x.1
    }
    entry main = f(xs: [][~][~]i64, i: i64) -> ([][~]i64, i64)";
    let input = "[[[1i64, 2i64], [3i64]], [[4i64], [], [5i64, 6i64]]]";
    gives(core, &format!("{input} 0i64"), "[[1i64, 2i64], [3i64]] 3i64");
    gives(core, &format!("{input} 1i64"), "[[4i64], [], [5i64, 6i64]] 5i64");
}

#[test]
fn regular_to_jagged_and_back() {
    let core = "fn f(n: i64, m: i64, a: [n][m]i64) -> (k: i64, d: desc [k], xs: [k][~d]i64, same: bool, p: i64, q: i64, b: [p][q]i64) {
      let t: [m][n]i64 = rearrange a (1, 0)
      let d.1: desc [m] = desc_uniform n
      let xs.1: [m][~d.1]i64 = reshape t
      let ls: [m]i64 = desc_lengths d.1
      let e: desc [m] = desc_of ls
      let eq: bool = desc_equal(d.1, e)
      let ok: cert = assert eq else R003()
      let <ok> ys: [m][~e]i64 = retype xs.1
      let b.1: [m][n]i64 = reshape ys
      => m, d.1, xs.1, eq, m, n, b.1
    }
    entry main = f(a: [][]i64) -> ([][~]i64, bool, [][]i64)
    site R003 \"differ\"";
    gives(
        core,
        "[[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]]",
        "[[1i64, 3i64, 5i64], [2i64, 4i64, 6i64]] true [[1i64, 3i64, 5i64], [2i64, 4i64, 6i64]]",
    );
}

#[test]
fn unknown_rank() {
    let core = "fn f(r: i64, s: [r]i64, a: [..s]i64) -> (r': i64, t: [r']i64, b: [..t]i64) {
      let n: i64 = total [..s]
      let b.1: [..s]i64 = bulk {
        out gen [..s] of (y: i64)
        for i < n {
          let iv: [r]i64 = unrank i in s
          let x: i64 = a[..iv]
          emit 0 [iv] { let z: i64 = x + 1  => z }
        }
      }
      => r, s, b.1
    }
    entry main = f(a: [..]i64) -> ([..]i64)";
    gives(core, "[[1i64, 2i64], [3i64, 4i64]]", "[[2i64, 3i64], [4i64, 5i64]]");
    gives(core, "[1i64, 2i64, 3i64]", "[2i64, 3i64, 4i64]");
}

#[test]
fn coverage_is_checked() {
    let core = "fn f(n: i64, k: i64, is: [k]i64) -> (m: i64, fresh xs: [m]i64) {
      let xs.1: [n]i64 = bulk {
        out gen [n] of (x: i64) checked (R014, R015, R016)
        for i < k { let at: i64 = is[i]  emit [at] => i }
      }
      => n, xs.1
    }
    entry main = f(n: i64, is: []i64) -> ([]i64)
    site R014 \"twice {0}\"
    site R015 \"{0} missing, {1} first\"
    site R016 \"cycle\"";
    gives(core, "3i64 [2i64, 0i64, 1i64]", "[1i64, 2i64, 0i64]");
    fails(core, "3i64 [2i64, 0i64, 2i64]", "twice 2");
    fails(core, "3i64 [1i64]", "2 missing, 0 first");
    let otherwise = core.replace("checked (R014, R015, R016)", "otherwise { => 7 }");
    gives(&otherwise, "3i64 [1i64]", "[7i64, 0i64, 7i64]");
}
