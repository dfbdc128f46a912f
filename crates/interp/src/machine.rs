//! The state of a run: the stack of values, the code made so far, the constants computed so far. What code does is in
//! other files, by topic: [`crate::eval`] for expressions, [`crate::call`] for calls.

use crate::code::{Code, Slot};
use crate::data::Value;
use crate::resolve::resolve_def;
use crate::stack;
use crate::tracer::Tracer;
use base::Span;
use base::id::Id;
use std::rc::Rc;
use typed::{DefId, Program};

/// How far the computation of a constant definition is.
#[derive(Clone, Default)]
pub(crate) enum Constant {
    #[default]
    Untouched,
    Running,
    Done(Value),
}

/// Runs code. Frames lie one after another in one stack; slots are counted from the base of the current one.
pub(crate) struct Machine<'p> {
    pub program: &'p Program,
    codes: Vec<Option<Rc<Code>>>,
    pub constants: Vec<Constant>,
    pub stack: Vec<Value>,
    pub base: usize,
    pub limit: stack::Limit,
    pub tracer: &'p Tracer<'p>,
    /// Where the functions that run were called, outermost first.
    pub calls: Vec<Span>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, tracer: &'p Tracer<'p>) -> Machine<'p> {
        let count = program.defs.len();
        Machine {
            program,
            codes: vec![None; count],
            constants: vec![Constant::default(); count],
            stack: Vec::new(),
            base: 0,
            limit: stack::Limit::current(),
            tracer,
            calls: Vec::new(),
        }
    }

    /// The code of a definition, made when it is first used.
    pub fn code(&mut self, def: DefId) -> Rc<Code> {
        if let Some(code) = &self.codes[def.index()] {
            return code.clone();
        }
        let code = Rc::new(resolve_def(self.program, def));
        self.codes[def.index()] = Some(code.clone());
        code
    }

    #[inline]
    pub fn slot(&self, slot: Slot) -> &Value {
        &self.stack[self.base + slot as usize]
    }

    #[inline]
    pub fn set(&mut self, slot: Slot, value: Value) {
        let place = self.base + slot as usize;
        self.stack[place] = value;
    }

    #[inline]
    pub fn take(&mut self, slot: Slot) -> Value {
        let place = self.base + slot as usize;
        std::mem::take(&mut self.stack[place])
    }

    /// Where the stack stands; [`Machine::rewind`] brings it back there after an evaluation that stopped.
    pub fn mark(&self) -> (usize, usize) {
        (self.base, self.stack.len())
    }

    pub fn rewind(&mut self, mark: (usize, usize)) {
        self.stack.truncate(mark.1);
        self.base = mark.0;
    }
}
