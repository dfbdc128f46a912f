//! Text to Ast: lexer, parser and the tree they make. Parsing never fails: for any text there is a tree (with `Error`
//! nodes where the text has errors) and a list of diagnostics.
//!
//! Reading order: [`ast`] (the tree), `token` and `lexer` (text to tokens), `brackets` (which bracket closes
//! which), `parser` (tokens to tree, one file per topic), [`codes`] (the errors), [`dump`] (the tree as text).

pub mod ast;
mod brackets;
pub mod codes;
pub mod dump;
mod level;
mod lexer;
mod parser;
mod token;
pub mod words;

use ast::{Dialect, Expr, File, TypeExp};
use base::{Diagnostic, FileId, Span};
use parser::Parser;

/// Parses a whole file.
pub fn parse(file: FileId, text: &str, dialect: Dialect) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text, dialect);
    let decs = parser.whole_file();
    let (comments, diagnostics) = parser.finish();
    (File { dialect, decs, comments }, diagnostics)
}

/// Parses a text that is one expression.
pub fn parse_expr(file: FileId, text: &str, dialect: Dialect) -> (Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text, dialect);
    let expr = parser.exp();
    parser.expect_end("expression");
    (expr, parser.finish().1)
}

/// Parses a text that is one type.
pub fn parse_type(file: FileId, text: &str, dialect: Dialect) -> (TypeExp, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text, dialect);
    let ty = parser.type_exp();
    parser.expect_end("type");
    (ty, parser.finish().1)
}

/// The text of a file's bytes, or what is wrong with them.
pub fn decode(file: FileId, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let title = format!("this file is not UTF-8 text: byte {at} fits no character");
        Diagnostic::error(codes::NOT_UTF8, title, Span::new(file, at, at), "the text is fine up to here")
            .help("save the file as UTF-8; if it is data and not a program, pass it as an argument: `@file`")
    })
}
