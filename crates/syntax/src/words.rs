//! Words that are operators in other languages. Here they are ordinary names, so the parser reads `x and y` as a call. The
//! pass that finds that it cannot be one reports it with the message of this file.

use crate::codes;
use base::{Diagnostic, Span};

/// The operator of Ravel for a word that is an operator in other languages.
fn operator_for(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" | "AND" | "And" => "&&",
        "or" | "OR" | "Or" => "||",
        "mod" | "MOD" => "%",
        "rem" => "%%",
        "div" | "DIV" => "/",
        "xor" | "XOR" => "^",
        "is" | "eq" => "==",
        _ => return None,
    })
}

/// The message for such a word between two operands; none for other words.
pub fn not_an_operator(word: &str, span: Span) -> Option<Diagnostic> {
    let operator = operator_for(word)?;
    let title = format!("`{word}` is not an operator");
    let error = Diagnostic::error(codes::WORD_OPERATOR, title, span, format!("expected `{operator}`"));
    let error = match word {
        "and" => error.note("`and` is a function of an array: `and xs` says whether all elements are true"),
        "or" => error.note("`or` is a function of an array: `or xs` says whether some element is true"),
        _ => error,
    };
    Some(error.help(match word.to_ascii_lowercase().as_str() {
        "xor" => "write `a != b` for truth values, `a ^ b` for the bits of integers".to_string(),
        _ => format!("write `a {operator} b`"),
    }))
}
