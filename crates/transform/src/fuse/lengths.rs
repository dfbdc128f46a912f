//! The lengths of all rows add up to the number of elements.
//!
//! ```text
//! let r: i64 = bulk {
//!   out reduce of (x: i64) from (0) by +                =>   let r: i64 = total [n][~d]
//!   for i < n { let len = desc_length d[i]; emit => len }
//! }
//! ```
//!
//! `jagged.flatten` has a size of this form. What it reads can then be merged with what makes the rows.

use ir::{Atom, Bulk, Dim, Exp, Kind, Program, Step, Stm, Type};
use scalar::{BinOp, Prim};

/// The number of elements in place of the sum of the lengths of rows.
pub(super) fn total(program: &Program, stm: &Stm) -> Option<Exp> {
    let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
    let ([output], [Step::For { var, count, body, .. }]) = (&outputs[..], &steps[..]) else { return None };
    let Kind::Reduce { op, neutral, .. } = &output.kind else { return None };
    let [Stm { exp: Exp::Bin(BinOp::Add, Prim::I64, a, b), vars, .. }] = &op.body.stms[..] else { return None };
    let is_sum = op.params.iter().copied().map(Atom::Var).eq([*a, *b]) && op.body.result == [Atom::Var(vars[0])];
    let (Step::Emit(emit), lets) = body.split_last()? else { return None };
    let stms: Vec<&Stm> = lets
        .iter()
        .map(|step| if let Step::Let(stm) = step { Some(stm) } else { None })
        .chain(emit.value.stms.iter().map(Some))
        .collect::<Option<_>>()?;
    let [Stm { vars: length, exp: Exp::DescLength(d, at), .. }] = stms[..] else { return None };
    let rows = matches!(program.ty(*d), Type::Desc(dims) if dims[..] == [Dim::Size(*count)]);
    let fits = is_sum
        && neutral[..] == [Atom::size(0)]
        && rows
        && at[..] == [Atom::Var(*var)]
        && emit.value.result == [Atom::Var(length[0])];
    fits.then(|| Exp::Total(vec![Dim::Size(*count), Dim::Jagged(*d)]))
}
