//! Whether every buffer is released exactly once on every path.

use kernel::*;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Empty,
    Owned,
    Maybe,
}

/// Panics if a buffer leaks, is released by somebody else, or is filled twice.
pub fn check(program: &Program) {
    for function in program.functions.values() {
        let mut checker = Checker { program, states: HashMap::new(), function: function.name.to_string() };
        checker.block(&function.body);
    }
}

struct Checker<'a> {
    program: &'a Program,
    states: HashMap<Var, State>,
    function: String,
}

impl Checker<'_> {
    fn show(&self, var: Var) -> String {
        format!("{}{} in {}", self.program.vars[var].name, var.0, self.function)
    }

    fn block(&mut self, stms: &[Stm]) {
        let mut declared = Vec::new();
        let mut ended = false;
        for stm in stms {
            self.stm(stm, &mut declared);
            ended |= matches!(stm, Stm::Return(_) | Stm::Fail { .. } | Stm::Stop(_));
        }
        for var in declared {
            let state = self.states.remove(&var);
            assert!(ended || state == Some(State::Empty), "{} is {state:?} at the end", self.show(var));
        }
    }

    fn fill(&mut self, var: Var) {
        let old = self.states.insert(var, State::Owned);
        assert_eq!(old, Some(State::Empty), "{} is filled", self.show(var));
    }

    fn empty(&mut self, var: Var, must: bool) {
        let old = self.states.insert(var, State::Empty);
        let fine = if must { old == Some(State::Owned) } else { old.is_some() };
        assert!(fine, "{} is taken from, but {old:?}", self.show(var));
    }

    fn stm(&mut self, stm: &Stm, declared: &mut Vec<Var>) {
        match stm {
            Stm::Declare(var) => {
                if let Type::Buffer(_) = self.program.vars[*var].ty {
                    self.states.insert(*var, State::Empty);
                    declared.push(*var);
                }
            }
            Stm::Alloc { buffer, .. } => self.fill(*buffer),
            Stm::Grow { buffer, .. } => {
                self.states.insert(*buffer, State::Owned);
            }
            Stm::Share { to, .. } => self.fill(*to),
            Stm::Move { to, from } => {
                self.empty(*from, true);
                self.fill(*to);
            }
            Stm::Release(var) => self.empty(*var, false),
            Stm::Trim { buffer, .. } => assert!(self.states.contains_key(buffer), "{}", self.show(*buffer)),
            Stm::If(_, then, otherwise) => self.branch(then, otherwise),
            Stm::For { body, .. } => self.repeat(body),
            Stm::While { head, body, .. } => {
                self.repeat(&[head.clone(), body.clone()].concat());
            }
            Stm::Call { results, .. } => {
                for var in results {
                    if let Type::Buffer(_) = self.program.vars[*var].ty {
                        self.states.insert(*var, State::Owned);
                        declared.push(*var);
                    }
                }
            }
            Stm::Try { body, .. } => self.repeat(body),
            Stm::Return(args) => {
                for arg in args {
                    if let Arg::Buffer(var) = arg {
                        self.empty(*var, false);
                    }
                }
                for (var, state) in &self.states {
                    assert_eq!(*state, State::Empty, "{} is not released", self.show(*var));
                }
            }
            Stm::Let(..) | Stm::Set(..) | Stm::Store { .. } | Stm::Copy { .. } => {}
            Stm::Fail { .. } | Stm::Stop(_) | Stm::Trace(..) => {}
        }
    }

    fn branch(&mut self, then: &[Stm], otherwise: &[Stm]) {
        let before = self.states.clone();
        self.block(then);
        let after = std::mem::replace(&mut self.states, before);
        let ends = |stms: &[Stm]| matches!(stms.last(), Some(Stm::Return(_) | Stm::Fail { .. } | Stm::Stop(_)));
        if ends(then) {
            return self.block(otherwise);
        }
        self.block(otherwise);
        for (var, state) in after {
            let other = self.states.get(&var).copied();
            let joined = if other == Some(state) { state } else { State::Maybe };
            self.states.insert(var, joined);
        }
    }

    fn repeat(&mut self, body: &[Stm]) {
        for _ in 0..2 {
            let before = self.states.clone();
            self.block(body);
            for (var, state) in before {
                let other = self.states.get(&var).copied();
                let joined = if other == Some(state) { state } else { State::Maybe };
                self.states.insert(var, joined);
            }
        }
    }
}
