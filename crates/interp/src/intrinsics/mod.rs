//! The operations that the implementation provides: `std/intrinsics.rv` lists them with their types and meaning.

mod arrays;
mod call;
mod parallel;
mod scalars;
mod sort;
mod writes;

use crate::code::{Slot, TypeCode};
use crate::data::{Array, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use base::Span;
use call::Call;
use std::rc::Rc;
use typed::Intrinsic;

impl Machine<'_> {
    /// Runs an operation. Ends the run if memory is used up then: not every operation can know
    /// beforehand how much it needs.
    pub fn intrinsic(&mut self, op: Intrinsic, ty: &TypeCode, span: Span) -> Eval<Value> {
        let result = self.operation(op, Call { ty, span })?;
        match &result {
            Value::Array(array) if !base::memory::allows(0) => Err(faults::memory(array.len, span)),
            _ => Ok(result),
        }
    }

    fn operation(&mut self, op: Intrinsic, call: Call<'_>) -> Eval<Value> {
        match op {
            Intrinsic::Math(op) => self.math(op, call),
            Intrinsic::Convert => self.convert(call),
            Intrinsic::Map => self.map(call),
            Intrinsic::Map2 => self.map2(call),
            Intrinsic::Map3 | Intrinsic::Map4 | Intrinsic::Map5 => self.map_many(op.arity() - 1, call),
            Intrinsic::Reduce | Intrinsic::ReduceComm => self.reduce(call),
            Intrinsic::Scan => self.scan(call),
            Intrinsic::Scatter | Intrinsic::Scatter2 | Intrinsic::Scatter3 => self.scatter(call),
            Intrinsic::Hist1 | Intrinsic::Hist2 | Intrinsic::Hist3 => self.hist(call),
            Intrinsic::SortBy => self.sort_by(call),
            Intrinsic::Iota => self.iota(call),
            Intrinsic::Replicate => self.replicate(call),
            Intrinsic::Concat => self.concat(call),
            Intrinsic::Reverse => self.reverse(call),
            Intrinsic::Rotate => self.rotate(call),
            Intrinsic::Transpose => self.transpose(call),
            Intrinsic::Flatten | Intrinsic::JaggedFlatten => self.flatten(call),
            Intrinsic::Unflatten => self.unflatten(call),
            Intrinsic::Zip | Intrinsic::Zip3 | Intrinsic::Zip4 | Intrinsic::Zip5 => self.zip(op.arity(), call),
            Intrinsic::Unzip | Intrinsic::Unzip3 | Intrinsic::Unzip4 | Intrinsic::Unzip5 => self.unzip(call),
            Intrinsic::Copy | Intrinsic::Manifest | Intrinsic::Opaque | Intrinsic::Break => Ok(self.take(0)),
            Intrinsic::Ravel => self.ravel(call),
            Intrinsic::Reshape => self.reshape(call),
            Intrinsic::JaggedLengths => self.jagged_lengths(call),
            Intrinsic::JaggedUnflatten => self.jagged_unflatten(call),
            Intrinsic::Trace => self.trace(call),
            Intrinsic::LessEqual => Ok(Value::bool(crate::order::less_equal(self.slot(0), self.slot(1)))),
            Intrinsic::Highest | Intrinsic::Lowest | Intrinsic::Epsilon => self.extreme(op, call),
            Intrinsic::NumBits => self.num_bits(call),
        }
    }

    /// Takes an argument that is an array.
    fn take_array(&mut self, slot: Slot, call: Call<'_>) -> Eval<Rc<Array>> {
        match self.take(slot) {
            Value::Array(array) => Ok(array),
            Value::Rec(array) => Err(faults::whole_rec(array.name.as_str(), call.span)),
            _ => Err(faults::rank_at_least(1, &[], call.span)),
        }
    }

    /// An argument that is an `i64`.
    fn i64_arg(&mut self, slot: Slot, call: Call<'_>) -> Eval<i64> {
        self.slot(slot).as_i64().ok_or_else(|| faults::internal("an integer is expected here", call.span))
    }

    /// An argument that is a size: not negative, and no larger than memory if each element takes so many bytes.
    fn size_arg(&mut self, slot: Slot, what: &str, bytes: usize, call: Call<'_>) -> Eval<usize> {
        let n = self.i64_arg(slot, call)?;
        match usize::try_from(n) {
            Err(_) => Err(faults::negative(what, n, call.span)),
            Ok(size) if crate::column::affordable(size, bytes) => Ok(size),
            Ok(_) => Err(faults::memory(n, call.span)),
        }
    }
}
