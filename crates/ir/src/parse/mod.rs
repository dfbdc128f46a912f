//! Text to Core: reads what [`print`](mod@crate::print) writes.
//!
//! Line breaks mean nothing; `--` begins a comment. The parser knows names, not scopes: a variable must be bound
//! somewhere before it in the same function, and the [verifier](mod@crate::verify) says whether it may be used there.

mod bulk;
mod error;
mod exp;
mod lexer;
mod site;
mod types;

pub use error::ParseError;

use crate::{Block, BoxId, BoxKind, Entry, FunId, Function, Layout, Pending, Program, SiteId, Stm, Type, Var, VarInfo};
use base::{FileId, Map, Name, Span};
use lexer::{Kind, Token};

/// Blocks deeper than this are refused, so that no text exhausts the stack.
const DEEPEST: usize = 400;

/// The program with this text.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(text)?;
    parser.declare()?;
    while !parser.at_end() {
        parser.item()?;
    }
    Ok(parser.program)
}

/// The layout with this text.
pub fn parse_layout(text: &str) -> Result<Layout, ParseError> {
    let mut parser = Parser::new(text)?;
    let layout = parser.layout()?;
    if parser.at_end() { Ok(layout) } else { parser.unexpected("the end") }
}

type Result<T, E = ParseError> = std::result::Result<T, E>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
    program: Program,
    /// Names as they are written, with their numbers.
    functions: Map<&'a str, FunId>,
    boxes: Map<&'a str, BoxId>,
    sites: Map<&'a str, SiteId>,
    /// Variables of the current function.
    vars: Map<&'a str, Var>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Parser<'a>> {
        Ok(Parser {
            text,
            tokens: lexer::tokens(text)?,
            next: 0,
            depth: 0,
            program: Program::default(),
            functions: Map::default(),
            boxes: Map::default(),
            sites: Map::default(),
            vars: Map::default(),
        })
    }

    /// Functions, kinds of boxes and sites may be mentioned before they are defined in the text. `fn`, `boxes` and
    /// `site` are reserved, so they begin items wherever they are.
    fn declare(&mut self) -> Result<()> {
        for pair in self.tokens.windows(2) {
            let [word, name] = pair else { continue };
            let twice = match word.text {
                "fn" => self.functions.insert(name.text, FunId(self.functions.len() as u32)).is_some(),
                "boxes" => self.boxes.insert(name.text, BoxId(self.boxes.len() as u32)).is_some(),
                "site" => self.sites.insert(name.text, SiteId(self.sites.len() as u32)).is_some(),
                _ => false,
            };
            if twice {
                let message = format!("there is another {} {}", word.text, name.text);
                return Err(ParseError::new(self.text, name.start, message));
            }
        }
        Ok(())
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    /// The token after the next one.
    fn peek_second(&self) -> Token<'a> {
        self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Whether the next token is written so. Quoted names and texts keep their marks, so they are never mistaken.
    fn at(&self, text: &str) -> bool {
        self.peek().text == text
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let token = self.peek();
        let found = if token.kind == Kind::End { "the end".into() } else { format!("`{}`", token.text) };
        self.error(token.start, format!("expected {wanted}, found {found}"))
    }

    fn error<T>(&self, at: usize, message: String) -> Result<T> {
        Err(ParseError::new(self.text, at, message))
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return self.error(self.peek().start, format!("more than {DEEPEST} levels deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Items between the brackets, with commas.
    fn list<T>(&mut self, open: &str, close: &str, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        while !self.at(close) {
            items.push(item(self)?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    /// A name of any kind, without quotes and number.
    fn plain_name(&mut self) -> Result<Name> {
        match self.peek().kind {
            Kind::Name(name) => {
                self.take();
                Ok(Name::new(name))
            }
            Kind::Number | Kind::Text(_) | Kind::Symbol | Kind::End => self.unexpected("a name"),
        }
    }

    fn span(&mut self) -> Result<Span> {
        if !self.eat("@") {
            return Ok(Span::new(FileId(0), 0, 0));
        }
        let file = self.natural()? as u32;
        self.expect(":")?;
        let start = self.natural()? as u32;
        // `-34` is one token.
        let end = self.integer()?.unsigned_abs() as u32;
        Ok(Span { file: FileId(file), start, end })
    }

    fn item(&mut self) -> Result<()> {
        match self.peek().text {
            "fn" => self.function(),
            "boxes" => self.box_kind(),
            "entry" => self.entry(),
            "site" => self.site(),
            _ => self.unexpected("`fn`, `boxes`, `entry` or `site`"),
        }
    }

    fn box_kind(&mut self) -> Result<()> {
        self.expect("boxes")?;
        self.vars.clear();
        let name = self.plain_name()?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while self.eat("case") {
            cases.push(self.binders()?);
        }
        self.expect("}")?;
        self.program.boxes.push(BoxKind { name, cases });
        Ok(())
    }

    fn box_name(&mut self) -> Result<BoxId> {
        let token = self.take();
        match self.boxes.get(token.text) {
            Some(id) => Ok(*id),
            None => self.error(token.start, format!("there are no boxes `{}`", token.text)),
        }
    }

    fn function(&mut self) -> Result<()> {
        self.expect("fn")?;
        self.vars.clear();
        let name = self.plain_name()?;
        let (consumed, params) = self.marked("*")?;
        self.expect("->")?;
        let (fresh, results) = self.marked("fresh")?;
        let span = self.span()?;
        let too_deep = if self.eat("deep") { Some(self.site_name()?) } else { None };
        let body = self.block()?;
        self.program.functions.push(Function {
            name,
            params,
            consumed,
            results,
            fresh,
            body,
            too_deep,
            span,
            remarks: Vec::new(),
        });
        Ok(())
    }

    /// Binders with or without a mark.
    fn marked(&mut self, mark: &str) -> Result<(Vec<bool>, Vec<Var>)> {
        Ok(self.list("(", ")", |p| Ok((p.eat(mark), p.binder()?)))?.into_iter().unzip())
    }

    fn function_name(&mut self) -> Result<FunId> {
        let token = self.take();
        match self.functions.get(token.text) {
            Some(function) => Ok(*function),
            None => self.error(token.start, format!("there is no function `{}`", token.text)),
        }
    }

    fn site_name(&mut self) -> Result<SiteId> {
        let token = self.take();
        match self.sites.get(token.text) {
            Some(site) => Ok(*site),
            None => self.error(token.start, format!("there is no site `{}`", token.text)),
        }
    }

    fn entry(&mut self) -> Result<()> {
        self.expect("entry")?;
        let name = self.plain_name()?;
        self.expect("=")?;
        let function = self.function_name()?;
        let params = self.list("(", ")", |p| {
            let name = p.plain_name()?;
            p.expect(":")?;
            Ok((name, p.layout()?))
        })?;
        self.expect("->")?;
        let results = self.list("(", ")", Self::layout)?;
        self.program.entries.push(Entry { name, function, params, results });
        Ok(())
    }

    /// `name: type`, `name: pending 1 type`, `name: size i64`.
    fn binder(&mut self) -> Result<Var> {
        let (key, start, name) = self.new_name()?;
        self.expect(":")?;
        let pending = match self.eat("pending") {
            true => Some(Pending { dims: self.integer()? as usize, numbered: self.eat("numbered") }),
            false => None,
        };
        let size = self.eat("size");
        let ty = self.ty()?;
        let var = self.bind(key, start, name, ty)?;
        self.program.vars[var].pending = pending;
        self.program.vars[var].size = size;
        Ok(var)
    }

    fn binders(&mut self) -> Result<Vec<Var>> {
        self.list("(", ")", Self::binder)
    }

    /// A name that is an `i64` without saying so.
    fn index_binder(&mut self) -> Result<Var> {
        let (key, start, name) = self.new_name()?;
        self.bind(key, start, name, Type::I64)
    }

    fn new_name(&mut self) -> Result<(&'a str, usize, Name)> {
        let Token { text, start, .. } = self.peek();
        if crate::words::is_reserved(text) {
            return self.unexpected("a variable");
        }
        Ok((text, start, self.plain_name()?))
    }

    fn bind(&mut self, key: &'a str, start: usize, name: Name, ty: Type) -> Result<Var> {
        let var = self.program.vars.push(VarInfo::new(name, ty));
        match self.vars.insert(key, var) {
            None => Ok(var),
            Some(_) => self.error(start, format!("`{key}` is bound already")),
        }
    }

    /// `{ stms => results }`.
    fn block(&mut self) -> Result<Block> {
        self.nested(|p| {
            p.expect("{")?;
            let mut stms = Vec::new();
            while p.at("let") {
                stms.push(p.stm()?);
            }
            let result = p.results()?;
            p.expect("}")?;
            Ok(Block { stms, result })
        })
    }

    /// `=> atoms`.
    fn results(&mut self) -> Result<Vec<crate::Atom>> {
        self.expect("=>")?;
        if !self.begins_atom() {
            return Ok(Vec::new());
        }
        let mut atoms = vec![self.atom()?];
        while self.eat(",") {
            atoms.push(self.atom()?);
        }
        Ok(atoms)
    }

    fn certs(&mut self) -> Result<Vec<Var>> {
        if self.at("<") { self.list("<", ">", Self::var) } else { Ok(Vec::new()) }
    }

    fn stm(&mut self) -> Result<Stm> {
        self.expect("let")?;
        let certs = self.certs()?;
        let vars = if self.at("(") { self.binders()? } else { vec![self.binder()?] };
        self.expect("=")?;
        let exp = self.exp()?;
        Ok(Stm { vars, certs, exp, span: self.span()? })
    }
}
