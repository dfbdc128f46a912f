//! Types, dimensions, atoms and numbers.

use super::lexer::Kind;
use super::{Parser, Result};
use crate::{Atom, Dim, DimKind, Layout, Type, Var};
use base::Name;
use scalar::{Prim, Scalar};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Result<Type> {
        if self.eat("cert") {
            return Ok(Type::Cert);
        }
        if self.eat("box") {
            return Ok(Type::Box(self.box_name()?));
        }
        if self.eat("desc") {
            return Ok(Type::Desc(self.dims()?));
        }
        let dims = self.dims()?;
        Ok(Type::array(self.prim()?, dims))
    }

    pub(super) fn dims(&mut self) -> Result<Vec<Dim>> {
        let mut dims = Vec::new();
        while self.eat("[") {
            dims.push(if self.eat("~") {
                Dim::Jagged(self.var()?)
            } else if self.eat("..") {
                Dim::Shape(self.var()?)
            } else {
                Dim::Size(self.atom()?)
            });
            self.expect("]")?;
        }
        Ok(dims)
    }

    pub(super) fn prim(&mut self) -> Result<Prim> {
        match Prim::from_name(self.peek().text) {
            Some(prim) => {
                self.take();
                Ok(prim)
            }
            None => self.unexpected("a type"),
        }
    }

    pub(super) fn var(&mut self) -> Result<Var> {
        let token = self.peek();
        if !matches!(token.kind, Kind::Name(_)) || crate::words::is_reserved(token.text) {
            return self.unexpected("a variable");
        }
        match self.vars.get(token.text).copied() {
            Some(var) => {
                self.take();
                Ok(var)
            }
            None => self.error(token.start, format!("there is no variable `{}` before this", token.text)),
        }
    }

    /// Whether the next token can begin an atom.
    pub(super) fn begins_atom(&self) -> bool {
        let token = self.peek();
        match token.kind {
            Kind::Name(_) => {
                let constant = matches!(token.text, "true" | "false") || Prim::from_name(token.text).is_some();
                constant || !crate::words::is_reserved(token.text)
            }
            Kind::Number => true,
            Kind::Symbol => token.text == "-",
            Kind::Text(_) | Kind::End => false,
        }
    }

    pub(super) fn atom(&mut self) -> Result<Atom> {
        let token = self.peek();
        if token.kind == Kind::Number {
            return Ok(Atom::Const(self.number()?));
        }
        let negative = self.eat("-");
        if let Some(prim) = Prim::from_name(self.peek().text) {
            self.take();
            self.expect(".")?;
            return Ok(Atom::Const(self.special(prim, negative)?));
        }
        if negative {
            return self.unexpected("an infinity");
        }
        match token.text {
            "true" | "false" => {
                self.take();
                Ok(Atom::bool(token.text == "true"))
            }
            _ => Ok(Atom::Var(self.var()?)),
        }
    }

    pub(super) fn atoms(&mut self, open: &str, close: &str) -> Result<Vec<Atom>> {
        self.list(open, close, Self::atom)
    }

    /// The `inf` of `f64.inf`.
    pub(super) fn special(&mut self, prim: Prim, negative: bool) -> Result<Scalar> {
        if !prim.is_float() {
            return self.unexpected("a numeric function");
        }
        if self.eat("inf") {
            return Ok(if negative { prim.lowest() } else { prim.highest() });
        }
        if !negative && self.eat("nan") {
            return Ok(scalar::convert(Scalar::F64(f64::NAN), prim));
        }
        self.unexpected("`inf` or `nan`")
    }

    /// A number followed by its type; without one it is an `i64`.
    fn number(&mut self) -> Result<Scalar> {
        let token = self.take();
        let split = token.text.find(['i', 'u', 'f']).unwrap_or(token.text.len());
        let (digits, suffix) = token.text.split_at(split);
        let prim = if suffix.is_empty() { Some(Prim::I64) } else { Prim::from_name(suffix) };
        match prim.and_then(|prim| number_at(digits, prim)) {
            Some(x) => Ok(x),
            None => self.error(token.start, format!("`{}` is not a number of any type", token.text)),
        }
    }

    /// A whole number.
    pub(super) fn integer(&mut self) -> Result<i64> {
        let start = self.peek().start;
        if self.peek().kind != Kind::Number {
            return self.unexpected("a number");
        }
        match self.number()? {
            Scalar::I64(n) => Ok(n),
            _ => self.error(start, "expected a whole number".into()),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn natural(&mut self) -> Result<usize> {
        let start = self.peek().start;
        match usize::try_from(self.integer()?) {
            Ok(n) => Ok(n),
            Err(_) => self.error(start, "expected a number that is not negative".into()),
        }
    }

    pub(super) fn layout(&mut self) -> Result<Layout> {
        self.nested(|p| {
            let mut kinds = Vec::new();
            while p.eat("[") {
                kinds.push(if p.eat("~") {
                    DimKind::Jagged
                } else if p.eat("..") {
                    DimKind::Shape
                } else {
                    DimKind::Size
                });
                p.expect("]")?;
            }
            let elem = p.element_layout()?;
            Ok(if kinds.is_empty() { elem } else { Layout::Array(kinds, Box::new(elem)) })
        })
    }

    fn element_layout(&mut self) -> Result<Layout> {
        if self.at("{") {
            return Ok(Layout::Record(self.list("{", "}", |p| {
                let name = p.field()?;
                p.expect(":")?;
                Ok((name, p.layout()?))
            })?));
        }
        if !self.eat("(") {
            return Ok(Layout::Scalar(self.prim()?));
        }
        let mut constructors = Vec::new();
        while self.eat("#") {
            let name = self.plain_name()?;
            let mut parts = Vec::new();
            while !self.at("|") && !self.at(")") {
                parts.push(self.layout()?);
            }
            constructors.push((name, parts));
            if !self.eat("|") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Layout::Sum(constructors))
    }

    fn field(&mut self) -> Result<Name> {
        if self.peek().kind == Kind::Number {
            return Ok(Name::new(&self.natural()?.to_string()));
        }
        self.plain_name()
    }
}

fn number_at(digits: &str, prim: Prim) -> Option<Scalar> {
    match prim {
        Prim::F16 => Some(scalar::convert(Scalar::F64(digits.parse().ok()?), Prim::F16)),
        Prim::F32 => Some(Scalar::F32(digits.parse().ok()?)),
        Prim::F64 => Some(Scalar::F64(digits.parse().ok()?)),
        _ => digits.parse().ok().filter(|n| prim.holds_int(*n)).map(|n| Scalar::from_i128(prim, n)),
    }
}
