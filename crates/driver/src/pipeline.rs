//! The whole compiler, in reading order.

use crate::load;
use crate::passes::{self, Pass, Rules};
use crate::session::Files;
use crate::timings::Timings;
use base::{Diagnostic, FileId, Set, Severity, Sources, Span};
use typed::{DefId, Program};
use value::Value;

/// What compiling a program gives.
#[derive(Debug)]
pub struct Compiled {
    /// The files involved, for messages.
    pub sources: Sources,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The checked program, if no diagnostic is an error.
    pub program: Option<Program>,
    /// Which files are the library's: errors in them are shown where the user's text called them.
    pub library: Set<FileId>,
    /// Whether what each later pass makes is verified. A broken rule is our fault, and an error that says so.
    pub verify: bool,
    /// Which mathematical functions compiled code calls.
    pub math: scalar::Math,
    /// How long each step took.
    pub timings: Timings,
}

/// Loads and checks the program whose main file is `path`.
pub fn compile(files: &dyn Files, path: &str) -> Compiled {
    interp::with_stack(|| front(files, path))
}

fn front(files: &dyn Files, path: &str) -> Compiled {
    let mut sources = Sources::new();
    let mut diagnostics = Vec::new();
    let mut library = Set::default();
    let timings = Timings::default();

    // Read and parse the main file, the library, and all they import.
    let loaded = timings.measure("parse", || load::load(&mut sources, files, path, &mut library, &mut diagnostics));
    let loaded = match loaded {
        Some(loaded) if !rejected(&diagnostics) => loaded,
        Some(_) | None => {
            return Compiled {
                sources,
                diagnostics,
                program: None,
                library,
                verify: false,
                math: scalar::Math::default(),
                timings,
            };
        }
    };
    // From here on every file is there, each stands behind the ones it imports, and no tree has a hole: what follows
    // never has to guess what a piece of broken text meant.

    // Resolve names, infer types, sizes and shapes, follow uniqueness, look at clauses with constant bounds.
    let checked = timings.measure("check", || check::check(&sources, &loaded.units, loaded.std, loaded.main));
    diagnostics.extend(checked.diagnostics);
    let program = (!rejected(&diagnostics)).then_some(checked.program);
    // From here on an error is the input's fault at run time, or ours; never a mistake in the program's text.

    Compiled { sources, diagnostics, program, library, verify: false, math: scalar::Math::default(), timings }
}

/// Runs a definition of a checked program on the reference interpreter, which defines what programs mean. `tracer` gets
/// what `trace` has to say.
pub fn interpret(
    compiled: &Compiled,
    program: &Program,
    entry: DefId,
    args: Vec<Value>,
    tracer: &Tracer,
) -> Result<Vec<Value>, Diagnostic> {
    let of_user = |file| !compiled.library.contains(&file);
    let tracer = |calls: &[Span], value: &str| tracer(&innermost(compiled, calls), value);
    interp::run_entry(program, entry, args, &tracer).map_err(|error| error.to_diagnostic(of_user))
}

/// From the checked program to Core: types, functions as values, records and sums are gone; all checks are written out.
pub fn core(compiled: &Compiled, program: &Program, entries: &[DefId]) -> Result<ir::Program, Diagnostic> {
    let mut core = desugar(compiled, program, entries)?;
    let rounding = [passes::SUMS.name, passes::SUM_SCANS.name, passes::CONTRACT.name];
    let rounds = |pass: &&Pass| rounding.contains(&pass.name);
    let is_wanted = |pass: &&Pass| !rounds(pass) || compiled.math == scalar::Math::Fast;
    for pass in ORDER.iter().filter(is_wanted) {
        compiled.timings.measure(pass.name, || pass.run(&mut core, compiled.verify))?;
    }
    // From here on every loop says how it runs.
    Ok(core)
}

/// The passes over Core in the order in which a program goes through them.
pub const ORDER: &[Pass] = &[
    // Translating definitions by walking through them leaves much that nobody needs. It goes away before the functions are
    // weighed.
    passes::SIMPLIFY,
    passes::SWEEP,
    // A recursive function is never inlined; one with a loop may be.
    passes::TAILS,
    passes::SWEEP,
    passes::INLINE,
    // Functions of the library that only put rows side by side show what they do when they are inlined.
    passes::VIEWS,
    // What is known at a call is known in the inlined body.
    passes::SIMPLIFY,
    passes::SWEEP,
    // A comparison is all there is in its region. Reading sorted elements in order then gives another array.
    passes::SORTS,
    passes::SWEEP,
    passes::VIEWS,
    // Sizes are constants where they can be, so short vectors are known; what computes them becomes scalars.
    passes::VECTORS,
    passes::SIMPLIFY,
    passes::SWEEP,
    // A counter has bounds, from which much follows.
    passes::COUNTERS,
    passes::SWEEP,
    // A check keeps loops apart: the first that fails must stay the first. So those that always hold go before.
    passes::PROVE,
    passes::SWEEP,
    // Every spelling of an array of rows becomes one form.
    passes::NEST,
    // Checks that always hold are gone, so more loops do nothing but select elements of another array.
    passes::VIEWS,
    passes::FLATTEN,
    // Where a nest takes the place of a loop, what is read from its array is read at the indices of the nest.
    passes::SIMPLIFY,
    passes::SWEEP,
    // What a loop does in turns that need no others can be fused with what is around it.
    passes::LOOPS,
    passes::SUMS,
    // Loops that became forms are parts of nests.
    passes::NEST,
    passes::VIEWS,
    passes::SIMPLIFY,
    passes::SWEEP,
    // What is computed for a region and what is left around it become one loop, which can be fused, too.
    passes::REGIONS,
    // What two parts of the program need is computed once, before it is merged with what uses it.
    passes::REPEATS,
    // An array that is the same in each turn must not become a part of what turns compute.
    passes::HOIST,
    passes::FUSE,
    // All that a turn does with a row is in one form.
    passes::EXCHANGE,
    // Sums over neighbours are one nest in every spelling.
    passes::UNROLL,
    // Merged loops compute some things twice, some for arrays that are gone, and ask what their bounds say already.
    passes::DECIDE,
    passes::SIMPLIFY,
    passes::SWEEP,
    // Arrays that are still there are in memory whether they are made inside of a loop or before it.
    passes::HOIST,
    // Loops have their last form: where elements go is known.
    passes::CLAUSES,
    // All that is known about an index is around it.
    passes::CHECKS,
    passes::SWEEP,
    // Each element is defined once, and nothing in a clause fails any more.
    passes::PARTS,
    // What has no checks can be computed in another order.
    passes::ORDER,
    // In order, and without checks, some of them and some loops are scans.
    passes::SCANS,
    passes::SUM_SCANS,
    // The order of recursive arrays is known; some have a better one.
    passes::ELIMINATE,
    // No loops are fused any more, so rows need not be rows where nothing depends on them.
    passes::FLAT,
    // Nothing fails any more in loops that are to be cut.
    passes::MASKS,
    passes::TILE,
    passes::COLUMNS,
    passes::LANES,
    // From here on no loops are fused, so each reduction can get the order that fits its loop.
    passes::TREES,
    // An update that reads little beside what it replaces need not wait for its values.
    passes::LINES,
    // Nobody looks for products and sums any more.
    passes::CONTRACT,
    // Copies go in last, because what the other passes removed consumes nothing any more.
    passes::COPIES,
    // From here on Core keeps all its rules: nothing is read whose memory was consumed.
    passes::IN_PLACE,
    passes::SCHEDULE,
];

/// The first step of [`core`] alone.
pub fn desugar(compiled: &Compiled, program: &Program, entries: &[DefId]) -> Result<ir::Program, Diagnostic> {
    let core = compiled.timings.measure("desugar", || desugar::desugar(program, entries, &compiled.library))?;
    if compiled.verify {
        passes::verify_core("desugar", &core, Rules::Types)?;
    }
    Ok(core)
}

/// From Core to Kernel: from here on every array has a home in memory, and loops say how they run.
pub fn kernel(core: &ir::Program, math: scalar::Math, verify: bool) -> Result<kernel::Program, Diagnostic> {
    let kernel = kernel::Program { math, ..lower::lower(core).map_err(|error| *error)? };
    if verify {
        passes::verify_kernel("lower", &kernel)?;
    }
    Ok(kernel)
}

/// Runs an entry point of Core on the interpreter of Core, which judges the passes.
pub fn interpret_core(
    compiled: &Compiled,
    core: &ir::Program,
    entry: &str,
    args: Vec<Value>,
    tracer: &Tracer,
) -> Result<Vec<Value>, Diagnostic> {
    let of_user = |file| !compiled.library.contains(&file);
    let tracer = |calls: &[Span], value: &str| tracer(&innermost(compiled, calls), value);
    interp::core::run_core_values(core, entry, args, &tracer).map_err(|error| error.to_diagnostic(of_user))
}

/// From Kernel to C text.
pub fn c(kernel: &kernel::Program) -> codegen::CProgram {
    codegen::c_program(kernel, None)
}

/// From Kernel to C text that counts what it does and measures its loops.
pub fn measured_c(kernel: &kernel::Program) -> codegen::CProgram {
    codegen::measured_c_program(kernel)
}

/// From Kernel to the C text of an executable. `types` are those of the entry points, in order.
pub fn executable(
    compiled: &Compiled,
    kernel: &kernel::Program,
    name: &str,
    file: &str,
    types: &[String],
) -> codegen::CProgram {
    let locate = |span| excerpt(&compiled.sources, span);
    codegen::executable(kernel, codegen::Executable { name, file, types, locate: &locate })
}

/// From Kernel to a C library whose functions begin with this name, or the entry point that has no form in C and why.
pub fn library(
    compiled: &Compiled,
    kernel: &kernel::Program,
    name: &str,
    types: &[String],
) -> Result<codegen::CLibrary, (String, String)> {
    codegen::library(kernel, name, types, &|span| excerpt(&compiled.sources, span))
}

/// Takes what `trace` has to say: the place in the program, which is empty if it is none of the user's, and the value.
pub type Tracer = dyn Fn(&str, &str) + Sync;

/// A place in a file of the user, as messages show it; empty for others.
pub fn place(compiled: &Compiled, span: Span) -> String {
    let is_users = span != Span::OF_CALLER && !compiled.library.contains(&span.file);
    if is_users { compiled.sources.display(span) } else { String::new() }
}

/// The innermost of these calls that is in a file of the user, as messages show it; empty if there is none.
fn innermost(compiled: &Compiled, calls: &[Span]) -> String {
    calls.iter().rev().map(|call| place(compiled, *call)).find(|place| !place.is_empty()).unwrap_or_default()
}

/// A place and its line, for programs that show their failures by themselves.
fn excerpt(sources: &Sources, span: Span) -> codegen::Excerpt {
    let place = sources.display(span);
    let (_, number, column) = sources.locate(span);
    let line = sources.get(span.file).text.lines().nth(number - 1).map(|line| {
        let rest = line.chars().count().saturating_sub(column - 1);
        let marked = sources.slice(span).lines().next().map_or(0, |text| text.chars().count()).clamp(1, rest.max(1));
        (number, line.replace('\t', " "), column - 1..column - 1 + marked)
    });
    codegen::Excerpt { place, line }
}

fn rejected(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
