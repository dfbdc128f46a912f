//! Checks of a turn that come one after the other are made as one.
//!
//! ```text
//! let c: cert = assert t else R017(row, n)          let both: bool = t && u
//! ..                                                let e: cert = ensure both else { assert t else R017(..); assert u else R001(..) }
//! let d: cert = assert u else R001(col, m)    =>    ..
//! let <d> x: f64 = xs[col]                          let <e> x: f64 = xs[col]
//! emit <c> [row] => x                               emit <e> [row] => x
//! ```
//!
//! Nothing else can fail between them, and what the later ones need does not rely on the earlier ones, so it is computed before. If
//! one fails, the block makes them in their order: the message is the same.
//!
//! Limits: only in loops, where it saves time; not in recursive arrays, whose elements are asked for when they are read.

use super::apply;
use super::proved::{Proved, pinned};
use base::{Map, Name, Set};
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Exp, FunId, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Merges checks of a function, apart from `kept` ones. Says whether there are any.
pub(super) fn merge(program: &mut Program, function: FunId, kept: &Set<Var>) -> bool {
    let mut body = std::mem::take(&mut program.functions[function].body);
    let mut stay = pinned(program, &body);
    stay.extend(kept);
    let mut merging = Merging { program, stay, hands_over_with_checks: false, merged: Proved::default() };
    merging.block(&mut body, false);
    let merged = merging.merged;
    apply::remove(&mut body, &merged);
    program.functions[function].body = body;
    !merged.is_empty()
}

struct Merging<'p> {
    program: &'p mut Program,
    stay: Set<Var>,
    /// Whether handing values over may fail in the form around the current place.
    hands_over_with_checks: bool,
    /// The checks that others are made with, and the certificate in place of theirs.
    merged: Proved,
}

impl Merging<'_> {
    fn block(&mut self, block: &mut Block, in_turns: bool) {
        block.stms.iter_mut().for_each(|stm| self.stm(stm, in_turns));
        if in_turns {
            self.straight(block);
        }
    }

    /// Merges checks in the statements of a block.
    fn straight(&mut self, block: &mut Block) {
        let steps: Vec<Step> = std::mem::take(&mut block.stms).into_iter().map(Step::Let).collect();
        let merged = self.line(steps).into_iter().filter_map(|step| match step {
            Step::Let(stm) => Some(stm),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        });
        block.stms.extend(merged);
    }

    fn stm(&mut self, stm: &mut Stm, in_turns: bool) {
        let in_turns = match &stm.exp {
            Exp::Bulk(bulk) if bulk.outputs.iter().any(|output| !output.rec().is_empty()) => return,
            Exp::Ensure { .. } => return,
            Exp::Loop { .. } => true,
            _ => in_turns,
        };
        let checked = matches!(&stm.exp, Exp::Bulk(bulk) if bulk.outputs.iter().any(Output::is_checked));
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block, in_turns),
            ListMut::Steps(steps) => {
                let around = std::mem::replace(&mut self.hands_over_with_checks, checked);
                self.steps(steps, false);
                self.hands_over_with_checks = around;
            }
        });
    }

    fn steps(&mut self, steps: &mut Vec<Step>, in_turns: bool) {
        let (mut out, mut line) = (Vec::with_capacity(steps.len()), Vec::new());
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::Let(stm) => self.stm(stm, in_turns),
                Step::Emit(emit) => emit.value.stms.iter_mut().for_each(|stm| self.stm(stm, in_turns)),
                Step::For { body, .. } => self.steps(body, true),
                Step::Guard(_, body) => self.steps(body, in_turns),
                Step::Scan(scan) => self.block(&mut scan.value, in_turns),
            }
            let goes_on = match step {
                Step::Let(_) => in_turns,
                Step::Emit(_) => in_turns && !self.hands_over_with_checks,
                Step::For { .. } | Step::Guard(..) | Step::Scan(_) => false,
            };
            if goes_on {
                line.push(step);
            } else {
                out.extend(self.line(std::mem::take(&mut line)));
                out.push(step);
            }
        }
        out.extend(self.line(line));
        for step in &mut out {
            if let Step::Emit(emit) = step
                && in_turns
            {
                self.straight(&mut emit.value);
            }
        }
        *steps = out;
    }

    /// Merges checks in statements and values that follow each other.
    fn line(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let runs = self.runs(&steps);
        if runs.is_empty() {
            return steps;
        }
        let moved: Set<Var> = runs.iter().flat_map(|run| run.needed.iter().copied()).collect();
        let (mut out, mut taken) = (Vec::new(), Map::default());
        for stm in stms_of(&steps).map(|(_, stm)| stm) {
            if let Some(var) = stm.vars.first().filter(|var| moved.contains(var)) {
                taken.insert(*var, stm.clone());
            }
        }
        let checks: Map<Var, Stm> = stms_of(&steps)
            .filter_map(|(_, stm)| Some((*stm.vars.first().filter(|_| is_check(stm))?, stm.clone())))
            .collect();
        for (place, mut step) in steps.into_iter().enumerate() {
            if let Some(run) = runs.iter().find(|run| run.place == place) {
                out.extend(run.needed.iter().filter_map(|var| taken.get(var).cloned()).map(Step::Let));
                let members: Vec<&Stm> = run.members.iter().filter_map(|cert| checks.get(cert)).collect();
                out.extend(self.ensure(&members).into_iter().map(Step::Let));
            }
            let stays = |stm: &Stm| stm.vars.first().is_none_or(|var| !moved.contains(var));
            match &mut step {
                Step::Let(stm) if !stays(stm) => continue,
                Step::Emit(emit) => emit.value.stms.retain(stays),
                _ => {}
            }
            out.push(step);
        }
        out
    }

    /// One check in place of several.
    fn ensure(&mut self, members: &[&Stm]) -> Vec<Stm> {
        let (mut stms, mut all, mut certs) = (Vec::new(), None, Vec::new());
        let span = members[0].span;
        for stm in members {
            let Exp::Assert { cond, .. } = &stm.exp else { base::bug!("only checks are merged") };
            all = Some(match all {
                None => *cond,
                Some(all) => {
                    let both = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
                    let exp = Exp::Bin(BinOp::LogAnd, Prim::Bool, all, *cond);
                    stms.push(Stm { vars: vec![both], certs: Vec::new(), exp, span });
                    both.into()
                }
            });
            certs.extend(stm.certs.iter().filter(|cert| !certs.contains(*cert)).copied().collect::<Vec<Var>>());
        }
        let otherwise = Block { stms: members.iter().map(|stm| (*stm).clone()).collect(), result: Vec::new() };
        let otherwise = copy_block(&mut self.program.vars, &otherwise, Substitution::default());
        let cert = self.program.vars.push(VarInfo::new(Name::new("c"), Type::Cert));
        self.merged.extend(members.iter().flat_map(|stm| &stm.vars).map(|member| (*member, vec![cert])));
        let exp = Exp::Ensure { cond: all.unwrap_or(Atom::bool(true)), otherwise };
        stms.push(Stm { vars: vec![cert], certs, exp, span });
        stms
    }

    /// The checks that can be made together, two of them at least.
    fn runs(&self, steps: &[Step]) -> Vec<Run> {
        let mut found = Vec::new();
        let mut run = Run::default();
        // A value in which a run has ended: what follows in it cannot be made before it.
        let mut ended = None;
        for (place, stm) in stms_of(steps) {
            if ended == Some(place) {
                continue;
            }
            let next = run.look_at(self, place, stm);
            if matches!(next, Next::Goes) {
                continue;
            }
            found.push(std::mem::take(&mut run));
            if matches!(steps[place], Step::Emit(_)) {
                ended = Some(place);
            } else if matches!(next, Next::Begins) {
                run.look_at(self, place, stm);
            }
        }
        found.push(run);
        found.retain(|run| run.members.len() > 1);
        found
    }
}

/// Checks that can be made together.
#[derive(Default)]
struct Run {
    /// The step before which they are made.
    place: usize,
    members: Vec<Var>,
    /// What they need that is computed from that step on, in order.
    needed: Vec<Var>,
    /// What is computed since, and what of it can be computed before the checks.
    defs: Map<Var, Option<Stm>>,
}

/// What a statement does to a run.
enum Next {
    Goes,
    /// Nothing can be added any more.
    Ends,
    /// A check that may begin another run.
    Begins,
}

impl Run {
    fn look_at(&mut self, merging: &Merging<'_>, place: usize, stm: &Stm) -> Next {
        if self.members.is_empty() && place != self.place {
            self.place = place;
            self.defs.clear();
        }
        if is_check(stm) && stm.vars.iter().all(|cert| !merging.stay.contains(cert)) {
            let mut needed = self.needed.clone();
            if !operands(stm).into_iter().all(|var| self.need(var, &mut needed)) {
                return Next::Begins;
            }
            self.needed = needed;
            self.members.extend(&stm.vars);
            stm.vars.iter().for_each(|cert| _ = self.defs.insert(*cert, None));
            return Next::Goes;
        }
        if stm.can_fail() {
            return Next::Ends;
        }
        let movable = stm.exp.is_simple() && stm.vars.len() == 1;
        let movable = movable && operands(stm).iter().all(|var| self.defs.get(var).is_none_or(Option::is_some));
        stm.vars.iter().for_each(|var| _ = self.defs.insert(*var, movable.then(|| stm.clone())));
        Next::Goes
    }

    /// Adds what computes a variable, if it can be computed before the checks.
    fn need(&self, var: Var, needed: &mut Vec<Var>) -> bool {
        if needed.contains(&var) {
            return true;
        }
        match self.defs.get(&var) {
            None => true,
            Some(None) => false,
            Some(Some(stm)) => {
                let all = operands(stm).into_iter().all(|operand| self.need(operand, needed));
                needed.push(var);
                all
            }
        }
    }
}

/// What a statement needs: operands, sizes, and the checks that it relies on.
fn operands(stm: &Stm) -> Vec<Var> {
    let mut found = stm.certs.clone();
    stm.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => found.push(*var),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}

fn is_check(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Assert { .. })
}

/// The statements of steps and of their values, in order, each with the number of its step.
fn stms_of(steps: &[Step]) -> impl Iterator<Item = (usize, &Stm)> {
    steps.iter().enumerate().flat_map(|(place, step)| {
        let stms = match step {
            Step::Let(stm) => std::slice::from_ref(stm),
            Step::Emit(emit) => &emit.value.stms,
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) => &[],
        };
        stms.iter().map(move |stm| (place, stm))
    })
}
