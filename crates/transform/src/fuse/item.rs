//! The statements or steps of a list, and what may move past what.
//!
//! An item must stay behind another if it uses what that binds; if both can fail, because the first failing check is the
//! one that is reported; if both give values to one output, whose order may show; and if one consumes memory that the
//! other reads. Two that can fail may still become one, if the later one only repeats checks ([`super::checks`]).

use super::memory::Memory;
use base::Set;
use ir::traverse::Part;
use ir::{Atom, Emit, Program, Step, Stm, Var};

/// A statement or step with what it does.
pub(super) struct Item {
    /// The step. Statements of blocks are bindings.
    pub step: Step,
    /// Where it stands among the others of its list.
    pub place: usize,
    /// What it does.
    pub does: Does,
    /// What it binds for the items behind it.
    pub binds: Vec<Var>,
}

/// What one or several items do, as far as it matters for their order.
#[derive(Default)]
pub(super) struct Does {
    /// What they mention.
    uses: Set<Var>,
    /// Whether a check can fail or something is shown.
    fails: bool,
    /// To which outputs they give values, as bits.
    emits: u64,
    /// Memory that they consume, and memory that they read or consume.
    consumes: Set<usize>,
    touches: Set<usize>,
}

impl Item {
    /// A step, looked at.
    pub fn of(program: &Program, memory: &Memory, step: Step) -> Item {
        let mut does = Does::default();
        step.walk(&mut |part| does.part(program, memory, part));
        does.emits = emitted(std::slice::from_ref(&step));
        let binds = match &step {
            Step::Let(stm) => stm.vars.clone(),
            Step::Scan(scan) => scan.vars.clone(),
            Step::For { .. } | Step::Guard(..) | Step::Emit(_) => Vec::new(),
        };
        Item { step, place: 0, does, binds }
    }
}

impl Does {
    fn own(&mut self, program: &Program, memory: &Memory, stm: &Stm) {
        self.fails |= stm.exp.can_fail();
        let consumed = stm.exp.consumes(&program.functions);
        self.consumes.extend(consumed.into_iter().filter_map(|var| memory.group(var)));
    }

    fn part(&mut self, program: &Program, memory: &Memory, part: Part<'_>) {
        let uses = &mut self.uses;
        let touches = &mut self.touches;
        let mut mention = |var: Var| {
            uses.insert(var);
            touches.extend(memory.group(var));
        };
        match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => mention(*var),
            Part::Bind(var) => program.ty(*var).for_each_var(&mut mention),
            Part::Stm(stm) => self.own(program, memory, stm),
            Part::Atom(Atom::Const(_)) | Part::Block(_) => {}
        }
    }

    /// Whether it mentions one of these.
    pub fn uses_any(&self, vars: &[Var]) -> bool {
        vars.iter().any(|var| self.uses.contains(var))
    }

    /// Whether these must stay behind an earlier item although they use nothing of it.
    pub fn ordered_after(&self, earlier: &Item) -> bool {
        self.both_fail(earlier) || self.cannot_pass(earlier)
    }

    /// Whether these and an earlier item can fail.
    pub fn both_fail(&self, earlier: &Item) -> bool {
        self.fails && earlier.does.fails
    }

    /// Whether these must stay behind an earlier item because of what both do with outputs or memory.
    pub fn cannot_pass(&self, earlier: &Item) -> bool {
        let other = &earlier.does;
        self.emits & other.emits != 0 || meet(&self.consumes, &other.touches) || meet(&self.touches, &other.consumes)
    }

    /// Whether these must stay behind an earlier item.
    pub fn depend_on(&self, earlier: &Item) -> bool {
        self.uses_any(&earlier.binds) || self.ordered_after(earlier)
    }

    /// Adds an item to these.
    pub fn add(&mut self, item: &Item) {
        self.uses.extend(&item.does.uses);
        self.fails |= item.does.fails;
        self.emits |= item.does.emits;
        self.consumes.extend(&item.does.consumes);
        self.touches.extend(&item.does.touches);
    }
}

fn meet(a: &Set<usize>, b: &Set<usize>) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().any(|group| many.contains(group))
}

/// The outputs that steps give values to, as bits. All from the 63rd on have one bit in common.
fn emitted(steps: &[Step]) -> u64 {
    steps.iter().fold(0, |bits, step| {
        bits | match step {
            Step::Emit(Emit { output, .. }) => 1 << (*output).min(63),
            Step::For { body, .. } | Step::Guard(_, body) => emitted(body),
            Step::Let(_) | Step::Scan(_) => 0,
        }
    })
}
