//! Which part of a program's code each run of the C compiler translates, where several run at once.
//!
//! The text is the same for all of them. With `RV_UNITS` and `RV_UNIT` defined, each keeps what is its own; otherwise
//! everything is there. Functions stay together, in the first unit, so that the C compiler can unfold them. The bodies of
//! parallel loops are only ever called by address, so those that call no functions can be anywhere.

use kernel::Stm;
use kernel::walk::for_each_stm;

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
}

/// Whether a body can be translated without the functions of the program: it calls none.
pub(crate) fn is_free(body: &[Stm]) -> bool {
    let mut free = true;
    for_each_stm(body, &mut |stm| free &= !matches!(stm, Stm::Call { .. } | Stm::Try { .. }));
    free
}

/// The text of all functions. `others` is what only the first unit has, behind them.
pub(crate) fn written(prototypes: &str, functions: &[Function], others: &[String]) -> String {
    let mut out = String::from("#if RV_HERE(0)\n");
    out.push_str(prototypes);
    out.push_str("#endif\n");
    let parts = || functions.iter().flat_map(|function| &function.parts);
    let free: usize = parts().filter(|part| part.free).map(weight).sum();
    let all: usize = parts().map(|part| part.body.len()).chain(functions.iter().map(|f| f.text.len())).sum();
    let fixed = all - parts().filter(|part| part.free).map(|part| part.body.len()).sum::<usize>();
    let mut before = fixed;
    for function in functions {
        for part in &function.parts {
            let here = if part.free { (before + weight(part) / 2) * END / (fixed + free).max(1) } else { 0 };
            before += if part.free { weight(part) } else { 0 };
            let Part { structure, head, body, free: _ } = part;
            out.push_str(&format!("\n{structure}RV_PART {head};\n#if RV_HERE({here})\n{head} {body}#endif\n"));
        }
        out.push_str(&format!("\n#if RV_HERE(0)\n{}#endif\n", function.text));
    }
    out.push_str("#if RV_HERE(0)\n");
    others.iter().for_each(|other| out.push_str(&format!("\n{other}")));
    out.push_str("#endif\n");
    out
}

/// How many units are worth it: each has to read the run-time system first.
pub(crate) fn count(functions: &[Function]) -> usize {
    let free: usize = functions.iter().flat_map(|function| &function.parts).filter(|part| part.free).map(weight).sum();
    let fixed: usize = functions.iter().map(|function| function.text.len()).sum();
    ((free + fixed) / WORTH).min(free / WORTH + 1).clamp(1, MOST)
}

fn weight(part: &Part) -> usize {
    part.body.len() * LOOPS
}
