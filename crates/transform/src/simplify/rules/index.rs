//! Index inlining (thesis, section 9.2): a read of a view is a read of the array it shows.
//!
//! ```text
//! let b: [m][n]f64 = rearrange a (1, 0)
//! let r: [n]f64 = b[j]                       =>      let x: f64 = a[i, j]
//! let x: f64 = r[i]
//! ```
//!
//! The new read relies on the checks of the views, too: they say that its indices are in bounds.

use super::reshape;
use super::rule::{New, Rewriter, Rule};
use crate::simplify::defs::{Def, is_regular};
use crate::simplify::forms::Form;
use ir::rename::{Substitution, copy_block};
use ir::{Atom, Block, Dim, Exp, Range, Stm, Var};
use scalar::{BinOp, Prim};

/// The rules for reads.
pub(super) const RULES: &[Rule] = &[
    Rule { name: "constant index of a small array", apply: of_scalars },
    Rule { name: "index of a row", apply: of_row },
    Rule { name: "index of a slice", apply: of_slice },
    Rule { name: "index of a rearranged array", apply: of_rearranged },
    Rule { name: "index of a retyped array", apply: of_retyped },
    Rule { name: "index of a copy", apply: of_copy },
    Rule { name: "index of a reshaped array", apply: of_reshaped },
    Rule { name: "index of row lengths", apply: of_lengths },
    Rule { name: "constant index of a literal", apply: of_literal },
    Rule { name: "index of a construction", apply: of_construction },
    Rule { name: "index by a known vector", apply: by_vector },
];

/// A read: the definition of the array, and the indices.
fn read<'s>(rw: &Rewriter<'_>, stm: &'s Stm) -> Option<(Def, Var, &'s [Atom])> {
    let Exp::Index(array, at) = &stm.exp else { return None };
    let def = rw.defs.get(*array)?;
    let stays = rw.defs.is_vouched(*array) && !matches!(def.exp, Exp::Literal(..));
    (!stays).then(|| (def.clone(), *array, &at[..]))
}

/// Whether a read of a view may become a read of what it shows: not if that is a recursive array, which gives whole rows
/// or slices only when all of their elements are there.
fn may_read(rw: &Rewriter<'_>, root: Var) -> bool {
    !rw.defs.is_recursive(rw.program, root)
}

/// Whether indices lead to a scalar.
fn is_scalar(rw: &Rewriter<'_>, array: Var, at: &[Atom]) -> bool {
    rw.program.ty(array).dims().len() == at.len() && is_regular(rw.program, array)
}

fn of_scalars(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Index(array, at) = &stm.exp else { return None };
    let (exp, certs) = rw.defs.scalar(*array, at)?;
    Some(New { exp, certs })
}

fn of_row(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, _, at) = read(rw, stm)?;
    let Exp::Index(root, outer) = def.exp else { return None };
    let fits = may_read(rw, root) && is_regular(rw.program, root);
    fits.then(|| New { exp: Exp::Index(root, [&outer, at].concat()), certs: def.certs })
}

fn of_slice(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, _, at) = read(rw, stm)?;
    let Exp::Slice(root, ranges) = def.exp else { return None };
    // A row of a sliced row is still a slice.
    if ranges.len() > at.len() || !may_read(rw, root) || !is_regular(rw.program, root) {
        return None;
    }
    let known = |range: &Range| range.stride.as_size().is_some();
    if !ranges.iter().all(known) {
        return None;
    }
    let mut inner = at.to_vec();
    for (index, range) in inner.iter_mut().zip(&ranges) {
        let start = start_of_some(rw, range);
        let way = rw.size(BinOp::Mul, *index, range.stride);
        *index = rw.size(BinOp::Add, start, way);
    }
    Some(New { exp: Exp::Index(root, inner), certs: def.certs })
}

/// Where a range begins that has elements. A slice `a:b` without elements may lie anywhere, so it begins at
/// `select(a == b, 0, a)`; one with elements begins at `a`.
pub(super) fn start_of_some(rw: &Rewriter<'_>, range: &Range) -> Atom {
    let start = || {
        let Exp::Select(empty, _, start) = rw.defs.plain(range.start)? else { return None };
        let Exp::Bin(BinOp::Eq, Prim::I64, a, b) = rw.defs.plain(*empty)? else { return None };
        let distance = rw.defs.form(*b).sub(&rw.defs.form(*a))?;
        let count = rw.defs.form(range.count);
        let reaches = |distance: &Form| *distance == count || Some(distance) == divided(rw, &count).as_ref();
        (reaches(&distance) || reaches(&distance.neg()?)).then_some(*start)
    };
    start().unwrap_or(range.start)
}

/// What is positive if a number of elements is: `x` of `(x - 1) / 3 + 1`.
fn divided(rw: &Rewriter<'_>, count: &Form) -> Option<Form> {
    let before = count.add_constant(-1)?;
    let [turns] = before.as_symbol()?[..] else { return None };
    match rw.defs.plain(Atom::Var(turns))? {
        Exp::Bin(BinOp::Div, Prim::I64, last, by) if by.as_size().is_some_and(|by| by > 0) => {
            rw.defs.form(*last).add_constant(1)
        }
        _ => None,
    }
}

fn of_rearranged(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, array, at) = read(rw, stm)?;
    let Exp::Rearrange(root, order) = def.exp else { return None };
    if !is_scalar(rw, array, at) || !may_read(rw, root) {
        return None;
    }
    let mut inner = at.to_vec();
    order.iter().zip(at).for_each(|(dim, index)| inner[*dim] = *index);
    Some(New { exp: Exp::Index(root, inner), certs: def.certs })
}

fn of_retyped(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, array, at) = read(rw, stm)?;
    let Exp::Retype(root) = def.exp else { return None };
    let fits = is_scalar(rw, array, at) && is_scalar(rw, root, at) && may_read(rw, root);
    (fits && !learns_constant(rw, array, root)).then(|| New { exp: Exp::Index(root, at.to_vec()), certs: def.certs })
}

/// Whether a view's type has a constant where that of the array has a variable: reading the view is faster.
fn learns_constant(rw: &Rewriter<'_>, array: Var, root: Var) -> bool {
    let constant = |dim: &Dim| matches!(dim, Dim::Size(Atom::Const(_)));
    let dims = rw.program.ty(array).dims().iter().zip(rw.program.ty(root).dims());
    dims.skip(1).any(|(own, other)| constant(own) && !constant(other))
}

fn of_copy(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, array, at) = read(rw, stm)?;
    let Exp::Copy(root) = def.exp else { return None };
    let fits = rw.nothing_consumed && is_scalar(rw, array, at) && may_read(rw, root);
    fits.then(|| New { exp: Exp::Index(root, at.to_vec()), certs: def.certs })
}

fn of_reshaped(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, array, at) = read(rw, stm)?;
    let Exp::Reshape(root) = def.exp else { return None };
    if !is_scalar(rw, array, at) || !is_regular(rw.program, root) || !may_read(rw, root) {
        return None;
    }
    let inner = reshape::index(rw, array, root, at)?;
    Some(New { exp: Exp::Index(root, inner), certs: def.certs })
}

fn of_lengths(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, _, at) = read(rw, stm)?;
    let Exp::DescLengths(desc) = def.exp else { return None };
    let full = rw.program.ty(desc).dims().len() == at.len();
    full.then(|| New { exp: Exp::DescLength(desc, at.to_vec()), certs: def.certs })
}

fn of_literal(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (def, _, at) = read(rw, stm)?;
    let Exp::Literal(_, atoms) = def.exp else { return None };
    let [index] = at else { return None };
    let atom = atoms.get(usize::try_from(index.as_size()?).ok()?)?;
    Some(New { exp: Exp::Atom(*atom), certs: def.certs })
}

fn of_construction(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Index(array, at) = &stm.exp else { return None };
    let element = rw.defs.element(*array)?;
    if rw.defs.is_vouched(*array) {
        return None;
    }
    if let Some((_, inner)) = at.split_at_checked(element.indices.len())
        && !inner.is_empty()
    {
        // The row may be consumed before the read, which the copies in the array survive.
        let fits = rw.nothing_consumed && is_scalar(rw, *array, at);
        let row = element.value.var().filter(|row| fits && may_read(rw, *row))?;
        return Some(New { exp: Exp::Index(row, inner.to_vec()), certs: element.certs.clone() });
    }
    let is_row = element.value.var().is_some_and(|value| rw.program.ty(value).is_array());
    if at.len() != element.indices.len() || is_row {
        return None;
    }
    let once = rw.loops == element.loops && rw.nothing_consumed && rw.only_read.contains(array);
    if !element.is_cheap && !once {
        return None;
    }
    let block = Block { stms: element.stms.clone(), result: vec![element.value] };
    let Block { stms, result } = copy_block(&mut rw.program.vars, &block, Substitution::new(&element.indices, at));
    let certs: Vec<Var> = element.certs.clone();
    rw.before.extend(stms.into_iter().map(|mut inner| {
        // An element exists only where the index is in bounds, and the array only after its checks.
        let missing = certs.iter().chain(&stm.certs).filter(|cert| !inner.certs.contains(cert));
        let missing: Vec<Var> = missing.filter(|_| inner.exp.is_partial()).copied().collect();
        inner.certs.extend(missing);
        inner
    }));
    Some(New { exp: Exp::Atom(result[0]), certs })
}

fn by_vector(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::IndexVector(array, vector) = &stm.exp else { return None };
    let def = rw.defs.get(*vector)?.clone();
    let Exp::Literal(_, atoms) = def.exp else { return None };
    let dims = rw.program.ty(*array).dims();
    let regular = atoms.len() <= dims.len() && dims.iter().all(|dim| matches!(dim, Dim::Size(_)));
    (regular && !atoms.is_empty()).then_some(New { exp: Exp::Index(*array, atoms), certs: def.certs })
}
