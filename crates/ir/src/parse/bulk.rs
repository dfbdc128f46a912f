//! Bulk forms.

use super::lexer::Kind as Token;
use super::{Parser, Result};
use crate::{Block, Bulk, Chunks, Coverage, Emit, Kind, Mark, Output, Parts, Scan, Split, Step, Tables, Tree, Var};

impl Parser<'_> {
    pub(super) fn bulk(&mut self) -> Result<Bulk> {
        let scheduled = self.eat("scheduled");
        self.expect("{")?;
        let mut outputs = Vec::new();
        while self.eat("out") {
            outputs.push(self.output()?);
        }
        Ok(Bulk { outputs, steps: self.steps()?, scheduled })
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
                let tree = self.tree(Tree::Uncut)?;
                self.expect("by")?;
                Ok(Output { kind: Kind::Accum { arrays, skip, op: self.region()?, tree }, sizes, elems })
            }
            "reduce" => {
                let (sizes, elems) = self.value()?;
                self.expect("from")?;
                let neutral = self.atoms("(", ")")?;
                let commutes = self.eat("commutes");
                let tree = self.tree(Tree::PLAIN)?;
                self.expect("by")?;
                Ok(Output { kind: Kind::Reduce { op: self.region()?, neutral, commutes, tree }, sizes, elems })
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

    /// `in any order`, `in any order tables 4 up to 4096 from 32768 weight 1`, `in order`, `in parts 16 from 32768 turns 32 elements 1`, `in blocks 4096 lanes 16 chains 4 loops 2`, or the usual one.
    fn tree(&mut self, usual: Tree) -> Result<Tree> {
        if !self.eat("in") {
            return Ok(usual);
        }
        let token = self.take();
        match token.text {
            "any" => {
                self.expect("order")?;
                if self.eat("tables") { self.tables() } else { Ok(Tree::Free) }
            }
            "order" => Ok(Tree::InOrder),
            "parts" => {
                let parts = self.small()?;
                self.expect("from")?;
                let least = self.small()?;
                self.expect("turns")?;
                let turns = self.small()?;
                self.expect("elements")?;
                let elements = self.small()?;
                Ok(Tree::Parts(Parts { parts, least, turns, elements }))
            }
            "blocks" => {
                let block = self.small()?;
                let lanes = if self.eat("lanes") { self.small()? } else { 1 };
                let chains = if self.eat("chains") { self.small()? } else { 1 };
                let loops = if self.eat("loops") { self.small()? } else { 1 };
                Ok(Tree::Chunks(Chunks { block, lanes, chains, loops }))
            }
            _ => self.error(token.start, format!("`{}` is no order of combination", token.text)),
        }
    }

    fn tables(&mut self) -> Result<Tree> {
        let each = self.small()?;
        self.expect("up")?;
        self.expect("to")?;
        let small = self.small()?;
        self.expect("from")?;
        let least = self.small()?;
        self.expect("weight")?;
        Ok(Tree::Tables(Tables { each, small, least, weight: self.small()? }))
    }

    pub(super) fn small(&mut self) -> Result<u32> {
        let start = self.peek().start;
        let number = self.natural()?;
        u32::try_from(number).or_else(|_| self.error(start, format!("{number} is too large")))
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
            let mark = self.mark()?;
            self.expect("{")?;
            return Ok(Step::For { var, count, mark, body: self.steps()? });
        }
        if self.eat("if") {
            let cond = self.atom()?;
            self.expect("{")?;
            return Ok(Step::Guard(cond, self.steps()?));
        }
        if self.eat("scan") {
            return Ok(Step::Scan(self.scan()?));
        }
        if self.eat("emit") {
            return Ok(Step::Emit(self.emit()?));
        }
        self.unexpected("a step")
    }

    fn mark(&mut self) -> Result<Mark> {
        let token = self.peek();
        let mark = match token.text {
            "{" => return Ok(Mark::Open),
            "sequential" => Mark::Sequential,
            "simd" => {
                self.take();
                return Ok(Mark::Simd);
            }
            "threads" => Mark::Threads,
            _ => return self.unexpected("how the loop runs"),
        };
        self.take();
        Ok(mark(if self.eat("split") { Split::Middle } else { Split::No }))
    }

    fn emit(&mut self) -> Result<Emit> {
        let certs = self.certs()?;
        let output = if self.peek().kind == Token::Number { self.natural()? } else { 0 };
        let at = if self.at("[") { self.atoms("[", "]")? } else { Vec::new() };
        Ok(Emit { output, at, certs, value: self.value_block()?, span: self.span()? })
    }

    fn scan(&mut self) -> Result<Scan> {
        let vars = self.binders()?;
        self.expect("from")?;
        let neutral = self.atoms("(", ")")?;
        let tree = self.tree(Tree::PLAIN)?;
        self.expect("by")?;
        let op = self.region()?;
        self.expect("of")?;
        Ok(Scan { vars, op, neutral, tree, value: self.value_block()?, span: self.span()? })
    }

    fn value_block(&mut self) -> Result<Block> {
        if self.at("{") { self.block() } else { Ok(Block { stms: Vec::new(), result: self.results()? }) }
    }
}
