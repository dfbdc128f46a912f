//! All ways to run a test's program.

use base::{Diagnostic, FileId, Name, Span};
use driver::passes;
use driver::stages::Stage;
use driver::{Compiled, signature};
use fault::Fault;
use native::{Failure, NativeError, Options, Settings};
use scalar::{Layout, Math};
use value::components::{join_all, split_all};
use value::{Tolerance, Value, ValueType, Values, compare};

type Results = Result<Vec<Value>, Diagnostic>;
type Run<'a> = Box<dyn Fn(&str, Vec<Value>) -> Results + 'a>;

/// A way to run a program.
pub struct Way<'a> {
    name: &'static str,
    /// What the entry points take and give.
    entries: Vec<(Name, Vec<Layout>, Vec<Layout>)>,
    run: Run<'a>,
}

/// All ways: the interpreter, Core before and after, native code.
pub fn all<'a>(compiled: &'a Compiled, input: Stage<'a>, output: &Stage<'a>) -> Result<Vec<Way<'a>>, String> {
    let mut ways = Vec::new();
    let kernel = match (input, output) {
        (Stage::Source(compiled), output) => {
            let core = step(Stage::Source(compiled), "core")?;
            let Stage::Core(core) = core else { return Err("there is no Core".into()) };
            ways.push(source(compiled, &core)?);
            let kernel = lowered(match output {
                Stage::Core(own) => own.clone(),
                Stage::Source(_) | Stage::Kernel(_) | Stage::C(_) => core.clone(),
            })?;
            let core = match output {
                Stage::Core(own) => own.clone(),
                Stage::Source(_) | Stage::Kernel(_) | Stage::C(_) => core,
            };
            ways.push(interpreted("Core", compiled, core));
            kernel
        }
        (Stage::Core(core), output) => {
            let kernel = match output {
                Stage::Core(own) => lowered(own.clone())?,
                Stage::Kernel(own) => own.clone(),
                Stage::Source(_) | Stage::C(_) => lowered(core.clone())?,
            };
            if let Stage::Core(own) = output {
                ways.push(interpreted("Core after", compiled, own.clone()));
            }
            // Before copies are put in, what was consumed is gone.
            if ir::verify(&core).is_ok() {
                ways.push(interpreted("Core before", compiled, core));
            }
            kernel
        }
        (Stage::Kernel(kernel), _) => kernel,
        (Stage::C(_), _) => return Err("C cannot be run here".into()),
    };
    for parallel in [false, true] {
        ways.extend(native(&kernel, parallel)?);
    }
    Ok(ways)
}

fn step<'a>(stage: Stage<'a>, name: &str) -> Result<Stage<'a>, String> {
    stage.step(name).map_err(|trouble| trouble.to_string())
}

/// Copies are put in, where that was not done yet.
fn lowered(mut core: ir::Program) -> Result<kernel::Program, String> {
    passes::COPIES.run(&mut core, false).map_err(|error| error.title)?;
    driver::kernel(&core, Math::Strict, false).map_err(|error| error.title)
}

fn source<'a>(compiled: &'a Compiled, core: &ir::Program) -> Result<Way<'a>, String> {
    let program = compiled.program.as_ref().ok_or("the program is rejected")?;
    let run = move |entry: &str, args| match signature::find_entry(program, entry) {
        Some(entry) => driver::interpret(compiled, program, entry, args, &|_, _| {}),
        None => Err(fault(format!("there is no entry point {entry}"))),
    };
    Ok(Way { name: "the interpreter", entries: entries(core), run: Box::new(run) })
}

fn entries(core: &ir::Program) -> Vec<(Name, Vec<Layout>, Vec<Layout>)> {
    let layouts = |params: &[(Name, Layout)]| params.iter().map(|(_, layout)| layout.clone()).collect();
    core.entries.iter().map(|entry| (entry.name, layouts(&entry.params), entry.results.clone())).collect()
}

fn interpreted<'a>(name: &'static str, compiled: &'a Compiled, core: ir::Program) -> Way<'a> {
    let entries = entries(&core);
    let run = move |entry: &str, args| driver::interpret_core(compiled, &core, entry, args, &|_, _| {});
    Way { name, entries, run: Box::new(run) }
}

/// Native code; nothing without a C compiler.
fn native<'a>(kernel: &kernel::Program, parallel: bool) -> Result<Option<Way<'a>>, String> {
    let flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter"].map(str::to_owned).to_vec();
    let c = driver::c(kernel);
    let options = Options { flags, parallel, level: 0, linked: c.linked, cache: None, ..Options::default() };
    let code = match native::compile(&c.text, &options) {
        Ok(code) => code,
        Err(NativeError::NoCompiler(_)) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let layouts = |params: &[(Name, Layout)]| params.iter().map(|(_, layout)| layout.clone()).collect();
    let entries: Vec<(Name, Vec<Layout>, Vec<Layout>)> =
        kernel.entries.iter().map(|e| (e.name, layouts(&e.params), e.results.clone())).collect();
    let (sites, signatures) = (kernel.sites.clone(), entries.clone());
    let run = move |entry: &str, args: Vec<Value>| {
        let known = signatures.iter().position(|known| known.0.as_str() == entry);
        let number = known.ok_or_else(|| fault(format!("there is no entry point {entry}")))?;
        let (_, params, results) = &signatures[number];
        let mut inputs = split_all(args.into_iter().zip(params)).map_err(|why| fault(why.to_string()))?;
        let settings = Settings { threads: Some(3), memory: None };
        let mut context = code.library.context(settings).map_err(|why| fault(why.to_string()))?;
        let outputs = context.call(number, &mut inputs, results).map_err(|failure| match failure {
            Failure::Check { site, args } => sites[kernel::SiteId(site as u32)].diagnostic(&args),
            Failure::Memory { .. } => Diagnostic::error(Fault::Memory.code(), "no memory", nowhere(), ""),
        })?;
        join_all(outputs, results).map_err(|why| fault(why.to_string()))
    };
    Ok(Some(Way { name: if parallel { "multicore" } else { "c" }, entries, run: Box::new(run) }))
}

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn fault(what: String) -> Diagnostic {
    Diagnostic::error(Fault::Internal.code(), what, nowhere(), "")
}

/// `ENTRY ARGUMENTS == RESULTS` or `ENTRY ARGUMENTS fails CODE`, in all ways.
pub fn run(ways: &[Way], line: &str) -> Result<(), String> {
    let (call, expected) = match (line.split_once(" == "), line.split_once(" fails ")) {
        (Some((call, results)), _) => (call, Ok(results)),
        (None, Some((call, code))) => (call, Err(code.trim())),
        (None, None) => return Err("expected `ENTRY ARGUMENTS == RESULTS` or `ENTRY ARGUMENTS fails CODE`".into()),
    };
    let (entry, args) = call.split_once(' ').unwrap_or((call, ""));
    for way in ways {
        let known = way.entries.iter().find(|known| known.0.as_str() == entry);
        let (_, params, results) = known.ok_or_else(|| format!("there is no entry point {entry}"))?;
        let got = (way.run)(entry, values(args, params)?);
        alike(&got, expected, results).map_err(|why| format!("on {}: {why}", way.name))?;
    }
    Ok(())
}

fn alike(got: &Results, expected: Result<&str, &str>, layouts: &[Layout]) -> Result<(), String> {
    match (got, expected) {
        (Ok(got), Ok(text)) => {
            let wanted = values(text, layouts)?;
            let differs = |why| format!("{why}; got {}", shown(got));
            if got.len() != wanted.len() {
                return Err(differs("another number of results".to_owned()));
            }
            got.iter().zip(&wanted).try_for_each(|(a, b)| compare(a, b, &Tolerance::default())).map_err(differs)
        }
        (Err(error), Err(code)) if error.code == code => Ok(()),
        (Err(error), _) => Err(format!("{} {}", error.code, error.title)),
        (Ok(got), Err(_)) => Err(format!("got {}", shown(got))),
    }
}

fn shown(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn values(text: &str, layouts: &[Layout]) -> Result<Vec<Value>, String> {
    let mut reader = Values::new(text.as_bytes());
    let mut found = Vec::new();
    for layout in layouts {
        let ty = ValueType::of_layout(layout);
        match reader.next_value(ty.as_ref()) {
            Some(value) => found.push(value.map_err(|error| error.to_string())?),
            None => return Err(format!("{} values are needed", layouts.len())),
        }
    }
    if reader.is_at_end() { Ok(found) } else { Err("there are too many values".into()) }
}
