//! Expressions, patterns and clauses.

use crate::{DefId, LocalId, Param, Ret, Size, Type, TypeArg, TypeParam};
use base::{Name, Span};
use scalar::{BinOp, Scalar, UnOp};

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which.
    pub kind: Box<ExprKind>,
    /// Its type.
    pub ty: Type,
    /// Sizes, size functions and shapes that are computed here: once the value is there they are bound by
    /// matching it against `ty`.
    pub exts: Vec<LocalId>,
    /// Where it stands in the source.
    pub span: Span,
}

impl Expr {
    /// An expression that brings no sizes into being.
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind: Box::new(kind), ty, exts: Vec::new(), span }
    }
}

/// The expressions. Rare large parts are boxed: a program with a large literal holds this a million times.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number or truth value.
    Scalar(Scalar),
    /// A string: its bytes, of type `[n]u8`.
    Bytes(Vec<u8>),
    /// `???`: an error if it is evaluated.
    Hole,
    /// `#[blank] e`: some value of this type, which has no sizes that are computed here.
    Blank(Type),
    /// A local; type arguments if it is a polymorphic local function.
    Local(LocalId, Vec<TypeArg>),
    /// A definition and what its type parameters are instantiated to.
    Global(DefId, Vec<TypeArg>),
    /// A built-in operator as a (curried, two-parameter) function value.
    Operator(BinOp),
    /// A tuple or record, in the order of evaluation.
    Record(Vec<(Name, Expr)>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `a..b...c`.
    Range {
        /// First element.
        first: Expr,
        /// Second element.
        second: Option<Expr>,
        /// How it ends.
        kind: RangeKind,
        /// The end.
        end: Expr,
    },
    /// `e.field`.
    Project(Expr, Name),
    /// `a[i, j:k]`; fewer indices than dimensions give a subarray.
    Index(Expr, Vec<Index>),
    /// `f x y`; may be partial, and `f` may return the function that takes the later arguments.
    Apply(Expr, Vec<Expr>),
    /// `#c x`.
    Constr(Name, Vec<Expr>),
    /// A built-in binary operator. `&&` and `||` evaluate their right operand only if needed, unless lifted.
    Binary {
        /// The operator. `==` and `!=` compare whole values of any type.
        op: BinOp,
        /// Left operand.
        lhs: Expr,
        /// Right operand.
        rhs: Expr,
        /// Whether it works element by element: both operands arrays of one shape, or one of them a scalar.
        lifted: bool,
    },
    /// `-e`, `!e`.
    Unary {
        /// The operator.
        op: UnOp,
        /// Operand.
        arg: Expr,
        /// Whether it works element by element.
        lifted: bool,
    },
    /// `\x -> e`.
    Lambda(Lambda),
    /// `if c then a else b`.
    If {
        /// Condition.
        cond: Expr,
        /// Value if true.
        then: Expr,
        /// Value if false.
        otherwise: Expr,
    },
    /// `let [n] p = e in body`.
    Let {
        /// Sizes bound by the pattern's type.
        sizes: Vec<LocalId>,
        /// The pattern; always matches.
        pat: Box<Pat>,
        /// `e`.
        value: Expr,
        /// What follows.
        body: Expr,
    },
    /// A local function; not recursive.
    LetFun {
        /// Its name.
        name: LocalId,
        /// Its type parameters.
        type_params: Vec<TypeParam>,
        /// Its parameters, result and body.
        fun: Box<Lambda>,
        /// What follows.
        body: Expr,
    },
    /// Recursive arrays, which see one another.
    LetRec {
        /// The arrays.
        arrays: Vec<RecArray>,
        /// What follows.
        body: Expr,
    },
    /// `loop p = e for ... do body`.
    Loop {
        /// Sizes of the loop value that may change from turn to turn; bound by the pattern's type at each turn.
        sizes: Vec<LocalId>,
        /// `p`.
        pat: Box<Pat>,
        /// `e`.
        init: Expr,
        /// The form.
        form: Box<LoopForm>,
        /// The body.
        body: Expr,
    },
    /// `match e case ...`; the cases cover everything.
    Match {
        /// `e`.
        value: Expr,
        /// The cases.
        cases: Vec<(Pat, Expr)>,
    },
    /// `e with path = v`.
    With {
        /// `e`, consumed when the path indexes it.
        source: Expr,
        /// Where to replace.
        path: Vec<Step>,
        /// By what.
        value: Expr,
    },
    /// `e : t`; a matter of checking only.
    Ascribe(Expr, Type),
    /// `e :> t`: the sizes (or the rank) are checked at run time.
    Coerce(Expr, Type),
    /// `assert c e`.
    Assert {
        /// The condition.
        cond: Expr,
        /// The condition's source text, for the message.
        text: String,
        /// The value.
        body: Expr,
    },
    /// `[e for ...]`.
    Comprehension {
        /// `e`.
        body: Expr,
        /// Its qualifiers.
        quals: Vec<Qual>,
    },
    /// `array SHAPE { ... }`.
    ArrayBy {
        /// SHAPE, of type `[]i64`.
        shape: Expr,
        /// The clauses.
        clauses: Vec<Clause>,
        /// `else => e`.
        otherwise: Option<Expr>,
    },
    /// `update a { ... }`.
    Update {
        /// `a`, consumed.
        array: Expr,
        /// The clauses.
        clauses: Vec<Clause>,
    },
    /// `accum op ne SHAPE { ... }`.
    Accum {
        /// `op`.
        op: Expr,
        /// `ne`.
        neutral: Box<Expr>,
        /// SHAPE.
        shape: Expr,
        /// The clauses.
        clauses: Vec<Clause>,
    },
    /// What was reported as wrong; absent from accepted programs.
    Error,
}

/// A function value.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Parameters, at least one.
    pub params: Vec<Param>,
    /// The result.
    pub ret: Ret,
    /// Whether the result type was written.
    pub ret_written: bool,
    /// The body.
    pub body: Expr,
}

/// How a range ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeKind {
    /// `...`.
    Inclusive,
    /// `..<`.
    UpTo,
    /// `..>`.
    DownTo,
}

/// One index.
#[derive(Clone, Debug)]
pub enum Index {
    /// A scalar of any integer type: takes away one dimension.
    At(Expr),
    /// A vector of `i64`: takes away as many dimensions as it is long.
    Vector(Expr),
    /// `i:j:s`, all `i64`: keeps the dimension.
    Slice {
        /// `i`.
        start: Option<Expr>,
        /// `j`.
        end: Option<Expr>,
        /// `s`.
        stride: Option<Expr>,
        /// The whole slice.
        span: Span,
    },
}

/// One step of a path.
#[derive(Clone, Debug)]
pub enum Step {
    /// `.f`.
    Field(Name),
    /// `[i, j]`.
    Index(Vec<Index>),
}

/// One recursive array.
#[derive(Clone, Debug)]
pub struct RecArray {
    /// Its name, visible in the clauses' values of all arrays of the group.
    pub name: LocalId,
    /// Its type.
    pub ty: Type,
    /// An [`ExprKind::ArrayBy`] or [`ExprKind::Update`].
    pub value: Expr,
}

/// The loop forms.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `for i < n`: any integer type.
    For(LocalId, Expr),
    /// `for p in xs`.
    ForIn(Pat, Expr),
    /// `while c`.
    While(Expr),
}

/// A qualifier.
#[derive(Clone, Debug)]
pub enum Qual {
    /// Generators that advance together.
    For(Vec<Generator>, Span),
    /// `let p = e`.
    Let(Pat, Expr),
    /// `if c`.
    If(Expr),
}

/// A generator.
#[derive(Clone, Debug)]
pub enum Generator {
    /// `p in xs`.
    In(Pat, Expr),
    /// `lo <= x < hi step s`.
    Range {
        /// `lo`; zero if missing, and then a negative `hi` is an error.
        lo: Option<Expr>,
        /// `x`: an `i64`, or an `[]i64` if the bounds are vectors.
        var: LocalId,
        /// `hi`.
        hi: Expr,
        /// `s`, at least one.
        step: Option<Expr>,
        /// Whether `x` is a vector, which runs through a box in row-major order. A bound may then be a scalar, which
        /// means a vector of that scalar.
        vector: bool,
        /// The whole generator.
        span: Span,
    },
}

/// A clause of `array`, `update` or `accum`.
#[derive(Clone, Debug)]
pub enum Clause {
    /// `[i, j] => e quals`.
    Element {
        /// Subscripts, never slices.
        subscripts: Vec<Index>,
        /// The value.
        value: Expr,
        /// Its qualifiers.
        quals: Vec<Qual>,
        /// The whole clause.
        span: Span,
    },
    /// `quals { ... }`.
    Group {
        /// What the clauses share.
        quals: Vec<Qual>,
        /// The clauses.
        clauses: Vec<Clause>,
        /// The whole group.
        span: Span,
    },
}

impl Clause {
    /// The subscripts and values of all elements in it.
    pub fn elements(&self) -> Vec<(&[Index], &Expr)> {
        match self {
            Clause::Element { subscripts, value, .. } => vec![(subscripts, value)],
            Clause::Group { clauses, .. } => clauses.iter().flat_map(Clause::elements).collect(),
        }
    }

    /// Whether an element with several subscripts has generators that advance together: where elements are left out,
    /// perhaps they were meant to be nested.
    pub fn advances_together(&self) -> bool {
        let together = |quals: &[Qual]| quals.iter().any(|q| matches!(q, Qual::For(all, _) if all.len() > 1));
        match self {
            Clause::Element { subscripts, quals, .. } => subscripts.len() > 1 && together(quals),
            Clause::Group { clauses, quals, .. } => {
                let several = |c: &Clause| matches!(c, Clause::Element { subscripts, .. } if subscripts.len() > 1);
                clauses.iter().any(|c| c.advances_together() || together(quals) && several(c))
            }
        }
    }
}

/// A pattern with its type.
#[derive(Clone, Debug)]
pub struct Pat {
    /// Which.
    pub kind: PatKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

impl Pat {
    /// The local, if the pattern is a plain name (with or without a type).
    pub fn name(&self) -> Option<LocalId> {
        match &self.kind {
            PatKind::Bind(local) => Some(*local),
            PatKind::Ascribe(inner, _) => inner.name(),
            PatKind::Wildcard | PatKind::Record(_) | PatKind::Literal(_) | PatKind::Constr(..) => None,
        }
    }
}

/// The patterns.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `_`.
    Wildcard,
    /// `x`.
    Bind(LocalId),
    /// A tuple or record; fields may be missing in no case.
    Record(Vec<(Name, Pat)>),
    /// A literal.
    Literal(Scalar),
    /// `#c p`.
    Constr(Name, Vec<Pat>),
    /// `p : t`.
    Ascribe(Box<Pat>, Type),
}

/// A size as an expression.
pub fn size_expr(size: &Size, span: Span) -> Option<Expr> {
    match size {
        Size::Const(n) => Some(Expr::new(ExprKind::Scalar(Scalar::I64(*n)), Type::I64, span)),
        Size::Local(local) => Some(Expr::new(ExprKind::Local(*local, Vec::new()), Type::I64, span)),
        Size::Expr(expr) => Some((**expr).clone()),
        Size::Meta(_) | Size::Unknown => None,
    }
}
