//! Every rule of the verifier, on small texts that break it and on neighbours that do not.

use expect_test::{Expect, expect};
use ir::{Atom, Program, Violation, parse, verify};

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The broken rules of scopes and types. What is proved about integers has tests of its own, `tests/core/verify.md`.
fn broken(program: &Program) -> Vec<Violation> {
    let all = verify(program).err().unwrap_or_default();
    all.into_iter().filter(|violation| !violation.rule.is_proved()).collect()
}

fn accepted(text: &str) {
    let violations = broken(&program(text));
    if !violations.is_empty() {
        let shown: Vec<String> = violations.iter().map(|v| v.to_string()).collect();
        panic!("{}\n{text}", shown.join("\n"));
    }
}

fn refused(text: &str, expected: Expect) {
    let violations = broken(&program(text));
    let first = violations.first().expect("a violation");
    expected.assert_eq(&format!("{:?}: {}", first.rule, first.detail));
}

/// A function with these statements.
fn body(stms: &str) -> String {
    format!(
        "fn f(n: i64, m: i64, b: bool, x: f64, xs: [n]f64, *us: [n]f64, v: [m]i64, d: desc [n], js: [n][~d]f64) -> () {{ {stms} => }}"
    )
}

#[test]
fn a_variable_is_bound_once() {
    let mut program = program(&body("let y: i64 = 1 let z: i64 = 2"));
    let function = program.functions.ids().next().unwrap();
    let block = &mut program.functions[function].body;
    block.stms[1].vars = block.stms[0].vars.clone();
    let violations = verify(&program).unwrap_err();
    expect![[r#"f: `y` is bound more than once (rule: a variable is bound once)
  at let y: i64 = 2"#]]
    .assert_eq(&violations[0].to_string());
    program.functions[function].body.result = vec![Atom::Var(ir::Var(999))];
    assert!(verify(&program).is_err());
}

#[test]
fn a_variable_is_used_in_scope() {
    refused(
        &body("let y: i64 = if b { let z: i64 = 1 => z } else { => 2 } let w: i64 = z + 1"),
        expect!["Scope: `z` is not in scope"],
    );
    refused(
        &body("let y: i64 = if b { let z: i64 = y + 1 => z } else { => 2 }"),
        expect!["Scope: `y` is not in scope"],
    );
    refused(
        &body("let y: [n]f64 = if b { let k: i64 = 1 => xs } else { let z: [k]f64 = retype xs => xs }"),
        expect!["Type: `z: [k]f64` has `k`, which is not in scope"],
    );
}

#[test]
fn types_are_well_formed() {
    accepted(&body(
        "let w: [m][n]f64 = reshape xs let a: [..v][n]f64 = reshape xs let e: desc [n][~d] = desc_uniform m",
    ));
    accepted(&body("let w: [m][..v]f64 = reshape xs"));
    refused(&body("let w: [x]f64 = reshape xs"), expect!["Type: `w: [x]f64` has the size `x`, no i64"]);
    refused(&body("let w: [~d]f64 = reshape xs"), expect!["Type: `w: [~d]f64` has `~d`, which is of type desc [n]"]);
    refused(
        &body("let w: [m][~d]f64 = reshape xs"),
        expect!["Type: `w: [m][~d]f64` has `~d`, which is of type desc [n]"],
    );
    refused(
        &body("let w: [..xs]f64 = reshape xs"),
        expect!["Type: `w: [..xs]f64` has `..xs`, which is of type [n]f64"],
    );
    refused(
        &body("let w: [..v][~d]f64 = reshape xs"),
        expect!["Type: `w: [..v][~d]f64` has `~d`, which is of type desc [n]"],
    );
}

#[test]
fn operands_have_the_right_types() {
    refused(&body("let y: i64 = n + x"), expect!["Operand: `x` is of type f64, not i64"]);
    refused(&body("let y: f64 = x & x"), expect!["Operand: `&` does not work at f64"]);
    refused(&body("let y: f64 = xs[x]"), expect!["Operand: `x` is of type f64, not i64"]);
    refused(&body("let y: f64 = x[n]"), expect!["Operand: `x` is no array"]);
    refused(&body("let y: i64 = desc_length v[0]"), expect!["Operand: `v` is no descriptor"]);
    refused(&body("let y: f64 = f64.sqrt(x, x)"), expect!["Count: f64.sqrt does not take 2 operands"]);
    accepted(&body("let e: desc [m] = desc_of v let same: bool = desc_equal(d, e)"));
    refused(
        &body("let e: desc [1][n] = desc_uniform m let same: bool = desc_equal(d, e)"),
        expect!["Operand: descriptors inside of more and of fewer dimensions"],
    );
    refused(&body("let y: i64 = i64.sqrt(n)"), expect!["Operand: there is no i64.sqrt"]);
    refused(&body("let y: [n]f64 = rearrange xs (1)"), expect!["Operand: the order does not fit the dimensions"]);
    refused(&body("let y: i64 = if x { => 1 } else { => 2 }"), expect!["Operand: `x` is of type f64, not bool"]);
}

#[test]
fn results_have_the_right_types() {
    accepted(&body("let y: bool = x < 1.0f64 let l: [2]i64 = i64[n, 1] let k: i64 = n let w: [k]f64 = copy xs"));
    refused(&body("let y: f64 = x < 1.0f64"), expect!["Result: `y` is of type f64, not bool"]);
    refused(&body("let l: [3]i64 = i64[n, 1]"), expect!["Result: `l` is of type [3]i64, not [2]i64"]);
    refused(&body("let w: [m]f64 = copy xs"), expect!["Result: `w` is of type [m]f64, not [n]f64"]);
    refused(&body("let (a: i64, c: i64) = n + 1"), expect!["Count: 2 variables for one result"]);
    refused(&body("let w: [m]i64 = retype xs"), expect!["Result: `retype` changes more than dimensions"]);
}

#[test]
fn rows_have_their_own_sizes() {
    accepted(&body(
        "let k: i64 = desc_length d[0]
         let r: [k]f64 = js[0]
         let y: f64 = js[0, 1]
         let e: desc [n][~d] = desc_uniform m
         let w: [n][~d][~e]f64 = reshape js
         let e2: desc [k] = desc_index e[1]
         let s: [k][~e2]f64 = w[1]
         let d2: desc [m] = desc_slice d[0; m]
         let t: [m][~d2]f64 = slice js[0; m]",
    ));
    refused(&body("let r: [n][~d]f64 = js[0]"), expect!["Result: `r` is of type [n][~d]f64, not [n]f64"]);
    refused(&body("let t: [n][~d]f64 = slice js[0; m]"), expect!["Result: `t` is of type [n][~d]f64, not [m][~d]f64"]);
    refused(&body("let y: f64 = js[0, 1, 2]"), expect!["Count: 3 indices do not fit the dimensions"]);
    refused(&body("let t: [n][m]f64 = slice js[0; n, 0; m]"), expect!["Count: 2 ranges do not fit the dimensions"]);
}

#[test]
fn branches_and_loops_bring_sizes_first() {
    accepted(&body("let (k: i64, ys: [k]f64) = if b { => n, xs } else { let z: [0]f64 = f64[] => 0, z }"));
    refused(
        &body("let (k: i64, ys: [k]f64) = if b { => m, xs } else { => n, xs }"),
        expect!["Result: `xs` is of type [n]f64, not [m]f64"],
    );
    refused(&body("let k: i64 = if b { => m, n } else { => n }"), expect!["Count: 2 values for 1 variables"]);
    accepted(&body(
        "let (k: i64, ys: [k]f64) = loop (j: i64 = n, zs: [j]f64 = xs) for i < m {
           let l: i64 = j + 1  let w: [l]f64 = reshape zs  => l, w }",
    ));
    refused(
        &body("let ys: [n]f64 = loop (zs: [n]f64 = xs) for i < m { let w: [m]f64 = reshape zs => w }"),
        expect!["Result: `w` is of type [m]f64, not [n]f64"],
    );
    refused(
        &body("let y: i64 = loop (z: i64 = x) while { => b } do { => z }"),
        expect!["Operand: `x` is of type f64, not i64"],
    );
    refused(
        &body("let y: i64 = loop (z: i64 = n) while { => z } do { => z }"),
        expect!["Operand: `z` is of type i64, not bool"],
    );
    refused(
        &body("let y: f64 = loop (z: i64 = n) while { => b } do { => z }"),
        expect!["Result: `y` is of type f64, not i64"],
    );
}

#[test]
fn checks_have_sites_and_values() {
    let site = "site R001 \"{1}\" ";
    accepted(&(body("let c: cert = assert b else R001(n, v) let <c> y: i64 = n / m") + site));
    refused(&(body("let c: cert = assert b else R001(n)") + site), expect!["Site: 2 values are shown, not 1"]);
    refused(
        &(body("let c: cert = assert b else R001(n, xs)") + site),
        expect!["Site: a message shows scalars, vectors of i64 and row lengths"],
    );
    refused(&body("let <n> y: i64 = n / m"), expect!["Cert: `n` is no certificate"]);
    refused(&(body("let c: bool = assert b else R001(n, n)") + site), expect!["Result: `c` is of type bool, not cert"]);
}

#[test]
fn calls_fit() {
    let callee = "fn g(k: i64, ys: [k]f64) -> (l: i64, zs: [l]f64, ws: [k]f64) { => k, ys, ys }";
    accepted(&(body("let (p: i64, q: [p]f64, r: [n]f64) = g(n, xs)") + callee));
    refused(
        &(body("let (p: i64, q: [p]f64, r: [n]f64) = g(m, xs)") + callee),
        expect!["Operand: `xs` is of type [n]f64, not [m]f64"],
    );
    refused(
        &(body("let (p: i64, q: [n]f64, r: [n]f64) = g(n, xs)") + callee),
        expect!["Result: `q` is of type [n]f64, not [p]f64"],
    );
    refused(&(body("let p: i64 = g(n, xs)") + callee), expect!["Count: 1 variables for 3 results"]);
    refused(&(body("let (p: i64, q: [p]f64, r: [n]f64) = g(n)") + callee), expect!["Count: 1 values for 2 variables"]);
    refused(
        "fn g(k: i64, *l: i64) -> (m: i64) { => k, k }",
        expect!["Operand: a parameter that is consumed is no array"],
    );
}

#[test]
fn outputs_fit_their_kinds() {
    let bulk = |vars: &str, outputs: &str, steps: &str| {
        body(&format!("let {vars} = bulk {{ {outputs} for i < n {{ let y: f64 = xs[i] {steps} }} }}"))
    };
    accepted(&bulk("ys: [n]f64", "out gen [n] of (e: f64)", "emit [i] => y"));
    refused(
        &bulk("ys: [m]f64", "out gen [n] of (e: f64)", "emit [i] => y"),
        expect!["Result: `ys` is of type [m]f64, not [n]f64"],
    );
    refused(&bulk("ys: [n]f64", "out gen [n] of (e: f64)", "emit [i, i] => y"), expect!["Output: 2 subscripts, not 1"]);
    refused(
        &bulk("ys: [n]f64", "out gen [n] of (e: f64)", "emit [i] => i"),
        expect!["Result: `i` is of type i64, not f64"],
    );
    refused(&bulk("ys: [n]f64", "out gen [n] of (e: f64)", "emit 1 [i] => y"), expect!["Output: there is no output 1"]);
    refused(
        &bulk("(k: desc [n], ys: [n]f64)", "out gen [n] of (e: f64)", "emit [i] => y"),
        expect!["Count: 2 variables for 1 results"],
    );
    accepted(&bulk(
        "(e1: desc [n], ys: [n][~e1][m]f64)",
        "out gen [n] of (l: i64; e: [l][m]f64)",
        "let r: [m][m]f64 = reshape xs emit [i] => m, r",
    ));
    refused(
        &bulk("(e1: desc [m], ys: [n][~e1]f64)", "out gen [n] of (l: i64; e: [l]f64)", "emit [i] => n, xs"),
        expect!["Type: `ys: [n][~e1]f64` has `~e1`, which is of type desc [m]"],
    );
    accepted(&bulk("ys: [..v]f64", "out gen [..v] of (e: f64)", "if b { emit [v] => y }"));
    refused(
        &bulk("ys: [..v]f64", "out gen [..v] of (e: f64)", "emit [i] => y"),
        expect!["Operand: `i` is no vector of i64"],
    );
    accepted(&bulk("(k: i64, ys: [k]f64)", "out keep of (e: f64)", "emit => y"));
    refused(
        &bulk("(k: i64, ys: [n]f64)", "out keep of (e: f64)", "emit => y"),
        expect!["Result: `ys` is of type [n]f64, not [k]f64"],
    );
    let op = "by (p: f64, q: f64) { let r: f64 = p + q => r }";
    accepted(&bulk("s: f64", &format!("out reduce of (e: f64) from (0.0f64) {op}"), "emit => y"));
    refused(
        &bulk("s: f64", &format!("out reduce of (e: f64) from (0) {op}"), "emit => y"),
        expect!["Operand: `0i64` is of type i64, not f64"],
    );
    refused(
        &bulk("s: f64", "out reduce of (e: f64) from (0.0f64) by (p: f64) { => p }", "emit => y"),
        expect!["Count: an operator on 1 values with 1 parameters"],
    );
    let scan = |head: &str| format!("scan (s: f64) from (0.0f64) {head} {op} of => y emit [i] => s");
    accepted(&bulk("ys: [n]f64", "out gen [n] of (e: f64)", &scan("")));
    accepted(&bulk("ys: [n]f64", "out gen [n] of (e: f64)", &scan("in order")));
    let trees = [
        ("any order", expect!["Tree: the operator is not exact"]),
        ("blocks 3", expect!["Tree: numbers are powers of two, and lanes fit a block"]),
        ("blocks 8 lanes 4", expect!["Tree: a running combination is in order, or in plain blocks"]),
        ("parts 4 from 1 turns 1 elements 1", expect!["Tree: a running combination is in order, or in plain blocks"]),
    ];
    for (tree, expected) in trees {
        refused(&bulk("ys: [n]f64", "out gen [n] of (e: f64)", &scan(&format!("in {tree}"))), expected);
    }
    accepted(&bulk("ys: [n]f64", "out update (us) of (e: f64) skip", "emit [i] => y"));
    refused(
        &bulk("ys: [n]f64", "out update (us) of (e: i64)", "emit [i] => i"),
        expect!["Output: the values are not what the arrays hold"],
    );
    refused(
        &bulk("ys: [n]f64", "out update (us) of (k: i64; e: f64)", "emit [i] => i, y"),
        expect!["Count: 1 variables for 2 results"],
    );
    accepted(&bulk("ys: [n]f64", &format!("out accum (us) of (e: f64) {op}"), "emit [i] => y"));
}

#[test]
fn outputs_of_one_form_are_cut_alike() {
    let op = "by (p: f64, q: f64) { let r: f64 = p + q => r }";
    let reduced = |tree: &str| format!("out reduce of (e: f64) from (0.0f64) in {tree} {op}");
    let combined = |array: &str, parts: &str| format!("out accum ({array}) of (e: f64) in parts {parts} {op}");
    let form = |bound: &str, outputs: [String; 2], steps: &str| {
        let [one, other] = outputs;
        // All names differ.
        let other = ["e", "p", "q", "r"]
            .iter()
            .fold(other, |text, name| text.replace(&format!("{name}: f64"), &format!("{name}.1: f64")));
        let other = other.replace("p + q => r", "p.1 + q.1 => r.1");
        let loop_ = format!("for i < n {{ let y: f64 = xs[i] {steps} }}");
        body(&format!("let ws: [n]f64 = copy xs let ({bound}) = bulk {{ {one} {other} {loop_} }}"))
    };
    let different = || expect!["Tree: outputs of one form are cut in different ways"];
    let sums = |other: &str| form("s: f64, t: f64", [reduced("blocks 8"), reduced(other)], "emit 0 => y emit 1 => y");
    accepted(&sums("blocks 8"));
    refused(&sums("blocks 16"), different());
    let eight = "8 from 64 turns 2 elements 3";
    let tables = |other: &str| {
        let outputs = [combined("us", eight), combined("ws", other)];
        form("s: [n]f64, t: [n]f64", outputs, "emit 0 [i] => y emit 1 [i] => y")
    };
    accepted(&tables(eight));
    refused(&tables("8 from 64 turns 2 elements 4"), different());
    let beside = |bound: &str, output: &str, emit: &str| {
        form(&format!("s: [n]f64, {bound}"), [combined("us", eight), output.into()], &format!("emit 0 [i] => y {emit}"))
    };
    accepted(&beside("t: [n]f64", "out gen [n] of (e: f64)", "emit 1 [i] => y"));
    refused(
        &beside("k: i64, t: [k]f64", "out keep of (e: f64)", "emit 1 => y"),
        expect!["Tree: parts take one loop of scalars, and new arrays beside"],
    );
}

#[test]
fn recursive_arrays_are_only_indexed_in_values() {
    let rec = |steps: &str| {
        body(&format!("let ys: [n]f64 = bulk {{ out gen [n] of (e: f64) rec (zs: [n]f64) for i < n {{ {steps} }} }}"))
    };
    accepted(&rec("emit [i] { let y: f64 = zs[i] let w: [2]f64 = slice zs[0; 2] let q: f64 = w[0] => q }"));
    refused(&rec("let y: f64 = zs[i] emit [i] => y"), expect!["Scope: `zs` is not in scope"]);
    refused(
        &rec("emit [i] { let w: [n]f64 = copy zs let y: f64 = w[i] => y }"),
        expect!["Recursive: `zs` is used as a whole"],
    );
}

#[test]
fn entries_are_made_of_components() {
    let function = "fn f(n: i64, d: desc [n], xs: [n][~d]f64) -> (r: i64, s: [r]i64, ys: [..s]f64) {
        let l: [1]i64 = i64[n]  let y: [..l]f64 = reshape xs  => 1, l, y }";
    accepted(&format!("{function} entry main = f(xs: [][~]f64) -> ([..]f64)"));
    refused(
        &format!("{function} entry main = f(xs: [][]f64) -> ([..]f64)"),
        expect!["Entry: the parameters are not the components of the arguments"],
    );
    refused(
        &format!("{function} entry main = f(xs: [][~]f64) -> ()"),
        expect!["Entry: the results are not the components of the layouts"],
    );
}

#[test]
fn sorting_and_tracing() {
    accepted(&body(
        "let o: [n]i64 = sort n by (p: i64, q: i64) { let c: bool = p < q => c } let () = trace []f64 (n, xs)",
    ));
    refused(
        &body("let o: [n]i64 = sort n by (p: i64) { => b }"),
        expect!["Operand: a comparison takes two numbers of elements"],
    );
    refused(&body("let () = trace []f64 (m, xs)"), expect!["Operand: `xs` is of type [n]f64, not [m]f64"]);
}
