//! Allocations that are left in Kernel.

use super::places::{Places, Thing};
use super::report::RemarkReport;
use crate::pipeline::Compiled;
use analysis::loops::Report;
use base::{Map, Set, Span};
use ir::Topic;
use kernel::{FunId, Mode, Origin, Program, Stm, Type, Var};

/// Where a program allocates memory.
#[derive(Default)]
pub(super) struct Memory {
    allocations: Vec<Allocation>,
    calls: Vec<Call>,
    /// For each loop of Core, by the variable it binds, how often one turn allocates.
    in_loops: Map<u32, usize>,
    /// Where buffers are declared that hold memory from one turn of a loop to another.
    declared: Map<Var, Around>,
    /// The loops of Core whose turns vector instructions may run.
    simd: Set<u32>,
}

struct Allocation {
    function: FunId,
    buffer: Var,
    span: Span,
    kind: Kind,
    around: Around,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// It becomes larger as elements are appended.
    Growing,
    /// In a loop, whose later turns use the memory again.
    Reused,
    /// It takes the memory of an array that nothing needs any more.
    Taken,
}

struct Call {
    caller: FunId,
    callee: FunId,
    span: Span,
    around: Around,
}

/// What is around a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The innermost loop.
    origin: Option<Origin>,
    /// The innermost loop of Core.
    core: Option<u32>,
    /// Whether it is in the body of a parallel loop.
    parallel: bool,
    /// How many loops there are.
    loops: usize,
}

impl Memory {
    /// Finds the allocations of all functions.
    pub fn of(kernel: &Program) -> Memory {
        let mut memory = Memory::default();
        for (id, function) in kernel.functions.iter() {
            memory.stms(kernel, id, &function.body, Around::default(), Around::default());
        }
        memory.count();
        memory
    }

    /// How often one turn of a loop of Core allocates memory.
    pub fn in_loop(&self, binds: u32) -> usize {
        self.in_loops.get(&binds).copied().unwrap_or(0)
    }

    /// Whether vector instructions may run the turns of a loop of Core.
    pub fn is_simd(&self, binds: u32) -> bool {
        self.simd.contains(&binds)
    }

    /// Where the functions are called.
    fn places<'a>(&self, compiled: &'a Compiled, kernel: &Program) -> Places<'a> {
        let entries = kernel.entries.iter().map(|entry| entry.function.0);
        let call = |call: &Call| (call.caller.0, call.callee.0, call.span, call.around.origin.is_some());
        Places::new(compiled, entries, self.calls.iter().map(call))
    }

    /// Goes through statements. `outside` is what is around the innermost loop that is around them.
    fn stms(&mut self, kernel: &Program, function: FunId, stms: &[Stm], around: Around, outside: Around) {
        for stm in stms {
            match stm {
                Stm::Declare(buffer) => {
                    self.declared.insert(*buffer, around);
                }
                Stm::Keep(buffer) => {
                    self.declared.insert(*buffer, Around { parallel: true, ..outside });
                }
                // Only the first turns of a loop find no memory that they can use.
                Stm::Alloc { buffer, reuse: Some(spare), span, .. } => {
                    let held = self.declared.get(spare).copied().unwrap_or(around);
                    let kind = if held.loops < around.loops { Kind::Reused } else { Kind::Taken };
                    let (buffer, span, around) = (*buffer, *span, held);
                    self.allocations.push(Allocation { function, buffer, span, kind, around });
                }
                Stm::Alloc { buffer, span, .. }
                | Stm::Grow { buffer, span, .. }
                | Stm::Pack { to: buffer, span, .. } => {
                    let kind = if matches!(stm, Stm::Grow { .. }) { Kind::Growing } else { Kind::Plain };
                    self.allocations.push(Allocation { function, buffer: *buffer, span: *span, kind, around });
                }
                Stm::Call { function: callee, span, .. } => {
                    self.calls.push(Call { caller: function, callee: *callee, span: *span, around });
                }
                _ => {}
            }
            let outside = if is_loop(stm) { around } else { outside };
            let around = inside(kernel, stm, around);
            if let (Stm::For { mode: Mode::Simd | Mode::Lanes, .. }, Some(core)) =
                (stm, around.origin.and_then(|origin| origin.core))
            {
                self.simd.insert(core);
            }
            stm.blocks().into_iter().for_each(|block| self.stms(kernel, function, block, around, outside));
        }
    }

    /// A turn of a loop makes the allocations of the functions that it calls.
    fn count(&mut self) {
        for allocation in self.allocations.iter().filter(|allocation| allocation.kind != Kind::Taken) {
            if let Some(core) = allocation.around.core {
                *self.in_loops.entry(core).or_default() += 1;
            }
        }
        for call in &self.calls {
            let Some(core) = call.around.core else { continue };
            let called = self.called_once(call.callee);
            let outside = |a: &&Allocation| a.around.core.is_none() && called.contains(&a.function);
            *self.in_loops.entry(core).or_default() += self.allocations.iter().filter(outside).count();
        }
    }

    /// A function, and those that it calls outside of loops.
    fn called_once(&self, function: FunId) -> Set<FunId> {
        let (mut found, mut open) = (Set::default(), vec![function]);
        while let Some(next) = open.pop() {
            if found.insert(next) {
                let calls = self.calls.iter().filter(|call| call.caller == next && call.around.core.is_none());
                open.extend(calls.map(|call| call.callee));
            }
        }
        found
    }

    /// What to say about them.
    pub fn remarks(&self, compiled: &Compiled, kernel: &Program, report: &Report) -> Vec<RemarkReport> {
        let places = self.places(compiled, kernel);
        let loops: Map<u32, Span> = report.loops.iter().filter_map(|one| Some((one.binds?.0, one.span))).collect();
        let thing = |a: &Allocation| {
            let (how_often, about) = match a.around {
                Around { core: Some(core), .. } => {
                    (", in each turn of the loop of {}".to_owned(), loops.get(&core).copied())
                }
                Around { parallel: true, .. } => (", for each piece of work of a thread".to_owned(), None),
                Around { .. } if is_of_result(kernel, a) => {
                    (", unless the result has memory of its own".to_owned(), None)
                }
                Around { .. } if places.runs_once(a.function.0) => (String::new(), None),
                Around { .. } => (format!(", in each call of `{}`", kernel.functions[a.function].name), None),
            };
            let again = match a.kind {
                Kind::Plain | Kind::Growing => "",
                Kind::Reused => ", whose memory later turns use again",
                Kind::Taken => ", in memory that nothing needs any more",
            };
            let is_table = kernel.tables.contains(&a.buffer);
            let purpose = if is_table { " for the blocks of the loop" } else { "" };
            let rest = format!(" of {}{purpose}{how_often}{again}", element(kernel, a.buffer));
            let noun = match a.kind {
                _ if is_table => "table",
                Kind::Growing => "growing array",
                Kind::Plain | Kind::Reused | Kind::Taken => "array",
            };
            Thing { function: a.function.0, span: a.span, noun, rest, about }
        };
        places.counted(Topic::Allocated, self.allocations.iter().map(thing).collect())
    }
}

/// Whether an entry point allocates at its end, because a result may be an argument or a part of an array.
fn is_of_result(kernel: &Program, allocation: &Allocation) -> bool {
    let is_entry = kernel.entries.iter().any(|entry| entry.function == allocation.function);
    is_entry && allocation.span == kernel.functions[allocation.function].span
}

fn element(kernel: &Program, buffer: Var) -> String {
    match kernel.vars[buffer].ty {
        Type::Buffer(prim) | Type::Scalar(prim) => prim.to_string(),
    }
}

fn is_loop(stm: &Stm) -> bool {
    matches!(stm, Stm::For { .. } | Stm::While { .. })
}

fn inside(kernel: &Program, stm: &Stm, around: Around) -> Around {
    let index = match stm {
        Stm::For { var, .. } => Some(*var),
        Stm::While { cond: kernel::Expr::Var(var), .. } => Some(*var),
        _ => return around,
    };
    let origin = index.and_then(|var| kernel.origins.get(&var)).copied();
    let parallel = around.parallel || matches!(stm, Stm::For { mode: Mode::Parallel, .. });
    let core = origin.and_then(|origin| origin.core).or(around.core);
    Around { origin: origin.or(around.origin), core, parallel, loops: around.loops + 1 }
}
