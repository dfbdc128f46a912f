//! Finding loops that end at different turns.

use crate::straight::{is_wide, without_branches};
use base::{Set, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Emit, Exp, LoopForm, Program, Step, Stm, Type, Var};
use scalar::{BinOp, Prim, Scalar};

/// The most statements in a turn.
const LARGEST: usize = 60;

/// A loop over points, each of which repeats something until a condition fails.
pub(super) struct Divergent {
    pub index: Var,
    pub count: Atom,
    /// What is bound before the repetition and after it. What computes subscripts is in both: that takes less than keeping them.
    pub before: Vec<Stm>,
    pub after: Vec<Stm>,
    pub repeated: Repeated,
    /// What becomes of the values; their blocks have no statements.
    pub emits: Vec<Emit>,
    pub span: Span,
}

/// The repetition of one point.
pub(super) struct Repeated {
    pub vars: Vec<Var>,
    pub params: Vec<(Var, Atom)>,
    /// Whether there is another turn: computes one truth value, without branches.
    pub condition: Block,
    /// A turn, without branches.
    pub turn: Block,
    /// What all points count alike: the condition no longer asks for it.
    pub counter: Option<Counter>,
}

/// A number that begins alike for all points and grows by one in each turn, and must be below a limit. So it is the same for all
/// points that have not ended.
#[derive(Clone, Copy)]
pub(super) struct Counter {
    pub prim: Prim,
    pub first: Atom,
    pub limit: Atom,
}

/// Whether there is a loop in a form that ends when a condition fails.
pub(super) fn repeats(stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            found |= matches!(stm.exp, Exp::Loop { form: LoopForm::While(_), .. });
        }
    });
    found
}

impl Divergent {
    pub fn of(program: &mut Program, step: &Step) -> Option<Divergent> {
        let Step::For { var, count, body, .. } = step else { return None };
        let (mut stms, mut emits) = (Vec::new(), Vec::new());
        for step in body {
            match step {
                Step::Let(stm) => stms.push(stm.clone()),
                Step::Emit(emit) => {
                    stms.extend(emit.value.stms.iter().cloned());
                    let value = Block { stms: Vec::new(), result: emit.value.result.clone() };
                    emits.push(Emit { value, ..emit.clone() });
                }
                Step::For { .. } | Step::Guard(..) | Step::Scan(_) => return None,
            }
        }
        let place = stms.iter().position(|stm| matches!(stm.exp, Exp::Loop { form: LoopForm::While(_), .. }))?;
        let after = stms.split_off(place + 1);
        let stm = stms.pop()?;
        let fits = |stm: &Stm| !stm.can_fail() && stm.vars.iter().all(|var| !program.ty(*var).is_array());
        stms.iter().chain(&after).all(fits).then_some(())?;
        let mut repeated = Repeated::of(program, &stm)?;
        let own = stms.iter().flat_map(|stm| &stm.vars).chain([var]);
        repeated.count_turns(program, own.copied().collect());
        let after = computed_again(&stms, &emits).into_iter().chain(after).collect();
        let mut found = Divergent { index: *var, count: *count, before: stms, after, repeated, emits, span: stm.span };
        found.drop_counter();
        Some(found)
    }

    /// Takes away a number that only counts turns, now that all points count them together.
    fn drop_counter(&mut self) {
        let only_counts = |found: &Divergent, number: usize| {
            let (param, next) = (found.repeated.params[number].0, found.repeated.turn.result[number]);
            let others =
                found.repeated.turn.stms.iter().filter(|stm| !stm.vars.iter().any(|var| next == (*var).into()));
            let others: Vec<Stm> = others.cloned().collect();
            let mut results = found.repeated.turn.result.iter().enumerate().filter(|(other, _)| *other != number);
            let elsewhere = uses(&others, param)
                || uses(&found.repeated.condition.stms, param)
                || next.var().is_some_and(|next| uses(&others, next))
                || results.any(|(_, atom)| *atom == next || *atom == param.into());
            !elsewhere && !found.is_wanted(number)
        };
        if self.repeated.counter.is_some() && self.repeated.params.len() > 1 {
            let number = (0..self.repeated.params.len()).find(|number| only_counts(self, *number));
            if let Some(number) = number {
                self.repeated.params.remove(number);
                self.repeated.vars.remove(number);
                let next = self.repeated.turn.result.remove(number);
                self.repeated.turn.stms.retain(|stm| !stm.vars.iter().any(|var| next == (*var).into()));
            }
        }
    }

    /// The variables bound before the repetition, and the index, that the repetition uses or something after it.
    pub fn kept(&self) -> Vec<Var> {
        let in_turns = |var: Var| self.repeated.uses(var) || self.repeated.begins_with(var);
        let bound = self.before.iter().flat_map(|stm| &stm.vars).copied();
        let kept = bound.filter(|var| in_turns(*var) || self.uses_after(*var));
        kept.chain([self.index].into_iter().filter(|index| in_turns(*index))).collect()
    }

    /// Whether something after the repetition uses its result with this number.
    pub fn is_wanted(&self, number: usize) -> bool {
        self.uses_after(self.repeated.vars[number])
    }

    /// Whether something after the repetition uses a variable.
    pub fn uses_after(&self, var: Var) -> bool {
        let mut atoms = self.emits.iter().flat_map(|emit| emit.value.result.iter().chain(&emit.at));
        let is_bound_there = self.after.iter().any(|stm| stm.vars.contains(&var));
        !is_bound_there && (atoms.any(|atom| *atom == var.into()) || uses(&self.after, var))
    }
}

impl Repeated {
    fn of(program: &mut Program, stm: &Stm) -> Option<Repeated> {
        let Exp::Loop { params, form: LoopForm::While(condition), body, .. } = &stm.exp else { return None };
        params.iter().all(|(param, _)| is_wide(program, *param)).then_some(())?;
        // What is without branches has a value for all operands: it relies on none of the loop's checks.
        let condition = without_branches(program, condition)?;
        let turn = without_branches(program, body)?;
        let fits = condition.stms.len() + turn.stms.len() <= LARGEST;
        fits.then(|| Repeated { vars: stm.vars.clone(), params: params.clone(), condition, turn, counter: None })
    }

    /// Takes what all points count alike out of the condition. Variables that differ between points are `own`.
    fn count_turns(&mut self, program: &Program, mut own: Set<Var>) {
        own.extend(self.params.iter().map(|(param, _)| *param));
        own.extend(self.condition.stms.iter().chain(&self.turn.stms).flat_map(|stm| &stm.vars));
        let is_common = |atom: Atom| atom.var().is_none_or(|var| !own.contains(&var));
        for (&(param, first), next) in self.params.iter().zip(&self.turn.result) {
            let prim = match program.ty(param) {
                Type::Scalar(prim @ (Prim::I32 | Prim::I64)) => *prim,
                _ => continue,
            };
            if !is_common(first) || !adds_one(&self.turn.stms, prim, param, *next) {
                continue;
            }
            let limit = |exp: &Exp| match exp {
                Exp::Bin(BinOp::Lt, _, a, limit) | Exp::Bin(BinOp::Gt, _, limit, a) if *a == param.into() => {
                    Some(*limit)
                }
                _ => None,
            };
            let parts = conjuncts(&self.condition);
            let asks = |stm: &&mut Stm| stm.vars.iter().any(|var| parts.contains(var));
            let asked = self.condition.stms.iter_mut().filter(asks).find_map(|stm| Some((limit(&stm.exp)?, stm)));
            if let Some((limit, stm)) = asked.filter(|(limit, _)| is_common(*limit)) {
                stm.exp = Exp::Atom(Atom::Const(Scalar::Bool(true)));
                self.counter = Some(Counter { prim, first, limit });
                return;
            }
        }
    }

    /// Whether turns use a variable.
    pub fn uses(&self, var: Var) -> bool {
        let mut results = self.condition.result.iter().chain(&self.turn.result);
        results.any(|atom| *atom == var.into()) || uses(&self.condition.stms, var) || uses(&self.turn.stms, var)
    }

    fn begins_with(&self, var: Var) -> bool {
        self.params.iter().any(|(_, first)| *first == var.into())
    }
}

/// The statements that compute where values go.
fn computed_again(before: &[Stm], emits: &[Emit]) -> Vec<Stm> {
    let mut wanted: Set<Var> = emits.iter().flat_map(|emit| &emit.at).filter_map(|atom| atom.var()).collect();
    let mut found = Vec::new();
    for stm in before.iter().rev() {
        if let (Exp::Bin(_, Prim::I64, x, y), true) = (&stm.exp, stm.vars.iter().any(|var| wanted.contains(var))) {
            wanted.extend([x, y].into_iter().filter_map(|atom| atom.var()));
            found.push(stm.clone());
        }
    }
    found.reverse();
    found
}

/// Whether statements bind `next` to a number and one more.
pub(super) fn adds_one(stms: &[Stm], prim: Prim, number: Var, next: Atom) -> bool {
    let one = Atom::Const(scalar::convert(Scalar::I64(1), prim));
    stms.iter().any(|stm| match &stm.exp {
        Exp::Bin(BinOp::Add, own, a, b) if stm.vars.iter().any(|var| next == (*var).into()) => {
            *own == prim && [(*a, *b), (*b, *a)].contains(&(number.into(), one))
        }
        _ => false,
    })
}

/// The truth values that must all hold where a condition does, if it asks for several.
fn conjuncts(condition: &Block) -> Vec<Var> {
    let (mut found, mut parts): (Vec<Var>, Vec<Atom>) = (Vec::new(), condition.result.clone());
    while let Some(part) = parts.pop() {
        let computed = condition.stms.iter().find(|stm| stm.vars.iter().any(|var| part == (*var).into()));
        match computed.map(|stm| &stm.exp) {
            Some(Exp::Bin(BinOp::LogAnd, _, a, b)) => parts.extend([*a, *b]),
            _ => found.extend(part.var()),
        }
    }
    if found.len() > 1 { found } else { Vec::new() }
}

/// Whether statements use a variable.
fn uses(stms: &[Stm], var: Var) -> bool {
    let mut found = false;
    for stm in stms {
        stm.walk(&mut |part| found |= matches!(part, Part::Atom(Atom::Var(used)) | Part::Use(used) if *used == var));
    }
    found
}
