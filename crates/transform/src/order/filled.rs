//! Arrays that have the value of `else` everywhere, before clauses give some elements another one.
//!
//! ```text
//! bulk {                                                let t = bulk { out gen [n] .. for i < n { emit [i] => 0 } }
//!   out gen [n] .. rec (u: [n]f64) .. otherwise { => 0 }    bulk {
//!   for i < p { emit [i + 1] => .. u[i] .. }         =>       out update (t) .. rec (u: [n]f64)
//! }                                                           for i < p { emit [i + 1] => .. u[i] .. }
//! ```
//!
//! A read of the recursive name finds a value in every element then, whether a clause defines it or not. Only for values of
//! `else` that need neither the array nor a check: otherwise it would matter whether and when they are computed.

use base::{Name, Span};
use ir::rename::copies;
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Step, Stm, Type, Var, VarInfo,
};

/// Whether a value of `else` can be computed before the clauses. `names` are those of the arrays that are being made.
pub(super) fn is_ready(value: &Block, names: &[Var]) -> bool {
    let mut ready = true;
    value.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => ready &= !names.contains(var),
        // It may be that no element needs the value, and a loop without an end would be computed nevertheless.
        Part::Stm(Stm { exp: Exp::Loop { form: LoopForm::While(..), .. }, .. }) => ready = false,
        Part::Stm(stm) => ready &= !stm.exp.can_fail(),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
    });
    ready
}

/// Makes the arrays of a form, which updates them from then on.
pub(super) fn before(program: &mut Program, stm: &mut Stm, out: &mut Vec<Stm>) {
    let Stm { vars, certs, exp: Exp::Bulk(bulk), span } = stm else { return };
    let mut rest = &vars[..];
    for output in &mut bulk.outputs {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        let Kind::Gen { shape, otherwise, coverage: _, rec } = &mut output.kind else { continue };
        let Some(value) = otherwise.take() else { continue };
        let rec = std::mem::take(rec);
        let Block { stms, result } = value;
        // What is computed in a form relies on what the form relies on.
        out.extend(stms.into_iter().map(|mut stm| {
            stm.rely_on(certs);
            stm
        }));
        let arrays = copies(&mut program.vars, bound);
        let exp = Exp::Bulk(filled(program, shape, &output.elems, result, *span));
        out.push(Stm { vars: arrays.clone(), certs: certs.clone(), exp, span: *span });
        output.kind = Kind::Update { arrays, skip: false, rec };
    }
}

/// The same value for each element.
fn filled(program: &mut Program, shape: &[Dim], elems: &[Var], result: Vec<Atom>, span: Span) -> Bulk {
    let extent = |dim: &Dim| match dim {
        Dim::Size(n) => *n,
        Dim::Jagged(_) | Dim::Shape(_) => base::bug!("an order is known only in regular arrays"),
    };
    let extents: Vec<Atom> = shape.iter().map(extent).collect();
    let indices: Vec<Var> =
        extents.iter().map(|_| program.vars.push(VarInfo::new(Name::new("i"), Type::I64))).collect();
    let at = indices.iter().copied().map(Atom::Var).collect();
    let value = Block { stms: Vec::new(), result };
    let emit = Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span });
    let steps = indices
        .into_iter()
        .zip(extents)
        .rev()
        .fold(vec![emit], |body, (var, count)| vec![Step::For { var, count, mark: Mark::Open, body }]);
    let kind = Kind::Gen { shape: shape.to_vec(), otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
    let output = Output { kind, sizes: Vec::new(), elems: copies(&mut program.vars, elems) };
    Bulk { outputs: vec![output], steps, scheduled: false }
}
