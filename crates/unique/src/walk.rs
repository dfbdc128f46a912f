//! The state of the walk: what is in scope, what has been consumed, and by what.

use super::alias::{Alias, Aliases, Shares, Source};
use super::known::Summaries;
use super::pattern::field_index;
use base::{Diagnostic, Map, Name, Set, Span};
use std::cell::Cell;
use std::rc::Rc;
use typed::{Diet, Index, LocalId, Pat, PatKind, Program, Type};

/// A walk over one definition.
pub(super) struct Walk<'a> {
    pub program: &'a Program,
    pub summaries: &'a Summaries,
    /// The diets of locals in patterns whose types are written.
    pub written: &'a Map<LocalId, Diet>,
    /// `.rv` rules: parts of records are separate, results share what bodies show, rows may be put back.
    pub precise: bool,
    scope: Map<LocalId, Entry<'a>>,
    /// Every local that was ever in scope.
    seen: Set<LocalId>,
    /// How many functions and loops are around: what was bound outside of one may not be consumed inside.
    pub level: u32,
    consumed: Vec<Consumption<'a>>,
    by_source: Map<Source, Vec<usize>>,
    /// The values that [`Source::Made`] numbers.
    pub made: Vec<Made>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What consumed something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// `a with [i] = v`.
    With,
    /// `update a { ... }`.
    Update,
    /// A call whose parameter is marked `*`.
    Call(Option<Name>),
    /// The first value of a loop that consumes it.
    Loop,
}

/// Where memory without a name comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    /// A call of this function.
    Call(Option<Name>, Span),
    /// A loop.
    Loop(Span),
}

/// A local in scope.
#[derive(Clone)]
pub(super) struct Entry<'a> {
    pub shares: Shares,
    /// Which parts may be consumed.
    pub diet: Diet,
    pub level: u32,
    pub role: Role,
    /// The row of another array that this is.
    pub row: Option<Rc<Row<'a>>>,
}

/// What kind of local it is; decides the words of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Param,
    Let,
    LoopValue,
    Element,
    Function,
    Recursive,
}

/// `base[indices]`: memory that may be updated and put back.
pub(super) struct Row<'a> {
    pub base: LocalId,
    pub indices: &'a [Index],
    /// Whether another way through the program keeps an alias of it, so that it cannot be put back.
    pub kept: Cell<bool>,
}

/// A part that is gone.
#[derive(Clone)]
pub(super) struct Consumption<'a> {
    pub alias: Alias,
    pub span: Span,
    pub how: How,
    /// The row, if only one of an array was taken.
    pub row: Option<Rc<Row<'a>>>,
}

impl<'a> Walk<'a> {
    pub fn new(
        program: &'a Program,
        summaries: &'a Summaries,
        written: &'a Map<LocalId, Diet>,
        precise: bool,
    ) -> Walk<'a> {
        Walk {
            program,
            summaries,
            written,
            precise,
            scope: Map::default(),
            seen: Set::default(),
            level: 0,
            consumed: Vec::new(),
            by_source: Map::default(),
            made: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub fn entry(&self, local: LocalId) -> Option<&Entry<'a>> {
        self.scope.get(&local)
    }

    /// Whether a source is a constant, or a local that is in scope.
    pub fn in_scope(&self, source: Source) -> bool {
        match source {
            Source::Local(local) => self.scope.contains_key(&local) || !self.seen.contains(&local),
            Source::Global(_) => true,
            Source::Made(_) | Source::Param(_) | Source::Inner(_) => false,
        }
    }

    /// Brings a local into scope; its value also shares with itself from now on, unless it is a named function.
    pub fn bind(&mut self, local: LocalId, mut shares: Shares, diet: Diet, role: Role, row: Option<Rc<Row<'a>>>) {
        if role != Role::Function {
            shares.add_self(Source::Local(local));
        }
        self.seen.insert(local);
        self.scope.insert(local, Entry { shares, diet, level: self.level, role, row });
    }

    /// Brings the names of a pattern into scope. `diet` says which parts may be consumed.
    pub fn bind_pat(&mut self, pat: &'a Pat, shares: &Shares, diet: &Diet, role: Role) {
        match &pat.kind {
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Bind(local) => self.bind(*local, shares.clone(), diet.clone(), role, None),
            PatKind::Ascribe(inner, _) => self.bind_pat(inner, shares, diet, role),
            PatKind::Record(fields) => {
                for (name, field) in fields {
                    let index = field_index(&pat.ty, *name);
                    let part = shares.at(&[index as u16]).clone();
                    self.bind_pat(field, &part, diet.part(index), role);
                }
            }
            PatKind::Constr(name, pats) => {
                let payload = constructor_parts(&pat.ty, shares, *name);
                for (i, inner) in pats.iter().enumerate() {
                    let part = payload.and_then(|p| p.get(i)).cloned();
                    let part = part.unwrap_or_else(|| Shares::spread(&inner.ty, &shares.all()));
                    self.bind_pat(inner, &part, diet, role);
                }
            }
        }
    }

    /// Takes the names of a pattern out of scope.
    pub fn unbind_pat(&mut self, pat: &Pat) {
        let scope = &mut self.scope;
        pat.for_each(&mut |p| {
            if let PatKind::Bind(local) = &p.kind {
                scope.remove(local);
            }
        });
    }

    pub fn unbind(&mut self, local: LocalId) {
        self.scope.remove(&local);
    }

    /// A number for the memory of a result.
    pub fn new_made(&mut self, made: Made) -> u32 {
        self.made.push(made);
        self.made.len() as u32 - 1
    }

    /// What consumed this part, if anything did.
    pub fn consumption(&self, alias: &Alias) -> Option<&Consumption<'a>> {
        let found = self.by_source.get(&alias.source)?;
        let same = |c: &&Consumption| !self.precise || c.alias.meets(alias);
        found.iter().map(|i| &self.consumed[*i]).find(same)
    }

    /// Every consumption of this part.
    pub fn consumptions(&self, alias: &Alias) -> impl Iterator<Item = &Consumption<'a>> {
        let found = self.by_source.get(&alias.source).map_or(&[][..], Vec::as_slice);
        found.iter().map(|i| &self.consumed[*i]).filter(move |c| !self.precise || c.alias.meets(alias))
    }

    /// Runs `f` and takes back what it consumed, which is given with its result.
    pub fn contain<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (T, Vec<Consumption<'a>>) {
        let mark = self.consumed.len();
        let result = f(self);
        let taken = self.consumed.split_off(mark);
        for one in &taken {
            if let Some(list) = self.by_source.get_mut(&one.alias.source) {
                list.retain(|i| *i < mark);
            }
        }
        (result, taken)
    }

    /// Marks parts as gone.
    pub fn mark(&mut self, consumed: impl IntoIterator<Item = Consumption<'a>>) {
        for one in consumed {
            self.by_source.entry(one.alias.source).or_default().push(self.consumed.len());
            self.consumed.push(one);
        }
    }

    /// Uses a value: none of what it shares may be gone.
    pub fn observe(&mut self, aliases: &Aliases, used: Option<LocalId>, span: Span) {
        let own = used.map(Source::Local);
        let mut gone: Vec<&Consumption> = aliases.iter().filter_map(|a| self.consumption(a)).collect();
        gone.sort_by_key(|c| (own != Some(c.alias.source), !matches!(c.alias.source, Source::Local(_))));
        if let Some(first) = gone.first().copied().cloned() {
            self.used_after_consumption(&first, used, span);
        }
    }

    /// Consumes parts of a value at `span`.
    pub fn consume(&mut self, aliases: &Aliases, span: Span, how: How, row: Option<Rc<Row<'a>>>) {
        if let Some(alias) = aliases.iter().find(|a| !self.may_consume(a)).cloned() {
            self.not_consumable(&alias, span, how);
        } else {
            self.observe(aliases, None, span);
        }
        self.mark_all(aliases, span, how, row);
    }

    /// Marks parts as gone without looking whether they may.
    pub fn mark_all(&mut self, aliases: &Aliases, span: Span, how: How, row: Option<Rc<Row<'a>>>) {
        let gone: Vec<Consumption> =
            aliases.iter().map(|alias| Consumption { alias: alias.clone(), span, how, row: row.clone() }).collect();
        self.mark(gone);
    }

    fn may_consume(&self, alias: &Alias) -> bool {
        match alias.source {
            Source::Global(_) => false,
            Source::Made(_) | Source::Param(_) | Source::Inner(_) => true,
            Source::Local(local) => match self.scope.get(&local) {
                Some(entry) if entry.level < self.level => false,
                Some(entry) if self.precise => entry.diet.at(&alias.path).consumes(),
                Some(entry) => entry.diet.consumes(),
                // Out of scope: nothing else can use its memory. Sizes are never entered into the scope.
                None => self.seen.contains(&local),
            },
        }
    }
}

fn constructor_parts<'s>(ty: &Type, shares: &'s Shares, name: base::Name) -> Option<&'s Vec<Shares>> {
    match (ty, shares) {
        (Type::Sum(constrs), Shares::Sum(parts)) => parts.get(constrs.iter().position(|c| c.0 == name)?),
        _ => None,
    }
}
