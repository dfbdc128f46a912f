//! Sizes, size functions and shapes, on whole programs: the types that are found, and what is rejected.

use crate::common::{accepted, rejected};
use driver::{InMemory, compile};

/// The types of a program's definitions, one on each line.
fn types(extension: &str, source: &str) -> String {
    let path = format!("test.{extension}");
    let compiled = compile(&InMemory::new([(path.as_str(), source)]), &path);
    let Some(program) = &compiled.program else {
        return driver::render::render_all(&compiled.sources, &compiled.diagnostics, false);
    };
    let shown = |id: &typed::DefId| {
        let def = &program.defs[*id];
        format!("{} : {}\n", def.name, program.show_scheme(&def.type_params, &def.ty()))
    };
    program.main_defs.iter().map(shown).collect()
}

/// Each line is a definition; what follows `-->` is its type.
fn check_types(extension: &str, cases: &[(&str, &str)]) {
    let source: String = cases.iter().map(|(def, _)| format!("{def}\n")).collect();
    let expected: String = cases
        .iter()
        .map(|(def, ty)| format!("{} : {ty}\n", def.split_whitespace().nth(1).unwrap_or("").trim_end_matches(':')))
        .collect();
    assert_eq!(types(extension, &source), expected);
}

#[test]
fn the_papers_types() {
    check_types(
        "rv",
        &[
            ("def mm xss yss: [][~]f64 = map2 (map2 (+)) xss yss", "[n] [~k] . [n][~k]f64 -> [n][~k]f64 -> [n][~k]f64"),
            ("def mv xss (ys: []f64) = map (\\xs -> map2 (+) xs ys) xss", "[n] [m] . [n][m]f64 -> [m]f64 -> [n][m]f64"),
            (
                "def outer (xs: []f64) (ys: []f64) = [[x * y for y in ys] for x in xs]",
                "[n] [m] . [n]f64 -> [m]f64 -> [n][m]f64",
            ),
            ("def dotp (xs: []f64) ys = f64.sum (map2 (*) xs ys)", "[n] . [n]f64 -> [n]f64 -> f64"),
            ("def mxv a v = map (\\row -> dotp row v) a", "[n] [m] . [n][m]f64 -> [m]f64 -> [n]f64"),
            (
                "def sparse_mxv sm (v: []f64) = [f64.sum [x * v[i] for (i, x) in sv] for sv in sm]",
                "[n] [~k] [m] . [n][~k](i32, f64) -> [m]f64 -> [n]f64",
            ),
            (
                "def norm2 (xys: [](f64, f64)) = let (xs, ys) = unzip xys in (map (/ f64.sum xs) xs, map (/ f64.sum ys) ys)",
                "[n] . [n](f64, f64) -> ([n]f64, [n]f64)",
            ),
        ],
    );
}

#[test]
fn builtins_of_figure_4() {
    check_types(
        "rv",
        &[
            ("def len xs = length xs", "'a [n] . [n]a -> i64"),
            ("def lens (xss: [][~]f64) = jagged.lengths xss", "[n] [~k] . [n][~k]f64 -> [n]i64"),
            ("def counted xs = iota (length xs)", "'a [n] . [n]a -> [n]i64"),
            ("def append (xs: []i64) ys = xs ++ ys", "[n] [m] . [n]i64 -> [m]i64 -> [n + m]i64"),
            ("def joined (xss: [][~]i64) = jagged.flatten xss", "[n] [~k] . [n][~k]i64 -> [i64.sum k]i64"),
            ("def add (n: i64) (m: i64) = iota (n + m)", "(n: i64) -> (m: i64) -> [n + m]i64"),
            ("def at (xs: []f64) (i: i64) = xs[i]", "[n] . [n]f64 -> i64 -> f64"),
            ("def total (xs: []f64) = f64.sum xs", "[n] . [n]f64 -> f64"),
            ("def kept (xs: []i64) = filter (> 0) xs", "[n] . [n]i64 -> ?[m].[m]i64"),
        ],
    );
}

#[test]
fn sums_of_size_functions() {
    check_types(
        "rv",
        &[
            (
                "def both [n] [~k] (xss: [n][~k]i64) (yss: [n][~k]i64) = map2 (+) (jagged.flatten xss) (jagged.flatten yss)",
                "[n] [~k] . [n][~k]i64 -> [n][~k]i64 -> [i64.sum k]i64",
            ),
            (
                "def lockstep xss (yss: [][~]i64) = (map2 (map2 (+)) xss yss, zip (jagged.flatten xss) (jagged.flatten yss))",
                "[n] [~k] . [n][~k]i64 -> [n][~k]i64 -> ([n][~k]i64, [i64.sum k](i64, i64))",
            ),
            (
                "def matrix (xss: [][]i64) = zip (jagged.flatten xss) (flatten xss)",
                "[n] [m] . [n][m]i64 -> [n * m](i64, i64)",
            ),
            ("def known (xss: [3][5]i64) = jagged.flatten xss", "[3][5]i64 -> [15]i64"),
            ("def ramps (ns: []i64) = jagged.flatten [iota n for n in ns]", "[n] . (ns: [n]i64) -> [i64.sum ns]i64"),
            (
                "def cut [n] [~k] (xss: [n][~k]i64) (ys: [i64.sum k]f64) = jagged.unflatten (jagged.lengths xss) ys",
                "[n] [~k] . [n][~k]i64 -> [i64.sum k]f64 -> [n][~k]f64",
            ),
            (
                "def twice [n] [~k] (xss: [n][~k]i64) = jagged.flatten xss ++ jagged.flatten xss",
                "[n] [~k] . [n][~k]i64 -> [i64.sum k + i64.sum k]i64",
            ),
            (
                "def partly (xsss: [][~][~]i64) = map jagged.flatten xsss",
                "[n] [~k] [~l] . [n][~k][~l]i64 -> ?[~h].[n][~h]i64",
            ),
            (
                "def each (xsss: [][~][~]i64) = [jagged.flatten xss for xss in xsss]",
                "[n] [~k] [~l] . [n][~k][~l]i64 -> ?[~h].[n][~h]i64",
            ),
        ],
    );
    let two = "def f [n] [~k] [~l] (xss: [n][~k]i64) (yss: [n][~l]i64)";
    rejected("rv", "E0301", &format!("{two} = map2 (+) (jagged.flatten xss) (jagged.flatten yss)"));
}

#[test]
fn rows_that_differ() {
    check_types(
        "rv",
        &[
            ("def triangle (n: i64) = map iota (iota n)", "(n: i64) -> ?[~k].[n][~k]i64"),
            ("def lens xss = map (\\xs -> length xs) xss", "'a [n] [~k] . [n][~k]a -> [n]i64"),
            ("def numbers xss = map (\\xs -> iota (length xs)) xss", "'a [n] [~k] . [n][~k]a -> [n][~k]i64"),
            ("def backwards (xss: [][~]i64) = reverse xss", "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~l]i64"),
            ("def row (xss: [][~]i64) (i: i64) = xss[i]", "[n] [~k] . [n][~k]i64 -> i64 -> ?[m].[m]i64"),
            (
                "def positive (xss: [][~]i64) = [[x for x in xs if x > 0] for xs in xss]",
                "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~l]i64",
            ),
            ("def ramps (ns: []i64) = [iota n for n in ns]", "[n] . (ns: [n]i64) -> [n][~ns]i64"),
            ("def mapped (ns: []i64) = map (\\n -> iota n) ns", "[n] . (ns: [n]i64) -> [n][~ns]i64"),
            ("def iotas (ns: []i64) = map iota ns", "[n] . (ns: [n]i64) -> [n][~ns]i64"),
            (
                "def copies (ns: []i64) (xs: []f64) = map2 (\\n x -> replicate n x) ns xs",
                "[n] . (ns: [n]i64) -> [n]f64 -> [n][~ns]f64",
            ),
            ("def numbered (xss: [][~]f64) = map iota (jagged.lengths xss)", "[n] [~k] . [n][~k]f64 -> [n][~k]i64"),
            (
                "def deeper (nss: [][~]i64) = map (\\ns -> map iota ns) nss",
                "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~k][~l]i64",
            ),
            (
                "def deepest (nss: [][~]i64) = [[iota n for n in ns] for ns in nss]",
                "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~k][~l]i64",
            ),
            ("def longer (ns: []i64) = map (\\n -> iota (n + 1)) ns", "[n] . [n]i64 -> ?[~k].[n][~k]i64"),
            ("def table (n: i64) (m: i64) = [[i * j for j < m] for i < n]", "(n: i64) -> (m: i64) -> [n][m]i64"),
            (
                "def halves (xss: [][~](i64, i64)) = map unzip xss",
                "[n] [~k] . [n][~k](i64, i64) -> [n]([~k]i64, [~k]i64)",
            ),
            ("def regular = [[1i64, 2], [3, 4]]", "[2][2]i64"),
            ("def jagged = [[1i64, 2], [3]]", "[2][~k]i64"),
        ],
    );
}

#[test]
fn rows_of_different_iterations() {
    check_types(
        "rv",
        &[
            // Every row with every row: a rectangle, unless a size function was declared.
            (
                "def square xss = map (\\xs -> map (\\(ys: []f64) -> map2 (+) xs ys) xss) xss",
                "[n] [m] . [n][m]f64 -> [n][n][m]f64",
            ),
            (
                "def squares xss = [[[x + y + 1f64 for x in xs, y in ys] for ys in xss] for xs in xss]",
                "[n] [m] . [n][m]f64 -> [n][n][m]f64",
            ),
            (
                "def declared [n] [~k] (xss: [n][~k]f64) = [[[x + y for x in xs, y in ys] for ys in xss] for xs in xss]",
                "[n] [~k] . [n][~k]f64 -> ?[~l].[n][n][~l]f64",
            ),
            (
                "def lambdas [n] [~k] (xss: [n][~k]f64) = map (\\xs -> map (\\ys -> map2 (+) xs ys) xss) xss",
                "[n] [~k] . [n][~k]f64 -> ?[~l].[n][n][~l]f64",
            ),
            (
                "def mixed xss yss = [map (\\ys -> map2 (+) xs ys) yss for (xs: []f64) in xss]",
                "[n] [m] [p] . [n][m]f64 -> [p][m]f64 -> [n][p][m]f64",
            ),
        ],
    );
}

#[test]
fn three_levels() {
    check_types(
        "rv",
        &[
            (
                "def maps xsss (ysss: [][~][~]f64) = map2 (map2 (map2 (+))) xsss ysss",
                "[n] [~k] [~l] . [n][~k][~l]f64 -> [n][~k][~l]f64 -> [n][~k][~l]f64",
            ),
            (
                "def each xsss (ysss: [][~][~]f64) = [[[x + y for x in xs, y in ys] for xs in xss, ys in yss] for xss in xsss, yss in ysss]",
                "[n] [~k] [~l] . [n][~k][~l]f64 -> [n][~k][~l]f64 -> [n][~k][~l]f64",
            ),
            (
                "def block [m] [~k] (yss: [m][~k]f64) xsss = map (\\xss -> map2 (map2 (+)) xss yss) xsss",
                "[m] [~k] [n] [~l] . [m][~k]f64 -> [n][m][~l]f64 -> [n][m][~l]f64",
            ),
            (
                "def parts ps = map (\\(xs, yss) -> map (\\(ys: []f64) -> map2 (+) xs ys) yss) ps",
                "[n] [~k] [~l] [~h] . [n]([~k]f64, [~l][~h]f64) -> [n][~l][~h]f64",
            ),
            ("def twice [n] [~k] (xss: [n][~k]i64) = [xss, xss]", "[n] [~k] . [n][~k]i64 -> ?[~l].[2][n][~l]i64"),
        ],
    );
    let two = "def f [n] [~k] [~l] (xss: [n][~k]i64) (yss: [n][~l]i64)";
    rejected("rv", "E0301", &format!("{two} = [[x + y for x in xs, y in ys] for xs in xss, ys in yss]"));
}

#[test]
fn names_for_row_lengths() {
    check_types(
        "rv",
        &[
            (
                "def lens (xss: [][~]i64) = let [n] [~k] (_: [n][~k]i64) = map (filter (> 0)) xss in k",
                "[n] [~k] . [n][~k]i64 -> [n]i64",
            ),
            (
                "def pair (n: i64): ?[~k].([n][~k]i64, [n][~k]i64) = let a = map iota (iota n) in (a, map (map (+ 1)) a)",
                "(n: i64) -> ?[~k].([n][~k]i64, [n][~k]i64)",
            ),
            (
                "def calls (f: i64 -> ?[~k].[3][~k]i64) = (f 1, f 2)",
                "(i64 -> ?[~k].[3][~k]i64) -> ?[~l][~h].([3][~l]i64, [3][~h]i64)",
            ),
        ],
    );
    rejected("rv", "E0307", "def f (x: i64) = let [~k] (y: i64) = x in y");
    rejected("fut", "E0056", "def f (xss: [][]i64) = let [~k] (yss: [][]i64) = xss in yss");
}

#[test]
fn branches_and_loops() {
    check_types(
        "rv",
        &[
            (
                "def either (b: bool) (xs: []i64) (ys: []i64) = if b then xs else ys",
                "[n] [m] . bool -> [n]i64 -> [m]i64 -> ?[p].[p]i64",
            ),
            ("def rows (b: bool) = if b then [[1i64, 2]] else [[3]]", "bool -> ?[~k].[1][~k]i64"),
            ("def grow (n: i64) = loop xs = [0i64] for i < n do xs ++ [i]", "i64 -> ?[n].[n]i64"),
            (
                "def same (n: i64) (xs: []i64) = loop ys = xs for _i < n do map (+ 1) ys",
                "[m] . i64 -> [m]i64 -> [m]i64",
            ),
        ],
    );
    check_types(
        "fut",
        &[
            (
                "def either (b: bool) (xs: []i64) (ys: []i64) = if b then xs else ys",
                "[n] [m] . bool -> [n]i64 -> [m]i64 -> ?[p].[p]i64",
            ),
            (
                "def swap [n] (xs: [n]i64) (ys: [n]i64) = loop (a, b) = (xs, ys) for _i < 3i32 do (b, a)",
                "[n] . [n]i64 -> [n]i64 -> ([n]i64, [n]i64)",
            ),
        ],
    );
}

#[test]
fn branches_say_nothing_about_what_a_caller_gives() {
    check_types(
        "rv",
        &[
            ("def filled (xs: []i64): []i64 = if length xs == 0 then [0] else xs", "[n] . [n]i64 -> ?[m].[m]i64"),
            (
                "def fill (xss: [][~]i64): [][~]i64 = map (\\xs -> if length xs > 0 then xs else [0]) xss",
                "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~l]i64",
            ),
            (
                "def cases (xs: []i64) (b: bool) = match b case true -> xs case false -> [1]",
                "[n] . [n]i64 -> bool -> ?[m].[m]i64",
            ),
            (
                "def pairs (xs: []i64) (b: bool) = if b then (xs, xs) else ([1], [2, 3])",
                "[n] . [n]i64 -> bool -> ?[m][p].([m]i64, [p]i64)",
            ),
            (
                "def field (xs: []i64) (b: bool) = if b then {a = xs} else {a = [1]}",
                "[n] . [n]i64 -> bool -> ?[m].{a: [m]i64}",
            ),
            ("def literal (xs: []i64) = [xs, [1]]", "[n] . [n]i64 -> ?[~k].[2][~k]i64"),
            (
                "def clauses (xs: []i64) (n: i64) = array [n] { [i] => xs for i < 1; else => [1] }",
                "[m] . [m]i64 -> (n: i64) -> ?[~k].[n][~k]i64",
            ),
            ("def more (xs: []i64) (b: bool) = if b then xs ++ [1] else xs", "[n] . [n]i64 -> bool -> ?[m].[m]i64"),
            ("def same (xs: []i64) (b: bool) = if b then map (+ 1) xs else xs", "[n] . [n]i64 -> bool -> [n]i64"),
            (
                "def pick [n] (b: bool) (xss: [n][~]f64) (yss: [n][~]f64) = map2 (\\xs ys -> if b then xs else ys) xss yss",
                "[n] [~k] [~l] . bool -> [n][~k]f64 -> [n][~l]f64 -> ?[~h].[n][~h]f64",
            ),
            ("def empty (b: bool) (n: i64) = if b then [] else [iota n]", "bool -> (n: i64) -> ?[m].[m][n]i64"),
        ],
    );
}

#[test]
fn recursion_is_a_fixed_point() {
    check_types(
        "rv",
        &[
            ("def upto (n: i64) = if n == 0 then [] else upto (n - 1) ++ [n]", "i64 -> ?[n].[n]i64"),
            ("def rest xs = if length xs < 2 then xs else rest (tail xs)", "'a [n] . [n]a -> ?[m].[m]a"),
            (
                "def keep xs (n: i64) = if n == 0 then xs else map (+ 1i64) (keep xs (n - 1))",
                "[m] . [m]i64 -> i64 -> [m]i64",
            ),
            (
                "def triangle (n: i64) = if n == 0 then [] else triangle (n - 1) ++ [iota n]",
                "i64 -> ?[n][~k].[n][~k]i64",
            ),
            (
                "def table (n: i64) (m: i64) = if n == 0 then [] else table (n - 1) m ++ [iota m]",
                "i64 -> (m: i64) -> ?[n].[n][m]i64",
            ),
        ],
    );
    let pair = "def rec even (n: i64) = if n == 0 then [0i64] else odd (n - 1)\n\
                def rec odd (n: i64) = if n == 0 then [1i64, 2] else even (n - 1)\n";
    assert_eq!(types("rv", pair), "even : i64 -> ?[n].[n]i64\nodd : i64 -> ?[n].[n]i64\n");
    let alike = pair.replace("[1i64, 2]", "[1i64]");
    assert_eq!(types("rv", &alike), "even : i64 -> [1]i64\nodd : i64 -> [1]i64\n");
}

#[test]
fn loops_that_gain_rows() {
    check_types(
        "rv",
        &[
            ("def stairs (n: i64) = loop x: [][~]i64 = [] for i < n do x ++ [iota i]", "i64 -> ?[n][~k].[n][~k]i64"),
            (
                "def wider (n: i64) = loop (x: [][~]i64) = [[1]] for i < n do x ++ [[i, i]]",
                "i64 -> ?[n][~k].[n][~k]i64",
            ),
            ("def plain (n: i64) = loop x = [[1]] for i < n do x ++ [[i, i]]", "i64 -> ?[n][~k].[n][~k]i64"),
            ("def regular (n: i64) = loop x = [[1]] for i < n do x ++ [[i]]", "i64 -> ?[n].[n][1]i64"),
            ("def from_none (n: i64) = loop x = [] for i < n do x ++ [[i]]", "i64 -> ?[n].[n][1]i64"),
            (
                "def mixed (n: i64) = loop x = [[1]] for i < n do if i % 2 == 0 then x ++ [[i]] else x ++ [[1, 2]]",
                "i64 -> ?[n][~k].[n][~k]i64",
            ),
            (
                "def chosen (xs: []i64) (n: i64) = loop ys = xs for i < n do if i == 3 then [1] else ys",
                "[m] . [m]i64 -> i64 -> ?[n].[n]i64",
            ),
            (
                "def pascal (n: i64) = let rec p = array [n] { [0] => [1]; \
                 [i] => map2 (+) ([0] ++ p[i-1]) (p[i-1] ++ [0]) for 1 <= i < n } in p",
                "(n: i64) -> ?[~k].[n][~k]i32",
            ),
        ],
    );
}

#[test]
fn rows_of_one_element_type_may_differ() {
    check_types(
        "rv",
        &[
            (
                "def before (xss: [][~]i64) (ys: []i64) = [ys] ++ xss",
                "[n] [~k] [m] . [n][~k]i64 -> [m]i64 -> ?[~l].[1 + n][~l]i64",
            ),
            ("def none_first (xs: []i64) = [[]] ++ map iota xs", "[n] . [n]i64 -> ?[~k].[1 + n][~k]i64"),
            ("def literals = [[1i64]] ++ [[2, 3]]", "[1 + 1][~k]i64"),
            ("def by_concat = concat [[1i64]] [[2, 3]]", "[1 + 1][~k]i64"),
            (
                "def both (a: [][]i64) (b: [][~]i64) = a ++ b",
                "[n] [m] [p] [~k] . [n][m]i64 -> [p][~k]i64 -> ?[~l].[n + p][~l]i64",
            ),
        ],
    );
}

/// Nobody wrote whether the rows differ: if they do, an operation that reorders them has row lengths of its own; if they
/// turn out to have one extent, its result has that extent too.
#[test]
fn reordered_rows() {
    check_types(
        "rv",
        &[
            ("def back xss = reverse (map (map (+1i64)) xss)", "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~l]i64"),
            ("def later xss = map (map (+1i64)) (reverse xss)", "[n] [~k] . [n][~k]i64 -> ?[~l].[n][~l]i64"),
            (
                "def added xss yss = map2 (map2 (+)) (reverse xss) (map (map (+1i64)) yss)",
                "[n] [~k] [~l] . [n][~k]i64 -> [n][~l]i64 -> [n][~l]i64",
            ),
            (
                "def either b xss = if b then map (map (+1i64)) xss else reverse (map (map (+1i64)) xss)",
                "[n] [~k] . bool -> [n][~k]i64 -> ?[~l].[n][~l]i64",
            ),
            ("def product a = let b = reverse a in matmul a b", "[n] . [n][n]f64 -> [n][n]f64"),
            (
                "def sums a = (reverse (map (map (+1i64)) a), map (reduce (+) 0i64) (transpose a))",
                "[n] [m] . [n][m]i64 -> ([n][m]i64, [m]i64)",
            ),
            (
                "def shifted xss ys = map (\\r -> map2 (+) r ys) (reverse (map (map (+1i64)) xss))",
                "[n] [m] . [n][m]i64 -> [m]i64 -> [n][m]i64",
            ),
        ],
    );
}

#[test]
fn row_lengths_of_parameters_are_found() {
    check_types(
        "rv",
        &[
            (
                "def mm (xss: [][~]f64) (yss: [][~]f64) = [[x + y for x in xs, y in ys] for xs in xss, ys in yss]",
                "[n] [~k] . [n][~k]f64 -> [n][~k]f64 -> [n][~k]f64",
            ),
            (
                "def mm2 (xss: [][~]f64) (yss: [][~]f64) = map2 (map2 (+)) xss yss",
                "[n] [~k] . [n][~k]f64 -> [n][~k]f64 -> [n][~k]f64",
            ),
            (
                "def mv (xss: [][~]f64) (ys: []f64) = [[x + y for x in xs, y in ys] for xs in xss]",
                "[n] [m] . [n][m]f64 -> [m]f64 -> [n][m]f64",
            ),
            (
                "def mv2 (xss: [][~]f64) (ys: []f64) = map (\\xs -> map2 (+) xs ys) xss",
                "[n] [m] . [n][m]f64 -> [m]f64 -> [n][m]f64",
            ),
            ("def sum (a: [][]i64) (b: [][~]i64) = a + b", "[n] [m] [~k] . [n][m]i64 -> [n][~k]i64 -> [n][m]i64"),
            (
                "def sum2 (a: [][]i64) (b: [][~]i64) = map2 (map2 (+)) a b",
                "[n] [m] . [n][m]i64 -> [n][m]i64 -> [n][m]i64",
            ),
            (
                "def add (is: []i64) (vs: []i64) = map2 (+) is (vs :> [length is]i64)",
                "[n] [m] . [n]i64 -> [m]i64 -> [n]i64",
            ),
            ("def ranges (n: i64) = (1...5, n..<3)", "(n: i64) -> ?[m].([m]i32, [3 - n]i64)"),
        ],
    );
    let pointless = "def add (x: [][~]f64) (y: [][~]f64) = x + y\nentry main = add\nentry id = \\(x: [][~]f64) -> x\n";
    let both = "[n] [~k] . [n][~k]f64 -> [n][~k]f64 -> [n][~k]f64";
    let expected = format!("add : {both}\nmain : {both}\nid : [n] [~k] . [n][~k]f64 -> [n][~k]f64\n");
    assert_eq!(types("rv", pointless), expected);
}

#[test]
fn regular_types_take_no_jagged_values() {
    rejected("rv", "E0304", "def f (n: i64) = map iota [1, n] : [2][2]i64");
    rejected("rv", "E0304", "def f (b: bool) (x: []f64) = ([x, if b then [1] else [2, 3]] : [2][1]f64)");
    rejected("rv", "E0304", "def f (n: i64): [2][2]i64 = map iota [1, n]");
    rejected("rv", "E0304", "def f (n: i64): [n][n]i64 = map iota (iota n)");
    rejected("rv", "E0304", "def f (n: i64) = let m: [2][2]i64 = map iota [1, n] in m");
    rejected("rv", "E0304", "def f (n: i64) = let m: [][]i64 = map iota [1, n] in m");
    rejected("rv", "E0304", "def f (n: i64) = loop (m: [][]i64) = map iota [1, n] for _i < n do m");
    rejected("rv", "E0304", "def f (n: i64) = let g (m: [2][2]i64) = m[0, 0] in g (map iota [1, n])");
    rejected("rv", "E0304", "def f (n: i64) = let g (m: [][]i64) = m[0, 0] in g (map iota [1, n])");
    accepted("rv", "def f (n: i64) = map iota [1, n] :> [2][2]i64");
    rejected("rv", "E0227", "entry main [..s] (a: [..s](f64, i64)): [..s]i64 = array s { [iv] => a[iv].1 for iv < s }");
}

#[test]
fn shapes() {
    check_types(
        "rv",
        &[
            ("def neg [..s] (a: [..s]bool) = array s { [iv] => !a[iv] for iv < s }", "[..s] . [..s]bool -> [..s]bool"),
            ("def scaled [..s] (a: [..s]f64) = 2 * a + 1", "[..s] . [..s]f64 -> [..s]f64"),
            (
                "def sure [..s] (a: [..s]f64): [..s]f64 = let t = assert (rank a > 0) s in array t { [iv] => a[iv] for iv < t }",
                "[..s] . [..s]f64 -> [..s]f64",
            ),
            ("def extents [..s] (a: [..s]f64) = shape a", "[..s] . [..s]f64 -> ?[r].[r]i64"),
            (
                "def opposite (a: [..]i64) = array (shape a) { [iv] => -a[iv] for iv < shape a }",
                "[..s] . [..s]i64 -> [..s]i64",
            ),
            ("def both (a: [..]i64) (b: [..]i64) = a + b", "[..s] . [..s]i64 -> [..s]i64 -> [..s]i64"),
            (
                "def copied [n][m] (a: [n][m]i64) = array (shape a) { [iv] => a[iv] for iv < shape a }",
                "[n] [m] . [n][m]i64 -> [n][m]i64",
            ),
            (
                "def square (n: i64) = let s = [n, n] in array s { [i, j] => i + j for i < n for j < n }",
                "(n: i64) -> [n][n]i64",
            ),
            (
                "def frame (n: i64) (m: i64) = array [n, m + 1] { else => 0i64 }",
                "(n: i64) -> (m: i64) -> [n][m + 1]i64",
            ),
        ],
    );
}

#[test]
fn futhark_is_strict() {
    rejected("fut", "E0301", "def main [n] (xs: [n]i64): [n]i64 = filter (> 0) xs");
    rejected("fut", "E0301", "def f [n][m] (xs: [n]i64) (ys: [m]i64) = map2 (+) xs ys");
    rejected("fut", "E0302", "def main (n: i64) = map iota (iota n)");
    rejected(
        "fut",
        "E0306",
        "def f [n] (_: [n]i32 -> i32): [n]i32 -> i64 = \\_ -> n\ndef main xs = f (\\_ -> 0) <| filter (> 0) xs",
    );
    accepted(
        "fut",
        "def f [n] (ns: [n]i64): [reduce (+) 0 ns]i64 = iota (reduce (+) 0 ns)\ndef g ns = length (f (map (\\x -> x) ns))",
    );
    accepted("fut", "def f [n] (_: [n]i32): i64 = n\ndef main xs = filter (> 0) xs |> f");
    rejected("fut", "E0303", "def f (xs: []i64) = let n = 2 + 3 in zip (iota n) xs");
    rejected("fut", "E0306", "def f (xs: []i64) = let a = [] : [][]i64 let b = [filter (> 0) xs] in a[0] == b[0]");
    rejected("fut", "E0307", "def f [n] (x: i32) = x");
    rejected("fut", "E0305", "def f 'a (x: a): i64 = let _ys = rep x in 2");
    accepted("fut", "def f (n: i64): []i64 = replicate n 0 :> [n]i64");
    accepted("fut", "def f (xs: []i64) = xs |> filter (> 0) |> map (+ 1)");
}

#[test]
fn ravel_checks_what_it_cannot_show() {
    accepted("rv", "def f (xs: []i64) (ys: []i64) = [x + y for x in xs, y in ys]");
    accepted("rv", "def f (xs: []i64) (ys: []i64) = filter (> 0) xs + ys");
    rejected("rv", "E0301", "def f [n][m] (xs: [n]i64) (ys: [m]i64) = xs + ys");
    rejected("rv", "E0301", "def f [n] [~j] [~k] (xss: [n][~j]i64) (yss: [n][~k]i64) = map2 (map2 (+)) xss yss");
    rejected("rv", "E0304", "def f [n] (xss: [n][~]i64) = transpose xss");
    rejected("rv", "E0314", "def f [~k] (xs: [~k]i64) = length xs");
    accepted("rv", "def f [n] (xss: [n][~]i64) (m: i64) = transpose (xss :> [n][m]i64)");
}
