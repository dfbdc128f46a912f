//! How variables are used in a function.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Stm, Var};

/// The arrays that are read at indices and used in no other way; no type mentions them as a shape.
pub fn only_read(program: &Program, body: &Block) -> Set<Var> {
    let (mut reads, mut uses): (Map<Var, usize>, Map<Var, usize>) = (Map::default(), Map::default());
    body.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => *reads.entry(*array).or_default() += 1,
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| *uses.entry(var).or_default() += 1),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    reads.into_iter().filter(|(array, times)| uses.get(array) == Some(times)).map(|(array, _)| array).collect()
}
