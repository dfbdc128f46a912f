//! Suites as text: read, and written again with other outputs.

use std::fmt;

/// A suite: its tests, and the lines between them.
pub struct Document {
    /// The tests.
    pub tests: Vec<Test>,
    /// The lines before each test, and those behind the last.
    between: Vec<String>,
}

/// A test.
pub struct Test {
    /// The heading above it.
    pub title: String,
    /// The line where its input begins.
    pub line: usize,
    /// What kind of text the input is.
    pub kind: String,
    /// The passes.
    pub passes: Vec<String>,
    /// The input.
    pub input: String,
    /// The output: its kind and its text.
    pub output: Option<(String, String)>,
    /// Further lines that say what must hold.
    pub checks: Vec<String>,
}

const INPUTS: &[&str] = &["src", "fut", "core", "kernel"];
const OUTPUTS: &[&str] = &["types", "counts", "core", "kernel", "c", "error"];

/// Reads a suite.
pub fn parse(text: &str) -> Result<Document, String> {
    let mut document = Document { tests: Vec::new(), between: vec![String::new()] };
    let mut title = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        title = line.strip_prefix("## ").map_or(title, str::to_owned);
        let Some(info) = line.strip_prefix("```") else {
            document.prose(line);
            continue;
        };
        let mut body = String::new();
        loop {
            match lines.next() {
                Some((_, "```")) => break,
                Some((_, line)) => body += &format!("{line}\n"),
                None => return Err(format!("line {}: a fence without end", number + 1)),
            }
        }
        document.fence(info, body, &title, number + 1).map_err(|why| format!("line {}: {why}", number + 1))?;
    }
    Ok(document)
}

impl Document {
    fn prose(&mut self, line: &str) {
        if let Some(last) = self.between.last_mut() {
            *last += &format!("{line}\n");
        }
    }

    fn fence(&mut self, info: &str, body: String, title: &str, line: usize) -> Result<(), String> {
        let (kind, rest) = info.split_once(' ').unwrap_or((info, ""));
        if let Some(passes) = rest.strip_prefix("pass=") {
            if !INPUTS.contains(&kind) {
                return Err(format!("`{kind}` is no input: {}", INPUTS.join(", ")));
            }
            let passes = passes.split(',').map(str::to_owned).collect();
            let (title, kind) = (title.to_owned(), kind.to_owned());
            self.tests.push(Test { title, line, kind, passes, input: body, output: None, checks: Vec::new() });
            self.between.push(String::new());
            return Ok(());
        }
        // What stands between the fences of one test would get lost when it is written again.
        let prose = self.between.last().is_some_and(|prose| !prose.trim().is_empty());
        match self.tests.last_mut() {
            Some(_) if prose => Err("only an input stands behind prose".into()),
            Some(test) if OUTPUTS.contains(&kind) && test.output.is_none() => {
                test.output = Some((kind.to_owned(), body));
                Ok(())
            }
            Some(test) if kind == "check" && test.checks.is_empty() => {
                test.checks = body.lines().map(str::to_owned).collect();
                Ok(())
            }
            _ => Err(format!("a fence `{info}` has no meaning here")),
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (prose, test) in self.between.iter().zip(&self.tests) {
            f.write_str(prose)?;
            writeln!(f, "```{} pass={}\n{}```", test.kind, test.passes.join(","), test.input)?;
            if let Some((kind, text)) = &test.output {
                writeln!(f, "```{kind}\n{text}```")?;
            }
            if !test.checks.is_empty() {
                writeln!(f, "```check\n{}\n```", test.checks.join("\n"))?;
            }
        }
        f.write_str(self.between.last().map_or("", String::as_str))
    }
}
