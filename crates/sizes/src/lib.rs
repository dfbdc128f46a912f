//! Pass `sizes`: sizes, size functions and shapes.
//!
//! The types that come in have the right structure, but the extents that are not written are unknown. This pass finds them
//! and writes them into the tree:
//!
//! ```text
//! def pairs xs ys = [(x, y) for x in xs, y in ys]
//!     before   []a -> []b -> [](a, b)
//!     after    [n] . [n]a -> [n]b -> [n](a, b)             equal, because the generators advance together
//! def evens (xs: []i64) = filter (\\x -> x % 2 == 0) xs
//!     before   []i64 -> []i64
//!     after    [n] . [n]i64 -> ?[m].[m]i64                 existential: only the result shows it
//! def triangle (n: i64) = [iota (i + 1) for i < n]
//!     before   i64 -> [][]i64
//!     after    (n: i64) -> ?[~k].[n][~k]i64                a size function: rows differ in length
//! ```
//!
//! # The algorithm
//!
//! It is Hindley-Milner inference for sizes instead of types, with size-dependent types as in Futhark:
//! 1. Every dimension that is not written gets a *variable*, a local of the program (`vars`, `norm`). A use of a polymorphic
//!    definition gets new variables for its parameters (`instantiate`).
//! 2. The body is walked in the order of evaluation (`expr`, `uses`, `apply`, `index`, `pattern`, `function`, `clauses`,
//!    `iteration`). Where two types must agree, their sizes are *unified* (`unify`): an open variable is decided (`link`), other sizes
//!    must be equal as sums of products (`canon`), or `verdict` says what becomes of them: an error, a check at run time,
//!    or rows that may differ. Variables that become one join what is asked of them (`demand`).
//! 3. Where values meet but need not agree, as branches do, a size that differs is a new unknown one (`join`). A size that
//!    mentions a name going out of scope becomes *existential* (`exist`).
//! 4. The sizes of loops, recursive arrays and recursive results are first *assumed* not to change; the group is walked
//!    again without what turned out wrong, until all assumptions hold (`fixpoint`, `assumptions`, `loops`, `rec_arrays`).
//! 5. Open variables of a finished definition become size parameters, size functions or shapes (`generalise`, `depths`).
//!    `finish` writes everything into the tree. In `.fut` files `causality` looks for sizes needed before they are known.
//!
//! `.fut` files follow Futhark: sizes that are not equal by type are an error. `.rv` files know size functions too; what
//! cannot be shown equal there is remembered and checked at run time.
//!
//! Limits: sizes are compared as polynomials; nothing is known of inequalities, nor of what conditions imply.
//!
//! `names` and `sums` bring sizes into the form that is compared, `written` reads the types of the source, `blank` puts
//! blank values in the place of `#[blank] e`, `report` and `mismatch` have the messages.

mod apply;
mod assumptions;
pub mod blank;
mod canon;
mod causality;
mod clauses;
mod cx;
mod demand;
mod depths;
mod exist;
mod expr;
mod finish;
mod fixpoint;
mod function;
mod generalise;
mod index;
mod instantiate;
mod iteration;
mod join;
mod link;
mod loops;
mod mismatch;
mod names;
mod norm;
mod pattern;
mod rec_arrays;
mod report;
mod scheme;
mod sums;
mod unify;
mod uses;
mod vars;
mod verdict;
mod written;

pub use cx::Kinds;

use base::{Diagnostic, Set, Span};
use cx::Cx;
use syntax::ast::Dialect;
use typed::{DefId, Program};

/// Finds the sizes of a group of definitions whose types are known but for their sizes.
pub fn run(
    program: &mut Program,
    group: &[DefId],
    kinds: Kinds,
    function_first: &Set<Span>,
    dialect: Dialect,
    diagnostics: &mut Vec<Diagnostic>,
) {
    Cx::new(program, kinds, function_first, dialect, diagnostics).group(group);
}
