//! Whether the iterations of a loop are independent: then several of them can run at the same time, as lanes of vector
//! instructions, without changing any result.
//!
//! ```text
//! for i { ys[i] := xs[i] + 1.0 }             independent if ys is not xs
//! for i { ys[i] := ys[i] * xs[2 * i] }       so is this: an iteration reads the place that it writes
//! for i { ys[i + 1] := ys[i] }               not: an iteration reads what the one before it wrote
//! for i { s := s + xs[i] }                   not: iterations share s
//! ```
//!
//! Places are compared as sums with a step ([`Form`]); for all others the answer is that iterations depend on each other.

use super::form::Form;
use crate::{Expr, Op, Program, Stm, Type, Var};
use base::Map;

/// Why the iterations of a loop may depend on each other, or cannot be lanes of vector instructions; none if they are
/// independent.
pub fn dependence(program: &Program, index: Var, body: &[Stm]) -> Option<String> {
    let mut found = Body::new(program, index);
    found.stms(body);
    found.problem.take().or_else(|| found.conflict())
}

/// What the body of a loop does.
pub(super) struct Body<'a> {
    pub program: &'a Program,
    /// The variables of the body that are known as sums, and the index.
    pub forms: Map<Var, Form>,
    /// All variables of the body, with those that it assigns.
    inside: Vec<Var>,
    loads: Vec<(Var, Expr)>,
    stores: Vec<(Var, Expr)>,
    problem: Option<String>,
}

impl<'a> Body<'a> {
    fn new(program: &'a Program, index: Var) -> Self {
        let forms = [(index, Form::index())].into_iter().collect();
        Body { program, forms, inside: vec![index], loads: Vec::new(), stores: Vec::new(), problem: None }
    }

    fn stms(&mut self, stms: &[Stm]) {
        stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(var, value) => {
                self.expr(*value);
                self.inside.push(*var);
                if let Some(form) = Form::of(*value, self) {
                    self.forms.insert(*var, form);
                }
            }
            Stm::Declare(var) if matches!(self.type_of(*var), Some(Type::Scalar(_))) => self.inside.push(*var),
            Stm::Set(var, value) => {
                self.expr(*value);
                self.forms.remove(var);
                if !self.inside.contains(var) {
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
            _ => self.wrong("does more than compute scalars and store them".into()),
        }
    }

    /// Notes what an expression reads.
    fn expr(&mut self, expr: Expr) {
        let Expr::Op(id) = expr else { return };
        let Some(op) = self.program.exprs.get(id) else { return };
        if let Op::Load(buffer, at) = op {
            self.loads.push((*buffer, *at));
        }
        op.for_each_operand(|operand| self.expr(operand));
    }

    fn wrong(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// Whether an expression has the same value in all iterations. Memory may change.
    pub fn is_invariant(&self, expr: Expr) -> bool {
        let mut invariant = true;
        expr.for_each_var(&self.program.exprs, &mut |var| {
            invariant &= !self.inside.contains(&var) && matches!(self.type_of(var), Some(Type::Scalar(_)));
        });
        invariant
    }

    /// The first store that may meet what another iteration stores or loads.
    fn conflict(&self) -> Option<String> {
        self.stores.iter().find_map(|(buffer, at)| {
            let Some(form) = Form::of(*at, self).filter(|form| form.step != 0) else {
                return Some(format!("may store to one place of {} twice", self.show(*buffer)));
            };
            let meets = |(other, at): &&(Var, Expr)| match other == buffer {
                true => !Form::of(*at, self).is_some_and(|other| form.never_meets(&other)),
                false => self.may_alias(*buffer, *other),
            };
            let (other, _) = self.stores.iter().chain(&self.loads).find(meets)?;
            Some(format!("stores to {} what may be in {} for another iteration", self.show(*buffer), self.show(*other)))
        })
    }

    /// Whether two buffers may be the same memory, which has elements of one type.
    fn may_alias(&self, a: Var, b: Var) -> bool {
        let memory = |var: Var| self.program.vars.get(var).and_then(|info| info.memory);
        self.type_of(a) == self.type_of(b) && memory(a) == memory(b)
    }

    fn type_of(&self, var: Var) -> Option<Type> {
        self.program.vars.get(var).map(|info| info.ty)
    }

    fn show(&self, var: Var) -> String {
        self.program.vars.get(var).map_or(format!("{var:?}"), |info| format!("{} ({var:?})", info.name))
    }
}
