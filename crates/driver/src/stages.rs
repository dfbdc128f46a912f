//! Any list of steps of the compiler, run on a program in any stage: for the text tests under `tests/`, and for
//! `ravel dev passes`. [`pipeline`] says in which order a program goes through them.

use crate::passes::{PASSES, Pass};
use crate::pipeline::{self, Compiled};
use base::Diagnostic;
use std::fmt;

/// A program on its way through the compiler.
pub enum Stage<'a> {
    /// As it was checked.
    Source(&'a Compiled),
    /// What is computed.
    Core(ir::Program),
    /// Loops and memory.
    Kernel(kernel::Program),
    /// The text of C.
    C(codegen::CProgram),
}

/// What can be done with a program: the name, what it does, from which stage.
pub const STEPS: &[(&str, &str, &str)] = &[
    ("desugar", "from a program to Core", "a program"),
    ("core", "from a program to Core, by all passes", "a program"),
    ("lower", "from Core to Kernel", "Core"),
    ("c", "from Kernel to C", "Kernel"),
    ("verify", "whether the rules of Core or Kernel hold", "Core or Kernel"),
];

/// All names, with what they do: a line each.
pub fn listed() -> String {
    let passes = PASSES.iter().map(|pass| (pass.name, pass.what));
    let steps = STEPS.iter().map(|(name, what, _)| (*name, *what));
    let mut all: Vec<(&str, &str)> = steps.collect();
    // After the steps that make Core.
    all.splice(2..2, passes);
    all.iter().map(|(name, what)| format!("  {name:<10} {what}\n")).collect()
}

/// Why a step was not taken.
#[derive(Debug)]
pub enum Trouble {
    /// There is no such step, or it starts from another stage.
    Usage(String),
    /// The program cannot be translated.
    Program(Box<Diagnostic>),
    /// Broken rules, one each.
    Rules(Vec<String>),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Usage(words) => f.write_str(words),
            Trouble::Program(error) => write!(f, "{}", crate::render::words(error)),
            Trouble::Rules(broken) => f.write_str(&broken.join("\n")),
        }
    }
}

impl From<Diagnostic> for Trouble {
    fn from(error: Diagnostic) -> Trouble {
        Trouble::Program(Box::new(error))
    }
}

impl<'a> Stage<'a> {
    /// The text of this stage; of a program that is not translated yet, nothing.
    pub fn text(&self) -> String {
        match self {
            Stage::Source(_) => String::new(),
            Stage::Core(core) => ir::print(core),
            Stage::Kernel(kernel) => kernel::text::print_with(kernel, false),
            Stage::C(c) => c.text.clone(),
        }
    }

    /// The stage after a step.
    pub fn step(self, name: &str) -> Result<Stage<'a>, Trouble> {
        match (name, self) {
            ("desugar" | "core", Stage::Source(compiled)) => from_source(name, compiled).map(Stage::Core),
            ("lower", Stage::Core(core)) => Ok(Stage::Kernel(pipeline::kernel(&core, scalar::Math::default(), false)?)),
            ("c", Stage::Kernel(kernel)) => Ok(Stage::C(pipeline::c(&kernel))),
            ("verify", Stage::Core(core)) => keeps(ir::verify(&core)).map(|()| Stage::Core(core)),
            ("verify", Stage::Kernel(kernel)) => keeps(kernel::verify::verify(&kernel)).map(|()| Stage::Kernel(kernel)),
            (name, stage) => match (PASSES.iter().find(|pass| pass.name == name), stage) {
                (Some(pass), Stage::Core(mut core)) => {
                    pass.run(&mut core, false)?;
                    Ok(Stage::Core(core))
                }
                (pass, stage) => Err(misplaced(name, pass, &stage)),
            },
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Stage::Source(_) => "a program",
            Stage::Core(_) => "Core",
            Stage::Kernel(_) => "Kernel",
            Stage::C(_) => "C",
        }
    }
}

fn from_source(name: &str, compiled: &Compiled) -> Result<ir::Program, Trouble> {
    let Some(program) = &compiled.program else { return Err(Trouble::Usage("the program is rejected".into())) };
    let main = crate::signature::find_entry(program, "main");
    let entries = if program.entries.is_empty() { main.into_iter().collect() } else { program.entries.clone() };
    let make = if name == "core" { pipeline::core } else { pipeline::desugar };
    Ok(make(compiled, program, &entries)?)
}

fn keeps<T: fmt::Display>(verified: Result<(), Vec<T>>) -> Result<(), Trouble> {
    verified.map_err(|broken| Trouble::Rules(broken.iter().map(ToString::to_string).collect()))
}

fn misplaced(name: &str, pass: Option<&Pass>, stage: &Stage) -> Trouble {
    let known = STEPS.iter().find(|(known, ..)| *known == name).map(|(_, _, from)| *from);
    Trouble::Usage(match known.or(pass.map(|_| "Core")) {
        Some(from) => format!("`{name}` works on {from}, but this is {}", stage.name()),
        None => format!("there is no pass `{name}`; these are known:\n{}", listed()),
    })
}
