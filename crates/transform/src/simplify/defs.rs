//! How variables are computed, as far as rules ask.

use super::elements::Element;
use super::forms::{Form, Forms};
use base::{Map, Set};
use ir::{Atom, Bulk, Exp, Program, Stm, Type, Var};
use std::rc::Rc;

/// The definition of a variable.
#[derive(Clone)]
pub(super) struct Def {
    /// How it is computed. Never a form with blocks inside.
    pub exp: Exp,
    /// The checks that it relies on.
    pub certs: Vec<Var>,
}

/// Definitions of a function. A variable is bound once and used only where its definition came before, so definitions
/// need no scopes.
#[derive(Default)]
pub(super) struct Defs {
    defs: Map<Var, Def>,
    elements: Map<Var, Rc<Element>>,
    /// Elements of arrays that are scalars, by array and indices.
    scalars: Map<(Var, Vec<i64>), (Atom, Vec<Var>)>,
    /// Arrays that have the other elements of an array.
    rests: Map<Var, (Var, Vec<Var>)>,
    /// Arrays whose reads stay as they are.
    vouched: Set<Var>,
    /// Names of recursive arrays while they are made: reading one is a request, so each stays as it is.
    recursive: Set<Var>,
    /// Certificates of checks that stay even if nothing names them.
    staying: Set<Var>,
    /// The loops of indices: how many turns.
    turns: Map<Var, Atom>,
    /// The forms of integers.
    pub forms: Forms,
}

impl Defs {
    /// No definitions yet; reads of `vouched` arrays will stay as they are.
    pub fn new(vouched: Set<Var>) -> Defs {
        Defs { vouched, ..Defs::default() }
    }

    /// Whether reads of an array stay as they are.
    pub fn is_vouched(&self, array: Var) -> bool {
        self.vouched.contains(&array)
    }

    /// Records what a statement inside of so many loops binds.
    pub fn define(&mut self, program: &Program, stm: &Stm, loops: usize) {
        if let Exp::Assert { site, .. } = &stm.exp {
            if program.sites[*site].stays {
                self.staying.extend(&stm.vars);
            }
            return;
        }
        if let Some(elements) = Element::of_statement(program, stm, loops) {
            self.elements.extend(elements);
            return;
        }
        if let ([var], true) = (&stm.vars[..], has_no_blocks(&stm.exp)) {
            if let Some(form) = self.forms.of(&stm.exp).filter(|_| stm.certs.is_empty()) {
                self.forms.define(*var, form);
            }
            self.defs.insert(*var, Def { exp: stm.exp.clone(), certs: stm.certs.clone() });
        }
    }

    /// Records the element of an array that is no array any more.
    pub fn define_scalar(&mut self, array: Var, at: Vec<i64>, atom: Atom, certs: &[Var]) {
        self.scalars.insert((array, at), (atom, certs.to_vec()));
    }

    /// Records which array has the other elements of an array.
    pub fn define_rest(&mut self, array: Var, rest: Var, certs: &[Var]) {
        self.rests.insert(array, (rest, certs.to_vec()));
    }

    /// The expression for an element of such an array, and the checks that it relies on.
    pub fn scalar(&self, array: Var, at: &[Atom]) -> Option<(Exp, Vec<Var>)> {
        let place: Vec<i64> = at.iter().map(|index| index.as_size()).collect::<Option<_>>()?;
        let rest = || self.rests.get(&array).map(|(rest, certs)| (Exp::Index(*rest, at.to_vec()), certs.clone()));
        let known = self.scalars.get(&(array, place)).map(|(atom, certs)| (Exp::Atom(*atom), certs.clone()));
        known.or_else(rest)
    }

    /// Records the names of the recursive arrays that a bulk form makes.
    pub fn define_recursive(&mut self, bulk: &Bulk) {
        self.recursive.extend(bulk.outputs.iter().flat_map(|output| output.rec()));
    }

    /// Records the index of a loop with this many turns.
    pub fn define_index(&mut self, var: Var, count: Atom) {
        self.turns.insert(var, count);
    }

    /// How many turns the loop has whose index this is.
    pub fn turns(&self, index: Var) -> Option<Atom> {
        self.turns.get(&index).copied()
    }

    /// How a variable is computed.
    pub fn get(&self, var: Var) -> Option<&Def> {
        self.defs.get(&var)
    }

    /// How an atom is computed, if that relies on no check.
    pub fn plain(&self, atom: Atom) -> Option<&Exp> {
        self.defs.get(&atom.var()?).filter(|def| def.certs.is_empty()).map(|def| &def.exp)
    }

    /// The elements of an array that a construction makes.
    pub fn element(&self, array: Var) -> Option<Rc<Element>> {
        self.elements.get(&array).cloned()
    }

    /// Whether a name belongs to a recursive array that is being made.
    pub fn is_recursive(&self, program: &Program, var: Var) -> bool {
        self.recursive.contains(&var) || program.vars[var].pending.is_some()
    }

    /// Whether all these checks stay even if nothing names them.
    pub fn stay(&self, certs: &[Var]) -> bool {
        certs.iter().all(|cert| self.staying.contains(cert))
    }

    /// The form of an `i64`.
    pub fn form(&self, atom: Atom) -> Form {
        self.forms.form(atom)
    }
}

fn has_no_blocks(exp: &Exp) -> bool {
    let blocks =
        matches!(exp, Exp::Bulk(_) | Exp::If(..) | Exp::Choose(..) | Exp::Loop { .. } | Exp::Sort(..) | Exp::Open(..));
    let effects =
        matches!(exp, Exp::Call(..) | Exp::Trace(..) | Exp::Pack(..) | Exp::Assert { .. } | Exp::Ensure { .. });
    !blocks && !effects
}

/// Whether a variable is an array all of whose dimensions are regular.
pub(super) fn is_regular(program: &Program, var: Var) -> bool {
    let regular = |dim: &ir::Dim| matches!(dim, ir::Dim::Size(_));
    matches!(program.ty(var), Type::Array(_, dims) if dims.iter().all(regular))
}
