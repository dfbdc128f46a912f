//! Updates that need not wait: no two values go to one place, and each reads of the arrays that it changes at most the
//! element that it replaces. So a value can be written as soon as it is computed, in any order.
//!
//! ```text
//! out update (a) of (x: f64)
//! for i < n {
//!   for j < m {
//!     let k = j + 1
//!     emit [i, k] { let y = a[i, k]; let z = y * 2.0; => z }
//! ```

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Bulk, Emit, Exp, Kind, Program, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// Whether an update of scalars is of this kind.
pub fn are_own(program: &Program, bulk: &Bulk) -> bool {
    let [output] = &bulk.outputs[..] else { return false };
    let Kind::Update { arrays, rec, .. } = &output.kind else { return false };
    let scalars = output.elems.iter().all(|elem| program.ty(*elem).dims().is_empty());
    let mut found = Found::default();
    found.steps(&bulk.steps, &mut Vec::new());
    let [(emit, loops)] = &found.emits[..] else { return false };
    rec.is_empty() && scalars && found.are_apart(emit, loops) && reads_own(bulk, arrays, &emit.at)
}

/// The values of a form and the loops around each, and what is bound in it.
#[derive(Default)]
struct Found<'b> {
    emits: Vec<(&'b Emit, Vec<Var>)>,
    bound: Map<Var, Option<&'b Exp>>,
}

impl<'b> Found<'b> {
    fn steps(&mut self, steps: &'b [Step], loops: &mut Vec<Var>) {
        for step in steps {
            match step {
                Step::For { var, body, .. } => {
                    self.bound.insert(*var, None);
                    loops.push(*var);
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

    /// Whether each loop moves a subscript of its own.
    fn are_apart(&self, emit: &Emit, loops: &[Var]) -> bool {
        let moved: Set<Var> = emit.at.iter().filter_map(|at| self.mover(*at, loops)).collect();
        moved.len() == loops.len()
    }

    /// The loop whose index a subscript is, but for what is the same in all turns.
    fn mover(&self, at: Atom, loops: &[Var]) -> Option<Var> {
        let index = |atom: Atom| atom.var().filter(|var| loops.contains(var));
        let constant = |atom: Atom| atom.var().is_none_or(|var| !self.bound.contains_key(&var));
        let definition = at.var().and_then(|var| *self.bound.get(&var)?);
        match definition {
            None => index(at),
            Some(Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, a, b)) => match (index(*a), index(*b)) {
                (Some(var), None) if constant(*b) => Some(var),
                (None, Some(var)) if constant(*a) => Some(var),
                (_, _) => None,
            },
            Some(Exp::Atom(atom)) => index(*atom),
            Some(_) => None,
        }
    }
}

/// Whether arrays are read at these subscripts alone, and not mentioned otherwise.
fn reads_own(bulk: &Bulk, arrays: &[Var], at: &[Atom]) -> bool {
    let mentions = mentions_of(bulk, at);
    arrays.iter().all(|array| mentions.get(array).is_none_or(|mentions| mentions.own == mentions.all))
}

/// The arrays that a form reads at these subscripts alone, and does not mention otherwise.
pub fn read_at(bulk: &Bulk, at: &[Atom]) -> Vec<Var> {
    let mentions = mentions_of(bulk, at);
    let mut arrays: Vec<Var> =
        mentions.iter().filter(|(_, mentions)| mentions.own == mentions.all).map(|(var, _)| *var).collect();
    arrays.sort_unstable();
    arrays
}

/// The variables that the steps of a form mention.
pub fn mentioned(bulk: &Bulk) -> Vec<Var> {
    let mut vars: Vec<Var> = mentions_of(bulk, &[]).into_keys().collect();
    vars.sort_unstable();
    vars
}

/// How often the steps of a form mention a variable, and how often to read it at some subscripts.
#[derive(Clone, Copy, Default)]
struct Mentions {
    all: usize,
    own: usize,
}

fn mentions_of(bulk: &Bulk, at: &[Atom]) -> Map<Var, Mentions> {
    let mut mentions: Map<Var, Mentions> = Map::default();
    for step in &bulk.steps {
        step.walk(&mut |part| match part {
            Part::Stm(Stm { exp: Exp::Index(array, indices), .. }) if indices == at => {
                mentions.entry(*array).or_default().own += 1;
            }
            Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions.entry(*var).or_default().all += 1,
            Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
        });
    }
    mentions
}
