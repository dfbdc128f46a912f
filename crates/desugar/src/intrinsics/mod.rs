//! What the implementation provides: `std/intrinsics.rv` lists the operations with their types and meaning.

mod arrays;
mod parallel;

use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::types::Mono;
use crate::data::value::{ArrayVal, Val};
use ir::{Atom, Exp};
use scalar::{MathOp, Prim, Scalar};
use std::rc::Rc;
use typed::{Def, Intrinsic, TypeParam};

impl<'t> Desugar<'t> {
    /// Applies an operation to all its arguments; the environment has its type parameters.
    pub(crate) fn intrinsic(&mut self, op: Intrinsic, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        match op {
            Intrinsic::Map | Intrinsic::Map2 | Intrinsic::Map3 | Intrinsic::Map4 | Intrinsic::Map5 => {
                self.map(def, args)
            }
            Intrinsic::Reduce => self.reduce(args, false),
            Intrinsic::ReduceComm => self.reduce(args, true),
            Intrinsic::Scan => self.scan(args),
            Intrinsic::Scatter | Intrinsic::Scatter2 | Intrinsic::Scatter3 => self.scatter(args),
            Intrinsic::Hist1 | Intrinsic::Hist2 | Intrinsic::Hist3 => self.hist(args),
            Intrinsic::SortBy => self.sort_by(args),
            Intrinsic::Iota => self.iota(args),
            Intrinsic::Replicate => self.replicate(args),
            Intrinsic::Concat => self.concat(def, args),
            Intrinsic::Reverse => self.reverse(args),
            Intrinsic::Rotate => self.rotate(args),
            Intrinsic::Transpose => self.transpose(args),
            Intrinsic::Flatten | Intrinsic::JaggedFlatten => self.flatten(args),
            Intrinsic::Unflatten => self.unflatten(args),
            Intrinsic::Zip | Intrinsic::Zip3 | Intrinsic::Zip4 | Intrinsic::Zip5 => self.zip(args),
            Intrinsic::Unzip | Intrinsic::Unzip3 | Intrinsic::Unzip4 | Intrinsic::Unzip5 => self.unzip(args),
            Intrinsic::Copy | Intrinsic::Manifest => Ok(self.copied(&args[0])),
            Intrinsic::Opaque | Intrinsic::Break => Ok(args[0].clone()),
            Intrinsic::Trace => self.trace(def, &args[0]),
            Intrinsic::Ravel => self.ravel(args),
            Intrinsic::Reshape => self.reshape(args),
            Intrinsic::JaggedLengths => self.jagged_lengths(args),
            Intrinsic::JaggedUnflatten => self.jagged_unflatten(args),
            Intrinsic::LessEqual => Ok(Val::bool(self.less_equal(&args[0], &args[1])?)),
            Intrinsic::Convert => self.convert(def, args),
            Intrinsic::Highest | Intrinsic::Lowest | Intrinsic::Epsilon => self.extreme(op, def),
            Intrinsic::NumBits => self.num_bits(args),
            Intrinsic::Math(op) => self.math(op, def, args),
        }
    }

    /// The type arguments of an operation, in order.
    fn type_params(&self, def: &Def) -> Vec<Mono> {
        let types = def.type_params.iter().filter_map(|p| match p {
            TypeParam::Type(var) => self.env.types.get(var).cloned(),
            TypeParam::Size(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => None,
        });
        types.collect()
    }

    /// Some rows of an array, by their numbers.
    fn gather(
        &mut self,
        array: &Rc<ArrayVal<'t>>,
        count: Atom,
        place: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Made<Val<'t>> {
        self.build(count, None, |d, i| {
            let at = place(d, i);
            Ok(element(&mut d.b, array, &[at]))
        })
    }

    fn math(&mut self, op: MathOp, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
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

    fn convert(&mut self, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        let to = self.type_params(def).get(1).and_then(Mono::prim);
        match (&args[0], to) {
            (Val::Scalar(from, atom), Some(to)) => Ok(Val::Scalar(to, self.b.convert("t", *from, to, *atom))),
            (_, _) => base::bug!("`convert` is used at a type that is not primitive"),
        }
    }

    fn extreme(&mut self, op: Intrinsic, def: &'t Def) -> Made<Val<'t>> {
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

    fn num_bits(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        match &args[0] {
            Val::Scalar(prim, _) => Ok(Val::Scalar(Prim::I32, Atom::Const(Scalar::I32(prim.bits() as i32)))),
            _ => base::bug!("`num_bits` is used at a type that is not primitive"),
        }
    }
}
