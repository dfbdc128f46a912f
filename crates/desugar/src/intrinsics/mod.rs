//! What the implementation provides: `std/intrinsics.rv` lists the operations with their types and meaning.

mod arrays;
mod order;
mod parallel;
mod scalars;
mod writes;

use crate::mono::Mono;
use crate::value::{ArrayVal, Val};
use crate::{Desugar, Made};
use base::Name;
use ir::Atom;
use scalar::MathOp;
use std::rc::Rc;
use typed::{Def, TypeParam};

impl<'t> Desugar<'t> {
    /// Applies an operation to all its arguments; the environment has its type parameters.
    pub(crate) fn intrinsic(&mut self, name: Name, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        match name.as_str() {
            "map" | "map2" | "map3" | "map4" | "map5" => self.map(def, args),
            "reduce" => self.reduce(args, false),
            "reduce_comm" => self.reduce(args, true),
            "scan" => self.scan(args),
            "filter" => self.filter(args),
            "partition" | "partition2" => self.partition(args),
            "scatter" | "scatter_2d" | "scatter_3d" => self.scatter(args),
            "hist_1d" | "hist_2d" | "hist_3d" => self.hist(args),
            "sort_by" => self.sort_by(args),
            "iota" => self.iota(args),
            "replicate" => self.replicate(args),
            "concat" => self.concat(def, args),
            "reverse" => self.reverse(args),
            "rotate" => self.rotate(args),
            "transpose" => self.transpose(args),
            "flatten" | "jagged_flatten" => self.flatten(args),
            "unflatten" => self.unflatten(args),
            "zip" | "zip3" | "zip4" | "zip5" => self.zip(args),
            "unzip" | "unzip3" | "unzip4" | "unzip5" => self.unzip(args),
            "copy" | "manifest" => self.copied(&args[0]),
            "opaque" | "break" => Ok(args[0].clone()),
            "trace" => self.trace(def, &args[0]),
            "ravel" => self.ravel(args),
            "reshape" => self.reshape(args),
            "jagged_lengths" => self.jagged_lengths(args),
            "jagged_unflatten" => self.jagged_unflatten(args),
            "less_equal" => Ok(Val::Scalar(scalar::Prim::Bool, self.less_equal(&args[0], &args[1])?)),
            "convert" => self.convert(def, args),
            "highest" | "lowest" | "epsilon" => self.extreme(name, def),
            "num_bits" => self.num_bits(args),
            other => match MathOp::from_name(other) {
                Some(op) => self.math(op, def, args),
                None => self.unsupported(format!("the operation `{name}`")),
            },
        }
    }

    /// What the type parameters of an operation stand for, in order.
    fn type_params(&self, def: &Def) -> Vec<Mono> {
        let types = def.type_params.iter().filter_map(|p| match p {
            TypeParam::Type(var) => self.env.types.get(var).cloned(),
            TypeParam::Size(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => None,
        });
        types.collect()
    }

    /// An argument that is an array with a known first dimension.
    fn array_arg(&mut self, val: &Val<'t>) -> Made<(Rc<ArrayVal>, Atom)> {
        self.rows_of(val)
    }

    /// Some rows of an array, by their numbers.
    fn gather(
        &mut self,
        array: &Rc<ArrayVal>,
        count: Atom,
        place: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Made<Val<'t>> {
        self.build(count, None, |d, i| {
            let at = place(d, i);
            Ok(d.element(array, &[at]))
        })
    }
}
