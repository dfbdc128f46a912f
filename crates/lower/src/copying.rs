//! Copies of arrays.

use crate::context::Lower;
use crate::dims::is_regular;
use crate::rep::{Array, Rep, Strides};
use crate::{Low, expr};
use ir::Dim;
use kernel::{Expr, Stm, Type, Var as K};
use scalar::Prim;

impl Lower<'_> {
    /// Copies an array into a buffer from a place on, in row-major order. The two do not overlap.
    pub fn copy_to(&mut self, to: K, to_at: Expr, from: &Array, dims: &[Dim]) -> Low<()> {
        let strides = match &from.strides {
            Strides::Explicit(strides) if is_regular(dims) => strides.clone(),
            Strides::Explicit(_) | Strides::RowMajor => {
                let from_at = self.begin(from, dims)?;
                let count = self.count(dims)?;
                self.code.emit(Stm::Copy { to, to_at, from: from.buffer, from_at, count });
                return Ok(());
            }
        };
        let extents = self.extents(dims)?;
        let to_strides = self.row_major(dims)?;
        self.copy_nest((to, to_at), &to_strides, (from.buffer, from.offset.clone()), &strides, &extents)
    }

    /// Copies an array to a place with strides.
    pub fn copy_strided(&mut self, to: &Array, to_strides: &[Expr], from: &Array, dims: &[Dim]) -> Low<()> {
        let extents = self.extents(dims)?;
        let strides = self.strides(from, dims)?;
        let (to_at, from_at) = ((to.buffer, to.offset.clone()), (from.buffer, from.offset.clone()));
        self.copy_nest(to_at, to_strides, from_at, &strides, &extents)
    }

    fn copy_nest(
        &mut self,
        to: (K, Expr),
        to_strides: &[Expr],
        from: (K, Expr),
        strides: &[Expr],
        extents: &[Expr],
    ) -> Low<()> {
        let Some((n, inner)) = extents.split_first() else {
            self.code.emit(Stm::Store { buffer: to.0, at: to.1, value: expr::load(from.0, from.1) });
            return Ok(());
        };
        self.count_loop("c", n.clone(), |this, i| {
            let to_at = this.code.name_int("to", expr::add(to.1, expr::mul(i.clone(), to_strides[0].clone())));
            let from_at = this.code.name_int("from", expr::add(from.1, expr::mul(i, strides[0].clone())));
            this.copy_nest((to.0, to_at), &to_strides[1..], (from.0, from_at), &strides[1..], inner)
        })
    }

    /// Writes a value of one component (a scalar or an array of these dimensions) into a buffer from a place on. The
    /// value may be a view of that very place.
    pub fn write(&mut self, to: K, at: Expr, rep: &Rep, dims: &[Dim]) -> Low<()> {
        if let Rep::Scalar(value) = rep {
            self.code.emit(Stm::Store { buffer: to, at, value: value.clone() });
            return Ok(());
        }
        let mut from = self.in_memory(rep.clone());
        if self.aliases.may_alias(from.buffer, to) {
            from = self.copy(&from, dims)?;
        }
        self.copy_to(to, at, &from, dims)
    }

    /// Reads one component of a value from a buffer at a place.
    pub fn read(&mut self, from: K, at: Expr, dims: &[Dim]) -> Low<Rep> {
        if dims.is_empty() {
            let prim = self.code.prim_of(from);
            return Ok(Rep::Scalar(self.code.snapshot("x", prim, expr::load(from, at))));
        }
        Ok(Rep::Array(self.packed(from, at, dims)?))
    }

    /// The same array in memory of its own.
    pub fn copy(&mut self, from: &Array, dims: &[Dim]) -> Low<Array> {
        let prim = self.code.prim_of(from.buffer);
        let to = self.new_array("copy", prim, dims)?;
        self.copy_to(to.buffer, expr::int(0), from, dims)?;
        Ok(to)
    }

    /// The same array in row-major order: itself where it is, which may turn out at run time, otherwise a copy.
    pub fn contiguous(&mut self, array: &Array, dims: &[Dim]) -> Low<Array> {
        let Strides::Explicit(strides) = &array.strides else {
            return Ok(array.clone());
        };
        let wanted = self.row_major(dims)?;
        let extents = self.extents(dims)?;
        let mut same = expr::truth(true);
        for ((have, want), n) in strides.iter().zip(&wanted).zip(&extents) {
            // A dimension of one element may have any stride.
            let fits = or(expr::eq(have.clone(), want.clone()), expr::le(n.clone(), expr::int(1)));
            same = expr::and(same, fits);
        }
        let prim = self.code.prim_of(array.buffer);
        let buffer = self.code.declare_buffer("rows", prim);
        let offset = self.code.declare("offset", Prim::I64);
        let from = array.clone();
        self.branch(
            same,
            |this| {
                this.code.emit(Stm::Share { to: buffer, from: from.buffer });
                this.code.emit(Stm::Set(offset, from.offset.clone()));
                Ok(())
            },
            |this| {
                let room = this.memory(dims)?;
                let span = this.code.span;
                this.code.emit(Stm::Alloc { buffer, count: room, span });
                this.code.emit(Stm::Set(offset, expr::int(0)));
                this.copy_to(buffer, expr::int(0), &from, dims)
            },
        )?;
        self.code.own(buffer);
        self.aliases.merge(buffer, array.buffer);
        Ok(Array { whole: array.whole, ..Array::at(buffer, Expr::Var(offset)) })
    }

    /// A scalar variable's type.
    pub fn scalar_type(prim: Prim) -> Type {
        Type::Scalar(prim)
    }
}

fn or(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(scalar::Scalar::Bool(true)), _) => a,
        (_, Expr::Const(scalar::Scalar::Bool(true))) => b,
        (Expr::Const(scalar::Scalar::Bool(false)), _) => b,
        _ => Expr::Bin(scalar::BinOp::LogOr, Prim::Bool, Box::new(a), Box::new(b)),
    }
}
