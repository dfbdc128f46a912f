//! Functions that are too long to read at once.
//!
//! A function counts from the line with `fn` to the line with its closing brace. What counts is text as `rustfmt` writes
//! it: the brace that closes a function stands alone, as far to the right as its first line. Tests are excepted, since
//! they may list cases.

/// Longer functions are divided by meaning.
const MOST_LINES: usize = 60;

/// Words that may stand before `fn`.
const QUALIFIERS: &[&str] = &["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern", "\"C\""];

/// Reports the long functions of a file.
pub fn check(shown: &str, text: &str, problems: &mut Vec<String>) {
    if shown.contains("/tests/") || shown.ends_with("tests.rs") {
        return;
    }
    let long = functions(text).into_iter().filter(|function| function.lines > MOST_LINES);
    problems.extend(long.map(|Function { name, first, lines }| {
        format!("{shown}:{first}: `{name}` has {lines} lines; divide it by meaning (at most {MOST_LINES})")
    }));
}

#[derive(Debug, PartialEq)]
struct Function<'a> {
    name: &'a str,
    /// The number of its first line, from 1.
    first: usize,
    lines: usize,
}

/// The functions with a body, nested ones too, up to the tests at the end of the file.
fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{'));
    let program = &lines[..tests.unwrap_or(lines.len())];
    let starts = program.iter().enumerate().filter_map(|(at, line)| Some((at, function_name(line)?)));
    starts.map(|(at, name)| Function { name, first: at + 1, lines: extent(&program[at..]) }).collect()
}

/// The name of the function that begins on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| QUALIFIERS.contains(word));
    let named = words.next() == Some("fn");
    words.next().filter(|_| named)?.split(['(', '<']).next()
}

/// How many lines a function has that begins on the first of these lines.
fn extent(lines: &[&str]) -> usize {
    let indent = lines[0].len() - lines[0].trim_start().len();
    let closes = |line: &&str| line.len() == indent + 1 && line.ends_with('}');
    // A function without a body, or with one on the same line, has no closing brace of its own.
    let body = lines.iter().position(|line| line.ends_with(['{', ';', '}'])).unwrap_or(0);
    if !lines[body].ends_with('{') {
        return body + 1;
    }
    lines.iter().position(closes).map_or(lines.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured() {
        let text = "impl A {\n    pub(super) fn one<'a>(\n        x: i64,\n    ) {\n        {\n        }\n    }\n\n    \
                    fn two() {}\n}\n\ntrait T {\n    fn three(&self);\n}\n\nfn four() {\n}\n\n\
                    #[cfg(test)]\nmod tests {\n    fn five() {\n    }\n}\n";
        let found: Vec<(&str, usize, usize)> = functions(text).iter().map(|f| (f.name, f.first, f.lines)).collect();
        assert_eq!(found, [("one", 2, 6), ("two", 9, 1), ("three", 13, 1), ("four", 16, 2)]);
    }

    #[test]
    fn long_functions_are_reported_except_in_tests() {
        let of = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
        let problems = |shown: &str, text: &str| {
            let mut problems = Vec::new();
            check(shown, text, &mut problems);
            problems
        };
        assert!(problems("crates/a/src/lib.rs", &of(MOST_LINES)).is_empty());
        assert_eq!(
            problems("crates/a/src/lib.rs", &of(MOST_LINES + 1)),
            ["crates/a/src/lib.rs:1: `f` has 61 lines; divide it by meaning (at most 60)"]
        );
        assert!(problems("crates/a/tests/all.rs", &of(MOST_LINES + 1)).is_empty());
    }
}
