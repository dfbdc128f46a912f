//! Walks through statements: what they use, declare and contain.

use crate::{Arg, Expr, Exprs, FailArg, Stm, Var};
use base::Set;

impl Expr {
    /// Calls `visit` for each variable that occurs.
    pub fn for_each_var(self, exprs: &Exprs, visit: &mut dyn FnMut(Var)) {
        match self {
            Expr::Const(_) => {}
            Expr::Var(var) => visit(var),
            Expr::Op(id) => {
                let op = &exprs[id];
                op.buffer().into_iter().for_each(&mut *visit);
                op.for_each_operand(|operand| operand.for_each_var(exprs, visit));
            }
        }
    }
}

impl Arg {
    /// Calls `visit` for each variable that occurs.
    pub fn for_each_var(self, exprs: &Exprs, visit: &mut dyn FnMut(Var)) {
        match self {
            Arg::Scalar(expr) => expr.for_each_var(exprs, visit),
            Arg::Buffer(var) => visit(var),
        }
    }
}

impl FailArg {
    /// Calls `visit` for each variable that occurs.
    pub fn for_each_var(self, exprs: &Exprs, visit: &mut dyn FnMut(Var)) {
        match self {
            FailArg::Scalar(_, expr) => expr.for_each_var(exprs, visit),
            FailArg::Numbers { buffer, at, count } => {
                visit(buffer);
                at.for_each_var(exprs, visit);
                count.for_each_var(exprs, visit);
            }
        }
    }
}

/// Calls `visit` for each variable of a place in a buffer.
fn of_place((buffer, at): (Var, Expr), exprs: &Exprs, visit: &mut dyn FnMut(Var)) {
    visit(buffer);
    at.for_each_var(exprs, visit);
}

/// Calls `visit` for each statement, those inside of others included.
pub fn for_each_stm(stms: &[Stm], visit: &mut dyn FnMut(&Stm)) {
    for stm in stms {
        visit(stm);
        stm.blocks().into_iter().for_each(|block| for_each_stm(block, visit));
    }
}

impl Stm {
    /// The blocks of statements directly inside.
    pub fn blocks(&self) -> Vec<&[Stm]> {
        match self {
            Stm::If(_, then, otherwise) => vec![then, otherwise],
            Stm::For { body, .. } | Stm::Try { body, .. } => vec![body],
            Stm::While { head, body, .. } => vec![head, body],
            Stm::Let(..)
            | Stm::Declare(_)
            | Stm::Keep(_)
            | Stm::Set(..)
            | Stm::Store { .. }
            | Stm::Alloc { .. }
            | Stm::Grow { .. }
            | Stm::Pack { .. }
            | Stm::Fetch { .. }
            | Stm::Share { .. }
            | Stm::Move { .. }
            | Stm::Release(_)
            | Stm::Trim { .. }
            | Stm::Copy { .. }
            | Stm::Transpose { .. }
            | Stm::Prefetch(..)
            | Stm::Sort { .. }
            | Stm::Relay { .. }
            | Stm::Prefix { .. }
            | Stm::Call { .. }
            | Stm::Fail { .. }
            | Stm::Stop(_)
            | Stm::Trace(..)
            | Stm::Return(_) => Vec::new(),
        }
    }

    /// The blocks of statements directly inside, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stm>> {
        match self {
            Stm::If(_, then, otherwise) => vec![then, otherwise],
            Stm::For { body, .. } | Stm::Try { body, .. } => vec![body],
            Stm::While { head, body, .. } => vec![head, body],
            _ => Vec::new(),
        }
    }

    /// The variables that the statement itself declares, those of blocks inside left out. An index is declared by its
    /// loop.
    pub fn declared(&self) -> &[Var] {
        match self {
            Stm::Let(var, _)
            | Stm::Declare(var)
            | Stm::Keep(var)
            | Stm::For { var, .. }
            | Stm::Fetch { to: var, .. }
            | Stm::Relay { var, .. } => std::slice::from_ref(var),
            Stm::Call { results, .. } => results,
            Stm::Set(..)
            | Stm::Store { .. }
            | Stm::Alloc { .. }
            | Stm::Grow { .. }
            | Stm::Pack { .. }
            | Stm::Share { .. }
            | Stm::Move { .. }
            | Stm::Release(_)
            | Stm::Trim { .. }
            | Stm::Copy { .. }
            | Stm::Transpose { .. }
            | Stm::Prefetch(..)
            | Stm::Sort { .. }
            | Stm::Prefix { .. }
            | Stm::If(..)
            | Stm::While { .. }
            | Stm::Fail { .. }
            | Stm::Try { .. }
            | Stm::Stop(_)
            | Stm::Trace(..)
            | Stm::Return(_) => &[],
        }
    }

    /// Calls `visit` for each variable that the statement itself uses or assigns, those of blocks inside left out.
    pub fn for_each_var(&self, exprs: &Exprs, visit: &mut dyn FnMut(Var)) {
        match self {
            Stm::Let(_, expr) | Stm::If(expr, _, _) | Stm::Stop(expr) => expr.for_each_var(exprs, visit),
            Stm::While { cond, .. } => cond.for_each_var(exprs, visit),
            Stm::Declare(_) | Stm::Keep(_) => {}
            Stm::Prefetch(buffer, at) => of_place((*buffer, *at), exprs, visit),
            Stm::Set(var, expr) => {
                visit(*var);
                expr.for_each_var(exprs, visit);
            }
            Stm::Store { buffer, at, value } => {
                visit(*buffer);
                at.for_each_var(exprs, visit);
                value.for_each_var(exprs, visit);
            }
            Stm::Alloc { buffer, count, reuse, span: _ } => {
                visit(*buffer);
                reuse.iter().for_each(|spare| visit(*spare));
                count.for_each_var(exprs, visit);
            }
            Stm::Grow { buffer, used, needed, span: _ } => {
                visit(*buffer);
                used.for_each_var(exprs, visit);
                needed.for_each_var(exprs, visit);
            }
            Stm::Pack { to, refs, words, span: _ } => {
                visit(*to);
                refs.iter().for_each(|var| visit(*var));
                words.iter().for_each(|word| word.for_each_var(exprs, visit));
            }
            Stm::Fetch { to: _, from, at: _ } => visit(*from),
            Stm::Share { to, from } | Stm::Move { to, from } => {
                visit(*to);
                visit(*from);
            }
            Stm::Release(var) => visit(*var),
            Stm::Trim { buffer, start, count, span: _ } => {
                visit(*buffer);
                visit(*start);
                count.for_each_var(exprs, visit);
            }
            Stm::Copy { .. } | Stm::Transpose { .. } | Stm::Sort { .. } | Stm::Relay { .. } | Stm::Prefix { .. } => {
                self.for_each_var_of_elements(exprs, visit);
            }
            Stm::For { from, to, .. } => {
                from.for_each_var(exprs, visit);
                to.for_each_var(exprs, visit);
            }
            Stm::Call { args, .. } | Stm::Trace(_, args, _) | Stm::Return(args) => {
                args.iter().for_each(|a| a.for_each_var(exprs, visit));
            }
            Stm::Fail { args, .. } => args.iter().for_each(|a| a.for_each_var(exprs, visit)),
            Stm::Try { stopped, .. } => visit(*stopped),
        }
    }

    /// The same for statements about many elements.
    fn for_each_var_of_elements(&self, exprs: &Exprs, visit: &mut dyn FnMut(Var)) {
        match self {
            Stm::Copy { to, to_at, from, from_at, count, past: _ } => {
                visit(*to);
                visit(*from);
                [to_at, from_at, count].into_iter().for_each(|e| e.for_each_var(exprs, visit));
            }
            Stm::Transpose { to, to_stride, from, from_stride, rows, columns } => {
                [to, from].into_iter().for_each(|place| of_place(*place, exprs, visit));
                [to_stride, from_stride, rows, columns].into_iter().for_each(|e| e.for_each_var(exprs, visit));
            }
            Stm::Sort { keys, count, values, order, .. } => {
                [keys].into_iter().chain(values).chain(order).for_each(|place| of_place(*place, exprs, visit));
                count.for_each_var(exprs, visit);
            }
            Stm::Relay { chain, turn, var: _, next } => {
                visit(*chain);
                [turn, next].into_iter().for_each(|e| e.for_each_var(exprs, visit));
            }
            Stm::Prefix { to, from, count, before, op: _, past } => {
                [to, from].into_iter().for_each(|place| of_place(*place, exprs, visit));
                [count, before, past].into_iter().for_each(|e| e.for_each_var(exprs, visit));
            }
            _ => {}
        }
    }
}

impl Stm {
    /// Whether a variable occurs in the statement, or in those inside of it.
    pub fn mentions(&self, exprs: &Exprs, wanted: Var) -> bool {
        let mut found = self.declared().contains(&wanted);
        self.for_each_var(exprs, &mut |var| found |= var == wanted);
        found || self.blocks().into_iter().flatten().any(|stm| stm.mentions(exprs, wanted))
    }
}

/// The variables that statements use but do not declare, in the order of their first use.
pub fn free_vars(exprs: &Exprs, stms: &[Stm]) -> Vec<Var> {
    let mut walk = FreeVars::default();
    walk.stms(exprs, stms);
    walk.used.retain(|var| !walk.declared.contains(var));
    walk.used
}

/// The variables that statements change, in the order of their first use.
pub fn changed_vars(stms: &[Stm]) -> Vec<Var> {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    for_each_stm(stms, &mut |stm| found.extend(stm.changed().into_iter().filter(|var| seen.insert(*var))));
    found
}

impl Stm {
    /// The variables that the statement itself changes: those that hold another value, or other memory, after it.
    fn changed(&self) -> Vec<Var> {
        match self {
            Stm::Set(var, _)
            | Stm::Declare(var)
            | Stm::Keep(var)
            | Stm::Release(var)
            | Stm::Try { stopped: var, .. } => vec![*var],
            Stm::Alloc { buffer, reuse, .. } => [*buffer].into_iter().chain(*reuse).collect(),
            Stm::Grow { buffer, .. } | Stm::Pack { to: buffer, .. } => vec![*buffer],
            Stm::Trim { buffer, start, .. } => vec![*buffer, *start],
            Stm::Share { to, .. } => vec![*to],
            Stm::Move { to, from } => vec![*to, *from],
            Stm::Let(..) | Stm::Store { .. } | Stm::Fetch { .. } | Stm::Copy { .. } | Stm::If(..) => Vec::new(),
            Stm::For { .. } | Stm::While { .. } | Stm::Call { .. } | Stm::Fail { .. } | Stm::Stop(_) => Vec::new(),
            Stm::Transpose { .. } | Stm::Prefetch(..) | Stm::Sort { .. } | Stm::Relay { .. } | Stm::Prefix { .. } => {
                Vec::new()
            }
            Stm::Trace(..) | Stm::Return(_) => Vec::new(),
        }
    }
}

/// Names are unique in the whole program, so no scopes are needed.
#[derive(Default)]
struct FreeVars {
    used: Vec<Var>,
    seen: Set<Var>,
    declared: Set<Var>,
}

impl FreeVars {
    fn stms(&mut self, exprs: &Exprs, stms: &[Stm]) {
        for stm in stms {
            self.declared.extend(stm.declared());
            stm.for_each_var(exprs, &mut |var| {
                if self.seen.insert(var) {
                    self.used.push(var);
                }
            });
            stm.blocks().into_iter().for_each(|block| self.stms(exprs, block));
        }
    }
}
