//! Made-up programs, right or wrong, print and parse to the same text; the verifier looks at them without a panic.

use base::{FileId, Name, Span};
use fault::{Caller, Fault, Message, Piece, Site, Text};
use ir::turns::{Rounds, Tiles};
use ir::*;
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};

/// A small generator of numbers, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn one<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

struct Maker {
    random: Random,
    program: Program,
    /// Bound so far in the function.
    known: Vec<Var>,
    depth: usize,
}

const NAMES: &[&str] = &["x", "y'", "total", "fn", "+", "a b", "x.1", "f64", "é", "`", "out", "_"];
const WORDS: &[&str] = &["plain", "{0}", "a|b", "\\", "\"quoted\"", "two\nlines", "}", "é"];

impl Maker {
    fn name(&mut self) -> Name {
        Name::new(self.random.one(NAMES))
    }

    fn span(&mut self) -> Span {
        let start = self.random.below(100);
        Span::new(FileId(self.random.below(3) as u32), start, start + self.random.below(9))
    }

    fn many<T>(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.random.below(most + 1)).map(|_| item(self)).collect()
    }

    fn prim(&mut self) -> Prim {
        self.random.one(&Prim::ALL)
    }

    fn constant(&mut self) -> Scalar {
        let prim = self.prim();
        let bits = self.random.one(&[
            0,
            1,
            7,
            0x3c00,
            0x3f99_9999,
            0x7ff0 << 48,
            0xfff0 << 48,
            u64::MAX,
            1 << 63,
            0x3fb9_9999_9999_999a,
        ]);
        Scalar::from_bits(prim, bits)
    }

    fn used(&mut self) -> Var {
        if self.known.is_empty() { self.bind() } else { self.random.one(&self.known.clone()) }
    }

    fn atom(&mut self) -> Atom {
        if self.known.is_empty() || self.random.below(3) == 0 {
            Atom::Const(self.constant())
        } else {
            self.used().into()
        }
    }

    /// Only of variables that were bound before, as in any text.
    fn dims(&mut self) -> Vec<Dim> {
        let count = if self.known.is_empty() { 0 } else { self.random.below(3) };
        let dim = |m: &mut Self| match m.random.below(4) {
            0 => Dim::Jagged(m.used()),
            1 => Dim::Shape(m.used()),
            _ => Dim::Size(m.atom()),
        };
        (0..count).map(|_| dim(self)).collect()
    }

    fn ty(&mut self) -> Type {
        match self.random.below(9) {
            0 => Type::Cert,
            8 => Type::Box(BoxId(self.random.below(2) as u32)),
            1 => Type::Desc(self.dims()),
            2..4 => Type::array(self.prim(), self.dims()),
            4 => Type::I64,
            _ => Type::Scalar(self.prim()),
        }
    }

    fn var(&mut self, ty: Type) -> Var {
        let name = self.name();
        let var = self.program.vars.push(VarInfo::new(name, ty));
        self.known.push(var);
        var
    }

    fn bind(&mut self) -> Var {
        let ty = self.ty();
        self.var(ty)
    }

    fn atoms(&mut self) -> Vec<Atom> {
        self.many(3, Self::atom)
    }

    fn binds(&mut self) -> Vec<Var> {
        self.many(2, Self::bind)
    }

    fn ranges(&mut self) -> Vec<Range> {
        self.many(2, |m| Range { start: m.atom(), count: m.atom(), stride: m.atom() })
    }

    fn block(&mut self) -> Block {
        self.depth += 1;
        let most = if self.depth > 3 { 0 } else { 3 };
        let stms = self.many(most, Self::stm);
        self.depth -= 1;
        Block { stms, result: self.atoms() }
    }

    fn region(&mut self) -> Region {
        Region { params: self.binds(), body: self.block() }
    }

    fn stm(&mut self) -> Stm {
        let certs = if self.known.is_empty() { Vec::new() } else { self.many(2, Self::used) };
        Stm { vars: self.binds(), certs, exp: self.exp(), span: self.span() }
    }

    fn text(&mut self, depth: usize) -> Text {
        Text(self.many(3, |m| match m.random.below(if depth > 2 { 3 } else { 4 }) {
            0 => Piece::Value(m.random.below(9)),
            1 => Piece::Shape(m.random.below(9)),
            2 => Piece::Words(m.random.one(WORDS).into()),
            _ => Piece::Choose {
                argument: m.random.below(9),
                equals: m.random.below(5) as i64 - 2,
                then: m.text(depth + 1),
                otherwise: m.text(depth + 1),
            },
        }))
    }

    fn site(&mut self) -> SiteId {
        let site = Site {
            message: Message {
                fault: self.random.one(&[Fault::Index, Fault::Slice, Fault::Memory]),
                title: self.text(0),
                at: self.text(0),
                notes: self.many(2, |m| m.text(0)),
                help: self.random.coin().then(|| self.random.one(WORDS).into()),
            },
            span: self.span(),
            calls: self.many(2, |m| (m.name(), m.span())),
            callers: self.many(2, |m| Caller { number: m.random.below(70) as u16, call: (m.name(), m.span()) }),
            inside: self.random.below(2) == 0,
            stays: false,
        };
        let stays = site.message.fault.must_stay() || self.random.coin();
        let site = Site { stays, ..site };
        self.program.sites.push(site)
    }

    fn layout(&mut self, depth: usize) -> Layout {
        let kinds = [DimKind::Size, DimKind::Jagged, DimKind::Shape];
        match self.random.below(if depth > 2 { 1 } else { 4 }) {
            0 => Layout::Scalar(self.prim()),
            1 => {
                let mut dims = vec![self.random.one(&kinds)];
                dims.extend(self.many(2, |m| m.random.one(&kinds)));
                Layout::Array(dims, Box::new(Layout::Record(vec![(Name::new("0"), self.layout(depth + 1))])))
            }
            2 => Layout::Record(self.many(3, |m| (m.name(), m.layout(depth + 1)))),
            _ => Layout::Sum(self.many(2, |m| (m.name(), m.many(2, |m| m.layout(depth + 1))))),
        }
    }

    fn exp(&mut self) -> Exp {
        match self.random.below(33) {
            0 => Exp::Atom(self.atom()),
            1..4 => Exp::Bin(self.random.one(&BinOp::ALL), self.prim(), self.atom(), self.atom()),
            4 => Exp::Un(self.random.one(&[UnOp::Neg, UnOp::Not]), self.prim(), self.atom()),
            5 => Exp::Math(self.random.one(MathOp::ALL), self.prim(), self.atoms()),
            6 => Exp::Convert(self.prim(), self.prim(), self.atom()),
            7 => Exp::Select(self.atom(), self.atom(), self.atom()),
            8 => Exp::Literal(self.prim(), self.atoms()),
            9 => Exp::Index(self.used(), self.atoms()),
            10 => Exp::IndexVector(self.used(), self.used()),
            11 => Exp::Slice(self.used(), self.ranges()),
            12 => Exp::Rearrange(self.used(), self.many(3, |m| m.random.below(4))),
            13 => Exp::Reshape(self.used()),
            14 => Exp::Copy(self.used()),
            15 => Exp::Retype(self.used()),
            16 => Exp::Total(self.dims()),
            17 => Exp::Unrank { index: self.atom(), shape: self.used() },
            18 => Exp::DescUniform(self.atom()),
            19 => Exp::DescOf(self.used()),
            20 => Exp::DescLengths(self.used()),
            21 => match self.random.below(3) {
                0 => Exp::DescLength(self.used(), self.atoms()),
                1 => Exp::DescOffset(self.used(), self.atoms()),
                _ => Exp::DescRow(self.used(), self.atom()),
            },
            22 => Exp::DescIndex(self.used(), self.atoms()),
            23 => Exp::DescSlice(self.used(), self.ranges()),
            24 => Exp::DescEqual(self.used(), self.used()),
            25 => Exp::Assert { cond: self.atom(), site: self.site(), args: self.atoms() },
            26 => Exp::Call(FunId(self.random.below(3) as u32), self.atoms()),
            27 => match self.random.below(4) {
                3 => Exp::Ensure { cond: self.atom(), otherwise: self.block() },
                0 => Exp::Choose(self.atom(), self.block(), self.block()),
                1 => Exp::Uninit,
                _ => Exp::If(self.atom(), self.block(), self.block()),
            },
            28 => self.repetition(),
            29 => self.bulk(),
            30 => Exp::Pack(BoxId(self.random.below(2) as u32), self.random.below(3), self.atoms()),
            31 => Exp::Open(self.used(), self.many(2, Self::region)),
            _ if self.random.coin() => Exp::Sort(self.atom(), self.region()),
            _ => Exp::Trace(self.layout(0), self.atoms()),
        }
    }

    fn repetition(&mut self) -> Exp {
        let params = self.many(2, |m| (m.bind(), m.atom()));
        if self.random.coin() {
            return Exp::repeat(params, LoopForm::While(self.block()), self.block());
        }
        let var = self.var(Type::I64);
        let turns = [
            Turns::InOrder,
            Turns::Blocks(Tiles { turns: 32, rows: 8, columns: 16, least: 128 }),
            Turns::Rounds(Rounds { turns: 10, bytes: 4096, row_bytes: 512, share: 16 }),
        ];
        let (form, turns) = (LoopForm::For(var, self.atom()), turns[self.random.below(3)]);
        Exp::Loop { params, form, turns, body: self.block() }
    }

    fn bulk(&mut self) -> Exp {
        let outputs = self.many(3, Self::output);
        Exp::Bulk(Bulk { outputs, steps: self.steps(0), scheduled: self.random.coin() })
    }

    fn output(&mut self) -> Output {
        let arrays = if self.known.is_empty() { Vec::new() } else { self.many(2, Self::used) };
        let shape = self.dims();
        let sizes = self.binds();
        let elems = self.binds();
        let skip = self.random.coin();
        let kind = match self.random.below(5) {
            0 => {
                let rec = self.binds();
                let coverage = if skip {
                    Coverage::Exact
                } else {
                    Coverage::Checked {
                        collision: self.site(),
                        gap: self.site(),
                        cycle: self.site(),
                        called: self.random.coin().then(|| self.atom()),
                    }
                };
                let otherwise = self.random.coin().then(|| self.block());
                Kind::Gen { shape, otherwise, coverage, rec }
            }
            1 => Kind::Update { arrays, skip, rec: self.binds() },
            2 => Kind::Accum { arrays, skip, op: self.region(), tree: self.tree() },
            3 => Kind::Reduce { neutral: self.atoms(), op: self.region(), commutes: skip, tree: self.tree() },
            _ => Kind::Keep,
        };
        Output { kind, sizes, elems }
    }

    fn tree(&mut self) -> Tree {
        let mut number = || self.random.below(40) as u32;
        match number() % 5 {
            0 => Tree::Free,
            4 => Tree::Tables(Tables { each: number(), small: number(), least: number(), weight: number() }),
            1 => Tree::InOrder,
            2 => Tree::Parts(Parts { parts: number(), least: number(), turns: number(), elements: number() }),
            _ => Tree::Chunks(Chunks { block: number(), lanes: number(), chains: number(), loops: number() }),
        }
    }

    fn steps(&mut self, depth: usize) -> Vec<Step> {
        self.many(3, |m| match m.random.below(if depth > 2 { 3 } else { 5 }) {
            0 => {
                let certs = if m.known.is_empty() { Vec::new() } else { m.many(1, Self::used) };
                let (output, at, span) = (m.random.below(3), m.atoms(), m.span());
                Step::Emit(Emit { output, at, certs, value: m.block(), span })
            }
            1 => Step::Let(m.stm()),
            2 => {
                let (vars, neutral, tree, op, value) = (m.binds(), m.atoms(), m.tree(), m.region(), m.block());
                Step::Scan(Scan { vars, op, neutral, tree, value, span: m.span() })
            }
            3 => {
                let var = m.var(Type::I64);
                let split = [Split::No, Split::Middle][m.random.below(2)];
                let marks = [Mark::Open, Mark::Sequential(split), Mark::Simd, Mark::Threads(split)];
                let mark = marks[m.random.below(4)];
                Step::For { var, count: m.atom(), mark, body: m.steps(depth + 1) }
            }
            _ => Step::Guard(m.atom(), m.steps(depth + 1)),
        })
    }

    fn boxes(&mut self) {
        self.known.clear();
        let name = self.name();
        let cases = self.many(3, Self::binds);
        self.program.boxes.push(BoxKind { name, cases });
    }

    fn function(&mut self) {
        self.known.clear();
        let mut params = self.binds();
        params.push(self.bind());
        let consumed = params.iter().map(|_| self.random.coin()).collect();
        let results = self.binds();
        let fresh = results.iter().map(|_| self.random.coin()).collect();
        let (name, body, span) = (self.name(), self.block(), self.span());
        let too_deep = self.random.coin().then(|| self.site());
        self.program.functions.push(Function {
            name,
            params,
            consumed,
            results,
            fresh,
            body,
            too_deep,
            span,
            remarks: Vec::new(),
        });
    }
}

fn made(seed: u64) -> Program {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut maker = Maker { random, program: Program::default(), known: Vec::new(), depth: 0 };
    (0..2).for_each(|_| maker.boxes());
    (0..3).for_each(|_| maker.function());
    maker.program.entries = maker.many(2, |m| Entry {
        name: m.name(),
        function: FunId(m.random.below(3) as u32),
        params: m.many(2, |m| (m.name(), m.layout(0))),
        results: m.many(2, |m| m.layout(0)),
    });
    maker.program
}

#[test]
fn programs_come_back() {
    for seed in 0..3000 {
        let program = made(seed);
        for options in [print::Options { spans: false }, print::Options { spans: true }] {
            let text = print_with(&program, options);
            let again = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            assert_eq!(print_with(&again, options), text, "seed {seed}");
        }
    }
}

#[test]
fn nonsense_is_refused_without_a_panic() {
    for seed in 0..1000 {
        let program = made(seed);
        let _ = verify(&program);
        for function in program.functions.ids() {
            let _ = alias::analyse(&program, function);
        }
    }
}
