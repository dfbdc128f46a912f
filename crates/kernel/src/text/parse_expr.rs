//! Expressions and constants, from their text.

use super::lex::Token;
use super::parse::{Parsed, Parser};
use crate::{Arg, Expr, FailArg, Op, Var};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp, convert};

impl Parser {
    pub fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|this| match this.next() {
            Token::Number(text) => match constant(&text) {
                Some(value) => Ok(Expr::Const(value)),
                None => this.error(format!("{text} is no constant")),
            },
            Token::Word(word) => this.named(&word),
            Token::Symbol(symbol) if symbol == "(" => this.operation(),
            other => this.error(format!("expected an expression, found {other:?}")),
        })
    }

    fn op(&mut self, op: Op) -> Parsed<Expr> {
        Ok(self.program.exprs.op(op))
    }

    /// Behind an opening parenthesis: an operator or a choice.
    fn operation(&mut self) -> Parsed<Expr> {
        let left = self.expr()?;
        if self.eat("?") {
            let yes = self.expr()?;
            self.expect(":")?;
            let no = self.expr()?;
            self.expect(")")?;
            return self.op(Op::Select(left, yes, no));
        }
        let op = self.operator()?;
        let prim = self.prim()?;
        let right = self.expr()?;
        self.expect(")")?;
        self.op(Op::Bin(op, prim, left, right))
    }

    /// The symbol of a binary operator.
    pub fn operator(&mut self) -> Parsed<BinOp> {
        let Token::Symbol(symbol) = self.next() else { return self.error("expected an operator") };
        match BinOp::from_symbol(&symbol) {
            Some(op) => Ok(op),
            None => self.error(format!("{symbol} is no operator")),
        }
    }

    /// A variable, an element, a function of scalars, or a constant with a name.
    fn named(&mut self, word: &str) -> Parsed<Expr> {
        if let Some(value) = named_constant(word) {
            return Ok(Expr::Const(value));
        }
        if word == "threads" {
            return self.op(Op::Threads);
        }
        if word == "attempts" {
            return self.op(Op::Attempts);
        }
        if word == "sole" {
            let buffer = self.var()?;
            return self.op(Op::Sole(buffer));
        }
        let parts: Vec<&str> = word.split('.').collect();
        if let [_, id] = parts[..]
            && let Ok(id) = id.parse()
        {
            let var = Var(id);
            if self.eat("[") {
                let at = self.expr()?;
                self.expect("]")?;
                return self.op(Op::Load(var, at));
            }
            return Ok(Expr::Var(var));
        }
        let found = match parts[..] {
            ["neg", prim] => Prim::from_name(prim).map(|prim| Function::Un(UnOp::Neg, prim)),
            ["not", prim] => Prim::from_name(prim).map(|prim| Function::Un(UnOp::Not, prim)),
            ["convert", from, to] => {
                Prim::from_name(from).zip(Prim::from_name(to)).map(|(from, to)| Function::Convert(from, to))
            }
            ["math", op, prim] => {
                MathOp::from_name(op).zip(Prim::from_name(prim)).map(|(op, prim)| Function::Math(op, prim))
            }
            _ => None,
        };
        let Some(function) = found else { return self.error(format!("{word} is no expression")) };
        self.expect("(")?;
        let args = self.list(")", Parser::expr)?;
        match (function, &args[..]) {
            (Function::Math(op, prim), _) => self.op(Op::Math(op, prim, args)),
            (Function::Un(op, prim), [arg]) => self.op(Op::Un(op, prim, *arg)),
            (Function::Convert(from, to), [arg]) => self.op(Op::Convert(from, to, *arg)),
            (Function::Un(..) | Function::Convert(..), _) => self.error(format!("{word} takes one argument")),
        }
    }

    pub fn arg(&mut self) -> Parsed<Arg> {
        if self.eat("&") { Ok(Arg::Buffer(self.var()?)) } else { Ok(Arg::Scalar(self.expr()?)) }
    }

    pub fn fail_arg(&mut self) -> Parsed<FailArg> {
        if !self.eat("&") {
            return Ok(FailArg::Scalar(self.prim()?, self.expr()?));
        }
        let buffer = self.var()?;
        self.expect("[")?;
        let at = self.expr()?;
        self.expect("]")?;
        self.expect("count")?;
        Ok(FailArg::Numbers { buffer, at, count: self.expr()? })
    }
}

/// A function of scalars.
enum Function {
    Un(UnOp, Prim),
    Convert(Prim, Prim),
    Math(MathOp, Prim),
}

fn named_constant(word: &str) -> Option<Scalar> {
    match word {
        "true" => return Some(Scalar::Bool(true)),
        "false" => return Some(Scalar::Bool(false)),
        _ => {}
    }
    let (prim, what) = word.split_once('.')?;
    let prim = Prim::from_name(prim).filter(|prim| prim.is_float())?;
    match what {
        "nan" => Some(convert(Scalar::F64(f64::NAN), prim)),
        "inf" => Some(prim.highest()),
        _ => None,
    }
}

/// `3i64`, `-1.5f64`, `-f64.inf`.
fn constant(text: &str) -> Option<Scalar> {
    if let Some(special) = text.strip_prefix('-').and_then(named_constant) {
        return Some(special.prim().lowest());
    }
    let prim = Prim::ALL.into_iter().find(|prim| text.ends_with(prim.name()))?;
    let digits = &text[..text.len() - prim.name().len()];
    match prim {
        Prim::Bool => None,
        Prim::F64 => digits.parse().ok().map(Scalar::F64),
        Prim::F32 => digits.parse().ok().map(Scalar::F32),
        Prim::F16 => digits.parse().ok().map(|x| convert(Scalar::F64(x), Prim::F16)),
        _ => digits.parse().ok().filter(|x| prim.holds_int(*x)).map(|x| Scalar::from_i128(prim, x)),
    }
}
