//! Bindings in front of values, and back.
//!
//! ```text
//! emit [i] { let t = x * x => t }   =lift=>   let t = x * x; emit [i] => t   =sink=>   emit [i] { let t = x * x => t }
//! ```
//!
//! Where forms are merged, values are lifted, so that other steps can use what they compute. Afterwards what only one
//! value uses goes back into it: rows are then computed where they are needed in memory, and threads that write parts of an
//! array compute only the values that they write.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Step, Stm, Var};

/// Moves the statements of all values in front of them.
pub(super) fn lift(steps: &mut Vec<Step>) {
    let mut out = Vec::with_capacity(steps.len());
    for mut step in std::mem::take(steps) {
        match &mut step {
            Step::For { body, .. } | Step::Guard(_, body) => lift(body),
            Step::Emit(emit) => out.extend(in_front(&mut emit.value, &emit.certs)),
            Step::Let(_) | Step::Scan(_) => {}
        }
        out.push(step);
    }
    *steps = out;
}

/// Moves the statements of values of this list in front of them if a form among them reads what a form of the list makes:
/// the two may become one. Returns whether there were any.
///
/// ```text
/// let ys = bulk { .. }                                let ys = bulk { .. }
/// emit [i] {                                          let s = bulk { .. ys[k] .. }
///   let s = bulk { .. ys[k] .. }              =>      let t = bulk { .. ys[k] .. }
///   let t = bulk { .. ys[k] .. }                      emit [i] => s, t
///   => s, t
/// }
/// ```
pub(super) fn expose(steps: &mut Vec<Step>) -> bool {
    let mut made: Set<Var> = Set::default();
    let mut out = Vec::with_capacity(steps.len());
    let mut exposed = false;
    for mut step in std::mem::take(steps) {
        match &mut step {
            Step::Let(stm) if matches!(stm.exp, Exp::Bulk(_)) => made.extend(&stm.vars),
            Step::Emit(emit) if forms_read(&emit.value, &made) => {
                exposed = true;
                out.extend(in_front(&mut emit.value, &emit.certs));
            }
            Step::Scan(scan) if forms_read(&scan.value, &made) => {
                exposed = true;
                out.extend(in_front(&mut scan.value, &[]));
            }
            Step::For { .. } | Step::Guard(..) | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
        out.push(step);
    }
    *steps = out;
    exposed
}

/// Whether a form among the statements of a block mentions one of these.
fn forms_read(block: &Block, made: &Set<Var>) -> bool {
    let mut found = false;
    for stm in block.stms.iter().filter(|stm| matches!(stm.exp, Exp::Bulk(_))) {
        stm.walk(&mut |part| {
            if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                found |= made.contains(var);
            }
        });
    }
    found
}

/// The statements of a value, which relies on these checks, as bindings before it.
fn in_front(value: &mut Block, certs: &[Var]) -> Vec<Step> {
    let stms = std::mem::take(&mut value.stms).into_iter();
    stms.map(|stm| Step::Let(stm.relying_on(certs))).collect()
}

/// Gives outputs other numbers.
pub(super) fn renumber(steps: &mut [Step], number: &dyn Fn(usize) -> usize) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => renumber(body, number),
            Step::Emit(emit) => emit.output = number(emit.output),
            Step::Let(_) | Step::Scan(_) => {}
        }
    }
}

/// Moves statements that only one value of their list uses into it, in all lists of a form.
pub(super) fn sink(program: &Program, steps: &mut Vec<Step>) {
    for step in steps.iter_mut() {
        if let Step::For { body, .. } | Step::Guard(_, body) = step {
            sink(program, body);
        }
    }
    sink_list(program, steps);
}

/// Moves statements that only one value of the list uses into it.
pub(super) fn sink_list(program: &Program, steps: &mut Vec<Step>) {
    let mut sinking = Sinking { program, users: Map::default(), fails: usize::MAX, consumes: usize::MAX };
    // The last step comes first.
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    for (place, step) in std::mem::take(steps).into_iter().enumerate().rev() {
        match step {
            Step::Let(stm) => match sinking.target(place, &stm) {
                Some(value) => into_value(&mut out, value, stm),
                None => out.push(Step::Let(stm)),
            },
            step => {
                sinking.stays(place, &step, out.len());
                out.push(step);
            }
        }
    }
    out.reverse();
    *steps = out;
}

fn into_value(out: &mut [Step], value: usize, stm: Stm) {
    match &mut out[value] {
        Step::Emit(emit) => emit.value.stms.insert(0, stm),
        Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) => base::bug!("no value is there"),
    }
}

/// Who uses a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    /// Only the value of the step with this number, counted from the end of the list, which stands at this place.
    Value(usize, usize),
    /// Something else.
    Other,
}

/// The walk through a list, from its end.
struct Sinking<'p> {
    program: &'p Program,
    users: Map<Var, User>,
    /// The first place behind the current one where something stays that can fail, and that consumes.
    fails: usize,
    consumes: usize,
}

impl Sinking<'_> {
    fn used(&mut self, var: Var, by: User) {
        let user = self.users.entry(var).or_insert(by);
        if *user != by {
            *user = User::Other;
        }
    }

    fn part(&mut self, part: Part<'_>, by: User) {
        match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => self.used(*var, by),
            Part::Bind(var) => {
                let program = self.program;
                program.ty(*var).for_each_var(&mut |var| self.used(var, by));
            }
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        }
    }

    /// Which value a statement goes into, by its number from the end.
    fn target(&mut self, place: usize, stm: &Stm) -> Option<usize> {
        let mut users = stm.vars.iter().filter_map(|var| self.users.get(var)).copied();
        let first = users.next();
        let only = first.filter(|first| users.all(|user| user == *first));
        let (fails, consumes) = effects(self.program, |f| {
            f(Part::Stm(stm));
            stm.walk(f);
        });
        let target = match only {
            Some(User::Value(value, at)) if !(fails && self.fails < at) && self.consumes >= at && !consumes => {
                Some((value, at))
            }
            Some(_) | None => None,
        };
        let by = target.map_or(User::Other, |(value, at)| User::Value(value, at));
        if target.is_none() {
            self.remains(place, fails, consumes);
        }
        stm.walk(&mut |part| self.part(part, by));
        target.map(|(value, _)| value)
    }

    /// A step that is no binding stays, as number `number` from the end.
    fn stays(&mut self, place: usize, step: &Step, number: usize) {
        let (fails, consumes) = effects(self.program, |f| step.walk(f));
        self.remains(place, fails, consumes);
        match step {
            Step::Emit(emit) => {
                emit.at.iter().filter_map(|atom| atom.var()).for_each(|var| self.used(var, User::Other));
                emit.certs.iter().for_each(|var| self.used(*var, User::Other));
                emit.value.walk(&mut |part| self.part(part, User::Value(number, place)));
            }
            Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) => {
                step.walk(&mut |part| self.part(part, User::Other));
            }
        }
    }

    fn remains(&mut self, place: usize, fails: bool, consumes: bool) {
        if fails {
            self.fails = place;
        }
        if consumes {
            self.consumes = place;
        }
    }
}

/// Whether something can fail, and whether it consumes.
fn effects(program: &Program, walk: impl FnOnce(&mut dyn FnMut(Part<'_>))) -> (bool, bool) {
    let (mut fails, mut consumes) = (false, false);
    walk(&mut |part| {
        if let Part::Stm(stm) = part {
            fails |= stm.exp.can_fail();
            consumes |= !stm.exp.consumes(&program.functions).is_empty();
        }
    });
    (fails, consumes)
}
