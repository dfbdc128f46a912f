//! What it costs to compute an element again instead of reading it.

use analysis::cost::{Effort, effort};
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Stm, Var};
use scalar::BinOp;

/// What reading an element from memory costs, after it was written there.
const THROUGH_MEMORY: usize = 48;
/// What that costs if several loops read it: the later ones may find it in the cache.
const THROUGH_CACHE: usize = 24;
/// What an element may cost that is read who knows how often, perhaps from the cache.
const NEXT_TO_NOTHING: usize = 6;
/// What a mathematical function costs.
const FUNCTION: usize = 24;
/// What a division or a root costs.
const DIVISION: usize = 8;
/// What reading an element of another array costs, which is often in the cache.
const READ: usize = 2;
/// What reading an element costs that may be anywhere, since data say which one.
const GATHER: usize = 50;

/// How often each element is computed.
#[derive(Clone, Copy)]
pub(super) enum Times {
    /// At most so often, in one loop.
    InOneLoop(usize),
    /// At most so often.
    Known(usize),
    /// By many turns of a loop, perhaps.
    Unknown,
}

/// Whether an element costs so little that it may be computed so often: it is made of operations on scalars and of elements of
/// other arrays, and what is computed alike counts once.
pub(super) fn pays(element: &Block, times: Times) -> bool {
    let Some(costs) = costs(element) else { return false };
    match times {
        Times::InOneLoop(times) => costs * times.saturating_sub(1) <= THROUGH_MEMORY,
        Times::Known(times) => costs * times.saturating_sub(1) <= THROUGH_CACHE,
        Times::Unknown => costs <= NEXT_TO_NOTHING,
    }
}

/// Whether computing an element costs less than a mathematical function, even one by one.
pub(super) fn takes_little(element: &Block) -> bool {
    costs(element).is_some_and(|costs| costs < FUNCTION)
}

/// What an element costs, unless that is not known.
fn costs(element: &Block) -> Option<usize> {
    let mut names: Map<Var, Atom> = Map::default();
    let mut seen: Map<(String, Vec<Atom>), Atom> = Map::default();
    let (mut costs, mut data) = (0, Set::default());
    for stm in &element.stms {
        let [var] = stm.vars[..] else { return None };
        let cost = cost(stm, &data)?;
        if depends_on(stm, &data) || matches!(stm.exp, Exp::Index(..)) {
            data.insert(var);
        }
        let atom = match &stm.exp {
            Exp::Atom(atom) => name(&names, *atom),
            Exp::If(..) => {
                costs += cost;
                Atom::Var(var)
            }
            exp => *seen.entry(key(exp, &names)).or_insert_with(|| {
                costs += cost;
                Atom::Var(var)
            }),
        };
        names.insert(var, atom);
    }
    Some(costs)
}

fn name(names: &Map<Var, Atom>, atom: Atom) -> Atom {
    atom.var().and_then(|var| names.get(&var).copied()).unwrap_or(atom)
}

/// The operation and its operands.
fn key(exp: &Exp, names: &Map<Var, Atom>) -> (String, Vec<Atom>) {
    let (what, operands) = match exp {
        Exp::Bin(op, prim, a, b) => (format!("{op:?} {prim:?}"), vec![*a, *b]),
        Exp::Un(op, prim, a) => (format!("{op:?} {prim:?}"), vec![*a]),
        Exp::Math(op, prim, args) => (format!("{op:?} {prim:?}"), args.clone()),
        Exp::Convert(from, to, a) => (format!("{from:?} {to:?}"), vec![*a]),
        Exp::Select(cond, a, b) => ("select".to_owned(), vec![*cond, *a, *b]),
        Exp::Index(array, at) => (format!("{array:?}"), at.clone()),
        Exp::DescLength(desc, at) => (format!("length {desc:?}"), at.clone()),
        Exp::DescIndex(desc, at) => (format!("lengths {desc:?}"), at.clone()),
        _ => base::bug!("an expression without a price"),
    };
    (what, operands.into_iter().map(|atom| name(names, atom)).collect())
}

/// Whether a statement has one of these operands.
fn depends_on(stm: &Stm, data: &Set<Var>) -> bool {
    let mut found = false;
    stm.walk(&mut |part| found |= matches!(part, Part::Atom(Atom::Var(var)) if data.contains(var)));
    found
}

/// What a statement costs. `data` is computed from elements of arrays.
fn cost(stm: &Stm, data: &Set<Var>) -> Option<usize> {
    Some(match &stm.exp {
        Exp::Atom(_) => 0,
        Exp::Index(..) | Exp::DescLength(..) | Exp::DescIndex(..) => {
            if depends_on(stm, data) {
                GATHER
            } else {
                READ
            }
        }
        Exp::Bin(BinOp::Pow, ..) => FUNCTION,
        Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, prim, _, Atom::Var(_)) if prim.is_int() => {
            FUNCTION
        }
        Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, ..) => DIVISION,
        Exp::Math(op, ..) => match effort(*op) {
            Effort::Operation => 1,
            Effort::Root => DIVISION,
            Effort::Function => FUNCTION,
        },
        Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) => 1,
        // In vectors both sides are computed.
        Exp::If(_, then, otherwise) => {
            let mut sum = 1;
            for stm in then.stms.iter().chain(&otherwise.stms) {
                sum += cost(stm, data)?;
            }
            sum
        }
        _ => return None,
    })
}
