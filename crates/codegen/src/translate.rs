//! A whole program: the run-time system, the functions on scalars that it needs, its own functions.

use crate::emitter::Emitter;
use crate::excerpt::Locate;
use crate::{message, runtime, units};
use base::Span;
use kernel::Program;
use scalar::Layout;

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
pub(crate) fn translate(program: &Program, locate: Option<&Locate>, exported: bool) -> CProgram {
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
