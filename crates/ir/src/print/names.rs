//! Names in the text form: those of the source, followed by a number where there are several.
//!
//! Variables are numbered in each function by itself, so that a change in one leaves the text of others alone: the
//! first `x` is `x`, the next `x.1`. The numbers follow the order of the text, so they are the same when the text is
//! parsed and printed again.

use crate::words::{is_plain, is_reserved};
use crate::{BoxId, FunId, Program, SiteId, Var};
use base::{Map, Name};

/// The names given so far.
#[derive(Default)]
pub(super) struct Names {
    vars: Numbered<Var>,
    functions: Numbered<FunId>,
    boxes: Numbered<BoxId>,
    sites: Numbered<SiteId>,
}

/// Names of one kind of thing.
struct Numbered<I> {
    given: Map<I, String>,
    order: Vec<I>,
    counts: Map<Name, usize>,
}

impl<I> Default for Numbered<I> {
    fn default() -> Self {
        Numbered { given: Map::default(), order: Vec::new(), counts: Map::default() }
    }
}

impl<I: Copy + Eq + std::hash::Hash> Numbered<I> {
    fn name(&mut self, id: I, name: &str) -> &str {
        let Numbered { given, order, counts } = self;
        given.entry(id).or_insert_with(|| {
            order.push(id);
            let base = written(name);
            let count = counts.entry(Name::new(&base)).or_insert(usize::from(is_reserved(name)));
            *count += 1;
            if *count == 1 { base } else { format!("{base}.{}", *count - 1) }
        })
    }
}

impl Names {
    /// The names of a program's functions and kinds of boxes, in their order.
    pub(super) fn new(program: &Program) -> Names {
        let mut names = Names::default();
        for (id, function) in program.functions.iter() {
            names.functions.name(id, function.name.as_str());
        }
        for (id, kind) in program.boxes.iter() {
            names.boxes.name(id, kind.name.as_str());
        }
        names
    }

    /// Variables are named anew from here on.
    pub(super) fn forget_vars(&mut self) {
        self.vars = Numbered::default();
    }

    /// The name of a variable.
    pub(super) fn var(&mut self, program: &Program, var: Var) -> &str {
        let name = program.vars.get(var).map_or("unknown", |info| info.name.as_str());
        self.vars.name(var, name)
    }

    /// The name of a function.
    pub(super) fn function(&mut self, id: FunId) -> &str {
        self.functions.name(id, "unknown")
    }

    /// The name of a kind of boxes.
    pub(super) fn boxes(&mut self, id: BoxId) -> &str {
        self.boxes.name(id, "unknown")
    }

    /// The name of a site: its code.
    pub(super) fn site(&mut self, program: &Program, site: SiteId) -> &str {
        let code = program.sites.get(site).map_or("unknown", |site| site.message.fault.code());
        self.sites.name(site, code)
    }

    /// The sites that were named, in the order in which they were.
    pub(super) fn sites(&self) -> Vec<SiteId> {
        self.sites.order.clone()
    }
}

/// A name as it is written: in backquotes if it is not a word.
pub(super) fn written(name: &str) -> String {
    if is_plain(name) { name.to_string() } else { format!("`{}`", name.replace(['`', '\n', '\r'], "'")) }
}

/// A name that stands alone, such as a field's: in backquotes if it is not a word, or one that means something.
pub(super) fn written_plainly(name: &str) -> String {
    if is_reserved(name) { format!("`{name}`") } else { written(name) }
}
