//! Values for entry points, as text.

use super::Generator;
use super::entries::Signature;
use crate::tree::{Size, Ty};
use scalar::Prim;

impl Generator {
    /// Values for all parameters.
    pub(super) fn input(&mut self, signature: &Signature) -> String {
        let extents: Vec<(String, i64)> = signature
            .sizes
            .iter()
            .map(|(name, big)| {
                let extent = match (big, self.random.percent(12)) {
                    (true, _) => self.random.between(1000, 4000),
                    (false, true) => 0,
                    (false, false) => self.random.between(1, 5),
                };
                (name.clone(), extent)
            })
            .collect();
        let values: Vec<String> = signature.params.iter().map(|(_, ty)| self.value(ty, &extents)).collect();
        values.join(" ")
    }

    /// A value of a type whose sizes are known.
    pub(super) fn value(&mut self, ty: &Ty, extents: &[(String, i64)]) -> String {
        let extent = |n: &Size| match n {
            Size::Const(n) => *n,
            Size::Named { name, .. } => extents.iter().find(|(other, _)| other == name).map_or(1, |(_, n)| *n),
        };
        match ty {
            Ty::Prim(prim) => self.number(*prim),
            Ty::Array(n, elem) => {
                let count = extent(n);
                let mut dims = vec![count];
                let mut inner = &**elem;
                while let Ty::Array(m, below) = inner {
                    dims.push(extent(m));
                    inner = below;
                }
                if dims.contains(&0) {
                    let dims: String = dims.iter().map(|n| format!("[{n}]")).collect();
                    return format!("empty({dims}{})", inner.text());
                }
                let rows: Vec<String> = (0..count).map(|_| self.value(elem, extents)).collect();
                format!("[{}]", rows.join(", "))
            }
            Ty::Jagged(n, elem) => {
                let count = extent(n);
                let lengths: Vec<i64> = (0..count).map(|_| self.random.between(0, 4)).collect();
                if lengths.iter().all(|n| *n == 0) {
                    return format!("empty([{count}][~]{})", elem.text());
                }
                let rows: Vec<String> = lengths
                    .into_iter()
                    .map(|length| {
                        let row: Vec<String> = (0..length).map(|_| self.value(elem, extents)).collect();
                        format!("[{}]", row.join(", "))
                    })
                    .collect();
                format!("[{}]", rows.join(", "))
            }
            Ty::Deep(n, elem) => {
                let count = extent(n);
                if count == 0 {
                    return format!("empty([0][~][~]{})", elem.text());
                }
                // Every block has a row, and the first row an element: the text of nothing but empty rows is another.
                let row = |g: &mut Generator, least: i64| {
                    let items: Vec<String> = (0..g.random.between(least, 3)).map(|_| g.value(elem, extents)).collect();
                    format!("[{}]", items.join(", "))
                };
                let mut blocks = Vec::new();
                for block in 0..count {
                    let rows: Vec<String> =
                        (0..self.random.between(1, 3)).map(|i| row(self, i64::from(block + i == 0))).collect();
                    blocks.push(format!("[{}]", rows.join(", ")));
                }
                format!("[{}]", blocks.join(", "))
            }
            Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => ty.simplest(),
        }
    }

    fn number(&mut self, prim: Prim) -> String {
        let name = prim.name();
        if prim == Prim::Bool {
            return if self.random.percent(50) { "true".into() } else { "false".into() };
        }
        if prim.is_float() {
            return match self.random.below(20) {
                0 => format!("{name}.nan"),
                1 => format!("{name}.inf"),
                2 => format!("-0.0{name}"),
                3..=6 => format!("-{}.5{name}", self.random.below(9)),
                _ => format!("{}.{}{name}", self.random.below(20), self.random.pick(&[0, 5, 25, 125, 1])),
            };
        }
        match self.random.below(8) {
            0 if prim.is_signed() => format!("-{}{name}", self.random.between(1, 100)),
            1 => format!("{}{name}", self.random.between(50, 120)),
            _ => format!("{}{name}", self.random.below(8)),
        }
    }
}
