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
//! the second turn, too: if both are indices of an array in memory, it moves by less than [`LARGEST`], so it leaves the array
//! before it wraps around, and unless it does not move at all there are fewer turns than that. Where the condition fails, the loop's checks, all of them, are
//! made in their order ([`replay`](super::replay)), so the same one is reported as before.
//!
//! Only innermost loops are looked at, and only checks that every turn makes. A loop with a check that depends on what
//! earlier turns computed keeps its checks.

use super::affine::{Body, Check, Decision};
use super::replay::{Turns, hands_over_with_checks};
use super::sizes::Sizes;
use super::{apply, proved::Proved};
use base::{Name, Set, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Exp, FunId, Kind, LoopForm, Mark, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// An array in memory has fewer elements.
const LARGEST: i64 = 1 << 47;

/// Moves checks of a function out of `which` of its innermost loops, apart from `kept` ones. Some hold where sizes are large
/// `enough`.
pub(super) fn hoist(program: &mut Program, function: FunId, which: Loops, enough: &Sizes, kept: &Set<Var>) -> Hoisted {
    let mut body = std::mem::take(&mut program.functions[function].body);
    let mut hoist = Hoist { program, which, enough, kept, done: Hoisted::default() };
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
    enough: &'p Sizes,
    kept: &'p Set<Var>,
    done: Hoisted,
}

/// A loop: its counter and how many turns it takes.
#[derive(Clone, Copy)]
struct Counted {
    var: Var,
    count: Atom,
    span: Span,
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
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps, span),
        });
        let mut first = leading(stm);
        first.extend(self.before(stm));
        first
    }

    /// What is to be done before a loop.
    fn before(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let span = stm.span;
        match &mut stm.exp {
            Exp::Loop { params, form: LoopForm::For(var, count), body } if self.which == Loops::All => {
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
                && self.which == Loops::All
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
        let is_asked = self.which == Loops::All || bulk.outputs.iter().all(is_array);
        if !is_asked || hands_over_with_checks(&bulk.outputs) {
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
        if self.which == Loops::Little && !body.iter().all(does_little) {
            return Vec::new();
        }
        let mut found = Body::new(around.var, &[]);
        found.steps(body);
        let checks = found.checks(self.program, self.enough, self.kept);
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
        let mut before = Before { program: self.program, stms: Vec::new(), span: around.span };
        let all = before.all_turns(around, checks);
        let none = before.bind(BinOp::Le, around.count, Atom::size(0));
        let cond = before.bind(BinOp::LogOr, none, all);
        let mut stms = before.stms;
        let cert = self.program.vars.push(VarInfo::new(Name::new("c"), Type::Cert));
        let otherwise = self.replay(around, replayed);
        stms.push(Stm { vars: vec![cert], certs: Vec::new(), exp: Exp::Ensure { cond, otherwise }, span: around.span });
        (stms, checks.iter().map(|check| (check.cert, vec![cert])).collect())
    }

    /// The loop's checks, turn after turn.
    fn replay(&mut self, around: Counted, body: Vec<Step>) -> Block {
        let steps = vec![Step::For { var: around.var, count: around.count, mark: Mark::Sequential, body }];
        let bulk = Bulk { outputs: Vec::new(), steps, scheduled: false };
        let stm = Stm { vars: Vec::new(), certs: Vec::new(), exp: Exp::Bulk(bulk), span: around.span };
        copy_block(&mut self.program.vars, &Block { stms: vec![stm], result: Vec::new() }, Substitution::default())
    }
}

/// Whether an output makes an array of all elements that are handed over.
fn is_array(output: &Output) -> bool {
    matches!(output.kind, Kind::Gen { otherwise: None, .. })
}

/// Whether a step does nothing but read elements, compute with them, and hand values over.
fn does_little(step: &Step) -> bool {
    match step {
        Step::Let(stm) => takes_little(stm),
        Step::Emit(emit) => emit.value.stms.iter().all(takes_little),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) => false,
    }
}

fn takes_little(stm: &Stm) -> bool {
    match stm.exp {
        Exp::Atom(_) | Exp::Index(..) | Exp::Assert { .. } | Exp::Bin(..) | Exp::Un(..) | Exp::Select(..) => true,
        _ => false,
    }
}

fn may_fail(step: &Step) -> bool {
    let mut fails = false;
    step.walk(&mut |part| fails |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
    fails
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

/// The statements before a loop.
struct Before<'p> {
    program: &'p mut Program,
    stms: Vec<Stm>,
    span: Span,
}

impl Before<'_> {
    /// Whether checks hold in all turns of a loop that has some.
    fn all_turns(&mut self, around: Counted, checks: &[Check]) -> Atom {
        let last = self.bind(BinOp::Sub, around.count, Atom::size(1));
        let (mut all, mut second) = (Atom::bool(true), None);
        for check in checks {
            let held = match &check.by {
                Decision::Turns(condition) => self.in_turns(around, condition, last, &mut second),
                Decision::Sizes(sizes) => {
                    let enough = |(size, least): &(Var, i64)| self.bind(BinOp::Ge, (*size).into(), Atom::size(*least));
                    sizes.iter().map(enough).collect()
                }
            };
            for cond in held {
                all = if all == Atom::bool(true) { cond } else { self.bind(BinOp::LogAnd, all, cond) };
            }
        }
        all
    }

    /// A condition in the turns that decide it: the first and the last one, and the second one if there are indices.
    fn in_turns(&mut self, around: Counted, condition: &Block, last: Atom, second: &mut Option<Atom>) -> Vec<Atom> {
        let at_first = self.at_turn(around, condition, Atom::size(0));
        let at_last = self.at_turn(around, condition, last);
        let mut held = vec![at_first[0], at_last[0]];
        if at_first.len() > 1 {
            let turn = *second.get_or_insert_with(|| self.second(around));
            let at_second = self.at_turn(around, condition, turn);
            held.push(at_second[0]);
            let indices = at_first.iter().zip(&at_second).skip(1);
            held.extend(indices.map(|(first, second)| self.comes_to_an_end(around, *first, *second)));
        }
        held
    }

    /// The condition of a check in a turn, and its indices.
    fn at_turn(&mut self, around: Counted, condition: &Block, turn: Atom) -> Vec<Atom> {
        let turn = Substitution::new(&[around.var], &[turn]);
        let result = condition.result.iter().map(|atom| turn.atom(*atom)).collect();
        let copy = copy_block(&mut self.program.vars, &Block { result, ..condition.clone() }, turn);
        self.stms.extend(copy.stms);
        copy.result
    }

    /// The second turn, or the first one if there is no other.
    fn second(&mut self, around: Counted) -> Atom {
        let several = self.bind(BinOp::Gt, around.count, Atom::size(1));
        self.exp(Prim::I64, Exp::Select(several, Atom::size(1), Atom::size(0)))
    }

    /// Whether an index that moves does so in few turns: it would have left any array otherwise, and come back.
    fn comes_to_an_end(&mut self, around: Counted, first: Atom, second: Atom) -> Atom {
        let few = self.bind(BinOp::Lt, around.count, Atom::size(LARGEST));
        let stays = self.bind(BinOp::Eq, first, second);
        self.bind(BinOp::LogOr, few, stays)
    }

    fn bind(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        let operands = if matches!(op, BinOp::LogAnd | BinOp::LogOr) { Prim::Bool } else { Prim::I64 };
        let prim = if op == BinOp::Sub { Prim::I64 } else { Prim::Bool };
        self.exp(prim, Exp::Bin(op, operands, a, b))
    }

    fn exp(&mut self, prim: Prim, exp: Exp) -> Atom {
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(prim)));
        self.stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span });
        var.into()
    }
}
