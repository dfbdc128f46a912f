//! Recursive arrays.

use crate::common::{fails, gives};

const SITES: &str = "site R014 \"twice {0}\"
    site R015 \"{0} missing, {1} first\"
    site R016 \"{0} depends on itself\"";

#[test]
fn fibonacci_backwards() {
    // Defined from the end, so that the first attempt needs everything else.
    let core = format!(
        "fn f(n: i64) -> (m: i64, fresh xs: [m]i64) {{
      let xs.1: [n]i64 = bulk {{
        out gen [n] of (x: i64) rec (r: [n]i64) checked (R014, R015, R016)
        for i < n {{
          let last: i64 = n - 2
          let end: bool = i >= last
          let inside: bool = not end
          if end {{ emit [i] => 1 }}
          if inside {{
            let j: i64 = i + 1
            emit [i] {{ let k: i64 = j + 1  let a: i64 = r[j]  let b: i64 = r[k]  let c: i64 = a + b  => c }}
          }}
        }}
      }}
      => n, xs.1
    }}
    entry main = f(n: i64) -> ([]i64)
    {SITES}"
    );
    gives(&core, "6i64", "[8i64, 5i64, 3i64, 2i64, 1i64, 1i64]");
    let cyclic = core.replace("let a: i64 = r[j]", "let a: i64 = r[i]");
    fails(&cyclic, "6i64", "0 depends on itself");
}

#[test]
fn wavefront_of_rows() {
    // Rows that read slices of earlier rows.
    let core = format!(
        "fn f(n: i64) -> (m: i64, k: i64, fresh xs: [m][k]i64) {{
      let xs.1: [n][3]i64 = bulk {{
        out gen [n] of (x: [3]i64) rec (r: [n][3]i64) checked (R014, R015, R016) otherwise {{
          let y: [3]i64 = i64[7, 8, 9]
          => y
        }}
        emit [0] {{ let l: [3]i64 = i64[1, 2, 3]  => l }}
        for i < 2 {{
          let j: i64 = i + 1
          emit [j] {{
            let a: [j][3]i64 = slice r[0; j]
            let y.1: [3]i64 = bulk {{
              out gen [3] of (e: i64)
              for q < 3 {{ let v: i64 = a[i, q]  emit 0 [q] {{ let w: i64 = v * 2  => w }} }}
            }}
            => y.1
          }}
        }}
      }}
      => n, 3, xs.1
    }}
    entry main = f(n: i64) -> ([][]i64)
    {SITES}"
    );
    gives(&core, "4i64", "[[1i64, 2i64, 3i64], [2i64, 4i64, 6i64], [4i64, 8i64, 12i64], [7i64, 8i64, 9i64]]");
}

#[test]
fn two_arrays_need_one_another() {
    let core = format!(
        "fn f(n: i64) -> (m: i64, fresh xs: [m]i64, m': i64, fresh ys: [m']i64) {{
      let (xs.1: [n]i64, ys.1: [n]i64) = bulk {{
        out gen [n] of (x: i64) rec (r: [n]i64) checked (R014, R015, R016)
        out gen [n] of (y: i64) rec (s: [n]i64) checked (R014, R015, R016)
        for i < n {{
          let zero: bool = i == 0
          emit 0 [i] {{
            let v: i64 = if zero {{ => 1 }} else {{ let j: i64 = i - 1  let w: i64 = s[j]  => w }}
            => v
          }}
          emit 1 [i] {{ let p: i64 = r[i]  let q: i64 = p * 3  => q }}
        }}
      }}
      => n, xs.1, n, ys.1
    }}
    entry main = f(n: i64) -> ([]i64, []i64)
    {SITES}"
    );
    gives(&core, "4i64", "[1i64, 3i64, 9i64, 27i64] [3i64, 9i64, 27i64, 81i64]");
}

#[test]
fn sweeps() {
    // New values to the left, old ones to the right.
    let core = "fn f(n: i64, *xs: [n]i64) -> (m: i64, ys: [m]i64) {
      let k: i64 = n - 2
      let ys.1: [n]i64 = bulk {
        out update (xs) of (x: i64) rec (r: [n]i64)
        for i < k {
          let l: i64 = i
          let c: i64 = i + 1
          let u: i64 = i + 2
          emit [c] { let a: i64 = r[l]  let b: i64 = xs[u]  let s: i64 = a + b  => s }
        }
      }
      => n, ys.1
    }
    entry main = f(xs: []i64) -> ([]i64)";
    gives(core, "[1i64, 2i64, 3i64, 4i64, 5i64]", "[1i64, 4i64, 8i64, 13i64, 5i64]");
}

#[test]
fn one_inside_another() {
    // The inner array reads the outer one, whose cells come in an awkward order.
    let core = format!(
        "fn f(n: i64) -> (m: i64, fresh xs: [m]i64) {{
      let xs.1: [n]i64 = bulk {{
        out gen [n] of (x: i64) rec (r: [n]i64) checked (R014, R015, R016)
        for i < n {{
          let last: i64 = n - 1
          let end: bool = i == last
          emit [i] {{
            let v: i64 = if end {{ => 1 }} else {{
              let j: i64 = i + 1
              let zs: [3]i64 = bulk {{
                out gen [3] of (z: i64) rec (t: [3]i64) checked (R014, R015, R016)
                emit [0] {{ let a: i64 = t[1]  let b: i64 = a + 1  => b }}
                emit [1] {{ let a.1: i64 = t[2]  let o: i64 = r[j]  let b.1: i64 = a.1 + o  => b.1 }}
                emit [2] => 10
              }}
              let w: i64 = zs[0]
              => w
            }}
            => v
          }}
        }}
      }}
      => n, xs.1
    }}
    entry main = f(n: i64) -> ([]i64)
    {SITES}"
    );
    gives(&core, "4i64", "[34i64, 23i64, 12i64, 1i64]");
}
