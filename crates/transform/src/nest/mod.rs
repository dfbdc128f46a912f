//! One normal form for nests: an array of rows that constructions make is one construction with a loop for each dimension.
//!
//! ```text
//! out gen [n] of (x: [m]f64)                    out gen [n][m] of (x: f64)
//! for i < n {                                   for i < n {
//!   emit [i] {                                    let y: f64 = ys[i]
//!     let y: f64 = ys[i]                  =>      for j < m {
//!     let row: [m]f64 = bulk {                      emit [i, j] { .. => y * x }
//!       out gen [m] of (z: f64)                   }
//!       for j < m {                             }
//!         emit [j] { .. => y * x }
//!       }
//!     }
//!     => row
//!   }
//! }
//! ```
//!
//! So `map (map f) xss`, a comprehension in a comprehension, `tabulate_2d` and an array by clauses with two loops become the
//! same form, which later passes fuse and schedule as a whole (thesis of Henriksen, section 7.1: SOAC nests).
//!
//! Of a value with several components, those that are rows become outputs with more dimensions, and the others keep an output
//! of their own. Nests change from the inside out, so any depth becomes one form.
//!
//! A row stays as it is if its construction has a running combination (which would run on into the next row), is recursive, has
//! default values, or shows that something is defined twice; or if something else uses the row. The order of checks stays:
//! a check after the row that the row's type needs moves before it only if the row has no checks.

mod row;
mod splice;

use base::Map;
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Program, Step, Stm, Var};

/// Brings the nests of all functions into normal form.
pub fn nest(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        block(program, &mut body);
        program.functions[fun].body = body;
    }
}

fn block(program: &mut Program, inside: &mut Block) {
    inside.stms.iter_mut().for_each(|inner| stm(program, inner));
}

fn steps(program: &mut Program, list: &mut [Step]) {
    for step in list {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => steps(program, body),
            Step::Let(inner) => stm(program, inner),
            Step::Scan(scan) => {
                block(program, &mut scan.op.body);
                block(program, &mut scan.value);
            }
            Step::Emit(emit) => block(program, &mut emit.value),
        }
    }
}

fn stm(program: &mut Program, whole: &mut Stm) {
    whole.exp.for_each_list_mut(&mut |list| match list {
        ListMut::Block(inside) => block(program, inside),
        ListMut::Steps(list) => steps(program, list),
    });
    if !row::makes_rows(program, whole) {
        return;
    }
    let uses = uses(program, whole);
    splice::splice(program, &uses, whole);
}

/// How often each variable is used in a statement, types included.
fn uses(program: &Program, stm: &Stm) -> Map<Var, usize> {
    let mut uses: Map<Var, usize> = Map::default();
    stm.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| *uses.entry(var).or_default() += 1),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    uses
}
