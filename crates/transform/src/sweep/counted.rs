//! Kept values that nobody needs but for their number.
//!
//! ```text
//! let (m: i64, xs: [m]f64) = bulk {                let m: i64 = bulk {
//!   out keep of (x: f64)                             out reduce of (x: i64) from (0) by +
//!   for i < n { .. if c { emit => y } }       =>     for i < n { .. if c { emit => 1 } }
//! }                                                }
//! => m                                             => m
//! ```

use base::{IdSet, Name, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Kind, Output, Program, Region, Step, Stm, Tree, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Counts such values in all functions instead of keeping them. Says whether there were some.
pub(super) fn count(program: &mut Program) -> bool {
    let mut found = false;
    for fun in program.functions.ids() {
        if !keeps(&program.functions[fun].body) {
            continue;
        }
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let used = used(program, &body);
        body.for_each_stm_mut(&mut |stm| {
            let span = stm.span;
            if let Exp::Bulk(bulk) = &mut stm.exp {
                found |= in_form(program, &mut stm.vars, bulk, &used, span);
            }
        });
        program.functions[fun].body = body;
    }
    found
}

/// Whether a form somewhere in a body keeps values.
fn keeps(body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) = part {
            found |= bulk.outputs.iter().any(|output| matches!(output.kind, Kind::Keep));
        }
    });
    found
}

fn used(program: &Program, body: &Block) -> IdSet<Var> {
    let mut used = IdSet::default();
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => {
            used.insert(*var);
        }
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| {
            used.insert(var);
        }),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    used
}

fn in_form(program: &mut Program, vars: &mut Vec<Var>, bulk: &mut Bulk, used: &IdSet<Var>, span: Span) -> bool {
    let Bulk { outputs, steps, .. } = bulk;
    let (mut first, mut found) = (0, false);
    for (number, output) in outputs.iter_mut().enumerate() {
        let own = first + 1..first + output.bound();
        first += 1;
        if matches!(output.kind, Kind::Keep) && !vars[own.clone()].iter().any(|var| used.contains(*var)) {
            vars.drain(own);
            *output = number_of_values(program, span);
            Step::for_each_emit_mut(steps, &mut |emit| {
                if emit.output == number {
                    emit.value.result = vec![Atom::size(1)];
                }
            });
            found = true;
        } else {
            first = own.end;
        }
    }
    found
}

/// The sum of a one for each value.
fn number_of_values(program: &mut Program, span: Span) -> Output {
    let mut new = |name| program.vars.push(VarInfo::new(Name::new(name), Type::I64));
    let [a, b, sum, x] = ["a", "b", "sum", "x"].map(&mut new);
    let exp = Exp::Bin(BinOp::Add, Prim::I64, a.into(), b.into());
    let stms = vec![Stm { vars: vec![sum], certs: Vec::new(), exp, span }];
    let op = Region { params: vec![a, b], body: Block { stms, result: vec![sum.into()] } };
    let kind = Kind::Reduce { op, neutral: vec![Atom::size(0)], commutes: true, tree: Tree::PLAIN };
    Output { kind, sizes: Vec::new(), elems: vec![x] }
}
