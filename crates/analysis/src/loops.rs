//! The loops of a program, and what each turn of them checks: what `ravel explain` reports.
//!
//! ```text
//! for i < n threads {                   threads, 1 check, around the other
//!   let c = assert i < m ..
//!   let s = bulk { .. for j < m sequential { .. } }      sequential, innermost, no check
//! ```
//!
//! A check belongs to the innermost loop around it. A loop that calls a function makes the checks of the function, too,
//! apart from those in the function's own loops. That elements are defined exactly once counts as one check of the loop
//! that defines them.

use crate::ways::{Reason, why_in_order};
use base::{Map, Set, Span};
use ir::traverse::Part;
use ir::{Block, Bulk, Coverage, Exp, FunId, Kind, LoopForm, Mark, Program, SiteId, Split, Step, Stm, Turns, Var};

/// How loops run that have no marks.
const ALONE: Mark = Mark::Sequential(Split::No);

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The function it is in.
    pub function: FunId,
    /// The place in the source.
    pub span: Span,
    /// A variable that only this loop binds: its index, or the first variable of a `loop` without index.
    pub binds: Option<Var>,
    /// The loop around it in the same function, by its position in the list.
    pub around: Option<usize>,
    /// Whether neither it nor a function that it calls contains a loop.
    pub innermost: bool,
    /// How its turns run.
    pub mark: Mark,
    /// What kind of loop it is.
    pub form: Form,
    /// The checks of one turn, and their places.
    pub checks: Vec<(SiteId, Span)>,
    /// How many checks the functions make that one turn calls.
    pub called_checks: usize,
    /// Whether it only runs inside of loops on threads, perhaps of other functions.
    pub on_threads: bool,
    /// The functions that a turn calls.
    calls: Vec<FunId>,
}

/// What kind of loop it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The outermost loop of a bulk form, and why it cannot run on several threads.
    Bulk(Option<Reason>),
    /// A loop inside of the same bulk form.
    Nested,
    /// A `loop` of the source, and how its turns run.
    Repeat(Turns),
    /// Sorting.
    Sort,
    /// Sorting numbers.
    SortKeys,
}

/// What a program repeats, and what it does once.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All loops, those around others first.
    pub loops: Vec<Loop>,
    /// Checks outside of loops, with their functions and places.
    pub once: Vec<(FunId, SiteId, Span)>,
    /// Choices between two versions of loops: their functions and places.
    pub choices: Vec<(FunId, Span)>,
    /// Copies of arrays: their functions, their places, and the loops around them by position.
    pub copies: Vec<(FunId, Span, Option<usize>)>,
    /// All calls.
    pub calls: Vec<Call>,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function it is in.
    pub caller: FunId,
    /// The function that is called.
    pub callee: FunId,
    /// The place in the source.
    pub span: Span,
    /// Whether a loop of the caller repeats it.
    pub repeated: bool,
    /// Whether such a loop runs on threads.
    pub on_threads: bool,
}

/// Finds the loops of all functions.
pub fn report(program: &Program) -> Report {
    let mut finder = Finder { program, report: Report::default(), function: FunId(0), around: None };
    for (id, function) in program.functions.iter() {
        finder.function = id;
        finder.block(&function.body);
    }
    let mut report = finder.report;
    add_called(&mut report);
    let shared = only_on_threads(program, &report.calls);
    report.loops.iter_mut().for_each(|one| one.on_threads |= shared.contains(&one.function));
    report
}

struct Finder<'p> {
    program: &'p Program,
    report: Report,
    function: FunId,
    around: Option<usize>,
}

impl<'p> Finder<'p> {
    fn block(&mut self, block: &'p Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &'p Stm) {
        match &stm.exp {
            Exp::Assert { site, .. } => self.check(*site, stm.span),
            Exp::Ensure { otherwise, .. } => {
                first_check(otherwise).into_iter().for_each(|site| self.check(site, stm.span))
            }
            Exp::Call(callee, _) => self.call(*callee, stm.span),
            // The version with checks is for sizes that are rare: the other one is what the program is about.
            Exp::Choose(_, one, other) if has_fewer_checks(one, other) => self.block(one),
            Exp::Choose(_, one, other) => {
                self.report.choices.push((self.function, stm.span));
                self.block(one);
                self.block(other);
            }
            Exp::Copy(_) => self.report.copies.push((self.function, stm.span, self.around)),
            Exp::Bulk(bulk) => self.bulk(bulk, stm.span),
            Exp::Loop { params, form, turns, body } => {
                let index = match form {
                    LoopForm::For(var, _) => Some(*var),
                    LoopForm::While(_) => params.first().map(|(var, _)| *var),
                };
                self.inside(stm.span, index, ALONE, Form::Repeat(*turns), |finder| {
                    if let LoopForm::While(cond) = form {
                        finder.block(cond);
                    }
                    finder.block(body);
                });
            }
            Exp::Sort(_, region) => {
                let mark = if self.is_on_threads() { ALONE } else { Mark::Threads(Split::No) };
                self.inside(stm.span, None, mark, Form::Sort, |finder| finder.block(&region.body));
            }
            Exp::SortKeys(_) => {
                let mark = if self.is_on_threads() { ALONE } else { Mark::Threads(Split::No) };
                self.inside(stm.span, None, mark, Form::SortKeys, |_| {});
            }
            other => other.for_each_part(&mut |part| match part {
                Part::Block(block) => self.block(block),
                Part::Stm(stm) => self.stm(stm),
                Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
            }),
        }
    }

    fn bulk(&mut self, bulk: &'p Bulk, span: Span) {
        for output in &bulk.outputs {
            if let Kind::Gen { otherwise: Some(value), .. } = &output.kind
                && !value.stms.is_empty()
            {
                self.inside(span, None, ALONE, Form::Nested, |finder| finder.block(value));
            }
        }
        self.steps(bulk, &bulk.steps, span, Form::Bulk(why_in_order(self.program, bulk)));
    }

    fn steps(&mut self, bulk: &'p Bulk, steps: &'p [Step], span: Span, form: Form) {
        for step in steps {
            match step {
                Step::For { var, mark, body, .. } => {
                    // Each clause of an array has a loop of its own, and so has each array that is defined with others.
                    let is_one_of_many = form == Form::Nested || outermost_loops(&bulk.steps) > 1;
                    let span = if is_one_of_many { place(body).unwrap_or(span) } else { span };
                    self.inside(span, Some(*var), *mark, form, |finder| finder.steps(bulk, body, span, Form::Nested));
                }
                Step::Let(stm) => self.stm(stm),
                Step::Guard(_, body) => self.steps(bulk, body, span, form),
                Step::Scan(scan) => {
                    self.block(&scan.op.body);
                    self.block(&scan.value);
                }
                Step::Emit(emit) => {
                    self.block(&emit.value);
                    self.taken(&bulk.outputs[emit.output].kind, emit.span);
                }
            }
        }
    }

    /// What an output does with a value.
    fn taken(&mut self, kind: &'p Kind, span: Span) {
        match kind {
            Kind::Gen { coverage: Coverage::Checked { collision, .. }, .. } => self.check(*collision, span),
            Kind::Accum { op, .. } | Kind::Reduce { op, .. } => self.block(&op.body),
            Kind::Gen { coverage: Coverage::Exact, .. } | Kind::Update { .. } | Kind::Keep => {}
        }
    }

    fn inside(&mut self, span: Span, binds: Option<Var>, mark: Mark, form: Form, body: impl FnOnce(&mut Self)) {
        let (function, around) = (self.function, self.around);
        if let Some(outer) = around {
            self.report.loops[outer].innermost = false;
        }
        let own = Loop {
            function,
            span,
            binds,
            around,
            innermost: true,
            mark,
            form,
            checks: Vec::new(),
            called_checks: 0,
            on_threads: self.is_on_threads(),
            calls: Vec::new(),
        };
        self.around = Some(self.report.loops.len());
        self.report.loops.push(own);
        body(self);
        self.around = around;
    }

    fn check(&mut self, site: SiteId, span: Span) {
        match self.around {
            Some(at) => self.report.loops[at].checks.push((site, span)),
            None => self.report.once.push((self.function, site, span)),
        }
    }

    fn call(&mut self, callee: FunId, span: Span) {
        if let Some(at) = self.around {
            self.report.loops[at].calls.push(callee);
        }
        let (caller, repeated, on_threads) = (self.function, self.around.is_some(), self.is_on_threads());
        self.report.calls.push(Call { caller, callee, span, repeated, on_threads });
    }

    fn is_on_threads(&self) -> bool {
        let mut at = self.around;
        while let Some(number) = at {
            let around = &self.report.loops[number];
            if matches!(around.mark, Mark::Threads(_)) {
                return true;
            }
            at = around.around;
        }
        false
    }
}

/// The first check in a block: one check in place of many is counted once, and named like the first of them.
fn first_check(block: &Block) -> Option<SiteId> {
    let mut found = None;
    block.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Assert { site, .. }, .. }) = part {
            found = found.or(Some(*site));
        }
    });
    found
}

/// Whether a version asks less of elements than another one, or makes fewer checks, where all loops take one turn.
pub fn has_fewer_checks(one: &Block, other: &Block) -> bool {
    let ((checked, checks), (others_checked, other_checks)) = (checks(one), checks(other));
    checked < others_checked || checks < other_checks
}

/// How many outputs of a block are checked, and how many checks it makes.
fn checks(block: &Block) -> (usize, usize) {
    let (mut checked, mut made) = (0, 0);
    block.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            match &stm.exp {
                Exp::Assert { .. } => made += 1,
                Exp::Bulk(bulk) => checked += bulk.outputs.iter().filter(|output| is_checked(&output.kind)).count(),
                _ => {}
            }
        }
    });
    (checked, checked + made)
}

fn is_checked(kind: &Kind) -> bool {
    matches!(kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
}

fn outermost_loops(steps: &[Step]) -> usize {
    let loops = |step: &Step| match step {
        Step::For { .. } => 1,
        Step::Guard(_, body) => outermost_loops(body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => 0,
    };
    steps.iter().map(loops).sum()
}

/// Where the first value of steps is written in the source.
fn place(steps: &[Step]) -> Option<Span> {
    steps.iter().find_map(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => place(body),
        Step::Emit(emit) => Some(emit.span),
        Step::Let(_) | Step::Scan(_) => None,
    })
}

/// Adds what called functions do to the loops that call them.
fn add_called(report: &mut Report) {
    let repeating: Set<FunId> = report.loops.iter().map(|one| one.function).collect();
    let mut calls: Map<FunId, Vec<FunId>> = Map::default();
    for call in report.calls.iter().filter(|call| !call.repeated) {
        calls.entry(call.caller).or_default().push(call.callee);
    }
    let mut checks: Map<FunId, usize> = Map::default();
    for (fun, ..) in &report.once {
        *checks.entry(*fun).or_default() += 1;
    }
    for one in report.loops.iter_mut().filter(|one| !one.calls.is_empty()) {
        let called = reached(&calls, &one.calls);
        one.innermost &= called.is_disjoint(&repeating);
        one.called_checks = called.iter().filter_map(|fun| checks.get(fun)).sum();
    }
}

/// These functions, and all that they call outside of loops.
fn reached(calls: &Map<FunId, Vec<FunId>>, from: &[FunId]) -> Set<FunId> {
    let mut found: Set<FunId> = Set::default();
    let mut open = from.to_vec();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(calls.get(&next).into_iter().flatten());
        }
    }
    found
}

/// The functions that only loops on threads call, directly or through others.
fn only_on_threads(program: &Program, calls: &[Call]) -> Set<FunId> {
    let entries: Set<FunId> = program.entries.iter().map(|entry| entry.function).collect();
    let mut shared: Set<FunId> = program.functions.ids().filter(|id| !entries.contains(id)).collect();
    // Whatever is called from elsewhere is not among them, and neither is what that calls.
    loop {
        let before = shared.len();
        for call in calls {
            if !call.on_threads && !shared.contains(&call.caller) {
                shared.remove(&call.callee);
            }
        }
        if shared.len() == before {
            return shared;
        }
    }
}
