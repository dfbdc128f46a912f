//! What a function of Core gives, as its callers see it.
//!
//! ```text
//! def ends [n] (xs: [n]i64) = (3, n, [n, xs[0]], filter (> 0) xs)
//! fn ends(n: i64, xs: [n]i64) -> (x: i64, m: i64, ys: [m]i64)
//! ```
//!
//! The value of the body is known when the function has been made: a tree of constants, parameters and variables of the
//! body. Only the latter are results in Core. A caller gets the same tree, with its arguments for the parameters and the
//! variables that the call binds for the results. So it knows that the first part is 3, that the vector has two elements,
//! of which the first is the size of `xs`, and which parts have equal sizes.

use crate::data::value::{FunCode, FunVal, SumVal, Val};
use crate::sizes::sums::cases_with;
use ir::rename::Substitution;
use ir::{Atom, Dim, Program, Var};
use std::rc::Rc;

/// Adds the variables in a value that are not known to callers, each after those that its type mentions.
pub(crate) fn unknown_vars(program: &Program, val: &Val, known: &dyn Fn(Var) -> bool, found: &mut Vec<Var>) {
    let mut add = |var: Var| add_unknown(program, var, known, found);
    match val {
        Val::Scalar(_, atom) => atom.var().into_iter().for_each(add),
        Val::Lengths(var) => add(*var),
        Val::Vector(_, atoms) => atoms.iter().filter_map(|atom| atom.var()).for_each(add),
        Val::Sum(sum) => sum.tag.var().into_iter().for_each(add),
        Val::Array(array) => array.dims.iter().for_each(|dim| match dim {
            Dim::Size(Atom::Var(var)) | Dim::Jagged(var) | Dim::Shape(var) => add(*var),
            Dim::Size(Atom::Const(_)) => {}
        }),
        Val::Fun(fun) => match &fun.code {
            FunCode::Boxed(var, _) => add(*var),
            _ => base::bug!("a function of Core gives a function"),
        },
        Val::Record(_) => {}
    }
    val.children().into_iter().for_each(|child| unknown_vars(program, child, known, found));
}

fn add_unknown(program: &Program, var: Var, known: &dyn Fn(Var) -> bool, found: &mut Vec<Var>) {
    if known(var) || found.contains(&var) {
        return;
    }
    program.ty(var).for_each_var(&mut |size| add_unknown(program, size, known, found));
    found.push(var);
}

/// A value with other names for its variables.
pub(crate) fn renamed<'t>(val: &Val<'t>, names: &Substitution) -> Val<'t> {
    match val {
        Val::Scalar(prim, atom) => Val::Scalar(*prim, names.atom(*atom)),
        Val::Vector(prim, atoms) => Val::Vector(*prim, atoms.iter().map(|atom| names.atom(*atom)).collect()),
        Val::Lengths(desc) => Val::Lengths(names.var(*desc)),
        Val::Record(_) => val.map(|field| renamed(field, names)),
        Val::Sum(sum) => {
            let part = |vals: &Vec<Val<'t>>| vals.iter().map(|val| renamed(val, names)).collect();
            Val::Sum(Rc::new(SumVal {
                tag: names.atom(sum.tag),
                cases: cases_with(&sum.cases, &|var| names.0.get(&var).copied()),
                parts: sum.parts.iter().map(|vals| vals.as_ref().map(part)).collect(),
            }))
        }
        Val::Array(array) => Val::array(names.dims(&array.dims), renamed(&array.rows, names)),
        Val::Fun(fun) => {
            let code = match &fun.code {
                FunCode::Boxed(var, id) => FunCode::Boxed(names.var(*var), *id),
                code => code.clone(),
            };
            let args = fun.args.iter().map(|arg| renamed(arg, names)).collect();
            Val::Fun(Rc::new(FunVal { code, args, sig: fun.sig.clone() }))
        }
    }
}
