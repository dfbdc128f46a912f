//! Forms that give a value of any type: variables, `let`, `if`, `match`, loops, calls, functions as values.

use super::{Function, Generator};
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    /// One of the common forms; nothing if the form shall depend on the type.
    pub(super) fn common(&mut self, ty: &Ty, depth: usize) -> Option<Exp> {
        let chance = if depth == 0 { 75 } else { 12 };
        if self.random.percent(chance)
            && let Some(variable) = self.variable(ty)
        {
            return Some(variable);
        }
        if depth == 0 || !self.random.percent(38) {
            return None;
        }
        let d = self.less(depth);
        Some(match self.random.below(16) {
            0 | 1 => Exp::new(ty, "(if @ then @ else @)", vec![self.condition(d), self.exp(ty, d), self.exp(ty, d)]),
            2..=4 => self.binding(ty, d),
            5 => self.matching(ty, d),
            6 => self.counted_loop(ty, d),
            7 => self.loop_over_array(ty, d),
            8 => self.bounded_while(ty, d),
            9 | 10 => self.call(ty, d)?,
            11 => self.local_function(ty, d),
            // Rows of one length would decide the type of the function, which may then be given others: with an argument that
            // is not used, only the interpreter says so.
            12 if !matches!(ty, Ty::Jagged(..) | Ty::Deep(..)) => {
                let f = self.lambda(&[ty], ty, d.min(1));
                Exp::new(ty, "(twice @ @)", vec![f, self.exp(ty, d)])
            }
            13 => self.projection(ty, d),
            14 => self.element(ty, d),
            _ => {
                let other = self.flat_type();
                let (f, x) = (self.lambda(&[&other], ty, d), self.exp(&other, d));
                Exp::new(ty, "(apply @ @)", vec![f, x])
            }
        })
    }

    fn binding(&mut self, ty: &Ty, d: usize) -> Exp {
        let bound = self.any_type();
        if let Ty::Tuple(items) = &bound
            && self.random.percent(50)
        {
            let names: Vec<String> = items.iter().map(|_| self.fresh("t")).collect();
            let vars: Vec<(&str, &Ty)> = names.iter().map(String::as_str).zip(items).collect();
            let value = self.exp(&bound, d);
            let body = self.with(&vars, ty, d);
            return Exp::new(ty, format!("(let ({}) = @\n  in @)", names.join(", ")), vec![value, body]);
        }
        let name = self.fresh("v");
        let value = self.exp(&bound, d);
        let body = self.with(&[(&name, &bound)], ty, d);
        let text = if self.random.percent(50) {
            format!("(let {name}: {} = @\n  in @)", bound.text())
        } else {
            format!("(let {name} = @\n  in @)")
        };
        Exp::new(ty, text, vec![value, body])
    }

    /// `match` on a sum, a tuple of truth values, or a number.
    fn matching(&mut self, ty: &Ty, d: usize) -> Exp {
        if !self.sums.is_empty() && self.random.percent(60) {
            let sums = self.sums.clone();
            let sum = self.random.pick(&sums);
            if let Ty::Sum(_, cases) = &sum {
                let mut parts = vec![self.exp(&sum, d)];
                let mut text = String::from("(match @");
                for (case, payload) in cases {
                    match payload {
                        Some(payload) => {
                            let name = self.fresh("c");
                            parts.push(self.with(&[(&name, payload)], ty, d));
                            text += &format!("\n   case #{case} {name} -> @");
                        }
                        None => {
                            parts.push(self.exp(ty, d));
                            text += &format!("\n   case #{case} -> @");
                        }
                    }
                }
                return Exp::new(ty, text + ")", parts);
            }
        }
        if self.random.percent(40) {
            let parts = vec![self.condition(d), self.condition(d), self.exp(ty, d), self.exp(ty, d), self.exp(ty, d)];
            let text = "(match (@, @)\n   case (true, false) -> @\n   case (_, true) -> @\n   case _ -> @)";
            return Exp::new(ty, text, parts);
        }
        let name = self.fresh("c");
        let mut parts = vec![self.int(d), self.exp(ty, d), self.exp(ty, d)];
        parts.push(self.with(&[(&name, &Ty::I64)], ty, d));
        Exp::new(ty, format!("(match @ % 4\n   case 0 -> @\n   case 1 -> @\n   case {name} -> @)"), parts)
    }

    fn counted_loop(&mut self, ty: &Ty, d: usize) -> Exp {
        let (name, i) = (self.fresh("l"), self.fresh("i"));
        let first = self.exp(ty, d);
        let body = self.within(&[(&name, ty), (&i, &Ty::I64)], ty, d.min(2));
        let turns = self.random.between(0, 4);
        Exp::new(ty, format!("(loop {name}: {} = @ for {i} < {turns} do @)", ty.text()), vec![first, body])
    }

    fn loop_over_array(&mut self, ty: &Ty, d: usize) -> Exp {
        let (name, x) = (self.fresh("l"), self.fresh("x"));
        let (n, elem) = (self.small_size(), self.elem_type());
        let first = self.exp(ty, d);
        let over = self.exp(&Ty::array(&n, &elem), d);
        let body = self.within(&[(&name, ty), (&x, &elem)], ty, d.min(1));
        // If the first value has rows of one length, `foldl` checks that all others have them, too.
        let is_checked = matches!(ty, Ty::Jagged(..) | Ty::Deep(..));
        if self.random.percent(30) && !is_checked {
            let heads = format!("(\\({name}: {}) ({x}: {}) -> @)", ty.text(), elem.text());
            return Exp::new(ty, format!("(foldl {heads} @ @)"), vec![body, first, over]);
        }
        Exp::new(ty, format!("(loop {name}: {} = @ for {x} in @ do @)", ty.text()), vec![first, over, body])
    }

    fn bounded_while(&mut self, ty: &Ty, d: usize) -> Exp {
        let (name, i) = (self.fresh("l"), self.fresh("i"));
        let vars = [(name.as_str(), ty), (i.as_str(), &Ty::I64)];
        let first = self.exp(ty, d);
        let condition = self.within(&vars, &Ty::Prim(Prim::Bool), d.min(1));
        let body = self.within(&vars, ty, d.min(1));
        let turns = self.random.between(1, 5);
        let text =
            format!("((loop ({name}: {}, {i}: i64) = (@, 0) while {i} < {turns} && @ do (@, {i} + 1)).0)", ty.text());
        Exp::new(ty, text, vec![first, condition, body])
    }

    fn local_function(&mut self, ty: &Ty, d: usize) -> Exp {
        let (f, x) = (self.fresh("f"), self.fresh("x"));
        let param = self.flat_type();
        let body = self.within(&[(&x, &param)], ty, d);
        let head = format!("let {f} ({x}: {}): {} = @", param.text(), ty.text());
        let (a, b, c) = (self.condition(d.min(1)), self.exp(&param, d), self.exp(&param, d));
        Exp::new(ty, format!("({head}\n  in if @ then {f} @ else {f} @)"), vec![body, a, b, c])
    }

    fn projection(&mut self, ty: &Ty, d: usize) -> Exp {
        let other = Ty::Prim(self.prim());
        if self.random.percent(50) {
            let pair = Ty::Tuple(vec![other.clone(), ty.clone()]);
            return Exp::new(ty, "(@.1)", vec![self.atom(&pair, d)]);
        }
        let record = Ty::Record(vec![("ha".into(), ty.clone()), ("hb".into(), other)]);
        Exp::new(ty, "(@.ha)", vec![self.atom(&record, d)])
    }

    /// An expression in front of which nothing binds tighter.
    fn atom(&mut self, ty: &Ty, d: usize) -> Exp {
        Exp::new(ty, "(@)", vec![self.exp(ty, d)])
    }

    /// An element of an array.
    fn element(&mut self, ty: &Ty, d: usize) -> Exp {
        if matches!(ty, Ty::Jagged(..) | Ty::Deep(..)) || !ty.is_flat() && self.random.percent(60) {
            return self.exp(ty, d);
        }
        // Many large rows take too long.
        let n = if ty.is_flat() { self.some_size() } else { self.small_size() };
        let array = self.exp(&Ty::array(&n, ty), d);
        let index = self.int(d.min(1));
        if let Size::Const(count) = n
            && count > 0
        {
            return Exp::new(ty, format!("((@)[@ % {count}])"), vec![array, index]);
        }
        Exp::new(ty, "(pick @ @ @)", vec![self.exp(ty, d.min(1)), index, array])
    }

    /// A call of a function whose result has the type.
    pub(super) fn call(&mut self, ty: &Ty, d: usize) -> Option<Exp> {
        let fitting: Vec<(Function, Vec<(String, Size)>)> = self
            .functions
            .iter()
            .filter_map(|function| {
                let mut known = Vec::new();
                fits(&function.result, ty, &function.sizes, &mut known).then(|| (function.clone(), known))
            })
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (function, known) = self.random.pick(&fitting);
        if known.iter().any(|(_, size)| !self.affordable(size)) {
            return None;
        }
        Some(self.call_with(&function, known, d))
    }

    /// A call of a function for some sizes.
    pub(super) fn call_of(&mut self, function: &Function, d: usize) -> Exp {
        self.call_with(function, Vec::new(), d)
    }

    fn call_with(&mut self, function: &Function, mut known: Vec<(String, Size)>, d: usize) -> Exp {
        let mut text = format!("({}", function.name);
        let mut parts = Vec::new();
        for param in &function.params {
            let param = self.fixed(param, &function.sizes, &mut known);
            parts.push(self.exp(&param, d));
            text += " @";
        }
        let result = self.fixed(&function.result, &function.sizes, &mut known);
        Exp::new(&result, text + ")", parts)
    }

    /// The type with sizes fixed for a call.
    fn fixed(&mut self, ty: &Ty, sizes: &[String], known: &mut Vec<(String, Size)>) -> Ty {
        let mut size = |g: &mut Generator, n: &Size| match n {
            Size::Named { name, .. } if sizes.contains(name) => {
                if let Some((_, size)) = known.iter().find(|(other, _)| other == name) {
                    return size.clone();
                }
                let size = g.small_size();
                known.push((name.clone(), size.clone()));
                size
            }
            Size::Named { .. } | Size::Const(_) => n.clone(),
        };
        match ty {
            Ty::Array(n, elem) => {
                let n = size(self, n);
                Ty::array(&n, &self.fixed(elem, sizes, known))
            }
            Ty::Jagged(n, elem) => {
                let n = size(self, n);
                Ty::jagged(&n, &self.fixed(elem, sizes, known))
            }
            Ty::Deep(n, elem) => {
                let n = size(self, n);
                Ty::Deep(n, Box::new(self.fixed(elem, sizes, known)))
            }
            Ty::Tuple(items) => Ty::Tuple(items.iter().map(|item| self.fixed(item, sizes, known)).collect()),
            Ty::Record(fields) => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), self.fixed(field, sizes, known)));
                Ty::Record(fields.collect())
            }
            Ty::Prim(_) | Ty::Sum(..) => ty.clone(),
        }
    }
}

/// Whether a function's result is of the wanted type for some sizes.
fn fits(result: &Ty, wanted: &Ty, sizes: &[String], known: &mut Vec<(String, Size)>) -> bool {
    let mut same = |a: &Size, b: &Size| match a {
        Size::Named { name, .. } if sizes.contains(name) => match known.iter().find(|(other, _)| other == name) {
            Some((_, size)) => size == b,
            None => {
                known.push((name.clone(), b.clone()));
                true
            }
        },
        Size::Named { .. } | Size::Const(_) => a == b,
    };
    match (result, wanted) {
        (Ty::Array(n, a), Ty::Array(m, b))
        | (Ty::Jagged(n, a), Ty::Jagged(m, b))
        | (Ty::Deep(n, a), Ty::Deep(m, b)) => same(n, m) && fits(a, b, sizes, known),
        (Ty::Tuple(xs), Ty::Tuple(ys)) => {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| fits(x, y, sizes, known))
        }
        (Ty::Record(xs), Ty::Record(ys)) => {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|((a, x), (b, y))| a == b && fits(x, y, sizes, known))
        }
        (a, b) => a == b,
    }
}
