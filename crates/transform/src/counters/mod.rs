//! Loops in their plainest form: with a counter where there is one, without flags, and without turns that change nothing.
//!
//! | Module | The loop | becomes |
//! |---|---|---|
//! | [`counted`] | `loop (s, i) = (0, 0) while i < n do (f s i, i + 1)` | `loop s = 0 for i < n do f s i` |
//! | [`flags`] | `loop (s, go) = (0, true) while go do if p s then (s, false) else (f s, true)` | `loop s = 0 while !(p s) do f s` |
//! | [`frozen`] | `loop s = 0 for i < n do if p s then f s else s` | `loop (s, i) = (0, 0) while i < n && p s do (f s, i + 1)` |
//!
//! Passes behind know these forms: turns that only count can be independent, and a condition on the state alone can be asked for
//! many loops side by side.

mod counted;
mod flags;
mod frozen;

use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Stm, Type, Var};

/// Changes the loops of all functions.
pub fn counters(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        body.replace_stms(&mut |stm| match flags::without(program, &stm) {
            // What is left may count.
            Some(stms) => stms.into_iter().flat_map(|stm| other(program, stm)).collect(),
            None => other(program, stm),
        });
        program.functions[fun].body = body;
    }
}

fn other(program: &mut Program, stm: Stm) -> Vec<Stm> {
    counted::with_counter(program, &stm).or_else(|| frozen::ended(program, &stm)).unwrap_or_else(|| vec![stm])
}

/// The last statement of a turn, if it is a choice that gives all that the loop carries; the number of the choice's value for
/// each of them; and what is computed before.
fn choice(body: &Block) -> Option<(&Stm, Vec<usize>, &[Stm])> {
    let (last, before) = body.stms.split_last()?;
    (matches!(last.exp, Exp::If(..)) && last.certs.is_empty()).then_some(())?;
    let place = |atom: &Atom| last.vars.iter().position(|var| *atom == Atom::Var(*var));
    let places = body.result.iter().map(place).collect::<Option<_>>()?;
    before.iter().all(is_cheap).then_some((last, places, before))
}

/// Whether a statement may be computed once more in another place.
fn is_cheap(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::If(_, one, other) => one.stms.iter().chain(&other.stms).all(is_cheap),
        exp => exp.is_simple() && !stm.can_fail(),
    }
}

/// Whether a side of a choice leaves all that the loop carries as it is.
fn changes_nothing(side: &Block, places: &[usize], params: &[(Var, Atom)]) -> bool {
    side.stms.is_empty()
        && places.iter().zip(params).all(|(place, (param, _))| side.result[*place] == Atom::Var(*param))
}

/// A copy of statements and of what they give, in which names stand for others.
fn copy(program: &mut Program, stms: &[Stm], result: Vec<Atom>, names: Substitution) -> Block {
    copy_block(&mut program.vars, &Block { stms: stms.to_vec(), result }, names)
}

/// Whether types of variables name one of these.
fn in_types(program: &Program, vars: impl Iterator<Item = Var>, names: &[Var]) -> bool {
    let mut found = false;
    vars.for_each(|var| program.ty(var).for_each_var(&mut |name| found |= names.contains(&name)));
    found
}

/// Whether statements or atoms mention a variable.
fn mention(stms: &[Stm], atoms: &[Atom], var: Var) -> bool {
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

fn truth() -> Type {
    Type::Scalar(scalar::Prim::Bool)
}
