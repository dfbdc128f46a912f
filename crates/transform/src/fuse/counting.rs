//! Counts kept values that nothing else needs.
//!
//! ```text
//! out keep of ()                        out reduce of (x: i64) from (0) by + ..
//! for i < n { if c { emit => } }   =>   for i < n { if c { emit => 1 } }
//! ```
//!
//! A reduction can run over any nest of loops in parallel, a filter only where it keeps at most one value in each turn.

use super::uses::Uses;
use base::{Name, Span};
use ir::{Atom, Block, Exp, Kind, Output, Program, Region, Scan, Step, Stm, Tree, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Turns filters of which only the number of values is needed into reductions. A number that is the size of arrays stays:
/// of a reduction, nobody knows that it is not negative.
/// `gone` are the arrays that the form no longer makes.
pub(super) fn count_kept(program: &mut Program, uses: &Uses, stm: &mut Stm, gone: &[Var]) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    let mut next = 0;
    for (number, output) in bulk.outputs.iter_mut().enumerate() {
        let first = next;
        next += output.bound();
        let is_empty = matches!(output.kind, Kind::Keep) && output.sizes.is_empty() && output.elems.is_empty();
        if is_empty && !uses.is_size(program, stm.vars[first], gone) {
            *output = sum_of_integers(program, stm.span);
            give_one(&mut bulk.steps, number);
        }
    }
}

fn sum_of_integers(program: &mut Program, span: Span) -> Output {
    let op = addition(program, span);
    let kind = Kind::Reduce { op, neutral: vec![Atom::size(0)], commutes: true, tree: Tree::PLAIN };
    Output { kind, sizes: Vec::new(), elems: vec![integer(program, "one")] }
}

fn integer(program: &mut Program, name: &str) -> Var {
    program.vars.push(VarInfo::new(Name::new(name), Type::I64))
}

fn addition(program: &mut Program, span: Span) -> Region {
    let [a, b, sum] = ["a", "b", "sum"].map(|name| integer(program, name));
    let exp = Exp::Bin(BinOp::Add, Prim::I64, a.into(), b.into());
    let add = Stm { vars: vec![sum], certs: Vec::new(), exp, span };
    Region { params: vec![a, b], body: Block { stms: vec![add], result: vec![sum.into()] } }
}

/// Steps that bind a variable to how often they ran before.
pub(super) fn turns_before(program: &mut Program, index: Var, span: Span) -> [Step; 2] {
    let op = addition(program, span);
    let turns = integer(program, "turns");
    let value = Block { stms: Vec::new(), result: vec![Atom::size(1)] };
    let scan = Scan { vars: vec![turns], op, neutral: vec![Atom::size(0)], tree: Tree::PLAIN, value, span };
    let exp = Exp::Bin(BinOp::Sub, Prim::I64, turns.into(), Atom::size(1));
    let before = Stm { vars: vec![index], certs: Vec::new(), exp, span };
    [Step::Scan(scan), Step::Let(before)]
}

/// Gives 1 to an output instead of nothing.
fn give_one(steps: &mut [Step], output: usize) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => give_one(body, output),
            Step::Emit(emit) if emit.output == output => emit.value.result = vec![Atom::size(1)],
            Step::Emit(_) | Step::Let(_) | Step::Scan(_) => {}
        }
    }
}
