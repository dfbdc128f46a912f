//! What holds of the offsets of rows, and of the rows of elements.
//!
//! ```text
//! for e < total [n][~d] {
//!   let i = desc_row d[e]          // 0 <= i < n
//!   let o = desc_offset d[i]       // o <= e < o + length d[i] <= total
//!   let j = e - o                  // so `xss[i, j]` is in bounds
//! ```

use super::terms::Poly;
use super::{Fact, Facts};
use crate::{Dim, Exp, Type, Var};

impl Facts<'_> {
    /// What the definition of an offset or row says.
    pub(super) fn learn_rows(&mut self, var: Var, exp: &Exp) {
        let this = self.terms.poly(var.into());
        let room = match exp {
            Exp::DescRow(d, _) => {
                let rows = self.rows_of(*d);
                vec![rows.sub(&this).and_then(|room| room.add_constant(-1))]
            }
            Exp::DescOffset(d, at) => {
                let at = self.terms.all(at);
                self.around_offset(*d, at, &this)
            }
            _ => return,
        };
        room.into_iter().flatten().for_each(|room| self.learn(Fact::AtLeastZero(room)));
    }

    /// The row ends inside of all elements; an element whose row this is lies in it.
    fn around_offset(&mut self, d: Var, at: Vec<Poly>, this: &Poly) -> Vec<Option<Poly>> {
        let element = match &at[..] {
            [row] => self.terms.element_of_row(d, row),
            _ => None,
        };
        let length = self.terms.length(d, at);
        let end = this.add(&length);
        let mut dims = self.dims_around(d);
        dims.push(Dim::Jagged(d));
        let total = self.terms.total(&dims);
        let mut room = vec![end.as_ref().and_then(|end| total.sub(end))];
        if let Some(element) = element {
            room.push(element.sub(this));
            room.push(end.and_then(|end| end.sub(&element)?.add_constant(-1)));
        }
        room
    }

    fn rows_of(&mut self, d: Var) -> Poly {
        let dims = self.dims_around(d);
        self.terms.total(&dims)
    }

    fn dims_around(&self, d: Var) -> Vec<Dim> {
        match self.program.vars.get(d).map(|info| &info.ty) {
            Some(Type::Desc(dims)) => dims.clone(),
            _ => Vec::new(),
        }
    }
}
