//! Runs a program in every way there is and compares.

use crate::coverage;
use crate::tree::Rule;
use base::Diagnostic;
use driver::{Compiled, InMemory, signature};
use native::{Failure, Options, Settings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use typed::DefId;
use value::{Tolerance, compare};
use value::{Value, Values, components};

/// The ways to run a program beside the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ways {
    /// The interpreter of Core.
    pub core: bool,
    /// Native code on one thread.
    pub c: bool,
    /// Native code on several threads.
    pub multicore: bool,
}

impl Ways {
    /// All of them.
    pub const ALL: Ways = Ways { core: true, c: true, multicore: true };

    /// The names, as on the command line.
    pub fn names(self) -> String {
        let all = [(self.core, "core"), (self.c, "c"), (self.multicore, "multicore")];
        all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect::<Vec<_>>().join(",")
    }

    /// Reads the names.
    pub fn parse(names: &str) -> Result<Ways, String> {
        let mut ways = Ways { core: false, c: false, multicore: false };
        for name in names.split(',').filter(|name| !name.is_empty()) {
            match name {
                "core" => ways.core = true,
                "c" => ways.c = true,
                "multicore" => ways.multicore = true,
                "interp" => {}
                _ => return Err(format!("no way to run programs is called `{name}`: core, c, multicore")),
            }
        }
        Ok(ways)
    }
}

/// Something is wrong with a program or with the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What kind of thing: the same for the same mistake, more or less.
    pub class: String,
    /// The entry point, if it is one's fault.
    pub entry: String,
    /// The whole story.
    pub detail: String,
}

/// What is told while a program is judged.
pub enum News {
    /// This is about to be done.
    At(String),
    /// Something is wrong.
    Found(Finding),
    /// An entry point has these Core constructs.
    Covers(Vec<&'static str>),
    /// An entry point ran on an input; whether the interpreter ended with an error.
    Ran {
        /// Whether it ended with an error.
        failed: bool,
    },
}

/// An entry point and its inputs, as comments say.
struct Case {
    entry: String,
    rule: Rule,
    inputs: Vec<String>,
}

type Outcome = Result<Vec<Value>, Diagnostic>;

/// Judges a program.
pub fn judge(text: &str, ways: Ways, tell: &mut dyn FnMut(News)) {
    tell(News::At("front end".into()));
    let files = InMemory::new([("fuzz.rv", text)]);
    let Some(compiled) = guarded("front end", tell, || driver::compile(&files, "fuzz.rv")) else { return };
    let Some(program) = &compiled.program else {
        let errors: Vec<Diagnostic> =
            compiled.diagnostics.iter().filter(|d| d.severity == base::Severity::Error).cloned().collect();
        let title = errors.first().map_or(String::new(), |d| format!("{} {}", d.code, d.title));
        let detail = driver::render::render_all(&compiled.sources, &errors, false);
        return tell(News::Found(Finding { class: class("rejected", &title), entry: String::new(), detail }));
    };
    let cases = cases(text);
    let ids: Vec<DefId> = cases.iter().filter_map(|case| signature::find_entry(program, &case.entry)).collect();
    if ids.len() != cases.len() {
        return tell(found("no entry", "", "an entry point is missing"));
    }
    let Some(core) = guarded("desugar", tell, || driver::core(&compiled, program, &ids)) else { return };
    let core = match core {
        Ok(core) => core,
        Err(error) => return tell(trouble("desugar", &compiled, &error)),
    };
    coverage::entries(&core).into_iter().for_each(|keys| tell(News::Covers(keys)));
    if let Some(Err(violations)) = guarded("verify", tell, || ir::verify(&core)) {
        let detail: Vec<String> = violations.iter().map(ToString::to_string).collect();
        let first = violations.first().map_or(String::new(), |v| v.detail.clone());
        let finding = Finding { class: class("verify", &first), entry: String::new(), detail: detail.join("\n") };
        tell(News::Found(finding));
        return;
    }
    let kernel = if ways.c || ways.multicore {
        match guarded("lower", tell, || driver::kernel(&core, false)) {
            Some(Ok(kernel)) => Some(kernel),
            Some(Err(error)) => {
                tell(trouble("lower", &compiled, &error));
                None
            }
            None => None,
        }
    } else {
        None
    };
    let code = |on: bool, parallel: bool, tell: &mut dyn FnMut(News)| {
        let kernel = kernel.as_ref().filter(|_| on)?;
        compile(kernel, parallel, tell)
    };
    let one = code(ways.c, false, tell);
    let many = code(ways.multicore, true, tell);

    for (number, (case, id)) in cases.iter().zip(&ids).enumerate() {
        let Ok(types) = signature::parameters(program, &program.defs[*id]) else { continue };
        for input in &case.inputs {
            let args = match read(input, &types) {
                Ok(args) => args,
                Err(why) => {
                    tell(found("input", &case.entry, &why));
                    continue;
                }
            };
            tell(News::At(format!("{} on the interpreter", case.entry)));
            let expected =
                guarded("interp", tell, || driver::interpret(&compiled, program, *id, args.clone(), &|_| {}));
            let Some(expected) = expected else { continue };
            tell(News::Ran { failed: expected.is_err() });
            if let Err(error) = &expected
                && error.code == driver::OUR_FAULT
            {
                tell(found("interp fault", &case.entry, &error.title));
                continue;
            }
            if ways.core {
                tell(News::At(format!("{} on Core", case.entry)));
                let got = guarded("core", tell, || on_core(&compiled, &core, &case.entry, args.clone()));
                if let Some(got) = got {
                    compare_outcomes("core", case, input, &expected, &got, tell);
                }
            }
            let mut exact: Option<Vec<Value>> = None;
            for (way, code) in [("c", &one), ("multicore", &many)] {
                let (Some(code), Some(kernel)) = (code, &kernel) else { continue };
                tell(News::At(format!("{} on {way} with {input}", case.entry)));
                let got = native_run(code, kernel, number, args.clone());
                compare_outcomes(way, case, input, &expected, &got, tell);
                match (&exact, got) {
                    (Some(c), Ok(many)) => {
                        if let Err(why) = same(c, &many, &Tolerance::uniform(0.0)) {
                            tell(found("threads differ", &case.entry, &format!("on {input}: {why}")));
                        }
                    }
                    (None, Ok(values)) => exact = Some(values),
                    (_, Err(_)) => {}
                }
            }
        }
    }
}

fn compile(kernel: &kernel::Program, parallel: bool, tell: &mut dyn FnMut(News)) -> Option<native::Library> {
    let c = guarded("codegen", tell, || driver::c(kernel, parallel))?;
    let options = Options { parallel, level: 0, cache: None, ..Options::default() };
    tell(News::At("the C compiler".into()));
    match native::compile(&c.text, &options) {
        Ok(code) => Some(code.library),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().find(|line| line.contains("error")).unwrap_or_default();
            let said = first.split("error:").nth(1).unwrap_or(first);
            let finding = Finding { class: class("cc", said), entry: String::new(), detail: text.clone() };
            tell(News::Found(finding));
            None
        }
    }
}

fn native_run(code: &native::Library, kernel: &kernel::Program, number: usize, args: Vec<Value>) -> Outcome {
    let signature = &kernel.entries[number];
    let span = base::Span::new(base::FileId(0), 0, 0);
    let fault = |what: String| Diagnostic::error(driver::OUR_FAULT, what, span, "");
    let layouts = signature.params.iter().map(|p| &p.1);
    let mut inputs = components::split_all(args.into_iter().zip(layouts)).map_err(|e| fault(e.to_string()))?;
    let settings = Settings { threads: Some(2), memory: None };
    let mut context = code.context(settings).map_err(|e| fault(e.to_string()))?;
    let outputs = context.call(number, &mut inputs, &signature.results).map_err(|failure| match failure {
        Failure::Check { site, args } => match kernel.sites.get(kernel::SiteId(site as u32)) {
            Some(site) => site.diagnostic(&args),
            None => fault(format!("there is no site {site}")),
        },
        Failure::Memory { count, .. } => fault(format!("no memory for {count} elements")),
    })?;
    components::join_all(outputs, &signature.results).map_err(|e| fault(e.to_string()))
}

fn on_core(compiled: &Compiled, core: &ir::Program, entry: &str, args: Vec<Value>) -> Outcome {
    let of_user = |file| !compiled.library.contains(&file);
    interp::core::run_core_values(core, entry, args, &|_| {}).map_err(|error| error.to_diagnostic(of_user))
}

fn compare_outcomes(
    way: &str,
    case: &Case,
    input: &str,
    expected: &Outcome,
    got: &Outcome,
    tell: &mut dyn FnMut(News),
) {
    let on = |why: String| format!("on {}: {why}", shortened(input));
    match (expected, got) {
        (Ok(expected), Ok(got)) => {
            let tolerance = if case.rule == Rule::Near { Tolerance::default() } else { Tolerance::uniform(0.0) };
            if let Err(why) = same(got, expected, &tolerance) {
                tell(found_as(&format!("{way} differs"), "", &case.entry, &on(why)));
            }
        }
        (Ok(_), Err(error)) => {
            tell(found_as(&format!("{way} fails"), &shown(error), &case.entry, &on(shown(error))));
        }
        // A computation that no result needs may vanish with its checks.
        (Err(error), Ok(_)) if case.rule == Rule::OneCheck => {
            tell(found_as(&format!("{way} does not fail"), &shown(error), &case.entry, &on(shown(error))));
        }
        (Err(_), Ok(_)) => {}
        (Err(expected), Err(got)) => {
            let alike = if case.rule == Rule::OneCheck {
                (expected.code, &expected.title) == (got.code, &got.title)
            } else {
                got.code != driver::OUR_FAULT
            };
            if !alike {
                let both = format!("got `{}`, expected `{}`", shown(got), shown(expected));
                tell(found_as(&format!("{way} error"), &both, &case.entry, &on(both.clone())));
            }
        }
    }
}

fn same(got: &[Value], expected: &[Value], tolerance: &Tolerance) -> Result<(), String> {
    if got.len() != expected.len() {
        return Err(format!("{} values, expected {}", got.len(), expected.len()));
    }
    got.iter().zip(expected).try_for_each(|(got, expected)| compare(got, expected, tolerance))
}

fn read(input: &str, types: &[value::ValueType]) -> Result<Vec<Value>, String> {
    let mut reader = Values::new(input.as_bytes());
    let mut values = Vec::new();
    while let Some(value) = reader.next_value(types.get(values.len())) {
        values.push(value.map_err(|error| error.to_string())?);
    }
    if values.len() == types.len() { Ok(values) } else { Err(format!("{} values for {}", values.len(), types.len())) }
}

/// The entry points and inputs that the comments of a program name.
fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("-- entry: ") {
            let (entry, rule) = words.split_once(' ').unwrap_or((words, "exact"));
            let rule = Rule::ALL.into_iter().find(|known| known.name() == rule).unwrap_or(Rule::Exact);
            cases.push(Case { entry: entry.into(), rule, inputs: Vec::new() });
        } else if let Some(rest) = line.strip_prefix("-- input {")
            && let Some(case) = cases.last_mut()
        {
            case.inputs.push(rest.trim_end().trim_end_matches('}').trim().into());
        }
    }
    cases
}

/// Does something that must not panic.
fn guarded<T>(what: &str, tell: &mut dyn FnMut(News), work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => Some(result),
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default();
            tell(found(&format!("panic in {what}"), "", &message));
            None
        }
    }
}

fn trouble(stage: &str, compiled: &Compiled, error: &Diagnostic) -> News {
    let detail = driver::render::render(&compiled.sources, error, false);
    News::Found(Finding { class: class(stage, &shown(error)), entry: String::new(), detail })
}

fn found(kind: &str, entry: &str, detail: &str) -> News {
    found_as(kind, detail, entry, detail)
}

fn found_as(kind: &str, what: &str, entry: &str, detail: &str) -> News {
    News::Found(Finding { class: class(kind, what), entry: entry.into(), detail: detail.into() })
}

/// The kind of a finding: numbers and names do not matter.
fn class(kind: &str, detail: &str) -> String {
    let mut out = String::new();
    for word in detail.split_whitespace().take(12) {
        let plain: String = word.chars().filter(|c| c.is_alphabetic()).collect();
        if plain.len() > 2 && !word.contains('`') && !word.contains('[') && !word.chars().any(|c| c.is_ascii_digit()) {
            out.push(' ');
            out.push_str(&plain);
        }
    }
    format!("{kind}:{out}")
}

fn shown(error: &Diagnostic) -> String {
    format!("{} {}", error.code, error.title)
}

fn shortened(input: &str) -> &str {
    let end = input.floor_char_boundary(300);
    &input[..end]
}
