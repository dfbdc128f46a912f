//! Words that only the text of the program can give: `xs[-1]` fails like any other index, but the help is `last xs`;
//! and `tabulate` fails in the `iota` inside of it, which the user did not write.

use base::{Diagnostic, Sources};
use fault::Fault;

/// What to do about a fault, judged by the text at its place.
pub(crate) fn from_text(sources: &Sources, diagnostic: &Diagnostic) -> Option<String> {
    let text = sources.slice(diagnostic.labels.first()?.span);
    match Fault::from_code(diagnostic.code)? {
        Fault::Index => negative_index(text),
        Fault::Slice => negative_position(text),
        _ => None,
    }
}

/// A better title: the function that the user called, where the title names one that the text does not mention.
pub(crate) fn title(sources: &Sources, diagnostic: &Diagnostic) -> Option<String> {
    let label = diagnostic.labels.first().filter(|_| diagnostic.code == Fault::NegativeSize.code())?;
    let (before, inner) = diagnostic.title.rsplit_once(" for ")?;
    let (_, called) = label.text.rsplit_once("in `")?;
    let mentioned = inner.contains(' ') || sources.slice(label.span).contains(inner);
    (!mentioned).then(|| format!("{before} for {}", called.trim_end_matches('`')))
}

/// `xs[-1]`.
fn negative_index(text: &str) -> Option<String> {
    let (array, rest) = text.split_once("[-")?;
    let count: u64 = rest.strip_suffix(']')?.trim().parse().ok()?;
    let name = array.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'')).then_some(array)?;
    Some(match count {
        1 => format!("indices count from 0; the last element is `last {name}`"),
        n => format!("indices count from 0; from the end, write `{name}[length {name} - {n}]`"),
    })
}

/// `1:-1`, `-2:`.
fn negative_position(text: &str) -> Option<String> {
    let (start, end) = text.split_once(':')?;
    let negative = |s: &str| s.trim().strip_prefix('-').is_some_and(|n| n.trim().parse::<u64>().is_ok());
    let last = negative(end).then(|| end.trim().to_string());
    let first = negative(start).then(|| start.trim().to_string());
    let wrong = last.or(first)?;
    Some(format!(
        "positions count from 0; `{wrong}` from the end is `length xs - {}`",
        wrong.trim_start_matches('-').trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers() {
        assert_eq!(negative_index("xs[-1]").as_deref(), Some("indices count from 0; the last element is `last xs`"));
        assert!(negative_index("a.b[-3]").is_some_and(|help| help.contains("`a.b[length a.b - 3]`")));
        assert_eq!(negative_index("f x"), None);
        assert_eq!(negative_index("xs[-n]"), None);
        assert!(negative_position("0:-1").is_some_and(|help| help.contains("`length xs - 1`")));
        assert_eq!(negative_position("1:9"), None);
    }
}
