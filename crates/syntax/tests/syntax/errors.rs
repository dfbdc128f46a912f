//! What is said about wrong programs, word for word. Newcomers' mistakes first.

use crate::show::{errors, errors_in, file};
use expect_test::{Expect, expect};
use syntax::ast::Dialect;

/// Every text on its own, its errors in full.
pub fn check(texts: &[&str], expected: Expect) {
    let shown: Vec<String> = texts.iter().map(|t| format!("> {}\n{}", t.replace('\n', "\n> "), errors(t))).collect();
    expected.assert_eq(&(shown.join("\n\n") + "\n"));
}

#[test]
fn newcomers() {
    check(
        &[
            "def f x = if x then 1",
            "def f x = if x then 1 elif x then 2 else 3",
            "def f x = if x = 1 then 2 else 3",
            "def f x = g (x = 1)",
            "def f x =\n  let y = x + 1\n  y * 2",
            "def f x =\n  let y = x\ndef g = 1",
            "def f x =\n  let y = 1\nlet g = 2",
            "def f x = def y = 1 in y",
            "def f = map (lambda x: x + 1) xs",
            "def f = map (fn x => x + 1) xs",
            "def f = map (fun x -> x + 1) xs",
            "def f = map (\\x => x + 1) xs",
            "def f = map (\\x x + 1) xs",
            "f x = x + 1",
            "fun f x = x",
            "// comment\ndef f = 1",
            "def f x -> x",
            "def f x =-1",
            "def f = 'hello'",
            "def f = {x: 1}",
            "def f a = a[0] [1]",
            "def f = 1..10",
            "def (a, b) = g",
            "def f x = match x",
            "def f x = match x case 1 => 2",
            "def f = loop x = 1 do x",
            "def f = for i < n do i",
            "def f a = a with [0] <- 1",
            "def f a = a with = 1",
            "def f (x: [n]) = x",
            "def f x 'a [n] y = x",
            "def f = (1,)",
            "def f [x, y] = x",
            "import foo",
            "def let = 1",
        ],
        expect![[r#"
            > def f x = if x then 1
            E0030 this `if` has no `else`
              t:1:11 "if": an `if` is an expression: it needs both values
              t:1:22 "": `else` is missing here
              help: add `else` and the value for the other case

            > def f x = if x then 1 elif x then 2 else 3
            E0030 this `if` has no `else`
              t:1:11 "if": an `if` is an expression: it needs both values
              t:1:30 "then": `else` is missing here
              help: write `else if` where another language has `elif`

            > def f x = if x = 1 then 2 else 3
            E0032 `=` does not compare
              t:1:16 "=": a definition is not possible here
              help: to compare two values, write `==`

            > def f x = g (x = 1)
            E0032 `=` does not compare
              t:1:16 "=": a definition is not possible here
              help: to compare two values, write `==`

            > def f x =
            >   let y = x + 1
            >   y * 2
            E0031 this `let` has no `in`
              t:2:3 "let": a name is bound here
              t:3:3 "y": is `in` missing before this?
              note: without `in`, the new line continues the value of the `let`
              help: write `in` before the result

            > def f x =
            >   let y = x
            > def g = 1
            E0031 this `let` has no `in`
              t:2:3 "let": a name is bound here
              t:3:1 "def": expected `in` and a result, found the word `def`
              help: write `let name = value in result`

            > def f x =
            >   let y = 1
            > let g = 2
            E0031 this `let` has no `in`
              t:2:3 "let": a name is bound here
              t:3:1 "let": expected `in` and a result, found the word `let`
              help: write `let name = value in result`

            > def f x = def y = 1 in y
            E0021 expected an expression, but the word `def` begins a declaration
              t:1:11 "def": an expression goes here
              help: inside an expression, use `let ... in ...`

            > def f = map (lambda x: x + 1) xs
            E0010 expected `,` or `)`, found `+`
              t:1:26 "+": expected `,` or `)`
              t:1:14 "lambda": this is an ordinary name
              help: a function is written `\x y -> result`

            > def f = map (fn x => x + 1) xs
            E0033 `=>` without a function's parameters
              t:1:19 "=>": unexpected
              help: a function is written `\x y -> result`

            > def f = map (fun x -> x + 1) xs
            E0033 `->` without a function's parameters
              t:1:20 "->": unexpected
              help: a function is written `\x y -> result`

            > def f = map (\x => x + 1) xs
            E0033 expected `->` after the parameters of this function, found `=>`
              t:1:17 "=>": expected `->`
              help: write `->` in place of `=>`

            > def f = map (\x x + 1) xs
            E0033 expected `->` after the parameters of this function, found `+`
              t:1:19 "+": expected `->`

            > f x = x + 1
            E0020 expected a declaration, found `f`
              t:1:1 "f": a declaration goes here
              help: to define `f`, write `def f ... = ...`

            > fun f x = x
            E0020 expected a declaration, found `fun`
              t:1:1 "fun": a declaration goes here
              help: functions are defined with `def name parameter ... = result`

            > // comment
            > def f = 1
            E0020 expected a declaration, found `//`
              t:1:1 "//": a declaration goes here
              help: comments begin with `--`

            > def f x -> x
            E0010 expected `=` in the definition of `f`, found `->`
              t:1:9 "->": expected `=`
              help: write `=` in place of `->`

            > def f x =-1
            E0010 expected `=` in the definition of `f`, found `=-`
              t:1:9 "=-": expected `=`
              help: `=-` is one operator: put a space after the `=`

            > def f = 'hello'
            E0021 expected an expression, found `'`
              t:1:9 "'": an expression goes here
              help: text is written in double quotes: `"abc"`; a character as `'a'`

            > def f = {x: 1}
            E0010 a field gets its value with `=`
              t:1:11 ":": expected `=`
              help: write `{field = value}`; `{field: type}` is a type

            > def f a = a[0] [1]
            E0038 a space before `[` makes this an application, not an index
              t:1:16 "[1]": an argument
              t:1:11 "a[0]": indexed here already
              help: write all indices in one pair of brackets: `a[i, j]`

            > def f = 1..10
            E0034 a range says how it ends: `...`, `..<` or `..>`
              t:1:14 "": the end is missing
              note: `..` only separates the first element from the second: `0..2...10`
              help: write `a...b` with b included, `a..<b` without it, `a..>b` to count down

            > def (a, b) = g
            E0036 a top-level definition binds one name, not a pattern
              t:1:5 "(a, b)": a pattern
              help: bind one name and take it apart with `.0`, `.1` or a further `def`

            > def f x = match x
            E0042 expected `case`, found the end of the file
              t:1:18 "": expected `case`
              t:1:11 "match": this `match` has no cases
              help: write `match e case pattern -> value case ...`

            > def f x = match x case 1 => 2
            E0033 expected `->` after the pattern, found `=>`
              t:1:26 "=>": expected `->`
              help: write `->` in place of `=>`

            > def f = loop x = 1 do x
            E0043 expected `for` or `while`, found the word `do`
              t:1:20 "do": expected `for` or `while`
              t:1:9 "loop": this loop does not say how long it runs
              help: write `loop x = start for i < n do ...` or `loop x = start while condition do ...`

            > def f = for i < n do i
            E0021 expected an expression, found the word `for`
              t:1:9 "for": an expression goes here
              help: a loop is written `loop x = start for i < n do ...`, an array `[e for i < n]`

            > def f a = a with [0] <- 1
            E0010 expected `=` before the new value of `with`, found `<-`
              t:1:22 "<-": expected `=`
              help: write `=` in place of `<-`

            > def f a = a with = 1
            E0035 `with` must say what to replace, found `=`
              t:1:18 "=": an index or field goes here
              t:1:13 "with": what does this replace?
              help: write `a with [i] = value` or `r with field = value`

            > def f (x: [n]) = x
            E0023 an array type needs the type of its elements
              t:1:14 ")": the element type goes here
              help: write the dimensions in brackets and the element type after them: `[]i64`, `[n]f64`

            > def f x 'a [n] y = x
            E0041 sizes and types must come before the other parameters
              t:1:9 "'a": too late
              help: move it to the front
            E0041 sizes and types must come before the other parameters
              t:1:12 "[n]": too late
              help: move it to the front; a parameter that is an array is written `(xs: [n]t)`

            > def f = (1,)
            E0010 a tuple has two elements or more, or none
              t:1:11 ",": nothing follows this comma
              help: leave out the comma

            > def f [x, y] = x
            E0010 expected `]`, found `,`
              t:1:9 ",": expected `]`

            > import foo
            E0010 expected a path in quotes after `import`, found `foo`
              t:1:8 "foo": expected a path in quotes
              help: write `import "foo"`

            > def let = 1
            E0025 `let` is a reserved word and cannot name a definition
              t:1:5 "let": reserved
              help: choose another name, such as `let'`
        "#]],
    );
}

#[test]
fn brackets() {
    check(
        &[
            "def f = (1 + 2\ndef g = 3",
            "def f = [1, 2\n\ndef g = (3]\ndef h = 4",
            "def f = 1)\ndef g = 2",
            "def f = (1 2 3 ; 4)\ndef g = ]",
            "module m = {\n  def f = 1\ndef g = 2",
            "}\ndef f = 1",
            "def f = a[1",
        ],
        expect![[r#"
            > def f = (1 + 2
            > def g = 3
            E0011 this `(` is never closed
              t:1:9 "(": opened here
              t:2:1 "def": `)` is missing here at the latest
              help: add the closing `)`

            > def f = [1, 2
            > 
            > def g = (3]
            > def h = 4
            E0011 this `[` is never closed
              t:1:9 "[": opened here
              t:3:1 "def": `]` is missing here at the latest
              help: add the closing `]`
            E0011 this `(` is never closed
              t:3:9 "(": opened here
              t:3:11 "]": `]` does not close it
              help: add the closing `)`

            > def f = 1)
            > def g = 2
            E0012 `)` closes nothing
              t:1:10 ")": no bracket is open here
              help: remove it, or open the bracket it belongs to

            > def f = (1 2 3 ; 4)
            > def g = ]
            E0010 expected `,` or `)`, found `;`
              t:1:16 ";": expected `,` or `)`
            E0021 expected an expression, found `]`
              t:2:9 "]": an expression goes here

            > module m = {
            >   def f = 1
            > def g = 2
            E0011 this `{` is never closed
              t:1:12 "{": opened here
              t:3:10 "": the file ends here
              help: add the closing `}`

            > }
            > def f = 1
            E0012 `}` closes nothing
              t:1:1 "}": no bracket is open here
              help: remove it, or open the bracket it belongs to

            > def f = a[1
            E0011 this `[` is never closed
              t:1:10 "[": opened here
              t:1:12 "": the file ends here
              help: add the closing `]`
        "#]],
    );
}

#[test]
fn ravel_forms() {
    check(
        &[
            "def f = [a, b for x in xs]",
            "def f = [a if b]",
            "def f = [a for x]",
            "def f = [a for x <= n]",
            "def f = [a for 0 <= x <= n]",
            "def f = [a for x < n && odd x]",
            "def f = array [n]",
            "def f = array { [i] => 1 }",
            "def f = array shape a { [i] => 1 }",
            "def f = array s { [i] = 1; [j] -> 2 }",
            "def f = array s { [0] => a\n [1] => b }",
            "def f = array s { [0] => 1, [1] => 2 }",
            "def f = array s { i => 1; [1] => 2 }",
            "def f = update a { [0] => 1; else => 2 }",
            "def f = array s { else => 1; [0] => 2 }",
            "def f = array s { for i < n { [i] => 1; else => 2 } }",
            "def f = array s { for i < n [i] => 1 }",
            "def f = let rec g x = g x in g",
            "def array = 1",
            "def f = accum (+) 0 { [i] => 1 }",
        ],
        expect![[r#"
            > def f = [a, b for x in xs]
            E0050 a comprehension has one value before `for`
              t:1:10 "a, b": several values
              help: for tuples, use parentheses: `[(a, b) for ...]`

            > def f = [a if b]
            E0050 a comprehension begins with `for`
              t:1:12 "if b": no `for` before this
              help: write `[e for x in xs if condition]`

            > def f = [a for x]
            E0051 `for` needs `in`, `<` or `<=`, found `]`
              t:1:17 "]": expected `in`, `<` or `<=`
              help: write `for x in xs`, `for i < n` or `for lo <= i < hi`

            > def f = [a for x <= n]
            E0010 expected `<` before the upper bound of `for`, found `]`
              t:1:22 "]": expected `<`
              help: the upper bound is exclusive: write `i < n + 1` for `i <= n`

            > def f = [a for 0 <= x <= n]
            E0051 the upper bound of `for` is exclusive
              t:1:23 "<=": expected `<`
              help: write `< hi + 1` to include `hi`

            > def f = [a for x < n && odd x]
            E0051 `&&` makes this bound a truth value
              t:1:22 "&&": not part of a bound
              help: to keep only some, add a condition: `for i < n if condition`

            > def f = array [n]
            E0052 expected the clauses of `array`, found the end of the file
              t:1:18 "": `{ [i] => ... }` goes here
              help: write `array [n] { [i] => value for i < n }`; put the shape in parentheses if it is a call

            > def f = array { [i] => 1 }
            E0052 expected the shape of the array before the clauses
              t:1:15 "{": the shape of the array goes before this

            > def f = array shape a { [i] => 1 }
            E0052 expected the clauses of `array`, found `a`
              t:1:21 "a": `{ [i] => ... }` goes here
              help: write `array [n] { [i] => value for i < n }`; put the shape in parentheses if it is a call

            > def f = array s { [i] = 1; [j] -> 2 }
            E0010 expected `=>` after the subscripts of a clause, found `=`
              t:1:23 "=": expected `=>`
              help: write `=>` in place of `=`
            E0010 expected `=>` after the subscripts of a clause, found `->`
              t:1:32 "->": expected `=>`
              help: write `=>` in place of `->`

            > def f = array s { [0] => a
            >  [1] => b }
            E0053 clauses are separated by `;`
              t:2:6 "=>": a second `=>` in one clause
              t:2:2 "[": put `;` before this

            > def f = array s { [0] => 1, [1] => 2 }
            E0010 expected `;` between clauses, found `,`
              t:1:27 ",": expected `;`
              help: separate clauses by `;`

            > def f = array s { i => 1; [1] => 2 }
            E0052 expected the clauses of `array`, found something else in braces
              t:1:17 "{": `{ [i] => ... }` goes here
              help: write `array [n] { [i] => value for i < n }`; put the shape in parentheses if it is a call

            > def f = update a { [0] => 1; else => 2 }
            E0054 `update` has no `else`
              t:1:30 "else": only `array` has one

            > def f = array s { else => 1; [0] => 2 }
            E0054 `else` comes last
              t:1:30 "[": a clause after `else`

            > def f = array s { for i < n { [i] => 1; else => 2 } }
            E0054 `else` belongs to the whole array, not to a group
              t:1:31 "[": in this group

            > def f = array s { for i < n [i] => 1 }
            E0053 the qualifiers of a single clause come last
              t:1:19 "for": this belongs after the value
              help: write `[i] => value for i < n`

            > def f = let rec g x = g x in g
            E0055 `let rec` defines an array, but `g` has parameters
              t:1:19 "x": a parameter
              note: a local function is not in scope of itself
              help: define a recursive function with `def` at the top level

            > def array = 1
            E0025 `array` is a reserved word in Ravel and cannot name a definition
              t:1:5 "array": reserved
              help: choose another name, such as `array'`

            > def f = accum (+) 0 { [i] => 1 }
            E0052 expected the shape of the array before the clauses
              t:1:21 "{": the shape of the array goes before this
        "#]],
    );
}

#[test]
fn other_places() {
    check(
        &[
            "type t",
            "type t = #a | b",
            "type t = a ->* b",
            "def f (x: 'a) = x",
            "module type s = { def x = 1 }",
            "module type s = { val f }",
            "module m = 1",
            "val f : t",
            "def f = #[] x",
            "def f = x `g y",
            "def f = (x.y).(z)",
            "def m.+ x = 1",
            "def f = x +",
            "def f = [x +]",
            "def f = (a + b *)",
            "local",
            "def f = \\ -> 1",
            "def f : (x: t) = 1",
            "def f = x.",
            "def f = g #[attr] x",
        ],
        expect![[r##"
            > type t
            E0010 expected `=` in the definition of `t`, found the end of the file
              t:1:7 "": expected `=`

            > type t = #a | b
            E0010 expected a constructor such as `#name` after `|`, found `b`
              t:1:15 "b": expected a constructor such as `#name`

            > type t = a ->* b
            E0010 `->*` cannot follow this declaration
              t:1:12 "->*": unexpected
              help: this is one operator: put a space after `->`

            > def f (x: 'a) = x
            E0023 expected a type, found `'`
              t:1:11 "'": a type goes here
              help: a type parameter is declared as `'a` but used without the quote: `a`

            > module type s = { def x = 1 }
            E0020 expected a specification, found the word `def`
              t:1:19 "def": a specification goes here
              help: a module type only states types: `val name : type`

            > module type s = { val f }
            E0010 expected `:` before the type of a value, found `}`
              t:1:25 "}": expected `:`

            > module m = 1
            E0026 expected a module, found `1`
              t:1:12 "1": a module goes here
              help: a module is a name, `{ declarations }`, or `import "path"`

            > val f : t
            E0020 expected a declaration, found the word `val`
              t:1:1 "val": a declaration goes here
              help: `val` belongs in a module type; a value is defined with `def`

            > def f = #[] x
            E0044 expected an attribute, found `]`
              t:1:11 "]": an attribute goes here
              help: an attribute is a name or a number, perhaps with others in parentheses

            > def f = x `g y
            E0010 expected a closing backtick after the function's name, found `y`
              t:1:14 "y": expected a closing backtick
              t:1:11 "`": opened here

            > def f = (x.y).(z)
            E0037 only a module's name can come before `.( )`
              t:1:9 "(x.y)": not a module's name
              help: to take a field, write its name: `e.field`; to index, `e[i]`

            > def m.+ x = 1
            E0024 expected the name of a definition, found `m.+`
              t:1:5 "m.+": a name goes here

            > def f = x +
            E0021 expected an expression, found the end of the file
              t:1:12 "": an expression goes here

            > def f = [x +]
            E0021 expected an expression, found `]`
              t:1:13 "]": an expression goes here

            > def f = (a + b *)
            E0039 `*` binds tighter than `+`
              t:1:16 "*": so this section is unclear
              t:1:10 "a + b": not one operand
              help: put parentheses around the operand

            > local
            E0020 expected a declaration, found the end of the file
              t:1:6 "": a declaration goes here
              note: an attribute or `local` needs a declaration after it

            > def f = \ -> 1
            E0022 a function needs a parameter
              t:1:11 "->": missing
              help: write `\x -> ...`, or `\() -> ...` for one that takes nothing

            > def f : (x: t) = 1
            E0010 the type of parameter `x` must be followed by `->`
              t:1:16 "=": expected `->`
              t:1:10 "x": a named parameter of a function type
              help: a record type is written `{x: t}`, a tuple `(t, u)`

            > def f = x.
            E0024 expected the name of a field, found the end of the file
              t:1:11 "": a name goes here

            > def f = g #[attr] x
            E0044 an argument with an attribute needs parentheses
              t:1:11 "#[attr]": ends the expression before it
              help: use parentheses: `f (#[attr] x)`
        "##]],
    );
}

#[test]
fn several_errors_in_one_file() {
    let text = "
def a = (1 + ] 2)
def b = if x then y
def c = 3
def d = let x = 1
def e = [1, , 2] + f (2
type t = 
def g = 7
";
    expect![[r#"
        (def a = (paren (+ 1 ERROR)))
        (def b = (if x y ERROR))
        (def c = 3)
        (def d = (let x 1 ERROR))
        (def e = (+ (array 1 ERROR 2) (f (paren 2))))
        (type t = ERROR)
        (def g = 7)
        E0021 t:2:14 expected an expression, found `]`
        E0030 t:3:9 this `if` has no `else`
        E0031 t:5:9 this `let` has no `in`
        E0021 t:6:13 expected an expression, found `,`
        E0011 t:6:22 this `(` is never closed
        E0023 t:8:1 expected a type, found the word `def`"#]]
    .assert_eq(&file(text));
}

#[test]
fn one_error_does_not_hide_the_next_binding() {
    let text = "
def a =
  let x = (1 +)) * 2
  let y = [1 2 = 3]
  let z = 5 }
  in x + y
def b = {x = , y = 2}
";
    expect![[r#"
        (def a = (let x (left 1 +) (let y (array (1 2)) (let z 5 (+ x y)))))
        (def b = (record (x ERROR) (y 2)))
        E0012 t:3:16 `)` closes nothing
        E0032 t:4:16 `=` does not compare
        E0012 t:5:13 `}` closes nothing
        E0021 t:7:14 expected an expression, found `,`"#]]
    .assert_eq(&file(text));
}

#[test]
fn futhark_files_have_no_ravel() {
    let texts = ["def f (x: [~k]t) = x", "def f = [x for x in xs]", "def f = 1; def g = 2"];
    let shown: Vec<String> = texts.iter().map(|t| format!("> {t}\n{}", errors_in(t, Dialect::Futhark))).collect();
    expect![[r#"
        > def f (x: [~k]t) = x
        E0056 a jagged dimension is Ravel, but this file is Futhark
          t:1:12 "~": not in a `.fut` file
          help: rename the file to end in `.rv`

        > def f = [x for x in xs]
        E0010 expected `]`, found the word `for`
          t:1:12 "for": expected `]`
          help: comprehensions are Ravel: they need a file that ends in `.rv`

        > def f = 1; def g = 2
        E0001 `;` means nothing here
          t:1:10 ";": not understood
          help: declarations and bindings need no `;` between them: leave it out"#]]
    .assert_eq(&shown.join("\n\n"));
}
