//! Reads of the numbers by which elements are sorted, in sorted order.

use super::keys::{self, Vector, recognised};
use base::{Map, Name, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Dim, Exp, Program, Type, Var, VarInfo};

/// What was found.
pub(super) struct Reads {
    /// The sorted numbers, for each order through which they were read.
    pub values: Map<Var, Var>,
}

/// Lets `xs[order[k]]` read sorted numbers at `k`, where `order` sorts `xs` by its numbers.
pub(super) fn redirect(program: &mut Program, recursive: &Set<Var>, body: &mut Block) -> Reads {
    let vectors = vectors(program, recursive, body);
    let mut places: Map<Var, (Var, Atom)> = Map::default();
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && let Exp::Index(order, at) = &stm.exp
            && vectors.contains_key(order)
        {
            places.insert(stm.vars[0], (*order, at[0]));
        }
    });
    let mut values: Map<Var, Var> = Map::default();
    body.for_each_stm_mut(&mut |stm| {
        if let Exp::Index(array, at) = &stm.exp
            && let Some((Atom::Var(last), before)) = at.split_last()
            && let Some((order, place)) = places.get(last)
            && vectors[order].is(*array, before)
        {
            let own = *values.entry(*order).or_insert_with(|| new_values(program, *order, *array));
            stm.exp = Exp::Index(own, vec![*place]);
        }
    });
    Reads { values }
}

/// The vectors that are sorted by their numbers, by the variable of the order.
fn vectors(program: &Program, recursive: &Set<Var>, body: &Block) -> Map<Var, Vector> {
    let mut found = Map::default();
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && let Exp::Sort(count, region) = &stm.exp
            && let Some(keys) = recognised(recursive, region)
            && let Some(vector) = keys::vector(program, *count, region, keys.key)
        {
            found.insert(stm.vars[0], vector);
        }
    });
    found
}

/// A variable for the sorted numbers: as long as the order.
fn new_values(program: &mut Program, order: Var, array: Var) -> Var {
    let Type::Array(prim, _) = *program.ty(array) else { base::bug!("numbers of no array") };
    let dims: Vec<Dim> = program.ty(order).dims().to_vec();
    program.vars.push(VarInfo::new(Name::new("values"), Type::Array(prim, dims)))
}
