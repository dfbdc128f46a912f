//! The active calls, for the messages of checks in functions of Core.
//!
//! A check knows the calls that were unfolded around it. Which calls led to its function is known at run time: the
//! function has one more parameter, the innermost of them, each a number, packed into one word (see [`fault::calls`]). A
//! caller adds its own calls by a shift. The checks inside have the word as their last argument, and their sites say what
//! the numbers mean. The pass `simplify` resolves words that are constants, and `sweep` removes those that nothing uses.

use crate::context::{Desugar, Word};
use base::{Map, Name, Set};
use fault::calls::{CALL_BITS, KEPT_CALLS, kept_calls, packed_calls};
use fault::{Call, Caller};
use ir::calls::Calls;
use ir::num::Compute;
use ir::{Atom, Exp, FunId, Program, SiteId, Type, Var};
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

    /// A parameter for the calls that lead to a function.
    pub(crate) fn word_param(&mut self, recursive: bool) -> Word {
        Word { param: self.b.var(Name::new("calls"), Type::I64), recursive }
    }

    /// Binds new variables to the results of a call, to which it passes the active calls.
    pub(crate) fn bind_call(&mut self, vars: Vec<Var>, fun: FunId, mut args: Vec<Atom>) {
        let Some(first) = vars.first() else { base::bug!("a call binds nothing, so nothing finds its callers") };
        let chain = self.user_calls();
        args.push(self.word_at(&chain));
        self.chains.insert(*first, chain);
        self.b.bind_all(vars, Exp::Call(fun, args));
    }

    /// The word for a function that is called inside of these calls.
    fn word_at(&mut self, chain: &[Call]) -> Atom {
        let numbers: Vec<u16> = chain.iter().map(|call| self.call_number(*call)).filter(|n| *n != 0).collect();
        let known = Atom::size(packed_calls(&numbers));
        let (Some(word), Some(outermost)) = (self.word, numbers.last()) else {
            return self.word.map_or(known, |word| word.param.into());
        };
        let param = Atom::Var(word.param);
        let bits = |count: usize| Atom::size(count as i64 * i64::from(CALL_BITS));
        let mut shift = bits(numbers.len());
        if word.recursive {
            // A call that repeats the one around it is not counted.
            let last = self.b.bin(BinOp::And, Prim::I64, param, Atom::size((1 << CALL_BITS) - 1));
            shift = self.b.num(last.equals(i64::from(*outermost)).select(bits(numbers.len() - 1), shift));
        }
        let before = self.b.bin(BinOp::Shl, Prim::I64, param, shift);
        self.b.bin(BinOp::Or, Prim::I64, before, known)
    }

    /// The number of a call; 0 if there are too many of them to have one each.
    fn call_number(&mut self, call: Call) -> u16 {
        let next = u16::try_from(self.call_numbers.len() + 1).unwrap_or(0);
        *self.call_numbers.entry(call).or_insert(next)
    }
}

/// What the program has, by function.
struct Callers<'c> {
    /// Who calls it, and the active calls there.
    of: Map<FunId, Vec<(FunId, &'c Chain)>>,
    sites: Map<FunId, Vec<SiteId>>,
    /// Functions that may call themselves, also through others made from the same definition.
    recursive: Set<FunId>,
}

/// Says at the sites of checks which calls may lead to them. `chains` has the active calls at each call of a function, by
/// the first of its results.
pub(crate) fn complete(program: &mut Program, chains: &Map<Var, Chain>, numbers: &Map<Call, u16>) {
    let callers = Callers::new(program, chains);
    for (fun, sites) in &callers.sites {
        let number = |call: &Call| numbers.get(call).copied().filter(|number| *number != 0);
        let numbered = |call: Call| number(&call).map(|number| Caller { number, call });
        let mut all: Vec<Caller> = callers.calls_to(*fun).into_iter().filter_map(numbered).collect();
        all.sort_by_key(|caller| caller.number);
        all.dedup();
        sites.iter().for_each(|site| program.sites[*site].callers.clone_from(&all));
    }
    let with_checks = callers.with_checks();
    for function in program.functions.values_mut() {
        function.body.for_each_stm_mut(&mut |stm| match &mut stm.exp {
            // Nothing looks at the word; recursion alone would keep it.
            Exp::Call(called, args) if !with_checks.contains(called) => {
                args.pop();
                args.push(Atom::size(0));
            }
            _ => {}
        });
    }
}

impl<'c> Callers<'c> {
    fn new(program: &mut Program, chains: &'c Map<Var, Chain>) -> Callers<'c> {
        let (mut of, mut sites): (Map<FunId, Vec<_>>, Map<FunId, Vec<SiteId>>) = Default::default();
        let mut recursive = Calls::new(program).recursive();
        for fun in program.functions.ids() {
            let function = &mut program.functions[fun];
            recursive.extend(function.too_deep.map(|_| fun));
            function.body.for_each_stm_mut(&mut |stm| match &mut stm.exp {
                Exp::Assert { site, .. } => sites.entry(fun).or_default().push(*site),
                Exp::Call(called, _) => of.entry(*called).or_default().push((fun, &chains[&stm.vars[0]])),
                Exp::Bulk(bulk) => bulk.sites_mut().for_each(|site| sites.entry(fun).or_default().push(*site)),
                _ => {}
            });
        }
        Callers { of, sites, recursive }
    }

    /// Functions with checks in them or in what they call.
    fn with_checks(&self) -> Set<FunId> {
        let mut todo: Vec<FunId> = self.sites.keys().copied().collect();
        let mut with: Set<FunId> = todo.iter().copied().collect();
        while let Some(fun) = todo.pop() {
            let callers = self.of.get(&fun).into_iter().flatten().map(|(caller, _)| *caller);
            todo.extend(callers.filter(|caller| with.insert(*caller)));
        }
        with
    }

    /// All calls that may lead to a function and be in the word there: those before the last few are not.
    fn calls_to(&self, fun: FunId) -> Vec<Call> {
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
                calls.extend(*chain);
                // In recursion a call may be one that is not counted.
                let counted = if self.recursive.contains(caller) { 0 } else { chain.len() };
                todo.push((*caller, count + counted));
            }
        }
        calls
    }
}
