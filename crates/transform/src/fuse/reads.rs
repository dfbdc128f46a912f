//! Where elements are read, and computing them there.

use super::numbering::Numbering;
use super::producer::Producer;
use super::row_reads::{Element, Read, Rows};
use analysis::ways::{self, Way};
use base::{Map, Set};
use ir::rename::{Substitution, copy_block};
use ir::traverse::ListMut;
use ir::{Atom, Block, Bulk, Coverage, Exp, Kind, LoopForm, Output, Program, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// The loops and conditions between a producer and a place after it that reads its elements.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// The loops around it: indices and counts.
    loops: Vec<(Var, Atom)>,
    /// Whether one of them is a `loop`, whose turns come one after the other.
    pub turns: bool,
    /// Whether something other than these loops repeats it.
    repeated: bool,
    /// Whether a form around it may compute its values twice.
    pub twice: bool,
    /// Whether it depends on a condition.
    chosen: bool,
}

impl Context {
    fn repeated(&self) -> Context {
        Context { repeated: true, ..self.clone() }
    }

    /// In a loop besides.
    fn in_loop(&self, var: Var, count: Atom) -> Context {
        let mut inner = self.clone();
        inner.loops.push((var, count));
        inner
    }

    fn chosen(&self) -> Context {
        Context { chosen: true, ..self.clone() }
    }

    /// Whether no element is read twice: every loop around the read moves one of its indices. `moves` says which loops
    /// move an index.
    pub fn reads_once(&self, at: &[Atom], moves: &Map<Var, Vec<Var>>) -> bool {
        !self.repeated && !self.twice && self.goes_along(at, moves)
    }

    /// Whether every loop around a read moves one of its indices.
    pub fn goes_along(&self, at: &[Atom], moves: &Map<Var, Vec<Var>>) -> bool {
        let moved: Vec<Var> = at.iter().filter_map(|atom| moves.get(&atom.var()?)).flatten().copied().collect();
        self.loops.iter().all(|(var, _)| moved.contains(var))
    }

    /// Whether nothing but loops, as many as there are indices, repeats the read.
    pub fn follows_loops(&self, at: &[Atom]) -> bool {
        !self.repeated && !self.turns && self.loops.len() == at.len()
    }
}

/// Reads of the same element, in a list and in those inside of it.
pub(super) struct Place {
    list: usize,
    /// The indices of the first, and their common names.
    pub at: Vec<Atom>,
    names: Vec<Atom>,
    pub context: Context,
}

/// A descriptor, and the indices of a row.
type Length = (Var, Vec<Atom>);

/// All reads.
pub(super) struct Reads<'p> {
    program: &'p Program,
    producer: &'p Producer,
    pub places: Vec<Place>,
    /// How many reads there are in the whole function.
    times: usize,
    found: usize,
    rows: Rows,
    /// How long the rows of jagged arrays are: variables, with the descriptor and the indices of the row.
    lengths: Map<Var, Length>,
    /// How many lists there were, and those around the current place.
    lists: usize,
    open: Vec<usize>,
    numbering: Numbering,
    /// Indices that differ in all turns of some loops: the loop's own, sums and differences with what is constant in it,
    /// `i*m + j` in loops over `i` and `j < m`, multiples of them, and `(i + k) % n` in a loop over `i < n`.
    pub moves: Map<Var, Vec<Var>>,
    /// Those of one loop that go up or down by one.
    steady: Set<Var>,
    /// Such indices times a number: the loops, and the number.
    scaled: Map<Var, (Vec<Var>, Atom)>,
    /// What is bound in loops.
    varies: Set<Var>,
}

impl<'p> Reads<'p> {
    pub fn new(program: &'p Program, producer: &'p Producer, times: usize) -> Reads<'p> {
        Reads {
            program,
            producer,
            places: Vec::new(),
            times,
            found: 0,
            rows: Rows::default(),
            lengths: Map::default(),
            lists: 0,
            open: Vec::new(),
            numbering: Numbering::default(),
            moves: Map::default(),
            steady: Set::default(),
            scaled: Map::default(),
            varies: Set::default(),
        }
    }

    /// Whether all are known: there are none of rows, and none elsewhere.
    pub fn all_found(&self) -> bool {
        self.found == self.times
    }

    /// Whether one list has all the places.
    pub fn are_in_one_list(&self) -> bool {
        self.places.iter().all(|place| place.list == self.places[0].list)
    }

    /// How many reads there are.
    pub fn all(&self) -> usize {
        self.times
    }

    /// Whether a variable is one of the arrays or the name of a row.
    pub fn is_source(&self, var: Var) -> bool {
        self.producer.arrays.contains(&var) || self.rows.contains(var)
    }

    /// Whether all elements are read in a place.
    pub fn reads_all(&self, place: &Place) -> bool {
        let goes_through = |(index, (_, count)): (&Atom, &(Var, Atom))| {
            let turns = |turns: &Atom| turns == count || self.is_length(*turns, *count, &place.at);
            place.context.loops.iter().any(|(var, loops)| Atom::Var(*var) == *index && turns(loops))
        };
        !place.context.chosen && place.at.iter().zip(&self.producer.loops).all(goes_through)
    }

    /// Whether a number is the length of the row at these indices, which the producer calls `count`.
    fn is_length(&self, turns: Atom, count: Atom, at: &[Atom]) -> bool {
        let Some((desc, row)) = turns.var().and_then(|turns| self.lengths.get(&turns)) else { return false };
        let indices: Vec<Var> = self.producer.loops.iter().map(|(var, _)| *var).collect();
        let there = Substitution::new(&indices, at);
        let same = |stm: &Stm| match &stm.exp {
            Exp::DescLength(own, inner) => {
                own == desc && inner.iter().map(|atom| there.atom(*atom)).eq(row.iter().copied())
            }
            _ => false,
        };
        let mut bound =
            self.producer.element.stms.iter().filter(|stm| stm.vars.first().copied().map(Atom::Var) == Some(count));
        bound.any(same)
    }

    pub fn stms(&mut self, stms: &[Stm], context: &Context) {
        self.lists += 1;
        self.open.push(self.lists);
        for stm in stms {
            // There is no need to look further.
            if self.all_found() {
                break;
            }
            self.stm(stm, context);
        }
        self.open.pop();
    }

    fn block(&mut self, block: &Block, context: &Context) {
        self.stms(&block.stms, context);
    }

    pub fn steps(&mut self, steps: &[Step], context: &Context) {
        self.lists += 1;
        self.open.push(self.lists);
        for step in steps {
            if self.all_found() {
                break;
            }
            match step {
                Step::For { var, count, body, .. } => {
                    self.counts(*var);
                    self.steps(body, &context.in_loop(*var, *count));
                }
                Step::Guard(_, body) => self.steps(body, &context.chosen()),
                Step::Let(stm) => self.stm(stm, context),
                Step::Scan(scan) => {
                    self.block(&scan.op.body, &context.repeated());
                    self.block(&scan.value, context);
                    self.varies.extend(&scan.vars);
                }
                Step::Emit(emit) => self.block(&emit.value, context),
            }
        }
        self.open.pop();
    }

    fn stm(&mut self, stm: &Stm, context: &Context) {
        if let Some(read) = self.rows.read(self.producer, stm) {
            self.found += 1;
            let Read::Element(Element { at, .. }) = read else { return };
            let names = self.numbering.names(&at);
            if !self.places.iter().any(|place| self.open.contains(&place.list) && place.names == names) {
                let list = self.open.last().copied().unwrap_or_default();
                self.places.push(Place { list, at, names, context: context.clone() });
            }
            return;
        }
        self.numbering.note(stm);
        self.note(stm, context);
        if let Exp::DescLength(desc, at) = &stm.exp {
            self.lengths.insert(stm.vars[0], (*desc, at.clone()));
        }
        match &stm.exp {
            Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => {
                self.block(then, &context.chosen());
                self.block(otherwise, &context.chosen());
            }
            Exp::Ensure { otherwise, .. } => self.block(otherwise, &context.repeated()),
            Exp::Open(_, cases) => cases.iter().for_each(|case| self.block(&case.body, &context.chosen())),
            Exp::Loop { params, form, body, .. } => {
                self.varies.extend(params.iter().map(|(param, _)| *param));
                let inside = match form {
                    LoopForm::For(var, count) => {
                        self.counts(*var);
                        Context { turns: true, ..context.in_loop(*var, *count) }
                    }
                    LoopForm::While(cond) => {
                        self.block(cond, &context.repeated());
                        context.repeated()
                    }
                };
                self.block(body, &inside);
            }
            Exp::Sort(_, region) => self.block(&region.body, &context.repeated()),
            Exp::Bulk(bulk) => self.bulk(bulk, context),
            _ => {}
        }
    }

    /// Notes the index of a loop.
    fn counts(&mut self, var: Var) {
        self.moves.insert(var, vec![var]);
        self.steady.insert(var);
        self.varies.insert(var);
    }

    /// Notes what a statement in a loop binds, and whether that moves with the loop.
    fn note(&mut self, stm: &Stm, context: &Context) {
        if context.loops.is_empty() && !context.repeated {
            return;
        }
        let constant = |atom: &Atom| atom.var().is_none_or(|var| !self.varies.contains(&var));
        let steady = |atom: &Atom| atom.var().is_some_and(|var| self.steady.contains(&var));
        let moving = |atom: &Atom| atom.var().and_then(|var| self.moves.get(&var).cloned());
        let [var] = stm.vars[..] else { return self.varies.extend(&stm.vars) };
        match &stm.exp {
            Exp::Bin(_, _, a, b) if constant(a) && constant(b) => return,
            Exp::Atom(a) => self.moved(var, moving(a), steady(a)),
            Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, a, b) if constant(b) => self.moved(var, moving(a), steady(a)),
            Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, a, b) if constant(a) => self.moved(var, moving(b), steady(b)),
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => {
                let by = self.nested(a, b, context).or_else(|| self.nested(b, a, context));
                self.moved(var, by, false);
            }
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) if constant(b) => self.multiple(var, moving(a), *b),
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) if constant(a) => self.multiple(var, moving(b), *a),
            Exp::Bin(BinOp::Mod, Prim::I64, a, n) if steady(a) => {
                let turns = |by: &Vec<Var>| context.loops.iter().any(|(var, count)| by == &[*var] && count == n);
                self.moved(var, moving(a).filter(turns), false);
            }
            _ => {}
        }
        self.varies.insert(var);
    }

    fn moved(&mut self, var: Var, by: Option<Vec<Var>>, steady: bool) {
        self.moves.extend(by.map(|by| (var, by)));
        if steady {
            self.steady.insert(var);
        }
    }

    fn multiple(&mut self, var: Var, by: Option<Vec<Var>>, factor: Atom) {
        let nonzero = factor.as_size().is_some_and(|factor| factor != 0);
        self.moves.extend(by.clone().filter(|_| nonzero).map(|by| (var, by)));
        self.scaled.extend(by.map(|by| (var, (by, factor))));
    }

    /// The loops that move `i*m + j`, where `j` is the index of a loop with `m` turns.
    fn nested(&self, rows: &Atom, index: &Atom, context: &Context) -> Option<Vec<Var>> {
        let (by, length) = self.scaled.get(&rows.var()?)?;
        let inner = index.var()?;
        let fits = context.loops.iter().any(|(var, count)| *var == inner && count == length) && !by.contains(&inner);
        fits.then(|| by.iter().copied().chain([inner]).collect())
    }

    fn bulk(&mut self, bulk: &Bulk, context: &Context) {
        for output in &bulk.outputs {
            match &output.kind {
                Kind::Gen { otherwise: Some(block), .. } => self.block(block, &context.repeated()),
                Kind::Accum { op, .. } | Kind::Reduce { op, .. } => {
                    self.block(&op.body, &context.repeated());
                }
                Kind::Gen { otherwise: None, .. } | Kind::Update { .. } | Kind::Keep => {}
            }
        }
        let way = ways::way(self.program, bulk, true);
        let once = bulk.outputs.iter().all(|output| computes_once(output, &bulk.steps, way));
        let twice =
            is_simple(&bulk.steps) && (way == Way::Scatter || bulk.outputs.iter().all(|output| !changes(output)));
        let context = match (once, twice) {
            (true, _) => context.clone(),
            (false, true) => Context { twice, ..context.clone() },
            (false, false) => context.repeated(),
        };
        self.steps(&bulk.steps, &context);
    }
}

/// Whether values for an output of a form that runs this way are computed once, and in parallel if they can be: what depends on
/// the order of values is so only in a loop of the simplest form. Where threads share what changes by its places, each
/// of them may compute all values.
fn computes_once(output: &Output, steps: &[Step], way: Way) -> bool {
    let plain = output.sizes.is_empty() && output.rec().is_empty();
    let simple = is_simple(steps);
    let in_turn = simple && !steps.iter().any(has_guard);
    match &output.kind {
        // Rows of different lengths are computed once, too: only their lengths may be computed before.
        Kind::Gen { coverage, rec, .. } => {
            rec.is_empty() && *coverage == Coverage::Exact && (in_turn || !steps.iter().any(has_scan))
        }
        Kind::Keep => plain && simple,
        Kind::Reduce { .. } => plain && (in_turn || !steps.iter().any(has_scan)),
        Kind::Update { .. } | Kind::Accum { .. } => plain && simple && matches!(way, Way::Parts | Way::Places),
    }
}

/// Whether an output changes an array.
fn changes(output: &Output) -> bool {
    matches!(output.kind, Kind::Update { .. } | Kind::Accum { .. })
        || !output.rec().is_empty()
        || !output.sizes.is_empty()
}

/// Whether steps are one loop without loops inside, behind bindings.
fn is_simple(steps: &[Step]) -> bool {
    let no_loop = |steps: &[Step]| !steps.iter().any(has_loop);
    match steps {
        [before @ .., Step::For { body, .. }] => no_loop(before) && no_loop(body),
        _ => false,
    }
}

fn has_loop(step: &Step) -> bool {
    match step {
        Step::For { .. } => true,
        Step::Guard(_, body) => body.iter().any(has_loop),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    }
}

fn has_scan(step: &Step) -> bool {
    match step {
        Step::Scan(_) => true,
        Step::For { body, .. } | Step::Guard(_, body) => body.iter().any(has_scan),
        Step::Let(_) | Step::Emit(_) => false,
    }
}

fn has_guard(step: &Step) -> bool {
    match step {
        Step::Guard(..) => true,
        Step::For { body, .. } => body.iter().any(has_guard),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    }
}

/// Computes elements where they are read.
pub(super) struct Rewrite<'a> {
    pub program: &'a mut Program,
    pub producer: &'a Producer,
    /// How many reads are left.
    left: usize,
    rows: Rows,
    numbering: Numbering,
    /// Elements that were computed before in the lists around: the names of their indices, and what they are.
    known: Vec<(Vec<Atom>, Vec<Atom>)>,
}

impl<'a> Rewrite<'a> {
    /// For so many reads.
    pub fn new(program: &'a mut Program, producer: &'a Producer, left: usize) -> Rewrite<'a> {
        Rewrite { program, producer, left, rows: Rows::default(), numbering: Numbering::default(), known: Vec::new() }
    }

    pub fn stms(&mut self, stms: &mut Vec<Stm>) {
        let around = self.known.len();
        let mut out = Vec::with_capacity(stms.len());
        for stm in std::mem::take(stms) {
            self.stm(stm, &mut out);
        }
        *stms = out;
        self.known.truncate(around);
    }

    pub fn steps(&mut self, steps: &mut Vec<Step>) {
        let around = self.known.len();
        let mut out = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Scan(scan) => {
                    self.stms(&mut scan.op.body.stms);
                    self.stms(&mut scan.value.stms);
                }
                Step::Emit(emit) => self.stms(&mut emit.value.stms),
                Step::Let(_) => {}
            }
            if let Step::Let(stm) = step {
                let mut stms = Vec::new();
                self.stm(stm, &mut stms);
                out.extend(stms.into_iter().map(Step::Let));
            } else {
                out.push(step);
            }
        }
        *steps = out;
        self.known.truncate(around);
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Some(read) = self.rows.read(self.producer, &stm) else {
            self.numbering.note(&stm);
            if self.left > 0 {
                self.inside(&mut stm);
            }
            out.push(stm);
            return;
        };
        self.left -= 1;
        let Read::Element(Element { which, at, certs }) = read else { return };
        let names = self.numbering.names(&at);
        let element = match self.known.iter().find(|(place, _)| *place == names) {
            Some((_, element)) => element[which],
            None => {
                let Block { stms, result } = self.element_at(&at, &certs);
                out.extend(stms);
                self.known.push((names, result.clone()));
                result[which]
            }
        };
        stm.exp = Exp::Atom(element);
        stm.rely_on(&certs);
        stm.rely_on(&self.producer.certs);
        out.push(stm);
    }

    /// The element at these indices, which these checks show to be inside of the array.
    fn element_at(&mut self, at: &[Atom], certs: &[Var]) -> Block {
        let indices: Vec<Var> = self.producer.loops.iter().map(|(var, _)| *var).collect();
        let substitution = Substitution::new(&indices, at);
        let mut element = copy_block(&mut self.program.vars, &self.producer.element, substitution);
        for stm in &mut element.stms {
            stm.rely_on(&self.producer.certs);
            stm.rely_on(certs);
        }
        element
    }

    fn inside(&mut self, stm: &mut Stm) {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.stms(&mut block.stms),
            ListMut::Steps(steps) => self.steps(steps),
        });
    }
}
