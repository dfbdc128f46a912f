//! The operations that the implementation provides: `std/intrinsics.rv` lists them with their types and meaning.

mod arrays;
mod order;
mod parallel;
mod scalars;
mod writes;

use crate::code::{Slot, TypeCode};
use crate::column::Array;
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use crate::val::Value;
use base::{Name, Span};
use scalar::MathOp;
use std::rc::Rc;

macro_rules! intrinsics {
    ($($variant:ident $name:literal;)*) => {
        /// An operation.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Intrinsic {
            $($variant,)*
            /// A numeric function.
            Math(MathOp),
            /// A name that this interpreter does not know.
            Unknown(Name),
        }

        impl Intrinsic {
            /// The operation with this name.
            pub fn from_name(name: Name) -> Intrinsic {
                match name.as_str() {
                    $($name => Intrinsic::$variant,)*
                    other => MathOp::from_name(other).map_or(Intrinsic::Unknown(name), Intrinsic::Math),
                }
            }
        }
    };
}

intrinsics! {
    Map "map";
    Map2 "map2";
    Map3 "map3";
    Map4 "map4";
    Map5 "map5";
    Reduce "reduce";
    ReduceComm "reduce_comm";
    Scan "scan";
    Filter "filter";
    Partition "partition";
    Partition2 "partition2";
    Scatter "scatter";
    Scatter2 "scatter_2d";
    Scatter3 "scatter_3d";
    Hist1 "hist_1d";
    Hist2 "hist_2d";
    Hist3 "hist_3d";
    SortBy "sort_by";
    Iota "iota";
    Replicate "replicate";
    Concat "concat";
    Reverse "reverse";
    Rotate "rotate";
    Transpose "transpose";
    Flatten "flatten";
    Unflatten "unflatten";
    Zip "zip";
    Zip3 "zip3";
    Zip4 "zip4";
    Zip5 "zip5";
    Unzip "unzip";
    Unzip3 "unzip3";
    Unzip4 "unzip4";
    Unzip5 "unzip5";
    Copy "copy";
    Manifest "manifest";
    Ravel "ravel";
    Reshape "reshape";
    JaggedLengths "jagged_lengths";
    JaggedFlatten "jagged_flatten";
    JaggedUnflatten "jagged_unflatten";
    Opaque "opaque";
    Trace "trace";
    Break "break";
    LessEqual "less_equal";
    Convert "convert";
    Highest "highest";
    Lowest "lowest";
    Epsilon "epsilon";
    NumBits "num_bits";
}

/// A call of an operation: its arguments lie in the first slots of the frame.
#[derive(Clone, Copy)]
struct Call<'c> {
    /// The type of the result.
    ty: &'c TypeCode,
    span: Span,
}

impl Machine<'_> {
    /// Runs an operation of so many arguments. Ends the run if memory is used up then: not every operation can know
    /// beforehand how much it needs.
    pub fn intrinsic(&mut self, op: Intrinsic, arity: usize, ty: &TypeCode, span: Span) -> Eval<Value> {
        let result = self.operation(op, arity, Call { ty, span })?;
        match &result {
            Value::Array(array) if !base::memory::allows(0) => Err(faults::memory(array.len, span)),
            _ => Ok(result),
        }
    }

    fn operation(&mut self, op: Intrinsic, arity: usize, call: Call<'_>) -> Eval<Value> {
        match op {
            Intrinsic::Math(op) => self.math(op, arity, call),
            Intrinsic::Convert => self.convert(call),
            Intrinsic::Map => self.map(call),
            Intrinsic::Map2 => self.map2(call),
            Intrinsic::Map3 | Intrinsic::Map4 | Intrinsic::Map5 => self.map_many(arity - 1, call),
            Intrinsic::Reduce | Intrinsic::ReduceComm => self.reduce(call),
            Intrinsic::Scan => self.scan(call),
            Intrinsic::Filter => self.filter(call),
            Intrinsic::Partition => self.partition(1, call),
            Intrinsic::Partition2 => self.partition(2, call),
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
            Intrinsic::Zip | Intrinsic::Zip3 | Intrinsic::Zip4 | Intrinsic::Zip5 => self.zip(arity, call),
            Intrinsic::Unzip | Intrinsic::Unzip3 | Intrinsic::Unzip4 | Intrinsic::Unzip5 => self.unzip(call),
            Intrinsic::Copy | Intrinsic::Manifest | Intrinsic::Opaque | Intrinsic::Break => Ok(self.take(0)),
            Intrinsic::Ravel => self.ravel(call),
            Intrinsic::Reshape => self.reshape(call),
            Intrinsic::JaggedLengths => self.jagged_lengths(call),
            Intrinsic::JaggedUnflatten => self.jagged_unflatten(call),
            Intrinsic::Trace => self.trace(call),
            Intrinsic::LessEqual => Ok(Value::bool(order::less_equal(self.slot(0), self.slot(1)))),
            Intrinsic::Highest | Intrinsic::Lowest | Intrinsic::Epsilon => self.extreme(op, call),
            Intrinsic::NumBits => self.num_bits(call),
            Intrinsic::Unknown(name) => {
                Err(faults::internal(&format!("`{name}` is no operation that this interpreter has"), call.span))
            }
        }
    }

    /// Takes an argument that is an array.
    fn take_array(&mut self, slot: Slot, call: Call<'_>) -> Eval<Rc<Array>> {
        match self.take(slot) {
            Value::Array(array) => Ok(array),
            Value::Rec(array) => Err(faults::whole_rec(array.name.as_str(), call.span)),
            other => Err(faults::internal(&format!("an array is expected here, not {}", other.describe()), call.span)),
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
