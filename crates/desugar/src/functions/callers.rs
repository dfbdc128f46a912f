//! The calls under way, for the messages of checks in functions of Core.
//!
//! A check knows the calls that were unfolded around it. What called the function itself is known beforehand if there is
//! but one way to it. Other functions get one more parameter: the innermost calls that led to them, each a number, packed
//! into one word (see [`fault::calls`]). A caller of such a function adds its own calls by a shift. The
//! checks inside have the word as their last argument, and their sites say what the numbers mean. A function without
//! checks, in it and in what it calls, does not need any of that.

use crate::context::Desugar;
use base::{Map, Name, Set};
use fault::calls::{CALL_BITS, KEPT_CALLS, kept_calls, packed_calls};
use fault::{Call, Caller};
use ir::calls::Calls;
use ir::traverse::Part;
use ir::{Atom, Coverage, Exp, FunId, Kind, Program, SiteId, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Calls, innermost first.
pub(crate) type Chain = Vec<Call>;

impl<'t> Desugar<'t> {
    /// The calls that are being unfolded, as far as messages may show them.
    pub(crate) fn user_calls(&self) -> Chain {
        kept_calls(self.calls.iter().rev().filter(|call| !self.library.contains(&call.1.file)).copied())
    }

    /// What a function of the library knows of the calls around it: those up to the user's text.
    pub(crate) fn library_calls(&self) -> Vec<Call> {
        let user = self.calls.iter().rposition(|call| !self.library.contains(&call.1.file));
        self.calls[user.unwrap_or(0)..].to_vec()
    }

    /// Binds new variables to the results of a call, and remembers which calls are under way there.
    pub(crate) fn bind_call(&mut self, vars: Vec<Var>, call: Exp) {
        let Some(first) = vars.first() else { base::bug!("a call binds nothing, so nothing finds its callers") };
        self.chains.insert(*first, self.user_calls());
        self.b.bind_all(vars, call);
    }
}

/// What a function has in it.
#[derive(Default)]
struct Found {
    sites: Vec<SiteId>,
    /// Functions called, and the calls under way there.
    calls: Vec<(FunId, Chain)>,
}

/// What is known of the calls that lead to functions.
struct Callers<'c> {
    chains: &'c Map<Var, Chain>,
    found: Map<FunId, Found>,
    /// For each function, who calls it, and the calls under way there.
    of: Map<FunId, Vec<(FunId, Chain)>>,
    /// The calls that lead to functions to which there is one way.
    known: Map<FunId, Chain>,
    /// The parameter with the calls, of other functions.
    params: Map<FunId, Var>,
    numbers: Map<Call, u16>,
    /// Functions that may call themselves.
    recursive: Set<FunId>,
}

/// Completes the messages. `chains` has the calls at each call of a function, by the first of its results.
pub(crate) fn complete(program: &mut Program, chains: &Map<Var, Chain>) {
    let mut callers = Callers {
        chains,
        found: Map::default(),
        of: Map::default(),
        known: Map::default(),
        params: Map::default(),
        numbers: Map::default(),
        recursive: Calls::new(program).recursive(),
    };
    callers.look(program);
    callers.decide(program);
    for fun in program.functions.ids().collect::<Vec<_>>() {
        callers.complete_sites(program, fun);
        callers.rewrite(program, fun);
    }
}

impl Callers<'_> {
    fn look(&mut self, program: &Program) {
        for (fun, function) in program.functions.iter() {
            let mut found = Found::default();
            function.body.walk(&mut |part| {
                if let Part::Stm(stm) = part {
                    look_at(stm, self.chains, &mut found);
                }
            });
            for (called, chain) in &found.calls {
                self.of.entry(*called).or_default().push((fun, chain.clone()));
            }
            self.found.insert(fun, found);
        }
    }

    /// Which functions have known callers, and which get a parameter.
    fn decide(&mut self, program: &mut Program) {
        let needing = self.with_checks(program);
        for fun in program.functions.ids().collect::<Vec<_>>() {
            match self.chain_of(program, fun) {
                Some(chain) => drop(self.known.insert(fun, chain)),
                None if needing.contains(&fun) => {
                    let var = program.vars.push(VarInfo::new(Name::new("calls"), Type::I64));
                    let function = &mut program.functions[fun];
                    function.params.push(var);
                    function.consumed.push(false);
                    self.params.insert(fun, var);
                }
                None => {}
            }
        }
    }

    /// Functions with checks in them or in what they call.
    fn with_checks(&self, program: &Program) -> Set<FunId> {
        let direct = program.functions.ids().filter(|fun| !self.found[fun].sites.is_empty());
        let mut todo: Vec<FunId> = direct.collect();
        let mut with: Set<FunId> = todo.iter().copied().collect();
        while let Some(fun) = todo.pop() {
            for (caller, _) in self.of.get(&fun).into_iter().flatten() {
                if with.insert(*caller) {
                    todo.push(*caller);
                }
            }
        }
        with
    }

    /// The calls that lead to a function, if there is one way or all that messages show is the same.
    fn chain_of(&self, program: &Program, mut fun: FunId) -> Option<Chain> {
        let mut chain = Chain::new();
        let mut seen = Set::default();
        while chain.len() < KEPT_CALLS && !program.entries.iter().any(|entry| entry.function == fun) {
            match self.of.get(&fun).map(Vec::as_slice) {
                // Nothing calls the functions of constants yet: entry points will.
                None | Some([]) => break,
                Some([(outer, calls)]) if seen.insert(fun) => {
                    chain = kept_calls(chain.into_iter().chain(calls.iter().copied()));
                    fun = *outer;
                }
                Some(_) => return None,
            }
        }
        Some(chain)
    }

    fn complete_sites(&mut self, program: &mut Program, fun: FunId) {
        let callers = if self.params.contains_key(&fun) { self.callers_of(program, fun) } else { Vec::new() };
        for site in &self.found[&fun].sites {
            let site = &mut program.sites[*site];
            site.callers.clone_from(&callers);
            if let Some(outer) = self.known.get(&fun) {
                site.calls = kept_calls(site.calls.iter().chain(outer).copied());
                *site = site.placed(&[]);
            }
        }
    }

    /// All calls that may lead to a function and be in the word there: those before the last few are not.
    fn callers_of(&mut self, program: &Program, fun: FunId) -> Vec<Caller> {
        let mut calls: Vec<Call> = Vec::new();
        // How many calls are at least in the word behind those that lead to a function.
        let mut behind: Map<FunId, usize> = Map::default();
        let mut todo = vec![(fun, 0)];
        while let Some((fun, count)) = todo.pop() {
            if count >= KEPT_CALLS || behind.get(&fun).is_some_and(|before| *before <= count) {
                continue;
            }
            behind.insert(fun, count);
            for (caller, chain) in self.of.get(&fun).into_iter().flatten() {
                calls.extend(chain);
                // In recursion a call may be one that is not counted.
                let counted = if self.repeats_calls(program, *caller) { 0 } else { chain.len() };
                match self.known.get(caller) {
                    Some(known) => calls.extend(known),
                    None => todo.push((*caller, count + counted)),
                }
            }
        }
        let numbered = calls.into_iter().map(|call| Caller { number: self.number(call), call });
        let mut callers: Vec<Caller> = numbered.filter(|caller| caller.number != 0).collect();
        callers.sort_by_key(|caller| caller.number);
        callers.dedup();
        callers
    }

    /// Whether the call that led to a function may be one of its own: in recursion, also between several functions made from
    /// one definition.
    fn repeats_calls(&self, program: &Program, fun: FunId) -> bool {
        program.functions[fun].too_deep.is_some() || self.recursive.contains(&fun)
    }

    /// The number of a call; 0 if there are too many of them to have one each.
    fn number(&mut self, call: Call) -> u16 {
        let next = u16::try_from(self.numbers.len() + 1).unwrap_or(0);
        match self.numbers.get(&call) {
            Some(number) => *number,
            None if next == 0 => 0,
            None => *self.numbers.entry(call).or_insert(next),
        }
    }

    /// Passes the calls to functions that take them, and the parameter to checks.
    fn rewrite(&mut self, program: &mut Program, fun: FunId) {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut words: Map<Chain, Atom> = Map::default();
        let mut first = Vec::new();
        for (called, chain) in self.found[&fun].calls.clone() {
            if self.params.contains_key(&called) && !words.contains_key(&chain) {
                let word = self.word(program, fun, &chain, &mut first);
                words.insert(chain, word);
            }
        }
        let own = self.params.get(&fun).map(|var| Atom::Var(*var));
        body.for_each_stm_mut(&mut |stm| match &mut stm.exp {
            Exp::Call(called, args) if self.params.contains_key(called) => {
                let chain = chain_at(stm.vars.first(), self.chains);
                args.push(words.get(&chain).copied().unwrap_or(Atom::size(0)));
            }
            Exp::Assert { args, .. } => args.extend(own),
            Exp::Bulk(bulk) => {
                for output in &mut bulk.outputs {
                    if let Kind::Gen { coverage: Coverage::Checked { called, .. }, .. } = &mut output.kind {
                        *called = own;
                    }
                }
            }
            _ => {}
        });
        body.stms.splice(0..0, first);
        program.functions[fun].body = body;
    }

    /// The argument for a function that is called inside of these calls; statements that compute it go to `stms`.
    fn word(&mut self, program: &mut Program, caller: FunId, chain: &[Call], stms: &mut Vec<Stm>) -> Atom {
        let outer = self.known.get(&caller).into_iter().flatten();
        let calls = kept_calls(chain.iter().chain(outer).copied());
        let numbers: Vec<u16> = calls.into_iter().map(|call| self.number(call)).filter(|n| *n != 0).collect();
        let known = Atom::size(packed_calls(&numbers));
        let (Some(param), Some(outermost)) = (self.params.get(&caller), numbers.last()) else {
            return self.params.get(&caller).map_or(known, |var| Atom::Var(*var));
        };
        let (span, recursive) = (program.functions[caller].span, self.repeats_calls(program, caller));
        let mut bind = |name: &str, prim: Prim, exp: Exp| {
            let var = program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(prim)));
            stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
            Atom::Var(var)
        };
        let int = |op, a, b| Exp::Bin(op, Prim::I64, a, b);
        let bits = |count: usize| Atom::size(count as i64 * i64::from(CALL_BITS));
        let mut shift = bits(numbers.len());
        if recursive {
            // A call that repeats the one around it is not counted.
            let mask = Atom::size((1 << CALL_BITS) - 1);
            let last = bind("call", Prim::I64, int(BinOp::And, Atom::Var(*param), mask));
            let same = bind("same", Prim::Bool, int(BinOp::Eq, last, Atom::size(i64::from(*outermost))));
            shift = bind("room", Prim::I64, Exp::Select(same, bits(numbers.len() - 1), shift));
        }
        let before = bind("calls", Prim::I64, int(BinOp::Shl, Atom::Var(*param), shift));
        bind("calls", Prim::I64, int(BinOp::Or, before, known))
    }
}

fn chain_at(result: Option<&Var>, chains: &Map<Var, Chain>) -> Chain {
    result.and_then(|result| chains.get(result)).cloned().unwrap_or_default()
}

fn look_at(stm: &Stm, chains: &Map<Var, Chain>, found: &mut Found) {
    match &stm.exp {
        Exp::Assert { site, .. } => found.sites.push(*site),
        Exp::Call(function, _) => found.calls.push((*function, chain_at(stm.vars.first(), chains))),
        Exp::Bulk(bulk) => {
            for output in &bulk.outputs {
                if let Kind::Gen { coverage: Coverage::Checked { collision, gap, cycle, .. }, .. } = &output.kind {
                    found.sites.extend([*collision, *gap, *cycle]);
                }
            }
        }
        _ => {}
    }
}
