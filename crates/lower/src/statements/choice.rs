//! Branches: blocks of which one is run.

use crate::arrays::dims;
use crate::arrays::slot;
use crate::arrays::slot::{Slot, is_strided, single_uses};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::places;
use crate::scope;
use ir::traverse::Part;
use ir::{Atom, Block, Dim, Exp, Type, Var};
use kernel::{Expr, FailArg, SiteId, Stm};
use scalar::{Prim, Scalar};

/// A choice.
pub(crate) fn choice(cx: &mut Lower<'_>, vars: &[Var], cond: Atom, then: &Block, otherwise: &Block) -> Low<()> {
    let cond = cx.homes.scalar(cond);
    let scalars = vars.iter().all(|var| matches!(cx.src.ty(*var), Type::Scalar(_)));
    if let (Expr::Const(Scalar::Bool(holds)), true) = (cond, scalars) {
        let block = if holds { then } else { otherwise };
        return scope::with_block(cx, block, |cx, reps| {
            for (var, rep) in vars.iter().zip(reps) {
                if let Rep::Scalar(value) = rep {
                    cx.bind_scalar(*var, value);
                }
            }
        });
    }
    let choose = |blocks: Vec<Vec<Stm>>| {
        let mut blocks = blocks.into_iter();
        Stm::If(cond, blocks.next().unwrap_or_default(), blocks.next().unwrap_or_default())
    };
    alternatives(cx, vars, &[then, otherwise], |_, _| Ok(()), choose)
}

/// One check in place of many: if it fails, the many are made.
pub(crate) fn ensure(cx: &mut Lower<'_>, vars: &[Var], cond: Atom, otherwise: &Block) -> Low<()> {
    let exprs = cx.code.exprs;
    let cond = cx.homes.scalar(cond);
    cx.code.open();
    places::block_to_places(cx, otherwise, &[])?;
    // One of the checks fails. If a wrong pass made a condition that says otherwise, the run still ends here, before
    // anything is read outside of memory.
    if let Some(site) = first_site(otherwise) {
        let args = (0..cx.src.sites[site].arity()).map(|_| FailArg::Scalar(Prim::I64, expr::int(0))).collect();
        cx.code.emit(Stm::Fail { site: SiteId(site.0), args });
    }
    let replay = cx.code.pop().stms;
    cx.code.emit(Stm::If(exprs.not(cond), replay, Vec::new()));
    vars.iter().for_each(|var| cx.homes.bind(*var, Rep::Cert));
    Ok(())
}

fn first_site(block: &Block) -> Option<ir::SiteId> {
    let mut found = None;
    block.walk(&mut |part| {
        if let Part::Stm(ir::Stm { exp: Exp::Assert { site, .. }, .. }) = part {
            found = found.or(Some(*site));
        }
    });
    found
}

/// Lowers blocks of which one is run; `before` says what each begins with, and `choose` makes one statement of them.
pub(crate) fn alternatives(
    cx: &mut Lower<'_>,
    vars: &[Var],
    blocks: &[&Block],
    mut before: impl FnMut(&mut Lower<'_>, usize) -> Low<()>,
    choose: impl FnOnce(Vec<Vec<Stm>>) -> Stm,
) -> Low<()> {
    let placed: Vec<Option<Array>> = (vars.iter().enumerate())
        .map(|(number, var)| {
            let place = cx.homes.hints.remove(var);
            place.or_else(|| is_made_by_all(cx, vars, number, blocks).then(|| place_for(cx, *var)))
        })
        .collect();
    let mut lowered = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        cx.code.open();
        before(cx, i)?;
        // Results that have a place already are put there.
        places::block_to_places(cx, block, &placed)?;
        let reps = cx.homes.atoms(&block.result);
        lowered.push((reps, cx.code.pop()));
    }
    let reps = |i: usize| lowered.iter().filter_map(move |(reps, _)| reps.get(i));
    let placed: Vec<Option<Array>> =
        placed.into_iter().enumerate().map(|(i, place)| place.or_else(|| common(reps(i)))).collect();
    let strided: Vec<bool> = (0..vars.len()).map(|i| reps(i).any(is_strided)).collect();
    let slots: Vec<Slot> = (vars.iter().zip(&strided).zip(&placed))
        .map(|((v, strided), place)| match place {
            Some(_) => Slot::Nothing,
            None => slot::declare_for(cx, *v, *strided),
        })
        .collect();
    let mut finished = Vec::new();
    for ((reps, scope), block) in lowered.into_iter().zip(blocks) {
        cx.code.push(scope);
        finished.push(finish_branch(cx, &slots, reps, block));
    }
    cx.code.emit(choose(finished));
    slot::own(cx, &slots);
    for ((var, slot), place) in vars.iter().zip(&slots).zip(placed) {
        cx.homes.bind(*var, place.map_or_else(|| slot.rep(), Rep::Array));
    }
    Ok(())
}

/// Whether each of several blocks makes an array of one size as its result with this number. Then there is memory for it
/// before them, which loops around them can use again in later turns.
fn is_made_by_all(cx: &Lower<'_>, vars: &[Var], number: usize, blocks: &[&Block]) -> bool {
    let Type::Array(_, dims) = cx.src.ty(vars[number]) else { return false };
    let is_known = |dim: &Dim| matches!(dim, Dim::Size(n) if n.var().is_none_or(|n| !vars.contains(&n)));
    !dims.is_empty() && dims.iter().all(is_known) && blocks.iter().all(|block| places::makes(block, number))
}

fn place_for(cx: &mut Lower<'_>, var: Var) -> Array {
    let Type::Array(prim, dims) = cx.src.ty(var) else { base::bug!("a place for something that is no array") };
    let name = cx.name_of(var);
    dims::new_array(cx, name, *prim, dims)
}

/// The array that several blocks have in common as their result: it is from outside of them.
fn common<'a>(mut reps: impl Iterator<Item = &'a Rep>) -> Option<Array> {
    let Some(Rep::Array(array)) = reps.next() else { return None };
    let mut others = reps.peekable();
    others.peek()?;
    others.all(|other| matches!(other, Rep::Array(other) if other == array)).then(|| array.clone())
}

fn finish_branch(cx: &mut Lower<'_>, slots: &[Slot], reps: Vec<Rep>, block: &Block) -> Vec<Stm> {
    let last = single_uses(&reps);
    for (((slot, rep), last), atom) in slots.iter().zip(reps).zip(last).zip(&block.result) {
        let dims = cx.dims_of(*atom);
        slot::fill(cx, slot, rep, dims, last);
    }
    cx.code.close()
}
