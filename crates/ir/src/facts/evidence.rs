//! What a condition or a value is computed from.
//!
//! Some checks say more than this verifier understands: that all elements of a vector of indices are inside a shape, or
//! that two shape vectors are equal. A statement that relies on such a check names its certificate; the verifier then
//! requires that the condition has to do with the variables in question.

use super::terms::{Poly, Term};
use super::{Fact, Facts, symbols};
use crate::traverse::Part;
use crate::{Atom, Exp, Type, Var};
use base::Set;

/// How many variables are followed.
const MOST: usize = 300;

impl Facts<'_> {
    /// Whether a condition that nobody understands, and that holds here, is computed from all these variables.
    pub(crate) fn vouched_for(&self, vars: &[Var]) -> bool {
        self.unknown().iter().any(|cond| {
            let sources = self.sources(&[*cond]);
            vars.iter().all(|var| self.goes_into(*var, &sources))
        })
    }

    /// Whether such a condition has to do with what an index is computed from, other than sizes.
    pub(crate) fn vouched_for_index(&self, index: &Poly) -> bool {
        let vars: Vec<Var> =
            symbols(index).into_iter().flat_map(|sym| self.variables(&self.terms.terms[sym])).collect();
        self.vouched_for_value(&vars)
    }

    /// Whether such a condition has to do with what values are computed from, other than sizes.
    pub(crate) fn vouched_for_value(&self, vars: &[Var]) -> bool {
        let unknown = self.unknown();
        if unknown.is_empty() {
            return false;
        }
        let value = self.sources(vars);
        let of_value = |var: &Var| value.contains(var) && !self.sizes.contains(var);
        unknown.iter().any(|cond| self.sources(&[*cond]).iter().any(of_value))
    }

    /// Whether the value of each variable goes into the computation of others.
    pub(crate) fn computed_from(&self, vars: &[Var], others: &[Var]) -> bool {
        let sources = self.sources(others);
        vars.iter().all(|var| self.goes_into(*var, &sources))
    }

    /// Whether a value is among the sources of something: itself, the array that it is a part of, or all that it lists.
    fn goes_into(&self, var: Var, sources: &Set<Var>) -> bool {
        let root = self.terms.root(var);
        sources.contains(&var)
            || sources.contains(&root)
            || match self.terms.def(root) {
                Some(Exp::Slice(x, _) | Exp::Reshape(x) | Exp::Rearrange(x, _)) => self.goes_into(*x, sources),
                Some(Exp::Literal(_, atoms)) => {
                    atoms.iter().filter_map(|atom| atom.var()).all(|var| self.goes_into(var, sources))
                }
                // A number of elements goes in where all dimensions do.
                Some(Exp::Total(dims)) => {
                    let mut all = true;
                    Type::Desc(dims.clone()).for_each_var(&mut |var| all &= self.goes_into(var, sources));
                    all
                }
                _ => false,
            }
    }

    fn unknown(&self) -> Vec<Var> {
        let unknown = |fact: &Fact| match fact {
            Fact::Unknown(cond) => Some(*cond),
            _ => None,
        };
        self.stack.iter().rev().filter_map(unknown).take(8).collect()
    }

    /// The variables that a symbol is computed from.
    pub(super) fn variables_of(&self, sym: super::terms::Sym) -> Vec<Var> {
        self.variables(&self.terms.terms[sym])
    }

    fn variables(&self, term: &Term) -> Vec<Var> {
        let of = |polys: &[&Poly]| -> Vec<Var> {
            let syms = polys.iter().flat_map(|poly| symbols(poly));
            syms.flat_map(|sym| self.variables(&self.terms.terms[sym])).collect()
        };
        match term {
            Term::Atom(Atom::Var(var)) => vec![*var],
            Term::Atom(Atom::Const(_)) | Term::Total(_) => Vec::new(),
            Term::Length(x, at) | Term::Offset(x, at) | Term::Element(x, at) => {
                let mut all = of(&at.iter().collect::<Vec<_>>());
                all.push(*x);
                all
            }
            Term::Row(d, element) => {
                let mut all = of(&[element]);
                all.push(*d);
                all
            }
            Term::Sum(a) | Term::Converted(_, a) => of(&[a]),
            Term::Division(_, a, b) | Term::Extreme(_, a, b) => of(&[a, b]),
            Term::Select(c, a, b) => c.var().into_iter().chain(of(&[a, b])).collect(),
        }
    }

    /// The variables that go into the computation of these, and these. Loops that check values and store them have both as
    /// results, so what is computed together counts too.
    fn sources(&self, vars: &[Var]) -> Set<Var> {
        let mut found: Set<Var> = Set::default();
        let mut open: Vec<Var> = vars.to_vec();
        while let Some(var) = open.pop() {
            if found.len() > MOST || !found.insert(var) {
                continue;
            }
            let Some(exp) = self.terms.defs.get(&var) else { continue };
            found.extend(self.terms.results(exp));
            exp.for_each_part(&mut |part| follow(part, &mut open));
        }
        found
    }
}

fn follow(part: Part<'_>, open: &mut Vec<Var>) {
    match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => open.push(*var),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) => {}
        Part::Block(block) => block.walk(&mut |part| shallow(part, open)),
        Part::Stm(stm) => stm.walk(&mut |part| shallow(part, open)),
    }
}

fn shallow(part: Part<'_>, open: &mut Vec<Var>) {
    if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
        open.push(*var);
    }
}
