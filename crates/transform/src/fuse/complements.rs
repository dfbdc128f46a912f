//! What a filter leaves out is as much as the filter of the opposite keeps.
//!
//! ```text
//! let (m, xs, k, ys) = bulk { .. if c { emit 0 => x }; if d { emit 1 => x } .. }     with d = not c, in each of n turns
//! let t = n - m
//! let same = t == k
//! let check = assert same else ..        =>  (nothing)
//! let <check> s = bulk { .. for j < t .. }   =>  let s = bulk { .. for j < k .. }
//! ```
//!
//! `partition` is of this form: its second part has `n - m` elements by its type. What reads that part can then be merged with
//! the loop that keeps it.

use super::merge::OneLoop;
use base::{Map, Set};
use ir::rename::Substitution;
use ir::traverse::{ListMut, PartMut};
use ir::{Atom, Block, Bulk, Exp, Kind, Output, Program, Region, Step, Stm, Var};
use scalar::{BinOp, Prim, Scalar, UnOp};

/// Gives both numbers one name in a block, and in the blocks inside.
pub(super) fn counts(program: &mut Program, block: &mut Block) {
    for stm in &mut block.stms {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(inner) => counts(program, inner),
            ListMut::Steps(steps) => Step::for_each_emit_mut(steps, &mut |emit| counts(program, &mut emit.value)),
        });
    }
    let mut others: Map<(Atom, Var), Var> = Map::default();
    let (mut names, mut certain) = (Substitution::default(), Set::default());
    let mut gone: Set<Var> = Set::default();
    for stm in &block.stms {
        match &stm.exp {
            Exp::Bulk(bulk) => others.extend(complements(stm, bulk)),
            Exp::Bin(BinOp::Sub, Prim::I64, total, Atom::Var(count)) => {
                if let Some(other) = others.get(&(*total, *count)) {
                    names.insert(stm.vars[0], *other);
                }
            }
            Exp::Bin(BinOp::Eq, Prim::I64, a, b) if names.atom(*a) == names.atom(*b) && a != b => {
                certain.extend(stm.vars.iter().copied().map(Atom::Var));
            }
            Exp::Assert { cond, .. } if certain.contains(cond) => gone.extend(&stm.vars),
            _ => {}
        }
    }
    if !names.0.is_empty() {
        block.stms.retain(|stm| !stm.vars.iter().any(|var| gone.contains(var) || names.0.contains_key(var)));
        for stm in &mut block.stms {
            if stm.vars.iter().any(|var| certain.contains(&Atom::Var(*var))) {
                stm.exp = Exp::Atom(Atom::Const(Scalar::Bool(true)));
            }
        }
        without_certs(block, &gone);
        rename(program, block, &names);
    }
}

/// For each number of values that a form keeps under a condition, the length of its loop and the number of those under the
/// opposite.
fn complements(stm: &Stm, bulk: &Bulk) -> Vec<((Atom, Var), Var)> {
    let Some(OneLoop { count, body, .. }) = OneLoop::of(bulk) else { return Vec::new() };
    let mut counted: Vec<(Atom, Var)> = Vec::new();
    let mut rest = &stm.vars[..];
    for (number, output) in bulk.outputs.iter().enumerate() {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        counted.extend(condition(body, number, output).map(|cond| (cond, bound[0])));
    }
    let opposite = |a: Atom, b: Atom| {
        body.iter().any(|step| match step {
            Step::Let(Stm { vars, exp: Exp::Un(UnOp::Not, Prim::Bool, of), .. }) => Atom::Var(vars[0]) == a && *of == b,
            _ => false,
        })
    };
    let mut found = Vec::new();
    for (cond, var) in &counted {
        let other = counted.iter().find(|(other, _)| opposite(*cond, *other) || opposite(*other, *cond));
        found.extend(other.map(|(_, other)| ((count, *var), *other)));
    }
    found
}

/// The condition under which an output gets one value in a turn, if it counts these.
fn condition(body: &[Step], number: usize, output: &Output) -> Option<Atom> {
    let gives = |step: &Step| match step {
        Step::Emit(emit) => (emit.output == number).then(|| emit.value.result.clone()),
        Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) => None,
    };
    if analysis::emits::count(body, number) != 1 {
        return None;
    }
    let (cond, values) = body.iter().find_map(|step| match step {
        Step::Guard(cond, inside) => Some((*cond, inside.iter().find_map(gives)?)),
        Step::For { .. } | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
    })?;
    let counts = match &output.kind {
        Kind::Keep => true,
        Kind::Reduce { op, neutral, .. } => {
            values[..] == [Atom::size(1)] && neutral[..] == [Atom::size(0)] && is_sum(op)
        }
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } => false,
    };
    counts.then_some(cond)
}

fn is_sum(op: &Region) -> bool {
    match (&op.params[..], &op.body.stms[..]) {
        ([a, b], [Stm { vars, exp: Exp::Bin(BinOp::Add, Prim::I64, x, y), .. }]) => {
            op.body.result[..] == [Atom::Var(vars[0])] && [*x, *y] == [Atom::Var(*a), Atom::Var(*b)]
        }
        (_, _) => false,
    }
}

fn without_certs(block: &mut Block, gone: &Set<Var>) {
    let own = |certs: &mut Vec<Var>| certs.retain(|cert| !gone.contains(cert));
    block.for_each_stm_mut(&mut |stm| {
        own(&mut stm.certs);
        if let Exp::Bulk(bulk) = &mut stm.exp {
            Step::for_each_emit_mut(&mut bulk.steps, &mut |emit| own(&mut emit.certs));
        }
    });
}

/// Replaces numbers in a block, also in types, but not where they are bound.
fn rename(program: &mut Program, block: &mut Block, names: &Substitution) {
    let mut bound = Vec::new();
    block.walk_mut(&mut |part| match part {
        PartMut::Atom(atom) => *atom = names.atom(*atom),
        PartMut::Use(var) => *var = names.var(*var),
        PartMut::Bind(var) => bound.push(*var),
        PartMut::Block(_) | PartMut::Stm(_) => {}
    });
    for var in bound {
        program.vars[var].ty = names.ty(&program.vars[var].ty);
    }
}
