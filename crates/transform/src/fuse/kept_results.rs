//! New arrays over a slice of kept values as kept values.
//!
//! ```text
//! let zs: [t]f64 = bulk { out gen [t] ..; for j < t { ..; emit [j] => z } }
//! =>
//! let (k, kept: [k]f64) = bulk { out keep ..; for j < t { ..; emit => z } }
//! let same = k == t
//! let c = assert same else ..
//! let <c> zs: [t]f64 = retype kept
//! ```
//!
//! As many values are kept as the slice has, unless the check of the slice fails, which comes first. So the check that both
//! are equal says what that of the slice says.

use super::uses::Uses;
use base::{Name, Span};
use ir::traverse::Part;
use ir::{Atom, Bulk, Dim, Exp, Kind, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Keeps the elements of the new arrays of a form with so many turns. Gives the statements behind it, which rely on what a check
/// says.
pub(super) fn keep(program: &mut Program, uses: &mut Uses, form: &mut Stm, turns: Atom, check: &Stm) -> Vec<Stm> {
    let span = form.span;
    let Exp::Bulk(Bulk { outputs, steps, .. }) = &mut form.exp else { base::bug!("a form is a form") };
    let (mut vars, mut behind, mut rest) = (Vec::new(), Vec::new(), &form.vars[..]);
    for (number, output) in outputs.iter_mut().enumerate() {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        if !matches!(output.kind, Kind::Gen { .. }) {
            vars.extend(bound);
            continue;
        }
        output.kind = Kind::Keep;
        without_places(steps, number);
        turns.var().into_iter().for_each(|turns| uses.less(turns));
        let count = program.vars.push(VarInfo::new(Name::new("m"), Type::I64));
        vars.push(count);
        let mut code = Behind { program, uses, stms: Vec::new(), span };
        let cert = code.equal(count, turns, check);
        vars.extend(bound.iter().map(|array| code.retyped(*array, count, cert)));
        behind.append(&mut code.stms);
    }
    form.vars = vars;
    behind
}

/// Whether a form makes arrays.
pub(super) fn makes_arrays(outputs: &[Output]) -> bool {
    outputs.iter().any(|output| matches!(output.kind, Kind::Gen { .. }))
}

fn without_places(steps: &mut [Step], output: usize) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => without_places(body, output),
            Step::Emit(emit) if emit.output == output => emit.at.clear(),
            Step::Emit(_) | Step::Let(_) | Step::Scan(_) => {}
        }
    }
}

/// Writes the statements behind a form.
struct Behind<'a> {
    program: &'a mut Program,
    uses: &'a mut Uses,
    stms: Vec<Stm>,
    span: Span,
}

impl Behind<'_> {
    /// The check that as many values were kept as there are turns.
    fn equal(&mut self, count: Var, turns: Atom, check: &Stm) -> Var {
        let same = self.program.vars.push(VarInfo::new(Name::new("same"), Type::Scalar(Prim::Bool)));
        self.bind(same, Vec::new(), Exp::Bin(BinOp::Eq, Prim::I64, count.into(), turns));
        let cert = self.program.vars.push(VarInfo::new(Name::new("c"), Type::Cert));
        let mut exp = check.exp.clone();
        if let Exp::Assert { cond, .. } = &mut exp {
            *cond = same.into();
        }
        self.bind(cert, check.certs.clone(), exp);
        cert
    }

    /// The array that is kept, which gets the type that an array had.
    fn retyped(&mut self, array: Var, count: Var, cert: Var) -> Var {
        let info = self.program.vars[array].clone();
        let Some(prim) = info.ty.prim() else { base::bug!("an array has elements") };
        let kept = self.program.vars.push(VarInfo { ty: Type::array(prim, vec![Dim::Size(count.into())]), ..info });
        self.uses.more_in_type(count);
        self.bind(array, vec![cert], Exp::Retype(kept));
        kept
    }

    fn bind(&mut self, var: Var, certs: Vec<Var>, exp: Exp) {
        let stm = Stm { vars: vec![var], certs, exp, span: self.span };
        let uses = &mut *self.uses;
        stm.walk(&mut |part| {
            if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                uses.more(*var);
            }
        });
        self.stms.push(stm);
    }
}
