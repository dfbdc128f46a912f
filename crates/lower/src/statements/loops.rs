//! Loops. An array that each turn changes in place stays where it is before the loop; other loop variables have slots,
//! which each turn fills again.
//!
//! A turn may show that a loop variable is not always in row-major order, that it may share memory with another, or that it
//! does not stay where it is: then the loop is lowered again with that knowledge.

use super::{bands, pivots};
use crate::arrays::dims::is_regular;
use crate::arrays::slot;
use crate::arrays::slot::{Slot, is_strided};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Rep;
use crate::scope;
use analysis::same_memory;
use ir::{Atom, Block, Dim, LoopForm, Turns, Var};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// A loop of Core.
#[derive(Clone, Copy)]
pub(crate) struct Loop<'b> {
    pub params: &'b [(Var, Atom)],
    pub form: &'b LoopForm,
    pub turns: Turns,
    pub body: &'b Block,
}

/// Memory that loop variables share.
#[derive(Default)]
struct Shared {
    /// A loop variable and memory from before the loop.
    outer: Vec<(usize, K)>,
    /// Two loop variables.
    linked: Vec<(usize, usize)>,
}

/// A loop.
pub(crate) fn repeat(cx: &mut Lower<'_>, vars: &[Var], one: Loop<'_>) -> Low<()> {
    let Loop { params, body, .. } = one;
    let inits: Vec<Rep> = params.iter().map(|(_, a)| cx.homes.atom(*a)).collect();
    let mut strided: Vec<bool> = inits.iter().map(is_strided).collect();
    let mut shared = Shared::default();
    let mut stay: Vec<bool> = (0..params.len()).map(|i| stays(cx, params, body, i)).collect();
    let slots = loop {
        cx.code.open();
        let first = K(cx.code.var_count());
        let slots = first_values(cx, params, &strided, &stay);
        merge_shared(cx, &slots, &shared);
        let after = cx.code.var_count();
        let outer = cx.aliases.watch(after);
        for (i, (param, _)) in params.iter().enumerate() {
            cx.homes.bind(*param, if stay[i] { inits[i].clone() } else { slots[i].rep() });
        }
        let results = all_turns(cx, &slots, one)?;
        let merged = cx.aliases.unwatch(outer);
        let mut again = merged && note_shared(cx, &slots, &results, first, &mut shared);
        for i in 0..params.len() {
            if stay[i] && !is_same_place(&inits[i], &results[i]) {
                stay[i] = false;
                again = true;
            }
        }
        for (known, rep) in strided.iter_mut().zip(&results) {
            if is_strided(rep) && !*known {
                *known = true;
                again = true;
            }
        }
        if !again {
            break slots;
        }
        cx.code.pop();
    };
    close(cx, one, &stay)?;
    slot::own(cx, &slots);
    for (i, var) in vars.iter().enumerate() {
        cx.homes.bind(*var, if stay[i] { inits[i].clone() } else { slots[i].rep() });
    }
    Ok(())
}

/// Closes the block that has the loop. If turns run in blocks, and the matrix stays where it is, there is a version for large ones.
fn close(cx: &mut Lower<'_>, Loop { params, form, turns, body }: Loop<'_>, stay: &[bool]) -> Low<()> {
    let (Turns::Blocks(tiles), [(matrix, init)], [true]) = (turns, params, stay) else {
        cx.code.close_inline();
        return Ok(());
    };
    let Rep::Array(array) = cx.homes.atom(*init) else { base::bug!("a matrix is not in memory") };
    if !array.is_row_major() {
        cx.code.close_inline();
        return Ok(());
    }
    let Some(found) = ir::turns::pivots::of(cx.src, params, form, body) else { base::bug!("no turns for blocks") };
    let plain = cx.code.close();
    let is_large = pivots::is_large(cx, &found, tiles, *matrix);
    cx.code.open();
    pivots::lower(cx, &found, tiles, (*matrix, &array))?;
    let blocks = cx.code.close();
    cx.code.emit(Stm::If(is_large, blocks, plain));
    Ok(())
}

/// Whether each turn should leave an array where it is before the loop.
fn stays(cx: &Lower<'_>, params: &[(Var, Atom)], body: &Block, number: usize) -> bool {
    let (param, init) = params[number];
    is_regular(cx.src.ty(param).dims())
        && matches!(cx.homes.atom(init), Rep::Array(_))
        && same_memory::stays(params, body, number)
}

fn is_same_place(before: &Rep, after: &Rep) -> bool {
    match (before, after) {
        (Rep::Array(before), Rep::Array(after)) => {
            (before.buffer, before.offset, &before.strides) == (after.buffer, after.offset, &after.strides)
        }
        (_, _) => false,
    }
}

fn merge_shared(cx: &mut Lower<'_>, slots: &[Slot], shared: &Shared) {
    for (i, other) in &shared.outer {
        slots[*i].buffer().into_iter().for_each(|b| cx.aliases.merge(b, *other));
    }
    for (i, j) in &shared.linked {
        if let (Some(a), Some(b)) = (slots[*i].buffer(), slots[*j].buffer()) {
            cx.aliases.merge(a, b);
        }
    }
}

/// Notes which loop variables take over memory from before the loop, or of one another. Says whether that is new.
fn note_shared(cx: &Lower<'_>, slots: &[Slot], results: &[Rep], first: K, shared: &mut Shared) -> bool {
    let before = shared.outer.len() + shared.linked.len();
    for (i, slot) in slots.iter().enumerate() {
        if let (Some(_), Some(buffer)) = (slot.buffer(), results.get(i).and_then(Rep::buffer))
            && buffer < first
            && !shared.outer.contains(&(i, buffer))
        {
            shared.outer.push((i, buffer));
        }
        for (j, other) in slots.iter().enumerate().skip(i + 1) {
            if let (Some(a), Some(b)) = (slot.buffer(), other.buffer())
                && cx.aliases.may_alias(a, b)
                && !shared.linked.contains(&(i, j))
            {
                shared.linked.push((i, j));
            }
        }
    }
    shared.outer.len() + shared.linked.len() > before
}

fn first_values(cx: &mut Lower<'_>, params: &[(Var, Atom)], strided: &[bool], stay: &[bool]) -> Vec<Slot> {
    let mut slots = Vec::new();
    for ((param, init), (strided, stays)) in params.iter().zip(strided.iter().zip(stay)) {
        if *stays {
            slots.push(Slot::Nothing);
            continue;
        }
        let slot = slot::declare_for(cx, *param, *strided);
        let (rep, dims) = (cx.homes.atom(*init), cx.dims_of(*init));
        slot::fill(cx, &slot, rep, dims, false);
        slots.push(slot);
    }
    slots
}

/// The loop; returns what one turn gives. If turns run in rounds, there is a version for large arrays.
fn all_turns(cx: &mut Lower<'_>, slots: &[Slot], one: Loop<'_>) -> Low<Vec<Rep>> {
    let (Turns::Rounds(rounds), Some(Rep::Array(array))) = (one.turns, slots.first().map(Slot::rep)) else {
        return in_order(cx, slots, one);
    };
    if !array.is_row_major() {
        return in_order(cx, slots, one);
    }
    let found = ir::turns::bands::of(cx.src, one.params, one.form, one.body);
    let Some(found) = found else { base::bug!("no turns for rounds") };
    let plan = bands::Plan::new(cx, &found, rounds);
    cx.code.open();
    let results = in_order(cx, slots, one)?;
    let plain = cx.code.close();
    cx.code.open();
    bands::lower(cx, &found, &plan, slots)?;
    let blocks = cx.code.close();
    cx.code.emit(Stm::If(plan.pays, blocks, plain));
    Ok(results)
}

/// The loop itself; returns what one turn gives. A `while` has no index, so its first loop variable names it.
fn in_order(cx: &mut Lower<'_>, slots: &[Slot], Loop { params, form, body, .. }: Loop<'_>) -> Low<Vec<Rep>> {
    match form {
        LoopForm::For(var, bound) => {
            let bound = cx.homes.scalar(*bound);
            let name = cx.name_of(*var);
            cx.count_loop(name, bound, |cx, i| {
                cx.bind_index(*var, i);
                turn(cx, slots, body)
            })
        }
        LoopForm::While(cond) => {
            let span = cx.code.span;
            let reps = scope::open_block(cx, cond)?;
            let Some(Rep::Scalar(value)) = reps.into_iter().next() else { base::bug!("a loop without a condition") };
            let value = cx.code.snapshot("go", Prim::Bool, value);
            let head = cx.code.close();
            cx.code.open();
            let results = turn(cx, slots, body)?;
            let body = cx.code.close();
            if let Expr::Var(go) = value {
                cx.code.note_origin(go, span, params.first().map(|(var, _)| *var));
            }
            cx.code.emit(Stm::While { head, cond: value, body });
            Ok(results)
        }
    }
}

fn turn(cx: &mut Lower<'_>, slots: &[Slot], body: &Block) -> Low<Vec<Rep>> {
    scope::stms_of(cx, body)?;
    let results = cx.homes.atoms(&body.result);
    let dims: Vec<&[Dim]> = body.result.iter().map(|a| cx.dims_of(*a)).collect();
    slot::refill(cx, slots, results.clone(), &dims);
    Ok(results)
}
