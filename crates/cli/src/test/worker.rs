//! `ravel test-worker`: runs the cases of one file in a separate process, so that a case that runs forever, exhausts the
//! memory or crashes does not affect others. It sends lines of JSON to its supervisor.

use super::built::Built;
use super::judge::{Judge, Runner};
use super::parse;
use super::prepared::Prepared;
use super::report::Outcome;
use super::script::Scripts;
use super::spec::{Spec, What};
use crate::args::WorkerArgs;
use crate::backend::Backend;
use crate::{check, out};
use driver::{Compiled, signature};
use serde_json::json;
use std::cell::RefCell;
use std::io::Read;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use typed::DefId;

/// Runs the cases, beginning with the given one.
pub fn run(options: &WorkerArgs) -> ExitCode {
    limit_memory(options.memory);
    crate::memory::set_limit(Some(options.memory));
    end_with_supervisor();
    let text = match std::fs::read_to_string(&options.file) {
        Ok(text) => text,
        Err(_) => return ExitCode::from(crate::status::FAULT),
    };
    let Ok(spec) = parse::parse(&text) else { return ExitCode::from(crate::status::FAULT) };
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    compiled.math = options.math;
    let mut scripts = match &compiled.program {
        Some(program) => Scripts::new(&options.file, program, &spec.cases),
        None => Scripts::default(),
    };
    scripts.compile_as(options.math, options.verify);
    out::line(json!({"compiled": true}));
    let main = (&compiled, tested(&compiled, &spec, options.backend));
    let runner = match &options.built {
        Some(folder) => Runner::Built(Built {
            folder,
            backend: options.backend,
            timeout: Duration::from_secs_f64(options.timeout),
            main,
            made: RefCell::default(),
        }),
        None => Runner::Here(Prepared::new(options.backend, main)),
    };
    let judge = Judge { file: &options.file, compiled: &compiled, scripts: &scripts, runner };
    for (index, case) in spec.cases.iter().enumerate().skip(options.from) {
        let start = Instant::now();
        let outcome: Outcome = judge.judge(index, case);
        let mut message = outcome.to_json();
        message["case"] = index.into();
        message["seconds"] = start.elapsed().as_secs_f64().into();
        out::line(message);
    }
    ExitCode::SUCCESS
}

/// The definitions that cases run on this back end, each once.
fn tested(compiled: &Compiled, spec: &Spec, backend: Backend) -> Vec<DefId> {
    let Some(program) = &compiled.program else { return Vec::new() };
    let excluded = format!("no_{}", backend.name());
    let mut found = Vec::new();
    for case in &spec.cases {
        let What::Run(run) = &case.what else { continue };
        if run.tags.contains(&excluded) {
            continue;
        }
        match signature::find_entry(program, &run.entry) {
            Some(entry) if !found.contains(&entry) => found.push(entry),
            Some(_) | None => {}
        }
    }
    found
}

/// Address space for stacks and code, which use little memory.
const STACK: u64 = 2 << 30;

/// Sets the memory limit of this process: beyond it, allocations fail and the process ends.
fn limit_memory(mebibytes: u64) {
    let bytes = mebibytes.saturating_mul(1 << 20).saturating_add(STACK);
    // If the system has no such limit, only the timeout applies.
    let _ = rlimit::Resource::AS.set(bytes, bytes);
    // No core files: the supervisor reports crashes.
    let _ = rlimit::Resource::CORE.set(0, 0);
}

/// Ends this process when the supervisor closes its standard input, or ends for any reason.
fn end_with_supervisor() {
    std::thread::spawn(|| {
        let mut sink = Vec::new();
        let _ = std::io::stdin().lock().read_to_end(&mut sink);
        std::process::exit(i32::from(crate::status::FAULT));
    });
}
