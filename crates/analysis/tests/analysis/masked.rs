//! Which loops can run as vectors whose last one is not full.

use analysis::masked::may_be;
use ir::{Exp, Step};

/// Whether a loop over `i` with these statements, the last of which binds `y`, can.
fn masked(statements: &str) -> bool {
    let text = format!(
        "fn f(n: i64, k: i64, xs: [n]f64, is: [n]i64, xss: [n][n]f64) -> (result: f64) {{
           let r: f64 = bulk {{
             out reduce of (x: f64) from (0f64) by (a: f64, b: f64) {{ let t: f64 = a + b => t }}
             for i < n {{ emit {{ {statements} => y }} }}
           }}
           => r
         }}
         site R009 \"wrong\""
    );
    let program = ir::parse(&text).unwrap_or_else(|why| panic!("{why} {text}"));
    let function = program.functions.values().next().expect("a function");
    let Exp::Bulk(bulk) = &function.body.stms[0].exp else { panic!("no form") };
    let Step::For { var, body, .. } = &bulk.steps[0] else { panic!("no loop") };
    may_be(*var, body)
}

#[test]
fn elements_side_by_side() {
    assert!(masked("let y: f64 = xs[i]"));
    assert!(masked("let j: i64 = i + k let y: f64 = xs[j]"));
    assert!(masked("let y: f64 = xss[k, i]"));
    assert!(masked("let a1: f64 = xs[i] let b1: f64 = xss[k, i] let y: f64 = a1 / b1"));
}

#[test]
fn elements_at_subscripts_from_memory() {
    assert!(masked("let j: i64 = is[i] let y: f64 = xs[j]"));
}

#[test]
fn elements_at_a_stride() {
    assert!(!masked("let y: f64 = xss[i, k]"));
    assert!(!masked("let j: i64 = i * 2 let y: f64 = xs[j]"));
    assert!(!masked("let j: i64 = k - i let y: f64 = xs[j]"));
    assert!(!masked("let j: i64 = i + i let y: f64 = xs[j]"));
}

#[test]
fn reads_that_do_not_depend_on_the_loop() {
    assert!(!masked("let y: f64 = xs[k]"));
}

#[test]
fn divisions_of_integers_and_loops() {
    assert!(!masked("let j: i64 = is[i] let q: i64 = k / j let y: f64 = q as f64"));
    assert!(!masked("let y: f64 = loop (z: f64 = 0f64) for turn < n { => z }"));
}
