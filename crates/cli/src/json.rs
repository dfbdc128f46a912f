//! Diagnostics as JSON, for tools.

use base::{Diagnostic, Severity, Sources, Span};
use serde_json::{Value, json};

/// One diagnostic as an object. Lines and columns count from one, columns in characters; `start` and `end` are bytes.
pub fn diagnostic(sources: &Sources, diagnostic: &Diagnostic) -> Value {
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|label| {
            let mut place = place(sources, label.span);
            place["text"] = label.text.clone().into();
            place
        })
        .collect();
    let mut object = diagnostic.labels.first().map_or(json!({}), |label| place(sources, label.span));
    object["severity"] = match diagnostic.severity {
        Severity::Error => "error".into(),
        Severity::Warning => "warning".into(),
    };
    object["code"] = diagnostic.code.into();
    object["title"] = diagnostic.title.clone().into();
    object["labels"] = labels.into();
    object["notes"] = diagnostic.notes.clone().into();
    object["help"] = diagnostic.help.clone().into();
    object
}

fn place(sources: &Sources, span: Span) -> Value {
    let (file, line, column) = sources.locate(span);
    let (_, end_line, end_column) = sources.locate(span.after());
    json!({
        "file": file, "line": line, "column": column, "end_line": end_line, "end_column": end_column,
        "start": span.start, "end": span.end,
    })
}
