//! Values that are read from the last to the first.
//!
//! ```text
//! let (m, ys) = bulk {                                let (m, ys) = bulk {
//!   out keep ..                                         out keep ..
//!   for i < n { ..; if c { emit => y } }                for k < n { let i = n - 1 - k; ..; if c { emit => y } }
//! }                                              =>   }
//! let t = m - 1                                       ..
//! .. for j < m { let k = t - j; .. ys[k] .. }         .. for j < m { .. ys[j] .. }
//! ```
//!
//! They are kept in the order in which they are read, or read in the order in which they are kept if what reads them combines
//! them in any order. Then what reads them can move to where they are kept.

use super::carried::Code;
use super::item::Item;
use super::merge::{OneLoop, in_block};
use super::numbers::Forms;
use super::turns::{Places, Read};
use super::uses::Uses;
use super::windows::{self, Keeper};
use affine::Linear;
use base::{Map, Set};
use ir::traverse::Part;
use ir::tree::{identities, is_exact};
use ir::{Atom, Block, Exp, Kind, Output, Program, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// The forms after one of them was turned.
pub(super) struct Turned {
    /// What keeps the values, if that was turned, and where it stands.
    pub keeper: Option<(usize, Step)>,
    /// What reads them.
    pub reader: Step,
}

/// Turns an item that reads values from the last to the first, or what keeps them.
pub(super) fn turned(program: &mut Program, uses: &mut Uses, done: &[Item], item: &Item) -> Option<Turned> {
    let Step::Let(stm) = &item.step else { return None };
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let one = OneLoop::of(bulk)?;
    let Keeper { place, count, arrays } = windows::keeper(done, item)?;
    let forms = windows::forms(&done[place..]);
    let places = Places::of(&forms, &one, &arrays).filter(|places| places.step < 0)?;
    if bulk.outputs.iter().all(takes_any_order) && one.body.iter().all(is_single) {
        let places = places.in_order(&one, |read, way| {
            let last = forms.of(one.count).add_constant(-1)?.scale(places.step)?;
            read.first.add(&last)?.sub(way)
        })?;
        let (mut turned, counter) = turn(program, uses, stm);
        straighten(uses, forms.clone(), &mut turned, &counter);
        let renamed = |(var, place): (Var, Linear<Var>)| Some((var, place.substitute(&one.var, &counter)?));
        let places = places.into_iter().map(renamed).collect::<Option<_>>()?;
        let reader = Step::Let(read_at(program, uses, &turned, &places));
        return Some(Turned { keeper: None, reader });
    }
    let Step::Let(keeper) = &done[place].step else { return None };
    let reads = |array: Var| places.reads.iter().filter(|read| read.array == array).count();
    let alone = arrays.iter().all(|array| uses.count(*array) == reads(*array));
    if !alone || !may_turn(keeper) {
        return None;
    }
    let last = Linear::symbol(count).add_constant(-1)?;
    let places = places.in_order(&one, |read, way| last.sub(&read.first)?.sub(way))?;
    // What would begin in the middle of the values cannot be told before all of them are kept.
    let is_late = |var: &Var| done[place..].iter().any(|item| item.binds.contains(var));
    if places.values().any(|place| place.symbols().any(is_late)) {
        return None;
    }
    let keeper = Step::Let(turn(program, uses, keeper).0);
    let reader = Step::Let(read_at(program, uses, stm, &places));
    Some(Turned { keeper: Some((place, keeper)), reader })
}

impl Places {
    /// New places by what reads bind, from the place in the first turn and the way to that of a turn. They are known from the
    /// number of the turn and what is outside of the loop.
    fn in_order(
        &self,
        one: &OneLoop<'_>,
        place: impl Fn(&Read, &Linear<Var>) -> Option<Linear<Var>>,
    ) -> Option<Map<Var, Linear<Var>>> {
        let inner = Step::bound_in(one.before.iter().chain(one.body));
        let way = Linear::symbol(one.var).scale(self.step)?;
        let known = |read: &Read| {
            let place = place(read, &way)?;
            let known = place.symbols().all(|var| *var == one.var || !inner.contains(var));
            known.then_some((read.var, place))
        };
        self.reads.iter().map(known).collect()
    }
}

/// Whether it makes no difference in which order an output gets its values, apart from rounding.
fn takes_any_order(output: &Output) -> bool {
    match &output.kind {
        Kind::Reduce { op, commutes, .. } => *commutes || is_exact(op) || identities(op).is_some(),
        Kind::Keep | Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } => false,
    }
}

/// Whether the order of its turns shows only in the order of what a form keeps.
fn may_turn(keeper: &Stm) -> bool {
    let Exp::Bulk(bulk) = &keeper.exp else { return false };
    let Some(one) = OneLoop::of(bulk) else { return false };
    let (kept, others): (Vec<&Output>, Vec<&Output>) =
        bulk.outputs.iter().partition(|output| matches!(output.kind, Kind::Keep));
    let [Output { sizes, .. }] = kept[..] else { return false };
    sizes.is_empty() && others.into_iter().all(takes_any_order) && one.body.iter().all(is_single)
}

/// Whether a step has no loop that gives values, no running combination and no check.
fn is_single(step: &Step) -> bool {
    let mut fails = false;
    step.walk(&mut |part| fails |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
    let plain = match step {
        Step::Guard(_, body) => body.iter().all(is_single),
        Step::Let(_) | Step::Emit(_) => true,
        Step::For { .. } | Step::Scan(_) => false,
    };
    plain && !fails
}

/// The form with its turns from the last to the first, and its new counter.
fn turn(program: &mut Program, uses: &mut Uses, form: &Stm) -> (Stm, Linear<Var>) {
    let mut turned = form.clone();
    let Exp::Bulk(bulk) = &mut turned.exp else { base::bug!("a form is a form") };
    let Some(Step::For { var, count, body, .. }) = bulk.steps.last_mut() else { base::bug!("a form has a loop") };
    let mut code = Code { program, steps: Vec::new(), span: form.span };
    let number = code.fresh("k", Prim::I64);
    let last = code.binary(BinOp::Sub, Prim::I64, *count, Atom::size(1));
    code.bind(*var, Exp::Bin(BinOp::Sub, Prim::I64, last, number.into()));
    count.var().into_iter().for_each(|count| uses.more(count));
    body.splice(0..0, code.steps);
    *var = number;
    (turned, Linear::symbol(number))
}

/// Numbers that differ from the counter by a constant are computed from it alone, not from how many values there are.
fn straighten(uses: &mut Uses, mut forms: Forms, form: &mut Stm, counter: &Linear<Var>) {
    let Some(number) = counter.as_symbol() else { return };
    let Exp::Bulk(bulk) = &mut form.exp else { base::bug!("a form is a form") };
    let steps = std::mem::take(&mut bulk.steps);
    bulk.steps = in_block(steps, |block| {
        block.for_each_stm_mut(&mut |stm| {
            forms.define(stm);
            let (Exp::Bin(_, Prim::I64, a, b), [var]) = (&stm.exp, &stm.vars[..]) else { return };
            let form = forms.of(Atom::Var(*var));
            if let Some(more) = form.sub(counter).and_then(|rest| rest.as_constant()) {
                [a, b].into_iter().filter_map(|operand| operand.var()).for_each(|operand| uses.less(operand));
                uses.more(*number);
                stm.exp = Exp::Bin(BinOp::Add, Prim::I64, (*number).into(), Atom::size(more));
            }
        });
    });
}

/// The form that reads values at these places, by what reads bind.
fn read_at(program: &mut Program, uses: &mut Uses, stm: &Stm, places: &Map<Var, Linear<Var>>) -> Stm {
    let mut reader = stm.clone();
    let Exp::Bulk(bulk) = &mut reader.exp else { base::bug!("a form is a form") };
    let Some(Step::For { body, .. }) = bulk.steps.last_mut() else { base::bug!("a form has a loop") };
    let mut code = Code { program, steps: Vec::new(), span: stm.span };
    let own = std::mem::take(body);
    *body = in_block(own, |block| {
        block.for_each_stm_mut(&mut |inner| {
            let Some(place) = inner.vars.first().and_then(|var| places.get(var)) else { return };
            let Exp::Index(_, at) = &mut inner.exp else { base::bug!("a value is read") };
            at[0].var().into_iter().for_each(|before| uses.less(before));
            at[0] = code.sum(place);
            place.symbols().for_each(|var| uses.more(*var));
        });
        while forget_unused(uses, block) {}
    });
    body.splice(0..0, code.steps);
    reader
}

/// Computes no numbers that nothing uses any more: they would mention how many values there are. The pass `sweep` removes them.
fn forget_unused(uses: &mut Uses, block: &mut Block) -> bool {
    let mut used: Set<Var> = Set::default();
    block.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            used.insert(*var);
        }
    });
    let mut found = false;
    block.for_each_stm_mut(&mut |stm| {
        if let (Exp::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, Prim::I64, a, b), [var]) = (&stm.exp, &stm.vars[..])
            && !used.contains(var)
        {
            [a, b].into_iter().filter_map(|operand| operand.var()).for_each(|operand| uses.less(operand));
            stm.certs.drain(..).for_each(|cert| uses.less(cert));
            stm.exp = Exp::Atom(Atom::size(0));
            found = true;
        }
    });
    found
}
