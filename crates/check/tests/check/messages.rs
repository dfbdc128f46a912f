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
    advises("E0203", "leave this argument out", &format!("{add}def f = add 1 2 3"));
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
    advises("E0046", "`a && b`", "def f (a: bool) (b: bool) = a and not b");
    advises("E0205", "`x ** 2`", "def f (x: f64) = x ^ 2");
    advises("E0207", "`length x`", "def f (xs: []f64) = xs.length");
    advises("E0207", "`f64.sum x`", "def f (xs: []f64) = xs.sum()");
}

#[test]
fn habits_of_other_languages() {
    advises("E0010", "leave out `return`", "def f(x):\n    return x + 1\ndef g (x: i64) = x");
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
        "directly after each other",
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
    advises("E0101", "not supported yet", "def f (x: f64): f64 = vjp (\\x -> x * x) x 1");
}

#[test]
fn words_as_operators() {
    for condition in ["x > 0 and x < 9", "x == 0 and x != 9", "x > 0 && x < 5 and x > 2", "p x and p (x + 1)"] {
        advises("E0046", "`a && b`", &format!("def p (x: i64) = x > 0\ndef f (x: i64) = if {condition} then 1 else 2"));
    }
    for condition in ["x > 0 or x < 9", "not (x == 0) or x > 1", "(x > 0) or !(x > 1)"] {
        advises("E0046", "`a || b`", &format!("def f (x: i64) = if {condition} then 1 else 2"));
    }
    advises("E0046", "`a % b`", "def f (x: i64) = x mod 2");
    advises("E0202", "`!(a > b)`", "def f (a: f64) (b: f64) = not a > b");
    advises("E0232", "`x >= 0 && x < 5`", "def f (x: i64) = x >= 0 & x < 5");
    // The functions `and` and `or` of the library are still functions.
    let fine = "def f (xss: [][]bool): bool = or (map and xss)\ndef g (h: ([]bool -> bool) -> i64) = h and";
    assert!(compile(&InMemory::new([("test.rv", fine)]), "test.rv").diagnostics.is_empty());
}

#[test]
fn conversions_of_other_languages() {
    advises("E0107", "`f64.i64 x`", "def f (x: i64) = f64(x) + 1");
    advises("E0107", "`i64.f32 (x + 1)`", "def f (x: f32) = i64 (x + 1)");
    advises("E0107", "`map f32.i64 xs`", "def f (xs: []i64) = f32 xs");
    advises("E0101", "`i64.f64 x`", "def f (x: f64) = int(x)");
    advises("E0233", "`f64.i64 x`", "def f (x: i64) = x as f64");
    advises("E0233", "`i32.i64 (x + 1)`", "def f (x: i64) = (x + 1) as i32");
}

#[test]
fn comparisons_in_chains() {
    advises("E0232", "`0 < i && i < n`", "def f (i: i64) (n: i64) = 0 < i < n");
    advises("E0232", "`1 <= x && x <= 9`", "def f (xs: []i64) = [x for x in xs if 1 <= x <= 9]");
    let fine = "def f (a: i64) (b: i64) (c: bool) = a < b == c";
    assert!(compile(&InMemory::new([("test.rv", fine)]), "test.rv").diagnostics.is_empty());
}

#[test]
fn negative_arguments() {
    advises("E0205", "`f64.max x (-1)`", "def f (x: f64) = f64.max x -1");
    advises("E0205", "`reduce i64.max (-1) xs`", "def f (xs: []i64) = reduce i64.max -1 xs");
    advises("E0205", "`y: i64` is missing", "def g (x: i64) (y: i64) = x * y\ndef f (x: i64) = g x - 1");
}

#[test]
fn choices_of_other_languages() {
    advises("E0045", "`if c then a else b`", "def f (c: bool) = if c: 1 else: 2");
    advises("E0045", "`if x > 0 then a else b`", "def f (x: i64) = if x > 0: 1 elif x < 0: 2 else: 3");
    advises("E0045", "`if (c) then a else b`", "def f (c: bool) = if (c) { 1 } else { 2 }");
    advises("E0010", "`if c then a else b`", "def f (c: bool) = if (c) 1 else 2");
    advises("E0042", "case pattern -> value", "def f (x: i64) = match x with | 0 -> 1 | _ -> 2");
    advises("E0042", "case pattern -> value", "def f (x: i64) = match x { 0 => 1, _ => 2 }");
}

#[test]
fn names_without_let() {
    advises("E0032", "`let x = n + 1`", "def f (n: i64) =\n  x = n + 1\n  x * 2");
    advises("E0032", "`let x = n + 1`", "def f (n: i64) =\n  let y = 1\n  x = n + 1\n  in x * y");
    advises("E0032", "`let x = if c then a else b in ...`", "def f (c: bool) = if c then x = 1 else x = 2");
    advises("E0010", "`def f (x: t): u = result`", "def f(x: i64) -> i64:\n    return x + 1");
}

#[test]
fn hidden_operators() {
    advises("E0234", "`f64.(a.0 + b.0)`", "def (+) (a: (f64, f64)) (b: (f64, f64)) = (a.0 + b.0, a.1 + b.1)");
    advises("E0234", "`f64.(map2 (*) a b)`", "def (*) (a: [3]f64) (b: [3]f64) = map2 (*) a b");
}
