//! Arrays of arrays.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    /// `[n][m]inner`
    pub(super) fn matrix(&mut self, n: &Size, m: &Size, inner: &Ty, d: usize) -> Exp {
        let row = Ty::array(m, inner);
        let ty = Ty::array(n, &row);
        let (ns, ms, text) = (n.text(), m.text(), ty.text());
        match self.random.below(15) {
            0 | 1 => Exp::new(&ty, "(transpose @)", vec![self.exp(&Ty::array(m, &Ty::array(n, inner)), d)]),
            2 => {
                let f = self.lambda(&[&Ty::I64, &Ty::I64], inner, d);
                Exp::new(&ty, format!("(tabulate_2d {ns} {ms} @)"), vec![f])
            }
            3 => {
                let other = self.elem_type();
                let f = self.lambda(&[&other], inner, d);
                let rows = self.exp(&Ty::array(n, &Ty::array(m, &other)), d);
                Exp::new(&ty, "(map (map @) @)", vec![f, rows])
            }
            4 => {
                let flat = self.exp(&ty, d);
                Exp::new(&ty, format!("(unflatten (reverse (flatten @)) :> {text})"), vec![flat])
            }
            5 => {
                let (i, j) = (self.fresh("i"), self.fresh("j"));
                let body = self.within(&[(&i, &Ty::I64), (&j, &Ty::I64)], inner, d);
                Exp::new(&ty, format!("[[@ for {j} < {ms}] for {i} < {ns}]"), vec![body])
            }
            6 => {
                let (a, b) = (self.elem_type(), self.elem_type());
                let f = self.lambda(&[&a, &b], inner, d);
                let (xs, ys) = (self.exp(&Ty::array(n, &a), d), self.exp(&Ty::array(m, &b), d));
                Exp::new(&ty, "(table @ @ @)", vec![f, xs, ys])
            }
            7 if inner.is_flat() => {
                let f = self.random.pick(&["sort", "reverse", "rotate 1"]);
                Exp::new(&ty, format!("(map (\\r -> {f} r) @)"), vec![self.exp(&ty, d)])
            }
            8 if inner.is_flat() => {
                let (op, ne) = self.operator(inner);
                Exp::new(&ty, format!("(map (scan {op} {ne}) @)"), vec![self.exp(&ty, d)])
            }
            9 if inner.is_flat() => {
                let (op, ne) = self.operator(inner);
                let rows = self.exp(&ty, d);
                Exp::new(&ty, format!("(scan (map2 {op}) (replicate {ms} {ne}) @)"), vec![rows])
            }
            10 | 11 => self.matrix_by_clauses(n, m, inner, d),
            13 => self.row_put_back(n, m, inner, d),
            12 => self.replaced_in_place(n, m, inner, d),
            _ => self.matrix_recursive(n, m, inner, d),
        }
    }

    /// A row is taken out, updated and put back.
    fn row_put_back(&mut self, n: &Size, m: &Size, inner: &Ty, d: usize) -> Exp {
        let (ty, ns, ms) = (Ty::array(n, &Ty::array(m, inner)), n.text(), m.text());
        let (a, i) = (self.fresh("a"), self.fresh("i"));
        let parts = vec![self.exp(&ty, d), self.int(d.min(1)), self.int(d.min(1)), self.exp(inner, d)];
        let row = format!("{a}[{i}] with [@ % {ms}] = @");
        let text = format!(
            "(let {a} = copy @ in if {ns} * {ms} == 0 then {a} else let {i} = @ % {ns} in {a} with [{i}] = ({row}))"
        );
        Exp::new(&ty, text, parts)
    }

    /// A row or an element is replaced in place.
    fn replaced_in_place(&mut self, n: &Size, m: &Size, inner: &Ty, d: usize) -> Exp {
        let row = Ty::array(m, inner);
        let (ty, ns, ms) = (Ty::array(n, &row), n.text(), m.text());
        let target = Exp::new(&ty, "(copy @)", vec![self.exp(&ty, d)]);
        let (i, fallback) = (self.int(d.min(1)), self.exp(&ty, 0));
        if self.random.percent(50) {
            let value = self.exp(&row, d);
            let body = format!("(if {ns} == 0 then @ else @ with [@ % {ns}] = @)");
            return Exp::new(&ty, body, vec![fallback, target, i, value]);
        }
        let (j, value) = (self.int(d.min(1)), self.exp(inner, d));
        let body = format!("(if {ns} == 0 || {ms} == 0 then @ else @ with [@ % {ns}, @ % {ms}] = @)");
        Exp::new(&ty, body, vec![fallback, target, i, j, value])
    }

    /// `[n]elem` out of arrays with more dimensions.
    pub(super) fn of_rows(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        if n.is_big() {
            return self.exp(&ty, d);
        }
        let m = self.small_size();
        match self.random.below(8) {
            0 => {
                let (op, ne) = self.operator(elem);
                let rows = self.exp(&Ty::array(n, &Ty::array(&m, elem)), d);
                Exp::new(&ty, format!("(map (reduce {op} {ne}) @)"), vec![rows])
            }
            1 => {
                let (op, ne) = self.operator(elem);
                let rows = self.exp(&Ty::array(&m, &ty), d);
                Exp::new(&ty, format!("(reduce (map2 {op}) (replicate {} {ne}) @)", n.text()), vec![rows])
            }
            2 => {
                let columns = self.exp(&Ty::array(n, &Ty::array(&m, elem)), d);
                let (j, fallback) = (self.int(d.min(1)), self.exp(&ty, 0));
                let ms = m.text();
                Exp::new(&ty, format!("(if {ms} == 0 then @ else (@)[:, @ % {ms}])"), vec![fallback, columns, j])
            }
            3 => {
                let rows = self.exp(&Ty::array(&m, &ty), d);
                let (i, fallback) = (self.int(d.min(1)), self.exp(&ty, 0));
                let ms = m.text();
                Exp::new(&ty, format!("(if {ms} == 0 then @ else (@)[@ % {ms}])"), vec![fallback, rows, i])
            }
            4 => {
                let (op, ne) = self.operator(elem);
                let jagged = self.exp(&Ty::jagged(n, elem), d);
                Exp::new(&ty, format!("(map (reduce {op} {ne}) @)"), vec![jagged])
            }
            5 => self.rows_with_sizes(n, elem, d),
            6 if *elem == Ty::I64 => {
                let other = self.elem_type();
                let f = self.random.pick(&["lengths", "offsets"]);
                Exp::new(&ty, format!("(jagged.{f} @)"), vec![self.exp(&Ty::jagged(n, &other), d)])
            }
            _ => {
                let zipped = Ty::Tuple(vec![Ty::array(&m, elem), Ty::Prim(Prim::I64)]);
                let pairs = self.exp(&Ty::array(n, &zipped), d);
                let (row, i) = (self.fresh("row"), self.fresh("i"));
                let fallback = self.exp(elem, 0);
                Exp::new(&ty, format!("(map (\\({row}, {i}) -> pick @ {i} {row}) @)"), vec![fallback, pairs])
            }
        }
    }

    /// Every row under a name, with its size.
    fn rows_with_sizes(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let other = self.elem_type();
        let jagged = self.exp(&Ty::jagged(n, &other), d);
        let (raw, k, row) = (self.fresh("r"), self.fresh("k"), self.fresh("row"));
        let size = Size::Named { name: k.clone(), big: false };
        let mark = self.mark();
        self.sizes.push(size.clone());
        let body = self.within(&[(&row, &Ty::array(&size, &other))], elem, d);
        self.leave(&mark);
        let t = other.text();
        Exp::new(
            &ty,
            format!("(map (\\({raw}: []{t}) -> let [{k}] ({row}: [{k}]{t}) = {raw} in @) @)"),
            vec![body, jagged],
        )
    }
}
