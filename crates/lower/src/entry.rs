//! Entry points: the function's body once more, with the plain convention of [`kernel::Entry`]. Inside, arguments are
//! thus known to be in row-major order.

use crate::arrays::plain::Memory;
use crate::arrays::slot::single_uses;
use crate::arrays::{dims, plain, slot};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep};
use crate::{function, scope};
use ir::{Type, Var};
use kernel::{Arg, Expr, Stm, Type as KType, Var as K};
use scalar::Prim;

/// Lowers all entry points.
pub(crate) fn all(cx: &mut Lower<'_>) -> Low<()> {
    for entry in &cx.src.entries {
        one(cx, entry)?;
    }
    Ok(())
}

fn one(cx: &mut Lower<'_>, entry: &ir::Entry) -> Low<()> {
    let function = &cx.src.functions[entry.function];
    cx.code.span = function.span;
    cx.code.open();
    let params = function.params.iter().map(|var| entry_param(cx, *var)).collect();
    scope::stms_of(cx, &function.body)?;
    cx.code.span = function.span;
    let returned = entry_results(cx, function);
    let results = returned.iter().map(|arg| function::type_of(cx, arg)).collect();
    let mut body = cx.code.close();
    body.push(Stm::Return(returned));
    let function_id = cx.code.program.functions.push(kernel::Function {
        name: entry.name,
        params,
        results,
        body,
        too_deep: None,
        stops: false,
        span: function.span,
    });
    cx.code.program.entries.push(kernel::Entry {
        name: entry.name,
        function: function_id,
        params: entry.params.clone(),
        consumed: function.consumed.clone(),
        results: entry.results.clone(),
    });
    Ok(())
}

/// Binds a parameter of an entry point.
fn entry_param(cx: &mut Lower<'_>, var: Var) -> K {
    let ty = cx.src.ty(var);
    let kernel_ty = match ty {
        Type::Scalar(prim) => KType::Scalar(*prim),
        Type::Array(prim, _) => KType::Buffer(*prim),
        Type::Desc(_) => KType::Buffer(Prim::I64),
        Type::Cert | Type::Box(_) => base::bug!("a certificate or box as an argument of an entry point"),
    };
    let name = cx.name_of(var);
    let k = cx.code.fresh(name, kernel_ty);
    let rep = match ty {
        Type::Scalar(_) | Type::Cert | Type::Box(_) => Rep::Scalar(Expr::Var(k)),
        Type::Array(..) => Rep::Array(Array::at(k, expr::int(0))),
        Type::Desc(_) => Rep::Desc(Desc::in_memory(k, expr::int(0))),
    };
    cx.homes.bind(var, rep);
    k
}

/// What an entry point returns: scalars, and buffers that it owns.
fn entry_results(cx: &mut Lower<'_>, function: &ir::Function) -> Vec<Arg> {
    let reps = cx.homes.atoms(&function.body.result);
    let last = single_uses(&reps);
    let given: Vec<K> = function.params.iter().filter_map(|param| cx.homes.buffer_of(*param)).collect();
    let mut returned = Vec::new();
    for (i, rep) in reps.into_iter().enumerate() {
        let dims = cx.dims_of(function.body.result[i]);
        // The caller may have the only reference to an argument, and still needs it.
        let memory = match function.fresh.get(i) {
            Some(true) => Memory::Same,
            _ if rep.buffer().is_some_and(|buffer| given.contains(&buffer)) => Memory::Other,
            _ => Memory::IfSole,
        };
        match plain::plain(cx, rep.clone(), dims, memory) {
            Rep::Scalar(value) => returned.push(Arg::Scalar(value)),
            Rep::Cert => {}
            plain => {
                let Some(buffer) = plain.buffer() else { continue };
                let own = rep.buffer() != Some(buffer);
                let owned = slot::owned(cx, buffer, own || last[i]);
                // A row or a slice that begins where the whole does shares its memory, and would keep all of it.
                if let Rep::Array(Array { whole: false, .. }) = &plain {
                    let (start, count) = (cx.code.variable("start", expr::int(0)), dims::count(cx, dims));
                    let span = cx.code.span;
                    cx.code.emit(Stm::Trim { buffer: owned, start, count, span });
                }
                returned.push(Arg::Buffer(owned));
            }
        }
    }
    returned
}
