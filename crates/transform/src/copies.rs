//! Copies memory before it is consumed if it is still needed elsewhere.
//!
//! The checker ensures that programs consume only what they own, but it allows more than Core's rules do: a row that is
//! taken out of an array, updated and put back, or parts of records. Such memory gets a copy here. A program that keeps
//! Core's rules already does not change.

use base::{Map, Name, Set};
use ir::alias::{FaultKind, analyse, freshness};
use ir::calls::Calls;
use ir::traverse::ListMut;
use ir::{Block, Exp, FunId, Function, Kind, Program, Remark, Step, Stm, Topic, Var};

/// How often a function is analysed again after copies were inserted.
const ROUNDS: usize = 10;

/// Inserts copies into all functions where they are needed, and marks the results that are fresh.
pub fn copies(program: &mut Program) {
    // What a call gives is known if the function was looked at before; recursive functions need several rounds.
    let order = Calls::new(program).callees_first(program.functions.ids());
    for _ in 0..3 {
        let before: Vec<Vec<bool>> = program.functions.values().map(|f| f.fresh.clone()).collect();
        for fun in &order {
            copy_in(program, *fun);
            program.functions[*fun].fresh = freshness(program, *fun);
        }
        if program.functions.values().map(|f| &f.fresh).eq(before.iter()) {
            return;
        }
    }
    // If the analysis of recursive functions does not converge, no result is marked as fresh.
    for function in program.functions.values_mut() {
        function.fresh = vec![false; function.results.len()];
    }
    program.functions.ids().for_each(|fun| copy_in(program, fun));
}

/// The remark about a copy.
const WHY: &str = "an array is changed here, but its old value is still needed";

/// A statement, by what it binds first, and what it consumes.
type Consumption = (Var, Var);

fn copy_in(program: &mut Program, fun: FunId) {
    for _ in 0..ROUNDS {
        let wanted = wanted_copies(program, fun);
        if wanted.is_empty() {
            return;
        }
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut copies = Copies { program, fun, wanted };
        copies.block(&mut body);
        program.functions[fun].body = body;
    }
}

fn wanted_copies(program: &Program, fun: FunId) -> Set<Consumption> {
    let (aliases, faults) = analyse(program, fun);
    let mut all = Vec::new();
    consumptions(program, &program.functions[fun].body, &mut all);
    let mut wanted = Set::default();
    for fault in faults {
        let here = fault.stm.and_then(|stm| stm.vars.first().copied());
        match fault.kind {
            FaultKind::Read => wanted.extend(all.iter().filter(|(_, var)| aliases.share(*var, fault.var)).copied()),
            FaultKind::Foreign | FaultKind::Shared => {
                let before = wanted.len();
                wanted.extend(
                    all.iter().filter(|(stm, var)| Some(*stm) == here && aliases.share(*var, fault.var)).copied(),
                );
                if wanted.len() == before {
                    wanted.extend(all.iter().filter(|(_, var)| aliases.share(*var, fault.var)).copied());
                }
            }
            FaultKind::Fresh => {}
        }
    }
    wanted
}

fn consumptions(program: &Program, block: &Block, out: &mut Vec<Consumption>) {
    block.walk(&mut |part| {
        if let ir::traverse::Part::Stm(stm) = part
            && let Some(first) = stm.vars.first()
        {
            out.extend(stm.exp.consumes(&program.functions).into_iter().map(|var| (*first, var)));
        }
    });
}

struct Copies<'p> {
    program: &'p mut Program,
    fun: FunId,
    wanted: Set<Consumption>,
}

impl Copies<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stms.len());
        for mut stm in std::mem::take(&mut block.stms) {
            out.extend(self.stm(&mut stm));
            out.push(stm);
        }
        block.stms = out;
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let mut out = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => out.extend(self.stm(stm).into_iter().map(Step::Let)),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
            out.push(step);
        }
        *steps = out;
    }

    /// Makes a statement consume copies; returns the statements that make the copies.
    fn stm(&mut self, stm: &mut Stm) -> Vec<Stm> {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
        let Some(first) = stm.vars.first().copied() else { return Vec::new() };
        let vars: Vec<Var> = self.wanted.iter().filter(|w| w.0 == first).map(|w| w.1).collect();
        let mut made = Vec::new();
        let mut names: Map<Var, Var> = Map::default();
        for var in vars {
            self.wanted.remove(&(first, var));
            let info = self.program.vars[var].clone();
            let copy = self.program.vars.push(info);
            self.program.vars[copy].name = Name::new(self.program.vars[var].name.as_str());
            made.push(Stm { vars: vec![copy], certs: Vec::new(), exp: Exp::Copy(var), span: stm.span });
            names.insert(var, copy);
            self.program.functions[self.fun].remark(Remark::done(Topic::Copied, stm.span, WHY));
        }
        consume(&mut stm.exp, &names, &self.program.functions);
        made
    }
}

/// Consumes other variables.
fn consume(exp: &mut Exp, names: &Map<Var, Var>, functions: &base::IdVec<FunId, Function>) {
    match exp {
        Exp::Call(fun, args) => {
            for (arg, consumed) in args.iter_mut().zip(&functions[*fun].consumed) {
                if let (true, Some(copy)) = (*consumed, arg.var().and_then(|v| names.get(&v))) {
                    *arg = (*copy).into();
                }
            }
        }
        Exp::Bulk(bulk) => {
            for output in &mut bulk.outputs {
                if let Kind::Update { arrays, .. } | Kind::Accum { arrays, .. } = &mut output.kind {
                    arrays.iter_mut().for_each(|v| *v = names.get(v).copied().unwrap_or(*v));
                }
            }
        }
        _ => {}
    }
}
