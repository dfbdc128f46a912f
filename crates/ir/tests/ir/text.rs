//! Core prints and parses.

use expect_test::{Expect, expect};
use ir::print::Options;
use ir::{parse, print, print_with};

/// The text prints as itself.
fn same(text: &str) {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&program), text);
}

#[test]
fn expressions_come_back() {
    same(include_str!("text/expressions.core"));
}

#[test]
fn bulk_forms_come_back() {
    same(include_str!("text/bulk.core"));
}

#[test]
fn spans_come_back() {
    let text = r#"fn f(n: i64) -> (m: i64) @1:2-30 {
  let t: i64 = n + 1 @0:5-7
  let (s: i64) = bulk {
    emit 3 => t @2:3-4
  }
  => t
}
"#;
    let program = parse(text).unwrap();
    let shown = print_with(&program, Options { spans: true });
    assert_eq!(print_with(&parse(&shown).unwrap(), Options { spans: true }), shown);
    assert!(shown.contains("n + 1 @0:5-7\n") && shown.contains("=> t @2:3-4\n"), "{shown}");
    assert!(!print(&program).contains('@'));
}

#[test]
fn numbers_count_from_the_front_of_each_function() {
    let program = parse("fn f(x.7: i64) -> () { => } fn g(x: i64, x.9: i64, `total`: i64) -> () { => x.9 }").unwrap();
    expect![[r#"
        fn f(x: i64) -> () { => }

        fn g(x: i64, x.1: i64, total.1: i64) -> () { => x.1 }
    "#]]
    .assert_eq(&print(&program));
}

fn refused(text: &str, expected: Expect) {
    expected.assert_eq(&parse(text).unwrap_err().to_string());
}

#[test]
fn errors_say_where() {
    refused("fn f(x: i64) -> () {\n  => y\n}", expect!["2:6: there is no variable `y` before this"]);
    refused("fn f(x: i64, x: i64) -> () { => }", expect!["1:14: `x` is bound already"]);
    refused("fn f() -> () { => } fn f() -> () { => }", expect!["1:24: there is another fn f"]);
    refused("fn f() -> () { let x: i64 = g(1) => x }", expect!["1:29: there is no function `g`"]);
    refused("fn f() -> () { let x: cert = assert true else R001() => x }", expect!["1:47: there is no site `R001`"]);
    refused("fn f() -> () { let x: u8 = 256u8 => x }", expect!["1:28: `256u8` is not a number of any type"]);
    refused("fn f() -> () { let total: u8 = 1 => }", expect!["1:20: expected a variable, found `total`"]);
    refused("fn f() -> () { let x: i64 = é", expect!["1:29: there is no variable `é` before this"]);
    refused("fn f() -> () { let x: i64 = $", expect!["1:29: this character has no meaning here"]);
    refused("fn f() -> () {", expect!["1:15: expected `=>`, found the end"]);
    refused("site R001 \"a {0=1?b\"", expect!["1:20: a `{` is not closed"]);
    refused("site R001 \"a", expect!["1:11: `\"` is not closed on this line"]);
    refused("let", expect!["1:1: expected `fn`, `boxes`, `entry` or `site`, found `let`"]);
}

#[test]
fn depth_is_bounded() {
    let mut text = String::from("fn f(c: bool) -> () {");
    (0..100_000).for_each(|_| text.push_str(" let () = if c {"));
    refused(&text, expect!["1:6421: more than 400 levels deep"]);
    let text = format!("entry f = f({} ", "a: {".repeat(100_000));
    assert!(parse(&format!("fn f() -> () {{ => }} {text}")).is_err());
}

/// Texts that are nearly right: every prefix, and every place with a token left out or doubled. None makes the parser
/// panic, and what it takes prints stably.
#[test]
fn damaged_texts_are_refused_or_stable() {
    for text in [include_str!("text/expressions.core"), include_str!("text/bulk.core")] {
        let cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).step_by(3).collect();
        for window in cuts.windows(3) {
            let [a, b, c] = window else { continue };
            check_stable(&text[..*a]);
            check_stable(&format!("{}{}", &text[..*a], &text[*b..]));
            check_stable(&format!("{}{}{}", &text[..*b], &text[*a..*c], &text[*c..]));
        }
    }
}

fn check_stable(text: &str) {
    if let Ok(program) = parse(text) {
        let once = print(&program);
        let again = parse(&once).unwrap_or_else(|e| panic!("{e}\n{once}"));
        assert_eq!(print(&again), once);
    }
}

/// The example in the printer's documentation is Core as it is printed.
#[test]
fn the_example_is_right() {
    let source = include_str!("../../src/print/mod.rs");
    let inside = source.split("//! ```").nth(1).unwrap();
    let lines = inside.lines().skip(1).map(|line| line.strip_prefix("//! ").unwrap_or("").to_string() + "\n");
    let example: String = lines.collect();
    same(&example);
    ir::verify(&parse(&example).unwrap()).unwrap();
}
