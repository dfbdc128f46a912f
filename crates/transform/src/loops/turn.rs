//! What a turn of a loop computes, and for which of the carried values.

use analysis::mentions::Mentions;
use base::{Map, Set};
use ir::rename::{Substitution, copy_block};
use ir::traverse;
use ir::{Atom, Block, Bulk, Exp, LoopForm, Mark, Output, Program, Step, Stm, Var};

/// A loop with a counter.
pub(super) struct Turn<'p> {
    pub stm: &'p Stm,
    /// What it carries.
    pub params: &'p [(Var, Atom)],
    /// Its counter, and how many turns there are.
    pub index: Var,
    pub count: Atom,
    pub body: &'p Block,
    /// Which statement of the body binds a variable.
    binds: Map<Var, usize>,
}

/// A part of a loop that a bulk form can compute.
pub(super) struct Part {
    /// The statement that gives the next of the carried values.
    pub place: usize,
    /// The other statements of the body that it needs.
    pub needs: Set<usize>,
    /// What becomes of the values.
    pub output: Output,
    /// What is done with them in a turn, after those statements.
    pub steps: Vec<Step>,
    /// What stands for the carried values in them.
    pub old: Substitution,
}

impl<'p> Turn<'p> {
    /// A loop that may have parts: it has a counter.
    pub fn of(stm: &'p Stm) -> Option<Turn<'p>> {
        let Exp::Loop { params, form: LoopForm::For(index, count), body, .. } = &stm.exp else { return None };
        let mut binds = Map::default();
        for (number, stm) in body.stms.iter().enumerate() {
            binds.extend(stm.vars.iter().map(|var| (*var, number)));
        }
        Some(Turn { stm, params, index: *index, count: *count, body, binds })
    }

    /// The statements that these variables need, if none of them needs a carried value; those of `allowed` aside.
    pub fn needs(&self, program: &Program, vars: Vec<Var>, allowed: &[usize]) -> Option<Set<usize>> {
        let (mut found, mut open) = (Set::default(), vars);
        while let Some(var) = open.pop() {
            if self.params.iter().any(|(param, _)| *param == var) {
                return None;
            }
            if let Some(number) = self.binds.get(&var).filter(|number| found.insert(**number)) {
                let mentioned = mentioned(program, &self.body.stms[*number]);
                let carried = |var: &Var| self.params.iter().any(|(param, _)| param == var);
                let fine = allowed.contains(number);
                open.extend(mentioned.into_iter().filter(|var| !(fine && carried(var))));
            }
        }
        Some(found)
    }

    /// The loop without a carried value and without what only that needs. Nothing if something would be computed twice that
    /// is not cheap, or if checks would change their order; no loop if nothing is left.
    pub fn without(&self, program: &Program, number: usize, part: &Part) -> Option<Option<Stm>> {
        let mut taken = part.needs.clone();
        taken.insert(part.place);
        let fails = |k: &usize| can_fail(&self.body.stms[*k]);
        let failing: Set<usize> = (0..self.body.stms.len()).filter(fails).collect();
        let stay = failing.is_disjoint(&taken);
        if !stay && !failing.is_subset(&taken) {
            return None;
        }
        let kept = (0..self.params.len()).filter(|k| *k != number);
        let results: Vec<Var> = kept.clone().filter_map(|k| self.body.result[k].var()).collect();
        let left = self.all_needs(program, results.clone(), failing.into_iter().filter(|_| stay));
        let (param, cheap) = (self.params[number].0, |k: &usize| is_cheap(&self.body.stms[*k]));
        let alone = left.iter().all(|k| !mentioned(program, &self.body.stms[*k]).contains(&param));
        let alone = alone && !results.contains(&param);
        if !alone || !left.intersection(&taken).all(cheap) || self.mentions_in_types(program, number) {
            return None;
        }
        if self.params.len() == 1 {
            return left.is_empty().then_some(None);
        }
        let stms = (0..self.body.stms.len()).filter(|k| left.contains(k)).map(|k| self.body.stms[k].clone()).collect();
        let result = kept.clone().map(|k| self.body.result[k]).collect();
        let params = kept.clone().map(|k| self.params[k]).collect();
        let body = Block { stms, result };
        let exp = Exp::repeat(params, LoopForm::For(self.index, self.count), body);
        let vars = kept.map(|k| self.stm.vars[k]).collect();
        Some(Some(Stm { vars, exp, ..self.stm.clone() }))
    }

    /// Whether the types of other carried values mention this one.
    fn mentions_in_types(&self, program: &Program, number: usize) -> bool {
        let (param, result) = (self.params[number].0, self.stm.vars[number]);
        let vars = self.params.iter().map(|(param, _)| *param).chain(self.stm.vars.iter().copied());
        let mut found = false;
        vars.for_each(|var| program.ty(var).for_each_var(&mut |size| found |= size == param || size == result));
        found
    }

    /// These statements, and all that they or variables need.
    fn all_needs(&self, program: &Program, vars: Vec<Var>, stms: impl Iterator<Item = usize>) -> Set<usize> {
        let (mut found, mut open) = (stms.collect::<Set<usize>>(), vars);
        open.extend(found.iter().flat_map(|number| mentioned(program, &self.body.stms[*number])));
        while let Some(var) = open.pop() {
            if let Some(number) = self.binds.get(&var).filter(|number| found.insert(**number)) {
                open.extend(mentioned(program, &self.body.stms[*number]));
            }
        }
        found
    }
}

impl Part {
    /// The bulk form, in which the carried values still have the names that they have in a turn.
    pub fn form(&self, turn: &Turn<'_>) -> Bulk {
        let mut body: Vec<Step> = Vec::new();
        for k in (0..turn.body.stms.len()).filter(|k| self.needs.contains(k)) {
            body.push(Step::Let(turn.body.stms[k].clone()));
        }
        body.extend(self.steps.iter().cloned());
        let steps = vec![Step::For { var: turn.index, count: turn.count, mark: Mark::Open, body }];
        Bulk { outputs: vec![self.output.clone()], steps, scheduled: false }
    }

    /// The bulk form as a statement.
    pub fn stm(self, program: &mut Program, turn: &Turn<'_>, number: usize) -> Stm {
        let exp = Exp::Bulk(self.form(turn));
        let one = Stm { vars: vec![turn.stm.vars[number]], exp, ..turn.stm.clone() };
        // The loop may keep some of the statements.
        let mut copy = copy_block(&mut program.vars, &Block { stms: vec![one], result: Vec::new() }, self.old);
        let Some(mut stm) = copy.stms.pop() else { base::bug!("a copy without its statement") };
        stm.vars = vec![turn.stm.vars[number]];
        stm
    }
}

/// What a statement mentions.
pub(super) fn mentioned(program: &Program, stm: &Stm) -> Vec<Var> {
    let mut mentions = Mentions::new(program);
    mentions.stm(stm);
    mentions.found
}

/// Whether a statement may end the program, print, or take as long as it likes.
pub(super) fn can_fail(stm: &Stm) -> bool {
    let is_loop = |stm: &Stm| matches!(stm.exp, Exp::Loop { .. });
    let mut found = stm.can_fail() || is_loop(stm);
    stm.walk(&mut |part| found |= matches!(part, traverse::Part::Stm(stm) if is_loop(stm)));
    found
}

/// Whether a statement may be computed twice.
pub(super) fn is_cheap(stm: &Stm) -> bool {
    stm.exp.is_simple() || matches!(stm.exp, Exp::Assert { .. } | Exp::Bin(..) | Exp::Index(..))
}
