//! Sites, in the form of [`fault::notation`].

use super::error::ParseError;
use super::lexer::Kind;
use super::{Parser, Result};
use base::Span;
use fault::Fault;
use fault::notation::{self, Malformed, Tokens};

impl Parser<'_> {
    pub(super) fn site(&mut self) -> Result<()> {
        self.expect("site")?;
        let token = self.peek();
        let code = self.plain_name()?;
        let Some(fault) = Fault::from_code(code.as_str()) else {
            return self.error(token.start, format!("there is no run-time error `{code}`"));
        };
        let site = notation::parse(self, fault)?;
        self.program.sites.push(site);
        Ok(())
    }

    /// Where the token taken last begins.
    fn last_start(&self) -> usize {
        self.tokens[(self.next - 1).min(self.tokens.len() - 1)].start
    }
}

impl Tokens for Parser<'_> {
    type Error = ParseError;

    fn eat(&mut self, word: &str) -> bool {
        Parser::eat(self, word)
    }

    fn quoted(&mut self) -> Result<String> {
        let Kind::Text(inside) = self.peek().kind else { return self.unexpected("a text") };
        self.take();
        Ok(inside.into())
    }

    fn number(&mut self) -> Result<i64> {
        self.integer()
    }

    fn span(&mut self) -> Result<Span> {
        Parser::span(self)
    }

    fn malformed(&self, wrong: Malformed) -> ParseError {
        ParseError::new(self.text, self.last_start() + 1 + wrong.at, wrong.what)
    }

    fn wrong(&self, what: String) -> ParseError {
        ParseError::new(self.text, self.last_start(), what)
    }
}
