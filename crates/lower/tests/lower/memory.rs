//! Updates in place, waiting values, results that are parts of something larger.

use crate::common::gives;

#[test]
fn updates_see_old_values() {
    // Reverses in place: every value must be read before the first is written.
    let core = "fn f(n: i64, *xs: [n]i64) -> (m: i64, ys: [m]i64) {
      let ys.1: [n]i64 = bulk {
        out update (xs) of (e: i64)
        for i < n {
          let k: i64 = n - i
          let j: i64 = k - 1
          emit [i] { let x: i64 = xs[j]  => x }
        }
      }
      => n, ys.1
    }
    entry main = f(xs: *[]i64) -> ([]i64)";
    let core = core.replace("*[]i64", "[]i64");
    gives(&core, "[1i64, 2i64, 3i64]", "[3i64, 2i64, 1i64]");
}

#[test]
fn rows_are_replaced() {
    let core = "fn f(n: i64, m: i64, *a: [n][m]i64) -> (p: i64, q: i64, b: [p][q]i64) {
      let t: [m][n]i64 = rearrange a (1, 0)
      let b.1: [m][n]i64 = bulk {
        out update (t) of (e: [n]i64)
        emit [0] {
          let r: [n]i64 = bulk { out gen [n] of (x: i64)  for i < n { emit 0 [i] => i } }
          => r
        }
        emit [1] { let o: [n]i64 = t[0]  => o }
      }
      => m, n, b.1
    }
    entry main = f(a: [][]i64) -> ([][]i64)";
    gives(core, "[[7i64, 8i64], [9i64, 6i64]]", "[[0i64, 1i64], [7i64, 9i64]]");
}

#[test]
fn skipping_and_accumulating() {
    let core = "fn f(n: i64, *h: [n]i64, k: i64, is: [k]i64) -> (m: i64, ys: [m]i64) {
      let g: [n]i64 = bulk {
        out accum (h) of (v: i64) skip by (a: i64, b: i64) { let c: i64 = a + b  => c }
        for i < k { let x: i64 = is[i]  emit [x] => 1 }
      }
      let s: [n]i64 = bulk {
        out update (g) of (v.1: i64) skip
        emit [100] => 5
        emit [-1] => 5
        emit [0] => 6
        emit [0] => 7
      }
      => n, s
    }
    entry main = f(h: []i64, is: []i64) -> ([]i64)";
    gives(core, "[10i64, 20i64, 30i64] [0i64, 2i64, 2i64, 3i64, -1i64, 1i64]", "[7i64, 21i64, 32i64]");
}

/// Many values for few elements, by an operator that sees the order.
#[test]
fn accumulating_in_parts() {
    let core = "fn f(n: i64) -> (m: i64, ys: [m]i64, k: i64, zs: [k]i64) {
      let h: [4]i64 = i64[0, 1, 2, 3]
      let g: [4]i64 = bulk {
        out accum (h) of (v: i64) by (a: i64, b: i64) { let c: i64 = a + b  => c }
        for i < n { let x: i64 = i % 3  emit [x] => i }
      }
      let h.1: [2]i64 = i64[-1, -1]
      let l: [2]i64 = bulk {
        out accum (h.1) of (v.1: i64) skip by (a.1: i64, b.1: i64) { => b.1 }
        for i.1 < n { let x.1: i64 = i.1 % 5  emit [x.1] => i.1 }
      }
      => 4, g, 2, l
    }
    entry main = f(n: i64) -> ([]i64, []i64)";
    let sums = |n: i64| (0..3).map(move |r| r + (0..n).filter(|i| i % 3 == r).sum::<i64>()).collect::<Vec<_>>();
    for n in [10, 100_000] {
        let s = sums(n);
        let last = |r: i64| (0..n).rfind(|i| i % 5 == r).unwrap_or(-1);
        let expected = format!("[{}i64, {}i64, {}i64, 3i64] [{}i64, {}i64]", s[0], s[1], s[2], last(0), last(1));
        gives(core, &format!("{n}i64"), &expected);
    }
}

#[test]
fn returned_rows() {
    let core = "fn row(n: i64, m: i64, a: [n][m]i64, i: i64) -> (k: i64, r: [k]i64) {
      let r.1: [m]i64 = a[i]
      => m, r.1
    }
    fn column(n: i64, m: i64, a: [n][m]i64, j: i64) -> (k: i64, r: [k]i64) {
      let t: [m][n]i64 = rearrange a (1, 0)
      let r.1: [n]i64 = t[j]
      => n, r.1
    }
    fn turn(n: i64, m: i64, a: [n][m]i64) -> (p: i64, q: i64, t: [p][q]i64) {
      let t.1: [m][n]i64 = rearrange a (1, 0)
      => m, n, t.1
    }
    fn f(n: i64, m: i64, a: [n][m]i64) -> (p: i64, r: [p]i64, q: i64, c: [q]i64, u: i64, v: i64, t: [u][v]i64, w: i64, flat: [w]i64) {
      let b: [n][m]i64 = copy a
      let (p.1: i64, r.1: [p.1]i64) = row(n, m, b, 1)
      let (q.1: i64, c.1: [q.1]i64) = column(n, m, b, 1)
      let (u.1: i64, v.1: i64, t.1: [u.1][v.1]i64) = turn(n, m, b)
      let w.1: i64 = u.1 * v.1
      let flat.1: [w.1]i64 = reshape t.1
      => p.1, r.1, q.1, c.1, u.1, v.1, t.1, w.1, flat.1
    }
    entry main = f(a: [][]i64) -> ([]i64, []i64, [][]i64, []i64)";
    gives(
        core,
        "[[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]]",
        "[4i64, 5i64, 6i64] [2i64, 5i64] [[1i64, 4i64], [2i64, 5i64], [3i64, 6i64]] [1i64, 4i64, 2i64, 5i64, 3i64, 6i64]",
    );
}

#[test]
fn arrays_inside_parallel_bodies() {
    // A choice between outer arrays, a loop with an array, and a filter, all inside of a map.
    let core = "fn f(n: i64, xs: [n]i64, ys: [n]i64) -> (m: i64, fresh zs: [m]i64) {
      let zs.1: [n]i64 = bulk {
        out gen [n] of (z: i64)
        for i < n {
          let r: i64 = i % 2
          let even: bool = r == 0
          emit 0 [i] {
            let w: [n]i64 = if even { => xs } else { => ys }
            let l: [n]i64 = copy w
            let l.1: [n]i64 = loop (a: [n]i64 = l) for k < 3 {
              let a.1: [n]i64 = bulk { out update (a) of (e: i64)  emit [0] { let o: i64 = a[0]  let o.1: i64 = o + 1  => o.1 } }
              => a.1
            }
            let (c: i64, kept: [c]i64) = bulk {
              out keep of (v: i64)
              for j < n { let x: i64 = l.1[j]  let p: bool = x > i  if p { emit 0 => x } }
            }
            let s: i64 = bulk {
              out reduce of (t: i64) from (0) by (a.2: i64, b: i64) { let d: i64 = a.2 + b  => d }
              for q < c { let x.1: i64 = kept[q]  emit 0 => x.1 }
            }
            => s
          }
        }
      }
      => n, zs.1
    }
    entry main = f(xs: []i64, ys: []i64) -> ([]i64)";
    let core = core.replace("entry main = f(xs: []i64, ys: []i64)", "fn g(n: i64, xs: [n]i64) -> (m: i64, fresh zs: [m]i64) {
      let ys: [n]i64 = bulk { out gen [n] of (y: i64)  for i < n { let x: i64 = xs[i]  emit 0 [i] { let z: i64 = x * 10  => z } } }
      let (m.1: i64, zs.1: [m.1]i64) = f(n, xs, ys)
      => m.1, zs.1
    }
    entry main = g(xs: []i64)");
    gives(&core, "[1i64, 2i64, 3i64]", "[9i64, 63i64, 7i64]");
}
