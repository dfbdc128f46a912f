//! Expressions.

use super::{Attr, Ident, Pat, QualName, SizeName, TypeExp, TypeParam};
use base::Span;
use scalar::Prim;

/// A literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Lit {
    /// `3`, `0xffu8`; the value does not wrap here: the checker sees whether it fits.
    Int {
        /// The value; literals beyond 128 bits are reported by the lexer.
        value: u128,
        /// The suffix.
        suffix: Option<Prim>,
    },
    /// `1.5`, `1e3f32`.
    Float {
        /// The value.
        value: f64,
        /// The suffix.
        suffix: Option<Prim>,
    },
    /// `true`, `false`.
    Bool(bool),
    /// `'a'`: its code point.
    Char(u32),
    /// `"abc"`: its UTF-8 bytes, escapes resolved.
    Str(Vec<u8>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The whole expression.
    pub span: Span,
    /// Which.
    pub kind: Box<ExprKind>,
}

/// The expressions. Rare large parts are boxed: a program with a large literal has a million of these.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Text that could not be parsed; a diagnostic says so.
    Error,
    /// `???`.
    Hole,
    /// A literal.
    Literal(Lit),
    /// `x`, `m.x`, `x.field`.
    Var(QualName),
    /// `(e)`.
    Parens(Expr),
    /// `(a, b)`, `()`.
    Tuple(Vec<Expr>),
    /// `{x = e, y}`: `y` alone means `y = y`.
    Record(Vec<(Ident, Option<Expr>)>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `a..<b`, `a..s...b`, `a..s..>b`.
    Range {
        /// First element.
        first: Expr,
        /// Second element, if given.
        second: Option<Expr>,
        /// How it ends.
        kind: RangeKind,
        /// The end.
        end: Expr,
    },
    /// `e.field` where `e` is not a name.
    Project(Expr, Ident),
    /// `a[i, j:k:s]`.
    Index(Expr, Vec<Index>),
    /// `m.(e)`: `e` with `m` open.
    OpenIn(QualName, Expr),
    /// `f x y`.
    Apply(Expr, Vec<Expr>),
    /// `#c x y`.
    Constr(Ident, Vec<Expr>),
    /// `x + y`, `` x `f` y ``.
    Binary {
        /// The operator, or the name between backticks.
        op: QualName,
        /// Left operand.
        lhs: Expr,
        /// Right operand.
        rhs: Expr,
    },
    /// `-e`.
    Negate(Expr),
    /// `!e`.
    Not(Expr),
    /// `(+)`.
    OpSection(QualName),
    /// `(x +)`.
    LeftSection(Expr, QualName),
    /// `(+ x)`.
    RightSection(QualName, Expr),
    /// `(.x.y)`, `(.[i])`.
    PathSection(Vec<Step>),
    /// `\x y : t -> e`.
    Lambda {
        /// Parameters.
        params: Vec<Pat>,
        /// Result type.
        ret: Option<TypeExp>,
        /// Body.
        body: Expr,
    },
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
        /// `[n]`, `[~k]`.
        sizes: Vec<SizeName>,
        /// `p`.
        pat: Box<Pat>,
        /// `e`.
        value: Expr,
        /// What follows.
        body: Expr,
    },
    /// `let f 'a x = e in body`.
    LetFun(Box<LetFun>),
    /// `let a[i].f = e in body`: `a` with one place replaced.
    LetWith {
        /// `a`.
        name: Ident,
        /// `[i].f`.
        path: Vec<Step>,
        /// `e`.
        value: Expr,
        /// What follows.
        body: Expr,
    },
    /// Neighbouring `let rec a = array ...`, then the body.
    LetRec {
        /// The arrays, which may refer to each other.
        arrays: Vec<RecArray>,
        /// What follows.
        body: Expr,
    },
    /// `loop p = e for ... do body`.
    Loop {
        /// `p`.
        pat: Box<Pat>,
        /// `e`; without it the pattern read as an expression.
        init: Option<Expr>,
        /// The loop's form.
        form: Box<LoopForm>,
        /// Its body.
        body: Expr,
    },
    /// `match e case p -> a ...`.
    Match {
        /// `e`.
        value: Expr,
        /// The cases.
        cases: Vec<Case>,
    },
    /// `e with [i].f = v`.
    With {
        /// `e`.
        source: Expr,
        /// `[i].f`.
        path: Vec<Step>,
        /// `v`.
        value: Expr,
    },
    /// `e : t`.
    Ascribe(Expr, TypeExp),
    /// `e :> t`.
    Coerce(Expr, TypeExp),
    /// `assert c e`.
    Assert(Expr, Expr),
    /// `#[attr] e`.
    Attr(Attr, Expr),
    /// `[e for g let p = e if c]`.
    Comprehension {
        /// `e`.
        body: Expr,
        /// What follows it, at least one `for`, which comes first.
        quals: Vec<Qual>,
    },
    /// `array SHAPE { clauses }`.
    ArrayBy {
        /// SHAPE.
        shape: Expr,
        /// The clauses.
        clauses: Clauses,
    },
    /// `update a { clauses }`.
    Update {
        /// `a`.
        array: Expr,
        /// The clauses; never an `else`.
        clauses: Clauses,
    },
    /// `accum op ne SHAPE { clauses }`.
    Accum {
        /// `op`.
        op: Expr,
        /// `ne`.
        neutral: Expr,
        /// SHAPE.
        shape: Expr,
        /// The clauses; never an `else`.
        clauses: Clauses,
    },
}

/// How a range ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeKind {
    /// `...`: the end belongs to it.
    Inclusive,
    /// `..<`: counts up, the end does not belong to it.
    UpTo,
    /// `..>`: counts down, the end does not belong to it.
    DownTo,
}

/// One index of `a[...]`.
#[derive(Clone, Debug)]
pub enum Index {
    /// `i`; in Ravel also a vector.
    At(Expr),
    /// `i:j:s`, each optional.
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

/// One step into a value: a field or indices.
#[derive(Clone, Debug)]
pub enum Step {
    /// `.f`.
    Field(Ident),
    /// `[i, j]`.
    Index(Vec<Index>, Span),
}

/// A local function.
#[derive(Clone, Debug)]
pub struct LetFun {
    /// Its name.
    pub name: Ident,
    /// Type parameters.
    pub type_params: Vec<TypeParam>,
    /// Parameters, at least one.
    pub params: Vec<Pat>,
    /// Result type.
    pub ret: Option<TypeExp>,
    /// Its definition.
    pub value: Expr,
    /// What follows.
    pub body: Expr,
}

/// `let rec a : t = array ...` or `update ...`.
#[derive(Clone, Debug)]
pub struct RecArray {
    /// Its name.
    pub name: Ident,
    /// Its type, if given.
    pub ty: Option<TypeExp>,
    /// An `ArrayBy` or `Update`; anything else is an error that the checker reports.
    pub value: Expr,
}

/// The loop forms.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `for i < n`.
    For(Ident, Expr),
    /// `for lo <= i < hi`, or any range with `step`.
    Range(Generator),
    /// `for p in xs`.
    ForIn(Pat, Expr),
    /// `while c`.
    While(Expr),
}

/// `case p -> e`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The whole case.
    pub span: Span,
    /// `p`.
    pub pat: Pat,
    /// `e`.
    pub body: Expr,
}

/// A qualifier of a comprehension or clause.
#[derive(Clone, Debug)]
pub enum Qual {
    /// `for g, h`: generators that advance together.
    For(Vec<Generator>, Span),
    /// `let p = e`.
    Let(Pat, Expr),
    /// `if c`.
    If(Expr),
}

/// A generator.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The whole generator.
    pub span: Span,
    /// Which.
    pub kind: GeneratorKind,
}

/// The generators.
#[derive(Clone, Debug)]
pub enum GeneratorKind {
    /// `p in xs`.
    In(Pat, Expr),
    /// `x < hi`, `lo <= x < hi`, with `step s`.
    Range {
        /// `lo`; zero if missing.
        lo: Option<Expr>,
        /// `x`: a scalar or a vector.
        var: Ident,
        /// `hi`.
        hi: Expr,
        /// `s`; one if missing.
        step: Option<Expr>,
    },
}

/// The contents of the braces of `array`, `update` or `accum`.
#[derive(Clone, Debug)]
pub struct Clauses {
    /// With the braces.
    pub span: Span,
    /// The clauses in order.
    pub clauses: Vec<Clause>,
    /// `else => e`, `else [i, j] => e`.
    pub otherwise: Option<Else>,
}

/// The value of all elements that no clause defines.
#[derive(Clone, Debug)]
pub struct Else {
    /// From `else` to the end of the value.
    pub span: Span,
    /// `[i, j]`: the names of the subscripts, if it has any.
    pub subscripts: Option<Vec<Ident>>,
    /// `e`.
    pub value: Expr,
}

/// A clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The whole clause.
    pub span: Span,
    /// Which.
    pub kind: ClauseKind,
}

/// The clauses.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// `[i, j] => e quals`.
    Element {
        /// The subscripts.
        subscripts: Vec<Expr>,
        /// The value.
        value: Expr,
        /// Its generators, bindings and guards.
        quals: Vec<Qual>,
    },
    /// `quals { clauses }`.
    Group {
        /// The qualifiers that the clauses share.
        quals: Vec<Qual>,
        /// The clauses.
        clauses: Vec<Clause>,
    },
}
