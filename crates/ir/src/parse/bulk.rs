//! Bulk forms.

use super::lexer::Kind as Token;
use super::{Parser, Result};
use crate::{Block, Bulk, Coverage, Emit, Kind, Output, Step, Var};

impl Parser<'_> {
    pub(super) fn bulk(&mut self) -> Result<Bulk> {
        self.expect("{")?;
        let mut outputs = Vec::new();
        while self.eat("out") {
            outputs.push(self.output()?);
        }
        Ok(Bulk { outputs, steps: self.steps()? })
    }

    fn output(&mut self) -> Result<Output> {
        let token = self.take();
        match token.text {
            "gen" => self.gen_output(),
            "update" => {
                let arrays = self.list("(", ")", Self::var)?;
                let (sizes, elems) = self.value()?;
                let skip = self.eat("skip");
                Ok(Output { kind: Kind::Update { arrays, skip, rec: self.rec()? }, sizes, elems })
            }
            "accum" => {
                let arrays = self.list("(", ")", Self::var)?;
                let (sizes, elems) = self.value()?;
                let skip = self.eat("skip");
                self.expect("by")?;
                Ok(Output { kind: Kind::Accum { arrays, skip, op: self.region()? }, sizes, elems })
            }
            "reduce" => {
                let (sizes, elems) = self.value()?;
                self.expect("from")?;
                let neutral = self.atoms("(", ")")?;
                let commutes = self.eat("commutes");
                self.expect("by")?;
                Ok(Output { kind: Kind::Reduce { op: self.region()?, neutral, commutes }, sizes, elems })
            }
            "scan" => {
                let count = self.atom()?;
                let (sizes, elems) = self.value()?;
                self.expect("from")?;
                let neutral = self.atoms("(", ")")?;
                self.expect("by")?;
                Ok(Output { kind: Kind::Scan { op: self.region()?, neutral, count }, sizes, elems })
            }
            "keep" => {
                let (sizes, elems) = self.value()?;
                Ok(Output { kind: Kind::Keep, sizes, elems })
            }
            _ => self.error(token.start, format!("`{}` is not a kind of output", token.text)),
        }
    }

    fn gen_output(&mut self) -> Result<Output> {
        let shape = self.dims()?;
        let (sizes, elems) = self.value()?;
        let rec = self.rec()?;
        let coverage = self.coverage()?;
        let otherwise = if self.eat("otherwise") { Some(self.block()?) } else { None };
        Ok(Output { kind: Kind::Gen { shape, otherwise, coverage, rec }, sizes, elems })
    }

    /// `of (sizes; elems)`.
    fn value(&mut self) -> Result<(Vec<Var>, Vec<Var>)> {
        self.expect("of")?;
        self.expect("(")?;
        let (mut sizes, mut elems) = (Vec::new(), Vec::new());
        while !self.at(")") {
            elems.push(self.binder()?);
            if self.at(";") && sizes.is_empty() {
                sizes = std::mem::take(&mut elems);
                self.take();
            } else if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok((sizes, elems))
    }

    fn rec(&mut self) -> Result<Vec<Var>> {
        if self.eat("rec") { self.binders() } else { Ok(Vec::new()) }
    }

    fn coverage(&mut self) -> Result<Coverage> {
        let start = self.peek().start;
        if !self.eat("checked") {
            return Ok(Coverage::Exact);
        }
        let sites = self.list("(", ")", Self::site_name)?;
        let called = if self.eat("called") { Some(self.atom()?) } else { None };
        match sites[..] {
            [collision, gap, cycle] => Ok(Coverage::Checked { collision, gap, cycle, called }),
            _ => self.error(start, "`checked` takes three sites".into()),
        }
    }

    /// Steps up to the closing brace.
    fn steps(&mut self) -> Result<Vec<Step>> {
        self.nested(|p| {
            let mut steps = Vec::new();
            while !p.eat("}") {
                steps.push(p.step()?);
            }
            Ok(steps)
        })
    }

    fn step(&mut self) -> Result<Step> {
        if self.at("let") {
            return Ok(Step::Let(self.stm()?));
        }
        if self.eat("for") {
            let var = self.index_binder()?;
            self.expect("<")?;
            let count = self.atom()?;
            self.expect("{")?;
            return Ok(Step::For { var, count, body: self.steps()? });
        }
        if self.eat("if") {
            let cond = self.atom()?;
            self.expect("{")?;
            return Ok(Step::Guard(cond, self.steps()?));
        }
        if self.eat("emit") {
            return Ok(Step::Emit(self.emit()?));
        }
        self.unexpected("a step")
    }

    fn emit(&mut self) -> Result<Emit> {
        let certs = self.certs()?;
        let output = if self.peek().kind == Token::Number { self.natural()? } else { 0 };
        let at = if self.at("[") { self.atoms("[", "]")? } else { Vec::new() };
        let value = if self.at("{") { self.block()? } else { Block { stms: Vec::new(), result: self.results()? } };
        Ok(Emit { output, at, certs, value, span: self.span()? })
    }
}
