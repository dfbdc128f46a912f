//! Copies memory before it is consumed if it is still needed elsewhere.
//!
//! The checker ensures that programs consume only what they own, but it allows more than Core's rules do: a row that is
//! taken out of an array, updated and put back, or parts of records. Such memory gets a copy here. A program that keeps
//! Core's rules already does not change.

use base::{Map, Set};
use ir::alias::{Aliases, FaultKind, analyse, freshness};
use ir::calls::Calls;
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, Function, Kind, Program, Remark, Stm, Topic, Var};

/// How many copies may be inserted in vain, for the breaches that copies of others cause.
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

/// Something that takes an array's memory, and so could take that of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Taking {
    /// A statement, by what it binds first, that consumes a variable.
    Consume(Var, Var),
    /// A loop, by what it binds first, whose variable of this number starts with the array.
    Start(Var, usize),
}

/// Mends one breach of the rules after the other, each by copies as far outside of loops as they help: a loop that
/// updates an array which is needed elsewhere copies it once, not in every turn.
fn copy_in(program: &mut Program, fun: FunId) {
    let rounds = ROUNDS + analyse(program, fun).1.len();
    for _ in 0..rounds {
        let Some((kind, ways)) = ways_to_mend(program, fun) else { return };
        let Some((last, others)) = ways.split_last() else { return };
        if !others.iter().any(|way| helps(program, fun, way, kind)) {
            insert(program, fun, last.clone());
        }
    }
}

/// Inserts copies if fewer breaches of a kind are left with them.
fn helps(program: &mut Program, fun: FunId, wanted: &Set<Taking>, kind: FaultKind) -> bool {
    let breaches = |program: &Program| analyse(program, fun).1.iter().filter(|fault| fault.kind == kind).count();
    let (old, before) = (program.functions[fun].clone(), breaches(program));
    insert(program, fun, wanted.clone());
    let helps = breaches(program) < before;
    if !helps {
        program.functions[fun] = old;
    }
    helps
}

fn insert(program: &mut Program, fun: FunId, wanted: Set<Taking>) {
    let mut body = std::mem::take(&mut program.functions[fun].body);
    let mut copies = Copies { program, fun, wanted };
    body.replace_stms(&mut |stm| copies.stm(stm));
    program.functions[fun].body = body;
}

/// A breach, by its kind, and sets of copies that may mend it: before the outermost loops, before the loops inside of
/// these, ..., and last right where the memory is consumed.
fn ways_to_mend(program: &Program, fun: FunId) -> Option<(FaultKind, Vec<Set<Taking>>)> {
    let (aliases, faults) = analyse(program, fun);
    // What is read after it is consumed comes first: the copy for it often stands inside of a loop, and then the loop
    // needs none.
    let kinds = [FaultKind::Read, FaultKind::Shared, FaultKind::Foreign];
    let first = |kind| faults.iter().find(|fault| fault.kind == kind);
    let fault = kinds.into_iter().find_map(first)?;
    let body = &program.functions[fun].body;
    let shares = |(_, var): &(Var, Var)| aliases.share(*var, fault.var);
    let all: Vec<(Var, Var)> = consumptions(program, body).into_iter().filter(shares).collect();
    let here = fault.stm.and_then(|stm| stm.vars.first().copied());
    let mut wanted: Vec<(Var, Var)> = all.iter().filter(|(stm, _)| Some(*stm) == here).copied().collect();
    if fault.kind == FaultKind::Read || wanted.is_empty() {
        wanted = all;
    }
    let outwards: Vec<Vec<Set<Taking>>> = wanted.iter().map(|taken| places(program, body, &aliases, *taken)).collect();
    let depth = outwards.iter().map(Vec::len).max().unwrap_or(0);
    let at = |level: usize| outwards.iter().filter_map(move |places| places.get(level).or(places.last())).flatten();
    Some((fault.kind, (0..depth).map(|level| at(level).copied().collect()).collect()))
}

/// Where a copy may stand for a consumption: before each loop around it that hands on the memory, from the outermost
/// inwards, and last right before it.
fn places(program: &Program, body: &Block, aliases: &Aliases, taken: (Var, Var)) -> Vec<Set<Taking>> {
    let mut found = Vec::new();
    body.walk(&mut |part| {
        let Part::Stm(Stm { vars, exp: Exp::Loop { params, body, .. }, .. }) = part else { return };
        if !consumptions(program, body).contains(&taken) {
            return;
        }
        let hands_on = |(param, init): &(Var, Atom)| init.var().is_some() && aliases.share(*param, taken.1);
        let starts = params.iter().enumerate().filter(|(_, param)| hands_on(param));
        found.push(starts.map(|(number, _)| Taking::Start(vars[0], number)).collect());
    });
    found.push([Taking::Consume(taken.0, taken.1)].into_iter().collect());
    found
}

/// The statements, by what they bind first, that consume, with what they consume.
fn consumptions(program: &Program, block: &Block) -> Vec<(Var, Var)> {
    let mut found = Vec::new();
    block.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && let Some(first) = stm.vars.first()
        {
            found.extend(stm.exp.consumes(&program.functions).into_iter().map(|var| (*first, var)));
        }
    });
    found
}

struct Copies<'p> {
    program: &'p mut Program,
    fun: FunId,
    wanted: Set<Taking>,
}

impl Copies<'_> {
    /// Makes a statement take copies, which it puts before it.
    fn stm(&mut self, mut stm: Stm) -> Vec<Stm> {
        let Some(first) = stm.vars.first().copied() else { return vec![stm] };
        let wanted: Vec<Taking> = self.wanted.iter().filter(|taking| taking.statement() == first).copied().collect();
        let mut made = Vec::new();
        let mut copies: Map<Taking, Var> = Map::default();
        for taking in wanted {
            self.wanted.remove(&taking);
            let Some(var) = taking.array(&stm.exp) else { continue };
            let info = self.program.vars[var].clone();
            let copy = self.program.vars.push(info);
            made.push(Stm { vars: vec![copy], certs: Vec::new(), exp: Exp::Copy(var), span: stm.span });
            copies.insert(taking, copy);
            self.program.functions[self.fun].remark(Remark::done(Topic::Copied, stm.span, WHY));
        }
        take(first, &mut stm.exp, &copies, &self.program.functions);
        made.push(stm);
        made
    }
}

impl Taking {
    /// The statement that takes memory, by what it binds first.
    fn statement(self) -> Var {
        let (Self::Consume(statement, _) | Self::Start(statement, _)) = self;
        statement
    }

    /// The array whose memory the statement with this expression takes.
    fn array(self, exp: &Exp) -> Option<Var> {
        match (self, exp) {
            (Self::Consume(_, var), _) => Some(var),
            (Self::Start(_, number), Exp::Loop { params, .. }) => params.get(number)?.1.var(),
            (Self::Start(..), _) => None,
        }
    }
}

/// Makes a statement take copies.
fn take(first: Var, exp: &mut Exp, copies: &Map<Taking, Var>, functions: &base::IdVec<FunId, Function>) {
    let consumed = |var: Var| copies.get(&Taking::Consume(first, var)).copied();
    match exp {
        Exp::Call(fun, args) => {
            for (arg, is_consumed) in args.iter_mut().zip(&functions[*fun].consumed) {
                if let (true, Some(copy)) = (*is_consumed, arg.var().and_then(consumed)) {
                    *arg = copy.into();
                }
            }
        }
        Exp::Bulk(bulk) => {
            for output in &mut bulk.outputs {
                if let Kind::Update { arrays, .. } | Kind::Accum { arrays, .. } = &mut output.kind {
                    arrays.iter_mut().for_each(|var| *var = consumed(*var).unwrap_or(*var));
                }
            }
        }
        Exp::Loop { params, .. } => {
            for (number, (_, init)) in params.iter_mut().enumerate() {
                if let Some(copy) = copies.get(&Taking::Start(first, number)) {
                    *init = (*copy).into();
                }
            }
        }
        _ => {}
    }
}
