//! Arrays by clauses: `array`, `update`, `accum`.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    /// `[n]elem` by `array` or `accum`.
    pub(super) fn by_clauses(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let ns = n.text();
        let (i, x) = (self.fresh("i"), self.fresh("x"));
        let index = [(i.as_str(), &Ty::I64)];
        let truth = Ty::Prim(Prim::Bool);
        let value = |g: &mut Generator| g.within(&index, elem, d);
        match self.random.below(15) {
            0 => Exp::new(&ty, format!("(array [{ns}] {{ [{i}] => @ for {i} < {ns} }})"), vec![value(self)]),
            1 => {
                let parts = vec![value(self), value(self)];
                let text = format!(
                    "(array [{ns}] {{ [2 * {i}] => @ for {i} < ({ns} + 1) / 2; [2 * {i} + 1] => @ for {i} < {ns} / 2 }})"
                );
                Exp::new(&ty, text, parts)
            }
            2 | 3 => {
                let guard = self.within(&index, &truth, d.min(1));
                let parts = vec![value(self), guard, self.exp(elem, d.min(1))];
                Exp::new(&ty, format!("(array [{ns}] {{ [{i}] => @ for {i} < {ns} if @; else => @ }})"), parts)
            }
            4 => {
                let step = self.random.between(1, 3);
                let parts = vec![value(self), self.exp(elem, d.min(1))];
                Exp::new(&ty, format!("(array [{ns}] {{ [{i}] => @ for {i} < {ns} step {step}; else => @ }})"), parts)
            }
            5 => Exp::new(&ty, format!("(array [{ns}] {{ [{ns} - 1 - {i}] => @ for {i} < {ns} }})"), vec![value(self)]),
            6 => {
                let shift = self.random.between(0, 9);
                let text = format!("(array [{ns}] {{ [({i} + {shift}) % {ns}] => @ for {i} < {ns} }})");
                Exp::new(&ty, text, vec![value(self)])
            }
            7 => self.halves(n, elem, [&i, &x], d),
            8 => {
                let v = self.fresh("iv");
                let body = self.within(&[(&v, &Ty::array(&Size::Const(1), &Ty::I64))], elem, d);
                Exp::new(&ty, format!("(array [{ns}] {{ [{v}] => @ for {v} < [{ns}] }})"), vec![body])
            }
            9 => self.by_source(n, elem, [&i, &x], d),
            10 => {
                let (low, parts) = (self.random.between(0, 2), vec![value(self), self.exp(elem, d.min(1))]);
                let text = format!("(array [{ns}] {{ [{i}] => @ for {low} <= {i} < {ns} - 1; else => @ }})");
                Exp::new(&ty, text, parts)
            }
            11 => self.updated(n, elem, d),
            _ => self.accumulated(n, elem, d),
        }
    }

    /// Two elements from one bound value, one in each half of the array.
    fn halves(&mut self, n: &Size, elem: &Ty, [i, x]: [&str; 2], d: usize) -> Exp {
        let (ty, ns) = (Ty::array(n, elem), n.text());
        let index = [(i, &Ty::I64)];
        let bound = self.flat_type();
        let first = self.within(&index, &bound, d.min(1));
        let vars = [(i, &Ty::I64), (x, &bound)];
        let parts = vec![first, self.within(&vars, elem, d), self.within(&vars, elem, d), self.within(&index, elem, d)];
        let text = format!(
            "(array [{ns}] {{ for {i} < {ns} / 2 let {x} = @ {{ [{i}] => @; [{i} + {ns} / 2] => @ }};\n    \
             [{i}] => @ for {ns} / 2 * 2 <= {i} < {ns} }})"
        );
        Exp::new(&ty, text, parts)
    }

    /// Every element from the one of another array.
    fn by_source(&mut self, n: &Size, elem: &Ty, [i, x]: [&str; 2], d: usize) -> Exp {
        let (ty, ns) = (Ty::array(n, elem), n.text());
        let other = self.elem_type();
        self.sources += 1;
        let xs = self.exp(&Ty::array(n, &other), d);
        self.sources -= 1;
        let body = self.within(&[(i, &Ty::I64), (x, &other)], elem, d);
        Exp::new(&ty, format!("(array [{ns}] {{ [{i}] => @ for {x} in @, {i} < {ns} }})"), vec![body, xs])
    }

    /// `accum`
    fn accumulated(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let ns = n.text();
        let m = self.some_size();
        let ms = m.text();
        let i = self.fresh("i");
        let (op, ne) = match elem {
            Ty::Array(k, inner) if inner.is_flat() => {
                let (op, ne) = self.operator(inner);
                (format!("(map2 {op})"), format!("(replicate {} {ne})", k.text()))
            }
            _ if elem.is_flat() => self.operator(elem),
            _ => return self.updated(n, elem, d),
        };
        let index = [(i.as_str(), &Ty::I64)];
        let (place, value) = (self.within(&index, &Ty::I64, d), self.within(&index, elem, d));
        if self.random.percent(50) {
            let text = format!("(accum {op} {ne} [{ns}] {{ [@ % {ns}] => @ for {i} < {ms} if {ns} > 0 }})");
            return Exp::new(&ty, text, vec![place, value]);
        }
        let guard = self.within(&index, &Ty::Prim(Prim::Bool), 1);
        let (second, last) = (self.within(&index, elem, d), self.within(&index, elem, d.min(1)));
        let text = format!(
            "(accum {op} {ne} [{ns}] {{ for {i} < {ms} if {ns} > 0 {{ [@ % {ns}] => @; [{i} % {ns}] => @ if @ }};\n    \
             [{i}] => @ for {i} < {ns} step 2 }})"
        );
        Exp::new(&ty, text, vec![place, value, second, guard, last])
    }

    /// `update`
    pub(super) fn updated(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let ns = n.text();
        let (a, i, old) = (self.fresh("a"), self.fresh("i"), self.fresh("o"));
        let target = self.exp(&ty, d);
        let head = format!("let {a} = copy @\n  in ");
        let vars = [(i.as_str(), &Ty::I64), (old.as_str(), elem)];
        let value = |g: &mut Generator| g.within(&vars, elem, d);
        let place = self.within(&[(&i, &Ty::I64)], &Ty::I64, d.min(1));
        let m = self.some_size().text();
        match self.random.below(5) {
            0 => {
                let text =
                    format!("({head}update {a} {{ [{i}] => @ for {i} < {ns} let {old} = {a}[{ns} - 1 - {i}] }})");
                Exp::new(&ty, text, vec![target, value(self)])
            }
            1 => {
                let parts = vec![target, place, value(self)];
                let text = format!(
                    "({head}update {a} {{ [@ % {ns}] => @ for {i} < {m} if {ns} > 0 let {old} = {a}[{i} % {ns}] }})"
                );
                Exp::new(&ty, text, parts)
            }
            2 => {
                let parts = vec![target, place, value(self), value(self)];
                let text = format!(
                    "({head}update {a} {{ for {i} < {m} if {ns} > 0 let {old} = {a}[{i} % {ns}] \
                     {{ [@ % {ns}] => @; [({i} + 1) % {ns}] => @ }} }})"
                );
                Exp::new(&ty, text, parts)
            }
            3 => {
                // The values mention nothing of the array.
                let guard = self.within(&[(&i, &Ty::I64)], &Ty::Prim(Prim::Bool), d.min(1));
                let body = self.within(&[(&i, &Ty::I64)], elem, d);
                let text = format!("({head}update {a} {{ [{i}] => @ for {i} < {ns} if @ }})");
                Exp::new(&ty, text, vec![target, body, guard])
            }
            _ => {
                let parts = vec![target, value(self), value(self)];
                let text = format!(
                    "({head}update {a} {{ [{i}] => @ for {i} < {ns} step 2 let {old} = {a}[{i}];\n    \
                     [{i} - 1] => @ for 1 <= {i} < {ns} let {old} = {a}[{i}] }})"
                );
                Exp::new(&ty, text, parts)
            }
        }
    }

    /// `[n][m]inner` by clauses with two subscripts.
    pub(super) fn matrix_by_clauses(&mut self, n: &Size, m: &Size, inner: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, &Ty::array(m, inner));
        let (ns, ms) = (n.text(), m.text());
        let (i, j, v, a) = (self.fresh("i"), self.fresh("j"), self.fresh("iv"), self.fresh("a"));
        let vars = [(i.as_str(), &Ty::I64), (j.as_str(), &Ty::I64)];
        let two = Ty::array(&Size::Const(2), &Ty::I64);
        let value = |g: &mut Generator| g.within(&vars, inner, d);
        match self.random.below(8) {
            0 => {
                let text = format!("(array [{ns}, {ms}] {{ [{i}, {j}] => @ for {i} < {ns} for {j} < {ms} }})");
                Exp::new(&ty, text, vec![value(self)])
            }
            1 => {
                let body = self.within(&[(&v, &two)], inner, d);
                Exp::new(&ty, format!("(array [{ns}, {ms}] {{ [{v}] => @ for {v} < [{ns}, {ms}] }})"), vec![body])
            }
            2 => {
                let parts = vec![value(self), self.exp(inner, d.min(1))];
                let text = format!(
                    "(array [{ns}, {ms}] {{ [{i}, {j}] => @ for {i} < {ns} for {j} < i64.min {ms} ({i} + 1); else => @ }})"
                );
                Exp::new(&ty, text, parts)
            }
            3 => {
                let parts = vec![value(self), self.exp(inner, d.min(1))];
                let text = format!(
                    "(array [{ns}, {ms}] {{ [{i}, {j}] => @ for 1 <= {i} < {ns} - 1 for 1 <= {j} < {ms} - 1; else => @ }})"
                );
                Exp::new(&ty, text, parts)
            }
            4 => {
                let (row, target) = (self.within(&[(&i, &Ty::I64)], &Ty::array(m, inner), d), self.exp(&ty, d));
                let text = format!("(update (copy @) {{ [{i}] => @ for {i} < {ns} step 2 }})");
                Exp::new(&ty, text, vec![target, row])
            }
            5 => {
                let target = self.exp(&ty, d);
                let text = format!(
                    "(let {a} = copy @\n  in update {a} {{ [{i}, {j}] => {a}[{ns} - 1 - {i}, {ms} - 1 - {j}] \
                     for {i} < {ns} for {j} < {ms} }})"
                );
                Exp::new(&ty, text, vec![target])
            }
            6 if inner.is_flat() => {
                let (op, ne) = self.operator(inner);
                let text = format!(
                    "(accum {op} {ne} [{ns}, {ms}] {{ [{i}, ({i} + {j}) % {ms}] => @ for {i} < {ns} for {j} < {ms} }})"
                );
                Exp::new(&ty, text, vec![value(self)])
            }
            _ => {
                let row = self.within(&[(&i, &Ty::I64)], &Ty::array(m, inner), d);
                Exp::new(&ty, format!("(array [{ns}] {{ [{i}] => @ for {i} < {ns} }})"), vec![row])
            }
        }
    }
}
