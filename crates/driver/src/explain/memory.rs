//! Allocations that are left in Kernel.

use super::places::{Branch, Places, Thing};
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
    /// What is around the places where buffers become references to memory of others, which cannot be used again.
    shared: Map<Var, Around>,
    /// Where buffers that hold memory for later turns get it from.
    handed: Vec<[Var; 2]>,
    /// The loops of Core whose turns vector instructions may run.
    simd: Set<u32>,
    /// The branches around the current statement.
    branches: Vec<Branch>,
    /// How many statements with branches there are so far.
    choices: u32,
    /// The places of the loops around the current statement, the innermost last.
    loops: Vec<Span>,
}

struct Allocation {
    function: FunId,
    buffer: Var,
    span: Span,
    /// The places of the loops around it, the innermost last.
    loops: Vec<Span>,
    kind: Kind,
    around: Around,
    branches: Vec<Branch>,
    /// The buffer that holds memory from earlier turns.
    spare: Option<Var>,
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
    /// It has room for elements while they are sorted, unless there are few.
    Sorting,
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
        memory.replace_shared();
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
            self.note(function, stm, around, outside);
            let outside = if is_loop(stm) { around } else { outside };
            let around = inside(kernel, stm, around);
            if let (Stm::For { mode: Mode::Simd | Mode::Lanes, .. }, Some(core)) =
                (stm, around.origin.and_then(|origin| origin.core))
            {
                self.simd.insert(core);
            }
            let loops = self.loops.len();
            if is_loop(stm) {
                self.loops.extend(around.origin.map(|origin| origin.span));
            }
            let chooses = matches!(stm, Stm::If(..));
            self.choices += u32::from(chooses);
            let choice = self.choices;
            for (way, block) in stm.blocks().into_iter().enumerate() {
                let before = self.branches.len();
                self.branches.extend(chooses.then_some(Branch { choice, way }));
                self.stms(kernel, function, block, around, outside);
                self.branches.truncate(before);
            }
            self.loops.truncate(loops);
        }
    }

    fn note(&mut self, function: FunId, stm: &Stm, around: Around, outside: Around) {
        match stm {
            Stm::Declare(buffer) => _ = self.declared.insert(*buffer, around),
            Stm::Keep(buffer) => _ = self.declared.insert(*buffer, Around { parallel: true, ..outside }),
            Stm::Share { to, .. } => _ = self.shared.insert(*to, around),
            Stm::Move { to, from } => self.handed.push([*to, *from]),
            // Only the first turns of a loop find no memory that they can use.
            Stm::Alloc { buffer, reuse: Some(spare), span, .. } => {
                let held = self.declared.get(spare).copied().unwrap_or(around);
                let kind = if held.loops < around.loops { Kind::Reused } else { Kind::Taken };
                let made = self.allocation(function, *buffer, *span, kind, held);
                self.allocations.push(Allocation { spare: Some(*spare), ..made });
            }
            Stm::Alloc { buffer, span, .. } | Stm::Pack { to: buffer, span, .. } => {
                self.allocations.push(self.allocation(function, *buffer, *span, Kind::Plain, around));
            }
            Stm::Grow { buffer, span, .. } => {
                self.allocations.push(self.allocation(function, *buffer, *span, Kind::Growing, around));
            }
            Stm::Sort { keys: (buffer, _), span, .. } => {
                self.allocations.push(self.allocation(function, *buffer, *span, Kind::Sorting, around));
            }
            Stm::Call { function: callee, span, .. } => {
                self.calls.push(Call { caller: function, callee: *callee, span: *span, around });
            }
            _ => {}
        }
    }

    fn allocation(&self, function: FunId, buffer: Var, span: Span, kind: Kind, around: Around) -> Allocation {
        let (branches, loops) = (self.branches.clone(), self.loops.clone());
        Allocation { function, buffer, span, loops, kind, around, branches, spare: None }
    }

    /// Memory that a loop holds for later turns is of no use where it is that of an array from outside of it, with which a
    /// loop inside began: each turn of the outer loop then needs other memory.
    fn replace_shared(&mut self) {
        let lent = |spare: Var| {
            let from = self.handed.iter().filter(move |[to, _]| *to == spare).map(|[_, from]| from);
            from.filter_map(|from| self.shared.get(from)).copied().max_by_key(|around| around.loops)
        };
        let lent: Vec<Option<Around>> = self.allocations.iter().map(|a| a.spare.and_then(lent)).collect();
        for (allocation, around) in self.allocations.iter_mut().zip(lent) {
            allocation.around = around.filter(|a| a.loops > allocation.around.loops).unwrap_or(allocation.around);
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
                Kind::Plain | Kind::Growing | Kind::Sorting => "",
                Kind::Reused => ", whose memory later turns use again",
                Kind::Taken => ", in memory that nothing needs any more",
            };
            let is_table = kernel.tables.contains(&a.buffer);
            let purpose = match a.kind {
                Kind::Sorting => " to sort with, unless there are few elements",
                _ if is_table => " for the blocks of the loop",
                _ => "",
            };
            let rest = format!(" of {}{purpose}{how_often}{again}", element(kernel, a.buffer));
            let noun = match a.kind {
                _ if is_table && a.kind != Kind::Sorting => "table",
                Kind::Growing => "growing array",
                Kind::Plain | Kind::Reused | Kind::Taken | Kind::Sorting => "array",
            };
            // What the library allocates is shown at the user's loop around it.
            let mut own = [a.span].into_iter().chain(a.loops.iter().rev().copied());
            let span = own.find(|span| places.is_users(*span)).unwrap_or(a.span);
            Thing { function: a.function.0, span, noun, rest, about, branches: a.branches.clone() }
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
