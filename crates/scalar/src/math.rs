//! The numeric functions that the library's modules offer beyond operators: names and types.

use crate::Prim;
use std::fmt;

/// Which functions compute what has no exact result, such as `exp` and `**`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Math {
    /// Those of the run-time system: at most 4 units in the last place, and vectors in loops.
    #[default]
    Fast,
    /// Those of the C library.
    Strict,
}

impl Math {
    /// The name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Math::Fast => "fast",
            Math::Strict => "strict",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Math> {
        [Math::Fast, Math::Strict].into_iter().find(|math| math.name() == name)
    }
}

/// The types of a function's arguments and result, relative to the type of its module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Floats to the same float type.
    Float(usize),
    /// Numbers to the same type.
    Number(usize),
    /// Integers to the same type.
    Int(usize),
    /// A float to a bool.
    Test,
    /// An integer to `i32`.
    Count,
    /// A float and an `i32` to the float.
    Scale,
    /// A float to the unsigned integer of its size.
    ToBits,
    /// The unsigned integer of its size to a float.
    FromBits,
}

macro_rules! math_ops {
    ($($(#[$doc:meta])* $variant:ident $name:literal $shape:expr;)*) => {
        /// A numeric function such as `f64.sqrt`; the same operation at every type that has it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum MathOp { $($(#[$doc])* $variant,)* }

        impl MathOp {
            /// Every function.
            pub const ALL: &'static [MathOp] = &[$(MathOp::$variant,)*];

            /// The name in the numeric modules.
            pub const fn name(self) -> &'static str {
                match self { $(MathOp::$variant => $name,)* }
            }

            const fn shape(self) -> Shape {
                match self { $(MathOp::$variant => $shape,)* }
            }
        }
    };
}

math_ops! {
    /// Square root.
    Sqrt "sqrt" Shape::Float(1);
    /// One over the square root.
    Rsqrt "rsqrt" Shape::Float(1);
    /// Cube root.
    Cbrt "cbrt" Shape::Float(1);
    /// e to the power.
    Exp "exp" Shape::Float(1);
    /// Two to the power.
    Exp2 "exp2" Shape::Float(1);
    /// `exp x - 1`, accurate near zero.
    Expm1 "expm1" Shape::Float(1);
    /// Natural logarithm.
    Log "log" Shape::Float(1);
    /// Logarithm to base 2.
    Log2 "log2" Shape::Float(1);
    /// Logarithm to base 10.
    Log10 "log10" Shape::Float(1);
    /// `log (1 + x)`, accurate near zero.
    Log1p "log1p" Shape::Float(1);
    /// Sine.
    Sin "sin" Shape::Float(1);
    /// Cosine.
    Cos "cos" Shape::Float(1);
    /// Tangent.
    Tan "tan" Shape::Float(1);
    /// Arc sine.
    Asin "asin" Shape::Float(1);
    /// Arc cosine.
    Acos "acos" Shape::Float(1);
    /// Arc tangent.
    Atan "atan" Shape::Float(1);
    /// Hyperbolic sine.
    Sinh "sinh" Shape::Float(1);
    /// Hyperbolic cosine.
    Cosh "cosh" Shape::Float(1);
    /// Hyperbolic tangent.
    Tanh "tanh" Shape::Float(1);
    /// Inverse hyperbolic sine.
    Asinh "asinh" Shape::Float(1);
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Shape::Float(1);
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Shape::Float(1);
    /// `sin (pi * x)`.
    Sinpi "sinpi" Shape::Float(1);
    /// `cos (pi * x)`.
    Cospi "cospi" Shape::Float(1);
    /// `tan (pi * x)`.
    Tanpi "tanpi" Shape::Float(1);
    /// `asin x / pi`.
    Asinpi "asinpi" Shape::Float(1);
    /// `acos x / pi`.
    Acospi "acospi" Shape::Float(1);
    /// `atan x / pi`.
    Atanpi "atanpi" Shape::Float(1);
    /// The gamma function.
    Gamma "gamma" Shape::Float(1);
    /// Logarithm of the absolute value of the gamma function.
    Lgamma "lgamma" Shape::Float(1);
    /// The error function.
    Erf "erf" Shape::Float(1);
    /// One minus the error function.
    Erfc "erfc" Shape::Float(1);
    /// Rounds up.
    Ceil "ceil" Shape::Float(1);
    /// Rounds down.
    Floor "floor" Shape::Float(1);
    /// Rounds toward zero.
    Trunc "trunc" Shape::Float(1);
    /// Rounds to nearest, halves to even.
    Round "round" Shape::Float(1);
    /// Angle of the point `(x, y)`; takes `y` first.
    Atan2 "atan2" Shape::Float(2);
    /// `atan2 y x / pi`.
    Atan2pi "atan2pi" Shape::Float(2);
    /// Length of the hypotenuse, without overflow on the way.
    Hypot "hypot" Shape::Float(2);
    /// The next float toward the second argument.
    Nextafter "nextafter" Shape::Float(2);
    /// Magnitude of the first argument, sign of the second.
    Copysign "copysign" Shape::Float(2);
    /// `a + (b - a) * t`.
    Lerp "lerp" Shape::Float(3);
    /// `a * b + c`, rounded twice.
    Mad "mad" Shape::Float(3);
    /// `a * b + c`, rounded once.
    Fma "fma" Shape::Float(3);
    /// Times a power of two.
    Ldexp "ldexp" Shape::Scale;
    /// Whether it is NaN.
    Isnan "isnan" Shape::Test;
    /// Whether it is an infinity.
    Isinf "isinf" Shape::Test;
    /// The bits of a float.
    ToBits "to_bits" Shape::ToBits;
    /// The float with these bits.
    FromBits "from_bits" Shape::FromBits;
    /// Absolute value, wrapping at the least integer.
    Abs "abs" Shape::Number(1);
    /// -1, 0 or 1; NaN stays.
    Sgn "sgn" Shape::Number(1);
    /// The lesser; a NaN gives way to the other argument.
    Min "min" Shape::Number(2);
    /// The greater; a NaN gives way to the other argument.
    Max "max" Shape::Number(2);
    /// How many bits are one.
    Popc "popc" Shape::Count;
    /// How many zero bits lead.
    Clz "clz" Shape::Count;
    /// How many zero bits trail.
    Ctz "ctz" Shape::Count;
    /// The high half of the double-width product.
    MulHi "mul_hi" Shape::Int(2);
    /// `mul_hi a b + c`, wrapping.
    MadHi "mad_hi" Shape::Int(3);
}

/// The type of a function at one primitive type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MathType {
    params: [Prim; 3],
    arity: usize,
    /// The type of the result.
    pub result: Prim,
}

impl MathType {
    /// The types of the arguments, in order.
    pub fn params(&self) -> &[Prim] {
        &self.params[..self.arity]
    }
}

impl MathOp {
    /// The function with this name.
    pub fn from_name(name: &str) -> Option<MathOp> {
        MathOp::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// How many arguments it takes.
    pub const fn arity(self) -> usize {
        match self.shape() {
            Shape::Float(n) | Shape::Number(n) | Shape::Int(n) => n,
            Shape::Test | Shape::Count | Shape::ToBits | Shape::FromBits => 1,
            Shape::Scale => 2,
        }
    }

    /// Its type in the module of `at` (`from_bits` at `f32` takes a `u32`); none where that module lacks it.
    pub fn type_at(self, at: Prim) -> Option<MathType> {
        let same = |arity| MathType { params: [at; 3], arity, result: at };
        match self.shape() {
            Shape::Float(n) => at.is_float().then(|| same(n)),
            Shape::Number(n) => at.is_numeric().then(|| same(n)),
            Shape::Int(n) => at.is_int().then(|| same(n)),
            Shape::Test => at.is_float().then(|| MathType { result: Prim::Bool, ..same(1) }),
            Shape::Count => at.is_int().then(|| MathType { result: Prim::I32, ..same(1) }),
            Shape::Scale => at.is_float().then(|| MathType { params: [at, Prim::I32, at], ..same(2) }),
            Shape::ToBits if at.is_float() => at.unsigned().map(|result| MathType { result, ..same(1) }),
            Shape::FromBits if at.is_float() => at.unsigned().map(|bits| MathType { params: [bits; 3], ..same(1) }),
            Shape::ToBits | Shape::FromBits => None,
        }
    }
}

impl MathOp {
    /// Whether its result is rounded more than once, so that implementations differ in the last digits.
    pub const fn is_inexact(self) -> bool {
        use MathOp::*;
        match self {
            Cbrt | Exp | Exp2 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
            | Cosh | Tanh | Asinh | Acosh | Atanh | Sinpi | Cospi | Tanpi | Asinpi | Acospi | Atanpi | Gamma
            | Lgamma | Erf | Erfc | Atan2 | Atan2pi | Hypot => true,
            Sqrt | Rsqrt | Ceil | Floor | Trunc | Round | Nextafter | Copysign | Lerp | Mad | Fma | Ldexp | Isnan
            | Isinf | ToBits | FromBits | Abs | Sgn | Min | Max | Popc | Clz | Ctz | MulHi | MadHi => false,
        }
    }
}

impl fmt::Display for MathOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types() {
        for op in MathOp::ALL {
            assert_eq!(MathOp::from_name(op.name()), Some(*op));
            for at in Prim::ALL {
                assert!(op.type_at(at).is_none_or(|t| t.params().len() == op.arity()));
            }
        }
        let ty = MathOp::FromBits.type_at(Prim::F32).unwrap();
        assert_eq!((ty.params(), ty.result), (&[Prim::U32][..], Prim::F32));
        assert_eq!(MathOp::Ldexp.type_at(Prim::F64).unwrap().params(), [Prim::F64, Prim::I32]);
        assert_eq!(MathOp::Popc.type_at(Prim::U8).unwrap().result, Prim::I32);
        assert_eq!(MathOp::Sqrt.type_at(Prim::I32), None);
    }
}
