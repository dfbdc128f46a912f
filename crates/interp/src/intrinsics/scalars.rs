//! Numbers: conversions, numeric functions, limits of types.

use super::call::Call;
use crate::code::Slot;
use crate::data::Value;
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use scalar::{MathOp, Prim, Scalar};
use typed::Intrinsic;

impl Machine<'_> {
    fn scalar_arg(&self, slot: Slot, call: Call<'_>) -> Eval<Scalar> {
        self.slot(slot).as_scalar().ok_or_else(|| faults::internal("a number is expected here", call.span))
    }

    fn result_prim(&mut self, call: Call<'_>) -> Eval<Prim> {
        let prim = self.rt_type(call.ty).prim();
        prim.ok_or_else(|| faults::internal("a primitive type is expected here", call.span))
    }

    pub(super) fn convert(&mut self, call: Call<'_>) -> Eval<Value> {
        let to = self.result_prim(call)?;
        Ok(Value::Scalar(scalar::convert(self.scalar_arg(0, call)?, to)))
    }

    pub(super) fn math(&mut self, op: MathOp, call: Call<'_>) -> Eval<Value> {
        let mut args = [Scalar::Bool(false); 3];
        let arity = op.arity();
        for (i, arg) in args.iter_mut().take(arity).enumerate() {
            *arg = self.scalar_arg(i as Slot, call)?;
        }
        let result = scalar::eval_math(op, &args[..arity]);
        result.map(Value::Scalar).map_err(|error| faults::scalar(error, call.span))
    }

    pub(super) fn extreme(&mut self, op: Intrinsic, call: Call<'_>) -> Eval<Value> {
        let prim = self.result_prim(call)?;
        Ok(Value::Scalar(match op {
            Intrinsic::Highest => prim.highest(),
            Intrinsic::Lowest => prim.lowest(),
            _ => prim.epsilon(),
        }))
    }

    pub(super) fn num_bits(&mut self, call: Call<'_>) -> Eval<Value> {
        let prim = self.scalar_arg(0, call)?.prim();
        Ok(Value::Scalar(Scalar::I32(prim.bits() as i32)))
    }

    pub(super) fn trace(&mut self, call: Call<'_>) -> Eval<Value> {
        let value = self.take(0);
        let ty = self.rt_type(call.ty);
        (self.tracer)(&self.calls, &crate::convert::show(&value, &ty));
        Ok(value)
    }
}
