//! `ravel bench`: measures how long the cases of a program take.
//!
//! Reading order: `statistics` (what times say), `measure` (runs a case until its time is known), `results` (the JSON form),
//! `table` and `compare` (what is shown).

mod compare;
mod measure;
mod results;
mod statistics;
mod table;

use crate::args::BenchArgs;
use crate::backend::{self, Backend};
use crate::test::{parse, spec};
use crate::{check, disk, memory, out, status};
use results::{Measurement, Results};
use std::path::Path;
use std::process::ExitCode;

/// Measures the cases of a program, or compares two earlier measurements.
pub fn run(options: &BenchArgs) -> ExitCode {
    let outcome = match (&options.compare, &options.file) {
        (Some(files), _) => compare::run(&files[0], &files[1]),
        (None, Some(file)) => bench(options, file),
        (None, None) => base::bug!("clap requires a program or --compare"),
    };
    match outcome {
        Ok(code) => code,
        Err(message) => {
            out::error(message);
            ExitCode::from(status::FAULT)
        }
    }
}

/// Measures all cases, shows a table, and writes the file that was asked for.
fn bench(options: &BenchArgs, file: &Path) -> Result<ExitCode, String> {
    memory::set_limit(options.memory);
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {}", file.display(), disk::reason(&e)))?;
    let spec = parse::parse(&text).map_err(|e| format!("{}:{}: {}", file.display(), e.line, e.message))?;
    let mut compiled = check::compile(file);
    compiled.math = options.math;
    let Some(program) = backend::accepted(&compiled) else { return Ok(ExitCode::from(status::FAULT)) };
    let cases = measured_cases(&spec, options.entry.as_deref());
    if cases.is_empty() {
        return Err(nothing_to_measure(file, options.entry.as_deref()));
    }
    let backends = if options.backend.is_empty() { vec![backend::default()] } else { options.backend.clone() };
    let subject = measure::Subject::new(file, &compiled, program, &spec, options);
    let mut failed = false;
    let mut found: Vec<Measurement> = Vec::new();
    for (index, run) in cases {
        for &backend in backends.iter().filter(|backend| runs_on(run, **backend)) {
            match subject.measure(index, run, backend) {
                Ok(measurement) => found.push(measurement),
                Err(message) => {
                    failed = true;
                    out::complain(&format!("{}:{} {}\n", file.display(), spec.cases[index].line, message.trim_end()));
                }
            }
        }
    }
    let results = Results::new(file, found);
    out::text(&table::text(&results.measurements));
    if let Some(path) = &options.json {
        results.write(path)?;
    }
    Ok(if failed { ExitCode::from(status::FAULT) } else { ExitCode::SUCCESS })
}

/// The cases to measure with their indices: those that run to an end, of one entry point if it is given.
fn measured_cases<'a>(spec: &'a spec::Spec, entry: Option<&str>) -> Vec<(usize, &'a spec::Run)> {
    let mut found = Vec::new();
    for (index, case) in spec.cases.iter().enumerate() {
        let spec::What::Run(run) = &case.what else { continue };
        let excluded = run.tags.iter().any(|tag| tag == "nobench" || tag == "notest");
        let fails = matches!(run.expected, spec::Expected::Error(_));
        if !excluded && !fails && entry.is_none_or(|entry| entry == run.entry) {
            found.push((index, run));
        }
    }
    found
}

/// Whether a case is meant for a back end: the interpreters are too slow for large cases.
fn runs_on(run: &spec::Run, backend: Backend) -> bool {
    let excluded = format!("no_{}", backend.name());
    !run.tags.iter().any(|tag| *tag == excluded || (tag == "compiled" && backend.native().is_none()))
}

fn nothing_to_measure(file: &Path, entry: Option<&str>) -> String {
    let which = entry.map_or(String::new(), |entry| format!(" for the entry point `{entry}`"));
    format!(
        "{} has no cases to measure{which}: write inputs in a test block, such as\n\
         -- ==\n\
         -- random input {{ [1000000]f64 }}",
        file.display()
    )
}
