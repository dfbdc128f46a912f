//! Results that are made where they are needed: a statement that can write its result into a given place gets the place
//! as a hint, and no copy follows.

use crate::arrays::copying;
use crate::arrays::dims::is_regular;
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Array;
use crate::scope;
use analysis::same_memory;
use ir::{Block, Bulk, Exp, Kind, Type, Var};

/// Lowers the statements of a block into the innermost block. Results that have a place are made there, from its
/// offset on, or copied.
pub(crate) fn block_to_places(cx: &mut Lower<'_>, block: &Block, places: &[Option<Array>]) -> Low<()> {
    let mut hinted = Vec::new();
    for (atom, place) in block.result.iter().zip(places) {
        let (Some(var), Some(place)) = (atom.var(), place) else {
            continue;
        };
        let Some(origin) = same_memory::root_of_same_size(block, var) else { continue };
        if takes_hint(cx, block, origin) && !hinted.iter().any(|(o, _)| *o == origin) {
            cx.homes.hints.insert(origin, place.clone());
            hinted.push((origin, var));
        }
    }
    scope::stms_of(cx, block)?;
    for (atom, place) in block.result.iter().zip(places) {
        let (Some(var), Some(place)) = (atom.var(), place) else {
            continue;
        };
        let done = hinted.iter().any(|(o, v)| *v == var && cx.homes.hints.remove(o).is_none())
            && cx.homes.rep(var).buffer() == Some(place.buffer);
        let dims = cx.src.ty(var).dims().to_vec();
        if !done {
            let rep = cx.homes.rep(var);
            copying::write(cx, place.buffer, place.offset, &rep, &dims);
        }
    }
    Ok(())
}

/// Whether a block makes its result with this number in new memory, which may as well be a given place.
pub(crate) fn makes(block: &Block, number: usize) -> bool {
    let Some(var) = block.result[number].var() else { return false };
    let Some(origin) = same_memory::root_of_same_size(block, var) else { return false };
    let is_used_once = block.result.iter().filter(|atom| atom.var() == Some(var)).count() == 1;
    let made = block.stms.iter().find_map(|stm| {
        let number = stm.vars.iter().position(|bound| *bound == origin)?;
        Some((stm, number))
    });
    is_used_once
        && made.is_some_and(|(stm, number)| match &stm.exp {
            Exp::Bulk(bulk) => is_array_by_index(bulk, number),
            Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => {
                [then, otherwise].into_iter().all(|block| makes(block, number))
            }
            Exp::Copy(_) => true,
            _ => false,
        })
}

/// Whether a bulk form's result with this number is an array whose elements are stored where their indices say.
fn is_array_by_index(bulk: &Bulk, number: usize) -> bool {
    let mut first = 0;
    bulk.outputs.iter().any(|output| {
        let begin = first;
        first += output.bound();
        let is_plain = matches!(&output.kind, Kind::Gen { otherwise: None, rec, .. } if rec.is_empty());
        (begin..first).contains(&number) && is_plain && output.sizes.is_empty()
    })
}

/// Whether a variable is bound in the block by something that can put its result into a given place.
fn takes_hint(cx: &Lower<'_>, block: &Block, var: Var) -> bool {
    let Type::Array(_, dims) = cx.src.ty(var) else { return false };
    is_regular(dims)
        && block.stms.iter().any(|stm| {
            stm.vars.contains(&var)
                && matches!(
                    &stm.exp,
                    Exp::Bulk(_)
                        | Exp::If(..)
                        | Exp::Choose(..)
                        | Exp::Open(..)
                        | Exp::Copy(_)
                        | Exp::SortKeys(_)
                        | Exp::Uninit
                )
        })
}
