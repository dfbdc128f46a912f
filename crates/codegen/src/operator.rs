//! Operators and conversions at each type. They must compute what the `scalar` crate does.

use crate::emitter::Emitter;
use crate::expr::Text;
use crate::types::{c_type, constant, unsigned_type};
use kernel::{Expr, Op};
use scalar::{BinOp, Prim, UnOp};

impl Emitter<'_> {
    pub(crate) fn bin(&mut self, op: BinOp, prim: Prim, left: Expr, right: Expr) -> Text {
        match op {
            BinOp::LogAnd | BinOp::LogOr | BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                let (left, right) = (self.number(left, prim), self.number(right, prim));
                Text::infix(left, op.symbol(), right)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul if prim.is_int() => self.wrapping(op, prim, left, right),
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.float_infix(op.symbol(), prim, left, right),
            BinOp::Div if prim.is_float() => self.float_infix("/", prim, left, right),
            BinOp::Mod if prim.is_float() => self.float_call("fmod", prim, &[left, right]),
            BinOp::Pow if prim.is_float() => self.inexact("pow", prim, &[left, right]),
            BinOp::Pow => self.int_call("pow", "RV_POW", prim, left, right),
            BinOp::Div if prim.is_signed() => self.int_call("div", "RV_DIV_SIGNED", prim, left, right),
            BinOp::Mod if prim.is_signed() => self.int_call("mod", "RV_MOD_SIGNED", prim, left, right),
            BinOp::Quot if prim.is_signed() => self.int_call("quot", "RV_QUOT_SIGNED", prim, left, right),
            BinOp::Rem if prim.is_signed() => self.int_call("rem", "RV_REM_SIGNED", prim, left, right),
            BinOp::Div | BinOp::Quot => self.plain_infix("/", left, right),
            BinOp::Mod | BinOp::Rem => self.plain_infix("%", left, right),
            BinOp::Shl => self.shift("shl", "RV_SHL", prim, left, right),
            BinOp::Shr if prim.is_signed() => self.shift("shr", "RV_SHR", prim, left, right),
            BinOp::Shr | BinOp::ShrZero => self.shift("shr_zero", "RV_SHR_ZERO", prim, left, right),
            BinOp::And | BinOp::Or | BinOp::Xor => self.plain_infix(op.symbol(), left, right),
        }
    }

    pub(crate) fn un(&mut self, op: UnOp, prim: Prim, inner: Expr) -> Text {
        let x = self.expr(inner);
        match (op, prim) {
            (UnOp::Neg | UnOp::Not, Prim::Bool) => Text::prefix("!", x),
            (UnOp::Neg, Prim::F16) => Text::cast("rv_f16", Text::infix(x, "^", Text::atom("0x8000"))),
            (UnOp::Neg, Prim::F32 | Prim::F64) => Text::prefix("-", x),
            (UnOp::Neg, _) => {
                let negated = Text::infix(Text::atom("0"), "-", Text::cast(wide_unsigned(prim), x));
                Text::cast(c_type(prim), negated)
            }
            (UnOp::Not, _) => Text::cast(c_type(prim), Text::prefix("~", x)),
        }
    }

    /// Integers wrap, so they are added, subtracted and multiplied as unsigned ones.
    fn wrapping(&mut self, op: BinOp, prim: Prim, left: Expr, right: Expr) -> Text {
        let text = self.unsigned_infix(op, prim, left, right);
        if matches!(prim, Prim::U32 | Prim::U64) { text } else { Text::cast(c_type(prim), text) }
    }

    /// An integer as an unsigned one; chains of operators need no conversions in between.
    fn unsigned(&mut self, prim: Prim, expr: Expr) -> Text {
        let program = self.program;
        if let Expr::Op(id) = expr
            && let Op::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), at, left, right) = &program.exprs[id]
            && *at == prim
        {
            return self.unsigned_infix(*op, prim, *left, *right);
        }
        as_unsigned(prim, self.expr(expr))
    }

    /// The sum of an integer that was computed and another one; it wraps.
    pub(crate) fn wrapping_sum(&mut self, prim: Prim, left: Text, right: Expr) -> Text {
        let sum = Text::infix(as_unsigned(prim, left), "+", self.right_unsigned(prim, right));
        if matches!(prim, Prim::U32 | Prim::U64) { sum } else { Text::cast(c_type(prim), sum) }
    }

    fn unsigned_infix(&mut self, op: BinOp, prim: Prim, left: Expr, right: Expr) -> Text {
        let x = self.unsigned(prim, left);
        Text::infix(x, op.symbol(), self.right_unsigned(prim, right))
    }

    /// An integer to the right of an unsigned one: beside it a constant becomes unsigned by itself.
    fn right_unsigned(&mut self, prim: Prim, right: Expr) -> Text {
        match right {
            Expr::Const(c) if c.as_int().is_some_and(|c| (0..=i32::MAX.into()).contains(&c)) => self.expr(right),
            Expr::Const(_) | Expr::Var(_) | Expr::Op(_) => self.unsigned(prim, right),
        }
    }

    fn plain_infix(&mut self, symbol: &str, left: Expr, right: Expr) -> Text {
        let (left, right) = (self.expr(left), self.expr(right));
        Text::infix(left, symbol, right)
    }

    fn float_infix(&mut self, symbol: &str, prim: Prim, left: Expr, right: Expr) -> Text {
        let (left, right) = (self.number(left, prim), self.number(right, prim));
        self.rounded(prim, Text::infix(left, symbol, right))
    }

    /// A call of a function of the C library on floats.
    pub(crate) fn float_call(&mut self, name: &str, prim: Prim, args: &[Expr]) -> Text {
        let args: Vec<Text> = args.iter().map(|arg| self.number(*arg, prim)).collect();
        let function = self.library(name, prim, args.len());
        self.rounded(prim, Text::call(&function, &args))
    }

    /// The name of a function of the C library at a type.
    pub(crate) fn library(&mut self, name: &str, prim: Prim, arity: usize) -> String {
        let (suffix, ty) = if prim == Prim::F64 { ("", "double") } else { ("f", "float") };
        let params = vec![ty; arity].join(", ");
        self.needs.prototype(format!("extern {ty} {name}{suffix}({params});\n"));
        format!("{name}{suffix}")
    }

    /// A value to compute with: `f16` as `float`.
    pub(crate) fn number(&mut self, expr: Expr, prim: Prim) -> Text {
        let text = self.expr(expr);
        if prim == Prim::F16 { self.half("rv_f32_of_f16", text) } else { text }
    }

    /// A computed value at its type.
    pub(crate) fn rounded(&mut self, prim: Prim, text: Text) -> Text {
        if prim == Prim::F16 { self.half("rv_f16_of_f32", text) } else { text }
    }

    /// A call of a function on `f16`.
    pub(crate) fn half(&mut self, function: &str, text: Text) -> Text {
        self.needs.half = true;
        Text::call(function, &[text])
    }

    fn int_call(&mut self, name: &str, definition: &str, prim: Prim, left: Expr, right: Expr) -> Text {
        let args = [self.expr(left), self.expr(right)];
        let name = format!("rv_{name}_{prim}");
        self.needs.function(&name, definition, &[c_type(prim), unsigned_type(prim)]);
        Text::call(&name, &args)
    }

    fn shift(&mut self, name: &str, definition: &str, prim: Prim, left: Expr, right: Expr) -> Text {
        let args = [self.expr(left), self.expr(right)];
        let name = format!("rv_{name}_{prim}");
        let width = prim.bits().to_string();
        self.needs.function(&name, definition, &[c_type(prim), unsigned_type(prim), &width]);
        Text::call(&name, &args)
    }

    pub(crate) fn convert(&mut self, from: Prim, to: Prim, inner: Expr) -> Text {
        let text = self.expr(inner);
        if from == to {
            return text;
        }
        if from.is_float() {
            return self.float_to(from, to, text);
        }
        match to {
            Prim::Bool => Text::infix(text, "!=", Text::atom("0")),
            // GCC makes vectors of choices, not of conversions of truth values.
            Prim::F32 | Prim::F64 if from == Prim::Bool => {
                Text::choice(text, Text::atom(constant(to.one())), Text::atom(constant(to.zero())))
            }
            Prim::F16 => self.half("rv_f16_of_f64", text),
            // The unsigned type of the same size in between lets zeros come in.
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 if from.is_signed() => {
                Text::cast(c_type(to), Text::cast(unsigned_type(from), text))
            }
            _ => Text::cast(c_type(to), text),
        }
    }

    fn float_to(&mut self, from: Prim, to: Prim, text: Text) -> Text {
        let text = if from == Prim::F16 { self.half("rv_f32_of_f16", text) } else { text };
        match to {
            Prim::Bool => Text::infix(text, "!=", Text::atom("0")),
            Prim::F16 if from == Prim::F32 => self.half("rv_f16_of_f32", text),
            Prim::F16 => self.half("rv_f16_of_f64", text),
            Prim::F32 | Prim::F64 => Text::cast(c_type(to), text),
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => {
                let name = format!("rv_{to}_of_float");
                let (least, greatest) = (constant(to.lowest()), constant(to.highest()));
                let above = format!("0x1p{}", to.bits() - to.is_signed() as u32);
                self.needs.function(&name, "RV_FROM_FLOAT", &[c_type(to), &least, &greatest, &above]);
                Text::call(&name, &[text])
            }
        }
    }
}

/// An integer as an unsigned one.
fn as_unsigned(prim: Prim, text: Text) -> Text {
    if matches!(prim, Prim::U32 | Prim::U64) { text } else { Text::cast(wide_unsigned(prim), text) }
}

/// The unsigned type that small integers are computed in: smaller ones would become signed.
fn wide_unsigned(prim: Prim) -> &'static str {
    match prim {
        Prim::I64 | Prim::U64 => "uint64_t",
        _ => "uint32_t",
    }
}
