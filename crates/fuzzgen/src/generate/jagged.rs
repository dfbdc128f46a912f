//! Jagged arrays.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    /// `[n][~]elem`
    pub(super) fn jagged(&mut self, n: &Size, elem: &Ty, depth: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let d = self.less(depth);
        if depth == 0 || n.is_big() {
            return self.plain_jagged(n, elem);
        }
        match self.random.below(21) {
            17 | 18 if elem.is_flat() => self.rows_reduced(n, elem, d),
            19 => self.level_removed(n, elem, d),
            20 => self.as_long_as_before(n, elem, d),
            0 | 1 => self.plain_jagged(n, elem),
            2 => self.rows_cut(n, elem, d),
            3 => self.rows_filtered(n, elem, d),
            4 | 5 => self.elements_mapped(n, elem, d),
            6 => self.with_its_image(n, elem, d),
            7 => self.comprehension_of_rows(n, elem, d),
            8 if elem.is_flat() => {
                let (op, ne) = self.operator(elem);
                Exp::new(&ty, format!("(map (scan {op} {ne}) @)"), vec![self.exp(&ty, d)])
            }
            9 if elem.is_flat() => {
                let f = self.random.pick(&["jagged.sort", "jagged.reverse", "reverse", "rotate 1"]);
                Exp::new(&ty, format!("({f} @)"), vec![self.exp(&ty, d)])
            }
            10 => self.cut_from_one(n, elem, d),
            11 => self.regular_rows(n, elem, d),
            12 => Exp::new(&ty, "(jagged.append @ @)", vec![self.exp(&ty, d), self.exp(&ty, d)]),
            13 => self.rows_by_clauses(n, elem, d),
            14 if n.is_positive() => self.rows_updated(n, elem, d),
            15 => self.three_levels(n, elem, d),
            _ => {
                let (i, m) = (self.fresh("i"), self.fresh("m"));
                let body = self.within(&[(&i, &Ty::I64)], elem, d);
                let lens = self.exp(&Ty::array(n, &Ty::I64), d);
                Exp::new(&ty, format!("(map (\\{m} -> [@ for {i} < {m} % 5]) @)"), vec![body, lens])
            }
        }
    }

    /// The innermost rows of three levels, reduced.
    fn rows_reduced(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let (op, ne) = self.operator(elem);
        let xsss = self.exp(&Ty::Deep(n.clone(), Box::new(elem.clone())), d);
        let f = self.random.pick(&["(map (map (reduce", "(map (\\r -> map (reduce"]);
        let text = if f.contains('\\') { format!("{f} {op} {ne}) r) @)") } else { format!("{f} {op} {ne})) @)") };
        Exp::new(&ty, text, vec![xsss])
    }

    /// Three levels become two: rows are joined or chosen.
    fn level_removed(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let xsss = self.exp(&Ty::Deep(n.clone(), Box::new(elem.clone())), d);
        let form = self.random.pick(&[
            "(map (\\r -> jagged.flatten r) @)",
            "(map (\\r -> if length r > 1 then r[1] else []) @)",
            "[[x for xs in r[1:] for x in xs] for r in @]",
        ]);
        if form.contains("r[1:]") {
            let xsss = Exp::piece("(map (\\r -> if length r > 0 then r else [[], []]) @)", vec![xsss]);
            return Exp::new(&ty, form, vec![xsss]);
        }
        Exp::new(&ty, form, vec![xsss])
    }

    /// Rows of one length, each cut.
    fn rows_cut(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let ns = n.text();
        let i = self.fresh("i");
        let m = self.small_size();
        let row = self.within(&[(&i, &Ty::I64)], &Ty::array(&m, elem), d);
        let count = self.within(&[(&i, &Ty::I64)], &Ty::I64, d.min(1));
        let text = format!("[(@)[0:@ % ({} + 1)] for {i} < {ns}]", m.text());
        Exp::new(&ty, text, vec![row, count])
    }

    /// The rows of a matrix, filtered.
    fn rows_filtered(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let m = self.small_size();
        let p = self.lambda(&[elem], &Ty::Prim(Prim::Bool), d);
        let rows = self.exp(&Ty::array(n, &Ty::array(&m, elem)), d);
        Exp::new(&ty, "(map (filter @) @)", vec![p, rows])
    }

    /// A function of every element.
    fn elements_mapped(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let other = self.elem_type();
        let f = self.lambda(&[&other], elem, d);
        let rows = self.exp(&Ty::jagged(n, &other), d);
        let text = self.random.pick(&["(map (map @) @)", "(jagged.map @ @)"]);
        Exp::new(&ty, text, vec![f, rows])
    }

    /// In lockstep with what was made from it.
    fn with_its_image(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let (other, xss) = (self.elem_type(), self.fresh("xss"));
        let rows = self.exp(&Ty::jagged(n, &other), d);
        let f = self.lambda(&[&other], &other, d.min(1));
        let g = self.lambda(&[&other, &other], elem, d);
        let text = format!("(let {xss} = @ in map2 (map2 @) {xss} (map (map @) {xss}))");
        Exp::new(&ty, text, vec![rows, g, f])
    }

    /// In lockstep with rows that turn out to be as long.
    fn as_long_as_before(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let (other, xss) = (self.elem_type(), self.fresh("xss"));
        let rows = self.exp(&Ty::jagged(n, &other), d);
        let g = self.lambda(&[&other, &other], elem, d);
        let text = format!("(let {xss} = @ in map2 (map2 @) {xss} (map (filter (\\_ -> opaque true)) {xss}))");
        Exp::new(&ty, text, vec![rows, g])
    }

    /// A comprehension in a comprehension, perhaps with a guard.
    fn comprehension_of_rows(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let (x, xs) = (self.fresh("x"), self.fresh("xs"));
        let other = self.elem_type();
        let rows = self.exp(&Ty::jagged(n, &other), d);
        let (body, guard) =
            (self.within(&[(&x, &other)], elem, d), self.within(&[(&x, &other)], &Ty::Prim(Prim::Bool), d.min(1)));
        if self.random.percent(50) {
            return Exp::new(&ty, format!("[[@ for {x} in {xs}] for {xs} in @]"), vec![body, rows]);
        }
        Exp::new(&ty, format!("[[@ for {x} in {xs} if @] for {xs} in @]"), vec![body, guard, rows])
    }

    /// Cut from one sequence: lengths that add up.
    fn cut_from_one(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let (lens, k) = (self.fresh("lens"), self.fresh("total"));
        let raw = self.exp(&Ty::array(n, &Ty::I64), d);
        let i = self.fresh("i");
        let body = self.within(&[(&i, &Ty::I64)], elem, d);
        let text = format!(
            "(let {lens} = map (\\q -> q % 4) @ let {k} = i64.sum {lens} in jagged.unflatten {lens} [@ for {i} < {k}])"
        );
        Exp::new(&ty, text, vec![raw, body])
    }

    /// A matrix as a jagged array.
    fn regular_rows(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let m = self.small_size();
        let regular = self.exp(&Ty::array(n, &Ty::array(&m, elem)), d);
        Exp::new(&ty, "(jagged.of_matrix @)", vec![regular])
    }

    /// Rows of different lengths by `array`.
    fn rows_by_clauses(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let ns = n.text();
        let i = self.fresh("i");
        let (count, body) =
            (self.within(&[(&i, &Ty::I64)], &Ty::I64, d.min(1)), self.within(&[(&i, &Ty::I64)], elem, d));
        let text = format!("(array [{ns}] {{ [{i}] => replicate (@ % 4) @ for {i} < {ns} }})");
        Exp::new(&ty, text, vec![count, body])
    }

    /// Rows move: each is as long as the one it replaces.
    fn rows_updated(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let ns = n.text();
        let (a, i) = (self.fresh("a"), self.fresh("i"));
        let f = self.lambda(&[elem], elem, d.min(1));
        let text = format!("(let {a} = copy @\n  in update {a} {{ [{i}] => map @ {a}[{i}] for {i} < {ns} step 2 }})");
        Exp::new(&ty, text, vec![self.exp(&ty, d), f])
    }

    /// Three levels, then two.
    fn three_levels(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::jagged(n, elem);
        let ns = n.text();
        let (i, x) = (self.fresh("i"), self.fresh("x"));
        let body = self.within(&[(&x, &Ty::I64), (&i, &Ty::I64)], elem, d);
        let text = format!(
            "(map (\\{i} -> jagged.flatten (map (map (\\({x}: i64) -> @)) (map iota (iota ({i} % 4))))) (iota {ns}))"
        );
        Exp::new(&ty, text, vec![body])
    }

    /// `[n][~][~]elem`
    pub(super) fn deep(&mut self, n: &Size, elem: &Ty, depth: usize) -> Exp {
        let ty = Ty::Deep(n.clone(), Box::new(elem.clone()));
        let ns = n.text();
        let d = self.less(depth);
        if !self.affordable(n) {
            return Exp::new(&ty, ty.simplest(), vec![]);
        }
        if depth == 0
            && let Some(variable) = self.variable(&ty)
        {
            return variable;
        }
        let (i, j) = (self.fresh("i"), self.fresh("j"));
        let vars = [(i.as_str(), &Ty::I64), (j.as_str(), &Ty::I64)];
        match if depth == 0 { 0 } else { self.random.below(7) } {
            0 | 1 => {
                let value = self.within(&vars, elem, d.min(1));
                let text = format!(
                    "(map (\\{i} -> map (\\{j} -> replicate (({i} + {j}) % 3) @) (iota ({i} % 4))) (iota {ns}))"
                );
                Exp::new(&ty, text, vec![value])
            }
            2 | 3 => {
                let other = self.elem_type();
                let f = self.lambda(&[&other], elem, d);
                let inner = self.exp(&Ty::Deep(n.clone(), Box::new(other)), d);
                Exp::new(&ty, "(map (map (map @)) @)", vec![f, inner])
            }
            4 => Exp::new(&ty, "(reverse @)", vec![self.exp(&ty, d)]),
            5 => {
                let p = self.lambda(&[elem], &Ty::Prim(Prim::Bool), d);
                Exp::new(&ty, "(map (map (filter @)) @)", vec![p, self.exp(&ty, d)])
            }
            _ => {
                let rows = self.within(&[(&i, &Ty::I64)], &Ty::jagged(&Size::Const(2), elem), d);
                Exp::new(&ty, format!("[@ for {i} < {ns}]"), vec![rows])
            }
        }
    }

    fn plain_jagged(&mut self, n: &Size, elem: &Ty) -> Exp {
        let ty = Ty::jagged(n, elem);
        if let Some(variable) = self.variable(&ty) {
            return variable;
        }
        if !self.affordable(n) {
            return Exp::new(&ty, ty.simplest(), vec![]);
        }
        if let Size::Const(count @ 2..=4) = n
            && self.random.percent(70)
        {
            // The first two rows differ in length, so that the literal is jagged.
            let mut parts = Vec::new();
            let mut rows = Vec::new();
            for row in 0..*count {
                let length = match row {
                    0 => 2,
                    1 => 1,
                    _ => self.random.below(4),
                };
                parts.extend((0..length).map(|_| self.exp(elem, 0)));
                rows.push(format!("[{}]", vec!["@"; length].join(", ")));
            }
            return Exp::new(&ty, format!("[{}]", rows.join(", ")), parts);
        }
        let ns = n.text();
        if *elem == Ty::I64 && self.random.percent(50) {
            return Exp::new(&ty, format!("(map iota (iota {ns}))"), vec![]);
        }
        let value = self.exp(elem, 0);
        Exp::new(&ty, format!("(map (\\m -> replicate ((m * 3 + 1) % 4) @) (iota {ns}))"), vec![value])
    }
}
