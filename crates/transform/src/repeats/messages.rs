//! Which parameters of functions only messages use.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, Program, Stm, Type, Var};

/// The numbers of these parameters, for each function.
pub(super) struct Messages(Map<FunId, Set<usize>>);

impl Messages {
    /// First all numbers might be such parameters; one that something else uses is not, and neither is one that is passed on as
    /// that.
    pub fn of(program: &Program) -> Messages {
        let numbers = |fun: FunId| {
            let params = program.functions[fun].params.iter().enumerate();
            params.filter(|(_, param)| *program.ty(**param) == Type::I64).map(|(k, _)| k).collect()
        };
        let mut found = Messages(program.functions.ids().map(|fun| (fun, numbers(fun))).collect());
        loop {
            let others = found.others(program);
            if others.is_empty() {
                return found;
            }
            for (fun, number) in others {
                found.0.entry(fun).or_default().remove(&number);
            }
        }
    }

    /// Whether all that uses an argument are messages.
    pub fn are_all(&self, fun: FunId, number: usize) -> bool {
        self.0.get(&fun).is_some_and(|numbers| numbers.contains(&number))
    }

    /// Parameters that are used in other ways.
    fn others(&self, program: &Program) -> Vec<(FunId, usize)> {
        let mut others = Vec::new();
        for (fun, numbers) in &self.0 {
            let function = &program.functions[*fun];
            let mut params: Vec<usize> = numbers.iter().copied().collect();
            params.sort_unstable();
            let used = params.into_iter().filter(|k| self.is_used(program, &function.body, function.params[*k]));
            others.extend(used.map(|k| (*fun, k)));
        }
        others
    }

    /// Whether something else than a message depends on a variable.
    fn is_used(&self, program: &Program, body: &Block, var: Var) -> bool {
        let mut known = Set::default();
        known.insert(var);
        let mut used = body.result.iter().any(|atom| atom.var() == Some(var));
        body.walk(&mut |part| match part {
            Part::Stm(stm) => used |= self.uses(&mut known, stm),
            Part::Bind(bound) => program.ty(*bound).for_each_var(&mut |size| used |= known.contains(&size)),
            Part::Block(block) => used |= block.result.iter().any(|atom| is_among(&known, *atom)),
            Part::Atom(_) | Part::Use(_) => {}
        });
        used
    }

    /// Whether a statement uses one of these variables for something else than messages. What it computes from them is another.
    fn uses(&self, known: &mut Set<Var>, stm: &Stm) -> bool {
        match &stm.exp {
            Exp::Assert { cond, .. } => is_among(known, *cond),
            Exp::Call(fun, args) => {
                args.iter().enumerate().any(|(k, arg)| is_among(known, *arg) && !self.are_all(*fun, k))
            }
            exp => {
                let mut found = false;
                exp.for_each_part(&mut |part| match part {
                    Part::Atom(atom) => found |= is_among(known, *atom),
                    Part::Use(var) => found |= known.contains(var),
                    Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
                });
                let computes = matches!(exp, Exp::Bin(..) | Exp::Un(..) | Exp::Select(..));
                known.extend(stm.vars.iter().copied().filter(|_| found && computes));
                found && !computes
            }
        }
    }
}

fn is_among(known: &Set<Var>, atom: Atom) -> bool {
    atom.var().is_some_and(|var| known.contains(&var))
}
