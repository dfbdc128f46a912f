//! Entry points: the function's body once more, with the plain convention of [`kernel::Entry`]. Inside, arguments are
//! thus known to be in row-major order.

use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Desc, Rep};
use crate::slot::single_uses;
use ir::{Dim, Type, Var};
use kernel::{Arg, Expr, Stm, Var as K};
use scalar::Prim;

impl Lower<'_> {
    /// Lowers all entry points.
    pub fn entries(&mut self) -> Low<()> {
        for entry in &self.src.entries {
            self.entry(entry)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &ir::Entry) -> Low<()> {
        let function = &self.src.functions[entry.function];
        self.code.span = function.span;
        self.code.open();
        let params = function.params.iter().map(|var| self.entry_param(*var)).collect();
        self.stms_of(&function.body)?;
        self.code.span = function.span;
        let returned = self.entry_results(function)?;
        let results = returned.iter().map(|arg| self.type_of(arg)).collect();
        let mut body = self.code.close();
        body.push(Stm::Return(returned));
        let function_id = self.code.program.functions.push(kernel::Function {
            name: entry.name,
            params,
            results,
            body,
            too_deep: None,
            stops: false,
            span: function.span,
        });
        self.code.program.entries.push(kernel::Entry {
            name: entry.name,
            function: function_id,
            params: entry.params.clone(),
            consumed: function.consumed.clone(),
            results: entry.results.clone(),
        });
        Ok(())
    }

    /// Binds a parameter of an entry point.
    fn entry_param(&mut self, var: Var) -> K {
        let ty = self.src.ty(var);
        let kernel_ty = match ty {
            Type::Scalar(prim) => kernel::Type::Scalar(*prim),
            Type::Array(prim, _) => kernel::Type::Buffer(*prim),
            Type::Desc(_) => kernel::Type::Buffer(Prim::I64),
            Type::Cert | Type::Box(_) => base::bug!("a certificate or box as an argument of an entry point"),
        };
        let k = self.code.fresh(self.src.vars[var].name.as_str(), kernel_ty);
        let rep = match ty {
            Type::Scalar(_) | Type::Cert | Type::Box(_) => Rep::Scalar(Expr::Var(k)),
            Type::Array(..) => Rep::Array(Array::at(k, expr::int(0))),
            Type::Desc(_) => Rep::Desc(Desc { offsets: k, start: expr::int(0) }),
        };
        self.homes.bind(var, rep);
        k
    }

    /// What an entry point returns: scalars, and buffers that it owns.
    fn entry_results(&mut self, function: &ir::Function) -> Low<Vec<Arg>> {
        let reps = self.homes.atoms(&function.body.result);
        let last = single_uses(&reps);
        let mut returned = Vec::new();
        for (i, rep) in reps.into_iter().enumerate() {
            let dims = self.dims_of(function.body.result[i]);
            let fresh = function.fresh.get(i).copied().unwrap_or(false);
            match self.plain(rep.clone(), &dims, fresh)? {
                Rep::Scalar(value) => returned.push(Arg::Scalar(value)),
                Rep::Cert => {}
                plain => {
                    let Some(buffer) = plain.buffer() else { continue };
                    let own = rep.buffer() != Some(buffer);
                    let owned = self.owned(buffer, own || last[i]);
                    // A row or a slice that begins where the whole does shares its memory, and would keep all of it.
                    if let Rep::Array(Array { whole: false, .. }) = &rep {
                        let (start, count) = (self.code.variable("start", expr::int(0)), self.count(&dims)?);
                        let span = self.code.span;
                        self.code.emit(Stm::Trim { buffer: owned, start, count, span });
                    }
                    returned.push(Arg::Buffer(owned));
                }
            }
        }
        Ok(returned)
    }

    /// The same value as entry points have it: elements from place 0 on in row-major order, offsets from 0. It may be
    /// the same memory if `share`.
    pub fn plain(&mut self, rep: Rep, dims: &[Dim], share: bool) -> Low<Rep> {
        match rep {
            Rep::Scalar(_) | Rep::Cert | Rep::Box(_) => Ok(rep),
            Rep::Vector(..) => Ok(Rep::Array(self.in_memory(rep))),
            Rep::Array(array) => Ok(Rep::Array(self.plain_array(&array, dims, share)?)),
            Rep::Desc(desc) => {
                let prim = Prim::I64;
                let (first, last) = self.span_of(dims)?;
                let begin = self.code.name_int("begin", expr::add(desc.start.clone(), first));
                let rows = self.code.name_int("rows", expr::sub(last, expr::sub(begin.clone(), desc.start.clone())));
                let base = self.code.name_int("base", expr::load(desc.offsets, begin.clone()));
                let offsets = self.code.declare_buffer("offsets", prim);
                let fits = expr::and(expr::eq(begin.clone(), expr::int(0)), expr::eq(base.clone(), expr::int(0)));
                let cond = if share { fits } else { expr::truth(false) };
                let span = self.code.span;
                self.branch(
                    cond,
                    |this| {
                        this.code.emit(Stm::Share { to: offsets, from: desc.offsets });
                        Ok(())
                    },
                    |this| {
                        let count = expr::add(rows, expr::int(1));
                        this.code.emit(Stm::Alloc { buffer: offsets, count: count.clone(), span });
                        this.count_loop("k", count, |this, k| {
                            let value = expr::load(desc.offsets, expr::add(begin, k.clone()));
                            this.code.emit(Stm::Store { buffer: offsets, at: k, value: expr::sub(value, base) });
                            Ok(())
                        })
                    },
                )?;
                self.code.own(offsets);
                Ok(Rep::Desc(Desc { offsets, start: expr::int(0) }))
            }
        }
    }

    fn plain_array(&mut self, array: &Array, dims: &[Dim], share: bool) -> Low<Array> {
        let known = array.is_row_major() && is_regular(dims) && array.offset == expr::int(0);
        if known && share {
            return Ok(array.clone());
        }
        if !array.is_row_major() || !share {
            return self.copy(array, dims);
        }
        let begin = self.begin(array, dims)?;
        let prim = self.code.prim_of(array.buffer);
        let buffer = self.code.declare_buffer("rows", prim);
        let from = array.clone();
        self.branch(
            expr::eq(begin, expr::int(0)),
            |this| {
                this.code.emit(Stm::Share { to: buffer, from: from.buffer });
                Ok(())
            },
            |this| {
                let (count, span) = (this.count(dims)?, this.code.span);
                this.code.emit(Stm::Alloc { buffer, count, span });
                this.copy_to(buffer, expr::int(0), &from, dims)
            },
        )?;
        self.code.own(buffer);
        Ok(Array { whole: true, ..Array::at(buffer, expr::int(0)) })
    }
}
