//! Arrays that each turn of a loop makes take the memory that an earlier turn does not need any more.
//!
//! ```text
//!                                             var spare
//! for t < steps {                             for t < steps {
//!   alloc ys n                                  alloc ys n reusing spare
//!   ..ys from xs..                       =>     ..ys from xs..
//!   release xs                                  move spare = xs
//!   move xs = ys                                move xs = ys
//! }                                           }
//!                                             release spare
//! ```
//!
//! So `loop xs for t < steps do step xs` alternates between two arrays, and a temporary array of a turn is allocated once. In
//! the body of a parallel loop each thread keeps memory for its turns (`keep spare`).
//! Whether something else still refers to the memory, as in the first turn, is found at run time, by its count. A release
//! serves an allocation if what it releases comes from that allocation, or from one of the same size: otherwise the
//! memory would rarely fit. One that comes before the allocation in a turn is preferred: then two temporary arrays
//! that are not needed at the same time are one.

use crate::moves::opened;
use base::{Map, Set};
use kernel::walk::for_each_stm;
use kernel::{Expr, Exprs, Home, Mode, Program, Stm, Type, Var, VarInfo};

/// Reuses memory in all functions.
pub(crate) fn recycle(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        block(program, &mut body, false);
        program.functions[id].body = body;
    }
}

/// A buffer that holds memory from one turn of a loop to another.
#[derive(Clone, Copy)]
struct Spare {
    var: Var,
    ty: Type,
    /// The size of the allocation that takes the memory.
    count: Expr,
    /// Whether only arrays of one turn leave their memory here.
    temporary: bool,
}

/// Changes a block, which a loop repeats or not. Gives the spare buffers that the loop around it must declare. So arrays of
/// loops in loops are allocated once for all turns of the outermost.
fn block(program: &mut Program, stms: &mut Vec<Stm>, is_repeated: bool) -> Vec<Spare> {
    let mut spares = Vec::new();
    for mut stm in std::mem::take(stms) {
        let is_loop = matches!(stm, Stm::For { .. } | Stm::While { .. });
        let repeated = is_loop || is_repeated && !matches!(stm, Stm::Try { .. });
        let mut wanted = Vec::new();
        for inner in stm.blocks_mut() {
            let found = block(program, inner, repeated);
            join(inner, &mut wanted, found);
        }
        if let Stm::For { mode: Mode::Parallel, body, .. } = &mut stm {
            body.splice(0..0, wanted.drain(..).map(|spare| Stm::Keep(spare.var)));
        }
        if is_repeated {
            join(std::slice::from_mut(&mut stm), &mut spares, wanted);
            stms.push(stm);
        } else {
            stms.extend(wanted.iter().map(|spare| Stm::Declare(spare.var)));
            stms.push(stm);
            stms.extend(wanted.iter().map(|spare| Stm::Release(spare.var)));
        }
    }
    spares.extend(in_turn(program, stms, is_repeated));
    spares
}

/// Adds the spare buffers of some statements to those of others that do not run at the same time: temporary arrays of the
/// same size take turns.
fn join(stms: &mut [Stm], spares: &mut Vec<Spare>, found: Vec<Spare>) {
    let mut free = spares.clone();
    for spare in found {
        let is_alike =
            |other: &Spare| other.temporary && spare.temporary && (other.ty, other.count) == (spare.ty, spare.count);
        match free.iter().position(is_alike) {
            Some(at) => rename(stms, spare.var, free.swap_remove(at).var),
            None => spares.push(spare),
        }
    }
}

/// Gives a spare buffer the place of another.
fn rename(stms: &mut [Stm], old: Var, new: Var) {
    for stm in stms {
        match stm {
            Stm::Alloc { reuse: Some(var), .. } | Stm::Move { to: var, .. } if *var == old => *var = new,
            _ => {}
        }
        stm.blocks_mut().into_iter().for_each(|block| rename(block, old, new));
    }
}

/// Changes the statements of a turn, or of a block that no loop repeats; gives the buffers that hold memory from one turn
/// to another.
fn in_turn(program: &mut Program, body: &mut Vec<Stm>, is_repeated: bool) -> Vec<Spare> {
    if is_repeated {
        release_early(&program.exprs, body);
    }
    let facts = Facts::of(program, body);
    let (mut spares, mut within) = (Vec::new(), Vec::new());
    for (alloc, release) in facts.pairs(is_repeated) {
        if !is_repeated && may_allocate(&body[release..alloc]) {
            continue;
        }
        let Stm::Release(from) = body[release] else { continue };
        let Stm::Alloc { buffer, count, reuse, .. } = &mut body[alloc] else { continue };
        let info = VarInfo { name: "spare".into(), home: Home::Any, ..program.vars[*buffer].clone() };
        let (ty, var) = (info.ty, program.vars.push(info));
        *reuse = Some(var);
        let spare = Spare { var, ty, count: facts.value(*count), temporary: from == *buffer };
        if alloc < release { &mut spares } else { &mut within }.push(spare);
        body[release] = Stm::Move { to: var, from };
    }
    // What an allocation of the same turn takes is gone at its end.
    body.splice(0..0, within.into_iter().map(|spare| Stm::Declare(spare.var)));
    spares
}

/// Whether something may need memory: it should get what was released before it, even if that is of another size.
fn may_allocate(stms: &[Stm]) -> bool {
    let mut found = false;
    for_each_stm(stms, &mut |stm| {
        found |= matches!(stm, Stm::Alloc { .. } | Stm::Grow { .. } | Stm::Pack { .. } | Stm::Call { .. });
    });
    found
}

/// Releases buffers as soon as nothing reads them any more. The body releases loop variables at its end, where the next
/// values take their places; so allocations after the last use could not take their memory.
fn release_early(exprs: &Exprs, body: &mut [Stm]) {
    let boxes = opened(body);
    for at in 0..body.len() {
        let Stm::Release(buffer) = body[at] else { continue };
        let last = body[..at].iter().rposition(|stm| stm.mentions(exprs, buffer)).map_or(0, |last| last + 1);
        if !boxes.contains(&buffer) && body[last..at].iter().any(|stm| matches!(stm, Stm::Alloc { .. })) {
            body[last..=at].rotate_right(1);
        }
    }
}

/// An allocation.
struct Alloc {
    at: usize,
    buffer: Var,
    ty: Type,
    count: Expr,
}

/// What happens to memory in the body of a loop. Statements are named by their places in the body.
struct Facts {
    /// Buffers that the body declares and that get memory there.
    allocs: Vec<Alloc>,
    /// Buffers that the body gives up.
    releases: Vec<(usize, Var)>,
    /// For a buffer, those that its reference may come from.
    origins: Map<Var, Set<Var>>,
    /// Values of variables that the body binds.
    values: Map<Var, Expr>,
}

impl Facts {
    fn of(program: &Program, body: &[Stm]) -> Facts {
        let mut facts =
            Facts { allocs: Vec::new(), releases: Vec::new(), origins: Map::default(), values: Map::default() };
        let mut declared = Set::default();
        for (at, stm) in body.iter().enumerate() {
            match stm {
                Stm::Declare(var) => {
                    declared.insert(*var);
                }
                Stm::Let(var, value) => {
                    facts.values.insert(*var, *value);
                }
                Stm::Alloc { buffer, count, reuse: None, .. } if declared.contains(buffer) => {
                    facts.allocs.push(Alloc { at, buffer: *buffer, ty: program.vars[*buffer].ty, count: *count });
                }
                Stm::Release(buffer) if !matches!(program.vars[*buffer].home, Home::Local(_)) => {
                    facts.releases.push((at, *buffer));
                }
                _ => {}
            }
        }
        facts.follow(body);
        facts
    }

    /// Finds where references come from. What is shared inside of the body is not given up by releasing it, and what is left
    /// over from a loop inside may be nothing.
    fn follow(&mut self, body: &[Stm]) {
        let mut shared = Set::default();
        for_each_stm(body, &mut |stm| {
            if let Stm::Share { to, from } | Stm::Move { to, from } = stm {
                self.origins.entry(*to).or_default().insert(*from);
            }
            if let Stm::Share { from, .. } | Stm::Alloc { reuse: Some(from), .. } = stm {
                shared.insert(*from);
            }
        });
        self.releases.retain(|(_, buffer)| !shared.contains(buffer));
    }

    /// For allocations, the release that gives them memory: first one of the same turn, then one of the turn before if the
    /// block is repeated.
    fn pairs(&self, is_repeated: bool) -> Vec<(usize, usize)> {
        let mut free = self.releases.clone();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for same_turn in [true, false] {
            if !same_turn && !is_repeated {
                break;
            }
            for alloc in self.allocs.iter() {
                let serves =
                    |release: &(usize, Var)| (!same_turn || release.0 < alloc.at) && self.serves(release.1, alloc);
                if !pairs.iter().any(|(at, _)| *at == alloc.at)
                    && let Some(found) = free.iter().rposition(serves)
                {
                    pairs.push((alloc.at, free.remove(found).0));
                }
            }
        }
        pairs
    }

    /// Whether a released buffer has memory of the size of an allocation.
    fn serves(&self, released: Var, wanted: &Alloc) -> bool {
        let sources = self.sources(released);
        let is_alike = |other: &Alloc| {
            let same_size = other.ty == wanted.ty && self.value(other.count) == self.value(wanted.count);
            sources.contains(&other.buffer) && (other.buffer == wanted.buffer || same_size)
        };
        self.allocs.iter().any(is_alike)
    }

    /// A buffer, and all from which its reference may come.
    fn sources(&self, buffer: Var) -> Set<Var> {
        let (mut found, mut open) = (Set::default(), vec![buffer]);
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.origins.get(&next).into_iter().flatten());
            }
        }
        found
    }

    fn value(&self, expr: Expr) -> Expr {
        match expr {
            Expr::Var(var) => self.values.get(&var).copied().unwrap_or(expr),
            Expr::Const(_) | Expr::Op(_) => expr,
        }
    }
}
