//! Reads of the last element of an array: `let k = n - 1; let x = a[k]` for `a: [n]f64`.

use base::Map;
use ir::traverse::Part;
use ir::{Atom, Block, Dim, Exp, Program, Stm, Var};
use scalar::{BinOp, Prim};

/// How often arrays with one dimension are read at their last index.
pub(super) fn last_reads(program: &Program, body: &Block) -> Map<Var, usize> {
    let (mut reads, mut lasts): (Map<Var, usize>, Map<Var, Atom>) = (Map::default(), Map::default());
    body.walk(&mut |part| match part {
        Part::Stm(Stm { vars, exp: Exp::Bin(BinOp::Sub, Prim::I64, count, one), .. }) if one.as_size() == Some(1) => {
            lasts.insert(vars[0], *count);
        }
        Part::Stm(Stm { vars, exp: Exp::Bin(BinOp::Add, Prim::I64, count, one), .. }) if one.as_size() == Some(-1) => {
            lasts.insert(vars[0], *count);
        }
        Part::Stm(Stm { exp: Exp::Index(array, at), .. }) => {
            let count = at.first().and_then(|at| lasts.get(&at.var()?));
            let is_last = count.is_some_and(|count| *program.ty(*array).dims() == [Dim::Size(*count)]);
            *reads.entry(*array).or_default() += usize::from(is_last);
        }
        Part::Stm(_) | Part::Atom(_) | Part::Use(_) | Part::Bind(_) | Part::Block(_) => {}
    });
    reads
}
