//! How the loops of a bulk form move the subscripts of its value.
//!
//! ```text
//! for i < n {
//!   for j < m {
//!     let k = j + 1
//!     emit [i, k] ..          i moves the first subscript, j the second one: no two turns give a value for the same place
//! ```

use crate::traverse::Part;
use crate::{Atom, Bulk, Emit, Exp, Step, Stm, Var};
use base::{Map, Set};
use scalar::{BinOp, Prim};

/// The only value of a form, if no two turns give one for the same place.
pub struct Moves<'b> {
    /// The value.
    pub emit: &'b Emit,
    /// For each subscript, the loop that moves it.
    pub loops: Vec<Option<Moved<'b>>>,
    /// What the form binds.
    bound: Set<Var>,
    bulk: &'b Bulk,
}

/// A loop that moves a subscript.
#[derive(Clone, Copy)]
pub struct Moved<'b> {
    /// The counter.
    pub counter: Var,
    /// How many turns.
    pub count: Atom,
    /// How the subscript is computed from the counter, if it is not the counter itself.
    pub subscript: Option<&'b Exp>,
    /// Whether the subscript is the counter, but for what is the same in all turns.
    pub alone: bool,
}

/// How loops move the subscripts of a form with one value, if each loop moves one of its own. A subscript may also depend on
/// counters that other subscripts say: `[i, i + j]`.
pub fn of(bulk: &Bulk) -> Option<Moves<'_>> {
    let mut found = Found::default();
    found.steps(&bulk.steps, &mut Vec::new());
    let [(emit, loops)] = &found.emits[..] else { return None };
    let mut movers: Vec<Option<Moved<'_>>> = vec![None; emit.at.len()];
    let mut moved: Set<Var> = Set::default();
    for _ in loops {
        for (at, mover) in emit.at.iter().zip(&mut movers).filter(|(_, mover)| mover.is_none()) {
            *mover = found.mover(*at, loops, &moved);
            moved.extend(mover.map(|mover| mover.counter));
        }
    }
    let bound = Step::bound_in(&bulk.steps);
    (moved.len() == loops.len()).then_some(Moves { emit, loops: movers, bound, bulk })
}

impl Moves<'_> {
    /// The subscripts at which values read an array beside the element that they replace, if all of these are rows, columns or
    /// elements: each subscript is one of the value, or the same in all turns. A copy has fewer elements than there are turns.
    pub fn lines(&self, array: Var) -> Option<Vec<Vec<Atom>>> {
        let (mut mentions, mut reads) = (0, Vec::new());
        for step in &self.bulk.steps {
            step.walk(&mut |part| match part {
                Part::Stm(Stm { exp: Exp::Index(of, at), .. }) if *of == array => reads.push(at.clone()),
                Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions += usize::from(*var == array),
                Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
            });
        }
        let all_read = mentions == reads.len();
        let mut lines: Vec<Vec<Atom>> = Vec::new();
        for at in reads {
            if at != self.emit.at && !lines.contains(&at) {
                lines.push(at);
            }
        }
        (all_read && lines.iter().all(|at| self.is_line(at))).then_some(lines)
    }

    fn is_line(&self, at: &[Atom]) -> bool {
        let is_fixed = |atom: &Atom| atom.var().is_none_or(|var| !self.bound.contains(&var));
        let mut moved: Vec<Var> = at.iter().filter_map(|at| self.moved(*at)).map(|moved| moved.counter).collect();
        let (all, loops) = (moved.len(), self.loops.iter().flatten().count());
        moved.sort_unstable();
        moved.dedup();
        at.len() == self.emit.at.len()
            && at.iter().all(|at| is_fixed(at) || self.moved(*at).is_some())
            && moved.len() == all
            && all < loops
            && self.loops.iter().flatten().all(|moved| moved.alone && is_fixed(&moved.count))
    }

    /// The loop that moves this subscript of the value.
    pub fn moved(&self, at: Atom) -> Option<Moved<'_>> {
        let own = self.emit.at.iter().position(|own| *own == at)?;
        self.loops[own]
    }
}

/// The values of a form and the loops around each, and what is bound in it.
#[derive(Default)]
struct Found<'b> {
    emits: Vec<(&'b Emit, Vec<(Var, Atom)>)>,
    bound: Map<Var, Option<&'b Exp>>,
}

impl<'b> Found<'b> {
    fn steps(&mut self, steps: &'b [Step], loops: &mut Vec<(Var, Atom)>) {
        for step in steps {
            match step {
                Step::For { var, count, body, .. } => {
                    self.bound.insert(*var, None);
                    loops.push((*var, *count));
                    self.steps(body, loops);
                    loops.pop();
                }
                Step::Guard(_, body) => self.steps(body, loops),
                Step::Let(Stm { vars, exp, .. }) => self.bound.extend(vars.iter().map(|var| (*var, Some(exp)))),
                Step::Scan(scan) => self.bound.extend(scan.vars.iter().map(|var| (*var, None))),
                Step::Emit(emit) => self.emits.push((emit, loops.clone())),
            }
        }
    }

    /// The loop whose index a subscript is, but for what is the same in all turns or follows from these counters.
    fn mover(&self, at: Atom, loops: &[(Var, Atom)], known: &Set<Var>) -> Option<Moved<'b>> {
        let subscript = at.var().and_then(|var| *self.bound.get(&var)?);
        let moved =
            |(counter, count): &(Var, Atom), alone| Moved { counter: *counter, count: *count, subscript, alone };
        let fixed = |atom: Atom| atom.var().is_none_or(|var| !self.bound.contains_key(&var));
        let index = |atom: Atom| loops.iter().find(|(var, _)| Atom::Var(*var) == atom);
        if let Some(found) = moved_by(at, subscript, &index, &fixed) {
            return Some(moved(found, true));
        }
        let follows = |atom: Atom| self.follows(atom, known);
        let multiple = |atom: Atom| index(atom).or_else(|| index(self.multiple(atom)?)).filter(|_| !follows(atom));
        moved_by(at, subscript, &multiple, &follows).map(|found| moved(found, false))
    }

    /// Whether a number is the same in all turns, or follows from these counters.
    fn follows(&self, atom: Atom, known: &Set<Var>) -> bool {
        let Some(var) = atom.var() else { return true };
        match self.bound.get(&var) {
            None => true,
            Some(None) => known.contains(&var),
            Some(Some(Exp::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, Prim::I64, a, b))) => {
                self.follows(*a, known) && self.follows(*b, known)
            }
            Some(Some(_)) => false,
        }
    }

    /// What a number is a multiple of. Elements that are there have subscripts that did not wrap around.
    fn multiple(&self, atom: Atom) -> Option<Atom> {
        match (*self.bound.get(&atom.var()?)?)? {
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) => match (a.as_size(), b.as_size()) {
                (None, Some(k)) if k > 0 => Some(*a),
                (Some(k), None) if k > 0 => Some(*b),
                (_, _) => None,
            },
            _ => None,
        }
    }
}

/// The loop that moves a subscript, by its index or by a sum with something that does not move.
fn moved_by<'l>(
    at: Atom,
    subscript: Option<&Exp>,
    index: &dyn Fn(Atom) -> Option<&'l (Var, Atom)>,
    fixed: &dyn Fn(Atom) -> bool,
) -> Option<&'l (Var, Atom)> {
    match subscript {
        None => index(at),
        Some(Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, a, b)) => match (index(*a), index(*b)) {
            (Some(found), None) if fixed(*b) => Some(found),
            (None, Some(found)) if fixed(*a) => Some(found),
            (_, _) => None,
        },
        Some(Exp::Atom(atom)) => index(*atom),
        Some(_) => index(at),
    }
}
