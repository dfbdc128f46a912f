//! Tests of parsing test blocks.

use super::*;

fn runs(text: &str) -> Vec<Run> {
    let cases = parse(text).expect("a good block").cases;
    cases.into_iter().filter_map(|case| if let What::Run(run) = case.what { Some(run) } else { None }).collect()
}

#[test]
fn several_cases_and_entries() {
    let found = runs(
        "-- Words.\n-- ==\n-- entry: f g\n-- input { 1 [2,\n-- 3] } output { 3 }\n-- input { 2 }\n-- error: bad.*thing\n\
         def f = 1\n\n-- ==\n-- input { } auto output\n",
    );
    let shown: Vec<(&str, usize)> = found.iter().map(|run| (run.entry.as_str(), run.number)).collect();
    assert_eq!(shown, [("f", 0), ("g", 0), ("f", 1), ("g", 1), ("main", 0)]);
    assert_eq!(found[0].input, Input::Text(" 1 [2,\n 3] ".into()));
    assert_eq!(found[0].expected, Expected::Text(" 3 ".into()));
    assert_eq!(found[2].expected, Expected::Error(Pattern("bad.*thing".into())));
    assert_eq!(found[4].expected, Expected::Success);
}

#[test]
fn tags_names_and_sources_of_input() {
    let text = "-- ==\n-- tags { slow no_x }\n-- \"big one\" compiled random input { [10]i32 }\n\
                -- nobench input @ data/x.in\n-- output @ data/x.out\n-- script input { f 1 {a = \"}\"} }\n\
                -- script input @ s.txt\n-- structure gpu { Map 1 }\n-- warning: careful\n";
    let spec = parse(text).unwrap();
    assert_eq!(spec.tags, ["slow", "no_x"]);
    let found = runs(text);
    assert_eq!((found[0].name.as_deref(), found[0].tags.clone()), (Some("big one"), vec!["compiled".to_string()]));
    assert_eq!(found[0].input, Input::Random(" [10]i32 ".into()));
    assert_eq!(found[1].input, Input::File("data/x.in".into()));
    assert_eq!(found[1].expected, Expected::File("data/x.out".into()));
    assert_eq!(found[2].input, Input::Script(" f 1 {a = \"}\"} ".into()));
    assert_eq!(found[3].input, Input::ScriptFile("s.txt".into()));
    assert_eq!(spec.cases[4].what, What::Warn(Pattern("careful".into())));
    assert_eq!(spec.cases[4].line, 9);
}

#[test]
fn rejected_programs_and_programs_without_blocks() {
    let spec = parse("-- ==\n-- error: Unknown name\ndef x = y\n").unwrap();
    assert_eq!(spec.cases, [Case { line: 2, what: What::Reject(Pattern("Unknown name".into())) }]);
    assert_eq!(parse("def x = 1\n").unwrap().cases, [Case { line: 0, what: What::Accept }]);
    assert_eq!(parse("-- just words\n").unwrap().cases[0].what, What::Accept);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let error = |text| parse(text).unwrap_err();
    assert_eq!(error("x\n-- ==\n-- input { 1\n").line, 3);
    assert_eq!(error("-- ==\n-- input 1\n").message, "`{` was expected");
    assert_eq!(error("-- ==\n-- input { 1 } output { 2 }\n-- %%%\n").line, 3);
    assert_eq!(error("-- ==\n-- error: x\nd\n-- ==\n-- input {}\n").line, 2);
}

#[test]
fn patterns_match_across_lines() {
    assert_eq!(Pattern("a.*b".into()).matches("xa\nyb"), Ok(true));
    assert_eq!(Pattern(String::new()).matches("anything"), Ok(true));
    assert!(Pattern("(".into()).matches("x").is_err());
}

#[test]
fn any_text_is_read_or_refused() {
    let pieces = [
        "-- ==\n",
        "-- ",
        "--",
        "\n",
        "input",
        "output",
        "auto ",
        "{",
        "}",
        "\"",
        "@",
        " x",
        "é",
        "error:",
        "entry: f",
        "tags",
        "structure",
        "random ",
        "script ",
        "\\",
        "warning:",
        "property: p",
        "1 ",
    ];
    let mut state = 7u64;
    for _ in 0..20_000 {
        let mut text = String::from("-- ==\n-- ");
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += pieces[(state >> 33) as usize % pieces.len()];
        }
        let _ = parse(&text);
    }
}
