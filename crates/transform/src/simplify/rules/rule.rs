//! What a rule is, sees and gives.

use crate::simplify::defs::Defs;
use base::{Name, Set, Span};
use ir::{Atom, Exp, Program, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// A rule.
pub(crate) struct Rule {
    /// What it matches, for people.
    pub name: &'static str,
    /// The new expression, if the rule fits.
    pub apply: fn(&mut Rewriter<'_>, &Stm) -> Option<New>,
}

/// What a rule gives.
pub(crate) struct New {
    /// The expression.
    pub exp: Exp,
    /// The checks that it relies on, besides those of the statement.
    pub certs: Vec<Var>,
}

impl From<Exp> for New {
    fn from(exp: Exp) -> New {
        New { exp, certs: Vec::new() }
    }
}

impl From<Atom> for New {
    fn from(atom: Atom) -> New {
        Exp::Atom(atom).into()
    }
}

/// What rules see and make.
pub(crate) struct Rewriter<'a> {
    /// The program.
    pub program: &'a mut Program,
    /// What is known about variables.
    pub defs: &'a Defs,
    /// Whether nothing in the function consumes memory, so that a copy is as good as its source.
    pub nothing_consumed: bool,
    /// The arrays that are only read element by element.
    pub only_read: &'a Set<Var>,
    /// How many loops are around the statement.
    pub loops: usize,
    /// The place of the statement.
    pub span: Span,
    /// New statements, to be put before the statement.
    pub before: Vec<Stm>,
}

impl Rewriter<'_> {
    /// `a op b` on sizes; a new statement unless it is known.
    pub fn size(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        self.scalar(Exp::Bin(op, Prim::I64, a, b), Prim::I64)
    }

    /// The value of an expression; a new statement unless it is known.
    pub fn scalar(&mut self, exp: Exp, prim: Prim) -> Atom {
        if let Some(atom) = exp.known() {
            return atom;
        }
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(prim)));
        self.before.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span });
        var.into()
    }
}
