//! Copies that an update takes at once: nothing else uses the copy, and nothing can change the original before.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Kind, Program, Stm, Var};

/// For each such copy, the original.
pub(super) fn copied(program: &Program, body: &Block) -> Map<Var, Var> {
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| {
        if let Part::Use(var) | Part::Atom(Atom::Var(var)) = part {
            *uses.entry(*var).or_default() += 1;
        }
    });
    let mut found = Map::default();
    in_block(program, body, &mut found);
    body.walk(&mut |part| {
        if let Part::Block(block) = part {
            in_block(program, block, &mut found);
        }
    });
    found.retain(|copy, _| uses.get(copy) == Some(&1));
    found
}

fn in_block(program: &Program, block: &Block, found: &mut Map<Var, Var>) {
    // Copies since the last statement that could change memory.
    let mut open: Map<Var, Var> = Map::default();
    for stm in &block.stms {
        match &stm.exp {
            Exp::Copy(original) => {
                open.insert(stm.vars[0], *original);
            }
            Exp::Bulk(bulk) => {
                let updated: Set<Var> = bulk.outputs.iter().filter_map(|output| only_array(&output.kind)).collect();
                found.extend(open.iter().filter(|(copy, _)| updated.contains(copy)).map(|(copy, of)| (*copy, *of)));
            }
            _ => {}
        }
        if changes(program, stm) {
            open.clear();
        }
    }
}

fn only_array(kind: &Kind) -> Option<Var> {
    match kind {
        Kind::Update { arrays, .. } if arrays.len() == 1 => Some(arrays[0]),
        _ => None,
    }
}

/// Whether a statement may change an array, at any depth.
pub(super) fn changes(program: &Program, stm: &Stm) -> bool {
    let mut found = !stm.exp.consumes(&program.functions).is_empty();
    stm.walk(&mut |part| {
        if let Part::Stm(inner) = part {
            found |= !inner.exp.consumes(&program.functions).is_empty();
        }
    });
    found
}
