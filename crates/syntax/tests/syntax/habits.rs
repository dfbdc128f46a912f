//! What is said about things that are written so in other languages.

use crate::errors::check;
use expect_test::expect;

#[test]
fn habits() {
    check(
        &[
            "def f k x = loop u = x for _ < k do u + 1",
            "def f n = [1 for _ < n]",
            "def f a =\n  a[0] = 3.0\n  in a",
            "def f a = loop a for i < 3 do a[i, 0] = i",
            "def f n = loop s = 0 while s < n do s = s + 1",
            "def f n = loop (s, t) = (0, 1) while s < n do (s, t) = (t, s)",
            "def f a = if a[0] = 1 then 2 else 3",
            "def f x = match x case a y -> y case #b -> 0",
            "def f xs = foldl (\\acc, x -> acc + x) 0 xs",
            "def f xs = {x * x : x in xs}",
            "def f xs = {x + 1}",
            "def f (n: i64): i64 { return n + 1; }",
            "def f xs = map (!) xs",
        ],
        expect![[r#"
            > def f k x = loop u = x for _ < k do u + 1
            E0024 a counter needs a name
              t:1:28 "_": a name goes here
              note: a counter is a name, not a pattern; it need not be used
              help: write `for i < n`, or any other name in place of `i`

            > def f n = [1 for _ < n]
            E0024 a counter needs a name
              t:1:18 "_": a name goes here
              note: a counter is a name, not a pattern; it need not be used
              help: write `for i < n`, or any other name in place of `i`

            > def f a =
            >   a[0] = 3.0
            >   in a
            E0032 `=` does not assign
              t:2:8 "=": a definition is not possible here
              help: an array with another element is `a with [0] = value`; to go on with it under the same name, write `let a[0] = value in ...`

            > def f a = loop a for i < 3 do a[i, 0] = i
            E0032 `=` does not assign
              t:1:39 "=": a definition is not possible here
              help: an array with another element is `a with [i, 0] = value`; to go on with it under the same name, write `let a[i, 0] = value in ...`

            > def f n = loop s = 0 while s < n do s = s + 1
            E0032 `=` does not assign
              t:1:39 "=": a definition is not possible here
              help: the body of a loop is the next value of `s`: leave out `s =`

            > def f n = loop (s, t) = (0, 1) while s < n do (s, t) = (t, s)
            E0032 `=` does not assign
              t:1:54 "=": a definition is not possible here
              help: the body of a loop is the next value of `(s, t)`: leave out `(s, t) =`

            > def f a = if a[0] = 1 then 2 else 3
            E0032 `=` does not compare
              t:1:19 "=": a definition is not possible here
              help: to compare two values, write `==`

            > def f x = match x case a y -> y case #b -> 0
            E0033 expected `->` after the pattern, found `y`
              t:1:26 "y": expected `->`
              help: a constructor is written with `#`: `#a ...`

            > def f xs = foldl (\acc, x -> acc + x) 0 xs
            E0033 expected `->` after the parameters of this function, found `,`
              t:1:23 ",": expected `->`
              help: parameters follow one another, without commas: `\x y -> result`

            > def f xs = {x * x : x in xs}
            E0010 expected `=`, `,` or `}` after the field's name, found `*`
              t:1:15 "*": expected `=`, `,` or `}`
              help: an array of computed elements is written `[e for x in xs]`

            > def f xs = {x + 1}
            E0010 expected `=`, `,` or `}` after the field's name, found `+`
              t:1:15 "+": expected `=`, `,` or `}`
              help: braces hold a record, `{field = value}`; to group an expression, use parentheses

            > def f (n: i64): i64 { return n + 1; }
            E0010 expected `=` in the definition of `f`, found `{`
              t:1:21 "{": expected `=`
              help: the result is the expression after `=`, without braces and `return`

            > def f xs = map (!) xs
            E0039 `!` lacks its operand
              t:1:17 "!": nothing to negate
              note: `!` is no binary operator, so it has no section
              help: as a function, `!` is called `not`
        "#]],
    );
}
