//! Writing Kernel code for the arrays of Core, without lowering any statement of Core.
//!
//! [`Builder`] holds what that needs: the program ([`code`]), where Core variables live ([`homes`]), and which buffers
//! may be the same memory ([`alias`]). The modules of [`crate::arrays`] work on it.

pub(crate) mod alias;
pub(crate) mod blocks;
pub(crate) mod code;
pub(crate) mod homes;

use crate::data::Low;
use crate::data::expr::ExprBuilder;
use crate::data::rec_array::RecArray;
use crate::data::rep::{Array, Rep};
use alias::Aliases;
use analysis::mentions::Mentions;
use analysis::needs_memory::needing_memory;
use base::{FileId, Map, Set, Span, bug};
use code::Code;
use homes::Homes;
use ir::{Atom, Dim, Limitation, Type, Var};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// The code under construction, and where the variables of Core live in it.
pub(crate) struct Builder<'p> {
    /// The program that is lowered.
    pub src: &'p ir::Program,
    /// The program that comes out.
    pub code: Code<'p>,
    /// Where Core variables live.
    pub homes: Homes<'p>,
    /// Which buffers may be the same memory.
    pub aliases: Aliases,
    /// Vectors that something needs in memory.
    pub memory: Set<Var>,
    /// Recursive arrays under construction.
    pub recs: Map<Var, RecArray>,
    /// In turns that may be left out, whether the current one is not: others read no elements.
    pub inside: Option<Expr>,
}

impl<'p> Builder<'p> {
    /// Nothing written yet.
    pub fn new(src: &'p ir::Program, exprs: &'p ExprBuilder) -> Self {
        let span = src.functions.values().next().map_or(Span::new(FileId(0), 0, 0), |f| f.span);
        Builder {
            src,
            code: Code::new(exprs, span),
            homes: Homes::new(src),
            aliases: Aliases::default(),
            memory: needing_memory(src),
            recs: Map::default(),
            inside: None,
        }
    }

    /// An error that names a construct.
    pub fn unsupported<T>(&self, what: Limitation) -> Low<T> {
        Err(Box::new(what.diagnostic(self.code.span)))
    }

    /// Collects mentions.
    pub fn mentions(&self) -> Mentions<'p> {
        Mentions::new(self.src)
    }

    /// The name of a variable in the source.
    pub fn name_of(&self, var: Var) -> &'static str {
        self.src.vars[var].name.as_str()
    }

    /// Whether two buffers from elsewhere may be the same memory: boxes may hold any.
    pub fn may_be_same(&self, a: K, b: K) -> bool {
        self.code.prim_of(a) == self.code.prim_of(b) || self.homes.boxes.contains(&a) || self.homes.boxes.contains(&b)
    }

    /// The dimensions of an atom's type.
    pub fn dims_of(&self, atom: Atom) -> &'p [Dim] {
        atom.var().map_or(&[], |v| self.src.ty(v).dims())
    }

    /// The element type of an atom.
    pub fn prim_of(&self, atom: Atom) -> Prim {
        let prim = match atom {
            Atom::Const(x) => Some(x.prim()),
            Atom::Var(v) => self.src.ty(v).prim(),
        };
        let Some(prim) = prim else { bug!("{atom:?} has no elements") };
        prim
    }

    /// Binds a scalar.
    pub fn bind_scalar(&mut self, var: Var, value: Expr) {
        let Type::Scalar(prim) = self.src.ty(var) else { bug!("an array in the place of a scalar") };
        let value = self.code.name(self.name_of(var), *prim, value);
        self.homes.bind(var, Rep::Scalar(value));
    }

    /// Binds the index of a Core loop, whose turns the innermost block runs.
    pub fn bind_index(&mut self, var: Var, value: Expr) {
        self.code.innermost().index = Some(var);
        self.homes.bind(var, Rep::Scalar(value));
    }

    /// Binds a view, or the element that it begins with.
    pub fn bind_view(&mut self, var: Var, view: Array) {
        match self.src.ty(var) {
            Type::Scalar(_) => self.bind_element(var, view.buffer, view.offset),
            _ => self.homes.bind(var, Rep::Array(view)),
        }
    }

    /// A variable is an element of a buffer. In a turn that is left out it is 0: processors take long to compute with what
    /// vectors happen to hold, which may be the smallest of numbers.
    pub fn bind_element(&mut self, var: Var, buffer: K, at: Expr) {
        let exprs = self.code.exprs;
        let element = exprs.load(buffer, at);
        let element = match (self.inside, self.src.ty(var)) {
            (Some(inside), Type::Scalar(prim)) => exprs.select(inside, element, Expr::Const(prim.zero())),
            _ => element,
        };
        self.bind_scalar(var, element);
    }
}

impl<'p> blocks::Blocks<'p> for Builder<'p> {
    fn code(&mut self) -> &mut Code<'p> {
        &mut self.code
    }
}
