//! The same elements in other dimensions or under other types, copies, and multi-indices.

use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Desc, Rep};
use ir::{Atom, Type, Var};
use kernel::{Expr, Stm};
use scalar::Prim;

impl Lower<'_> {
    /// The same elements in other dimensions.
    pub fn reshape(&mut self, var: Option<Var>, array: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let (from_dims, to_dims) = (self.src.ty(array).dims(), self.src.ty(var).dims());
        if self.recs.contains_key(&array) {
            return self.rec_reshape(var, array);
        }
        let from = self.array(array)?;
        let from = self.contiguous(&from, from_dims)?;
        let begin = self.begin(&from, from_dims)?;
        let to = self.packed(from.buffer, begin, to_dims)?;
        self.bind_view(var, Array { whole: from.whole, ..to })
    }

    /// The same value in memory of its own.
    pub fn copy_stm(&mut self, var: Option<Var>, array: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let rep = self.homes.rep(array);
        let dims = self.src.ty(array).dims();
        let copy = match rep {
            Rep::Array(from) => match self.homes.hints.remove(&var) {
                Some(place) => {
                    self.copy_to(place.buffer, place.offset.clone(), &from, dims)?;
                    Rep::Array(place)
                }
                None => Rep::Array(self.copy(&from, dims)?),
            },
            // Nobody else has this memory.
            Rep::Vector(prim, elements) => Rep::Array(self.store_vector(prim, &elements)),
            Rep::Scalar(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => rep,
        };
        self.homes.bind(var, copy);
        Ok(())
    }

    /// The same value under an equal type. Descriptors that are equal may count from different numbers.
    pub fn retype(&mut self, var: Option<Var>, from: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        if self.recs.contains_key(&from) {
            return self.rec_reshape(var, from);
        }
        let rep = self.homes.rep(from);
        if let Some(known) = self.homes.known.get(&from).cloned() {
            self.homes.known.insert(var, known);
        }
        let (from_dims, to_dims) = (self.src.ty(from).dims(), self.src.ty(var).dims());
        if is_regular(from_dims) && is_regular(to_dims) || from_dims == to_dims {
            self.homes.bind(var, rep);
            return Ok(());
        }
        match rep {
            Rep::Array(_) | Rep::Vector(..) => self.reshape(Some(var), from),
            Rep::Desc(desc) => {
                let (first, _) = self.span_of(from_dims)?;
                let (new_first, _) = self.span_of(to_dims)?;
                let start = self.code.name_int("start", expr::sub(expr::add(desc.start, first), new_first));
                self.homes.bind(var, Rep::Desc(Desc { offsets: desc.offsets, start }));
                Ok(())
            }
            Rep::Scalar(_) | Rep::Cert | Rep::Box(_) => {
                self.homes.bind(var, rep);
                Ok(())
            }
        }
    }

    /// The multi-index of an element.
    pub fn unrank(&mut self, var: Option<Var>, index: Atom, shape: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let index = self.homes.scalar(index);
        if let Some(extents) = self.elements(shape)? {
            let subscripts = self.subscripts(index, &extents);
            self.bind_vector(var, Prim::I64, subscripts);
            return Ok(());
        }
        let array = self.unrank_to_memory(index, shape)?;
        if matches!(self.src.ty(var), Type::Scalar(_)) {
            base::bug!("a multi-index that is a scalar");
        }
        self.homes.bind(var, Rep::Array(array));
        Ok(())
    }

    /// The multi-index of an element in a box of known rank.
    pub fn subscripts(&mut self, index: Expr, extents: &[Expr]) -> Vec<Expr> {
        let mut left = index;
        let mut subscripts = Vec::new();
        for n in extents.iter().skip(1).rev() {
            subscripts.push(self.code.name_int("i", expr::rem(left.clone(), n.clone())));
            left = self.code.name_int("left", expr::div(left, n.clone()));
        }
        subscripts.push(left);
        subscripts.truncate(extents.len());
        subscripts.reverse();
        subscripts
    }

    /// The multi-index of an element in a box whose rank is known at run time.
    pub fn unrank_to_memory(&mut self, index: Expr, shape: Var) -> Low<Array> {
        let rank = self.length(shape);
        let buffer = self.code.alloc("subscripts", Prim::I64, rank.clone());
        let left = self.code.variable("left", index);
        self.short_loop("t", rank.clone(), |this, t| {
            let at = this.code.name_int("at", expr::sub(expr::sub(rank, expr::int(1)), t));
            let n = this.element(shape, at.clone())?;
            let n = this.code.name_int("n", n);
            this.code.emit(Stm::Store { buffer, at, value: expr::rem(Expr::Var(left), n.clone()) });
            this.code.emit(Stm::Set(left, expr::div(Expr::Var(left), n)));
            Ok(())
        })?;
        Ok(Array { whole: true, ..Array::at(buffer, expr::int(0)) })
    }
}
