//! Arrays of any rank.

use super::Generator;
use crate::tree::{Entry, Exp, Rule, Size, Ty};
use scalar::Prim;

impl Generator {
    /// A definition that works on arrays of any rank; its name and the type of its elements are noted.
    pub(super) fn shape_generic_definition(&mut self) {
        let prim = self.prim();
        let (name, ty) = (self.fresh("g"), Ty::Prim(prim));
        let body = self.within(&[("x", &ty), ("y", &ty)], &ty, 2);
        let p = prim.name();
        let head = format!("def {name} [..s] (a: [..s]{p}) (b: [..s]{p}): [..s]{p} =\n  ");
        let text = match self.random.below(3) {
            0 => "array s { [iv] => @ for iv < s let x = a[iv] let y = b[iv] }",
            1 => "array s { [iv] => @ for iv < s let x = a[s - 1 - iv] let y = b[iv] }",
            _ => "update (copy b) { [iv] => @ for iv < s let x = a[iv] let y = b[iv] }",
        };
        self.defs.push(Exp::piece(head + text, vec![body]));
        self.generics.push((name, prim));
    }

    /// A call of such a definition at the type of an array.
    pub(super) fn shape_generic_call(&mut self, ty: &Ty, prim: Prim, d: usize) -> Option<Exp> {
        let fitting: Vec<String> =
            self.generics.iter().filter(|(_, p)| *p == prim).map(|(name, _)| name.clone()).collect();
        if fitting.is_empty() {
            return None;
        }
        let name = self.random.pick(&fitting);
        Some(Exp::new(ty, format!("({name} @ @)"), vec![self.exp(ty, d), self.exp(ty, d)]))
    }

    /// A number from an array of any rank.
    pub(super) fn folded_any_rank(&mut self, ty: &Ty, d: usize) -> Exp {
        let (n, m) = (self.small_size(), self.small_size());
        let (op, ne) = self.operator(ty);
        let rows = Ty::array(&n, &Ty::array(&m, ty));
        let matrix = match ty {
            Ty::Prim(prim) => self.shape_generic_call(&rows, *prim, d),
            _ => None,
        };
        let matrix = matrix.unwrap_or_else(|| self.exp(&rows, d));
        let by =
            self.random.pick(&["@", "(generic.transpose @)", "(generic.rotate [1] @)", "(generic.drop [1, -1] @)"]);
        Exp::new(ty, format!("(generic.reduce {op} {ne} {by})"), vec![matrix])
    }

    /// An entry point whose argument may have any rank.
    pub(super) fn any_rank_entry(&mut self, name: String) -> Entry {
        let prim = self.prim();
        let (p, ty) = (prim.name(), Ty::Prim(prim));
        let vars = [("x", &ty), ("y", &ty)];
        let (op, ne) = self.operator(&ty);
        let generic = self.generics.iter().find(|(_, other)| *other == prim).map(|(name, _)| name.clone());
        let body = self.within(&vars, &ty, 3);
        let guard = self.within(&vars, &Ty::Prim(Prim::Bool), 2);
        let same = format!("[..s]{p}");
        let open = format!("[..]{p}");
        let both = "let x = a[iv] let y = b[iv]";
        let (result, text, parts) = match self.random.below(14) {
            0 => (same, format!("array s {{ [iv] => @ for iv < s {both} }}"), vec![body]),
            1 => (same, format!("array s {{ [iv] => @ for iv < s {both} if @; else => {} }}", ty.simplest()), vec![body, guard]),
            2 => (same, format!("update (copy a) {{ [iv] => @ for iv < s {both} if @ }}"), vec![body, guard]),
            3 => (same, format!("accum {op} {ne} s {{ [iv] => @ for iv < s {both} }}"), vec![body]),
            4 => (p.into(), format!("reduce {op} {ne} [@ for iv < s {both} if @]"), vec![body, guard]),
            5 => (
                same,
                "let rec r = array s { [iv] => if and (map (> 0) iv) then let x = r[iv - 1] let y = b[iv] in @ else a[iv] for iv < s } in r"
                    .into(),
                vec![body],
            ),
            6 => (open, "generic.transpose (generic.map2 (\\x y -> @) a b)".into(), vec![body]),
            7 => (open, "generic.take [1, 1] (generic.map2 (\\x y -> @) a b)".into(), vec![body]),
            8 => (open, "generic.drop [1] (generic.map2 (\\x y -> @) a b)".into(), vec![body]),
            9 => (same, "generic.rotate [1, 2] (generic.map2 (\\x y -> @) a b)".into(), vec![body]),
            10 => (format!("([]i64, i64, {p})"), format!("(shape a, rank b, generic.reduce {op} {ne} (generic.ravel b))"), vec![]),
            11 => (open, "generic.tile [2, 1] (generic.shift [1] @ b)".into(), vec![self.exp(&ty, 1)]),
            12 => match generic {
                Some(name) => (same, format!("{name} a ({name} b a)"), vec![]),
                None => (same, "generic.map2 (\\x y -> @) b a".into(), vec![body]),
            },
            _ if prim == Prim::Bool => (same, "a && !b".into(), vec![]),
            _ => (same, "2 * a - b".into(), vec![]),
        };
        let head = format!("entry {name} [..s] (a: [..s]{p}) (b: [..s]{p}): {result} =\n  ");
        let mut inputs = Vec::new();
        for _ in 0..2 {
            let rank = self.random.below(4);
            let extents: Vec<Size> =
                (0..rank).map(|_| Size::Const(self.random.between(0, 3).max(i64::from(rank == 3)))).collect();
            let shaped = extents.iter().rev().fold(ty.clone(), |inner, n| Ty::array(n, &inner));
            inputs.push(format!("{} {}", self.value(&shaped, &[]), self.value(&shaped, &[])));
        }
        Entry { name, tree: Exp::piece(head + &text, parts), inputs, rule: Rule::Exact }
    }
}
