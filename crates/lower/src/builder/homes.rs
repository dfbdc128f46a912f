//! Where Core variables live: for each its representation in Kernel, and for each buffer which variables refer to it.

use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep, Row};
use base::{Map, Set, bug};
use ir::{Atom, Program, Var};
use kernel::{Expr, Var as K};

/// The homes of the variables bound so far.
pub(crate) struct Homes<'p> {
    src: &'p Program,
    reps: Map<Var, Rep>,
    /// The variables that refer to a buffer, by their elements or by their descriptors.
    users: Map<K, Vec<Var>>,
    /// Elements of vectors that are known one by one; they may lie in memory as well.
    pub known: Map<Var, Vec<Expr>>,
    /// Conditions whose truth is known in the turns of the loop around, whatever computes them.
    pub decided: Map<Var, bool>,
    /// The least or greatest of two numbers, of which it is known in the turns of the loop around which one it is.
    pub limited: Map<Var, Atom>,
    /// Where a variable's array should be made, once it is.
    pub hints: Map<Var, Array>,
    /// The rows whose lengths were looked up, by the lengths.
    pub row_starts: Map<Var, Row>,
    /// The rows that the loops around run through.
    pub rows: Vec<Row>,
    /// Buffers that are boxes: what they refer to may be any memory.
    pub boxes: Set<K>,
    /// Arrays of which only some rows are there.
    pub rings: Map<Var, Ring>,
}

/// Rows of an array, each at a place of its own.
pub(crate) struct Ring {
    /// The memory.
    pub buffer: K,
    /// Where a row begins, by the variable that names it.
    pub rows: Map<Var, Expr>,
}

impl<'p> Homes<'p> {
    /// No variable is bound.
    pub fn new(src: &'p Program) -> Self {
        Homes {
            src,
            reps: Map::default(),
            users: Map::default(),
            known: Map::default(),
            decided: Map::default(),
            limited: Map::default(),
            hints: Map::default(),
            row_starts: Map::default(),
            rows: Vec::new(),
            boxes: Set::default(),
            rings: Map::default(),
        }
    }

    /// Where the row begins that the first of some indices names, if an array is there row by row.
    pub fn row_in_ring(&self, array: Var, at: &[Atom]) -> Option<(K, Expr)> {
        let ring = self.rings.get(&array)?;
        let row = at.first().and_then(|atom| atom.var()).and_then(|row| ring.rows.get(&row));
        Some((ring.buffer, *row.unwrap_or_else(|| bug!("a row that is not there"))))
    }

    /// Says where a variable lives.
    pub fn bind(&mut self, var: Var, rep: Rep) {
        if let Some(buffer) = rep.buffer() {
            self.users.entry(buffer).or_default().push(var);
        }
        // Code that reads the array also reads its descriptors, and the descriptors around those.
        for buffer in self.buffers_in_type(var) {
            self.users.entry(buffer).or_default().push(var);
        }
        self.reps.insert(var, rep);
    }

    /// Says where a variable lives without making it a user of its buffer.
    pub fn bind_unused(&mut self, var: Var, rep: Rep) {
        self.reps.insert(var, rep);
    }

    /// The buffers of all descriptors that a variable's type mentions, those in types of descriptors included.
    fn buffers_in_type(&self, var: Var) -> Vec<K> {
        let mut found = Vec::new();
        let mut work = vec![var];
        while let Some(v) = work.pop() {
            self.src.ty(v).for_each_var(&mut |inner| {
                found.extend(self.buffer_of(inner));
                if !self.src.ty(inner).dims().is_empty() {
                    work.push(inner);
                }
            });
        }
        found
    }

    /// Whether any variable that refers to a buffer is one of these.
    pub fn is_used(&self, buffer: K, by: impl Fn(&Var) -> bool) -> bool {
        self.users.get(&buffer).is_some_and(|users| users.iter().any(by))
    }

    /// The buffer of a variable, if it is bound and has one.
    pub fn buffer_of(&self, var: Var) -> Option<K> {
        self.reps.get(&var).and_then(Rep::buffer)
    }

    /// The representation of a variable.
    pub fn rep(&self, var: Var) -> Rep {
        let Some(rep) = self.reps.get(&var) else { bug!("{var:?} is used before it is bound") };
        rep.clone()
    }

    /// The representation of an atom.
    pub fn atom(&self, atom: Atom) -> Rep {
        match atom {
            Atom::Var(var) if self.decided.contains_key(&var) => Rep::Scalar(expr::truth(self.decided[&var])),
            Atom::Var(var) if self.limited.contains_key(&var) => self.atom(self.limited[&var]),
            Atom::Var(var) => self.rep(var),
            Atom::Const(x) => Rep::Scalar(Expr::Const(x)),
        }
    }

    /// The representations of several atoms.
    pub fn atoms(&self, atoms: &[Atom]) -> Vec<Rep> {
        atoms.iter().map(|a| self.atom(*a)).collect()
    }

    /// A scalar.
    pub fn scalar(&self, atom: Atom) -> Expr {
        match self.atom(atom) {
            Rep::Scalar(e) => e,
            Rep::Vector(..) | Rep::Array(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => {
                bug!("{atom:?} in the place of a scalar")
            }
        }
    }

    /// Several scalars.
    pub fn scalars(&self, atoms: &[Atom]) -> Vec<Expr> {
        atoms.iter().map(|a| self.scalar(*a)).collect()
    }

    /// A descriptor.
    pub fn desc(&self, var: Var) -> Desc {
        match self.rep(var) {
            Rep::Desc(desc) => desc,
            Rep::Scalar(_) | Rep::Vector(..) | Rep::Array(_) | Rep::Cert | Rep::Box(_) => {
                bug!("{var:?} in the place of a descriptor")
            }
        }
    }
}
