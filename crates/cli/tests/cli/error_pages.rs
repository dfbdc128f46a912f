//! The pages of `docs/errors`: their wrong examples are reported under the page's code, their right ones are accepted.

use crate::common::Folder;
use std::path::{Path, PathBuf};

/// Codes whose cause does not fit into one small program: unreadable files, endless nesting, arguments from outside, what the
/// checker or the parser already rejects, what only compiling meets, bugs of ours.
const WITHOUT_EXAMPLE: &[&str] = &["E0007", "E0013", "E0014", "E0801", "E0802", "E0901", "E0904", "R022", "R099"];

struct Example {
    /// `rv` or `fut`.
    dialect: String,
    /// Whether it must go wrong.
    wrong: bool,
    text: String,
}

/// The fences that open with ```` ```rv ```` or ```` ```fut ````, those marked `error` being wrong.
fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) if info.starts_with("rv") || info.starts_with("fut") => {
                let mut words = info.split_whitespace().map(String::from);
                let dialect = words.next().unwrap_or_default();
                found.push(Example { dialect, wrong: words.any(|word| word == "error"), text: String::new() });
                open = true;
            }
            Some(_) => {}
            None if open => {
                let example = found.last_mut().expect("an open fence");
                example.text += line;
                example.text.push('\n');
            }
            None => {}
        }
    }
    found
}

fn problem(code: &str, example: &Example) -> Option<String> {
    let file = format!("main.{}", example.dialect);
    let folder = Folder::new(&[(&file, &example.text)]);
    // A right example may carry tests of its own; a wrong one of a run-time error is to be run.
    let command = if !example.wrong {
        "test"
    } else if code.starts_with('R') {
        "run"
    } else {
        "check"
    };
    let said = match command {
        "test" => folder.ravel(&["test", "--backend", "interp", &file]),
        _ => folder.ravel(&[command, &file]),
    };
    let fine = if example.wrong { said.err.contains(&format!("[{code}]")) } else { said.status == 0 };
    let found = (!fine).then(|| format!("`ravel {command}` says:\n{}{}", said.out, said.err));
    found.map(|why| format!("{code}: {why}\nexample:\n{}", example.text))
}

fn problems_of(pages: &[PathBuf]) -> Vec<String> {
    let mut problems = Vec::new();
    for path in pages {
        let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let page = std::fs::read_to_string(path).expect("a page");
        let examples = examples(&page);
        problems.extend(examples.iter().filter_map(|example| problem(&code, example)));
        let is_code = code.starts_with(['E', 'W', 'R']) && code != "README";
        if is_code && !WITHOUT_EXAMPLE.contains(&code.as_str()) && !examples.iter().any(|example| example.wrong) {
            problems.push(format!("{code}: the page has no example of the error"));
        }
    }
    problems
}

#[test]
fn examples_of_all_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let pages = std::fs::read_dir(folder).expect("the folder of pages").map(|entry| entry.expect("an entry").path());
    let pages: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    // Starting the compiler takes longer than anything else here.
    let problems: Vec<String> = std::thread::scope(|scope| {
        let share = pages.len().div_ceil(workers).max(1);
        let threads: Vec<_> = pages.chunks(share).map(|share| scope.spawn(|| problems_of(share))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a worker")).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
