//! Which part of a program's code each run of the C compiler translates, where several run at once.
//!
//! The text is the same for all of them. With `RV_UNITS` and `RV_UNIT` defined, each keeps what is its own; otherwise
//! everything is there. Functions with parallel loops only lead from one loop to the next, which is much code that
//! takes little time: they are a unit of their own, on which the C compiler need not spend its best. Other functions
//! stay together, in the first of the other units, so that it can unfold them. The bodies of parallel loops are only
//! ever called by address, so those that call no such functions can be anywhere.

use base::Set;
use kernel::walk::for_each_stm;
use kernel::{FunId, Mode, Program, Stm};

/// Positions go from 0 to this.
const END: usize = 1000;
/// The position of functions that lead from one loop to the next.
pub(crate) const LEADING: i32 = -1;
/// The position of functions of the run-time system.
pub(crate) const SYSTEM: i32 = -2;
/// Loops take the C compiler longer than other code of the same length.
const LOOPS: usize = 2;

/// A unit should have at least so much text.
const WORTH: usize = 8 << 10;
/// More units than this are of little use.
const MOST: usize = 8;

/// A function of C that was outlined from another one.
pub(crate) struct Part {
    /// The structure of its variables from outside.
    pub structure: String,
    /// Its name, result and parameters.
    pub head: String,
    /// The rest.
    pub body: String,
    /// Whether it can be anywhere.
    pub free: bool,
}

/// A function with the parts that were outlined from it.
pub(crate) struct Function {
    pub parts: Vec<Part>,
    pub text: String,
    /// Whether it leads from one parallel loop to the next.
    pub leads: bool,
}

/// Whether there is a parallel loop in a statement.
pub(crate) fn leads(stm: &Stm) -> bool {
    let mut found = false;
    for_each_stm(std::slice::from_ref(stm), &mut |stm| found |= matches!(stm, Stm::For { mode: Mode::Parallel, .. }));
    found
}

/// The functions with parallel loops.
pub(crate) fn leading(program: &Program) -> Set<FunId> {
    program.functions.ids().filter(|id| program.functions[*id].body.iter().any(leads)).collect()
}

/// Whether a body can be translated without the functions of the program that the C compiler may unfold.
pub(crate) fn is_free(body: &[Stm], leading: &Set<FunId>) -> bool {
    let mut free = true;
    for_each_stm(body, &mut |stm| match stm {
        Stm::Call { function, .. } => free &= leading.contains(function),
        Stm::Try { .. } => free = false,
        _ => {}
    });
    free
}

/// The text of all functions. `others` comes after the leading functions, in their unit only.
pub(crate) fn written(prototypes: &str, functions: &[Function], others: &[String]) -> String {
    let mut out = String::from(prototypes);
    let (fixed, free) = (fixed_weight(functions), free_weight(functions));
    let mut before = fixed;
    for function in functions {
        for part in &function.parts {
            let here = if part.free { (before + weight(part) / 2) * END / (fixed + free).max(1) } else { 0 };
            before += if part.free { weight(part) } else { 0 };
            let Part { structure, head, body, free: _ } = part;
            out.push_str(&format!("\n{structure}RV_PART RV_APART {head};\n#if RV_HERE({here})\n{head} {body}#endif\n"));
        }
        let here = if function.leads { LEADING } else { 0 };
        out.push_str(&format!("\n#if RV_HERE({here})\n{}#endif\n", function.text));
    }
    out.push_str(&format!("#if RV_HERE({LEADING})\n"));
    others.iter().for_each(|other| out.push_str(&format!("\n{other}")));
    out.push_str("#endif\n");
    out
}

/// How many units are worth it for loops: each has to read the run-time system first. None, if the whole is not worth
/// to be divided at all.
pub(crate) fn count(functions: &[Function]) -> usize {
    let (fixed, free) = (fixed_weight(functions), free_weight(functions));
    let leading: usize = functions.iter().filter(|function| function.leads).map(|function| function.text.len()).sum();
    if fixed + free + leading < WORTH {
        return 0;
    }
    ((free + fixed) / WORTH).min(free / WORTH + 1).clamp(1, MOST)
}

fn weight(part: &Part) -> usize {
    part.body.len() * LOOPS
}

/// Of what is in the first unit.
fn fixed_weight(functions: &[Function]) -> usize {
    let parts = functions.iter().flat_map(|function| &function.parts).filter(|part| !part.free);
    let own = functions.iter().filter(|function| !function.leads).map(|function| function.text.len() * LOOPS);
    parts.map(weight).chain(own).sum()
}

/// Of what can be anywhere.
fn free_weight(functions: &[Function]) -> usize {
    functions.iter().flat_map(|function| &function.parts).filter(|part| part.free).map(weight).sum()
}
