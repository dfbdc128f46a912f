//! The rules of memory: what is consumed, and who shares.

use expect_test::{Expect, expect};
use ir::{Aliases, Program, Var, alias, parse, verify};

fn program(stms: &str) -> Program {
    let update = "fn set(n: i64, *ys: [4]f64) -> (fresh zs: [4]f64) { => ys }
                  fn view(n: i64, ys: [4]f64) -> (zs: [4]f64) { => ys }";
    let text = format!("fn f(n: i64, b: bool, xs: [4]f64, *us: [4]f64, *vs: [4]f64) -> () {{ {stms} => }} {update}");
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn accepted(stms: &str) {
    if let Err(violations) = verify(&program(stms)) {
        let shown: Vec<String> = violations.iter().map(|v| v.to_string()).collect();
        panic!("{}\n{stms}", shown.join("\n"));
    }
}

fn refused(stms: &str, expected: Expect) {
    let violations = verify(&program(stms)).expect_err("a violation");
    let first = &violations[0];
    expected.assert_eq(&format!("{:?}: {}", first.rule, first.detail));
}

/// An update of an array.
fn update(to: &str, from: &str) -> String {
    format!("let {to}: [4]f64 = bulk {{ out update ({from}) of ({to}e: f64) emit [0] => 1.0f64 }} ")
}

#[test]
fn nothing_is_read_after_it_was_consumed() {
    accepted(&(update("a", "us") + "let y: f64 = a[0] let z: f64 = vs[0]"));
    refused(
        &(update("a", "us") + "let y: f64 = us[0]"),
        expect!["Read: `us` is read, but its memory has been consumed"],
    );
    refused(
        &(String::from("let w: [4]f64 = slice us[0; 4] ") + &update("a", "us") + "let y: f64 = w[0]"),
        expect!["Read: `w` is read, but its memory has been consumed"],
    );
    refused(
        &(String::from("let w: [4]f64 = slice us[0; 4] ") + &update("a", "w") + "let y: f64 = us[0]"),
        expect!["Read: `us` is read, but its memory has been consumed"],
    );
    refused(
        &("let w: [4]f64 = view(n, us) ".to_string() + &update("a", "us") + "let y: f64 = w[0]"),
        expect!["Read: `w` is read, but its memory has been consumed"],
    );
    refused(
        "let a: [4]f64 = set(n, us) let y: f64 = us[0]",
        expect!["Read: `us` is read, but its memory has been consumed"],
    );
    refused(
        &("let w: [4]f64 = if b { => us } else { => vs } ".to_string() + &update("a", "w") + "let y: f64 = vs[0]"),
        expect!["Read: `vs` is read, but its memory has been consumed"],
    );
    refused(&(update("a", "us") + &update("c", "us")), expect!["Read: `us` is read, but its memory has been consumed"]);
}

#[test]
fn values_of_an_update_see_the_old_array() {
    accepted("let a: [4]f64 = bulk { out update (us) of (e: f64) for i < 4 { let y: f64 = us[i] emit [i] => y } }");
}

#[test]
fn a_branch_may_consume() {
    let one = format!("let a: [4]f64 = if b {{ {} => c }} else {{ => us }} ", update("c", "us"));
    accepted(&(one.clone() + "let y: f64 = a[0] " + &update("e", "a")));
    refused(&(one + "let y: f64 = us[0]"), expect!["Read: `us` is read, but its memory has been consumed"]);
    accepted(&format!("let a: [4]f64 = if b {{ {} => c }} else {{ {} => e }}", update("c", "us"), update("e", "us")));
}

#[test]
fn only_what_is_owned_is_consumed() {
    refused(&update("a", "xs"), expect!["Foreign: `xs` may not be consumed here"]);
    refused("let a: [4]f64 = set(n, xs)", expect!["Foreign: `xs` may not be consumed here"]);
    accepted(&("let w: [4]f64 = copy xs ".to_string() + &update("a", "w")));
    refused(
        &format!(
            "let a: [4]f64 = bulk {{ out gen [4] of (e: f64) for i < 4 {{ {} emit [i] => 1.0f64 }} }}",
            update("c", "us")
        ),
        expect!["Foreign: `us` may not be consumed here"],
    );
    accepted(&format!(
        "let a: [4]f64 = bulk {{ out gen [4] of (e: f64) for i < 4 {{ let w: [4]f64 = copy xs {} emit [i] => 1.0f64 }} }}",
        update("c", "w")
    ));
    refused(
        &format!(
            "let a: [4][4]f64 = bulk {{ out gen [4][4] of (e: f64) for i < 4 {{ let w: [4]f64 = copy xs
             for j < 4 {{ {} emit [i, j] => 1.0f64 }} }} }}",
            update("c", "w")
        ),
        expect!["Foreign: `w` may not be consumed here"],
    );
    refused(
        &format!(
            "let a: [4]f64 = bulk {{ out reduce of (e: [4]f64) from (xs) by (p: [4]f64, q: [4]f64) {{ {} => c }}
             for i < 4 {{ emit => xs }} }}",
            update("c", "p")
        ),
        expect!["Foreign: `p` may not be consumed here"],
    );
}

#[test]
fn loops_consume_their_own_values() {
    let turn = |init: &str, inside: &str, result: &str| {
        format!("let a: [4]f64 = loop (p: [4]f64 = {init}) for i < 4 {{ {inside} => {result} }} ")
    };
    accepted(&(turn("us", &update("c", "p"), "c") + "let y: f64 = a[0] " + &update("e", "a")));
    refused(
        &(turn("us", &update("c", "p"), "c") + "let y: f64 = us[0] "),
        expect!["Read: `us` is read, but its memory has been consumed"],
    );
    refused(&turn("xs", &update("c", "p"), "c"), expect!["Foreign: `xs` may not be consumed here"]);
    refused(&turn("us", &update("c", "us"), "p"), expect!["Foreign: `us` may not be consumed here"]);
    refused(&turn("us", &update("c", "p"), "vs"), expect!["Foreign: `p` may not be consumed here"]);
    refused(
        &turn("us", &("let y: f64 = us[0] ".to_string() + &update("c", "p")), "c"),
        expect!["Read: `us` is read, but its memory has been consumed"],
    );
    let two = |inits: [&str; 2], results: &str| {
        format!(
            "let (a: [4]f64, k: [4]f64) = loop (p: [4]f64 = {}, q: [4]f64 = {}) for i < 4 {{ {} => {results} }}",
            inits[0],
            inits[1],
            update("c", "p")
        )
    };
    accepted(&two(["us", "vs"], "c, q"));
    accepted(&two(["us", "vs"], "q, c"));
    refused(&two(["us", "us"], "c, q"), expect!["Shared: `p` is consumed and shares its memory"]);
    refused(&two(["us", "vs"], "c, c"), expect!["Shared: `p` is consumed and shares its memory"]);
    // The second turn consumes what `q` was at first.
    refused(&two(["us", "xs"], "q, c"), expect!["Foreign: `xs` may not be consumed here"]);
}

#[test]
fn calls_get_memory_of_their_own() {
    let text = "fn g(n: i64, *a: [4]f64, b: [4]f64) -> () { => }
                fn f(n: i64, *us: [4]f64) -> () { let () = g(n, us, us) => }";
    let violations = verify(&parse(text).unwrap()).unwrap_err();
    expect![[r#"
        f: `us` is consumed and shares its memory (rule: nothing is consumed together with something that shares its memory)
          at let () = g(n, us, us)"#]].assert_eq(&violations[0].to_string());
}

#[test]
fn fresh_results_are_alone() {
    let check = |results: &str, expected: &[bool]| {
        let text = format!(
            "fn f(n: i64, xs: [4]f64, *us: [4]f64) -> (fresh a: [4]f64, fresh b: [4]f64) {{ let w: [4]f64 = copy xs => {results} }}"
        );
        let program = parse(&text).unwrap();
        let function = program.functions.ids().next().unwrap();
        assert_eq!(alias::freshness(&program, function), expected, "{results}");
        assert_eq!(verify(&program).is_ok(), expected == [true, true], "{results}");
    };
    check("w, us", &[true, true]);
    check("w, xs", &[true, false]);
    check("w, w", &[false, false]);
}

#[test]
fn a_consumed_shape_is_a_consumed_array() {
    let text = "fn f(r: i64, *s: [r]i64, xs: [..s]f64) -> () {
        let t: [r]i64 = bulk { out update (s) of (e: i64) for i < r { emit [i] => 1 } }
        let ys: [..s]f64 = copy xs => }";
    let violations = verify(&parse(text).unwrap()).unwrap_err();
    expect![[r#"
        f: `s` is read, but its memory has been consumed (rule: nothing is read after it was consumed)
          at let ys: [..s]f64 = copy xs"#]]
    .assert_eq(&violations[0].to_string());
}

#[test]
fn aliases_are_known_to_others() {
    let program = program(&format!(
        "let w: [4]f64 = slice us[0; 4] let c: [4]f64 = copy us let k: [4]f64 = if b {{ => w }} else {{ => c }} {}",
        update("a", "us")
    ));
    let function = program.functions.ids().next().unwrap();
    let aliases = Aliases::of(&program, function);
    let var = |name: &str| program.vars.iter().find(|(_, info)| info.name.as_str() == name).map(|(v, _)| v).unwrap();
    let share = |a: &str, b: &str| aliases.share(var(a), var(b));
    assert!(share("w", "us") && share("k", "us") && share("k", "c") && share("a", "us") && share("a", "w"));
    assert!(!share("c", "us") && !share("w", "vs") && !share("xs", "us") && !share("n", "us"));
    let sharing: Vec<Var> = aliases.sharing(var("c")).into_iter().collect();
    assert_eq!(sharing, [var("c"), var("k")]);
}
