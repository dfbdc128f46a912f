//! Mistakes in independent definitions are all reported, whichever pass finds them, and nothing that follows from them.

use driver::{InMemory, compile};

/// The codes of the errors in `source`, in source order.
fn errors(source: &str) -> Vec<&'static str> {
    compile(&InMemory::new([("test.rv", source)]), "test.rv").diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn each_definition_gets_its_messages() {
    let sizes = "def f (a: [3]f64) (b: [4]f64) = zip a b\ndef g (a: [5]f64) (b: [6]f64) = zip a b";
    assert_eq!(errors(sizes), ["E0301", "E0301"]);
    let unique = "def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)\ndef g (d: []i32) = d with [0] = 1";
    assert_eq!(errors(unique), ["E0401", "E0402"]);
    let clauses = "def f = array [3] { [0] => 1i64 }\ndef h = array [2] { [i] => i for i < 3 }";
    assert_eq!(errors(clauses), ["E0502", "E0504"]);
}

#[test]
fn an_error_of_one_pass_does_not_hide_those_of_another() {
    let source = "def f (a: [3]f64) (b: [4]f64) = zip a b\n\
                  def k (d: []i32) = d with [0] = 1\n\
                  def c = array [3] { [0] => 1i64 }\n\
                  def t = 1i32 + true";
    assert_eq!(errors(source), ["E0301", "E0402", "E0502", "E0204"]);
}

#[test]
fn what_uses_a_broken_definition_is_left_alone() {
    // The size of `f`'s result is not known, so nothing is said about `g` and what uses it.
    let source = "def f (a: [3]f64) (b: [4]f64) = zip a b\n\
                  def g = map (.0) (f [1, 2, 3] [1, 2, 3])\n\
                  def h: [5]f64 = g";
    assert_eq!(errors(source), ["E0301"]);
    // Consumption says nothing about types: the user's own mistake is reported.
    let source = "def f [n] (a: [n]i32) = a with [0] = 1\ndef g: [2]i32 = f [1, 2, 3]";
    assert_eq!(errors(source), ["E0402", "E0301"]);
    assert_eq!(errors("def f = x\ndef g: [2]i32 = f\ndef h: [3]i32 = [1, 2]"), ["E0101", "E0301"]);
}
