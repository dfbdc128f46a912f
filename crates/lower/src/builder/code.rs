//! The Kernel program under construction: its variables, and open blocks of statements with the buffers that belong to
//! them.
//!
//! Knows nothing of Core. A block that is closed releases the buffers that it still owns:
//!
//! ```text
//! open();  let b = alloc("b", I64, 3);  emit(b[0] = 7);  close()      declare b; b = alloc 3; b[0] = 7; release b
//! ```

use crate::data::expr::{self, ExprBuilder};
use base::{Map, Name, Span};
use ir::Var;
use kernel::{Expr, Home, Origin, Program, Stm, Type, Var as K, VarInfo};
use scalar::Prim;

/// An open block of statements.
#[derive(Default)]
pub(crate) struct Scope {
    /// The statements so far.
    pub stms: Vec<Stm>,
    /// Buffers to be released here.
    pub owned: Vec<K>,
    /// The number of the last item that mentions a Core variable. A variable that is bound inside an item is of no use
    /// after it, and is left out.
    pub last_use: Map<Var, usize>,
    /// The index of the Core loop whose turns the block runs.
    pub index: Option<Var>,
}

/// The program and its open blocks.
pub(crate) struct Code<'p> {
    /// What is finished.
    pub program: Program,
    /// Makes its expressions.
    pub exprs: &'p ExprBuilder,
    /// Open blocks, the innermost last.
    scopes: Vec<Scope>,
    /// The place in the source of the current statement.
    pub span: Span,
    /// Whether statements go into the body of a parallel loop.
    pub in_parallel: bool,
}

impl<'p> Code<'p> {
    /// Nothing written yet.
    pub fn new(exprs: &'p ExprBuilder, span: Span) -> Self {
        Code { program: Program::default(), exprs, scopes: Vec::new(), span, in_parallel: false }
    }

    /// A new variable, not declared yet.
    pub fn fresh(&mut self, name: &str, ty: Type) -> K {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }

    /// How many variables there are: later ones have higher numbers.
    pub fn var_count(&self) -> u32 {
        self.program.vars.len() as u32
    }

    /// The element type of a buffer.
    pub fn prim_of(&self, buffer: K) -> Prim {
        match self.program.vars[buffer].ty {
            Type::Scalar(prim) | Type::Buffer(prim) => prim,
        }
    }

    /// Adds a statement to the innermost block.
    pub fn emit(&mut self, stm: Stm) {
        self.innermost().stms.push(stm);
    }

    /// Declares a scalar without a value.
    pub fn declare(&mut self, name: &str, prim: Prim) -> K {
        let k = self.fresh(name, Type::Scalar(prim));
        self.emit(Stm::Declare(k));
        k
    }

    /// Declares a buffer that refers to nothing.
    pub fn declare_buffer(&mut self, name: &str, prim: Prim) -> K {
        let k = self.fresh(name, Type::Buffer(prim));
        self.emit(Stm::Declare(k));
        k
    }

    /// Declares an `i64` that changes later.
    pub fn variable(&mut self, name: &str, value: Expr) -> K {
        let k = self.declare(name, Prim::I64);
        self.emit(Stm::Set(k, value));
        k
    }

    /// Gives a scalar a name, unless it is one or a constant.
    pub fn name(&mut self, name: &str, prim: Prim, value: Expr) -> Expr {
        if expr::is_atom(value) {
            return value;
        }
        self.let_scalar(name, prim, value)
    }

    /// Gives an `i64` a name.
    pub fn name_int(&mut self, name: &str, value: Expr) -> Expr {
        self.name(name, Prim::I64, value)
    }

    /// Gives a scalar a name of its own, which keeps its value when variables in `value` change.
    pub fn snapshot(&mut self, name: &str, prim: Prim, value: Expr) -> Expr {
        if matches!(value, Expr::Const(_)) {
            return value;
        }
        self.let_scalar(name, prim, value)
    }

    fn let_scalar(&mut self, name: &str, prim: Prim, value: Expr) -> Expr {
        let k = self.fresh(name, Type::Scalar(prim));
        self.emit(Stm::Let(k, value));
        Expr::Var(k)
    }

    /// Adds 1 to a variable.
    pub fn increment(&mut self, k: K) {
        let exprs = self.exprs;
        self.emit(Stm::Set(k, exprs.add(Expr::Var(k), expr::int(1))));
    }

    /// A buffer that grows as it is filled, owned by the innermost block.
    pub fn growing(&mut self, name: &str, prim: Prim) -> K {
        let buffer = self.declare_buffer(name, prim);
        self.own(buffer);
        buffer
    }

    /// Makes space in a buffer for `needed` elements, `used` of which are in use.
    pub fn grow(&mut self, buffer: K, used: Expr, needed: Expr) {
        let span = self.span;
        self.emit(Stm::Grow { buffer, used, needed, span });
    }

    /// Writes an element.
    pub fn store(&mut self, buffer: K, at: Expr, value: Expr) {
        self.emit(Stm::Store { buffer, at, value });
    }

    /// Changes a variable.
    pub fn set(&mut self, k: K, value: Expr) {
        self.emit(Stm::Set(k, value));
    }

    /// New memory, owned by the innermost block.
    pub fn alloc(&mut self, name: &str, prim: Prim, count: Expr) -> K {
        let buffer = self.declare_buffer(name, prim);
        let span = self.span;
        self.emit(Stm::Alloc { buffer, count, reuse: None, span });
        self.own(buffer);
        buffer
    }

    /// New memory for what blocks of a loop's turns give.
    pub fn table(&mut self, name: &str, prim: Prim, count: Expr) -> K {
        let buffer = self.alloc(name, prim, count);
        self.program.tables.insert(buffer);
        buffer
    }

    /// A local array of so many elements, in the innermost block.
    pub fn local(&mut self, name: &str, prim: Prim, count: u32) -> K {
        let buffer = self.declare_buffer(name, prim);
        self.program.vars[buffer].home = Home::Local(count);
        buffer
    }

    /// Opens a block.
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Takes the innermost block away, unfinished.
    pub fn pop(&mut self) -> Scope {
        let Some(scope) = self.scopes.pop() else { base::bug!("no block of statements is open") };
        scope
    }

    /// Opens a block again that was taken away.
    pub fn push(&mut self, scope: Scope) {
        self.scopes.push(scope);
    }

    /// The innermost block.
    pub fn innermost(&mut self) -> &mut Scope {
        let Some(scope) = self.scopes.last_mut() else { base::bug!("no block of statements is open") };
        scope
    }

    /// Closes the innermost block: the buffers that it owns are released.
    pub fn close(&mut self) -> Vec<Stm> {
        let index = self.innermost().index;
        let stms = self.close_loop().0;
        if let Some(around) = self.scopes.last_mut() {
            around.index = around.index.or(index);
        }
        stms
    }

    /// Closes the innermost block, which is the body of a loop. Returns the index of the Core loop, too.
    pub fn close_loop(&mut self) -> (Vec<Stm>, Option<Var>) {
        let mut scope = self.pop();
        scope.stms.extend(scope.owned.iter().map(|k| Stm::Release(*k)));
        (scope.stms, scope.index)
    }

    /// Notes where a loop comes from: `k` is its index or condition.
    pub fn note_origin(&mut self, k: K, span: Span, core: Option<Var>) {
        self.program.origins.insert(k, Origin { span, core: core.map(|var| var.0) });
    }

    /// Closes the innermost block and adds its statements to the one around it.
    pub fn close_inline(&mut self) {
        let stms = self.close();
        self.innermost().stms.extend(stms);
    }

    /// Makes the innermost block the owner of a buffer.
    pub fn own(&mut self, buffer: K) {
        self.innermost().owned.push(buffer);
    }

    /// Ends the innermost block's ownership of a buffer; false if it does not own it.
    pub fn disown(&mut self, buffer: K) -> bool {
        let owned = &mut self.innermost().owned;
        let before = owned.len();
        owned.retain(|k| *k != buffer);
        owned.len() < before
    }

    /// Releases a buffer before the end of its block.
    pub fn release(&mut self, buffer: K) {
        if self.disown(buffer) {
            self.emit(Stm::Release(buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_releases_what_it_owns() {
        let exprs = ExprBuilder::default();
        let mut code = Code::new(&exprs, Span::new(base::FileId(0), 0, 0));
        code.open();
        let kept = code.alloc("kept", Prim::I64, expr::int(1));
        let lost = code.alloc("lost", Prim::I64, expr::int(1));
        assert!(code.disown(kept) && !code.disown(kept));
        let stms = code.close();
        assert_eq!(stms.iter().filter(|stm| matches!(stm, Stm::Release(_))).count(), 1);
        assert!(matches!(stms.last(), Some(Stm::Release(k)) if *k == lost));
    }

    #[test]
    fn only_compound_values_get_names() {
        let exprs = ExprBuilder::default();
        let mut code = Code::new(&exprs, Span::new(base::FileId(0), 0, 0));
        code.open();
        let k = code.variable("k", expr::int(5));
        assert_eq!(code.name_int("x", Expr::Var(k)), Expr::Var(k));
        assert_ne!(code.snapshot("x", Prim::I64, Expr::Var(k)), Expr::Var(k));
        assert_eq!(code.name_int("x", expr::int(3)), expr::int(3));
    }
}
