//! Reads the programs of a corpus: files with test blocks, and the cases of text suites.
//!
//! Each entry point becomes a [`Sample`], with the definitions that it can reach and with its inputs:
//!
//! ```text
//! -- ==                                         ```src pass=core
//! -- entry: f                                   entry f [n] (xs: [n]i64) = map (+ 1) xs
//! -- input { [1, 2] } output { [2, 3] }         ```
//! entry f [n] (xs: [n]i64) = map (+ 1) xs       ```check
//!                                               run f [1, 2] == [2, 3]
//!                                               ```
//! ```
//!
//! Programs that import files, inputs of files, random inputs and very long inputs are left out.

use super::inputs::Parameters;
use super::tokens::{Kind, Token, closing, text, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An entry point of a corpus.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The file, and the line of the case in a suite.
    pub place: String,
    /// The name of the entry point.
    pub entry: String,
    /// Its definition and those that it uses, without comments.
    pub tokens: Vec<Token>,
    /// The text of all arguments, once for each run.
    pub inputs: Vec<String>,
    /// What it takes, if other inputs can be made for it.
    pub parameters: Option<Parameters>,
}

/// Inputs longer than this take too long.
const LONGEST_INPUT: usize = 1500;

/// Programs longer than this take too long.
const LONGEST_PROGRAM: usize = 6000;

/// The entry points of files and folders, in the order of the paths.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Sample>, String> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    }
    files.sort();
    files.dedup();
    let mut samples = Vec::new();
    for file in &files {
        let content = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let place = file.display().to_string();
        samples.extend(if is(file, "md") { suite(&content, &place) } else { program(&content, &place) });
    }
    if samples.is_empty() { Err("there is no entry point in the corpus".into()) } else { Ok(samples) }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for item in std::fs::read_dir(path)? {
            collect(&item?.path(), files)?;
        }
    } else if is(path, "rv") || is(path, "md") {
        files.push(path.into());
    }
    Ok(())
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own == ending)
}

type Inputs = BTreeMap<String, Vec<String>>;

/// The entry points of a program with test blocks.
pub fn program(content: &str, place: &str) -> Vec<Sample> {
    let mut inputs = Inputs::new();
    for block in blocks(content) {
        // The compiler must reject the program.
        if block.trim_start().starts_with("error:") {
            return Vec::new();
        }
        read_block(&block, &mut inputs);
    }
    samples(content, &inputs, place)
}

/// The comments behind `-- ==`, without dashes.
fn blocks(content: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    for line in content.lines() {
        match (line.strip_prefix("--"), &mut current) {
            (Some(comment), Some(block)) => *block += &format!("{comment}\n"),
            (Some(comment), None) if comment.trim() == "==" => current = Some(String::new()),
            (Some(_), None) => {}
            (None, _) => found.extend(current.take()),
        }
    }
    found.extend(current);
    found
}

/// Collects `entry:` and `input { ... }` of a block.
fn read_block(block: &str, inputs: &mut Inputs) {
    let words: Vec<Token> = tokens(block);
    let mut entries = vec!["main".to_owned()];
    let mut before = String::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.kind == Kind::Word) {
        if word.is("entry") && words.get(at + 1).is_some_and(|next| next.is(":")) {
            let line = words[at + 2..].iter().take_while(|token| !token.text.contains('\n'));
            entries = line.filter(|token| token.kind == Kind::Word).map(|token| token.text.clone()).collect();
        } else if word.is("input") && !["random", "script"].contains(&before.as_str()) {
            let open = at + 1 + usize::from(words.get(at + 1).is_some_and(|next| next.kind == Kind::Space));
            if let Some(end) = closing(&words, open).filter(|_| words[open].is("{")) {
                let values = text(&words[open + 1..end - 1]);
                entries.iter().for_each(|entry| add(inputs, entry, &values));
            }
        }
        before.clone_from(&word.text);
    }
}

fn add(inputs: &mut Inputs, entry: &str, values: &str) {
    let values = values.split_whitespace().collect::<Vec<_>>().join(" ");
    if values.len() <= LONGEST_INPUT && !values.contains(['{', '$']) {
        inputs.entry(entry.into()).or_default().push(values);
    }
}

/// The entry points of the cases of a suite.
pub fn suite(content: &str, place: &str) -> Vec<Sample> {
    let mut found = Vec::new();
    let mut last: Option<(usize, String)> = None;
    let mut inputs = Inputs::new();
    let mut lines = content.lines().enumerate();
    let finish = |last: Option<(usize, String)>, inputs: &mut Inputs, found: &mut Vec<Sample>| {
        if let Some((line, source)) = last {
            found.extend(samples(&source, inputs, &format!("{place}:{line}")));
        }
        inputs.clear();
    };
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let body: String = body.map(|line| format!("{line}\n")).collect();
        if info.contains("pass=") {
            finish(last.take(), &mut inputs, &mut found);
            last = info.starts_with("src ").then_some((number + 1, body));
        } else if info == "check" {
            body.lines().for_each(|line| read_run(line, &mut inputs));
        } else if info == "error" {
            last = None;
        }
    }
    finish(last, &mut inputs, &mut found);
    found
}

/// `run f ARGUMENTS == RESULTS` or `run f ARGUMENTS fails CODE`.
fn read_run(line: &str, inputs: &mut Inputs) {
    let Some(call) = line.strip_prefix("run ") else { return };
    let call = call.split(" == ").next().and_then(|call| call.split(" fails ").next()).unwrap_or(call);
    let (entry, values) = call.split_once(' ').unwrap_or((call, ""));
    add(inputs, entry, values);
}

/// The entry points of a program's text.
fn samples(source: &str, inputs: &Inputs, place: &str) -> Vec<Sample> {
    let all = without_comments(tokens(source));
    if all.iter().any(|token| token.is("import") || token.is("include")) {
        return Vec::new();
    }
    let parts = definitions(&all);
    let mut found = Vec::new();
    for part in &parts {
        let tokens = &all[part.clone()];
        let Some(entry) = name(tokens).filter(|_| tokens[0].is("entry")) else { continue };
        let tokens = reachable(&all, &parts, entry);
        let inputs = inputs.get(entry).cloned().unwrap_or_default();
        let parameters = Parameters::read(&all[part.clone()]);
        let is_short = tokens.iter().map(|token| token.text.len()).sum::<usize>() <= LONGEST_PROGRAM;
        if is_short && (parameters.is_some() || !inputs.is_empty()) {
            found.push(Sample { place: place.into(), entry: entry.into(), tokens, inputs, parameters });
        }
    }
    found
}

fn without_comments(all: Vec<Token>) -> Vec<Token> {
    // Lines that were only a comment vanish when the text is read again.
    let code: Vec<Token> = all.into_iter().filter(|token| token.kind != Kind::Comment).collect();
    let lines: Vec<String> = text(&code).lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect();
    tokens(&format!("{}\n", lines.join("\n")))
}

/// The ranges of definitions: each begins with a word at the beginning of a line.
pub fn definitions(all: &[Token]) -> Vec<Range<usize>> {
    const BEGIN: &[&str] = &["def", "entry", "let", "type", "module", "open", "local", "val"];
    let is_begin = |at: usize| {
        let is_first = at == 0 || all[at - 1].text.ends_with('\n');
        is_first && BEGIN.contains(&all[at].text.as_str())
    };
    let begins: Vec<usize> = (0..all.len()).filter(|at| is_begin(*at)).collect();
    let ends = begins.iter().skip(1).copied().chain([all.len()]);
    begins.iter().zip(ends).map(|(begin, end)| *begin..end).collect()
}

/// The name that a definition of a value defines.
fn name(definition: &[Token]) -> Option<&str> {
    let first = definition.first()?;
    let is_value = ["def", "entry", "let"].iter().any(|word| first.is(word));
    let mut names = definition.iter().skip(1).filter(|token| !matches!(token.kind, Kind::Space) && !token.is("rec"));
    names.next().filter(|token| is_value && token.is_name()).map(|token| token.text.as_str())
}

/// An entry point with the definitions that it uses, directly or not, and all that are not values.
fn reachable(all: &[Token], parts: &[Range<usize>], entry: &str) -> Vec<Token> {
    let mut wanted: BTreeSet<&str> = BTreeSet::from([entry]);
    loop {
        let before = wanted.len();
        for part in parts {
            let tokens = &all[part.clone()];
            if name(tokens).is_none_or(|name| wanted.contains(name)) {
                let words = tokens.iter().filter(|token| token.kind == Kind::Word);
                wanted.extend(words.flat_map(|token| [token.text.as_str(), root(&token.text)]));
            }
        }
        if wanted.len() == before {
            break;
        }
    }
    let is_kept = |part: &&Range<usize>| name(&all[(*part).clone()]).is_none_or(|name| wanted.contains(name));
    parts.iter().filter(is_kept).flat_map(|part| all[part.clone()].iter().cloned()).collect()
}

/// `p` of `p.x`.
fn root(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "\
-- A program.
-- ==
-- entry: f g
-- input { [1i64,
--   2] 3i64 } output { 4i64 }
-- random input { [5]i64 }
-- input @ file
def half (x: i64) = x / 2
def other (x: i64) = x
entry f [n] (xs: [n]i64) (k: i64) = half k -- words
  + xs[0]
entry g [n] (xs: [n]i64) (k: i64) = k
";

    #[test]
    fn a_program_gives_its_entry_points() {
        let found = program(PROGRAM, "p.rv");
        let [f, g] = &found[..] else { panic!("{found:?}") };
        assert_eq!((f.entry.as_str(), g.entry.as_str()), ("f", "g"));
        assert_eq!(f.inputs, ["[1i64, 2] 3i64"]);
        let own = "def half (x: i64) = x / 2\nentry f [n] (xs: [n]i64) (k: i64) = half k \n  + xs[0]\n";
        assert_eq!(text(&f.tokens), own);
        assert_eq!(g.inputs, f.inputs);
        assert!(f.parameters.is_some());
    }

    #[test]
    fn programs_that_must_be_rejected_or_import_are_left_out() {
        assert!(program("-- ==\n-- error: words\nentry f (x: i64) = x\n", "p.rv").is_empty());
        assert!(program("import \"other\"\nentry f (x: i64) = x\n", "p.rv").is_empty());
    }

    #[test]
    fn a_suite_gives_the_entry_points_of_its_cases() {
        let content = "# T\n\n```src pass=core\nentry f (x: i64) = x + 1\n```\n```core\nfn f\n```\n```check\ncount bulk 0\n\
            run f 1 == 2\nrun f 2 fails R001\n```\n\n```core pass=sweep\nfn g\n```\n```src pass=core\nentry g (x: i64) = x\n```\n";
        let found = suite(content, "s.md");
        let [f, g] = &found[..] else { panic!("{found:?}") };
        assert_eq!((f.place.as_str(), f.entry.as_str()), ("s.md:3", "f"));
        assert_eq!(f.inputs, ["1", "2"]);
        assert_eq!((g.place.as_str(), g.inputs.len()), ("s.md:18", 0));
    }
}
