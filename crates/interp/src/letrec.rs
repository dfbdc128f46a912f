//! Recursive arrays, computed by demand.
//!
//! First all instances of all clauses are listed, which tells which instance defines which element: subscripts, bounds
//! and guards do not depend on the arrays. Then the values are computed in that order. A value that asks for an element
//! which is not there yet stops with [`Stop::Need`]; the driver computes that element first and tries again. So the
//! depth of a chain of elements costs no stack, and an element that is asked for while it is being computed depends on
//! itself.

use crate::cells::{cell_of, position_of, show_element, subscripts_of, write};
use crate::code::*;
use crate::data::{Column, Layout, NOBODY, RecArray, Value};
use crate::error::{Eval, Need, Stop};
use crate::faults;
use crate::machine::Machine;
use crate::rtype::RtType;
use base::bug;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How far an instance is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Untouched,
    Running,
    Done,
}

/// One instance of a clause, with what it needs to be computed.
struct Instance<'c> {
    /// None for `else`.
    element: Option<&'c ElementCode>,
    /// Where its variables' values begin in the environment.
    env: usize,
    /// Where its value goes: the cell, or a position at its own depth.
    position: usize,
    progress: Cell<Progress>,
}

/// One array of a group under construction.
struct Job<'c> {
    array: Rc<RecArray>,
    code: &'c RecCode,
    instances: Vec<Instance<'c>>,
    env: Vec<Value>,
}

impl<'p> Machine<'p> {
    /// Computes the arrays and leaves them in their slots.
    #[inline(never)]
    pub fn let_rec(&mut self, code: &LetRecCode) -> Eval<()> {
        let mut jobs = Vec::with_capacity(code.arrays.len());
        for array in &code.arrays {
            jobs.push(match &array.kind {
                RecKind::Array(by) => self.prepare_array(array, by)?,
                RecKind::Update(update) => self.prepare_update(array, update)?,
            });
        }
        for job in &jobs {
            self.set(job.code.slot, Value::Rec(job.array.clone()));
        }
        let mut work = Vec::new();
        for (j, job) in jobs.iter().enumerate() {
            for i in 0..job.instances.len() {
                work.push((j, i));
                self.compute(&jobs, &mut work)?;
            }
        }
        let results = jobs.into_iter().map(|job| Ok((job.code.slot, self.result(job)?))).collect::<Eval<Vec<_>>>()?;
        results.into_iter().for_each(|(slot, value)| self.set(slot, value));
        Ok(())
    }

    fn prepare_array<'c>(&mut self, code: &'c RecCode, by: &'c ArrayByCode) -> Eval<Job<'c>> {
        let (extents, total) = self.extents(&by.shape, by.span)?;
        let ty = self.rt_type(&by.ty);
        let elem = Rc::new(ty.below(extents.len()).clone());
        let mut owner = vec![NOBODY; total];
        let mut instances = Vec::new();
        let mut env = Vec::new();
        let mut subscripts = Vec::new();
        let depth = extents.len();
        self.instances_of(&by.clauses, &mut |machine, element| {
            machine.subscripts(&element.subscripts, &mut subscripts, element.span)?;
            let cell = cell_of(&extents, &subscripts, element.span)?;
            if owner[cell] != NOBODY {
                return Err(faults::collision(&show_element(&subscripts), element.span));
            }
            owner[cell] = instances.len() as u32;
            machine.remember(element, cell, &mut instances, &mut env);
            Ok(())
        })?;
        if let Some(gap) = owner.iter().position(|o| *o == NOBODY) {
            if by.otherwise.is_none() {
                let missing = owner.iter().filter(|o| **o == NOBODY).count();
                return Err(faults::gap(&show_element(&subscripts_of(&extents, gap)), missing, by.together, by.span));
            }
            // `else` depends on no index: one instance defines all that is left.
            let number = instances.len() as u32;
            owner.iter_mut().filter(|o| **o == NOBODY).for_each(|o| *o = number);
            let progress = Cell::new(Progress::Untouched);
            instances.push(Instance { element: None, env: env.len(), position: gap, progress });
        }
        let array = RecArray {
            name: code.name,
            span: by.span,
            layout: Layout::Dense(extents),
            depth,
            owner: RefCell::new(owner),
            subscripts: RefCell::new(vec![depth as u32; instances.len()]),
            values: RefCell::new(vec![Value::Unset; instances.len()]),
            elem,
        };
        Ok(Job { array: Rc::new(array), code, instances, env })
    }

    fn prepare_update<'c>(&mut self, code: &'c RecCode, update: &'c UpdateCode) -> Eval<Job<'c>> {
        let Value::Array(old) = self.eval(&update.array)? else {
            return Err(faults::subscript_count(1, 0, update.span));
        };
        let mut instances = Vec::new();
        let mut env = Vec::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut subscripts = Vec::new();
        self.instances_of(&update.clauses, &mut |machine, element| {
            machine.subscripts(&element.subscripts, &mut subscripts, element.span)?;
            let position = position_of(&old, &subscripts, element.span)?;
            counts.push(subscripts.len() as u32);
            machine.remember(element, position, &mut instances, &mut env);
            Ok(())
        })?;
        let depth = counts.iter().copied().max().unwrap_or(1).max(1) as usize;
        let array = RecArray {
            name: code.name,
            span: update.span,
            layout: Layout::Like(old),
            depth,
            owner: RefCell::new(Vec::new()),
            subscripts: RefCell::new(counts),
            values: RefCell::new(vec![Value::Unset; instances.len()]),
            elem: Rc::new(RtType::Boxed),
        };
        array.own_cells(instances.iter().map(|i| i.position));
        Ok(Job { array: Rc::new(array), code, instances, env })
    }

    /// Like [`Machine::each_element`], with clauses that may be kept.
    fn instances_of<'c>(
        &mut self,
        clauses: &'c [ClauseCode],
        each: &mut dyn FnMut(&mut Machine<'p>, &'c ElementCode) -> Eval<()>,
    ) -> Eval<()> {
        for clause in clauses {
            match clause {
                ClauseCode::Element(element) => {
                    self.qualified(&element.quals, &mut |machine: &mut Machine<'p>| each(machine, element))?;
                }
                ClauseCode::Group { quals, clauses } => {
                    self.qualified(quals, &mut |machine: &mut Machine<'p>| machine.instances_of(clauses, each))?;
                }
            }
        }
        Ok(())
    }

    fn remember<'c>(
        &self,
        element: &'c ElementCode,
        position: usize,
        instances: &mut Vec<Instance<'c>>,
        env: &mut Vec<Value>,
    ) {
        let progress = Cell::new(Progress::Untouched);
        instances.push(Instance { element: Some(element), env: env.len(), position, progress });
        env.extend(element.env.iter().map(|slot| self.slot(*slot).clone()));
    }

    /// Computes an instance, the only one in `work`, and whatever it needs.
    fn compute(&mut self, jobs: &[Job<'_>], work: &mut Vec<(usize, usize)>) -> Eval<()> {
        while let Some((j, i)) = work.last().copied() {
            let job = &jobs[j];
            let instance = &job.instances[i];
            if instance.progress.get() == Progress::Done {
                work.pop();
                continue;
            }
            instance.progress.set(Progress::Running);
            let mark = self.mark();
            match self.instance_value(job, instance) {
                Ok(Value::Rec(other)) => {
                    return Err(faults::whole_rec(other.name.as_str(), job.array.span));
                }
                Ok(value) => {
                    job.array.values.borrow_mut()[i] = value;
                    instance.progress.set(Progress::Done);
                    work.pop();
                }
                Err(Stop::Error(error)) => return Err(Stop::Error(error)),
                Err(Stop::Need(need)) => {
                    self.rewind(mark);
                    work.push(self.needed(jobs, work, need)?);
                }
            }
        }
        Ok(())
    }

    fn instance_value(&mut self, job: &Job<'_>, instance: &Instance<'_>) -> Eval<Value> {
        match (instance.element, &job.code.kind) {
            (Some(element), _) => {
                let values = &job.env[instance.env..instance.env + element.env.len()];
                for (slot, value) in element.env.iter().zip(values) {
                    self.set(*slot, value.clone());
                }
                self.eval(&element.value)
            }
            (None, RecKind::Array(ArrayByCode { otherwise: Some(otherwise), .. })) => self.eval(otherwise),
            (None, _) => Err(faults::internal("an instance without a clause", job.array.span)),
        }
    }

    /// The instance to be computed first; an array of another group is computed by the evaluation of that group.
    fn needed(&self, jobs: &[Job<'_>], work: &[(usize, usize)], need: Box<Need>) -> Eval<(usize, usize)> {
        let Some(j) = jobs.iter().position(|job| Rc::ptr_eq(&job.array, &need.array)) else {
            // It will try again from the start, so nothing here is under way any more.
            work.iter().for_each(|(j, i)| jobs[*j].instances[*i].progress.set(Progress::Untouched));
            return Err(Stop::Need(need));
        };
        let next = (j, need.instance as usize);
        if jobs[j].instances[next.1].progress.get() == Progress::Running {
            let Some(from) = work.iter().position(|w| *w == next) else {
                bug!("an element is under way, but not among those that are");
            };
            let chain: Vec<String> = work[from..].iter().map(|w| jobs[w.0].element_name(w.1)).collect();
            let span = jobs[j].instances[next.1].element.map_or(jobs[j].array.span, |e| e.span);
            return Err(faults::cycle(&chain, span));
        }
        Ok(next)
    }

    /// The finished array.
    fn result(&mut self, job: Job<'_>) -> Eval<Value> {
        let Job { array, code, instances, .. } = job;
        let values = std::mem::take(&mut *array.values.borrow_mut());
        match (&array.layout, &code.kind) {
            (Layout::Dense(extents), RecKind::Array(by)) => {
                let owner = std::mem::take(&mut *array.owner.borrow_mut());
                let cells = owner.iter().map(|o| values[*o as usize].clone()).collect();
                self.cells_array(extents, cells, &by.ty, by.span)
            }
            (Layout::Like(old), _) => {
                let mut whole = Value::Array(old.clone());
                let depths = array.subscripts.borrow();
                for ((instance, value), depth) in instances.iter().zip(values).zip(depths.iter()) {
                    let span = instance.element.map_or(array.span, |e| e.span);
                    write(&mut whole, *depth as usize, instance.position, value, span)?;
                }
                Ok(whole)
            }
            (Layout::Dense(_), RecKind::Update(_)) => Err(faults::internal("an update without its array", array.span)),
        }
    }
}

impl Job<'_> {
    /// An element as messages write it: `a[1, 2]`.
    fn element_name(&self, instance: usize) -> String {
        let position = self.instances[instance].position;
        let subscripts = match &self.array.layout {
            Layout::Dense(extents) => subscripts_of(extents, position),
            Layout::Like(old) => {
                let depth = self.array.subscripts.borrow()[instance] as usize;
                let (mut columns, mut column) = (vec![], &old.rows);
                for _ in 1..depth {
                    columns.push(column);
                    column = column.inner();
                }
                subscripts_in(&columns, position)
            }
        };
        format!("{}{}", self.array.name, show_element(&subscripts))
    }
}

/// The subscripts that lead to a position below nested columns.
fn subscripts_in(columns: &[&Column], position: usize) -> Vec<i64> {
    let mut at = position;
    let mut out = Vec::with_capacity(columns.len() + 1);
    for column in columns.iter().rev() {
        let (row, start) = match column {
            Column::Regular(m, _) => (at / (*m).max(1), at / (*m).max(1) * m),
            Column::Jagged(offsets, _) => {
                let row = offsets.partition_point(|o| *o <= at).max(1) - 1;
                (row, offsets[row])
            }
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => (at, at),
        };
        out.push((at - start) as i64);
        at = row;
    }
    out.push(at as i64);
    out.reverse();
    out
}
