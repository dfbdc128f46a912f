//! What is known where a statement stands.
//!
//! ```text
//! let t = 0 <= i
//! let u = i < n
//! let v = t && u
//! let c = assert v
//! let <c> x = xs[i]      // here: i >= 0 and n - 1 - i >= 0
//! ```
//!
//! A statement may use the facts of the certificates that it names, those of the loops, guards and branches around it
//! and of the certificates that the statements around it name, and that dimensions of arrays in scope are not negative.
//! A certificate that it does not name is no fact: a pass could move the statement before the check.
//!
//! The verifier and passes share it: [`Facts::new`] is the verifier's, [`Facts::exact`] that of a pass which removes checks,
//! and [`walk`] goes through a function for the latter.
//!
//! - [`terms`]: integers as polynomials;
//! - [`conditions`]: what a condition says about them;
//! - [`conversions`]: numbers that had other types;
//! - [`counters`]: what holds in the turns of a loop;
//! - [`rows`]: where the rows of jagged arrays lie;
//! - [`prove`]: whether a polynomial is never negative, or always zero;
//! - [`cases`]: alternatives that a proof tells apart;
//! - [`contradictions`]: facts that contradict each other;
//! - [`equations`]: equal integers under one name;
//! - [`collisions`]: values that go to the same place for certain;
//! - [`magnitude`]: whether polynomials are the same in `i64` as in mathematics;
//! - [`induction`]: what holds of loop variables in every turn;
//! - [`invariants`]: limits that they keep;
//! - [`places`]: where the values of arrays by clauses go;
//! - [`remainders`]: how far a number is from those below a divisor;
//! - [`selections`]: operators that return one of their operands;
//! - [`rest`]: the clause for what no other clause defines;
//! - [`precedence`]: which value of a recursive array comes before which;
//! - [`elements`]: what holds of all elements of an array;
//! - [`turns`]: loops that do the same in every turn;
//! - [`vectors`]: what a loop has checked of all elements of index and shape vectors;
//! - [`evidence`]: checks that say more than the verifier understands.
//!
//! Limits: the verifier takes inequalities as those of mathematical integers, since sizes and indices of arrays in memory
//! are far from overflow. The search is bounded, so that verification takes time linear in the program.

mod bits;
mod cases;
mod collisions;
pub(crate) mod conditions;
mod contradictions;
mod conversions;
mod counters;
mod division;
pub(crate) mod elements;
mod equations;
mod evidence;
mod induction;
mod invariants;
mod magnitude;
mod parts;
pub mod places;
pub mod precedence;
pub(crate) mod prove;
mod ranges;
pub mod remainders;
mod rest;
mod rows;
pub(crate) mod selections;
pub mod terms;
mod turns;
pub(crate) mod vectors;
pub mod walk;

use crate::{Atom, Dim, Exp, Program, Type, Var};
use base::{Map, Set};
use scalar::MathOp;
use std::rc::Rc;
use terms::{Poly, Sym, Term, Terms, replaced};

/// Something that holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// The polynomial is not negative.
    AtLeastZero(Poly),
    /// The value of the first polynomial is at most that of the second one, as `i64`, or below it. In exact proofs it takes
    /// the place of an inequality of mathematical integers.
    Order(Poly, Poly, bool),
    /// The polynomial is zero.
    Zero(Poly),
    /// The polynomial is not zero.
    NotZero(Poly),
    /// Two descriptors have the same rows.
    SameRows(Var, Var),
    /// No element of this vector is negative.
    Shape(Var),
    /// One or the other list of facts.
    Either(Rc<[Vec<Fact>; 2]>),
    /// Something holds at every index.
    ForAll(Rc<ForAll>),
    /// An array with these dimensions is in memory, so their product is small.
    InMemory(Rc<[Sym]>),
    /// This condition or certificate, which says nothing about integers.
    Unknown(Var),
}

/// What a loop has checked for each of its turns.
#[derive(PartialEq, Debug)]
pub struct ForAll {
    /// The symbol of the index.
    index: Poly,
    /// How many turns there are.
    count: Poly,
    /// What holds for each index below.
    facts: Vec<Fact>,
}

/// Answers to questions that come again and again.
#[derive(Default)]
struct Answers {
    /// How large symbols get.
    magnitudes: Map<(Sym, bool), Option<u32>>,
    /// Whether symbols are not negative.
    naturals: Map<Sym, bool>,
    /// Whether products are below the number of elements of an array in memory.
    products: Map<Vec<Sym>, bool>,
    /// What holds of symbols by their definitions.
    bounds: Map<Sym, Rc<[Poly]>>,
    /// Whether facts contradict each other.
    impossible: Option<bool>,
    /// What equations say that symbols are.
    solved: Option<Rc<[(Sym, Poly)]>>,
}

/// The facts of a function.
pub struct Facts<'p> {
    program: &'p Program,
    /// Whether only what is the same in `i64` as in mathematics is used.
    is_exact: bool,
    /// Variables as polynomials.
    pub terms: Terms<'p>,
    /// What holds, the innermost last.
    stack: Vec<Fact>,
    /// Which facts of the stack mention a symbol.
    mentions: Map<Sym, Vec<usize>>,
    /// What certificates say.
    certs: Map<Var, Rc<[Fact]>>,
    /// The certificates that say something about a symbol.
    certs_about: Map<Sym, Vec<Var>>,
    /// The inequalities of the stack, so that each is there once.
    known: Set<Poly>,
    /// Variables that are sizes of some array.
    sizes: Set<Var>,
    /// Vectors without negative elements.
    shapes: Set<Var>,
    /// The dimensions of arrays in memory that have several.
    in_memory: Vec<Rc<[Sym]>>,
    /// What was compared, by the symbols of both sides.
    orders: Map<Sym, Vec<usize>>,
    /// The same, so that each is there once.
    ordered: Set<(Poly, Poly, bool)>,
    /// What holds of all elements of arrays.
    elements: Map<Var, Rc<[Bound]>>,
    /// What loops of forms bind whose places were asked for.
    in_loops: Set<Var>,
    /// What holds after the current statement.
    results: Vec<Fact>,
    /// What was found out for what is known now.
    answers: Answers,
    /// The same for what was known when there were so many facts.
    earlier: Vec<(usize, Answers)>,
    /// The symbols whose definitions are being looked at, so that none is looked at for its own sake.
    open: Vec<(Sym, Question)>,
    /// How many more parts of a condition are looked at.
    fuel: usize,
    /// Whether a proof has told the signs of a factor apart, which it does once.
    signed: bool,
    /// Numbers that a proof has replaced by quotients and remainders: facts about them lead back.
    replaced: Vec<Sym>,
    /// How many more steps the current question may take, if there is one.
    steps: Option<usize>,
}

/// A limit of all elements of an array.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bound {
    limit: Poly,
    /// Elements are at most the limit; otherwise at least.
    is_upper: bool,
}

/// What is asked about the definition of a symbol.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    /// Whether it is not negative.
    Natural,
    /// What else holds of it.
    Bounds,
    /// How far it gets below or above zero.
    Magnitude(bool),
    /// Whether a product that begins with it is below the number of elements of an array.
    Product,
    /// Whether a product that begins with it is at most something that is divided.
    Dividend,
    /// What the quotient is below.
    Quotient,
}

/// How much is known at some place.
#[derive(Clone, Copy)]
pub struct Mark(usize);

impl<'p> Facts<'p> {
    /// Nothing is known yet; for the verifier.
    pub(crate) fn new(program: &'p Program) -> Facts<'p> {
        Facts {
            program,
            is_exact: false,
            terms: Terms::default(),
            stack: Vec::new(),
            mentions: Map::default(),
            certs: Map::default(),
            certs_about: Map::default(),
            known: Set::default(),
            sizes: Set::default(),
            shapes: Set::default(),
            in_memory: Vec::new(),
            orders: Map::default(),
            ordered: Set::default(),
            elements: Map::default(),
            in_loops: Set::default(),
            results: Vec::new(),
            answers: Answers::default(),
            earlier: Vec::new(),
            open: Vec::new(),
            fuel: 0,
            signed: false,
            replaced: Vec::new(),
            steps: None,
        }
    }

    /// Nothing is known yet; what will be proved holds although `i64` arithmetic wraps around.
    pub fn exact(program: &'p Program) -> Facts<'p> {
        Facts { is_exact: true, ..Facts::new(program) }
    }

    /// How much is known now.
    pub fn mark(&self) -> Mark {
        Mark(self.stack.len())
    }

    /// What was found out when nothing was known that was learned since.
    fn answers_at(&mut self, mark: Mark) -> Answers {
        let mut found = Answers::default();
        while let Some((_, answers)) = self.earlier.pop_if(|(facts, _)| *facts >= mark.0) {
            found = answers;
        }
        found
    }

    /// Forgets what was learned since.
    pub fn forget(&mut self, mark: Mark) {
        if self.stack.len() > mark.0 {
            self.answers = self.answers_at(mark);
        }
        for fact in self.stack.drain(mark.0..).rev() {
            let is_inequality = matches!(fact, Fact::AtLeastZero(_));
            match fact {
                Fact::AtLeastZero(poly) | Fact::Zero(poly) => {
                    for sym in symbols(&poly) {
                        self.mentions.get_mut(&sym).and_then(Vec::pop);
                    }
                    if is_inequality {
                        self.known.remove(&poly);
                    }
                }
                Fact::Order(low, high, strict) => {
                    for sym in symbols(&low).into_iter().chain(symbols(&high)) {
                        self.orders.get_mut(&sym).and_then(Vec::pop);
                    }
                    self.ordered.remove(&(low, high, strict));
                }
                Fact::Shape(vector) => {
                    self.shapes.remove(&vector);
                }
                Fact::InMemory(_) => {
                    self.in_memory.pop();
                }
                Fact::NotZero(_) | Fact::SameRows(..) => {}
                Fact::Either(_) | Fact::ForAll(_) | Fact::Unknown(_) => {}
            }
        }
    }

    /// From here on a fact holds.
    pub fn learn(&mut self, fact: Fact) {
        match &fact {
            Fact::AtLeastZero(poly) if !self.known.insert(poly.clone()) => return,
            Fact::AtLeastZero(poly) | Fact::Zero(poly) => {
                for sym in symbols(poly) {
                    self.mentions.entry(sym).or_default().push(self.stack.len());
                }
            }
            Fact::Order(low, high, strict) => {
                if !self.ordered.insert((low.clone(), high.clone(), *strict)) {
                    return;
                }
                for sym in symbols(low).into_iter().chain(symbols(high)) {
                    self.orders.entry(sym).or_default().push(self.stack.len());
                }
            }
            Fact::Shape(vector) if !self.shapes.insert(*vector) => return,
            Fact::InMemory(dims) if self.in_memory.contains(dims) => return,
            Fact::InMemory(dims) => self.in_memory.push(dims.clone()),
            Fact::Shape(_) | Fact::NotZero(_) | Fact::SameRows(..) => {}
            Fact::Either(_) | Fact::ForAll(_) | Fact::Unknown(_) => {}
        }
        self.earlier.push((self.stack.len(), std::mem::take(&mut self.answers)));
        self.stack.push(fact.clone());
        let inequality = match &fact {
            Fact::NotZero(poly) => self.beyond_zero(poly),
            fact => self.inequality_of(fact),
        };
        if let Some(inequality) = inequality {
            self.learn(Fact::AtLeastZero(inequality));
        }
        self.of_both(&fact).into_iter().for_each(|fact| self.learn(fact));
    }

    /// What is at most the smaller one of two is at most each of them, and what is at least the larger one is so, too.
    fn of_both(&self, fact: &Fact) -> Vec<Fact> {
        let both = |sym: Sym, wanted: MathOp| match &self.terms.terms[sym] {
            Term::Extreme(op, a, b) if *op == wanted => Some([a.clone(), b.clone()]),
            _ => None,
        };
        match fact {
            Fact::Order(low, high, strict) => {
                let alone = |poly: &Poly| {
                    poly.as_symbol().and_then(|product| product.first().filter(|_| product.len() == 1).copied())
                };
                let above = alone(high).and_then(|sym| both(sym, MathOp::Min)).into_iter().flatten();
                let below = alone(low).and_then(|sym| both(sym, MathOp::Max)).into_iter().flatten();
                let above = above.filter_map(|high| self.order(low, &high, *strict));
                above.chain(below.filter_map(|low| self.order(&low, high, *strict))).collect()
            }
            Fact::AtLeastZero(room) if !self.is_exact => {
                let values = room.terms().iter().filter_map(|(product, k)| match product[..] {
                    [sym] => Some((sym, both(sym, if *k > 0 { MathOp::Min } else { MathOp::Max })?)),
                    _ => None,
                });
                let rooms = values.flat_map(|(sym, both)| both.map(|value| replaced(room, sym, &value)));
                rooms.flatten().map(Fact::AtLeastZero).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A fact about two integers: the first is at most the second, or below it.
    pub(crate) fn order(&self, low: &Poly, high: &Poly, strict: bool) -> Option<Fact> {
        if self.is_exact {
            return Some(Fact::Order(low.clone(), high.clone(), strict));
        }
        room(low, high, strict).map(Fact::AtLeastZero)
    }

    /// From here on a condition holds, or does not.
    pub fn suppose(&mut self, cond: Atom, holds: bool) {
        self.meaning(cond, holds).into_iter().for_each(|fact| self.learn(fact));
    }

    /// What these certificates say holds from here on.
    pub fn rely_on(&mut self, certs: &[Var]) {
        for cert in certs {
            match self.certs.get(cert).cloned() {
                Some(facts) => facts.iter().cloned().for_each(|fact| self.learn(fact)),
                None => self.learn(Fact::Unknown(*cert)),
            }
        }
    }

    /// A variable that is result number `number` of an expression.
    pub(crate) fn define(&mut self, var: Var, ty: &Type, exp: &'p Exp, number: usize) {
        if let Exp::Assert { cond, .. } | Exp::Ensure { cond, .. } = exp {
            let facts = self.meaning(*cond, true);
            for sym in facts.iter().flat_map(subjects).collect::<Set<Sym>>() {
                self.certs_about.entry(sym).or_default().push(var);
            }
            self.certs.insert(var, facts.into());
        }
        self.terms.define(var, ty, exp, number);
        self.settle(var, ty, exp);
        self.learn_rows(var, exp);
    }

    /// The certificates that say something about what a fact is about, or about what that is divided from: `i % n` is not
    /// negative because of a check of `n`.
    pub fn certs_like(&self, fact: &Fact) -> Set<Var> {
        let mut about = subjects(fact);
        self.add_operands(&mut about, 0);
        about.iter().flat_map(|sym| self.certs_about.get(sym).into_iter().flatten()).copied().collect()
    }

    /// The certificates that say something about an integer.
    pub(crate) fn certs_about(&self, poly: &Poly) -> Vec<Var> {
        symbols(poly).iter().flat_map(|sym| self.certs_about.get(sym).into_iter().flatten()).copied().collect()
    }

    /// The certificates that say something about these integers, or about others that those speak of.
    pub(crate) fn certs_near(&self, about: &[Poly]) -> Vec<Var> {
        let mut found: Vec<Var> = about.iter().flat_map(|poly| self.certs_about(poly)).collect();
        let facts = found.iter().filter_map(|cert| self.certs.get(cert)).flat_map(|facts| facts.iter());
        let more: Set<Var> = facts.flat_map(|fact| self.certs_like(fact)).collect();
        found.extend(more);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A number of elements is below the largest number.
    pub(crate) fn learn_countable(&mut self, count: &Poly) {
        if let Some(room) = count.neg().and_then(|count| count.add_constant(i64::MAX - 1)) {
            self.learn(Fact::AtLeastZero(room));
        }
    }

    /// A variable comes into scope: its type says something about its sizes.
    pub(crate) fn bind(&mut self, var: Var) {
        let Some(info) = self.program.vars.get(var).filter(|info| info.pending.is_none()) else { return };
        self.learn_sizes(info.ty.dims());
        self.terms.note_length(var, &info.ty);
        if info.ty.is_array() {
            self.in_memory(info.ty.dims());
        }
        if info.size {
            self.learn_declared(var, &info.ty);
        }
    }

    /// A variable that is declared as a size or shape vector.
    fn learn_declared(&mut self, var: Var, ty: &Type) {
        match ty {
            Type::Scalar(_) => {
                let size = self.terms.poly(var.into());
                self.learn(Fact::AtLeastZero(size));
            }
            Type::Array(..) => self.learn(Fact::Shape(self.terms.root(var))),
            Type::Desc(_) | Type::Cert | Type::Box(_) => {}
        }
    }

    /// The dimensions of an array in scope are not negative.
    pub(crate) fn learn_sizes(&mut self, dims: &[Dim]) {
        for dim in dims {
            match dim {
                Dim::Size(Atom::Var(n)) => {
                    self.sizes.insert(*n);
                    let size = self.terms.poly((*n).into());
                    self.learn(Fact::AtLeastZero(size));
                }
                Dim::Shape(v) => {
                    let root = self.terms.root(*v);
                    self.learn(Fact::Shape(root));
                }
                // What has a negative size is never reached: a check fails before.
                Dim::Size(n @ Atom::Const(_)) if n.as_size().is_some_and(|n| n < 0) => {
                    let size = self.terms.poly(*n);
                    self.learn(Fact::AtLeastZero(size));
                }
                Dim::Size(Atom::Const(_)) | Dim::Jagged(_) => {}
            }
        }
    }
}

/// What is left between two integers, the first of which is at most the second, or below it.
pub(crate) fn room(low: &Poly, high: &Poly, strict: bool) -> Option<Poly> {
    high.sub(low)?.add_constant(-i64::from(strict))
}

/// The symbols that a fact says something about.
fn subjects(fact: &Fact) -> Vec<Sym> {
    match fact {
        Fact::AtLeastZero(poly) | Fact::Zero(poly) | Fact::NotZero(poly) => symbols(poly),
        Fact::Either(sides) => sides.iter().flatten().flat_map(subjects).collect(),
        Fact::Order(low, high, _) => symbols(low).into_iter().chain(symbols(high)).collect(),
        Fact::SameRows(..) | Fact::Shape(_) | Fact::ForAll(_) | Fact::InMemory(_) | Fact::Unknown(_) => Vec::new(),
    }
}

/// The symbols of a polynomial, each once.
pub fn symbols(poly: &Poly) -> Vec<Sym> {
    let mut all: Vec<Sym> = poly.symbols().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
