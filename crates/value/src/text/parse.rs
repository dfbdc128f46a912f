//! From tokens to the forms of values.

use super::lex::{Lexer, Token};
use super::number::number;
use super::{Form, Number, Parsed};
use crate::FormatError;
use base::Name;
use scalar::Prim;

/// Deeper nesting is refused, so that no input can exhaust the stack.
const DEEPEST: usize = 100;

/// Reads one value after another from a text. After an error there are no more values.
#[derive(Clone)]
pub struct Reader<'a> {
    lexer: Lexer<'a>,
    failed: bool,
}

type Read<T> = Result<T, FormatError>;

impl<'a> Reader<'a> {
    /// A reader from the start of a text.
    pub fn new(text: &'a str) -> Reader<'a> {
        Reader::at_line(text, 1)
    }

    /// A reader of a text that starts on some line of a larger one.
    pub fn at_line(text: &'a str, line: usize) -> Reader<'a> {
        Reader { lexer: Lexer::new(text, line), failed: false }
    }

    /// The byte behind the last value read.
    pub fn position(&self) -> usize {
        self.lexer.pos
    }

    /// The line behind the last value read, counted from one.
    pub fn line(&self) -> usize {
        self.lexer.line
    }

    fn peek(&self) -> Read<Option<(Token<'a>, usize)>> {
        self.lexer.clone().next()
    }

    fn token(&mut self) -> Read<(Token<'a>, usize)> {
        let line = self.lexer.line;
        self.lexer.next()?.ok_or_else(|| FormatError::line(line, "the value ends too early"))
    }

    fn expect(&mut self, mark: u8) -> Read<()> {
        match self.token()? {
            (Token::Mark(found), _) if found == mark => Ok(()),
            (found, line) => {
                Err(FormatError::line(line, format!("'{}' is expected, but here is {}", mark as char, describe(found))))
            }
        }
    }

    fn eat(&mut self, mark: u8) -> Read<bool> {
        let found = matches!(self.peek()?, Some((Token::Mark(found), _)) if found == mark);
        if found {
            self.token()?;
        }
        Ok(found)
    }

    fn value(&mut self, depth: usize) -> Read<Parsed> {
        let (token, line) = self.token()?;
        if depth > DEEPEST {
            return Err(FormatError::line(line, format!("nested deeper than {DEEPEST} levels")));
        }
        let form = match token {
            Token::Word("true") => Form::Bool(true),
            Token::Word("false") => Form::Bool(false),
            Token::Word("empty") => self.empty()?,
            Token::Word(word) => match number(word) {
                Some(number) => Form::Number(number),
                None => return Err(FormatError::line(line, format!("{word} is not a number"))),
            },
            Token::Text("") => Form::Empty(vec![Some(0)], Prim::U8),
            Token::Text(text) => Form::List(string(text, line)?),
            Token::Constructor(name) => self.constructor(name, line, depth)?,
            Token::Mark(b'[') => Form::List(self.items(b']', |r| r.value(depth + 1))?),
            Token::Mark(b'{') => Form::Record(self.items(b'}', |r| r.field(depth + 1))?),
            Token::Mark(b'(') => {
                let mut items = self.items(b')', |r| r.value(depth + 1))?;
                match items.pop() {
                    Some(only) if items.is_empty() => return Ok(only),
                    Some(last) => items.push(last),
                    None => {}
                }
                Form::Tuple(items)
            }
            Token::Mark(mark) => {
                return Err(FormatError::line(line, format!("a value is expected, but here is '{}'", mark as char)));
            }
        };
        Ok(Parsed { form, line })
    }

    /// Items with commas in between, up to and with the closing mark.
    fn items<T>(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close)? {
            // Between elements of an array a comma may be left out, as Futhark and NumPy users do.
            if !items.is_empty() && !self.eat(b',')? && close != b']' {
                self.expect(b',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn field(&mut self, depth: usize) -> Read<(Name, Parsed)> {
        match self.token()? {
            (Token::Word(name), _) if !name.contains(['.', '-', '+']) => {
                self.expect(b'=')?;
                Ok((Name::new(name), self.value(depth)?))
            }
            (other, line) => Err(FormatError::line(
                line,
                format!("the name of a field is expected, but here is {}", describe(other)),
            )),
        }
    }

    /// A constructor takes the values behind it on its line; one that carries values goes in parentheses.
    fn constructor(&mut self, name: &str, line: usize, depth: usize) -> Read<Form> {
        if name.is_empty() {
            return Err(FormatError::line(line, "the name of a constructor is expected behind '#'"));
        }
        let mut args = Vec::new();
        while let Some((token, at)) = self.peek()? {
            match token {
                Token::Constructor(inner) if at == line && !inner.is_empty() => {
                    self.token()?;
                    args.push(Parsed { form: Form::Sum(Name::new(inner), Vec::new()), line });
                }
                Token::Word(_) | Token::Text(_) | Token::Mark(b'[' | b'(' | b'{') if at == line => {
                    args.push(self.value(depth + 1)?);
                }
                Token::Word(_) | Token::Text(_) | Token::Mark(_) | Token::Constructor(_) => break,
            }
        }
        Ok(Form::Sum(Name::new(name), args))
    }

    /// `([0][~]i32)` behind the word `empty`.
    fn empty(&mut self) -> Read<Form> {
        self.expect(b'(')?;
        let mut dims = Vec::new();
        while self.eat(b'[')? {
            let dim = match self.token()? {
                (Token::Mark(b'~'), _) => None,
                (Token::Word(word), line) => match number(word) {
                    Some(Number::Int { negative: false, magnitude, suffix: None | Some(Prim::I64), .. })
                        if magnitude <= i64::MAX as u64 =>
                    {
                        Some(magnitude as i64)
                    }
                    _ => return Err(FormatError::line(line, format!("{word} is not an extent"))),
                },
                (other, line) => {
                    return Err(FormatError::line(
                        line,
                        format!("an extent is expected, but here is {}", describe(other)),
                    ));
                }
            };
            self.expect(b']')?;
            dims.push(dim);
        }
        let elem = match self.token()? {
            (Token::Word(word), line) => {
                Prim::from_name(word).ok_or_else(|| FormatError::line(line, format!("{word} is not a type")))?
            }
            (other, line) => {
                return Err(FormatError::line(line, format!("a type is expected, but here is {}", describe(other))));
            }
        };
        self.expect(b')')?;
        Ok(Form::Empty(dims, elem))
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Parsed, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || matches!(self.peek(), Ok(None)) {
            return None;
        }
        let value = self.value(0);
        self.failed = value.is_err();
        Some(value)
    }
}

fn describe(token: Token) -> String {
    match token {
        Token::Word(word) => word.to_string(),
        Token::Text(_) => "a string".into(),
        Token::Constructor(name) => format!("#{name}"),
        Token::Mark(mark) => format!("'{}'", mark as char),
    }
}

/// The bytes of a string literal, as the elements of an array.
fn string(text: &str, line: usize) -> Read<Vec<Parsed>> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let c = if c != '\\' {
            c
        } else {
            match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('0') => '\0',
                Some(c @ ('"' | '\\' | '\'')) => c,
                other => {
                    let what = other.map_or(String::new(), String::from);
                    return Err(FormatError::line(line, format!("\\{what} means nothing in a string")));
                }
            }
        };
        out.extend(c.encode_utf8(&mut [0; 4]).bytes());
    }
    let byte = |b: u8| Number::Int { negative: false, magnitude: b as u64, hex: false, suffix: Some(Prim::U8) };
    Ok(out.into_iter().map(|b| Parsed { form: Form::Number(byte(b)), line }).collect())
}
