//! Pass `sizes`: sizes, size functions and shapes, by constraints.
//!
//! The types that come in have the right structure; the dimensions that nobody wrote are unknown. Every such dimension
//! gets a variable (`vars`), and walking the program brings them together (`unify`, `link`, `verdict`), as in
//! Hindley-Milner inference.
//! - `expr`, `uses`, `apply`, `join`, `index`, `loops`, `clauses`, `rec_arrays`, `pattern`, `function`: the walk, by
//!   construct.
//! - `instantiate`: uses of polymorphic definitions. `exist`: sizes that leave their scope become existential.
//! - `generalise`, `depths`: what a finished definition's type looks like from outside.
//! - `fixpoint`: what is assumed of loops and recursion at first, and taken back where it does not hold.
//! - `finish` writes what was found into the tree; `causality` looks for sizes needed before they are known; `blank` makes
//!   the values of `#[blank] e`.
//! - `canon`, `names`, `sums`, `walk`: size expressions and types as data. `report`: the messages.
//!
//! `.fut` files follow Futhark: sizes that are not equal by type are an error. `.rv` files know size functions too:
//! an extent that differs from row to row; what cannot be shown equal there is remembered and checked at run time.

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
mod join;
mod link;
mod loops;
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
