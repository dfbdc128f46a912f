//! Statements and expressions.

use crate::{Atom, BoxId, Bulk, FunId, Layout, SiteId, Turns, Var};
use base::Span;
use scalar::{BinOp, MathOp, Prim, UnOp};

/// Statements one after the other, then results.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// What is bound.
    pub stms: Vec<Stm>,
    /// The results.
    pub result: Vec<Atom>,
}

/// A block with parameters: the function of a reduction, a comparison, what is done with a box.
#[derive(Clone, Debug)]
pub struct Region {
    /// The parameters; the types of later ones may mention earlier ones.
    pub params: Vec<Var>,
    /// The body.
    pub body: Block,
}

/// `let <certs> vars = exp`.
#[derive(Clone, Debug)]
pub struct Stm {
    /// What is bound: as many variables as the expression has results; the types of later ones may mention earlier
    /// ones.
    pub vars: Vec<Var>,
    /// The checks that this statement relies on: without them it might read or write outside of memory, or be
    /// undefined.
    pub certs: Vec<Var>,
    /// How it is computed.
    pub exp: Exp,
    /// The place in the source.
    pub span: Span,
}

impl Stm {
    /// Makes it rely on more checks. A check does not rely on itself.
    pub fn rely_on(&mut self, certs: &[Var]) {
        let others: Vec<Var> = certs.iter().filter(|cert| !self.vars.contains(cert)).copied().collect();
        add_certs(&mut self.certs, &others);
    }

    /// The same statement, relying on more checks.
    pub fn relying_on(mut self, certs: &[Var]) -> Stm {
        self.rely_on(certs);
        self
    }
}

/// Adds the checks that are not there yet.
pub(crate) fn add_certs(own: &mut Vec<Var>, certs: &[Var]) {
    for cert in certs {
        if !own.contains(cert) {
            own.push(*cert);
        }
    }
}

/// What a statement computes.
#[derive(Clone, Debug)]
pub enum Exp {
    /// The same value under another name.
    Atom(Atom),
    /// A binary operator on two scalars of type `prim`. Integer division by zero and negative integer exponents are
    /// excluded by certificates.
    Bin(BinOp, Prim, Atom, Atom),
    /// A prefix operator.
    Un(UnOp, Prim, Atom),
    /// A numeric function at a type.
    Math(MathOp, Prim, Vec<Atom>),
    /// A conversion between primitive types (from, to).
    Convert(Prim, Prim, Atom),
    /// One value or the other; both are computed already.
    Select(Atom, Atom, Atom),

    /// A vector of these scalars.
    Literal(Prim, Vec<Atom>),
    /// An array whose elements nothing has defined: each is written before it is read.
    Uninit,
    /// The element or subarray at these indices, one for each leading dimension, each inside its bounds. A subarray is
    /// a view. Dimensions after a jagged one that was indexed are the row's own: the variable's type says how they
    /// are called.
    Index(Var, Vec<Atom>),
    /// As [`Exp::Index`] with a vector of indices: for arrays of unknown rank, or vectors of unknown length.
    IndexVector(Var, Var),
    /// Parts of leading dimensions; a view.
    Slice(Var, Vec<Range>),
    /// The dimensions (all of them regular) in another order: dimension `i` of the result is dimension `order[i]` of
    /// the array; a view.
    Rearrange(Var, Vec<usize>),
    /// The same elements in row-major order in other dimensions, which the variable's type names; as many elements. A
    /// view where the memory allows. Between regular, jagged and unknown dimensions too: that is how the rows of a
    /// regular array become jagged, and how jagged rows are flattened.
    Reshape(Var),
    /// The same value in memory of its own, row by row.
    Copy(Var),
    /// The same value with a type that is equal by the checks that the statement relies on.
    Retype(Var),
    /// How many elements there are in dimensions.
    Total(Vec<crate::Dim>),
    /// The multi-index of an element: vector number `index` of the box `0 <= iv < shape` in row-major order.
    Unrank {
        /// Which.
        index: Atom,
        /// The shape, a vector.
        shape: Var,
    },

    /// The descriptor whose rows all have this length; the variable's type says around which dimensions it lies.
    DescUniform(Atom),
    /// The descriptor with these row lengths, none of them negative: an array of `i64` inside the descriptor's
    /// dimensions.
    DescOf(Var),
    /// The row lengths of a descriptor, an array of `i64` inside the descriptor's dimensions.
    DescLengths(Var),
    /// The length of one row; one index for each dimension of the descriptor.
    DescLength(Var, Vec<Atom>),
    /// How many elements lie in the rows before one row; one index for each dimension of the descriptor.
    DescOffset(Var, Vec<Atom>),
    /// The number of the row that holds an element, given by its number: rows and elements count from 0 in row-major
    /// order. Empty rows hold none.
    DescRow(Var, Atom),
    /// The descriptor of the subarray at these indices, fewer than the descriptor has dimensions.
    DescIndex(Var, Vec<Atom>),
    /// The descriptor of a slice.
    DescSlice(Var, Vec<Range>),
    /// Whether two descriptors are the same lengths inside the same dimensions.
    DescEqual(Var, Var),

    /// A check: a certificate if the condition holds, otherwise the program ends with the site's message.
    Assert {
        /// The condition.
        cond: Atom,
        /// What to say.
        site: SiteId,
        /// Values for the message: scalars, vectors of `i64`, and descriptors, of which the row lengths are shown.
        args: Vec<Atom>,
    },
    /// One check in place of many: a certificate if the condition holds. Otherwise the block runs, which makes the many
    /// checks in their order and has no results; one of them fails and ends the program with its own message.
    Ensure {
        /// Holds exactly if none of the checks fails.
        cond: Atom,
        /// The checks, and what they need.
        otherwise: Block,
    },
    /// A box of a kind that holds the components of a case.
    Pack(BoxId, usize, Vec<Atom>),
    /// Runs the region of the case that a box holds: one for each case of its kind, in order. The parameters are the
    /// components, views of the box. Runs once, like a choice: unlike other regions these may consume what is around.
    Open(Var, Vec<Region>),
    /// A call.
    Call(FunId, Vec<Atom>),
    /// A choice.
    If(Atom, Block, Block),
    /// Two versions of a computation. The first runs if the condition holds, and then both give the same values, which the
    /// interpreter compares; it may rely on the condition. The second is right in any case.
    Choose(Atom, Block, Block),
    /// Repetition.
    Loop {
        /// Loop variables and their first values; the types of later ones may mention earlier ones. The body's results
        /// are their next values.
        params: Vec<(Var, Atom)>,
        /// How often.
        form: LoopForm,
        /// How turns run: decided last, so a pass that changes a loop makes one whose turns run in order.
        turns: Turns,
        /// The body.
        body: Block,
    },
    /// Work on many elements.
    Bulk(Bulk),
    /// The order in which elements stand when they are sorted stably: place `i` of the result is the number of the
    /// element that comes `i`-th. The region says of two elements (by their numbers) whether the first may stand before
    /// the second.
    Sort(Atom, Region),
    /// A vector of numbers sorted stably in their natural order: NaNs are last, and zeros are equal.
    SortKeys(SortKeys),
    /// Shows a value on standard error. Binds nothing, is never removed.
    Trace(Layout, Vec<Atom>),
}

impl Exp {
    /// A loop whose turns run in order.
    pub fn repeat(params: Vec<(Var, Atom)>, form: LoopForm, body: Block) -> Exp {
        Exp::Loop { params, form, turns: Turns::InOrder, body }
    }
}

/// Sorting numbers. What [`SortKeys::gives`] names is bound in its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SortKeys {
    /// The numbers: an array with one dimension, a size.
    pub keys: Var,
    /// Whether the greatest comes first: the order is the other way round, but equal numbers stay as they are.
    pub descending: bool,
    /// What is wanted.
    pub gives: Sorted,
}

/// What sorting gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sorted {
    /// The sorted numbers.
    Values,
    /// The index of each before, as for [`Exp::Sort`].
    Order,
    /// Both.
    Both,
}

impl Sorted {
    /// Whether the numbers are wanted.
    pub fn has_values(self) -> bool {
        matches!(self, Sorted::Values | Sorted::Both)
    }

    /// Whether the indices are wanted.
    pub fn has_order(self) -> bool {
        matches!(self, Sorted::Order | Sorted::Both)
    }
}

/// Part of a dimension: elements `start`, `start + stride`, ..., `count` of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// The first.
    pub start: Atom,
    /// How many.
    pub count: Atom,
    /// How far from one to the next: not 0, may be negative. Always 1 in jagged arrays.
    pub stride: Atom,
}

/// The loop forms.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `var` (an `i64`) from 0 to the bound, exclusive; a bound below zero is zero turns.
    For(Var, Atom),
    /// As long as the block, which sees the loop variables, gives true.
    While(Block),
}
