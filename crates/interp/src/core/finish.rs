//! What a bulk form makes of the values of its outputs.

use super::columns::Columns;
use super::levels::{self, Level};
use super::machine::Machine;
use super::sink::{NOBODY, Sink};
use super::stop::{self, Run};
use super::val::{Desc, Val};
use crate::leaf;
use fault::Argument;
use ir::{Coverage, Dim, Kind, Output, Type, Var};
use scalar::Scalar;
use value::PrimVec;

impl<'p> Machine<'p> {
    /// Binds the results of all outputs. What consumes comes last: all others see the arrays as they were.
    pub(super) fn finish(&mut self, vars: &[Var], sinks: Vec<Sink<'p>>) -> Run<()> {
        let (mut rest, mut consuming) = (vars, Vec::new());
        for sink in sinks {
            let count = bound(sink.output).min(rest.len());
            let (own, more) = rest.split_at(count);
            rest = more;
            match &sink.output.kind {
                Kind::Gen { .. } => self.finish_gen(sink, own)?,
                Kind::Keep => {
                    let Some((count, own)) = own.split_first() else { return self.internal("no variable to bind") };
                    self.bind(*count, Val::Scalar(Scalar::I64(sink.columns.count as i64)))?;
                    let outer = [Level::Regular(sink.columns.count)];
                    self.assemble(&outer, None, sink.columns, own)?;
                }
                Kind::Reduce { .. } => match sink.combined.now {
                    Some(results) => self.bind_all(own, results)?,
                    None => return self.internal("a reduction lost its value"),
                },
                Kind::Update { .. } | Kind::Accum { .. } => consuming.push((sink, own)),
            }
        }
        if !rest.is_empty() {
            return self.internal("more variables than a bulk form has results");
        }
        let consumed: Vec<Var> = consuming.iter().flat_map(|(sink, _)| sink.output.consumes()).copied().collect();
        let mut results = Vec::with_capacity(consuming.len());
        let combined = consuming.iter().filter(|(sink, _)| matches!(sink.output.kind, Kind::Accum { .. }));
        let elements = combined.map(|(sink, _)| levels::total(&sink.outer)).max().unwrap_or(0);
        for (sink, own) in &consuming {
            if let Kind::Accum { op, tree, .. } = &sink.output.kind {
                results.push((*own, self.accumulate(op, tree, sink, elements)?));
            }
        }
        for (sink, own) in &consuming {
            if let Kind::Update { .. } = &sink.output.kind {
                results.push((*own, self.replace(sink)?));
            }
        }
        self.forget(&consumed);
        results.into_iter().try_for_each(|(own, vals)| self.bind_all(own, vals))
    }

    fn finish_gen(&mut self, mut sink: Sink<'p>, vars: &[Var]) -> Run<()> {
        if let Some(gap) = self.first_gap(&sink)? {
            let Kind::Gen { otherwise: Some(otherwise), .. } = &sink.output.kind else {
                return self.internal(format!("nothing defines place {gap}"));
            };
            let vals = self.block(otherwise)?;
            self.take(&mut sink, vals)?;
            let slot = sink.columns.count - 1;
            sink.owner.iter_mut().filter(|owner| **owner == NOBODY).for_each(|owner| *owner = slot);
        }
        self.assemble(&sink.outer, Some(&sink.owner), sink.columns, vars)
    }

    /// The first element of a `Gen` that nothing defines. Ends the run if there is one, and no `otherwise`.
    pub(super) fn first_gap(&self, sink: &Sink<'p>) -> Run<Option<usize>> {
        let Kind::Gen { shape, otherwise, coverage, rec: _ } = &sink.output.kind else { return Ok(None) };
        let Some(gap) = sink.owner.iter().position(|owner| *owner == NOBODY) else { return Ok(None) };
        if otherwise.is_some() {
            return Ok(Some(gap));
        }
        match coverage {
            Coverage::Checked { gap: site, called, .. } => {
                let missing = sink.owner.iter().filter(|owner| **owner == NOBODY).count();
                let mut args = vec![Argument::Number(missing as i64)];
                args.extend(element_arguments(shape, &sink.outer, gap));
                if let Some(called) = called {
                    args.push(self.argument(*called)?);
                }
                self.fail(*site, &args)
            }
            Coverage::Exact => self.internal(format!("nothing defines place {gap}, unchecked")),
        }
    }

    /// Binds descriptors and arrays of values, one for each place: those that `owner` says, or all in order.
    fn assemble(&mut self, outer: &[Level], owner: Option<&[usize]>, columns: Columns, vars: &[Var]) -> Run<()> {
        let places = levels::total(outer);
        let slot = |place: usize| owner.map_or(place, |owner| owner[place]);
        let (descs, arrays) = vars.split_at(columns.sizes.len().min(vars.len()));
        for (var, sizes) in descs.iter().zip(&columns.sizes) {
            let Type::Desc(dims) = self.ty(*var) else { return self.internal("sizes of values make no descriptor") };
            let levels = self.levels_of(dims)?;
            let inner = levels.get(outer.len()..).unwrap_or(&[]);
            let mut lengths = Vec::with_capacity(places);
            for place in 0..places {
                let rows = levels::span(inner, place..place + 1).map_or(0, |rows| rows.len());
                match sizes.get(slot(place)) {
                    Some(Val::Scalar(Scalar::I64(n))) if *n >= 0 => {
                        lengths.extend(std::iter::repeat_n(*n as usize, rows));
                    }
                    Some(Val::Desc(desc)) => lengths.extend(levels::lengths(&desc.offsets)),
                    Some(_) | None => return self.internal("the size of a value is negative, or no size"),
                }
            }
            if lengths.len() != levels::total(&levels) {
                return self.internal("the sizes of values do not fit one another");
            }
            let Some(offsets) = levels::offsets(lengths) else {
                return Err(stop::memory(usize::MAX, self.span).into());
            };
            self.bind(*var, Val::Desc(Desc { levels: levels.into(), offsets }))?;
        }
        let in_order = owner.is_none_or(|owner| owner.iter().copied().eq(0..columns.count));
        for (var, column) in arrays.iter().zip(columns.elems) {
            let levels = self.levels_of(self.ty(*var).dims())?;
            let inner = levels.get(outer.len()..).unwrap_or(&[]);
            let total = levels::total(&levels);
            self.afford(total, column.data.prim().bytes())?;
            for place in 0..places {
                let wanted = levels::span(inner, place..place + 1).map(|range| range.len());
                if wanted.is_none() || wanted != column.range(slot(place)).map(|range| range.len()) {
                    return self.internal(format!("a value for `{}` does not fit its dimensions", self.name(*var)));
                }
            }
            let data = if in_order {
                column.data
            } else {
                let mut data = PrimVec::zeros(column.data.prim(), total);
                let mut start = 0;
                for range in (0..places).filter_map(|place| column.range(slot(place))) {
                    leaf::overwrite(&mut data, start, &column.data, range.start, range.len());
                    start += range.len();
                }
                data
            };
            let array = self.make(levels, data)?;
            self.bind(*var, Val::Array(array))?;
        }
        Ok(())
    }
}

/// How many variables are bound for an output.
fn bound(output: &Output) -> usize {
    let sizes = output.sizes.len();
    output.elems.len()
        + match output.kind {
            Kind::Gen { .. } => sizes,
            Kind::Keep => sizes + 1,
            // The row lengths of what is replaced are those of the array, and nothing new.
            Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } => 0,
        }
}

/// The subscripts of an element for a message: one vector if the shape is one.
pub(super) fn element_arguments(shape: &[Dim], outer: &[Level], place: usize) -> Vec<Argument> {
    let subscripts = levels::subscripts(outer, place);
    match shape {
        [Dim::Shape(_)] => vec![Argument::Numbers(subscripts)],
        _ => subscripts.into_iter().map(Argument::Number).collect(),
    }
}
