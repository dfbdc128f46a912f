//! Recursive arrays, by demand.
//!
//! First all instances of all clauses are listed ([`list`]), which tells which instance defines which cell. Then they
//! are computed in that order, each in an attempt: a value that needs a missing cell stops the attempt with the number
//! of the instance that defines the cell; that one is computed first and the attempt made again. The instances that
//! wait are on a stack in memory, so long chains do not use the machine's stack. An instance that is needed while it
//! waits depends on itself ([`cycle`]).
//!
//! While an array of rows of different lengths is made it is jagged in the order of arrival: reading an element looks
//! up the number of its value and reads that row. At the end, rows are put into the order of their places.

mod cycle;
mod data;
mod list;

use super::form::{self, Bound, Elem};
use super::{appended, arrivals, gaps, values, walk};
use crate::arrays::dims::{self, is_jagged};
use crate::arrays::{copying, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::rec_array::{DEPTHS, DONE, RUNNING, RecArray, state_is};
use crate::data::rep::{Array, Desc, Rep};
use crate::data::{Low, expr};
use crate::scope;
use cycle::Waiting;
use data::{Clause, Group, RecOutput, Values, rec_names};
use ir::{Atom, Block, Bulk, Dim, Kind, Output, Step, Stm as CoreStm, Var};
use kernel::{Expr, Op, Stm, Var as K};
use scalar::Prim;

/// Lowers a bulk form whose values read the arrays that it makes.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.code.open();
    let depth = next_depth(cx);
    let mut outputs = Vec::new();
    let mut base = expr::int(0);
    for (number, (output, bound)) in bulk.outputs.iter().zip(bound).enumerate() {
        let opened = open(cx, number, output, bound, bulk, base);
        base = cx.code.name_int("cells", exprs.add(base, opened.cells));
        outputs.push(opened);
    }
    let mut clauses = Vec::new();
    clauses_of(&bulk.steps, &mut Vec::new(), &mut Vec::new(), &mut clauses);
    let instances = list::list(cx, &outputs, &clauses, bulk, base)?;
    let states = gaps::marks(cx, Expr::Var(instances.count));
    let group = Group { outputs, clauses, instances, states, depth };
    group.outputs.iter().for_each(|output| name_recs(cx, &group, output));
    demand_all(cx, &group)?;
    let names = bulk.outputs.iter().flat_map(|output| rec_names(&output.kind));
    names.for_each(|var| drop(cx.recs.remove(var)));
    for (bound, output) in bound.iter().zip(group.outputs) {
        bind(cx, output, bound);
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

/// The depth of the next recursive bulk form: no array that can be demanded in it has the same depth. Some may be in
/// boxes, so only the run knows their depth.
fn next_depth(cx: &mut Lower<'_>) -> Expr {
    let exprs = cx.code.exprs;
    if cx.recs.is_empty() && !cx.may_stop {
        return expr::int(1);
    }
    cx.code.name_int("depth", exprs.add(exprs.op(Op::Attempts), expr::int(1)))
}

fn open<'b>(
    cx: &mut Builder<'_>,
    number: usize,
    output: &'b Output,
    bound: &Bound,
    bulk: &Bulk,
    base: Expr,
) -> RecOutput<'b> {
    let exprs = cx.code.exprs;
    let kind = &output.kind;
    if let (false, Kind::Gen { shape, .. }) = (output.sizes.is_empty(), kind) {
        let rows = appended::open(cx, output);
        let arrivals = arrivals::open(cx, shape, &rows);
        let cells = dims::capacity(cx, shape);
        return RecOutput { kind, shape: shape.clone(), cells, base, values: Values::Appended(rows, arrivals) };
    }
    let (shape, arrays) = match kind {
        Kind::Gen { shape, .. } => (shape.clone(), new_cells(cx, output, shape, bound)),
        Kind::Update { arrays: old, .. } => {
            let Some(first) = old.first() else { base::bug!("an update of nothing") };
            let dims = cx.src.ty(*first).dims();
            let arrays = form::elems(cx, output).into_iter().zip(old.iter().map(|var| copied(cx, *var))).collect();
            let used = subscripts(&bulk.steps, number).unwrap_or(dims.len());
            (dims[..used.min(dims.len())].to_vec(), arrays)
        }
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => {
            base::bug!("a recursive group has an output that is no array");
        }
    };
    let cells = dims::capacity(cx, &shape);
    // Where descriptors count rows, the first cell need not have the number 0.
    let base = if is_jagged(&shape) {
        let (first, _) = dims::span_of(cx, &shape);
        cx.code.name_int("base", exprs.sub(base, first))
    } else {
        base
    };
    RecOutput { kind, shape, cells, base, values: Values::Placed(arrays) }
}

fn new_cells(cx: &mut Builder<'_>, output: &Output, shape: &[Dim], bound: &Bound) -> Vec<(Elem, Array)> {
    let exprs = cx.code.exprs;
    let elems = form::elems(cx, output);
    let count = dims::capacity(cx, shape);
    let mut new = |(elem, var): (Elem, &Var)| {
        let buffer = cx.code.alloc("cells", elem.prim, exprs.capacity(count, elem.row));
        let array = dims::packed(cx, buffer, expr::int(0), cx.src.ty(*var).dims());
        (elem, Array { whole: true, ..array })
    };
    elems.into_iter().zip(&bound.elems).map(&mut new).collect()
}

fn copied(cx: &mut Builder<'_>, var: Var) -> Array {
    let from = vector::array(cx, var);
    copying::copy(cx, &from, cx.src.ty(var).dims())
}

/// Gives the names of an output what their readers see.
fn name_recs(cx: &mut Builder<'_>, group: &Group<'_>, output: &RecOutput<'_>) {
    let names = rec_names(output.kind).iter();
    match &output.values {
        Values::Placed(arrays) => {
            for (var, (elem, array)) in names.zip(arrays) {
                name_rec(cx, *var, group, output, (Rep::Array(array.clone()), elem.row, None));
            }
        }
        Values::Appended(rows, arrivals) => {
            let desc = |offsets: K| Rep::Desc(Desc::in_memory(offsets, expr::int(0)));
            let descs = rows.sizes.iter().map(|level| desc(level.offsets));
            let data = rows.elems.iter().map(|column| Rep::Array(Array::at(column.buffer, expr::int(0))));
            for (var, rep) in names.zip(descs.chain(data)) {
                name_rec(cx, *var, group, output, (rep, expr::int(0), Some(arrivals.number)));
            }
        }
    }
}

fn name_rec(
    cx: &mut Builder<'_>,
    var: Var,
    group: &Group<'_>,
    output: &RecOutput<'_>,
    (rep, row, number): (Rep, Expr, Option<K>),
) {
    let rec = RecArray {
        array: RecArray::memory(&rep),
        dims: cx.src.ty(var).dims().to_vec(),
        cell_dims: Some(output.shape.len()),
        row,
        cells: output.cells,
        base: output.base,
        owner: group.instances.owner,
        states: group.states,
        number,
        depth: group.depth,
    };
    cx.recs.insert(var, rec);
    cx.homes.bind_unused(var, rep);
}

/// Binds what the output binds, in the order of places.
fn bind(cx: &mut Builder<'_>, output: RecOutput<'_>, bound: &Bound) {
    match output.values {
        Values::Placed(arrays) => {
            for (var, (_, array)) in bound.elems.iter().zip(arrays) {
                cx.homes.bind(*var, Rep::Array(array));
            }
        }
        Values::Appended(rows, arrivals) => {
            let (sizes, elems) = arrivals::in_place_order(cx, &rows, &arrivals, &output.shape);
            appended::bind(cx, sizes, elems, bound);
        }
    }
}

/// Computes all instances.
fn demand_all(cx: &mut Lower<'_>, group: &Group<'_>) -> Low<()> {
    let exprs = cx.code.exprs;
    let stack = cx.code.growing("stack", Prim::I64);
    let top = cx.code.variable("top", expr::int(0));
    let waiting = Waiting { stack, top };
    cx.count_loop("j", Expr::Var(group.instances.count), |cx, j| {
        push(cx, waiting, j);
        cx.while_loop(exprs.lt(expr::int(0), Expr::Var(top)), |cx| {
            let at = exprs.sub(Expr::Var(top), expr::int(1));
            let k = cx.code.name_int("k", exprs.load(stack, at));
            cx.branch(
                state_is(exprs, group.states, k, DONE),
                |cx| {
                    cx.code.set(top, at);
                    Ok(())
                },
                |cx| compute(cx, group, waiting, k),
            )
        })
    })
}

/// Computes the instance on top of the stack, or pushes the one that it needs.
fn compute(cx: &mut Lower<'_>, group: &Group<'_>, waiting: Waiting, k: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.code.store(group.states, k, expr::byte(RUNNING));
    let stopped = cx.code.declare("stopped", Prim::I64);
    attempt(cx, stopped, group, k)?;
    cx.branch(
        exprs.lt(Expr::Var(stopped), expr::int(0)),
        |cx| {
            cx.code.store(group.states, k, expr::byte(DONE));
            cx.code.set(waiting.top, exprs.sub(Expr::Var(waiting.top), expr::int(1)));
        },
        |cx| needed(cx, stopped, group, waiting),
    );
    Ok(())
}

fn push(cx: &mut Builder<'_>, Waiting { stack, top }: Waiting, number: Expr) {
    let exprs = cx.code.exprs;
    let used = Expr::Var(top);
    let needed = exprs.add(used, expr::int(1));
    cx.code.grow(stack, used, needed);
    cx.code.store(stack, used, number);
    cx.code.set(top, needed);
}

/// Tries to compute an instance.
fn attempt(cx: &mut Lower<'_>, stopped: K, group: &Group<'_>, k: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let outer = std::mem::replace(&mut cx.code.in_parallel, true);
    cx.code.open();
    let clause = cx.code.name_int("clause", exprs.load(group.instances.clause, k));
    let cell = cx.code.name_int("cell", exprs.load(group.instances.cell, k));
    for (number, source) in group.clauses.iter().enumerate() {
        let is = exprs.eq(clause, expr::int(number as i64));
        cx.when(is, |cx| evaluate(cx, group, source, k, cell))?;
    }
    for (number, output) in group.outputs.iter().enumerate() {
        if let Kind::Gen { otherwise: Some(value), .. } = output.kind {
            let is = exprs.eq(clause, expr::int((group.clauses.len() + number) as i64));
            cx.when(is, |cx| evaluate_otherwise(cx, output, value, group.instances.owner, k))?;
        }
    }
    let body = cx.code.close();
    cx.code.in_parallel = outer;
    cx.code.emit(Stm::Try { stopped, body });
    Ok(())
}

/// Computes the value of an instance of a clause and writes it.
fn evaluate(cx: &mut Lower<'_>, group: &Group<'_>, clause: &Clause<'_>, k: Expr, cell: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let (instances, value) = (&group.instances, &clause.emit.value);
    let env = cx.code.name_int("env", exprs.mul(k, expr::int(instances.width)));
    for (i, var) in clause.indices.iter().enumerate() {
        let index = exprs.load(instances.env, exprs.add(env, expr::int(i as i64)));
        cx.bind_scalar(*var, index);
    }
    let mut mentions = cx.mentions();
    mentions.block(value);
    let used: Vec<Atom> = mentions.found.iter().copied().map(Atom::Var).collect();
    let lets = needed_lets(cx, clause);
    scope::items(cx, &lets, &used, |m, stm| m.stm(stm), |cx, stm| (cx.lower_stm)(cx, stm))?;
    cx.code.span = clause.emit.span;
    let output = &group.outputs[clause.emit.output];
    let place = cx.code.name_int("place", exprs.sub(cell, output.base));
    match (&output.values, output.kind) {
        (Values::Placed(arrays), Kind::Gen { .. }) => values::put(cx, arrays, place, value),
        (Values::Placed(_), _) => {
            // Of several values for one cell the last one is stored; the others are computed all the same.
            let reps = scope::open_block(cx, value)?;
            let last = exprs.eq(exprs.load(instances.owner, cell), k);
            cx.when(last, |cx| write_cell(cx, output, place, &reps));
            cx.code.close_inline();
            Ok(())
        }
        (Values::Appended(rows, arrivals), _) => {
            // The attempt may stop before the value is complete: it is appended only afterwards.
            let reps = scope::open_block(cx, value)?;
            arrivals::note(cx, rows, arrivals, place);
            appended::append(cx, rows, reps, &value.result);
            cx.code.close_inline();
            Ok(())
        }
    }
}

fn write_cell(cx: &mut Builder<'_>, output: &RecOutput<'_>, place: Expr, reps: &[Rep]) {
    let exprs = cx.code.exprs;
    let Values::Placed(arrays) = &output.values else { base::bug!("rows have no cells") };
    for ((elem, array), rep) in arrays.iter().zip(reps) {
        let at = exprs.add(array.offset, exprs.mul(place, elem.row));
        let at = cx.code.name_int("slot", at);
        copying::write(cx, array.buffer, at, rep, &elem.dims);
    }
}

/// Computes the value of all cells that no clause defines.
fn evaluate_otherwise(cx: &mut Lower<'_>, output: &RecOutput<'_>, value: &Block, owner: K, k: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let owned = |place: Expr| exprs.eq(exprs.load(owner, exprs.add(output.base, place)), k);
    let reps = scope::open_block(cx, value)?;
    match &output.values {
        Values::Placed(_) => cx.count_loop("place", output.cells, |cx, place| {
            cx.when(owned(place), |cx| write_cell(cx, output, place, &reps));
        }),
        Values::Appended(rows, arrivals) => {
            arrivals::note_all(cx, rows, arrivals, ("place", output.cells), owned);
            appended::append(cx, rows, reps, &value.result);
        }
    }
    cx.code.close_inline();
    Ok(())
}

/// An attempt stopped: the instance that it needs comes first.
fn needed(cx: &mut Builder<'_>, stopped: K, group: &Group<'_>, waiting: Waiting) {
    let exprs = cx.code.exprs;
    let value = Expr::Var(stopped);
    if group.depth != expr::int(1) {
        // It may be a cell of a recursive array around this one: that attempt stops, too.
        let other = exprs.ne(exprs.rem(value, expr::int(DEPTHS)), group.depth);
        cx.when(other, |cx| cx.code.emit(Stm::Stop(value)));
    }
    let next = cx.code.name_int("next", exprs.div(value, expr::int(DEPTHS)));
    cx.code.open();
    cycle::depends_on_itself(cx, next, waiting, group);
    let fail = cx.code.close();
    cx.code.emit(Stm::If(state_is(exprs, group.states, next, RUNNING), fail, Vec::new()));
    push(cx, waiting, next);
}

/// All clauses with what is bound around them, in order.
fn clauses_of<'b>(steps: &'b [Step], indices: &mut Vec<Var>, lets: &mut Vec<&'b CoreStm>, out: &mut Vec<Clause<'b>>) {
    let outer = lets.len();
    for step in steps {
        match step {
            Step::Let(stm) => lets.push(stm),
            Step::Guard(_, body) => clauses_of(body, indices, lets, out),
            Step::For { var, body, .. } => {
                indices.push(*var);
                clauses_of(body, indices, lets, out);
                indices.pop();
            }
            Step::Scan(_) => base::bug!("a running combination in a recursive form"),
            Step::Emit(emit) => out.push(Clause { emit, indices: indices.clone(), lets: lets.clone() }),
        }
    }
    lets.truncate(outer);
}

/// The bindings around a clause that its value needs.
fn needed_lets<'b>(cx: &Builder<'_>, clause: &Clause<'b>) -> Vec<&'b CoreStm> {
    let mut mentions = cx.mentions();
    mentions.block(&clause.emit.value);
    let mut lets = Vec::new();
    for stm in clause.lets.iter().rev() {
        if stm.vars.iter().any(|v| mentions.found.contains(v)) {
            mentions.stm(stm);
            lets.push(*stm);
        }
    }
    lets.reverse();
    lets
}

/// How many subscripts the values of an output have.
fn subscripts(steps: &[Step], number: usize) -> Option<usize> {
    steps.iter().find_map(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => subscripts(body, number),
        Step::Emit(emit) if emit.output == number => Some(emit.at.len()),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
    })
}
