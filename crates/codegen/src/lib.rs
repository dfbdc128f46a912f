//! Kernel to C: one writer, split by construct.
//!
//! A program becomes one C file: the parts of the run-time system (`runtime/c`) that it needs, the functions on scalars
//! that it uses, and its own functions. A scalar variable is a C variable; a buffer is two, the pointer to its elements
//! and the pointer to the block that counts them, so that loops see plain typed pointers. The bodies of parallel loops
//! and attempts are functions of their own, which take what they use from a structure.

mod cost;
mod entry;
mod executable;
mod expr;
mod forms;
mod function;
mod interface;
mod library;
mod math;
mod memory;
mod message;
mod names;
mod needs;
mod operator;
mod outline;
mod runtime;
mod stm;
mod types;
mod units;
mod writer;

use base::{Map, Set, Span};
pub use executable::{Executable, executable};
pub use interface::{Array, Function, Leaf};
use kernel::{FunId, Program, Stm};
pub use library::{CLibrary, library};
use scalar::Layout;

/// How to show a place of the source.
pub type Locate<'a> = dyn Fn(Span) -> Excerpt + 'a;

/// A place of the source, as text.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// File, line and column.
    pub place: String,
    /// The line itself, if there is one: its number, its text, and the columns to mark in it, from 0.
    pub line: Option<(usize, String, std::ops::Range<usize>)>,
}

/// A program in C.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// The text of the file.
    pub text: String,
    /// Where in it the program's own part begins, behind the run-time system.
    pub own: usize,
    /// How many C compilers at once can have each a part of the loops that is worth it (one more has the rest), see
    /// `RV_UNITS` in `runtime/c/base.h`; 0 if one should have all.
    pub units: usize,
    /// Places of allocations: what a failure for lack of memory refers to.
    pub places: Vec<Span>,
    /// Forms of the values that are traced, by number, and where.
    pub traces: Vec<(Layout, Span)>,
}

/// The program in C, to be loaded by another one. It can tell its failures as text by itself if it knows how to show a
/// place.
pub fn c_program(program: &Program, locate: Option<&Locate>) -> CProgram {
    translate(program, locate, true)
}

/// The program in C; `exported` says whether the functions of the run-time system can be called from outside.
fn translate(program: &Program, locate: Option<&Locate>, exported: bool) -> CProgram {
    let mut emitter = Emitter::new(program);
    let functions: Vec<units::Function> = program.functions.ids().map(|id| emitter.function(id)).collect();
    let entries = emitter.entries();
    let mut text = runtime::before(program, &emitter.needs, exported, locate.is_some());
    let own = text.len();
    text.push_str(&emitter.needs.definitions());
    let prototypes: String = program.functions.ids().map(|id| emitter.prototype(id)).collect();
    let messages = locate.map(|locate| message::messages(program, &emitter.places, locate));
    let others: Vec<String> = [entries].into_iter().chain(messages).collect();
    text.push_str(&units::written(&prototypes, &functions, &others));
    CProgram { text, own, units: units::count(&functions), places: emitter.places, traces: emitter.traces }
}

/// What is known while a program is written.
struct Emitter<'a> {
    program: &'a Program,
    /// The function that is being written.
    out: writer::Writer,
    /// Its name.
    function: Option<String>,
    /// Functions of their own that came out of it so far.
    outlined: Vec<units::Part>,
    outlined_count: usize,
    /// The first of all parts that are the same but for the names of variables, by what they have in common.
    parts: Map<String, usize>,
    /// How many labels there are.
    labels: usize,
    needs: needs::Needs,
    places: Vec<Span>,
    traces: Vec<(Layout, Span)>,
    /// Functions whose allocations are shown where they are called.
    shown_at_calls: Set<FunId>,
    /// Functions that lead from one parallel loop to the next.
    leading: Set<FunId>,
    /// Whether what is being written belongs to one of them, and not to a loop.
    leads: bool,
}

impl<'a> Emitter<'a> {
    fn new(program: &'a Program) -> Self {
        Emitter {
            program,
            out: writer::Writer::default(),
            function: None,
            outlined: Vec::new(),
            outlined_count: 0,
            parts: Map::default(),
            labels: 0,
            needs: needs::Needs::default(),
            places: Vec::new(),
            traces: Vec::new(),
            shown_at_calls: program.functions.ids().filter(|id| is_shown_at_calls(program, *id)).collect(),
            leading: units::leading(program),
            leads: false,
        }
    }
}

/// Whether something in a function is to be shown where it is called.
fn is_shown_at_calls(program: &Program, function: FunId) -> bool {
    let mut shown = false;
    kernel::walk::for_each_stm(&program.functions[function].body, &mut |stm| {
        if let Stm::Alloc { span, .. }
        | Stm::Grow { span, .. }
        | Stm::Pack { span, .. }
        | Stm::Trim { span, .. }
        | Stm::Call { span, .. } = stm
        {
            shown |= *span == Span::OF_CALLER;
        }
    });
    shown
}
