//! `ravel error`: the page of an error code.

use crate::args::ErrorArgs;
use crate::out;
use std::process::ExitCode;

/// Code and text of every page of `docs/errors`.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// Prints the page of a code, or the list of codes.
pub fn run(options: &ErrorArgs) -> ExitCode {
    let Some(code) = &options.code else {
        out::text(&list());
        return ExitCode::SUCCESS;
    };
    let wanted = code.trim().to_uppercase();
    match PAGES.iter().find(|(known, _)| *known == wanted) {
        Some((_, page)) => {
            out::text(page);
            ExitCode::SUCCESS
        }
        None => {
            out::error(format_args!("there is no page for the code `{code}`; `ravel error` lists all"));
            ExitCode::from(crate::status::USAGE)
        }
    }
}

fn list() -> String {
    let codes = PAGES.iter().filter(|(code, _)| *code != "README");
    codes.map(|(code, page)| format!("{code}  {}\n", title(code, page))).collect()
}

/// The first heading without the code in front.
fn title<'a>(code: &str, page: &'a str) -> &'a str {
    let line = page.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    line.strip_prefix(code).unwrap_or(line).trim_start_matches([':', ' ', '-', '—'])
}
