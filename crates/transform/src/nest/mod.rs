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
//! An array with a condition, and a value for all other elements, chooses between the two in each element ([`otherwise`]).
//!
//! Rows that something combines, and nothing else reads, stay values (`combined.rs`): fusion then combines each row when it is
//! made, and the array of rows is never built.
//!
//! Rows that are added up, or added to rows of an array, become elements that are added to elements (`accumulated.rs`). What is
//! added to elements at the indices of loops becomes one sum for each element (`own_places.rs`).
//!
//! A reduction that chooses an index carries what it reads there (`chosen.rs`), so that it is a reduction of the array.
//!
//! A short row whose elements need the same work becomes its elements (`shared_work.rs`).
//!
//! A row stays as it is if its construction has a running combination (which would run on into the next row), is recursive, has
//! default values, or shows that something is defined twice; or if something else uses the row. The order of checks stays:
//! a check after the row that the row's type needs moves before it only if the row has no checks.

mod accumulated;
mod apart;
mod around;
mod chosen;
mod columns;
mod combined;
mod element_wise;
mod interchange;
mod otherwise;
mod own_places;
mod row;
mod row_work;
mod rows;
mod shared_work;
mod splice;

use ir::{Block, Program};

/// Brings the nests of all functions into normal form.
pub fn nest(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        accumulated::accumulate(program, &mut body);
        normal(program, &mut body);
        if interchange::interchange(program, &mut body) {
            // Rows that were combined are read element by element now.
            normal(program, &mut body);
        }
        chosen::carry(program, &mut body);
        shared_work::take_apart(program, &mut body);
        program.functions[fun].body = body;
    }
}

fn normal(program: &mut Program, body: &mut Block) {
    // Arrays of rows that stay so.
    let combined = combined::combined_rows(program, body);
    body.replace_stms(&mut |mut stm| {
        otherwise::choose(program, &mut stm);
        let stays = stm.vars.iter().any(|var| combined.contains(var));
        if !stays && row::makes_rows(program, &stm) {
            let uses = combined::uses(program, |f| stm.walk(f));
            splice::splice(program, &uses, &mut stm);
        }
        vec![stm]
    });
}
