//! C libraries as their users meet them: names that mean something in C, failures of all kinds, C++, two libraries in one
//! program, several threads.

use crate::common::Folder;
use std::process::Command;

const CALLER: &str = include_str!("embed/names.c");

/// A folder with two libraries and a program that uses both, if there is a C compiler.
fn built() -> Option<Folder> {
    if !there_is("cc") {
        return None;
    }
    let programs = [("names.rv", include_str!("embed/names.rv")), ("forms.rv", include_str!("embed/forms.rv"))];
    let folder = Folder::new(&programs);
    folder.write("main.c", CALLER.as_bytes());
    folder.ravel(&["build", "--lib", "names.rv", "-o", "made"]).status(0);
    folder.ravel(&["build", "--lib", "forms.rv", "-o", "made"]).status(0);
    Some(folder)
}

fn there_is(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no {compiler}");
    }
    found
}

/// Whether a compiler makes programs with these flags.
fn can(folder: &Folder, compiler: &str, flags: &[&str]) -> bool {
    folder.write("probe.c", b"int main(void) { return 0; }\n");
    let mut command = Command::new(compiler);
    command.args(flags).args(["probe.c", "-o", "probe"]).current_dir(folder.path(""));
    let made = command.output().is_ok_and(|output| output.status.success());
    let fine = made && Command::new(folder.path("probe")).output().is_ok_and(|output| output.status.success());
    if !fine {
        eprintln!("skipped: {compiler} cannot make programs with {flags:?}");
    }
    fine
}

/// Compiles the program and gives what it prints.
#[track_caller]
fn printed(folder: &Folder, compiler: &str, args: &[&str]) -> String {
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-O1", "-g", "-Imade", "-o", "main"]);
    let output = command.args(args).current_dir(folder.path("")).output().expect("the compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(folder.path("main")).output().expect("the program");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

#[test]
fn odd_names_and_failures() {
    let Some(folder) = built() else { return };
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let flags = if can(&folder, "cc", &sanitizers) { &sanitizers[..] } else { &[] };
    let sources = ["-std=c11", "main.c", "made/names.c", "made/forms.c", "-lm", "-pthread"];
    assert_eq!(printed(&folder, "cc", &[flags, &sources].concat()), include_str!("embed/names.txt"));
    let header = std::fs::read_to_string(folder.path("made/names.h")).expect("the header");
    assert!(header.contains("/* f' : i32 -> i32 */\nint names_entry_f__2("), "{header}");
    assert!(
        header.contains("options : [n] . [n](#none | #some f32) -> f32\n   o_tag: 0 #none, 1 #some. */"),
        "{header}"
    );
    let manifest = std::fs::read_to_string(folder.path("made/manifest.json")).expect("the manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let sum = manifest["entries"].as_array().and_then(|all| all.iter().find(|entry| entry["name"] == "sumt"));
    assert_eq!(sum.expect("an entry")["params"][0][0]["constructors"], serde_json::json!(["none", "some"]));
}

#[test]
fn headers_are_for_cpp_too() {
    let Some(folder) = built() else { return };
    if there_is("c++") {
        let args = ["-x", "c++", "main.c", "-x", "none", "-Lmade", "-lnames", "-lforms", "-pthread"];
        let path = format!("-Wl,-rpath,{}", folder.path("made").display());
        assert_eq!(printed(&folder, "c++", &[&args[..], &[&path]].concat()), include_str!("embed/names.txt"));
    }
}

/// Neither threads of the program around nor helpers of a context.
#[test]
fn threads_do_not_race() {
    let Some(folder) = built() else { return };
    if can(&folder, "cc", &["-fsanitize=thread"]) {
        let args = ["-fsanitize=thread", "-DSHALLOW", "-std=c11", "main.c", "made/names.c", "made/forms.c"];
        let said = printed(&folder, "cc", &[&args[..], &["-lm", "-pthread"]].concat());
        assert!(said.ends_with("\n20 20 20\n"), "{said}");
    }
}

#[test]
fn what_no_library_can_be() {
    let program = "entry f (x: i32): i32 = x";
    let folder = Folder::new(&[
        ("math.rv", program),
        ("rv_x.rv", program),
        ("wave.rv", "entry apply (f: i32 -> i32): i32 = f 3"),
        ("units.rv", "entry f [n] (x: [n][~]()): i64 = n"),
    ]);
    folder
        .ravel(&["build", "--lib", "math.rv"])
        .status(1)
        .complains("the library's header would hide the system's math.h");
    folder.ravel(&["build", "--lib", "rv_x.rv"]).status(1).complains("rename the file");
    folder.ravel(&["build", "--lib", "wave.rv"]).status(1);
    folder.ravel(&["build", "--lib", "units.rv"]).status(1).complains("the entry point f cannot be called from C");
}
