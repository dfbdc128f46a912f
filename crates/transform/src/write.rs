//! Writing statements: what passes share that make new ones.

use base::{Name, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Program, Region, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, MathOp, Prim};

/// Collects statements.
pub(crate) struct Writer<'p> {
    pub program: &'p mut Program,
    pub stms: Vec<Stm>,
    pub span: Span,
}

impl Writer<'_> {
    pub fn bind(&mut self, name: &str, ty: Type, exp: Exp) -> Atom {
        let var = self.var(name, ty);
        self.stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span });
        Atom::Var(var)
    }

    pub fn int(&mut self, name: &str, op: BinOp, a: Atom, b: Atom) -> Atom {
        self.bind(name, Type::I64, Exp::Bin(op, Prim::I64, a, b))
    }

    pub fn least(&mut self, name: &str, a: Atom, b: Atom) -> Atom {
        self.bind(name, Type::I64, Exp::Math(MathOp::Min, Prim::I64, vec![a, b]))
    }

    pub fn truth(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom) -> Atom {
        self.bind("t", Type::Scalar(Prim::Bool), Exp::Bin(op, prim, a, b))
    }

    pub fn var(&mut self, name: &str, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }

    pub fn index(&mut self, name: &str) -> Var {
        self.var(name, Type::I64)
    }

    /// Takes what was written.
    pub fn taken(&mut self) -> Vec<Stm> {
        std::mem::take(&mut self.stms)
    }

    /// Binds the arrays of these element types that steps make, element by element.
    pub fn arrays(&mut self, name: &str, prims: &[Prim], shape: &[Dim], steps: Vec<Step>) -> Vec<Var> {
        let vars = prims.iter().map(|prim| self.var(name, Type::array(*prim, shape.to_vec()))).collect::<Vec<_>>();
        let output = |elem| Output { kind: array(shape.to_vec()), sizes: Vec::new(), elems: vec![elem] };
        let outputs = prims.iter().map(|prim| output(self.var("x", Type::Scalar(*prim)))).collect();
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        self.stms.push(Stm { vars: vars.clone(), certs: Vec::new(), exp, span: self.span });
        vars
    }

    /// Hands a value over.
    pub fn emit(&self, output: usize, at: Vec<Atom>, value: Atom) -> Step {
        let value = Block { stms: Vec::new(), result: vec![value] };
        Step::Emit(Emit { output, at, certs: Vec::new(), value, span: self.span })
    }
}

/// A new array of which each element is defined once.
pub(crate) fn array(shape: Vec<Dim>) -> Kind {
    Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() }
}

/// A copy of a statement as a block.
pub(crate) fn version(program: &mut Program, stm: Stm) -> Block {
    let result = stm.vars.iter().copied().map(Atom::Var).collect();
    copy_block(&mut program.vars, &Block { stms: vec![stm], result }, Substitution::default())
}

/// A copy of steps, with other names.
pub(crate) fn copy_steps(program: &mut Program, steps: &[Step], names: Substitution) -> Vec<Step> {
    let exp = Exp::Bulk(Bulk { outputs: Vec::new(), steps: steps.to_vec(), scheduled: false });
    let stm = Stm { vars: Vec::new(), certs: Vec::new(), exp, span: Span::OF_CALLER };
    let mut copy = copy_block(&mut program.vars, &Block { stms: vec![stm], result: Vec::new() }, names);
    match copy.stms.pop().map(|stm| stm.exp) {
        Some(Exp::Bulk(bulk)) => bulk.steps,
        Some(_) | None => base::bug!("a form stays a form"),
    }
}

/// Whether the steps of a form bind a variable.
pub(crate) fn binds(bulk: &Bulk, var: Var) -> bool {
    let mut found = false;
    for step in &bulk.steps {
        step.walk(&mut |part| found |= matches!(part, Part::Bind(bound) if *bound == var));
    }
    found
}

/// The sum of what is carried and a value, if the value is a product: it is not rounded before it is added. The product is
/// taken away, which must be the last statement.
pub(crate) fn added(
    program: &mut Program,
    prim: Prim,
    op: &Region,
    stms: &mut Vec<Stm>,
    (value, carried): (Var, Atom),
) -> Option<Stm> {
    let is_added =
        matches!(&op.body.stms[0].exp, Exp::Bin(BinOp::Add, prim, ..) if prim.is_float() && *prim != Prim::F16);
    let last = stms.last().filter(|stm| is_added && stm.vars == [value])?;
    let (x, y) = match &last.exp {
        Exp::Bin(BinOp::Mul, own, x, y) if *own == prim => (*x, *y),
        _ => return None,
    };
    let span = last.span;
    stms.pop();
    let var = program.vars.push(VarInfo::new(Name::new("s"), Type::Scalar(prim)));
    Some(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Math(MathOp::Fma, prim, vec![x, y, carried]), span })
}
