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
//! - [`terms`]: integers as polynomials;
//! - [`conditions`]: what a condition says about them;
//! - [`rows`]: where the rows of jagged arrays lie;
//! - [`prove`]: whether a polynomial is never negative, or always zero;
//! - [`evidence`]: checks that say more than the verifier understands.
//!
//! Limits: inequalities are those of mathematical integers; sizes and indices of arrays in memory are far from
//! overflow. The search is bounded, so that verification takes time linear in the program.

pub(crate) mod conditions;
mod evidence;
pub(crate) mod prove;
mod rows;
pub(crate) mod terms;

use crate::{Atom, Dim, Exp, Program, Type, Var};
use base::{Map, Set};
use std::rc::Rc;
use terms::{Poly, Sym, Terms};

/// Something that holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Fact {
    /// The polynomial is not negative.
    AtLeastZero(Poly),
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
    /// This condition or certificate, which says nothing about integers.
    Unknown(Var),
}

/// The facts of a function.
pub(crate) struct Facts<'p> {
    program: &'p Program,
    pub(crate) terms: Terms<'p>,
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
    /// Whether symbols are not negative, as far as that was found out for what is known now.
    naturals: Map<Sym, bool>,
    /// The symbols whose definitions are being looked at, so that none is looked at for its own sake.
    open: Vec<(Sym, Question)>,
    /// How many more parts of a condition are looked at.
    fuel: usize,
}

/// What is asked about the definition of a symbol.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    /// Whether it is not negative.
    Natural,
    /// What else holds of it.
    Bounds,
}

/// How much is known at some place.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize);

impl<'p> Facts<'p> {
    pub(crate) fn new(program: &'p Program) -> Facts<'p> {
        Facts {
            program,
            terms: Terms::default(),
            stack: Vec::new(),
            mentions: Map::default(),
            certs: Map::default(),
            certs_about: Map::default(),
            known: Set::default(),
            sizes: Set::default(),
            shapes: Set::default(),
            naturals: Map::default(),
            open: Vec::new(),
            fuel: 0,
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.stack.len())
    }

    /// Forgets what was learned since.
    pub(crate) fn forget(&mut self, mark: Mark) {
        if self.stack.len() > mark.0 {
            self.naturals.clear();
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
                Fact::Shape(vector) => {
                    self.shapes.remove(&vector);
                }
                Fact::NotZero(_) | Fact::SameRows(..) | Fact::Either(_) | Fact::Unknown(_) => {}
            }
        }
    }

    /// From here on a fact holds.
    pub(crate) fn learn(&mut self, fact: Fact) {
        match &fact {
            Fact::AtLeastZero(poly) if !self.known.insert(poly.clone()) => return,
            Fact::AtLeastZero(poly) | Fact::Zero(poly) => {
                for sym in symbols(poly) {
                    self.mentions.entry(sym).or_default().push(self.stack.len());
                }
            }
            Fact::Shape(vector) if !self.shapes.insert(*vector) => return,
            Fact::Shape(_) | Fact::NotZero(_) | Fact::SameRows(..) | Fact::Either(_) | Fact::Unknown(_) => {}
        }
        self.naturals.clear();
        self.stack.push(fact);
    }

    /// From here on a condition holds, or does not.
    pub(crate) fn suppose(&mut self, cond: Atom, holds: bool) {
        self.meaning(cond, holds).into_iter().for_each(|fact| self.learn(fact));
    }

    /// What these certificates say holds from here on.
    pub(crate) fn rely_on(&mut self, certs: &[Var]) {
        for cert in certs {
            match self.certs.get(cert).cloned() {
                Some(facts) => facts.iter().cloned().for_each(|fact| self.learn(fact)),
                None => self.learn(Fact::Unknown(*cert)),
            }
        }
    }

    /// A counter of a loop.
    pub(crate) fn counts(&mut self, var: Var, count: Atom) {
        let (i, n) = (self.terms.poly(var.into()), self.terms.poly(count));
        let bounds = [self.terms.as_factor(&n), Some(n)];
        self.learn(Fact::AtLeastZero(i.clone()));
        for bound in bounds.into_iter().flatten() {
            if let Some(below) = bound.sub(&i).and_then(|room| room.add_constant(-1)) {
                self.learn(Fact::AtLeastZero(below));
            }
        }
    }

    /// A variable of a loop that starts at `init`, and from turn to turn only grows or only shrinks.
    pub(crate) fn moves(&mut self, param: Var, init: Atom, grows: bool) {
        let (param, init) = (self.terms.poly(param.into()), self.terms.poly(init));
        let way = if grows { param.sub(&init) } else { init.sub(&param) };
        if let Some(way) = way {
            self.learn(Fact::AtLeastZero(way));
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
        self.learn_rows(var, exp);
    }

    /// The certificates that say something about an integer.
    pub(crate) fn certs_about(&self, poly: &Poly) -> Vec<Var> {
        symbols(poly).iter().flat_map(|sym| self.certs_about.get(sym).into_iter().flatten()).copied().collect()
    }

    /// A size below the largest number.
    pub(crate) fn learn_uncountable(&mut self, n: Atom) {
        if let Some(room) = self.terms.poly(n).neg().and_then(|n| n.add_constant(i64::MAX - 1)) {
            self.learn(Fact::AtLeastZero(room));
        }
    }

    /// A variable that is declared as a size or shape vector.
    pub(crate) fn learn_declared(&mut self, var: Var, ty: &Type) {
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

/// The symbols that a fact says something about.
fn subjects(fact: &Fact) -> Vec<Sym> {
    match fact {
        Fact::AtLeastZero(poly) | Fact::Zero(poly) | Fact::NotZero(poly) => symbols(poly),
        Fact::Either(sides) => sides.iter().flatten().flat_map(subjects).collect(),
        Fact::SameRows(..) | Fact::Shape(_) | Fact::Unknown(_) => Vec::new(),
    }
}

/// The symbols of a polynomial, each once.
pub(crate) fn symbols(poly: &Poly) -> Vec<Sym> {
    let mut all: Vec<Sym> = poly.symbols().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
