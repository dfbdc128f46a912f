//! Recursive arrays.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

/// Fresh names for a recursive array, another array, an index, and another element.
struct Names {
    a: String,
    b: String,
    i: String,
    p: String,
}

impl Generator {
    /// `[n]elem` whose elements depend on one another.
    pub(super) fn recursive(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        // Inside the clauses of another array the checker takes a `let` among the qualifiers for that array's.
        // Clauses whose values are matrices leave open how long their rows are, unless they are branches of one value.
        let of_matrices = matches!(elem, Ty::Array(_, row) if matches!(**row, Ty::Array(..)));
        let nested = self.inside + self.sources > 0 || of_matrices;
        let form = if nested { self.random.pick(&[0, 4, 5]) } else { self.random.below(9) };
        self.recursive_by(form, n, elem, d)
    }

    /// One of the forms of such arrays: two that need each other are number 5, sweeps number 6.
    pub(super) fn recursive_by(&mut self, form: usize, n: &Size, elem: &Ty, d: usize) -> Exp {
        let names = Names { a: self.fresh("a"), b: self.fresh("b"), i: self.fresh("i"), p: self.fresh("p") };
        let Names { a, i, .. } = &names;
        let before = match self.random.percent(25) {
            true => format!("reach (\\q -> {a}[q]) ({i} - 1) {}", self.random.below(3)),
            false => format!("{a}[{i} - 1]"),
        };
        match form {
            0..=4 => {
                let parts = vec![self.first(&names, elem, d), self.step(&names, elem, d)];
                Exp::new(&Ty::array(n, elem), one_array(form, &names, &n.text(), &before), parts)
            }
            5 => self.two_arrays(&names, n, elem, d),
            6 | 7 => self.sweep(&names, n, elem, d),
            _ => self.far_elements(&names, n, elem, d),
        }
    }

    /// An element that needs no other.
    fn first(&mut self, names: &Names, elem: &Ty, d: usize) -> Exp {
        self.within(&[(&names.i, &Ty::I64)], elem, d.min(1))
    }

    /// An element that sees another one under the name `p`.
    fn step(&mut self, names: &Names, elem: &Ty, d: usize) -> Exp {
        self.within(&[(&names.i, &Ty::I64), (&names.p, elem)], elem, d)
    }

    /// Two arrays that need each other.
    fn two_arrays(&mut self, names: &Names, n: &Size, elem: &Ty, d: usize) -> Exp {
        let (ty, ns, Names { a, b, i, p }) = (Ty::array(n, elem), n.text(), names);
        let second = self.flat_type();
        let q = self.fresh("q");
        let both = [(i.as_str(), &Ty::I64), (p.as_str(), elem), (q.as_str(), &second)];
        let parts = vec![
            self.first(names, elem, d),
            self.within(&[(i, &Ty::I64), (&q, &second)], elem, d),
            self.within(&[(i, &Ty::I64)], &second, d.min(1)),
            self.within(&both, &second, d),
        ];
        let text = format!(
            "(let rec {a} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {q} = {b}[{i} - 1] in @ for {i} < {ns} }}\n   \
             let rec {b} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {p} = {a}[{i}] let {q} = {b}[{i} - 1] in @ for {i} < {ns} }}\n  \
             in {a})"
        );
        Exp::new(&ty, text, parts)
    }

    /// A sweep: new values to the left, old ones to the right.
    fn sweep(&mut self, names: &Names, n: &Size, elem: &Ty, d: usize) -> Exp {
        let (ty, ns, Names { a, b, i, p }) = (Ty::array(n, elem), n.text(), names);
        let q = self.fresh("q");
        let target = self.exp(&ty, d);
        let both = [(i.as_str(), &Ty::I64), (p.as_str(), elem), (q.as_str(), elem)];
        let value = self.within(&both, elem, d);
        let stride = self.random.between(1, 2);
        let text = format!(
            "(let {a} = copy @\n   let rec {b} = update {a} {{ [{i}] => @ for 1 <= {i} < {ns} - 1 step {stride} \
             let {p} = {b}[{i} - 1] let {q} = {a}[{i} + 1] }}\n  in {b})"
        );
        Exp::new(&ty, text, vec![target, value])
    }

    /// All elements before, or the last but one.
    fn far_elements(&mut self, names: &Names, n: &Size, elem: &Ty, d: usize) -> Exp {
        let (ty, ns, Names { a, i, p, .. }) = (Ty::array(n, elem), n.text(), names);
        match elem {
            Ty::Prim(prim) if *prim != Prim::Bool && !n.is_big() => {
                let parts = vec![self.first(names, elem, d), self.first(names, elem, d)];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => @ + {0}.sum {a}[0:{i}] + {0}.sum [{a}[k] for k < {i}] * @ for {i} < {ns} }}\n  in {a})",
                    prim.name()
                );
                Exp::new(&ty, text, parts)
            }
            _ => {
                let parts = vec![self.step(names, elem, d), self.exp(elem, d.min(1))];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => @ for 2 <= {i} < {ns} let {p} = {a}[{i} - 2]; else => @ \
                 }}\n  in {a})"
                );
                Exp::new(&ty, text, parts)
            }
        }
    }

    /// A wavefront and its relatives.
    pub(super) fn matrix_recursive(&mut self, n: &Size, m: &Size, inner: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, &Ty::array(m, inner));
        let (ns, ms) = (n.text(), m.text());
        let (a, i, j) = (self.fresh("a"), self.fresh("i"), self.fresh("j"));
        let (p, q) = (self.fresh("p"), self.fresh("q"));
        let index = [(i.as_str(), &Ty::I64), (j.as_str(), &Ty::I64)];
        let vars = [index[0], index[1], (p.as_str(), inner), (q.as_str(), inner)];
        let (edge, step) = (self.within(&index, inner, d.min(1)), self.within(&vars, inner, d));
        if self.random.percent(25) {
            // Row by row.
            let row = Ty::array(m, inner);
            let (first, next) = (
                self.within(&[(&i, &Ty::I64)], &row, d.min(1)),
                self.within(&[(&i, &Ty::I64), (&p, &row)], &row, d.min(2)),
            );
            // Without its type, what is computed of the row before could have any length.
            let before = format!("{p}: {} = copy {a}[{i} - 1]", row.text());
            let text = format!(
                "(let rec {a} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {before} in @ \
                 for {i} < {ns} }}\n  in {a})"
            );
            return Exp::new(&ty, text, vec![first, next]);
        }
        let text = format!(
            "(let rec {a} = array [{ns}, {ms}] {{ [{i}, {j}] => @ for {i} < {ns} for {j} < {ms} if {i} == 0 || {j} == 0;\n    \
             [{i}, {j}] => let {p} = {a}[{i} - 1, {j}] let {q} = {a}[{i}, {j} - 1] in @ for 1 <= {i} < {ns} for 1 <= {j} < {ms} }}\n  in {a})"
        );
        Exp::new(&ty, text, vec![edge, step])
    }
}

/// The text of one array, with places for an element that needs no other and for one that does.
fn one_array(form: usize, Names { a, i, p, .. }: &Names, ns: &str, before: &str) -> String {
    match form {
        0 => format!(
            "(let rec {a} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {p} = {before} in @ \
             for {i} < {ns} }}\n  in {a})"
        ),
        1 => format!(
            "(let rec {a} = array [{ns}] {{ [{i}] => @ for {i} < i64.min 1 {ns};\n    \
             [{i}] => @ for 1 <= {i} < {ns} let {p} = {a}[{i} - 1] }}\n  in {a})"
        ),
        // From the end to the front.
        2 => format!(
            "(let rec {a} = array [{ns}] {{ [{i}] => @ for i64.max 0 ({ns} - 1) <= {i} < {ns};\n    \
             [{i}] => @ for {i} < {ns} - 1 let {p} = {a}[{i} + 1] }}\n  in {a})"
        ),
        // Odd elements from even ones.
        3 => format!(
            "(let rec {a} = array [{ns}] {{ [2 * {i}] => @ for {i} < ({ns} + 1) / 2;\n    \
             [2 * {i} + 1] => @ for {i} < {ns} / 2 let {p} = {a}[2 * {i}] }}\n  in {a})"
        ),
        // Halves: an order that no single loop has.
        _ => format!(
            "(let rec {a} = array [{ns}] {{ [{i}] => if {i} < 1 then @ else let {p} = {a}[{i} / 2] in @ \
             for {i} < {ns} }}\n  in {a})"
        ),
    }
}
