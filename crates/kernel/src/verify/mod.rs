//! Whether a program keeps the rules of Kernel. The checklist:
//!
//! 1. Every variable is declared once in the whole program and used only where its declaration is in scope.
//! 2. Operators, functions, conversions, loads and stores fit the types of what they work on; conditions are `bool`,
//!    numbers of elements and places `i64`; indices of loops are not assigned.
//! 3. Calls fit the functions they call; every path through a function ends in a return of its results, or in a failure.
//! 4. A reference is given back exactly once on every path: nothing that is owned goes out of scope, nothing is
//!    overwritten that is owned, parameters are not released, returned or moved.
//! 5. Bodies of parallel loops and of attempts assign and release nothing from outside and do not return; bodies of
//!    attempts contain no parallel loop; a stop is inside an attempt, or in a function that is marked as stopping.
//! 6. Marks are true: the iterations of a `simd` loop are independent ([`crate::facts::dependence`]), the bounds of an
//!    `unrolled` loop are constants, buffers of different memories are different
//!    ([`crate::facts::Aliases`]).
//! 7. A local array is read, stored to and copied from and to, nothing else; it is no parameter or result.
//! 8. Messages and entry points fit: sites exist, the parameters and results of an entry point are the components of its
//!    layouts.

mod components;
mod expr;
mod function;
mod owners;
mod ownership;
mod problem;
mod stm;

pub use components::component_types;
pub use problem::Problem;

use crate::facts::Aliases;
use crate::{Program, Type};

/// Checks a program; gives all broken rules that were found.
pub fn verify(program: &Program) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let mut declared = base::Set::default();
    let aliases = Aliases::new(program);
    for (id, function) in program.functions.iter() {
        let name = format!("{} ({id:?})", function.name);
        let mut verifier = function::Verifier::new(program, name, &mut declared, &mut problems);
        verifier.function(&aliases, function);
    }
    entries(program, &mut problems);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn entries(program: &Program, problems: &mut Vec<Problem>) {
    for entry in &program.entries {
        let mut wrong = |what: &str| problems.push(Problem { function: entry.name.to_string(), what: what.to_owned() });
        let Some(function) = program.functions.get(entry.function) else {
            wrong("the entry point's function does not exist");
            continue;
        };
        let params: Vec<Option<Type>> = function.params.iter().map(|p| program.vars.get(*p).map(|v| v.ty)).collect();
        let expected: Vec<Option<Type>> =
            entry.params.iter().flat_map(|(_, layout)| component_types(layout)).map(Some).collect();
        if params != expected {
            wrong("the parameters are not the components of the entry point's parameters");
        }
        let results: Vec<Type> = entry.results.iter().flat_map(component_types).collect();
        if function.results != results {
            wrong("the results are not the components of the entry point's results");
        }
        if entry.consumed.len() != params.len() {
            wrong("consumed parameters are not listed one by one");
        }
    }
}
