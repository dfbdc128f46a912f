//! Bulk forms: the walk through the index space. Values are gathered first; what is made of them comes afterwards.

use super::columns::Columns;
use super::levels::{self, Level};
use super::machine::Machine;
use super::sink::{Combined, NOBODY, Sink, Walk};
use super::stop::Run;
use super::val::Val;
use base::Map;
use fault::Argument;
use ir::tree::both;
use ir::{Atom, Bulk, Coverage, Emit, Kind, Output, Step, Type, Var};
use scalar::{Prim, Scalar};

impl<'p> Machine<'p> {
    pub(super) fn bulk(&mut self, vars: &[Var], bulk: &'p Bulk) -> Run<()> {
        let recursive = bulk.outputs.iter().any(|output| !output.rec().is_empty());
        let mut sinks = Vec::with_capacity(bulk.outputs.len());
        for output in &bulk.outputs {
            sinks.push(self.sink(output, recursive)?);
        }
        let instances = recursive.then(Vec::new);
        let mut walk = Walk { sinks, instances, running: Map::default(), turns: Vec::new(), path: Vec::new() };
        self.steps(&bulk.steps, &mut walk)?;
        let Walk { sinks, instances, .. } = walk;
        let sinks = match instances {
            Some(instances) => self.recursive(sinks, instances, bulk.scheduled)?,
            None => sinks,
        };
        self.finish(vars, sinks)
    }

    fn sink(&mut self, output: &'p Output, recursive: bool) -> Run<Sink<'p>> {
        let prims = output.elems.iter().map(|elem| self.ty(*elem).prim().unwrap_or(Prim::Bool));
        let columns = Columns::new(output.sizes.len(), prims);
        let (mut outer, mut old, mut owner) = (Vec::new(), Vec::new(), Vec::new());
        let mut combined = Combined::default();
        match &output.kind {
            Kind::Gen { shape, otherwise: _, coverage: _, rec: _ } => {
                outer = self.levels_of(shape)?;
                owner = self.no_owners(&outer)?;
            }
            Kind::Update { arrays, .. } | Kind::Accum { arrays, .. } => {
                for array in arrays {
                    old.push(self.array(*array)?.clone());
                }
                if let (Some(array), Some(elem)) = (arrays.first(), output.elems.first()) {
                    let dims = self.ty(*array).dims();
                    let depth = dims.len().checked_sub(self.ty(*elem).dims().len());
                    match depth.and_then(|depth| dims.get(..depth)) {
                        Some(dims) => outer = self.levels_of(dims)?,
                        None => return self.internal("values of more dimensions than the arrays have"),
                    }
                }
                if recursive {
                    owner = self.no_owners(&outer)?;
                } else {
                    // They would be shared with those under their names, and could not be changed in place.
                    old.clear();
                }
            }
            Kind::Reduce { neutral, .. } => combined.now = Some(self.atoms(neutral)?),
            Kind::Keep => {}
        }
        Ok(Sink { output, outer, owner, places: Vec::new(), turns: (Vec::new(), 0), combined, old, columns })
    }

    fn no_owners(&self, outer: &[Level]) -> Run<Vec<usize>> {
        let total = levels::total(outer);
        // Rows without elements are walked through, too.
        let rows = (0..outer.len()).map(|depth| levels::total(&outer[..depth])).max();
        self.afford(total.max(rows.unwrap_or(0)), size_of::<usize>())?;
        Ok(vec![NOBODY; total])
    }

    fn steps(&mut self, steps: &'p [Step], walk: &mut Walk<'p>) -> Run<()> {
        let mark = walk.path.len();
        for step in steps {
            match step {
                Step::For { var, count, body, .. } => {
                    walk.path.push(*var);
                    self.turns(*var, self.int(*count)?, body, walk)?;
                    walk.path.pop();
                }
                Step::Let(stm) => {
                    self.stm(stm)?;
                    walk.path.extend(&stm.vars);
                }
                Step::Guard(cond, body) => {
                    if self.truth(*cond)? {
                        self.steps(body, walk)?;
                    }
                }
                Step::Scan(scan) => {
                    self.running(scan, walk)?;
                    walk.path.extend(&scan.vars);
                }
                Step::Emit(emit) => self.emit(emit, walk)?,
            }
        }
        self.forget(&walk.path[mark..]);
        walk.path.truncate(mark);
        Ok(())
    }

    fn turns(&mut self, var: Var, count: i64, body: &'p [Step], walk: &mut Walk<'p>) -> Run<()> {
        let depth = walk.turns.len();
        self.enter_loop(depth, count, &mut walk.sinks);
        for i in 0..count {
            walk.turns.push((i as usize, count as usize));
            self.next_turn(&walk.turns, &mut walk.sinks)?;
            self.bind(var, Val::Scalar(Scalar::I64(i)))?;
            self.steps(body, walk)?;
            walk.turns.pop();
        }
        self.leave_loop(depth, &mut walk.sinks)
    }

    fn emit(&mut self, emit: &'p Emit, walk: &mut Walk<'p>) -> Run<()> {
        let before = std::mem::replace(&mut self.span, emit.span);
        self.certs(&emit.certs)?;
        let Some(sink) = walk.sinks.get_mut(emit.output) else { return self.internal("a value for no output") };
        if let Some(place) = self.place_of(sink, &emit.at)? {
            match &mut walk.instances {
                Some(instances) => {
                    if let Some(owner) = sink.owner.get_mut(place) {
                        *owner = instances.len();
                    }
                    instances.push(self.instance(emit, place, &walk.path));
                }
                None => {
                    let vals = self.block(&emit.value)?;
                    let turn = walk.turns.first().map_or(0, |(turn, _)| *turn);
                    self.take_at(sink, place, turn, vals)?;
                }
            }
        }
        self.span = before;
        Ok(())
    }

    /// Hands a value to an output.
    fn take_at(&mut self, sink: &mut Sink<'p>, place: usize, turn: usize, vals: Vec<Val>) -> Run<()> {
        if let Kind::Reduce { op, .. } = &sink.output.kind {
            let before = sink.combined.now.take();
            sink.combined.now = both(before, Some(vals), &mut |a, b| self.combine(op, a, b))?;
            return Ok(());
        }
        self.take(sink, vals)?;
        let slot = sink.columns.count - 1;
        match &sink.output.kind {
            Kind::Gen { .. } => sink.owner[place] = slot,
            Kind::Update { .. } => sink.places.push((place, slot)),
            Kind::Accum { .. } => {
                sink.places.push((place, slot));
                sink.turns.0.push(turn);
            }
            Kind::Reduce { .. } | Kind::Keep => {}
        }
        Ok(())
    }

    /// Adds a value to those of an output.
    pub(super) fn take(&self, sink: &mut Sink<'p>, vals: Vec<Val>) -> Run<()> {
        if !sink.columns.push(vals) {
            return self.internal("a value that its output cannot take");
        }
        // A look at the size every now and then is enough.
        if sink.columns.count.is_multiple_of(4096) { self.afford(sink.columns.bytes(), 1) } else { Ok(()) }
    }

    /// The place that subscripts lead to: 0 where there are none. None if the value is to be skipped.
    fn place_of(&self, sink: &Sink<'p>, at: &[Atom]) -> Run<Option<usize>> {
        let skip = match &sink.output.kind {
            Kind::Gen { .. } => false,
            Kind::Update { skip, .. } | Kind::Accum { skip, .. } => *skip,
            Kind::Reduce { .. } | Kind::Keep => return Ok(Some(0)),
        };
        let subscripts = self.subscripts(at)?;
        let place = levels::place(&sink.outer, &subscripts).filter(|_| subscripts.len() == sink.outer.len());
        let Some(place) = place else {
            if skip {
                return Ok(None);
            }
            return self.internal(format!("subscript {subscripts:?} lies outside, and no check excludes it"));
        };
        match &sink.output.kind {
            Kind::Gen { coverage, .. } if sink.owner.get(place) != Some(&NOBODY) => match coverage {
                Coverage::Checked { collision, called, .. } => {
                    let args = at.iter().chain(called).map(|a| self.argument(*a)).collect::<Run<Vec<Argument>>>()?;
                    self.fail_at(*collision, &args, self.span)
                }
                Coverage::Exact => self.internal(format!("element {subscripts:?} is defined twice, unchecked")),
            },
            _ => Ok(Some(place)),
        }
    }

    fn subscripts(&self, at: &[Atom]) -> Run<Vec<i64>> {
        match at {
            [Atom::Var(vector)] if matches!(self.ty(*vector), Type::Array(..)) => Ok(self.numbers(*vector)?.to_vec()),
            _ => self.ints(at),
        }
    }
}
