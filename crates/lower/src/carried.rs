//! Elements that the turns of a loop store for the turns after them stay in variables, too: reading them back from memory takes as
//! long as several operations.
//!
//! ```text
//!                                             var last: f64
//! for i = 0 to n {                            for i = 0 to n {
//!   let y = ys[i]                               var y: f64
//!   let z = y * 0.5 + xs[i + 1]         ==>     if i < 1 { y := ys[i] } else { y := last }
//!   ys[i + 1] := z                              let z = y * 0.5 + xs[i + 1]
//! }                                             ys[i + 1] := z
//!                                               last := z
//!                                             }
//! ```
//!
//! The first turns read memory as they did: whether they read at all may depend on what the loop asks before.

use crate::data::expr::{self, ExprBuilder};
use base::Name;
use kernel::facts::Turns;
use kernel::walk::{changed_vars, for_each_stm};
use kernel::{Expr, Home, Mode, Op, Program, Stm, Type, Var, VarInfo};
use scalar::Prim;

/// How many turns before its reader an element may be stored.
const FAR: i64 = 3;
/// How many bindings before a loop are looked at.
const NEAR: usize = 100;

/// Finds such loops in all functions.
pub(crate) fn find(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        in_block(program, &mut Vec::new(), &mut body);
        program.functions[id].body = body;
    }
}

/// Statements behind such bindings.
fn in_block(program: &mut Program, before: &mut Vec<(Var, Expr)>, stms: &mut Vec<Stm>) {
    let outside = before.len();
    for mut stm in std::mem::take(stms) {
        stm.blocks_mut().into_iter().for_each(|block| in_block(program, before, block));
        for carried in all(program, before, &stm) {
            stms.extend(carried.keep(program, &mut stm));
        }
        if let Stm::Let(var, value) = stm {
            before.push((var, value));
        }
        stms.push(stm);
    }
    before.truncate(outside);
}

/// What a loop stores and reads back.
struct Carried {
    buffer: Var,
    prim: Prim,
    /// What is bound to elements that were stored so many turns before.
    reads: Vec<(Var, i64)>,
}

/// What a loop stores and reads back, if nothing else writes to that memory meanwhile.
fn all(program: &Program, before: &[(Var, Expr)], stm: &Stm) -> Vec<Carried> {
    let Stm::For { var, from, mode: Mode::Sequential, body, .. } = stm else { return Vec::new() };
    let changed = changed_vars(body);
    let mut known = true;
    from.for_each_var(&program.exprs, &mut |var| known &= !changed.contains(&var));
    if !known || !is_plain(body) {
        return Vec::new();
    }
    let near = &before[before.len().saturating_sub(NEAR)..];
    let mut stored = Vec::new();
    for_each_stm(body, &mut |stm| {
        if let Stm::Store { buffer, .. } = stm {
            stored.push(*buffer);
        }
    });
    let alone = |buffer: Var| stored.iter().filter(|other| may_be_same(program, buffer, **other)).count() == 1;
    let each = body.iter().filter_map(|stm| match stm {
        Stm::Store { buffer, at, .. } if alone(*buffer) => {
            read_back(Turns::new(program, *var, near), program, body, (*buffer, *at))
        }
        _ => None,
    });
    each.collect()
}

/// Whether a body only computes numbers and stores them.
fn is_plain(body: &[Stm]) -> bool {
    let mut plain = true;
    for_each_stm(body, &mut |stm| {
        plain &= matches!(
            stm,
            Stm::Let(..) | Stm::Declare(_) | Stm::Set(..) | Stm::Store { .. } | Stm::If(..) | Stm::Fail { .. }
        );
    });
    plain
}

fn may_be_same(program: &Program, a: Var, b: Var) -> bool {
    let (one, other) = (&program.vars[a], &program.vars[b]);
    a == b || one.ty == other.ty && one.home == other.home && !matches!(one.home, Home::Local(_))
}

/// What a loop with such turns reads of what it stores.
fn read_back(mut turns: Turns<'_>, program: &Program, body: &[Stm], (buffer, stored): (Var, Expr)) -> Option<Carried> {
    let Type::Buffer(prim) = program.vars[buffer].ty else { return None };
    changed_vars(body).into_iter().for_each(|var| turns.declare(var, None));
    let mut loads = Vec::new();
    for_each_stm(body, &mut |stm| {
        let Stm::Let(var, value) = stm else { return };
        turns.declare(*var, Some(*value));
        if let Expr::Op(id) = value
            && let Op::Load(from, at) = &program.exprs[*id]
            && *from == buffer
        {
            loads.push((*var, *at));
        }
    });
    let behind = |(var, at): (Var, Expr)| Some((var, turns.between(stored, at)?));
    let reads: Vec<_> = loads.into_iter().filter_map(behind).filter(|(_, far)| (1..=FAR).contains(far)).collect();
    (!reads.is_empty()).then_some(Carried { buffer, prim, reads })
}

impl Carried {
    /// Lets a loop keep what it reads back. Gives what comes before the loop.
    fn keep(&self, program: &mut Program, stm: &mut Stm) -> Vec<Stm> {
        let Stm::For { var, from, body, .. } = stm else { base::bug!("a loop is a loop") };
        let farthest = self.reads.iter().map(|(_, far)| *far).max().unwrap_or(0);
        let ty = Type::Scalar(self.prim);
        let mut new = |name| program.vars.push(VarInfo::new(Name::new(name), ty));
        let value = new("stored");
        let kept: Vec<Var> = (0..farthest).map(|_| new("last")).collect();
        let exprs = ExprBuilder::over(std::mem::take(&mut program.exprs));
        let is_early = |far: i64| exprs.lt(Expr::Var(*var), exprs.add(*from, expr::int(far)));
        self.replace_reads(body, &kept, &is_early);
        self.name_value(body, value);
        let values = std::iter::once(value).chain(kept.iter().copied());
        let moves: Vec<Stm> = kept.iter().zip(values).map(|(to, from)| Stm::Set(*to, Expr::Var(from))).collect();
        body.extend(moves.into_iter().rev());
        program.exprs = exprs.finish();
        kept.into_iter().map(Stm::Declare).collect()
    }

    fn replace_reads(&self, body: &mut Vec<Stm>, kept: &[Var], is_early: &dyn Fn(i64) -> Expr) {
        for mut stm in std::mem::take(body) {
            stm.blocks_mut().into_iter().for_each(|block| self.replace_reads(block, kept, is_early));
            match stm {
                Stm::Let(var, value) if let Some((_, far)) = self.reads.iter().find(|(read, _)| *read == var) => {
                    let last = Expr::Var(kept[*far as usize - 1]);
                    body.push(Stm::Declare(var));
                    body.push(Stm::If(is_early(*far), vec![Stm::Set(var, value)], vec![Stm::Set(var, last)]));
                }
                stm => body.push(stm),
            }
        }
    }

    /// Gives what is stored a name.
    fn name_value(&self, body: &mut Vec<Stm>, name: Var) {
        let is_store = |stm: &Stm| matches!(stm, Stm::Store { buffer, .. } if *buffer == self.buffer);
        let Some(place) = body.iter().position(is_store) else { base::bug!("a store is gone") };
        if let Stm::Store { value, .. } = &mut body[place] {
            let stored = std::mem::replace(value, Expr::Var(name));
            body.insert(place, Stm::Let(name, stored));
        }
    }
}
