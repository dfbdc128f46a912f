//! Large files: time grows with the size of the text, not with its square. Each of these took minutes when something was
//! searched for again and again; the limit is generous, for slow and busy machines.

use crate::common::{accepted, errors, rejected};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Some hundred kilobytes: enough that a quadratic step would be felt.
const PARTS: usize = 60_000;

fn list(item: impl Fn(usize) -> String) -> String {
    (0..PARTS).map(item).collect::<Vec<_>>().join(",")
}

fn lines(item: impl Fn(usize) -> String) -> String {
    (0..PARTS).fold(String::new(), |mut all, i| {
        let _ = writeln!(all, "{}", item(i));
        all
    })
}

/// Runs `check` and fails if it takes far longer than a linear algorithm needs.
fn soon(check: impl FnOnce()) {
    let start = Instant::now();
    check();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn literals() {
    soon(|| accepted("rv", &format!("def a = [{}]", list(|i| i.to_string()))));
    soon(|| accepted("rv", &format!("def a = [{}]", list(|i| format!("[{i}, 1.5]")))));
    soon(|| accepted("rv", &format!("def a = ({})", list(|i| i.to_string()))));
    soon(|| accepted("rv", &format!("def a = {{{}}}", list(|i| format!("f{i} = 1")))));
    soon(|| accepted("rv", &format!("def a = ({})", list(|_| "\\x -> x".into()))));
}

#[test]
fn patterns() {
    soon(|| accepted("rv", &format!("def f (({})) = 1", list(|i| format!("x{i}")))));
    let cases = lines(|i| format!("case {i} -> 1"));
    soon(|| accepted("rv", &format!("def f (x: i32) = match x\n{cases} case _ -> 0")));
    soon(|| rejected("rv", "E0225", &format!("def f (x: i32) = match x\n{cases}")));
    let pattern = list(|_| "true".into());
    soon(|| rejected("rv", "E0225", &format!("def f x = match x case ({pattern}) -> 1")));
}

#[test]
fn constructors() {
    let count = 10_000;
    let constructors: Vec<String> = (0..count).map(|i| format!("#c{i}")).collect();
    let cases: String = constructors.iter().map(|c| format!("case {c} -> 1\n")).collect();
    soon(|| accepted("rv", &format!("type t = {}\ndef f (x: t) = match x\n{cases}", constructors.join(" | "))));
}

#[test]
fn definitions() {
    soon(|| accepted("rv", &lines(|i| format!("def f{i} (x: i32) = x + {i}"))));
}

#[test]
fn mistakes() {
    soon(|| assert_eq!(errors("rv", &format!("def a = [{}]", list(|i| format!("name{i}")))).len(), PARTS));
    soon(|| assert_eq!(errors("rv", &format!("def a = [{}]", list(|i| format!("f64.name{i}")))).len(), PARTS));
    soon(|| assert_eq!(errors("rv", &lines(|i| format!("def f{i}: i32 = true"))).len(), PARTS));
}
