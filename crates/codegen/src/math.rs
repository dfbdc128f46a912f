//! Numeric functions at each type. They must compute what the `scalar` crate does, last digits of those without an exact
//! result aside.

use crate::emitter::Emitter;
use crate::expr::Text;
use crate::rare;
use crate::types::{c_type, unsigned_type};
use kernel::Expr;
use scalar::{Math, MathOp, Prim};

/// The types that a product of two integers fits.
fn double_width(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 | Prim::I16 | Prim::I32 => "int64_t",
        Prim::I64 => "rv_i128",
        Prim::U64 => "rv_u128",
        _ => "uint64_t",
    }
}

impl Emitter<'_> {
    pub(crate) fn math(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Text {
        if prim.is_float() { self.float_math(op, prim, args) } else { self.int_math(op, prim, args) }
    }

    fn int_math(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Text {
        if op == MathOp::MadHi {
            let [x, y, z] = args else { return Text::atom("0") };
            let high = self.int_math(MathOp::MulHi, prim, &[*x, *y]);
            return self.wrapping_sum(prim, high, *z);
        }
        if let (MathOp::Abs | MathOp::Sgn, true, [x]) = (op, prim.is_unsigned(), args) {
            let x = self.expr(*x);
            return if op == MathOp::Abs { x } else { Text::infix(x, "!=", Text::atom("0")) };
        }
        let definition = format!("RV_{}", op.name().to_uppercase());
        let second = if op == MathOp::MulHi { double_width(prim) } else { unsigned_type(prim) };
        let name = format!("rv_{op}_{prim}");
        self.needs.function(&name, &definition, &[c_type(prim), second]);
        let args: Vec<Text> = args.iter().map(|arg| self.expr(*arg)).collect();
        Text::call(&name, &args)
    }

    /// Functions of the C library where they are exact, otherwise our own.
    fn float_math(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Text {
        match op {
            MathOp::Sqrt => self.float_call("sqrt", prim, args),
            MathOp::Cbrt => self.inexact("cbrt", prim, args),
            MathOp::Exp => self.inexact("exp", prim, args),
            MathOp::Exp2 => self.inexact("exp2", prim, args),
            MathOp::Expm1 => self.inexact("expm1", prim, args),
            MathOp::Log => self.inexact("log", prim, args),
            MathOp::Log2 => self.inexact("log2", prim, args),
            MathOp::Log10 => self.inexact("log10", prim, args),
            MathOp::Log1p => self.inexact("log1p", prim, args),
            MathOp::Sin => self.inexact("sin", prim, args),
            MathOp::Cos => self.inexact("cos", prim, args),
            MathOp::Tan => self.inexact("tan", prim, args),
            MathOp::Asin => self.inexact("asin", prim, args),
            MathOp::Acos => self.inexact("acos", prim, args),
            MathOp::Atan => self.inexact("atan", prim, args),
            MathOp::Sinh => self.inexact("sinh", prim, args),
            MathOp::Cosh => self.inexact("cosh", prim, args),
            MathOp::Tanh => self.inexact("tanh", prim, args),
            MathOp::Asinh => self.inexact("asinh", prim, args),
            MathOp::Acosh => self.inexact("acosh", prim, args),
            MathOp::Atanh => self.inexact("atanh", prim, args),
            MathOp::Gamma => self.float_call("tgamma", prim, args),
            MathOp::Erf => self.inexact("erf", prim, args),
            MathOp::Erfc => self.inexact("erfc", prim, args),
            MathOp::Ceil => self.float_call("ceil", prim, args),
            MathOp::Floor => self.float_call("floor", prim, args),
            MathOp::Trunc => self.float_call("trunc", prim, args),
            // The rounding mode is to nearest, ties to even.
            MathOp::Round => self.float_call("rint", prim, args),
            MathOp::Atan2 => self.inexact("atan2", prim, args),
            MathOp::Hypot => self.inexact("hypot", prim, args),
            MathOp::Copysign => self.float_call("copysign", prim, args),
            MathOp::Abs => self.float_call("fabs", prim, args),
            MathOp::Nextafter if prim == Prim::F16 => self.half_next(args),
            MathOp::Nextafter => self.float_call("nextafter", prim, args),
            MathOp::Rsqrt => self.own_math(op, "RV_RSQRT", prim, args, Some("sqrt")),
            MathOp::Sinpi => self.by_pi("sin", prim, args, false),
            MathOp::Cospi => self.by_pi("cos", prim, args, false),
            MathOp::Tanpi => self.by_pi("tan", prim, args, false),
            MathOp::Asinpi => self.by_pi("asin", prim, args, true),
            MathOp::Acospi => self.by_pi("acos", prim, args, true),
            MathOp::Atanpi => self.by_pi("atan", prim, args, true),
            MathOp::Atan2pi => self.by_pi("atan2", prim, args, true),
            MathOp::Lgamma => self.lgamma(prim, args),
            MathOp::Sgn => self.own_math(op, "RV_FLOAT_SGN", prim, args, None),
            MathOp::Min => self.own_math(op, "RV_FLOAT_MIN", prim, args, None),
            MathOp::Max => self.own_math(op, "RV_FLOAT_MAX", prim, args, None),
            MathOp::Mad | MathOp::Lerp if prim == Prim::F16 => self.half_steps(op, args),
            MathOp::Mad => self.own_math(op, "RV_MAD", prim, args, None),
            MathOp::Lerp => self.own_math(op, "RV_LERP", prim, args, None),
            MathOp::Fma if prim == Prim::F16 => self.half_fma(args),
            MathOp::Fma => self.float_call("fma", prim, args),
            MathOp::Ldexp => self.ldexp(prim, args),
            MathOp::Isnan | MathOp::Isinf => self.float_test(op, prim, args),
            MathOp::ToBits | MathOp::FromBits => self.bits(op, prim, args),
            MathOp::Popc | MathOp::Clz | MathOp::Ctz | MathOp::MulHi | MathOp::MadHi => self.int_math(op, prim, args),
        }
    }

    /// C has no `nextafter` at `f16`.
    fn half_next(&mut self, args: &[Expr]) -> Text {
        self.needs.half = true;
        let args: Vec<Text> = args.iter().map(|arg| self.expr(*arg)).collect();
        Text::call("rv_f16_next", &args)
    }

    /// `isnan` and `isinf`, which the C compiler has built in.
    fn float_test(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Text {
        let args: Vec<Text> = args.iter().map(|arg| self.number(*arg, prim)).collect();
        Text::infix(Text::call(&format!("__builtin_{op}"), &args), "!=", Text::atom("0"))
    }

    /// A function without an exact result: that of the C library, or our own.
    pub(crate) fn inexact(&mut self, name: &str, prim: Prim, args: &[Expr]) -> Text {
        if self.program.math == Math::Strict {
            return self.float_call(name, prim, args);
        }
        let args = args.iter().map(|arg| self.number(*arg, prim)).collect();
        let text = self.own_call(name, prim, args);
        self.rounded(prim, text)
    }

    /// A call of a function of `runtime/c/math.h`.
    fn own_call(&mut self, name: &str, prim: Prim, mut args: Vec<Text>) -> Text {
        self.needs.math = true;
        let at = if prim == Prim::F64 { Prim::F64 } else { Prim::F32 };
        match self.repeated.filter(|_| rare::may_be_far(name)) {
            Some(number) => {
                args.push(Text::atom(format!("&{}", rare::flag(number, at))));
                Text::call(&format!("rv_{name}_quick_{at}"), &args)
            }
            None => Text::call(&format!("rv_{name}_{at}"), &args),
        }
    }

    /// A function whose angles count in half turns, by the one whose angles do not.
    fn by_pi(&mut self, name: &str, prim: Prim, args: &[Expr], inverse: bool) -> Text {
        let ty = if prim == Prim::F64 { "double" } else { "float" };
        let pi = Text::cast(ty, Text::atom("RV_PI"));
        let mut args: Vec<Text> = args.iter().map(|arg| self.number(*arg, prim)).collect();
        if !inverse {
            args = args.into_iter().map(|arg| Text::infix(pi.clone(), "*", arg)).collect();
        }
        let angle = match self.program.math {
            Math::Strict => Text::call(&self.library(name, prim, args.len()), &args),
            Math::Fast => self.own_call(name, prim, args),
        };
        let text = if inverse { Text::infix(angle, "/", pi) } else { angle };
        self.rounded(prim, text)
    }

    /// A function that the run-time system defines by a macro, perhaps with the help of one of the C library.
    fn own_math(&mut self, op: MathOp, definition: &str, prim: Prim, args: &[Expr], library: Option<&str>) -> Text {
        let at = if prim == Prim::F64 { Prim::F64 } else { Prim::F32 };
        let name = format!("rv_{op}_{at}");
        let mut macro_args = vec![c_type(at)];
        if let Some(library) = library {
            self.library(library, at, args.len());
            macro_args.push(if at == Prim::F64 { "RV_F64" } else { "RV_F32" });
        }
        self.needs.function(&name, definition, &macro_args);
        let args: Vec<Text> = args.iter().map(|arg| self.number(*arg, prim)).collect();
        self.rounded(prim, Text::call(&name, &args))
    }

    /// The plain `lgamma` writes to a variable that threads share.
    fn lgamma(&mut self, prim: Prim, args: &[Expr]) -> Text {
        let (ty, at, function) =
            if prim == Prim::F64 { ("double", Prim::F64, "lgamma_r") } else { ("float", Prim::F32, "lgammaf_r") };
        self.needs.prototype(format!("extern {ty} {function}({ty}, int *);\n"));
        let name = format!("rv_lgamma_{at}");
        self.needs.function(&name, "RV_LGAMMA", &[ty, function]);
        let args: Vec<Text> = args.iter().map(|arg| self.number(*arg, prim)).collect();
        self.rounded(prim, Text::call(&name, &args))
    }

    /// `x * y + z` and `x + (y - x) * t` at `f16`, rounded after each step.
    fn half_steps(&mut self, op: MathOp, args: &[Expr]) -> Text {
        let [x, y, z] = args else { return Text::atom("0") };
        let [first, y, z] = [x, y, z].map(|arg| self.expr(*arg));
        if op != MathOp::Lerp {
            let product = self.half_infix(first, "*", y);
            return self.half_infix(product, "+", z);
        }
        let again = self.expr(*x);
        let distance = self.half_infix(y, "-", again);
        let part = self.half_infix(distance, "*", z);
        self.half_infix(first, "+", part)
    }

    /// An operator at `f16`, which is computed as `float` and rounded.
    fn half_infix(&mut self, left: Text, symbol: &str, right: Text) -> Text {
        let [left, right] = [left, right].map(|text| self.half("rv_f32_of_f16", text));
        self.rounded(Prim::F16, Text::infix(left, symbol, right))
    }

    /// The product as `double` is exact.
    fn half_fma(&mut self, args: &[Expr]) -> Text {
        let [x, y, z] = args else { return Text::atom("0") };
        let [x, y, z] = [x, y, z].map(|arg| Text::cast("double", self.number(*arg, Prim::F16)));
        let sum = Text::infix(Text::infix(x, "*", y), "+", z);
        self.half("rv_f16_of_f64", sum)
    }

    fn ldexp(&mut self, prim: Prim, args: &[Expr]) -> Text {
        let [x, n] = args else { return Text::atom("0") };
        let (suffix, ty) = if prim == Prim::F32 { ("f", "float") } else { ("", "double") };
        self.needs.prototype(format!("extern {ty} ldexp{suffix}({ty}, int);\n"));
        let args = [self.number(*x, prim), self.expr(*n)];
        let text = Text::call(&format!("ldexp{suffix}"), &args);
        if prim == Prim::F16 { self.half("rv_f16_of_f64", text) } else { text }
    }

    fn bits(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Text {
        let args: Vec<Text> = args.iter().map(|arg| self.expr(*arg)).collect();
        let name = match (prim, op) {
            (Prim::F16, _) => "(rv_f16)".to_owned(),
            (_, MathOp::ToBits) => self.bits_of(prim),
            _ => self.of_bits(prim),
        };
        Text::call(&name, &args)
    }

    /// The function from a float to its bits.
    pub(crate) fn bits_of(&mut self, prim: Prim) -> String {
        let name = format!("rv_bits_of_{prim}");
        self.needs.function(&name, "RV_TO_BITS", &[c_type(prim), unsigned_type(prim)]);
        name
    }

    /// The function from bits to their float.
    pub(crate) fn of_bits(&mut self, prim: Prim) -> String {
        let name = format!("rv_{prim}_of_bits");
        self.needs.function(&name, "RV_FROM_BITS", &[c_type(prim), unsigned_type(prim)]);
        name
    }
}
