//! Short vectors whose elements are known one by one: subscripts and shapes. They have memory only if something other
//! than indexing with them asks for it.

use crate::context::Lower;
use crate::rep::{Array, Rep};
use crate::{Low, expr};
use base::Set;
use ir::traverse::Part;
use ir::{Atom, Block, Dim, Exp, Kind, Program, Step, Stm, Var};
use kernel::{Expr, Stm as KStm};
use scalar::Prim;

/// The longest vector whose elements are kept apart.
const LONGEST: usize = 16;

/// All variables that something needs in memory.
pub(crate) fn needing_memory(program: &Program) -> Set<Var> {
    let mut found = Needs(Set::default());
    program.functions.values().for_each(|f| found.block(&f.body));
    found.0
}

struct Needs(Set<Var>);

impl Needs {
    fn atoms(&mut self, atoms: &[Atom]) {
        self.0.extend(atoms.iter().filter_map(|a| a.var()));
    }

    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
        self.atoms(&block.result);
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::IndexVector(array, _) => {
                self.0.insert(*array);
            }
            Exp::Index(array, at) if at.iter().any(|a| a.var().is_some()) => {
                self.0.insert(*array);
            }
            Exp::Index(..) | Exp::Unrank { .. } | Exp::Assert { .. } | Exp::Total(_) => {}
            Exp::Bulk(bulk) => self.bulk(bulk),
            other => other.for_each_part(&mut |part| match part {
                Part::Atom(Atom::Var(var)) | Part::Use(var) => {
                    self.0.insert(*var);
                }
                Part::Block(block) => self.block(block),
                Part::Stm(stm) => self.stm(stm),
                Part::Atom(Atom::Const(_)) | Part::Bind(_) => {}
            }),
        }
    }

    fn bulk(&mut self, bulk: &ir::Bulk) {
        for output in &bulk.outputs {
            match &output.kind {
                Kind::Gen { otherwise, .. } => otherwise.iter().for_each(|b| self.block(b)),
                Kind::Update { arrays, .. } => self.0.extend(arrays),
                Kind::Accum { arrays, op, .. } => {
                    self.0.extend(arrays);
                    self.block(&op.body);
                }
                Kind::Reduce { op, neutral, .. } | Kind::Scan { op, neutral, .. } => {
                    self.atoms(neutral);
                    self.block(&op.body);
                }
                Kind::Keep => {}
            }
        }
        self.steps(&bulk.steps);
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.stm(stm),
                Step::Emit(emit) => self.block(&emit.value),
            }
        }
    }
}

impl Lower<'_> {
    /// Binds a vector with these elements.
    pub fn bind_vector(&mut self, var: Var, prim: Prim, elements: Vec<Expr>) {
        let rep = if self.memory.contains(&var) || elements.len() > LONGEST {
            Rep::Array(self.store_vector(prim, &elements))
        } else {
            Rep::Vector(prim, elements.clone())
        };
        if elements.len() <= LONGEST {
            self.known.insert(var, elements);
        }
        self.bind(var, rep);
    }

    /// A new vector in memory.
    pub fn store_vector(&mut self, prim: Prim, elements: &[Expr]) -> Array {
        let buffer = self.alloc("literal", prim, expr::int(elements.len() as i64));
        for (i, value) in elements.iter().enumerate() {
            self.emit(KStm::Store { buffer, at: expr::int(i as i64), value: value.clone() });
        }
        Array { whole: true, ..Array::at(buffer, expr::int(0)) }
    }

    /// The elements of a vector of `i64`, if its length is a constant.
    pub fn elements(&mut self, var: Var) -> Low<Option<Vec<Expr>>> {
        if let Some(known) = self.known.get(&var) {
            return Ok(Some(known.clone()));
        }
        let Some(length) = self.vector_length(var)? else {
            return Ok(None);
        };
        let mut elements = Vec::new();
        for i in 0..length {
            let element = self.element(var, expr::int(i))?;
            elements.push(self.name_int("e", element));
        }
        Ok(Some(elements))
    }

    fn vector_length(&self, var: Var) -> Low<Option<i64>> {
        match self.src.ty(var).dims() {
            [Dim::Size(n)] => Ok(expr::as_int(&self.scalar(*n)?).filter(|n| *n <= LONGEST as i64)),
            _ => Ok(None),
        }
    }

    /// How many elements a vector has.
    pub fn length(&self, var: Var) -> Low<Expr> {
        match self.src.ty(var).dims() {
            [Dim::Size(n)] => self.scalar(*n),
            _ => base::bug!("a vector has one dimension"),
        }
    }

    /// An element of a vector that lies in memory.
    pub fn element(&mut self, var: Var, at: Expr) -> Low<Expr> {
        let array = self.array(var)?;
        let stride = match &array.strides {
            crate::rep::Strides::RowMajor => expr::int(1),
            crate::rep::Strides::Explicit(strides) => strides.first().cloned().unwrap_or(expr::int(1)),
        };
        Ok(expr::load(array.buffer, expr::add(array.offset, expr::mul(at, stride))))
    }
}
