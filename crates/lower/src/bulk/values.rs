//! The value of a block, computed and written to a place.

use crate::bulk::form::Elem;
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Array;
use crate::places;
use ir::{Block, Dim};
use kernel::{Expr, Var as K};

/// Writes the value of a block at a place.
pub(crate) fn put(cx: &mut Lower<'_>, arrays: &[(Elem, Array)], place: Expr, value: &Block) -> Low<()> {
    let exprs = cx.code.exprs;
    let mut places = Vec::new();
    for (elem, array) in arrays {
        let at = exprs.add(array.offset, elem.start(cx, place));
        let at = cx.code.name_int("slot", at);
        places.push((array.buffer, at, elem.dims.clone()));
    }
    put_into(cx, &places, value)
}

/// Writes the components of a block's value to places; arrays are made there where possible.
pub(crate) fn put_into(cx: &mut Lower<'_>, places: &[(K, Expr, Vec<Dim>)], value: &Block) -> Low<()> {
    cx.code.open();
    let mut targets = Vec::new();
    for (buffer, at, dims) in places {
        targets.push((!dims.is_empty()).then(|| Array::at(*buffer, *at)));
    }
    places::block_to_places(cx, value, &targets)?;
    for ((buffer, at, dims), atom) in places.iter().zip(&value.result) {
        if dims.is_empty() {
            let value = cx.homes.scalar(*atom);
            cx.code.store(*buffer, *at, value);
        }
    }
    cx.code.close_inline();
    Ok(())
}
