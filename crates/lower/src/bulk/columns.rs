//! Values in numbered slots, one buffer for each component.

use crate::arrays::copying;
use crate::builder::Builder;
use crate::bulk::form::Elem;
use crate::data::expr;
use crate::data::rep::Rep;
use kernel::{Expr, Stm, Var as K};

/// Writes values into slot number `at` of buffers, all at once: they may be views of these very slots.
pub(crate) fn write_all(cx: &mut Builder<'_>, to: &[K], elems: &[Elem], at: Expr, reps: &[Rep]) {
    let exprs = cx.code.exprs;
    let mut values = Vec::new();
    for (rep, elem) in reps.iter().zip(elems) {
        values.push(match rep {
            Rep::Array(array) if to.iter().any(|k| cx.aliases.may_alias(*k, array.buffer)) => {
                Rep::Array(copying::copy(cx, array, &elem.dims))
            }
            other => other.clone(),
        });
    }
    for ((buffer, elem), rep) in to.iter().zip(elems).zip(values) {
        let slot = cx.code.name_int("slot", exprs.mul(at, elem.row));
        copying::write(cx, *buffer, slot, &rep, &elem.dims);
    }
}

/// Reads the values in slot number `at` of buffers.
pub(crate) fn read_all(cx: &mut Builder<'_>, from: &[K], elems: &[Elem], at: Expr) -> Vec<Rep> {
    let exprs = cx.code.exprs;
    let mut reps = Vec::new();
    for (buffer, elem) in from.iter().zip(elems) {
        let slot = cx.code.name_int("slot", exprs.mul(at, elem.row));
        reps.push(copying::read(cx, *buffer, slot, &elem.dims));
    }
    reps
}

/// Copies so many values from one slot on to another, in other buffers.
pub(crate) fn copy_all(cx: &mut Builder<'_>, elems: &[Elem], from: (&[K], Expr), to: (&[K], Expr), count: Expr) {
    let exprs = cx.code.exprs;
    for ((elem, to_buffer), from_buffer) in elems.iter().zip(to.0).zip(from.0) {
        cx.code.emit(Stm::Copy {
            to: *to_buffer,
            to_at: exprs.mul(to.1, elem.row),
            from: *from_buffer,
            from_at: exprs.mul(from.1, elem.row),
            count: exprs.mul(count, elem.row),
            past: false,
        });
    }
}

/// Makes space for one more value after `used` ones.
pub(crate) fn grow_all(cx: &mut Builder<'_>, buffers: &[K], elems: &[Elem], used: Expr) {
    let exprs = cx.code.exprs;
    for (buffer, elem) in buffers.iter().zip(elems) {
        let needed = exprs.capacity(exprs.add(used, expr::int(1)), elem.row);
        let used = exprs.mul(used, elem.row);
        cx.code.grow(*buffer, used, needed);
    }
}
