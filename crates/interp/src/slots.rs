//! Which slots a piece of code reads and which it binds.

use crate::code::*;

/// A set of slots.
#[derive(Clone, Default)]
pub(crate) struct SlotSet(Vec<u64>);

impl SlotSet {
    pub fn insert(&mut self, slot: Slot) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    pub fn contains(&self, slot: Slot) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|w| w >> (slot % 64) & 1 == 1)
    }

    pub fn union(&mut self, other: &SlotSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn subtract(&mut self, other: &SlotSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }
}

/// The slots of some code.
#[derive(Default)]
pub(crate) struct Uses {
    pub reads: SlotSet,
    pub binds: SlotSet,
}

impl Uses {
    /// What the code reads without having bound it.
    pub fn free(mut self) -> SlotSet {
        self.reads.subtract(&self.binds);
        self.reads
    }

    fn nodes<'a>(&mut self, nodes: impl IntoIterator<Item = &'a Node>) {
        nodes.into_iter().for_each(|n| self.node(n));
    }

    /// Adds the slots of a node and of everything below it.
    pub fn node(&mut self, node: &Node) {
        match node {
            Node::Const(_) | Node::Bytes(_) | Node::Hole(_) | Node::Constant(_) | Node::Operator(_) => {}
            Node::Blank(ty, _) => self.type_code(ty),
            Node::Read(read, _) | Node::Size(read, _) => self.reads.insert(read.slot),
            Node::Global(_, types, _) => self.type_args(types),
            Node::Instance(read, types, _) => {
                self.reads.insert(read.slot);
                self.type_args(types);
            }
            Node::Record(fields) => self.nodes(fields.iter().map(|f| &f.1)),
            Node::Array(items, ty, _) => {
                self.nodes(items);
                self.type_code(ty);
            }
            Node::Range(range) => {
                self.nodes([&range.first, &range.end]);
                self.nodes(&range.second);
            }
            Node::Project(inner, _) | Node::Unary(_, inner, _) => self.node(inner),
            Node::Index(index) => {
                self.node(&index.base);
                self.indices(&index.indices);
            }
            Node::Call(call) => self.call(call),
            Node::Apply(fun, args, _) => {
                self.node(fun);
                self.nodes(args);
            }
            Node::Constr(_, args) => self.nodes(args),
            Node::Scalar(code) => self.nodes(&code.args),
            Node::Binary(_, pair, _) | Node::Lifted(_, pair, _) | Node::And(pair) | Node::Or(pair) => {
                self.nodes([&pair.0, &pair.1]);
            }
            Node::Lambda(_, captures) => captures.iter().for_each(|r| self.reads.insert(r.slot)),
            Node::If(parts) => self.nodes([&parts.0, &parts.1, &parts.2]),
            Node::Let(code) => self.let_code(code),
            Node::LetRec(code) => self.let_rec(code),
            Node::Loop(code) => self.loop_code(code),
            Node::Match(code) => self.match_code(code),
            Node::With(code) => self.with_code(code),
            Node::Coerce(code) => {
                self.node(&code.value);
                self.matcher(&code.sizes);
            }
            Node::Assert(code) => self.nodes([&code.cond, &code.body]),
            Node::Comprehension(code) => self.comprehension(code),
            Node::ArrayBy(code) => self.array_by(code),
            Node::Update(code) => self.update(code),
            Node::Accum(code) => self.accum(code),
            Node::Exts(code) => self.exts(code),
        }
    }

    /// A value, its pattern, and the code that sees it.
    fn let_code(&mut self, code: &LetCode) {
        code.sizes.iter().for_each(|s| self.binds.insert(*s));
        self.pattern(&code.pat);
        self.nodes([&code.value, &code.body]);
    }

    /// Arrays that need one another, and the code that sees them.
    fn let_rec(&mut self, code: &LetRecCode) {
        for array in &code.arrays {
            self.binds.insert(array.slot);
            match &array.kind {
                RecKind::Array(code) => self.array_by(code),
                RecKind::Update(code) => self.update(code),
            }
        }
        self.node(&code.body);
    }

    /// A value and its cases.
    fn match_code(&mut self, code: &MatchCode) {
        self.node(&code.value);
        for (pat, body) in &code.cases {
            self.pattern(pat);
            self.node(body);
        }
    }

    /// `with`: the source, the value, and the indices of the path.
    fn with_code(&mut self, code: &WithCode) {
        self.nodes([&code.source, &code.value]);
        for step in &code.path {
            if let StepCode::Index(indices) = step {
                self.indices(indices);
            }
        }
    }

    /// A comprehension.
    fn comprehension(&mut self, code: &ComprehensionCode) {
        self.quals(&code.quals);
        self.node(&code.body);
        self.type_code(&code.ty);
    }

    /// `accum`
    fn accum(&mut self, code: &AccumCode) {
        self.nodes([&code.op, &code.neutral, &code.shape]);
        self.clauses(&code.clauses);
        self.type_code(&code.ty);
    }

    /// A value and the sizes that it shows.
    fn exts(&mut self, code: &ExtsCode) {
        code.slots.iter().for_each(|s| self.binds.insert(*s));
        self.node(&code.value);
        self.matcher(&code.sizes);
    }

    /// A call of a definition.
    fn call(&mut self, call: &CallCode) {
        self.nodes(call.args.iter().chain(&call.more));
        self.type_args(&call.types);
    }

    fn loop_code(&mut self, code: &LoopCode) {
        code.sizes.iter().for_each(|s| self.binds.insert(*s));
        self.pattern(&code.pat);
        self.nodes([&code.init, &code.body]);
        match &code.form {
            LoopForm::For(slot, limit) => {
                self.binds.insert(*slot);
                self.node(limit);
            }
            LoopForm::ForIn(pat, array) => {
                self.pattern(pat);
                self.node(array);
            }
            LoopForm::While(cond) => self.node(cond),
        }
    }

    pub fn array_by(&mut self, code: &ArrayByCode) {
        self.node(&code.shape);
        self.clauses(&code.clauses);
        self.nodes(&code.otherwise);
        self.type_code(&code.ty);
    }

    pub fn update(&mut self, code: &UpdateCode) {
        self.node(&code.array);
        self.clauses(&code.clauses);
    }

    pub fn indices(&mut self, indices: &[IndexArg]) {
        for index in indices {
            match index {
                IndexArg::At(e) | IndexArg::Vector(e) => self.node(e),
                IndexArg::Slice { start, end, stride, span: _ } => {
                    self.nodes([start, end, stride].into_iter().flatten());
                }
            }
        }
    }

    pub fn quals(&mut self, quals: &[QualCode]) {
        for qual in quals {
            match qual {
                QualCode::For { generators, .. } => generators.iter().for_each(|g| self.generator(g)),
                QualCode::Let(pat, value) => {
                    self.pattern(pat);
                    self.node(value);
                }
                QualCode::If(cond) => self.node(cond),
            }
        }
    }

    fn generator(&mut self, generator: &GenCode) {
        match generator {
            GenCode::In(pat, array) => {
                self.pattern(pat);
                self.node(array);
            }
            GenCode::Range { lo, var, hi, step, vector: _, span: _ } => {
                self.binds.insert(*var);
                self.nodes(lo.iter().chain([hi]).chain(step));
            }
        }
    }

    pub fn clauses(&mut self, clauses: &[ClauseCode]) {
        for clause in clauses {
            match clause {
                ClauseCode::Element(element) => {
                    self.quals(&element.quals);
                    self.indices(&element.subscripts);
                    self.node(&element.value);
                }
                ClauseCode::Group { quals, clauses } => {
                    self.quals(quals);
                    self.clauses(clauses);
                }
            }
        }
    }

    pub fn pattern(&mut self, pat: &PatCode) {
        match pat {
            PatCode::Wild | PatCode::Literal(_) => {}
            PatCode::Bind(slot) => self.binds.insert(*slot),
            PatCode::Record(fields) => fields.iter().for_each(|f| self.pattern(&f.1)),
            PatCode::Constr(_, args) => args.iter().for_each(|p| self.pattern(p)),
            PatCode::Sized(inner, sizes, _) => {
                self.pattern(inner);
                self.matcher(sizes);
            }
        }
    }

    pub fn matcher(&mut self, matcher: &Matcher) {
        match matcher {
            Matcher::Nothing => {}
            Matcher::Array(dim, inner) => {
                self.dim(dim);
                self.matcher(inner);
            }
            Matcher::Record(fields) => fields.iter().for_each(|f| self.matcher(&f.1)),
            Matcher::Sum(cases) => cases.iter().flat_map(|c| &c.1).for_each(|m| self.matcher(m)),
        }
    }

    fn dim(&mut self, dim: &DimCode) {
        match dim {
            DimCode::Local(slot, _) | DimCode::Jagged(Some((slot, _))) | DimCode::Shape(Some((slot, _))) => {
                self.reads.insert(*slot);
            }
            DimCode::Expr(node, _) => self.node(node),
            DimCode::Const(_) | DimCode::Unknown | DimCode::Jagged(None) | DimCode::Shape(None) => {}
        }
    }

    pub fn type_code(&mut self, ty: &TypeCode) {
        match ty {
            TypeCode::Const(_) => {}
            TypeCode::Var(slot) => self.reads.insert(*slot),
            TypeCode::Record(parts) | TypeCode::Sum(_, parts) => parts.iter().for_each(|t| self.type_code(t)),
            TypeCode::Array(dim, elem) => {
                self.dim(dim);
                self.type_code(elem);
            }
        }
    }

    pub fn type_args(&mut self, args: &[TypeArgCode]) {
        for arg in args {
            match arg {
                TypeArgCode::Shown => {}
                TypeArgCode::Size(dim) => self.dim(dim),
                TypeArgCode::Type(ty) => self.type_code(ty),
                TypeArgCode::Shape(dims) => dims.iter().for_each(|d| self.dim(d)),
            }
        }
    }
}
