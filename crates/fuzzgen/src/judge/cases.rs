//! The entry points of a program and their inputs, as comments say.

use crate::tree::Rule;
use value::{Value, Values};

/// An entry point and its inputs.
pub(super) struct Case {
    pub entry: String,
    pub rule: Rule,
    pub inputs: Vec<String>,
}

/// The arguments that a text holds.
pub(super) fn read(input: &str, types: &[value::ValueType]) -> Result<Vec<Value>, String> {
    let mut reader = Values::new(input.as_bytes());
    let mut values = Vec::new();
    while let Some(value) = reader.next_value(types.get(values.len())) {
        values.push(value.map_err(|error| error.to_string())?);
    }
    if values.len() == types.len() { Ok(values) } else { Err(format!("{} values for {}", values.len(), types.len())) }
}

/// An input whose numbers with a fraction are a little larger: `1.5f32` becomes `1.5000000001f32`.
pub(super) fn nudged(input: &str) -> String {
    let mut out = String::new();
    let mut in_fraction = false;
    for c in input.chars() {
        if in_fraction && !c.is_ascii_digit() {
            out.push_str("000000001");
        }
        in_fraction = c == '.' || in_fraction && c.is_ascii_digit();
        out.push(c);
    }
    if in_fraction { out + "000000001" } else { out }
}

/// The entry points and inputs that the comments of a program name.
pub(super) fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("-- entry: ") {
            let (entry, rule) = words.split_once(' ').unwrap_or((words, "exact"));
            let rule = Rule::ALL.into_iter().find(|known| known.name() == rule).unwrap_or(Rule::Exact);
            cases.push(Case { entry: entry.into(), rule, inputs: Vec::new() });
        } else if let Some(rest) = line.strip_prefix("-- input {")
            && let Some(case) = cases.last_mut()
        {
            case.inputs.push(rest.trim_end().trim_end_matches('}').trim().into());
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_nudged() {
        assert_eq!(nudged("[1.5, 2] 3.0f32 0.25"), "[1.5000000001, 2] 3.0000000001f32 0.25000000001");
    }
}
