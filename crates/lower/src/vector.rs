//! Short vectors whose elements are known one by one: subscripts and shapes. They have memory only if something other
//! than indexing with them asks for it.

use crate::context::Lower;
use crate::rep::{Array, Rep};
use crate::{Low, expr};
use ir::{Dim, Var};
use kernel::{Expr, Stm as KStm};
use scalar::Prim;

/// The longest vector whose elements are known one by one.
const LONGEST: usize = 16;

impl Lower<'_> {
    /// Binds a vector with these elements.
    pub fn bind_vector(&mut self, var: Var, prim: Prim, elements: Vec<Expr>) {
        let rep = if self.memory.contains(&var) || elements.len() > LONGEST {
            Rep::Array(self.store_vector(prim, &elements))
        } else {
            Rep::Vector(prim, elements.clone())
        };
        if elements.len() <= LONGEST {
            self.homes.known.insert(var, elements);
        }
        self.homes.bind(var, rep);
    }

    /// A new vector in memory.
    pub fn store_vector(&mut self, prim: Prim, elements: &[Expr]) -> Array {
        let buffer = self.code.alloc("literal", prim, expr::int(elements.len() as i64));
        for (i, value) in elements.iter().enumerate() {
            self.code.emit(KStm::Store { buffer, at: expr::int(i as i64), value: value.clone() });
        }
        Array { whole: true, ..Array::at(buffer, expr::int(0)) }
    }

    /// The elements of a vector of `i64`, if its length is a constant.
    pub fn elements(&mut self, var: Var) -> Low<Option<Vec<Expr>>> {
        if let Some(known) = self.homes.known.get(&var) {
            return Ok(Some(known.clone()));
        }
        let Some(length) = self.vector_length(var) else {
            return Ok(None);
        };
        let mut elements = Vec::new();
        for i in 0..length {
            let element = self.element(var, expr::int(i))?;
            elements.push(self.code.name_int("e", element));
        }
        Ok(Some(elements))
    }

    fn vector_length(&self, var: Var) -> Option<i64> {
        match self.src.ty(var).dims() {
            [Dim::Size(n)] => expr::as_int(&self.homes.scalar(*n)).filter(|n| *n <= LONGEST as i64),
            _ => None,
        }
    }

    /// How many elements a vector has.
    pub fn length(&self, var: Var) -> Expr {
        match self.src.ty(var).dims() {
            [Dim::Size(n)] => self.homes.scalar(*n),
            _ => base::bug!("a vector that is no vector"),
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
