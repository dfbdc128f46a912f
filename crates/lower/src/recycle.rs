//! Arrays that each turn of a sequential loop makes take the memory that an earlier turn does not need any more.
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
//! So `loop xs for t < steps do step xs` alternates between two arrays, and a temporary array of a turn is allocated once.
//! Whether something else still refers to the memory, as in the first turn, is found at run time, by its count. A release
//! serves an allocation if what it releases comes from that allocation, or from one of the same size: otherwise the
//! memory would rarely fit. One that comes before the allocation in a turn is preferred: then two temporary arrays
//! that are not needed at the same time are one.

use base::{Map, Set};
use kernel::walk::for_each_stm;
use kernel::{Expr, Exprs, Home, Mode, Program, Stm, Type, Var, VarInfo};

/// Reuses memory in all functions.
pub(crate) fn recycle(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        block(program, &mut body);
        program.functions[id].body = body;
    }
}

fn block(program: &mut Program, stms: &mut Vec<Stm>) {
    for mut stm in std::mem::take(stms) {
        stm.blocks_mut().into_iter().for_each(|inner| block(program, inner));
        let spares = match &mut stm {
            Stm::For { mode: Mode::Sequential | Mode::Short, body, .. } | Stm::While { body, .. } => {
                in_loop(program, body)
            }
            _ => Vec::new(),
        };
        stms.extend(spares.iter().copied().map(Stm::Declare));
        stms.push(stm);
        stms.extend(spares.into_iter().map(Stm::Release));
    }
}

/// Changes the body of a loop; gives the buffers that hold memory from one turn to another.
fn in_loop(program: &mut Program, body: &mut [Stm]) -> Vec<Var> {
    release_early(&program.exprs, body);
    let facts = Facts::of(program, body);
    let mut spares = Vec::new();
    for (alloc, release) in facts.pairs() {
        let (Stm::Alloc { buffer, reuse, .. }, info) = (&mut body[alloc], &program.vars) else { continue };
        let info = VarInfo { name: "spare".into(), home: Home::Any, ..info[*buffer].clone() };
        let spare = program.vars.push(info);
        *reuse = Some(spare);
        if let Stm::Release(from) = body[release] {
            body[release] = Stm::Move { to: spare, from };
        }
        spares.push(spare);
    }
    spares
}

/// Releases buffers as soon as nothing reads them any more. The body releases loop variables at its end, where the next
/// values take their places; so allocations after the last use could not take their memory.
fn release_early(exprs: &Exprs, body: &mut [Stm]) {
    let mut boxes = Set::default();
    for_each_stm(body, &mut |stm| {
        if let Stm::Fetch { from, .. } = stm {
            boxes.insert(*from);
        }
    });
    for at in 0..body.len() {
        let Stm::Release(buffer) = body[at] else { continue };
        let last = body[..at].iter().rposition(|stm| mentions(exprs, stm, buffer)).map_or(0, |last| last + 1);
        // What a box refers to is used under other names.
        if !boxes.contains(&buffer) && body[last..at].iter().any(|stm| matches!(stm, Stm::Alloc { .. })) {
            body[last..=at].rotate_right(1);
        }
    }
}

fn mentions(exprs: &Exprs, stm: &Stm, buffer: Var) -> bool {
    let mut found = false;
    for_each_stm(std::slice::from_ref(stm), &mut |stm| {
        stm.for_each_var(exprs, &mut |var| found |= var == buffer);
        found |= stm.declared().contains(&buffer);
    });
    found
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

    /// For allocations, the release that gives them memory: first one of the same turn, then one of the turn before.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let mut free = self.releases.clone();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for same_turn in [true, false] {
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
