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

    /// Whether a function may call itself, directly or through others.
    pub fn is_recursive(&self, fun: FunId) -> bool {
        self.callees_first(self.of(fun).iter().copied()).contains(&fun)
    }
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
