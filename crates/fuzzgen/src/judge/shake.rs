//! What passes decide only in large programs, in the small ones that are generated: combination trees with blocks of a few
//! turns, blocks and rounds of a few turns, versions of a computation, memory that is filled later.

use base::{IdVec, Name};
use ir::rename::{Substitution, copies, copy_block};
use ir::tree::{identities, is_exact, may_have_parts};
use ir::turns::{Rounds, Tiles};
use ir::{
    Atom, Block, Bulk, Chunks, Coverage, Dim, Exp, Kind, Program, Region, Step, Stm, Tables, Tree, Turns, Type, Var,
    VarInfo, nest,
};

/// The name of the stage.
pub(super) const SHAKEN: &str = "other trees and versions";

/// Whether bulk forms get a second version.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Versions {
    /// Each in its turn.
    Some,
    /// None of them.
    None,
}

/// How turns of loops run that allow it, even if there are few.
const TURNS: [Turns; 2] = [
    Turns::Blocks(Tiles { turns: 4, rows: 2, columns: 2, least: 0 }),
    Turns::Rounds(Rounds { turns: 3, bytes: 0, row_bytes: 0, share: 1 }),
];

/// Gives reductions and scans other trees, loops blocks or rounds of turns, and bulk forms a second version.
pub(super) fn shake(program: &mut Program, versions: Versions) {
    let mut turn = 0;
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        body.for_each_stm_mut(&mut |stm| {
            if let Exp::Bulk(bulk) = &mut stm.exp {
                turn += 1;
                shake_bulk(bulk, turn);
                shake_tables(program, bulk);
            }
            if let Exp::Loop { params, form, turns, body } = &mut stm.exp {
                let allowed = |other: &Turns| other.problem(program, params, form, body).is_none();
                *turns = TURNS.into_iter().find(allowed).unwrap_or(Turns::InOrder);
            }
        });
        for (number, stm) in body.stms.iter_mut().enumerate() {
            if versions == Versions::Some && matches!(stm.exp, Exp::Bulk(_)) && number % 3 == 0 {
                add_version(&mut program.vars, stm, number % 2 == 0);
            }
        }
        program.functions[id].body = body;
    }
}

/// Makes a statement a choice between itself and a version of it.
fn add_version(vars: &mut IdVec<Var, VarInfo>, stm: &mut Stm, first: bool) {
    let own = copies(vars, &stm.vars);
    let result = own.iter().copied().map(Atom::Var).collect();
    let exp = std::mem::replace(&mut stm.exp, Exp::Uninit);
    let one = Block { stms: vec![Stm { vars: own, certs: stm.certs.clone(), exp, span: stm.span }], result };
    let mut other = copy_block(vars, &one, Substitution::default());
    fill_later(vars, &mut other.stms);
    stm.exp = Exp::Choose(Atom::bool(first), one, other);
}

/// A new array as memory without values that is then updated.
fn fill_later(vars: &mut IdVec<Var, VarInfo>, stms: &mut Vec<Stm>) {
    let [Stm { vars: bound, certs, exp: Exp::Bulk(bulk), span }] = &mut stms[..] else { return };
    let [output] = &mut bulk.outputs[..] else { return };
    let Kind::Gen { otherwise: None, coverage: Coverage::Exact, rec, .. } = &output.kind else { return };
    let is_regular = |var: &Var| vars[*var].ty.dims().iter().all(|dim| matches!(dim, Dim::Size(_)));
    if !rec.is_empty() || !output.sizes.is_empty() || !bound.iter().all(is_regular) {
        return;
    }
    let mut memory = Vec::new();
    for var in bound.iter() {
        let ty: Type = vars[*var].ty.clone();
        memory.push(vars.push(VarInfo::new(Name::new("memory"), ty)));
    }
    output.kind = Kind::Update { arrays: memory.clone(), skip: false, rec: Vec::new() };
    let new = |var: Var| Stm { vars: vec![var], certs: certs.clone(), exp: Exp::Uninit, span: *span };
    let before: Vec<Stm> = memory.into_iter().map(new).collect();
    stms.splice(0..0, before);
}

fn shake_bulk(bulk: &mut Bulk, turn: usize) {
    let ops = bulk.outputs.iter().filter_map(|output| match &output.kind {
        Kind::Reduce { op, .. } => Some(op),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => None,
    });
    let lanes = if ops.clone().all(|op| identities(op).is_some()) { 2 } else { 1 };
    // All reductions of a form are cut alike.
    let chunks = match turn % 2 {
        0 => Chunks { block: 2, loops: loops_of(&bulk.steps), ..Chunks::PLAIN },
        _ => Chunks { block: 4, lanes, chains: lanes, loops: 1 },
    };
    for output in &mut bulk.outputs {
        if let Kind::Reduce { op, tree, .. } = &mut output.kind {
            *tree = other(op, turn, chunks);
        }
    }
    shake_scans(&mut bulk.steps, turn, chunks.loops);
}

/// Threads collect values in tables, even if there are few.
fn shake_tables(program: &Program, bulk: &mut Bulk) {
    let may = may_have_parts(program, bulk);
    for output in &mut bulk.outputs {
        if let Kind::Accum { tree: tree @ Tree::Free, .. } = &mut output.kind
            && may
        {
            *tree = Tree::Tables(Tables { each: 2, small: 8, least: 0, weight: 1024 });
        }
    }
}

/// As many loops as one nest has, if there is nothing else.
fn loops_of(steps: &[Step]) -> u32 {
    match steps {
        [step] => nest::levels(step).len().max(1) as u32,
        _ => 1,
    }
}

fn shake_scans(steps: &mut [Step], turn: usize, loops: u32) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => shake_scans(body, turn, loops),
            Step::Scan(scan) => scan.tree = other(&scan.op, turn, Chunks { block: 2, loops, ..Chunks::PLAIN }),
            Step::Let(_) | Step::Emit(_) => {}
        }
    }
}

fn other(op: &Region, turn: usize, chunks: Chunks) -> Tree {
    match turn % 5 {
        0 => Tree::InOrder,
        1 if is_exact(op) => Tree::Free,
        _ => Tree::Chunks(chunks),
    }
}
