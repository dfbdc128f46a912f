//! From text to a program: the frame.

use super::ParseError;
use super::lex::{Token, lex};
use crate::{Entry, FunId, Function, Home, Memory, Program, SiteId, Stm, Type, Var, VarInfo};
use base::{FileId, Name, Span};
use fault::notation;
use scalar::{DimKind, Layout, Math, Prim};

pub(super) type Parsed<T> = Result<T, ParseError>;

/// Brackets in brackets may be so deep; more would be a mistake.
const DEEPEST: usize = 500;
/// Ids may be so large; more would be a mistake.
const LARGEST: u32 = 10_000_000;

/// The program that a text describes.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser { tokens: lex(text)?, at: 0, program: Program::default(), depth: 0 };
    loop {
        match parser.next() {
            Token::End => return Ok(parser.program),
            Token::Word(word) if word == "site" => parser.site()?,
            Token::Word(word) if word == "fun" => parser.function()?,
            Token::Word(word) if word == "entry" => parser.entry()?,
            Token::Word(word) if word == "math" => parser.math()?,
            _ => return parser.error("expected `math`, `site`, `fun` or `entry`"),
        }
    }
}

pub(super) struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    pub program: Program,
    depth: usize,
}

impl Parser {
    pub fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub fn error<T>(&self, what: impl Into<String>) -> Parsed<T> {
        Err(ParseError { line: self.last_line(), what: what.into() })
    }

    fn math(&mut self) -> Parsed<()> {
        let name = self.word()?;
        match Math::from_name(&name) {
            Some(math) => self.program.math = math,
            None => return self.error("expected `fast` or `strict`"),
        }
        Ok(())
    }

    /// The line of the token taken last.
    pub fn last_line(&self) -> usize {
        let last = self.tokens.get(self.at.saturating_sub(1)).or(self.tokens.last());
        last.map_or(1, |(_, line)| *line)
    }

    /// Takes the token if it is this symbol or word.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(s) | Token::Word(s) if s == text);
        self.at += found as usize;
        found
    }

    pub fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) {
            return Ok(());
        }
        let found = self.next();
        self.error(format!("expected `{text}`, found {found:?}"))
    }

    pub fn word(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Word(word) => Ok(word),
            other => self.error(format!("expected a name, found {other:?}")),
        }
    }

    /// Guards against brackets without end.
    pub fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("brackets are too deep");
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Items between brackets, with commas between them.
    pub fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub fn integer(&mut self) -> Parsed<u32> {
        match self.next() {
            Token::Number(digits) => match digits.parse() {
                Ok(number) => Ok(number),
                Err(_) => self.error(format!("expected a plain number, found {digits}")),
            },
            other => self.error(format!("expected a number, found {other:?}")),
        }
    }

    /// `name.7` as its parts.
    fn numbered(&mut self) -> Parsed<(Name, u32)> {
        let word = self.word()?;
        let parts = word.rsplit_once('.').and_then(|(name, id)| Some((name, id.parse::<u32>().ok()?)));
        match parts {
            Some((name, id)) if id < LARGEST => Ok((Name::new(name), id)),
            Some(_) | None => self.error(format!("expected a name with a number, found {word}")),
        }
    }

    pub fn var(&mut self) -> Parsed<Var> {
        Ok(Var(self.numbered()?.1))
    }

    pub fn fun(&mut self) -> Parsed<FunId> {
        Ok(FunId(self.numbered()?.1))
    }

    /// `name.7: type`: enters it into the table.
    pub fn declaration(&mut self) -> Parsed<Var> {
        let (name, id) = self.numbered()?;
        self.expect(":")?;
        let (ty, home) = self.home()?;
        self.enter(name, id, ty);
        self.program.vars[Var(id)].home = home;
        Ok(Var(id))
    }

    /// `i64`, `[]i64`, `[]i64 in m3` or `[8]i64`
    fn home(&mut self) -> Parsed<(Type, Home)> {
        if let (Token::Symbol(open), Some((Token::Number(_), _))) = (self.peek(), self.tokens.get(self.at + 1))
            && open == "["
        {
            self.next();
            let count = self.integer()?;
            self.expect("]")?;
            return Ok((Type::Buffer(self.prim()?), Home::Local(count)));
        }
        let ty = self.ty()?;
        Ok((ty, if self.eat("in") { Home::New(self.memory()?) } else { Home::Any }))
    }

    /// `m3`
    fn memory(&mut self) -> Parsed<Memory> {
        let word = self.word()?;
        match word.strip_prefix('m').and_then(|digits| digits.parse().ok()) {
            Some(number) => Ok(Memory(number)),
            None => self.error(format!("expected a memory, found {word}")),
        }
    }

    /// An index, which is an `i64`.
    pub fn index(&mut self) -> Parsed<Var> {
        let (name, id) = self.numbered()?;
        self.enter(name, id, Type::Scalar(Prim::I64));
        Ok(Var(id))
    }

    fn enter(&mut self, name: Name, id: u32, ty: Type) {
        let unused = VarInfo::new(Name::new(""), Type::Scalar(Prim::I64));
        while self.program.vars.len() <= id as usize {
            self.program.vars.push(unused.clone());
        }
        self.program.vars[Var(id)] = VarInfo::new(name, ty);
    }

    pub fn ty(&mut self) -> Parsed<Type> {
        if self.eat("[") {
            self.expect("]")?;
            return Ok(Type::Buffer(self.prim()?));
        }
        Ok(Type::Scalar(self.prim()?))
    }

    pub fn prim(&mut self) -> Parsed<Prim> {
        let word = self.word()?;
        Prim::from_name(&word).map_or_else(|| self.error(format!("{word} is no primitive type")), Ok)
    }

    /// `@file:start-end`, or nothing. The lexer takes `3-5` for 3 and -5.
    pub fn span(&mut self) -> Parsed<Span> {
        if !self.eat("@") {
            return Ok(Span { file: FileId(0), start: 0, end: 0 });
        }
        let file = self.integer()?;
        self.expect(":")?;
        let start = self.integer()?;
        let end = match self.next() {
            Token::Number(digits) => digits.strip_prefix('-').and_then(|d| d.parse::<u32>().ok()),
            _ => None,
        };
        match end {
            Some(end) => Ok(Span { file: FileId(file), start, end }),
            None => self.error("expected the end of a place"),
        }
    }

    pub fn quoted(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Quoted(text) => Ok(text),
            other => self.error(format!("expected a text in quotes, found {other:?}")),
        }
    }

    pub fn name(&mut self) -> Parsed<Name> {
        notation::name(self)
    }

    fn function(&mut self) -> Parsed<()> {
        let (name, id) = self.numbered()?;
        if id as usize != self.program.functions.len() {
            return self.error("functions must be numbered in order");
        }
        self.expect("(")?;
        let params = self.list(")", Parser::declaration)?;
        self.expect("->")?;
        self.expect("(")?;
        let results = self.list(")", Parser::ty)?;
        let too_deep = if self.eat("deep") { Some(SiteId(self.integer()?)) } else { None };
        let stops = self.eat("stops");
        let span = self.span()?;
        let body: Vec<Stm> = self.block()?;
        self.program.functions.push(Function { name, params, results, body, too_deep, stops, span });
        Ok(())
    }

    fn entry(&mut self) -> Parsed<()> {
        let name = self.name()?;
        self.expect("=")?;
        let function = self.fun()?;
        self.expect("(")?;
        let params = self.list(")", Parser::field)?;
        self.expect("->")?;
        self.expect("(")?;
        let results = self.list(")", Parser::layout)?;
        self.expect("consumed")?;
        self.expect("(")?;
        let consumed = self.list(")", |this| Ok(this.word()? == "true"))?;
        self.program.entries.push(Entry { name, function, params, consumed, results });
        Ok(())
    }

    fn field(&mut self) -> Parsed<(Name, Layout)> {
        let name = self.name()?;
        self.expect(":")?;
        Ok((name, self.layout()?))
    }

    pub fn layout(&mut self) -> Parsed<Layout> {
        self.deeper(|this| {
            if this.eat("{") {
                return Ok(Layout::Record(this.list("}", Parser::field)?));
            }
            if this.eat("sum") {
                this.expect("(")?;
                let constructor = |this: &mut Parser| {
                    let name = this.name()?;
                    this.expect("(")?;
                    Ok((name, this.list(")", Parser::layout)?))
                };
                return Ok(Layout::Sum(this.list(")", constructor)?));
            }
            let mut dims = Vec::new();
            while this.eat("[") {
                dims.push(if this.eat("~") {
                    DimKind::Jagged
                } else if this.eat(".") {
                    this.expect(".")?;
                    DimKind::Shape
                } else {
                    DimKind::Size
                });
                this.expect("]")?;
            }
            if dims.is_empty() {
                return Ok(Layout::Scalar(this.prim()?));
            }
            Ok(Layout::Array(dims, Box::new(this.layout()?)))
        })
    }
}
