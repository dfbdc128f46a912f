//! Text to Ast: lexer, parser and the tree they make. Parsing never fails: whatever the bytes, there is a tree
//! (with `Error` nodes where the text made no sense) and a list of diagnostics.

pub mod ast;
