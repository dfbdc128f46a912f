//! Loops that only make columns of rows become one statement, for which the run-time system has fast code.
//!
//! ```text
//! for i = 0 to n {
//!   for j = 0 to m simd {                          transpose ys[0] by n = xs[0] by m rows n columns m
//!     ys[j * n + i] := xs[i * m + j]        ==>
//!   }
//! }
//! ```
//!
//! Where no other loop is parallel around it, some rows at a time go to each thread.

use crate::data::expr::{self, ExprBuilder};
use crate::data::forms::{Form, Forms};
use base::{Map, Name};
use kernel::{Expr, Mode, Op, Program, Stm, Type, Var, VarInfo};
use scalar::Prim;

/// Rows with so few elements, or so few rows, are as fast in loops.
const FEW: i64 = 8;

/// How many rows go to a thread at once.
const ROWS: i64 = 64;

/// Finds such loops in all functions.
pub(crate) fn find(program: &mut Program) {
    let exprs = ExprBuilder::over(std::mem::take(&mut program.exprs));
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        in_block(program, &exprs, &mut body, false);
        program.functions[id].body = body;
    }
    program.exprs = exprs.finish();
}

fn in_block(program: &mut Program, exprs: &ExprBuilder, stms: &mut [Stm], parallel: bool) {
    for stm in stms {
        match matrix(program, exprs, stm) {
            Some(matrix) if parallel => *stm = matrix.whole(exprs),
            Some(matrix) => *stm = matrix.on_threads(program, exprs, stm),
            None => {
                let parallel = parallel || matches!(stm, Stm::For { mode: Mode::Parallel, .. });
                stm.blocks_mut().into_iter().for_each(|block| in_block(program, exprs, block, parallel));
            }
        }
    }
}

/// Rows that become columns.
struct Matrix {
    to: (Var, Expr),
    to_stride: Expr,
    from: (Var, Expr),
    from_stride: Expr,
    rows: Expr,
    columns: Expr,
}

impl Matrix {
    fn whole(&self, exprs: &ExprBuilder) -> Stm {
        self.some(exprs, expr::int(0), self.rows)
    }

    /// So many rows from one on.
    fn some(&self, exprs: &ExprBuilder, first: Expr, rows: Expr) -> Stm {
        Stm::Transpose {
            to: (self.to.0, exprs.add(self.to.1, first)),
            to_stride: self.to_stride,
            from: (self.from.0, exprs.add(self.from.1, exprs.mul(first, self.from_stride))),
            from_stride: self.from_stride,
            rows,
            columns: self.columns,
        }
    }

    /// A parallel loop, which stands for the loop that was there.
    fn on_threads(&self, program: &mut Program, exprs: &ExprBuilder, before: &Stm) -> Stm {
        let mut variable = |name| program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(Prim::I64)));
        let (block, first) = (variable("b"), variable("first"));
        if let Stm::For { var, .. } = before
            && let Some(origin) = program.origins.get(var).copied()
        {
            program.origins.insert(block, origin);
        }
        let left = exprs.sub(self.rows, Expr::Var(first));
        let body = vec![
            Stm::Let(first, exprs.mul(Expr::Var(block), expr::int(ROWS))),
            self.some(exprs, Expr::Var(first), exprs.min(expr::int(ROWS), left)),
        ];
        let blocks = exprs.blocks_of(self.rows, ROWS);
        Stm::For { var: block, from: expr::int(0), to: blocks, mode: Mode::Parallel, body }
    }
}

/// A loop: its variable, its bounds, and its body.
struct Loop<'s> {
    var: Var,
    from: Expr,
    to: Expr,
    body: &'s [Stm],
}

fn as_loop(stm: &Stm) -> Option<Loop<'_>> {
    match stm {
        Stm::For { var, from, to, mode: Mode::Sequential | Mode::Simd | Mode::Rolled, body } => {
            Some(Loop { var: *var, from: *from, to: *to, body })
        }
        _ => None,
    }
}

/// The rows that two loops make columns of.
fn matrix(program: &Program, exprs: &ExprBuilder, stm: &Stm) -> Option<Matrix> {
    let outer = as_loop(stm)?;
    let mut lets = Map::default();
    let inner = as_loop(after_lets(outer.body, &mut lets)?)?;
    let Stm::Store { buffer, at, value } = after_lets(inner.body, &mut lets)? else { return None };
    let (from, from_at) = loaded(exprs, &lets, *value)?;
    are_apart(program, *buffer, from).then_some(())?;
    let forms = Forms { program, exprs, vars: [outer.var, inner.var], lets: &lets };
    [inner.from, inner.to].into_iter().all(|bound| forms.is_fixed(bound)).then_some(())?;
    let (to_form, from_form) = (forms.of(*at)?, forms.of(from_at)?);
    let counts = [&outer, &inner].map(|each| exprs.sub(each.to, each.from));
    counts.iter().all(|count| expr::as_int(*count).is_none_or(|count| count >= FEW)).then_some(())?;
    // One of the two loops goes along a row.
    let row = (0..2).find(|k| is_one(from_form.by[*k]) && is_one(to_form.by[1 - *k]))?;
    let (to_stride, from_stride) = (to_form.by[row], from_form.by[1 - row]);
    (!is_one(to_stride) && !is_one(from_stride)).then_some(())?;
    let begin = |form: &Form<2>| form.at(exprs, [outer.from, inner.from]);
    Some(Matrix {
        to: (*buffer, begin(&to_form)),
        to_stride,
        from: (from, begin(&from_form)),
        from_stride,
        rows: counts[1 - row],
        columns: counts[row],
    })
}

/// The only statement after bindings, which are noted.
fn after_lets<'s>(stms: &'s [Stm], lets: &mut Map<Var, Expr>) -> Option<&'s Stm> {
    let (last, before) = stms.split_last()?;
    for stm in before {
        let Stm::Let(var, value) = stm else { return None };
        lets.insert(*var, *value);
    }
    Some(last)
}

/// The element that a value is: its buffer and place.
fn loaded(exprs: &ExprBuilder, lets: &Map<Var, Expr>, value: Expr) -> Option<(Var, Expr)> {
    let value = match value {
        Expr::Var(var) => *lets.get(&var)?,
        other => other,
    };
    match exprs.operation(value)? {
        Op::Load(buffer, at) => Some((buffer, at)),
        _ => None,
    }
}

/// Whether two buffers are never the same memory.
fn are_apart(program: &Program, to: Var, from: Var) -> bool {
    program.vars[to].home != program.vars[from].home
}

fn is_one(expr: Expr) -> bool {
    expr::as_int(expr) == Some(1)
}
