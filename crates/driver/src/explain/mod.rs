//! What became of each line of a program, for `ravel explain`.
//!
//! Two sources: remarks that passes left ([`ir::remark`]), and what is left in the end, in Core ([`loops`]) and in Kernel
//! ([`memory`]). Everything is attributed to lines of the user's files ([`places`]).

mod loops;
mod memory;
mod places;
mod report;

use crate::pipeline::Compiled;
use base::Set;
use places::Places;

pub use report::{Explanation, LoopReport, RemarkReport};

/// Explains a program by what the passes made of it.
pub fn explain(compiled: &Compiled, core: &ir::Program, kernel: &kernel::Program) -> Explanation {
    let report = analysis::loops::report(core);
    let memory = memory::Memory::of(kernel);
    let entries = core.entries.iter().map(|entry| entry.function.0);
    let calls = report.calls.iter().map(|call| (call.caller.0, call.callee.0, call.span, call.repeated));
    let places = Places::new(compiled, entries, calls);

    let left =
        core.functions.iter().flat_map(|(id, function)| function.remarks.iter().map(move |remark| (id.0, remark)));
    let mut remarks = places.joined(left);
    remarks.extend(loops::parallel(&report, &places));
    remarks.extend(loops::turns(&report, &places));
    remarks.extend(loops::checks(core, &report, &places));
    remarks.extend(loops::unmoved(core, &places));
    remarks.extend(loops::copies(core, &report, &places));
    remarks.extend(memory.remarks(compiled, kernel, &report));
    let mut seen = Set::default();
    remarks.retain(|remark: &RemarkReport| seen.insert(remark.clone()));
    remarks.sort_by(|a, b| (&a.file, a.line, a.topic).cmp(&(&b.file, b.line, b.topic)));
    Explanation { loops: loops::lines(&report, &memory, &places), remarks }
}
