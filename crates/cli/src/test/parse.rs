//! Reads the `-- ==` blocks of a program.
//!
//! ```text
//! -- any words
//! -- ==
//! -- tags { name ... }
//! -- entry: name ...
//! -- "name" compiled random input { ... }   or   script input { ... }   or   input @ file
//! -- output { ... }                         or   auto output            or   error: regex
//! ```
//! A block may instead say `error: regex` (the program must be rejected), `property: name ...`, `warning: regex` or
//! `structure { ... }`, which is about the internals of Futhark's compiler and is ignored.

use super::spec::{Case, Expected, Input, Pattern, Run, Spec, SpecError, What};

type Parsed<T> = Result<T, SpecError>;

/// The tests of a program's text.
pub fn parse(text: &str) -> Parsed<Spec> {
    let mut spec = Spec::default();
    for block in blocks(text) {
        let mut cursor = Cursor { text: &block.text, pos: 0, first_line: block.first_line };
        parse_block(&mut cursor, &mut spec)?;
    }
    let rejects = |case: &&Case| matches!(case.what, What::Reject(_));
    if spec.cases.len() > 1
        && let Some(case) = spec.cases.iter().find(rejects)
    {
        let message = "a program that must be rejected can have no other tests".into();
        return Err(SpecError { line: case.line, message });
    }
    if spec.cases.is_empty() {
        spec.cases.push(Case { line: 0, what: What::Accept });
    }
    Ok(spec)
}

struct Block {
    /// The line after `-- ==`.
    first_line: usize,
    /// The text without the dashes.
    text: String,
}

/// Each block runs from `-- ==` to the end of the comment.
fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut current: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("--"), &mut current) {
            (Some(comment), None) if comment.trim() == "==" => {
                current = Some(Block { first_line: index + 2, text: String::new() });
            }
            (Some(comment), Some(block)) => {
                block.text.push_str(comment);
                block.text.push('\n');
            }
            (Some(_), None) => {}
            (None, _) => found.extend(current.take()),
        }
    }
    found.extend(current);
    found
}

fn parse_block(cursor: &mut Cursor, spec: &mut Spec) -> Parsed<()> {
    let mut entries = vec!["main".to_string()];
    let mut number = 0;
    loop {
        cursor.blanks();
        let line = cursor.line();
        if cursor.at_end() {
            return Ok(());
        } else if cursor.word("tags") {
            let tags = cursor.braces()?;
            spec.tags.extend(tags.split_whitespace().map(String::from));
        } else if cursor.word("entry:") {
            entries = cursor.rest_of_line().split_whitespace().map(String::from).collect();
            number = 0;
        } else if cursor.word("error:") {
            spec.cases.push(Case { line, what: What::Reject(Pattern(cursor.rest_of_line().into())) });
        } else if cursor.word("warning:") {
            spec.cases.push(Case { line, what: What::Warn(Pattern(cursor.rest_of_line().into())) });
        } else if cursor.word("property:") {
            let names = cursor.rest_of_line().split_whitespace();
            spec.cases.extend(names.map(|name| Case { line, what: What::Property(name.into()) }));
        } else if cursor.word("structure") {
            cursor.skip_to('{');
            cursor.braces()?;
        } else {
            let run = parse_run(cursor, number)?;
            number += 1;
            for entry in &entries {
                spec.cases.push(Case { line, what: What::Run(Run { entry: entry.clone(), ..run.clone() }) });
            }
        }
    }
}

fn parse_run(cursor: &mut Cursor, number: usize) -> Parsed<Run> {
    let name = cursor.string()?;
    let mut tags = Vec::new();
    while !cursor.word("input") {
        match cursor.tag() {
            Some(tag) => tags.push(tag.to_string()),
            None => return Err(cursor.error("`input`, `entry:`, `error:`, `tags` or another test was expected")),
        }
    }
    let has = |tag: &str| tags.iter().any(|t| t == tag);
    let (random, script) = (has("random"), has("script"));
    tags.retain(|tag| tag != "random" && tag != "script");
    cursor.blanks();
    let input = match (cursor.file()?, random, script) {
        (Some(_), true, _) => return Err(cursor.error("random input cannot come from a file")),
        (Some(path), false, true) => Input::ScriptFile(path),
        (Some(path), false, false) => Input::File(path),
        (None, true, _) => Input::Random(cursor.braces()?.into()),
        (None, false, true) => Input::Script(cursor.braces()?.into()),
        (None, false, false) => Input::Text(cursor.braces()?.into()),
    };
    Ok(Run { entry: String::new(), number, name, tags, input, expected: parse_expected(cursor)? })
}

fn parse_expected(cursor: &mut Cursor) -> Parsed<Expected> {
    cursor.blanks();
    if cursor.word("error:") {
        return Ok(Expected::Error(Pattern(cursor.rest_of_line().into())));
    }
    if cursor.word("auto") {
        cursor.blanks();
        return if cursor.word("output") { Ok(Expected::Success) } else { Err(cursor.error("`output` was expected")) };
    }
    if !cursor.word("output") {
        return Ok(Expected::Success);
    }
    cursor.blanks();
    Ok(match cursor.file()? {
        Some(path) => Expected::File(path),
        None => Expected::Text(cursor.braces()?.into()),
    })
}

/// A place in a block.
struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    first_line: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn at_end(&self) -> bool {
        self.rest().is_empty()
    }

    fn line(&self) -> usize {
        self.first_line + self.text[..self.pos].bytes().filter(|b| *b == b'\n').count()
    }

    fn error(&self, message: impl Into<String>) -> SpecError {
        SpecError { line: self.line(), message: message.into() }
    }

    fn blanks(&mut self) {
        self.pos = self.text.len() - self.rest().trim_start().len();
    }

    fn skip_to(&mut self, wanted: char) {
        self.pos += self.rest().find(wanted).unwrap_or(self.rest().len());
    }

    /// Takes this word if it is next and ends here.
    fn word(&mut self, word: &str) -> bool {
        let goes_on = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        match self.rest().strip_prefix(word) {
            Some(rest) if word.ends_with(':') || !rest.starts_with(goes_on) => {
                self.pos += word.len();
                true
            }
            Some(_) | None => false,
        }
    }

    /// Takes any word and the blanks after it.
    fn tag(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        self.pos += end;
        self.blanks();
        (end > 0).then(|| &rest[..end])
    }

    /// Takes a quoted name and the blanks after it.
    fn string(&mut self) -> Parsed<Option<String>> {
        if !self.rest().starts_with('"') {
            return Ok(None);
        }
        let end = self.rest()[1..].find('"').ok_or_else(|| self.error("the closing quote is missing"))?;
        let name = self.rest()[1..=end].to_string();
        self.pos += end + 2;
        self.blanks();
        Ok(Some(name))
    }

    fn rest_of_line(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find('\n').unwrap_or(rest.len());
        self.pos += end;
        rest[..end].trim()
    }

    /// `@ path`.
    fn file(&mut self) -> Parsed<Option<String>> {
        if !self.rest().starts_with('@') {
            return Ok(None);
        }
        self.pos += 1;
        self.blanks();
        let rest = self.rest();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.pos += end;
        if end == 0 { Err(self.error("a file name was expected after `@`")) } else { Ok(Some(rest[..end].into())) }
    }

    /// The text between `{` and the `}` that closes it; quoted text may contain either.
    fn braces(&mut self) -> Parsed<&'a str> {
        self.blanks();
        if !self.rest().starts_with('{') {
            return Err(self.error("`{` was expected"));
        }
        let rest = self.rest();
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        for (index, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => {
                    depth -= 1;
                    if depth == 0 {
                        self.pos += index + 1;
                        return Ok(&rest[1..index]);
                    }
                }
                _ => {}
            }
        }
        Err(self.error("the closing `}` is missing"))
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
