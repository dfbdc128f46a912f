//! Checks of limited indices, which only ask whether there is an element at all.
//!
//! ```text
//! let t: i64 = m - 1                             let t: i64 = m - 1
//! let u: i64 = i64.min(k, t)                     let u: i64 = i64.min(k, t)
//! let v: i64 = i64.max(u, 0)                     let v: i64 = i64.max(u, 0)
//! let w: bool = v < m                     =>     let w: bool = m >= 1
//! let c: cert = assert w else R001(v, m)         let c: cert = assert w else R001(v, m)
//! let <c> x: f64 = xs[v]                         let <c> x: f64 = xs[v]
//! ```
//!
//! Both conditions say the same, which is proved in both directions. The new one does not change from turn to turn, so the
//! check can leave the loop. Of other checks (`xs[i64.abs (i - 1)]`) it is only known that they hold if sizes are
//! large enough. Where some fail in the first turn otherwise, [`hoist`](super::hoist) asks for the sizes before the loop.

use base::{Map, Set};
use ir::facts::Facts;
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Stm, Type, Var, VarInfo};
use scalar::{BinOp, MathOp, Prim};

/// No more elements are asked for: `xs[k]` and `xs[k + 1]` need two, say.
const MOST: i64 = 4;
/// How many operations lie between a limited index and its limits.
const DEEPEST: usize = 4;

/// By their certificates, checks that hold if sizes are at least some numbers.
pub(super) type Sizes = Map<Var, Vec<(Var, i64)>>;

/// What checks ask of sizes.
#[derive(Default)]
pub(super) struct Asked {
    /// Checks that ask for no more.
    pub exactly: Sizes,
    /// Checks that hold then. Otherwise some fail in the first turn of a loop with one of these counters.
    pub enough: Map<Var, Enough>,
}

/// What is enough for a check in all turns of loops.
pub(super) struct Enough {
    pub sizes: Vec<(Var, i64)>,
    pub counters: Vec<Var>,
}

impl Asked {
    /// Notes what a check asks of sizes.
    pub fn look_at(&mut self, facts: &mut Facts<'_>, cert: Var, cond: Atom) {
        let mut parts = Vec::new();
        conjuncts(facts, cond, &mut parts);
        let Some(sizes) = asked(facts, &parts) else { return };
        if is_implied(facts, cond, &sizes) {
            self.exactly.insert(cert, sizes);
            return;
        }
        let counters = open_variables(facts, cond);
        let counters = counters.into_iter().filter(|counter| fails_at_zero(facts, &parts, &sizes, *counter)).collect();
        self.enough.insert(cert, Enough { sizes, counters });
    }
}

/// How large sizes must be for a condition to hold that does not say so, from its parts.
fn asked(facts: &mut Facts<'_>, parts: &[Atom]) -> Option<Vec<(Var, i64)>> {
    if !parts.iter().any(|part| is_limited(facts, *part)) {
        return None;
    }
    let limits: Vec<Var> = parts.iter().flat_map(|part| limits(facts, *part)).collect();
    let mut sizes = Vec::new();
    for part in parts {
        if !follow(facts, *part) {
            let asked = limits.iter().find_map(|size| least(facts, *part, *size))?;
            if !sizes.contains(&asked) {
                sizes.push(asked);
            }
        }
    }
    (!sizes.is_empty()).then_some(sizes)
}

/// Whether a condition says that sizes are so large.
fn is_implied(facts: &mut Facts<'_>, cond: Atom, sizes: &[(Var, i64)]) -> bool {
    let mark = facts.mark();
    facts.suppose(cond, true);
    let implied = sizes.iter().all(|(size, least)| {
        facts.comparison(BinOp::Ge, (*size).into(), Atom::size(*least), true).is_some_and(|fact| facts.follows(&fact))
    });
    facts.forget(mark);
    implied
}

/// Whether a part of a condition fails where a counter is 0 and any of the sizes is smaller: then to ask for the sizes before
/// the loop is no more than the loop asks for.
fn fails_at_zero(facts: &mut Facts<'_>, parts: &[Atom], sizes: &[(Var, i64)], counter: Var) -> bool {
    sizes.iter().all(|(size, least)| {
        let mark = facts.mark();
        let smaller = facts.comparison(BinOp::Ge, (*size).into(), Atom::size(*least), false);
        let first = facts.comparison(BinOp::Eq, counter.into(), Atom::size(0), true);
        smaller.into_iter().chain(first).for_each(|fact| facts.learn(fact));
        let fails = parts.iter().any(|part| {
            let meaning = facts.meaning(*part, false);
            !meaning.is_empty() && meaning.iter().all(|fact| facts.follows(fact))
        });
        facts.forget(mark);
        fails
    })
}

/// The variables without a definition that a condition is computed from, counters of loops among them.
fn open_variables(facts: &Facts<'_>, cond: Atom) -> Vec<Var> {
    let (mut found, mut seen, mut open) = (Vec::new(), Set::default(), vec![cond]);
    while let Some(var) = open.pop().and_then(|atom| atom.var()) {
        if !seen.insert(var) {
            continue;
        }
        match facts.terms.def(var) {
            Some(exp) => exp.for_each_part(&mut |part| {
                if let Part::Atom(atom @ Atom::Var(_)) = part {
                    open.push(*atom);
                }
            }),
            None => found.push(var),
        }
    }
    found
}

/// Whether a condition holds.
pub(super) fn follow(facts: &mut Facts<'_>, cond: Atom) -> bool {
    facts.meaning(cond, true).iter().all(|fact| facts.follows(fact))
}

/// The parts of a condition all of which must hold.
pub(super) fn conjuncts(facts: &Facts<'_>, cond: Atom, parts: &mut Vec<Atom>) {
    match cond.var().and_then(|var| facts.terms.def(var)) {
        Some(Exp::Atom(a)) => conjuncts(facts, *a, parts),
        Some(Exp::Bin(BinOp::LogAnd, _, a, b)) => {
            conjuncts(facts, *a, parts);
            conjuncts(facts, *b, parts);
        }
        _ => parts.push(cond),
    }
}

/// The size that an index is below, and what it is divided by.
fn limits(facts: &Facts<'_>, cond: Atom) -> Vec<Var> {
    let Some((index, size)) = compared(facts, cond) else { return Vec::new() };
    let divisor = match index.var().and_then(|var| facts.terms.def(var)) {
        Some(Exp::Bin(BinOp::Div | BinOp::Mod, _, _, by)) => by.var(),
        _ => None,
    };
    [size].into_iter().chain(divisor).collect()
}

/// The size that an index is below, and the index.
fn compared(facts: &Facts<'_>, cond: Atom) -> Option<(Atom, Var)> {
    match facts.terms.def(cond.var()?)? {
        Exp::Bin(BinOp::Lt, Prim::I64, index, size) => Some((*index, size.var()?)),
        _ => None,
    }
}

/// Whether an index is compared that was limited before.
fn is_limited(facts: &Facts<'_>, cond: Atom) -> bool {
    compared(facts, cond).is_some_and(|(index, _)| has_limit(facts, index, DEEPEST))
}

fn has_limit(facts: &Facts<'_>, atom: Atom, depth: usize) -> bool {
    let Some(exp) = atom.var().and_then(|var| facts.terms.def(var)).filter(|_| depth > 0) else { return false };
    match exp {
        Exp::Math(MathOp::Min | MathOp::Max | MathOp::Abs, ..) | Exp::Select(..) | Exp::If(..) => true,
        Exp::Bin(BinOp::Div | BinOp::Mod, ..) => true,
        Exp::Atom(a) => has_limit(facts, *a, depth - 1),
        Exp::Bin(BinOp::Add | BinOp::Sub, _, a, b) => [a, b].iter().any(|atom| has_limit(facts, **atom, depth - 1)),
        _ => false,
    }
}

/// How large a size must be for a condition to hold.
fn least(facts: &mut Facts<'_>, cond: Atom, size: Var) -> Option<(Var, i64)> {
    let least = (1..=MOST).find(|least| {
        let mark = facts.mark();
        let enough = facts.comparison(BinOp::Ge, size.into(), Atom::size(*least), true);
        enough.into_iter().for_each(|fact| facts.learn(fact));
        let suffices = follow(facts, cond);
        facts.forget(mark);
        suffices
    })?;
    Some((size, least))
}

/// Lets checks of a body ask for sizes alone.
pub(super) fn ask(program: &mut Program, body: &mut Block, sizes: &Sizes) {
    if sizes.is_empty() {
        return;
    }
    body.replace_stms(&mut |mut stm| {
        let mut stms = Vec::new();
        if let (Exp::Assert { cond, .. }, [cert]) = (&mut stm.exp, &stm.vars[..])
            && let Some(sizes) = sizes.get(cert)
        {
            let mut bind = |exp: Exp| -> Atom {
                let var = program.vars.push(VarInfo::new("t".into(), Type::Scalar(Prim::Bool)));
                stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: stm.span });
                var.into()
            };
            let each: Vec<Atom> = sizes
                .iter()
                .map(|(size, least)| bind(Exp::Bin(BinOp::Ge, Prim::I64, (*size).into(), Atom::size(*least))))
                .collect();
            let all = each.into_iter().reduce(|a, b| bind(Exp::Bin(BinOp::LogAnd, Prim::Bool, a, b)));
            *cond = all.unwrap_or(*cond);
        }
        stms.push(stm);
        stms
    });
}
