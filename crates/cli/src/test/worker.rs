//! `ravel test-worker`: runs the cases of one file in a process of its own, so that a case that runs for ever, eats all
//! memory or crashes takes nothing else with it. Speaks to its supervisor in lines of JSON.

use super::judge::Judge;
use super::parse;
use super::report::Outcome;
use super::script::Scripts;
use crate::args::WorkerArgs;
use crate::{check, out};
use serde_json::json;
use std::io::Read;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the cases from the given one on.
pub fn run(options: &WorkerArgs) -> ExitCode {
    limit_memory(options.memory);
    end_with_supervisor();
    let text = match std::fs::read_to_string(&options.file) {
        Ok(text) => text,
        Err(_) => return ExitCode::from(crate::FAULT),
    };
    let Ok(spec) = parse::parse(&text) else { return ExitCode::from(crate::FAULT) };
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    let mut scripts = match &compiled.program {
        Some(program) => Scripts::new(&options.file, program, &spec.cases),
        None => Scripts::default(),
    };
    scripts.verify(options.verify);
    out::line(json!({"compiled": true}));
    let judge = Judge { file: &options.file, compiled: &compiled, scripts: &scripts, backend: options.backend };
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

/// Room for stacks and code, which take addresses rather than memory.
const STACK: u64 = 2 << 30;

/// Beyond the limit allocations fail, which ends this process and not its neighbours.
fn limit_memory(mebibytes: u64) {
    let bytes = mebibytes.saturating_mul(1 << 20).saturating_add(STACK);
    // Where the system has no such limit, the timeout is all there is.
    let _ = rlimit::Resource::AS.set(bytes, bytes);
    // A crash is told in words; nobody reads a core file of it.
    let _ = rlimit::Resource::CORE.set(0, 0);
}

/// Ends this process when the supervisor's end of standard input goes away, however the supervisor ended.
fn end_with_supervisor() {
    std::thread::spawn(|| {
        let mut sink = Vec::new();
        let _ = std::io::stdin().lock().read_to_end(&mut sink);
        std::process::exit(i32::from(crate::FAULT));
    });
}
