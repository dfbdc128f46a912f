//! The list of all instances of the clauses of recursive arrays: which clause, for which indices, which cell.

use super::rec_data::{Clause, RecOutput};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::Rep;
use ir::{Bulk, Coverage, Emit, Kind, Step};
use kernel::{Expr, FailArg, SiteId, Stm, Type as KType, Var as K};
use scalar::Prim;

/// The instances.
pub(super) struct Instances {
    /// How many there are.
    pub count: K,
    /// For each cell, the instance that defines it, or -1.
    pub owner: K,
    /// The clause of each instance; behind the clauses, an output's `otherwise`.
    pub clause: K,
    /// The cell of each instance.
    pub cell: K,
    /// The indices of each instance.
    pub env: K,
    /// How many indices an instance has room for.
    pub width: i64,
}

impl Lower<'_> {
    /// Lists all instances.
    pub(super) fn list_instances(
        &mut self,
        outputs: &[RecOutput<'_>],
        clauses: &[Clause<'_>],
        bulk: &Bulk,
        cells: Expr,
    ) -> Low<Instances> {
        let owner = self.code.alloc("owner", Prim::I64, cells.clone());
        self.count_loop("k", cells, |this, k| {
            this.code.emit(Stm::Store { buffer: owner, at: k, value: expr::int(-1) });
            Ok(())
        })?;
        let numbers = KType::Buffer(Prim::I64);
        let instances = Instances {
            count: self.code.variable("instances", expr::int(0)),
            owner,
            clause: self.growing("clause", numbers),
            cell: self.growing("cell", numbers),
            env: self.growing("env", numbers),
            width: clauses.iter().map(|c| c.indices.len() as i64).max().unwrap_or(0).max(1),
        };
        let mut number = 0;
        self.list_steps(&bulk.steps, outputs, &instances, &mut Vec::new(), &mut number)?;
        for (i, output) in outputs.iter().enumerate() {
            self.list_gaps(output, clauses.len() + i, &instances)?;
        }
        Ok(instances)
    }

    fn list_steps(
        &mut self,
        steps: &[Step],
        outputs: &[RecOutput<'_>],
        instances: &Instances,
        indices: &mut Vec<Expr>,
        number: &mut usize,
    ) -> Low<()> {
        self.code.open();
        self.items(
            steps,
            &[],
            |m, step| m.step(step),
            |this, step| match step {
                Step::Let(stm) => this.stm(stm),
                Step::Guard(cond, body) => {
                    let cond = this.homes.scalar(*cond);
                    this.when(cond, |this| this.list_steps(body, outputs, instances, indices, number))
                }
                Step::For { var, count, body } => {
                    let count = this.homes.scalar(*count);
                    this.count_loop(this.src.vars[*var].name.as_str(), count, |this, i| {
                        this.homes.bind(*var, Rep::Scalar(i.clone()));
                        indices.push(i);
                        this.list_steps(body, outputs, instances, indices, number)?;
                        indices.pop();
                        Ok(())
                    })
                }
                Step::Emit(emit) => {
                    this.list_emit(emit, outputs, instances, indices, *number)?;
                    *number += 1;
                    Ok(())
                }
            },
        )?;
        self.code.close_inline();
        Ok(())
    }

    fn list_emit(
        &mut self,
        emit: &Emit,
        outputs: &[RecOutput<'_>],
        instances: &Instances,
        indices: &[Expr],
        number: usize,
    ) -> Low<()> {
        self.code.span = emit.span;
        let Some(output) = outputs.get(emit.output) else {
            base::bug!("a value for an output that is not there");
        };
        let place = self.place_at(&output.shape, &emit.at)?;
        let cell = self.code.name_int("cell", expr::add(output.base.clone(), place));
        if let Kind::Gen { coverage: Coverage::Checked { collision, called, .. }, .. } = output.kind {
            self.code.open();
            let args = emit.at.iter().chain(called).map(|a| self.fail_arg(*a)).collect::<Low<Vec<FailArg>>>()?;
            let site = self.site_at(SiteId(collision.0), self.code.span);
            self.code.emit(Stm::Fail { site, args });
            let fail = self.code.pop().stms;
            let taken = expr::le(expr::int(0), expr::load(instances.owner, cell.clone()));
            self.code.emit(Stm::If(taken, fail, Vec::new()));
        }
        self.code.emit(Stm::Store { buffer: instances.owner, at: cell.clone(), value: Expr::Var(instances.count) });
        self.add_instance(instances, number, cell, indices);
        Ok(())
    }

    fn add_instance(&mut self, instances: &Instances, number: usize, cell: Expr, indices: &[Expr]) {
        let (count, span) = (Expr::Var(instances.count), self.code.span);
        let next = expr::add(count.clone(), expr::int(1));
        for (buffer, value) in [(instances.clause, expr::int(number as i64)), (instances.cell, cell)] {
            self.code.emit(Stm::Grow { buffer, used: count.clone(), needed: next.clone(), span });
            self.code.emit(Stm::Store { buffer, at: count.clone(), value });
        }
        let width = expr::int(instances.width);
        let start = self.code.snapshot("env", Prim::I64, expr::mul(count, width.clone()));
        let needed = expr::mul(next.clone(), width);
        self.code.emit(Stm::Grow { buffer: instances.env, used: start.clone(), needed, span });
        for (i, index) in indices.iter().enumerate() {
            let at = expr::add(start.clone(), expr::int(i as i64));
            self.code.emit(Stm::Store { buffer: instances.env, at, value: index.clone() });
        }
        self.code.emit(Stm::Set(instances.count, next));
    }

    /// Cells that no clause defines: one more instance for all of them, or an error.
    fn list_gaps(&mut self, output: &RecOutput<'_>, number: usize, instances: &Instances) -> Low<()> {
        let Kind::Gen { otherwise, coverage, .. } = output.kind else {
            return Ok(());
        };
        let (missing, first) =
            (self.code.variable("missing", expr::int(0)), self.code.variable("first", expr::int(-1)));
        self.count_loop("place", output.cells.clone(), |this, place| {
            let cell = expr::add(output.base.clone(), place.clone());
            let gap = expr::lt(expr::load(instances.owner, cell.clone()), expr::int(0));
            this.when(gap, |this| {
                this.when(expr::lt(Expr::Var(first), expr::int(0)), |this| {
                    this.code.emit(Stm::Set(first, place));
                    Ok(())
                })?;
                this.code.emit(Stm::Set(missing, expr::add(Expr::Var(missing), expr::int(1))));
                if otherwise.is_some() {
                    let value = Expr::Var(instances.count);
                    this.code.emit(Stm::Store { buffer: instances.owner, at: cell, value });
                }
                Ok(())
            })
        })?;
        let some = expr::lt(expr::int(0), Expr::Var(missing));
        if otherwise.is_some() {
            return self.when(some, |this| {
                let cell = this.code.name_int("cell", expr::add(output.base.clone(), Expr::Var(first)));
                this.add_instance(instances, number, cell, &[]);
                Ok(())
            });
        }
        if let Coverage::Checked { gap, called, .. } = coverage {
            self.code.open();
            let mut args = vec![FailArg::Scalar(Prim::I64, Expr::Var(missing))];
            args.extend(self.subscript_args(&output.shape, Expr::Var(first))?);
            if let Some(called) = called {
                args.push(self.fail_arg(*called)?);
            }
            self.code.emit(Stm::Fail { site: SiteId(gap.0), args });
            let fail = self.code.pop().stms;
            self.code.emit(Stm::If(some, fail, Vec::new()));
        }
        Ok(())
    }
}
