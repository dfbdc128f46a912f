//! The pages of `docs/errors`: their wrong examples are reported under the page's code, their right ones are accepted.

use crate::common::Folder;
use std::path::Path;

/// Codes whose cause does not fit into one small program: unreadable files, endless nesting, arguments from outside, what the
/// checker or the parser already rejects, bugs of ours.
const WITHOUT_EXAMPLE: &[&str] =
    &["E0007", "E0013", "E0014", "E0553", "E0901", "E0904", "R010", "R012", "R022", "R025", "R099"];

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
    let checked = folder.ravel(&["check", &file]);
    let tag = format!("[{code}]");
    let found = if !example.wrong {
        // An example may carry tests of its own.
        let tested = folder.ravel(&["test", &file]);
        (tested.status != 0).then(|| format!("a right example fails:\n{}{}", tested.out, tested.err))
    } else if checked.err.contains(&tag) {
        None
    } else if checked.status == 0 && code.starts_with('R') {
        let run = folder.ravel(&["run", &file]);
        (!run.err.contains(&tag)).then(|| format!("a run gives another error:\n{}{}", run.out, run.err))
    } else {
        Some(format!("a wrong example is not reported under this code:\n{}", checked.err))
    };
    found.map(|why| format!("{code}: {why}\nexample:\n{}", example.text))
}

#[test]
fn examples_of_all_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let mut problems = Vec::new();
    let pages = std::fs::read_dir(folder).expect("the folder of pages").map(|entry| entry.expect("an entry").path());
    for path in pages.filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let page = std::fs::read_to_string(&path).expect("a page");
        let examples = examples(&page);
        problems.extend(examples.iter().filter_map(|example| problem(&code, example)));
        let is_code = code.starts_with(['E', 'W', 'R']) && code != "README";
        if is_code && !WITHOUT_EXAMPLE.contains(&code.as_str()) && !examples.iter().any(|example| example.wrong) {
            problems.push(format!("{code}: the page has no example of the error"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
