//! Statements, from their text.

use super::lex::Token;
use super::parse::{Parsed, Parser};
use crate::{Mode, SiteId, Stm, Var};

impl Parser {
    /// Statements in braces.
    pub fn block(&mut self) -> Parsed<Vec<Stm>> {
        self.deeper(|this| {
            this.expect("{")?;
            let mut stms = Vec::new();
            while !this.eat("}") {
                stms.push(this.stm()?);
            }
            Ok(stms)
        })
    }

    /// A statement, chosen by its first word. Assignments begin with a variable.
    fn stm(&mut self) -> Parsed<Stm> {
        let Token::Word(word) = self.peek().clone() else {
            let found = self.next();
            return self.error(format!("expected a statement, found {found:?}"));
        };
        if word.contains('.') {
            return self.assignment();
        }
        self.next();
        match word.as_str() {
            "let" => self.definition(),
            "var" => Ok(Stm::Declare(self.declaration()?)),
            "keep" => Ok(Stm::Keep(self.declaration()?)),
            "alloc" => self.alloc(),
            "grow" => self.grow(),
            "pack" => self.pack(),
            "fetch" => self.fetch(),
            "share" => {
                let (to, from) = self.two_buffers()?;
                Ok(Stm::Share { to, from })
            }
            "move" => {
                let (to, from) = self.two_buffers()?;
                Ok(Stm::Move { to, from })
            }
            "release" => Ok(Stm::Release(self.var()?)),
            "trim" => self.trim(),
            "copy" => self.copy(),
            "sort" => self.sort(),
            "relay" => self.relay(),
            "transpose" => self.transpose(),
            "prefetch" => self.place().map(|(buffer, at)| Stm::Prefetch(buffer, at)),
            "prefix" => self.prefix(),
            "if" => self.choice(),
            "for" => self.counted_loop(),
            "loop" => self.conditional_loop(),
            "call" => self.call(),
            "fail" => self.fail(),
            "try" => Ok(Stm::Try { stopped: self.var()?, body: self.block()? }),
            "stop" => Ok(Stm::Stop(self.expr()?)),
            "trace" => self.trace(),
            "return" => {
                self.expect("(")?;
                Ok(Stm::Return(self.list(")", Parser::arg)?))
            }
            _ => self.error(format!("{word} is no statement")),
        }
    }

    /// `let x.1: i64 = ...`
    fn definition(&mut self) -> Parsed<Stm> {
        let var = self.declaration()?;
        self.expect("=")?;
        Ok(Stm::Let(var, self.expr()?))
    }

    /// `grow xs.1 used ... needed ...`
    fn alloc(&mut self) -> Parsed<Stm> {
        let (buffer, count) = (self.var()?, self.expr()?);
        let reuse = if self.eat("reusing") { Some(self.var()?) } else { None };
        Ok(Stm::Alloc { buffer, count, reuse, span: self.span()? })
    }

    fn grow(&mut self) -> Parsed<Stm> {
        let buffer = self.var()?;
        self.expect("used")?;
        let used = self.expr()?;
        self.expect("needed")?;
        Ok(Stm::Grow { buffer, used, needed: self.expr()?, span: self.span()? })
    }

    /// `pack b.1 refs (&xs.2) words (...)`
    fn pack(&mut self) -> Parsed<Stm> {
        let to = self.var()?;
        self.expect("refs")?;
        self.expect("(")?;
        let refs = self.list(")", |this| {
            this.expect("&")?;
            this.var()
        })?;
        self.expect("words")?;
        self.expect("(")?;
        Ok(Stm::Pack { to, refs, words: self.list(")", Parser::expr)?, span: self.span()? })
    }

    /// `fetch xs.1: []i64 = b.2 at 0`
    fn fetch(&mut self) -> Parsed<Stm> {
        let to = self.declaration()?;
        self.expect("=")?;
        let from = self.var()?;
        self.expect("at")?;
        Ok(Stm::Fetch { to, from, at: self.integer()? as usize })
    }

    /// `trim xs.1 from i.2 count ...`
    fn trim(&mut self) -> Parsed<Stm> {
        let buffer = self.var()?;
        self.expect("from")?;
        let start = self.var()?;
        self.expect("count")?;
        Ok(Stm::Trim { buffer, start, count: self.expr()?, span: self.span()? })
    }

    /// `if ... { ... } else { ... }`
    fn choice(&mut self) -> Parsed<Stm> {
        let cond = self.expr()?;
        let then = self.block()?;
        let otherwise = if self.eat("else") { self.block()? } else { Vec::new() };
        Ok(Stm::If(cond, then, otherwise))
    }

    /// `loop { ... } while ... { ... }`
    fn conditional_loop(&mut self) -> Parsed<Stm> {
        let head = self.block()?;
        self.expect("while")?;
        let cond = self.expr()?;
        Ok(Stm::While { head, cond, body: self.block()? })
    }

    /// `fail 3(...)`
    fn fail(&mut self) -> Parsed<Stm> {
        let site = SiteId(self.integer()?);
        self.expect("(")?;
        Ok(Stm::Fail { site, args: self.list(")", Parser::fail_arg)? })
    }

    /// `trace layout (...)`
    fn trace(&mut self) -> Parsed<Stm> {
        let layout = self.layout()?;
        self.expect("(")?;
        Ok(Stm::Trace(layout, self.list(")", Parser::arg)?, self.span()?))
    }

    /// `x.1 := ...` or `xs.1[...] := ...`.
    fn assignment(&mut self) -> Parsed<Stm> {
        let var = self.var()?;
        if !self.eat("[") {
            self.expect(":=")?;
            return Ok(Stm::Set(var, self.expr()?));
        }
        let at = self.expr()?;
        self.expect("]")?;
        self.expect(":=")?;
        Ok(Stm::Store { buffer: var, at, value: self.expr()? })
    }

    fn two_buffers(&mut self) -> Parsed<(Var, Var)> {
        let to = self.var()?;
        self.expect("=")?;
        Ok((to, self.var()?))
    }

    /// `xs.1[...]`.
    fn place(&mut self) -> Parsed<(Var, crate::Expr)> {
        let buffer = self.var()?;
        self.expect("[")?;
        let at = self.expr()?;
        self.expect("]")?;
        Ok((buffer, at))
    }

    fn copy(&mut self) -> Parsed<Stm> {
        let (to, to_at) = self.place()?;
        self.expect("=")?;
        let (from, from_at) = self.place()?;
        self.expect("count")?;
        let count = self.expr()?;
        Ok(Stm::Copy { to, to_at, from, from_at, count, past: self.eat("past") })
    }

    /// `sort xs.1[...] count ... descending values ys.2[...] order is.3[...]`
    fn sort(&mut self) -> Parsed<Stm> {
        let keys = self.place()?;
        self.expect("count")?;
        let count = self.expr()?;
        let descending = self.eat("descending");
        let values = if self.eat("values") { Some(self.place()?) } else { None };
        let order = if self.eat("order") { Some(self.place()?) } else { None };
        Ok(Stm::Sort { keys, count, descending, values, order, span: self.span()? })
    }

    /// `relay x.1: i32 = chain.2 turn ... next ...`
    fn relay(&mut self) -> Parsed<Stm> {
        let var = self.declaration()?;
        self.expect("=")?;
        let chain = self.var()?;
        self.expect("turn")?;
        let turn = self.expr()?;
        self.expect("next")?;
        Ok(Stm::Relay { chain, turn, var, next: self.expr()? })
    }

    /// `transpose ys.1[...] by ... = xs.2[...] by ... rows ... columns ...`
    fn transpose(&mut self) -> Parsed<Stm> {
        let to = self.place()?;
        self.expect("by")?;
        let to_stride = self.expr()?;
        self.expect("=")?;
        let from = self.place()?;
        self.expect("by")?;
        let from_stride = self.expr()?;
        self.expect("rows")?;
        let rows = self.expr()?;
        self.expect("columns")?;
        Ok(Stm::Transpose { to, to_stride, from, from_stride, rows, columns: self.expr()? })
    }

    /// `prefix ys.1[...] = xs.2[...] count ... before ... by + past ...`
    fn prefix(&mut self) -> Parsed<Stm> {
        let to = self.place()?;
        self.expect("=")?;
        let from = self.place()?;
        self.expect("count")?;
        let count = self.expr()?;
        self.expect("before")?;
        let before = self.expr()?;
        self.expect("by")?;
        let op = self.operator()?;
        self.expect("past")?;
        Ok(Stm::Prefix { to, from, count, before, op, past: self.expr()? })
    }

    fn counted_loop(&mut self) -> Parsed<Stm> {
        let var = self.index()?;
        self.expect("=")?;
        let from = self.expr()?;
        self.expect("to")?;
        let to = self.expr()?;
        let mode = match () {
            () if self.eat("parallel") => Mode::Parallel,
            () if self.eat("short") => Mode::Short,
            () if self.eat("simd") => Mode::Simd,
            () if self.eat("lanes") => Mode::Lanes,
            () if self.eat("unrolled") => Mode::Unrolled,
            () if self.eat("rolled") => Mode::Rolled,
            () => Mode::Sequential,
        };
        Ok(Stm::For { var, from, to, mode, body: self.block()? })
    }

    fn call(&mut self) -> Parsed<Stm> {
        self.expect("(")?;
        let results = self.list(")", Parser::declaration)?;
        self.expect("=")?;
        let function = self.fun()?;
        self.expect("(")?;
        Ok(Stm::Call { results, function, args: self.list(")", Parser::arg)?, span: self.span()? })
    }
}
