//! Loops that call mathematical functions become vectors.

use crate::common::Folder;
use std::collections::BTreeSet;
use std::process::Command;

const ONE: [&str; 26] = [
    "cbrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi", "erf", "erfc",
];
const TWO: [&str; 3] = ["atan2", "hypot", "atan2pi"];

/// Flags as `native` gives them.
const FLAGS: [&str; 10] = [
    "-std=c11",
    "-O2",
    "-ftree-vectorize",
    "-fvect-cost-model",
    "-march=native",
    "-mprefer-vector-width=512",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-pthread",
];

/// A `map` of each function at each type, as one program.
fn program() -> String {
    let mut text = String::new();
    for ty in ["f32", "f64"] {
        for name in ONE {
            text.push_str(&format!("entry {name}_{ty} [n] (xs: [n]{ty}) = map {ty}.{name} xs\n"));
        }
        for name in TWO {
            text.push_str(&format!("entry {name}_{ty} [n] (xs: [n]{ty}) ys = map2 {ty}.{name} xs ys\n"));
        }
        text.push_str(&format!("entry pow_{ty} [n] (xs: [n]{ty}) (ys: [n]{ty}) = map2 (**) xs ys\n"));
    }
    text
}

/// The lines of a C file with loops that GCC made vectors of. None without GCC.
fn vectorised(folder: &Folder, file: &str) -> Option<BTreeSet<usize>> {
    let mut command = Command::new("gcc");
    command.args(FLAGS).args(["-fopt-info-vec", "-c", "-o"]).arg(folder.path("made.o")).arg(folder.path(file));
    let said = command.output().ok()?;
    let report = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success(), "{report}");
    let line = |text: &str| text.rsplit_once(file)?.1.split(':').nth(1)?.parse().ok();
    Some(report.lines().filter(|text| text.contains("optimized: loop vectorized")).filter_map(line).collect())
}

#[test]
fn loops_that_call_functions_become_vectors() {
    let folder = Folder::new(&[("all.rv", &program())]);
    let c = folder.ravel(&["ir", "all.rv", "--stage", "c"]).status(0).out;
    folder.write("all.c", c.as_bytes());
    let Some(vectors) = vectorised(&folder, "all.c") else {
        return eprintln!("skipped: there is no GCC");
    };
    let (mut around, mut loops, mut plain) = (0, 0, Vec::new());
    let own = c.lines().position(|line| line.contains(" rv_part_")).unwrap_or(0);
    for (number, line) in c.lines().enumerate().skip(own) {
        if line.trim_start().starts_with("for (") {
            around = number + 1;
        }
        // What a loop does with large angles, once it is run again, is for single numbers.
        let repeated = c.lines().nth(around.saturating_sub(3)).is_some_and(|line| line.contains("if (far"));
        let calls = line.contains(" = rv_") && (line.contains("_f32(") || line.contains("_f64("));
        if calls && !repeated {
            loops += 1;
            plain.extend((!vectors.contains(&around)).then(|| line.trim().to_owned()));
        }
    }
    assert_eq!((loops, plain), (2 * (ONE.len() + TWO.len() + 1), Vec::new()));
}

/// Sums of rows of unknown length: full vectors, the masked rest, and the halves of the lanes.
#[test]
fn rows_become_vectors() {
    let program = "entry main [n] [~k] (rows: [n][~k]f32): [n]f32 = map f32.sum rows\n\
                   entry product [n] [m] (a: [n][m]f64) x: [n]f64 = map (\\row -> f64.sum (map2 (*) row x)) a\n";
    let folder = Folder::new(&[("rows.rv", program)]);
    let c = folder.ravel(&["ir", "rows.rv", "--stage", "c"]).status(0).out;
    folder.write("rows.c", c.as_bytes());
    let Some(vectors) = vectorised(&folder, "rows.c") else {
        return eprintln!("skipped: there is no GCC");
    };
    let lines: Vec<&str> = c.lines().collect();
    let is_loop = |at: &usize| lines[*at].contains("RV_UNROLL(1)") && !lines[at + 1].contains("_end = 1;");
    let loops: Vec<usize> = (0..lines.len()).filter(is_loop).collect();
    let is_masked = |at: &usize| lines[*at..at + 8].iter().any(|line| line.contains("< left_") && line.contains(" ? "));
    assert!(loops.iter().any(is_masked), "no masked loop:\n{c}");
    // GCC names the line of the loop, or that of the first part of its head.
    let plain: Vec<&&str> = loops.iter().filter(|at| !vectors.contains(&(*at + 2))).map(|at| &lines[at + 1]).collect();
    assert!(plain.is_empty(), "no vectors: {plain:?}\n{vectors:?}");
}

/// The bodies of the innermost loops of an assembler text: what is between a label and a jump back to it.
fn innermost_loops(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (end, line) in lines.iter().enumerate() {
        let Some(label) = line.strip_prefix('j').and_then(|jump| jump.split_whitespace().nth(1)) else { continue };
        let Some(begin) = lines[..end].iter().rposition(|line| line.strip_suffix(':') == Some(label)) else { continue };
        let body = &lines[begin + 1..end];
        if !body.iter().any(|line| line.starts_with('j') || line.ends_with(':')) {
            found.push(body.to_vec());
        }
    }
    found
}

#[test]
fn lanes_of_reductions_stay_in_registers() {
    let folder = Folder::new(&[("sum.rv", "entry sum [n] (xs: [n]f32) = f32.sum xs\n")]);
    let c = folder.ravel(&["ir", "sum.rv", "--stage", "c"]).status(0).out;
    folder.write("sum.c", c.as_bytes());
    let mut command = Command::new("gcc");
    command.args(FLAGS).args(["-S", "-o"]).arg(folder.path("sum.s")).arg(folder.path("sum.c"));
    if !command.status().is_ok_and(|status| status.success()) || !cfg!(target_arch = "x86_64") {
        return eprintln!("skipped: there is no GCC for this processor");
    }
    let text = std::fs::read_to_string(folder.path("sum.s")).expect("the assembler text");
    let adds = |line: &&&str| line.contains("addps");
    let stores = |line: &&str| line.contains("mov") && line.ends_with(')');
    let in_registers = |body: &Vec<&str>| body.iter().filter(adds).count() >= 4 && !body.iter().any(stores);
    assert!(innermost_loops(&text).iter().any(in_registers), "lanes are stored in each turn:\n{text}");
}
