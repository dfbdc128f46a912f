//! What is said of an element that depends on itself.

use super::rec_data::{Clause, RecOutput, rec_names};
use super::rec_list::Instances;
use crate::Low;
use crate::context::Lower;
use crate::expr;
use base::{Name, Span};
use fault::message::{self, SHOWN_CHAIN};
use fault::{Site, Text};
use ir::{Coverage, Dim, Kind};
use kernel::{Expr, FailArg, SiteId, Stm, Var as K};
use scalar::Prim;

/// The instances that wait, in memory.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub stack: K,
    pub top: K,
}

impl Lower<'_> {
    /// Ends the run, because an instance is needed that waits for others.
    pub(super) fn depends_on_itself(
        &mut self,
        next: &Expr,
        waiting: Waiting,
        (outputs, clauses): (&[RecOutput<'_>], &[Clause<'_>]),
        instances: &Instances,
    ) -> Low<()> {
        let names: Vec<Name> = outputs.iter().map(|output| self.array_name(output.kind)).collect();
        let chain = self.chain(next, waiting, (outputs, clauses), instances)?;
        let cell = self.code.name_int("cell", expr::load(instances.cell, next.clone()));
        let clause = self.code.name_int("clause", expr::load(instances.clause, next.clone()));
        for (number, (output, span)) in outputs_of(outputs, clauses).enumerate() {
            let Some(output) = outputs.get(output) else { continue };
            let is = expr::eq(clause.clone(), expr::int(number as i64));
            self.when(is, |this| {
                let place = this.code.name_int("place", expr::sub(cell.clone(), output.base.clone()));
                let mut args = this.subscript_args(&output.shape, place)?;
                let site = this.cycle_site(output.kind, args.len(), &names, span);
                args.extend(chain.iter().cloned());
                if let Kind::Gen { coverage: Coverage::Checked { called: Some(called), .. }, .. } = output.kind {
                    args.push(this.fail_arg(*called)?);
                }
                this.code.emit(Stm::Fail { site, args });
                // What the message needed in memory is given back by the failure.
                this.code.innermost().owned.clear();
                Ok(())
            })?;
        }
        Ok(())
    }

    fn array_name(&self, kind: &Kind) -> Name {
        rec_names(kind).last().map_or(Name::new(""), |var| self.src.vars[*var].name)
    }

    /// What [`message::chain`] wants to know: the elements from this one on that wait for one another.
    fn chain(
        &mut self,
        next: &Expr,
        Waiting { stack, top }: Waiting,
        (outputs, clauses): (&[RecOutput<'_>], &[Clause<'_>]),
        instances: &Instances,
    ) -> Low<Vec<FailArg>> {
        let shown = expr::int(SHOWN_CHAIN as i64);
        let from = self.code.variable("from", expr::int(0));
        let onwards = vec![Stm::Set(from, expr::add(Expr::Var(from), expr::int(1)))];
        let other = expr::ne(expr::load(stack, Expr::Var(from)), next.clone());
        self.code.emit(Stm::While { head: Vec::new(), cond: other, body: onwards });
        let count = self.code.name_int("count", expr::sub(Expr::Var(top), Expr::Var(from)));
        let mut width = expr::int(1);
        for output in outputs {
            width = expr::max(width, self.subscript_count(output)?);
        }
        let width = self.code.name_int("width", width);
        let subscripts = self.code.alloc("subscripts", Prim::I64, expr::mul(shown.clone(), width.clone()));
        let counts = self.code.alloc("counts", Prim::I64, shown.clone());
        let arrays = self.code.alloc("arrays", Prim::I64, shown.clone());
        self.count_loop("i", shown.clone(), |this, i| {
            this.code.emit(Stm::Store { buffer: counts, at: i.clone(), value: expr::int(0) });
            this.code.emit(Stm::Store { buffer: arrays, at: i.clone(), value: expr::int(0) });
            this.when(expr::lt(i.clone(), count.clone()), |this| {
                let number = this.code.name_int("k", expr::load(stack, expr::add(Expr::Var(from), i.clone())));
                let clause = this.code.name_int("clause", expr::load(instances.clause, number.clone()));
                let cell = this.code.name_int("cell", expr::load(instances.cell, number));
                for (which, output) in outputs.iter().enumerate() {
                    let of = outputs_of(outputs, clauses).enumerate().filter(|(_, (of, _))| *of == which);
                    let is = |(clause_number, _): (usize, _)| expr::eq(clause.clone(), expr::int(clause_number as i64));
                    let is = of.map(is).reduce(expr::or).unwrap_or(expr::truth(false));
                    this.when(is, |this| {
                        let place = this.code.name_int("place", expr::sub(cell.clone(), output.base.clone()));
                        let start = this.code.name_int("start", expr::mul(i.clone(), width.clone()));
                        let count = this.subscript_count(output)?;
                        this.code.emit(Stm::Store { buffer: counts, at: i.clone(), value: count });
                        this.code.emit(Stm::Store { buffer: arrays, at: i.clone(), value: expr::int(which as i64) });
                        this.store_subscripts(output, place, subscripts, start)
                    })?;
                }
                Ok(())
            })
        })?;
        let more = expr::add(shown, expr::int(1));
        let mut args = vec![FailArg::Scalar(Prim::I64, expr::min(count, more))];
        for i in 0..SHOWN_CHAIN as i64 {
            let at = expr::mul(width.clone(), expr::int(i));
            args.push(FailArg::Numbers { buffer: subscripts, at, count: expr::load(counts, expr::int(i)) });
        }
        if outputs.len() > 1 {
            let array = |i: usize| FailArg::Scalar(Prim::I64, expr::load(arrays, expr::int(i as i64)));
            args.extend((0..SHOWN_CHAIN).map(array));
        }
        Ok(args)
    }

    fn subscript_count(&mut self, output: &RecOutput<'_>) -> Low<Expr> {
        match output.shape.first() {
            Some(Dim::Shape(shape)) => Ok(self.length(*shape)),
            _ => Ok(expr::int(output.shape.len() as i64)),
        }
    }

    fn store_subscripts(&mut self, output: &RecOutput<'_>, place: Expr, to: K, start: Expr) -> Low<()> {
        for (j, arg) in self.subscript_args(&output.shape, place)?.into_iter().enumerate() {
            match arg {
                FailArg::Scalar(_, value) => {
                    let at = expr::add(start.clone(), expr::int(j as i64));
                    self.code.emit(Stm::Store { buffer: to, at, value });
                }
                FailArg::Numbers { buffer, at, count } => {
                    let start = start.clone();
                    self.count_loop("j", count, |this, j| {
                        let value = expr::load(buffer, expr::add(at, j.clone()));
                        this.code.emit(Stm::Store { buffer: to, at: expr::add(start, j), value });
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    fn cycle_site(&mut self, kind: &Kind, subscripts: usize, names: &[Name], clause: Option<Span>) -> SiteId {
        let note = message::chain(names, subscripts);
        if let Kind::Gen { coverage: Coverage::Checked { cycle, .. }, .. } = kind
            && let Some(whole) = self.code.program.sites.get(SiteId(cycle.0))
        {
            let mut site = clause.map_or(whole.clone(), |clause| whole.narrowed(clause));
            site.message.notes.push(note);
            return self.code.program.sites.push(site);
        }
        let element = Text::words(self.array_name(kind).as_str()).followed_by(message::subscripts(subscripts, 0));
        self.code.program.sites.push(Site::new(message::cycle(element).note(note), clause.unwrap_or(self.code.span)))
    }
}

/// For each clause, and behind them for each output's `otherwise`, the output and the place in the source.
fn outputs_of<'a>(
    outputs: &'a [RecOutput<'_>],
    clauses: &'a [Clause<'_>],
) -> impl Iterator<Item = (usize, Option<Span>)> + 'a {
    let of_clauses = clauses.iter().map(|c| (c.emit.output, Some(c.emit.span)));
    of_clauses.chain((0..outputs.len()).map(|output| (output, None)))
}
