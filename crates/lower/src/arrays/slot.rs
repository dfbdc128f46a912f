//! Variables for values that are decided at run time: results of branches, loop variables, accumulators.

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, dims, offsets, vector};
use crate::builder::Builder;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep, Strides};
use ir::{Dim, Type, Var};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// Such variables.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// A scalar.
    Scalar(K, Prim),
    /// An array; strides unless it is always in row-major order.
    Array { buffer: K, offset: K, strides: Option<Vec<K>> },
    /// A descriptor.
    Desc { offsets: K, start: K },
    /// A certificate, or an array that stays where it is.
    Nothing,
    /// A box.
    Box(K),
}

impl Slot {
    /// The value in it.
    pub fn rep(&self) -> Rep {
        match self {
            Slot::Scalar(k, _) => Rep::Scalar(Expr::Var(*k)),
            Slot::Array { buffer, offset, strides } => {
                let strides = match strides {
                    None => Strides::RowMajor,
                    Some(ks) => Strides::Explicit(ks.iter().map(|k| Expr::Var(*k)).collect()),
                };
                Rep::Array(Array { buffer: *buffer, offset: Expr::Var(*offset), strides, whole: false })
            }
            Slot::Desc { offsets, start } => Rep::Desc(Desc::in_memory(*offsets, Expr::Var(*start))),
            Slot::Nothing => Rep::Cert,
            Slot::Box(k) => Rep::Box(*k),
        }
    }

    /// Its buffer.
    pub fn buffer(&self) -> Option<K> {
        match self {
            Slot::Array { buffer, .. } => Some(*buffer),
            Slot::Desc { offsets, .. } => Some(*offsets),
            Slot::Box(k) => Some(*k),
            Slot::Scalar(..) | Slot::Nothing => None,
        }
    }
}

/// Declares a slot for the values of a Core variable.
pub(crate) fn declare_for(cx: &mut Builder<'_>, var: Var, strided: bool) -> Slot {
    declare(cx, cx.name_of(var), cx.src.ty(var), strided)
}

/// Declares a slot for values of a type. With `strided`, arrays may lie in any order.
pub(crate) fn declare(cx: &mut Builder<'_>, name: &str, ty: &Type, strided: bool) -> Slot {
    match ty {
        Type::Scalar(prim) => Slot::Scalar(cx.code.declare(name, *prim), *prim),
        Type::Array(prim, dims) => {
            let buffer = cx.code.declare_buffer(name, *prim);
            let offset = cx.code.declare("offset", Prim::I64);
            let strided = strided && is_regular(dims);
            let strides = strided.then(|| dims.iter().map(|_| cx.code.declare("stride", Prim::I64)).collect());
            Slot::Array { buffer, offset, strides }
        }
        Type::Desc(_) => {
            let offsets = cx.code.declare_buffer(name, Prim::I64);
            let start = cx.code.declare("start", Prim::I64);
            Slot::Desc { offsets, start }
        }
        Type::Cert => Slot::Nothing,
        Type::Box(_) => {
            let k = cx.code.declare_buffer(name, Prim::I64);
            cx.homes.boxes.insert(k);
            Slot::Box(k)
        }
    }
}

/// Fills a slot that owns nothing. The value is moved if the innermost block owns it and `last` says that nothing
/// else needs it, otherwise shared. An array that does not fit the slot's order is copied.
pub(crate) fn fill(cx: &mut Builder<'_>, slot: &Slot, rep: Rep, dims: &[Dim], last: bool) {
    match slot {
        Slot::Scalar(k, _) => match rep {
            Rep::Scalar(value) => cx.code.set(*k, value),
            Rep::Vector(..) | Rep::Array(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => {
                base::bug!("an array in the place of a scalar");
            }
        },
        Slot::Array { buffer, offset, strides } => {
            let fresh = matches!(rep, Rep::Vector(..));
            let mut array = vector::in_memory(cx, rep);
            let mut last = last || fresh;
            if strides.is_none() && !array.is_row_major() {
                array = copying::copy(cx, &array, dims);
                last = true;
            }
            hand_over(cx, *buffer, array.buffer, last);
            cx.code.set(*offset, array.offset);
            if let Some(ks) = strides {
                let strides = dims::strides(cx, &array, dims);
                ks.iter().zip(strides).for_each(|(k, s)| cx.code.set(*k, s));
            }
        }
        Slot::Desc { offsets: to, start } => {
            let Rep::Desc(desc) = rep else { base::bug!("something else in the place of a descriptor") };
            let (memory, begin, fresh) = offsets::in_memory(cx, &desc, dims);
            hand_over(cx, *to, memory, last || fresh);
            cx.code.set(*start, begin);
        }
        Slot::Nothing => {}
        Slot::Box(to) => {
            let Rep::Box(from) = rep else { base::bug!("something else in the place of a box") };
            hand_over(cx, *to, from, last);
        }
    }
}

/// Makes a buffer refer to the memory of another.
pub(crate) fn hand_over(cx: &mut Builder<'_>, to: K, from: K, last: bool) {
    cx.aliases.merge(to, from);
    if last && cx.code.disown(from) {
        cx.code.emit(Stm::Move { to, from });
    } else {
        cx.code.emit(Stm::Share { to, from });
    }
}

/// Fills several slots at once with values that may be in these very slots.
pub(crate) fn refill(cx: &mut Builder<'_>, slots: &[Slot], reps: Vec<Rep>, dims: &[&[Dim]]) {
    let (mut moves, mut replaced, mut sets) = (Vec::new(), Vec::new(), Vec::new());
    let last = single_uses(&reps);
    for (i, (slot, rep)) in slots.iter().zip(reps).enumerate() {
        match (slot, rep) {
            (Slot::Scalar(k, prim), Rep::Scalar(value)) => {
                let value = next_value(cx, slots, *k, *prim, value);
                sets.push((*k, value));
            }
            (Slot::Array { buffer, offset, strides }, Rep::Array(array))
                if (strides.is_some() || array.is_row_major())
                    && (array.buffer == *buffer || last[i] && takes(cx, slots, array.buffer)) =>
            {
                if array.buffer != *buffer {
                    replaced.push((*buffer, array.buffer));
                }
                let value = next_value(cx, slots, *offset, Prim::I64, array.offset);
                sets.push((*offset, value));
                if let Some(ks) = strides {
                    for (k, s) in ks.iter().zip(dims::strides(cx, &array, dims[i])) {
                        let value = next_value(cx, slots, *k, Prim::I64, s);
                        sets.push((*k, value));
                    }
                }
            }
            (slot, rep) => {
                let strided = matches!(slot, Slot::Array { strides: Some(_), .. });
                let ty = type_of_slot(cx, slot, dims[i]);
                let next = declare(cx, "next", &ty, strided);
                fill(cx, &next, rep, dims[i], last[i]);
                moves.push((slot.clone(), next));
            }
        }
    }
    for (slot, next) in moves {
        move_slot(cx, &slot, &next);
    }
    replaced.into_iter().for_each(|(buffer, from)| replace(cx, buffer, from));
    sets.into_iter().filter(|(k, v)| *v != Expr::Var(*k)).for_each(|(k, v)| cx.code.set(k, v));
}

/// Whether a slot can take the memory of a buffer, because nothing else owns it. Then the innermost block does not own it
/// any more.
fn takes(cx: &mut Builder<'_>, slots: &[Slot], buffer: K) -> bool {
    !slots.iter().any(|slot| slot.buffer() == Some(buffer)) && cx.code.disown(buffer)
}

/// A value that stays as it is while slots change.
fn next_value(cx: &mut Builder<'_>, slots: &[Slot], own: K, prim: Prim, value: Expr) -> Expr {
    let mut changes = false;
    cx.code.exprs.for_each_var(value, &mut |from| changes |= slots.iter().any(|slot| slot.has(from)));
    if changes && value != Expr::Var(own) { cx.code.snapshot("next", prim, value) } else { value }
}

fn type_of_slot(cx: &Builder<'_>, slot: &Slot, dims: &[Dim]) -> Type {
    match slot {
        Slot::Scalar(_, prim) => Type::Scalar(*prim),
        Slot::Array { buffer, .. } => Type::Array(cx.code.prim_of(*buffer), dims.to_vec()),
        Slot::Desc { .. } => Type::Desc(dims.to_vec()),
        Slot::Nothing => Type::Cert,
        Slot::Box(_) => Type::Box(ir::BoxId(0)),
    }
}

/// Releases the value of a slot and moves another's value into it.
fn move_slot(cx: &mut Builder<'_>, slot: &Slot, next: &Slot) {
    match (slot, next) {
        (
            Slot::Array { buffer, offset, strides },
            Slot::Array { buffer: from, offset: next_offset, strides: next_strides },
        ) => {
            replace(cx, *buffer, *from);
            cx.code.set(*offset, expr::var(*next_offset));
            for (k, next) in strides.iter().flatten().zip(next_strides.iter().flatten()) {
                cx.code.set(*k, expr::var(*next));
            }
        }
        (Slot::Desc { offsets, start }, Slot::Desc { offsets: from, start: next_start }) => {
            replace(cx, *offsets, *from);
            cx.code.set(*start, expr::var(*next_start));
        }
        (Slot::Box(k), Slot::Box(from)) => replace(cx, *k, *from),
        (_, _) => {}
    }
}

fn replace(cx: &mut Builder<'_>, buffer: K, from: K) {
    cx.code.emit(Stm::Release(buffer));
    cx.code.emit(Stm::Move { to: buffer, from });
    cx.aliases.merge(buffer, from);
}

/// The innermost block releases what is in the slots.
pub(crate) fn own(cx: &mut Builder<'_>, slots: &[Slot]) {
    slots.iter().filter_map(Slot::buffer).for_each(|k| cx.code.own(k));
}

impl Slot {
    fn has(&self, k: K) -> bool {
        match self {
            Slot::Scalar(own, _) => *own == k,
            Slot::Array { offset, strides, .. } => *offset == k || strides.iter().flatten().any(|s| *s == k),
            Slot::Desc { start, .. } => *start == k,
            Slot::Nothing | Slot::Box(_) => false,
        }
    }
}

/// For each value, whether no other one of them is in the same buffer.
pub(crate) fn single_uses(reps: &[Rep]) -> Vec<bool> {
    let times = |b: Option<K>| reps.iter().filter(|r| r.buffer() == b).count();
    reps.iter().map(|r| times(r.buffer()) == 1).collect()
}

/// Whether an array is not known to be in row-major order.
pub(crate) fn is_strided(rep: &Rep) -> bool {
    matches!(rep, Rep::Array(array) if matches!(array.strides, Strides::Explicit(_)))
}

/// An owned reference to a buffer.
pub(crate) fn owned(cx: &mut Builder<'_>, buffer: K, last: bool) -> K {
    if last && cx.code.disown(buffer) {
        return buffer;
    }
    let prim = cx.code.prim_of(buffer);
    let to = cx.code.declare_buffer("result", prim);
    cx.code.emit(Stm::Share { to, from: buffer });
    to
}
