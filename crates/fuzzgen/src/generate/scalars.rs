//! Numbers, truth values, and values made of them.

use super::Generator;
use crate::tree::{Exp, Size, Ty};
use scalar::Prim;

impl Generator {
    pub(super) fn scalar(&mut self, prim: Prim, depth: usize) -> Exp {
        if depth == 0 {
            return self.leaf(prim);
        }
        let d = self.less(depth);
        if self.random.percent(22) {
            return self.folded(prim, d);
        }
        match prim {
            Prim::Bool => self.truth(d),
            Prim::F16 | Prim::F32 | Prim::F64 => self.float(prim, d),
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => {
                self.integer(prim, d)
            }
        }
    }

    fn leaf(&mut self, prim: Prim) -> Exp {
        let ty = Ty::Prim(prim);
        if prim == Prim::I64 && self.random.percent(20) && !self.sizes.is_empty() {
            let sizes = self.sizes.clone();
            return Exp::new(&ty, self.random.pick(&sizes).text(), vec![]);
        }
        Exp::new(&ty, self.literal(prim), vec![])
    }

    /// A constant.
    pub(super) fn literal(&mut self, prim: Prim) -> String {
        let name = prim.name();
        if prim == Prim::Bool {
            return if self.random.percent(50) { "true".into() } else { "false".into() };
        }
        if prim.is_float() {
            return match self.random.below(12) {
                0 => format!("{name}.inf"),
                1 => format!("{name}.nan"),
                2 => format!("(-0.0{name})"),
                3 => format!("(-{}.5{name})", self.random.below(9)),
                _ => format!("{}.{}{name}", self.random.below(20), self.random.pick(&[0, 5, 25, 125, 1])),
            };
        }
        match self.random.below(12) {
            0 => format!("{name}.highest"),
            1 => format!("{name}.lowest"),
            2 if prim.is_signed() => format!("(-{}{name})", self.random.between(1, 100)),
            3 => format!("{}{name}", self.random.between(50, 120)),
            4 => format!("({name}.i64 {})", self.random.number() >> 1),
            _ => format!("{}{name}", self.random.below(8)),
        }
    }

    fn integer(&mut self, prim: Prim, d: usize) -> Exp {
        let (ty, name) = (Ty::Prim(prim), prim.name());
        let pair = |g: &mut Generator, text: &str| Exp::new(&ty, text, vec![g.exp(&ty, d), g.exp(&ty, d)]);
        match self.random.below(24) {
            0..=3 => pair(self, "(@ + @)"),
            4 | 5 => pair(self, "(@ - @)"),
            6 | 7 => pair(self, "(@ * @)"),
            8 | 22 => pair(self, "(@ / (@ | 1))"),
            9 | 23 => pair(self, "(@ % (@ | 1))"),
            10 => pair(self, "(@ // (@ | 1))"),
            11 => pair(self, "(@ %% (@ | 1))"),
            12 => {
                let op = self.random.pick(&["&", "|", "^"]);
                pair(self, &format!("(@ {op} @)"))
            }
            13 => {
                let op = self.random.pick(&["<<", ">>", ">>>"]);
                pair(self, &format!("(@ {op} @)"))
            }
            14 => pair(self, "(@ ** (@ & 3))"),
            15 => {
                let f = self.random.pick(&["max", "min", "mul_hi"]);
                pair(self, &format!("({name}.{f} @ @)"))
            }
            16 => {
                let f = self.random.pick(&["abs", "sgn", "neg", "not"]);
                Exp::new(&ty, format!("({name}.{f} @)"), vec![self.exp(&ty, d)])
            }
            17 => {
                let op = self.random.pick(&["-", "!"]);
                Exp::new(&ty, format!("({op}@)"), vec![Exp::new(&ty, "(@)", vec![self.exp(&ty, d)])])
            }
            18 => {
                let other = self.number_type();
                if prim == Prim::I32 && !other.is_float() {
                    let f = self.random.pick(&["popc", "clz", "ctz"]);
                    return Exp::new(&ty, format!("({}.{f} @)", other.name()), vec![self.exp(&Ty::Prim(other), d)]);
                }
                self.converted(prim, other, d)
            }
            19 | 20 => {
                let other = self.prim();
                self.converted(prim, other, d)
            }
            21 if prim == Prim::I64 => self.measure(d),
            _ => pair(self, "(@ + @)"),
        }
    }

    fn converted(&mut self, prim: Prim, from: Prim, d: usize) -> Exp {
        let ty = Ty::Prim(prim);
        Exp::new(&ty, format!("({}.{} @)", prim.name(), from.name()), vec![self.exp(&Ty::Prim(from), d)])
    }

    /// Something about the size of an array.
    fn measure(&mut self, d: usize) -> Exp {
        let (n, elem) = (self.small_size(), self.elem_type());
        match self.random.below(6) {
            0 => {
                let jagged = self.exp(&Ty::jagged(&n, &elem), d);
                Exp::new(&Ty::I64, "(jagged.size @)", vec![jagged])
            }
            1 => {
                let (p, xs) = (self.lambda(&[&elem], &Ty::Prim(Prim::Bool), d), self.exp(&Ty::array(&n, &elem), d));
                Exp::new(&Ty::I64, "(length (filter @ @))", vec![p, xs])
            }
            2 => {
                let m = self.small_size();
                let matrix = self.exp(&Ty::array(&n, &Ty::array(&m, &elem)), d);
                Exp::new(&Ty::I64, "(i64.sum (shape (opaque @)))", vec![matrix])
            }
            3 => {
                // Seldom no size.
                let text = self.random.pick(&["(length (iota (@ % 9 - 1)))", "(length (0..<@ % 9 - 1))"]);
                Exp::new(&Ty::I64, text, vec![Exp::new(&Ty::I64, "(@)", vec![self.exp(&Ty::I64, d)])])
            }
            _ => Exp::new(&Ty::I64, "(length @)", vec![self.exp(&Ty::array(&n, &elem), d)]),
        }
    }

    fn float(&mut self, prim: Prim, d: usize) -> Exp {
        let (ty, name) = (Ty::Prim(prim), prim.name());
        let pair = |g: &mut Generator, text: &str| Exp::new(&ty, text, vec![g.exp(&ty, d), g.exp(&ty, d)]);
        match self.random.below(14) {
            0..=2 => pair(self, "(@ + @)"),
            3 => pair(self, "(@ - @)"),
            4 | 5 => pair(self, "(@ * @)"),
            6 => pair(self, "(@ / @)"),
            7 if self.random.percent(30) => {
                // From an integer: which sign a computed NaN has is left open by IEEE 754.
                let parts = vec![self.exp(&ty, d), self.exp(&Ty::Prim(Prim::I32), d)];
                Exp::new(&ty, format!("({name}.copysign @ ({name}.i32 @))"), parts)
            }
            7 => {
                let f = self.random.pick(&["max", "min"]);
                pair(self, &format!("({name}.{f} @ @)"))
            }
            8 => {
                let f = self.random.pick(&["abs", "floor", "ceil", "trunc", "round", "sqrt", "neg", "sgn"]);
                Exp::new(&ty, format!("({name}.{f} @)"), vec![self.exp(&ty, d)])
            }
            9 => pair(self, "(@ % @)"),
            10 => {
                let f = self.random.pick(&["fma", "mad", "lerp"]);
                let parts = vec![self.exp(&ty, d), self.exp(&ty, d), self.exp(&ty, d)];
                Exp::new(&ty, format!("({name}.{f} @ @ @)"), parts)
            }
            11 => {
                let bits = Ty::Prim(match prim {
                    Prim::F16 => Prim::U16,
                    Prim::F32 => Prim::U32,
                    _ => Prim::U64,
                });
                Exp::new(&ty, format!("({name}.from_bits @)"), vec![self.exp(&bits, d)])
            }
            _ => {
                let other = self.number_type();
                self.converted(prim, other, d)
            }
        }
    }

    fn truth(&mut self, d: usize) -> Exp {
        let ty = Ty::Prim(Prim::Bool);
        match self.random.below(10) {
            0 => Exp::new(&ty, "(@ && @)", vec![self.condition(d), self.condition(d)]),
            1 => Exp::new(&ty, "(@ || @)", vec![self.condition(d), self.condition(d)]),
            2 => Exp::new(&ty, "(!(@))", vec![self.condition(d)]),
            3 => {
                let other = self.number_type();
                self.converted(Prim::Bool, other, d)
            }
            4 => {
                let other = self.any_type();
                if other.has_float() || matches!(other, Ty::Jagged(..) | Ty::Deep(..)) {
                    return self.condition(d);
                }
                let op = self.random.pick(&["==", "!="]);
                Exp::new(&ty, format!("(@ {op} @)"), vec![self.exp(&other, d), self.exp(&other, d)])
            }
            5 => {
                let (n, elem) = (self.small_size(), self.elem_type());
                let f = self.random.pick(&["any", "all"]);
                let (p, xs) = (self.lambda(&[&elem], &ty, d), self.exp(&Ty::array(&n, &elem), d));
                Exp::new(&ty, format!("({f} @ @)"), vec![p, xs])
            }
            6 => Exp::new(&ty, "(is_even (@ & 15))", vec![self.int(d)]),
            _ => {
                let other = Ty::Prim(self.number_type());
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                Exp::new(&ty, format!("(@ {op} @)"), vec![self.exp(&other, d), self.exp(&other, d)])
            }
        }
    }

    /// A number from an array.
    fn folded(&mut self, prim: Prim, d: usize) -> Exp {
        let ty = Ty::Prim(prim);
        let n = self.some_size();
        let array = Ty::array(&n, &ty);
        match self.random.below(7) {
            0 if prim != Prim::Bool => {
                // Products of many floats overflow, or do not, depending on how they are grouped.
                let all = ["sum", "maximum", "minimum", "product"];
                let f = self.random.pick(if prim.is_float() { &all[..3] } else { &all[..] });
                Exp::new(&ty, format!("({}.{f} @)", prim.name()), vec![self.exp(&array, d)])
            }
            1 => {
                let (op, ne) = self.operator(&ty);
                let f = self.random.pick(&["reduce", "reduce_comm"]);
                Exp::new(&ty, format!("({f} {op} {ne} @)"), vec![self.exp(&array, d)])
            }
            2 => {
                let jagged = self.exp(&Ty::jagged(&self.small_or(&n), &ty), d);
                let (op, ne) = self.operator(&ty);
                Exp::new(&ty, format!("(reduce {op} {ne} (jagged.flatten @))"), vec![jagged])
            }
            3 => {
                let m = self.small_size();
                let rows = self.exp(&Ty::array(&m, &Ty::array(&self.small_or(&n), &ty)), d);
                let (op, ne) = self.operator(&ty);
                Exp::new(&ty, format!("(reduce {op} {ne} (flatten @))"), vec![rows])
            }
            4 => {
                let (op, ne) = self.operator(&ty);
                let comprehension = self.loose(&ty, d);
                Exp::new(&ty, format!("(reduce {op} {ne} @)"), vec![comprehension])
            }
            5 => self.folded_any_rank(&ty, d),
            _ => {
                // Two components at once, the second one not commutative.
                let (op, ne) = self.operator(&Ty::Tuple(vec![ty.clone(), Ty::I64]));
                let pairs = self.exp(&Ty::array(&n, &Ty::Tuple(vec![ty.clone(), Ty::I64])), d);
                Exp::new(&ty, format!("((reduce {op} {ne} @).0)"), vec![pairs])
            }
        }
    }

    /// The size, or another one if it is too big.
    pub(super) fn small_or(&self, n: &Size) -> Size {
        if n.is_big() { Size::Const(3) } else { n.clone() }
    }

    /// An associative operator and a value that is neutral at least on its left.
    pub(super) fn operator(&mut self, ty: &Ty) -> (String, String) {
        match ty {
            Ty::Prim(Prim::Bool) => {
                let pick = self.random.pick(&[("(&&)", "true"), ("(||)", "false"), ("(\\a b -> a != b)", "false")]);
                (pick.0.into(), pick.1.into())
            }
            Ty::Prim(prim) => {
                let name = prim.name();
                let exact = [("(&)", "(-1)"), ("(|)", "0"), ("(^)", "0"), ("(+)", "0"), ("(*)", "1")];
                match self.random.below(4) {
                    0 => (format!("{name}.max"), format!("{name}.lowest")),
                    1 => (format!("{name}.min"), format!("{name}.highest")),
                    2 if !prim.is_float() && prim.is_signed() => {
                        let (op, ne) = self.random.pick(&exact);
                        (op.into(), ne.into())
                    }
                    2 => (format!("(\\(_: {name}) (b: {name}) -> b)"), "0".into()),
                    _ => ("(+)".into(), "0".into()),
                }
            }
            Ty::Tuple(items) => {
                if let [Ty::Prim(a), Ty::Prim(b)] = items.as_slice()
                    && a == b
                    && *a != Prim::Bool
                    && self.random.percent(50)
                {
                    // Composition of linear functions: associative, not commutative.
                    return ("(\\(a1, b1) (a2, b2) -> (a1 * a2, a2 * b1 + b2))".into(), "(1, 0)".into());
                }
                let ops: Vec<(String, String)> = items.iter().map(|item| self.operator(item)).collect();
                let names = |stem: &str| -> String {
                    (0..items.len()).map(|i| format!("{stem}{i}")).collect::<Vec<_>>().join(", ")
                };
                let values: Vec<String> =
                    ops.iter().enumerate().map(|(i, (op, _))| format!("{op} a{i} b{i}")).collect();
                let neutral: Vec<String> = ops.into_iter().map(|(_, ne)| ne).collect();
                let text = format!("(\\({}) ({}) -> ({}))", names("a"), names("b"), values.join(", "));
                (text, format!("({})", neutral.join(", ")))
            }
            Ty::Record(_) | Ty::Sum(..) | Ty::Array(..) | Ty::Jagged(..) | Ty::Deep(..) => {
                let name = ty.text();
                (format!("(\\(_: {name}) (b: {name}) -> b)"), ty.simplest())
            }
        }
    }

    pub(super) fn tuple(&mut self, ty: &Ty, items: &[Ty], depth: usize) -> Exp {
        let d = depth.saturating_sub(1);
        let parts: Vec<Exp> = items.iter().map(|item| self.exp(item, d)).collect();
        Exp::new(ty, format!("({})", vec!["@"; parts.len()].join(", ")), parts)
    }

    pub(super) fn record(&mut self, ty: &Ty, fields: &[(String, Ty)], depth: usize) -> Exp {
        let d = depth.saturating_sub(1);
        let parts: Vec<Exp> = fields.iter().map(|(_, field)| self.exp(field, d)).collect();
        let names: Vec<String> = fields.iter().map(|(name, _)| format!("{name} = @")).collect();
        Exp::new(ty, format!("{{{}}}", names.join(", ")), parts)
    }

    pub(super) fn sum(&mut self, ty: &Ty, cases: &[(String, Option<Ty>)], depth: usize) -> Exp {
        let d = depth.saturating_sub(1);
        match self.random.pick(cases) {
            (case, Some(payload)) => {
                Exp::new(ty, format!("(#{case} (@) : {})", ty.text()), vec![self.exp(&payload, d)])
            }
            (case, None) => Exp::new(ty, format!("(#{case} : {})", ty.text()), vec![]),
        }
    }
}
