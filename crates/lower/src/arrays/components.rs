//! Values as lists of Kernel values: how they are passed to functions and stored in boxes.
//!
//! A scalar is itself, a box one buffer, a descriptor a buffer and its start, an array a buffer, its offset and, if all
//! its dimensions are regular, a stride for each. A recursive array under construction is followed by the data for
//! demanding elements: which instance defines each cell, the states of instances, the numbers of values if they differ
//! in size, the number of the first cell, and the depth of the group that a stop is for.

use super::dims::{self, is_regular};
use super::{offsets, vector};
use crate::builder::Builder;
use crate::data::rec_array::RecArray;
use crate::data::rep::{Array, Desc, Rep, Strides};
use crate::data::{Low, expr};
use base::{Set, bug};
use ir::{Atom, BoxId, FunId, Limitation, Type, Var};
use kernel::{Arg, Expr, Type as KType, Var as K};
use scalar::Prim;

/// Gives the next component of a value, by its name and type.
pub(crate) type Next<'n> = dyn FnMut(&mut Builder<'_>, &str, KType) -> Expr + 'n;

/// Appends the components of an argument for a parameter.
pub(crate) fn pass(cx: &mut Builder<'_>, atom: Atom, param: Var, out: &mut Vec<Arg>) -> Low<()> {
    match cx.homes.atom(atom) {
        Rep::Scalar(value) => out.push(Arg::Scalar(value)),
        Rep::Desc(desc) => {
            let (memory, start, _) = offsets::in_memory(cx, &desc, cx.dims_of(atom));
            out.extend([Arg::Buffer(memory), Arg::Scalar(start)]);
        }
        Rep::Cert => {}
        Rep::Box(k) => out.push(Arg::Buffer(k)),
        rep @ (Rep::Vector(..) | Rep::Array(_)) => {
            let dims = cx.dims_of(atom);
            let array = vector::in_memory(cx, rep);
            out.extend([Arg::Buffer(array.buffer), Arg::Scalar(array.offset)]);
            if is_regular(dims) {
                out.extend(dims::strides(cx, &array, dims).into_iter().map(Arg::Scalar));
            }
        }
    }
    let rec = atom.var().and_then(|var| cx.recs.get(&var));
    match (rec, cx.src.vars[param].pending) {
        (None, None) => {}
        (Some(rec), Some(_)) => {
            out.extend([rec.owner, rec.states].into_iter().chain(rec.number).map(Arg::Buffer));
            out.extend([rec.base, rec.depth].map(Arg::Scalar));
        }
        (Some(_), None) | (None, Some(_)) => return cx.unsupported(Limitation::RecUse),
    }
    Ok(())
}

/// The value of a Core variable from its components. Arrays have strides with `strided`, otherwise they are row-major.
pub(crate) fn receive(cx: &mut Builder<'_>, var: Var, strided: bool, next: &mut Next<'_>) -> Rep {
    let (name, int) = (cx.name_of(var), KType::Scalar(Prim::I64));
    match cx.src.ty(var) {
        Type::Scalar(prim) => Rep::Scalar(next(cx, name, KType::Scalar(*prim))),
        Type::Array(prim, dims) => {
            let buffer = buffer(cx, name, *prim, next);
            let offset = next(cx, "offset", int);
            let strides = match strided && is_regular(dims) {
                true => Strides::Explicit(dims.iter().map(|_| next(cx, "stride", int)).collect()),
                false => Strides::RowMajor,
            };
            Rep::Array(Array { buffer, offset, strides, whole: false })
        }
        Type::Desc(_) => {
            let offsets = buffer(cx, name, Prim::I64, next);
            Rep::Desc(Desc::in_memory(offsets, next(cx, "start", int)))
        }
        Type::Cert => Rep::Cert,
        Type::Box(_) => {
            let k = buffer(cx, name, Prim::I64, next);
            cx.homes.boxes.insert(k);
            Rep::Box(k)
        }
    }
}

/// An array that takes all of its memory: its buffer is its only component.
pub(crate) fn receive_whole(cx: &mut Builder<'_>, var: Var, next: &mut Next<'_>) -> Rep {
    let Type::Array(prim, _) = cx.src.ty(var) else { bug!("only arrays take memory") };
    let name = cx.name_of(var);
    Rep::Array(Array::whole(buffer(cx, name, *prim, next)))
}

fn buffer(cx: &mut Builder<'_>, name: &str, prim: Prim, next: &mut Next<'_>) -> K {
    let Expr::Var(k) = next(cx, name, KType::Buffer(prim)) else { bug!("a buffer that is no variable") };
    k
}

/// Binds a parameter to its components, as [`pass`] gives them.
pub(crate) fn bind(cx: &mut Builder<'_>, param: Var, next: &mut Next<'_>) -> Low<()> {
    let rep = receive(cx, param, true, next);
    cx.homes.bind(param, rep.clone());
    let Some(pending) = cx.src.vars[param].pending else { return Ok(()) };
    let owner = buffer(cx, "owner", Prim::I64, next);
    let states = buffer(cx, "states", Prim::U8, next);
    let number = pending.numbered.then(|| buffer(cx, "number", Prim::I64, next));
    let [base, depth] = ["base", "depth"].map(|name| next(cx, name, KType::Scalar(Prim::I64)));
    let (cell_dims, dims) = (pending.dims, cx.src.ty(param).dims());
    let (cells, row) = match number {
        Some(_) => (dims::inside(cx, &dims[..cell_dims])?, expr::int(0)),
        None => (dims::count(cx, &dims[..cell_dims]), dims::inside(cx, &dims[cell_dims..])?),
    };
    let row = cx.code.name_int("row", row);
    let (array, dims, cell_dims) = (RecArray::memory(&rep), dims.to_vec(), Some(cell_dims));
    cx.recs.insert(param, RecArray { array, dims, cell_dims, row, cells, base, owner, states, number, depth });
    Ok(())
}

/// Whether a stop may leave a function: one of its parameters is, or contains, a recursive array.
pub(crate) fn may_stop(cx: &Builder<'_>, function: FunId) -> bool {
    cx.src.functions[function].params.iter().any(|param| is_pending(cx, *param, &mut Set::default()))
}

fn is_pending(cx: &Builder<'_>, var: Var, seen: &mut Set<BoxId>) -> bool {
    let inside = match cx.src.ty(var) {
        Type::Box(kind) if seen.insert(*kind) => {
            cx.src.boxes[*kind].cases.iter().flatten().any(|part| is_pending(cx, *part, seen))
        }
        _ => false,
    };
    inside || cx.src.vars[var].pending.is_some()
}
