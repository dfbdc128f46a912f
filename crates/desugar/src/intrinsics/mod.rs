//! What the implementation provides: `std/intrinsics.rv` lists the operations with their types and meaning.

mod arrays;
mod order;
mod parallel;
mod scalars;
mod writes;

use crate::mono::Mono;
use crate::value::{ArrayVal, Val};
use crate::{Desugar, Made, unsupported};
use base::{Name, Span};
use ir::Atom;
use scalar::MathOp;
use std::rc::Rc;
use typed::{Def, TypeParam};

impl<'t> Desugar<'t> {
    /// Applies an operation to all its arguments; the environment has its type parameters.
    pub(crate) fn intrinsic(&mut self, name: Name, def: &'t Def, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        match name.as_str() {
            "map" | "map2" | "map3" | "map4" | "map5" => self.map(def, args, span),
            "reduce" => self.reduce(args, false, span),
            "reduce_comm" => self.reduce(args, true, span),
            "scan" => self.scan(args, span),
            "filter" => self.filter(args, span),
            "partition" | "partition2" => self.partition(args, span),
            "scatter" | "scatter_2d" | "scatter_3d" => self.scatter(args, span),
            "hist_1d" | "hist_2d" | "hist_3d" => self.hist(args, span),
            "sort_by" => self.sort_by(args, span),
            "iota" => self.iota(args, span),
            "replicate" => self.replicate(args, span),
            "concat" => self.concat(def, args, span),
            "reverse" => self.reverse(args, span),
            "rotate" => self.rotate(args, span),
            "transpose" => self.transpose(args, span),
            "flatten" | "jagged_flatten" => self.flatten(args, span),
            "unflatten" => self.unflatten(args, span),
            "zip" | "zip3" | "zip4" | "zip5" => self.zip(args, span),
            "unzip" | "unzip3" | "unzip4" | "unzip5" => self.unzip(args, span),
            "copy" | "manifest" => self.copied(&args[0], span),
            "opaque" | "break" => Ok(args[0].clone()),
            "trace" => self.trace(def, &args[0], span),
            "ravel" => self.ravel(args, span),
            "reshape" => self.reshape(args, span),
            "jagged_lengths" => self.jagged_lengths(args, span),
            "jagged_unflatten" => self.jagged_unflatten(args, span),
            "less_equal" => Ok(Val::Scalar(scalar::Prim::Bool, self.less_equal(&args[0], &args[1], span)?)),
            "convert" => self.convert(def, args, span),
            "highest" | "lowest" | "epsilon" => self.extreme(name, def, span),
            "num_bits" => self.num_bits(args, span),
            other => match MathOp::from_name(other) {
                Some(op) => self.math(op, def, args, span),
                None => unsupported(format!("the operation `{name}`"), span),
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
    fn array_arg(&mut self, val: &Val<'t>, span: Span) -> Made<(Rc<ArrayVal>, Atom)> {
        self.rows_of(val, span)
    }

    /// Some rows of an array, by their numbers.
    fn gather(
        &mut self,
        array: &Rc<ArrayVal>,
        count: Atom,
        span: Span,
        place: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Made<Val<'t>> {
        self.build(count, None, span, |d, i| {
            let at = place(d, i);
            Ok(d.element(array, &[at], &[], span))
        })
    }
}
