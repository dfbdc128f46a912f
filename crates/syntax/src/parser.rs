//! Tokens to tree: recursive descent, one function per production, one file per topic.
//!
//! Parsing never fails. A production that finds something else reports it and returns an `Error` node; then
//! [`recover`](Parser::recover) skips to a token where things make sense again. Until then further errors are
//! silent (`panicking`), so that one mistake gives one message.

mod atoms;
mod brackets;
mod clauses;
mod decs;
mod errors;
mod exprs;
mod foreign;
mod lets;
mod limits;
mod module_types;
mod modules;
mod names;
mod node;
mod operators;
mod params;
mod pats;
mod quals;
mod types;

use crate::ast::{Comment, Dialect, Lit};
use crate::brackets::Partners;
use crate::lexer::{self, Lexed, MAX_ERRORS};
use crate::token::{T, Token};
use base::{Diagnostic, FileId, Span};

/// How the context of an expression restricts its syntax. Inside brackets there is no restriction.
#[derive(Clone, Copy, Default)]
struct Context {
    /// In the bound of a generator: `step` is a word.
    bound: bool,
    /// Behind a qualifier of a clause: `{` may open clauses instead of a record.
    before_clauses: bool,
    /// In an `if` that is written as in Python: `elif` is a word.
    elif: bool,
}

pub(crate) struct Parser<'a> {
    file: FileId,
    text: &'a str,
    dialect: Dialect,
    lexed: Lexed,
    partners: Partners,
    /// The current token; never beyond `End`.
    pos: usize,
    diagnostics: Vec<Diagnostic>,
    /// An error was reported and nothing has made sense since.
    panicking: bool,
    context: Context,
    /// How deep the productions being parsed are nested.
    depth: u32,
    /// How many links of chains are above the production being parsed.
    waiting: u32,
    /// The height of the tallest tree finished in the current production.
    height: u32,
    /// How many tokens searches may still look at: all of them together take linear time.
    search_budget: usize,
    /// An operator just in front of `)`: a section that `(` has to make.
    section: Option<crate::ast::QualName>,
    /// The innermost open bracket.
    innermost: Option<usize>,
    /// The last argument that began a line: where `in` may have been forgotten.
    argument_on_new_line: Option<Span>,
    /// The `=` of the current definition is missing, and that was reported.
    no_equals: bool,
    /// Reserved words that were used as field names, and reported.
    reserved_fields: Vec<&'a str>,
    /// Where `lambda`, `fn` or `fun` was used as a name: perhaps it was meant as a word.
    lambda_word: Option<Span>,
}

impl<'a> Parser<'a> {
    pub fn new(file: FileId, text: &'a str, dialect: Dialect) -> Parser<'a> {
        let lexed = lexer::lex(file, text, dialect);
        Parser {
            file,
            text,
            dialect,
            partners: Partners::new(&lexed.tokens),
            pos: 0,
            diagnostics: Vec::new(),
            panicking: false,
            context: Context::default(),
            depth: 0,
            waiting: 0,
            height: 0,
            search_budget: 20 * lexed.tokens.len() + 1_000,
            section: None,
            innermost: None,
            argument_on_new_line: None,
            no_equals: false,
            reserved_fields: Vec::new(),
            lambda_word: None,
            lexed,
        }
    }

    /// The comments, and all diagnostics in the order of the text.
    pub fn finish(self) -> (Vec<Comment>, Vec<Diagnostic>) {
        let mut all = self.lexed.diagnostics;
        all.extend(self.diagnostics);
        all.sort_by_key(|d| d.labels.first().map(|l| l.span.start));
        (self.lexed.comments, all)
    }

    /// Whether the file is Ravel.
    fn ravel(&self) -> bool {
        self.dialect == Dialect::Ravel
    }

    // ------------------------------------------------------------ the cursor

    fn token(&self) -> Token {
        self.lexed.tokens[self.pos]
    }

    fn kind(&self) -> T {
        self.token().kind
    }

    /// The kind of the token `ahead` of the current one.
    fn nth(&self, ahead: usize) -> T {
        self.lexed.tokens.get(self.pos + ahead).map_or(T::End, |t| t.kind)
    }

    fn at(&self, kind: T) -> bool {
        self.kind() == kind
    }

    fn at_bracket(&self) -> bool {
        matches!(self.kind(), T::LBracket | T::Index)
    }

    /// At a closing bracket that closes nothing.
    fn at_stray_closer(&self) -> bool {
        self.kind().is_closer() && self.partners.of(self.pos).is_none()
    }

    fn bump(&mut self) {
        if self.pos + 1 < self.lexed.tokens.len() {
            self.pos += 1;
        }
    }

    fn eat(&mut self, kind: T) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn span_of(&self, index: usize) -> Span {
        let token = self.lexed.tokens[index];
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The current token's span.
    fn span(&self) -> Span {
        self.span_of(self.pos)
    }

    /// The span of the token before the current one.
    fn prev_span(&self) -> Span {
        if self.pos == 0 { Span::new(self.file, 0, 0) } else { self.span_of(self.pos - 1) }
    }

    /// From the start of `first` to the end of what has been consumed.
    fn since(&self, first: Span) -> Span {
        let end = self.prev_span().end.max(first.start);
        Span { end, ..first }
    }

    /// The text of the token at an index.
    fn text_of(&self, index: usize) -> &'a str {
        let token = self.lexed.tokens[index];
        &self.text[token.start as usize..token.end as usize]
    }

    fn lit(&self, index: u32) -> Lit {
        self.lexed.lits[index as usize].clone()
    }

    // ------------------------------------------------------------ errors and recovery

    /// Reports an error, unless one was reported and nothing has made sense since.
    fn error(&mut self, diagnostic: Diagnostic) {
        // The lexer has reported this token already.
        let told = self.panicking || self.at(T::Error);
        self.panicking = true;
        if !told && self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Consumes a token of this kind or reports that it is missing; `place` says where, as in "after the condition".
    fn expect(&mut self, kind: T, place: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            let diagnostic = self.missing(&format!("`{}`", kind.spelling()), place);
            self.error(diagnostic);
        }
        found
    }

    /// Looks for a token to go on from, brackets skipped, until `ends` says that the search is over.
    fn search(&mut self, wanted: &[T], ends: impl Fn(&Self, usize) -> bool) -> bool {
        let mut at = self.pos;
        while self.search_budget > 0 {
            self.search_budget -= 1;
            if wanted.contains(&self.lexed.tokens[at].kind) {
                self.pos = at;
                self.panicking = false;
                return true;
            }
            if self.lexed.tokens[at].kind == T::End || ends(self, at) {
                return false;
            }
            at = self.partners.of(at).map_or(at, |p| p.max(at)) + 1;
        }
        false
    }

    /// After an error: skips to one of these tokens if it comes before the surroundings end. Says whether it did.
    fn recover(&mut self, wanted: &[T]) -> bool {
        self.search(wanted, |p, at| {
            let kind = p.lexed.tokens[at].kind;
            // A closer without a partner is a typing error, not the end of anything.
            let closes = kind.is_closer() && p.partners.of(at).is_some();
            kind == T::Semicolon || kind.only_declares() || closes || (kind == T::Let && p.at_line_start(at))
        })
    }

    /// Whether the token at an index stands in the first column.
    fn at_line_start(&self, index: usize) -> bool {
        let start = self.lexed.tokens[index].start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// Reports whatever is left after a complete expression or type.
    pub fn expect_end(&mut self, what: &str) {
        if !self.at(T::End) {
            let diagnostic = self.unexpected_after(what);
            self.error(diagnostic);
        }
    }
}
