//! Who calls whom.

use crate::traverse::Part;
use crate::{Block, Exp, FunId, Program, Stm};
use base::Set;
use std::collections::BTreeSet;

/// The calls between the functions of a program.
#[derive(Clone, Debug)]
pub struct Calls {
    /// What each function calls.
    callees: Vec<Vec<FunId>>,
}

impl Calls {
    /// The calls of a program.
    pub fn new(program: &Program) -> Calls {
        Calls { callees: program.functions.values().map(|f| callees(&f.body).into_iter().collect()).collect() }
    }

    /// What a function calls.
    pub fn of(&self, fun: FunId) -> &[FunId] {
        &self.callees[fun.0 as usize]
    }

    /// These functions and all that they call, each after those that it calls, as far as recursion allows. Chains of calls
    /// may be long, so the walk has a stack of its own.
    pub fn callees_first(&self, roots: impl IntoIterator<Item = FunId>) -> Vec<FunId> {
        let (mut order, mut seen) = (Vec::new(), Set::default());
        for root in roots {
            if !seen.insert(root) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((fun, next)) = stack.pop() {
                match self.of(fun).get(next) {
                    Some(callee) => {
                        stack.push((fun, next + 1));
                        if seen.insert(*callee) {
                            stack.push((*callee, 0));
                        }
                    }
                    None => order.push(fun),
                }
            }
        }
        order
    }

    /// The functions that may call themselves, directly or through others.
    pub fn recursive(&self) -> Set<FunId> {
        let all: Vec<FunId> = (0..self.callees.len() as u32).map(FunId).collect();
        let callers = self.reversed();
        let mut seen = Set::default();
        let mut recursive = Set::default();
        // Kosaraju's algorithm: of what is left, what leads to a caller of all others is one group of mutual recursion.
        for fun in self.callees_first(all).into_iter().rev() {
            let group = callers.reached(fun, &mut seen);
            if group.len() > 1 || self.of(fun).contains(&fun) {
                recursive.extend(group);
            }
        }
        recursive
    }

    /// Callers in the place of callees.
    fn reversed(&self) -> Calls {
        let mut callers = vec![Vec::new(); self.callees.len()];
        for (caller, callees) in self.callees.iter().enumerate() {
            callees.iter().for_each(|callee| callers[callee.0 as usize].push(FunId(caller as u32)));
        }
        Calls { callees: callers }
    }

    /// What a function calls, directly or through others, without those seen before, and itself.
    fn reached(&self, fun: FunId, seen: &mut Set<FunId>) -> Vec<FunId> {
        let (mut found, mut todo) = (Vec::new(), vec![fun]);
        while let Some(fun) = todo.pop() {
            if seen.insert(fun) {
                found.push(fun);
                todo.extend(self.of(fun));
            }
        }
        found
    }
}

/// Whether a block may print something: it does so itself, or calls a function that is not among the silent ones.
pub fn prints(block: &Block, silent: &Set<FunId>) -> bool {
    let mut prints = false;
    block.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            prints |= match &stm.exp {
                Exp::Trace(..) => true,
                Exp::Call(fun, _) => !silent.contains(fun),
                _ => false,
            };
        }
    });
    prints
}

/// The functions that print nothing, whatever they call.
pub fn silent(program: &Program) -> Set<FunId> {
    let mut silent: Set<FunId> = program.functions.ids().collect();
    loop {
        let loud: Vec<FunId> =
            silent.iter().copied().filter(|fun| prints(&program.functions[*fun].body, &silent)).collect();
        if loud.is_empty() {
            return silent;
        }
        silent.retain(|fun| !loud.contains(fun));
    }
}

/// The functions that only compute scalars and always have a result: calls of them are arithmetic.
pub fn arithmetic(program: &Program) -> Set<FunId> {
    let mut found = Set::default();
    for fun in Calls::new(program).callees_first(program.functions.ids()) {
        let mut computes = true;
        program.functions[fun].body.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                computes &= match &stm.exp {
                    Exp::If(..) => true,
                    Exp::Call(callee, _) => found.contains(callee),
                    Exp::Assert { .. } | Exp::Ensure { .. } => false,
                    exp => !exp.is_partial(),
                };
            }
        });
        if computes {
            found.insert(fun);
        }
    }
    found
}

/// The functions that a block calls.
pub fn callees(block: &Block) -> BTreeSet<FunId> {
    let mut found = BTreeSet::new();
    block.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Call(fun, _), .. }) = part {
            found.insert(*fun);
        }
    });
    found
}
