//! The order in which functions are lowered: callees before callers, as far as recursion allows.

use ir::traverse::Part;
use ir::{Exp, FunId, Program};

/// All functions that some function calls, with whether they may call themselves, callees first. Entry points that
/// nobody calls are not among them: they have a body of their own.
pub(crate) fn called(program: &Program) -> Vec<(FunId, bool)> {
    let calls: Vec<Vec<usize>> = program.functions.values().map(|f| callees(&f.body)).collect();
    let mut order = Vec::new();
    let mut seen = vec![false; calls.len()];
    for entry in &program.entries {
        for root in &calls[entry.function.0 as usize] {
            visit(*root, &calls, &mut seen, &mut order);
        }
    }
    order.into_iter().map(|f| (FunId(f as u32), reaches(f, f, &calls))).collect()
}

fn callees(body: &ir::Block) -> Vec<usize> {
    let mut found = Vec::new();
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && let Exp::Call(f, _) = &stm.exp
        {
            found.push(f.0 as usize);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// Depth first with a stack of its own: chains of calls may be long.
fn visit(root: usize, calls: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut stack = vec![(root, 0)];
    while let Some((f, next)) = stack.pop() {
        match calls[f].get(next) {
            Some(callee) => {
                stack.push((f, next + 1));
                if !std::mem::replace(&mut seen[*callee], true) {
                    stack.push((*callee, 0));
                }
            }
            None => order.push(f),
        }
    }
}

fn reaches(from: usize, to: usize, calls: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; calls.len()];
    let mut work = calls[from].clone();
    while let Some(f) = work.pop() {
        if f == to {
            return true;
        }
        if !std::mem::replace(&mut seen[f], true) {
            work.extend(&calls[f]);
        }
    }
    false
}
