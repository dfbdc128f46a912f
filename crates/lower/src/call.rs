//! Calls, and what is shown on standard error.

use crate::Low;
use crate::context::Lower;
use crate::convention::Returned;
use crate::dims::is_regular;
use crate::rep::{Array, Desc, Rep, Strides};
use ir::{Atom, FunId, Layout, Type, Var};
use kernel::{Arg, Expr, Stm};
use scalar::Prim;

impl Lower<'_> {
    /// A call.
    pub fn call(&mut self, vars: &[Var], function: FunId, args: &[Atom]) -> Low<()> {
        let mut passed = Vec::new();
        let callee = &self.src.functions[function];
        for (atom, param) in args.iter().zip(&callee.params) {
            self.pass(*atom, &mut passed)?;
            if let Some(handle) = self.handle(*atom, *param)? {
                passed.extend(handle.buffers().map(Arg::Buffer));
                passed.extend(handle.numbers().map(Arg::Scalar));
            }
        }
        let convention = self.convention(function);
        let mut results = Vec::new();
        let mut reps = Vec::new();
        for ((var, returned), fresh) in vars.iter().zip(&convention.results).zip(&callee.fresh) {
            let rep = self.receive(*var, *returned, &mut results);
            if let (Some(buffer), false) = (rep.buffer(), fresh) {
                self.merge_args(buffer, args);
            }
            // What a function makes from a consumed argument may be that argument.
            if let (Some(buffer), true) = (rep.buffer(), fresh) {
                let consumed: Vec<Atom> =
                    args.iter().zip(&callee.consumed).filter(|(_, c)| **c).map(|(a, _)| *a).collect();
                self.merge_args(buffer, &consumed);
            }
            reps.push((*var, rep));
        }
        self.code.emit(Stm::Call { results, function: convention.function, args: passed, span: self.code.span });
        for (var, rep) in reps {
            rep.buffer().into_iter().for_each(|b| self.code.own(b));
            self.homes.bind(var, rep);
        }
        Ok(())
    }

    fn merge_args(&mut self, buffer: kernel::Var, args: &[Atom]) {
        for arg in args {
            let rep = self.homes.atom(*arg).buffer();
            if let Some(other) = rep.filter(|b| self.may_be_same(*b, buffer)) {
                self.aliases.merge(buffer, other);
            }
        }
    }

    /// The Kernel arguments for an argument.
    fn pass(&mut self, atom: Atom, out: &mut Vec<Arg>) -> Low<()> {
        match self.homes.atom(atom) {
            Rep::Scalar(value) => out.push(Arg::Scalar(value)),
            Rep::Desc(Desc { offsets, start }) => out.extend([Arg::Buffer(offsets), Arg::Scalar(start)]),
            Rep::Cert => {}
            Rep::Box(k) => out.push(Arg::Buffer(k)),
            rep @ (Rep::Vector(..) | Rep::Array(_)) => {
                let dims = self.dims_of(atom);
                let array = self.in_memory(rep);
                out.extend([Arg::Buffer(array.buffer), Arg::Scalar(array.offset.clone())]);
                if is_regular(&dims) {
                    out.extend(self.strides(&array, &dims)?.into_iter().map(Arg::Scalar));
                }
            }
        }
        Ok(())
    }

    /// Kernel variables for a result.
    fn receive(&mut self, var: Var, returned: Returned, out: &mut Vec<kernel::Var>) -> Rep {
        let name = self.src.vars[var].name.as_str();
        let mut new = |this: &mut Self, name: &str, ty| {
            let k = this.code.fresh(name, ty);
            out.push(k);
            k
        };
        match self.src.ty(var) {
            Type::Scalar(prim) => Rep::Scalar(Expr::Var(new(self, name, kernel::Type::Scalar(*prim)))),
            Type::Array(prim, dims) => {
                let buffer = new(self, name, kernel::Type::Buffer(*prim));
                let offset = Expr::Var(new(self, "offset", Lower::scalar_type(Prim::I64)));
                let strides = match returned {
                    Returned::Plain => Strides::RowMajor,
                    Returned::Strided => {
                        let int = kernel::Type::Scalar(Prim::I64);
                        Strides::Explicit(dims.iter().map(|_| Expr::Var(new(self, "stride", int))).collect())
                    }
                };
                Rep::Array(Array { buffer, offset, strides, whole: true })
            }
            Type::Desc(_) => {
                let offsets = new(self, name, kernel::Type::Buffer(Prim::I64));
                let start = Expr::Var(new(self, "start", kernel::Type::Scalar(Prim::I64)));
                Rep::Desc(Desc { offsets, start })
            }
            Type::Cert => Rep::Cert,
            Type::Box(_) => {
                let k = new(self, name, kernel::Type::Buffer(Prim::I64));
                self.homes.boxes.insert(k);
                Rep::Box(k)
            }
        }
    }

    /// Shows a value.
    pub fn trace(&mut self, layout: &Layout, args: &[Atom]) -> Low<()> {
        let mut shown = Vec::new();
        for atom in args {
            let rep = self.homes.atom(*atom);
            let dims = self.dims_of(*atom);
            match self.plain(rep, &dims, true)? {
                Rep::Scalar(value) => shown.push(Arg::Scalar(value)),
                rep => shown.extend(rep.buffer().map(Arg::Buffer)),
            }
        }
        let span = self.code.span;
        self.code.emit(Stm::Trace(layout.clone(), shown, span));
        Ok(())
    }
}
