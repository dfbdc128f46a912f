//! Types, constants and functions of a program.

use super::{Function, Generator};
use crate::tree::{Exp, Size, Ty};

/// Functions that every program may use: polymorphic, higher-order, recursive, consuming.
const HELPERS: [&str; 12] = [
    "def twice 'a (f: a -> a) (x: a): a = f (f x)",
    "def apply 'a 'b (f: a -> b) (x: a): b = f x",
    "def pick 'a [n] (d: a) (i: i64) (xs: [n]a): a = if n == 0 then d else xs[i % n]",
    "def mapi 'a 'b [n] (f: i64 -> a -> b) (xs: [n]a): [n]b = map2 f (iota n) xs",
    "def fill 'a [k] (n: i64) (d: a) (xs: [k]a): [n]a = map (\\i -> if i < k then xs[i] else d) (iota n)",
    "def put 'a [n] (a: *[n]a) (i: i64) (x: a): *[n]a = if n == 0 then a else a with [i % n] = x",
    "def rec is_even (n: i64): bool = if n <= 0 then true else is_odd (n - 1)",
    "def rec is_odd (n: i64): bool = if n <= 0 then false else is_even (n - 1)",
    "def backwards 'a [n] (xs: [n]a): []a = if n < 2 then xs else backwards xs[1:] ++ [xs[0]]",
    // Applies a function from deep inside of calls.
    "def rec reach 'a (f: i64 -> a) (i: i64) (k: i64): a = if k <= 0 then f i else reach f i (k - 1)",
    "def uneven [n] (xss: [n][~]i64): [n][~]i64 = map (filter (\\_ -> true)) xss",
    "def compose 'a 'b 'c (f: a -> b) (g: b -> c) (x: a): c = g (f x)",
];

impl Generator {
    /// Makes the definitions.
    pub(super) fn definitions(&mut self) {
        self.defs.extend(HELPERS.iter().map(|text| Exp::piece(*text, vec![])));
        if self.random.percent(70) {
            self.sum_type();
        }
        for _ in 0..self.random.below(3) {
            self.constant();
        }
        for _ in 0..1 + self.random.below(3) {
            self.function();
        }
        if self.random.percent(60) {
            self.recursive_function();
        }
        if self.random.percent(25) {
            self.growing_function();
        }
        for _ in 0..1 + self.random.below(2) {
            self.shape_generic_definition();
        }
    }

    fn sum_type(&mut self) {
        let (a, b) = (self.prim(), self.prim());
        let pair = Ty::Tuple(vec![Ty::Prim(b), Ty::I64]);
        let mut cases =
            vec![("ca".to_owned(), Some(Ty::Prim(a))), ("cb".to_owned(), Some(pair.clone())), ("cc".to_owned(), None)];
        let mut text = format!("type choice = #ca {} | #cb {} | #cc", a.name(), pair.text());
        if self.random.percent(35) {
            // Elements of arrays have arrays in them, if they are of this constructor.
            let row = Ty::array(&Size::Const(self.random.between(0, 3)), &Ty::Prim(self.prim()));
            text += &format!(" | #cd {}", row.text());
            cases.push(("cd".to_owned(), Some(row)));
        }
        self.defs.push(Exp::piece(text, vec![]));
        self.sums.push(Ty::Sum("choice".into(), cases));
    }

    fn constant(&mut self) {
        let ty =
            if self.random.percent(60) { self.flat_type() } else { Ty::array(&Size::Const(3), &Ty::Prim(self.prim())) };
        let value = self.exp(&ty, 2);
        let name = self.fresh("const");
        self.defs.push(Exp::piece(format!("def {name}: {} = @", ty.text()), vec![value]));
        self.functions.push(Function { name, sizes: vec![], params: vec![], result: ty });
    }

    fn function(&mut self) {
        let mark = self.mark();
        let sizes: Vec<String> = (0..self.random.below(3)).map(|_| self.fresh("n")).collect();
        self.sizes.extend(sizes.iter().map(|name| Size::Named { name: name.clone(), big: false }));
        // Every size must be that of a parameter.
        let mut params: Vec<Ty> = sizes
            .iter()
            .map(|name| {
                let elem = Ty::Prim(self.prim());
                Ty::array(&Size::Named { name: name.clone(), big: false }, &elem)
            })
            .collect();
        for _ in 0..1 + self.random.below(2) {
            params.push(self.any_type());
        }
        let result = self.any_type();
        let names: Vec<String> = params.iter().map(|_| self.fresh("a")).collect();
        self.vars.extend(names.iter().cloned().zip(params.iter().cloned()));
        let body = self.exp(&result, 3);
        self.leave(&mark);
        let name = self.fresh("fun");
        let heads: String = sizes.iter().map(|n| format!(" [{n}]")).collect();
        let args: String = names.iter().zip(&params).map(|(x, ty)| format!(" ({x}: {})", ty.text())).collect();
        self.defs.push(Exp::piece(format!("def {name}{heads}{args}: {} =\n  @", result.text()), vec![body]));
        self.functions.push(Function { name, sizes, params, result });
    }

    /// A function that calls itself, perhaps several times in parallel.
    fn recursive_function(&mut self) {
        let ty = self.flat_type();
        let (name, inner) = (self.fresh("fun"), self.fresh("rec"));
        let text = ty.text();
        let body = self.within(&[("k", &Ty::I64), ("x", &ty)], &ty, 2);
        let (call, parts) = if self.random.percent(50) {
            (format!("{inner} (k - 1) @"), vec![body])
        } else {
            let (op, ne) = self.operator(&ty);
            (format!("reduce {op} {ne} (map (\\j -> {inner} (k - 1 - j) @) (iota 2))"), vec![body])
        };
        let head = format!("def {inner} (k: i64) (x: {text}): {text} = if k <= 0 then x else {call}");
        self.defs.push(Exp::piece(head, parts));
        let outer = format!("def {name} (k: i64) (x: {text}): {text} = {inner} (k % 5) x");
        self.defs.push(Exp::piece(outer, vec![]));
        self.functions.push(Function { name, sizes: vec![], params: vec![Ty::I64, ty.clone()], result: ty });
    }
}
