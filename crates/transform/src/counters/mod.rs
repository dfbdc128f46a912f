//! Loops in their plainest form: with a counter where there is one, without flags, and without turns that change nothing.
//!
//! | Module | The loop | becomes |
//! |---|---|---|
//! | [`bounds`] | `loop (s, k) = (0, 0) while k < xs[r] do ..` | `let n = xs[r] in loop (s, k) = (0, 0) while k < n do ..` |
//! | [`counted`] | `loop (s, i) = (0, 0) while i < n do (f s i, i + 1)` | `loop s = 0 for i < n do f s i` |
//! | [`flags`] | `loop (s, go) = (0, true) while go do if p s then (s, false) else (f s, true)` | `loop s = 0 while !(p s) do f s` |
//! | [`frozen`] | `loop s = 0 for i < n do if p s then f s else s` | `loop (s, i) = (0, 0) while i < n && p s do (f s, i + 1)` |
//!
//! Passes behind know these forms: turns that only count can be independent, and a condition on the state alone can be asked for
//! many loops side by side.

mod bounds;
mod choice;
mod counted;
mod flags;
mod frozen;

use base::Set;
use ir::{Dim, FunId, Program, Stm, Var};

/// Changes the loops of all functions.
pub fn counters(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let sizes = sizes(program, fun);
        body.replace_stms(&mut |stm| match flags::without(program, &stm) {
            // What is left may count.
            Some(stms) => stms.into_iter().flat_map(|stm| other(program, &sizes, stm)).collect(),
            None => other(program, &sizes, stm),
        });
        program.functions[fun].body = body;
    }
}

/// The parameters of a function that are never negative.
fn sizes(program: &Program, fun: FunId) -> Set<Var> {
    let params = &program.functions[fun].params;
    let dims = params.iter().flat_map(|param| program.ty(*param).dims());
    let size = |dim: &Dim| match dim {
        Dim::Size(size) => size.var(),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    };
    params.iter().copied().filter(|param| program.vars[*param].size).chain(dims.filter_map(size)).collect()
}

fn other(program: &mut Program, sizes: &Set<Var>, mut stm: Stm) -> Vec<Stm> {
    let mut out = bounds::before(&mut stm);
    let changed = counted::with_counter(program, sizes, &stm).or_else(|| frozen::ended(program, &stm));
    out.extend(changed.unwrap_or_else(|| vec![stm]));
    out
}
