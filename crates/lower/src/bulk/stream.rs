//! Values that are appended as they come.

use super::form::{Bound, Elem};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::{Array, Rep};
use ir::{Emit, Output};
use kernel::{Expr, Stm, Type, Var as K};

/// What has been kept so far.
pub(crate) struct KeepSink {
    elems: Vec<Elem>,
    buffers: Vec<K>,
    kept: K,
}

impl Lower<'_> {
    pub(super) fn open_keep(&mut self, output: &Output) -> Low<KeepSink> {
        let elems = self.elems(output)?;
        let mut buffers = Vec::new();
        for elem in &elems {
            buffers.push(self.growing("kept", Type::Buffer(elem.prim)));
        }
        let kept = self.code.variable("count", expr::int(0));
        Ok(KeepSink { elems, buffers, kept })
    }

    /// A buffer that grows, owned by the innermost block.
    pub(super) fn growing(&mut self, name: &str, ty: Type) -> K {
        let buffer = self.code.fresh(name, ty);
        self.code.emit(Stm::Declare(buffer));
        self.code.own(buffer);
        buffer
    }

    pub(super) fn keep_value(&mut self, sink: &KeepSink, emit: &Emit) -> Low<()> {
        self.grow_all(&sink.buffers, &sink.elems, Expr::Var(sink.kept));
        let arrays: Vec<(Elem, Array)> =
            (sink.elems.iter().cloned()).zip(sink.buffers.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
        self.put(&arrays, Expr::Var(sink.kept), &emit.value)?;
        self.code.emit(Stm::Set(sink.kept, expr::add(Expr::Var(sink.kept), expr::int(1))));
        Ok(())
    }

    pub(super) fn close_keep(&mut self, sink: KeepSink, bound: &Bound) -> Low<()> {
        if let Some(count) = bound.count {
            self.homes.bind(count, Rep::Scalar(Expr::Var(sink.kept)));
        }
        for (var, buffer) in bound.elems.iter().zip(sink.buffers) {
            let dims = self.src.ty(*var).dims();
            let array = self.packed(buffer, expr::int(0), dims)?;
            self.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
        }
        Ok(())
    }
}
