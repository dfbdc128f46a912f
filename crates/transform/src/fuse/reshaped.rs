//! Makes each row of a reshaped array where the row is combined with others.
//!
//! ```text
//! let b: [t]f64 = bulk {                          let r: [m]f64 = bulk {
//!   out gen [t] of (y: f64)                         out reduce (map2 (+)) of (x: [m]f64)
//!   for k < t { ..; emit [k] => y }                 for i < n {
//! }                                                   emit {
//! let <c> v: [n][m]f64 = reshape b          =>          let <c> row: [m]f64 = bulk {
//! let r: [m]f64 = bulk {                                  out gen [m] of (y: f64)
//!   out reduce (map2 (+)) of (x: [m]f64)                  for j < m { let k = i*m + j; ..; emit [j] => y }
//!   for i < n { emit { let row = v[i] => row } }        }
//! }                                                     => row
//!                                                   } } }
//! ```
//!
//! This is section 8.2 of the thesis: the producer of a vector becomes a nest in the shape that the consumer wants. Elements
//! that are read one by one need no rule of their own (`pull.rs`).
//!
//! A row that is made in memory only to be read is worse than a view of a row. So the change stays only if the elements of `b`
//! can then be computed in the rows; `pull.rs` decides that.

use super::memory::Memory;
use super::pull;
use base::{Map, Name, Set, Span};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, FunId, Kind, Mark, Output, Program, Step, Stm, Type, Var, VarInfo,
};
use scalar::{BinOp, Prim};

/// Makes the rows of reshaped arrays where they are combined.
pub(super) fn rows(program: &mut Program, fun: FunId, memory: &Memory, body: &mut Block) {
    for view in views(program, body) {
        let mut changed = body.clone();
        let mut rows = Rows { program, view: &view };
        if !rows.open(&mut changed) {
            continue;
        }
        let before = program.functions[fun].remarks.len();
        pull::pull(program, fun, memory, &mut changed);
        if binds(&changed, view.root) {
            program.functions[fun].remarks.truncate(before);
        } else {
            *body = changed;
        }
    }
}

/// A vector in the shape of an array of more dimensions.
struct View {
    array: Var,
    root: Var,
    extents: Vec<Atom>,
    /// The checks that the view relies on.
    certs: Vec<Var>,
}

/// The views of vectors that forms make, where each is all that uses the vector, and one read all that uses it.
fn views(program: &Program, body: &Block) -> Vec<View> {
    let (mut made, mut found) = (Set::default(), Vec::new());
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| match part {
        Part::Stm(Stm { vars, exp: Exp::Bulk(_), .. }) => made.extend(vars.iter().copied()),
        Part::Stm(Stm { vars, certs, exp: Exp::Reshape(root), .. }) => {
            let extents = extents(program, vars[0]).filter(|extents| extents.len() > 1);
            let certs = certs.clone();
            found.extend(extents.map(|extents| View { array: vars[0], root: *root, extents, certs }));
        }
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
    });
    let once = |var: Var| uses.get(&var) == Some(&1);
    let is_vector = |var: Var| program.ty(var).dims().len() == 1;
    found.retain(|view| made.contains(&view.root) && is_vector(view.root) && once(view.root) && once(view.array));
    found
}

/// The dimensions of an array, if all are regular.
fn extents(program: &Program, array: Var) -> Option<Vec<Atom>> {
    let size = |dim: &Dim| match dim {
        Dim::Size(size) => Some(*size),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    };
    program.ty(array).dims().iter().map(size).collect()
}

fn binds(body: &Block, wanted: Var) -> bool {
    let mut found = false;
    body.walk(&mut |part| found |= matches!(part, Part::Bind(var) if *var == wanted));
    found
}

/// The rows of a view.
struct Rows<'a> {
    program: &'a mut Program,
    view: &'a View,
}

impl Rows<'_> {
    /// Makes the row that is read where it is combined, and removes the view; says whether there is such a read.
    fn open(&mut self, body: &mut Block) -> bool {
        let mut opened = false;
        body.for_each_stm_mut(&mut |stm| {
            if let Exp::Bulk(bulk) = &mut stm.exp {
                let Bulk { outputs, steps, .. } = bulk;
                opened |= self.steps(outputs, steps);
            }
        });
        let view = self.view.array;
        body.replace_stms(&mut |stm| if stm.vars[..] == [view] { vec![] } else { vec![stm] });
        opened
    }

    fn steps(&mut self, outputs: &[Output], steps: &mut [Step]) -> bool {
        let combines = |emit: &Emit| matches!(outputs[emit.output].kind, Kind::Reduce { .. } | Kind::Accum { .. });
        let mut in_step = |step: &mut Step| match step {
            Step::For { body, .. } | Step::Guard(_, body) => self.steps(outputs, body),
            Step::Scan(scan) => self.value(&mut scan.value),
            Step::Emit(emit) if combines(emit) => self.value(&mut emit.value),
            Step::Emit(_) | Step::Let(_) => false,
        };
        steps.iter_mut().any(&mut in_step)
    }

    /// Makes the row that is a component of a value.
    fn value(&mut self, value: &mut Block) -> bool {
        let reads = |stm: &Stm| matches!(&stm.exp, Exp::Index(array, at) if *array == self.view.array && at.len() < self.view.extents.len());
        let Some(place) = value.stms.iter().position(reads) else { return false };
        let read = value.stms.remove(place);
        let Exp::Index(_, at) = &read.exp else { base::bug!("a row is read") };
        let (number, mut stms) = self.row_number(at, read.span);
        stms.push(self.row(number, at.len(), &read));
        value.stms.splice(place..place, stms);
        true
    }

    /// The number of a row among all rows of its depth, and what computes it.
    fn row_number(&mut self, at: &[Atom], span: Span) -> (Atom, Vec<Stm>) {
        let mut stms = Vec::new();
        let number = at[1..]
            .iter()
            .zip(&self.view.extents[1..])
            .fold(at[0], |number, (index, extent)| self.below(number, *extent, *index, &mut stms, span));
        (number, stms)
    }

    /// The number of an element that has this index in the row with that number.
    fn below(&mut self, row: Atom, length: Atom, index: Atom, stms: &mut Vec<Stm>, span: Span) -> Atom {
        let start = self.binary(BinOp::Mul, row, length, stms, span);
        self.binary(BinOp::Add, start, index, stms, span)
    }

    fn binary(&mut self, op: BinOp, a: Atom, b: Atom, stms: &mut Vec<Stm>, span: Span) -> Atom {
        let var = self.fresh("t", Type::I64);
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, Prim::I64, a, b), span });
        var.into()
    }

    fn fresh(&mut self, name: &str, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }

    /// The statement that makes the row with a number, behind so many indices.
    fn row(&mut self, number: Atom, depth: usize, read: &Stm) -> Stm {
        let span = read.span;
        let Some(prim) = self.program.ty(self.view.root).prim() else { base::bug!("a vector has no elements") };
        let certs: Vec<Var> = read.certs.iter().chain(&self.view.certs).copied().collect();
        let extents = &self.view.extents[depth..];
        let loops: Vec<(Var, Atom)> = extents.iter().map(|extent| (self.fresh("j", Type::I64), *extent)).collect();
        let mut stms = Vec::new();
        let number = loops
            .iter()
            .fold(number, |number, (index, extent)| self.below(number, *extent, Atom::Var(*index), &mut stms, span));
        let x = self.fresh("x", Type::Scalar(prim));
        let exp = Exp::Index(self.view.root, vec![number]);
        stms.push(Stm { vars: vec![x], certs: certs.clone(), exp, span });
        let value = Block { stms, result: vec![x.into()] };
        let at = loops.iter().map(|(index, _)| Atom::Var(*index)).collect();
        let emit = Step::Emit(Emit { output: 0, at, certs: certs.clone(), value, span });
        let steps = loops.iter().rev().fold(vec![emit], |body, (var, count)| {
            vec![Step::For { var: *var, count: *count, mark: Mark::Open, body }]
        });
        let shape = extents.iter().map(|extent| Dim::Size(*extent)).collect();
        let kind = Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
        let outputs = vec![Output { kind, sizes: Vec::new(), elems: vec![self.fresh("x", Type::Scalar(prim))] }];
        Stm { vars: read.vars.clone(), certs, exp: Exp::Bulk(Bulk { outputs, steps, scheduled: false }), span }
    }
}
