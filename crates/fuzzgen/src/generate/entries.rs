//! Entry points with their inputs.

use super::Generator;
use crate::tree::{Entry, Exp, Rule, Size, Ty};
use scalar::Prim;

/// Functions of floats that are rounded differently by different libraries.
const ROUNDED: [&str; 10] = ["sin", "cos", "exp", "log", "tanh", "atan", "cbrt", "log2", "erf", "sinh"];

/// What an entry point takes.
pub(super) struct Signature {
    pub sizes: Vec<(String, bool)>,
    pub params: Vec<(String, Ty)>,
    /// A parameter that may be consumed, and the name of what takes its place.
    pub consumed: Option<(String, Ty)>,
}

impl Generator {
    /// An entry point.
    pub(super) fn entry(&mut self, number: usize) -> Entry {
        let name = format!("e{number}");
        match self.random.below(28) {
            26 | 27 => self.growing_entry(name),
            24 | 25 => self.numeric_entry(name),
            20..=23 => self.rare_entry(name),
            0 | 1 => self.any_rank_entry(name),
            2..=4 => self.risky_entry(name),
            5 | 6 => self.plain_entry(name, true),
            _ => self.plain_entry(name, false),
        }
    }

    fn plain_entry(&mut self, name: String, big: bool) -> Entry {
        let mark = self.mark();
        let signature = self.signature(big);
        let result = if big { self.big_type() } else { self.any_type() };
        let depth = if big { 3 } else { 4 };
        let body = match &signature.consumed {
            Some((raw, ty)) => self.consuming(raw, ty, &result, depth),
            None => self.exp(&result, depth),
        };
        let (body, rule) = self.rounded(&result, body);
        self.leave(&mark);
        self.finish(name, &signature, &result.text(), body, rule)
    }

    /// A call of a function that makes ever larger functions.
    fn growing_entry(&mut self, name: String) -> Entry {
        let function = self.growing_function();
        let mark = self.mark();
        let signature = self.signature(false);
        let body = self.call_of(&function, 2);
        self.leave(&mark);
        let result = body.ty.clone().unwrap_or(Ty::I64);
        self.finish(name, &Signature { consumed: None, ..signature }, &result.text(), body, Rule::Exact)
    }

    /// Arithmetic on numbers that are known only when the program runs.
    fn numeric_entry(&mut self, name: String) -> Entry {
        let mark = self.mark();
        let (x, y) = (self.fresh("x"), self.fresh("y"));
        let (a, b, result) = (self.number_type(), self.number_type(), self.number_type());
        let n = Size::Named { name: "n".into(), big: false };
        self.sizes.push(n.clone());
        let params = [a, b].map(|prim| (self.fresh("p"), Ty::array(&n, &Ty::Prim(prim)))).to_vec();
        let (a, b, result) = (Ty::Prim(a), Ty::Prim(b), Ty::Prim(result));
        let values: Vec<Exp> = (0..3).map(|_| self.within(&[(&x, &a), (&y, &b)], &result, 2)).collect();
        self.leave(&mark);
        let all = Ty::array(&n, &Ty::Tuple(vec![result; 3]));
        let text = format!("(map2 (\\{x} {y} -> (@, @, @)) {} {})", params[0].0, params[1].0);
        let body = Exp::new(&all, text, values);
        let signature = Signature { sizes: vec![("n".into(), false)], params, consumed: None };
        self.finish(name, &signature, &all.text(), body, Rule::Exact)
    }

    /// An array by a construct that would hardly occur otherwise.
    fn rare_entry(&mut self, name: String) -> Entry {
        let mark = self.mark();
        let big = self.random.percent(30);
        let signature = self.signature(big);
        let n = self.sizes.iter().find(|n| n.is_big()).cloned();
        let n = n.unwrap_or_else(|| self.small_size());
        let lengths = !n.is_big() && self.random.percent(15);
        let elem = match lengths {
            true => Ty::I64,
            false if self.random.percent(70) => Ty::Prim(self.prim()),
            false => self.flat_type(),
        };
        let result = Ty::array(&n, &elem);
        let body = if lengths { self.row_lengths(&n, 2) } else { self.rare(&n, &elem, 2) };
        self.leave(&mark);
        self.finish(name, &Signature { consumed: None, ..signature }, &result.text(), body, Rule::Exact)
    }

    fn rare(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        // Arrays of rows stay small.
        let form = if n.is_big() { self.random.pick(&[0, 0, 1, 2, 3, 5, 7, 11, 11]) } else { self.random.below(14) };
        match form {
            0 => {
                let (op, ne) = self.operator(elem);
                let f = self.random.pick(&["scan", "exscan"]);
                Exp::new(&ty, format!("({f} {op} {ne} @)"), vec![self.exp(&ty, d)])
            }
            1 => Exp::new(&ty, "(sort @)", vec![self.exp(&ty, d)]),
            2 => self.recursive_by(5, n, elem, d),
            3 => self.recursive_by(6, n, elem, d),
            4 => {
                let (fill, rows) = (self.exp(elem, 0), self.exp(&Ty::Deep(n.clone(), Box::new(elem.clone())), d));
                let ns = n.text();
                let flat = format!("jagged.flatten (jagged.flatten (@)[i64.min 1 {ns}:{ns}])");
                Exp::new(&ty, format!("(fill {ns} @ ({flat}))"), vec![fill, rows])
            }
            5 => {
                let (op, ne) = self.operator(elem);
                let m = self.some_size();
                let (is, vs) = (self.exp(&Ty::array(&m, &Ty::I64), d), self.exp(&Ty::array(&m, elem), d));
                Exp::new(&ty, format!("(hist {op} {ne} {} (map (% 7) @) @)", n.text()), vec![is, vs])
            }
            6 => Exp::new(&ty, "(map (trace) @)", vec![self.exp(&ty, d)]),
            7 => {
                let (x, i) = (self.fresh("x"), self.fresh("i"));
                let (xs, value) = (self.exp(&ty, d), self.within(&[(&x, elem), (&i, &Ty::I64)], elem, d));
                let head = format!("\\({x}: {}) {i} -> assert ({i} % 7 < 7)", elem.text());
                Exp::new(&ty, format!("(map2 ({head} @) @ (iota {}))", n.text()), vec![value, xs])
            }
            8 => {
                let (ls, m) = (self.fresh("ls"), self.small_size());
                let f = self.lambda(&[elem], elem, d);
                let parts = vec![self.exp(&Ty::array(&m, &Ty::I64), d), self.exp(elem, 0), f, self.exp(elem, 0)];
                let rows = format!("jagged.unflatten {ls} (replicate (i64.sum {ls}) @)");
                let text =
                    format!("let {ls} = map (& 3) @\n  in fill {} @ (jagged.flatten (map (map @) ({rows})))", n.text());
                Exp::new(&ty, format!("({text})"), parts)
            }
            9 => {
                // Regular rows where others may be jagged.
                let m = self.small_size();
                let (even, uneven) = (Ty::array(n, &Ty::array(&m, elem)), Ty::jagged(n, elem));
                let parts = vec![self.exp(elem, 0), self.condition(1), self.exp(&even, d), self.exp(&uneven, d)];
                Exp::new(&ty, format!("(fill {} @ (jagged.flatten (if @ then @ else @)))", n.text()), parts)
            }
            11 => self.kept_and_combined(n, elem, d),
            12 => self.columns_of_scan(n, elem, d),
            13 => self.numbered_elements(n, elem, d),
            _ => Exp::new(&ty, "(trace @)", vec![self.exp(&ty, d)]),
        }
    }

    /// What a filter keeps, combined on the way.
    fn kept_and_combined(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let (op, ne) = self.operator(elem);
        let p = self.lambda(&[elem], &Ty::Prim(Prim::Bool), d);
        let f = self.random.pick(&["scan", "exscan"]);
        let text = format!("(fill {} @ ({f} {op} {ne} (filter @ @)))", n.text());
        Exp::new(&ty, text, vec![self.exp(elem, 0), p, self.exp(&ty, d)])
    }

    /// A running combination of matrices of which columns are combined.
    fn columns_of_scan(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let (ty, ns, ys) = (Ty::array(n, elem), n.text(), self.fresh("ys"));
        let (op, ne) = self.operator(elem);
        let (m, k) = (self.random.between(1, 3), self.random.between(1, 3));
        let matrix = Ty::array(&Size::Const(m), &Ty::array(&Size::Const(k), elem));
        let source = self.exp(&Ty::array(n, &matrix), d);
        let scan = format!("scan (map2 (map2 {op})) (replicate {m} (replicate {k} {ne})) @");
        let element = format!("{ys}[i, j % {m}, j / {m} % {k}]");
        let text = format!("(let {ys} = {scan}\n  in [reduce {op} {ne} [{element} for i < {ns}] for j < {ns}])");
        Exp::new(&ty, text, vec![source])
    }

    /// The elements of three dimensions with their numbers.
    fn numbered_elements(&mut self, n: &Size, elem: &Ty, d: usize) -> Exp {
        let ty = Ty::array(n, elem);
        let other = self.elem_type();
        let (m, k) = (self.random.between(1, 3), self.random.between(1, 3));
        let cube = Ty::array(&Size::Const(m), &Ty::array(n, &Ty::array(&Size::Const(k), &other)));
        let (f, g) = (self.lambda(&[&other, &Ty::I64], elem, d), self.lambda(&[&other], &other, d.min(1)));
        let parts = vec![self.exp(elem, 0), f, g, self.exp(&cube, d)];
        let (ns, total) = (n.text(), format!("{m} * {} * {k}", n.text()));
        Exp::new(&ty, format!("(fill {ns} @ (map2 @ (flatten_3d (map (map (map @)) @)) (iota ({total}))))"), parts)
    }

    /// Puts an entry point together.
    pub(super) fn finish(&mut self, name: String, signature: &Signature, result: &str, body: Exp, rule: Rule) -> Entry {
        let sizes: String = signature.sizes.iter().map(|(n, _)| format!(" [{n}]")).collect();
        let mut params = String::new();
        for (x, ty) in &signature.params {
            let unique = signature.consumed.as_ref().is_some_and(|(raw, _)| raw == x);
            params += &format!(" ({x}: {}{})", if unique { "*" } else { "" }, ty.text());
        }
        let tree = Exp::piece(format!("entry {name}{sizes}{params}: {result} =\n  @"), vec![body]);
        let inputs = (0..2).map(|_| self.input(signature)).collect();
        Entry { name, tree, inputs, rule }
    }

    /// Parameters, which are in scope from here on.
    pub(super) fn signature(&mut self, big: bool) -> Signature {
        let sizes: Vec<(String, bool)> = match (big, self.random.below(3)) {
            (true, 0) => vec![("n".into(), true), ("m".into(), false)],
            (true, _) => vec![("n".into(), true)],
            (false, 0) => vec![("n".into(), false)],
            (false, 1) => vec![("n".into(), false), ("m".into(), false)],
            (false, _) => vec![],
        };
        self.sizes.extend(sizes.iter().map(|(name, big)| Size::Named { name: name.clone(), big: *big }));
        let named = self.sizes[self.sizes.len() - sizes.len()..].to_vec();
        let mut params: Vec<(String, Ty)> = Vec::new();
        for size in &named {
            let (x, elem) = (self.fresh("p"), Ty::Prim(self.prim()));
            params.push((x, Ty::array(size, &elem)));
        }
        for _ in 0..1 + self.random.below(3) {
            let (x, elem) = (self.fresh("p"), Ty::Prim(self.prim()));
            let n = if named.is_empty() { Size::Const(3) } else { self.random.pick(&named) };
            let m = Size::Const(self.random.between(1, 4));
            let ty = match self.random.below(10) {
                0 | 1 => elem,
                2 | 3 => Ty::array(&n, &elem),
                4 | 8 if !n.is_big() => Ty::jagged(&n, &elem),
                9 if !n.is_big() => Ty::Deep(n, Box::new(elem)),
                5 => Ty::array(&n, &Ty::array(&m, &elem)),
                6 => Ty::array(&m, &Ty::array(&self.small_or(&n), &Ty::array(&Size::Const(2), &elem))),
                _ => Ty::I64,
            };
            params.push((x, ty));
        }
        let mut consumed = None;
        if self.random.percent(20)
            && let Some((x, ty @ Ty::Array(_, elem))) = params.first()
            && elem.is_flat()
        {
            consumed = Some((x.clone(), ty.clone()));
        }
        let visible = params.iter().filter(|(x, _)| consumed.as_ref().is_none_or(|(raw, _)| raw != x)).cloned();
        self.vars.extend(visible);
        Signature { sizes, params, consumed }
    }

    /// The parameter is written to, then the result is computed.
    fn consuming(&mut self, raw: &str, ty: &Ty, result: &Ty, depth: usize) -> Exp {
        let Ty::Array(n, elem) = ty else { return self.exp(result, depth) };
        let ns = n.text();
        let place = self.int(1);
        let value = self.exp(elem, 2);
        let new = self.fresh("w");
        let body = self.with(&[(&new, ty)], result, depth);
        let text = match self.random.below(3) {
            0 => format!("(let {new} = put {raw} @ @\n  in @)"),
            1 => format!("(let {new} = update {raw} {{ [@ % {ns}] => @ if {ns} > 0 }}\n  in @)"),
            _ => format!("(let {new} = if {ns} == 0 then {raw} else {raw} with [@ % {ns}] = @\n  in @)"),
        };
        Exp::new(result, text, vec![place, value, body])
    }

    fn big_type(&mut self) -> Ty {
        let n = self.sizes.iter().find(|n| n.is_big()).cloned().unwrap_or(Size::Const(5));
        match self.random.below(6) {
            0 => Ty::Prim(self.prim()),
            1 => Ty::Tuple(vec![Ty::array(&n, &Ty::Prim(self.prim())), Ty::Prim(self.prim())]),
            2 => Ty::array(&n, &self.flat_type()),
            3 => Ty::array(&Size::Const(3), &Ty::Prim(self.prim())),
            _ => Ty::array(&n, &Ty::Prim(self.prim())),
        }
    }

    /// Sometimes a function is applied to the floats of the result.
    fn rounded(&mut self, ty: &Ty, body: Exp) -> (Exp, Rule) {
        if !self.random.percent(30) {
            return (body, Rule::Exact);
        }
        let f = self.random.pick(&ROUNDED);
        let usual = |p: &Prim| matches!(p, Prim::F32 | Prim::F64);
        match ty {
            Ty::Prim(p) if usual(p) => (Exp::new(ty, format!("({}.{f} @)", p.name()), vec![body]), Rule::Near),
            Ty::Array(_, elem) => match &**elem {
                Ty::Prim(p) if usual(p) => (Exp::new(ty, format!("(map {}.{f} @)", p.name()), vec![body]), Rule::Near),
                _ => (body, Rule::Exact),
            },
            Ty::Prim(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) | Ty::Jagged(..) | Ty::Deep(..) => {
                (body, Rule::Exact)
            }
        }
    }
}
