//! The syntax tree, close to the text: spans everywhere, parentheses and comments kept, names unresolved.

use base::{Name, Span};
use scalar::Prim;

/// Which language a file is written in, by its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `.rv`: Ravel, all of it.
    Ravel,
    /// `.fut`: Futhark; the words and rules that Ravel adds do not apply.
    Futhark,
}

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// The language it is written in.
    pub dialect: Dialect,
    /// Its declarations in order.
    pub decs: Vec<Dec>,
    /// All comments, in order, with the leading `--` included.
    pub comments: Vec<Comment>,
}

/// One comment line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// From `--` to the end of the line.
    pub span: Span,
    /// The text after `--`.
    pub text: String,
}

/// A name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A size that `let [n]` or `?[n].` names, or a size function: `[~k]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeName {
    /// The name.
    pub name: Ident,
    /// Whether it is a size function, with a length for each row.
    pub jagged: bool,
}

/// `a.b.c`: in an expression a module path, a field path, or one followed by the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QualName {
    /// `a.b`.
    pub quals: Vec<Ident>,
    /// `c`; an operator's text for operators.
    pub name: Ident,
}

impl QualName {
    /// From the first qualifier to the name.
    pub fn span(&self) -> Span {
        self.quals.first().map_or(self.name.span, |q| q.span.to(self.name.span))
    }
}

/// `#[name]`, `#[name(args)]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attr {
    /// The whole attribute.
    pub span: Span,
    /// A name, or a number's digits.
    pub name: Name,
    /// The contents of the parentheses.
    pub args: Vec<Attr>,
}

// ---------------------------------------------------------------- declarations

/// A declaration with its comment, attributes and `local`.
#[derive(Clone, Debug)]
pub struct Dec {
    /// The whole declaration.
    pub span: Span,
    /// The doc comment (`-- |`) in front of it, without the dashes.
    pub doc: Option<String>,
    /// Attributes.
    pub attrs: Vec<Attr>,
    /// Whether it is marked `local`.
    pub local: bool,
    /// The declaration.
    pub kind: DecKind,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum DecKind {
    /// `def`, `entry`, `let` at top level.
    Value(ValueDec),
    /// `type t = ...`.
    Type(TypeDec),
    /// `module type t = ...`.
    ModuleType {
        /// Its name.
        name: Ident,
        /// What it stands for.
        body: ModTypeExp,
    },
    /// `module m (p: t) : s = ...`.
    Module {
        /// Its name.
        name: Ident,
        /// Parameters, if it is a parametric module.
        params: Vec<ModParam>,
        /// Ascribed module type.
        ascription: Option<ModTypeExp>,
        /// Its definition.
        body: ModExp,
    },
    /// `open m`.
    Open(ModExp),
    /// `import "path"`.
    Import {
        /// The path as written.
        path: String,
        /// The string literal.
        span: Span,
    },
    /// Text that could not be parsed.
    Error,
}

/// `def f [n] 'a (x: t): r = e`.
#[derive(Clone, Debug)]
pub struct ValueDec {
    /// Whether it is an `entry`.
    pub entry: bool,
    /// Whether `rec` follows `def`.
    pub rec: bool,
    /// The name; an operator's text for operators.
    pub name: Ident,
    /// `[n] 'a [~k] [..s]`.
    pub type_params: Vec<TypeParam>,
    /// Parameter patterns.
    pub params: Vec<Pat>,
    /// Result type.
    pub ret: Option<TypeExp>,
    /// Definition.
    pub body: Expr,
}

/// `type~ t 'a [n] = ...`; also a type specification in a module type, when `body` is missing.
#[derive(Clone, Debug)]
pub struct TypeDec {
    /// What values it may hold.
    pub lifted: Lifted,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<TypeParam>,
    /// Its definition; `None` only for an abstract `type t` in a module type.
    pub body: Option<TypeExp>,
}

/// How much freedom a type or type parameter has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Lifted {
    /// `type t`, `'a`: values of one size.
    No,
    /// `type~ t`, `'~a`: sizes may differ.
    Sizes,
    /// `type^ t`, `'^a`: functions too.
    Functions,
}

/// A parameter of a definition or type.
#[derive(Clone, Copy, Debug)]
pub struct TypeParam {
    /// Its name.
    pub name: Ident,
    /// What it stands for.
    pub kind: TypeParamKind,
    /// The whole parameter.
    pub span: Span,
}

/// The kinds of type parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParamKind {
    /// `[n]`: a size.
    Size,
    /// `'a`, `'~a`, `'^a`: a type.
    Type(Lifted),
    /// `[~k]`: a size function.
    Jagged,
    /// `[..s]`: a shape.
    Shape,
}

/// `(p: t)` of a parametric module.
#[derive(Clone, Debug)]
pub struct ModParam {
    /// Its name.
    pub name: Ident,
    /// Its module type.
    pub ty: ModTypeExp,
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModExp {
    /// The whole expression.
    pub span: Span,
    /// Which.
    pub kind: ModExpKind,
}

/// The module expressions.
#[derive(Clone, Debug)]
pub enum ModExpKind {
    /// `m`, `a.m`.
    Var(QualName),
    /// `{ decs }`.
    Decs(Vec<Dec>),
    /// `import "path"`.
    Import(String),
    /// `m : t`.
    Ascribe(Box<ModExp>, ModTypeExp),
    /// `\(p: t) : s -> m`.
    Lambda(ModParam, Option<ModTypeExp>, Box<ModExp>),
    /// `f m`.
    Apply(Box<ModExp>, Box<ModExp>),
    /// `(m)`.
    Parens(Box<ModExp>),
    /// Text that could not be parsed.
    Error,
}

/// A module type expression.
#[derive(Clone, Debug)]
pub struct ModTypeExp {
    /// The whole expression.
    pub span: Span,
    /// Which.
    pub kind: ModTypeExpKind,
}

/// The module type expressions.
#[derive(Clone, Debug)]
pub enum ModTypeExpKind {
    /// `t`.
    Var(QualName),
    /// `{ specs }`.
    Specs(Vec<Spec>),
    /// `s with t 'a = u`.
    With {
        /// `s`.
        base: Box<ModTypeExp>,
        /// `t`.
        name: QualName,
        /// `'a`.
        params: Vec<TypeParam>,
        /// `u`.
        ty: TypeExp,
    },
    /// `(p: a) -> b`.
    Arrow(Option<Ident>, Box<ModTypeExp>, Box<ModTypeExp>),
    /// `(t)`.
    Parens(Box<ModTypeExp>),
    /// Text that could not be parsed.
    Error,
}

/// One line of a module type.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The whole specification.
    pub span: Span,
    /// The doc comment in front.
    pub doc: Option<String>,
    /// Which.
    pub kind: SpecKind,
}

/// The specifications.
#[derive(Clone, Debug)]
pub enum SpecKind {
    /// `val f [n] 'a : t`.
    Value {
        /// Its name.
        name: Ident,
        /// Its type parameters.
        type_params: Vec<TypeParam>,
        /// Its type.
        ty: TypeExp,
    },
    /// `type t`, `type t = u`.
    Type(TypeDec),
    /// `module m : t`.
    Module(Ident, ModTypeExp),
    /// `include t`.
    Include(ModTypeExp),
    /// Text that could not be parsed.
    Error,
}

// ---------------------------------------------------------------- types

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExp {
    /// The whole type.
    pub span: Span,
    /// Which.
    pub kind: TypeExpKind,
}

/// The type expressions.
#[derive(Clone, Debug)]
pub enum TypeExpKind {
    /// `t`, `m.t`.
    Var(QualName),
    /// `t [n] a`.
    Apply(Box<TypeExp>, Vec<TypeArg>),
    /// `(a, b)`; `()` is the empty one.
    Tuple(Vec<TypeExp>),
    /// `{x: a, y: b}`.
    Record(Vec<(Ident, TypeExp)>),
    /// `#a t | #b`.
    Sum(Vec<(Ident, Vec<TypeExp>)>),
    /// `[n]t`.
    Array(DimExp, Box<TypeExp>),
    /// `*t`.
    Unique(Box<TypeExp>),
    /// `(x: a) -> b`.
    Fun {
        /// `x`, if named.
        param_name: Option<Ident>,
        /// `a`.
        param: Box<TypeExp>,
        /// `b`.
        ret: Box<TypeExp>,
    },
    /// `?[n][m].t`.
    Exists(Vec<SizeName>, Box<TypeExp>),
    /// `(t)`.
    Parens(Box<TypeExp>),
    /// Text that could not be parsed.
    Error,
}

/// An argument of a type.
#[derive(Clone, Debug)]
pub enum TypeArg {
    /// `[n]`, `[]`.
    Size(DimExp),
    /// `t`.
    Type(TypeExp),
}

/// A dimension as written, with its brackets.
#[derive(Clone, Debug)]
pub struct DimExp {
    /// The brackets and their contents.
    pub span: Span,
    /// Which.
    pub kind: DimExpKind,
}

/// The dimensions.
#[derive(Clone, Debug)]
pub enum DimExpKind {
    /// `[]`.
    Any,
    /// `[n]`, `[n+1]`.
    Size(Box<Expr>),
    /// `[~k]`, `[~]`.
    Jagged(Option<Ident>),
    /// `[..s]`, `[..]`.
    Shape(Option<Ident>),
    /// `[..(e)]`.
    ShapeOf(Box<Expr>),
}

// ---------------------------------------------------------------- patterns

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// The whole pattern.
    pub span: Span,
    /// Which.
    pub kind: PatKind,
}

/// The patterns.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `x`; also `(+)`, with the operator's text.
    Name(Name),
    /// `_`.
    Wildcard,
    /// `(p, q)`; `()` is the empty one.
    Tuple(Vec<Pat>),
    /// `{x = p, y}`.
    Record(Vec<(Ident, Option<Pat>)>),
    /// A literal; `negative` if there is a `-` before it.
    Literal {
        /// The literal.
        lit: Lit,
        /// Whether there is a `-` before it.
        negative: bool,
    },
    /// `#c p q`.
    Constr(Ident, Vec<Pat>),
    /// `p : t`.
    Ascribe(Box<Pat>, TypeExp),
    /// `(p)`.
    Parens(Box<Pat>),
    /// `#[attr] p`.
    Attr(Attr, Box<Pat>),
    /// Text that could not be parsed.
    Error,
}

// ---------------------------------------------------------------- expressions

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
