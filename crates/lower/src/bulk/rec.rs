//! Recursive arrays, by demand.
//!
//! First all instances of all clauses are listed, which tells who defines which cell. Then they are computed in that
//! order, each in an attempt: a value that needs a cell which is not there yet stops the attempt with the number of the
//! instance that defines it; that one is computed first and the attempt made again. A stack in memory holds the instances
//! that wait, so that long chains cost no stack of the machine. An instance that is needed while it waits needs itself.

use super::form::Bound;
use super::rec_cycle::Waiting;
use super::rec_data::{Clause, DEPTHS, DONE, RUNNING, RecOutput, rec_names, state_is};
use super::rec_list::Instances;
use crate::Low;
use crate::context::Lower;
use crate::dims::is_jagged;
use crate::expr;
use crate::rec_array::RecArray;
use crate::rep::{Array, Rep};
use ir::{Block, Bulk, Kind, Output, Step, Stm as CoreStm, Var};
use kernel::{Expr, Stm, Type as KType, Var as K};
use scalar::{Prim, Scalar};

impl Lower<'_> {
    /// Lowers a bulk form whose values read the arrays that it makes.
    pub fn recursive(&mut self, bound: &[Bound], bulk: &Bulk) -> Low<()> {
        self.code.open();
        let depth = self.next_depth();
        let mut outputs = Vec::new();
        let mut base = expr::int(0);
        for (number, (output, bound)) in bulk.outputs.iter().zip(bound).enumerate() {
            let opened = self.open_rec(number, output, bound, bulk, base.clone())?;
            base = self.code.name_int("cells", expr::add(base, opened.cells.clone()));
            outputs.push(opened);
        }
        let mut clauses = Vec::new();
        clauses_of(&bulk.steps, &mut Vec::new(), &mut Vec::new(), &mut clauses);
        let instances = self.list_instances(&outputs, &clauses, bulk, base)?;
        let states = self.marks(Expr::Var(instances.count))?;
        let outer = self.rec_depth.replace(depth);
        self.name_recs(&outputs, &bulk.outputs, &instances, states);
        let done = self.demand_all(&outputs, &clauses, &instances, states);
        self.rec_depth = outer;
        self.forget_recs(&bulk.outputs);
        done?;
        for (bound, output) in bound.iter().zip(outputs) {
            if let Some(rows) = &output.rows {
                self.bind_rec_rows(rows, bound)?;
            }
            for (var, (_, array)) in bound.elems.iter().zip(output.arrays) {
                self.homes.bind(*var, Rep::Array(array));
            }
        }
        self.close_keeping(bound);
        Ok(())
    }

    fn open_rec<'b>(
        &mut self,
        number: usize,
        output: &'b Output,
        bound: &Bound,
        bulk: &Bulk,
        base: Expr,
    ) -> Low<RecOutput<'b>> {
        if let (false, Kind::Gen { shape, .. }) = (output.sizes.is_empty(), &output.kind) {
            let rows = Some(self.open_rows(output, false)?);
            let cells = self.capacity(shape)?;
            return Ok(RecOutput { kind: &output.kind, shape: shape.clone(), cells, base, arrays: Vec::new(), rows });
        }
        let elems = self.elems(output)?;
        let mut arrays = Vec::new();
        let shape = match &output.kind {
            Kind::Gen { shape, .. } => {
                let count = self.capacity(shape)?;
                for (elem, var) in elems.into_iter().zip(&bound.elems) {
                    let buffer = self.code.alloc("cells", elem.prim, expr::capacity(count.clone(), elem.row.clone()));
                    let array = self.packed(buffer, expr::int(0), self.src.ty(*var).dims())?;
                    arrays.push((elem, Array { whole: true, ..array }));
                }
                shape.clone()
            }
            Kind::Update { arrays: old, .. } => {
                let Some(first) = old.first() else {
                    base::bug!("an update of nothing");
                };
                let dims = self.src.ty(*first).dims().to_vec();
                for (elem, var) in elems.into_iter().zip(old) {
                    let from = self.array(*var)?;
                    let own = self.src.ty(*var).dims();
                    let copy = self.copy(&from, own)?;
                    arrays.push((elem, copy));
                }
                let used = subscripts(&bulk.steps, number).unwrap_or(dims.len());
                dims[..used.min(dims.len())].to_vec()
            }
            Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Scan { .. } | Kind::Keep => {
                base::bug!("a recursive group has an output that is no array");
            }
        };
        let cells = self.capacity(&shape)?;
        // Where descriptors count rows, the first cell need not have the number 0.
        let base = match is_jagged(&shape) {
            true => {
                let (first, _) = self.span_of(&shape)?;
                self.code.name_int("base", expr::sub(base, first))
            }
            false => base,
        };
        Ok(RecOutput { kind: &output.kind, shape, cells, base, arrays, rows: None })
    }

    fn name_recs(&mut self, outputs: &[RecOutput<'_>], bulk: &[Output], instances: &Instances, states: K) {
        for (output, source) in outputs.iter().zip(bulk) {
            let names = rec_names(&source.kind);
            if let Some(rows) = &output.rows {
                self.name_rec_rows(names, rows, output, instances, states);
            }
            for (var, (elem, array)) in names.iter().zip(&output.arrays) {
                let rec = self.rec_array_of(*var, array.clone(), elem.row.clone(), output, instances, states);
                self.recs.insert(*var, rec);
                self.homes.bind_unused(*var, Rep::Array(array.clone()));
            }
        }
    }

    pub(super) fn rec_array_of(
        &self,
        var: Var,
        array: Array,
        row: Expr,
        output: &RecOutput<'_>,
        instances: &Instances,
        states: K,
    ) -> RecArray {
        RecArray {
            array,
            dims: self.src.ty(var).dims().to_vec(),
            cell_dims: Some(output.shape.len()),
            row,
            cells: output.cells.clone(),
            base: output.base.clone(),
            owner: instances.owner,
            states,
            number: None,
            depth: self.depth(),
        }
    }

    /// The depth of the innermost recursive bulk form.
    fn depth(&self) -> Expr {
        self.rec_depth.clone().unwrap_or(expr::int(0))
    }

    fn forget_recs(&mut self, outputs: &[Output]) {
        for output in outputs {
            rec_names(&output.kind).iter().for_each(|var| {
                self.recs.remove(var);
            });
        }
    }

    /// Computes all instances.
    fn demand_all(
        &mut self,
        outputs: &[RecOutput<'_>],
        clauses: &[Clause<'_>],
        instances: &Instances,
        states: K,
    ) -> Low<()> {
        let stack = self.growing("stack", KType::Buffer(Prim::I64));
        let top = self.code.variable("top", expr::int(0));
        self.count_loop("j", Expr::Var(instances.count), |this, j| {
            this.push_instance(stack, top, j);
            this.code.open();
            let at = expr::sub(Expr::Var(top), expr::int(1));
            let k = this.code.name_int("k", expr::load(stack, at));
            this.branch(
                state_is(states, k.clone(), DONE),
                |this| {
                    this.code.emit(Stm::Set(top, expr::sub(Expr::Var(top), expr::int(1))));
                    Ok(())
                },
                |this| {
                    set_state(this, states, k.clone(), RUNNING);
                    let stopped = this.code.declare("stopped", Prim::I64);
                    this.attempt(stopped, outputs, clauses, instances, k.clone())?;
                    let ended = expr::lt(Expr::Var(stopped), expr::int(0));
                    this.branch(
                        ended,
                        |this| {
                            set_state(this, states, k.clone(), DONE);
                            this.code.emit(Stm::Set(top, expr::sub(Expr::Var(top), expr::int(1))));
                            Ok(())
                        },
                        |this| this.needed(stopped, (outputs, clauses), instances, states, stack, top),
                    )
                },
            )?;
            let body = this.code.close();
            this.code.emit(Stm::While { head: Vec::new(), cond: expr::lt(expr::int(0), Expr::Var(top)), body });
            Ok(())
        })
    }

    fn push_instance(&mut self, stack: K, top: K, number: Expr) {
        let (used, span) = (Expr::Var(top), self.code.span);
        let needed = expr::add(used.clone(), expr::int(1));
        self.code.emit(Stm::Grow { buffer: stack, used: used.clone(), needed: needed.clone(), span });
        self.code.emit(Stm::Store { buffer: stack, at: used, value: number });
        self.code.emit(Stm::Set(top, needed));
    }

    /// Tries to compute an instance.
    fn attempt(
        &mut self,
        stopped: K,
        outputs: &[RecOutput<'_>],
        clauses: &[Clause<'_>],
        instances: &Instances,
        k: Expr,
    ) -> Low<()> {
        let outer = std::mem::replace(&mut self.in_parallel, true);
        self.code.open();
        let clause = self.code.name_int("clause", expr::load(instances.clause, k.clone()));
        let cell = self.code.name_int("cell", expr::load(instances.cell, k.clone()));
        for (number, source) in clauses.iter().enumerate() {
            let is = expr::eq(clause.clone(), expr::int(number as i64));
            self.when(is, |this| this.evaluate(outputs, source, instances, &k, &cell))?;
        }
        for (number, output) in outputs.iter().enumerate() {
            if let Kind::Gen { otherwise: Some(value), .. } = output.kind {
                let is = expr::eq(clause.clone(), expr::int((clauses.len() + number) as i64));
                self.when(is, |this| this.evaluate_otherwise(output, value, instances, &k))?;
            }
        }
        let body = self.code.close();
        self.in_parallel = outer;
        self.code.emit(Stm::Try { stopped, body });
        Ok(())
    }

    /// Computes the value of an instance of a clause and writes it.
    fn evaluate(
        &mut self,
        outputs: &[RecOutput<'_>],
        clause: &Clause<'_>,
        instances: &Instances,
        k: &Expr,
        cell: &Expr,
    ) -> Low<()> {
        let env = self.code.name_int("env", expr::mul(k.clone(), expr::int(instances.width)));
        for (i, var) in clause.indices.iter().enumerate() {
            let index = expr::load(instances.env, expr::add(env.clone(), expr::int(i as i64)));
            let index = self.code.name_int(self.src.vars[*var].name.as_str(), index);
            self.homes.bind(*var, Rep::Scalar(index));
        }
        let mut mentions = self.mentions();
        mentions.block(&clause.emit.value);
        let used: Vec<ir::Atom> = mentions.found.iter().copied().map(ir::Atom::Var).collect();
        let lets = needed_lets(self, clause);
        self.items(&lets, &used, |m, stm| m.stm(stm), |this, stm| this.stm(stm))?;
        self.code.span = clause.emit.span;
        let Some(output) = outputs.get(clause.emit.output) else {
            base::bug!("a value for an output that is not there");
        };
        let place = self.code.name_int("place", expr::sub(cell.clone(), output.base.clone()));
        if let Some(rows) = &output.rows {
            return self.add_rec_rows(rows, place, &clause.emit.value);
        }
        if let Kind::Gen { .. } = output.kind {
            return self.put(&output.arrays, place, &clause.emit.value);
        }
        // Of several values for one cell the last stands; the others are computed all the same.
        let reps = self.open_block(&clause.emit.value)?;
        let last = expr::eq(expr::load(instances.owner, cell.clone()), k.clone());
        self.when(last, |this| this.write_cell(output, place, &reps))?;
        self.code.close_inline();
        Ok(())
    }

    fn write_cell(&mut self, output: &RecOutput<'_>, place: Expr, reps: &[Rep]) -> Low<()> {
        for ((elem, array), rep) in output.arrays.iter().zip(reps) {
            let at = expr::add(array.offset.clone(), expr::mul(place.clone(), elem.row.clone()));
            let at = self.code.name_int("slot", at);
            self.write(array.buffer, at, rep, &elem.dims)?;
        }
        Ok(())
    }

    /// Computes the value of all cells that no clause defines.
    fn evaluate_otherwise(
        &mut self,
        output: &RecOutput<'_>,
        value: &Block,
        instances: &Instances,
        k: &Expr,
    ) -> Low<()> {
        if let Some(rows) = &output.rows {
            return self.add_other_rec_rows(rows, output, value, instances.owner, k);
        }
        let reps = self.open_block(value)?;
        self.count_loop("place", output.cells.clone(), |this, place| {
            let cell = expr::add(output.base.clone(), place.clone());
            let owned = expr::eq(expr::load(instances.owner, cell), k.clone());
            this.when(owned, |this| this.write_cell(output, place, &reps))
        })?;
        self.code.close_inline();
        Ok(())
    }

    /// An attempt stopped: what it needs comes first.
    fn needed(
        &mut self,
        stopped: K,
        (outputs, clauses): (&[RecOutput<'_>], &[Clause<'_>]),
        instances: &Instances,
        states: K,
        stack: K,
        top: K,
    ) -> Low<()> {
        let value = Expr::Var(stopped);
        let depth = self.depth();
        if depth != expr::int(1) {
            // It may be a cell of a recursive array around this one: that attempt stops, too.
            let other = expr::ne(expr::rem(value.clone(), expr::int(DEPTHS)), depth);
            self.when(other, |this| {
                this.code.emit(Stm::Stop(value.clone()));
                Ok(())
            })?;
        }
        let next = self.code.name_int("next", expr::div(value, expr::int(DEPTHS)));
        self.code.open();
        self.depends_on_itself(&next, Waiting { stack, top }, (outputs, clauses), instances)?;
        let fail = self.code.close();
        self.code.emit(Stm::If(state_is(states, next.clone(), RUNNING), fail, Vec::new()));
        self.push_instance(stack, top, next);
        Ok(())
    }
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
            Step::Emit(emit) => out.push(Clause { emit, indices: indices.clone(), lets: lets.clone() }),
        }
    }
    lets.truncate(outer);
}

/// The bindings around a clause that its value needs.
fn needed_lets<'b>(lower: &Lower<'_>, clause: &Clause<'b>) -> Vec<&'b CoreStm> {
    let mut mentions = lower.mentions();
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
        Step::Let(_) | Step::Emit(_) => None,
    })
}

fn set_state(lower: &mut Lower<'_>, states: K, instance: Expr, state: u8) {
    lower.code.emit(Stm::Store { buffer: states, at: instance, value: Expr::Const(Scalar::U8(state)) });
}
