//! The verifier: programs that keep the rules, and one for each way to break them.

use kernel::text::parse;
use kernel::verify::verify;

/// What is wrong with a function of this head and body.
fn problems(head: &str, body: &str) -> String {
    let text = format!("site 0 R001 \"\" @0:0-0\nfun f.0{head} @0:0-0 {{\n{body}\n}}\n");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match verify(&program) {
        Ok(()) => String::new(),
        Err(problems) => problems.iter().map(|p| p.what.clone()).collect::<Vec<_>>().join("; "),
    }
}

const HEAD: &str = "(n.0: i64, xs.1: []i64) -> (i64)";

fn expect(body: &str, problem: &str) {
    let found = problems(HEAD, &format!("{body}\nreturn (n.0)"));
    assert_eq!(found, problem, "{body}");
}

#[test]
fn what_is_right() {
    expect("", "");
    expect("var a.2: []i64 alloc a.2 n.0 @0:0-0 a.2[0i64] := xs.1[0i64] release a.2", "");
    expect("var a.2: []i64 if (n.0 <i64 0i64) { alloc a.2 n.0 @0:0-0 } release a.2", "");
    expect("var a.2: []i64 for i.3 = 0i64 to n.0 { release a.2 alloc a.2 i.3 @0:0-0 } release a.2", "");
    expect("var b.3: []i64 var a.2: []i64 alloc a.2 n.0 reusing b.3 @0:0-0 move b.3 = a.2 release b.3", "");
    expect("for i.3 = 0i64 to n.0 parallel { xs.1[i.3] := i.3 var a.2: []i64 share a.2 = xs.1 release a.2 }", "");
    expect("var s.3: i64 try s.3 { if (n.0 <i64 0i64) { stop n.0 } }", "");
    expect("if (n.0 <i64 0i64) { fail 0(i64 n.0) }", "");
    expect("loop { call (b.2: i64) = f.0(n.0, &xs.1) } while (b.2 >i64 n.0) { n.0 := b.2 }", "");
    assert_eq!(problems("(xs.1: []i64) -> ([]i64)", "var a.2: []i64 share a.2 = xs.1 return (&a.2)"), "");
}

#[test]
fn scopes_and_types() {
    expect("n.9 := 0i64", "k9 is no scalar; k9 is not in scope");
    expect("if true { let a.2: i64 = 0i64 } n.0 := a.2", "a (k2) is not in scope");
    expect("let a.2: i64 = 0i64 let a.2: i64 = 0i64", "a (k2) is declared twice");
    expect("n.0 := 1.0f64", "1.0f64 is f64, not i64");
    expect("n.0 := (1i64 &&i64 2i64)", "there is no && at i64");
    expect("n.0 := math.sqrt.i64(1i64)", "there is no sqrt at i64");
    expect("xs.1[true] := 1i64", "true is bool, not i64");
    expect("for i.2 = 0i64 to n.0 { i.2 := 1i64 }", "i (k2) is the index of a loop and is assigned");
    expect("call () = f.0(n.0)", "a call of fun0 has another number of arguments or results");
    expect("fail 7()", "site7 does not exist; statements stand where no path arrives");
}

#[test]
fn ownership() {
    let goes = "a (k2) goes out of scope while it may own a reference";
    expect("if true { var a.2: []i64 alloc a.2 n.0 @0:0-0 }", goes);
    expect("var a.2: []i64 alloc a.2 n.0 @0:0-0", "a (k2) owns a reference when the function is left");
    expect("release xs.1", "xs (k1) was lent and is released");
    let twice = "a (k2) is overwritten while it may own a reference";
    expect("var a.2: []i64 alloc a.2 n.0 @0:0-0 alloc a.2 n.0 @0:0-0 release a.2", twice);
    expect("var a.2: []i64 for i.3 = 0i64 to n.0 { alloc a.2 n.0 @0:0-0 } release a.2", twice);
    let lent = "xs (k1) was lent and is released";
    expect("var a.2: []i64 alloc a.2 n.0 reusing xs.1 @0:0-0 release a.2", lent);
    let types = "a (k2) and b (k3) are of different types";
    expect("var a.2: []i64 var b.3: []f64 alloc a.2 n.0 reusing b.3 @0:0-0 release a.2", types);
    let gone = "a (k2) gives away what it does not have";
    expect("var a.2: []i64 alloc a.2 n.0 @0:0-0 release a.2 var b.3: []i64 move b.3 = a.2 release b.3", gone);
    // A buffer that got nothing is an array without elements.
    assert_eq!(problems("() -> ([]i64)", "var a.1: []i64 return (&a.1)"), "");
    let found = problems("(xs.1: []i64) -> ([]i64)", "return (&xs.1)");
    assert_eq!(found, "xs (k1) was lent and is given away");
    let found = problems("() -> (i64)", "if true { return (0i64) }");
    assert_eq!(found, "a path comes to the end without a return");
}

#[test]
fn bodies_of_their_own() {
    let outside = "is changed, but comes from outside of the body";
    expect("for i.2 = 0i64 to n.0 parallel { n.0 := 1i64 }", &format!("n (k0) {outside}"));
    expect("var a.2: []i64 for i.3 = 0i64 to n.0 parallel { alloc a.2 n.0 @0:0-0 }", &format!("a (k2) {outside}"));
    expect(
        "for i.2 = 0i64 to n.0 parallel { return (n.0) }",
        "a return stands in the body of a parallel loop or attempt",
    );
    let parallel = "var s.2: i64 for i.3 = 0i64 to n.0 parallel { var t.4: i64 try t.4 { n.0 := 1i64 } }";
    expect(parallel, &format!("n (k0) {outside}"));
    let attempt =
        "var s.2: i64 var a.3: []i64 try s.2 { n.0 := 1i64 grow a.3 used 0i64 needed n.0 @0:0-0 } release a.3";
    expect(attempt, "");
    expect("var s.2: i64 var a.3: []i64 try s.2 { alloc a.3 n.0 @0:0-0 }", &format!("a (k3) {outside}"));
    expect("stop n.0", "a stop stands outside of every attempt; statements stand where no path arrives");
    let turn = "alloc a.4 n.0 reusing s.3 @0:0-0 a.4[0i64] := i.2 move s.3 = a.4";
    expect(&format!("for i.2 = 0i64 to n.0 parallel {{ keep s.3: []i64 var a.4: []i64 {turn} }}"), "");
    let misplaced = "s (k3) is kept, but not in the body of a parallel loop";
    for around in ["for i.2 = 0i64 to n.0", "for i.2 = 0i64 to n.0 parallel { if true", "if true"] {
        let end = "}".repeat(around.matches('{').count());
        expect(&format!("{around} {{ keep s.3: []i64 release s.3 }} {end}"), misplaced);
    }
    expect(
        "for i.2 = 0i64 to n.0 parallel { keep s.3: []i64 let a.4: i64 = s.3[0i64] }",
        "s (k3) is kept for its memory, and read",
    );
    let inside = "var s.2: i64 try s.2 { for i.3 = 0i64 to n.0 parallel { } }";
    expect(inside, "a parallel loop stands in an attempt");
}

/// A new buffer `a` beside the parameter `xs`, and a loop with this mark.
fn expect_loop(mark: &str, body: &str, problem: &str) {
    let start = "var a.2: []i64 in m0 alloc a.2 n.0 @0:0-0";
    expect(&format!("{start} for i.3 = 0i64 to n.0 {mark} {{ {body} }} release a.2"), problem);
}

#[test]
fn independent_iterations() {
    for body in [
        "a.2[i.3] := (xs.1[(n.0 -i64 i.3)] +i64 1i64)",
        "let k.4: i64 = (n.0 +i64 i.3) if (xs.1[k.4] >i64 0i64) { a.2[k.4] := 1i64 } else { a.2[(i.3 +i64 n.0)] := 2i64 }",
        "a.2[(2i64 *i64 i.3)] := i.3 a.2[((2i64 *i64 i.3) +i64 1i64)] := i.3",
        "a.2[i.3] := (a.2[i.3] *i64 xs.1[0i64])",
        "var k.4: i64 k.4 := xs.1[i.3] a.2[i.3] := k.4",
        // The place does not depend on what is in memory.
        "a.2[((i.3 +i64 (n.0 *i64 n.0)) -i64 n.0)] := xs.1[xs.1[i.3]]",
    ] {
        expect_loop("simd", body, "");
    }
}

#[test]
fn dependent_iterations() {
    let twice = "a simd loop may store to one place of a (k2) twice";
    expect_loop("simd", "a.2[n.0] := i.3", twice);
    expect_loop("simd", "a.2[xs.1[i.3]] := i.3", twice);
    expect_loop("simd", "a.2[(i.3 *i64 n.0)] := i.3", twice);
    expect_loop("simd", "let k.4: i64 = i.3 k.4 := 0i64 a.2[k.4] := i.3", twice);
    let meets = "a simd loop stores to a (k2) what may be in a (k2) for another iteration";
    expect_loop("simd", "a.2[(i.3 +i64 1i64)] := a.2[i.3]", meets);
    expect_loop("simd", "a.2[i.3] := a.2[xs.1[i.3]]", meets);
    expect_loop("simd", "a.2[(2i64 *i64 i.3)] := i.3 a.2[((2i64 *i64 i.3) +i64 2i64)] := i.3", meets);
    expect_loop("simd", "a.2[i.3] := i.3 a.2[(2i64 *i64 i.3)] := i.3", meets);
    let back = "a simd loop reads a (k2) after it stored to it";
    expect_loop("simd", "a.2[i.3] := i.3 if (a.2[i.3] >i64 0i64) { }", back);
    expect_loop("simd", "n.0 := i.3", "a simd loop changes n (k0), which comes from outside");
    let more = "a simd loop does more than compute scalars and store them";
    expect_loop("simd", "if (i.3 >i64 n.0) { fail 0(i64 i.3) }", more);
    expect_loop("simd", "call (b.4: i64) = f.0(i.3, &xs.1)", more);
    expect_loop("simd", "var b.4: []i64 alloc b.4 n.0 @0:0-0 release b.4", more);
}

#[test]
fn aliases() {
    let both = "a simd loop stores to b (k4) what may be in xs (k1) for another iteration";
    let body = "for i.3 = 0i64 to n.0 simd { b.4[i.3] := xs.1[i.3] }";
    expect(&format!("var b.4: []i64 alloc b.4 n.0 @0:0-0 {body} release b.4"), both);
    expect(&format!("var b.4: []i64 in m0 alloc b.4 n.0 @0:0-0 {body} release b.4"), "");
    expect(
        "var b.4: []f64 alloc b.4 n.0 @0:0-0 for i.3 = 0i64 to n.0 simd { b.4[i.3] := convert.i64.f64(xs.1[i.3]) } release b.4",
        "",
    );
    let other = "var b.4: []i64 in m0 alloc b.4 n.0 @0:0-0 var c.5: []i64";
    expect("var b.4: []i64 in m0 share b.4 = xs.1 release b.4", "b (k4) and xs (k1) are of different memories");
    let different = "c (k5) and b (k4) are of different memories";
    expect(&format!("{other} share c.5 = b.4 release b.4 release c.5"), different);
    expect(&format!("{other} in m0 share c.5 = b.4 release b.4 release c.5"), "");
    expect(
        &format!("{other} pack c.5 refs (&b.4) words () release b.4 release c.5"),
        "b (k4) has a memory, but may be any",
    );
    // Its memory goes to another one, and it has none any more.
    expect(&format!("{other} move c.5 = b.4 release c.5"), "");
    expect(&format!("{other} in m1 move c.5 = b.4 release c.5"), "");
    let shared = "var d.6: []i64 in m0 share d.6 = b.4 release d.6";
    expect(&format!("{other} in m1 {shared} move c.5 = b.4 release c.5"), different);
    // This function returns no memory.
    expect(&format!("{other} call (d.6: i64) = f.0(n.0, &b.4) release b.4"), "");
    assert_eq!(problems("(xs.1: []i64 in m0) -> ()", "return ()"), "xs (k1) has a memory, but may be any");
    let call = |result: &str| {
        let body = format!("var a.2: []i64 in m0 call (b.3: []i64{result}) = f.0(&a.2) release b.3 return (&a.2)");
        problems("(xs.1: []i64) -> ([]i64)", &body)
    };
    assert_eq!(call(" in m0"), "");
    assert_eq!(call(" in m1"), "b (k3) and a (k2) are of different memories");
    assert_eq!(call(""), "b (k3) and a (k2) are of different memories");
}

#[test]
fn local_arrays() {
    expect("var t.2: [3]i64 t.2[n.0] := xs.1[0i64] n.0 := t.2[2i64] copy xs.1[0i64] = t.2[0i64] count 3i64", "");
    expect("var t.2: [3]i64 for i.3 = 0i64 to n.0 parallel { t.2[i.3] := i.3 }", "");
    expect("for i.3 = 0i64 to n.0 { var t.2: [3]i64 t.2[0i64] := i.3 }", "");
    let lanes = "var t.2: [4]i64 var u.3: [4]i64 for l.4 = 0i64 to 4i64 simd";
    expect(&format!("{lanes} {{ t.2[l.4] := (t.2[l.4] +i64 (u.3[l.4] +i64 xs.1[l.4])) }}"), "");
    // A check before it may always fail.
    expect("var t.2: [3]i64 t.2[3i64] := 0i64", "");
    expect("var t.2: [0]i64", "t (k2) is a local array without elements");
    let is = "t (k2) is a local array and";
    expect("var t.2: [3]i64 alloc t.2 n.0 @0:0-0", &format!("{is} is overwritten"));
    expect("var t.2: [3]i64 release t.2", &format!("{is} is released"));
    expect("var t.2: [3]i64 grow t.2 used 0i64 needed n.0 @0:0-0", &format!("{is} is resized"));
    expect("var t.2: [3]i64 call (r.3: i64) = f.0(n.0, &t.2)", &format!("{is} leaves its block"));
    expect(
        "var t.2: [3]i64 fail 0(&t.2[0i64] count 3i64)",
        &format!("{is} leaves its block; statements stand where no path arrives"),
    );
    let shared = problems(HEAD, "var t.2: [3]i64 var a.3: []i64 share a.3 = t.2 release a.3 return (n.0)");
    assert_eq!(shared, format!("a (k3) and t (k2) are of different memories; {is} leaves its block"));
    let returned = problems("() -> ([]i64)", "var t.2: [3]i64 return (&t.2)");
    assert_eq!(returned, format!("{is} leaves its block; {is} is given away"));
    assert_eq!(problems("(t.2: [3]i64) -> ()", "return ()"), "t (k2) has a memory, but may be any");
}

#[test]
fn unrolled_loops() {
    expect("for i.3 = 1i64 to 4i64 unrolled { n.0 := i.3 }", "");
    expect("for i.3 = 1i64 to n.0 unrolled { n.0 := i.3 }", "the bounds of an unrolled loop are no constants");
}

#[test]
fn entries() {
    let entry = "entry \"f\" = f.0(\"x\": [][~]f64) -> () consumed(false)\n";
    let text = format!("fun f.0(n.0: i64) -> () @0:0-0 {{\nreturn ()\n}}\n{entry}");
    let problems = verify(&parse(&text).unwrap()).unwrap_err();
    assert_eq!(problems[0].what, "the parameters are not the components of the entry point's parameters");
}
