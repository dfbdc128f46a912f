//! Statements about buffers.

use crate::emitter::Emitter;
use crate::types::c_type;
use base::Span;
use kernel::{Expr, Home, Type, Var};

impl Emitter<'_> {
    /// The size of a buffer's elements, in bytes.
    fn element_size(&self, buffer: Var) -> usize {
        match self.program.vars[buffer].ty {
            Type::Buffer(prim) | Type::Scalar(prim) => prim.bytes(),
        }
    }

    /// The number of an allocation's place.
    pub(crate) fn place(&mut self, span: Span) -> String {
        if span == Span::OF_CALLER {
            return "t->place".into();
        }
        let known = self.places.iter().position(|known| *known == span);
        let number = known.unwrap_or_else(|| {
            self.places.push(span);
            self.places.len() - 1
        });
        number.to_string()
    }

    /// Declares a variable: a local array, or a buffer that refers to nothing.
    pub(crate) fn declare(&mut self, var: Var) {
        let name = self.var(var);
        let info = &self.program.vars[var];
        match info.ty {
            Type::Buffer(prim) if let Home::Local(count) = info.home => {
                self.out.line(format!("{} {name}[{count}];", c_type(prim)));
            }
            Type::Scalar(prim) => self.out.line(format!("{} {name} = 0;", c_type(prim))),
            Type::Buffer(prim) => {
                self.out.line(format!("{} *{name} = NULL;", c_type(prim)));
                self.out.line(format!("rv_block *{} = NULL;", self.block(var)));
            }
        }
    }

    pub(crate) fn alloc(&mut self, buffer: Var, count: Expr, reuse: Option<Var>, span: Span) {
        let (name, block) = (self.var(buffer), self.block(buffer));
        let value = self.new_block(buffer, count, reuse, span);
        self.out.line(format!("{block} = {value};"));
        self.out.line(format!("{name} = rv_data({block});"));
    }

    /// Declares a buffer that gets its memory at once.
    pub(crate) fn declare_alloc(&mut self, buffer: Var, count: Expr, reuse: Option<Var>, span: Span) {
        let block = self.block(buffer);
        let value = self.new_block(buffer, count, reuse, span);
        self.out.line(format!("rv_block *{block} = {value};"));
        self.out.line(format!("{} = rv_data({block});", self.declaration(buffer)));
    }

    /// Memory for so many elements of a buffer.
    fn new_block(&mut self, buffer: Var, count: Expr, reuse: Option<Var>, span: Span) -> String {
        let (count, place) = (self.plain(count), self.place(span));
        let size = self.element_size(buffer);
        match reuse {
            Some(spare) => format!("rv_alloc_reusing(t, &{}, {count}, {size}, {place})", self.block(spare)),
            None => format!("rv_alloc(t, {count}, {size}, {place})"),
        }
    }

    pub(crate) fn grow(&mut self, buffer: Var, used: Expr, needed: Expr, span: Span) {
        let (used, needed, place) = (self.plain(used), self.plain(needed), self.place(span));
        let (name, block, size) = (self.var(buffer), self.block(buffer), self.element_size(buffer));
        self.out.line(format!("{block} = rv_grow(t, {block}, {name}, {used}, {needed}, {size}, {place});"));
        self.out.line(format!("{name} = rv_data({block});"));
    }

    pub(crate) fn pack(&mut self, to: Var, refs: &[Var], words: &[Expr], span: Span) {
        let place = self.place(span);
        let (name, block) = (self.var(to), self.block(to));
        self.out.line(format!("{block} = rv_new_box(t, {}, {}, {place});", refs.len(), words.len()));
        self.out.line(format!("{name} = rv_data({block});"));
        for (index, var) in refs.iter().enumerate() {
            let (data, from) = (self.var(*var), self.block(*var));
            self.out.line(format!("rv_keep_ref(t, {block}, {index}, {data}, {from});"));
        }
        for (index, word) in words.iter().enumerate() {
            let word = self.plain(*word);
            self.out.line(format!("{name}[{index}] = {word};"));
        }
    }

    pub(crate) fn fetch(&mut self, to: Var, from: Var, at: usize) {
        let from = self.block(from);
        self.out.line(format!("{} = rv_refs({from})[{at}].data;", self.declaration(to)));
        self.out.line(format!("rv_block *{} = rv_refs({from})[{at}].block;", self.block(to)));
    }

    pub(crate) fn share(&mut self, to: Var, from: Var) {
        self.out.line(format!("{} = {};", self.var(to), self.var(from)));
        self.out.line(format!("{} = rv_shared(t, {});", self.block(to), self.block(from)));
    }

    /// Declares a buffer that refers to the memory of another one.
    pub(crate) fn declare_share(&mut self, to: Var, from: Var) {
        self.out.line(format!("{} = {};", self.declaration(to), self.var(from)));
        self.out.line(format!("rv_block *{} = rv_shared(t, {});", self.block(to), self.block(from)));
    }

    pub(crate) fn hand_over(&mut self, to: Var, from: Var) {
        self.out.line(format!("{} = {};", self.var(to), self.var(from)));
        self.out.line(format!("{} = rv_moved(&{});", self.block(to), self.block(from)));
    }

    /// Declares a buffer that gets the memory of another one.
    pub(crate) fn declare_move(&mut self, to: Var, from: Var) {
        self.out.line(format!("{} = {};", self.declaration(to), self.var(from)));
        self.out.line(format!("rv_block *{} = rv_moved(&{});", self.block(to), self.block(from)));
    }

    pub(crate) fn release(&mut self, var: Var) {
        self.out.line(format!("rv_leave(t, &{});", self.block(var)));
    }

    pub(crate) fn trim(&mut self, buffer: Var, start: Var, count: Expr, span: Span) {
        let (count, place, start) = (self.plain(count), self.place(span), self.var(start));
        let (name, block, size) = (self.var(buffer), self.block(buffer), self.element_size(buffer));
        let trim = format!("rv_trim(t, &{block}, (const char *){name}, &{start}, {count}, {size}, {place})");
        self.out.line(format!("if ({trim}) {name} = rv_data({block});"));
    }

    pub(crate) fn copy(&mut self, (to, to_at): (Var, Expr), (from, from_at): (Var, Expr), count: Expr, past: bool) {
        let size = self.element_size(to);
        let (to_at, from_at) = (self.expr(to_at).operand(), self.expr(from_at).operand());
        let (to, from, count) = (self.var(to), self.var(from), self.plain(count));
        let name = if past { "rv_copy_past" } else { "rv_copy" };
        self.out.line(format!("{name}({to} + {to_at}, {from} + {from_at}, {count}, {size});"));
    }
}
