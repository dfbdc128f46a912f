//! C types and constants of the primitive types.

use scalar::{Prim, Scalar};

/// The C type.
pub(crate) fn c_type(prim: Prim) -> &'static str {
    match prim {
        Prim::Bool => "bool",
        Prim::I8 => "int8_t",
        Prim::I16 => "int16_t",
        Prim::I32 => "int32_t",
        Prim::I64 => "int64_t",
        Prim::U8 => "uint8_t",
        Prim::U16 => "uint16_t",
        Prim::U32 => "uint32_t",
        Prim::U64 => "uint64_t",
        Prim::F16 => "rv_f16",
        Prim::F32 => "float",
        Prim::F64 => "double",
    }
}

/// The unsigned C type of the same size.
pub(crate) fn unsigned_type(prim: Prim) -> &'static str {
    prim.unsigned().map_or("uint8_t", c_type)
}

/// The name of the number that the run-time system gives the type.
pub(crate) fn prim_number(prim: Prim) -> &'static str {
    match prim {
        Prim::Bool => "RV_BOOL",
        Prim::I8 => "RV_I8",
        Prim::I16 => "RV_I16",
        Prim::I32 => "RV_I32",
        Prim::I64 => "RV_I64",
        Prim::U8 => "RV_U8",
        Prim::U16 => "RV_U16",
        Prim::U32 => "RV_U32",
        Prim::U64 => "RV_U64",
        Prim::F16 => "RV_F16",
        Prim::F32 => "RV_F32",
        Prim::F64 => "RV_F64",
    }
}

/// A constant.
pub(crate) fn constant(value: Scalar) -> String {
    let signed = |x: i64| if x < 0 { format!("({x})") } else { x.to_string() };
    match value {
        Scalar::Bool(x) => x.to_string(),
        Scalar::I8(x) => signed(x.into()),
        Scalar::I16(x) => signed(x.into()),
        Scalar::I32(i32::MIN) => "INT32_MIN".into(),
        Scalar::I32(x) => signed(x.into()),
        Scalar::I64(i64::MIN) => "INT64_MIN".into(),
        Scalar::I64(x) => signed(x),
        Scalar::U8(x) => x.to_string(),
        Scalar::U16(x) => x.to_string(),
        Scalar::U32(x) => format!("{x}u"),
        Scalar::U64(x) => format!("UINT64_C({x})"),
        Scalar::F16(x) => format!("0x{:04x}", x.to_bits()),
        Scalar::F32(x) => float(x.into(), &format!("{x:?}f"), "f"),
        Scalar::F64(x) => float(x, &format!("{x:?}"), ""),
    }
}

fn float(x: f64, digits: &str, suffix: &str) -> String {
    let text = if x.is_nan() {
        // The sign of NaN shows in `copysign`.
        format!("{}__builtin_nan{suffix}(\"\")", if x.is_sign_negative() { "-" } else { "" })
    } else if x.is_infinite() {
        format!("{}__builtin_inf{suffix}()", if x < 0.0 { "-" } else { "" })
    } else {
        digits.to_owned()
    };
    if text.starts_with('-') { format!("({text})") } else { text }
}
