//! One check before a loop in place of one in every turn.
//!
//! ```text
//! for j < n {                                let ... = the condition at j = 0 and at j = n - 1
//!   let t: i64 = from + j                    let e: cert = ensure (n <= 0 || both) else { for j < n { .. assert u .. } }
//!   let u: bool = 0 <= t && t < m    =>      for j < n {
//!   let c: cert = assert u else R001(t, m)     let t: i64 = from + j
//!   let <c> x: f64 = xs[t]                     let <e> x: f64 = xs[t]
//!   emit => x                                  emit => x
//! }                                          }
//! ```
//!
//! The index goes up or down by one from turn to turn, and is checked against two limits that do not change. So it is
//! between them in all turns exactly if it is in the first and in the last one: it cannot leave the range of `i64` and come
//! back, which would take more turns than there can be. An index that moves by any other number (`a[i * k]`) is checked in
//! the second turn, too: if both are indices of an array in memory, it moves by less than [`LARGEST`](super::before), so it leaves the array
//! before it wraps around, and unless it does not move at all there are fewer turns than that. Where the condition fails, the loop's checks, all of them, are
//! made in their order ([`replay`](super::replay)), so the same one is reported as before.
//!
//! Only checks that every turn makes are looked at. Innermost loops come first: what leaves one is a check of the turn
//! around it, which may leave the next loop in the same way. A loop with a check that depends on what earlier turns computed
//! keeps its checks.

use super::affine::{Body, Check};
use super::before::{Before, Counted};
use super::replay::{Turns, hands_over_with_checks, may_fail};
use super::sizes::Enough;
use super::{apply, proved::Proved};
use base::{Map, Name, Set, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::ListMut;
use ir::{Block, Bulk, Exp, FunId, Kind, LoopForm, Mark, Output, Program, Split, Step, Stm, Type, Var, VarInfo};

/// Moves checks of a function out of `which` of its loops, apart from `kept` ones. Some hold where sizes are large
/// `enough`.
pub(super) fn hoist(
    program: &mut Program,
    function: FunId,
    which: Loops,
    enough: &Map<Var, Enough>,
    kept: &Set<Var>,
) -> Hoisted {
    let mut body = std::mem::take(&mut program.functions[function].body);
    let mut hoist = Hoist { program, which, asked: false, enough, kept, done: Hoisted::default() };
    hoist.block(&mut body);
    let done = hoist.done;
    program.functions[function].body = body;
    done
}

/// Which loops checks leave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loops {
    /// Those that make arrays by reading and a little arithmetic: without checks their elements can be computed where they
    /// are read, and an array that only selects elements can be a view.
    Little,
    /// All.
    All,
}

/// The checks of loops.
#[derive(Default)]
pub(super) struct Hoisted {
    /// Those that moved out of one.
    pub moved: Vec<Var>,
    /// Those that did not, and why.
    pub left: Vec<(Var, &'static str)>,
}

struct Hoist<'p> {
    program: &'p mut Program,
    which: Loops,
    /// Whether the form around the current place is one of these.
    asked: bool,
    enough: &'p Map<Var, Enough>,
    kept: &'p Set<Var>,
    done: Hoisted,
}

impl Hoist<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stms.len());
        for mut stm in std::mem::take(&mut block.stms) {
            out.extend(self.stm(&mut stm));
            out.push(stm);
        }
        block.stms = out;
    }

    /// Moves checks inside of a statement; what is to be done before it.
    fn stm(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let span = stm.span;
        // Elements of recursive arrays can be read only where their values are computed.
        let recursive =
            matches!(&stm.exp, Exp::Bulk(bulk) if bulk.outputs.iter().any(|output| !output.rec().is_empty()));
        if recursive || matches!(stm.exp, Exp::Ensure { .. }) {
            return Vec::new();
        }
        let asked = self.which == Loops::All || makes_with_little(&stm.exp);
        let around = std::mem::replace(&mut self.asked, asked);
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps, span),
        });
        let mut first = leading(stm);
        if asked {
            first.extend(self.before(stm));
        }
        self.asked = around;
        first
    }

    /// What is to be done before a loop.
    fn before(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let span = stm.span;
        match &mut stm.exp {
            Exp::Loop { params, form: LoopForm::For(var, count), body, .. } => {
                let changing: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
                self.before_loop(Counted { var: *var, count: *count, span }, &changing, body)
            }
            Exp::Bulk(bulk) => self.before_bulk(bulk, span),
            _ => Vec::new(),
        }
    }

    /// Statements among steps, and loops inside of loops. The outermost loop belongs to what is around the bulk form.
    fn steps(&mut self, steps: &mut Vec<Step>, span: Span) {
        let mut out = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } => self.nested(body, span),
                Step::Guard(_, body) => self.steps(body, span),
                Step::Let(stm) => out.extend(self.stm(stm).into_iter().map(Step::Let)),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
            out.push(step);
        }
        *steps = out;
    }

    /// The body of a loop, which may hold loops.
    fn nested(&mut self, body: &mut Vec<Step>, span: Span) {
        self.steps(body, span);
        let mut out = Vec::with_capacity(body.len());
        for mut step in std::mem::take(body) {
            if let Step::For { var, count, body, .. } = &mut step
                && self.asked
            {
                let around = Counted { var: *var, count: *count, span };
                out.extend(self.before_steps(around, body).into_iter().map(Step::Let));
            }
            out.push(step);
        }
        *body = out;
    }

    fn before_loop(&mut self, around: Counted, changing: &[Var], body: &mut Block) -> Vec<Stm> {
        let mut found = Body::new(around.var, changing);
        found.stms(&body.stms);
        let checks = found.checks(self.program, self.enough, self.kept);
        let replayed = Turns::of_block(self.program, body, changing);
        self.note(&found, &checks, replayed.is_some());
        let Some(replayed) = replayed.filter(|_| !checks.is_empty()) else { return Vec::new() };
        let (stms, moved) = self.ensure(around, &checks, replayed);
        apply::remove(body, &moved);
        stms
    }

    /// The loops of a bulk form, up to the first step that may fail itself: handing values over cannot.
    fn before_bulk(&mut self, bulk: &mut Bulk, span: Span) -> Vec<Stm> {
        let mut before = Vec::new();
        if hands_over_with_checks(&bulk.outputs) {
            return before;
        }
        for step in &mut bulk.steps {
            if let Step::For { var, count, body, .. } = step {
                before.extend(self.before_steps(Counted { var: *var, count: *count, span }, body));
            }
            if may_fail(step) {
                break;
            }
        }
        before
    }

    fn before_steps(&mut self, around: Counted, body: &mut Vec<Step>) -> Vec<Stm> {
        let mut found = Body::new(around.var, &[]);
        found.steps(body);
        let mut checks = found.checks(self.program, self.enough, self.kept);
        checks.retain(|check| self.which == Loops::All || check.is_of_plain_index());
        let replayed = Turns::of_steps(self.program, body);
        self.note(&found, &checks, replayed.is_some());
        let Some(replayed) = replayed.filter(|_| !checks.is_empty()) else { return Vec::new() };
        let (stms, moved) = self.ensure(around, &checks, replayed);
        apply::remove_from_steps(body, &moved);
        stms
    }

    /// Notes which checks of a loop move.
    fn note(&mut self, body: &Body<'_>, checks: &[Check], can_repeat: bool) {
        let moves = |cert: Var| can_repeat && checks.iter().any(|check| check.cert == cert);
        for (cert, why) in body.all_checks() {
            match moves(cert) {
                true => self.done.moved.push(cert),
                false => self.done.left.push((cert, why)),
            }
        }
    }

    /// The check before a loop, and that it takes the place of those in the loop.
    fn ensure(&mut self, around: Counted, checks: &[Check], replayed: Vec<Step>) -> (Vec<Stm>, Proved) {
        let (mut stms, cond) = Before::new(self.program, around).hold(checks);
        let cert = self.program.vars.push(VarInfo::new(Name::new("c"), Type::Cert));
        let otherwise = self.replay(around, replayed);
        stms.push(Stm { vars: vec![cert], certs: Vec::new(), exp: Exp::Ensure { cond, otherwise }, span: around.span });
        (stms, checks.iter().map(|check| (check.cert, vec![cert])).collect())
    }

    /// The loop's checks, turn after turn.
    fn replay(&mut self, around: Counted, body: Vec<Step>) -> Block {
        let steps = vec![Step::For { var: around.var, count: around.count, mark: Mark::Sequential(Split::No), body }];
        let bulk = Bulk { outputs: Vec::new(), steps, scheduled: false };
        let stm = Stm { vars: Vec::new(), certs: Vec::new(), exp: Exp::Bulk(bulk), span: around.span };
        copy_block(&mut self.program.vars, &Block { stms: vec![stm], result: Vec::new() }, Substitution::default())
    }
}

/// Whether a form makes arrays of all that is handed over, by reading elements and computing with them.
fn makes_with_little(exp: &Exp) -> bool {
    let is_array = |output: &Output| matches!(output.kind, Kind::Gen { otherwise: None, .. });
    matches!(exp, Exp::Bulk(bulk) if bulk.outputs.iter().all(is_array) && bulk.steps.iter().all(does_little))
}

fn does_little(step: &Step) -> bool {
    match step {
        Step::For { body, .. } => body.iter().all(does_little),
        Step::Let(stm) => takes_little(stm),
        Step::Emit(emit) => emit.value.stms.iter().all(takes_little),
        Step::Guard(..) | Step::Scan(_) => false,
    }
}

fn takes_little(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Atom(_) | Exp::Index(..) | Exp::Assert { .. } | Exp::Bin(..) | Exp::Un(..) | Exp::Select(..))
}

/// Takes out the statements of a bulk form that are not in loops: `xs with [i] = x` checks `i` there.
pub(super) fn leading(stm: &mut Stm) -> Vec<Stm> {
    let Exp::Bulk(bulk) = &mut stm.exp else { return Vec::new() };
    let count = bulk.steps.iter().take_while(|step| matches!(step, Step::Let(_))).count();
    let mut taken = Vec::new();
    for step in bulk.steps.drain(..count) {
        if let Step::Let(mut inner) = step {
            inner
                .certs
                .extend(stm.certs.iter().filter(|cert| !inner.certs.contains(cert)).copied().collect::<Vec<_>>());
            taken.push(inner);
        }
    }
    taken
}
