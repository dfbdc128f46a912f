//! How long an iteration of a parallel loop may take, as an expression of C: `rv_parallel` decides by it whether other
//! threads should help, as long as it has not measured the loop.
//!
//! ```text
//! for i < n parallel { for j < m { out[i * m + j] = x[j] + y[i] } }     each i takes about    8 + 16.0 * (m - 0)    ticks
//! ```
//!
//! Loops inside count as often as they turn, if that is known before the parallel loop begins. Otherwise, and if other
//! functions are called, the cost is unknown.

use crate::emitter::Emitter;
use base::Set;
use kernel::{Expr, Exprs, Stm, Var};
use scalar::Scalar;

/// Ticks that a statement takes, about, and an allocation.
const STATEMENT: u32 = 8;
const ALLOCATION: u32 = 200;

/// A cost: ticks, and for each loop inside how often it turns and what a turn costs.
struct Cost {
    ticks: u32,
    loops: Vec<(Expr, Expr, Cost)>,
}

impl Emitter<'_> {
    /// The cost of an iteration; 0 if it is unknown.
    pub(crate) fn cost(&mut self, index: Var, body: &[Stm]) -> String {
        let mut inside: Set<Var> = [index].into_iter().collect();
        kernel::walk::for_each_stm(body, &mut |stm| inside.extend(stm.declared()));
        inside.extend(kernel::walk::changed_vars(body));
        match cost(&self.program.exprs, body, &inside) {
            Some(cost) => self.written(&cost),
            None => "0".into(),
        }
    }

    fn written(&mut self, cost: &Cost) -> String {
        let mut text = cost.ticks.to_string();
        for (from, to, inner) in &cost.loops {
            let (from, to) = (self.expr(*from).operand(), self.expr(*to).operand());
            let inner = self.written(inner);
            text.push_str(&format!(" + ({inner}) * (double)({to} - {from})"));
        }
        text
    }
}

/// The cost of statements with these variables inside.
fn cost(exprs: &Exprs, stms: &[Stm], inside: &Set<Var>) -> Option<Cost> {
    let mut all = Cost { ticks: 0, loops: Vec::new() };
    let known = |bound: Expr| {
        let mut known = true;
        bound.for_each_var(exprs, &mut |var| known &= !inside.contains(&var));
        known
    };
    for stm in stms {
        all.ticks = all.ticks.saturating_add(if let Stm::Alloc { .. } = stm { ALLOCATION } else { STATEMENT });
        match stm {
            Stm::Call { .. }
            | Stm::Sort { .. }
            | Stm::Prefix { .. }
            | Stm::While { .. }
            | Stm::Try { .. }
            | Stm::Trace(..) => return None,
            Stm::Transpose { columns, .. } if known(*columns) => {
                let row = Cost { ticks: STATEMENT, loops: Vec::new() };
                all.loops.push((Expr::Const(Scalar::I64(0)), *columns, row));
            }
            Stm::For { from, to, body, .. } => {
                if !known(*from) || !known(*to) {
                    return None;
                }
                all.loops.push((*from, *to, cost(exprs, body, inside)?));
            }
            _ => {
                for block in stm.blocks() {
                    let inner = cost(exprs, block, inside)?;
                    all.ticks = all.ticks.saturating_add(inner.ticks);
                    all.loops.extend(inner.loops);
                }
            }
        }
    }
    Some(all)
}
