//! Statements.

use super::components::component_types;
use super::function::{Around, Verifier};
use super::owners::{Owner, join};
use crate::facts::{self, Stores};
use crate::{Arg, Expr, FailArg, FunId, Mode, SiteId, Stm, Type, Var};
use scalar::{Layout, Prim};

impl Verifier<'_> {
    /// A block, which is a scope.
    pub fn block(&mut self, stms: &[Stm]) {
        self.scopes.push(Vec::new());
        self.stms(stms);
        self.leave_scope();
    }

    fn stms(&mut self, stms: &[Stm]) {
        for stm in stms {
            if self.owners.is_none() {
                return self.wrong("statements stand where no path arrives");
            }
            self.stm(stm);
        }
    }

    /// Checks a statement, and what it changes about who owns which memory.
    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(var, value) => {
                self.scalar(*var, *value);
                self.declare(*var, Owner::Empty);
            }
            Stm::Declare(var) => self.declare(*var, Owner::Fresh),
            Stm::Keep(var) => self.keep(*var),
            Stm::Set(var, value) => self.assignment(*var, *value),
            Stm::Store { buffer, at, value } => self.store(*buffer, *at, *value),
            Stm::Alloc { buffer, count, reuse, span: _ } => {
                self.number(*count);
                if let Some(spare) = reuse {
                    self.same_buffers(*buffer, *spare);
                    self.releases(*spare);
                }
                self.receives(*buffer);
            }
            Stm::Grow { buffer, used, needed, span: _ } => self.growth(*buffer, *used, *needed),
            Stm::Pack { to, refs, words, span: _ } => self.pack(*to, refs, words),
            Stm::Fetch { to, from, at: _ } => self.fetch(*to, *from),
            Stm::Share { to, from } => self.share(*to, *from),
            Stm::Move { to, from } => self.transfer(*to, *from),
            Stm::Release(var) => self.releases(*var),
            Stm::Trim { buffer, start, count, span: _ } => self.trim(*buffer, *start, *count),
            Stm::Copy { to, to_at, from, from_at, count, past: _ } => self.copy(*to, *to_at, *from, *from_at, *count),
            Stm::Sort { keys, count, values, order, .. } => self.sort(*keys, *count, *values, *order),
            Stm::Relay { chain, turn, var, next } => self.relay(*chain, *turn, *var, *next),
            Stm::Transpose { .. } => self.transpose(stm),
            Stm::Prefetch(buffer, at) => {
                self.number(*at);
                self.uses_buffer(*buffer);
            }
            Stm::Prefix { .. } => self.prefix(stm),
            Stm::If(cond, then, otherwise) => self.choice(*cond, then, otherwise),
            Stm::For { var, from, to, mode, body } => self.counted_loop(*var, *from, *to, *mode, body),
            Stm::While { head, cond, body } => self.conditional_loop(head, *cond, body),
            Stm::Call { results, function, args, .. } => self.call(results, *function, args),
            Stm::Fail { site, args } => self.failure(*site, args),
            Stm::Try { stopped, body } => self.attempt(*stopped, body),
            Stm::Stop(value) => self.stop(*value),
            Stm::Trace(layout, args, _) => self.trace(layout, args),
            Stm::Return(args) => self.returns(args),
        }
    }

    /// A scalar is assigned, which is no index of a loop.
    fn assignment(&mut self, var: Var, value: Expr) {
        self.scalar(var, value);
        self.changes(var);
        if self.indices.contains(&var) {
            self.wrong(format!("{} is the index of a loop and is assigned", self.show(var)));
        }
    }

    /// An element is stored.
    fn store(&mut self, buffer: Var, at: Expr, value: Expr) {
        self.number(at);
        self.uses_buffer(buffer);
        if let Some(Type::Buffer(prim)) = self.type_of(buffer) {
            self.expect(value, prim);
        }
    }

    /// A buffer with memory of its own gets more capacity.
    fn growth(&mut self, buffer: Var, used: Expr, needed: Expr) {
        self.number(used);
        self.number(needed);
        self.grows(buffer);
    }

    /// A box refers to the memory of buffers.
    fn pack(&mut self, to: Var, refs: &[Var], words: &[Expr]) {
        words.iter().for_each(|word| self.number(*word));
        refs.iter().for_each(|var| self.lends(*var));
        refs.iter().for_each(|var| self.uses_buffer(*var));
        self.receives(to);
        self.uses(to, Type::Buffer(Prim::I64));
    }

    /// A name for a buffer in a box, which owns it.
    fn fetch(&mut self, to: Var, from: Var) {
        self.uses(from, Type::Buffer(Prim::I64));
        self.declare(to, Owner::Lent);
        self.uses_buffer(to);
    }

    /// A second reference to the memory of a buffer.
    fn share(&mut self, to: Var, from: Var) {
        self.same_buffers(to, from);
        self.uses_buffer(from);
        self.lends(from);
        self.receives(to);
    }

    /// A reference goes from one variable to another.
    fn transfer(&mut self, to: Var, from: Var) {
        self.same_buffers(to, from);
        self.gives(from);
        self.receives(to);
    }

    /// A buffer gives back the memory around what is used, and its first element moves.
    fn trim(&mut self, buffer: Var, start: Var, count: Expr) {
        self.uses(start, Type::Scalar(Prim::I64));
        self.assigns(start);
        self.number(count);
        self.resizes(buffer);
    }

    /// Elements go from one buffer to another.
    fn copy(&mut self, to: Var, to_at: Expr, from: Var, from_at: Expr, count: Expr) {
        self.same_buffers(to, from);
        [to_at, from_at, count].into_iter().for_each(|e| self.number(e));
        self.uses_buffer(to);
        self.uses_buffer(from);
    }

    /// Sorted numbers go from one buffer to another, and their indices to a third.
    fn sort(&mut self, keys: (Var, Expr), count: Expr, values: Option<(Var, Expr)>, order: Option<(Var, Expr)>) {
        self.number(count);
        for (buffer, at) in [keys].into_iter().chain(values).chain(order) {
            self.number(at);
            self.uses_buffer(buffer);
        }
        if let Some((values, _)) = values {
            self.same_buffers(values, keys.0);
        }
        if let Some((order, _)) = order {
            self.uses(order, Type::Buffer(Prim::I64));
        }
        if [values, order].into_iter().flatten().any(|(result, _)| result == keys.0) {
            self.wrong("numbers are sorted into their own memory");
        }
    }

    /// Numbers go from one iteration of a parallel loop to the next.
    fn relay(&mut self, chain: Var, turn: Expr, var: Var, next: Expr) {
        if !self.around.is_parallel_body(self.scopes.len()) {
            self.wrong("numbers are handed on, but not in the body of a parallel loop");
        }
        self.uses(chain, Type::Buffer(Prim::I64));
        self.number(turn);
        self.declare(var, Owner::Empty);
        match self.type_of(var) {
            Some(Type::Scalar(prim)) if prim.is_int() => self.expect(next, prim),
            _ => self.wrong(format!("{} is handed on and no integer", self.show(var))),
        }
    }

    /// Combinations go from one buffer to another.
    fn transpose(&mut self, stm: &Stm) {
        let Stm::Transpose { to, to_stride, from, from_stride, rows, columns } = stm else { return };
        self.same_buffers(to.0, from.0);
        for (buffer, at) in [to, from] {
            self.number(*at);
            self.uses_buffer(*buffer);
        }
        [to_stride, from_stride, rows, columns].into_iter().for_each(|number| self.number(*number));
        if to.0 == from.0 {
            self.wrong("rows become columns in their own memory");
        }
    }

    fn prefix(&mut self, stm: &Stm) {
        let Stm::Prefix { to, from, count, before, op, past } = stm else { return };
        self.same_buffers(to.0, from.0);
        for (buffer, at) in [to, from] {
            self.number(*at);
            self.uses_buffer(*buffer);
        }
        self.number(*count);
        self.expect(*past, Prim::Bool);
        match self.type_of(to.0) {
            Some(Type::Buffer(prim)) if facts::has_prefix(*op, prim) => self.expect(*before, prim),
            _ => self.wrong(format!("there are no running combinations by {op} of {}", self.show(to.0))),
        }
        if to.0 == from.0 {
            self.wrong("running combinations go into the memory of their elements");
        }
    }

    /// Arguments and results have the types that the function says.
    fn call(&mut self, results: &[Var], function: FunId, args: &[Arg]) {
        let Some(called) = self.program.functions.get(function) else {
            return self.wrong(format!("{function:?} does not exist"));
        };
        let params: Vec<Option<Type>> = called.params.iter().map(|p| self.type_of(*p)).collect();
        if args.len() != params.len() || results.len() != called.results.len() {
            self.wrong(format!("a call of {function:?} has another number of arguments or results"));
        }
        args.iter().zip(params).for_each(|(arg, ty)| {
            if let Some(ty) = ty {
                self.argument(arg, ty);
            }
        });
        for (var, ty) in results.iter().zip(&called.results) {
            self.declare(*var, Owner::Owned);
            self.lends(*var);
            self.uses(*var, *ty);
        }
    }

    /// The run ends here with a message.
    fn failure(&mut self, site: SiteId, args: &[FailArg]) {
        if self.program.sites.get(site).is_none() {
            self.wrong(format!("{site:?} does not exist"));
        }
        args.iter().for_each(|arg| self.fail_arg(arg));
        self.owners = None;
    }

    /// An attempt, and the number that says why it stopped.
    fn attempt(&mut self, stopped: Var, body: &[Stm]) {
        self.uses(stopped, Type::Scalar(Prim::I64));
        self.assigns(stopped);
        self.walled(body, true);
    }

    /// An attempt ends here.
    fn stop(&mut self, value: Expr) {
        self.number(value);
        if !self.around.attempt {
            self.wrong("a stop stands outside of every attempt");
        }
        self.owners = None;
    }

    /// The components of a value that is shown.
    fn trace(&mut self, layout: &Layout, args: &[Arg]) {
        let types = component_types(layout);
        if types.len() != args.len() {
            self.wrong("a traced value has another number of components");
        }
        args.iter().zip(types).for_each(|(arg, ty)| self.argument(arg, ty));
    }

    fn scalar(&mut self, var: Var, value: Expr) {
        match self.type_of(var) {
            Some(Type::Scalar(prim)) => self.expect(value, prim),
            Some(Type::Buffer(_)) | None => self.wrong(format!("{} is no scalar", self.show(var))),
        }
    }

    fn same_buffers(&mut self, to: Var, from: Var) {
        if self.type_of(to) != self.type_of(from) {
            self.wrong(format!("{} and {} are of different types", self.show(to), self.show(from)));
        }
    }

    fn choice(&mut self, cond: Expr, then: &[Stm], otherwise: &[Stm]) {
        self.expect(cond, Prim::Bool);
        let before = self.owners.clone();
        self.block(then);
        let after = std::mem::replace(&mut self.owners, before);
        self.block(otherwise);
        self.owners = join(after, self.owners.take());
    }

    fn counted_loop(&mut self, var: Var, from: Expr, to: Expr, mode: Mode, body: &[Stm]) {
        self.number(from);
        self.number(to);
        self.scopes.push(Vec::new());
        self.declare(var, Owner::Empty);
        self.uses(var, Type::Scalar(Prim::I64));
        self.indices.insert(var);
        match mode {
            Mode::Sequential | Mode::Short => self.repeated(|this| this.block(body)),
            Mode::Simd | Mode::Lanes | Mode::Rolled => {
                let compared = Stores::Compared(facts::constant_count(from, to));
                let stores = if mode == Mode::Lanes { Stores::Apart } else { compared };
                if let Some(why) = facts::dependence(self.program, var, body, stores) {
                    self.wrong(format!("a simd loop {why}"));
                }
                self.repeated(|this| this.block(body));
            }
            Mode::Unrolled => {
                if facts::constant_count(from, to).is_none() {
                    self.wrong("the bounds of an unrolled loop are no constants");
                }
                self.repeated(|this| this.block(body));
            }
            Mode::Parallel if self.around.attempt => self.wrong("a parallel loop stands in an attempt"),
            Mode::Parallel => self.walled(body, false),
        }
        self.leave_scope();
    }

    fn conditional_loop(&mut self, head: &[Stm], cond: Expr, body: &[Stm]) {
        let mut after = None;
        self.repeated(|this| {
            this.scopes.push(Vec::new());
            this.stms(head);
            this.expect(cond, Prim::Bool);
            // The loop is left here; what the head declares goes.
            let here = this.owners.clone();
            this.block(body);
            let behind = std::mem::replace(&mut this.owners, here);
            let scope = this.scopes.last().cloned().unwrap_or_default();
            this.leave_scope();
            after = std::mem::replace(&mut this.owners, behind);
            this.scopes.push(scope);
            this.leave_scope();
        });
        self.owners = after;
    }

    /// A body that is run any number of times: it starts in the state before it or in the state after it.
    fn repeated(&mut self, mut body: impl FnMut(&mut Self)) {
        let before = self.owners.clone();
        body(self);
        let start = join(before.clone(), self.owners.take());
        if start != before {
            let again = std::mem::replace(&mut self.again, true);
            self.owners = start.clone();
            body(self);
            self.again = again;
        }
        self.owners = join(start, self.owners.take());
    }

    /// The body of a parallel loop or of an attempt: what is outside is only read.
    fn walled(&mut self, body: &[Stm], attempt: bool) {
        let wall = self.scopes.len();
        let parallel_wall = if attempt { self.around.parallel_wall } else { wall };
        let around = Around { wall, parallel_wall, walled: true, attempt };
        let around = std::mem::replace(&mut self.around, around);
        let before = self.owners.clone();
        self.block(body);
        self.around = around;
        self.owners = before;
    }

    /// A buffer that keeps memory between turns: what it has at the start of one is not known.
    fn keep(&mut self, var: Var) {
        if !self.around.is_parallel_body(self.scopes.len()) {
            self.wrong(format!("{} is kept, but not in the body of a parallel loop", self.show(var)));
        }
        self.declare(var, Owner::Maybe);
        self.kept.insert(var);
        self.uses_buffer(var);
    }

    fn returns(&mut self, args: &[Arg]) {
        if self.around.walled {
            self.wrong("a return stands in the body of a parallel loop or attempt");
        }
        let results = self.results.clone();
        if args.len() != results.len() {
            self.wrong(format!("{} results are returned, not {}", args.len(), results.len()));
        }
        for (arg, ty) in args.iter().zip(results) {
            self.argument(arg, ty);
            if let Arg::Buffer(var) = arg {
                self.gives(*var);
            }
        }
        self.leave_function();
    }
}
