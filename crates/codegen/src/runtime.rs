//! The parts of the run-time system that a program needs.

use crate::needs::Needs;
use kernel::{Program, Stm};

const BASE: &str = include_str!("../../../runtime/c/base.h");
const MEMORY: &str = include_str!("../../../runtime/c/memory.h");
const THREADS: &str = include_str!("../../../runtime/c/threads.h");
const INTEGERS: &str = include_str!("../../../runtime/c/integers.h");
const FLOATS: &str = include_str!("../../../runtime/c/floats.h");
const HALF: &str = include_str!("../../../runtime/c/half.h");
const INTERFACE: &str = include_str!("../../../runtime/c/interface.h");

/// What stands before the program's own functions.
pub(crate) fn before(program: &Program, needs: &Needs) -> String {
    let args = program.functions.values().map(|f| most_arguments(&f.body)).max().unwrap_or(0);
    let mut text = format!("#define RV_ARGS {}\n", args.max(1));
    let half = if needs.half { HALF } else { "" };
    for part in [BASE, MEMORY, THREADS, INTEGERS, FLOATS, half, INTERFACE] {
        text.push_str(part);
        text.push('\n');
    }
    text
}

/// How many values the longest message needs.
fn most_arguments(stms: &[Stm]) -> usize {
    let one = |stm: &Stm| match stm {
        Stm::Fail { args, .. } => args.len(),
        _ => stm.blocks().into_iter().map(most_arguments).max().unwrap_or(0),
    };
    stms.iter().map(one).max().unwrap_or(0)
}
