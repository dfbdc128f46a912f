//! Sites, in the form of [`fault::notation`].

use super::ParseError;
use super::parse::{Parsed, Parser};
use base::Span;
use fault::Fault;
use fault::notation::{self, Malformed, Tokens};

impl Parser {
    /// What follows the word `site`.
    pub(super) fn site(&mut self) -> Parsed<()> {
        let number = self.integer()?;
        if number as usize != self.program.sites.len() {
            return self.error("sites must be numbered in order");
        }
        let code = self.word()?;
        let Some(fault) = Fault::from_code(&code) else {
            return self.error(format!("there is no run-time error `{code}`"));
        };
        let site = notation::parse(self, fault)?;
        self.program.sites.push(site);
        Ok(())
    }
}

impl Tokens for Parser {
    type Error = ParseError;

    fn eat(&mut self, word: &str) -> bool {
        Parser::eat(self, word)
    }

    fn quoted(&mut self) -> Parsed<String> {
        Parser::quoted(self)
    }

    fn number(&mut self) -> Parsed<i64> {
        self.integer().map(i64::from)
    }

    fn span(&mut self) -> Parsed<Span> {
        Parser::span(self)
    }

    fn malformed(&self, wrong: Malformed) -> ParseError {
        self.wrong(wrong.what)
    }

    fn wrong(&self, what: String) -> ParseError {
        ParseError { line: self.last_line(), what }
    }
}
