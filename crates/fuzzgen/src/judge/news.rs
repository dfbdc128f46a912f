//! What judging a program finds out, and how it is reported.

use base::Diagnostic;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use value::Value;

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

impl Finding {
    /// Whether it only says that the front end rejects the program.
    pub fn is_rejection(&self) -> bool {
        self.class.starts_with(REJECTED)
    }

    /// Whether it says something of the program and not of the compiler: it is rejected, an input does not fit, or the
    /// interpreter needs too much memory or stack.
    pub fn is_of_program(&self) -> bool {
        let kinds = [REJECTED, "input:", "no entry:"];
        let is_exhausted = self.class.starts_with("crash") && self.class.ends_with(ON_INTERPRETER);
        is_exhausted || kinds.iter().any(|kind| self.class.starts_with(kind))
    }
}

/// Where a run is that shows what a program means.
pub(crate) const ON_INTERPRETER: &str = "on the interpreter";

/// The kind of a program that the front end rejects.
pub(super) const REJECTED: &str = "rejected";

/// What is reported while a program is judged.
pub enum News {
    /// This is about to be done.
    At(String),
    /// Something is wrong.
    Found(Finding),
    /// An entry point has these Core constructs.
    Covers(Vec<&'static str>),
    /// The compiler says that it cannot translate an entry point.
    Unsupported(String),
    /// An entry point ran on an input; whether the interpreter ended with an error.
    Ran {
        /// Whether it ended with an error.
        failed: bool,
    },
}

pub(super) type Outcome = Result<Vec<Value>, Diagnostic>;
pub(super) type Tell<'a> = &'a mut dyn FnMut(News);

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Keeps the places of panics from now on, in the place of messages on standard error.
pub fn keep_places_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let (Ok(mut place), Some(at)) = (PLACE.lock(), panic.location()) {
            *place = at.to_string();
        }
    }));
}

/// Does something that must not panic.
pub(super) fn guarded<T>(what: &str, tell: Tell, work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => Some(result),
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default();
            let place = PLACE.lock().map(|place| place.clone()).unwrap_or_default();
            tell(News::Found(found_as(&format!("panic in {what}"), &message, "", &format!("{message}\nat {place}"))));
            None
        }
    }
}

pub(super) fn found(kind: &str, entry: &str, detail: &str) -> News {
    News::Found(found_as(kind, detail, entry, detail))
}

pub(super) fn found_as(kind: &str, what: &str, entry: &str, detail: &str) -> Finding {
    Finding { class: class(kind, what), entry: entry.into(), detail: detail.into() }
}

/// The kind of a finding: numbers and names do not matter.
pub(super) fn class(kind: &str, detail: &str) -> String {
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

pub(super) fn shown(error: &Diagnostic) -> String {
    format!("{} {}", error.code, error.title)
}
