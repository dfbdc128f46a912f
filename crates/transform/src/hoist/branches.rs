//! What both branches of an `if` compute is computed once before it.
//!
//! ```text
//! let x: f64 = if c {                        let e: f64 = f64.exp(d)
//!   let e: f64 = f64.exp(d)                  let x: f64 = if c {
//!   let y: f64 = a * e                =>       let y: f64 = a * e
//!   => y                                       => y
//! } else {                                   } else {
//!   let e: f64 = f64.exp(d)                    let y: f64 = b * e
//!   let y: f64 = b * e                         => y
//!   => y                                     }
//! }
//! ```
//!
//! A function that is called in both branches and was inlined is such a case. One of the branches runs, so no work is added. Vector
//! code computes both branches, so it has half the work.
//!
//! Values are compared by what computes them, not by their names: every scalar computation has a representative, the first variable that
//! was bound to the same computation. Choices between computations are computations, too.

use base::{Map, Set, Span};
use ir::known::Computation;
use ir::rename::Substitution;
use ir::traverse::PartMut;
use ir::{Atom, Block, Exp, Program, Stm, Type, Var};

/// Shares what branches of a function have in common; says where numeric functions moved. Elements of arrays are values like others
/// if `reads` says so.
pub(super) fn share(program: &mut Program, body: &mut Block, reads: bool) -> Vec<Span> {
    let mut found = Vec::new();
    body.replace_stms(&mut |mut stm| {
        let mut before = match &mut stm.exp {
            Exp::If(_, then, otherwise) => common(program, then, otherwise, reads),
            _ => Vec::new(),
        };
        found.extend(before.iter().filter(|stm| matches!(stm.exp, Exp::Math(..))).map(|stm| stm.span));
        before.push(stm);
        before
    });
    found
}

/// Takes what both blocks compute out of them.
fn common(program: &mut Program, then: &mut Block, otherwise: &mut Block, reads: bool) -> Vec<Stm> {
    let mut values = Values { reads, ..Values::default() };
    let first = values.of(program, then);
    let second = values.of(program, otherwise);
    let (mut shared, mut names) = (Vec::new(), Substitution::new(&[], &[]));
    let inside: Set<Var> = then.stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
    let mut outside: Set<Var> = Set::default();
    for stm in std::mem::take(&mut then.stms) {
        let there: Option<Vec<Var>> =
            stm.vars.iter().map(|var| second.get(first.iter().find(|(_, own)| *own == var)?.0).copied()).collect();
        let is_ready = |var: &Var| !inside.contains(var) || outside.contains(var);
        match there {
            Some(there) if free(program, &stm).iter().all(is_ready) => {
                outside.extend(stm.vars.iter().copied());
                there.iter().zip(&stm.vars).for_each(|(var, same)| names.insert(*var, *same));
                shared.push(stm);
            }
            _ => then.stms.push(stm),
        }
    }
    if !shared.is_empty() {
        otherwise.stms.retain(|stm| !stm.vars.iter().any(|var| names.0.contains_key(var)));
        names.block(&mut program.vars, otherwise);
    }
    shared
}

fn free(program: &Program, stm: &Stm) -> Set<Var> {
    Block { stms: vec![stm.clone()], result: Vec::new() }.free(&program.vars)
}

/// A computation of scalars, its operands by their representatives.
#[derive(PartialEq, Eq, Hash)]
enum Value {
    Scalar(Computation, Vec<Var>),
    /// A component of what a condition chooses.
    Choice(Atom, Vec<Atom>, Vec<Atom>, usize),
}

#[derive(Default)]
struct Values {
    first: Map<Value, Atom>,
    /// The representative of each variable that has another one.
    known: Map<Var, Atom>,
    reads: bool,
}

impl Values {
    /// The variables that statements of a block bind to computations, by their representatives.
    fn of(&mut self, program: &Program, block: &Block) -> Map<Var, Var> {
        let mut found = Map::default();
        for stm in &block.stms {
            let scalars = stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
            let Some(values) = self.values(program, stm).filter(|_| scalars) else { continue };
            for (var, value) in stm.vars.iter().zip(values) {
                let same = *self.first.entry(value).or_insert(Atom::Var(*var));
                self.known.insert(*var, same);
                found.extend(same.var().map(|same| (same, *var)));
            }
        }
        found
    }

    /// What a statement computes: one value for each variable.
    fn values(&mut self, program: &Program, stm: &Stm) -> Option<Vec<Value>> {
        if let Exp::If(cond, then, otherwise) = &stm.exp {
            let sides = [then, otherwise].map(|side| {
                let computed = self.of(program, side).len();
                let results = side.result.iter().map(|atom| self.atom(*atom)).collect::<Vec<Atom>>();
                (computed == side.stms.len()).then_some(results)
            });
            let [Some(yes), Some(no)] = sides else { return None };
            let cond = self.atom(*cond);
            return Some((0..yes.len()).map(|k| Value::Choice(cond, yes.clone(), no.clone(), k)).collect());
        }
        let mut exp = stm.exp.clone();
        exp.for_each_part_mut(&mut |part| {
            if let PartMut::Atom(atom) = part {
                *atom = self.atom(*atom);
            }
        });
        let computation = match exp {
            Exp::Math(op, prim, args) => Some(Computation::Math(op, prim, args)),
            Exp::Index(array, at) if self.reads => Some(Computation::Element(array, at)),
            exp @ (Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..)) => exp.computation(),
            _ => None,
        };
        Some(vec![Value::Scalar(computation?, stm.certs.clone())])
    }

    fn atom(&self, atom: Atom) -> Atom {
        atom.var().and_then(|var| self.known.get(&var).copied()).unwrap_or(atom)
    }
}
