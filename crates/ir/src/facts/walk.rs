//! A walk through a function with what is known at each place.

use super::Facts;
use crate::{Atom, Block, Bulk, Emit, Exp, FunId, Kind, LoopForm, Program, Region, Step, Stm, Var};
use std::borrow::Cow;

/// What is around a statement.
#[derive(Clone, Copy, Debug)]
pub enum Around<'p> {
    /// A loop of a bulk form: the counter and how many turns.
    For(Var, Atom),
    /// A loop with a counter.
    Count(Var, Atom),
    /// A loop without one.
    While,
    /// A guard or branch, which runs if the condition holds (or does not).
    If(Atom, bool),
    /// Any other block: values, operators, cases.
    Block(&'p Block),
    /// A bulk form, of which what is bound outside of its loops is not seen afterwards.
    Steps(&'p [Step]),
}

/// What is done on the way.
pub trait Visitor<'p> {
    /// A statement, before what is inside of it. What its own certificates say is not known yet.
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm);

    /// The certificates that a statement will name, in place of those that it names.
    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]>;

    /// The walk enters a block or a loop.
    fn enter(&mut self, facts: &mut Facts<'p>, around: Around<'p>);

    /// The walk leaves what it entered last.
    fn leave(&mut self);
}

/// Walks through a function. Facts are exact: what they prove holds although `i64` arithmetic wraps around.
pub fn walk<'p>(program: &'p Program, function: FunId, visitor: &mut dyn Visitor<'p>) {
    let function = &program.functions[function];
    let mut walk = Walk { program, facts: Facts::exact(program), visitor };
    walk.bind(&function.params);
    walk.block(&function.body);
}

struct Walk<'p, 'v> {
    program: &'p Program,
    facts: Facts<'p>,
    visitor: &'v mut dyn Visitor<'p>,
}

impl<'p> Walk<'p, '_> {
    fn bind(&mut self, vars: &[Var]) {
        vars.iter().for_each(|var| self.facts.bind(*var));
    }

    /// Goes into something, and forgets on the way back what holds only there.
    fn inside(&mut self, around: Around<'p>, look: impl FnOnce(&mut Self)) {
        let mark = self.facts.mark();
        self.visitor.enter(&mut self.facts, around);
        match around {
            Around::For(var, count) | Around::Count(var, count) => self.facts.counts(var, count),
            Around::If(cond, holds) => self.facts.suppose(cond, holds),
            Around::While | Around::Block(_) | Around::Steps(_) => {}
        }
        look(self);
        self.visitor.leave();
        self.facts.forget(mark);
    }

    fn block(&mut self, block: &'p Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &'p Stm) {
        self.visitor.stm(&mut self.facts, stm);
        let mark = self.facts.mark();
        let certs = self.visitor.certs(&stm.certs);
        self.facts.rely_on(&certs);
        self.exp(stm);
        self.facts.forget(mark);
        for (number, var) in stm.vars.iter().enumerate() {
            self.facts.define(*var, &self.program.vars[*var].ty, &stm.exp, number);
        }
        self.bind(&stm.vars);
        self.facts.learn_results(stm);
    }

    fn exp(&mut self, stm: &'p Stm) {
        match &stm.exp {
            Exp::If(cond, then, otherwise) => {
                self.inside(Around::If(*cond, true), |walk| walk.block(then));
                self.inside(Around::If(*cond, false), |walk| walk.block(otherwise));
            }
            Exp::Choose(cond, then, otherwise) => {
                self.inside(Around::If(*cond, true), |walk| walk.block(then));
                // The other version is right whether the condition holds or not.
                self.inside(Around::Block(otherwise), |walk| walk.block(otherwise));
            }
            Exp::Ensure { cond, otherwise } => self.inside(Around::If(*cond, false), |walk| walk.block(otherwise)),
            Exp::Open(_, cases) => cases.iter().for_each(|case| self.region(case)),
            Exp::Loop { params, form, body, .. } => self.repetition(params, form, body),
            Exp::Bulk(bulk) => self.bulk(&stm.vars, bulk),
            Exp::Sort(count, order) => self.inside(Around::Block(&order.body), |walk| {
                order.params.iter().for_each(|param| walk.facts.counts(*param, *count));
                walk.block(&order.body);
            }),
            _ => {}
        }
    }

    fn region(&mut self, region: &'p Region) {
        self.inside(Around::Block(&region.body), |walk| {
            walk.bind(&region.params);
            walk.block(&region.body);
        });
    }

    fn repetition(&mut self, params: &'p [(Var, Atom)], form: &'p LoopForm, body: &'p Block) {
        let vars: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
        match form {
            LoopForm::For(var, bound) => self.inside(Around::Count(*var, *bound), |walk| {
                walk.bind(&vars);
                walk.facts.steps_of(params, Some(*var), body);
                walk.facts.keeps(params, Some(*var), None, body);
                walk.block(body);
            }),
            LoopForm::While(cond) => self.inside(Around::While, |walk| {
                walk.bind(&vars);
                walk.facts.steps_of(params, None, body);
                walk.facts.keeps(params, None, Some(cond), body);
                walk.inside(Around::Block(cond), |walk| walk.block(cond));
                cond.result.iter().for_each(|cond| walk.facts.suppose(*cond, true));
                walk.facts.keeps_in_turns(params, cond, body);
                walk.block(body);
            }),
        }
    }

    fn bulk(&mut self, vars: &[Var], bulk: &'p Bulk) {
        let mut filling = self.facts.fill(vars, bulk);
        for (number, output) in bulk.outputs.iter().enumerate() {
            match &output.kind {
                Kind::Gen { otherwise: Some(value), .. } => self.inside(Around::Block(value), |walk| {
                    walk.block(value);
                    walk.facts.filled(&mut filling, number, output, value);
                }),
                Kind::Accum { op, .. } => self.region(op),
                Kind::Gen { .. } | Kind::Reduce { .. } | Kind::Update { .. } | Kind::Keep => {}
            }
        }
        self.inside(Around::Steps(&bulk.steps), |walk| walk.steps(&bulk.steps, bulk, &mut filling));
        // What operators are given is known when all values are.
        for (number, output) in bulk.outputs.iter().enumerate() {
            if let Kind::Reduce { op, .. } = &output.kind {
                self.operator(op, |facts| facts.reduces(&filling, number, bulk));
            }
        }
        self.facts.full(filling, vars, &bulk.outputs);
    }

    /// An operator, of whose operands something is known.
    fn operator(&mut self, op: &'p Region, learn: impl FnOnce(&mut Facts<'p>)) {
        self.inside(Around::Block(&op.body), |walk| {
            walk.bind(&op.params);
            learn(&mut walk.facts);
            walk.block(&op.body);
        });
    }

    fn steps(&mut self, steps: &'p [Step], bulk: &'p Bulk, filling: &mut super::elements::Filling) {
        for step in steps {
            match step {
                Step::For { var, count, mark: _, body } => {
                    self.inside(Around::For(*var, *count), |walk| walk.steps(body, bulk, filling));
                }
                Step::Let(stm) => self.stm(stm),
                Step::Guard(cond, body) => {
                    self.inside(Around::If(*cond, true), |walk| walk.steps(body, bulk, filling));
                }
                Step::Scan(scan) => {
                    self.inside(Around::Block(&scan.value), |walk| {
                        walk.block(&scan.value);
                        walk.facts.runs(filling, scan);
                    });
                    self.operator(&scan.op, |facts| facts.combines(filling, scan, &bulk.steps));
                    self.bind(&scan.vars);
                    self.facts.has_run(filling, scan);
                    self.facts.numbered(filling, scan, steps);
                }
                Step::Emit(emit) => self.emit(emit, bulk, filling),
            }
        }
    }

    fn emit(&mut self, emit: &'p Emit, bulk: &'p Bulk, filling: &mut super::elements::Filling) {
        self.inside(Around::Block(&emit.value), |walk| {
            let certs = walk.visitor.certs(&emit.certs);
            walk.facts.rely_on(&certs);
            walk.block(&emit.value);
            if let Some(output) = bulk.outputs.get(emit.output) {
                walk.facts.filled(filling, emit.output, output, &emit.value);
            }
        });
    }
}
