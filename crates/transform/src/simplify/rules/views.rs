//! Views of views, and descriptors of which something is known.

use super::index::start_of_some;
use super::rule::{New, Rewriter, Rule};
use crate::simplify::defs::Def;
use ir::{Atom, Exp, Range, Stm, Var};
use scalar::{BinOp, Prim};

/// The rules for views.
pub(super) const RULES: &[Rule] = &[
    Rule { name: "slice of a slice", apply: slice_of_slice },
    Rule { name: "rearrangement of a rearranged array", apply: rearranged_twice },
    Rule { name: "rearrangement that keeps the order", apply: rearranged_in_order },
    Rule { name: "retype of a retyped array", apply: retyped_twice },
    Rule { name: "reshape of a reshaped array", apply: reshaped_twice },
    Rule { name: "reshape to the same shape", apply: reshaped_to_itself },
];

/// The rules for descriptors.
pub(super) const DESCRIPTORS: &[Rule] = &[
    Rule { name: "length of a row of a uniform descriptor", apply: uniform_length },
    Rule { name: "length of a row of a part", apply: length_in_part },
    Rule { name: "a descriptor is equal to itself", apply: equal_to_itself },
];

fn source(rw: &Rewriter<'_>, var: Var) -> Option<Def> {
    rw.defs.get(var).cloned()
}

fn slice_of_slice(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Slice(array, ranges) = &stm.exp else { return None };
    let Def { exp: Exp::Slice(root, outer), certs } = source(rw, *array)? else { return None };
    let unit = |range: &Range| range.stride == Atom::size(1);
    if rw.defs.is_recursive(rw.program, root) || !ranges.iter().chain(&outer).all(unit) {
        return None;
    }
    let mut all = outer.clone();
    for (k, range) in ranges.iter().enumerate() {
        let start = outer.get(k).map_or(range.start, |outer| start_in(rw, outer, range));
        let range = Range { start, ..*range };
        match all.get_mut(k) {
            Some(place) => *place = range,
            None => all.push(range),
        }
    }
    Some(New { exp: Exp::Slice(root, all), certs })
}

/// Where a slice of a slice begins. If it has elements then the other one has, too.
fn start_in(rw: &mut Rewriter<'_>, outer: &Range, range: &Range) -> Atom {
    let (whole, own) = (start_of_some(rw, outer), start_of_some(rw, range));
    let start = rw.size(BinOp::Add, whole, own);
    if (whole, own) == (outer.start, range.start) {
        return start;
    }
    let empty = rw.scalar(Exp::Bin(BinOp::Eq, Prim::I64, range.count, Atom::size(0)), Prim::Bool);
    rw.scalar(Exp::Select(empty, Atom::size(0), start), Prim::I64)
}

fn rearranged_twice(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Rearrange(array, order) = &stm.exp else { return None };
    let Def { exp: Exp::Rearrange(root, inner), certs } = source(rw, *array)? else { return None };
    Some(New { exp: Exp::Rearrange(root, order.iter().map(|dim| inner[*dim]).collect()), certs })
}

fn rearranged_in_order(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Rearrange(array, order) = &stm.exp else { return None };
    order.iter().copied().eq(0..order.len()).then(|| Atom::Var(*array).into())
}

fn retyped_twice(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Retype(array) = &stm.exp else { return None };
    let Def { exp: Exp::Retype(root), certs } = source(rw, *array)? else { return None };
    (!rw.defs.is_recursive(rw.program, root)).then_some(New { exp: Exp::Retype(root), certs })
}

fn reshaped_twice(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Reshape(array) = &stm.exp else { return None };
    let Def { exp: Exp::Reshape(root), certs } = source(rw, *array)? else { return None };
    (!rw.defs.is_recursive(rw.program, root)).then_some(New { exp: Exp::Reshape(root), certs })
}

fn reshaped_to_itself(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let (Exp::Reshape(array), [var]) = (&stm.exp, &stm.vars[..]) else { return None };
    let same = rw.program.ty(*array) == rw.program.ty(*var) && !rw.defs.is_recursive(rw.program, *array);
    same.then(|| Atom::Var(*array).into())
}

fn uniform_length(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::DescLength(desc, _) = &stm.exp else { return None };
    let Def { exp: Exp::DescUniform(n), certs } = source(rw, *desc)? else { return None };
    Some(New { exp: Exp::Atom(n), certs })
}

fn length_in_part(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::DescLength(desc, at) = &stm.exp else { return None };
    let Def { exp: Exp::DescIndex(whole, outer), certs } = source(rw, *desc)? else { return None };
    let fits = !rw.defs.is_recursive(rw.program, whole);
    fits.then(|| New { exp: Exp::DescLength(whole, [&outer[..], at].concat()), certs })
}

fn equal_to_itself(_: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::DescEqual(a, b) = &stm.exp else { return None };
    (a == b).then(|| Atom::bool(true).into())
}
