//! Dead code elimination: removes statements, parameters, results and functions that nothing uses.
//!
//! ```text
//! let s: i64 = a + b
//! let t: i64 = a * b        =>      let s: i64 = a + b
//! => s                              => s
//! ```
//!
//! A statement stays if another statement uses a variable it binds, if it prints something (`trace`), or if it is a check
//! that no statement names: such a check guards a whole computation. A check that statements name is removed with the last
//! of them, except for checks of sizes: `length (iota n)` needs no array, but must fail for a negative `n`. A call stays if
//! its function contains such a statement. [`roots`] finds these statements.
//!
//! [`functions`] removes parameters that a function does not use, results that no call uses, and functions that no entry
//! point reaches; [`sites`] removes the messages of removed checks. [`counted`] counts values that nobody needs.

mod body;
mod counted;
mod functions;
mod results;
mod roots;
mod sites;

use ir::Program;

/// Removes what nothing uses.
pub fn sweep(program: &mut Program) {
    functions::remove_unreachable(program);
    // Removing code from one function may make code in others unused.
    loop {
        body::sweep_all(program);
        let is_shorter = functions::shorten(program);
        if !counted::count(program) && !is_shorter {
            break;
        }
    }
    functions::remove_unreachable(program);
    sites::remove_unused(program);
}
