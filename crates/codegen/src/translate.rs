//! A whole program: the run-time system, the functions on scalars that it needs, its own functions.

use crate::emitter::Emitter;
use crate::excerpt::Locate;
use crate::runtime::Caller;
use crate::{message, runtime, units};
use base::Span;
use kernel::Program;
use scalar::Layout;

/// A program in C.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// The text of the file.
    pub text: String,
    /// Where the program's own part begins, after the run-time system.
    pub own: usize,
    /// The number of C compilers that can each compile a part of the loops at the same time (one more compiles the
    /// rest), see `RV_UNITS` in `runtime/c/base.h`; 0 if one should compile everything.
    pub units: usize,
    /// Whether it can be linked with the functions of the run-time system that are compiled apart, see `RV_LINKED` there.
    pub linked: bool,
    /// Places of allocations, which failures for lack of memory refer to.
    pub places: Vec<Span>,
    /// Forms of the values that are traced, by number, and where.
    pub traces: Vec<(Layout, Span)>,
}

/// The program in C, to be loaded by another one. With `locate` it contains the messages of its failures.
pub fn c_program(program: &Program, locate: Option<&Locate>) -> CProgram {
    translate(program, locate, Caller::Loader, false)
}

/// The program in C, which counts allocations and measures the time of its loops.
pub fn measured_c_program(program: &Program) -> CProgram {
    translate(program, None, Caller::Loader, true)
}

/// The program in C, for whoever calls it.
pub(crate) fn translate(program: &Program, locate: Option<&Locate>, caller: Caller, measured: bool) -> CProgram {
    let mut emitter = Emitter::new(program);
    if measured {
        emitter.measure();
    }
    let linked = runtime::is_usual(program, measured);
    let functions: Vec<units::Function> = program.functions.ids().map(|id| emitter.function(id)).collect();
    let entries = emitter.entries();
    let measured = measured.then_some(emitter.places.len());
    let mut text = runtime::before(program, &emitter.needs, caller, locate.is_some(), measured);
    let own = text.len();
    text.push_str(&emitter.needs.definitions());
    let prototypes: String = program.functions.ids().map(|id| emitter.prototype(id)).collect();
    let messages = locate.map(|locate| message::messages(program, &emitter.places, locate));
    let others: Vec<String> = [entries].into_iter().chain(messages).collect();
    text.push_str(&units::written(&prototypes, &functions, &others));
    CProgram { text, own, units: units::count(&functions), linked, places: emitter.places, traces: emitter.traces }
}
