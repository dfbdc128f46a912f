//! Recursive functions that make ever larger functions.

use super::{Function, Generator};
use crate::tree::{Exp, Size, Ty};

/// What such a function is about.
struct Growing {
    /// Its name, and its size parameter with the array that shows it.
    inner: String,
    size: String,
    shown: Ty,
    /// Something that changes from call to call and that functions hold.
    kept: Ty,
    /// What the functions take and give.
    takes: Ty,
    gives: Ty,
}

impl Generator {
    /// A function that calls itself with functions that hold those it got, or returns such.
    pub(super) fn growing_function(&mut self) -> Function {
        let mark = self.mark();
        let (name, inner, size) = (self.fresh("fun"), self.fresh("grow"), self.fresh("n"));
        let n = Size::Named { name: size.clone(), big: false };
        let shown = Ty::array(&n, &Ty::Prim(self.prim()));
        self.sizes.push(n.clone());
        self.vars.extend([("k".to_owned(), Ty::I64), ("a".to_owned(), shown.clone())]);
        let (kept, takes, gives) = (self.any_type(), self.any_type(), self.any_type());
        let growing = Growing { inner: inner.clone(), size: size.clone(), shown, kept, takes, gives };
        let first = match self.random.below(5) {
            0 => self.returns_functions(&growing),
            1 => self.functions_in_sums(&growing),
            2 => self.functions_in_records(&growing),
            3 => self.consuming_functions(&growing),
            _ => self.continuations(&growing),
        };
        let Growing { shown, kept, gives, .. } = growing;
        self.leave(&mark);
        let (shows, holds, result) = (shown.text(), kept.text(), gives.text());
        let head = format!("def {name} [{size}] (k: i64) (a: {shows}) (x: {holds}): {result} =\n  @");
        self.defs.push(Exp::piece(head, vec![first]));
        let function = Function { name, sizes: vec![size], params: vec![Ty::I64, shown, kept], result: gives };
        self.functions.push(function.clone());
        function
    }

    fn head(&self, g: &Growing) -> String {
        format!("def {} [{}] (k: i64) (a: {}) (x: {})", g.inner, g.size, g.shown.text(), g.kept.text())
    }

    /// `let z: t = call in body`, where the call takes a value of the functions' type.
    fn continued(&mut self, g: &Growing, call: &str, kept: Option<Exp>, vars: &[(&str, &Ty)]) -> Exp {
        let arg = self.within(vars, &g.takes, 1);
        let all: Vec<(&str, &Ty)> = vars.iter().copied().chain([("z", &g.gives)]).collect();
        let body = self.within(&all, &g.gives, 2);
        Exp::piece(
            format!("(let z: {} = {call} @\n    in @)", g.gives.text()),
            kept.into_iter().chain([arg, body]).collect(),
        )
    }

    fn first_function(&mut self, g: &Growing) -> Exp {
        let body = self.within(&[("x", &g.kept), ("y", &g.takes)], &g.gives, 2);
        Exp::piece(format!("(\\(y: {}) -> @)", g.takes.text()), vec![body])
    }

    fn continuations(&mut self, g: &Growing) -> Exp {
        let (takes, gives) = (g.takes.text(), g.gives.text());
        let head = format!("{} (f: {takes} -> {gives}): {gives} =", self.head(g));
        let last = self.within(&[("x", &g.kept)], &g.takes, 1);
        let kept = self.within(&[("x", &g.kept)], &g.kept, 1);
        let grown = self.continued(g, "f", None, &[("x", &g.kept), ("y", &g.takes)]);
        let text = format!("{head}\n  if k <= 0 then f @\n  else {} (k - 1) a @ (\\(y: {takes}) ->\n    @)", g.inner);
        self.defs.push(Exp::piece(text, vec![last, kept, grown]));
        let first = self.first_function(g);
        Exp::piece(format!("{} (k & 3) a x @", g.inner), vec![first])
    }

    fn returns_functions(&mut self, g: &Growing) -> Exp {
        let (takes, gives) = (g.takes.text(), g.gives.text());
        let head = format!("{}: {takes} -> {gives} =", self.head(g));
        let (bound, kept) = (self.any_type(), self.within(&[("x", &g.kept)], &g.kept, 1));
        let value = self.within(&[("x", &g.kept)], &bound, 1);
        let vars = [("x", &g.kept), ("y", &g.takes), ("v", &bound)];
        let last = self.within(&vars, &g.gives, 2);
        let grown = self.continued(g, &format!("{} (k - 1) a @", g.inner), Some(kept), &vars);
        let text = format!("{head}\n  let v: {} = @\n  in \\(y: {takes}) -> if k <= 0 then @ else @", bound.text());
        self.defs.push(Exp::piece(text, vec![value, last, grown]));
        let arg = self.within(&[("x", &g.kept)], &g.takes, 1);
        Exp::piece(format!("{} (k & 3) a x @", g.inner), vec![arg])
    }

    fn functions_in_sums(&mut self, g: &Growing) -> Exp {
        let (takes, gives) = (g.takes.text(), g.gives.text());
        let head = format!("{} (s: #no | #yes ({takes} -> {gives})): {gives} =", self.head(g));
        let vars = [("x", &g.kept)];
        let parts = vec![
            self.within(&vars, &g.gives, 1),
            self.within(&vars, &g.takes, 1),
            self.within(&vars, &g.kept, 1),
            self.within(&[("x", &g.kept), ("y", &g.takes)], &g.gives, 1),
            self.continued(g, "f", None, &[("x", &g.kept), ("y", &g.takes)]),
        ];
        let text = format!(
            "{head}\n  if k <= 0 then match s case #no -> @\n                          case #yes f -> f @\n  else {} (k - 1) a @ \
             (#yes (\\(y: {takes}) -> match s case #no -> @\n    case #yes f -> @))",
            g.inner
        );
        self.defs.push(Exp::piece(text, parts));
        let first = if self.random.percent(60) {
            Exp::piece("#no", vec![])
        } else {
            let function = self.first_function(g);
            Exp::piece("(#yes @)", vec![function])
        };
        Exp::piece(format!("{} (k & 3) a x @", g.inner), vec![first])
    }

    fn functions_in_records(&mut self, g: &Growing) -> Exp {
        let (takes, gives) = (g.takes.text(), g.gives.text());
        let head = format!("{} (r: {{f: {takes} -> {gives}, g: i64 -> {takes}, m: i64}}): {gives} =", self.head(g));
        let vars = [("x", &g.kept)];
        let parts = vec![
            self.within(&vars, &g.kept, 1),
            self.continued(g, "r.f", None, &[("x", &g.kept), ("y", &g.takes)]),
            self.within(&[("x", &g.kept), ("y", &g.takes), ("i", &Ty::I64)], &g.takes, 1),
        ];
        let text = format!(
            "{head}\n  if k <= 0 then r.f (r.g r.m)\n  else {} (k - 1) a @ {{f = \\(y: {takes}) ->\n    @, \
             g = \\i -> let y = r.g (i - 1) in @, m = r.m + k}}",
            g.inner
        );
        self.defs.push(Exp::piece(text, parts));
        let (first, arg) = (self.first_function(g), self.within(&[("x", &g.kept), ("i", &Ty::I64)], &g.takes, 1));
        Exp::piece(format!("{} (k & 3) a x {{f = @, g = \\i -> @, m = 1}}", g.inner), vec![first, arg])
    }

    /// They overwrite the array; the result is something else.
    fn consuming_functions(&mut self, g: &Growing) -> Exp {
        let (shown, gives) = (g.shown.text(), g.gives.text());
        let Ty::Array(_, elem) = g.shown.clone() else { return Exp::piece(g.gives.simplest(), vec![]) };
        let head = format!("{} (f: *{shown} -> *{shown}): *{shown} =", self.head(g));
        let kept = self.within(&[("x", &g.kept)], &g.kept, 1);
        let value = self.within(&[("x", &g.kept)], &elem, 1);
        let text = format!(
            "{head}\n  if k <= 0 then f (copy a)\n  else {} (k - 1) a @ (\\(b: *{shown}) -> put (f b) k @)",
            g.inner
        );
        self.defs.push(Exp::piece(text, vec![kept, value]));
        let (value, body) =
            (self.within(&[("x", &g.kept)], &elem, 1), self.within(&[("x", &g.kept), ("b", &g.shown)], &g.gives, 2));
        let text = format!("(let b = {} (k & 3) a x (\\(b: *{shown}) -> put b (k + 1) @)\n  in (@): {gives})", g.inner);
        Exp::piece(text, vec![value, body])
    }
}
