//! An array whose elements a nest of loops gives in row-major order is a flattened nest.
//!
//! ```text
//! let t: i64 = total [n][m]                      let t: i64 = total [n][m]
//! let xs: [t]f64 = bulk {                        let xs: [n][m]f64 = bulk {
//!   out gen [t] of (x: f64)                        out gen [n][m] of (x: f64)
//!   for i < n { for j < m {              =>        for i < n { for j < m {
//!     let k = i * m; let l = k + j                   emit [i, j] => ..
//!     emit [l] => ..                               } }
//!   } }                                          }
//! }                                              let xs: [t]f64 = reshape xs
//! ```
//!
//! `[f iv for iv < [n, m]]` is of this form.

use base::Map;
use ir::{Atom, Bulk, Coverage, Dim, Emit, Exp, Kind, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// The loops of the nest of a form that makes such arrays. `totals` says of numbers of elements which extents they belong to.
pub(super) fn loops(bulk: &Bulk, totals: &Map<Var, Vec<Atom>>) -> Option<Vec<(Var, Atom)>> {
    let [output] = &bulk.outputs[..] else { return None };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    let (true, true, [Dim::Size(total)]) = (rec.is_empty(), output.sizes.is_empty(), &shape[..]) else { return None };
    let nest = Nest::of(&bulk.steps)?;
    let [at] = nest.emit.at[..] else { return None };
    let extents = nest.loops.iter().map(|(_, count)| *count);
    let fits = match total {
        Atom::Var(total) => totals.get(total).is_some_and(|known| extents.eq(known.iter().copied())),
        Atom::Const(_) => product(extents) == total.as_size(),
    };
    (fits && nest.loops.len() > 1 && nest.is_number(at, &nest.loops)).then_some(nest.loops)
}

/// The product of constants.
fn product(mut extents: impl Iterator<Item = Atom>) -> Option<i64> {
    extents.try_fold(1_i64, |product, extent| product.checked_mul(extent.as_size().filter(|extent| *extent >= 0)?))
}

/// Gives the values of a nest the indices of its loops.
pub(super) fn at_indices(bulk: &mut Bulk, loops: &[(Var, Atom)]) {
    Step::for_each_emit_mut(&mut bulk.steps, &mut |emit| {
        emit.at = loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
    });
}

/// Loops directly inside of each other with one value inside.
struct Nest<'a> {
    loops: Vec<(Var, Atom)>,
    emit: &'a Emit,
    /// The sums and products that are bound on the way.
    defs: Map<Var, (BinOp, Atom, Atom)>,
}

impl Nest<'_> {
    fn of(steps: &[Step]) -> Option<Nest<'_>> {
        let (mut loops, mut defs) = (Vec::new(), Map::default());
        let mut list = steps;
        loop {
            let (last, before) = list.split_last()?;
            for step in before {
                let Step::Let(stm) = step else { return None };
                if let Exp::Bin(op, Prim::I64, a, b) = stm.exp {
                    defs.insert(stm.vars[0], (op, a, b));
                }
            }
            match last {
                Step::For { var, count, body, .. } => {
                    loops.push((*var, *count));
                    list = body;
                }
                Step::Emit(emit) => return Some(Nest { loops, emit, defs }),
                Step::Let(_) | Step::Guard(..) | Step::Scan(_) => return None,
            }
        }
    }

    /// Whether an index is the number of a turn of these loops: `(i * m + j) * k + l`.
    fn is_number(&self, index: Atom, loops: &[(Var, Atom)]) -> bool {
        match loops {
            [] => false,
            [(var, _)] => index == Atom::Var(*var),
            [outer @ .., (var, count)] => {
                let ends = |(rows, inner): &(Atom, Atom)| {
                    let is_start = |(row, length): &(Atom, Atom)| length == count && self.is_number(*row, outer);
                    *inner == Atom::Var(*var) && self.operands(*rows, BinOp::Mul).iter().any(is_start)
                };
                self.operands(index, BinOp::Add).iter().any(ends)
            }
        }
    }

    /// The operands of an operator that binds an index, in both orders.
    fn operands(&self, index: Atom, wanted: BinOp) -> Vec<(Atom, Atom)> {
        match index.var().and_then(|var| self.defs.get(&var)) {
            Some((op, a, b)) if *op == wanted => vec![(*a, *b), (*b, *a)],
            Some(_) | None => Vec::new(),
        }
    }
}

/// The extents that a statement counts the elements of: what it binds is their product.
pub(super) fn total(stm: &Stm) -> Option<(Var, Vec<Atom>)> {
    let Exp::Total(dims) = &stm.exp else { return None };
    let size = |dim: &Dim| match dim {
        Dim::Size(extent) => Some(*extent),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    };
    Some((stm.vars[0], dims.iter().map(size).collect::<Option<_>>()?))
}
