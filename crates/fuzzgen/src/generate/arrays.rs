//! Arrays of a known size, and sequences whose size shows at run time.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    /// An array `[n]elem`.
    pub(super) fn array(&mut self, n: &Size, elem: &Ty, depth: usize) -> Exp {
        let ty = Ty::array(n, elem);
        if depth == 0 || !self.affordable(n) {
            return self.plain_array(n, elem, &ty);
        }
        let d = self.less(depth);
        if let Ty::Array(m, inner) = elem
            && self.random.percent(50)
            && !n.is_big()
        {
            return self.matrix(n, m, inner, d);
        }
        match self.random.below(10) {
            0 | 1 => self.by_clauses(n, elem, d),
            2 => self.recursive(n, elem, d),
            3 if elem.is_flat() => self.loose_array(n, elem, d),
            4 if elem.is_flat() => self.rearranged(n, elem, d),
            5 => self.written(n, elem, d),
            6 if matches!(elem, Ty::Prim(_)) => self.elementwise(n, elem, d),
            7 if elem.is_flat() => self.of_rows(n, elem, d),
            8 if *elem == Ty::I64 && !n.is_big() && self.random.percent(40) => self.row_lengths(n, d),
            _ => self.mapped(n, elem, d),
        }
    }

    fn plain_array(&mut self, n: &Size, elem: &Ty, ty: &Ty) -> Exp {
        if let Some(variable) = self.variable(ty) {
            return variable;
        }
        if !self.affordable(n) {
            return Exp::new(ty, ty.simplest(), vec![]);
        }
        match (n, elem) {
            (Size::Const(count @ 1..=4), _)
                if !matches!(elem, Ty::Jagged(..) | Ty::Deep(..)) && self.random.percent(50) =>
            {
                let parts: Vec<Exp> = (0..*count).map(|_| self.exp(elem, 0)).collect();
                Exp::new(ty, format!("[{}]", vec!["@"; parts.len()].join(", ")), parts)
            }
            (_, Ty::Prim(Prim::I64)) => Exp::new(ty, format!("(iota {})", n.text()), vec![]),
            (_, Ty::Prim(prim)) if *prim != Prim::Bool => {
                Exp::new(ty, format!("(map {}.i64 (iota {}))", prim.name(), n.text()), vec![])
            }
            _ => {
                let value = self.exp(elem, 0);
                Exp::new(ty, format!("(replicate {} @)", n.text()), vec![value])
            }
        }
    }

    fn mapped(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let other = if self.random.percent(85) { self.elem_type() } else { self.row_type() };
        let source = |g: &mut Generator, of: &Ty| g.exp(&Ty::array(n, of), d);
        match self.random.below(9) {
            0 | 1 => {
                let (f, xs) = (self.lambda(&[&other], elem, d), source(self, &other));
                Exp::new(&ty, "(map @ @)", vec![f, xs])
            }
            2 => {
                let second = self.elem_type();
                let f = self.lambda(&[&other, &second], elem, d);
                let (xs, ys) = (source(self, &other), source(self, &second));
                Exp::new(&ty, "(map2 @ @ @)", vec![f, xs, ys])
            }
            3 => {
                let f = self.lambda(&[&Ty::I64], elem, d);
                Exp::new(&ty, format!("(tabulate {} @)", n.text()), vec![f])
            }
            4 => {
                let i = self.fresh("i");
                let body = self.within(&[(&i, &Ty::I64)], elem, d);
                Exp::new(&ty, format!("[@ for {i} < {}]", n.text()), vec![body])
            }
            5 | 6 => {
                let (x, i, v) = (self.fresh("x"), self.fresh("i"), self.fresh("v"));
                let xs = source(self, &other);
                let bound = self.flat_type();
                let value = self.within(&[(&x, &other), (&i, &Ty::I64)], &bound, d.min(1));
                let body = self.within(&[(&x, &other), (&i, &Ty::I64), (&v, &bound)], elem, d);
                let text = format!("[@ for {x} in @, {i} < {} let {v} = @]", n.text());
                Exp::new(&ty, text, vec![body, xs, value])
            }
            7 => {
                let f = self.lambda(&[&Ty::I64, &other], elem, d);
                let xs = source(self, &other);
                Exp::new(&ty, "(mapi @ @)", vec![f, xs])
            }
            _ => {
                let (a, b, c) = (Ty::Prim(self.prim()), Ty::Prim(self.prim()), Ty::Prim(self.prim()));
                let f = self.lambda(&[&a, &b, &c], elem, d);
                let parts = vec![f, source(self, &a), source(self, &b), source(self, &c)];
                Exp::new(&ty, "(map3 @ @ @ @)", parts)
            }
        }
    }

    /// How long the rows of a jagged array are, or where they begin.
    pub(super) fn row_lengths(&mut self, n: &Size, d: usize) -> Exp {
        let other = self.elem_type();
        let rows = self.exp(&Ty::jagged(n, &other), d);
        let text = self.random.pick(&["(jagged.lengths @)", "(jagged.lengths @)", "(jagged.offsets @)"]);
        Exp::new(&Ty::array(n, &Ty::I64), text, vec![rows])
    }

    fn row_type(&mut self) -> Ty {
        let (m, inner) = (self.small_size(), self.elem_type());
        Ty::array(&m, &inner)
    }

    /// The elements of another array in another order, or combined in some order.
    fn rearranged(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let xs = |g: &mut Generator| g.exp(&ty, d);
        let text = ty.text();
        match self.random.below(11) {
            0 => Exp::new(&ty, "(reverse @)", vec![xs(self)]),
            1 => Exp::new(&ty, "(rotate @ @)", vec![self.int(d.min(1)), xs(self)]),
            2 | 3 => {
                let (op, ne) = self.operator(elem);
                let f = self.random.pick(&["scan", "exscan"]);
                Exp::new(&ty, format!("({f} {op} {ne} @)"), vec![xs(self)])
            }
            4 => {
                let order = self.random.pick(&["<=", ">="]);
                let sort = match elem {
                    Ty::Prim(_) => self.random.pick(&["(sort @)".to_owned(), format!("(sort_by ({order}) @)")]),
                    Ty::Tuple(items) if matches!(items[..], [Ty::Prim(_), _]) => {
                        let by_first = format!("(sort_by (\\(a, _) (b, _) -> a {order} b) @)");
                        self.random.pick(&["(sort @)".to_owned(), by_first])
                    }
                    _ => "(sort @)".to_owned(),
                };
                Exp::new(&ty, sort, vec![xs(self)])
            }
            5 => {
                // Not by floats: NaN has no place in an order that a comparison makes.
                let key = self.random.pick(&[Prim::I64, Prim::I32, Prim::U8, Prim::Bool]);
                let f = self.lambda(&[elem], &Ty::Prim(key), d.min(1));
                Exp::new(&ty, "(sort_by_key @ @)", vec![f, xs(self)])
            }
            6 => Exp::new(&ty, format!("((@)[::-1] :> {text})"), vec![xs(self)]),
            7 => Exp::new(&ty, format!("(take {} (@ ++ @))", n.text()), vec![xs(self), xs(self)]),
            8 => {
                let (p, v) = (self.lambda(&[elem], &Ty::Prim(Prim::Bool), d), xs(self));
                let (a, b) = (self.fresh("p"), self.fresh("q"));
                Exp::new(&ty, format!("(let ({a}, {b}) = partition @ @ in ({b} ++ {a}) :> {text})"), vec![p, v])
            }
            9 => {
                let other = Ty::Prim(self.prim());
                let pairs = Ty::array(n, &Ty::Tuple(vec![elem.clone(), other]));
                Exp::new(&ty, "((unzip @).0)", vec![self.exp(&pairs, d)])
            }
            _ => match elem {
                Ty::Tuple(items) if items.len() == 2 => {
                    let (a, b) = (Ty::array(n, &items[0]), Ty::array(n, &items[1]));
                    Exp::new(&ty, "(zip @ @)", vec![self.exp(&a, d), self.exp(&b, d)])
                }
                Ty::Prim(Prim::I64) => {
                    let keys = Ty::array(n, &Ty::Prim(self.random.pick(&[Prim::I32, Prim::F64, Prim::U8])));
                    Exp::new(&ty, "(argsort @)", vec![self.exp(&keys, d)])
                }
                _ => Exp::new(&ty, "(copy @)", vec![xs(self)]),
            },
        }
    }

    /// Arrays that are written to.
    fn written(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let text = n.text();
        let target = Exp::new(&ty, "(copy @)", vec![self.exp(&ty, d)]);
        let m = self.some_size();
        let places = |g: &mut Generator| {
            let raw = g.exp(&Ty::array(&m, &Ty::I64), d);
            Exp::piece(format!("(map (\\p -> if {text} == 0 then -1 else p % ({text} + 1)) @)"), vec![raw])
        };
        match self.random.below(8) {
            0 | 1 => {
                let (is, vs) = (places(self), self.exp(&Ty::array(&m, elem), d));
                Exp::new(&ty, "(scatter @ @ @)", vec![target, is, vs])
            }
            2 if elem.is_flat() => {
                let (op, ne) = self.operator(elem);
                let (is, vs) = (places(self), self.exp(&Ty::array(&m, elem), d));
                Exp::new(&ty, format!("(reduce_by_index @ {op} {ne} @ @)"), vec![target, is, vs])
            }
            3 if elem.is_flat() => {
                let (op, ne) = self.operator(elem);
                let (is, vs) = (places(self), self.exp(&Ty::array(&m, elem), d));
                Exp::new(&ty, format!("(hist {op} {ne} {text} @ @)"), vec![is, vs])
            }
            4 => {
                let (i, v) = (self.int(d.min(1)), self.exp(elem, d));
                let body = format!("(if {text} == 0 then @ else @ with [@ % {text}] = @)");
                let empty = self.exp(&ty, 0);
                Exp::new(&ty, body, vec![empty, target, i, v])
            }
            5 if !n.is_big() => {
                // A loop that fills an array in place and reads what it wrote.
                let (a, i, old) = (self.fresh("a"), self.fresh("i"), self.fresh("o"));
                let value = self.within(&[(&i, &Ty::I64), (&old, elem)], elem, d.min(2));
                let j = self.within(&[(&i, &Ty::I64)], &Ty::I64, 1);
                let body = format!(
                    "(loop {a}: *{} = @ for {i} < {text} do let {old} = copy {a}[@ % {text}] in {a} with [{i}] = @)",
                    ty.text()
                );
                Exp::new(&ty, body, vec![target, j, value])
            }
            6 => {
                // A slice is replaced.
                let (a, k) = (self.fresh("a"), self.fresh("k"));
                let source = self.exp(&ty, d);
                let body = format!("(let {a} = @ let {k} = {text} / 2 in {a} with [0:{k}] = (copy @)[0:{k}])");
                Exp::new(&ty, body, vec![target, source])
            }
            _ => self.updated(n, elem, d),
        }
    }

    fn elementwise(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let Ty::Prim(prim) = elem else { return self.mapped(n, elem, d) };
        if self.random.percent(30)
            && let Some(call) = self.shape_generic_call(&ty, *prim, d)
        {
            return call;
        }
        if *prim == Prim::Bool {
            return match self.random.below(3) {
                0 => Exp::new(&ty, "(!(@))", vec![self.exp(&ty, d)]),
                1 => Exp::new(&ty, "(@ && @)", vec![self.exp(&ty, d), self.exp(&ty, d)]),
                _ => {
                    let other = Ty::array(n, &Ty::Prim(self.number_type()));
                    let op = self.random.pick(&["<", "<=", ">", ">="]);
                    Exp::new(&ty, format!("(@ {op} @)"), vec![self.exp(&other, d), self.exp(&other, d)])
                }
            };
        }
        let op = self.random.pick(&["+", "-", "*"]);
        match self.random.below(4) {
            0 => Exp::new(&ty, format!("(@ {op} @)"), vec![self.exp(elem, d), self.exp(&ty, d)]),
            1 => Exp::new(&ty, format!("(@ {op} @)"), vec![self.exp(&ty, d), self.exp(elem, d)]),
            2 => Exp::new(&ty, "(-(@))", vec![self.exp(&ty, d)]),
            _ => Exp::new(&ty, format!("(@ {op} @)"), vec![self.exp(&ty, d), self.exp(&ty, d)]),
        }
    }

    /// A sequence of any length, cut or filled up.
    fn loose_array(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let (fill, loose) = (self.exp(elem, 0), self.loose(elem, d));
        if self.random.percent(40) {
            // Under a name, with its size.
            let (k, xs) = (self.fresh("k"), self.fresh("ys"));
            let size = Size::Named { name: k.clone(), big: n.is_big() };
            let mark = self.mark();
            self.sizes.push(size.clone());
            let body = self.with(&[(&xs, &Ty::array(&size, elem))], &ty, d);
            self.leave(&mark);
            let text = format!("(let [{k}] ({xs}: [{k}]{}) = @\n  in @)", elem.text());
            return Exp::new(&ty, text, vec![loose, body]);
        }
        Exp::new(&ty, format!("(fill {} @ @)", n.text()), vec![fill, loose])
    }

    /// A sequence whose size shows at run time.
    pub(super) fn loose(&mut self, elem: &Ty, d: usize) -> Exp {
        let (n, m) = (self.some_size(), self.small_size());
        let other = self.elem_type();
        let (i, j, x) = (self.fresh("i"), self.fresh("j"), self.fresh("x"));
        let truth = Ty::Prim(Prim::Bool);
        match self.random.below(12) {
            9 => {
                let jagged = self.exp(&Ty::jagged(&self.small_or(&n), elem), d);
                let ns = self.small_or(&n).text();
                let low = self.random.between(0, 2);
                Exp::piece(format!("(jagged.flatten (@)[i64.min {low} {ns}:{ns}])"), vec![jagged])
            }
            10 => {
                let xsss = self.exp(&Ty::Deep(self.small_or(&n), Box::new(elem.clone())), d);
                Exp::piece("(jagged.flatten (jagged.flatten @))", vec![xsss])
            }
            11 if matches!(elem, Ty::Prim(Prim::I64)) => {
                let (a, b) = (self.int(d.min(1)), self.int(d.min(1)));
                let text = format!("(let {i} = @ % 5 let {j} = @ % 9 in {i}..({i} + 2)...({i} + {j}))");
                Exp::piece(text, vec![a, b])
            }
            0 | 1 => {
                let (p, xs) = (self.lambda(&[elem], &truth, d), self.exp(&Ty::array(&n, elem), d));
                Exp::piece("(filter @ @)", vec![p, xs])
            }
            2 => self.in_lockstep(&n, &other, elem, [&i, &x], d),
            3 | 4 => self.nested(&self.small_or(&n), elem, [&i, &j], d),
            5 => {
                let jagged = self.exp(&Ty::jagged(&self.small_or(&n), elem), d);
                Exp::piece("(jagged.flatten @)", vec![jagged])
            }
            6 => {
                let v = self.fresh("iv");
                let two = Ty::array(&Size::Const(2), &Ty::I64);
                let body = self.within(&[(&v, &two)], elem, d);
                Exp::piece(format!("[@ for {v} < [{}, {}]]", self.small_or(&n).text(), m.text()), vec![body])
            }
            7 => {
                let rows = self.exp(&Ty::jagged(&m, &other), d);
                let row = self.fresh("row");
                let body = self.within(&[(&x, &other)], elem, d);
                Exp::piece(format!("[@ for {row} in @ for {x} in {row}]"), vec![body, rows])
            }
            _ => {
                let xs = self.exp(&Ty::array(&n, elem), d);
                let (low, step) = (self.random.between(0, 1), self.random.between(1, 3));
                let text = n.text();
                Exp::piece(format!("((@)[i64.min {low} {text}:{text}:{step}])"), vec![xs])
            }
        }
    }
    /// Elements of an array and the indices beside them, filtered.
    fn in_lockstep(&mut self, n: &Size, other: &Ty, elem: &Ty, [i, x]: [&str; 2], d: usize) -> Exp {
        let truth = Ty::Prim(Prim::Bool);
        let vars = [(x, other), (i, &Ty::I64)];
        let xs = self.exp(&Ty::array(n, other), d);
        let (c, body) = (self.within(&vars, &truth, d), self.within(&vars, elem, d));
        Exp::piece(format!("[@ for {x} in @, {i} < {} if @]", n.text()), vec![body, xs, c])
    }

    /// Two levels; the inner extent depends on the outer index.
    fn nested(&mut self, n: &Size, elem: &Ty, [i, j]: [&str; 2], d: usize) -> Exp {
        let vars = [(i, &Ty::I64), (j, &Ty::I64)];
        let bound = self.within(&[(i, &Ty::I64)], &Ty::I64, d.min(1));
        let body = self.within(&vars, elem, d);
        let guard = self.within(&vars, &Ty::Prim(Prim::Bool), d.min(1));
        let step = self.random.between(1, 3);
        let text = format!("[@ for {i} < {} for 1 <= {j} < @ % 6 step {step} if @]", n.text());
        Exp::piece(text, vec![body, bound, guard])
    }
}
