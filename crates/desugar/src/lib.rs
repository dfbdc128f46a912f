//! Typed to Core.
//!
//! # The algorithm
//!
//! The pass runs the program symbolically (online partial evaluation). It walks expressions in the order of evaluation,
//! writes statements of Core as it goes, and keeps for every name a *value*: a tree whose leaves are atoms of Core
//! ([`data::value::Val`]). Everything that is known while it walks disappears from the program. Example:
//!
//! ```text
//! def twice 'a (f: a -> a) (x: a): a = f (f x)
//! entry main [n] (xs: [n]i64): [n]i64 = map (\x -> (twice (\p -> {a = p.a + 1, b = x}) {a = x, b = 0}).a) xs
//!
//! fn main(n: i64, xs: [n]i64) -> (n.1: i64, result: [n.1]i64) {
//!   let ys: [n]i64 = bulk {
//!     out gen [n] of (x: i64)
//!     for i < n { emit [i] { let x.1 = xs[i]  let t = x.1 + 1  let t.1 = t + 1  => t.1 } }
//!   }
//!   => n, ys
//! }
//! ```
//!
//! - Type parameters are bound to types in the environment ([`data::types::Mono`]): monomorphisation is evaluation.
//! - Records, sums and tuples are trees; an array of tuples is a tree of arrays that share their dimensions.
//! - Functions are values that are applied where they are known. Definitions that take or return functions are unfolded.
//!   Others are called: a call makes one function of Core for each structure of its arguments.
//! - Every array has its dimensions in its type, as atoms. Sizes in source types name those atoms, or become checks.
//! - Implicit checks become `assert` with the words of the interpreter. The builder holds the current place in the source
//!   and the checks that new statements rely on, so no function passes them along.
//!
//! Where several values come together (branches, turns of a loop, calls, rows of an array), their *form* says what they
//! have in common ([`data::form::Form`]). A dimension that is one atom everywhere stays in the type; one that differs
//! becomes a component that is passed along, or makes the array jagged. A loop's form is a fixed point: the body is
//! translated again until the form of its result fits the form it assumed.
//!
//! # The modules, each of which imports only those above it
//!
//! | Folder | Step | Its interface |
//! |---|---|---|
//! | [`data`] | trees of values, forms and types; drafts of steps. Pure data | `Tree::{map, zip, walk, any}` |
//! | [`context`] | what the pass knows while it runs; `at`, `under`, `block` set place, checks and block | `Desugar` |
//! | [`faults`] | the messages of checks | `check`, `describe` |
//! | [`arrays`] | elements, parts, ranks; bringing values into a form; putting values into arrays | `element`, `join`, `fresh`, `components`, `build`, `generate` |
//! | [`sizes`] | monomorphisation, sizes and checks, sums | `mono`, `matched` |
//! | [`functions`] | functions as values: unfolding, instances, boxes; calls, constants | `apply_val`, `constant` |
//! | [`exprs`] | expressions, one kind a file; entry points | `expr`, `entry` |
//! | [`intrinsics`] | what `std/intrinsics.rv` lists | `intrinsic` |
//!
//! What needs only the builder is a free function over `&mut Builder` (`arrays::parts`, `arrays::dims`,
//! the counts of `exprs::ranges`), and can be tested alone. All other steps call one another through methods of
//! [`context::Desugar`], because evaluation is recursive: a size may be an expression, an expression may be a call, and a
//! call matches sizes. Every check goes through `Desugar::check` with a message of [`fault::message`].
//!
//! # Limits
//!
//! What comes out has statements that nothing needs, and may consume memory that is still read elsewhere: the passes
//! `sweep` and `copies` put that right. Constructs that cannot be translated give E0801, which names them.

mod arrays;
mod context;
mod data;
mod exprs;
mod faults;
mod functions;
mod intrinsics;
mod sizes;

use base::{Diagnostic, FileId, Set};
use context::Desugar;
use typed::{DefId, Program};

/// Translates all entry points of a checked program, or the definitions in `entries`. Errors in files of the library
/// are shown where the user's text calls it.
pub fn desugar(program: &Program, entries: &[DefId], library: &Set<FileId>) -> Result<ir::Program, Diagnostic> {
    let mut desugar = Desugar::new(program, library);
    for entry in entries {
        desugar.at(program.defs[*entry].span, |d| d.entry(*entry)).map_err(|error| *error)?;
    }
    desugar.finish_boxes().map_err(|error| *error)?;
    let mut program = desugar.b.program;
    functions::callers::complete(&mut program, &desugar.chains, &desugar.call_numbers);
    functions::constants::lift(&mut program, desugar.constants);
    Ok(program)
}
