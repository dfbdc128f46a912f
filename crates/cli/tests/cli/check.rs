//! `ravel check`, `ravel types` and `ravel error`.

use crate::common::Folder;

#[test]
fn accepted_programs_say_nothing() {
    let folder = Folder::new(&[("a.rv", "def f (x: i32) = x + 1\n"), ("b.fut", "def array (update: i32) = update\n")]);
    let said = folder.ravel(&["check", "a.rv", "b.fut"]).status(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn mistakes_are_shown_with_their_place() {
    let folder = Folder::new(&[("a.rv", "def f (x: i32) = y\n"), ("b.rv", "def f = )\n")]);
    let said = folder.ravel(&["check", "a.rv", "b.rv"]).status(1).complains("a.rv:1:18").complains("b.rv:1:9");
    assert_eq!(said.out, "");
    assert!(!said.err.contains('\u{1b}'), "colours in a file:\n{}", said.err);
}

#[test]
fn tools_get_json() {
    let folder = Folder::new(&[("a.rv", "def f (x: i32) =\n  y\ndef g = z\n")]);
    let said = folder.ravel(&["check", "--json", "a.rv"]).status(1);
    let found: Vec<serde_json::Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["file"], "a.rv");
    assert_eq!((&found[0]["line"], &found[0]["column"]), (&2.into(), &3.into()));
    assert_eq!((&found[0]["start"], &found[0]["end"]), (&19.into(), &20.into()));
    assert_eq!(found[0]["severity"], "error");
    assert!(found[0]["code"].is_string() && found[0]["labels"][0]["text"].is_string());
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new(&[("sub/x.rv", "def f = 1\n")]);
    folder.write("bytes.rv", b"def x = 1\n\xff\xfe");
    folder.ravel(&["check", "no.rv"]).status(1).complains("no.rv");
    folder.ravel(&["check", "sub"]).status(1).complains("folder");
    folder.ravel(&["check", "bytes.rv"]).status(1).complains("byte 10");
    folder.ravel(&["run", "bytes.rv"]).status(1);
    folder.ravel(&["check"]).status(2);
}

#[test]
fn imports_are_followed() {
    let folder = Folder::new(&[
        ("main.rv", "import \"lib/a\"\nmodule other = import \"lib/b\"\nentry main: i32 = a + other.b\n"),
        ("lib/a.rv", "import \"b\"\ndef a: i32 = b * 2\n"),
        ("lib/b.fut", "def b: i32 = 7\n"),
    ]);
    assert_eq!(folder.ravel(&["run", "main.rv"]).status(0).out, "21i32\n");
    // From elsewhere, too: imports are relative to the importer.
    let main = folder.path("main.rv");
    assert_eq!(folder.ravel(&["run", main.to_str().unwrap()]).status(0).out, "21i32\n");
}

#[test]
fn imports_that_fail_are_shown_where_they_stand() {
    let folder = Folder::new(&[
        ("missing.rv", "def x = 1\nimport \"nowhere\"\n"),
        ("circle.rv", "import \"round\"\n"),
        ("round.rv", "import \"circle\"\n"),
        ("self.rv", "import \"self\"\n"),
    ]);
    folder.ravel(&["check", "missing.rv"]).status(1).complains("missing.rv:2:").complains("nowhere.rv");
    folder.ravel(&["check", "circle.rv"]).status(1).complains("E0903").complains("round.rv:1:");
    folder.ravel(&["check", "self.rv"]).status(1).complains("E0903");
}

#[test]
fn many_mistakes_are_counted() {
    let text: String = (0..50).map(|i| format!("def f{i} = unknown{i}\n")).collect();
    let folder = Folder::new(&[("a.rv", &text)]);
    folder.ravel(&["check", "a.rv"]).status(1).complains("and 30 more");
}

#[test]
fn types_show_sizes() {
    let folder = Folder::new(&[("a.rv", "def inc [n] (xs: [n]i32): [n]i32 = map (+ 1) xs\ndef two: i32 = 2\n")]);
    let said = folder.ravel(&["types", "a.rv"]).status(0);
    assert_eq!(said.out, "inc : [n] . [n]i32 -> [n]i32\ntwo : i32\n");
    assert_eq!(folder.ravel(&["types", "a.rv", "two"]).status(0).out, "two : i32\n");
    folder.ravel(&["types", "a.rv", "tow"]).status(1).complains("did you mean `two`");
}

#[test]
fn codes_have_pages() {
    let folder = Folder::new(&[]);
    folder.ravel(&["error", "E0901"]).status(0).says("E0901");
    folder.ravel(&["error", "e0902"]).status(0).says("import");
    folder.ravel(&["error"]).status(0).says("E0903");
    folder.ravel(&["error", "E9999"]).status(2).complains("E9999");
}
