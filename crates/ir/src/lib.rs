//! Core: the language that the compiler thinks in. Data, and what holds of it.
//!
//! First-order, monomorphic, A-normal, every variable bound once in the whole program. No tuples, records or sums: a
//! value is its components, and an array of tuples is several arrays with the same dimensions.
//!
//! 1. A dimension is an atom, `~d` (a bound descriptor) or `..v` (a bound shape vector, whose length is the rank): see
//!    [`Dim`]. Rank and shape of every array are thus ordinary bound expressions.
//! 2. A descriptor says how many elements each row has. Its type lists the dimensions around it. Two arrays whose
//!    types name the same descriptor have the same row lengths, and there is no other way to know that they have.
//! 3. Types mention only atoms in scope. What brings sizes into being binds them first: `let (m, ys: [m]f64) = ...`.
//!    An equality that a check showed enters types only through [`Exp::Retype`], which names the certificate.
//! 4. [`Exp::Assert`] is pure: it has what its message needs, yields a certificate, and dies with the last use of it. A
//!    statement that relies on checks names them in [`Stm::certs`]. Nothing else fails, except for want of memory or
//!    stack, and calls. [`Exp::Ensure`] is one check in place of many.
//! 5. There is one form for everything that works on many elements: [`Bulk`].
//! 6. Regions see the variables around them and never consume those. [`Bulk`]'s updates and calls consume what
//!    [`Exp::consumes`] says; views ([`Exp::views`]) share memory; nothing that shares memory with something consumed
//!    is read afterwards.
//! 7. A box is a counted value of which only its kind is known: it holds the components of one of the kind's cases
//!    ([`BoxKind`]), other boxes among them. [`Exp::Pack`] makes one, [`Exp::Open`] has a region for every case. Boxes
//!    never stand in arrays, and never come from outside.
//! 8. Names of recursive arrays that are being made are read at indices and nothing else, and handed on to parameters and
//!    into boxes that say so ([`VarInfo::pending`]).
//! 9. Every statement has its source span.
//!
//! [`print`](print()) and [`parse`](parse()) give Core a text form, [`verify`](verify()) says whether a program is Core,
//! [`traverse`] and [`rename`] walk and rewrite it, [`alias`] says who shares memory.

pub mod alias;
pub mod build;
pub mod bulk;
pub mod calls;
mod effects;
pub mod exp;
pub mod facts;
pub mod known;
mod layout;
pub mod limitation;
pub mod moves;
pub mod nest;
pub mod num;
pub mod parse;
pub mod print;
pub mod remark;
pub mod rename;
pub mod traverse;
pub mod tree;
pub mod turns;
pub mod types;
pub mod verify;
mod words;

pub use alias::Aliases;
pub use bulk::*;
pub use exp::*;
pub use layout::component_types;
pub use limitation::Limitation;
pub use parse::{ParseError, parse, parse_layout};
pub use print::{print, print_layout, print_with};
pub use remark::{Remark, Topic};
pub use scalar::{Component, DimKind, Layout};
pub use tree::{Chunks, Parts, Tables, Tree};
pub use turns::Turns;
pub use types::*;
pub use verify::{Rule, Violation, verify, verify_types};

use base::{IdVec, Name, Span, define_id};
use fault::Site;

define_id!(
    /// A variable; bound once in the whole program.
    Var, "v"
);
define_id!(
    /// A function.
    FunId, "f"
);
define_id!(
    /// A kind of boxes.
    BoxId, "box"
);
define_id!(
    /// What a check says when it fails.
    SiteId, "site"
);

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Names and types of variables.
    pub vars: IdVec<Var, VarInfo>,
    /// The kinds of boxes.
    pub boxes: IdVec<BoxId, BoxKind>,
    /// The functions, in any order.
    pub functions: IdVec<FunId, Function>,
    /// What the checks say.
    pub sites: IdVec<SiteId, Site>,
    /// What can be called from outside, in the order of the source.
    pub entries: Vec<Entry>,
}

impl Program {
    /// The type of a variable.
    pub fn ty(&self, var: Var) -> &Type {
        &self.vars[var].ty
    }
}

/// What is known about a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// A name for people; need not be unique.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Of a parameter, or of a component of a box: whether it is a recursive array that is being made, or a
    /// descriptor of one, so that elements are asked for when they are read.
    pub pending: Option<Pending>,
    /// Of a parameter or result of a function, or a component of a box: whether it is a size (never negative) or a shape
    /// vector (without negative elements). Dimensions of the others beside it are sizes without saying so.
    pub size: bool,
}

/// What is known of a recursive array that is being made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// How many of its dimensions lead to an element.
    pub dims: usize,
    /// Whether elements differ in size, so that their values lie in the order in which they come.
    pub numbered: bool,
}

impl VarInfo {
    /// A variable whose value is computed.
    pub fn new(name: Name, ty: Type) -> VarInfo {
        VarInfo { name, ty, pending: None, size: false }
    }
}

/// What a box of some kind may hold.
#[derive(Clone, Debug)]
pub struct BoxKind {
    /// A name for people; need not be unique.
    pub name: Name,
    /// The components of each case, as if they were parameters: the types of later ones may mention earlier ones.
    /// These variables occur nowhere else.
    pub cases: Vec<Vec<Var>>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// A name for people; need not be unique.
    pub name: Name,
    /// Parameters; the types of later ones may mention earlier ones.
    pub params: Vec<Var>,
    /// For each parameter, whether calls consume the argument.
    pub consumed: Vec<bool>,
    /// Results, as if they were bound after the parameters: their types may mention parameters and earlier results.
    /// These variables occur nowhere in the body; a call binds its own in their place.
    pub results: Vec<Var>,
    /// For each result, whether it shares memory neither with a parameter that is not consumed nor with another result:
    /// [`alias::freshness`] finds it out.
    pub fresh: Vec<bool>,
    /// The body; its results are the function's.
    pub body: Block,
    /// What to say when recursion through it fills the stack.
    pub too_deep: Option<SiteId>,
    /// Where it is defined.
    pub span: Span,
    /// What passes say about it.
    pub remarks: Vec<Remark>,
}

impl Function {
    /// A function that takes nothing, gives nothing and does nothing yet.
    pub fn new(name: Name, span: Span) -> Function {
        let (params, consumed, results, fresh, remarks) = Default::default();
        Function { name, params, consumed, results, fresh, body: Block::default(), too_deep: None, span, remarks }
    }
}

/// A function that can be called from outside.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name to call it by.
    pub name: Name,
    /// The function. Its parameters are the components of `params`, one value after the other, as
    /// [`Layout::components`] lists them, and its results those of `results`.
    pub function: FunId,
    /// Names and layouts of the arguments.
    pub params: Vec<(Name, Layout)>,
    /// Layouts of the results.
    pub results: Vec<Layout>,
}
