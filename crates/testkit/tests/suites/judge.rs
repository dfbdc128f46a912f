//! Runs the passes of a test and looks at what comes out.

use crate::counts;
use crate::markdown::Test;
use crate::ways::{self, Way};
use driver::stages::Stage;
use driver::{Compiled, InMemory, render};

/// What came of a test.
pub struct Outcome {
    /// Kind and text of the output; none if there is none to show.
    pub output: Option<(String, String)>,
    /// What else is wrong.
    pub wrong: Vec<String>,
}

/// Runs a test.
pub fn judge(test: &Test) -> Outcome {
    if test.passes == ["types"] {
        return Outcome { output: Some(types(test)), wrong: Vec::new() };
    }
    let text = if test.kind == "src" { test.input.as_str() } else { "" };
    let compiled = driver::compile(&InMemory::new([("test.rv", text)]), "test.rv");
    if compiled.program.is_none() {
        let why = render::render_all(&compiled.sources, &compiled.diagnostics, false);
        return Outcome { output: None, wrong: vec![format!("the program is rejected\n{why}")] };
    }
    let mut wrong = Vec::new();
    if test.passes == ["counts"] {
        return counts(test, &compiled);
    }
    let stage = match passes(test, &compiled, &mut wrong) {
        Ok(stage) => stage,
        Err(error) => {
            if !test.checks.is_empty() {
                wrong.push("there is nothing to check".into());
            }
            return Outcome { output: Some(("error".into(), format!("{}\n", error.trim_end()))), wrong };
        }
    };
    let (kind, text) = shown(&stage);
    if let Err(why) = comes_back(kind, &text) {
        wrong.push(why);
    }
    let keeps_memory = test.passes.iter().any(|pass| pass == "core" || pass == "copies");
    if let Err(why) = keeps_rules(&stage, keeps_memory) {
        wrong.push(format!("the output breaks rules: {why}"));
    }
    wrong.extend(checks(test, &compiled, &stage, &text));
    Outcome { output: Some((kind.into(), text)), wrong }
}

/// The table of counts. Runs start from the result of all passes.
fn counts(test: &Test, compiled: &Compiled) -> Outcome {
    let made = counts::table(compiled)
        .and_then(|table| Ok((table, Stage::Source(compiled).step("core").map_err(|trouble| trouble.to_string())?)));
    match made {
        Ok((table, stage)) => {
            let wrong = checks(test, compiled, &stage, &table);
            Outcome { output: Some(("counts".into(), table)), wrong }
        }
        Err(why) => Outcome { output: None, wrong: vec![why] },
    }
}

/// What the checker says of a program: its messages, or the types of its definitions.
fn types(test: &Test) -> (String, String) {
    let file = if test.kind == "fut" { "test.fut" } else { "test.rv" };
    let compiled = driver::compile(&InMemory::new([(file, test.input.as_str())]), file);
    let messages = render::render_all(&compiled.sources, &compiled.diagnostics, false);
    match &compiled.program {
        Some(program) if messages.is_empty() => {
            let shown = program.main_defs.iter().map(|def| format!("{}\n", driver::signature::show(program, *def)));
            ("types".into(), shown.collect())
        }
        _ => ("error".into(), format!("{}\n", messages.trim_end())),
    }
}

/// What the test starts from.
fn input<'a>(test: &Test, compiled: &'a Compiled) -> Result<Stage<'a>, String> {
    match test.kind.as_str() {
        "src" => Ok(Stage::Source(compiled)),
        "core" => ir::parse(&test.input).map(Stage::Core).map_err(|e| e.to_string()),
        _ => kernel::text::parse(&test.input).map(Stage::Kernel).map_err(|e| e.to_string()),
    }
}

fn passes<'a>(test: &Test, compiled: &'a Compiled, wrong: &mut Vec<String>) -> Result<Stage<'a>, String> {
    let mut stage = input(test, compiled)?;
    let verified = test.passes.first().is_some_and(|first| first == "verify");
    if !verified && let Err(why) = keeps_rules(&stage, false) {
        wrong.push(format!("the input breaks rules: {why}"));
    }
    for pass in &test.passes {
        stage = stage.step(pass).map_err(|trouble| trouble.to_string())?;
    }
    Ok(stage)
}

/// The kind and the text of what came out. Of C only what is the program's own.
fn shown(stage: &Stage) -> (&'static str, String) {
    match stage {
        Stage::Source(_) => ("error", "nothing was made\n".into()),
        Stage::Core(_) => ("core", stage.text()),
        Stage::Kernel(_) => ("kernel", stage.text()),
        Stage::C(c) => ("c", format!("{}\n", c.text[c.own..].trim())),
    }
}

/// A text prints as itself.
fn comes_back(kind: &str, text: &str) -> Result<(), String> {
    let again = match kind {
        "core" => ir::print(&ir::parse(text).map_err(|e| format!("the output does not parse: {e}"))?),
        "kernel" => {
            let parsed = kernel::text::parse(text).map_err(|e| format!("the output does not parse: {e}"))?;
            kernel::text::print_with(&parsed, false)
        }
        _ => return Ok(()),
    };
    if again == text { Ok(()) } else { Err(format!("the output does not print as itself:\n{again}")) }
}

fn keeps_rules(stage: &Stage, with_memory: bool) -> Result<(), String> {
    let first = |broken: Vec<String>| broken.join("\n");
    match stage {
        Stage::Source(_) | Stage::C(_) => Ok(()),
        Stage::Core(core) => {
            let verified = if with_memory { ir::verify(core) } else { ir::verify_types(core) };
            verified.map_err(|broken| first(broken.iter().map(ToString::to_string).collect()))
        }
        Stage::Kernel(kernel) => {
            kernel::verify::verify(kernel).map_err(|broken| first(broken.iter().map(ToString::to_string).collect()))
        }
    }
}

/// Looks at the lines of the `check` fence.
fn checks(test: &Test, compiled: &Compiled, stage: &Stage, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut ways: Option<Vec<Way>> = None;
    for line in &test.checks {
        let said = match line.split_once(' ') {
            Some(("count", rest)) => count(rest, text),
            Some(("run", rest)) => {
                let ways = match &ways {
                    Some(ways) => ways,
                    None => match input(test, compiled).and_then(|input| ways::all(compiled, input, stage)) {
                        Ok(made) => ways.insert(made),
                        Err(why) => return vec![why],
                    },
                };
                ways::run(ways, rest)
            }
            _ => Err("neither `count` nor `run`".into()),
        };
        if let Err(why) = said {
            wrong.push(format!("{line}\n  {why}"));
        }
    }
    wrong
}

/// `WORDS N`: how often words stand in the output.
fn count(line: &str, text: &str) -> Result<(), String> {
    let (words, number) = line.rsplit_once(' ').ok_or("no number")?;
    let wanted: usize = number.parse().map_err(|_| format!("`{number}` is no number"))?;
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |(at, found): &(usize, &str)| {
        let before = text[..*at].chars().next_back();
        let behind = text[at + found.len()..].chars().next();
        let open = |c: Option<char>, inner: Option<char>| !(c.is_some_and(part) && inner.is_some_and(part));
        open(before, words.chars().next()) && open(behind, words.chars().next_back())
    };
    let found = text.match_indices(words).filter(whole).count();
    if found == wanted { Ok(()) } else { Err(format!("there are {found}")) }
}
