//! Whether two statements compute the same.

use crate::messages::Messages;
use base::Span;
use ir::rename::Substitution;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Exp, Program, SiteId, Step, Stm, Var};

/// A comparison of a statement with an earlier one.
pub struct Same<'p> {
    program: &'p Program,
    messages: &'p Messages,
    /// What stands for variables of the later one that are gone.
    merged: &'p Substitution,
    /// The names that the later one has for what the earlier one binds.
    names: Substitution,
}

impl<'p> Same<'p> {
    /// Variables of the later statement may have been `merged` with others.
    pub fn new(program: &'p Program, messages: &'p Messages, merged: &'p Substitution) -> Same<'p> {
        Same { program, messages, merged, names: Substitution::default() }
    }

    /// Another variable stands in the later statement for one of the earlier statement.
    pub fn rename(&mut self, earlier: Var, later: Var) {
        self.names.insert(earlier, later);
    }

    /// Whether both compute the same values of the same types.
    pub fn are(&mut self, earlier: &Stm, later: &Stm) -> bool {
        self.binds(&earlier.vars, &later.vars) && self.exps(&earlier.exp, &later.exp)
    }

    fn exps(&mut self, a: &Exp, b: &Exp) -> bool {
        match (a, b) {
            // What is said if a check fails does not matter.
            (Exp::Assert { cond: a, .. }, Exp::Assert { cond: b, .. })
            | (Exp::Ensure { cond: a, .. }, Exp::Ensure { cond: b, .. }) => self.atoms(*a, *b),
            (Exp::Call(f, xs), Exp::Call(g, ys)) => {
                let mut args = xs.iter().zip(ys).enumerate();
                f == g && args.all(|(k, (x, y))| self.messages.are_all(*f, k) || self.atoms(*x, *y))
            }
            _ => shell(a) == shell(b) && self.parts(&parts(a), &parts(b)),
        }
    }

    fn parts(&mut self, xs: &[Part<'_>], ys: &[Part<'_>]) -> bool {
        xs.len() == ys.len()
            && xs.iter().zip(ys).all(|pair| match pair {
                (Part::Atom(x), Part::Atom(y)) => self.atoms(**x, **y),
                (Part::Use(x), Part::Use(y)) => self.atoms(Atom::Var(**x), Atom::Var(**y)),
                (Part::Bind(x), Part::Bind(y)) => self.binds(&[**x], &[**y]),
                (Part::Block(x), Part::Block(y)) => self.blocks(x, y),
                (Part::Stm(x), Part::Stm(y)) => self.are(x, y),
                _ => false,
            })
    }

    fn blocks(&mut self, x: &Block, y: &Block) -> bool {
        x.stms.len() == y.stms.len()
            && x.result.len() == y.result.len()
            && x.stms.iter().zip(&y.stms).all(|(x, y)| self.are(x, y))
            && x.result.iter().zip(&y.result).all(|(x, y)| self.atoms(*x, *y))
    }

    fn atoms(&self, x: Atom, y: Atom) -> bool {
        self.names.atom(x) == self.merged.atom(y)
    }

    /// Binds names of the later one to those of the earlier one.
    fn binds(&mut self, xs: &[Var], ys: &[Var]) -> bool {
        xs.len() == ys.len()
            && xs.iter().zip(ys).all(|(x, y)| {
                let (x_type, y_type) = (self.program.ty(*x), self.program.ty(*y));
                let same = self.names.ty(x_type) == self.merged.ty(y_type);
                self.names.insert(*x, *y);
                same
            })
    }
}

fn parts(exp: &Exp) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    exp.for_each_part(&mut |part| parts.push(part));
    parts
}

/// The text of an expression without its parts and without places in the source.
pub fn shell(exp: &Exp) -> String {
    let mut shell = exp.clone();
    shell.for_each_part_mut(&mut |part| match part {
        PartMut::Atom(atom) => *atom = Atom::size(0),
        PartMut::Use(var) | PartMut::Bind(var) => *var = Var(0),
        PartMut::Block(block) => *block = Block::default(),
        PartMut::Stm(stm) => {
            *stm = Stm { vars: Vec::new(), certs: Vec::new(), exp: Exp::Uninit, span: Span::OF_CALLER };
        }
    });
    if let Exp::Bulk(bulk) = &mut shell {
        bulk.sites_mut().for_each(|site| *site = SiteId(0));
        without_places(&mut bulk.steps);
    }
    format!("{shell:?}")
}

fn without_places(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => without_places(body),
            Step::Scan(scan) => scan.span = Span::OF_CALLER,
            Step::Emit(emit) => emit.span = Span::OF_CALLER,
            Step::Let(_) => {}
        }
    }
}
