//! The state of lowering statements: a [`Builder`], and what only statements need.

use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::builder::code::Code;
use crate::data::Low;
use crate::data::convention::Convention;
use crate::data::expr::ExprBuilder;
use analysis::mentions::Outside;
use base::Map;
use ir::{FunId, Stm};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Lowers one statement. Loops, branches and bulk forms contain statements, and statements contain them: so they get
/// this function with the context instead of importing it.
pub(crate) type LowerStm = fn(&mut Lower<'_>, &Stm) -> Low<()>;

/// The state of lowering statements.
pub(crate) struct Lower<'p> {
    builder: Builder<'p>,
    /// Lowers a statement.
    pub lower_stm: LowerStm,
    /// Whether a stop may leave the current function.
    pub may_stop: bool,
    /// The variables from outside that statements with blocks inside mention.
    pub outside: Rc<Outside>,
    /// How functions are called.
    pub conventions: Map<FunId, Convention>,
}

impl<'p> Lower<'p> {
    /// Nothing lowered yet.
    pub fn new(src: &'p ir::Program, exprs: &'p ExprBuilder, lower_stm: LowerStm) -> Self {
        let (outside, conventions) = (Rc::new(Outside::new(src)), Map::default());
        Lower { builder: Builder::new(src, exprs), lower_stm, may_stop: false, outside, conventions }
    }

    /// The finished program.
    pub fn finish(self) -> kernel::Program {
        let code = self.builder.code;
        kernel::Program { exprs: code.exprs.finish(), ..code.program }
    }
}

impl<'p> Deref for Lower<'p> {
    type Target = Builder<'p>;

    fn deref(&self) -> &Builder<'p> {
        &self.builder
    }
}

impl<'p> DerefMut for Lower<'p> {
    fn deref_mut(&mut self) -> &mut Builder<'p> {
        &mut self.builder
    }
}

impl<'p> Blocks<'p> for Lower<'p> {
    fn code(&mut self) -> &mut Code<'p> {
        &mut self.builder.code
    }
}
