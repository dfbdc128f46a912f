//! Splits text into rows of cells, as in RFC 4180: a cell in quotes may contain commas, line breaks and doubled quotes.

use crate::FormatError;

/// A cell, and whether it was in quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_quoted: bool,
}

/// A row and the line on which it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) cells: Vec<Cell>,
}

/// The rows of a text; an empty line is a row without cells. If no separator is given, it is the comma, or the semicolon or
/// tab if the first line has no comma.
pub(super) fn rows(text: &str, separator: Option<u8>) -> Result<Vec<Row>, FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator.unwrap_or_else(|| guess_separator(text)) as char;
    let mut scanner = Scanner { rest: text, line: 1, separator };
    let mut rows = Vec::new();
    while !scanner.rest.is_empty() {
        let mut row = scanner.row()?;
        if matches!(&row.cells[..], [only] if only.text.is_empty() && !only.is_quoted) {
            row.cells.clear();
        }
        rows.push(row);
    }
    Ok(rows)
}

fn guess_separator(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    [b',', b';', b'\t'].into_iter().find(|separator| first.as_bytes().contains(separator)).unwrap_or(b',')
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    separator: char,
}

impl Scanner<'_> {
    /// The cells up to the end of the line, which is taken too.
    fn row(&mut self) -> Result<Row, FormatError> {
        let mut row = Row { line: self.line, cells: Vec::new() };
        loop {
            let cell = self.cell(row.cells.len() + 1)?;
            row.cells.push(cell);
            if self.eat(self.separator) {
                continue;
            }
            self.eat('\r');
            if self.eat('\n') {
                self.line += 1;
            }
            return Ok(row);
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn cell(&mut self, column: usize) -> Result<Cell, FormatError> {
        if self.rest.trim_start_matches(' ').starts_with('"') {
            return self.quoted(column);
        }
        let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(Cell { text: text.trim().to_owned(), is_quoted: false })
    }

    fn quoted(&mut self, column: usize) -> Result<Cell, FormatError> {
        let line = self.line;
        let wrong = |message: &str| FormatError::cell(line, column, message);
        self.rest = &self.rest.trim_start_matches(' ')[1..];
        let mut text = String::new();
        loop {
            let end = self.rest.find('"').ok_or_else(|| wrong("this cell has no closing quote"))?;
            let part = &self.rest[..end];
            self.line += part.bytes().filter(|byte| *byte == b'\n').count();
            text.push_str(part);
            self.rest = &self.rest[end + 1..];
            if !self.eat('"') {
                break;
            }
            text.push('"');
        }
        self.rest = self.rest.trim_start_matches(' ');
        match self.rest.chars().next() {
            Some(next) if next != self.separator && next != '\n' && next != '\r' => {
                Err(wrong("the cell goes on behind its closing quote: write a quote inside as \"\""))
            }
            _ => Ok(Cell { text, is_quoted: true }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<Vec<String>> {
        rows(text, None).unwrap().into_iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect()
    }

    #[test]
    fn cells_are_taken_apart() {
        assert_eq!(texts("a,b\r\n1, 2 \n,\n"), [["a", "b"], ["1", "2"], ["", ""]]);
        assert_eq!(texts("1\n\n2"), [vec!["1"], vec![], vec!["2"]]);
        assert_eq!(texts("\u{feff}1;2\n3;4"), [["1", "2"], ["3", "4"]]);
        assert_eq!(texts("\"a,\"\"b\"\"\nc\", \"d\" \n1\t2,3"), [["a,\"b\"\nc", "d"], ["1\t2", "3"]]);
    }

    #[test]
    fn lines_are_counted_through_quotes() {
        let lines: Vec<usize> = rows("\"a\nb\",c\n\nd,e", None).unwrap().iter().map(|row| row.line).collect();
        assert_eq!(lines, [1, 3, 4]);
        let error = rows("1,2\n3,\"4", None).unwrap_err().to_string();
        assert_eq!(error, "line 2, column 2: this cell has no closing quote");
        assert!(rows("\"a\"b", None).unwrap_err().to_string().starts_with("line 1, column 1: the cell goes on"));
    }
}
