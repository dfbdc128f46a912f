//! What the interpreter runs: expressions with variables resolved to slots of a frame.
//!
//! A frame begins with the arguments, then the type parameters, then everything else that the code binds. Every local
//! of a function has a slot of its own.

use crate::rtype::RtType;
use base::{Name, Span};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};
use std::rc::Rc;
use typed::{DefId, Intrinsic, LocalId, RangeKind};

/// The place of a local in its frame.
pub(crate) type Slot = u32;

/// A definition or lambda, ready to run.
pub(crate) struct Code {
    pub name: Name,
    pub params: Vec<ParamCode>,
    /// Where captured values go, in the order of the closure.
    pub captures: Vec<Slot>,
    /// How many slots a frame has.
    pub slots: usize,
    /// Whether some parameter's size is an expression, which is checked once all parameters are bound.
    pub late_checks: bool,
    /// The declared result's sizes, to be checked.
    pub result: Matcher,
    pub body: BodyCode,
    pub span: Span,
}

/// What a call runs.
pub(crate) enum BodyCode {
    Node(Node),
    /// An operation of the implementation, and the type of its result.
    Intrinsic(Intrinsic, TypeCode),
}

/// A parameter.
pub(crate) struct ParamCode {
    /// The pattern; none if the argument's slot is the parameter's own.
    pub pat: Option<PatCode>,
    /// Sizes to bind or check.
    pub sizes: Matcher,
    /// The name, if the pattern is one.
    pub name: Option<Name>,
}

/// A read of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub slot: Slot,
    /// Whether nothing reads the slot afterwards, so that the value may be moved out.
    pub last: bool,
}

/// The value of a size parameter that no value shows.
#[derive(Clone, Copy)]
pub(crate) enum Unseen {
    /// A size: 0.
    Zero,
    /// Row lengths or a shape: an empty vector.
    Empty,
}

/// An expression.
pub(crate) enum Node {
    Const(Scalar),
    /// Text.
    Bytes(Vec<u8>),
    Hole(Span),
    /// Some value of a type.
    Blank(Box<TypeCode>, Span),
    Read(Read, Span),
    /// A size that perhaps no value has shown, and what it is then.
    Size(Read, Unseen),
    /// A constant definition, evaluated once.
    Constant(DefId),
    /// A definition as a function value, or a constant with type parameters.
    Global(DefId, Vec<TypeArgCode>, Span),
    /// A polymorphic local function at some types.
    Instance(Read, Vec<TypeArgCode>, Span),
    Operator(BinOp),
    /// In the order of evaluation; each with its place.
    Record(Vec<(usize, Node)>),
    Array(Vec<Node>, Box<TypeCode>, Span),
    Range(Box<RangeCode>),
    Project(Box<Node>, usize),
    Index(Box<IndexCode>),
    Call(Box<CallCode>),
    Scalar(Box<ScalarCode>),
    Apply(Box<Node>, Vec<Node>, Span),
    Constr(Name, Vec<Node>),
    Binary(BinOp, Box<(Node, Node)>, Span),
    /// Element by element, as far as the operands are arrays.
    Lifted(BinOp, Box<(Node, Node)>, Span),
    And(Box<(Node, Node)>),
    Or(Box<(Node, Node)>),
    Unary(UnOp, Box<Node>, Span),
    Lambda(Rc<Code>, Vec<Read>),
    If(Box<(Node, Node, Node)>),
    Let(Box<LetCode>),
    LetRec(Box<LetRecCode>),
    Loop(Box<LoopCode>),
    Match(Box<MatchCode>),
    With(Box<WithCode>),
    Coerce(Box<CoerceCode>),
    Assert(Box<AssertCode>),
    Comprehension(Box<ComprehensionCode>),
    ArrayBy(Box<ArrayByCode>),
    Update(Box<UpdateCode>),
    Accum(Box<AccumCode>),
    /// Binds sizes by looking at the value.
    Exts(Box<ExtsCode>),
}

impl Node {
    /// Whether it is a variable or a field of one, which can be read in place, without a reference of its own.
    pub fn is_place(&self) -> bool {
        match self {
            Node::Read(..) => true,
            Node::Project(inner, _) => inner.is_place(),
            _ => false,
        }
    }

    /// Whether it is a polymorphic function at some types.
    pub fn takes_types(&self) -> bool {
        matches!(self, Node::Global(..) | Node::Instance(..))
    }
}

pub(crate) struct RangeCode {
    pub first: Node,
    pub second: Option<Node>,
    pub kind: RangeKind,
    pub end: Node,
    pub span: Span,
}

pub(crate) struct IndexCode {
    pub base: Node,
    pub indices: Vec<IndexArg>,
    /// How many dimensions the result must have, where the length of a vector of indices decides how many it has.
    pub rank: Option<usize>,
    pub span: Span,
}

pub(crate) enum IndexArg {
    At(Node),
    Vector(Node),
    Slice { start: Option<Node>, end: Option<Node>, stride: Option<Node>, span: Span },
}

/// A call of a definition with at least all its arguments.
pub(crate) struct CallCode {
    pub def: DefId,
    pub types: Vec<TypeArgCode>,
    pub args: Vec<Node>,
    /// Arguments for the function it returns.
    pub more: Vec<Node>,
    pub span: Span,
}

/// A numeric function or conversion.
pub(crate) struct ScalarCode {
    pub op: ScalarOp,
    pub args: Vec<Node>,
    /// The calls that it replaces, innermost first: errors show them.
    pub calls: Vec<(Name, Span)>,
}

/// What is done with the numbers.
#[derive(Clone, Copy)]
pub(crate) enum ScalarOp {
    Math(MathOp),
    Convert(Prim),
}

impl ScalarOp {
    /// No operation has more arguments.
    pub const MOST_ARGS: usize = 3;
}

pub(crate) struct LetCode {
    pub sizes: Vec<Slot>,
    pub pat: PatCode,
    pub value: Node,
    pub body: Node,
}

pub(crate) struct LetRecCode {
    pub arrays: Vec<RecCode>,
    pub body: Node,
}

pub(crate) struct RecCode {
    pub slot: Slot,
    pub name: Name,
    pub kind: RecKind,
}

pub(crate) enum RecKind {
    Array(ArrayByCode),
    Update(UpdateCode),
}

pub(crate) struct LoopCode {
    pub sizes: Vec<Slot>,
    pub pat: PatCode,
    pub init: Node,
    pub form: LoopForm,
    pub body: Node,
    pub span: Span,
}

pub(crate) enum LoopForm {
    For(Slot, Node),
    ForIn(PatCode, Node),
    While(Node),
}

pub(crate) struct MatchCode {
    pub value: Node,
    pub cases: Vec<(PatCode, Node)>,
    pub span: Span,
}

pub(crate) struct WithCode {
    pub source: Node,
    pub path: Vec<StepCode>,
    pub value: Node,
    pub span: Span,
}

pub(crate) enum StepCode {
    Field(usize),
    Index(Vec<IndexArg>),
}

pub(crate) struct CoerceCode {
    pub value: Node,
    pub sizes: Matcher,
    /// The number of dimensions of the type, if it is written.
    pub rank: Option<usize>,
    /// The type as written, for messages.
    pub text: String,
    pub span: Span,
}

pub(crate) struct AssertCode {
    pub cond: Node,
    pub text: String,
    pub body: Node,
    pub span: Span,
}

pub(crate) struct ExtsCode {
    pub value: Node,
    pub slots: Vec<Slot>,
    pub sizes: Matcher,
    pub span: Span,
}

pub(crate) struct ComprehensionCode {
    pub quals: Vec<QualCode>,
    pub body: Node,
    pub ty: TypeCode,
    pub span: Span,
}

pub(crate) enum QualCode {
    For {
        generators: Vec<GenCode>,
        span: Span,
        /// The array of which every turn makes an element.
        fills: Option<Span>,
    },
    Let(PatCode, Node),
    If(Node),
}

pub(crate) enum GenCode {
    In(PatCode, Node),
    Range { lo: Option<Node>, var: Slot, hi: Node, step: Option<Node>, vector: bool, span: Span },
}

pub(crate) enum ClauseCode {
    Element(Box<ElementCode>),
    Group { quals: Vec<QualCode>, clauses: Vec<ClauseCode> },
}

pub(crate) struct ElementCode {
    pub subscripts: Vec<IndexArg>,
    pub value: Node,
    pub quals: Vec<QualCode>,
    /// Slots that qualifiers around the value bind, groups' included: what a value needs to be computed later.
    pub env: Vec<Slot>,
    pub span: Span,
}

pub(crate) struct ArrayByCode {
    pub shape: Node,
    pub clauses: Vec<ClauseCode>,
    pub otherwise: Option<Node>,
    pub ty: TypeCode,
    /// Whether generators advance together where they may have been meant to be nested.
    pub together: bool,
    pub span: Span,
}

pub(crate) struct UpdateCode {
    pub array: Node,
    pub clauses: Vec<ClauseCode>,
    pub span: Span,
}

pub(crate) struct AccumCode {
    pub op: Node,
    pub neutral: Node,
    pub shape: Node,
    pub clauses: Vec<ClauseCode>,
    pub ty: TypeCode,
    pub span: Span,
}

/// A pattern.
pub(crate) enum PatCode {
    Wild,
    Bind(Slot),
    Record(Vec<(usize, PatCode)>),
    Literal(Scalar),
    Constr(Name, Vec<PatCode>),
    /// A pattern whose type has sizes to bind or check.
    Sized(Box<PatCode>, Matcher, Span),
}

/// The sizes in a type, to be bound or checked by looking at a value.
#[derive(Default)]
pub(crate) enum Matcher {
    #[default]
    Nothing,
    Array(DimCode, Box<Matcher>),
    Record(Vec<(usize, Matcher)>),
    Sum(Vec<(Name, Vec<Matcher>)>),
}

/// A dimension of a type.
pub(crate) enum DimCode {
    Const(i64),
    /// A size variable.
    Local(Slot, LocalId),
    Expr(Box<Node>, String),
    /// Regular but unnamed.
    Unknown,
    Jagged(Option<(Slot, LocalId)>),
    /// Any number of dimensions.
    Shape(Option<(Slot, LocalId)>),
}

/// A type to be evaluated at run time.
pub(crate) enum TypeCode {
    Const(Rc<RtType>),
    Var(Slot),
    Record(Vec<TypeCode>),
    /// The first constructor, with the types of its parts.
    Sum(Name, Vec<TypeCode>),
    Array(DimCode, Box<TypeCode>),
}

/// The value of a type parameter at a call.
pub(crate) enum TypeArgCode {
    /// The arguments of the call show it.
    Shown,
    Size(DimCode),
    Type(TypeCode),
    Shape(Vec<DimCode>),
}
