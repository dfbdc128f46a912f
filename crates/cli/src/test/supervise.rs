//! Supervises the worker process of a file. If a case crashes it, a new worker continues with the next case.

use super::parse;
use super::report::{Outcome, Report};
use super::spec::{Case, Spec, What};
use crate::args::TestArgs;
use crate::backend::Backend;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{fs, thread};
use tempfile::TempDir;

/// Tests one file on one back end.
pub fn test_file(file: &Path, backend: Backend, options: &TestArgs) -> Vec<Report> {
    let report = |case: Option<Case>, outcome, seconds| Report {
        file: file.to_string_lossy().into(),
        case,
        backend,
        outcome,
        seconds,
    };
    match read_spec(file) {
        Err(reason) => vec![report(None, Outcome::Failed(reason), 0.0)],
        Ok(spec) if spec.tags.iter().any(|tag| tag == "disable") => {
            vec![report(None, Outcome::Skipped("disabled by its tags".into()), 0.0)]
        }
        Ok(spec) if spec.tags.iter().any(|tag| *tag == format!("no_{}", backend.name())) => {
            vec![report(None, Outcome::Skipped(format!("tagged `no_{}`", backend.name())), 0.0)]
        }
        Ok(spec) => {
            let scratch =
                match options.built.then(|| tempfile::Builder::new().prefix("ravel-test-").tempdir()).transpose() {
                    Ok(scratch) => scratch,
                    Err(error) => {
                        return vec![report(None, Outcome::Failed(format!("no temporary folder: {error}")), 0.0)];
                    }
                };
            let outcomes = Supervisor { file, backend, options, cases: &spec.cases, scratch }.run();
            let told = spec.cases.iter().zip(outcomes);
            told.map(|(case, (outcome, seconds))| report(Some(case.clone()), outcome, seconds)).collect()
        }
    }
}

fn read_spec(file: &Path) -> Result<Spec, String> {
    let bytes = fs::read(file).map_err(|e| crate::disk::reason(&e))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| format!("the file is not UTF-8 text: byte {} is wrong", e.utf8_error().valid_up_to()))?;
    parse::parse(&text).map_err(|e| format!("test block, line {}: {}", e.line, e.message))
}

struct Supervisor<'a> {
    file: &'a Path,
    backend: Backend,
    options: &'a TestArgs,
    cases: &'a [Case],
    /// The folder of executables, if cases run in them.
    scratch: Option<TempDir>,
}

/// Why a worker ended early.
struct Death {
    /// The message.
    reason: String,
    /// Whether it ran out of time or memory, rather than crashing.
    exhausted: bool,
    /// Whether it had compiled the program by then.
    compiled: bool,
    /// How long the last case had run.
    seconds: f64,
}

impl Supervisor<'_> {
    fn run(&self) -> Vec<(Outcome, f64)> {
        let mut done: Vec<(Outcome, f64)> = Vec::new();
        while done.len() < self.cases.len() {
            if let Some(reason) = self.reason_to_skip(&self.cases[done.len()]) {
                done.push((Outcome::Skipped(reason), 0.0));
                continue;
            }
            let Some(death) = self.work(&mut done) else { continue };
            let last = if death.compiled { done.len() + 1 } else { self.cases.len() };
            while done.len() < last.min(self.cases.len()) {
                let outcome = self.blame(&self.cases[done.len()], &death);
                done.push((outcome, death.seconds));
            }
        }
        done
    }

    /// How long to wait for a report of a worker. A worker that runs executables enforces their timeout itself, and the C
    /// compiler needs time before the first of them.
    fn patience(&self) -> Duration {
        let limit = Duration::from_secs_f64(self.options.timeout);
        if self.scratch.is_some() { limit + limit + Duration::from_secs(60) } else { limit }
    }

    fn reason_to_skip(&self, case: &Case) -> Option<String> {
        let What::Run(run) = &case.what else { return None };
        let excluded = format!("no_{}", self.backend.name());
        let tag = run.tags.iter().find(|tag| **tag == "notest" || **tag == "disable" || **tag == excluded)?;
        Some(format!("tagged `{tag}`"))
    }

    /// A case tagged `compiled` may be too large for an interpreter.
    fn blame(&self, case: &Case, death: &Death) -> Outcome {
        let heavy = match &case.what {
            What::Run(run) => run.tags.iter().any(|tag| tag == "compiled"),
            What::Accept | What::Reject(_) | What::Warn(_) | What::Property(_) => false,
        };
        if heavy && death.exhausted && self.backend == Backend::Interp {
            return Outcome::Skipped(format!("meant for compiled code; {}", death.reason));
        }
        Outcome::Failed(death.reason.clone())
    }

    /// Runs a worker from the next case on until it ends, or a case is to be skipped.
    fn work(&self, done: &mut Vec<(Outcome, f64)>) -> Option<Death> {
        let failed = |reason: String| Death { reason, exhausted: false, compiled: false, seconds: 0.0 };
        let mut child = match self.spawn(done.len()) {
            Ok(child) => child,
            Err(error) => return Some(failed(format!("no worker could be started: {error}"))),
        };
        let lines = lines_of(child.stdout.take());
        let complaints = tail_of(child.stderr.take());
        let mut compiled = false;
        let death = loop {
            match lines.recv_timeout(self.patience()) {
                Ok(line) => {
                    let message: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
                    compiled |= message["compiled"] == true;
                    if let Some(outcome) = Outcome::from_json(&message) {
                        done.push((outcome, message["seconds"].as_f64().unwrap_or(0.0)));
                    }
                    match self.cases.get(done.len()) {
                        Some(next) if self.reason_to_skip(next).is_none() => {}
                        Some(_) | None => break None,
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.options.timeout;
                    let reason = format!("gave up after {seconds} seconds (--timeout)");
                    break Some(Death { reason, exhausted: true, compiled, seconds });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait();
                    let said = complaints.recv().unwrap_or_default();
                    break Some(self.autopsy(status, &said, compiled));
                }
            }
        };
        let _ = child.kill();
        let _ = child.wait();
        death
    }

    fn autopsy(&self, status: std::io::Result<std::process::ExitStatus>, said: &str, compiled: bool) -> Death {
        if said.contains("memory allocation of") {
            let reason = format!("needs more than {} MiB of memory (--memory)", self.options.memory);
            return Death { reason, exhausted: true, compiled, seconds: 0.0 };
        }
        let how = status.map_or_else(|e| e.to_string(), |status| status.to_string());
        Death { reason: format!("crashed: {how}\n{said}"), exhausted: false, compiled, seconds: 0.0 }
    }

    fn spawn(&self, from: usize) -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        if let Some(folder) = &self.scratch {
            command.arg("test-worker").arg("--built").arg(folder.path());
        } else {
            command.arg("test-worker");
        }
        command
            .args(["--backend", self.backend.name()])
            .args(["--from", &from.to_string()])
            .args(["--memory", &self.options.memory.to_string()])
            .args(["--timeout", &self.options.timeout.to_string()])
            .args(["--math", self.options.math.name()])
            .args(self.options.verify.then_some("--verify"))
            .arg("--")
            .arg(self.file)
            // A few lines are enough for a crash; running the case alone shows more.
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}

fn lines_of(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(stream) = stream {
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}

/// The first few thousand characters of a stream, once it ends.
fn tail_of(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    const KEPT: usize = 4000;
    let (sender, receiver) = channel();
    if let Some(mut stream) = stream {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            bytes.truncate(KEPT);
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
    }
    receiver
}
