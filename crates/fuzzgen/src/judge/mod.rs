//! Runs a program in every way there is and compares.

mod cases;
mod compare;
mod news;
mod shake;
mod stages;

pub(crate) use news::ON_INTERPRETER;
pub use news::{Finding, News, Ways, keep_places_of_panics};

use crate::coverage;
use crate::tree::Rule;
use base::Diagnostic;
use cases::{Case, cases, read};
use compare::{compare_outcomes, same};
use driver::{Compiled, InMemory, signature};
use fault::Fault;
use news::{Outcome, REJECTED, Tell, class, found, guarded};
use shake::SHAKEN;
use stages::Stages;
use typed::{DefId, Program};
use value::{Tolerance, Value};

/// Says whether the front end rejects a program, and nothing else.
pub fn check(text: &str, tell: Tell) {
    front_end(text, tell);
}

/// What the front end makes of a program; reports why it rejects it.
fn front_end(text: &str, tell: Tell) -> Option<Compiled> {
    tell(News::At("front end".into()));
    let files = InMemory::new([("fuzz.rv", text)]);
    let compiled = guarded("front end", tell, || driver::compile(&files, "fuzz.rv"))?;
    if compiled.program.is_some() {
        return Some(compiled);
    }
    let errors: Vec<Diagnostic> =
        compiled.diagnostics.iter().filter(|d| d.severity == base::Severity::Error).cloned().collect();
    let title = errors.first().map_or(String::new(), |d| format!("{} {}", d.code, d.title));
    let detail = driver::render::render_all(&compiled.sources, &errors, false);
    tell(News::Found(Finding { class: class(REJECTED, &title), entry: String::new(), detail }));
    None
}

/// Judges a program.
pub fn judge(text: &str, ways: Ways, tell: Tell) {
    let Some(compiled) = front_end(text, tell) else { return };
    let Some(program) = &compiled.program else { return };
    let mut known: Vec<(Case, DefId)> = Vec::new();
    for case in cases(text) {
        match signature::find_entry(program, &case.entry) {
            Some(id) => known.push((case, id)),
            None => return tell(found("no entry", &case.entry, "an entry point is missing")),
        }
    }
    let Some(stages) = Stages::new(&compiled, program, &mut known, ways, tell) else { return };
    if let Some(core) = stages.last() {
        coverage::entries(core).into_iter().for_each(|keys| tell(News::Covers(keys)));
    }
    for (number, (case, id)) in known.iter().enumerate() {
        let Ok(types) = signature::parameters(program, &program.defs[*id]) else { continue };
        for input in &case.inputs {
            match read(input, &types) {
                Ok(args) => {
                    Run { compiled: &compiled, program, stages: &stages, case, input }.run(number, *id, &args, tell)
                }
                Err(why) => tell(found("input", &case.entry, &why)),
            }
        }
    }
}

/// The passes that combine floats in another order or round them later: bits of results may change there, and nowhere else.
const REORDERING: [&str; 5] = ["eliminate", "tile", "lanes", "trees", "contract"];

/// A run of an entry point on an input.
struct Run<'a> {
    compiled: &'a Compiled,
    program: &'a Program,
    stages: &'a Stages,
    case: &'a Case,
    input: &'a str,
}

impl Run<'_> {
    fn run(&self, number: usize, id: DefId, args: &[Value], tell: Tell) {
        let entry = &self.case.entry;
        tell(News::At(format!("{entry} {ON_INTERPRETER}")));
        let meant = || driver::interpret(self.compiled, self.program, id, args.to_vec(), &|_, _| {});
        let Some(expected) = guarded("interp", tell, meant) else { return };
        tell(News::Ran { failed: expected.is_err() });
        if let Err(error) = &expected
            && error.code == Fault::Internal.code()
        {
            return tell(found("interp fault", entry, &error.title));
        }
        let shaken = self.on_core(id, args, &expected, tell);
        // Code is made from Core with other trees, whose bits it has.
        let expected = if expected.is_ok() { shaken.unwrap_or(expected) } else { expected };
        self.as_code(number, args, &expected, tell);
    }

    /// Runs Core after each pass; gives what Core with other trees makes.
    fn on_core(&self, id: DefId, args: &[Value], expected: &Outcome, tell: Tell) -> Option<Outcome> {
        let entry = &self.case.entry;
        let mut expected = expected.clone();
        for (pass, core) in &self.stages.cores {
            tell(News::At(format!("{entry} on Core")));
            let work = || driver::interpret_core(self.compiled, core, entry, args.to_vec(), &|_, _| {});
            if let Some(got) = guarded("core", tell, work) {
                if *pass == SHAKEN && got.is_ok() {
                    return Some(got);
                }
                // Checks that nothing relies on may still be there, and fail, until they are swept away.
                let unneeded = |error: &Diagnostic| *pass == stages::UNSWEPT && error.code != Fault::Internal.code();
                if got.as_ref().is_err_and(unneeded) {
                    continue;
                }
                // Before copies are put in, something may be used after it was consumed.
                if got.as_ref().is_err_and(|error| error.code == Fault::Internal.code()) && ir::verify(core).is_err() {
                    continue;
                }
                let reorders = REORDERING.contains(pass);
                let are_values = expected.is_ok() && got.is_ok();
                let rule =
                    if reorders && (are_values || self.case.rule == Rule::Exact) { Rule::Near } else { self.case.rule };
                let Some(found) = compare_outcomes("core", (self.case, rule), self.input, &expected, &got) else {
                    if reorders && got.is_ok() {
                        expected = got;
                    }
                    continue;
                };
                if rule == Rule::Near && self.is_chaotic(id, &expected) {
                    return None;
                }
                tell(News::Found(Finding { detail: format!("after {pass}, {}", found.detail), ..found }));
                // What later passes make of it is wrong too.
                return None;
            }
        }
        None
    }

    /// Whether the last bits of the input decide what comes out, so that another order of sums may decide it, too.
    fn is_chaotic(&self, id: DefId, expected: &Outcome) -> bool {
        let Ok(types) = signature::parameters(self.program, &self.program.defs[id]) else { return false };
        let Ok(args) = read(&cases::nudged(self.input), &types) else { return false };
        let got = driver::interpret(self.compiled, self.program, id, args, &|_, _| {});
        match (got, expected) {
            (Ok(got), Ok(expected)) => same(&got, expected, &Tolerance::default()).is_err(),
            (got, expected) => got.is_ok() != expected.is_ok(),
        }
    }

    fn as_code(&self, number: usize, args: &[Value], expected: &Outcome, tell: Tell) {
        let entry = &self.case.entry;
        let mut exact: Option<Vec<Value>> = None;
        for (way, code) in [("c", &self.stages.one), ("multicore", &self.stages.many)] {
            let (Some(code), Some(kernel)) = (code, &self.stages.kernel) else { continue };
            tell(News::At(format!("{entry} on {way} with {}", self.input)));
            let (got, left) = stages::native_run(code, kernel, number, args.to_vec());
            if let Some(found) = compare_outcomes(way, (self.case, self.case.rule), self.input, expected, &got) {
                tell(News::Found(found));
            }
            if left > 0 {
                tell(found(&format!("{way} leaves memory"), entry, &format!("on {}: {left} blocks", self.input)));
            }
            match (&exact, got) {
                (Some(c), Ok(many)) => {
                    if let Err(why) = same(c, &many, &Tolerance::uniform(0.0)) {
                        tell(found("threads differ", entry, &format!("on {}: {why}", self.input)));
                    }
                }
                (None, Ok(values)) => exact = Some(values),
                (_, Err(_)) => {}
            }
        }
    }
}
