//! Programs, functions, statements.

use crate::exprs::{Expr, Exprs};
use base::{IdVec, Map, Name, Set, Span, define_id};
use fault::Site;
use scalar::{BinOp, Layout, Prim};

define_id!(
    /// A variable; declared once in the whole program.
    Var, "k"
);
define_id!(
    /// A function.
    FunId, "fun"
);
define_id!(
    /// What a check says when it fails.
    SiteId, "site"
);

define_id!(
    /// Memory that is new in a function: that of one allocation, or of several that cannot be told apart.
    Memory, "m"
);

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Names and types of variables.
    pub vars: IdVec<Var, VarInfo>,
    /// The operations in its expressions.
    pub exprs: Exprs,
    /// The functions, in any order.
    pub functions: IdVec<FunId, Function>,
    /// What the checks say.
    pub sites: IdVec<SiteId, Site>,
    /// What can be called from outside.
    pub entries: Vec<Entry>,
    /// Which mathematical functions it calls.
    pub math: scalar::Math,
    /// Where loops come from: by the index of a `for`, or the condition of a `while` that is a variable. For reports
    /// only, and not part of the text form.
    pub origins: Map<Var, Origin>,
    /// Buffers for what blocks of a loop's turns give, which are no arrays of the program. For reports, too.
    pub tables: Set<Var>,
}

/// Where a loop comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The place in the source.
    pub span: Span,
    /// The number of the variable that the loop of Core binds, if it runs the turns of one.
    pub core: Option<u32>,
}

/// What is known about a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// A name for people; need not be unique.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// What is known about the memory of a buffer.
    pub home: Home,
}

impl VarInfo {
    /// A variable that nothing more is known about.
    pub fn new(name: Name, ty: Type) -> VarInfo {
        VarInfo { name, ty, home: Home::Any }
    }
}

/// Where the memory of a buffer is. Buffers with different homes never are the same memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Anywhere, but it is no memory that has a name. Scalars have this one, too.
    Any,
    /// It is new in the function, and has this name.
    New(Memory),
    /// A local array: so many elements in the frame of the function. They are there from the declaration to the end of
    /// its block, are not counted, and nothing else refers to them.
    Local(u32),
}

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A number or truth value.
    Scalar(Prim),
    /// A reference to memory.
    Buffer(Prim),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// A name for people; need not be unique.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Var>,
    /// Types of the results.
    pub results: Vec<Type>,
    /// The body; every path ends in [`Stm::Return`] or [`Stm::Fail`].
    pub body: Vec<Stm>,
    /// What to say when the stack is full; only functions that may call themselves have it.
    pub too_deep: Option<SiteId>,
    /// Whether a [`Stm::Stop`] outside of its own attempts may leave it: then it is not
    /// parallel inside, and its callers are inside of an attempt.
    pub stops: bool,
    /// Where it is defined.
    pub span: Span,
}

/// A function that can be called from outside. It takes, for each component of each argument (see
/// [`Layout::components`]): a size or rank as `i64`; a shape vector as a buffer of `i64`; a descriptor as a buffer of
/// `i64` offsets, one more than it has rows, the first of them 0; a scalar as itself; an array as a buffer with its
/// elements in row-major order. It returns its results in the same way.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name to call it by.
    pub name: Name,
    /// The function.
    pub function: FunId,
    /// Names and layouts of the arguments.
    pub params: Vec<(Name, Layout)>,
    /// For each parameter of the function, whether its memory may be overwritten.
    pub consumed: Vec<bool>,
    /// Layouts of the results.
    pub results: Vec<Layout>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stm {
    /// Declares a scalar with its value.
    Let(Var, Expr),
    /// Declares a variable: a scalar without a value, a local array, or a buffer that refers to nothing.
    Declare(Var),
    /// In the body of a parallel loop: declares a buffer that keeps its memory from one turn to the next that the same
    /// thread runs. Which turns these are is not known, so nothing reads its elements; an allocation may take the memory.
    /// The thread gives it back after its last turn.
    Keep(Var),
    /// Assigns to a declared scalar.
    Set(Var, Expr),
    /// Stores an element.
    Store {
        /// The buffer.
        buffer: Var,
        /// Where.
        at: Expr,
        /// What.
        value: Expr,
    },
    /// Makes a declared buffer that owns nothing refer to new memory.
    Alloc {
        /// The buffer.
        buffer: Var,
        /// How many elements; a number that is too large ends the run.
        count: Expr,
        /// A buffer that nothing reads any more; it has nothing afterwards. If no other buffer refers to its memory and
        /// that is large enough, it is the new memory.
        reuse: Option<Var>,
        /// The place in the source.
        span: Span,
    },
    /// Makes sure that a buffer, which alone refers to its memory, has capacity for `needed` elements; the first `used`
    /// are kept. Grows by more than is needed, so that growing one by one takes linear time.
    Grow {
        /// The buffer.
        buffer: Var,
        /// How many elements are kept.
        used: Expr,
        /// The capacity that it must have, in elements.
        needed: Expr,
        /// The place in the source.
        span: Span,
    },
    /// Makes a declared buffer of `i64` that owns nothing refer to a new box: memory that keeps references to that of
    /// other buffers, and counts them. They are given back with the box. Its elements are the words.
    Pack {
        /// The buffer.
        to: Var,
        /// What the box refers to.
        refs: Vec<Var>,
        /// Numbers, `i64`.
        words: Vec<Expr>,
        /// The place in the source.
        span: Span,
    },
    /// Declares a buffer that refers to what a box keeps. The box owns the reference, which lives as long as the box.
    Fetch {
        /// The new name.
        to: Var,
        /// The box.
        from: Var,
        /// Which of its references.
        at: usize,
    },
    /// Makes a declared buffer that owns nothing refer to the memory of another and counts it.
    Share {
        /// The new reference.
        to: Var,
        /// The other buffer.
        from: Var,
    },
    /// Hands a reference from one variable to another that owns nothing; the first refers to nothing afterwards.
    Move {
        /// The new owner.
        to: Var,
        /// The old one.
        from: Var,
    },
    /// Gives a reference back; the memory is freed with the last one. A buffer that refers to nothing is left alone.
    Release(Var),
    /// Makes the memory of a buffer that owns its reference as small as what is used of it, if most of it is not: so
    /// that a row does not keep a whole array alive.
    Trim {
        /// The buffer.
        buffer: Var,
        /// The first element used; 0 afterwards.
        start: Var,
        /// How many elements are used.
        count: Expr,
        /// The place in the source.
        span: Span,
    },
    /// Copies elements that lie one after the other; the two places do not overlap.
    Copy {
        /// To which buffer.
        to: Var,
        /// The first place.
        to_at: Expr,
        /// From which buffer, of the same type.
        from: Var,
        /// The first place.
        from_at: Expr,
        /// How many.
        count: Expr,
        /// Whether they are written past the caches, because nothing reads them soon.
        past: bool,
    },
    /// Copies rows so that they are columns: element `j` of row `i`, which lies at `from + i * from_stride + j`, goes to
    /// `to + j * to_stride + i`. The two do not overlap.
    Transpose {
        /// Where the first element goes.
        to: (Var, Expr),
        /// How far apart the elements of a row are there.
        to_stride: Expr,
        /// The first element.
        from: (Var, Expr),
        /// How far apart rows are.
        from_stride: Expr,
        /// How many rows.
        rows: Expr,
        /// How many elements a row has.
        columns: Expr,
    },
    /// Says that an element will be read soon, for the processor. It need not exist.
    Prefetch(Var, Expr),
    /// Sorts numbers stably in their natural order (NaNs are last, zeros are equal), by code of the run-time system.
    Sort {
        /// The numbers: a buffer, and the first place.
        keys: (Var, Expr),
        /// How many.
        count: Expr,
        /// Whether the order is the other way round; equal numbers stay as they are.
        descending: bool,
        /// Where the sorted numbers go, if they are wanted: to other memory.
        values: Option<(Var, Expr)>,
        /// Where the indices that they had go, as `i64`, if they are wanted.
        order: Option<(Var, Expr)>,
        /// The place in the source.
        span: Span,
    },
    /// In the body of a parallel loop: waits until the iterations before it have handed on a number, declares `var` with the
    /// number of the last of them, and hands on `next`. Threads take iterations in order, so one that waits waits for others
    /// that run; every iteration does this once. If one of those before it fails, the number is any.
    Relay {
        /// What iterations hand on: a buffer of two `i64`, first the iteration that is next, then the number as it is in bits.
        chain: Var,
        /// The number of the iteration.
        turn: Expr,
        /// The number that comes from the iteration before; an integer.
        var: Var,
        /// The number for the iteration after it.
        next: Expr,
    },
    /// Running combinations of integers by an exact operator, by code of the run-time system: the combinations of a number
    /// and the elements of a buffer up to each.
    Prefix {
        /// Where they go: to other memory.
        to: (Var, Expr),
        /// The elements.
        from: (Var, Expr),
        /// How many.
        count: Expr,
        /// What comes before the first.
        before: Expr,
        /// The operator.
        op: BinOp,
        /// Whether the results are too many for the caches.
        past: Expr,
    },
    /// A choice.
    If(Expr, Vec<Stm>, Vec<Stm>),
    /// `var` (declared here, an `i64`) from `from` to `to`, exclusive.
    For {
        /// The index.
        var: Var,
        /// The first value.
        from: Expr,
        /// One after the last value.
        to: Expr,
        /// How iterations relate.
        mode: Mode,
        /// The body.
        body: Vec<Stm>,
    },
    /// A loop: the statements of `head`, then, if the condition holds, those of `body`, and again. What `head`
    /// declares is seen by the condition and by `body`.
    While {
        /// Evaluated before every turn.
        head: Vec<Stm>,
        /// The condition.
        cond: Expr,
        /// The body.
        body: Vec<Stm>,
    },
    /// A call. Results are declared here; buffers among them are owned.
    Call {
        /// Variables for the results.
        results: Vec<Var>,
        /// Which function.
        function: FunId,
        /// Arguments: scalars as expressions, buffers as variables.
        args: Vec<Arg>,
        /// Where: functions whose code has the place [`Span::OF_CALLER`] are shown there.
        span: Span,
    },
    /// Ends the run with a message.
    Fail {
        /// What to say.
        site: SiteId,
        /// Values for the message.
        args: Vec<FailArg>,
    },
    /// Runs the body. Sets `stopped`, a declared `i64`, to -1 if it comes to its end, or to the value of the
    /// [`Stm::Stop`] that ended it. What it allocated is given back in that case. The body may set scalars and grow
    /// buffers from outside, in its last part: once it has, it does not stop. It assigns no other variable from
    /// outside, and is not parallel inside.
    Try {
        /// Says how it ended.
        stopped: Var,
        /// The attempt.
        body: Vec<Stm>,
    },
    /// Ends the innermost [`Stm::Try`] around it, in this function or in one that called it.
    Stop(Expr),
    /// Shows a value on standard error: components as for an [`Entry`], and the place in the source.
    Trace(Layout, Vec<Arg>, Span),
    /// Leaves the function with its results: scalars, and owned references that are handed over.
    Return(Vec<Arg>),
}

/// How the iterations of a loop relate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One after the other.
    Sequential,
    /// One after the other, and so few that their speed is of no importance.
    Short,
    /// Independent, so several can run at once as lanes of vector instructions. The body computes scalars and stores
    /// them; no iteration reads or stores where another one stores.
    Simd,
    /// As [`Mode::Simd`], and there may be loops inside that compute scalars. That iterations never store to the same place is
    /// not seen here: it follows from what the program means.
    Lanes,
    /// One after the other, as so many copies of the body: the bounds are constants.
    Unrolled,
    /// As [`Mode::Simd`], and never as copies of the body: C compilers make vectors of what is still a loop.
    Rolled,
    /// In any order, on several threads; each iteration is a large piece of work.
    Parallel,
}

/// An argument or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A scalar.
    Scalar(Expr),
    /// A buffer.
    Buffer(Var),
}

/// A value for a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailArg {
    /// A scalar of this type.
    Scalar(Prim, Expr),
    /// Numbers that lie in a buffer of `i64`.
    Numbers {
        /// The buffer.
        buffer: Var,
        /// The first.
        at: Expr,
        /// How many.
        count: Expr,
    },
}
