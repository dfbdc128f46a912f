//! What messages tell a newcomer to do.

use driver::{InMemory, compile};

/// The program gives one error, with this code and a help that contains `help`.
fn advises(code: &str, help: &str, source: &str) {
    let compiled = compile(&InMemory::new([("test.rv", source)]), "test.rv");
    let shown = driver::render::render_all(&compiled.sources, &compiled.diagnostics, false);
    assert_eq!(compiled.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), [code], "{source}\n{shown}");
    let found = compiled.diagnostics[0].help.clone().unwrap_or_default();
    assert!(found.contains(help), "{source}\nexpected: {help}\n{shown}");
}

#[test]
fn ranks() {
    advises("E0202", "array of rows", "def f (a: [][]i32) = a[0]\ndef g = f [1, 2, 3]");
    advises("E0202", "one row", "def f (a: []i32) = a[0]\ndef g (a: [][]i32) = f a");
    advises("E0208", "2 indices or fewer", "def f (a: [][]f64) = a[0, 1, 2]");
    advises("E0204", "more dimensions", "def f (a: [][]f64) (b: []f64) = a == b");
    advises("E0554", "one subscript for each dimension", "def f = array [2, 2] { [i] => 1i64 for i < 2 }");
}

#[test]
fn arguments() {
    let add = "def add (x: i64) (y: i64) = x + y\n";
    advises("E0202", "`add 1 2`", &format!("{add}def f = add (1, 2)"));
    advises("E0202", "`add (1 + 2) x`", &format!("{add}def f (x: i64) = add (1 + 2, x)"));
    advises("E0201", "`y: i64` is missing", &format!("{add}def f: i64 = add 1"));
    advises("E0203", "leave this argument away", &format!("{add}def f = add 1 2 3"));
    advises("E0202", "`map (+1) xs`", "def f (xs: []i64) = map xs (+1)");
    advises("E0101", "`def f [n] (a: [n]...)", "def f (a: [n]i32) = a");
}

#[test]
fn conversions() {
    advises("E0204", "`f64.i64 (...)`", "def f (x: i64) (y: f64) = x + y");
    advises("E0204", "`f64.f32 (...)`", "def f (x: f64) (y: f32) = x + y");
    advises("E0202", "`map i64.f64 xs`", "def f (b: []f64) = i64.sum b");
    advises("E0301", "never equal", "def f (a: [3]i32) (b: [4]i32): [3]i32 = map2 (+) a b");
}

#[test]
fn spelling() {
    advises(
        "E0201",
        "did you mean `#circle`?",
        "type s = #circle f64 | #sq\ndef f (s: s) = match s case #circel r -> r case #sq -> 0",
    );
    advises("E0101", "`true` and `false`", "def f (x: bool) = x == True");
    advises("E0101", "`f64.pi`", "def f (x: f64) = 2 * pi * x");
    advises("E0203", "`&&` for and", "def f (a: bool) (b: bool) = a and not b");
    advises("E0205", "`x ** 2`", "def f (x: f64) = x ^ 2");
    advises("E0207", "`length x`", "def f (xs: []f64) = xs.length");
    advises("E0207", "`f64.sum x`", "def f (xs: []f64) = xs.sum()");
}

#[test]
fn habits_of_other_languages() {
    advises("E0010", "leave `return` away", "def f(x):\n    return x + 1\ndef g (x: i64) = x");
    advises("E0010", "write `:` in place of `->`", "def mean (xs: []f64) -> f64 = f64.sum xs");
    advises("E0010", "if c then a else b", "def f (x: i32) = 1 if x > 0 else 2");
    advises("E0010", "if c then a else b", "def f (x: i32) = x > 0 ? 1 : 2");
    advises("E0050", "[e for x in xs if c]", "def f (xs: []i64) = [x | x <- xs]");
}

#[test]
fn types_of_other_languages() {
    for (wrong, right) in [
        ("float64", "did you mean `f64`?"),
        ("int8", "did you mean `i8`?"),
        ("uint32", "did you mean `u32`?"),
        ("int", "`i32` or `i64`"),
        ("double", "did you mean `f64`?"),
        ("string", "`[]u8`"),
        ("boolean", "did you mean `bool`?"),
        ("f46", "did you mean `f"),
    ] {
        advises("E0103", right, &format!("def f (x: {wrong}) = 1"));
    }
}

#[test]
fn order_of_definitions() {
    advises("E0101", "put the definition of `g` before", "def f (x: i64) = g x\ndef g (x: i64) = x");
    advises("E0101", "write both with `rec`", "def f (x: i64) = g x\ndef g (x: i64): i64 = f x");
    advises(
        "E0101",
        "one right behind the other",
        "def rec f (x: i64): i64 = g x\ndef h = 1i64\ndef rec g (x: i64): i64 = f x",
    );
}

#[test]
fn recursive_arrays() {
    advises("E0552", "use `array`", "def f (n: i64) = let rec a = accum (+) 0 [n] { [i] => a[i] for i < n } in a");
}

#[test]
fn operators_as_arguments() {
    advises("E0205", "`(+)`", "def f (xs: []i64): i64 = reduce + 0 xs");
    advises("E0039", "`not`", "def f (xs: []bool) = map (!) xs");
}

#[test]
fn local_recursion() {
    let go = "def f (n: i64): i64 = let go k = if k == 0 then 0 else go (k - 1) in go n + 1";
    advises("E0101", "at the top level with `def`", go);
}

#[test]
fn any_rank() {
    advises("E0208", "rank is not known", "def f [..s] (a: [..s]f64): f64 = a[0, 0]");
    advises("E0202", "`generic.map`", "def f [..s] (a: [..s]f64): [..s]f64 = map (+ 1) a");
}

#[test]
fn rows_that_differ() {
    advises("E0304", "`[][~]t`", "def f (xss: [][]f64): [][]f64 = map (\\xs -> filter (> 0) xs) xss");
    advises("E0304", "`[][~]t`", "def f [n] [~k] (xss: [n][~k]f64): [n][]f64 = map (map (+ 1)) xss");
}

#[test]
fn sizes_without_a_name() {
    let both = "def f (xs: []i64) (ys: []i64) = map2 (+) (filter (> 0) xs) (filter (> 0) ys)";
    advises("E0301", "`let [m] (x: [m]t) = ...`", both);
    advises("E0301", "`:> [k]...`", "def f (xs: []i64) (k: i64) = map2 (+) (filter (> 0) xs) (iota k)");
}

#[test]
fn array_in_a_constructor() {
    let rest = "def f [n] (x: s [n]): f64 = match x case #lin _ b -> b case #c -> 0";
    advises("E0218", "`#lin ([n]f64) f64`", &format!("type s [n] = #lin [n]f64 f64 | #c\n{rest}"));
}

#[test]
fn conditions_of_generators() {
    advises("E0101", "`[x for x in xs if x > 0]`", "def f (xs: []i64): []i64 = [x for x in xs where x > 0]");
}

#[test]
fn differentiation() {
    advises("E0101", "not there yet", "def f (x: f64): f64 = vjp (\\x -> x * x) x 1");
}
