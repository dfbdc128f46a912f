//! Whatever the text: no panic, no stack overflow, no endless loop, and sensible spans.

use base::{Diagnostic, FileId};
use proptest::prelude::*;
use syntax::ast::Dialect;

/// Parses in both dialects, as file, expression and type, and checks what must always hold.
fn survive(text: &str) {
    for dialect in [Dialect::Ravel, Dialect::Futhark] {
        let (file, diagnostics) = syntax::parse(FileId(0), text, dialect);
        check(text, &diagnostics);
        for dec in &file.decs {
            assert!(dec.span.start <= dec.span.end && dec.span.end as usize <= text.len());
        }
        check(text, &syntax::parse_expr(FileId(0), text, dialect).1);
        check(text, &syntax::parse_type(FileId(0), text, dialect).1);
    }
}

fn check(text: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(syntax::codes::title(diagnostic.code).is_some(), "unknown code {}", diagnostic.code);
        for label in &diagnostic.labels {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(text.get(start..end).is_some(), "label {start}..{end} is not a piece of the text");
        }
    }
}

/// A program that uses most of the grammar.
const PROGRAM: &str = "
-- | Doc.
import \"a\"
module type s = { type t val f [n] 'a : [n]a -> ?[m].[m]t module m : s with t = i32 include u }
module m (p: s) : s = { open p local def x = 1 #[attr(a, 2)] entry e = \\(x: i32) y : t -> x }
type^ t 'a [n] = {x: #a i32 | #b, y: (*[n]a, [..s]b, [~k]c)}
def (+^) [n] [~k] [..s] 'a (x: [n]a) {y = (z, _)}: *[n]a =
  let [n] (q: [n]i32) = x |> map (\\i -> i + 1) let f 'b (y: b) = y[1:2, ::-1]
  let rec a = array [n, m] { [0, j] => 1 for j < m; for 1 <= i < n step 2 { [i, 0] => -x.0.1 }; else => 0 }
  let rec b = update a { [i] => [y for y in ys, k < 3 let z = y if z > 0] for i in is }
  let r.f[0] = (+ 1) (1 -) (`op` x) (.a[0].b)
  in if a then loop (x, y) = 1 for i < n do m.(x with [i].f = 1..3...9) else
     match #c 1 \"s\" 'c' case #d (-1) -> assert true ??? case _ -> accum (+) 0 [n] { [x] => 1 } :> [n]t
";

fn words() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "if", "then", "else", "let", "def", "loop", "in", "match", "case", "entry", "for", "do", "with", "assert",
        "true", "while", "include", "import", "type", "module", "val", "open", "local", "array", "update", "accum",
        "rec", "step", "x", "f", "m.x", "(", ")", "[", "]", "{", "}", "#[", "#c", ",", ";", "_", "\\", "'a", "'~b",
        "`", "->", "=>", ":", ":>", "?", "~", "=", ".", "..", "...", "..<", "..>", "???", "*", "-", "!", "<", "<=",
        "|", "^", "+", "==", "1", "0x1.8p3", "2.5f32", "\"s\"", "'c'", "\n", "\ndef", "-- | d\n", "a[", "\u{3bb}", "@",
    ]);
    prop::collection::vec(fixed, 0..60).prop_map(|words| words.join(" "))
}

fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..12usize, words());
    prop::collection::vec(edit, 1..4).prop_map(|edits| {
        let mut text = PROGRAM.to_string();
        for (at, length, new) in edits {
            let start = at.index(text.len());
            let end = (start + length).min(text.len());
            // The program is plain ASCII, but what was inserted may not be.
            if let (Some(head), Some(tail)) = (text.get(..start), text.get(end..)) {
                text = format!("{head}{}{tail}", &new[..new.len().min(8).min(floor(&new))]);
            }
        }
        text
    })
}

/// The longest boundary at or below 8.
fn floor(text: &str) -> usize {
    (0..=8.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&String::from_utf8_lossy(&bytes));
        if let Err(diagnostic) = syntax::decode(FileId(0), bytes) {
            prop_assert_eq!(diagnostic.code, syntax::codes::NOT_UTF8);
        }
    }

    #[test]
    fn any_ascii(text in "[ -~\n]{0,200}") {
        survive(&text);
    }

    #[test]
    fn any_words(text in words()) {
        survive(&text);
    }

    #[test]
    fn a_damaged_program(text in mutated()) {
        survive(&text);
    }

    #[test]
    fn a_truncated_program(at in 0..PROGRAM.len()) {
        survive(&PROGRAM[..at]);
        survive(&PROGRAM[at..]);
    }
}

#[test]
fn the_program_itself_is_correct() {
    let (_, diagnostics) = syntax::parse(FileId(0), PROGRAM, Dialect::Ravel);
    assert_eq!(diagnostics, []);
}

/// `unit` many times, between a beginning and an end.
fn repeated(head: &str, unit: &str, count: usize, tail: &str) -> String {
    format!("{head}{}{tail}", unit.repeat(count))
}

#[test]
fn deep_nesting_is_reported_not_fatal() {
    let units = [
        "(",
        "[",
        "{x=",
        "-",
        "! ",
        "if ",
        "if a then ",
        "if a then b else ",
        "let x = ",
        "let x = 1 in ",
        "\\x -> ",
        "f (",
        "a[",
        "match ",
        "match a case b -> ",
        "loop x = ",
        "loop x for i < ",
        "assert a ",
        "#[a] ",
        "x + (",
        "x <| ",
        "x : [",
        "x : (",
        "x : *",
        "x : a -> ",
        "x : ?[n].",
        "x : {y: ",
        "[x for x in ",
        "[x for i < ",
        "array s { [i] => ",
        "array s { for i < n { ",
        "update ",
        "accum ",
        "m.(",
        "x with [",
        "x..(",
        "#c (",
        "(.[",
        "\\(",
        "let (",
        "let {a = ",
        "let #c (",
        "case ",
        "a `",
        "(",
        "((+ ",
        "x \\x -> ",
    ];
    for unit in units {
        let text = repeated("def f = ", unit, 10_000, "");
        survive(&text);
        let (_, diagnostics) = syntax::parse(FileId(0), &text, Dialect::Ravel);
        assert!(!diagnostics.is_empty(), "{unit}");
    }
    for unit in [
        "module m = {",
        "module m = (",
        "module m (x: ",
        "module type t = {module a: ",
        "type t = (",
        "type t = #a (",
        "#[a(",
        "local ",
        "open (",
        "module m = \\(x: t) -> ",
        "module type t = a -> ",
    ] {
        survive(&repeated("", unit, 10_000, ""));
    }
    let (_, diagnostics) = syntax::parse(FileId(0), &repeated("def f = ", "(", 10_000, ""), Dialect::Ravel);
    assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), [syntax::codes::TOO_DEEP]);
}

#[test]
fn long_chains_are_parsed_or_reported() {
    let chains = [
        ("1", " + 1"),
        ("a", ".b"),
        ("a", "[0]"),
        ("a", ".0"),
        ("f", " x"),
        ("x", " <| x"),
        ("x", " : t"),
        ("x", " with [0] = 1"),
        ("x : t", " -> t"),
        ("x : t", " t"),
        ("x : ", "[n]"),
        ("[x", " for x in y"),
        ("0", " 0"),
        ("x", " `f` x"),
    ];
    for (head, unit) in chains {
        for count in [1_000, 500_000 / unit.len()] {
            let text = repeated(&format!("def f = {head}"), unit, count, "");
            let (_, diagnostics) = syntax::parse(FileId(0), &text, Dialect::Ravel);
            assert!(diagnostics.len() <= 1, "{unit}: {diagnostics:?}");
        }
    }
    for (unit, tail) in [
        ("let x = 1 ", "in x"),
        ("let x = 1 in ", "x"),
        ("if a then b else ", "c"),
        ("let rec a = array s {} ", "in a"),
    ] {
        let (_, few) = syntax::parse(FileId(0), &repeated("def f = ", unit, 2_000, tail), Dialect::Ravel);
        assert_eq!(few, []);
        let (_, many) = syntax::parse(FileId(0), &repeated("def f = ", unit, 50_000, tail), Dialect::Ravel);
        assert!(many.len() <= 1, "{unit}");
    }
}

#[test]
fn a_megabyte_takes_linear_time() {
    let units = [
        PROGRAM,
        "x",
        "x ",
        "a.",
        "(",
        ")",
        "[x for ",
        "def f = (",
        "let ",
        "let x = ) ",
        "#",
        "\"",
        "'",
        "-- | a\n",
        "@ ",
        "=",
        "def f = [1, 2\n",
        "(]",
        "{",
        "} ",
        "1",
        "0x",
        "a.+",
        "in ",
        "\u{3bb} ",
        "array s { [i] => ",
        ", ",
        "\\",
        "def f = , ",
        "[x for (a) (b)",
        "if x = ",
        "match x ",
    ];
    for unit in units {
        let text = unit.repeat(1_000_000 / unit.len());
        let start = std::time::Instant::now();
        syntax::parse(FileId(0), &text, Dialect::Ravel);
        // Generous, for a build without optimisation on a busy machine; quadratic time would take hours.
        assert!(start.elapsed().as_secs() < 20, "{unit:?} takes {:?}", start.elapsed());
    }
}
