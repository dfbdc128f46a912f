//! Recursive arrays, by demand.
//!
//! The walk lists all instances of all clauses, which tells which instance defines which element. Then the values are
//! computed in that order. A value that reads an element which is not computed yet stops with [`Stop::Need`]; that
//! element is computed first, and the value is tried again. So a chain of elements costs no stack, however long, and an
//! element that is asked for while it is being computed depends on itself.

use super::finish::element_arguments;
use super::levels;
use super::machine::Machine;
use super::sink::{Instance, NOBODY, Progress, Recursive, Sink};
use super::stop::{self, Need, Run, Stop};
use super::val::{RecName, Val};
use base::Name;
use fault::Argument;
use fault::message::{self, SHOWN_CHAIN};
use ir::{Coverage, Emit, Kind, Var};

impl<'p> Machine<'p> {
    /// An instance with what it needs to be computed later.
    pub(super) fn instance(&mut self, emit: &'p Emit, place: usize, path: &[Var]) -> Instance<'p> {
        let program = self.program;
        let needed = self.needed.entry(std::ptr::from_ref(emit)).or_insert_with(|| {
            let free = emit.value.free(&program.vars);
            path.iter().copied().filter(|var| free.contains(var)).collect()
        });
        let env = needed.clone();
        let env = env.iter().filter_map(|var| self.get(*var).ok().map(|val| (*var, val.clone()))).collect();
        let progress = Progress::Untouched;
        Instance { output: emit.output, place, value: &emit.value, env, span: emit.span, progress }
    }

    /// Computes all instances; the sinks with their values. If they are scheduled, in order.
    pub(super) fn recursive(
        &mut self,
        mut sinks: Vec<Sink<'p>>,
        mut instances: Vec<Instance<'p>>,
        scheduled: bool,
    ) -> Run<Vec<Sink<'p>>> {
        for (output, sink) in sinks.iter_mut().enumerate() {
            if let Some(rest) = self.otherwise(output, sink, instances.len())? {
                instances.push(rest);
            }
        }
        let serial = self.recs.len();
        for (output, sink) in sinks.iter().enumerate() {
            for (component, name) in sink.output.rec().iter().enumerate() {
                self.set(*name, Val::Rec(RecName { serial, output, component }));
            }
        }
        let names: Vec<Var> = sinks.iter().flat_map(|sink| sink.output.rec()).copied().collect();
        self.recs.push(Recursive { sinks, slots: vec![NOBODY; instances.len()] });
        let computed =
            (0..instances.len()).try_for_each(|wanted| self.compute(serial, &mut instances, wanted, scheduled));
        let mut state = self.recs.drain(serial..);
        let made = state.next();
        drop(state);
        self.forget(&names);
        computed?;
        match made {
            Some(made) => Ok(settle(made, &instances)),
            None => self.internal("recursive arrays got lost"),
        }
    }

    /// The instance that defines all elements which no other does.
    fn otherwise(&self, output: usize, sink: &mut Sink<'p>, number: usize) -> Run<Option<Instance<'p>>> {
        let (Some(place), Kind::Gen { otherwise: Some(value), .. }) = (self.first_gap(sink)?, &sink.output.kind) else {
            return Ok(None);
        };
        sink.owner.iter_mut().filter(|owner| **owner == NOBODY).for_each(|owner| *owner = number);
        let (env, progress) = (Vec::new(), Progress::Untouched);
        Ok(Some(Instance { output, place, value, env, span: self.span, progress }))
    }

    /// Computes an instance and whatever it needs.
    fn compute(&mut self, serial: usize, instances: &mut [Instance<'p>], wanted: usize, scheduled: bool) -> Run<()> {
        let mut work = vec![wanted];
        while let Some(number) = work.last().copied() {
            let instance = &mut instances[number];
            if instance.progress == Progress::Done {
                work.pop();
                continue;
            }
            instance.progress = Progress::Running;
            let frame_span = std::mem::replace(&mut self.span, instance.span);
            instance.env.iter().for_each(|(var, val)| self.set(*var, val.clone()));
            let result = self.block(instance.value);
            instance.env.iter().for_each(|(var, _)| self.set(*var, Val::Unbound));
            match result {
                Ok(vals) => {
                    instance.progress = Progress::Done;
                    self.keep(serial, number, instance.output, vals)?;
                    work.pop();
                }
                Err(Stop::Need(need)) if need.serial == serial && scheduled => {
                    return self.internal("an element is read before it is there, against the schedule");
                }
                Err(Stop::Need(need)) if need.serial == serial => self.demand(instances, *need, &mut work)?,
                Err(stop) => return Err(stop),
            }
            self.span = frame_span;
        }
        Ok(())
    }

    fn keep(&mut self, serial: usize, number: usize, output: usize, vals: Vec<Val>) -> Run<()> {
        let Some(state) = self.recs.get_mut(serial) else { return self.internal("recursive arrays got lost") };
        let columns = &mut state.sinks[output].columns;
        let fits = columns.push(vals);
        state.slots[number] = columns.count - 1;
        if fits { Ok(()) } else { self.internal("a value that its output cannot take") }
    }

    /// Puts what is needed before what needs it; ends the run if that is under way already.
    fn demand(&mut self, instances: &[Instance<'p>], need: Need, work: &mut Vec<usize>) -> Run<()> {
        let running = |number: &usize| instances[*number].progress == Progress::Running;
        match need.instances.iter().find(|number| running(number)) {
            Some(number) => {
                // Others wait between those that need one another.
                let chain = work.iter().skip_while(|other| *other != number).filter(|other| running(other));
                let chain: Vec<&Instance> = chain.map(|number| &instances[*number]).collect();
                self.cycle(need.serial, &chain)
            }
            None => {
                work.extend(need.instances.iter().rev());
                Ok(())
            }
        }
    }

    fn array_name(&self, sink: &Sink<'p>) -> Name {
        sink.output.rec().last().map_or(Name::new(""), |rec| self.program.vars[*rec].name)
    }

    fn cycle(&self, serial: usize, chain: &[&Instance<'p>]) -> Run<()> {
        let (Some(state), Some(first)) = (self.recs.get(serial), chain.first()) else {
            return self.internal("recursive arrays got lost");
        };
        let names: Vec<Name> = state.sinks.iter().map(|sink| self.array_name(sink)).collect();
        let sink = &state.sinks[first.output];
        match &sink.output.kind {
            Kind::Gen { shape, coverage: Coverage::Checked { cycle, called, .. }, .. } => {
                let Some(site) = self.program.sites.get(*cycle) else {
                    return self.internal("a check without a site");
                };
                let mut args = element_arguments(shape, &sink.outer, first.place);
                let mut site = site.narrowed(first.span);
                site.message.notes.push(message::chain(&names, args.len()));
                args.extend(chain_arguments(&state.sinks, chain));
                if let Some(called) = called {
                    args.push(self.argument(*called)?);
                }
                Err(stop::at_site(&site, &args).into())
            }
            Kind::Gen { .. } | Kind::Update { .. } => {
                let note = message::chain(&names, 0).fill(&chain_arguments(&state.sinks, chain));
                let subscripts = levels::subscripts(&sink.outer, first.place);
                Err(stop::cycle(names[first.output], &subscripts, note, first.span).into())
            }
            Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => {
                self.internal("a value was asked for that has no name")
            }
        }
    }
}

/// Records which value every place has, now that all are computed.
fn settle<'p>(made: Recursive<'p>, instances: &[Instance<'p>]) -> Vec<Sink<'p>> {
    let Recursive { mut sinks, slots } = made;
    for (instance, slot) in instances.iter().zip(&slots) {
        let sink = &mut sinks[instance.output];
        match &sink.output.kind {
            Kind::Update { .. } | Kind::Accum { .. } => sink.places.push((instance.place, *slot)),
            Kind::Gen { .. } | Kind::Reduce { .. } | Kind::Keep => {}
        }
    }
    for sink in &mut sinks {
        sink.owner.iter_mut().for_each(|owner| *owner = slots.get(*owner).copied().unwrap_or(NOBODY));
        // The old arrays are no longer referred to, so they can be changed in place.
        sink.old.clear();
    }
    sinks
}

/// What [`message::chain`] wants to know.
fn chain_arguments(sinks: &[Sink<'_>], chain: &[&Instance<'_>]) -> Vec<Argument> {
    let shown = || chain.iter().take(SHOWN_CHAIN);
    let missing = SHOWN_CHAIN - shown().count();
    let mut arguments = vec![Argument::Number(chain.len().min(SHOWN_CHAIN + 1) as i64)];
    arguments.extend(shown().map(|i| Argument::Numbers(levels::subscripts(&sinks[i.output].outer, i.place))));
    arguments.extend((0..missing).map(|_| Argument::Numbers(Vec::new())));
    arguments.extend(shown().map(|i| Argument::Number(i.output as i64)));
    arguments
}
