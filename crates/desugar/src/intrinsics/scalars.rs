//! Numbers.

use crate::context::{Desugar, Made};
use crate::data::types::Mono;
use crate::data::value::Val;
use ir::{Atom, Exp};
use scalar::{MathOp, Prim, Scalar};
use typed::{Def, Intrinsic};

impl<'t> Desugar<'t> {
    pub(super) fn math(&mut self, op: MathOp, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        let atoms: Option<Vec<Atom>> = args.iter().map(Val::atom).collect();
        let prim = self.type_params(def).first().and_then(Mono::prim);
        let (Some(atoms), Some(prim)) = (atoms, prim) else {
            base::bug!("`{}` is used at a type that is not primitive", op.name());
        };
        let Some(ty) = op.type_at(prim) else {
            base::bug!("`{}` is used at type {prim}", op.name());
        };
        let result = ty.result;
        Ok(Val::Scalar(result, self.b.scalar("t", result, Exp::Math(op, prim, atoms))))
    }

    pub(super) fn convert(&mut self, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        let to = self.type_params(def).get(1).and_then(Mono::prim);
        match (&args[0], to) {
            (Val::Scalar(from, atom), Some(to)) => Ok(Val::Scalar(to, self.b.convert("t", *from, to, *atom))),
            (_, _) => base::bug!("`convert` is used at a type that is not primitive"),
        }
    }

    pub(super) fn extreme(&mut self, op: Intrinsic, def: &'t Def) -> Made<Val<'t>> {
        let Some(prim) = self.type_params(def).first().and_then(Mono::prim) else {
            base::bug!("`{}` is used at a type that is not primitive", op.name());
        };
        let value = match op {
            Intrinsic::Highest => prim.highest(),
            Intrinsic::Lowest => prim.lowest(),
            _ => prim.epsilon(),
        };
        Ok(Val::Scalar(prim, Atom::Const(value)))
    }

    pub(super) fn num_bits(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        match &args[0] {
            Val::Scalar(prim, _) => Ok(Val::Scalar(Prim::I32, Atom::Const(Scalar::I32(prim.bits() as i32)))),
            _ => base::bug!("`num_bits` is used at a type that is not primitive"),
        }
    }
}
