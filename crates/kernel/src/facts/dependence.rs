//! Whether the iterations of a loop are independent: then several of them can run at the same time, as lanes of vector
//! instructions, without changing any result.
//!
//! ```text
//! for i { ys[i] := xs[i] + 1.0 }             independent if ys is not xs
//! for i { ys[i] := ys[i] * xs[2 * i] }       so is this: an iteration reads the place that it writes
//! for i { ys[i + 1] := ys[i] }               not: an iteration reads what the one before it wrote
//! for i { ys[i] := 1.0; zs[i] := ys[i] }     not: it reads what it wrote itself
//! for i { s := s + xs[i] }                   not: iterations share s
//! ```
//!
//! Places are compared as sums with a step ([`Form`]); for all others the answer is that iterations depend on each other.

use super::form::{Form, Known};
use crate::walk::for_each_stm;
use crate::{Expr, Home, Mode, Op, Program, Stm, Type, Var};

/// Why the iterations of a loop may depend on each other, or cannot be lanes of vector instructions; none if they are
/// independent.
pub fn dependence(program: &Program, index: Var, body: &[Stm], apart: Stores) -> Option<String> {
    let known = Known::new(program, index);
    let mut found = Body { known, loads: Vec::new(), stores: Vec::new(), apart, problem: None };
    found.stms(body);
    found.problem.take().or_else(|| found.conflict())
}

/// Where iterations store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stores {
    /// At places that are compared, in a loop of so many iterations, if that is known.
    Compared(Option<i64>),
    /// At places that are known to be different. Then there may be loops in the body, too.
    Apart,
}

/// What the body of a loop does.
struct Body<'a> {
    known: Known<'a>,
    loads: Vec<(Var, Expr)>,
    stores: Vec<(Var, Expr)>,
    apart: Stores,
    problem: Option<String>,
}

impl Body<'_> {
    fn stms(&mut self, stms: &[Stm]) {
        for stm in stms {
            self.stm(stm);
            if self.problem.is_some() {
                return;
            }
        }
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(var, value) => {
                self.expr(*value);
                self.known.declare(*var, Some(*value));
            }
            Stm::Declare(var) if matches!(self.known.type_of(*var), Some(Type::Scalar(_))) => {
                self.known.declare(*var, None);
            }
            Stm::Set(var, value) => {
                self.expr(*value);
                if !self.known.assign(*var) {
                    self.wrong(format!("changes {}, which comes from outside", self.show(*var)));
                }
            }
            Stm::Store { buffer, at, value } => {
                self.expr(*at);
                self.expr(*value);
                self.stores.push((*buffer, *at));
            }
            Stm::If(cond, then, otherwise) => {
                self.expr(*cond);
                self.stms(then);
                self.stms(otherwise);
            }
            Stm::For { var, from, to, mode: Mode::Sequential | Mode::Unrolled, body }
                if self.apart == Stores::Apart =>
            {
                [*from, *to].into_iter().for_each(|bound| self.expr(bound));
                self.inner_loop(*var, body);
            }
            _ => self.wrong("does more than compute scalars and store them".into()),
        }
    }

    /// A loop in the body: what it changes is not known in any of its turns.
    fn inner_loop(&mut self, index: Var, body: &[Stm]) {
        self.known.declare(index, None);
        for_each_stm(body, &mut |stm| {
            if let Stm::Set(var, _) = stm {
                self.known.assign(*var);
            }
        });
        let stores = self.stores.len();
        self.stms(body);
        if self.stores.len() > stores {
            self.wrong("stores in a loop inside".into());
        }
    }

    /// Notes what an expression reads.
    fn expr(&mut self, expr: Expr) {
        let Expr::Op(id) = expr else { return };
        let Some(op) = self.known.program.exprs.get(id) else { return };
        if let Op::Load(buffer, at) = op {
            self.loads.push((*buffer, *at));
            // The C compiler is told that places have nothing to do with each other, so these two must not, either.
            if self.stores.iter().any(|(stored, _)| stored == buffer) {
                self.wrong(format!("reads {} after it stored to it", self.show(*buffer)));
            }
        }
        op.for_each_operand(|operand| self.expr(operand));
    }

    fn wrong(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// The first store that may meet what another iteration stores or loads.
    fn conflict(&self) -> Option<String> {
        self.stores.iter().find_map(|(buffer, at)| {
            let Some(form) = Form::of(*at, &self.known).filter(|form| form.step != 0) else {
                return Some(format!("may store to one place of {} twice", self.show(*buffer)));
            };
            let meets = |(other, at): &&(Var, Expr)| match self.apart {
                _ if other != buffer => self.may_alias(*buffer, *other),
                Stores::Apart => !self.stores.contains(&(*other, *at)),
                Stores::Compared(count) => {
                    !Form::of(*at, &self.known).is_some_and(|other| form.never_meets(&other, count))
                }
            };
            let (other, _) = self.stores.iter().chain(&self.loads).find(meets)?;
            Some(format!("stores to {} what may be in {} for another iteration", self.show(*buffer), self.show(*other)))
        })
    }

    /// Whether two buffers may be the same memory, which has elements of one type.
    fn may_alias(&self, a: Var, b: Var) -> bool {
        let home = |var: Var| self.known.program.vars.get(var).map(|info| info.home);
        self.known.type_of(a) == self.known.type_of(b) && home(a) == home(b) && !matches!(home(a), Some(Home::Local(_)))
    }

    fn show(&self, var: Var) -> String {
        self.known.program.vars.get(var).map_or(format!("{var:?}"), |info| format!("{} ({var:?})", info.name))
    }
}
