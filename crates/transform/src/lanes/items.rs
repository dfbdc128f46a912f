//! What is computed for a point.

use ir::traverse::Part;
use ir::{Atom, Program, Stm, Type, Var};
use scalar::Prim;

/// The most turns of a loop of points: longer sums are not added one value after the other.
pub(super) const LONGEST: i64 = 32768;

/// A part of what is computed for a point.
pub(super) enum Item {
    Scalar(Stm),
    Repeat(Repeat),
}

/// A loop inside of a point.
pub(super) struct Repeat {
    pub vars: Vec<Var>,
    pub params: Vec<(Var, Atom)>,
    pub index: Var,
    pub count: Atom,
    pub body: Vec<Item>,
    pub result: Vec<Atom>,
}

impl Item {
    /// The variables that it binds.
    pub fn vars(&self) -> &[Var] {
        match self {
            Item::Scalar(stm) => &stm.vars,
            Item::Repeat(repeat) => &repeat.vars,
        }
    }

    /// Whether it uses a variable, at any depth.
    pub fn uses(&self, var: Var) -> bool {
        let is = |atom: &Atom| *atom == Atom::Var(var);
        match self {
            Item::Scalar(stm) => {
                let mut found = false;
                stm.walk(&mut |part| {
                    found |= matches!(part, Part::Atom(Atom::Var(used)) | Part::Use(used) if *used == var)
                });
                found
            }
            Item::Repeat(repeat) => {
                repeat.params.iter().any(|(_, first)| is(first))
                    || repeat.result.iter().any(is)
                    || is(&repeat.count)
                    || repeat.body.iter().any(|item| item.uses(var))
            }
        }
    }
}

impl Repeat {
    /// Whether there is no loop inside.
    pub fn is_innermost(&self) -> bool {
        self.body.iter().all(|item| matches!(item, Item::Scalar(_)))
    }
}

/// The type of a number.
pub(super) fn prim(program: &Program, var: Var) -> Prim {
    match program.ty(var) {
        Type::Scalar(prim) => *prim,
        _ => base::bug!("a point has something else than numbers"),
    }
}
