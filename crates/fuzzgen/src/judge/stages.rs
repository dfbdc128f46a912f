//! What the compiler makes of a program, stage by stage.

use super::cases::Case;
use super::news::{Finding, News, Outcome, Tell, Ways, class, guarded, shown};
use super::shake::{SHAKEN, Versions, shake};
use base::Diagnostic;
use driver::passes::{Rules, SCHEDULE, verify_core};
use driver::pipeline::ORDER;
use driver::{Compiled, render};
use fault::Fault;
use native::{Failure, Library, Options, Settings};
use scalar::Math;
use typed::{DefId, Program};
use value::{Value, components};

/// The stages of a program that are run.
pub(super) struct Stages {
    /// Core after each pass, with the name of the pass.
    pub cores: Vec<(&'static str, ir::Program)>,
    /// Loops and memory, if something is compiled.
    pub kernel: Option<kernel::Program>,
    /// Native code on one thread.
    pub one: Option<Library>,
    /// Native code on several threads.
    pub many: Option<Library>,
    last: Option<ir::Program>,
}

impl Stages {
    /// The stages; mistakes in them are reported. Entry points that the compiler does not support are removed.
    pub fn new(
        compiled: &Compiled,
        program: &Program,
        known: &mut Vec<(Case, DefId)>,
        ways: Ways,
        tell: Tell,
    ) -> Option<Stages> {
        let native = ways.c || ways.multicore;
        let (cores, kernel) = match translated(compiled, program, &ids(known), native, tell)? {
            Ok(stages) => stages,
            Err(error) if error.code == UNSUPPORTED => {
                known.retain(|(_, id)| match translated(compiled, program, &[*id], native, tell) {
                    Some(Err(error)) if error.code == UNSUPPORTED => {
                        tell(News::Unsupported(error.title));
                        false
                    }
                    Some(Ok(_) | Err(_)) | None => true,
                });
                match translated(compiled, program, &ids(known), native, tell)? {
                    Ok(stages) => stages,
                    Err(error) => return reported(compiled, &error, tell),
                }
            }
            Err(error) => return reported(compiled, &error, tell),
        };
        let mut code = |on: bool, parallel: bool| native_code(kernel.as_ref().filter(|_| on)?, parallel, tell);
        let (one, many) = (code(ways.c, false), code(ways.multicore, true));
        let last = cores.last().map(|(_, core)| core.clone());
        let cores = if ways.core { cores } else { Vec::new() };
        Some(Stages { cores, kernel, one, many, last })
    }

    /// Core after the last pass.
    pub fn last(&self) -> Option<&ir::Program> {
        self.last.as_ref()
    }
}

/// The name of the stage in which there is much that nothing needs.
pub(super) const UNSWEPT: &str = "desugar";

/// The code of errors that say what the compiler cannot translate.
const UNSUPPORTED: &str = "E0801";

type Translated = (Vec<(&'static str, ir::Program)>, Option<kernel::Program>);

fn ids(known: &[(Case, DefId)]) -> Vec<DefId> {
    known.iter().map(|(_, id)| *id).collect()
}

fn reported<T>(compiled: &Compiled, error: &Diagnostic, tell: Tell) -> Option<T> {
    let detail = render::render(&compiled.sources, error, false);
    let first = error.notes.first().map_or(String::new(), |note| note.to_string());
    // Names of passes tell kinds apart.
    let class = class("translation", &format!("{} {first}", shown(error).replace('`', "")));
    tell(News::Found(Finding { class, entry: String::new(), detail }));
    None
}

/// Core after each pass, and Kernel; each verified. None if something panicked.
fn translated(
    compiled: &Compiled,
    program: &Program,
    ids: &[DefId],
    native: bool,
    tell: Tell,
) -> Option<Result<Translated, Diagnostic>> {
    guarded("translation", tell, || {
        let core = driver::pipeline::desugar(compiled, program, ids)?;
        verify_core(UNSWEPT, &core, Rules::Types)?;
        let mut cores = vec![(UNSWEPT, core)];
        for pass in ORDER {
            let mut core = cores[cores.len() - 1].1.clone();
            pass.run(&mut core, true)?;
            cores.push((pass.name, core));
        }
        let last = &cores[cores.len() - 1].1;
        // A choice of versions hides how its results are made, which may be why an index is in bounds.
        let shaken = shaken(last, Versions::Some).or_else(|_| shaken(last, Versions::None))?;
        cores.push((SHAKEN, shaken));
        let core = &cores[cores.len() - 1].1;
        text_form(core)?;
        let kernel = if native { Some(driver::kernel(core, Math::Strict, true)?) } else { None };
        Ok((cores, kernel))
    })
}

/// Core with other trees, and with versions.
fn shaken(last: &ir::Program, versions: Versions) -> Result<ir::Program, Diagnostic> {
    let mut core = last.clone();
    shake(&mut core, versions);
    // How loops can run depends on the trees.
    SCHEDULE.run(&mut core, true).map_err(|error| error.note(format!("this is Core with {SHAKEN}")))?;
    Ok(core)
}

/// Core that was written and read is the same.
fn text_form(core: &ir::Program) -> Result<(), Diagnostic> {
    let span = base::Span::new(base::FileId(0), 0, 0);
    let wrong = |what: String| Diagnostic::error(Fault::Internal.code(), what, span, "");
    let text = ir::print(core);
    let read = ir::parse(&text).map_err(|error| wrong(format!("the text of Core cannot be read: {error}")))?;
    if ir::print(&read) == text { Ok(()) } else { Err(wrong("the text of Core is read as something else".into())) }
}

fn native_code(kernel: &kernel::Program, parallel: bool, tell: Tell) -> Option<Library> {
    let c = guarded("codegen", tell, || driver::c(kernel))?;
    let options = Options { parallel, level: 0, linked: c.linked, cache: None, ..Options::default() };
    tell(News::At("the C compiler".into()));
    match native::compile(&c.text, &options) {
        Ok(code) => Some(code.library),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().find(|line| line.contains("error")).unwrap_or_default();
            let said = first.split("error:").nth(1).unwrap_or(first);
            tell(News::Found(Finding { class: class("cc", said), entry: String::new(), detail: text.clone() }));
            None
        }
    }
}

/// Runs an entry point. Gives the outcome and how many blocks of memory were not freed.
pub(super) fn native_run(
    code: &Library,
    kernel: &kernel::Program,
    number: usize,
    args: Vec<Value>,
) -> (Outcome, usize) {
    let signature = &kernel.entries[number];
    let layouts = signature.params.iter().map(|p| &p.1);
    let mut inputs = match components::split_all(args.into_iter().zip(layouts)) {
        Ok(inputs) => inputs,
        Err(error) => return (Err(said(Fault::Argument, error.to_string())), 0),
    };
    let mut context = match code.context(Settings { threads: Some(2), memory: None }) {
        Ok(context) => context,
        Err(error) => return (Err(fault(error.to_string())), 0),
    };
    let outputs = context.call(number, &mut inputs, &signature.results).map_err(|failure| match failure {
        Failure::Check { site, args } => match kernel.sites.get(kernel::SiteId(site as u32)) {
            Some(site) => site.diagnostic(&args),
            None => fault(format!("there is no site {site}")),
        },
        Failure::Memory { count, .. } => said(Fault::Memory, format!("no memory for {count} elements")),
    });
    let left = context.left();
    let joined = outputs.and_then(|outputs| {
        components::join_all(outputs, &signature.results).map_err(|error| fault(error.to_string()))
    });
    (joined, left)
}

fn fault(what: String) -> Diagnostic {
    said(Fault::Internal, what)
}

fn said(fault: Fault, what: String) -> Diagnostic {
    Diagnostic::error(fault.code(), what, base::Span::new(base::FileId(0), 0, 0), "")
}
