//! Which values that a guard leaves out can be computed anyway.
//!
//! ```text
//! for i < n { let x = a[i]; if x > 0 { let y = x * x; emit { => y } } }
//! ```
//!
//! Whether a guard holds is often hard to foresee, and then jumping around a few operations takes longer than they do. A filter
//! can store every value and only count those that it keeps.

use crate::cost;
use ir::{Atom, Dim, Emit, Exp, Program, Step, Stm, Type, Var};

/// A jump that was not foreseen takes about as many cycles.
const JUMP: usize = 20;

/// The value that guarded steps give, if it is one and it takes little to compute it whether the guard holds or not. The loops
/// around them have these variables and counts.
pub fn value<'s>(program: &Program, loops: &[(Var, Atom)], guarded: &'s [Step]) -> Option<&'s Emit> {
    let (Step::Emit(emit), before) = guarded.split_last()? else { return None };
    let is_free = |stm: &Stm| is_free(program, loops, stm);
    let free = before.iter().all(|step| matches!(step, Step::Let(stm) if is_free(stm)))
        && emit.value.stms.iter().all(is_free)
        && cost::cycles(guarded) <= JUMP;
    free.then_some(emit)
}

/// Whether a statement computes a number from any others.
fn is_free(program: &Program, loops: &[(Var, Atom)], stm: &Stm) -> bool {
    let is_number = |var: &Var| matches!(program.ty(*var), Type::Scalar(_));
    stm.vars.iter().all(is_number)
        && match &stm.exp {
            Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) => !stm.exp.is_partial(),
            Exp::Index(array, subscripts) => is_of_turn(program, loops, *array, subscripts),
            _ => false,
        }
}

/// Whether subscripts are those of the turn in an array with an element for each: it is there whatever a guard says.
fn is_of_turn(program: &Program, loops: &[(Var, Atom)], array: Var, subscripts: &[Atom]) -> bool {
    let dims = program.ty(array).dims();
    dims.len() == subscripts.len()
        && dims.iter().zip(subscripts).all(|(dim, subscript)| {
            loops.iter().any(|(var, count)| *subscript == Atom::Var(*var) && *dim == Dim::Size(*count))
        })
}
