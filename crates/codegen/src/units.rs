//! Which part of a program's code each run of the C compiler translates, where several run at once.
//!
//! The text is the same for all of them. With `RV_UNITS` and `RV_UNIT` defined, each keeps what is its own; otherwise
//! everything is there. The program's own functions stay together, in the first unit, so that the C compiler can unfold
//! them. Large functions of the library need not be unfolded, and the bodies of parallel loops are only ever called by
//! address: they can be anywhere, unless they call functions of the first unit.

use base::Set;
use kernel::walk::for_each_stm;
use kernel::{FunId, Stm};

/// Positions go from 0 to this.
const END: usize = 1000;
/// Loops take the C compiler longer than other code of the same length.
const LOOPS: usize = 2;

/// A unit should have at least so much text.
const WORTH: usize = 32 << 10;
/// More units than this are of little use.
const MOST: usize = 8;

/// A function of C that came out of another one.
pub(crate) struct Part {
    /// The structure of what it takes from outside.
    pub structure: String,
    /// Its name, result and parameters.
    pub head: String,
    /// The rest.
    pub body: String,
    /// Whether it can be anywhere.
    pub free: bool,
}

/// A function with what came out of it.
pub(crate) struct Function {
    pub parts: Vec<Part>,
    pub text: String,
    /// Whether it can be anywhere.
    pub free: bool,
}

/// Whether a body can be translated without the program's own functions: it calls none but those that are `shared`.
pub(crate) fn is_free(body: &[Stm], shared: &Set<FunId>) -> bool {
    let mut free = true;
    for_each_stm(body, &mut |stm| match stm {
        Stm::Call { function, .. } => free &= shared.contains(function),
        Stm::Try { .. } => free = false,
        _ => {}
    });
    free
}

/// The text of all functions. `shared` are the heads of those that can be anywhere, `own` of the others; `others` is what
/// only the first unit has, behind them.
pub(crate) fn written(shared: &str, own: &str, functions: &[Function], others: &[String]) -> String {
    let mut out = format!("{shared}#if RV_HERE(0)\n{own}#endif\n");
    let (free, fixed) = weights(functions);
    let mut before = fixed;
    let mut position = |weight: usize, free_to_go: bool| {
        if !free_to_go {
            return 0;
        }
        before += weight;
        (before - weight / 2) * END / (fixed + free).max(1)
    };
    for function in functions {
        for part in &function.parts {
            let here = position(part.weight(), part.free);
            let Part { structure, head, body, free: _ } = part;
            out.push_str(&format!("\n{structure}RV_PART {head};\n#if RV_HERE({here})\n{head} {body}#endif\n"));
        }
        let here = position(function.text.len(), function.free);
        out.push_str(&format!("\n#if RV_HERE({here})\n{}#endif\n", function.text));
    }
    out.push_str("#if RV_HERE(0)\n");
    others.iter().for_each(|other| out.push_str(&format!("\n{other}")));
    out.push_str("#endif\n");
    out
}

/// About how much work what can be anywhere is, and the rest.
fn weights(functions: &[Function]) -> (usize, usize) {
    let parts = functions.iter().flat_map(|function| &function.parts).map(|part| (part.free, part.weight()));
    let all = parts.chain(functions.iter().map(|function| (function.free, function.text.len())));
    all.fold((0, 0), |(free, fixed), (is_free, weight)| match is_free {
        true => (free + weight, fixed),
        false => (free, fixed + weight),
    })
}

/// How many units are worth it: each has to read the run-time system first.
pub(crate) fn count(functions: &[Function]) -> usize {
    let (free, fixed) = weights(functions);
    ((free + fixed) / WORTH).min(free / WORTH + 1).clamp(1, MOST)
}

impl Part {
    fn weight(&self) -> usize {
        self.body.len() * LOOPS
    }
}
