//! The ways to run a program.

use base::Diagnostic;
use driver::Compiled;
use typed::{DefId, Program};
use value::Value;

/// A way to run a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The reference interpreter, which defines what programs mean.
    Interp,
    /// The interpreter of Core, which tests the passes of the compiler.
    Core,
    /// Native code on one thread.
    C,
    /// Native code on all cores.
    Multicore,
}

impl Backend {
    /// All back ends, the default first.
    pub const ALL: &[Backend] = &[Backend::Interp, Backend::Core, Backend::C, Backend::Multicore];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Interp => "interp",
            Backend::Core => "core",
            Backend::C => "c",
            Backend::Multicore => "multicore",
        }
    }

    /// For a native back end, whether it uses many threads; none for the interpreters.
    pub fn native(self) -> Option<bool> {
        match self {
            Backend::Interp | Backend::Core => None,
            Backend::C => Some(false),
            Backend::Multicore => Some(true),
        }
    }

    /// Runs a definition of a checked program.
    pub fn run(
        self,
        compiled: &Compiled,
        program: &Program,
        entry: DefId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic> {
        match self {
            Backend::Interp => driver::interpret(compiled, program, entry, args, &crate::out::trace),
            Backend::Core => {
                let core = driver::core(compiled, program, &[entry])?;
                let name = program.defs[entry].name.as_str();
                driver::interpret_core(compiled, &core, name, args, &crate::out::trace)
            }
            Backend::C => crate::compiled::run(compiled, program, entry, args, false),
            Backend::Multicore => crate::compiled::run(compiled, program, entry, args, true),
        }
    }
}

/// The fastest way to run a program here. Without a C compiler this is the interpreter, and a message says so.
pub fn default() -> Backend {
    match native::Compiler::find(None) {
        Ok(_) => Backend::Multicore,
        Err(error) => {
            crate::out::error(format_args!("{error}; running on the interpreter"));
            Backend::Interp
        }
    }
}

/// One back end, or all that can be used here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Backends(pub Vec<Backend>);

/// Reads the name of one back end.
pub fn parse_one(name: &str) -> Result<Backend, String> {
    Backend::ALL.iter().copied().find(|b| b.name() == name).ok_or_else(|| format!("known back ends: {}", known()))
}

/// Reads the name of a back end that makes native code.
pub fn parse_native(name: &str) -> Result<Backend, String> {
    match parse_one(name) {
        Ok(Backend::Interp | Backend::Core) | Err(_) => {
            Err("known back ends for compiled programs: c, multicore".into())
        }
        Ok(native @ (Backend::C | Backend::Multicore)) => Ok(native),
    }
}

/// Reads the name of a back end, or `all`.
pub fn parse_some(name: &str) -> Result<Backends, String> {
    match name {
        "all" => Ok(Backends(Backend::ALL.to_vec())),
        _ => parse_one(name).map(|b| Backends(vec![b])).map_err(|known| format!("{known}, all")),
    }
}

fn known() -> String {
    Backend::ALL.iter().map(|b| b.name()).collect::<Vec<_>>().join(", ")
}

/// Shows the diagnostics; returns the program if it was accepted.
pub fn accepted(compiled: &Compiled) -> Option<&Program> {
    crate::out::complain(&driver::render::render_all(&compiled.sources, &compiled.diagnostics, crate::out::color()));
    compiled.program.as_ref()
}
