//! Checks of which a part holds anyway where they are made.
//!
//! ```text
//! if t < n {                                     if t < n {
//!   let u: bool = 0 <= t                           let u: bool = 0 <= t
//!   let v: bool = t < n                            let v: bool = t < n
//!   let w: bool = u && v                   =>      let w: bool = u && v
//!   let c: cert = assert w else R001(t, n)         let c: cert = assert u else R001(t, n)
//! ```
//!
//! In `if i + k < n then a[i + k] else a[i + k - n]`, what is left of each check does not depend on `i`, so a version of the loop
//! can do without it.

use super::sizes::{conjuncts, follow};
use base::{Map, Set, Span};
use ir::facts::Facts;
use ir::facts::walk::{Around, Visitor, walk};
use ir::{Atom, Exp, FunId, Program, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};
use std::borrow::Cow;

/// By their certificates, what checks still ask for: each of these conditions.
pub(super) type Parts = Map<Var, Vec<Atom>>;

/// Lets checks of a function under conditions, apart from `kept` ones, ask for the rest alone. Says whether there are any.
pub(super) fn narrow(program: &mut Program, function: FunId, kept: &Set<Var>) -> bool {
    let mut finder = Finder { program, kept, around: Vec::new(), found: Parts::default() };
    walk(program, function, &mut finder);
    let found = finder.found;
    let mut body = std::mem::take(&mut program.functions[function].body);
    body.replace_stms(&mut |mut stm| {
        let mut stms = Vec::new();
        if let (Exp::Assert { cond, .. }, [cert]) = (&mut stm.exp, &stm.vars[..])
            && let Some(parts) = found.get(cert)
        {
            *cond = all(program, parts, &mut stms, stm.span);
        }
        stms.push(stm);
        stms
    });
    program.functions[function].body = body;
    !found.is_empty()
}

struct Finder<'p> {
    program: &'p Program,
    kept: &'p Set<Var>,
    /// Each block that the walk is in: whether it is in a loop, and whether it is under a condition there.
    around: Vec<(bool, bool)>,
    found: Parts,
}

impl<'p> Visitor<'p> for Finder<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        let (Exp::Assert { cond, site, .. }, [cert]) = (&stm.exp, &stm.vars[..]) else { return };
        let of_element = self.program.sites[*site].message.fault.is_of_element();
        if !of_element || self.kept.contains(cert) || self.around.last() != Some(&(true, true)) {
            return;
        }
        let mut parts = Vec::new();
        conjuncts(facts, *cond, &mut parts);
        let left: Vec<Atom> = parts.iter().copied().filter(|part| !follow(facts, *part)).collect();
        if left.len() < parts.len() && !left.is_empty() {
            self.found.insert(*cert, left);
        }
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, around: Around<'p>) {
        let (in_loop, under) = self.around.last().copied().unwrap_or_default();
        self.around.push(match around {
            Around::For(..) | Around::Count(..) => (true, false),
            Around::If(..) => (in_loop, true),
            Around::While | Around::Block(_) | Around::Steps(_) => (in_loop, under),
        });
    }

    fn leave(&mut self) {
        self.around.pop();
    }
}

/// The condition that all of these hold.
fn all(program: &mut Program, parts: &[Atom], stms: &mut Vec<Stm>, span: Span) -> Atom {
    let mut both = |a: Atom, b: Atom| -> Atom {
        let var = program.vars.push(VarInfo::new("t".into(), Type::Scalar(Prim::Bool)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(BinOp::LogAnd, Prim::Bool, a, b), span });
        var.into()
    };
    parts.iter().copied().reduce(&mut both).unwrap_or(Atom::bool(true))
}
