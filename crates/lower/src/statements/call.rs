//! Calls, and values that are shown on standard error.

use crate::arrays::{components, plain};
use crate::builder::Builder;
use crate::context::Lower;
use crate::data::Low;
use crate::data::convention::Returned;
use crate::data::rep::{Array, Rep};
use base::bug;
use ir::{Atom, FunId, Layout, Var};
use kernel::{Arg, Expr, Stm, Var as K};

/// A call.
pub(crate) fn call(cx: &mut Lower<'_>, vars: &[Var], function: FunId, args: &[Atom]) -> Low<()> {
    let mut passed = Vec::new();
    let callee = &cx.src.functions[function];
    for (atom, param) in args.iter().zip(&callee.params) {
        components::pass(cx, *atom, *param, &mut passed)?;
    }
    let Some(convention) = cx.conventions.get(&function).cloned() else { bug!("{function:?} is not lowered yet") };
    let mut results = Vec::new();
    let mut next = |cx: &mut Builder<'_>, name: &str, ty| {
        results.push(cx.code.fresh(name, ty));
        Expr::Var(results[results.len() - 1])
    };
    let mut reps = Vec::new();
    for ((var, returned), fresh) in vars.iter().zip(&convention.results).zip(&callee.fresh) {
        let rep = match returned {
            Returned::Whole => components::receive_whole(cx, *var, &mut next),
            Returned::Plain | Returned::Strided => {
                match components::receive(cx, *var, *returned == Returned::Strided, &mut next) {
                    Rep::Array(array) => Rep::Array(Array { whole: true, ..array }),
                    rep => rep,
                }
            }
        };
        if let Some(buffer) = rep.buffer() {
            // What a function makes from a consumed argument may be that argument.
            let shared = args.iter().zip(&callee.consumed).filter(|(_, consumed)| **consumed || !fresh);
            shared.for_each(|(arg, _)| merge_arg(cx, buffer, *arg));
        }
        reps.push((*var, rep));
    }
    let (function, span) = (convention.function, cx.code.span);
    cx.code.emit(Stm::Call { results, function, args: passed, span });
    for (var, rep) in reps {
        rep.buffer().into_iter().for_each(|b| cx.code.own(b));
        cx.homes.bind(var, rep);
    }
    Ok(())
}

fn merge_arg(cx: &mut Builder<'_>, buffer: K, arg: Atom) {
    if let Some(other) = cx.homes.atom(arg).buffer().filter(|b| cx.may_be_same(*b, buffer)) {
        cx.aliases.merge(buffer, other);
    }
}

/// Shows a value.
pub(crate) fn trace(cx: &mut Lower<'_>, layout: &Layout, args: &[Atom]) {
    let mut shown = Vec::new();
    for atom in args {
        let rep = cx.homes.atom(*atom);
        let dims = cx.dims_of(*atom);
        match plain::plain(cx, rep, dims, plain::Memory::Same) {
            Rep::Scalar(value) => shown.push(Arg::Scalar(value)),
            rep => shown.extend(rep.buffer().map(Arg::Buffer)),
        }
    }
    let span = cx.code.span;
    cx.code.emit(Stm::Trace(layout.clone(), shown, span));
}
