//! What a turn chooses in the end, and copies of what it does.

use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Stm, Type, Var};

/// The last statement of a turn, if it is a choice that gives all that the loop carries; the number of the choice's value for
/// each of them; and what is computed before.
pub(super) fn choice(body: &Block) -> Option<(&Stm, Vec<usize>, &[Stm])> {
    let (last, before) = body.stms.split_last()?;
    (matches!(last.exp, Exp::If(..)) && last.certs.is_empty()).then_some(())?;
    let place = |atom: &Atom| last.vars.iter().position(|var| *atom == Atom::Var(*var));
    let places = body.result.iter().map(place).collect::<Option<_>>()?;
    before.iter().all(is_cheap).then_some((last, places, before))
}

/// Whether a statement may be computed once more in another place.
pub(super) fn is_cheap(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::If(_, one, other) => one.stms.iter().chain(&other.stms).all(is_cheap),
        exp => exp.is_simple() && !stm.can_fail(),
    }
}

/// Whether a side of a choice leaves all that the loop carries as it is.
pub(super) fn changes_nothing(side: &Block, places: &[usize], params: &[(Var, Atom)]) -> bool {
    side.stms.is_empty()
        && places.iter().zip(params).all(|(place, (param, _))| side.result[*place] == Atom::Var(*param))
}

/// A copy of statements and of what they give, in which names stand for others.
pub(super) fn copy(program: &mut Program, stms: &[Stm], result: Vec<Atom>, names: Substitution) -> Block {
    copy_block(&mut program.vars, &Block { stms: stms.to_vec(), result }, names)
}

/// Whether types of variables name one of these.
pub(super) fn in_types(program: &Program, vars: impl Iterator<Item = Var>, names: &[Var]) -> bool {
    let mut found = false;
    vars.for_each(|var| program.ty(var).for_each_var(&mut |name| found |= names.contains(&name)));
    found
}

/// Whether statements or atoms mention a variable.
pub(super) fn mention(stms: &[Stm], atoms: &[Atom], var: Var) -> bool {
    let mut found = atoms.contains(&Atom::Var(var));
    for stm in stms {
        found |= stm.certs.contains(&var);
        stm.walk(&mut |part| match part {
            Part::Atom(atom) => found |= *atom == Atom::Var(var),
            Part::Use(used) => found |= *used == var,
            Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
        });
    }
    found
}

pub(super) fn truth() -> Type {
    Type::Scalar(scalar::Prim::Bool)
}
