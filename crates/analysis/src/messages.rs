//! Which parameters of functions only messages use.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, Program, Type, Var};

/// The numbers of these parameters, for each function.
#[derive(Default)]
pub struct Messages(Map<FunId, Set<usize>>);

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
        let known = computed_from(body, var);
        let mut used = body.result.iter().any(|atom| is_among(&known, *atom));
        body.walk(&mut |part| match part {
            Part::Stm(stm) => used |= self.uses(&known, &stm.exp),
            Part::Bind(bound) => program.ty(*bound).for_each_var(&mut |size| used |= known.contains(&size)),
            Part::Block(block) => used |= block.result.iter().any(|atom| is_among(&known, *atom)),
            Part::Atom(_) | Part::Use(_) => {}
        });
        used
    }

    /// Whether an expression uses one of these variables for something else than messages, and than computing another one of them.
    fn uses(&self, known: &Set<Var>, exp: &Exp) -> bool {
        match exp {
            Exp::Assert { cond, .. } => is_among(known, *cond),
            Exp::Call(fun, args) => {
                args.iter().enumerate().any(|(k, arg)| is_among(known, *arg) && !self.are_all(*fun, k))
            }
            exp => !computes(exp) && mentions(known, exp),
        }
    }
}

/// A variable and what operators compute from it.
fn computed_from(body: &Block, var: Var) -> Set<Var> {
    let mut known = Set::default();
    known.insert(var);
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && computes(&stm.exp)
            && mentions(&known, &stm.exp)
        {
            known.extend(stm.vars.iter().copied());
        }
    });
    known
}

fn computes(exp: &Exp) -> bool {
    matches!(exp, Exp::Bin(..) | Exp::Un(..) | Exp::Select(..))
}

fn mentions(known: &Set<Var>, exp: &Exp) -> bool {
    let mut found = false;
    exp.for_each_part(&mut |part| match part {
        Part::Atom(atom) => found |= is_among(known, *atom),
        Part::Use(var) => found |= known.contains(var),
        Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}

fn is_among(known: &Set<Var>, atom: Atom) -> bool {
    atom.var().is_some_and(|var| known.contains(&var))
}
