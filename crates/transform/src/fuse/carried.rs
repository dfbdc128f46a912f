//! Steps that carry values along from turn to turn.

use affine::Linear;
use base::{Name, Span};
use ir::{Atom, Block, Exp, Program, Region, Scan, Step, Stm, Tree, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Writes steps.
pub(super) struct Code<'p> {
    pub program: &'p mut Program,
    pub steps: Vec<Step>,
    pub span: Span,
}

impl Code<'_> {
    pub fn fresh(&mut self, name: &str, prim: Prim) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(prim)))
    }

    /// The steps, all of which are bindings.
    fn statements(self) -> Vec<Stm> {
        let binding = |step| match step {
            Step::Let(stm) => stm,
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {
                base::bug!("an operator has bindings")
            }
        };
        self.steps.into_iter().map(binding).collect()
    }

    pub fn bind(&mut self, var: Var, exp: Exp) {
        self.steps.push(Step::Let(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span }));
    }

    pub fn binary(&mut self, op: BinOp, result: Prim, a: Atom, b: Atom) -> Atom {
        let var = self.fresh("t", result);
        self.bind(var, Exp::Bin(op, Prim::I64, a, b));
        var.into()
    }

    pub fn logic(&mut self, a: Atom, b: Atom) -> Atom {
        let var = self.fresh("t", Prim::Bool);
        self.bind(var, Exp::Bin(BinOp::LogAnd, Prim::Bool, a, b));
        var.into()
    }

    /// The value of a form.
    pub fn sum(&mut self, form: &Linear<Var>) -> Atom {
        let mut sum = Atom::size(form.constant_part());
        for (var, factor) in form.terms() {
            let term = match factor {
                1 => Atom::Var(*var),
                factor => self.binary(BinOp::Mul, Prim::I64, Atom::Var(*var), Atom::size(*factor)),
            };
            sum = match sum.as_size() {
                Some(0) => term,
                _ => self.binary(BinOp::Add, Prim::I64, sum, term),
            };
        }
        sum
    }
}

/// Carries the last values along: this one, the one before, and so on. Gives their names.
///
/// Combined are the last values of two parts of a sequence, with how many there are.
pub(super) fn window(code: &mut Code<'_>, value: Var, prim: Prim, furthest: i64) -> Vec<Var> {
    let neutral = || Atom::Const(prim.zero());
    let length = usize::try_from(furthest).unwrap_or_default() + 1;
    let own = |code: &mut Code<'_>, name: &str| -> Vec<Var> {
        let count = code.fresh("n", Prim::I64);
        [count].into_iter().chain((0..length).map(|_| code.fresh(name, prim))).collect()
    };
    let (a, b, vars) = (own(code, "a"), own(code, "b"), own(code, "v"));
    let mut op = Code { program: &mut *code.program, steps: Vec::new(), span: code.span };
    let count = op.binary(BinOp::Add, Prim::I64, a[0].into(), b[0].into());
    let limit = Atom::size(furthest + 1);
    let is_more = op.binary(BinOp::Gt, Prim::Bool, count, limit);
    let most = op.fresh("n", Prim::I64);
    op.bind(most, Exp::Select(is_more, limit, count));
    let newer: Vec<Atom> =
        (0..furthest + 1).map(|number| op.binary(BinOp::Eq, Prim::Bool, b[0].into(), Atom::size(number))).collect();
    let mut result = vec![Atom::Var(most)];
    for age in 0..length {
        let mut chosen = b[1 + age];
        for (number, are_newer) in newer.iter().enumerate().take(age + 1) {
            let choice = op.fresh("v", prim);
            op.bind(choice, Exp::Select(*are_newer, a[1 + age - number].into(), chosen.into()));
            chosen = choice;
        }
        result.push(chosen.into());
    }
    let stms = op.statements();
    let op = Region { params: a.into_iter().chain(b).collect(), body: Block { stms, result } };
    let zeros = (0..length).map(|_| neutral());
    let first = [Atom::size(1), value.into()].into_iter().chain((1..length).map(|_| neutral())).collect();
    code.steps.push(Step::Scan(Scan {
        vars: vars.clone(),
        op,
        neutral: [Atom::size(0)].into_iter().chain(zeros).collect(),
        tree: Tree::PLAIN,
        value: Block { stms: Vec::new(), result: first },
        span: code.span,
    }));
    vars[1..].to_vec()
}
