//! What is known while a program is lowered.

use crate::Low;
use crate::alias::Aliases;
use crate::code::Code;
use crate::convention::Convention;
use crate::homes::Homes;
use crate::mentions::{Mentions, Outside};
use crate::needs_memory::needing_memory;
use crate::rec_array::RecArray;
use crate::rep::{Array, Rep};
use base::{Map, Set, Span, bug};
use ir::{FunId, Limitation, Var};
use kernel::{Expr, Var as K};
use std::rc::Rc;

/// The state of lowering.
pub(crate) struct Lower<'p> {
    /// The program that is lowered.
    pub src: &'p ir::Program,
    /// The program that comes out.
    pub code: Code,
    /// Where Core variables live.
    pub homes: Homes<'p>,
    /// Which buffers may be the same memory.
    pub aliases: Aliases,
    /// Vectors that something needs in memory.
    pub memory: Set<Var>,
    /// Whether statements go into the body of a parallel loop.
    pub in_parallel: bool,
    /// Recursive arrays under construction.
    pub recs: Map<Var, RecArray>,
    /// Whether a stop may leave the function at hand.
    pub may_stop: bool,
    /// The depth of the innermost recursive bulk form around.
    pub rec_depth: Option<Expr>,
    /// What statements with blocks inside mention of the world around them.
    pub outside: Rc<Outside>,
    /// How functions are called.
    pub conventions: Map<FunId, Convention>,
}

impl<'p> Lower<'p> {
    /// Nothing lowered yet.
    pub fn new(src: &'p ir::Program) -> Self {
        let span = src.functions.values().next().map_or(Span::new(base::FileId(0), 0, 0), |f| f.span);
        Lower {
            src,
            code: Code::new(span),
            homes: Homes::new(src),
            aliases: Aliases::default(),
            memory: needing_memory(src),
            in_parallel: false,
            recs: Map::default(),
            may_stop: false,
            rec_depth: None,
            outside: Rc::new(Outside::new(src)),
            conventions: Map::default(),
        }
    }

    /// The finished program.
    pub fn finish(self) -> kernel::Program {
        self.code.program
    }

    /// An error that names a construct.
    pub fn unsupported<T>(&self, what: Limitation) -> Low<T> {
        Err(Box::new(what.diagnostic(self.code.span)))
    }

    /// Collects mentions.
    pub fn mentions(&self) -> Mentions<'p> {
        Mentions::new(self.src)
    }

    /// Whether two buffers from elsewhere may be the same memory: boxes may hold any.
    pub fn may_be_same(&self, a: K, b: K) -> bool {
        self.code.prim_of(a) == self.code.prim_of(b) || self.homes.boxes.contains(&a) || self.homes.boxes.contains(&b)
    }

    /// An array in memory; a vector that has none gets some, here and now.
    pub fn array(&mut self, var: Var) -> Low<Array> {
        if self.recs.contains_key(&var) {
            self.demand_whole(var)?;
        }
        Ok(self.in_memory(self.homes.rep(var)))
    }

    /// An array in memory.
    pub fn in_memory(&mut self, rep: Rep) -> Array {
        match rep {
            Rep::Array(array) => array,
            Rep::Vector(prim, elements) => self.store_vector(prim, &elements),
            Rep::Scalar(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => bug!("{rep:?} in the place of an array"),
        }
    }
}
