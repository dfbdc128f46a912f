//! Branches and loops.

use super::data::{FaultKind, Origins};
use super::walk::Walk;
use crate::{Atom, Block, LoopForm, Region, Var};
use base::{Map, Set};

impl<'p> Walk<'p> {
    /// What one branch consumes is gone afterwards, except by the name of the result: there the other branch may hand
    /// it on. That memory gets a new origin.
    pub(super) fn branches(&mut self, vars: &[Var], blocks: &[&'p Block]) {
        let before = self.consumed.clone();
        let mut results = vec![Origins::new(); vars.len()];
        let mut after = before.clone();
        for block in blocks {
            self.consumed.clone_from(&before);
            for (result, more) in results.iter_mut().zip(self.block(block)) {
                result.extend(more);
            }
            after.extend(self.consumed.drain());
        }
        self.consumed = after;
        let mut reborn: Map<Var, Var> = Map::default();
        for (var, origins) in vars.iter().zip(results) {
            let origins = origins.into_iter().map(|origin| self.reborn(*var, origin, &mut reborn)).collect();
            self.bind(*var, origins);
        }
    }

    /// The components of a box share its memory, and that of everything else in it.
    pub(super) fn opened(&mut self, vars: &[Var], x: Var, cases: &'p [Region]) {
        self.read(x.into());
        let inside = self.origins(x.into());
        for param in cases.iter().flat_map(|case| &case.params) {
            self.bind(*param, inside.clone());
        }
        let blocks: Vec<&Block> = cases.iter().map(|case| &case.body).collect();
        self.branches(vars, &blocks);
    }

    /// An origin as it is after the branches.
    fn reborn(&mut self, var: Var, origin: Var, reborn: &mut Map<Var, Var>) -> Var {
        if !self.consumed.contains(&origin) {
            return origin;
        }
        let new = *reborn.entry(origin).or_insert(var);
        self.new_origin(new);
        self.was(new, &[origin].into());
        new
    }

    /// In the body a loop variable has memory of its own. If the body consumes it, then the loop consumes its first
    /// value, and its later values may have no other alias.
    pub(super) fn repetition(&mut self, vars: &[Var], params: &[(Var, Atom)], form: &'p LoopForm, body: &'p Block) {
        params.iter().for_each(|(_, init)| self.read(*init));
        let results = self.walled(|walk| {
            params.iter().for_each(|(param, _)| walk.bind_new(*param));
            match form {
                LoopForm::For(_, bound) => walk.read(*bound),
                LoopForm::While(cond) => {
                    walk.walled(|walk| walk.block(cond));
                }
            }
            walk.block(body)
        });
        if results.len() != params.len() {
            return;
        }
        let taken = self.taken(params, &results);
        let inits: Vec<Origins> = params.iter().map(|(_, init)| self.origins(*init)).collect();
        let mut free = body.free(&self.program.vars);
        if let LoopForm::While(cond) = form {
            free.extend(cond.free(&self.program.vars));
        }
        for i in (0..params.len()).filter(|i| taken[*i]) {
            self.check_taken(i, params, &inits, &results, &free);
        }
        self.loop_results(vars, params, &taken, &inits, &results);
        for ((param, _), (init, result)) in params.iter().zip(inits.iter().zip(&results)) {
            self.was(*param, init);
            self.was(*param, result);
        }
    }

    /// Which loop variables hold memory that is consumed in some turn: those that the body consumes, and those whose
    /// memory becomes that of such a one.
    fn taken(&self, params: &[(Var, Atom)], results: &[Origins]) -> Vec<bool> {
        let mut taken: Vec<bool> = params.iter().map(|(param, _)| self.consumed.contains(param)).collect();
        loop {
            let moves = |j: usize| (0..params.len()).any(|i| taken[i] && results[i].contains(&params[j].0));
            let Some(more) = (0..params.len()).find(|j| !taken[*j] && moves(*j)) else { return taken };
            taken[more] = true;
        }
    }

    fn check_taken(
        &mut self,
        i: usize,
        params: &[(Var, Atom)],
        inits: &[Origins],
        results: &[Origins],
        free: &Set<Var>,
    ) {
        let (param, init) = params[i];
        for var in free {
            if !self.origins((*var).into()).is_disjoint(&inits[i]) {
                self.fault(FaultKind::Read, *var);
            }
        }
        if results[i].iter().any(|origin| self.is_outside(*origin, self.walls + 1)) {
            self.fault(FaultKind::Foreign, param);
        }
        let shares = |all: &[Origins]| (0..all.len()).any(|j| j != i && !all[i].is_disjoint(&all[j]));
        if shares(inits) || shares(results) {
            self.fault(FaultKind::Shared, param);
        }
        if let Atom::Var(init) = init {
            self.consume(init);
        }
    }

    /// A result is the first value or one from the body. Memory of loop variables flows from one to the other.
    fn loop_results(
        &mut self,
        vars: &[Var],
        params: &[(Var, Atom)],
        taken: &[bool],
        inits: &[Origins],
        results: &[Origins],
    ) {
        let number: Map<Var, usize> = params.iter().enumerate().map(|(i, (param, _))| (*param, i)).collect();
        for (i, var) in vars.iter().enumerate().take(params.len()) {
            let (mut origins, mut seen, mut open) = (Origins::new(), vec![false; params.len()], vec![i]);
            while let Some(j) = open.pop() {
                if std::mem::replace(&mut seen[j], true) {
                    continue;
                }
                if taken[j] {
                    origins.extend(vars.get(j));
                } else {
                    origins.extend(&inits[j]);
                }
                for origin in &results[j] {
                    match number.get(origin) {
                        Some(next) => open.push(*next),
                        None => {
                            origins.insert(*origin);
                        }
                    }
                }
            }
            if taken[i] {
                self.new_origin(*var);
                self.was(*var, &inits[i]);
            }
            self.bind(*var, origins);
        }
    }
}
