//! `ravel explain`: what became of each line of a program.
//!
//! ```text
//! dot.rv
//!
//!    1 | entry dot [n] (xs: [n]f64) (ys: [n]f64) = f64.sum (map2 (*) xs ys)
//!        parallel       the loop runs on all cores, unless it is short
//! ```

use crate::args::ExplainArgs;
use crate::{backend, bug, check, out, run};
use base::{Diagnostic, Sources};
use driver::explain::{Explanation, RemarkReport, explain};
use driver::{Compiled, signature};
use serde_json::{Value, json};
use std::process::ExitCode;
use typed::{DefId, Program};

/// Explains all entry points of a program.
pub fn run(options: &ExplainArgs) -> ExitCode {
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    compiled.math = options.math;
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::status::FAULT) };
    let entries = entries(program);
    if entries.is_empty() {
        out::error(run::no_entry(program));
        return ExitCode::from(crate::status::FAULT);
    }
    match explained(&compiled, program, &entries) {
        Ok(explanation) => {
            show(options, &compiled, &explanation);
            ExitCode::SUCCESS
        }
        Err(error) => bug::tell(&compiled, &error),
    }
}

/// All entry points; `main` counts even without `entry`.
fn entries(program: &Program) -> Vec<DefId> {
    match program.entries.is_empty() {
        true => signature::find_entry(program, "main").into_iter().collect(),
        false => program.entries.clone(),
    }
}

fn explained(compiled: &Compiled, program: &Program, entries: &[DefId]) -> Result<Explanation, Box<Diagnostic>> {
    let core = driver::core(compiled, program, entries)?;
    let kernel = compiled.timings.measure("lower", || driver::kernel(&core, compiled.math, compiled.verify))?;
    Ok(explain(compiled, &core, &kernel))
}

fn show(options: &ExplainArgs, compiled: &Compiled, explanation: &Explanation) {
    match options.json {
        true => out::line(as_json(explanation)),
        false => out::text(&as_text(&compiled.sources, explanation, out::color_of_output())),
    }
    if options.timings {
        out::complain(&compiled.timings.table());
    }
}

fn as_json(explanation: &Explanation) -> Value {
    let loops: Vec<Value> = explanation
        .loops
        .iter()
        .map(|one| {
            json!({
                "file": one.file, "line": one.line, "innermost": one.innermost, "mark": one.mark,
                "checks": one.checks, "allocations": one.allocations,
            })
        })
        .collect();
    let remarks: Vec<Value> = explanation
        .remarks
        .iter()
        .map(|one| {
            json!({
                "file": one.file, "line": one.line, "kind": one.topic.name(), "done": one.done, "text": one.text,
            })
        })
        .collect();
    json!({ "loops": loops, "remarks": remarks })
}

/// Remarks by file and line, each below its line of the source, then a summary.
fn as_text(sources: &Sources, explanation: &Explanation, color: bool) -> String {
    let mut out = String::new();
    let mut before: (&str, usize) = ("", 0);
    for remark in &explanation.remarks {
        if remark.file != before.0 {
            out += &format!("{}{}\n", if out.is_empty() { "" } else { "\n" }, remark.file);
        }
        if (remark.file.as_str(), remark.line) != before {
            let line = source_line(sources, &remark.file, remark.line);
            out += &format!("\n{:>4} | {}\n", remark.line, bold(&line, color));
        }
        before = (&remark.file, remark.line);
        out += &row(remark, color);
    }
    out += &format!("{}{}\n", if out.is_empty() { "" } else { "\n" }, summary(explanation));
    out
}

fn source_line(sources: &Sources, file: &str, line: usize) -> String {
    let found = sources.iter().find(|(_, source)| source.path == file);
    let text = found.and_then(|(_, source)| source.text.lines().nth(line - 1)).unwrap_or_default();
    text.trim_end().to_owned()
}

fn row(remark: &RemarkReport, color: bool) -> String {
    let name = remark.topic.name();
    let word = if remark.done { name.to_owned() } else { format!("not {name}") };
    let (start, end) = match (color, remark.done) {
        (false, _) => ("", ""),
        (true, true) => ("\x1b[32m", "\x1b[0m"),
        (true, false) => ("\x1b[33m", "\x1b[0m"),
    };
    format!("       {start}{word:<13}{end}  {}\n", remark.text)
}

fn bold(text: &str, color: bool) -> String {
    if color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

fn summary(explanation: &Explanation) -> String {
    let loops = &explanation.loops;
    let innermost = || loops.iter().filter(|one| one.innermost);
    let number = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}, {} on all cores; in innermost loops: {} and {} in each turn",
        number(loops.len(), "loop"),
        loops.iter().filter(|one| one.mark == "threads").count(),
        number(innermost().map(|one| one.checks).sum(), "check"),
        number(innermost().map(|one| one.allocations).sum(), "allocation"),
    )
}
