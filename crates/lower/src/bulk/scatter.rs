//! Replacing elements of arrays, or combining them with values, in parallel, with the same result as one after the other.
//!
//! Each loop of the form goes one of four ways:
//!
//! - Its turns write to places of their own, because a subscript moves with the loop: turns in any order.
//! - It is cheap: every thread takes the whole loop and a range of places, and writes only what falls into that. So
//!   writes to one place stay in order, and no result depends on the number of ranges.
//! - Its values are costly, or see the old arrays: values and places are computed first, in parallel, each in a slot of
//!   its own; then they are written, by ranges again.
//! - How many values a turn gives is unknown: one after the other.

use super::Sink;
use super::form::CHEAP_BLOCK;
use super::form::{Bound, Elem};
use super::update::UpdateSink;
use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::mentions::{heavy_block, heavy_lets, heavy_steps};
use crate::rep::{Array, Rep};
use base::Set;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Output, Program, Step, Var};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::{BinOp, Prim};

/// So many writes make several threads worth it.
const LEAST_WRITES: i64 = 32768;

/// Values with their places, each in a slot.
struct Batch {
    /// How many slots there are.
    count: Expr,
    /// The number of the element that a value is for; negative where the slot is empty.
    places: K,
    /// For each component, the values.
    values: Vec<K>,
}

/// Where the values of one turn go.
pub(crate) struct SlotSink {
    /// The dimensions of the arrays, and how many of them subscripts select from.
    dims: Vec<Dim>,
    skip: bool,
    values: Vec<(Elem, Array)>,
    places: K,
    /// The next slot.
    next: K,
}

/// Whether a bulk form writes at single subscripts, as many for all values.
pub(super) fn fits(program: &Program, bulk: &Bulk) -> bool {
    let [Output { kind: Kind::Update { arrays, .. } | Kind::Accum { arrays, .. }, .. }] = &bulk.outputs[..] else {
        return false;
    };
    let mut emits = Vec::new();
    emits_of(&bulk.steps, &mut emits);
    let single = |a: &Atom| a.var().is_none_or(|v| program.ty(v).dims().is_empty());
    bulk.steps.iter().any(|step| matches!(step, Step::For { .. }))
        && arrays.iter().all(|a| is_regular(program.ty(*a).dims()))
        && emits.iter().all(|emit| emit.at.len() == emits[0].at.len() && emit.at.iter().all(single))
}

fn emits_of<'b>(steps: &'b [Step], out: &mut Vec<&'b Emit>) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => emits_of(body, out),
            Step::Let(_) => {}
            Step::Emit(emit) => out.push(emit),
        }
    }
}

/// Whether different turns of a loop write to different places: a subscript is the same for all values of a turn, and
/// is the loop's variable or differs from that by what is constant in the loop.
fn writes_disjoint(var: Var, body: &[Step]) -> bool {
    let mut emits = Vec::new();
    emits_of(body, &mut emits);
    let inside = bound_in(body);
    let constant = |a: &Atom| a.var().is_none_or(|v| v != var && !inside.contains(&v));
    let is_var = |a: &Atom| a.var() == Some(var);
    let moves = |atom: &Atom| {
        is_var(atom)
            || body.iter().any(|step| match step {
                Step::Let(stm) if stm.vars.first().copied() == atom.var() && atom.var().is_some() => match &stm.exp {
                    Exp::Bin(BinOp::Add, Prim::I64, a, b) => is_var(a) && constant(b) || constant(a) && is_var(b),
                    Exp::Bin(BinOp::Sub, Prim::I64, a, b) => is_var(a) && constant(b) || constant(a) && is_var(b),
                    Exp::Atom(a) => is_var(a),
                    _ => false,
                },
                _ => false,
            })
    };
    let Some((first, others)) = emits.split_first() else {
        return true;
    };
    (0..first.at.len()).any(|d| moves(&first.at[d]) && others.iter().all(|e| e.at[d] == first.at[d]))
}

/// What steps bind.
fn bound_in(steps: &[Step]) -> Set<Var> {
    let mut out = Set::default();
    for step in steps {
        match step {
            Step::For { var, body, .. } => {
                out.insert(*var);
                out.extend(bound_in(body));
            }
            Step::Guard(_, body) => out.extend(bound_in(body)),
            Step::Let(stm) => out.extend(stm.vars.iter().copied()),
            Step::Emit(_) => {}
        }
    }
    out
}

/// Whether every thread may take all turns of a loop: that costs little, and which check fails first does not depend on
/// who writes which value.
fn cheap(body: &[Step]) -> bool {
    let mut emits = Vec::new();
    emits_of(body, &mut emits);
    !heavy_lets(body) && emits.iter().all(|e| !heavy_block(&e.value) && !may_fail(&e.value))
}

/// Whether combining old elements with values may fail. Which failure is reported must not depend on who combines what.
fn combining_fails(target: &UpdateSink<'_>) -> bool {
    target.op.is_some_and(|op| may_fail(&op.body))
}

fn may_fail(block: &Block) -> bool {
    block.stms.iter().any(|stm| match &stm.exp {
        Exp::Assert { .. } => true,
        Exp::If(_, then, otherwise) => may_fail(then) || may_fail(otherwise),
        _ => false,
    })
}

/// Whether every turn gives as many values as there are slots.
fn gives_all(body: &[Step]) -> bool {
    body.iter().all(|step| match step {
        Step::Guard(..) => false,
        Step::For { body, .. } => gives_all(body),
        Step::Let(_) | Step::Emit(_) => true,
    })
}

/// Whether the number of values is known before a step begins.
fn counted(step: &Step) -> bool {
    match step {
        Step::For { var, body, .. } => counted_in(body, &mut Set::from_iter([*var])),
        other => counted_in(std::slice::from_ref(other), &mut Set::default()),
    }
}

/// The same for steps, some of whose variables are not known before.
fn counted_in(steps: &[Step], unknown: &mut Set<Var>) -> bool {
    steps.iter().all(|step| match step {
        Step::For { var, count, body } => {
            unknown.insert(*var);
            known(count, unknown) && counted_in(body, unknown)
        }
        Step::Guard(_, body) => counted_in(body, unknown),
        Step::Let(stm) => {
            if !computed_before(stm, unknown) {
                unknown.extend(stm.vars.iter().copied());
            }
            true
        }
        Step::Emit(_) => true,
    })
}

fn known(atom: &Atom, unknown: &Set<Var>) -> bool {
    atom.var().is_none_or(|v| !unknown.contains(&v))
}

/// Whether a binding is arithmetic of what is known before the steps begin.
fn computed_before(stm: &ir::Stm, unknown: &Set<Var>) -> bool {
    let arithmetic = matches!(
        stm.exp,
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..)
    );
    let mut all = arithmetic && stm.certs.is_empty();
    stm.exp.for_each_part(&mut |part| {
        if let Part::Atom(atom) = part {
            all &= known(atom, unknown);
        }
    });
    all
}

impl Lower<'_> {
    /// A bulk form of this kind.
    pub(super) fn by_scatter(&mut self, bound: &[Bound], bulk: &Bulk) -> Low<()> {
        let ([output], [own]) = (&bulk.outputs[..], bound) else {
            return self.by_walk(bound, bulk);
        };
        let (arrays, skip, op) = match &output.kind {
            Kind::Update { arrays, skip, .. } => (arrays, *skip, None),
            Kind::Accum { arrays, skip, op } => (arrays, *skip, Some(op)),
            Kind::Gen { .. } | Kind::Reduce { .. } | Kind::Scan { .. } | Kind::Keep => {
                return self.by_walk(bound, bulk);
            }
        };
        let target = self.open_writes(output, arrays, skip, op)?;
        let memory = target.memory();
        let reads = self.reads_memory(&memory, bulk);
        let packed = memory.iter().all(Array::is_row_major);
        if reads && (combining_fails(&target) || !packed || !bulk.steps.iter().all(counted)) {
            return self.by_walk(bound, bulk);
        }
        self.code.open();
        let mut batches = Vec::new();
        let results: Vec<Atom> = own.elems.iter().copied().map(Atom::Var).collect();
        self.items(
            &bulk.steps,
            &results,
            |m, step| m.step(step),
            |this, step| match step {
                Step::Let(stm) => this.stm(stm),
                step if reads => {
                    let batch = this.collect(&target, step)?;
                    // It lives until everything is written.
                    batch.buffers().for_each(|b| {
                        this.code.disown(b);
                    });
                    batches.push(batch);
                    Ok(())
                }
                step => this.write_step(&target, packed, step),
            },
        )?;
        batches.iter().flat_map(Batch::buffers).for_each(|b| self.code.own(b));
        for batch in &batches {
            self.write_batch(&target, batch)?;
        }
        for (var, array) in own.elems.iter().zip(memory) {
            self.homes.bind(*var, Rep::Array(array));
        }
        self.close_keeping(bound);
        Ok(())
    }

    /// Writes the values of a step, which see nothing of what is written.
    pub(super) fn write_step(&mut self, target: &UpdateSink<'_>, packed: bool, step: &Step) -> Low<()> {
        let mut sinks = [Sink::Update(target.clone())];
        match step {
            step if combining_fails(target) => self.steps(std::slice::from_ref(step), &mut sinks, false),
            Step::For { var, count, body } if writes_disjoint(*var, body) => {
                let (count, name) = (self.homes.scalar(*count), self.src.vars[*var].name.as_str());
                let block = if heavy_steps(body) { 1 } else { CHEAP_BLOCK };
                self.parallel_loop(name, count, block, |this, i| {
                    this.homes.bind(*var, Rep::Scalar(i));
                    this.steps(body, &mut sinks, false)
                })
            }
            Step::For { var, count, body } if cheap(body) => self.write_in_ranges(target, (*var, *count, body)),
            Step::For { .. } if packed && counted(step) => {
                self.code.open();
                let batch = self.collect(target, step)?;
                self.write_batch(target, &batch)?;
                self.code.close_inline();
                Ok(())
            }
            step => self.steps(std::slice::from_ref(step), &mut sinks, false),
        }
    }

    /// A loop that every thread takes whole, each for a range of places.
    fn write_in_ranges(&mut self, target: &UpdateSink<'_>, (var, count, body): (Var, Atom, &[Step])) -> Low<()> {
        let turns = self.homes.scalar(count);
        let nested = body.iter().any(|s| matches!(s, Step::For { .. }));
        let many = if nested { expr::truth(true) } else { expr::le(expr::int(LEAST_WRITES), turns.clone()) };
        let name = self.src.vars[var].name.as_str();
        self.each_range(target, many, |this, range| {
            let mut sinks = [Sink::Update(target.within(range))];
            this.count_loop(name, turns, |this, i| {
                this.homes.bind(var, Rep::Scalar(i));
                this.steps(body, &mut sinks, false)
            })
        })
    }

    /// Cuts the elements that subscripts select into ranges, as many as there are threads if there is much to write.
    fn each_range(
        &mut self,
        target: &UpdateSink<'_>,
        many: Expr,
        work: impl FnOnce(&mut Self, (Expr, Expr)) -> Low<()>,
    ) -> Low<()> {
        let cells = self.count(target.subscripted())?;
        let ranges = self.code.name_int("ranges", expr::select(many, Expr::Threads, expr::int(1)));
        let length = expr::add(expr::div(cells, ranges.clone()), expr::int(1));
        let length = self.code.name_int("length", length);
        self.for_loop("r", expr::int(0), ranges, Mode::Parallel, |this, r| {
            let low = this.code.name_int("low", expr::mul(r, length.clone()));
            let high = this.code.name_int("high", expr::add(low.clone(), length));
            work(this, (low, high))
        })
    }

    /// The values of a step and their places.
    fn collect(&mut self, target: &UpdateSink<'_>, step: &Step) -> Low<Batch> {
        let mut unknown = Set::default();
        let (turns, body) = match step {
            Step::For { var, count, body } => {
                unknown.insert(*var);
                (self.homes.scalar(*count), &body[..])
            }
            other => (expr::int(1), std::slice::from_ref(other)),
        };
        let turns = self.code.name_int("turns", expr::max(turns, expr::int(0)));
        let most = self.most_values(body, &mut unknown)?;
        let count = self.code.name_int("count", expr::capacity(turns.clone(), most.clone()));
        let places = self.code.alloc("places", Prim::I64, count.clone());
        let mut values = Vec::new();
        for elem in target.elems() {
            let buffer = self.code.alloc("values", elem.prim, expr::capacity(count.clone(), elem.row.clone()));
            values.push((elem, Array::at(buffer, expr::int(0))));
        }
        let batch = Batch { count, places, values: values.iter().map(|(_, array)| array.buffer).collect() };
        let (dims, skip) = (target.dims().to_vec(), target.skip);
        let block = if heavy_steps(body) { 1 } else { CHEAP_BLOCK };
        self.parallel_loop("turn", turns, block, |this, i| {
            let first = this.code.name_int("first", expr::mul(i.clone(), most.clone()));
            let next = this.code.variable("slot", first.clone());
            if let Step::For { var, .. } = step {
                this.homes.bind(*var, Rep::Scalar(i));
            }
            let mut sinks = [Sink::Slots(SlotSink { dims, skip, values, places, next })];
            this.steps(body, &mut sinks, false)?;
            if gives_all(body) && !skip {
                return Ok(());
            }
            let end = expr::add(first, most);
            this.for_loop("k", Expr::Var(next), end, Mode::Sequential, |this, k| {
                this.code.emit(Stm::Store { buffer: places, at: k, value: expr::int(-1) });
                Ok(())
            })
        })?;
        Ok(batch)
    }

    /// How many values steps give at most. What that depends on is computed here, before its time.
    fn most_values(&mut self, steps: &[Step], unknown: &mut Set<Var>) -> Low<Expr> {
        let mut most = expr::int(0);
        for step in steps {
            let more = match step {
                Step::Let(stm) if computed_before(stm, unknown) => {
                    self.stm(stm)?;
                    continue;
                }
                Step::Let(stm) => {
                    unknown.extend(stm.vars.iter().copied());
                    continue;
                }
                Step::Emit(_) => expr::int(1),
                Step::Guard(_, body) => self.most_values(body, unknown)?,
                Step::For { var, count, body } => {
                    unknown.insert(*var);
                    let turns = self.homes.scalar(*count);
                    let turns = self.code.name_int("turns", expr::max(turns, expr::int(0)));
                    expr::capacity(turns, self.most_values(body, unknown)?)
                }
            };
            most = self.code.name_int("most", expr::capacity_sum(most, more));
        }
        Ok(most)
    }

    pub(super) fn put_in_slot(&mut self, sink: &SlotSink, emit: &Emit) -> Low<()> {
        let at = self.homes.scalars(&emit.at);
        if !sink.skip {
            return self.fill_slot(sink, &at, emit);
        }
        self.if_inside(&sink.dims, &at, 0, &mut |this| this.fill_slot(sink, &at, emit))
    }

    fn fill_slot(&mut self, sink: &SlotSink, at: &[Expr], emit: &Emit) -> Low<()> {
        let place = self.place(&sink.dims[..at.len()], at)?;
        let next = Expr::Var(sink.next);
        self.code.emit(Stm::Store { buffer: sink.places, at: next.clone(), value: place });
        self.put(&sink.values, next.clone(), &emit.value)?;
        self.code.emit(Stm::Set(sink.next, expr::add(next, expr::int(1))));
        Ok(())
    }

    /// Writes values to their places, in order.
    fn write_batch(&mut self, target: &UpdateSink<'_>, batch: &Batch) -> Low<()> {
        let elems = target.elems();
        let many = expr::le(expr::int(LEAST_WRITES), batch.count.clone());
        self.each_range(target, many, |this, (low, high)| {
            this.count_loop("k", batch.count.clone(), |this, k| {
                let place = this.code.name_int("place", expr::load(batch.places, k.clone()));
                let mine = expr::and(expr::le(low, place.clone()), expr::lt(place.clone(), high));
                this.when(mine, |this| {
                    let values = this.read_all(&batch.values, &elems, k)?;
                    let mut views = Vec::new();
                    for (array, elem) in target.memory().iter().zip(&elems) {
                        let at = expr::add(array.offset.clone(), expr::mul(place.clone(), elem.row.clone()));
                        views.push(Array::at(array.buffer, this.code.name_int("slot", at)));
                    }
                    this.write_values(target, &views, values)
                })
            })
        })
    }
}

impl Batch {
    fn buffers(&self) -> impl Iterator<Item = K> {
        self.values.iter().copied().chain([self.places])
    }
}
