//! Entry points with one check that may fail. All back ends must report the failure with the same message.

use super::Generator;
use crate::tree::{Entry, Exp, Rule, Size, Ty};
use scalar::Prim;

impl Generator {
    /// An entry point whose result depends on one check.
    pub(super) fn risky_entry(&mut self, name: String) -> Entry {
        let mark = self.mark();
        let mut signature = self.signature(false);
        // Nothing is consumed here.
        if let Some((raw, ty)) = signature.consumed.take() {
            self.vars.push((raw, ty));
        }
        let (result, body) = self.risky();
        self.leave(&mark);
        self.finish(name, &signature, &result, body, Rule::OneCheck)
    }

    fn risky(&mut self) -> (String, Exp) {
        let n = self.small_size();
        let elem = Ty::Prim(self.prim());
        if self.random.percent(50) { self.risky_access(&n, &elem) } else { self.risky_making(&n, &elem) }
    }

    /// A small number that is often out of bounds.
    fn near(&mut self) -> Exp {
        match self.random.below(3) {
            // Numbers that the checker does not know: it would find the mistake itself.
            0 => Exp::new(&Ty::I64, format!("(opaque {})", self.random.between(0, 6)), vec![]),
            1 => Exp::new(&Ty::I64, format!("(opaque (-{}))", self.random.between(1, 3)), vec![]),
            _ => Exp::new(&Ty::I64, "(opaque (@) % 7 - 1)", vec![self.int(1)]),
        }
    }

    /// Reads and coercions that may leave the array.
    fn risky_access(&mut self, n: &Size, elem: &Ty) -> (String, Exp) {
        let array = Ty::array(n, elem);
        let t = elem.text();
        let m = self.small_size();
        let rows = Ty::array(n, &Ty::array(&m, elem));
        match self.random.below(15) {
            14 => {
                // Evenly, up or down, so that one turn leaves the array first.
                let parts = vec![self.exp(&array, 2), self.near(), self.near()];
                let turns = self.random.between(0, 4);
                (format!("[]{t}"), Exp::piece(format!("let xs = @ in [xs[@ + i * @] for i < opaque {turns}]"), parts))
            }
            form @ (6..=9 | 11) => self.risky_write(form, n, elem),
            0 => (t, Exp::piece("(@)[@]", vec![self.exp(&array, 2), self.near()])),
            1 => (t, Exp::piece("(@)[@, @]", vec![self.exp(&rows, 2), self.near(), self.near()])),
            2 => (format!("[]{t}"), Exp::piece("(@)[@:@]", vec![self.exp(&array, 2), self.near(), self.near()])),
            3 => (
                format!("[]{t}"),
                Exp::piece(
                    "let xs = @ in map (\\i -> xs[i]) @",
                    vec![self.exp(&array, 2), self.exp(&Ty::array(&m, &Ty::I64), 2)],
                ),
            ),
            4 => {
                let jagged = Ty::jagged(n, elem);
                (t, Exp::piece("(@)[@, @]", vec![self.exp(&jagged, 2), self.near(), self.near()]))
            }
            5 => {
                let jagged = Ty::jagged(n, elem);
                (format!("[]{t}"), Exp::piece("(@)[@]", vec![self.exp(&jagged, 2), self.near()]))
            }
            10 => {
                let parts = vec![self.exp(&rows, 2), self.near(), self.near()];
                (t, Exp::piece("let xss = @ let iv = [@, @] in xss[iv]", parts))
            }
            12 => (
                t,
                Exp::piece(
                    "loop acc = @ for i in @ do (let xs = @ in xs[i])",
                    vec![self.exp(elem, 1), self.exp(&Ty::array(&m, &Ty::I64), 1), self.exp(&array, 1)],
                ),
            ),
            _ => {
                let k = self.random.between(0, 4);
                (format!("[{k}]{t}"), Exp::piece(format!("@ :> [{k}]{t}"), vec![self.loose(elem, 2)]))
            }
        }
    }

    /// Writes that may leave the array.
    fn risky_write(&mut self, form: usize, n: &Size, elem: &Ty) -> (String, Exp) {
        let (array, ns) = (Ty::array(n, elem), n.text());
        match form {
            6 => {
                let parts = vec![self.exp(&array, 2), self.near(), self.exp(elem, 1)];
                (array.text(), Exp::piece("(copy @) with [@] = @", parts))
            }
            7 => {
                let parts = vec![self.exp(&array, 2), self.near(), self.near(), self.loose(elem, 1)];
                (array.text(), Exp::piece("(copy @) with [@:@] = @", parts))
            }
            8 => {
                let parts = vec![self.exp(&array, 2), self.near(), self.exp(elem, 1)];
                (array.text(), Exp::piece("update (copy @) { [@] => @ }", parts))
            }
            9 => {
                let (op, ne) = self.operator(elem);
                let shift = self.random.between(-1, 2);
                let parts = vec![self.within(&[("i", &Ty::I64)], elem, 1)];
                (
                    array.text(),
                    Exp::piece(format!("accum {op} {ne} [{ns}] {{ [i + opaque ({shift})] => @ for i < {ns} }}"), parts),
                )
            }
            _ => {
                let jagged = Ty::jagged(&Size::Const(3), elem);
                let parts = vec![self.exp(&jagged, 2), self.near(), self.loose(elem, 1)];
                (jagged.text(), Exp::piece("(copy @) with [@] = @", parts))
            }
        }
    }

    /// Computations that may fail: arithmetic, arrays by clauses, lengths that do not fit.
    fn risky_making(&mut self, n: &Size, elem: &Ty) -> (String, Exp) {
        let int = Ty::Prim(self.random.pick(&[Prim::I64, Prim::I32, Prim::U8, Prim::I8]));
        match self.random.below(18) {
            form @ 0..=2 => self.risky_arithmetic(form, n, &int),
            3 => (elem.text(), Exp::piece("assert @ @", vec![self.condition(2), self.exp(elem, 2)])),
            form @ 6..=11 => self.risky_clauses(form, n, elem),
            form => self.risky_lengths(form, n, elem),
        }
    }

    /// Divisions by zero and negative exponents.
    fn risky_arithmetic(&mut self, form: usize, n: &Size, int: &Ty) -> (String, Exp) {
        match form {
            0 => {
                let op = self.random.pick(&["/", "%", "//", "%%"]);
                (int.text(), Exp::piece(format!("@ {op} (@ & 1)"), vec![self.exp(int, 2), self.exp(int, 2)]))
            }
            1 => {
                let ints = Ty::array(n, int);
                let op = self.random.pick(&["/", "%"]);
                (
                    ints.text(),
                    Exp::piece(format!("map2 (\\a b -> a {op} b) @ @"), vec![self.exp(&ints, 2), self.exp(&ints, 2)]),
                )
            }
            _ => ("i64".into(), Exp::piece("@ ** (@ % 3 - 1)", vec![self.int(1), self.int(1)])),
        }
    }

    /// Clauses that may leave the array, leave elements out, meet, or need each other in a circle.
    fn risky_clauses(&mut self, form: usize, n: &Size, elem: &Ty) -> (String, Exp) {
        let (array, ns) = (Ty::array(n, elem), n.text());
        let index = [("i", &Ty::I64)];
        match form {
            6 | 7 => {
                let (factor, shift) = (self.random.between(1, 3), self.random.between(0, 3));
                let body = self.within(&index, elem, 2);
                (
                    array.text(),
                    Exp::piece(
                        format!("array [{ns}] {{ [(i * {factor} + opaque {shift}) % {ns}] => @ for i < {ns} }}"),
                        vec![body],
                    ),
                )
            }
            8 => {
                let shift = self.random.between(-1, 2);
                let body = self.within(&index, elem, 2);
                (
                    array.text(),
                    Exp::piece(
                        format!(
                            "array [{ns}] {{ [i + opaque ({shift})] => @ for i < {ns}; else => {} }}",
                            elem.simplest()
                        ),
                        vec![body],
                    ),
                )
            }
            9 => {
                let (low, high) = (self.near(), self.near());
                let parts = vec![self.within(&index, elem, 1), high, self.within(&index, elem, 1), low];
                (
                    array.text(),
                    Exp::piece(
                        format!(
                            "array [{ns}] {{ [i] => @ for i < i64.min {ns} @; [i] => @ for i64.max 0 @ <= i < {ns} }}"
                        ),
                        parts,
                    ),
                )
            }
            _ => {
                let (factor, shift) = (self.random.between(1, 3), self.random.between(0, 3));
                // The other element is the value, so that it is needed.
                let parts = vec![self.within(&index, elem, 1)];
                let text = format!(
                    "let rec r = array [{ns}] {{ [i] => if i == 0 then @ else r[(i * {factor} + opaque {shift}) % {ns}] for i < {ns} }} in r"
                );
                (array.text(), Exp::piece(text, parts))
            }
        }
    }

    /// Lengths that may be negative, differ, or not add up.
    fn risky_lengths(&mut self, form: usize, n: &Size, elem: &Ty) -> (String, Exp) {
        let (t, ns) = (elem.text(), n.text());
        match form {
            4 => ("[]i64".into(), Exp::piece("iota (@ % 7 - 2)", vec![self.int(2)])),
            5 => (format!("[]{t}"), Exp::piece("replicate (@ % 7 - 2) @", vec![self.int(2), self.exp(elem, 1)])),
            12 => (
                "[]i64".into(),
                Exp::piece("[x + y for x in @, y in @]", vec![self.loose(&Ty::I64, 2), self.loose(&Ty::I64, 2)]),
            ),
            13 => ("[]i64".into(), Exp::piece("@ + @", vec![self.loose(&Ty::I64, 2), self.loose(&Ty::I64, 2)])),
            14 => {
                let lens = self.exp(&Ty::array(n, &Ty::I64), 1);
                (
                    format!("[{ns}][~]{t}"),
                    Exp::piece("jagged.unflatten (map (% 3) @) @", vec![lens, self.loose(elem, 2)]),
                )
            }
            15 => {
                let jagged = Ty::jagged(n, &Ty::I64);
                // Rows that happen to be of one length each would have to be of one by their types.
                let rows = vec![self.exp(&jagged, 2), self.exp(&jagged, 2)];
                (jagged.text(), Exp::piece("map2 (map2 (+)) (uneven (@)) (uneven (@))", rows))
            }
            16 => {
                let k = self.random.between(0, 3);
                let jagged = Ty::jagged(n, elem);
                (format!("[{ns}][{k}]{t}"), Exp::piece(format!("(@) :> [{ns}][{k}]{t}"), vec![self.exp(&jagged, 2)]))
            }
            _ => ("[]i64".into(), Exp::piece("[i for 1 <= i < 9 step (opaque (@ % 3))]", vec![self.int(2)])),
        }
    }
}
