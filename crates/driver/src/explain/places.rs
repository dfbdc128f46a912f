//! From spans to lines of the user's files.
//!
//! What the library does is shown at the lines where the user's text called it, through any number of calls.

use super::report::RemarkReport;
use crate::pipeline::Compiled;
use base::{Map, Set, Span};
use ir::{Remark, Topic};

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Line {
    pub file: String,
    pub line: usize,
}

/// Something that is counted: `{count} {noun}{rest}`.
#[derive(Clone)]
pub(super) struct Thing {
    pub function: u32,
    pub span: Span,
    pub noun: &'static str,
    pub rest: String,
    /// A place that `rest` mentions.
    pub about: Option<Span>,
    /// The branches around it, the outermost first.
    pub branches: Vec<Branch>,
}

/// A branch of a statement of which only one branch runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Branch {
    pub choice: u32,
    pub way: usize,
}

/// How many things there are at most, from the branches around each of them: of two versions of a loop one runs.
fn most(mut things: Vec<&[Branch]>) -> usize {
    let (mut count, mut left) = (0, Vec::new());
    while let Some(branches) = things.pop() {
        let Some((first, _)) = branches.split_first() else {
            count += 1;
            continue;
        };
        let of_choice = |other: &&[Branch]| other.first().is_some_and(|branch| branch.choice == first.choice);
        let (same, others): (Vec<_>, Vec<_>) = things.into_iter().chain([branches]).partition(of_choice);
        left.push(same);
        things = others;
    }
    for same in left {
        let ways = same.iter().map(|branches| branches[0].way).max().unwrap_or(0);
        let in_way =
            |way| same.iter().filter(|branches| branches[0].way == way).map(|branches| &branches[1..]).collect();
        count += (0..=ways).map(|way| most(in_way(way))).max().unwrap_or(0);
    }
    count
}

impl Thing {
    fn says_the_same(&self, other: &Thing) -> bool {
        (self.noun, &self.rest, self.about) == (other.noun, &other.rest, other.about)
    }

    fn remark(&self, topic: Topic, count: usize) -> Remark {
        let plural = if count == 1 { "" } else { "s" };
        let remark = Remark::done(topic, self.span, format!("{count} {}{plural}{}", self.noun, self.rest));
        self.about.into_iter().fold(remark, Remark::about)
    }
}

/// A call of a function: where it is, and whether it may run more than once.
struct CallOf {
    caller: u32,
    span: Span,
    repeated: bool,
}

/// Who calls a function, by its number, and from where.
pub(super) struct Places<'a> {
    compiled: &'a Compiled,
    entries: Set<u32>,
    calls: Map<u32, Vec<CallOf>>,
}

impl<'a> Places<'a> {
    /// From calls: the caller, the function that is called, the place, whether it is in a loop.
    pub fn new(
        compiled: &'a Compiled,
        entries: impl Iterator<Item = u32>,
        calls: impl Iterator<Item = (u32, u32, Span, bool)>,
    ) -> Places<'a> {
        let mut all: Map<u32, Vec<CallOf>> = Map::default();
        for (caller, callee, span, repeated) in calls {
            all.entry(callee).or_default().push(CallOf { caller, span, repeated });
        }
        Places { compiled, entries: entries.collect(), calls: all }
    }

    /// The lines at which something in a function is shown, each once.
    pub fn lines(&self, function: u32, span: Span) -> Vec<Line> {
        let mut found = Vec::new();
        self.collect(function, span, &mut Set::default(), &mut found);
        found
    }

    fn collect(&self, function: u32, span: Span, seen: &mut Set<u32>, found: &mut Vec<Line>) {
        if self.is_users(span) {
            let line = self.line(span);
            if !found.contains(&line) {
                found.push(line);
            }
        } else if seen.insert(function) {
            for call in self.calls.get(&function).into_iter().flatten() {
                self.collect(call.caller, call.span, seen, found);
            }
        }
    }

    /// Whether a place is in a file of the user.
    pub fn is_users(&self, span: Span) -> bool {
        span != Span::OF_CALLER && !self.compiled.library.contains(&span.file)
    }

    fn line(&self, span: Span) -> Line {
        let (file, line, _) = self.compiled.sources.locate(span);
        Line { file: file.to_owned(), line }
    }

    /// Whether a run of the program runs the function at most once.
    pub fn runs_once(&self, function: u32) -> bool {
        let (mut at, mut seen) = (function, Set::default());
        while seen.insert(at) {
            match self.calls.get(&at).map(Vec::as_slice) {
                None | Some([]) => return self.entries.contains(&at),
                Some([CallOf { caller, repeated: false, .. }]) if !self.entries.contains(&at) => at = *caller,
                Some(_) => return false,
            }
        }
        false
    }

    /// A remark about a function at the lines where it is shown.
    pub fn shown(&self, function: u32, remark: &Remark) -> Vec<RemarkReport> {
        self.joined([(function, remark)].into_iter())
    }

    /// Remarks about functions at the lines where they are shown. Those of one line that differ only in the place they
    /// mention are one: `this loop also does the work of line 2 and line 3`.
    pub fn joined<'r>(&self, remarks: impl Iterator<Item = (u32, &'r Remark)>) -> Vec<RemarkReport> {
        let mut groups: Vec<(Line, &Remark, Vec<String>)> = Vec::new();
        let mut known: Map<(Line, Topic, bool, &str), usize> = Map::default();
        for (function, remark) in remarks {
            for line in self.lines(function, remark.span) {
                let mut names: Vec<String> = remark.others.iter().map(|span| self.named(*span, &line)).collect();
                let place = match &names[..] {
                    [_] => {
                        *known.entry((line.clone(), remark.topic, remark.done, &remark.text)).or_insert(groups.len())
                    }
                    _ => groups.len(),
                };
                match groups.get_mut(place) {
                    Some((.., list)) => list.append(&mut names),
                    None => groups.push((line, remark, names)),
                }
            }
        }
        groups.into_iter().map(|(line, remark, names)| at_line(line, remark, names)).collect()
    }

    fn at_line(&self, at: Line, remark: &Remark) -> RemarkReport {
        let names = remark.others.iter().map(|span| self.named(*span, &at)).collect();
        at_line(at, remark, names)
    }

    /// Remarks about things that are counted: those with the same line and text are one, whose text has their number.
    pub fn counted(&self, topic: Topic, things: Vec<Thing>) -> Vec<RemarkReport> {
        let mut groups: Vec<(Line, Vec<&Thing>)> = Vec::new();
        for thing in &things {
            for line in self.lines(thing.function, thing.span) {
                let same = |(at, others): &&mut (Line, Vec<&Thing>)| *at == line && others[0].says_the_same(thing);
                match groups.iter_mut().find(same) {
                    Some((_, others)) => others.push(thing),
                    None => groups.push((line, vec![thing])),
                }
            }
        }
        let remark = |(line, things): (Line, Vec<&Thing>)| {
            let count = most(things.iter().map(|thing| &thing.branches[..]).collect());
            self.at_line(line, &things[0].remark(topic, count))
        };
        groups.into_iter().map(remark).collect()
    }

    fn named(&self, span: Span, from: &Line) -> String {
        if !self.is_users(span) {
            return "this line".into();
        }
        let line = self.line(span);
        match line == *from {
            true => "this line".into(),
            false if line.file == from.file => format!("line {}", line.line),
            false => format!("line {} of {}", line.line, line.file),
        }
    }
}

/// A remark at a line whose gaps are these names: one for each, or all in the only one.
fn at_line(at: Line, remark: &Remark, names: Vec<String>) -> RemarkReport {
    let gaps = remark.text.matches("{}").count();
    let mut names = if gaps == 1 { vec![listed(names)] } else { names }.into_iter();
    let mut parts = remark.text.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += &names.next().unwrap_or_else(|| "this line".into());
        text += part;
    }
    RemarkReport { file: at.file, line: at.line, topic: remark.topic, done: remark.done, text }
}

/// Names in a sentence, each once: `line 2, line 3 and this line`.
fn listed(names: Vec<String>) -> String {
    let mut seen = Set::default();
    let mut names: Vec<String> = names.into_iter().filter(|name| seen.insert(name.clone())).collect();
    names.sort_by_key(|name| name == "this line");
    match names.pop() {
        None => "this line".into(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}
