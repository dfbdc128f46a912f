//! Which parts of a program may take long: they decide how loops are cut into pieces of work, and what may be computed
//! twice.

use ir::traverse::Part;
use ir::{Block, Exp, Step, Stm};
use scalar::{BinOp, MathOp};

/// What takes at most so many cycles is computed again rather than kept in memory for all turns of a loop: that takes as long on
/// one thread, and less on many, which share the memory.
pub const THROUGH_MEMORY: usize = 100;

/// What a function takes in a loop that cannot compute it for several elements at a time.
const FUNCTION: usize = 120;

/// How many cycles it takes to evaluate the steps once, about: each loop counts as one turn.
pub fn cycles(steps: &[Step]) -> usize {
    let mut all = 0;
    for step in steps {
        step.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                all += cycles_of(&stm.exp);
            }
        });
    }
    all
}

fn cycles_of(exp: &Exp) -> usize {
    match exp {
        Exp::Bin(BinOp::Pow, ..) => FUNCTION,
        Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, _, _, divisor) if divisor.var().is_some() => 12,
        Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, ..) => 4,
        Exp::Math(op, ..) => cycles_of_math(*op),
        Exp::Index(..) => 2,
        _ => 1,
    }
}

fn cycles_of_math(op: MathOp) -> usize {
    match effort(op) {
        Effort::Operation => 2,
        Effort::Root => 12,
        Effort::Function => FUNCTION,
    }
}

/// What a mathematical operator takes.
pub enum Effort {
    /// One instruction or a few.
    Operation,
    /// As much as a division.
    Root,
    /// Many instructions.
    Function,
}

/// What a mathematical operator takes.
pub fn effort(op: MathOp) -> Effort {
    use MathOp::*;
    match op {
        Abs | Sgn | Min | Max | Popc | Clz | Ctz | MulHi | MadHi | Mad | Fma | Lerp => Effort::Operation,
        Ceil | Floor | Trunc | Round | Copysign | Isnan | Isinf | ToBits | FromBits => Effort::Operation,
        Sqrt | Rsqrt => Effort::Root,
        _ => Effort::Function,
    }
}

/// Whether evaluating the steps once may take long: they loop or call.
pub fn heavy_steps(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { .. } => true,
        Step::Let(stm) => heavy_stm(stm),
        Step::Guard(_, body) => heavy_steps(body),
        Step::Scan(scan) => heavy_block(&scan.op.body) || heavy_block(&scan.value),
        Step::Emit(emit) => heavy_block(&emit.value),
    })
}

/// Whether the bindings before values may take long.
pub fn heavy_lets(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Let(stm) => heavy_stm(stm),
        Step::For { body, .. } | Step::Guard(_, body) => heavy_lets(body),
        Step::Scan(scan) => heavy_block(&scan.op.body) || heavy_block(&scan.value),
        Step::Emit(_) => false,
    })
}

/// Whether evaluating the block may take long.
pub fn heavy_block(block: &Block) -> bool {
    block.stms.iter().any(heavy_stm)
}

fn heavy_stm(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Call(..) | Exp::Loop { .. } | Exp::Bulk(_) | Exp::Sort(..) | Exp::SortKeys(_) | Exp::Copy(_) => true,
        // What is cheap may be computed twice, but shown once.
        Exp::Trace(..) => true,
        Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => heavy_block(then) || heavy_block(otherwise),
        Exp::Ensure { .. } => false,
        Exp::Open(_, cases) => cases.iter().any(|case| heavy_block(&case.body)),
        _ => false,
    }
}

/// How many statements there are in a statement, itself included.
pub fn statements(stm: &Stm) -> usize {
    let mut found = 1;
    stm.walk(&mut |part| found += usize::from(matches!(part, Part::Stm(_))));
    found
}
