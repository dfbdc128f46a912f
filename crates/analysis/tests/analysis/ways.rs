//! Which way a form runs, and above all which way it must not: each case differs from one that runs at once in the one
//! thing that forbids it.

use analysis::places;
use analysis::ways::{Way, is_only_stored, way};
use ir::{Bulk, Exp, Program};

/// A program with one form, which binds variables of these types.
fn program(types: &str, form: &str) -> Program {
    let named = |(number, ty): (usize, &str)| format!("r{number}: {ty}");
    let bound: Vec<String> = types.split(", ").enumerate().map(named).collect();
    let bound = bound.join(", ");
    let text = format!(
        "fn f(n: i64, k: i64, xs: [n]i64, fs: [n]f64, *zs: [n]i64, *yss: [n][n]i64, *rows: [n][3]i64, d: desc [n],
              *jagged: [n][~d]i64) -> (result: [n]i64) {{
           let ({bound}) = bulk {{ {form} }}
           => xs
         }}
         site R009 \"wrong\"
         site R014 \"twice\"
         site R015 \"never\"
         site R016 \"itself\" "
    );
    ir::parse(&text).unwrap_or_else(|why| panic!("{why} {text}"))
}

fn form(program: &Program) -> &Bulk {
    let function = program.functions.values().next().expect("a function");
    match &function.body.stms[0].exp {
        Exp::Bulk(bulk) => bulk,
        other => panic!("no form: {other:?}"),
    }
}

/// The way of a form on threads.
#[track_caller]
fn runs(types: &str, text: &str, expected: Way) {
    let program = program(types, text);
    assert_eq!(way(&program, form(&program), true), expected, "{text}");
}

/// Whether the values of an update can be written at once.
fn are_own(types: &str, text: &str) -> bool {
    let program = program(types, text);
    places::are_own(&program, form(&program))
}

fn sum(tree: &str) -> String {
    format!("out reduce of (x: f64) from (0f64){tree} by (a: f64, b: f64) {{ let t: f64 = a + b => t }}")
}

fn running(tree: &str) -> String {
    format!(
        "scan (s: f64) from (0f64){tree} by (p: f64, q: f64) {{ let u: f64 = p + q => u }} of {{ let v: f64 = fs[i] => v }}"
    )
}

#[test]
fn reductions() {
    let over = "for i < n { emit { let y: f64 = fs[i] => y } }";
    runs("f64", &format!("{} {over}", sum("")), Way::Blocks);
    // One value after the other.
    runs("f64", &format!("{} {over}", sum(" in order")), Way::InOrder);
}

#[test]
fn arrays_beside_a_reduction() {
    let values = "for i < n { let y: f64 = fs[i] emit 0 => y emit 1 [i] => y }";
    let with = |array: &str| format!("{} out gen [n] of (e: f64){array} {values}", sum(""));
    runs("f64, [n]f64", &with(""), Way::Blocks);
    // Whether an element has a value, and one only, is counted in the order of turns.
    runs("f64, [n]f64", &with(" checked (R014, R015, R016)"), Way::InOrder);
}

#[test]
fn running_combinations() {
    let stored = |at: &str| {
        format!("out gen [n] of (e: f64) for i < n {{ let b: i64 = k - i {} emit [{at}] => s }}", running(""))
    };
    runs("[n]f64", &stored("i"), Way::Blocks);
    // The check would be made twice, and before other checks of earlier turns, if there are any.
    let check = "let o: bool = i < k let c: cert = assert o else R009()";
    let checked = stored("b").replace("let v: f64 = fs[i]", &format!("{check} let <c> v: f64 = fs[i]"));
    runs("[n]f64", &checked, Way::Blocks);
    let with_another =
        checked.replace("let b: i64", "let l: bool = k < i let w: cert = assert l else R009() let b: i64");
    runs("[n]f64", &with_another, Way::InOrder);
    // Blocks of one length serve both.
    let both = |tree: &str| format!("{} for i < n {{ {} emit => s }}", sum(""), running(tree));
    runs("f64", &both(""), Way::Blocks);
    runs("f64", &both(" in blocks 8"), Way::InOrder);
    let in_order = format!("out gen [n] of (e: f64) for i < n {{ {} emit [i] => s }}", running(" in order"));
    runs("[n]f64", &in_order, Way::InOrder);
}

#[test]
fn what_is_only_stored() {
    let only_stored = |at: &str, more: &str| {
        let text = format!(
            "out gen [n] of (e: f64) {} for i < n {{ let o: i64 = k - i {} emit 0 [{at}] => s {more} }}",
            sum(""),
            running("")
        );
        let program = program("[n]f64, f64", &text);
        let bulk = form(&program);
        is_only_stored(analysis::emits::scans(&bulk.steps)[0], bulk)
    };
    assert!(only_stored("i", " emit 1 => 1f64"));
    assert!(!only_stored("o", " emit 1 => 1f64"));
    assert!(!only_stored("i", " emit 1 => s"));
}

#[test]
fn what_a_filter_keeps() {
    let kept = |steps: &str| {
        let text = format!("out keep of (e: f64) {} for i < n {{ let o: bool = i < k {steps} }}", sum(""));
        let program = program("i64, [r0]f64, f64", &text);
        let bulk = form(&program);
        is_only_stored(analysis::emits::scans(&bulk.steps)[0], bulk)
    };
    let scan = running("");
    assert!(kept(&format!("if o {{ {scan} emit 0 => s }} emit 1 => 1f64")));
    // It has a value where nothing is kept.
    assert!(!kept(&format!("{scan} if o {{ emit 0 => s }} emit 1 => 1f64")));
    // Something else uses it.
    assert!(!kept(&format!("if o {{ {scan} emit 0 => s emit 1 => s }}")));
    assert!(!kept(&format!("if o {{ {scan} emit 0 {{ let w: f64 = s + 1f64 => w }} }} emit 1 => 1f64")));
    assert!(!kept(&format!("if o {{ {} emit 0 => s }} emit 1 => 1f64", running(" in order"))));
}

#[test]
fn combined_elements() {
    let into = |array: &str, element: &str, steps: &str| {
        format!("out accum ({array}) of (x: {element}) in any order by (a: {element}, b: {element}) {{ => b }} {steps}")
    };
    let first = "for i < n { let p: i64 = xs[i] emit [p] => 1 } ";
    runs("[n]i64", &into("zs", "i64", first), Way::Parts);
    // Parts take one loop, and scalars.
    let second = "for j < n { let q: i64 = xs[j] emit [q] => 2 }";
    runs("[n]i64", &into("zs", "i64", &format!("{first}{second}")), Way::Scatter);
    let rows = "for i < n { let p: i64 = xs[i] let row: [3]i64 = yss[i] emit [p] => row }";
    runs("[n][3]i64", &into("rows", "[3]i64", rows), Way::Scatter);
}

#[test]
fn rows_of_different_lengths() {
    let at = |at: &str| {
        format!(
            "out gen [n] of (m: i64; x: [m]i64)
             for i < n {{
               let count: i64 = xs[i]
               let o: i64 = k - i
               emit [{at}] {{
                 let row: [count]i64 = bulk {{ out gen [count] of (y: i64) for j < count {{ emit [j] => j }} }}
                 => count, row
               }}
             }}"
        )
    };
    runs("desc [n], [n][~r0]i64", &at("i"), Way::Rows);
    runs("desc [n], [n][~r0]i64", &at("o"), Way::InOrder);
}

#[test]
fn updates() {
    let at = |at: &str| {
        format!(
            "out update (zs) of (x: i64)
             for i < n {{ let p: i64 = xs[i] let q: i64 = i + k let o: i64 = i + p emit [{at}] => p }}"
        )
    };
    assert!(are_own("[n]i64", &at("i")));
    assert!(are_own("[n]i64", &at("q")));
    // Two turns may give a value to one place.
    assert!(!are_own("[n]i64", &at("p")));
    assert!(!are_own("[n]i64", &at("o")));
    runs("[n]i64", &at("i"), Way::Places);
    runs("[n]i64", &at("o"), Way::Scatter);
}

#[test]
fn updates_of_nests() {
    let at = |at: &str| format!("out update (yss) of (x: i64) for i < n {{ for j < n {{ emit [{at}] => j }} }}");
    assert!(are_own("[n][n]i64", &at("i, j")));
    assert!(are_own("[n][n]i64", &at("j, i")));
    assert!(!are_own("[n][n]i64", &at("i, i")));
    assert!(!are_own("[n][n]i64", &at("k, j")));
}

#[test]
fn updates_that_read() {
    let reading = |at: &str| {
        format!(
            "out update (zs) of (x: i64) for i < n {{ let q: i64 = i + 1 emit [i] {{ let p: i64 = zs[{at}] => p }} }}"
        )
    };
    assert!(are_own("[n]i64", &reading("i")));
    assert!(!are_own("[n]i64", &reading("q")));
}

#[test]
fn rows_are_no_places() {
    let row = "out update (rows) of (x: [3]i64) for i < n { let p: [3]i64 = rows[i] emit [i] => p }";
    assert!(!are_own("[n][3]i64", row));
    let jagged = "out update (jagged) of (x: i64) for i < n { let p: i64 = xs[i] emit [p, p] => p }";
    runs("[n][~d]i64", jagged, Way::InOrder);
}

#[test]
fn the_order_of_elements() {
    let in_order = |shape: &str, loops: &str, at: &str| {
        let text =
            format!("out gen {shape} of (x: i64) {loops} emit [{at}] => k {}", "}".repeat(loops.matches('{').count()));
        let program = program("[n][n]i64", &text);
        let bulk = form(&program);
        let ir::Kind::Gen { shape, .. } = &bulk.outputs[0].kind else { panic!("no array") };
        analysis::emits::in_order(shape, bulk)
    };
    assert!(in_order("[n][k]", "for i < n { for j < k {", "i, j"));
    assert!(!in_order("[n][n]", "for i < n { for j < n {", "j, i"));
    assert!(!in_order("[n][k]", "for i < k { for j < n {", "i, j"));
    assert!(!in_order("[n][k]", "for i < n { for j < k { if k {", "i, j"));
    assert!(!in_order("[n][k]", "for i < n {", "i, k"));
}
