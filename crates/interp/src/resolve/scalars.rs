//! Calls of numeric functions and conversions, which need no frame: `f64.sqrt x` is a definition of the library that
//! hands its arguments on to an operation, and scalar code is made of little else.

use super::Resolver;
use crate::code::{Node, ScalarCode, ScalarOp};
use base::{Name, Span};
use typed::{Body, Def, DefId, Expr, ExprKind, Intrinsic, Program, Type};

impl Resolver<'_> {
    /// The call `whole` of a definition with all its arguments, if it comes down to one operation on scalars.
    pub(super) fn scalar_call(&mut self, def: DefId, args: &[Expr], whole: &Expr) -> Option<Node> {
        let def = &self.program.defs[def];
        if args.len() != def.params.len() {
            return None;
        }
        let (op, mut calls) = operation(self.program, def, whole)?;
        calls.push((def.name, whole.span));
        let args = args.iter().map(|e| self.expr(e)).collect();
        Some(Node::Scalar(Box::new(ScalarCode { op, args, calls })))
    }
}

/// The operation that a call of a definition is, and the calls that lead to it, innermost first.
fn operation(program: &Program, def: &Def, call: &Expr) -> Option<(ScalarOp, Vec<(Name, Span)>)> {
    match &def.body {
        Body::Specified => None,
        Body::Intrinsic(op) => match *op {
            Intrinsic::Math(op) if def.params.len() <= ScalarOp::MOST_ARGS => Some((ScalarOp::Math(op), Vec::new())),
            Intrinsic::Convert => match program.concrete(&call.ty) {
                Type::Prim(to) => Some((ScalarOp::Convert(to), Vec::new())),
                _ => None,
            },
            _ => None,
        },
        Body::Expr(body) => {
            let inner = handed_on(program, def, body)?;
            let (op, mut calls) = operation(program, inner, body)?;
            calls.push((inner.name, body.span));
            Some((op, calls))
        }
    }
}

/// The operation that a definition applies to exactly its own parameters, and does nothing else.
fn handed_on<'p>(program: &'p Program, def: &Def, body: &Expr) -> Option<&'p Def> {
    let ExprKind::Apply(fun, args) = &*body.kind else { return None };
    let ExprKind::Global(inner, _) = &*fun.kind else { return None };
    let inner = &program.defs[*inner];
    let plain = body.exts.is_empty() && fun.exts.is_empty() && matches!(inner.body, Body::Intrinsic(_));
    let own = |(arg, param): (&Expr, &typed::Param)| match &*arg.kind {
        ExprKind::Local(local, _) => param.pat.name() == Some(*local),
        _ => false,
    };
    let same = args.len() == def.params.len() && args.len() == inner.params.len();
    (plain && same && args.iter().zip(&def.params).all(own)).then_some(inner)
}
