//! Runs a case until its time is known.

use super::results::Measurement;
use super::statistics::Summary;
use crate::args::BenchArgs;
use crate::backend::Backend;
use crate::compiled::{self, Ready, Stopped, Translated};
use crate::out;
use crate::test::arguments;
use crate::test::script::Scripts;
use crate::test::spec::{Input, Run, Spec};
use base::Diagnostic;
use driver::{Compiled, render, signature};
use std::path::Path;
use std::time::{Duration, Instant};
use typed::{DefId, Program};
use value::Value;

/// The median is known well enough if the confidence interval is this narrow, relative to it.
const ENOUGH: f64 = 0.02;
/// The fewest and the most runs, unless time runs out.
const RUNS: std::ops::Range<usize> = 10..10_000;
/// How often to look whether the median is known.
const STEP: usize = 5;
/// After the time limit, still run this often.
const AT_LEAST: usize = 3;

/// A program whose cases are measured.
pub struct Subject<'a> {
    file: &'a Path,
    compiled: &'a Compiled,
    program: &'a Program,
    scripts: Scripts,
    options: &'a BenchArgs,
}

impl<'a> Subject<'a> {
    pub fn new(
        file: &'a Path,
        compiled: &'a Compiled,
        program: &'a Program,
        spec: &Spec,
        options: &'a BenchArgs,
    ) -> Subject<'a> {
        let scripts = Scripts::for_arguments(file, program, &spec.cases);
        Subject { file, compiled, program, scripts, options }
    }

    /// Measures the case with this index. The error is a message: why it cannot run.
    pub fn measure(&self, index: usize, run: &Run, backend: Backend) -> Result<Measurement, String> {
        let entry = signature::find_entry(self.program, &run.entry)
            .ok_or_else(|| format!("there is no entry point `{}`", run.entry))?;
        let args = self.arguments(index, run, entry)?;
        let explain = |error: Diagnostic| render::render(&self.compiled.sources, &error, out::color());
        let (times, peak) = match backend.native() {
            Some(parallel) => self.native(entry, &args, parallel).map_err(explain)?,
            None => (self.interpreted(entry, &args, backend).map_err(explain)?, None),
        };
        let threads = self.options.threads.map(std::num::NonZero::get).filter(|_| backend == Backend::Multicore);
        Ok(Measurement {
            entry: run.entry.clone(),
            case: run.number,
            name: run.name.clone(),
            backend: backend.name().into(),
            threads,
            times,
            peak,
        })
    }

    fn arguments(&self, index: usize, run: &Run, entry: DefId) -> Result<Vec<Value>, String> {
        match &run.input {
            Input::Text(_) | Input::File(_) | Input::Random(_) => {
                arguments::read(self.file, self.program, entry, &run.input)
            }
            Input::Script(_) | Input::ScriptFile(_) => {
                let script = self.scripts.get(self.file, index)?;
                let made = crate::backend::default().run(script.compiled, script.program, script.entry, script.args);
                let made = made.map_err(|error| render::render(&script.compiled.sources, &error, out::color()))?;
                match self.program.defs[entry].params.len() {
                    // A script for one parameter may give a tuple.
                    1 if made.len() > 1 => Ok(vec![Value::Tuple(made)]),
                    _ => Ok(made),
                }
            }
        }
    }

    /// The times of native code, and the peak of its memory, which other code measures that counts what it does.
    fn native(&self, entry: DefId, args: &[Value], parallel: bool) -> Result<(Vec<f64>, Option<u64>), Diagnostic> {
        let threads = self.options.threads.map(std::num::NonZero::get);
        let counting = compiled::translate_measured(self.compiled, self.program, &[entry])?;
        let peak = peak_of(&counting, &counting.compile(parallel)?[0], args, threads)?;
        let plain = compiled::translate(self.compiled, self.program, &[entry])?;
        let ready = &plain.compile(parallel)?[0];
        let explain = |stopped: Stopped| plain.explain(stopped);
        let mut session = ready.session(threads).map_err(explain)?;
        let times = self.repeat(|| session.time(args.to_vec()).map_err(explain))?;
        Ok((times, peak))
    }

    fn interpreted(&self, entry: DefId, args: &[Value], backend: Backend) -> Result<Vec<f64>, Diagnostic> {
        let core = match backend {
            Backend::Core => Some(driver::core(self.compiled, self.program, &[entry])?),
            Backend::Interp | Backend::C | Backend::Multicore => None,
        };
        let name = self.program.defs[entry].name.as_str();
        self.repeat(|| {
            let args = args.to_vec();
            let start = Instant::now();
            match &core {
                Some(core) => driver::interpret_core(self.compiled, core, name, args, &out::trace)?,
                None => backend.run(self.compiled, self.program, entry, args)?,
            };
            Ok(start.elapsed())
        })
    }

    /// Runs once without counting, then until the median is known well enough or the time is over.
    fn repeat(&self, mut once: impl FnMut() -> Result<Duration, Diagnostic>) -> Result<Vec<f64>, Diagnostic> {
        let start = Instant::now();
        once()?;
        let mut times = Vec::new();
        while times.len() < RUNS.end {
            let late = start.elapsed().as_secs_f64() > self.options.limit;
            if (late && times.len() >= AT_LEAST) || is_known(&times) {
                break;
            }
            times.push(once()?.as_secs_f64());
        }
        Ok(times)
    }
}

fn is_known(times: &[f64]) -> bool {
    times.len() >= RUNS.start && times.len().is_multiple_of(STEP) && Summary::of(times).uncertainty() < ENOUGH
}

fn peak_of(
    translated: &Translated,
    ready: &Ready,
    args: &[Value],
    threads: Option<usize>,
) -> Result<Option<u64>, Diagnostic> {
    let (outcome, stats) = ready.call_measuring(args.to_vec(), threads, translated.places().len());
    outcome.map_err(|stopped| translated.explain(stopped))?;
    Ok(stats.map(|stats| stats.peak))
}
