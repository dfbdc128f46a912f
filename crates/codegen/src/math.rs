//! Numeric functions at each type. They must compute what the `scalar` crate does, last digits of transcendental
//! functions aside.

use crate::emitter::Emitter;
use crate::expr::Text;
use crate::types::{c_type, unsigned_type};
use kernel::Expr;
use scalar::{MathOp, Prim};

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

    /// Functions of the C library where they compute the same, otherwise our own.
    fn float_math(&mut self, op: MathOp, prim: Prim, args: &[Expr]) -> Text {
        match op {
            MathOp::Sqrt => self.library_math("sqrt", prim, args),
            MathOp::Cbrt => self.library_math("cbrt", prim, args),
            MathOp::Exp => self.library_math("exp", prim, args),
            MathOp::Exp2 => self.library_math("exp2", prim, args),
            MathOp::Expm1 => self.library_math("expm1", prim, args),
            MathOp::Log => self.library_math("log", prim, args),
            MathOp::Log2 => self.library_math("log2", prim, args),
            MathOp::Log10 => self.library_math("log10", prim, args),
            MathOp::Log1p => self.library_math("log1p", prim, args),
            MathOp::Sin => self.library_math("sin", prim, args),
            MathOp::Cos => self.library_math("cos", prim, args),
            MathOp::Tan => self.library_math("tan", prim, args),
            MathOp::Asin => self.library_math("asin", prim, args),
            MathOp::Acos => self.library_math("acos", prim, args),
            MathOp::Atan => self.library_math("atan", prim, args),
            MathOp::Sinh => self.library_math("sinh", prim, args),
            MathOp::Cosh => self.library_math("cosh", prim, args),
            MathOp::Tanh => self.library_math("tanh", prim, args),
            MathOp::Asinh => self.library_math("asinh", prim, args),
            MathOp::Acosh => self.library_math("acosh", prim, args),
            MathOp::Atanh => self.library_math("atanh", prim, args),
            MathOp::Gamma => self.library_math("tgamma", prim, args),
            MathOp::Erf => self.library_math("erf", prim, args),
            MathOp::Erfc => self.library_math("erfc", prim, args),
            MathOp::Ceil => self.library_math("ceil", prim, args),
            MathOp::Floor => self.library_math("floor", prim, args),
            MathOp::Trunc => self.library_math("trunc", prim, args),
            // The rounding mode is to nearest, ties to even.
            MathOp::Round => self.library_math("rint", prim, args),
            MathOp::Atan2 => self.library_math("atan2", prim, args),
            MathOp::Hypot => self.library_math("hypot", prim, args),
            MathOp::Copysign => self.library_math("copysign", prim, args),
            MathOp::Abs => self.library_math("fabs", prim, args),
            MathOp::Nextafter if prim == Prim::F16 => self.half_next(args),
            MathOp::Nextafter => self.library_math("nextafter", prim, args),
            MathOp::Rsqrt => self.own_math(op, "RV_RSQRT", prim, args, Some("sqrt"), false),
            MathOp::Sinpi | MathOp::Cospi | MathOp::Tanpi => self.by_pi(op, "RV_OF_PI", prim, args),
            MathOp::Asinpi | MathOp::Acospi | MathOp::Atanpi => self.by_pi(op, "RV_BY_PI", prim, args),
            MathOp::Atan2pi => self.own_math(op, "RV_ATAN2PI", prim, args, Some("atan2"), false),
            MathOp::Lgamma => self.lgamma(prim, args),
            MathOp::Sgn => self.own_math(op, "RV_FLOAT_SGN", prim, args, None, false),
            MathOp::Min => self.own_math(op, "RV_FLOAT_MIN", prim, args, None, false),
            MathOp::Max => self.own_math(op, "RV_FLOAT_MAX", prim, args, None, false),
            MathOp::Mad | MathOp::Lerp if prim == Prim::F16 => self.half_steps(op, args),
            MathOp::Mad => self.own_math(op, "RV_MAD", prim, args, None, false),
            MathOp::Lerp => self.own_math(op, "RV_LERP", prim, args, None, false),
            MathOp::Fma if prim == Prim::F16 => self.half_fma(args),
            MathOp::Fma => self.library_math("fma", prim, args),
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

    fn library_math(&mut self, name: &str, prim: Prim, args: &[Expr]) -> Text {
        self.float_call(name, prim, args)
    }

    /// A trigonometric function whose angle counts in half turns. Its name is that of the C function and `pi`.
    fn by_pi(&mut self, op: MathOp, definition: &str, prim: Prim, args: &[Expr]) -> Text {
        self.own_math(op, definition, prim, args, op.name().strip_suffix("pi"), true)
    }

    /// A function that the run-time system defines by a macro, perhaps with the help of one of the C library.
    fn own_math(
        &mut self,
        op: MathOp,
        definition: &str,
        prim: Prim,
        args: &[Expr],
        library: Option<&str>,
        named: bool,
    ) -> Text {
        let at = if prim == Prim::F64 { Prim::F64 } else { Prim::F32 };
        let name = format!("rv_{op}_{at}");
        let mut macro_args = vec![c_type(at)];
        if let Some(library) = library {
            self.library(library, at, args.len());
            macro_args.push(if at == Prim::F64 { "RV_F64" } else { "RV_F32" });
            macro_args.extend(named.then_some(library));
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
