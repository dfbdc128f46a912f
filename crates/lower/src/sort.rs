//! Stable sorting: merging sorted runs of order numbers from the bottom up, neighbouring pairs of runs in parallel.

use crate::Low;
use crate::context::Lower;
use crate::control::scalar_of;
use crate::expr;
use crate::rep::{Array, Rep};
use ir::{Atom, Region, Var};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

impl Lower<'_> {
    /// The order in which elements stand when they are sorted.
    pub fn sort(&mut self, var: Option<Var>, count: Atom, region: &Region) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let count = self.homes.scalar(count);
        let n = self.code.name_int("n", expr::max(count, expr::int(0)));
        let order = self.code.alloc("order", Prim::I64, n.clone());
        self.count_loop("i", n.clone(), |this, i| {
            this.code.emit(Stm::Store { buffer: order, at: i.clone(), value: i });
            Ok(())
        })?;
        let other = self.code.alloc("other", Prim::I64, n.clone());
        let swap = self.code.declare_buffer("swap", Prim::I64);
        let width = self.code.variable("width", expr::int(1));
        self.code.open();
        let double = self.code.name_int("double", expr::mul(Expr::Var(width), expr::int(2)));
        let pairs = self.code.name_int(
            "pairs",
            expr::div(expr::add(n.clone(), expr::sub(double.clone(), expr::int(1))), double.clone()),
        );
        let mode = if self.in_parallel { Mode::Sequential } else { Mode::Parallel };
        self.for_loop("p", expr::int(0), pairs, mode, |this, p| {
            let low = this.code.name_int("low", expr::mul(p, double.clone()));
            let middle = this.code.name_int("middle", expr::min(expr::add(low.clone(), Expr::Var(width)), n.clone()));
            let high = this.code.name_int("high", expr::min(expr::add(low.clone(), double.clone()), n.clone()));
            this.merge(order, other, (low, middle, high), region)
        })?;
        self.code.emit(Stm::Move { to: swap, from: order });
        self.code.emit(Stm::Move { to: order, from: other });
        self.code.emit(Stm::Move { to: other, from: swap });
        self.code.emit(Stm::Set(width, double));
        let body = self.code.close();
        self.code.emit(Stm::While { head: Vec::new(), cond: expr::lt(Expr::Var(width), n), body });
        self.homes.bind(var, Rep::Array(Array { whole: true, ..Array::at(order, expr::int(0)) }));
        Ok(())
    }

    /// Merges two neighbouring runs into the other buffer.
    fn merge(&mut self, from: K, to: K, (low, middle, high): (Expr, Expr, Expr), region: &Region) -> Low<()> {
        let left = self.code.variable("left", low.clone());
        let right = self.code.variable("right", middle.clone());
        self.for_loop("out", low, high.clone(), Mode::Sequential, |this, out| {
            // Whether the left run's next element comes first.
            let take = this.code.declare("take", Prim::Bool);
            let both = expr::and(expr::lt(Expr::Var(left), middle.clone()), expr::lt(Expr::Var(right), high.clone()));
            this.branch(
                both,
                |this| {
                    let a = this.code.snapshot("a", Prim::I64, expr::load(from, Expr::Var(left)));
                    let b = this.code.snapshot("b", Prim::I64, expr::load(from, Expr::Var(right)));
                    let reps = this.open_region(region, vec![Rep::Scalar(a), Rep::Scalar(b)])?;
                    let Some(before) = reps.first().and_then(scalar_of) else {
                        base::bug!("a comparison without a result");
                    };
                    this.code.emit(Stm::Set(take, before.clone()));
                    this.code.close_inline();
                    Ok(())
                },
                |this| {
                    this.code.emit(Stm::Set(take, expr::lt(Expr::Var(left), middle.clone())));
                    Ok(())
                },
            )?;
            let step = |this: &mut Self, run: K| {
                this.code.emit(Stm::Store { buffer: to, at: out.clone(), value: expr::load(from, Expr::Var(run)) });
                this.code.emit(Stm::Set(run, expr::add(Expr::Var(run), expr::int(1))));
                Ok(())
            };
            this.branch(Expr::Var(take), |this| step(this, left), |this| step(this, right))
        })
    }

    /// Opens a block with the statements of a region applied to arguments; returns its results.
    pub fn open_region(&mut self, region: &Region, args: Vec<Rep>) -> Low<Vec<Rep>> {
        for (param, arg) in region.params.iter().zip(args) {
            self.homes.bind(*param, arg);
        }
        self.open_block(&region.body)
    }
}
