//! Loops and checks that are left in Core.

use super::memory::Memory;
use super::places::{Places, Thing};
use super::report::{LoopReport, RemarkReport};
use analysis::loops::{Form, Loop, Report};
use analysis::unmoved::{Unmoved, Why};
use analysis::ways::Reason;
use base::Span;
use ir::turns::{Rounds, Tiles};
use ir::{FunId, Mark, Program, Remark, SiteId, Topic, Turns};

/// All loops at the lines where they are shown.
pub(super) fn lines(report: &Report, memory: &Memory, places: &Places<'_>) -> Vec<LoopReport> {
    let mut found = Vec::new();
    for one in &report.loops {
        for at in places.lines(one.function.0, shown_span(report, one, places)) {
            found.push(LoopReport {
                file: at.file,
                line: at.line,
                innermost: one.innermost,
                mark: mark_name(one, memory),
                checks: one.checks.len() + one.called_checks,
                allocations: one.binds.map_or(0, |var| memory.in_loop(var.0)),
            });
        }
    }
    found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found
}

/// The place of a loop: its own, or that of the loop around it if its own is in the library.
fn shown_span(report: &Report, one: &Loop, places: &Places<'_>) -> Span {
    let mut own = std::iter::once(one).chain(around(report, one)).map(|one| one.span);
    own.find(|span| places.is_users(*span)).unwrap_or(one.span)
}

/// The loops around a loop, the innermost first.
fn around<'r>(report: &'r Report, one: &'r Loop) -> impl Iterator<Item = &'r Loop> {
    std::iter::successors(Some(one), |one| one.around.map(|at| &report.loops[at])).skip(1)
}

/// Whether a loop computes an element of an array that refers to itself.
fn is_of_element(report: &Report, one: &Loop) -> bool {
    around(report, one).any(|outer| outer.form == Form::Bulk(Some(Reason::Recursive)))
}

/// How a loop runs. Whether it is fit for vector instructions is decided in Kernel.
fn mark_name(one: &Loop, memory: &Memory) -> &'static str {
    match one.mark {
        Mark::Open | Mark::Sequential(_) if one.binds.is_some_and(|var| memory.is_simd(var.0)) => "simd",
        Mark::Open | Mark::Sequential(_) => "sequential",
        Mark::Simd => "simd",
        Mark::Threads(_) => "threads",
    }
}

/// Which loops run on several threads, and which do not.
pub(super) fn parallel(report: &Report, places: &Places<'_>) -> Vec<RemarkReport> {
    let remark = |at: usize| {
        let one = &report.loops[at];
        how_it_runs(report, at).map(|remark| places.shown(one.function.0, &remark))
    };
    let loops = (0..report.loops.len()).filter_map(remark).flatten();
    let choice = |(fun, span): &(FunId, Span)| {
        let text = "which of the loops here runs on all cores is decided by their lengths, when the program runs";
        places.shown(fun.0, &Remark::done(Topic::Parallel, *span, text))
    };
    loops.chain(report.choices.iter().flat_map(choice)).collect()
}

/// Whether a loop runs on several threads, and why not. Nothing about loops inside of those that do.
fn how_it_runs(report: &Report, at: usize) -> Option<Remark> {
    let one = &report.loops[at];
    if let Some(text) = sorting(one) {
        return Some(Remark::done(Topic::Parallel, one.span, text));
    }
    if one.on_threads {
        return None;
    }
    if matches!(one.mark, Mark::Threads(_)) {
        return Some(Remark::done(Topic::Parallel, one.span, "the loop runs on all cores, unless it is short"));
    }
    let why = match one.form {
        Form::Bulk(Some(reason)) => why(reason),
        Form::Bulk(None) if has_threads(report, at) => return None,
        Form::Bulk(None) if is_of_element(report, one) => "it computes one element of an array that refers to itself",
        Form::Bulk(None) => "it is part of work that cannot be shared, or too short",
        Form::Repeat(_) => "each turn of a `loop` starts from the result of the turn before",
        Form::Nested | Form::Sort | Form::SortKeys => return None,
    };
    Some(Remark::not_done(Topic::Parallel, one.span, format!("the loop runs on one core: {why}")))
}

/// Loops that do several turns at a time.
pub(super) fn turns(report: &Report, places: &Places<'_>) -> Vec<RemarkReport> {
    let remark = |one: &Loop| {
        let text = match one.form {
            Form::Repeat(Turns::Blocks(Tiles { turns, rows, columns, least: _ })) => format!(
                "turns are done {turns} at a time, first on their own rows and columns, then on all other elements in tiles \
                 of {rows} rows and {columns} columns, unless there are few"
            ),
            Form::Repeat(Turns::Rounds(Rounds { turns, .. })) => format!(
                "up to {turns} turns are done at a time, row after row, while the rows that they need are in the cache, \
                 unless the array is small or not in row-major order"
            ),
            Form::Repeat(Turns::InOrder) | Form::Bulk(_) | Form::Nested | Form::Sort | Form::SortKeys => {
                return Vec::new();
            }
        };
        places.shown(one.function.0, &Remark::done(Topic::Tiled, one.span, text))
    };
    report.loops.iter().flat_map(remark).collect()
}

/// How elements are sorted.
fn sorting(one: &Loop) -> Option<String> {
    let how = match one.form {
        Form::Sort => "elements are sorted by comparing them (merge sort)",
        Form::SortKeys => "elements are sorted by the bits of numbers, without comparisons (radix sort)",
        Form::Bulk(_) | Form::Repeat(_) | Form::Nested => return None,
    };
    let cores = if one.on_threads { "" } else { ", on all cores unless they are few" };
    Some(format!("{how}{cores}"))
}

/// Whether a loop inside of this one runs on threads.
fn has_threads(report: &Report, at: usize) -> bool {
    let inside = |one: &&Loop| one.around == Some(at);
    let mut numbers = report.loops.iter().enumerate().filter(|(_, one)| inside(one));
    numbers.any(|(number, one)| matches!(one.mark, Mark::Threads(_)) || has_threads(report, number))
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::Recursive => "the array refers to itself, so each element waits for those that it needs",
        Reason::Running => "each turn uses what the turns before it have combined",
        Reason::Combined => "its values are combined in order",
        Reason::Appended => "its values differ in size, so each is stored after the one before",
        Reason::Waits => "its values read the array as it was, and how many there are is not known before",
        Reason::Replaced => "it replaces rows, or elements of several arrays, and the last value of each stays",
    }
}

/// All checks that are left.
pub(super) fn checks(core: &Program, report: &Report, places: &Places<'_>) -> Vec<RemarkReport> {
    let mut found = Vec::new();
    let about = |site: SiteId| core.sites[site].message.fault.about();
    for one in &report.loops {
        for (site, span) in &one.checks {
            // Loops inside of each other are often in one line.
            let which = if one.innermost && one.around.is_some() { "innermost loop" } else { "loop" };
            let rest = format!(" in each turn of the {which} of {{}}: {}", about(*site));
            let span = shown_at(core, *site, *span, places);
            found.push(Thing {
                function: one.function.0,
                span,
                noun: "check",
                rest,
                about: Some(shown_span(report, one, places)),
                branches: Vec::new(),
            });
        }
    }
    for (fun, site, span) in &report.once {
        let rest = format!("{}: {}", how_often(core, *fun, places), about(*site));
        let span = shown_at(core, *site, *span, places);
        found.push(Thing { function: fun.0, span, noun: "check", rest, about: None, branches: Vec::new() });
    }
    places.counted(Topic::Checked, found)
}

/// Work that is the same in each turn of a loop but stays in it.
pub(super) fn unmoved(core: &Program, places: &Places<'_>) -> Vec<RemarkReport> {
    let remark = |one: &Unmoved| {
        let why = match one.why {
            Why::Checks => "it makes checks, which may fail, and the loop may have no turns",
            Why::Relies => "it reads elements that need not exist if the loop has no turns",
            Why::Endless => "it might never end, and the loop may have no turns",
            Why::Owned => "each turn needs an array of its own",
        };
        let what = one.math.map_or_else(|| "this".to_owned(), |op| format!("`{}`", op.name()));
        let text = format!("{what} does not change in the loop of {{}}, but stays in it: {why}");
        let span = if places.is_users(one.span) { one.span } else { one.around };
        let remark = Remark::not_done(Topic::Hoisted, span, text);
        places.shown(one.function.0, &remark.about(one.around))
    };
    analysis::unmoved::unmoved(core).iter().flat_map(remark).collect()
}

/// All copies that are left.
pub(super) fn copies(core: &Program, report: &Report, places: &Places<'_>) -> Vec<RemarkReport> {
    let thing = |(fun, span, around): &(FunId, Span, Option<usize>)| {
        let about = around.map(|at| shown_span(report, &report.loops[at], places));
        let rest = match about {
            Some(_) => ", in each turn of the loop of {}".to_owned(),
            None => how_often(core, *fun, places),
        };
        Thing { function: fun.0, span: *span, noun: "array", rest, about, branches: Vec::new() }
    };
    places.counted(Topic::Copied, report.copies.iter().map(thing).collect())
}

fn how_often(core: &Program, fun: FunId, places: &Places<'_>) -> String {
    match places.runs_once(fun.0) {
        true => " outside of loops".to_owned(),
        false => format!(" in each call of `{}`", core.functions[fun].name),
    }
}

/// The place of a check: that of its message, or of its statement if the message is about the library.
fn shown_at(core: &Program, site: SiteId, span: Span, places: &Places<'_>) -> Span {
    let shown = core.sites[site].placed(&[]).span;
    if places.is_users(shown) { shown } else { span }
}
