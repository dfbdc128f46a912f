//! Scalars, control, functions, and bulk forms on regular arrays.

use crate::common::{fails, gives};

#[test]
fn scalars_and_checks() {
    let core = "fn f(x: i64, y: i64) -> (r: i64) {
      let s: i64 = x + y
      let ok: bool = s > 0
      let c: cert = assert ok else R001(s)
      let <c> r.1: i64 = s * 2
      => r.1
    }
    entry main = f(x: i64, y: i64) -> (i64)
    site R001 \"{0} is not positive\"";
    gives(core, "3i64 4i64", "14i64");
    fails(core, "3i64 -4i64", "-1 is not positive");
}

#[test]
fn map_and_reduce() {
    let core = "fn f(n: i64, xs: [n]i64) -> (s: i64, m: i64, fresh ys: [m]i64) {
      let ys.1: [n]i64 = bulk {
        out gen [n] of (y: i64)
        for i < n {
          let x: i64 = xs[i]
          emit 0 [i] { let t: i64 = x * 2  => t }
        }
      }
      let s.1: i64 = bulk {
        out reduce of (r: i64) from (0) by (a: i64, b: i64) { let c: i64 = a + b  => c }
        for i.1 < n {
          let y.1: i64 = ys.1[i.1]
          emit 0 => y.1
        }
      }
      => s.1, n, ys.1
    }
    entry main = f(xs: []i64) -> (i64, []i64)";
    gives(core, "[1i64, 2i64, 3i64]", "12i64 [2i64, 4i64, 6i64]");
    gives(core, "empty([0]i64)", "0i64 empty([0]i64)");
}

/// Large enough for several blocks; every value counts.
#[test]
fn long_reductions_and_scans() {
    let core = "fn f(n: i64) -> (s: i64, g: i64, last: i64, middle: i64, kept: i64, k: i64) {
      let xs: [n]i64 = bulk {
        out gen [n] of (y: i64)
        for i < n { emit 0 [i] { let t: i64 = i % 7  => t } }
      }
      let s.1: i64 = bulk {
        out reduce of (r: i64) from (100) by (a: i64, b: i64) { let c: i64 = a + b  => c }
        for i.1 < n { let x: i64 = xs[i.1]  emit 0 => x }
      }
      let g.1: i64 = bulk {
        out reduce of (r.2: i64) from (100) by (a.2: i64, b.2: i64) { let c.2: i64 = a.2 + b.2  => c.2 }
        for i.2 < n { let x.2: i64 = xs[i.2]  let p: bool = x.2 == 3  if p { emit 0 => x.2 } }
      }
      let ys: [n]i64 = bulk {
        out gen [n] of (r.3: i64)
        for i.3 < n {
          let x.3: i64 = xs[i.3]
          scan (s.3: i64) from (0) by (a.3: i64, b.3: i64) { let c.3: i64 = a.3 + b.3  => c.3 } of => x.3
          emit 0 [i.3] => s.3
        }
      }
      let (m: i64, zs: [m]i64) = bulk {
        out keep of (z: i64)
        for i.4 < n { let x.4: i64 = xs[i.4]  let q: bool = x.4 > 4  if q { emit 0 => i.4 } }
      }
      let e: i64 = n - 1
      let h: i64 = n / 2
      let l: i64 = ys[e]
      let mid: i64 = ys[h]
      let m1: i64 = m - 1
      let z.1: i64 = zs[m1]
      => s.1, g.1, l, mid, z.1, m
    }
    entry main = f(n: i64) -> (i64, i64, i64, i64, i64, i64)";
    let xs: Vec<i64> = (0..5000).map(|i| i % 7).collect();
    let sum: i64 = xs.iter().sum();
    let threes: i64 = xs.iter().filter(|x| **x == 3).sum();
    let kept: Vec<usize> = (0..5000).filter(|i| xs[*i] > 4).collect();
    let middle: i64 = xs[..=2500].iter().sum();
    let last = kept[kept.len() - 1];
    let expected = format!("{}i64 {}i64 {sum}i64 {middle}i64 {last}i64 {}i64", sum + 100, threes + 100, kept.len());
    gives(core, "5000i64", &expected);
}

/// Rows of a transposed matrix, made in their places.
#[test]
fn nested_maps_and_views() {
    let core = "fn dot(n: i64, xs: [n]i64, ys: [n]i64) -> (r: i64) {
      let r.1: i64 = bulk {
        out reduce of (t: i64) from (0) by (a: i64, b: i64) { let c: i64 = a + b  => c }
        for i < n { let x: i64 = xs[i]  let y: i64 = ys[i]  emit 0 { let p: i64 = x * y  => p } }
      }
      => r.1
    }
    fn f(n: i64, m: i64, a: [n][m]i64, m': i64, p: i64, b: [m'][p]i64) -> (k: i64, l: i64, fresh c: [k][l]i64) {
      let same: bool = m == m'
      let ok: cert = assert same else R003(m, m')
      let <ok> b.1: [m][p]i64 = retype b
      let t: [p][m]i64 = rearrange b.1 (1, 0)
      let r: [n][p]i64 = bulk {
        out gen [n] of (row: [p]i64)
        for i < n {
          let x: [m]i64 = a[i]
          emit 0 [i] {
            let row.1: [p]i64 = bulk {
              out gen [p] of (e: i64)
              for j < p { let y: [m]i64 = t[j]  emit 0 [j] { let d: i64 = dot(m, x, y)  => d } }
            }
            => row.1
          }
        }
      }
      => n, p, r
    }
    entry main = f(a: [][]i64, b: [][]i64) -> ([][]i64)
    site R003 \"{0} and {1} differ\"";
    gives(
        core,
        "[[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] [[5i64, 6i64], [7i64, 8i64]]",
        "[[19i64, 22i64], [43i64, 50i64], [67i64, 78i64]]",
    );
    fails(core, "[[1i64, 2i64]] [[5i64, 6i64]]", "2 and 1 differ");
}

#[test]
fn loops_carry_arrays() {
    // Two arrays that swap places, one updated in place.
    let core = "fn f(n: i64, *xs: [n]i64, *ys: [n]i64, k: i64) -> (m: i64, as: [m]i64, m': i64, bs: [m']i64) {
      let (p: [n]i64, q: [n]i64) = loop (a: [n]i64 = xs, b: [n]i64 = ys) for i < k {
        let a.1: [n]i64 = bulk {
          out update (a) of (e: i64)
          emit [0] { let t: i64 = i * 10  => t }
        }
        => b, a.1
      }
      => n, p, n, q
    }
    fn g(n: i64, xs: [n]i64, k: i64) -> (m: i64, as: [m]i64, m': i64, bs: [m']i64) {
      let c1: [n]i64 = copy xs
      let c2: [n]i64 = copy xs
      let (m.1: i64, r: [m.1]i64, m.2: i64, s: [m.2]i64) = f(n, c1, c2, k)
      => m.1, r, m.2, s
    }
    entry main = g(xs: []i64, k: i64) -> ([]i64, []i64)";
    gives(core, "[1i64, 2i64] 0i64", "[1i64, 2i64] [1i64, 2i64]");
    gives(core, "[1i64, 2i64] 3i64", "[10i64, 2i64] [20i64, 2i64]");
    gives(core, "[1i64, 2i64] 4i64", "[20i64, 2i64] [30i64, 2i64]");
}

#[test]
fn loops_with_views_and_sizes() {
    // Halves an array, every second element, until one is left; then a while loop.
    let core = "fn f(n: i64, xs: [n]i64) -> (m: i64, ys: [m]i64, w: i64) {
      let (p: i64, q: [p]i64) = loop (k: i64 = n, a: [k]i64 = xs) while {
        let big: bool = k > 2
        => big
      } do {
        let h: i64 = k / 2
        let b: [h]i64 = slice a[0; h; 2]
        => h, b
      }
      let w.1: i64 = loop (v: i64 = 1) while { let s: bool = v < 100  => s } do { let v.1: i64 = v * 3  => v.1 }
      => p, q, w.1
    }
    entry main = f(xs: []i64) -> ([]i64, i64)";
    gives(core, "[0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64]", "[0i64, 4i64] 243i64");
}

#[test]
fn choices_of_arrays() {
    let core = "fn f(n: i64, xs: [n]i64, c: bool) -> (m: i64, ys: [m]i64) {
      let (m.1: i64, ys.1: [m.1]i64) = if c {
        let back: i64 = n - 1
        let r: [n]i64 = slice xs[back; n; -1]
        => n, r
      } else {
        let l: [2]i64 = i64[7, 8]
        => 2, l
      }
      let t: [m.1]i64 = bulk {
        out gen [m.1] of (y: i64)
        for i < m.1 { let x: i64 = ys.1[i]  emit 0 [i] { let z: i64 = x + 1  => z } }
      }
      => m.1, t
    }
    entry main = f(xs: []i64, c: bool) -> ([]i64)";
    gives(core, "[1i64, 2i64, 3i64] true", "[4i64, 3i64, 2i64]");
    gives(core, "[1i64, 2i64, 3i64] false", "[8i64, 9i64]");
}

#[test]
fn reductions_of_rows() {
    // Sums rows of a matrix: the operator makes arrays.
    let core = "fn f(n: i64, m: i64, a: [n][m]i64) -> (k: i64, s: [k]i64, k': i64, k'': i64, fresh t: [k'][k'']i64) {
      let zero: [m]i64 = bulk { out gen [m] of (z: i64)  for i < m { emit 0 [i] => 0 } }
      let s.1: [m]i64 = bulk {
        out reduce of (r: [m]i64) from (zero) by (x: [m]i64, y: [m]i64) {
          let z.1: [m]i64 = bulk {
            out gen [m] of (e: i64)
            for j < m { let p: i64 = x[j]  let q: i64 = y[j]  emit 0 [j] { let w: i64 = p + q  => w } }
          }
          => z.1
        }
        for i.1 < n { let row: [m]i64 = a[i.1]  emit 0 => row }
      }
      let t.1: [n][m]i64 = bulk {
        out gen [n] of (r.1: [m]i64)
        for i.2 < n {
          let row.1: [m]i64 = a[i.2]
          scan (s.2: [m]i64) from (zero) by (x.1: [m]i64, y.1: [m]i64) {
            let z.2: [m]i64 = bulk {
              out gen [m] of (e.1: i64)
              for j.1 < m { let p.1: i64 = x.1[j.1]  let q.1: i64 = y.1[j.1]  emit 0 [j.1] { let w.1: i64 = p.1 + q.1  => w.1 } }
            }
            => z.2
          } of => row.1
          emit 0 [i.2] => s.2
        }
      }
      => m, s.1, n, m, t.1
    }
    entry main = f(a: [][]i64) -> ([]i64, [][]i64)";
    gives(
        core,
        "[[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]]",
        "[9i64, 12i64] [[1i64, 2i64], [4i64, 6i64], [9i64, 12i64]]",
    );
    let rows: Vec<String> = (0..3000).map(|i| format!("[{i}i64, 1i64]")).collect();
    let core = core.replace("=> m, s.1, n, m, t.1", "let o: [1][m]i64 = slice t.1[2500; 1]  => m, s.1, 1, m, o");
    let at = 2500 * 2501 / 2;
    gives(&core, &format!("[{}]", rows.join(", ")), &format!("[4498500i64, 3000i64] [[{at}i64, 2501i64]]"));
}

#[test]
fn sorting() {
    let core = "fn f(n: i64, xs: [n]i64) -> (m: i64, fresh ys: [m]i64) {
      let order: [n]i64 = sort n by (a: i64, b: i64) {
        let x: i64 = xs[a]
        let y: i64 = xs[b]
        let le: bool = x <= y
        => le
      }
      => n, order
    }
    entry main = f(xs: []i64) -> ([]i64)";
    gives(core, "[3i64, 1i64, 2i64, 1i64, 3i64]", "[1i64, 3i64, 2i64, 0i64, 4i64]");
    gives(core, "empty([0]i64)", "empty([0]i64)");
}

#[test]
fn recursion() {
    let core = "fn fib(n: i64) -> (r: i64) {
      let small: bool = n < 2
      let r.1: i64 = if small { => n } else {
        let a: i64 = n - 1
        let b: i64 = n - 2
        let x: i64 = fib(a)
        let y: i64 = fib(b)
        let z: i64 = x + y
        => z
      }
      => r.1
    }
    entry main = fib(n: i64) -> (i64)";
    gives(core, "20i64", "6765i64");
}

#[test]
fn too_much_memory() {
    let core = "fn f(n: i64, m: i64) -> (x: i64) {
      let a: [n][m]i64 = bulk { out gen [n][m] of (z: i64)  for i < n { for j < m { emit 0 [i, j] => 0 } } }
      let x.1: i64 = a[0, 0]
      => x.1
    }
    entry main = f(n: i64, m: i64) -> (i64)";
    gives(core, "2i64 3i64", "0i64");
    fails(core, "4294967296i64 4294967297i64", "memory");
}
