//! Marks on the finished Kernel program, for the C compiler: the memories of buffers, loops whose iterations are
//! independent, and loops so short that copies of the body are better.
//!
//! ```text
//! var ys: []f64                               var ys: []f64 in m0
//! for i = low to high {                       for i = low to high simd {
//!   ys[i] := xs[i] * 2.0                        ys[i] := xs[i] * 2.0
//! }                                           }
//! ```
//!
//! Only innermost loops are marked as simd: C compilers vectorise no others.

use base::Map;
use kernel::facts::{Aliases, Link, Stores, constant_count, dependence};
use kernel::walk::for_each_stm;
use kernel::{Function, Home, Memory, Mode, Program, Stm, Type, Var};

/// Loops with at most so many iterations are unrolled.
const SHORT: i64 = 8;
/// Loops are not unrolled into more statements than this.
const LARGE: i64 = 64;

/// Marks buffers and loops of all functions.
pub(crate) fn mark(program: &mut Program) {
    mark_memories(program);
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        mark_loops(program, &mut body);
        program.functions[id].body = body;
    }
}

/// Gives a memory to each buffer, the same to those that may be the same. Those that may be any memory get none.
fn mark_memories(program: &mut Program) {
    let aliases = Aliases::new(program);
    let mut memories: Vec<(Var, Memory)> = Vec::new();
    let mut next = 0;
    for function in program.functions.values() {
        let mut known: Map<Var, Memory> = Map::default();
        let classes = Classes::new(&aliases.links(function));
        for buffer in buffers(program, function) {
            let Some(class) = classes.class(buffer) else { continue };
            let memory = *known.entry(class).or_insert_with(|| {
                next += 1;
                Memory(next - 1)
            });
            memories.push((buffer, memory));
        }
    }
    for (buffer, memory) in memories {
        program.vars[buffer].home = Home::New(memory);
    }
}

/// The buffers that a function declares.
fn buffers(program: &Program, function: &Function) -> Vec<Var> {
    let mut found = Vec::new();
    for_each_stm(&function.body, &mut |stm| found.extend(stm.declared()));
    found.retain(|var| {
        let info = &program.vars[*var];
        matches!(info.ty, Type::Buffer(_)) && info.home == Home::Any
    });
    found
}

/// Buffers that may be the same memory: a union-find.
#[derive(Default)]
struct Classes {
    /// For a buffer that does not represent its class, another one; for one that may be any memory, none.
    parents: Map<Var, Option<Var>>,
}

impl Classes {
    fn new(links: &[Link]) -> Self {
        let mut classes = Classes::default();
        for link in links {
            match link {
                Link::Any(var) => classes.join(*var, None),
                Link::Same(a, b) => {
                    let b = classes.class(*b);
                    classes.join(*a, b);
                }
            }
        }
        classes
    }

    fn join(&mut self, var: Var, with: Option<Var>) {
        match (self.class(var), with) {
            (Some(a), b) if Some(a) != b => {
                self.parents.insert(a, b);
            }
            (None, Some(b)) => {
                self.parents.insert(b, None);
            }
            (Some(_), _) | (None, None) => {}
        }
    }

    /// The representative of a buffer; none if it may be any memory.
    fn class(&self, var: Var) -> Option<Var> {
        let mut at = var;
        while let Some(next) = self.parents.get(&at) {
            at = (*next)?;
        }
        Some(at)
    }
}

/// Marks the loops among statements, inner ones first.
fn mark_loops(program: &Program, stms: &mut [Stm]) {
    for stm in stms {
        stm.blocks_mut().into_iter().for_each(|block| mark_loops(program, block));
        if let Stm::For { var, from, to, mode: mode @ Mode::Rolled, body } = stm {
            // A turn may have to wait for an element of a recursive array.
            if dependence(program, *var, body, Stores::Compared(constant_count(*from, *to))).is_some() {
                *mode = Mode::Sequential;
            }
        } else if let Stm::For { var, from, to, mode: mode @ Mode::Sequential, body } = stm {
            let copies = constant_count(*from, *to).filter(|count| *count <= SHORT);
            if copies.is_some_and(|copies| size(body) * copies <= LARGE) {
                *mode = Mode::Unrolled;
            } else if dependence(program, *var, body, Stores::Compared(constant_count(*from, *to))).is_none() {
                *mode = Mode::Simd;
            }
        }
    }
}

/// The number of statements that are in a body once loops inside are unrolled. Bodies with other loops or calls are
/// large.
fn size(stms: &[Stm]) -> i64 {
    let one = |stm: &Stm| match stm {
        Stm::For { from, to, mode: Mode::Unrolled, body, .. } => constant_count(*from, *to).unwrap_or(1) * size(body),
        Stm::For { .. } | Stm::While { .. } | Stm::Call { .. } | Stm::Try { .. } => LARGE + 1,
        stm => 1 + stm.blocks().into_iter().map(size).sum::<i64>(),
    };
    stms.iter().map(one).sum()
}
