//! Elements of an array that are parts of another one, with their dimensions in another order.
//!
//! ```text
//! let xs: [n][k][m]f64 = bulk {
//!   out gen [n] of (x: [k][m]f64)
//!   for i < n {
//!     emit [i] {                                         let part: [n][m][k]f64 = a[j]
//!       let row: [m][k]f64 = a[j, i]             =>      let xs: [n][k][m]f64 = rearrange part (0, 2, 1)
//!       let turned: [k][m]f64 = rearrange row (1, 0)
//!       => turned
//!     }
//!   }
//! }
//! ```

use ir::{Atom, Dim, Exp, Program, Stm, Var};

/// What the element of a new array is: the part of an array at some indices, the last of which are those of the element.
/// The names are those of the example.
pub(super) struct Row {
    /// The array: `a`.
    pub array: Var,
    /// The indices before those of the element: `j`.
    pub front: Vec<Atom>,
    /// The dimensions of what is left of the array behind those indices, in the order of the new array.
    pub order: Vec<usize>,
}

impl Row {
    /// What a variable, bound by one of these statements, is at these indices.
    pub fn of(program: &Program, stms: &[&Stm], var: Var, at: &[Atom]) -> Option<Row> {
        let stm = stms.iter().rev().find(|stm| stm.vars == [var] && stm.certs.is_empty())?;
        match &stm.exp {
            Exp::Index(array, indices) => {
                let front = indices.strip_suffix(at)?.to_vec();
                let rank = program.ty(*array).dims().len() - front.len();
                Some(Row { array: *array, front, order: (0..rank).collect() })
            }
            Exp::Rearrange(inner, order) => {
                let mut row = Row::of(program, stms, *inner, at)?;
                let own = row.order.split_off(at.len());
                row.order.extend(order.iter().map(|dim| own[*dim]));
                Some(row)
            }
            _ => None,
        }
    }

    /// Whether the new array is the other one.
    pub fn is_same(&self) -> bool {
        self.front.is_empty() && self.is_in_order()
    }

    fn is_in_order(&self) -> bool {
        self.order.iter().copied().eq(0..self.order.len())
    }

    /// The dimensions of the view; none if it is a part in the same order, or if rows have different lengths and another
    /// order.
    pub fn dims(&self, program: &Program) -> Option<Vec<Dim>> {
        let dims = &program.ty(self.array).dims()[self.front.len()..];
        let regular = dims.iter().all(|dim| matches!(dim, Dim::Size(_)));
        let fits = self.is_same() || regular && !self.is_in_order();
        fits.then(|| self.order.iter().map(|dim| dims[*dim]).collect())
    }
}
