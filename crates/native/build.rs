//! Compiles what all programs have in common once, so that it need not be done for every program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// For processors with vectors as long as a line of the cache.
const LONG: &str = "-march=x86-64-v4";
/// Some processors are slow at jumps that cross boundaries of 32 bytes (see `src/processor.rs`), and the linker puts this code
/// elsewhere in every program.
const ALIGNED_JUMPS: &str = "-Wa,-mbranches-within-32B-boundaries";

fn main() {
    let runtime = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
        .join("../../runtime/c");
    println!("cargo::rerun-if-changed={}", runtime.display());
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    for name in ["front", "linked"] {
        let whole = read(&runtime.join(format!("{name}.c")));
        let whole: String = whole.lines().map(|line| included(line, &runtime)).collect();
        std::fs::write(folder.join(format!("{name}.c")), whole).expect("the folder can be written");
    }
    compile(&folder, "front", "front", &["-fPIE"]);
    let long =
        if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") { &[LONG][..] } else { &[] };
    for threads in 0..2 {
        let with = format!("-DRV_THREADS={threads}");
        let usual = ["-fPIC", "-fvisibility=hidden", &with];
        compile(&folder, "linked", &format!("linked{threads}"), &usual);
        compile(&folder, "linked", &format!("linked_long{threads}"), &[&usual[..], long].concat());
    }
}

/// Makes an object of a text; an empty file if there is no C compiler.
fn compile(folder: &Path, text: &str, object: &str, more: &[&str]) {
    let (text, object) = (folder.join(format!("{text}.c")), folder.join(format!("{object}.o")));
    let is_intel = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let aligned: &[&str] = if is_intel { &[ALIGNED_JUMPS] } else { &[] };
    if ![aligned, &[]].iter().any(|flags| run(&text, &object, &[more, flags].concat())) {
        std::fs::write(&object, []).expect("the folder can be written");
    }
}

/// Whether the C compiler makes the object, given these flags.
fn run(text: &Path, object: &Path, more: &[&str]) -> bool {
    // The processor may be another one when a program is compiled, so nothing more is said about it here.
    let flags = ["-std=c11", "-pthread", "-O2", "-fno-optimize-sibling-calls", "-c", "-o"];
    let made = Command::new("cc").args(more).args(flags).args([object, text]).stderr(Stdio::null()).status();
    made.is_ok_and(|status| status.success())
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A line, or the file that it includes.
fn included(line: &str, folder: &Path) -> String {
    let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
    name.map_or_else(|| format!("{line}\n"), |name| read(&folder.join(name)))
}
