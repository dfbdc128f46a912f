//! Recursive arrays.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    /// `[n]elem` whose elements depend on one another.
    pub(super) fn recursive(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        // Inside the clauses of another array the checker takes a `let` among the qualifiers for that array's.
        let form = if self.inside + self.sources > 0 { self.random.pick(&[0, 4, 5]) } else { self.random.below(9) };
        self.recursive_by(form, n, elem, d)
    }

    /// One of the forms of such arrays: two that need each other are number 5, sweeps number 6.
    pub(super) fn recursive_by(&mut self, form: usize, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let ns = n.text();
        let (a, b, i, p) = (self.fresh("a"), self.fresh("b"), self.fresh("i"), self.fresh("p"));
        // The value sees another element under the name `p`.
        let vars = [(i.as_str(), &Ty::I64), (p.as_str(), elem)];
        let step = |g: &mut Generator| g.within(&vars, elem, d);
        let first = |g: &mut Generator| g.within(&[(&i, &Ty::I64)], elem, d.min(1));
        let before = match self.random.percent(25) {
            true => format!("reach (\\q -> {a}[q]) ({i} - 1) {}", self.random.below(3)),
            false => format!("{a}[{i} - 1]"),
        };
        match form {
            0 => {
                let parts = vec![first(self), step(self)];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {p} = {before} in @ \
                     for {i} < {ns} }}\n  in {a})"
                );
                Exp::new(&ty, text, parts)
            }
            1 => {
                let parts = vec![first(self), step(self)];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => @ for {i} < i64.min 1 {ns};\n    \
                     [{i}] => @ for 1 <= {i} < {ns} let {p} = {a}[{i} - 1] }}\n  in {a})"
                );
                Exp::new(&ty, text, parts)
            }
            2 => {
                // From the end to the front.
                let parts = vec![first(self), step(self)];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => @ for i64.max 0 ({ns} - 1) <= {i} < {ns};\n    \
                     [{i}] => @ for {i} < {ns} - 1 let {p} = {a}[{i} + 1] }}\n  in {a})"
                );
                Exp::new(&ty, text, parts)
            }
            3 => {
                // Odd elements from even ones.
                let parts = vec![first(self), step(self)];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [2 * {i}] => @ for {i} < ({ns} + 1) / 2;\n    \
                     [2 * {i} + 1] => @ for {i} < {ns} / 2 let {p} = {a}[2 * {i}] }}\n  in {a})"
                );
                Exp::new(&ty, text, parts)
            }
            4 => {
                // Halves: an order that no single loop has.
                let parts = vec![first(self), step(self)];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => if {i} < 1 then @ else let {p} = {a}[{i} / 2] in @ \
                     for {i} < {ns} }}\n  in {a})"
                );
                Exp::new(&ty, text, parts)
            }
            5 => {
                let second = self.flat_type();
                let q = self.fresh("q");
                let both = [(i.as_str(), &Ty::I64), (p.as_str(), elem), (q.as_str(), &second)];
                let parts = vec![
                    first(self),
                    self.within(&[(&i, &Ty::I64), (&q, &second)], elem, d),
                    self.within(&[(&i, &Ty::I64)], &second, d.min(1)),
                    self.within(&both, &second, d),
                ];
                let text = format!(
                    "(let rec {a} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {q} = {b}[{i} - 1] in @ for {i} < {ns} }}\n   \
                     let rec {b} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {p} = {a}[{i}] let {q} = {b}[{i} - 1] in @ for {i} < {ns} }}\n  \
                     in {a})"
                );
                Exp::new(&ty, text, parts)
            }
            6 | 7 => {
                // A sweep: new values to the left, old ones to the right.
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
            _ => match elem {
                Ty::Prim(prim) if *prim != Prim::Bool && !n.is_big() => {
                    let parts = vec![first(self), first(self)];
                    let text = format!(
                        "(let rec {a} = array [{ns}] {{ [{i}] => @ + {0}.sum {a}[0:{i}] + {0}.sum [{a}[k] for k < {i}] * @ for {i} < {ns} }}\n  in {a})",
                        prim.name()
                    );
                    Exp::new(&ty, text, parts)
                }
                _ => {
                    let parts = vec![step(self), self.exp(elem, d.min(1))];
                    let text = format!(
                        "(let rec {a} = array [{ns}] {{ [{i}] => @ for 2 <= {i} < {ns} let {p} = {a}[{i} - 2]; else => @ \
                         }}\n  in {a})"
                    );
                    Exp::new(&ty, text, parts)
                }
            },
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
            let text = format!(
                "(let rec {a} = array [{ns}] {{ [{i}] => if {i} == 0 then @ else let {p} = copy {a}[{i} - 1] in @ \
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
