//! The text of a program as tokens that keep its white space, so that a program prints as it was read.
//!
//! The compiler's lexer drops white space and comments. Here a token is only as precise as the changes need it:
//! `f64.sum` and `p.0` are one word, and any run of operator characters is one operator.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Blanks and line ends.
    Space,
    /// `-- ...` up to the end of the line.
    Comment,
    /// A name, with the names of modules in front and of fields behind, or a reserved word.
    Word,
    /// A number, with its suffix.
    Number,
    /// A run of operator characters.
    Operator,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// Anything else: commas, lambdas, quotes, texts.
    Other,
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// As it is written.
    pub text: String,
}

impl Token {
    /// Whether it is this text and not part of a comment.
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Whether it is a name that the program may have defined.
    pub fn is_name(&self) -> bool {
        self.kind == Kind::Word && !RESERVED.contains(&self.text.as_str()) && !self.text.starts_with('_')
    }
}

/// Words that are no names.
const RESERVED: &[&str] = &[
    "if", "then", "else", "let", "def", "loop", "in", "match", "case", "entry", "for", "do", "with", "assert", "true",
    "false", "while", "include", "import", "type", "module", "val", "open", "local", "array", "update", "accum", "rec",
    "step", "where",
];

/// Splits a text into tokens, whose texts together are the text.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next(rest, first);
        let (token, behind) = rest.split_at(length);
        out.push(Token { kind, text: token.into() });
        rest = behind;
    }
    out
}

/// The text of tokens.
pub fn text(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

/// Where the bracket that opens at a token is closed: the index behind.
pub fn closing(all: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in all.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return (at > open).then_some(at + 1);
        }
    }
    None
}

/// The kind of the first token and how many bytes it has.
fn next(rest: &str, first: char) -> (Kind, usize) {
    match first {
        _ if first.is_whitespace() => (Kind::Space, run(rest, char::is_whitespace)),
        _ if rest.starts_with("--") => (Kind::Comment, rest.find('\n').unwrap_or(rest.len())),
        _ if is_word_start(first) => (Kind::Word, path(rest)),
        _ if first.is_ascii_digit() => (Kind::Number, number(rest)),
        _ if is_operator(first) => (Kind::Operator, run(rest, is_operator)),
        '(' | '[' | '{' => (Kind::Open, 1),
        ')' | ']' | '}' => (Kind::Close, 1),
        '"' => (Kind::Other, quoted(rest)),
        _ => (Kind::Other, first.len_utf8()),
    }
}

fn run(rest: &str, goes_on: impl Fn(char) -> bool) -> usize {
    rest.find(|c| !goes_on(c)).unwrap_or(rest.len())
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_operator(c: char) -> bool {
    "+-*/%=!<>|&^~.:?".contains(c)
}

/// `name.name.0`, or one name.
fn path(rest: &str) -> usize {
    let mut end = run(rest, is_word_part);
    while let Some(behind) = rest[end..].strip_prefix('.')
        && behind.starts_with(is_word_part)
    {
        end += 1 + run(behind, is_word_part);
    }
    end
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// Digits, a fraction, an exponent with its sign, a suffix.
fn number(rest: &str) -> usize {
    let mut end = run(rest, is_word_part);
    if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        end += 1 + run(&rest[end + 1..], is_word_part);
    }
    let is_decimal = !rest.starts_with("0x");
    if is_decimal && rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with(['-', '+']) {
        end += 1 + run(&rest[end + 1..], is_word_part);
    }
    end
}

/// A text in quotes, up to its end or that of the line.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            '\n' => return at,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_text() {
        let program =
            "entry f [n] (a: *[n]f64): f64 = -- words\n  f64.sum (map (\\x -> x*1.5e-3f64 +. \"a)\\\" b\") a[1:])\n";
        assert_eq!(text(&tokens(program)), program);
    }

    #[test]
    fn tokens_have_kinds() {
        let kinds = |text: &str| tokens(text).iter().map(|token| token.kind).collect::<Vec<_>>();
        assert_eq!(kinds("f64.sum p.0"), [Kind::Word, Kind::Space, Kind::Word]);
        assert_eq!(kinds("2.5e-1f32"), [Kind::Number]);
        assert_eq!(kinds("0..<n"), [Kind::Number, Kind::Operator, Kind::Word]);
        assert_eq!(kinds("a[i]"), [Kind::Word, Kind::Open, Kind::Word, Kind::Close]);
        assert!(!tokens("let")[0].is_name() && tokens("lets")[0].is_name());
    }
}
