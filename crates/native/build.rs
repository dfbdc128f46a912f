//! Compiles the front of executables once, so that `ravel build` need not do it for every program.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let runtime = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
        .join("../../runtime/c");
    println!("cargo::rerun-if-changed={}", runtime.display());
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    let (text, object) = (folder.join("front.c"), folder.join("front.o"));
    let front = runtime.join("front.c");
    let whole: String = read(&front).lines().map(|line| included(line, &runtime)).collect();
    std::fs::write(&text, whole).expect("the folder can be written");
    // The processor may be another one when an executable is made, so nothing is said about it here.
    let flags = ["-std=c11", "-pthread", "-O2", "-fPIE", "-c", "-o"];
    let made = Command::new("cc").args(flags).args([&object, &text]).status();
    if !made.is_ok_and(|status| status.success()) {
        std::fs::write(&object, []).expect("the folder can be written");
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A line, or the file that it includes.
fn included(line: &str, folder: &Path) -> String {
    let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
    name.map_or_else(|| format!("{line}\n"), |name| read(&folder.join(name)))
}
