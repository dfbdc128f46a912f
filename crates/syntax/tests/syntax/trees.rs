//! Trees of correct programs, as S-expressions.

use crate::show::{expr, file, file_in, type_exp};
use expect_test::{Expect, expect};
use syntax::ast::Dialect;

fn exprs(texts: &[&str], expected: Expect) {
    let shown: Vec<String> = texts.iter().map(|t| format!("{t}  ~>  {}", expr(t))).collect();
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn precedence() {
    exprs(
        &[
            "a + b * c - d",
            "a ** b ** c",
            "-x ** 2",
            "- f x + !y z",
            "a || b && c == d & e << f + g",
            "x |> f |> g <| h <| i",
            "a `f` b `m.g` c + 1",
            "a m.+ b *^ c >>= d",
            "x == y != z",
            "a - -1",
        ],
        expect![[r#"
            a + b * c - d  ~>  (- (+ a (* b c)) d)
            a ** b ** c  ~>  (** (** a b) c)
            -x ** 2  ~>  (** (neg x) 2)
            - f x + !y z  ~>  (+ (neg (f x)) (not (y z)))
            a || b && c == d & e << f + g  ~>  (|| a (&& b (== c (& d (<< e (+ f g))))))
            x |> f |> g <| h <| i  ~>  (|> (|> x f) (<| g (<| h i)))
            a `f` b `m.g` c + 1  ~>  (m.g (f a b) (+ c 1))
            a m.+ b *^ c >>= d  ~>  (>>= (m.+ a (*^ b c)) d)
            x == y != z  ~>  (!= (== x y) z)
            a - -1  ~>  (- a (neg 1))"#]],
    );
}

#[test]
fn with_updates() {
    exprs(
        &[
            "a with [i] = b with [j] = c + 1",
            "a + b with [i].f = x |> g",
            "r with f.g[0].h = 1",
            "t with 0 = x",
            "f x with [i, 1:2:n, ::-1] = y",
            "a `f` b with [i] = c",
        ],
        expect![[r#"
            a with [i] = b with [j] = c + 1  ~>  (with (with a [i] b) [j] (+ c 1))
            a + b with [i].f = x |> g  ~>  (with (+ a b) [i] .f (|> x g))
            r with f.g[0].h = 1  ~>  (with r .f .g [0] .h 1)
            t with 0 = x  ~>  (with t .0 x)
            f x with [i, 1:2:n, ::-1] = y  ~>  (with (f x) [i 1:2:n ::(neg 1)] y)
            a `f` b with [i] = c  ~>  (f a (with b [i] c))"#]],
    );
}

#[test]
fn atoms_and_postfixes() {
    exprs(
        &[
            "a.b.c",
            "x.0.1",
            "(f x).y[1].z",
            "a[i, j][k]",
            "a [i]",
            "m.(x + y)",
            "m.n.(x)[0]",
            "()",
            "(a, b,)",
            "(a)",
            "{x = 1, y, 0 = 2}",
            "{}",
            "[]",
            "[1, 2,]",
            "'a'",
            "\"hi\\n\"",
            "true",
            "???",
            "#c",
            "#c 1 #d x",
            "1i8 0xff 1e3f32",
        ],
        expect![[r#"
            a.b.c  ~>  a.b.c
            x.0.1  ~>  (.1 (.0 x))
            (f x).y[1].z  ~>  (.z (index (.y (paren (f x))) 1))
            a[i, j][k]  ~>  (index (index a i j) k)
            a [i]  ~>  (a (array i))
            m.(x + y)  ~>  (open m (+ x y))
            m.n.(x)[0]  ~>  (index (open m.n x) 0)
            ()  ~>  (tuple)
            (a, b,)  ~>  (tuple a b)
            (a)  ~>  (paren a)
            {x = 1, y, 0 = 2}  ~>  (record (x 1) y (0 2))
            {}  ~>  (record)
            []  ~>  (array)
            [1, 2,]  ~>  (array 1 2)
            'a'  ~>  'a'
            "hi\n"  ~>  "hi\n"
            true  ~>  true
            ???  ~>  ???
            #c  ~>  (#c)
            #c 1 #d x  ~>  (#c 1 (#d) x)
            1i8 0xff 1e3f32  ~>  (1i8 255 1000.0f32)"#]],
    );
}

#[test]
fn sections() {
    exprs(
        &[
            "(+)",
            "(-)",
            "(+ 1)",
            "(1 +)",
            "(- 1)",
            "(x -)",
            "(m.+ 1)",
            "(`f` x)",
            "(x `f`)",
            "(`f`)",
            "(a * b +)",
            "(.x.y)",
            "(.0)",
            "(.[i,j])",
            "(.a[i].b)",
            "(< 3)",
            "(* 2)",
        ],
        expect![[r#"
            (+)  ~>  (op +)
            (-)  ~>  (op -)
            (+ 1)  ~>  (right + 1)
            (1 +)  ~>  (left 1 +)
            (- 1)  ~>  (paren (neg 1))
            (x -)  ~>  (left x -)
            (m.+ 1)  ~>  (right m.+ 1)
            (`f` x)  ~>  (right f x)
            (x `f`)  ~>  (left x f)
            (`f`)  ~>  (op f)
            (a * b +)  ~>  (left (* a b) +)
            (.x.y)  ~>  (path .x .y)
            (.0)  ~>  (path .0)
            (.[i,j])  ~>  (path [i j])
            (.a[i].b)  ~>  (path .a [i] .b)
            (< 3)  ~>  (right < 3)
            (* 2)  ~>  (right * 2)"#]],
    );
}

#[test]
fn ranges_and_slices() {
    exprs(
        &["0..<n", "a..b...c + 1", "10..9..>0", "x + 1...y", "xs[:n]", "xs[1:]", "xs[:]", "xs[::2]", "xs[a+1:b:c, :]"],
        expect![[r#"
            0..<n  ~>  (..< 0 n)
            a..b...c + 1  ~>  (... a b (+ c 1))
            10..9..>0  ~>  (..> 10 9 0)
            x + 1...y  ~>  (... (+ x 1) y)
            xs[:n]  ~>  (index xs :n:)
            xs[1:]  ~>  (index xs 1::)
            xs[:]  ~>  (index xs ::)
            xs[::2]  ~>  (index xs ::2)
            xs[a+1:b:c, :]  ~>  (index xs (+ a 1):b:c ::)"#]],
    );
}

#[test]
fn functions() {
    exprs(
        &[
            "\\x (y: i32) : t -> x + y",
            "map (\\x -> x) xs",
            "f x \\y -> y : t",
            "\\_ () {a, b = c} -> a",
            "x |> map \\y -> y + 1",
        ],
        expect![[r#"
            \x (y: i32) : t -> x + y  ~>  (\ x (paren (: y i32)) : t -> (+ x y))
            map (\x -> x) xs  ~>  (map (paren (\ x -> x)) xs)
            f x \y -> y : t  ~>  (f x (\ y -> (: y t)))
            \_ () {a, b = c} -> a  ~>  (\ _ (tuple) (record a (b c)) -> a)
            x |> map \y -> y + 1  ~>  (|> x (map (\ y -> (+ y 1))))"#]],
    );
}

#[test]
fn branches_and_loops() {
    exprs(
        &[
            "if a then b else if c then d else e : t",
            "x + if a then b else c + 1",
            "match x case #a y -> 1 case (#b, -2) -> 2 case {f = _} : t -> 3 case 'c' -> 4",
            "loop x = 0 for i < n do x + i",
            "loop (a, b) for (x, y) in xs do (a, b)",
            "loop x : i32 = 1 while x < 10 do x * 2",
            "assert (x > 0) x + 1 : t",
            "#[unsafe] #[flattening(no_outer, 3)] f x + y",
        ],
        expect![[r#"
            if a then b else if c then d else e : t  ~>  (if a b (if c d (: e t)))
            x + if a then b else c + 1  ~>  (+ x (if a b (+ c 1)))
            match x case #a y -> 1 case (#b, -2) -> 2 case {f = _} : t -> 3 case 'c' -> 4  ~>  (match x ((#a y) -> 1) ((tuple (#b) -2) -> 2) ((: (record (f _)) t) -> 3) ('c' -> 4))
            loop x = 0 for i < n do x + i  ~>  (loop x = 0 (for i n) (+ x i))
            loop (a, b) for (x, y) in xs do (a, b)  ~>  (loop (tuple a b) (in (tuple x y) xs) (tuple a b))
            loop x : i32 = 1 while x < 10 do x * 2  ~>  (loop (: x i32) = 1 (while (< x 10)) (* x 2))
            assert (x > 0) x + 1 : t  ~>  (assert (paren (> x 0)) (: (+ x 1) t))
            #[unsafe] #[flattening(no_outer, 3)] f x + y  ~>  (#[unsafe] (#[flattening(no_outer,3)] (+ (f x) y)))"#]],
    );
}

#[test]
fn lets() {
    exprs(
        &[
            "let x = 1 let (y, z): t = 2 in x",
            "let x = 1 in let y = 2 in x : t",
            "let [n] (xs: [n]t) = f in n",
            "let f 'a [m] (x: a) y : t = x in f",
            "let f [m] (x: [m]a) = x in f",
            "let a[i, j] = 1 let r.f[0].g = 2 in a",
            "let (+) = f in 1 + 2",
            "let rec a = array [n] {} let rec b : t = update a {} let c = 1 let rec d = array s {} in a",
        ],
        expect![[r#"
            let x = 1 let (y, z): t = 2 in x  ~>  (let x 1 (let (: (tuple y z) t) 2 x))
            let x = 1 in let y = 2 in x : t  ~>  (let x 1 (let y 2 (: x t)))
            let [n] (xs: [n]t) = f in n  ~>  (let [n] (paren (: xs [n]t)) f n)
            let f 'a [m] (x: a) y : t = x in f  ~>  (letfun f 'a [m] (paren (: x a)) y : t = x f)
            let f [m] (x: [m]a) = x in f  ~>  (letfun f [m] (paren (: x [m]a)) = x f)
            let a[i, j] = 1 let r.f[0].g = 2 in a  ~>  (letwith a [i j] 1 (letwith r .f [0] .g 2 a))
            let (+) = f in 1 + 2  ~>  (let + f (+ 1 2))
            let rec a = array [n] {} let rec b : t = update a {} let c = 1 let rec d = array s {} in a  ~>  (letrec (a (arrayby (array n))) (b : t (update a)) (let c 1 (letrec (d (arrayby s)) a)))"#]],
    );
}

#[test]
fn types() {
    let texts = [
        "i32",
        "[n][]m.t",
        "[n + 1]t",
        "*[n]t",
        "a -> b -> c",
        "(x: a) -> [x]b",
        "(a, b)",
        "()",
        "{x: a, 0: b}",
        "t [n] a (b, c)",
        "t [n]a",
        "#a i32 [n]t | #b",
        "[n]#a | #b",
        "?[n][m].[n][m]t",
        "(a -> b) -> c",
        "[~k]t",
        "[n][~]t",
        "[..s]t",
        "[..]t",
        "t [~k] a",
    ];
    let shown: Vec<String> = texts.iter().map(|t| format!("{t}  ~>  {}", type_exp(t))).collect();
    expect![[r#"
        i32  ~>  i32
        [n][]m.t  ~>  [n][]m.t
        [n + 1]t  ~>  [(+ n 1)]t
        *[n]t  ~>  *[n]t
        a -> b -> c  ~>  (-> a (-> b c))
        (x: a) -> [x]b  ~>  (-> (x a) [x]b)
        (a, b)  ~>  (tuple a b)
        ()  ~>  (tuple)
        {x: a, 0: b}  ~>  (record (x a) (0 b))
        t [n] a (b, c)  ~>  (t [n] a (tuple b c))
        t [n]a  ~>  (t [n] a)
        #a i32 [n]t | #b  ~>  (sum (#a i32 [n]t) (#b))
        [n]#a | #b  ~>  [n](sum (#a) (#b))
        ?[n][m].[n][m]t  ~>  (? [n m] [n][m]t)
        (a -> b) -> c  ~>  (-> (paren (-> a b)) c)
        [~k]t  ~>  [~k]t
        [n][~]t  ~>  [n][~]t
        [..s]t  ~>  [..s]t
        [..]t  ~>  [..]t
        t [~k] a  ~>  (t [~k] a)"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn comprehensions() {
    exprs(
        &[
            "[x for x in xs]",
            "[x * v[i] for (i, x) in row, j < n let y = x if y > 0 for k < 3]",
            "[i for lo + 1 <= i < hi step 2]",
            "[i for f x <= i < g y step s + 1]",
            "[iv for [0, 0] <= iv < [n, m] step [1, 2]]",
            "[x for x in f step]",
            "[x for i < (f step 2)]",
            "[if a then b else c for a in xs]",
            "[[x for x in xs if x < p], []]",
        ],
        expect![[r#"
            [x for x in xs]  ~>  (comp x (for (in x xs)))
            [x * v[i] for (i, x) in row, j < n let y = x if y > 0 for k < 3]  ~>  (comp (* x (index v i)) (for (in (tuple i x) row) (j < n)) (let y x) (if (> y 0)) (for (k < 3)))
            [i for lo + 1 <= i < hi step 2]  ~>  (comp i (for ((+ lo 1) <= i < hi step 2)))
            [i for f x <= i < g y step s + 1]  ~>  (comp i (for ((f x) <= i < (g y) step (+ s 1))))
            [iv for [0, 0] <= iv < [n, m] step [1, 2]]  ~>  (comp iv (for ((array 0 0) <= iv < (array n m) step (array 1 2))))
            [x for x in f step]  ~>  (comp x (for (in x (f step))))
            [x for i < (f step 2)]  ~>  (comp x (for (i < (paren (f step 2)))))
            [if a then b else c for a in xs]  ~>  (comp (if a b c) (for (in a xs)))
            [[x for x in xs if x < p], []]  ~>  (array (comp x (for (in x xs)) (if (< x p))) (array))"#]],
    );
}

#[test]
fn clauses() {
    exprs(
        &[
            "array [n] { [i] => i for i < n }",
            "array (shape a) { [iv] => -a[iv] for iv < s; else => 0 : f64; }",
            "update a { for j < m { [i, j] => a[k, j]; [k, j] => a[i, j] } }",
            "accum (+) 0 [n] { [x] => 1 for x in xs if x < n }",
            "accum f64.max (-1) r.shape { for x in f {a = 1} let y = x if y > 0 { [y] => x; for i < 2 {} } }",
            "f array s {} update a {}",
            "array s { [i]=>-1 for i < n; else=>2 }",
        ],
        expect![[r#"
            array [n] { [i] => i for i < n }  ~>  (arrayby (array n) ([i] => i (for (i < n))))
            array (shape a) { [iv] => -a[iv] for iv < s; else => 0 : f64; }  ~>  (arrayby (paren (shape a)) ([iv] => (neg (index a iv)) (for (iv < s))) (else (: 0 f64)))
            update a { for j < m { [i, j] => a[k, j]; [k, j] => a[i, j] } }  ~>  (update a (group (for (j < m)) { ([i j] => (index a k j)) ([k j] => (index a i j)) }))
            accum (+) 0 [n] { [x] => 1 for x in xs if x < n }  ~>  (accum (op +) 0 (array n) ([x] => 1 (for (in x xs)) (if (< x n))))
            accum f64.max (-1) r.shape { for x in f {a = 1} let y = x if y > 0 { [y] => x; for i < 2 {} } }  ~>  (accum f64.max (paren (neg 1)) r.shape (group (for (in x (f (record (a 1))))) (let y x) (if (> y 0)) { ([y] => x) (group (for (i < 2)) { }) }))
            f array s {} update a {}  ~>  (f (arrayby s) (update a))
            array s { [i]=>-1 for i < n; else=>2 }  ~>  (arrayby s ([i] => (neg 1) (for (i < n))) (else 2))"#]],
    );
}

#[test]
fn declarations() {
    let text = "
-- | The first.
-- It goes on.
def f [n] 'a '~b '^c (x: [n]a): b = x
let old x = x
#[noinline] #[inline] entry main: i32 = 1
local def g x y = x
def (+^) a b = a
def (a, b) *^ (c, d): t = a
def x `op` y = x
def rec even n = odd n
def rec odd n = even n
def generic [..s] [~k] (a: [..s]t) = a
type t = i32
type~ u 'a [n] = [n]a
type^ v = i32 -> i32
import \"lib/a\"
open import \"b\"
local open m
";
    expect![[r#"
        (doc "The first.\nIt goes on.") (def f [n] 'a '~b '^c (paren (: x [n]a)) : b = x)
        (def old x = x)
        #[noinline] #[inline] (entry main : i32 = 1)
        local (def g x y = x)
        (def +^ a b = a)
        (def *^ (tuple a b) (tuple c d) : t = a)
        (def op x y = x)
        (def rec even n = (odd n))
        (def rec odd n = (even n))
        (def generic [..s] [~k] (paren (: a [..s]t)) = a)
        (type t = i32)
        (type~ u 'a [n] = [n]a)
        (type^ v = (-> i32 i32))
        (import "lib/a")
        (open (import "b"))
        local (open m)"#]]
    .assert_eq(&file(text));
}

#[test]
fn modules() {
    let text = "
module type s = {
  -- | Abstract.
  type t
  type~ u [n] 'a = [n]a
  val f [n] 'a : [n]a -> t
  val (+) : t -> t
  val * : t -> t
  #[attr] module m : s2
  include s3 with t = i32 with u 'a = a
}
module type f = (x: s) -> s -> (s with t = i32)
module m = { def x = 1 local module n = { def y = x } }
module g (p: s) (q: { type t }) : s = { open p }
module h = g m (import \"x\") { type t = i32 } : s
module l = \\(p: s) : (s) -> p
";
    expect![[r#"
        (modtype s (specs (doc "Abstract.") (type t) (type~ u [n] 'a = [n]a) (val f [n] 'a : (-> [n]a t)) (val + : (-> t t)) (val * : (-> t t)) (module m : s2) (include (with (with s3 t = i32) u 'a = a))))
        (modtype f (-> x: s (-> s (paren (with s t = i32)))))
        (module m = (decs (def x = 1) local (module n = (decs (def y = x)))))
        (module g (p s) (q (specs (type t))) : s = (decs (open p)))
        (module h = (: (((g m) (paren (import "x"))) (decs (type t = i32))) s))
        (module l = (\ (p s) : (paren s) -> p))"#]].assert_eq(&file(text));
}

#[test]
fn futhark_keeps_its_names() {
    let text = "
def array update accum rec step = array => update
def f x = x =>- rec
";
    expect![[r#"
        (def array update accum rec step = (=> array update))
        (def f x = (=>- x rec))"#]]
    .assert_eq(&file_in(text, Dialect::Futhark));
}

#[test]
fn the_examples_of_the_language() {
    let text = "
def smvm [n] [~k] [m] (sm: [n][~k](i64, f64)) (v: [m]f64): [n]f64 =
  [f64.sum [x * v[i] for (i, x) in row] for row in sm]
def triangle (n: i64): [n][~]i64 = map iota (iota n)                 -- [[], [0], [0,1], ...]
def quicksort [n] (xs: [n]f64): [n]f64 =
  if n < 2 then xs
  else let p = xs[n / 2]
       let halves = [[x for x in xs if x < p], [x for x in xs if x > p]]
       let sorted = map quicksort halves
       in (sorted[0] ++ [x for x in xs if x == p] ++ sorted[1]) :> [n]f64
def implies [..s] (a: [..s]bool) (b: [..s]bool): [..s]bool = array s { [iv] => !a[iv] || b[iv] for iv < s }
def wavefront (n: i64): [n][n]f64 =
  let rec a = array [n, n] {
    [0, j] => 1                                      for j < n;
    [i, 0] => 1                                      for 1 <= i < n;
    [i, j] => a[i-1, j] + a[i, j-1] + a[i-1, j-1]    for 1 <= i < n for 1 <= j < n }
  in a
def swap_rows [n][m] (a: *[n][m]f64) (i: i64) (k: i64): *[n][m]f64 =
  update a { for j < m { [i, j] => a[k, j]; [k, j] => a[i, j] } }
def foo (A: [9][9](f64, f64)) =
  let one = (1.0, 0.0) let zero = (0.0, 0.0)
  let B = array [9, 9] { [iv] => A[iv] for [0,0] <= iv < [5,9]; else => one }
  in (B, zero)
";
    expect![[r#"
        (def smvm [n] [~k] [m] (paren (: sm [n][~k](tuple i64 f64))) (paren (: v [m]f64)) : [n]f64 = (comp (f64.sum (comp (* x (index v i)) (for (in (tuple i x) row)))) (for (in row sm))))
        (def triangle (paren (: n i64)) : [n][~]i64 = (map iota (paren (iota n))))
        (def quicksort [n] (paren (: xs [n]f64)) : [n]f64 = (if (< n 2) xs (let p (index xs (/ n 2)) (let halves (array (comp x (for (in x xs)) (if (< x p))) (comp x (for (in x xs)) (if (> x p)))) (let sorted (map quicksort halves) (:> (paren (++ (++ (index sorted 0) (comp x (for (in x xs)) (if (== x p)))) (index sorted 1))) [n]f64))))))
        (def implies [..s] (paren (: a [..s]bool)) (paren (: b [..s]bool)) : [..s]bool = (arrayby s ([iv] => (|| (not (index a iv)) (index b iv)) (for (iv < s)))))
        (def wavefront (paren (: n i64)) : [n][n]f64 = (letrec (a (arrayby (array n n) ([0 j] => 1 (for (j < n))) ([i 0] => 1 (for (1 <= i < n))) ([i j] => (+ (+ (index a (- i 1) j) (index a i (- j 1))) (index a (- i 1) (- j 1))) (for (1 <= i < n)) (for (1 <= j < n))))) a))
        (def swap_rows [n] [m] (paren (: a *[n][m]f64)) (paren (: i i64)) (paren (: k i64)) : *[n][m]f64 = (update a (group (for (j < m)) { ([i j] => (index a k j)) ([k j] => (index a i j)) })))
        (def foo (paren (: A [9][9](tuple f64 f64))) = (let one (tuple 1.0 0.0) (let zero (tuple 0.0 0.0) (let B (arrayby (array 9 9) ([iv] => (index A iv) (for ((array 0 0) <= iv < (array 5 9)))) (else one)) (tuple B zero)))))"#]].assert_eq(&file(text));
}
