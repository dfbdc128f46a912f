//! Loops whose checks hold for ordinary numbers, in two versions.
//!
//! ```text
//! for t < n {                                        let u = w >= 1 && w < 2^30
//!   let r = t % w                                    let ys = choose u {
//!   let inner = r > 0                                  for t < n { ..; if inner { let x = xs[t - 1] .. } }
//!   if inner {                                  =>   } or {
//!     let c = assert (t > 0) else R001(t - 1, n)       for t < n { ..; if inner { let c = assert ..; .. } }
//!     let <c> x = xs[t - 1]                          }
//!     ..
//! ```
//!
//! A width, a distance or a radius is hardly ever negative or larger than any array, and where it is neither, a check may always
//! hold. So the integers that a loop gets from outside are supposed to be ordinary: not negative, not zero if something is
//! divided by them, and small enough to be multiplied. If the prover then does without all checks of an innermost loop, the
//! loop gets a version for these numbers. The other version has all checks and all messages.
//!
//! Limits: few integers, of which nothing is known yet, and a small form, since there are two of it then.

use super::apply;
use super::proved::{Proved, Which, proved};
use super::versions::Versions;
use base::{Map, Name, Set, Span};
use ir::facts::terms::Poly;
use ir::facts::walk::{Around, Visitor, walk};
use ir::facts::{Fact, Facts};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Exp, FunId, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};
use std::borrow::Cow;

/// Larger forms have one version.
const LARGEST: usize = 160;
/// More integers than this are not asked for.
const MOST: usize = 4;
/// Integers up to this are small enough to be multiplied.
const SMALL: i64 = (1 << 30) - 1;
/// An array in memory has fewer elements than this.
const IN_MEMORY: i64 = 1 << 47;
/// How many definitions are looked at one inside the other.
const DEEPEST: usize = 8;

/// Makes two versions of forms of a function, which are to keep some checks.
pub(super) fn versions(program: &mut Program, function: FunId, kept: &Set<Var>) -> Versions {
    let mut finder = Finder { program, kept, loops: 0, found: Map::default() };
    walk(program, function, &mut finder);
    let found = finder.found;
    if found.is_empty() {
        return Versions::default();
    }
    let original = std::mem::take(&mut program.functions[function].body);
    // First all forms get a version, so that the prover looks at these. Then those do that gain by it.
    let mut making = Making { program, found: &found, gone: &Proved::default(), done: Versions::default() };
    let mut tried = original.clone();
    making.block(&mut tried);
    program.functions[function].body = tried;
    let (all, _) = proved(program, function, Which::InLoops, kept);
    let pays = |form: &Form| form.innermost.iter().any(|certs| certs.iter().all(|cert| all.contains_key(cert)));
    let found: Map<Var, Form> = found.into_iter().filter(|(_, form)| pays(form)).collect();
    let own: Set<Var> = found.values().flat_map(|form| form.innermost.iter().flatten().copied()).collect();
    let gone: Proved = all.into_iter().filter(|(cert, _)| own.contains(cert)).collect();
    let mut body = original;
    let mut making = Making { program, found: &found, gone: &gone, done: Versions::default() };
    making.block(&mut body);
    let done = making.done;
    program.functions[function].body = body;
    done
}

/// A form with checks in innermost loops.
struct Form {
    /// The checks of each innermost loop that has some.
    innermost: Vec<Vec<Var>>,
    /// The integers that are to be ordinary, each with the smallest one that is.
    asked: Vec<(Var, i64)>,
}

/// Finds forms, by the first variable that they bind.
struct Finder<'p> {
    program: &'p Program,
    kept: &'p Set<Var>,
    /// How many blocks of loops the walk is in.
    loops: usize,
    found: Map<Var, Form>,
}

impl<'p> Visitor<'p> for Finder<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        let (Exp::Bulk(_) | Exp::Loop { .. }, Some(first), 0) = (&stm.exp, stm.vars.first(), self.loops) else {
            return;
        };
        let mut checks = Checks { program: self.program, kept: self.kept, open: Vec::new(), found: Vec::new() };
        checks.exp(&stm.exp);
        if checks.found.is_empty() {
            return;
        }
        let (mut size, mut inside) = (0, Inside::default());
        stm.walk(&mut |part| match part {
            Part::Bind(var) => _ = inside.bound.insert(*var),
            Part::Stm(inner) => {
                size += 1;
                if let Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, Prim::I64, _, by) = &inner.exp {
                    inside.divisors.extend(by.var());
                }
            }
            Part::Atom(Atom::Var(var)) => _ = inside.used.insert(*var),
            Part::Atom(Atom::Const(_)) | Part::Use(_) | Part::Block(_) => {}
        });
        let asked = if size <= LARGEST { inside.asked(self.program, facts) } else { Vec::new() };
        if !asked.is_empty() && asked.len() <= MOST {
            self.found.insert(*first, Form { innermost: checks.found, asked });
        }
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, around: Around<'p>) {
        // Whatever is inside of a block of a form is inside of the form.
        self.loops += usize::from(self.loops > 0 || !matches!(around, Around::If(..) | Around::Block(_)));
    }

    fn leave(&mut self) {
        self.loops = self.loops.saturating_sub(1);
    }
}

/// What a form is made of.
#[derive(Default)]
struct Inside {
    bound: Set<Var>,
    used: Set<Var>,
    divisors: Set<Var>,
}

impl Inside {
    /// The integers from outside of which nothing is known.
    fn asked(&self, program: &Program, facts: &mut Facts<'_>) -> Vec<(Var, i64)> {
        let mut found: Map<Var, i64> = Map::default();
        let from_outside = |vars: &Set<Var>| {
            let mut leaves = Vec::new();
            let outer = vars.iter().filter(|var| !self.bound.contains(var) && program.ty(**var) == &Type::I64);
            outer.for_each(|var| self.leaves(program, facts, *var, DEEPEST, &mut leaves));
            leaves
        };
        let (all, divisors) = (from_outside(&self.used), from_outside(&self.divisors));
        for (vars, least) in [(all, 0), (divisors, 1)] {
            for var in vars {
                let poly = facts.terms.poly(var.into());
                let mut is = |low: Poly, high: Poly| facts.follows(&Fact::Order(low, high, false));
                let is_size = is(Poly::constant(0), poly.clone()) && is(poly, Poly::constant(IN_MEMORY));
                if !is_size {
                    found.insert(var, least);
                }
            }
        }
        let mut found: Vec<(Var, i64)> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// The integers that one is computed from.
    fn leaves(&self, program: &Program, facts: &Facts<'_>, var: Var, depth: usize, found: &mut Vec<Var>) {
        let def = facts.terms.def(var).filter(|_| depth > 0);
        let Some(exp) = def.filter(|exp| matches!(exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Math(..) | Exp::Select(..)))
        else {
            return found.push(var);
        };
        exp.for_each_part(&mut |part| {
            if let Part::Atom(Atom::Var(operand)) = part
                && program.ty(*operand) == &Type::I64
            {
                self.leaves(program, facts, *operand, depth - 1, found);
            }
        });
    }
}

/// Collects the checks of innermost loops.
struct Checks<'p> {
    program: &'p Program,
    kept: &'p Set<Var>,
    /// For each loop around the current place, its checks, and whether there are loops in it.
    open: Vec<(Vec<Var>, bool)>,
    found: Vec<Vec<Var>>,
}

impl Checks<'_> {
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Bulk(bulk) => self.steps(&bulk.steps),
            Exp::Loop { body, .. } => self.inside(|checks| checks.block(body)),
            Exp::If(_, one, other) => [one, other].into_iter().for_each(|block| self.block(block)),
            Exp::Choose(_, one, _) => self.block(one),
            _ => {}
        }
    }

    fn inside(&mut self, look: impl FnOnce(&mut Self)) {
        self.open.iter_mut().for_each(|(_, has_loops)| *has_loops = true);
        self.open.push((Vec::new(), false));
        look(self);
        let (certs, has_loops) = self.open.pop().unwrap_or_default();
        if !has_loops && !certs.is_empty() {
            self.found.push(certs);
        }
    }

    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        match (&stm.exp, &stm.vars[..]) {
            (Exp::Assert { site, .. }, [cert]) => {
                let stays = self.kept.contains(cert) || self.program.sites[*site].message.fault.is_of_many();
                // A check that stays is no check that goes: its loop gains nothing.
                let cert = if stays { None } else { Some(*cert) };
                match (self.open.last_mut(), cert) {
                    (Some((certs, _)), Some(cert)) => certs.push(cert),
                    (Some((_, gains_nothing)), None) => *gains_nothing = true,
                    (None, _) => {}
                }
            }
            (exp, _) => self.exp(exp),
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } => self.inside(|checks| checks.steps(body)),
                Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.stm(stm),
                Step::Emit(emit) => self.block(&emit.value),
                Step::Scan(scan) => self.block(&scan.value),
            }
        }
    }
}

struct Making<'p> {
    program: &'p mut Program,
    found: &'p Map<Var, Form>,
    /// The checks that the versions for ordinary numbers do without.
    gone: &'p Proved,
    done: Versions,
}

impl Making<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stm in std::mem::take(&mut block.stms) {
            match &mut stm.exp {
                Exp::Bulk(_) | Exp::Loop { .. } => {
                    let form = stm.vars.first().and_then(|var| self.found.get(var));
                    let stms = form.map_or_else(|| vec![stm.clone()], |form| self.two(stm.clone(), form));
                    block.stms.extend(stms);
                    continue;
                }
                // The other version has checks for what is rare anyway.
                Exp::Choose(_, one, _) => self.block(one),
                Exp::Ensure { .. } => {}
                exp => exp.for_each_list_mut(&mut |list| {
                    if let ListMut::Block(inner) = list {
                        self.block(inner);
                    }
                }),
            }
            block.stms.push(stm);
        }
    }

    fn two(&mut self, mut stm: Stm, form: &Form) -> Vec<Stm> {
        let (span, certs) = (stm.span, stm.certs.clone());
        let (mut stms, cond) = self.condition(&form.asked, span);
        let own = copies(&mut self.program.vars, &stm.vars);
        self.done.names.extend(own.iter().copied().zip(stm.vars.iter().copied()));
        let vars = std::mem::replace(&mut stm.vars, own);
        let mut plain = Block { result: stm.vars.iter().copied().map(Atom::Var).collect(), stms: vec![stm] };
        // The version with all checks gets new names: the proofs are about the other one.
        let checked = copy_block(&mut self.program.vars, &plain, Substitution::default());
        apply::remove(&mut plain, self.gone);
        let checks = form.innermost.iter().flatten().filter(|cert| self.gone.contains_key(cert));
        self.done.left_away.extend(checks.copied());
        stms.push(Stm { vars, certs, exp: Exp::Choose(cond, plain, checked), span });
        stms
    }

    /// Whether all these integers are ordinary.
    fn condition(&mut self, asked: &[(Var, i64)], span: Span) -> (Vec<Stm>, Atom) {
        let (mut stms, mut all) = (Vec::new(), Atom::bool(true));
        for (var, least) in asked {
            for (op, limit) in [(BinOp::Ge, *least), (BinOp::Le, SMALL)] {
                let holds = Exp::Bin(op, Prim::I64, (*var).into(), Atom::size(limit));
                let holds = self.truth(&mut stms, holds, span);
                all = match all {
                    Atom::Const(_) => holds,
                    all => self.truth(&mut stms, Exp::Bin(BinOp::LogAnd, Prim::Bool, all, holds), span),
                };
            }
        }
        (stms, all)
    }

    fn truth(&mut self, stms: &mut Vec<Stm>, exp: Exp, span: Span) -> Atom {
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
        var.into()
    }
}
