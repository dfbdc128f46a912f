//! Functions: how they are called, and what they give back.
//!
//! Parameters are passed as [`components`]. Results likewise, except that most arrays are known to be in row-major
//! order and then have no strides. A result that is only part of its memory is cut out, so that it does not keep the
//! rest.

use crate::arrays::slot::single_uses;
use crate::arrays::{components, copying, dims, offsets, slot, vector};
use crate::builder::Builder;
use crate::context::Lower;
use crate::data::Low;
use crate::data::convention::{Convention, Returned};
use crate::data::expr;
use crate::data::rep::{Array, Rep, Strides};
use crate::scope;
use fault::{Site, message};
use ir::calls::Calls;
use ir::traverse::Part;
use ir::{Block, Dim, Exp, FunId, Program};
use kernel::{Arg, Expr, SiteId, Stm, Type as KType, Var as K};
use scalar::Prim;

/// Lowers all functions, callees first, so that callers know how results come back.
pub(crate) fn all(cx: &mut Lower<'_>) -> Low<()> {
    cx.code.program.sites = copied_sites(cx.src);
    let order = called(cx.src);
    // All have their numbers before the first is lowered, so that recursive calls can be written.
    for (id, recursive) in &order {
        let source = &cx.src.functions[*id];
        let function = cx.code.program.functions.push(kernel::Function {
            name: source.name,
            params: Vec::new(),
            results: Vec::new(),
            body: Vec::new(),
            too_deep: None,
            stops: false,
            span: source.span,
        });
        let results = vec![Returned::Plain; source.results.len()];
        cx.conventions.insert(*id, Convention { function, results, fixed: *recursive });
    }
    for (id, recursive) in order {
        function(cx, id, recursive)?;
    }
    Ok(())
}

fn function(cx: &mut Lower<'_>, id: FunId, recursive: bool) -> Low<()> {
    let function = &cx.src.functions[id];
    cx.code.span = function.span;
    cx.code.open();
    // A stop leaves no parallel loop.
    let stops = components::may_stop(cx, id);
    (cx.code.in_parallel, cx.may_stop) = (stops, stops);
    let params = params(cx, function)?;
    scope::stms_of(cx, &function.body)?;
    cx.code.span = function.span;
    let reps = cx.homes.atoms(&function.body.result);
    let convention = cx.conventions[&id].clone();
    let results: Vec<Returned> =
        if convention.fixed { convention.results } else { reps.iter().map(comes_back).collect() };
    let mut returned = Vec::new();
    let last = single_uses(&reps);
    for (i, rep) in reps.into_iter().enumerate() {
        let dims = cx.dims_of(function.body.result[i]);
        give_back(cx, rep, dims, results[i], last[i], &mut returned);
    }
    let types = returned.iter().map(|arg| type_of(cx, arg)).collect();
    let mut body = cx.code.close();
    body.push(Stm::Return(returned));
    function.params.iter().for_each(|param| drop(cx.recs.remove(param)));
    (cx.code.in_parallel, cx.may_stop) = (false, false);
    let too_deep = recursive.then(|| too_deep(cx, id));
    let function = convention.function;
    cx.conventions.insert(id, Convention { function, results, fixed: true });
    let out = &mut cx.code.program.functions[function];
    (out.params, out.results, out.body) = (params, types, body);
    (out.too_deep, out.stops) = (too_deep, stops);
    Ok(())
}

/// The type of what is returned.
pub(crate) fn type_of(cx: &Lower<'_>, arg: &Arg) -> KType {
    match arg {
        Arg::Buffer(k) | Arg::Scalar(Expr::Var(k)) => cx.code.program.vars[*k].ty,
        Arg::Scalar(Expr::Const(x)) => KType::Scalar(x.prim()),
        // Everything that is handed out is a name or a constant.
        Arg::Scalar(_) => KType::Scalar(Prim::I64),
    }
}

/// Kernel parameters for the parameters of a function.
fn params(cx: &mut Lower<'_>, function: &ir::Function) -> Low<Vec<K>> {
    let mut params = Vec::new();
    let mut next = |cx: &mut Builder<'_>, name: &str, ty| {
        params.push(cx.code.fresh(name, ty));
        Expr::Var(params[params.len() - 1])
    };
    function.params.iter().try_for_each(|var| components::bind(cx, *var, &mut next))?;
    // Parameters that are not consumed may be the same memory.
    let lent = function.params.iter().zip(&function.consumed).filter(|(_, consumed)| !**consumed);
    let lent: Vec<K> = lent.filter_map(|(v, _)| cx.homes.buffer_of(*v)).collect();
    for (i, a) in lent.iter().enumerate() {
        for b in lent[i + 1..].iter().filter(|b| cx.may_be_same(*a, **b)).copied().collect::<Vec<K>>() {
            cx.aliases.merge(*a, b);
        }
    }
    Ok(params)
}

/// Hands a result over to the caller.
fn give_back(cx: &mut Lower<'_>, rep: Rep, dims: &[Dim], how: Returned, last: bool, out: &mut Vec<Arg>) {
    match rep {
        Rep::Scalar(value) => out.push(Arg::Scalar(value)),
        Rep::Cert => {}
        Rep::Box(k) => {
            let owned = slot::owned(cx, k, last);
            out.push(Arg::Buffer(owned));
        }
        Rep::Desc(desc) => {
            let (offsets, start, fresh) = offsets::in_memory(cx, &desc, dims);
            let owned = slot::owned(cx, offsets, last || fresh);
            out.extend([Arg::Buffer(owned), Arg::Scalar(start)]);
        }
        rep @ (Rep::Vector(..) | Rep::Array(_)) => {
            let fresh = matches!(rep, Rep::Vector(..));
            let array = vector::in_memory(cx, rep);
            match how {
                Returned::Strided => {
                    let owned = slot::owned(cx, array.buffer, last || fresh);
                    out.extend([Arg::Buffer(owned), Arg::Scalar(array.offset)]);
                    out.extend(dims::strides(cx, &array, dims).into_iter().map(Arg::Scalar));
                }
                Returned::Plain => {
                    let (buffer, offset) = cut_out(cx, &array, dims, last || fresh);
                    out.extend([Arg::Buffer(buffer), Arg::Scalar(offset)]);
                }
                Returned::Whole => {
                    let owned = slot::owned(cx, array.buffer, last || fresh);
                    out.push(Arg::Buffer(owned));
                }
            }
        }
    }
}

/// An owned row-major array that does not keep much more memory than it needs.
fn cut_out(cx: &mut Lower<'_>, array: &Array, dims: &[Dim], last: bool) -> (K, Expr) {
    let exprs = cx.code.exprs;
    if !array.is_row_major() {
        let copy = copying::copy(cx, array, dims);
        return (slot::owned(cx, copy.buffer, true), copy.offset);
    }
    let buffer = slot::owned(cx, array.buffer, last);
    if array.whole {
        return (buffer, array.offset);
    }
    let begin = dims::begin(cx, array, dims);
    let count = dims::count(cx, dims);
    let start = cx.code.variable("start", begin);
    let span = cx.code.span;
    cx.code.emit(Stm::Trim { buffer, start, count, span });
    // What lies before the first element moved with it.
    let before = exprs.sub(begin, array.offset);
    let offset = cx.code.name_int("offset", exprs.sub(Expr::Var(start), before));
    (buffer, offset)
}

/// What is said when the stack is full. Recursion that fills it goes through one call again and again: that is the
/// place, the first if there are several.
fn too_deep(cx: &mut Lower<'_>, id: FunId) -> SiteId {
    let function = &cx.src.functions[id];
    if let Some(site) = function.too_deep {
        return SiteId(site.0);
    }
    let others = cx.src.functions.ids().filter(|other| *other != id);
    let place = std::iter::once(id).chain(others).find_map(|f| call_of(&cx.src.functions[f].body, id));
    let span = place.unwrap_or(function.span);
    cx.code.program.sites.push(Site::new(message::too_deep(function.name), span))
}

/// Where a block first calls a function.
fn call_of(block: &Block, function: FunId) -> Option<base::Span> {
    let mut found = None;
    block.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && matches!(&stm.exp, Exp::Call(called, _) if *called == function)
        {
            found = found.or(Some(stm.span));
        }
    });
    found
}

/// How a result should come back: a transposed whole keeps its strides, all else that is not row-major is copied.
fn comes_back(rep: &Rep) -> Returned {
    match rep {
        Rep::Array(Array { strides: Strides::Explicit(_), whole: true, .. }) => Returned::Strided,
        Rep::Array(array) if array.whole && array.is_row_major() && array.offset == expr::int(0) => Returned::Whole,
        Rep::Vector(..) => Returned::Whole,
        Rep::Array(_) | Rep::Scalar(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => Returned::Plain,
    }
}

/// All functions that some function calls, with whether they may call themselves, callees first. Entry points that
/// nothing calls are not among them: they have a body of their own.
fn called(program: &Program) -> Vec<(FunId, bool)> {
    let calls = Calls::new(program);
    let roots = program.entries.iter().flat_map(|entry| calls.of(entry.function)).copied();
    let recursive = calls.recursive();
    calls.callees_first(roots).into_iter().map(|fun| (fun, recursive.contains(&fun))).collect()
}

fn copied_sites(program: &Program) -> base::IdVec<SiteId, Site> {
    let mut sites = base::IdVec::new();
    program.sites.values().for_each(|site| {
        sites.push(site.clone());
    });
    sites
}
