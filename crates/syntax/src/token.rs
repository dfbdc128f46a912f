//! The tokens, the reserved words and how tightly operators bind.

use crate::ast::Dialect;
use crate::level::{self, Level};
use base::Name;

/// A token: what it is and which bytes it covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: T,
    pub start: u32,
    pub end: u32,
    /// Whether it is the first token of its line.
    pub first_on_line: bool,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum T {
    /// Characters that the lexer has complained about.
    Error,
    End,
    Ident(Name),
    /// `#name`.
    Constr(Name),
    /// An operator that has no separate token.
    Op(Name, Level),
    /// `m.+`: an index into the lexer's qualified operators.
    QualOp(u32, Level),
    /// A literal: an index into the lexer's literals.
    Lit(u32),
    /// Decimal digits without suffix: a literal that is also a field name.
    Nat(u32),
    // Operators that also mean something else.
    Star,
    Minus,
    Less,
    LessEq,
    Hat,
    Bar,
    Bang,
    // Punctuation.
    LParen,
    RParen,
    /// `[` after a space.
    LBracket,
    /// `[` right after a name or a closing bracket.
    Index,
    RBracket,
    LBrace,
    RBrace,
    /// `#[`.
    HashBracket,
    Comma,
    Semicolon,
    Underscore,
    Backslash,
    Quote,
    QuoteHat,
    QuoteTilde,
    Backtick,
    Arrow,
    /// `=>`, only in Ravel.
    FatArrow,
    Colon,
    ColonGt,
    Question,
    Tilde,
    Equals,
    Dot,
    TwoDots,
    ThreeDots,
    DotsLess,
    DotsGreater,
    Hole,
    // Words.
    If,
    Then,
    Else,
    Let,
    Def,
    Loop,
    In,
    Match,
    Case,
    Entry,
    For,
    Do,
    With,
    Assert,
    True,
    False,
    While,
    Include,
    Import,
    Type,
    Module,
    Val,
    Open,
    Local,
    // Words that only Ravel reserves.
    Array,
    Update,
    Accum,
    Rec,
}

/// The reserved words of both dialects.
const WORDS: &[(&str, T)] = &[
    ("if", T::If),
    ("then", T::Then),
    ("else", T::Else),
    ("let", T::Let),
    ("def", T::Def),
    ("loop", T::Loop),
    ("in", T::In),
    ("match", T::Match),
    ("case", T::Case),
    ("entry", T::Entry),
    ("for", T::For),
    ("do", T::Do),
    ("with", T::With),
    ("assert", T::Assert),
    ("true", T::True),
    ("false", T::False),
    ("while", T::While),
    ("include", T::Include),
    ("import", T::Import),
    ("type", T::Type),
    ("module", T::Module),
    ("val", T::Val),
    ("open", T::Open),
    ("local", T::Local),
];

/// The words that Ravel adds.
const RAVEL_WORDS: &[(&str, T)] = &[("array", T::Array), ("update", T::Update), ("accum", T::Accum), ("rec", T::Rec)];

/// The reserved word a text is, if it is one.
pub(crate) fn word(text: &str, dialect: Dialect) -> Option<T> {
    if text.len() > 7 {
        return None;
    }
    let find = |words: &[(&str, T)]| words.iter().find(|(w, _)| *w == text).map(|(_, t)| *t);
    find(WORDS).or_else(|| match dialect {
        Dialect::Ravel => find(RAVEL_WORDS),
        Dialect::Futhark => None,
    })
}

/// Whether a token is a reserved word.
pub(crate) fn is_word(kind: T) -> bool {
    WORDS.iter().chain(RAVEL_WORDS).any(|(_, t)| *t == kind)
}

/// The level of an operator: that of the longest built-in operator it begins with.
pub(crate) fn level_of(op: &str) -> Level {
    const PREFIXES: &[(&str, Level)] = &[
        ("|>", 6),
        ("<|", level::PIPE_LEFT),
        ("||", level::OR),
        ("&&", 9),
        ("<<", 12),
        (">>", 12),
        ("**", 15),
        ("&", 11),
        ("^", 11),
        ("|", 11),
        ("+", level::ADD),
        ("-", level::ADD),
        ("*", level::MULTIPLY),
        ("/", level::MULTIPLY),
        ("%", level::MULTIPLY),
    ];
    PREFIXES.iter().find(|(p, _)| op.starts_with(p)).map_or(level::COMPARE, |(_, l)| *l)
}

impl T {
    /// Whether it opens a bracket, and with what it closes.
    pub fn closer(self) -> Option<T> {
        match self {
            T::LParen => Some(T::RParen),
            T::LBracket | T::Index | T::HashBracket => Some(T::RBracket),
            T::LBrace => Some(T::RBrace),
            _ => None,
        }
    }

    /// Whether only Ravel reserves it.
    pub fn is_ravel_word(self) -> bool {
        RAVEL_WORDS.iter().any(|(_, t)| *t == self)
    }

    /// Whether it closes a bracket.
    pub fn is_closer(self) -> bool {
        matches!(self, T::RParen | T::RBracket | T::RBrace)
    }

    /// Whether it can only begin a declaration or specification, and never be inside an expression.
    pub fn only_declares(self) -> bool {
        matches!(self, T::Def | T::Entry | T::Type | T::Module | T::Val | T::Open | T::Local | T::Include)
    }

    /// Whether a declaration may begin with it.
    pub fn starts_dec(self) -> bool {
        matches!(
            self,
            T::Def | T::Entry | T::Let | T::Type | T::Module | T::Open | T::Import | T::Local | T::HashBracket
        )
    }

    /// How it is written, for tokens that are always written the same way.
    pub fn spelling(self) -> &'static str {
        if let Some((w, _)) = WORDS.iter().chain(RAVEL_WORDS).find(|(_, t)| *t == self) {
            return w;
        }
        match self {
            T::LParen => "(",
            T::RParen => ")",
            T::LBracket | T::Index => "[",
            T::RBracket => "]",
            T::LBrace => "{",
            T::RBrace => "}",
            T::HashBracket => "#[",
            T::Comma => ",",
            T::Semicolon => ";",
            T::Backtick => "`",
            T::Arrow => "->",
            T::FatArrow => "=>",
            T::Colon => ":",
            T::Equals => "=",
            T::Dot => ".",
            T::Less => "<",
            T::LessEq => "<=",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_their_longest_known_beginning() {
        assert_eq!(level_of(">>="), level_of(">>"));
        assert_eq!(level_of("+^"), level_of("+"));
        assert_eq!(level_of("|>>"), level_of("|>"));
        assert_eq!(level_of("<|>"), level_of("<|"));
        assert_eq!(level_of("!!"), level_of("!="));
        assert!(level_of("**") > level_of("*"));
        assert!(level_of("&") > level_of("=="));
    }

    #[test]
    fn words_by_dialect() {
        assert_eq!(word("array", Dialect::Ravel), Some(T::Array));
        assert_eq!(word("array", Dialect::Futhark), None);
        assert_eq!(word("step", Dialect::Ravel), None);
        assert_eq!(word("let", Dialect::Futhark), Some(T::Let));
    }
}
