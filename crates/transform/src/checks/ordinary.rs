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
//! A flattened matrix `xs: [s]f64` with rows of `w` elements has a size that `w` divides, or one that is at least `h * w`. Such a
//! [`Relation`] is asked for, too, if the checks need it.
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
use ir::{Atom, Block, Dim, Exp, FunId, Kind, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};
use std::borrow::Cow;

/// Larger forms have one version.
const LARGEST: usize = 240;
/// More integers than this are not asked for.
const MOST: usize = 4;
/// Integers up to this are small enough to be multiplied.
const SMALL: i64 = (1 << 30) - 1;
/// The same where there are products of three.
const SMALLER: i64 = (1 << 20) - 1;
/// So deep inside of other loops are loops looked at that have no version with these.
const NESTED: usize = 3;
/// An array in memory has fewer elements than this.
const IN_MEMORY: i64 = 1 << 47;
/// How many relations are tried.
const RELATIONS: usize = 4;
/// How many definitions are looked at one inside the other.
const DEEPEST: usize = 8;

/// Makes two versions of forms of a function, which are to keep some checks.
pub(super) fn versions(program: &mut Program, function: FunId, kept: &Set<Var>) -> Versions {
    let (mut found, mut gone): (Map<Var, Form>, Proved) = (Map::default(), Proved::default());
    let mut passed: Set<Var> = Set::default();
    for _ in 0..NESTED {
        let mut finder = Finder { program, kept, passed: &passed, is_passed: false, loops: 0, found: Map::default() };
        walk(program, function, &mut finder);
        let open: Map<Var, Form> = finder.found.into_iter().filter(|(var, _)| !found.contains_key(var)).collect();
        let outer: Vec<Var> = open.keys().copied().collect();
        let asking = open.into_iter().filter(|(_, form)| !form.asked.is_empty()).collect();
        try_forms(program, function, kept, asking, (&mut found, &mut gone));
        // Loops inside of one that does not gain may do so.
        let before = passed.len();
        passed.extend(outer.into_iter().filter(|var| !found.contains_key(var)));
        if passed.len() == before {
            break;
        }
    }
    if found.is_empty() {
        return Versions::default();
    }
    let mut body = std::mem::take(&mut program.functions[function].body);
    let mut making = Making { program, found: &found, gone: &gone, done: Versions::default() };
    making.block(&mut body);
    let done = making.done;
    program.functions[function].body = body;
    done
}

/// Finds out which forms gain by a version, and without which checks it does.
fn try_forms(
    program: &mut Program,
    function: FunId,
    kept: &Set<Var>,
    mut open: Map<Var, Form>,
    (found, gone): (&mut Map<Var, Form>, &mut Proved),
) {
    if open.is_empty() {
        return;
    }
    let original = std::mem::take(&mut program.functions[function].body);
    while !open.is_empty() {
        // First all forms get a version, so that the prover looks at these. Then those do that gain by it.
        let mut making = Making { program, found: &open, gone: &Proved::default(), done: Versions::default() };
        let mut tried = original.clone();
        making.block(&mut tried);
        program.functions[function].body = tried;
        let (all, _) = proved(program, function, Which::InLoops, kept);
        let pays = |form: &Form| form.innermost.iter().any(|certs| certs.iter().all(|cert| all.contains_key(cert)));
        let (paying, others): (Vec<_>, Vec<_>) = open.into_iter().partition(|(_, form)| pays(form));
        let own: Set<Var> = paying.iter().flat_map(|(_, form)| form.innermost.iter().flatten().copied()).collect();
        gone.extend(all.into_iter().filter(|(cert, _)| own.contains(cert)));
        found.extend(paying);
        open = others.into_iter().filter_map(|(var, form)| Some((var, form.with_next_relation()?))).collect();
    }
    program.functions[function].body = original;
}

/// A form with checks in innermost loops.
struct Form {
    /// The checks of each innermost loop that has some.
    innermost: Vec<Vec<Var>>,
    /// The integers that are to be ordinary, each with the smallest one that is.
    asked: Vec<(Var, i64)>,
    /// The largest that is ordinary.
    small: i64,
    /// What is to hold of them, too.
    relation: Option<Relation>,
    /// What else could be asked for, the last one first.
    others: Vec<Relation>,
}

impl Form {
    /// The form with something else that is to hold.
    fn with_next_relation(mut self) -> Option<Form> {
        let next = self.others.pop()?;
        Some(Form { relation: Some(next), ..self })
    }
}

/// What may hold of a size, and of integers that places are computed from.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    /// A product is at most the size.
    Within(Var, Var, Var),
    /// The size is a multiple.
    Multiple(Var, Var),
}

/// Finds forms, by the first variable that they bind.
struct Finder<'p> {
    program: &'p Program,
    kept: &'p Set<Var>,
    /// Loops that do not gain themselves: those inside are looked at.
    passed: &'p Set<Var>,
    /// Whether the walk comes to the block of one of these next.
    is_passed: bool,
    /// How many blocks of loops the walk is in.
    loops: usize,
    found: Map<Var, Form>,
}

impl<'p> Visitor<'p> for Finder<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        let (Exp::Bulk(_) | Exp::Loop { .. }, Some(first), 0) = (&stm.exp, stm.vars.first(), self.loops) else {
            return;
        };
        self.is_passed = matches!(stm.exp, Exp::Loop { .. }) && self.passed.contains(first);
        if self.is_passed {
            return;
        }
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
                inside.look_at(self.program, &inner.exp);
            }
            Part::Atom(Atom::Var(var)) => _ = inside.used.insert(*var),
            Part::Atom(Atom::Const(_)) | Part::Use(_) | Part::Block(_) => {}
        });
        let asked = if size <= LARGEST { inside.asked(self.program, facts) } else { Vec::new() };
        let small = if inside.has_long_products(facts) { SMALLER } else { SMALL };
        // Of a loop that has nothing to ask for, what is inside may have.
        let is_asked = !asked.is_empty() && asked.len() <= MOST;
        if is_asked || matches!(stm.exp, Exp::Loop { .. }) {
            let asked = if is_asked { asked } else { Vec::new() };
            let others = inside.relations(self.program, facts, &asked);
            self.found.insert(*first, Form { innermost: checks.found, asked, small, relation: None, others });
        }
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, around: Around<'p>) {
        // Whatever is inside of a block of a form is inside of the form.
        let is_loop = !matches!(around, Around::If(..) | Around::Block(_));
        let is_passed = is_loop && std::mem::take(&mut self.is_passed);
        self.loops += usize::from(self.loops > 0 || is_loop && !is_passed);
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
    factors: Set<Var>,
    /// The sizes of arrays with one dimension whose elements are read or replaced.
    sizes: Vec<Var>,
}

impl Inside {
    fn look_at(&mut self, program: &Program, exp: &Exp) {
        match exp {
            Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, Prim::I64, _, by) => {
                self.divisors.extend(by.var());
            }
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) => {
                self.factors.extend([a, b].into_iter().filter_map(|atom| atom.var()))
            }
            Exp::Index(array, _) => self.add_size(program.ty(*array)),
            Exp::Bulk(bulk) => {
                for output in &bulk.outputs {
                    if let Kind::Update { arrays, .. } = &output.kind {
                        arrays.iter().for_each(|array| self.add_size(program.ty(*array)));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether three integers are multiplied.
    fn has_long_products(&self, facts: &mut Facts<'_>) -> bool {
        let outer: Vec<Var> = self.used.iter().filter(|var| !self.bound.contains(var)).copied().collect();
        outer.into_iter().any(|var| facts.terms.poly(var.into()).symbols().any(|product| product.len() > 2))
    }

    fn add_size(&mut self, ty: &Type) {
        if let [Dim::Size(Atom::Var(size))] = ty.dims()
            && !self.sizes.contains(size)
        {
            self.sizes.push(*size);
        }
    }

    /// What may hold of sizes from outside and of the integers that are asked for, the most likely last.
    fn relations(&self, program: &Program, facts: &Facts<'_>, asked: &[(Var, i64)]) -> Vec<Relation> {
        let leaves = |vars: &Set<Var>| {
            let mut leaves = Vec::new();
            let outer = vars.iter().filter(|var| !self.bound.contains(var));
            outer.for_each(|var| self.leaves(program, facts, *var, DEEPEST, &mut leaves));
            leaves
        };
        let (divisors, factors) = (leaves(&self.divisors), leaves(&self.factors));
        let is_place = |var: &Var| divisors.contains(var) || factors.contains(var);
        let sizes = self.sizes.iter().filter(|size| !self.bound.contains(size) && facts.terms.def(**size).is_none());
        let mut found = Vec::new();
        for size in sizes {
            let mut own = Vec::new();
            for (place, (a, _)) in asked.iter().enumerate() {
                for (b, _) in &asked[place + usize::from(asked.len() > 1)..] {
                    if is_place(a) || is_place(b) {
                        own.push(Relation::Within(*a, *b, *size));
                    }
                }
            }
            let mut by: Vec<Var> = self.divisors.iter().filter(|var| !self.bound.contains(var)).copied().collect();
            by.sort_unstable();
            own.extend(by.into_iter().map(|by| Relation::Multiple(*size, by)));
            found.extend(own);
        }
        found.truncate(RELATIONS);
        found.reverse();
        found
    }

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
                    if let Some(form) = stm.vars.first().and_then(|var| self.found.get(var)) {
                        block.stms.extend(self.two(stm, form));
                        continue;
                    }
                    if let Exp::Loop { body, .. } = &mut stm.exp {
                        self.block(body);
                    }
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
        let (mut stms, mut cond) = self.condition(form, span);
        if let Some(relation) = form.relation {
            cond = self.and_relation(cond, relation, &mut stms, span);
        }
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
    fn condition(&mut self, form: &Form, span: Span) -> (Vec<Stm>, Atom) {
        let (mut stms, mut all) = (Vec::new(), Atom::bool(true));
        for (var, least) in &form.asked {
            for (op, limit) in [(BinOp::Ge, *least), (BinOp::Le, form.small)] {
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

    /// Whether a condition and a relation hold. What is divided by is above zero where the condition holds.
    fn and_relation(&mut self, cond: Atom, relation: Relation, stms: &mut Vec<Stm>, span: Span) -> Atom {
        let (op, a, b) = match relation {
            Relation::Within(a, b, _) => (BinOp::Mul, a, b),
            Relation::Multiple(size, by) => (BinOp::Mod, size, by),
        };
        let number = self.program.vars.push(VarInfo::new(Name::new("t"), Type::I64));
        let exp = Exp::Bin(op, Prim::I64, a.into(), b.into());
        let mut inner = vec![Stm { vars: vec![number], certs: Vec::new(), exp, span }];
        let (op, limit) = match relation {
            Relation::Within(_, _, size) => (BinOp::Le, size.into()),
            Relation::Multiple(..) => (BinOp::Eq, Atom::size(0)),
        };
        let holds = self.truth(&mut inner, Exp::Bin(op, Prim::I64, number.into(), limit), span);
        let then = Block { stms: inner, result: vec![holds] };
        let otherwise = Block { stms: Vec::new(), result: vec![Atom::bool(false)] };
        self.truth(stms, Exp::If(cond, then, otherwise), span)
    }

    fn truth(&mut self, stms: &mut Vec<Stm>, exp: Exp, span: Span) -> Atom {
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
        var.into()
    }
}
