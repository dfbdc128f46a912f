//! Cases that run in an executable, as `ravel build` makes it: one for all tested entry points of a file.
//!
//! The C compiler runs once for each file, also with flags such as sanitizers, and the C code that reads and writes values
//! is tested too.

use crate::backend::Backend;
use base::{Diagnostic, Map, Name, Span};
use driver::Compiled;
use fault::Fault;
use scalar::Layout;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use typed::{DefId, Program};
use value::{Value, ValueType, Values};

/// The executables of a file.
pub struct Built<'a> {
    /// Their folder.
    pub folder: &'a Path,
    /// The back end.
    pub backend: Backend,
    /// How long a run may take.
    pub timeout: Duration,
    /// The program of the file, and the entry points that are tested.
    pub main: (&'a Compiled, Vec<DefId>),
    /// The executables built so far. A script is a separate program.
    pub made: RefCell<Map<*const Compiled, Result<Made, Diagnostic>>>,
}

/// An executable.
#[derive(Clone)]
pub struct Made {
    path: PathBuf,
    /// The result types of each entry point.
    results: Vec<(Name, Vec<Layout>)>,
}

/// How a process ended, and its output.
struct Ended {
    status: ExitStatus,
    out: Vec<u8>,
    err: String,
}

impl Built<'_> {
    /// Runs an entry point.
    pub fn run(
        &self,
        compiled: &Compiled,
        program: &Program,
        entry: DefId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic> {
        let def = &program.defs[entry];
        let made = self.executable(compiled, program, entry)?;
        let input: String = args.iter().map(|value| format!("{value}\n")).collect();
        let ended = self.execute(&made, def.name.as_str(), input).map_err(|why| fault(why, def.span))?;
        if ended.status.success() && !complains(&ended.err) {
            let layouts = made.results.iter().find(|known| known.0 == def.name).map_or(&[][..], |known| &known.1);
            return read(&ended.out, layouts).map_err(|why| fault(why, def.span));
        }
        Err(failure(&ended, def.span))
    }

    fn executable(&self, compiled: &Compiled, program: &Program, entry: DefId) -> Result<Made, Diagnostic> {
        let key: *const Compiled = compiled;
        if let Some(known) = self.made.borrow().get(&key) {
            return known.clone();
        }
        let (main, tested) = &self.main;
        let entries = if std::ptr::eq(*main, compiled) { tested.clone() } else { vec![entry] };
        let path = self.folder.join(format!("program-{}", self.made.borrow().len()));
        let made = self.build(compiled, program, &entries, path);
        self.made.borrow_mut().insert(key, made.clone());
        made
    }

    fn build(
        &self,
        compiled: &Compiled,
        program: &Program,
        entries: &[DefId],
        path: PathBuf,
    ) -> Result<Made, Diagnostic> {
        let core = driver::core(compiled, program, entries)?;
        let kernel = driver::kernel(&core, compiled.math, compiled.verify)?;
        let parallel = self.backend == Backend::Multicore;
        let types: Vec<String> = entries.iter().map(|_| String::new()).collect();
        let c = driver::executable(compiled, &kernel, "program", "program", &types);
        let options = native::Options { parallel, linked: c.linked, ..Default::default() };
        let span = program.defs[entries[0]].span;
        native::build(&c.text, &path, native::Product::Executable, &options)
            .map_err(|error| fault(error.to_string(), span))?;
        Ok(Made { path, results: kernel.entries.iter().map(|entry| (entry.name, entry.results.clone())).collect() })
    }

    fn execute(&self, made: &Made, entry: &str, input: String) -> Result<Ended, String> {
        let mut child = Command::new(&made.path)
            .args(["--entry", entry])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the executable cannot be started: {error}"))?;
        let stdin = child.stdin.take();
        // A program that fails before it has read everything is fine.
        let writer = thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
        let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let status = self.wait(&mut child)?;
        let _ = writer.join();
        let bytes = |thread: thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
        Ok(Ended { status, out: bytes(out), err: String::from_utf8_lossy(&bytes(err)).into_owned() })
    }

    /// Ends the process after the timeout.
    fn wait(&self, child: &mut Child) -> Result<ExitStatus, String> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if start.elapsed() < self.timeout => thread::sleep(pause),
                Ok(None) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("gave up after {} seconds (--timeout)", self.timeout.as_secs_f64()));
                }
                Err(error) => return Err(error.to_string()),
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

fn reader(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        bytes
    })
}

fn read(bytes: &[u8], layouts: &[Layout]) -> Result<Vec<Value>, String> {
    let mut reader = Values::new(bytes);
    let mut values = Vec::new();
    for layout in layouts {
        match reader.next_value(ValueType::of_layout(layout).as_ref()) {
            Some(value) => values.push(value.map_err(|error| format!("the executable wrote: {error}"))?),
            None => return Err(format!("the executable wrote {} results of {}", values.len(), layouts.len())),
        }
    }
    if reader.is_at_end() { Ok(values) } else { Err("the executable wrote more than its results".into()) }
}

/// Whether a sanitizer reported something.
fn complains(said: &str) -> bool {
    said.contains("Sanitizer") || said.contains("runtime error: ")
}

/// Parses the failure that an executable prints: `error[R001]: title`, then the rest.
fn failure(ended: &Ended, span: Span) -> Diagnostic {
    let told = ended.err.lines().find_map(|line| line.strip_prefix("error[")?.split_once("]: "));
    match told {
        Some((code, title)) if ended.status.code() == Some(1) && !complains(&ended.err) => {
            // There are few different codes, so leaking each once is fine.
            Diagnostic::error(Name::new(code).as_str(), title, span, "this entry point").note(ended.err.trim_end())
        }
        Some(_) | None => fault(format!("the executable ended with {}\n{}", ended.status, ended.err), span),
    }
}

fn fault(what: String, span: Span) -> Diagnostic {
    Diagnostic::error(Fault::Internal.code(), what, span, "this entry point")
}
